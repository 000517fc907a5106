//! Figures of a table under each other. The text of a page has a row's cells one after another; on the screen they are
//! set in columns. The text itself stays: places in it, marks and what is copied are of the original.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::Span;

use super::text::{is_aligned, layered, width, within};
use crate::structure::is_figure;

/// Blanks before a column.
const GAP: usize = 2;
/// So many rows of as many figures make columns.
const ROWS: usize = 3;
/// Columns a label needs to say something.
const LABEL: usize = 16;

/// A part of a row as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// So many blanks.
    Blanks(usize),
    /// Bytes of the page.
    Text(Range<usize>),
    /// The mark of what is left out at the end of a label.
    Cut,
}

/// Lines, as bytes of the page, that are set in columns.
pub type Set = HashMap<Range<usize>, Vec<Piece>>;

/// The lines of these tables that can be set in columns in a pane so wide.
pub fn set(page: &str, tables: &[Range<usize>], columns: usize) -> Set {
    let mut lines = Set::new();
    for table in tables {
        lines.extend(set_table(page, table, columns).unwrap_or_default());
    }
    lines
}

/// A row's pieces, with styles by the bytes of the page as [`layered`].
pub fn spans<'a>(
    page: &'a str,
    pieces: &[Piece],
    base: Style,
    layers: &[(&[Range<usize>], Style)],
) -> Vec<Span<'a>> {
    let spans = |piece: &Piece| match piece {
        Piece::Blanks(n) => vec![Span::styled(" ".repeat(*n), base)],
        Piece::Text(range) => layered(page, range.clone(), base, layers),
        Piece::Cut => vec![Span::styled("…", base)],
    };
    pieces.iter().flat_map(spans).collect()
}

/// A row: its label, then its figures, as bytes of the page.
struct Row {
    label: Range<usize>,
    cells: Vec<Range<usize>>,
}

fn set_table(page: &str, table: &Range<usize>, columns: usize) -> Option<Set> {
    let lines = lines(page, table);
    // Columns set by many blanks are under their heads as they are.
    if lines.iter().any(|line| is_aligned(&page[line.clone()])) {
        return None;
    }
    let rows: Vec<(Range<usize>, Row)> = lines
        .into_iter()
        .filter_map(|line| Some((line.clone(), row(page, line)?)))
        .collect();
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, row) in &rows {
        *counts.entry(row.cells.len()).or_default() += 1;
    }
    // A row with fewer or more figures than most does not say which columns are its own.
    let (&cells, &most) = counts.iter().max_by_key(|(_, rows)| **rows)?;
    if most < ROWS {
        return None;
    }
    let rows: Vec<(Range<usize>, Row)> = rows
        .into_iter()
        .filter(|(_, row)| row.cells.len() == cells)
        .collect();
    let wide = |range: &Range<usize>| width(&page[range.clone()]);
    let widest = |column: usize| rows.iter().map(|(_, row)| wide(&row.cells[column])).max();
    let widths: Vec<usize> = (0..cells).filter_map(widest).collect();
    let taken = widths.iter().map(|width| width + GAP).sum();
    let labels = rows.iter().map(|(_, row)| wide(&row.label)).max()?;
    let room = columns.checked_sub(taken)?;
    if room < labels.min(LABEL) {
        return None;
    }
    let labels = labels.min(room);
    let pieces = |row: &Row| {
        let mut pieces = Vec::new();
        let mut used = wide(&row.label);
        if used <= labels {
            pieces.push(Piece::Text(row.label.clone()));
        } else {
            let kept = within(&page[row.label.clone()], labels - 1);
            let kept = row.label.start..row.label.start + kept;
            used = wide(&kept) + 1;
            pieces.extend([Piece::Text(kept), Piece::Cut]);
        }
        let mut blanks = labels - used;
        for (cell, column) in row.cells.iter().zip(&widths) {
            pieces.push(Piece::Blanks(blanks + GAP + column - wide(cell)));
            pieces.push(Piece::Text(cell.clone()));
            blanks = 0;
        }
        pieces
    };
    let set = rows.iter().map(|(line, row)| (line.clone(), pieces(row)));
    Some(set.collect())
}

