//! A library of some companies' filings, imported from the shared data.

use std::fs;
use std::path::{Path, PathBuf};

use tenleaf::eval::QuestionSet;
use tenleaf::library::demo;
use tenleaf::library::import::{self, ImportPlan};
use tenleaf::question::Tables;
use tenleaf::search::Engine;

use crate::common::shared;

/// Companies whose filings make the small corpus: banks, retailers, releases, 8-Ks, a damaged font.
const COMPANIES: [&str; 5] = ["3M", "AMD", "McDonalds", "Best Buy", "Pfizer"];

/// The library at `root`, opened.
pub fn open(root: &Path) -> Engine {
    Engine::open(root, Tables::builtin(), &|_, _| {})
        .expect("opens")
        .0
}

/// A mirror folder of some companies' filings, and all labelled questions there are; without the
/// shared data, the demo.
pub fn corpus(dir: &Path) -> (PathBuf, Vec<String>) {
    let root = dir.join("library");
    let Some(shared) = shared("financebench") else {
        demo::install(&root).expect("the demo installs");
        let set = QuestionSet::read(&[root.join("questions/demo.jsonl")]);
        return (root, set.questions.into_iter().map(|q| q.text).collect());
    };
    let mirror = dir.join("mirror");
    fs::create_dir_all(mirror.join("pages")).unwrap();
    let manifest = fs::read_to_string(shared.join("manifest.jsonl")).unwrap();
    let mut rows = String::new();
    for line in manifest.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        if COMPANIES.contains(&row["company"].as_str().unwrap()) {
            let name = format!("{}.jsonl.zst", row["doc_name"].as_str().unwrap());
            fs::copy(
                shared.join("pages").join(&name),
                mirror.join("pages").join(&name),
            )
            .unwrap();
            rows += line;
            rows.push('\n');
        }
    }
    fs::write(mirror.join("manifest.jsonl"), rows).unwrap();
    let plan = ImportPlan {
        from: mirror,
        root: root.clone(),
        with_pdfs: false,
        questions: Vec::new(),
    };
    import::run(&plan, &|_| {}, &Default::default()).expect("imports");
    let files = [
        shared.join("financebench_open_source.jsonl"),
        shared.parent().unwrap().join("questions/tune.jsonl"),
    ];
    let set = QuestionSet::read(&files);
    (root, set.questions.into_iter().map(|q| q.text).collect())
}
