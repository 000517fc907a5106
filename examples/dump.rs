use anyhow::Result;
use serde_json::json;
use std::path::PathBuf;
use tenleaf::eval::fit;
use tenleaf::eval::{Question, QuestionSet, Split};
use tenleaf::question::Tables;
use tenleaf::search::signals::SIGNALS;
use tenleaf::search::{Engine, Settings};
fn main() -> Result<()> {
    let mut a = std::env::args().skip(1).map(PathBuf::from);
    let root = a.next().unwrap();
    let guard = a.next().unwrap().to_str() == Some("guard");
    let (engine, _) = Engine::open(&root, Tables::builtin(), &|_, _| {})?;
    let mut files = QuestionSet::files_of(&engine.library);
    files.extend(a);
    let mut seen = std::collections::HashSet::new();
    let set = QuestionSet::load(&engine.library, &files);
    let qs: Vec<Question> = set
        .questions
        .into_iter()
        .filter(|q| q.split != Some(Split::Test) && seen.insert(q.id.clone()))
        .collect();
    let cases = fit::cases(&engine, &qs, &Settings::default(), guard);
    println!(
        "{}",
        json!(SIGNALS.iter().map(|s| s.name()).collect::<Vec<_>>())
    );
    for (q, c) in qs.iter().zip(&cases) {
        let gold: Vec<_> = q
            .gold(&engine.library)
            .iter()
            .map(|p| {
                (
                    engine.library.filings()[p.filing as usize].doc_name.clone(),
                    p.page,
                )
            })
            .collect();
        println!(
            "{}",
            json!({"id": q.id, "kind": q.kind, "q": q.text, "goldp": gold, "fold": c.fold, "gold": c.gold,
          "pages": c.pages.iter().map(|(p,_)| (engine.library.filings()[p.filing as usize].doc_name.clone(), p.page)).collect::<Vec<_>>(),
          "x": c.pages.iter().map(|(_,v)| v.iter().map(|x| (x*1e6).round()/1e6).collect::<Vec<_>>()).collect::<Vec<_>>() })
        );
    }
    Ok(())
}
