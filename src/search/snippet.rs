//! Matched words in text, and the passage of a page that shows most of them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{Engine, Outcome, RankedPage, Snippet};
use crate::structure::whole_rows;
use crate::text::{scan, with_stems};

/// About this many characters are shown.
const LENGTH: usize = 160;

/// A line item found weighs as much as a word that stands on few pages.
const LINE_ITEM: f64 = 4.0;

/// Byte ranges of the words of the query in any text, and of line items asked for that head figures.
pub fn marks(outcome: &Outcome, text: &str) -> Vec<Range<usize>> {
    weighted(outcome, text)
        .into_iter()
        .map(|(span, _)| span)
        .collect()
}

/// The passage of the page with the most of the query's weight, on one line.
pub fn snippet(engine: &Engine, outcome: &Outcome, page: &RankedPage) -> Snippet {
    match engine.library.page(page.page) {
        Ok(page) => passage(outcome, &page.text),
        Err(error) => Snippet {
            text: format!("{error}"),
            marks: Vec::new(),
        },
    }
}

/// Byte range of the passage of a text with the most of the query's weight, from its first mark to its
/// last; none where nothing is marked.
pub fn best_passage(outcome: &Outcome, text: &str) -> Option<Range<usize>> {
    let found = weighted(outcome, text);
    let start = heaviest(&found, text)?;
    let within = |span: &&Range<usize>| span.start >= start && span.end <= start + LENGTH;
    let mut spans = found.iter().map(|(span, _)| span);
    Some(start..spans.rfind(within).map_or(start, |span| span.end))
}

fn weighted(outcome: &Outcome, text: &str) -> Vec<(Range<usize>, f64)> {
    let idf: HashMap<&str, f64> = outcome
        .terms
        .iter()
        .map(|t| (t.term.as_str(), t.idf))
        .collect();
    let of_items: HashSet<&str> = outcome
        .line_items
        .iter()
        .flatten()
        .map(String::as_str)
        .collect();
    // Every token, those of no interest without their term.
    let mut tokens: Vec<(&str, Range<usize>)> = Vec::new();
    with_stems(|stems| {
        scan(text, |raw, span| {
            let stem = stems.stem(raw);
            let term = idf.get_key_value(stem).map(|(term, _)| *term);
            let term = term.or_else(|| of_items.get(stem).copied());
            tokens.push((term.unwrap_or_default(), span));
        })
    });
    let idf = |term: &str| idf.get(term).copied();
    let mut out = Vec::new();
    let mut rest = &tokens[..];
    while let Some((term, span)) = rest.first() {
        match line_item(outcome, text, rest) {
            0 => {
                out.extend(idf(term).map(|idf| (span.clone(), idf)));
                rest = &rest[1..];
            }
            words => {
                let own: f64 = rest[..words].iter().filter_map(|(term, _)| idf(term)).sum();
                out.push((span.start..rest[words - 1].1.end, LINE_ITEM + own));
                rest = &rest[words..];
            }
        }
    }
    out
}

/// How many tokens the longest line item takes that stands here and has figures after it in its row; 0 where
/// there is none.
fn line_item(outcome: &Outcome, text: &str, tokens: &[(&str, Range<usize>)]) -> usize {
    let stands_here = |item: &&Vec<String>| {
        let here = tokens.get(..item.len()).unwrap_or_default();
        !here.is_empty() && here.iter().zip(*item).all(|((term, _), want)| term == want)
    };
    let heads_figures = |item: &&Vec<String>| {
        let after = &text[tokens[item.len() - 1].1.end..];
        let row = after.split('\n').next().unwrap_or_default();
        row.contains(|c: char| c.is_ascii_digit())
    };
    let items = outcome.line_items.iter().filter(stands_here);
    let items = items.filter(heads_figures).map(Vec::len);
    items.max().unwrap_or(0)
}

/// Where the window of [`LENGTH`] bytes begins, at a match, that has the most weight of distinct words.
fn heaviest(found: &[(Range<usize>, f64)], text: &str) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for (n, (first, _)) in found.iter().enumerate() {
        let mut seen: Vec<&str> = Vec::new();
        let mut weight = 0.0;
        for (span, idf) in &found[n..] {
            if span.end > first.start + LENGTH {
                break;
            }
            let word = &text[span.clone()];
            if !seen.contains(&word) {
                seen.push(word);
                weight += idf;
            }
        }
        if best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, first.start));
        }
    }
    best.map(|(_, start)| start)
}

