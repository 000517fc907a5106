//! The text of a page laid out for a pane: its rows, and how each is drawn. Paragraphs are wrapped to the pane whatever
//! the lines of the paper were, rows of tables are set in columns. Places in the text, marks and what is copied stay
//! those of the text.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::Span;

use super::columns::{self, Piece, is_table_row};
use super::layout::MEASURE;
use super::paragraphs::paragraphs;
use super::text::{self, NOTHING, lines, width};

/// A row.
#[derive(Debug)]
pub struct Row {
    /// Bytes of the page.
    pub bytes: Range<usize>,
    /// It keeps its length, and is scrolled sideways: figures in the next row say nothing.
    pub whole: bool,
    pieces: Vec<Piece>,
}

/// A page laid out.
#[derive(Debug, Default)]
pub struct LaidOut {
    /// The text, with a blank or nothing where a paragraph goes on in the next line.
    text: String,
    rows: Vec<Row>,
    /// Columns of the widest row that keeps its length.
    pub widest: usize,
}

impl Row {
    /// True when it shows some of these bytes of the page.
    pub fn touches(&self, part: &Range<usize>) -> bool {
        part.start < self.bytes.end && self.bytes.start < part.end
    }

    fn of(bytes: Range<usize>, whole: bool, pieces: Vec<Piece>) -> Row {
        Row {
            bytes,
            whole,
            pieces,
        }
    }
}

/// Lines longer than this are wrapped in a pane of any width.
const LONGEST: usize = MEASURE * 4 / 3;

impl LaidOut {
    /// Every line as it is.
    pub fn unwrapped(page: &str) -> LaidOut {
        let line = |line: Range<usize>| Row::of(line.clone(), true, vec![Piece::Text(line)]);
        let rows = lines(page, 0..page.len()).map(line).collect();
        LaidOut::new(page, page.to_string(), rows)
    }

    /// A page with its tables, in a pane of so many columns. Paragraphs keep their lines where all of the page fit.
    pub fn wrapped(page: &str, tables: &[Range<usize>], columns: usize) -> LaidOut {
        let set = columns::set(page, tables, columns);
        let paragraphs = paragraphs(page, tables);
        let is_long = |line: Range<usize>| width(&page[line]) > columns.min(LONGEST);
        let several = |paragraph: &Range<usize>| page[paragraph.clone()].contains('\n');
        let reflow = paragraphs
            .iter()
            .any(|p| several(p) && lines(page, p.clone()).any(is_long));
        let mut text = String::with_capacity(page.len());
        let mut rows = Vec::new();
        for paragraph in paragraphs {
            text += &page[text.len()..paragraph.start];
            if reflow && several(&paragraph) {
                text += &in_one_line(&page[paragraph.clone()]);
                wrap(&text, paragraph, columns.min(MEASURE), &mut rows);
                continue;
            }
            text += &page[paragraph.clone()];
            for line in lines(page, paragraph) {
                let whole = &page[line.clone()];
                match set.get(&line) {
                    Some(pieces) => rows.push(Row::of(line, true, pieces.clone())),
                    None if is_table_row(whole) => {
                        rows.push(Row::of(line.clone(), true, vec![Piece::Text(line)]));
                    }
                    None if width(whole) > LONGEST => {
                        wrap(page, line, columns.min(MEASURE), &mut rows);
                    }
                    None => wrap(page, line, columns, &mut rows),
                }
            }
        }
        text += &page[text.len()..];
        LaidOut::new(page, text, rows)
    }

    fn new(page: &str, text: String, rows: Vec<Row>) -> LaidOut {
        let whole = rows.iter().filter(|row| row.whole);
        let widest = whole.map(|row| width(&page[row.bytes.clone()])).max();
        LaidOut {
            text,
            rows,
            widest: widest.unwrap_or(0),
        }
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row that shows this byte of the page.
    pub fn row_of(&self, at: usize) -> usize {
        let after = self.rows.partition_point(|row| row.bytes.start <= at);
        after.saturating_sub(1)
    }

    /// A row as it is drawn, with styles by the bytes of the page as [`text::layered`]. Where the pane is scrolled
    /// sideways, rows that keep their length are as in the text.
    pub fn spans(
        &self,
        row: &Row,
        hidden: usize,
        base: Style,
        layers: &[(&[Range<usize>], Style)],
    ) -> Vec<Span<'_>> {
        if hidden == 0 || !row.whole {
            return columns::spans(&self.text, &row.pieces, base, layers);
        }
        let skipped = text::skip_columns(&self.text[row.bytes.clone()], hidden);
        let rest = row.bytes.start + skipped..row.bytes.end;
        text::layered(&self.text, rest, base, layers)
    }
}

/// Puts the rows of a part of a page that is one line.
fn wrap(text: &str, part: Range<usize>, columns: usize, rows: &mut Vec<Row>) {
    let mut wrapped = Vec::new();
    text::wrap_line(text, part, columns, &mut wrapped);
    rows.extend(wrapped.into_iter().map(|bytes| {
        let mut at = bytes.start;
        let mut pieces = Vec::new();
        for drawn in text[bytes.clone()].split(NOTHING) {
            if !drawn.is_empty() {
                pieces.push(Piece::Text(at..at + drawn.len()));
            }
            at += drawn.len() + NOTHING.len();
        }
        Row::of(bytes, false, pieces)
    }));
}

