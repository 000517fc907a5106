//! Matched words in text, and the passage of a page that shows most of them.

use std::collections::HashMap;
use std::ops::Range;

use super::{Engine, Outcome, RankedPage, Snippet};
use crate::structure::whole_rows;
use crate::text::{Stems, scan};

/// About this many characters are shown.
const LENGTH: usize = 160;

/// Byte ranges of the words of the query in any text.
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

fn weighted(outcome: &Outcome, text: &str) -> Vec<(Range<usize>, f64)> {
    let idf: HashMap<&str, f64> = outcome
        .terms
        .iter()
        .map(|t| (t.term.as_str(), t.idf))
        .collect();
    let mut stems = Stems::default();
    let mut out = Vec::new();
    scan(text, |raw, span| {
        if let Some(&idf) = idf.get(stems.stem(raw)) {
            out.push((span, idf));
        }
    });
    out
}

fn passage(outcome: &Outcome, text: &str) -> Snippet {
    let found = weighted(outcome, text);
    // The window of LENGTH bytes, beginning at a match, with the most weight of distinct words.
    let mut best = (0.0, 0);
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
        if weight > best.0 {
            best = (weight, first.start);
        }
    }
    // A little before the first match, from the start of its line where that is near.
    let line = text[..best.1].rfind('\n').map_or(0, |at| at + 1);
    let mut start = if best.1 - line <= LENGTH / 3 {
        line
    } else {
        best.1 - LENGTH / 4
    };
    while !text.is_char_boundary(start) {
        start += 1;
    }
    // Not in the middle of a word.
    if start > line {
        start += text[start..best.1].find(char::is_whitespace).unwrap_or(0);
    }
    let mut end = (start + LENGTH * 3 / 2).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // A row of a table is never cut.
    let shown = whole_rows(text, start..end);
    one_line(&text[shown.clone()], &found, shown.start)
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
