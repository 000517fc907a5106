//! PDF to page text on real filings, against the text another run of the same method gave.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::common;
use rayon::prelude::*;
use tenleaf::library::pdf;
use tenleaf::library::{PageQuality, PageText};
use tenleaf::text;

fn pdfs() -> Option<Vec<PathBuf>> {
    let dir = common::shared("financebench/pdfs")?;
    let dir = std::env::var_os("TENLEAF_PDFS").map_or(dir, PathBuf::from);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "pdf"))
        .collect();
    paths.sort();
    Some(paths)
}

fn reference(doc_name: &str) -> Vec<String> {
    let path = common::shared("financebench/pages")
        .unwrap()
        .join(format!("{doc_name}.jsonl.zst"));
    let bytes = zstd::decode_all(std::fs::File::open(path).unwrap()).unwrap();
    String::from_utf8(bytes)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|page| text::normalise(page["text"].as_str().unwrap()))
        .collect()
}

fn counts(text: &str) -> HashMap<String, i64> {
    let mut counts = HashMap::new();
    for term in text::terms(text) {
        *counts.entry(term).or_default() += 1;
    }
    counts
}

/// Terms in both, in `got`, in `want`.
fn overlap(got: &str, want: &str) -> (i64, i64, i64) {
    let (got, want) = (counts(got), counts(want));
    let both = want
        .iter()
        .map(|(term, n)| (*n).min(got.get(term).copied().unwrap_or(0)))
        .sum();
    (both, got.values().sum(), want.values().sum())
}

#[derive(Default, Clone, Copy)]
struct Score {
    pages: usize,
    recall: f64,
    f1: f64,
    lines: i64,
    lines_same: i64,
    worst: f64,
}

fn score(name: &str, got: &[PageText], want: &[String]) -> Score {
    assert_eq!(got.len(), want.len(), "{name}: pages");
    let mut score = Score {
        worst: 1.0,
        ..Score::default()
    };
    for (ix, (got, want)) in got.iter().zip(want).enumerate() {
        let got = text::normalise(&got.text);
        let (both, n_got, n_want) = overlap(&got, want);
        if n_want == 0 {
            continue;
        }
        let (recall, precision) = (
            both as f64 / n_want as f64,
            both as f64 / n_got.max(1) as f64,
        );
        let f1 = if both == 0 {
            0.0
        } else {
            2.0 * recall * precision / (recall + precision)
        };
        if f1 < 0.95 && n_want > 20 {
            println!("{name} page {}: F1 {f1:.3} of {n_want} terms", ix + 1);
        }
        score.pages += 1;
        score.recall += recall;
        score.f1 += f1;
        if n_want > 20 {
            score.worst = score.worst.min(f1);
        }
        let lines: std::collections::HashSet<&str> = got.lines().collect();
        score.lines += want.lines().count() as i64;
        score.lines_same += want.lines().filter(|line| lines.contains(line)).count() as i64;
    }
    score
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_string()
}

/// Filings whose reference text was left empty, since what their fonts give is garbage.
const BROKEN_FONTS: &str = "MCDONALDS_2022Q4_EARNINGS";

#[test]
fn real_filings_read_as_they_should() {
    let Some(paths) = pdfs() else { return };
    let started = std::time::Instant::now();
    let read: Vec<(String, Vec<PageText>)> = paths
        .par_iter()
        .map(|path| {
            let pages = pdf::extract(&std::fs::read(path).unwrap());
            (
                name_of(path),
                pages.unwrap_or_else(|error| panic!("{}: {error}", path.display())),
            )
        })
        .collect();
    let seconds = started.elapsed().as_secs_f64();
    let pages: usize = read.iter().map(|(_, pages)| pages.len()).sum();
    println!(
        "{} filings, {pages} pages in {seconds:.1} s: {:.0} pages/s",
        read.len(),
        pages as f64 / seconds
    );

    let mut all = Score {
        worst: 1.0,
        ..Score::default()
    };
    for (name, pages) in &read {
        if name == BROKEN_FONTS {
            continue;
        }
        let one = score(name, pages, &reference(name));
        all = Score {
            pages: all.pages + one.pages,
            recall: all.recall + one.recall,
            f1: all.f1 + one.f1,
            lines: all.lines + one.lines,
            lines_same: all.lines_same + one.lines_same,
            worst: all.worst.min(one.worst),
        };
    }
    let (recall, f1) = (all.recall / all.pages as f64, all.f1 / all.pages as f64);
    println!(
        "recall {recall:.4}, F1 {f1:.4}, worst page {:.3}, lines the same {:.4}",
        all.worst,
        all.lines_same as f64 / all.lines as f64
    );
    assert!(recall > 0.995, "term recall {recall}");
    assert!(f1 > 0.995, "F1 {f1}");

    for (name, pages) in &read {
        let flagged = |quality| -> Vec<usize> {
            (0..pages.len())
                .filter(|&ix| pages[ix].quality == quality)
                .map(|ix| ix + 1)
                .collect()
        };
        let garbage = flagged(PageQuality::Garbage);
        if name == BROKEN_FONTS {
            let fine = flagged(PageQuality::Ok);
            println!("{name}: garbage {garbage:?}, fine {fine:?}");
            assert!(garbage.len() >= 8, "{name}: {garbage:?}");
            continue;
        }
        for ix in garbage {
            println!(
                "{name} page {ix} flagged as garbage: {:?}",
                pages[ix - 1].text.chars().take(300).collect::<String>()
            );
        }
        for ix in flagged(PageQuality::Empty) {
            println!(
                "{name} page {ix} flagged as empty: {:?}",
                pages[ix - 1].text.chars().take(60).collect::<String>()
            );
        }
    }
}
