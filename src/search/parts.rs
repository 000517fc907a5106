//! The part of a company whose figure is asked for: "LinkedIn revenue", "sales of the Ground segment".
//!
//! The statements of a company hold its own figures; those of a segment, a product or a region stand elsewhere, in a
//! row that begins with the part's name. So the words beside the name of a metric are taken for a part wherever such
//! a row is found, and for nothing where none is.

use super::query::{Word, WordRun, joined};
use crate::index::analysis::{Analysis, TERM};
use crate::question::{Reading, Tables};
use crate::text::is_year;

/// At most so many words name a part.
const MOST_WORDS: usize = 5;

/// Words that lead from a metric to a part: "revenue from Azure".
const LEADING: [&str; 7] = ["from", "of", "for", "in", "at", "on", "by"];
const ARTICLES: [&str; 2] = ["the", "its"];

/// What may be a part of a company, beside each metric of the question. `text` is what the words were read from.
pub(super) fn parts(
    tables: &Tables,
    reading: &Reading,
    text: &str,
    words: &[Word],
) -> Vec<WordRun> {
    let mut out: Vec<WordRun> = Vec::new();
    for metric in &reading.metrics {
        let before = words.partition_point(|word| word.span.start < metric.span.start);
        let after = words.partition_point(|word| word.span.start < metric.span.end);
        let leading = words[..before].iter().rev();
        let mut from = before;
        for word in leading.take(MOST_WORDS) {
            if !word.may_name || from < words.len() && !joined(text, word, &words[from]) {
                break;
            }
            from -= 1;
        }
        let mut start = after;
        let is = |at: usize, list: &[&str]| words.get(at).is_some_and(|w| list.contains(&&*w.raw));
        if is(start, &LEADING) {
            start += 1;
            start += usize::from(is(start, &ARTICLES));
        } else {
            start = words.len();
        }
        let mut to = start;
        while to < words.len() && to < start + MOST_WORDS && words[to].may_name {
            if to > 0 && !joined(text, &words[to - 1], &words[to]) {
                break;
            }
            to += 1;
        }
        for run in [from..before, start..to] {
            let run = without_ends(&words[run], |word| tables.is_no_part(&word.raw));
            let names = [Some(WordRun::of(text, run)), short_form(text, run)];
            for name in names.into_iter().flatten() {
                if !run.is_empty() && out.iter().all(|known| known.terms != name.terms) {
                    out.push(name);
                }
            }
        }
    }
    out
}

/// "FLNA" for "Frito-Lay North America": filings shorten long names of segments.
fn short_form(text: &str, run: &[Word]) -> Option<WordRun> {
    let initials: String = run
        .iter()
        .filter_map(|word| word.raw.chars().next())
        .collect();
    let whole = WordRun::of(text, run);
    (run.len() >= 3).then_some(WordRun {
        terms: vec![initials],
        ..whole
    })
}

/// The slice without the words at either end that are to be left out.
fn without_ends(mut words: &[Word], out: impl Fn(&Word) -> bool) -> &[Word] {
    while let Some((first, rest)) = words.split_first()
        && out(first)
    {
        words = rest;
    }
    while let Some((last, rest)) = words.split_last()
        && out(last)
    {
        words = rest;
    }
    words
}

/// Whether the words that end before `end` are in the label of a row: two figures follow, at most four words on, and
/// the first is no year ("Data Center" in "Data Center Group 23,481 22,991").
pub(super) fn in_label(analysis: &Analysis, tokens: &[u32], end: usize) -> bool {
    let rest = tokens.get(end..).unwrap_or_default().iter();
    let mut terms = rest.map(|token| analysis.term(token & TERM)).take(6);
    let is_figure = |text: &&str| text.starts_with(|c: char| c.is_ascii_digit());
    let first = terms.find(is_figure);
    first.is_some_and(|first| !is_year(first)) && terms.next().as_ref().is_some_and(is_figure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::analysis::tests::analysed;
    use crate::question::read;
    use crate::search::Settings;
    use crate::search::query::{Prepared, Query, build};
    use crate::text::{Stems, terms};

    fn query(question: &str) -> Query {
        let tables = Tables::builtin();
        let companies = ["Microsoft", "Nike", "PepsiCo", "FedEx"].map(String::from);
        build(
            &tables,
            &Prepared::new(&tables),
            question,
            &read(&tables, &companies, question),
            &Settings::default(),
            &mut Stems::default(),
        )
    }

    #[test]
    fn the_words_beside_a_metric_name_a_part() {
        for (question, parts) in [
            ("Microsoft LinkedIn revenue 2022", &["linkedin"][..]),
            ("What was Converse's revenue in 2022?", &["convers"]),
            ("FY2020 sales of the Ground segment", &["ground"]),
            ("gross margin on services in FY21", &["servic"]),
            (
                "operating profit of Frito-Lay North America 2019",
                &["frito lay north america", "flna"],
            ),
            ("bottling investments operating income", &["bottl invest"]),
            (
                "Did net income in Greater China grow more than sales in Japan?",
                &["greater china", "japan"],
            ),
            // The company's own.
            ("Microsoft revenue 2022", &[]),
            ("total revenue for fiscal 2022", &[]),
            ("What was Nike's operating margin?", &[]),
            ("revenue, LinkedIn", &[]),
            ("average total assets", &[]),
            // The statement is named, or reasons are asked for.
            ("LinkedIn revenue on the income statement", &[]),
            ("Why did LinkedIn revenue fall?", &[]),
        ] {
            let query = query(question);
            let words = |&phrase: &usize| {
                let words = query.phrases[phrase].iter();
                let words: Vec<&str> = words.map(|&w| &*query.universe[usize::from(w)]).collect();
                words.join(" ")
            };
            let found: Vec<String> = query.parts.iter().map(words).collect();
            assert_eq!(found, parts, "{question}");
        }
    }

    #[test]
    fn a_row_of_figures_follows_its_label() {
        for (row, in_a_label) in [
            ("Data Center $ 6,043 $ 3,694 64 %", true),
            ("Data Center Group 23,481 22,991", true),
            ("Data Center (1) . . . . 6,043", true),
            (
                "Data Center sales rose in the year to 6,043 from 3,694",
                false,
            ),
            ("Data Center 2022 2021 2020", false),
            ("Data Center revenue was $6 billion", false),
            ("Data Center", false),
            ("", false),
        ] {
            let analysis = analysed(&[row]);
            let end = terms("Data Center").len();
            assert_eq!(
                in_label(&analysis, analysis.tokens(0), end),
                in_a_label,
                "{row}"
            );
        }
    }
}
