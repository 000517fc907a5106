//! Our measures against the Python package ir-measures, over the same TREC files.

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tenleaf::eval::metrics::{Means, Measure};
use tenleaf::eval::{Question, trec};

/// A small generator of our own: the test needs variety, not quality.
fn below(state: &mut u64, n: u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    (*state >> 33) % n
}

/// A Python that has ir-measures, made in target/ if need be; `None`, with a message, where that
/// cannot be.
fn python() -> Option<PathBuf> {
    let has = |python: &PathBuf| {
        let check = Command::new(python)
            .args(["-c", "import ir_measures"])
            .output();
        check.is_ok_and(|output| output.status.success())
    };
    let named = std::env::var_os("TENLEAF_PYTHON").map(PathBuf::from);
    let venv = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("ir-measures");
    let own = venv.join("bin/python");
    if let Some(python) = [named, Some("python3".into()), Some(own.clone())]
        .into_iter()
        .flatten()
        .find(has)
    {
        return Some(python);
    }
    let run = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    let made = run(Command::new("python3").args(["-m", "venv"]).arg(&venv))
        && run(Command::new(&own).args(["-m", "pip", "install", "--quiet", "ir-measures"]));
    if made && has(&own) {
        return Some(own);
    }
    common::skipped("no Python with ir-measures, and pip cannot install it");
    None
}

#[test]
fn agrees_with_ir_measures() {
    let Some(python) = python() else { return };
    let mut state = 7;
    let mut questions = Vec::new();
    let mut run = String::new();
    let mut gold_ranks: Vec<Vec<Option<usize>>> = Vec::new();
    for n in 0..400 {
        // One to fourteen labelled pages, some of them ranked, scores with ties.
        let mut gold_pages: Vec<u32> = (0..=below(&mut state, 14))
            .map(|_| below(&mut state, 60) as u32)
            .collect();
        gold_pages.sort_unstable();
        gold_pages.dedup();
        let question = Question {
            id: format!("q{n}"),
            text: String::new(),
            doc_name: "ACME_2020_10K".into(),
            gold_pages,
            split: None,
            kind: String::new(),
            company: String::new(),
            answer: String::new(),
            evidence: Vec::new(),
            set: String::new(),
        };
        let mut pages: Vec<u32> = (0..60).collect();
        for at in (1..pages.len()).rev() {
            pages.swap(at, below(&mut state, at as u64 + 1) as usize);
        }
        pages.truncate(1 + below(&mut state, 40) as usize);
        let ranked = pages
            .iter()
            .map(|&page| ("ACME_2020_10K", page, f64::from(60 - page / 7)));
        trec::push_run(&mut run, &question.id, ranked, "test");
        let rank = |gold: &u32| pages.iter().position(|page| page == gold).map(|at| at + 1);
        gold_ranks.push(question.gold_pages.iter().map(rank).collect());
        questions.push(question);
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("run"), run).unwrap();
    fs::write(dir.path().join("qrels"), trec::qrels(&questions)).unwrap();
    let script = "
import json, ir_measures as m
from ir_measures import *
names = {'hit@1': Success@1, 'hit@3': Success@3, 'hit@5': Success@5, 'hit@10': Success@10,
         'mrr@10': RR@10, 'recall@10': R@10, 'ndcg@10': nDCG@10}
got = m.calc_aggregate(names.values(), list(m.read_trec_qrels('qrels')), list(m.read_trec_run('run')))
print(json.dumps({name: got[measure] for name, measure in names.items()}))
";
    let output = Command::new(python)
        .args(["-c", script])
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let theirs: Value = serde_json::from_slice(&output.stdout).unwrap();
    let ours = Means::of(gold_ranks.iter().map(Vec::as_slice));
    for measure in Measure::ALL {
        let (ours, theirs) = (ours.get(measure), theirs[measure.name()].as_f64().unwrap());
        assert!(ours > 0.0 && ours < 1.0, "{measure:?} says nothing: {ours}");
        assert!(
            (ours - theirs).abs() < 1e-9,
            "{measure:?}: {ours} here, {theirs} there"
        );
    }
}
