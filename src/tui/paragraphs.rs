//! Which lines of a page go on in the next one. The text of a page has the lines of its paper, a pane others.

use std::ops::Range;

use super::columns::is_table_row;
use super::text::{lines, width};

/// Lines around one that tell how long a full line is there.
const AROUND: usize = 4;
/// Full lines shorter than this are no prose: labels, addresses, heads of columns.
const SHORTEST: usize = 60;

/// A line that may be part of a paragraph.
struct Prose<'a> {
    line: &'a str,
    /// Columns of its words with one blank between them.
    wide: usize,
    in_table: bool,
}

/// The paragraphs of a page as bytes of whole lines, in order; what is no prose is a line of its own.
pub fn paragraphs(page: &str, tables: &[Range<usize>]) -> Vec<Range<usize>> {
    let lines: Vec<(Range<usize>, Option<Prose>)> = lines(page, 0..page.len())
        .map(|bytes| {
            let line = &page[bytes.clone()];
            let is_prose = !line.trim().is_empty() && !is_table_row(line);
            let in_table = tables.iter().any(|table| table.contains(&bytes.start));
            let wide = || line.split_whitespace().map(|word| width(word) + 1).sum();
            let prose = is_prose.then(|| Prose {
                line,
                wide: wide(),
                in_table,
            });
            (bytes, prose)
        })
        .collect();
    let mut paragraphs: Vec<Range<usize>> = Vec::new();
    for (ix, (bytes, prose)) in lines.iter().enumerate() {
        let before = ix.checked_sub(1).and_then(|ix| lines[ix].1.as_ref());
        let goes_on = match (before, prose) {
            (Some(before), Some(line)) => {
                let around = ix.saturating_sub(AROUND)..lines.len().min(ix + AROUND);
                let around = lines[around].iter().filter_map(|(_, prose)| prose.as_ref());
                let full = around.map(|prose| prose.wide).max().unwrap_or(0);
                goes_on(before, line, full)
            }
            _ => false,
        };
        match paragraphs.last_mut() {
            Some(paragraph) if goes_on => paragraph.end = bytes.end,
            _ => paragraphs.push(bytes.clone()),
        }
    }
    paragraphs
}

/// True when a line goes on in the next one, where so many columns are a full line: its first word would not
/// have fitted. The end of a sentence at the end of a full line says nothing; more lines go on than do not.
fn goes_on(before: &Prose, line: &Prose, full: usize) -> bool {
    let (end, start) = (before.line.trim_end(), line.line.trim_start());
    let first = start.split_whitespace().next().unwrap_or_default();
    let indent = |line: &str| line.len() - line.trim_start().len();
    if full < SHORTEST
        || first.starts_with(is_bullet)
        || first == "o"
        || !start.contains(char::is_alphabetic)
        || indent(line.line) > indent(before.line) + 1
    {
        return false;
    }
    let filled = |percent: usize| 100 * (before.wide + width(first)) >= percent * full;
    let closed = end.trim_end_matches(['”', '"', '’', ')']);
    if [";", ":", "; and", "; or"].iter().any(|e| end.ends_with(e)) {
        false
    } else if start.starts_with(char::is_lowercase) {
        filled(if before.in_table { 85 } else { 60 })
    } else if before.in_table || line.in_table {
        false
    } else if closed.ends_with(['.', '?', '!']) {
        filled(97) && 2 * line.wide >= full && !is_number(first)
    } else {
        filled(85)
    }
}

fn is_bullet(c: char) -> bool {
    matches!(
        c,
        '•' | '·'
            | '▪'
            | '◦'
            | '●'
            | '○'
            | '■'
            | '□'
            | '☐'
            | '☒'
            | '✓'
            | '➢'
            | '►'
            | '*'
            | '–'
            | '—'
            | '-'
    )
}

/// `1.`, `(a)`, `iv)`: the number of an item of a list.
fn is_number(word: &str) -> bool {
    let number = word.trim_start_matches('(').trim_end_matches(['.', ')']);
    let is = |of: fn(char) -> bool| number.chars().all(of);
    number.len() < word.len()
        && (is(|c| c.is_ascii_digit()) || number.len() == 1 || is(|c| "ivx".contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::worker::tables;

    fn joined(page: &str) -> Vec<&str> {
        let paragraphs = paragraphs(page, &tables(page)).into_iter();
        paragraphs.map(|bytes| &page[bytes]).collect()
    }

    #[test]
    fn full_lines_go_on_and_short_ones_end_a_paragraph() {
        let page = "Legal Proceedings\n\
            We are a party to claims and proceedings that arise in the course of our business, including matters under\n\
            provisions on the protection of the environment. We believe it is remote that the outcome of any of these will\n\
            harm us.\n\
            We cannot predict the outcome of legal proceedings with certainty. Where there is a reasonable possibility of\n\
            a loss we say so.\n\
            \n\
            • pertain to the maintenance of records that in reasonable detail fairly reflect the transactions of the\n\
            Company;\n\
            o Written communications pursuant to Rule 425 under the Securities Act, as amended (17 CFR 230.425)\n\
            o Soliciting material pursuant to Rule 14a-12 under the Exchange Act, as amended (17 CFR 240.14a-12)\n\
            • provide reasonable assurance.\n\
            Exhibit 21\n";
        let lines: Vec<usize> = joined(page).iter().map(|p| p.lines().count()).collect();
        assert_eq!(lines, [1, 3, 2, 0, 2, 1, 1, 1, 1]);
    }

    #[test]
    fn tables_contents_and_lists_of_short_lines_stay() {
        for page in [
            "Item Number  Page\nPART I\n1.  Business  1\nCompetition  9\nSupervision and Regulation  11\n",
            "McDONALD’S CORPORATION\n(Registrant)\nDate: February 15, 2023\nCorporate Vice President, General Counsel and\nAssistant Secretary\n",
            "Net income of all the segments of the company and its subsidiaries  1,251  1,204\n\
             Depreciation and amortization of property, plant, equipment and of\n\
             intangible assets  731  702\n\
             Other income of the company and of its subsidiaries, net of its taxes  12  11\n",
            "our ability to attract and retain the people that we need for our business;\n\
             changes in the laws that apply to our business in the United States; and\n\
             the impact of a pandemic on our business operations and on our suppliers.\n",
        ] {
            assert_eq!(joined(page), page.lines().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_sentence_that_ends_at_the_end_of_a_full_line() {
        let full = "The terms of the notes are described in the indenture that we filed with the Commission last year.";
        let goes_on = format!(
            "{full}\nThe notes are senior obligations of the company and rank equally with all of the others.\nShort.\n"
        );
        assert_eq!(joined(&goes_on).len(), 1 + 1);
        // What looks like a heading, or like the next item of a list, begins anew.
        assert_eq!(joined(&format!("{full}\nThe Notes\n")).len(), 2);
        let numbered = format!(
            "{full}\n(b) The notes are senior obligations of the company and rank equally.\n"
        );
        assert_eq!(joined(&numbered).len(), 2);
    }
}