/// The lines that begin in a range of the page.
fn lines(page: &str, table: &Range<usize>) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut at = 0;
    for line in page.split('\n') {
        if table.contains(&at) {
            lines.push(at..at + line.len());
        }
        at += line.len() + 1;
    }
    lines
}

/// The figures a line ends in, two at least, and its label before them.
fn row(page: &str, line: Range<usize>) -> Option<Row> {
    let words = words(page, line.clone());
    let is_figure = |word: &&Range<usize>| is_figure(&page[(*word).clone()]);
    let figures = words.iter().rev().take_while(is_figure).count();
    let (before, figures) = words.split_at(words.len() - figures);
    let opens = |word: &Range<usize>| matches!(&page[word.clone()], "$" | "€" | "£" | "(");
    let closes = |word: &Range<usize>| matches!(&page[word.clone()], ")" | "%" | ")%" | "*");
    let mut cells: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for word in figures {
        match cells.last_mut() {
            Some(cell) if open || closes(word) => cell.end = word.end,
            _ => cells.push(word.clone()),
        }
        open = opens(word);
    }
    let label_end = |cells: &[Range<usize>], skipped: usize| match skipped {
        0 => before.last().map_or(line.start, |word| word.end),
        n => cells[n - 1].end,
    };
    // Where cells stand apart by two blanks, `Notes due 2021` is all label.
    let apart = |ix: usize| {
        let before = label_end(&cells, ix);
        cells[ix].start - before >= GAP || before == line.start
    };
    let first = match (0..cells.len()).any(apart) {
        true => (0..cells.len()).find(|&ix| {
            let start = &page[cells[ix].clone()];
            apart(ix) || start.starts_with(['$', '€', '£'])
        })?,
        false => 0,
    };
    let label = line.start..label_end(&cells, first);
    let cells = cells.split_off(first);
    (cells.len() >= 2).then_some(Row { label, cells })
}

