//! `make bench`: the times, bytes and memory tenleaf promises, measured on the real corpus.
//!
//! The corpus is FinanceBench's mirror folder at `../shared` (or where `TENLEAF_SHARED` says); it is
//! imported once into `target/bench-data`. Without it the demo stands in, which says little.
//! The queries run on one thread.

mod meter;
mod minilm;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tenleaf::config::Config;
use tenleaf::eval::QuestionSet;
use tenleaf::index::Index;
use tenleaf::library::{Library, pdf};
use tenleaf::question::Tables;
use tenleaf::search::{Engine, Settings, search};

use meter::Meter;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tenleaf");
/// Questions whose ranked pages are stepped through: figures, text, and pages longer than the screen.
const STEPPED: [&str; 4] = [
    "What was 3M's revenue in FY2018?",
    "What drove operating margin change as of FY2022 for 3M?",
    "Which segment has dragged down growth of Johnson & Johnson in 2022?",
    "Does American Express have an improving operating margin profile as of 2022?",
];
/// PDFs read for the pages a second.
const PDFS: usize = 12;

fn main() -> Result<()> {
    // `cargo test --benches` asks for nothing to be measured.
    if std::env::args().any(|arg| arg == "--test") {
        return Ok(());
    }
    let shared = shared();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench-data");
    let root = library(&data, shared.as_deref())?;
    let corpus = Library::open(&root)?;
    println!(
        "{} filings, {} pages\n",
        corpus.filings().len(),
        corpus.page_count()
    );
    engine(&root)?;
    adding(&root)?;
    if let Some(shared) = &shared {
        pdfs(&shared.join("financebench/pdfs"))?;
    }
    workbench(&data, &root)?;
    minilm::minilm(&data, &root)
}

fn shared() -> Option<PathBuf> {
    let dir = std::env::var_os("TENLEAF_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    dir.join("financebench/manifest.jsonl")
        .is_file()
        .then_some(dir)
}

/// The library measured: FinanceBench, imported at the first run, or else the demo.
fn library(data: &Path, shared: Option<&Path>) -> Result<PathBuf> {
    let mut command = Command::new(PROGRAM);
    command.arg("--data-dir").arg(data);
    let name = match shared {
        Some(shared) => {
            command.args(["--library", "financebench", "data", "import"]);
            command.arg(shared.join("financebench"));
            "financebench"
        }
        None => {
            println!("no mirror of FinanceBench in ../shared: measuring the demo");
            command.args(["--library", "demo", "index"]);
            "demo"
        }
    };
    if !data.join(name).join("catalog.jsonl").is_file() {
        let status = command.status().context("starting tenleaf")?;
        ensure!(status.success(), "the library could not be made");
    }
    Ok(data.join(name))
}

/// A filing of about 150 pages added to all the others, from its text on: stored, indexed, ready to be asked.
fn adding(root: &Path) -> Result<()> {
    let library = Library::open(root)?;
    let nearest = (0..library.filings().len())
        .min_by_key(|&n| library.filings()[n].pages.abs_diff(150))
        .context("the library has no filing")?;
    let pages = library.page_file(nearest as u32)?.all()?;
    let mut filing = library.filings()[nearest].clone();
    filing.doc_name = "ADDED_BY_THE_BENCH".into();
    drop(library);
    let in_line = || -> Result<()> {
        Library::refresh(root)?;
        let library = Library::open(root)?;
        Index::sync(&library, &|_, _| {}, &AtomicBool::new(false))?;
        ensure!(Index::open(&library)?.is_some(), "the index is in line");
        Ok(())
    };
    let times: Vec<f64> = (0..5)
        .map(|_| {
            let start = Instant::now();
            Library::put(root, &mut filing, &pages)?;
            in_line()?;
            let time = start.elapsed().as_secs_f64();
            Library::remove(root, &filing.doc_name)?;
            in_line()?;
            Ok(time)
        })
        .collect::<Result<_>>()?;
    let what = format!("filing of {} pages added", pages.len());
    row(&what, median(&times), "s", Some(0.6));
    Ok(())
}

fn engine(root: &Path) -> Result<()> {
    let library = Library::open(root)?;
    let index = root.join("index");
    if index.exists() {
        fs::remove_dir_all(&index)?;
    }
    let start = Instant::now();
    Index::sync(&library, &|_, _| {}, &AtomicBool::new(false))?;
    row("index built", start.elapsed().as_secs_f64(), "s", Some(5.0));
    let opened: Vec<f64> = (0..9)
        .map(|_| {
            let start = Instant::now();
            let index = Index::open(&library).expect("the index opens");
            assert!(index.is_some(), "the index is in line");
            ms(start.elapsed())
        })
        .collect();
    row("index opened", median(&opened), "ms", Some(20.0));
    row("index on disk", size(&index)? as f64 / 1e6, "MB", None);
    let (engine, _) = Engine::open(root, Tables::builtin(), &|_, _| {})?;
    let questions = QuestionSet::load(&engine.library, &[]).questions;
    // The first rung of the ladder: nothing narrows the search.
    let everything = Config::shipped().eval.ladder().swap_remove(0).settings;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let routed = Settings {
        signals: false,
        several: false,
        ..Settings::default()
    };
    for (name, settings, target) in [
        ("query, all pages, BM25", everything, 5.0),
        ("query, filter and routing", routed, 2.0),
        ("query, signals and years too", Settings::default(), 4.0),
    ] {
        let times = pool.install(|| {
            for question in &questions {
                search(&engine, &question.text, &settings);
            }
            questions
                .iter()
                .map(|question| {
                    let start = Instant::now();
                    std::hint::black_box(search(&engine, &question.text, &settings));
                    ms(start.elapsed())
                })
                .collect::<Vec<f64>>()
        });
        latency(name, &times, target);
    }
    Ok(())
}

/// Pages a second of PDF to text, on every core.
fn pdfs(dir: &Path) -> Result<()> {
    use rayon::prelude::*;
    let Ok(entries) = fs::read_dir(dir) else {
        return Ok(());
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ext| ext == "pdf"));
    files.sort();
    files.truncate(PDFS);
    let start = Instant::now();
    let pages: usize = files
        .par_iter()
        .map(|file| {
            fs::read(file)
                .ok()
                .and_then(|bytes| pdf::extract(&bytes).ok())
                .map_or(0, |pages| pages.len())
        })
        .sum();
    // 344 PDFs of 51,000 pages in 65 s on two cores.
    let cores = std::thread::available_parallelism()?.get() as f64;
    row(
        "PDF pages a second and core",
        pages as f64 / start.elapsed().as_secs_f64() / cores,
        "",
        None,
    );
    Ok(())
}

