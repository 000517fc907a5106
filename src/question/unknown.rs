//! Names in a question that say nothing to this library, so that it can say so.

use std::sync::LazyLock;

use regex::Regex;

use super::{Reading, Span, Tables, periods};

/// A word with a capital, and its possessive.
static CAPITALISED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(\p{Lu}[\p{L}\p{N}&-]*)(['’]s?\b)?").expect("a pattern"));

/// Names in a question that are no company of the library, nothing else that was read and no month: "Tesla" in
/// "Tesla's margin". A word is taken for a name when it is capitalised inside the question, or with a possessive.
pub fn unknown_names(tables: &Tables, reading: &Reading, question: &str) -> Vec<String> {
    let spans = (reading.companies.iter().map(|m| &m.span))
        .chain(reading.metrics.iter().map(|m| &m.span))
        .chain(reading.statements.iter().map(|m| &m.span))
        .chain(reading.forms.iter().map(|m| &m.span))
        .chain(reading.quarters.iter().map(|m| &m.span))
        .chain(reading.years.iter().map(|m| &m.span))
        .chain(reading.dates.iter().map(|m| &m.span))
        .chain(reading.items.iter().map(|m| &m.span));
    let read: Vec<&Span> = spans.collect();
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
}
