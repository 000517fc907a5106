//! The questions of the corpus.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use super::*;

fn shared() -> Option<PathBuf> {
    let root = std::env::var_os("TENLEAF_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let found = root.join("financebench").is_dir();
    if !found {
        eprintln!(
            "skipped: {} has no financebench folder (set TENLEAF_SHARED)",
            root.display()
        );
    }
    found.then_some(root)
}

fn json_lines(path: PathBuf) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn the_company_of_the_shared_questions_is_found() {
    let Some(root) = shared() else { return };
    let filings = json_lines(root.join("financebench/manifest.jsonl"));
    let company_of = |doc: &str| {
        let filing = filings
            .iter()
            .find(|filing| filing["doc_name"] == doc)
            .unwrap();
        filing["company"].as_str().unwrap().to_string()
    };
    let catalog: BTreeSet<String> = filings
        .iter()
        .map(|filing| filing["company"].as_str().unwrap().to_string())
        .collect();
    let catalog: Vec<String> = catalog.into_iter().collect();
    let tables = Tables::builtin();
    // Every company of the catalog is in the table under its own name.
    for company in &catalog {
        assert!(
            tables.companies.iter().any(|entry| entry.name == *company),
            "{company}"
        );
    }
    let split: Value = serde_json::from_str(
        &std::fs::read_to_string(root.join("financebench/split.json")).unwrap(),
    )
    .unwrap();
    let is_test = |id: &Value| split["test"].as_array().unwrap().contains(id);
    for (file, id, at_least_found, at_most_wrong) in [
        (
            "financebench/financebench_open_source.jsonl",
            "financebench_id",
            147,
            0,
        ),
        ("questions/tune.jsonl", "id", 149, 1),
    ] {
        let (mut found, mut wrong) = (0, 0);
        for line in json_lines(root.join(file)) {
            let question = line["question"].as_str().unwrap();
            let company = company_of(line["doc_name"].as_str().unwrap());
            let reading = read(&tables, &catalog, question);
            let names = reading.company_names();
            if names.contains(&company.as_str()) {
                found += 1;
            } else {
                wrong += usize::from(!names.is_empty());
                // The test questions are counted, not looked at.
                if !is_test(&line[id]) {
                    println!("{}: {company} not in {names:?}: {question}", line[id]);
                }
            }
        }
        println!("{file}: company found for {found}, another one for {wrong}");
        assert!(
            found >= at_least_found && wrong <= at_most_wrong,
            "{file}: {found} found, {wrong} wrong"
        );
    }
}

/// `cargo test --release --lib question::tests::speed -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn speed() {
    let Some(root) = shared() else { return };
    let (tables, catalog) = (Tables::builtin(), catalog());
    let questions: Vec<String> =
        json_lines(root.join("financebench/financebench_open_source.jsonl"))
            .iter()
            .map(|line| line["question"].as_str().unwrap().to_string())
            .collect();
    let mut times = Vec::new();
    for _ in 0..5 {
        times.clear();
        for question in &questions {
            let start = std::time::Instant::now();
            std::hint::black_box(read(&tables, &catalog, question));
            times.push(start.elapsed().as_micros());
        }
    }
    times.sort();
    println!(
        "read: p50 {} us, p95 {} us, max {} us",
        times[75], times[142], times[149]
    );
}