/// The lines of a paragraph as one, in as many bytes: one blank between words, and none behind the hyphen of a word
/// that goes on.
fn in_one_line(paragraph: &str) -> String {
    let text = paragraph.trim_start_matches(' ');
    let mut out = paragraph[..paragraph.len() - text.len()].to_string();
    for word in text.split_inclusive([' ', '\n']) {
        let drawn = word.trim_end_matches([' ', '\n']);
        out += drawn;
        if drawn.len() == word.len() {
            continue;
        }
        let hyphen = word.ends_with('\n') && drawn.len() > 1 && drawn.ends_with('-');
        let glued = drawn.is_empty() || hyphen;
        out += if glued { NOTHING } else { " " };
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tui::worker::tables;

    fn drawn(page: &str, columns: usize) -> Vec<String> {
        let laid_out = LaidOut::wrapped(page, &tables(page), columns);
        let row = |row: &Row| {
            let spans = laid_out.spans(row, 0, Style::new(), &[]);
            spans.iter().map(|span| &*span.content).collect()
        };
        laid_out.rows().iter().map(row).collect()
    }

    const PROSE: &str = "Results of Operations\n\
        Sales grew in every segment of the company, and most of all in the long-\n\
        term  contracts  that  were  won  in  the  year  before,  of  which  we  said\n\
        that they would.\n\
        Costs fell.\n";

    #[test]
    fn a_paragraph_is_wrapped_as_one_where_its_lines_do_not_fit() {
        assert_eq!(
            drawn(PROSE, 40),
            [
                "Results of Operations",
                "Sales grew in every segment of the ",
                "company, and most of all in the long-",
                "term contracts that were won in the ",
                "year before, of which we said that they ",
                "would.",
                "Costs fell.",
            ]
        );
        assert_eq!(
            drawn(PROSE, 80),
            PROSE.lines().collect::<Vec<_>>(),
            "they fit"
        );
        let as_it_is = LaidOut::unwrapped(PROSE);
        let rows = as_it_is.rows().iter().map(|row| &PROSE[row.bytes.clone()]);
        assert!(rows.eq(PROSE.lines()));
    }

    #[test]
    fn rows_of_tables_keep_their_length_and_other_lines_are_wrapped() {
        assert_eq!(
            drawn("word word word\nNet sales     1,251\n", 10),
            ["word word ", "word", "Net sales     1,251"]
        );
        let paragraph = "word ".repeat(40);
        assert_eq!(drawn(&paragraph, 198).len(), 2, "wrapped at the measure");
    }

    fn a_line() -> impl Strategy<Value = String> {
        let word = "(the|of|Company|日本語|e\u{301}tat|long-|2,021|\\$|—|•|results\\.|and;)";
        let words = |n| prop::collection::vec((word, "  ?"), n);
        let words = prop_oneof![words(0..4), words(10..25)];
        let line = words.prop_map(|w| w.into_iter().map(|(word, gap)| word + &gap).collect());
        prop_oneof![
            8 => line,
            1 => "[A-Za-z]{0,20}  [0-9]{1,3}  [0-9]{1,3}",
            1 => " {0,4}[ -~]{0,90}",
        ]
    }

    proptest! {
        #[test]
        fn all_ink_is_drawn_once_in_order_and_under_its_marks(
            lines in prop::collection::vec(a_line(), 0..14),
            columns in 0usize..130,
            mark in (0usize..900, 1usize..60),
        ) {
            let page = lines.join("\n");
            let (from, length) = mark;
            let mark = from..from + length;
            prop_assume!(page.is_char_boundary(mark.start.min(page.len())));
            prop_assume!(page.is_char_boundary(mark.end.min(page.len())));
            let bold = Style::new().bold();
            let laid_out = LaidOut::wrapped(&page, &tables(&page), columns);
            let mut end = 0;
            for row in laid_out.rows() {
                // Rows follow each other, or are lines with a break between them.
                let between = &page[end..row.bytes.start];
                prop_assert!(between.is_empty() || between == "\n", "{between:?}");
                end = row.bytes.end;
                let spans = laid_out.spans(row, 0, Style::new(), &[(std::slice::from_ref(&mark), bold)]);
                let drawn: Vec<(char, bool)> = spans
                    .iter()
                    .flat_map(|span| span.content.chars().map(|c| (c, span.style == bold)))
                    .filter(|(c, _)| *c != ' ')
                    .collect();
                let ink: Vec<(char, bool)> = page[row.bytes.clone()]
                    .char_indices()
                    .map(|(at, c)| (c, mark.contains(&(row.bytes.start + at))))
                    .filter(|(c, _)| !matches!(c, ' ' | '\n'))
                    .collect();
                match drawn.iter().position(|(c, _)| *c == '…') {
                    None => prop_assert_eq!(drawn, ink),
                    // Of a label that is cut the beginning is left, and of figures all.
                    Some(cut) => {
                        prop_assert_eq!(&drawn[..cut], &ink[..cut]);
                        prop_assert!(ink.ends_with(&drawn[cut + 1..]));
                    }
                }
                let text: String = spans.iter().map(|span| &*span.content).collect();
                let one = text.chars().filter(|c| *c != '\u{301}').count() <= 1;
                prop_assert!(row.whole || width(text.trim_end()) <= columns || one, "{text:?}");
            }
            prop_assert!(page[end..].is_empty() || &page[end..] == "\n");
        }
    }
}