/// The program in a pty at 200x60, as over SSH.
fn workbench(data: &Path, root: &Path) -> Result<()> {
    let name = root
        .file_name()
        .expect("a library has a name")
        .to_string_lossy();
    println!();
    let (mut first, mut open) = (Vec::new(), Vec::new());
    for _ in 0..9 {
        let (meter, start) = Meter::start(PROGRAM, data, &name)?;
        first.push(ms(start.first_frame));
        open.push(ms(start.open));
        meter.end()?;
    }
    row("first frame", median(&first), "ms", Some(60.0));
    row("library open on the screen", median(&open), "ms", None);

    let (mut meter, _) = Meter::start(PROGRAM, data, &name)?;
    meter.rest();
    let mut times = Vec::new();
    let mut bytes = Vec::new();
    for question in [
        "What was 3M's capital expenditure in FY2018? Use the cash flow statement.",
        "What is American Express's largest liability in FY2022?",
    ] {
        for key in question.chars() {
            let step = meter.press(&key.to_string())?;
            times.push(ms(step.time));
            bytes.push(step.bytes as f64);
        }
        // Ctrl-U empties the line.
        meter.press("\x15")?;
    }
    latency("keystroke to its last frame", &times, 10.0);
    row(
        "bytes a keystroke: median",
        median(&bytes),
        "B",
        Some(2048.0),
    );
    row(
        "bytes a keystroke: p95",
        percentile(&bytes, 0.95),
        "B",
        None,
    );

    let (mut ranking, mut page) = (Vec::new(), Vec::new());
    for question in STEPPED {
        meter.press(question)?;
        meter.rest();
        // Enter goes to the ranked pages, Enter again into the page, Esc back.
        meter.press("\r")?;
        for _ in 0..8 {
            ranking.push(meter.press("j")?.bytes as f64);
        }
        meter.press("g")?;
        meter.press("\r")?;
        // J goes to the next ranked page.
        for _ in 0..5 {
            for _ in 0..5 {
                page.push(meter.press("j")?.bytes as f64);
            }
            meter.press("J")?;
        }
        meter.press("\x1b")?;
        meter.press("i")?;
        meter.press("\x15")?;
    }
    // At its end a page does not scroll, and nothing is written.
    page.retain(|bytes| *bytes > 0.0);
    for (what, steps) in [("ranking", ranking), ("page", page)] {
        let name = format!("bytes a step, {what} ({} steps)", steps.len());
        row(
            &format!("{name}: median"),
            median(&steps),
            "B",
            Some(3072.0),
        );
        row(&format!("{name}: p95"), percentile(&steps, 0.95), "B", None);
    }
    meter.rest();
    row(
        "CPU in two idle seconds",
        meter.idle_cpu(Duration::from_secs(2))?,
        "ms",
        Some(0.0),
    );
    row("memory, at most", meter.peak_memory()?, "MB", Some(200.0));
    meter.end()
}

/// One line of the table; over the target is marked.
fn row(what: &str, value: f64, unit: &str, target: Option<f64>) {
    let verdict = match target {
        Some(target) if value > target => format!("  OVER {target} {unit}"),
        Some(target) => format!("  at most {target} {unit}"),
        None => String::new(),
    };
    println!("{what:<44} {value:>10.2} {unit:<3}{verdict}");
}

/// Median and 95th percentile of times in ms; the target is for the latter.
fn latency(what: &str, times: &[f64], target: f64) {
    row(&format!("{what}: p50"), percentile(times, 0.50), "ms", None);
    row(
        &format!("{what}: p95"),
        percentile(times, 0.95),
        "ms",
        Some(target),
    );
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median(values: &[f64]) -> f64 {
    percentile(values, 0.5)
}

/// Nearest rank.
fn percentile(values: &[f64], p: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (p * sorted.len() as f64).ceil() as usize;
    sorted
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or(f64::NAN)
}

fn size(dir: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        sum += match entry.metadata()? {
            meta if meta.is_dir() => size(&entry.path())?,
            meta => meta.len(),
        };
    }
    Ok(sum)
}
