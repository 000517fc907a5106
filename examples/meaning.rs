//! What MiniLM is worth beside words, on dev and tuning questions, as docs/MINILM.md tells it: ways to fuse the two
//! without and with the fitted signals, and MiniLM as the measure of topics near in meaning.
//!
//!     cargo run --release --example meaning -- MODEL_DIR LIBRARY_DIR [QUESTIONS.jsonl ...]
//!
//! Everything with signals is cross-validated and under the guard on table triggers; test questions are left out.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, ensure};
use rayon::prelude::*;
use tenleaf::dense::Embedder;
use tenleaf::dense::MiniLm;
use tenleaf::eval::bootstrap::Resamples;
use tenleaf::eval::fit::{self, Case, Reached};
use tenleaf::eval::markdown::{difference, share};
use tenleaf::eval::{Question, QuestionSet, Split};
use tenleaf::library::PageId;
use tenleaf::question::Tables;
use tenleaf::search::signals::{SIGNALS, Signal, Values};
use tenleaf::search::{Engine, Retriever, Settings, search};

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1).map(PathBuf::from);
    let usage = "usage: meaning MODEL_DIR LIBRARY_DIR [QUESTIONS.jsonl ...]";
    let models = args.next().context(usage)?;
    let root = args.next().context(usage)?;
    let (mut engine, _) = Engine::open(&root, Tables::builtin(), &|_, _| {})?;
    let minilm = MiniLm::new(&models, &engine.library);
    engine.meaning = Some(Arc::new(minilm));
    let meaning = engine.meaning.clone().expect("just set");
    meaning.ready()?;
    let mut files = QuestionSet::files_of(&engine.library)?;
    files.extend(args);
    let mut seen = std::collections::HashSet::new();
    let set = QuestionSet::load(&engine.library, &files);
    let questions: Vec<Question> = set
        .questions
        .into_iter()
        .filter(|q| q.split != Some(Split::Test) && seen.insert(q.id.clone()))
        .collect();
    ensure!(questions.len() >= 10, "too few questions");
    println!("{}; {} questions", meaning.describe()?, questions.len());
    let table = Rows(Resamples::draw(questions.len(), 10_000, 42));
    without_signals(&engine, &questions, &table);
    with_signals(&engine, &questions, &table);
    near_topics(&mut engine, &questions, &models, &table)
}

/// Rows of a table, each with its differences to the first.
struct Rows(Resamples);

impl Rows {
    fn head(&self, title: &str) {
        println!(
            "\n| {title} | Hit@10 | MRR@10 | difference in Hit@10 | in MRR@10 |\n|---|---|---|---|---|"
        );
    }

    fn row(&self, name: &str, reached: &Reached, first: Option<&Reached>) {
        let differences = first.map_or(String::from("| "), |first| {
            let [hit, mrr] = reached.over(first, &self.0);
            format!(
                "{} | {}",
                difference(&hit, reached.questions),
                difference(&mrr, reached.questions)
            )
        });
        println!(
            "| {name} | {} | {} | {differences} |",
            share(reached.hit_10),
            share(reached.mrr_10)
        );
    }
}

/// A page with its tier and both scores.
type Both = (PageId, u8, f64, f64);

/// How two scores become one.
#[derive(Clone, Copy)]
enum Fusion {
    Words,
    Meaning,
    /// Shares of the best, the meaning's with this weight.
    Sum(f64),
    /// Reciprocal ranks with this constant, the meaning's with this weight.
    Ranks(f64, f64),
}

const FUSIONS: [(&str, Fusion); 14] = [
    ("words", Fusion::Words),
    ("MiniLM", Fusion::Meaning),
    ("sum, MiniLM 0.25", Fusion::Sum(0.25)),
    ("sum, MiniLM 0.5", Fusion::Sum(0.5)),
    ("sum, MiniLM 1", Fusion::Sum(1.0)),
    ("sum, MiniLM 2", Fusion::Sum(2.0)),
    ("sum, MiniLM 4", Fusion::Sum(4.0)),
    ("ranks, k = 60, MiniLM 1", Fusion::Ranks(60.0, 1.0)),
    ("ranks, k = 60, MiniLM 0.5", Fusion::Ranks(60.0, 0.5)),
    ("ranks, k = 10, MiniLM 1", Fusion::Ranks(10.0, 1.0)),
    ("ranks, k = 10, MiniLM 0.5", Fusion::Ranks(10.0, 0.5)),
    ("ranks, k = 10, MiniLM 0.25", Fusion::Ranks(10.0, 0.25)),
    ("ranks, k = 3, MiniLM 0.5", Fusion::Ranks(3.0, 0.5)),
    ("ranks, k = 3, MiniLM 0.25", Fusion::Ranks(3.0, 0.25)),
];

