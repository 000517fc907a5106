//! The questions of the corpus.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::*;
use crate::common::shared;

fn json_lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn the_company_of_the_shared_questions_is_found() {
    let (Some(root), Some(tune)) = (shared("financebench"), shared("questions/tune.jsonl")) else {
        return;
    };
    let filings = json_lines(&root.join("manifest.jsonl"));
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
    let split: Value =
        serde_json::from_str(&std::fs::read_to_string(root.join("split.json")).unwrap()).unwrap();
    let is_test = |id: &Value| split["test"].as_array().unwrap().contains(id);
    for (file, id, at_least_found, at_most_wrong) in [
        (
            root.join("financebench_open_source.jsonl"),
            "financebench_id",
            147,
            0,
        ),
        (tune, "id", 149, 1),
    ] {
        let (mut found, mut wrong) = (0, 0);
        for line in json_lines(&file) {
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
        let file = file.display();
        println!("{file}: company found for {found}, another one for {wrong}");
        assert!(
            found >= at_least_found && wrong <= at_most_wrong,
            "{file}: {found} found, {wrong} wrong"
        );
    }
}