/// The words of a line, as bytes of the page.
fn words(page: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let text = &page[line.clone()];
    let words = text.split(' ').filter(|word| !word.is_empty());
    let start = |word: &str| line.start + (word.as_ptr() as usize - text.as_ptr() as usize);
    words
        .map(|word| start(word)..start(word) + word.len())
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn drawn(page: &str, columns: usize) -> Vec<String> {
        let set = set(page, &[0..page.len()], columns);
        let line = |line: Range<usize>| match set.get(&line) {
            Some(pieces) => {
                let spans = spans(page, pieces, Style::new(), &[]);
                spans.iter().map(|span| &*span.content).collect()
            }
            None => page[line].to_string(),
        };
        lines(page, &(0..page.len() + 1))
            .into_iter()
            .map(line)
            .collect()
    }

    const CASH: &str = "(Millions)  2018  2017  2016\n\
        Cash Flows from Operating Activities\n\
        Net income  $  5,363 $  4,869 $  5,058\n\
        Depreciation and amortization  1,488  1,544  1,474\n\
        Notes due 2021  (370)  —  7\n\
        Tax rate  20.1 %  21.5 %  30 %\n\
        Acquired businesses  13  16";

    #[test]
    fn figures_stand_under_each_other() {
        assert_eq!(
            drawn(CASH, 80),
            [
                "(Millions)                         2018      2017      2016",
                "Cash Flows from Operating Activities",
                "Net income                     $  5,363  $  4,869  $  5,058",
                "Depreciation and amortization     1,488     1,544     1,474",
                "Notes due 2021                    (370)         —         7",
                "Tax rate                         20.1 %    21.5 %      30 %",
                // Which year it lacks is not said.
                "Acquired businesses  13  16",
            ]
        );
        // The label gives way, as long as it says something.
        assert_eq!(
            drawn(CASH, 50)[3],
            "Depreciation and am…     1,488     1,544     1,474"
        );
        assert_eq!(drawn(CASH, 45), CASH.lines().collect::<Vec<_>>());
    }

    #[test]
    fn a_text_of_single_blanks_is_set_too() {
        let page =
            "Sales $ 2,173 $ 2,189\nCost of sales 1,477 1,429\nOther 20 —\nTotal, net 2,100 (57)%";
        assert_eq!(
            drawn(page, 80),
            [
                "Sales          $ 2,173  $ 2,189",
                "Cost of sales    1,477    1,429",
                "Other               20        —",
                "Total, net       2,100    (57)%",
            ]
        );
    }

    #[test]
    fn what_is_set_already_or_is_no_table_stays() {
        for page in [
            "Net sales       1,251    1,204\nCost of sales    731      702\nGross  520  502",
            "Two rows  1  2\nof figures  3  4",
            "In 2018\nit fell by 3\nwords\nand words",
            "",
        ] {
            assert_eq!(drawn(page, 80), page.split('\n').collect::<Vec<_>>());
        }
    }

    fn a_row() -> impl Strategy<Value = String> {
        let figure = prop_oneof![
            Just("1,234"),
            Just("(5)"),
            Just("$ 12"),
            Just("$  7"),
            Just("45 %"),
            Just("—"),
            Just("2021")
        ];
        let label = "(日本語|[A-Za-z ]{0,30}|e\u{301}tat|  Notes due 2021)";
        let gap = prop_oneof![Just(" "), Just("  ")];
        (label, prop::collection::vec((gap, figure), 0..5)).prop_map(|(label, figures)| {
            let figures = figures.iter().map(|(gap, figure)| format!("{gap}{figure}"));
            label + &figures.collect::<String>()
        })
    }

    proptest! {
        #[test]
        fn no_character_is_lost_and_marks_stay_on_theirs(
            rows in prop::collection::vec(a_row(), 1..12),
            columns in 0usize..90,
            from in 0usize..200,
            length in 1usize..20,
        ) {
            let page = rows.join("\n");
            let mark = from..from + length;
            let bold = Style::new().bold();
            let inside = |at: usize| mark.contains(&at);
            let whole = (0..=page.len()).filter(|&at| page.is_char_boundary(at));
            let whole: Vec<usize> = whole.collect();
            // A mark is of whole characters.
            prop_assume!(whole.contains(&mark.start) && (whole.contains(&mark.end)));
            for (line, pieces) in set(&page, &[0..page.len()], columns) {
                let spans = spans(&page, &pieces, Style::new(), &[(std::slice::from_ref(&mark), bold)]);
                let drawn: String = spans.iter().map(|span| &*span.content).collect();
                prop_assert!(width(&drawn) <= columns, "{drawn:?}");
                let seen = |text: &str, marked: bool| -> Vec<(char, bool)> {
                    text.chars().filter(|c| *c != ' ').map(|c| (c, marked)).collect()
                };
                let drawn: Vec<(char, bool)> = spans
                    .iter()
                    .flat_map(|span| seen(&span.content, span.style == bold))
                    .collect();
                let text: Vec<(char, bool)> = page[line.clone()]
                    .char_indices()
                    .filter(|(_, c)| *c != ' ')
                    .map(|(at, c)| (c, inside(line.start + at)))
                    .collect();
                // Of a label that is cut the beginning is left, and of figures all.
                match drawn.iter().position(|(c, _)| *c == '…') {
                    None => prop_assert_eq!(drawn, text),
                    Some(cut) => {
                        prop_assert_eq!(&drawn[..cut], &text[..cut]);
                        prop_assert!(text.ends_with(&drawn[cut + 1..]));
                    }
                }
            }
        }
    }
}