impl Fusion {
    fn scores(self, pages: &[Both]) -> Vec<f64> {
        let words: Vec<f64> = pages.iter().map(|page| page.2).collect();
        let meaning: Vec<f64> = pages.iter().map(|page| page.3).collect();
        let both = |words: Vec<f64>, meaning: Vec<f64>, weight: f64| {
            words
                .iter()
                .zip(meaning)
                .map(|(w, m)| w + weight * m)
                .collect()
        };
        match self {
            Fusion::Words => words,
            Fusion::Meaning => meaning,
            Fusion::Sum(weight) => both(shares(&words), shares(&meaning), weight),
            Fusion::Ranks(k, weight) => {
                both(reciprocal(&words, k), reciprocal(&meaning, k), weight)
            }
        }
    }
}

fn shares(scores: &[f64]) -> Vec<f64> {
    let best = scores.iter().copied().fold(0.0, f64::max);
    scores
        .iter()
        .map(|s| if best > 0.0 { s / best } else { 0.0 })
        .collect()
}

fn reciprocal(scores: &[f64], k: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    let mut out = vec![0.0; scores.len()];
    for (rank, page) in order.into_iter().enumerate() {
        // Below every page with a word of the question there is no rank.
        if scores[page] != 0.0 {
            out[page] = 1.0 / (k + rank as f64 + 1.0);
        }
    }
    out
}

/// The best rank of a labelled page; of equal scores the earlier page comes first.
fn rank(pages: &[Both], scores: &[f64], gold: &[PageId]) -> Option<usize> {
    let before = |a: usize, b: usize| {
        let (tier_a, tier_b) = (pages[a].1, pages[b].1);
        tier_a > tier_b
            || tier_a == tier_b && (scores[a] > scores[b] || scores[a] == scores[b] && a < b)
    };
    (0..pages.len())
        .filter(|&n| gold.contains(&pages[n].0))
        .map(|n| 1 + (0..pages.len()).filter(|&m| before(m, n)).count())
        .min()
}

/// BM25 with statement pages first, beside MiniLM.
fn without_signals(engine: &Engine, questions: &[Question], table: &Rows) {
    let settings = |retriever| Settings {
        signals: false,
        several: false,
        retriever,
        ..Settings::default()
    };
    let pages: Vec<Vec<Both>> = questions
        .par_iter()
        .map(|question| {
            let words = search(engine, &question.text, &settings(Retriever::Bm25)).scored;
            let words: HashMap<PageId, f64> = words.iter().map(|s| (s.page, s.score)).collect();
            let meaning = search(engine, &question.text, &settings(Retriever::Dense)).scored;
            let mut pages: Vec<Both> = meaning
                .iter()
                .map(|s| {
                    (
                        s.page,
                        s.tier,
                        words.get(&s.page).copied().unwrap_or(0.0),
                        s.score,
                    )
                })
                .collect();
            pages.sort_by_key(|page| page.0);
            pages
        })
        .collect();
    fusions(engine, questions, &pages, table, "without signals");
}

fn fusions(
    engine: &Engine,
    questions: &[Question],
    pages: &[Vec<Both>],
    table: &Rows,
    title: &str,
) {
    table.head(title);
    let reached = |fusion: Fusion| {
        let mut out = Reached::default();
        for (question, pages) in questions.iter().zip(pages) {
            let gold = question.gold(engine.library.filings());
            out.count(&question.id, rank(pages, &fusion.scores(pages), &gold));
        }
        out.mean()
    };
    let first = reached(Fusion::Words);
    for (name, fusion) in FUSIONS {
        table.row(name, &reached(fusion), Some(&first));
    }
}

fn shipped(engine: &Engine) -> Vec<Signal> {
    let has_weight = |signal: &Signal| engine.weights.weights.contains_key(signal.name());
    SIGNALS.iter().copied().filter(has_weight).collect()
}

