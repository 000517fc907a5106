//! MiniLM: vectors, exact search, questions, pages a second, and typing with it on.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use tenleaf::config::Config;
use tenleaf::dense::{Dense, Embedder, Encode, Model};
use tenleaf::eval::QuestionSet;
use tenleaf::library::{Library, PageId};

use super::meter::Meter;
use super::{PROGRAM, latency, ms, percentile, row, size};

/// Pages embedded for the pages a second.
const PAGES: usize = 400;

/// Measures what is there of MiniLM in the data folder; says how to get it where it is not.
pub fn minilm(data: &Path, root: &Path) -> Result<()> {
    println!();
    let library = Library::open(root)?;
    let models = data.join("models");
    let dense = match Dense::open(&models, root, library.filings()) {
        Ok(dense) => dense,
        Err(error) => {
            println!("MiniLM is not measured: {error}");
            println!("  (with --data-dir {})", data.display());
            return Ok(());
        }
    };
    let coverage = dense.coverage();
    println!(
        "MiniLM: {} of {} pages embedded, model {}",
        coverage.pages,
        coverage.pages_in_all,
        dense.model().short()
    );
    // No goal: docs/MINILM.md has 60 MB for one vector a page, and this library may have up to four.
    let bytes = size(&root.join("vectors"))? as f64;
    row("vectors on disk", bytes / 1e6, "MB", None);
    let questions = QuestionSet::load(&library, &[]).questions;
    questions_embedded(&models, questions.iter().map(|q| q.text.as_str()))?;
    searches(&dense, &library, &questions[0].text)?;
    pages_embedded(&models, &library)?;
    typing(data, root)
}

fn questions_embedded<'a>(models: &Path, questions: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut embedder = Embedder::open(models)?;
    let mut times = Vec::new();
    for question in questions {
        let start = Instant::now();
        embedder.embed(question)?;
        times.push(ms(start.elapsed()));
    }
    latency("a question's vector", &times, 10.0);
    Ok(())
}

/// One thread, every page compared.
fn searches(dense: &Dense, library: &Library, question: &str) -> Result<()> {
    let filings = library.filings();
    let pages = |filing: usize| {
        let count = filings[filing].pages;
        (0..count).map(move |page| PageId {
            filing: filing as u32,
            page,
        })
    };
    let longest = (0..filings.len())
        .max_by_key(|&n| filings[n].pages)
        .context("the library is empty")?;
    let one: Vec<PageId> = pages(longest).collect();
    let all: Vec<PageId> = (0..filings.len()).flat_map(pages).collect();
    for (name, pages, target) in [
        (
            format!("the longest filing compared ({} pages)", one.len()),
            one,
            1.0,
        ),
        (format!("all {} pages compared", all.len()), all, 15.0),
    ] {
        let mut times = Vec::new();
        for _ in 0..50 {
            let start = Instant::now();
            std::hint::black_box(dense.similarity(question, &pages)?);
            times.push(ms(start.elapsed()));
        }
        row(
            &format!("{name}: p95"),
            percentile(&times, 0.95),
            "ms",
            Some(target),
        );
    }
    Ok(())
}

fn pages_embedded(models: &Path, library: &Library) -> Result<()> {
    let mut embedder = Model::open(models)?.embedder()?;
    // Pages from all over the corpus, as they come.
    let step = (library.page_count() / PAGES).max(1);
    let all = (0..library.filings().len()).flat_map(|n| {
        (0..library.filing(n as u32).pages).map(move |page| PageId {
            filing: n as u32,
            page,
        })
    });
    let texts: Vec<String> = all
        .step_by(step)
        .filter_map(|page| Some(library.page(page).ok()?.text))
        .collect();
    let windows = Config::shipped().model.windows as usize;
    let start = Instant::now();
    for text in &texts {
        embedder.windows(text, windows)?;
    }
    let rate = texts.len() as f64 / start.elapsed().as_secs_f64();
    let name = format!("pages embedded a second, one core, up to {windows} windows each");
    row(&name, rate, "", None);
    let minutes = library.page_count() as f64 / rate / 60.0;
    row("the whole corpus on one core", minutes, "min", Some(50.0));
    Ok(())
}

/// The workbench with words and meaning fused.
fn typing(data: &Path, root: &Path) -> Result<()> {
    let name = root.file_name().context("a library has a name")?;
    let (mut meter, _) = Meter::start(PROGRAM, data, &name.to_string_lossy())?;
    meter.rest();
    // From words to meaning, from meaning to both; the first loads the model.
    let loaded = meter.press_and_rest("\x1b[18~")?;
    row(
        "F7 to the ranking by meaning, model loaded",
        ms(loaded.time),
        "ms",
        None,
    );
    meter.press_and_rest("\x1b[18~")?;
    let (mut times, mut rests) = (Vec::new(), Vec::new());
    for question in [
        "What was 3M's capital expenditure in FY2018? Use the cash flow statement.",
        "What is American Express's largest liability in FY2022?",
    ] {
        for key in question.chars() {
            times.push(ms(meter.press(&key.to_string())?.time));
        }
        rests.push(ms(meter.press_and_rest(" ")?.time));
        meter.press_and_rest("\x15")?;
    }
    latency("keystroke with MiniLM on", &times, 50.0);
    row(
        "last key to the ranking by meaning",
        percentile(&rests, 1.0),
        "ms",
        None,
    );
    row("memory, at most", meter.peak_memory()?, "MB", None);
    meter.end()
}
