//! Tables of questions and what is read from them.

mod companies;
mod corpus;
mod periods;
mod subjects;
mod user_tables;

use proptest::prelude::*;

use super::*;

fn catalog() -> Vec<String> {
    let tables = Tables::builtin();
    tables
        .companies
        .iter()
        .map(|company| company.name.clone())
        .collect()
}

fn reading(question: &str) -> Reading {
    read(&Tables::builtin(), &catalog(), question)
}

/// Checks a table and reports every row that fails, not the first alone.
fn check_table(rows: &[(&str, &str)], read: impl Fn(&str) -> String) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(question, expected)| {
            let got = read(question);
            (got != *expected)
                .then(|| format!("{question}\n    expected {expected}\n    read     {got}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn spans_are_those_of_the_question() {
    let question =
        "Did Foot Locker\u{2019}s FY2022\u{2013}FY2023 gross margin – per the 10\u{2011}K – fall?";
    let reading = reading(question);
    let text = |span: &Span| &question[span.clone()];
    assert_eq!(text(&reading.companies[0].span), "Foot Locker");
    assert_eq!(text(&reading.years[0].span), "FY2022");
    assert_eq!(text(&reading.years[1].span), "FY2023");
    assert_eq!(text(&reading.ranges[0].span), "FY2022\u{2013}FY2023");
    assert_eq!(text(&reading.forms[0].span), "10\u{2011}K");
    assert_eq!(text(&reading.metrics[0].span), "gross margin");
    let rest = without_names(question, &reading);
    assert_eq!(rest.len(), question.len());
    assert_eq!(
        rest.trim_start().replace("Did", "").trim_start(),
        &question[question.find("FY2022").unwrap()..]
    );
}

/// Every span of a reading, for checks that hold for all of them.
fn all_spans(reading: &Reading) -> Vec<Span> {
    let mut copy = reading.clone();
    let mut spans: Vec<Span> = spans_of(&mut copy).map(|span| span.clone()).collect();
    spans.extend(reading.companies.iter().map(|mention| mention.span.clone()));
    spans
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_string_is_read(question in r"(?s)(\PC|[ ,.'’–&$Q0-9]|FY|20[12]\d|Apple|J&J|q2|May|est|十|🍎|é){0,60}") {
        let reading = reading(&question);
        for span in all_spans(&reading) {
            prop_assert!(question.get(span.clone()).is_some(), "{span:?} of {question:?}");
        }
        let rest = without_names(&question, &reading);
        prop_assert_eq!(rest.len(), question.len());
        prop_assert_eq!(without_boilerplate(&rest, &reading).len(), question.len());
        prop_assert_eq!(plain(&question).len(), question.len());
    }
}