/// The fitted signals beside MiniLM, and MiniLM as one of them.
fn with_signals(engine: &Engine, questions: &[Question], table: &Rows) {
    let signals = shipped(engine);
    let hybrid = Settings {
        retriever: Retriever::Hybrid,
        ..Settings::default()
    };
    let by_words = fit::cases(engine, questions, &Settings::default(), true);
    let cases = fit::cases(engine, questions, &hybrid, true);
    let (first, _) = fit::cross_validate(&by_words, &signals);

    table.head("with signals, cross-validated, under the guard");
    table.row("signals", &first, None);
    let with_dense: Vec<Signal> = signals.iter().copied().chain([Signal::Dense]).collect();
    let (fitted, _) = fit::cross_validate(&cases, &with_dense);
    table.row("MiniLM as a fitted signal", &fitted, Some(&first));
    let weights = fit::by_fold(&cases, &signals);
    for weight in [0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0] {
        let reached = fit::reached(cases.iter(), |case| {
            let mut values: Values = weights[case.fold];
            values[Signal::Dense as usize] = weight;
            values
        });
        table.row(
            &format!("signals and MiniLM at weight {weight}"),
            &reached,
            Some(&first),
        );
    }
    let of = |case: &Case| -> Vec<Both> {
        let score = |v: &Values| v.iter().zip(&weights[case.fold]).map(|(v, w)| v * w).sum();
        case.pages
            .iter()
            .map(|(page, v)| (*page, 0, score(v), v[Signal::Dense as usize]))
            .collect()
    };
    let pages: Vec<Vec<Both>> = cases.iter().map(of).collect();
    fusions(
        engine,
        questions,
        &pages,
        table,
        "the signals' score in place of BM25's",
    );
}

/// Topics near in meaning: by the table, by MiniLM, and none.
fn near_topics(
    engine: &mut Engine,
    questions: &[Question],
    models: &Path,
    table: &Rows,
) -> Result<()> {
    const NEAREST: usize = 10;
    let signals = shipped(engine);
    let tables = engine.tables.clone();
    let cases = |engine: &Engine| fit::cases(engine, questions, &Settings::default(), true);
    table.head("topics near in meaning, cross-validated, under the guard");
    let by_table = cases(engine);
    let (first, _) = fit::cross_validate(&by_table, &signals);
    table.row("by the table of associations", &first, None);
    engine.tables = Arc::new(tables.with_nearest(Arc::new(|_: &str| Vec::new())));
    let (none, _) = fit::cross_validate(&cases(engine), &signals);
    table.row("none", &none, Some(&first));

    let embedder = Arc::new(Mutex::new(Embedder::open(models)?));
    let embed = move |text: &str| {
        embedder
            .lock()
            .expect("not poisoned")
            .embed(text)
            .expect("the model works")
    };
    let joined: Vec<Vec<Vec<f32>>> = tables
        .topics
        .iter()
        .map(|t| vec![embed(&t.phrases.join(", "))])
        .collect();
    let apart: Vec<Vec<Vec<f32>>> = tables
        .topics
        .iter()
        .map(|t| t.phrases.iter().map(|p| embed(p)).collect())
        .collect();
    let ids: Vec<String> = tables.topics.iter().map(|topic| topic.id.clone()).collect();
    let embed = Arc::new(embed);
    for (name, vectors, least) in [
        ("by MiniLM of question and topic text", &joined, f64::MIN),
        ("the same, from a cosine of 0.3 on", &joined, 0.3),
        (
            "by MiniLM, the topic's best three phrases",
            &apart,
            f64::MIN,
        ),
    ] {
        let (vectors, ids, embed) = (vectors.clone(), ids.clone(), embed.clone());
        let nearest = move |text: &str| {
            let asked = embed(text);
            let mut near: Vec<(String, f64)> = ids
                .iter()
                .zip(&vectors)
                .map(|(id, vectors)| (id.clone(), best_three(&asked, vectors)))
                .filter(|(_, cosine)| *cosine >= least)
                .collect();
            near.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            near.truncate(NEAREST);
            near
        };
        engine.tables = Arc::new(tables.with_nearest(Arc::new(nearest)));
        let (reached, _) = fit::cross_validate(&cases(engine), &signals);
        table.row(name, &reached, Some(&first));
    }
    Ok(())
}

/// Mean cosine of the best three vectors.
fn best_three(asked: &[f32], vectors: &[Vec<f32>]) -> f64 {
    let cosine = |v: &Vec<f32>| f64::from(asked.iter().zip(v).map(|(a, b)| a * b).sum::<f32>());
    let mut cosines: Vec<f64> = vectors.iter().map(cosine).collect();
    cosines.sort_by(|a, b| b.total_cmp(a));
    cosines.truncate(3);
    cosines.iter().sum::<f64>() / cosines.len().max(1) as f64
}
