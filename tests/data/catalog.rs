//! Company, form, fiscal period and date of all 360 filings against a table checked by eye.

use crate::common;
use tenleaf::library::Filing;
use tenleaf::library::catalog;

/// doc_name, company, form, fiscal year, quarter, event date, date on the cover.
const TABLE: &str = include_str!("../fixtures/financebench_catalog.tsv");

fn row(filing: &Filing) -> String {
    let show = |x: Option<String>| x.unwrap_or_default();
    [
        filing.doc_name.clone(),
        filing.company.clone(),
        filing.form.to_string(),
        show(filing.fiscal_year.map(|y| y.to_string())),
        show(filing.quarter.map(|q| q.to_string())),
        show(filing.event_date.map(|d| d.to_string())),
    ]
    .join("\t")
}

fn check(filings: impl Iterator<Item = Filing>) {
    let mut seen: Vec<String> = filings.map(|filing| row(&filing)).collect();
    seen.sort();
    let labels = |line: &'static str| line.rsplit_once('\t').expect("seven columns").0;
    let mut want: Vec<&str> = TABLE.lines().skip(1).map(labels).collect();
    want.sort();
    assert_eq!(want.len(), 360);
    for (seen, want) in seen.iter().zip(&want) {
        assert_eq!(seen, want);
    }
    assert_eq!(seen.len(), want.len());
}

#[test]
fn the_pinned_list_gives_the_table() {
    check(catalog::pinned().values().map(|row| row.filing()));
}

#[test]
fn the_mirrors_manifest_gives_the_table() {
    let Some(path) = common::shared("financebench/manifest.jsonl") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let (rows, errors) = catalog::read_manifest(&text);
    assert!(errors.is_empty(), "{errors:?}");
    check(rows.iter().map(|row| row.filing()));
}

#[test]
fn every_pinned_file_has_a_hash_to_check_it_by() {
    for row in catalog::pinned().values() {
        let sha1 = row.pdf_git_blob_sha1.as_deref().unwrap_or("");
        assert!(
            sha1.len() == 40 && sha1.bytes().all(|b| b.is_ascii_hexdigit()),
            "{}",
            row.doc_name
        );
    }
}

#[test]
fn labels_that_differ_from_the_cover_are_kept_and_noted() {
    for name in [
        "LOCKHEEDMARTIN_2023Q1_10Q",
        "LOCKHEEDMARTIN_2023Q2_10Q",
        "PG_E_2023Q3_10Q",
        "PG_E_2023_EARNINGS_dated-2023-05-31",
        "INTEL_2023_8K_dated-2022-11-22",
        "EBAY_2023Q2_8K",
    ] {
        assert!(catalog::pinned()[name].filing().note.is_some(), "{name}");
    }
    assert_eq!(catalog::pinned()["3M_2018_10K"].filing().note, None);
}
