//! Names in a question that say nothing to this library, so that it can say so.

use std::sync::LazyLock;

use regex::Regex;

use super::{Reading, Span, Tables, periods};
use crate::text;

/// A word with a capital, and its possessive.
static CAPITALISED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(\p{Lu}[\p{L}\p{N}&-]*)(['’]s?\b)?").expect("a pattern"));

/// Names in a question that are no company of the library, nothing else that was read and no month: "Tesla" in
/// "Tesla's margin". A word is taken for a name when it is capitalised inside the question, or with a possessive.
pub fn unknown_names(tables: &Tables, reading: &Reading, question: &str) -> Vec<String> {
    let read = read_as_something(reading);
    let topics: Vec<&Span> = reading.topics.iter().map(|m| &m.span).collect();
    let mut names: Vec<String> = Vec::new();
    // Where the last name ended: the next word may go on with it.
    let mut last = None;
    // Where the last word that was read ended.
    let mut ended = None;
    for caps in CAPITALISED.captures_iter(question) {
        let word = caps.get(1).expect("the word");
        let possessive = caps.get(2).is_some();
        let within = |spans: &[&Span]| {
            let mut spans = spans.iter();
            spans.any(|span| span.start < word.end() && word.start() < span.end)
        };
        let goes_on = last == Some(word.start());
        // "Electric" is a topic, but not in "General Electric"; "Rate" no name after "Effective Tax".
        let known = within(&read) || !goes_on && within(&topics) || ended == Some(word.start());
        ended = (known && question[word.end()..].starts_with(' ')).then_some(word.end() + 1);
        // "Q5" is no name either.
        let shouted = (word.as_str().chars()).all(|c| c.is_uppercase() || c.is_numeric());
        let inside = question[..word.start()]
            .trim_end()
            .ends_with(|c: char| c.is_alphanumeric() || c == ',');
        let is_name = possessive || inside && !shouted;
        if known || !is_name || is_common(tables, word.as_str()) {
            continue;
        }
        match names.last_mut() {
            Some(name) if goes_on => *name = format!("{name} {}", word.as_str()),
            _ => names.push(word.as_str().to_string()),
        }
        last = question[word.end()..]
            .starts_with(' ')
            .then_some(word.end() + 1);
    }
    names.dedup();
    names
}

/// Words of a question that are near to names of the library, as typed, with the companies they may mean: "Bording"
/// for Boeing. `is_common` knows the stems that many pages have, which are no names written wrong.
pub fn near_names(
    tables: &Tables,
    catalog_companies: &[String],
    reading: &Reading,
    question: &str,
    is_common: &dyn Fn(&str) -> bool,
) -> Vec<(String, Vec<String>)> {
    let is_word = |word: &str| {
        tables.is_ordinary(word) || text::terms(word).iter().any(|term| is_common(term))
    };
    let names = tables.names(catalog_companies);
    let near = names.near(question, &read_as_something(reading), &is_word);
    near.into_iter()
        .map(|(span, companies)| {
            let companies = companies.into_iter().map(str::to_string).collect();
            (question[span].to_string(), companies)
        })
        .collect()
}

/// The words that were read as a name, a figure, a form or a period.
fn read_as_something(reading: &Reading) -> Vec<&Span> {
    (reading.companies.iter().map(|m| &m.span))
        .chain(reading.metrics.iter().map(|m| &m.span))
        .chain(reading.statements.iter().map(|m| &m.span))
        .chain(reading.forms.iter().map(|m| &m.span))
        .chain(reading.quarters.iter().map(|m| &m.span))
        .chain(reading.years.iter().map(|m| &m.span))
        .chain(reading.dates.iter().map(|m| &m.span))
        .chain(reading.items.iter().map(|m| &m.span))
        .collect()
}

fn is_common(tables: &Tables, word: &str) -> bool {
    let lower = word.to_lowercase();
    tables.is_stop_word(&lower) || periods::is_month(&lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_library_does_not_know() {
        let tables = Tables::builtin();
        let cases: &[(&str, &[&str])] = &[
            ("What is Tesla's gross margin in 2022?", &["Tesla"]),
            ("Tesla’s margin", &["Tesla"]),
            (
                "How much did General Electric pay in March 2020?",
                &["General Electric"],
            ),
            ("Compare Tesla, Rivian and AMD", &["Tesla", "Rivian"]),
            ("What is AMD's EBITDA by US GAAP?", &[]),
            ("What was the Effective Tax Rate?", &[]),
            ("IBM's Balance Sheet", &["IBM"]),
            ("gross margin", &[]),
            ("Gross margin of Tesla", &["Tesla"]),
            ("", &[]),
        ];
        for (question, names) in cases {
            let reading = crate::question::read(&tables, &["AMD".to_string()], question);
            assert_eq!(
                unknown_names(&tables, &reading, question),
                *names,
                "{question}"
            );
        }
    }

    #[test]
    fn names_written_wrong_are_asked_about_and_words_are_not() {
        let tables = Tables::builtin();
        let catalog = [
            "3M",
            "American Express",
            "Apple",
            "Block",
            "Boeing",
            "Entergy",
            "Generac",
            "Intel",
            "Johnson & Johnson",
            "Microsoft",
            "Nike",
            "Target",
            "Verizon",
            "Visa",
        ]
        .map(String::from);
        let cases: &[(&str, &[&str])] = &[
            ("Bording 2018 revenue", &["Bording: Boeing"]),
            ("bording 2018 revenue", &["bording: Boeing"]),
            ("What is Nkie's margin?", &["Nkie: Nike"]),
            ("Aple margin", &["Aple: Apple"]),
            (
                "Amrican Expres revenue",
                &["Amrican Expres: American Express"],
            ),
            // Beside a company that is named.
            ("Compare Boeing and Micorsfot", &["Micorsfot: Microsoft"]),
            ("Intel and Verzion", &["Verzion: Verizon"]),
            // Read as the name, which is said elsewhere.
            ("Micorsoft revenue", &[]),
            ("Jonson & Johnson sales", &[]),
            // Words.
            ("Apply the target tax rate to the blocks of shares", &[]),
            ("What is a nice, boring, viable energy business?", &[]),
            ("general and administrative expenses until 2022", &[]),
            ("", &[]),
        ];
        for (question, wanted) in cases {
            let reading = crate::question::read(&tables, &catalog, question);
            let near = near_names(&tables, &catalog, &reading, question, &|_| false);
            let near = near
                .into_iter()
                .map(|(words, companies)| format!("{words}: {}", companies.join(", ")));
            assert_eq!(near.collect::<Vec<_>>(), *wanted, "{question}");
        }
        // A word of this library's filings is none either.
        let reading = crate::question::read(&tables, &catalog, "bording costs");
        let is_common = |term: &str| term == "bord";
        assert!(near_names(&tables, &catalog, &reading, "bording costs", &is_common).is_empty());
    }
}
