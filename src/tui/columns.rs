//! Figures of a table under each other. The text of a page has a row's cells one after another; on the screen they are
//! set in columns, and where a row is too long the end of its label gives way, for the figures say more. The text itself
//! stays: places in it, marks and what is copied are of the original.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::Span;

use super::text::{layered, lines, width, within};
use crate::structure::{ends_in_figures, is_figure};

/// Blanks before a column.
const GAP: usize = 2;
/// So many rows of as many figures make columns.
const ROWS: usize = 3;
/// Columns a label needs to say something.
const LABEL: usize = 16;
/// Columns of one that is cut, at the least.
const CUT_LABEL: usize = 8;

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

/// Lines, as bytes of the page, that are drawn otherwise than they stand in it.
pub type Set = HashMap<Range<usize>, Vec<Piece>>;

/// The rows of tables on a page that are set in columns, or cut, in a pane so wide.
pub fn set(page: &str, tables: &[Range<usize>], columns: usize) -> Set {
    let excess = aligned_excess(page, columns);
    let mut set: Set = lines(page, 0..page.len())
        .filter_map(|line| {
            let row = &page[line.clone()];
            let out = match is_aligned(row) {
                true => aligned_cut(row, excess?),
                false => label_cut(row, columns),
            }?;
            Some((line.clone(), without(page, line, out)))
        })
        .collect();
    for table in tables {
        set.extend(set_table(page, table, columns).unwrap_or_default());
    }
    set
}

/// A row without these bytes of it.
fn without(page: &str, line: Range<usize>, out: Range<usize>) -> Vec<Piece> {
    let (from, to) = (line.start + out.start, line.start + out.end);
    let mut pieces = vec![Piece::Text(line.start..from), Piece::Text(to..line.end)];
    if !page[from..to].trim().is_empty() {
        pieces.insert(1, Piece::Cut);
    }
    pieces
}

