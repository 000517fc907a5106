//! Tables of questions and what is read from them.

use super::*;

fn catalog() -> Vec<String> {
    Tables::builtin()
        .companies
        .iter()
        .map(|company| company.name.clone())
        .collect()
}

fn reading(question: &str) -> Reading {
    read(&Tables::builtin(), &catalog(), question)
}

#[test]
fn periods() {
    let r = reading("What was Best Buy's gross margin in Q2 of FY2024?");
    assert_eq!(r.latest_year(), Some(2024));
    assert_eq!(r.quarters[0].quarter, 2);
    assert_eq!(r.company_names(), ["Best Buy"]);
}