fn passage(outcome: &Outcome, text: &str) -> Snippet {
    let found = weighted(outcome, text);
    let first = heaviest(&found, text).unwrap_or(0);
    // A little before the first match, from the start of its line where that is near.
    let line = text[..first].rfind('\n').map_or(0, |at| at + 1);
    let mut start = if first - line <= LENGTH / 3 {
        line
    } else {
        first - LENGTH / 4
    };
    while !text.is_char_boundary(start) {
        start += 1;
    }
    // Not in the middle of a word.
    if start > line {
        start += text[start..first].find(char::is_whitespace).unwrap_or(0);
    }
    let mut end = (start + LENGTH * 3 / 2).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // A row of a table is never cut.
    let shown = whole_rows(text, start..end);
    let cut = cut_word(text, shown);
    let mut snippet = one_line(&text[cut.clone()], &found, cut.start);
    if goes_on(text, cut.end) {
        snippet.text.truncate(snippet.text.trim_end().len());
        snippet.text.push('…');
    }
    snippet
}

/// The range without the piece of a word at its end.
fn cut_word(text: &str, range: Range<usize>) -> Range<usize> {
    let inside = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
    let shown = &text[range.clone()];
    let in_word = inside(shown.chars().next_back()) && inside(text[range.end..].chars().next());
    match shown.rfind(char::is_whitespace) {
        Some(at) if in_word => range.start..range.start + at,
        _ => range,
    }
}

/// True where a line has more words.
fn goes_on(text: &str, at: usize) -> bool {
    let rest = text[at..].split('\n').next();
    rest.is_some_and(|rest| !rest.trim().is_empty())
}

/// Runs of whitespace become one space; marks follow.
fn one_line(text: &str, found: &[(Range<usize>, f64)], offset: usize) -> Snippet {
    let mut out = String::with_capacity(text.len());
    let mut place = vec![0; text.len() + 1];
    let mut space = true;
    for (at, c) in text.char_indices() {
        place[at] = out.len();
        if c.is_whitespace() {
            if !space {
                out.push(' ');
            }
            space = true;
        } else {
            out.push(c);
            space = false;
        }
        for step in 1..c.len_utf8() {
            place[at + step] = out.len();
        }
    }
    place[text.len()] = out.len();
    let inside = offset..offset + text.len();
    let marks = found
        .iter()
        .filter(|(span, _)| inside.start <= span.start && span.end <= inside.end)
        .map(|(span, _)| place[span.start - offset]..place[span.end - offset])
        .collect();
    Snippet { text: out, marks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::QueryTerm;

    fn asked(words: &[&str], line_items: &[&[&str]]) -> Outcome {
        let term = |word: &&str| QueryTerm {
            term: word.to_string(),
            df: 1,
            idf: 1.0,
        };
        let item = |item: &&[&str]| item.iter().map(|word| word.to_string()).collect();
        Outcome {
            terms: words.iter().map(term).collect(),
            line_items: line_items.iter().map(item).collect(),
            ..Outcome::default()
        }
    }

    #[test]
    fn a_passage_ends_with_a_word_and_says_that_its_line_goes_on() {
        let outcome = asked(&["cash"], &[]);
        let text = format!("Cash {}", "provided ".repeat(60));
        let shown = passage(&outcome, &text).text;
        assert!(shown.ends_with(" provided…"), "{shown}");
        let whole = "Cash provided by operations\nwas less.";
        assert_eq!(
            passage(&outcome, whole).text,
            "Cash provided by operations was less."
        );
    }

    #[test]
    fn a_line_item_is_marked_whole_where_it_heads_figures() {
        let outcome = asked(&["cash"], &[&["purchas", "of", "properti"]]);
        let text = "Cash flows, and purchases of property\n\
                    Purchases of property, plant and equipment  (1,577)  (1,373)\n";
        let marked: Vec<&str> = marks(&outcome, text)
            .into_iter()
            .map(|m| &text[m])
            .collect();
        assert_eq!(marked, ["Cash", "Purchases of property"]);
        let best = best_passage(&outcome, text).map(|best| &text[best]);
        assert!(best.is_some_and(|best| best.ends_with("Purchases of property")));
        assert_eq!(best_passage(&outcome, "nothing of it"), None);
    }
}