/// True for a line set in columns: one wide gap, or several of two blanks that end no sentence, the last one
/// before a figure.
pub fn is_table_row(line: &str) -> bool {
    let line = line.trim();
    let gaps = line
        .match_indices("  ")
        .filter(|(at, _)| !line[..*at].ends_with([' ', '.', '?', '!', ':']));
    line.contains("   ") || gaps.take(2).count() == 2 && ends_in_figures(line)
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
    let lines: Vec<Range<usize>> = lines(page, table.clone()).collect();
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

/// Bytes at the end of the label of a row of a table that are left out for the row to fit: the figures say
/// more.
fn label_cut(row: &str, columns: usize) -> Option<Range<usize>> {
    if width(row) <= columns || !is_table_row(row) {
        return None;
    }
    let (label, _) = parts(row)?;
    // One column is for the mark of what is left out.
    let room = columns.checked_sub(width(&row[label..]) + 1)?;
    let kept = within(&row[..label], room);
    (room >= CUT_LABEL).then_some(kept..label)
}

/// True for a row of a table whose columns are set by many blanks.
fn is_aligned(row: &str) -> bool {
    row.trim().contains("   ")
}

/// Where the label of a row of a table ends, and where its figures begin. The heads of columns stand alone
/// behind blanks.
fn parts(row: &str) -> Option<(usize, usize)> {
    let indent = row.len() - row.trim_start_matches(' ').len();
    let label = match indent > CUT_LABEL {
        true => 0,
        false => indent + row[indent..].find("  ")?,
    };
    let rest = &row[label..];
    Some((label, row.len() - rest.trim_start_matches(' ').len()))
}

/// The columns before the figures that each row set by many blanks does without, for all of them to fit and
/// their figures to stay under their heads; none where they fit, or cannot.
fn aligned_excess(page: &str, columns: usize) -> Option<usize> {
    let rows = || page.lines().filter(|row| is_aligned(row));
    let excess = rows()
        .map(width)
        .max()?
        .checked_sub(columns)
        .filter(|n| *n > 0)?;
    let spares = |row: &str| {
        parts(row).is_some_and(|(label, figures)| {
            let kept = if label == 0 { 0 } else { CUT_LABEL };
            width(&row[..figures]) >= kept + 3 + excess
        })
    };
    rows().all(spares).then_some(excess)
}

/// Bytes of so many columns before the figures of a row set by many blanks: blanks, or else the end of its
/// label too.
fn aligned_cut(row: &str, excess: usize) -> Option<Range<usize>> {
    let (label, figures) = parts(row)?;
    if label + 2 + excess <= figures {
        return Some(figures - excess..figures);
    }
    // Two blanks stay, and one column is for the mark.
    let room = width(&row[..figures]).checked_sub(3 + excess)?;
    Some(within(&row[..label], room)..figures - 2)
}

/// The figures a line ends in, two at least, and its label before them.
fn row(page: &str, line: Range<usize>) -> Option<Row> {
    let words = words(page, line.clone());
    let is_figure = |word: &&Range<usize>| match &page[(*word).clone()] {
        "%)" => true,
        word => is_figure(word),
    };
    let figures = words.iter().rev().take_while(is_figure).count();
    let (before, figures) = words.split_at(words.len() - figures);
    let opens = |word: &Range<usize>| matches!(&page[word.clone()], "$" | "€" | "£" | "(");
    let closes = |word: &Range<usize>| matches!(&page[word.clone()], ")" | "%" | ")%" | "%)" | "*");
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
        lines(page, 0..page.len()).map(line).collect()
    }

    const CASH: &str = "(Millions)  2018  2017  2016\n\
        Cash Flows from Operating Activities\n\
        Net income  $  5,363 $  4,869 $  5,058\n\
        Depreciation and amortization  1,488  1,544  1,474\n\
        Notes due 2021  (370)  —  7\n\
        Tax rate  20.1 %  21.5 %  30 %\n\
        Change  (0.5 %)  (4.7 %)  30 %\n\
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
                "Change                          (0.5 %)   (4.7 %)      30 %",
                // Which year it lacks is not said.
                "Acquired businesses  13  16",
            ]
        );
        // The label gives way, as long as it says something.
        assert_eq!(
            drawn(CASH, 50)[3],
            "Depreciation and am…     1,488     1,544     1,474"
        );
        assert_eq!(
            drawn(CASH, 45)[2..4],
            [
                "Net income  $  5,363 $  4,869 $  5,058",
                "Depreciation and amorti…  1,488  1,544  1,474",
            ],
            "too narrow for columns"
        );
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

    #[test]
    fn a_row_too_long_loses_the_end_of_its_label_never_a_figure() {
        let segments = "Net sales of all segments  1,251  1,204";
        for (row, columns, is) in [
            ("Net sales  1,251  1,204", 30, "Net sales  1,251  1,204"),
            (segments, 30, "Net sales of al…  1,251  1,204"),
            // A label of a few letters says nothing.
            (segments, 20, segments),
            (
                "  日本語の売上高も増  1,251  1,204",
                30,
                "  日本語の売上…  1,251  1,204",
            ),
            (
                "no row of a table, and long enough",
                20,
                "no row of a table, and long enough",
            ),
        ] {
            assert_eq!(drawn(row, columns), [is]);
        }
    }

    #[test]
    fn figures_stay_under_their_heads() {
        let page = [
            "                                    2022       2021",
            "Net sales                        $ 1,251    $ 1,204",
            "Selling and administrative expenses  731        702",
            "Other                                  1",
            "A line of words, as long as the others of the table",
        ];
        assert_eq!(
            drawn(&page.join("\n"), 40),
            [
                "                         2022       2021",
                "Net sales             $ 1,251    $ 1,204",
                "Selling and administrat…  731        702",
                "Other                       1",
                page[4],
            ]
        );
        assert_eq!(drawn(&page.join("\n"), 60), page, "all fit");
        assert_eq!(drawn(&page.join("\n"), 20), page, "too few for labels");
    }

    #[test]
    fn rows_of_tables_are_told_from_text() {
        for row in [
            "Net sales            1,251    1,204",
            "Sales (millions)  $  11,604  $  11,981",
            "   2022  2021  2020",
            "Gross margin  45  %  48  %  (3)%",
            "Impairment  —  —  N/A",
        ] {
            assert!(is_table_row(row), "{row}");
        }
        for line in [
            "Net sales rose.  Costs fell.  Margins were better.  So it went.",
            "   indented text of a paragraph",
            "one gap  only",
            "We  took  several  actions  in  2022  to  strengthen  our  position",
            "Our  revenue  rose  by  44%  to  $23.6  billion  in  2022.",
            "",
        ] {
            assert!(!is_table_row(line), "{line}");
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
