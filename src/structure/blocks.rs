//! Tables and prose: the blocks of a page, and what a table carries over a page break.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use serde::{Deserialize, Serialize};

use super::lines::lines;
use crate::text::is_year;
use crate::text::months::month;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Sentences and headings.
    Prose,
    /// Rows with figures, with the title and the columns above them.
    Table,
}

/// A stretch of whole lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Bytes of the page's text, from the start of a line to the end of one.
    pub range: Range<usize>,
    /// Table or prose.
    pub kind: BlockKind,
}

/// What most of a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// Three quarters of its text are tables.
    Table,
    /// Three quarters of its text are prose.
    Prose,
    /// Neither.
    Mixed,
    /// No text.
    Empty,
}

impl PageKind {
    /// `table`, `prose`, `mixed`; nothing for an empty page.
    pub fn as_str(self) -> &'static str {
        match self {
            PageKind::Table => "table",
            PageKind::Prose => "prose",
            PageKind::Mixed => "mixed",
            PageKind::Empty => "",
        }
    }
}

/// Lines without figures within a table: section labels, and the rest of a label on two lines.
const MOST_BETWEEN: usize = 3;
/// Lines above the first row that may belong to its table: title, scale, columns.
const MOST_ABOVE: usize = 5;

/// Rows at the top of a table that may be heads of its columns.
const HEAD_ROWS: usize = 3;

/// The blocks of a page, in order. They cover every line that is not empty; a table with its title
/// and columns is one block.
pub fn blocks(text: &str) -> Vec<Block> {
    let lines: Vec<(Range<usize>, Line)> = lines(text)
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(range, line)| (range, classify(line)))
        .collect();
    let mut tables: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if lines[at].1 != Line::Row {
            at += 1;
            continue;
        }
        let (mut end, mut rows) = (at + 1, 1);
        let mut ahead = end;
        while ahead < lines.len() && ahead - end <= MOST_BETWEEN {
            match lines[ahead].1 {
                Line::Row => {
                    rows += 1;
                    end = ahead + 1;
                }
                Line::Short => {}
                Line::Long => break,
            }
            ahead += 1;
        }
        if rows >= 2 {
            // Title, scale and columns; they end where another table or a sentence is.
            let floor = tables.last().map_or(0, |table| table.end);
            let above = (floor..at)
                .rev()
                .take(MOST_ABOVE)
                .take_while(|&line| lines[line].1 == Line::Short)
                .last()
                .unwrap_or(at);
            tables.push(above..end);
        }
        at = end;
    }
    let mut out = Vec::new();
    let mut line = 0;
    let span = |from: usize, to: usize| lines[from].0.start..lines[to - 1].0.end;
    for table in tables {
        if line < table.start {
            out.push(Block {
                range: span(line, table.start),
                kind: BlockKind::Prose,
            });
        }
        out.push(Block {
            range: span(table.start, table.end),
            kind: BlockKind::Table,
        });
        line = table.end;
    }
    if line < lines.len() {
        out.push(Block {
            range: span(line, lines.len()),
            kind: BlockKind::Prose,
        });
    }
    out
}

/// What most of the page is.
pub fn page_kind(text: &str) -> PageKind {
    let (mut table, mut all) = (0, 0);
    for block in blocks(text) {
        all += block.range.len();
        if block.kind == BlockKind::Table {
            table += block.range.len();
        }
    }
    match (table * 4, all) {
        (_, 0) => PageKind::Empty,
        (four, all) if four >= 3 * all => PageKind::Table,
        (four, all) if four <= all => PageKind::Prose,
        _ => PageKind::Mixed,
    }
}

/// The lines of a page that a passage needs so that no row of a table is cut: whole lines where the
/// range touches a table, the range itself elsewhere.
pub fn whole_rows(text: &str, range: Range<usize>) -> Range<usize> {
    let mut out = range.clone();
    for block in blocks(text) {
        let touches = block.range.start < range.end && range.start < block.range.end;
        if block.kind != BlockKind::Table || !touches {
            continue;
        }
        if block.range.contains(&range.start) {
            out.start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        }
        if block.range.contains(&range.end) {
            let rest = &text[range.end..];
            out.end = range.end + rest.find('\n').unwrap_or(rest.len());
        }
    }
    out
}

/// What a table that goes on over a page break carries on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    /// Its title.
    pub title: Option<String>,
    /// "(In millions, except per share data)".
    pub scale: Option<String>,
    /// The heads of its columns.
    pub columns: Vec<String>,
}

impl Carried {
    /// Title, scale and columns on one line.
    pub fn one_line(&self) -> String {
        let parts = self.title.iter().chain(&self.scale).chain(&self.columns);
        parts.map(String::as_str).collect::<Vec<_>>().join(" · ")
    }
}

/// Title, scale and columns of the table that ends one page, when the next page begins with more of
/// its rows and no heads of its own.
pub fn carry(before: &str, page: &str) -> Option<Carried> {
    let table = |block: &&Block| block.kind == BlockKind::Table;
    let earlier = blocks(before);
    let last = earlier.iter().rev().find(table)?;
    // Only a page number or a running foot stands below it.
    if before[last.range.end..].trim().len() > 120 {
        return None;
    }
    let later = blocks(page);
    let first = later.iter().find(table)?;
    if page[..first.range.start].trim().len() > 160 {
        return None;
    }
    let heads = |text: &str| -> Vec<String> {
        text.lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .take_while(|line| classify(line) != Line::Row)
            .map(str::to_string)
            .collect()
    };
    // Its own heads: days and years may stand in them as figures do in a row.
    let mut rows = 0;
    let own_heads = page.lines().map(str::trim).take_while(|line| {
        rows += usize::from(classify(line) == Line::Row);
        rows <= HEAD_ROWS
    });
    if own_heads
        .into_iter()
        .any(|line| is_columns(line) || is_scale(line) || names_columns(line))
    {
        return None;
    }
    let mut carried = Carried::default();
    for line in heads(&before[last.range.clone()]) {
        if is_scale(&line) {
            carried.scale = Some(line);
        } else if is_columns(&line) {
            carried.columns.push(line);
        } else if carried.title.is_none() && carried.columns.is_empty() {
            carried.title = Some(line);
        }
    }
    // A title alone heads no columns: a list, or the contents.
    let says = carried.scale.is_some() || !carried.columns.is_empty();
    says.then_some(carried)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// A label with figures.
    Row,
    /// A heading, a label, the heads of columns.
    Short,
    /// A sentence.
    Long,
}

fn classify(line: &str) -> Line {
    let line = line.trim();
    if is_columns(line) {
        return Line::Short;
    }
    // Words, those of them that are numbers, and the cells of figures that end the line.
    let (mut words, mut numbers, mut figures) = (0, 0, 0);
    for word in line.split_whitespace() {
        words += 1;
        if is_figure(word) {
            figures += 1;
            numbers += word.bytes().any(|b| b.is_ascii_digit()) as usize;
        } else {
            figures = 0;
        }
    }
    let columns = || {
        let cells = line.split("  ").filter(|cell| !cell.trim().is_empty());
        cells.take(2).count()
    };
    // Figures at the end: two of any kind, or one in a column of its own.
    let ends = numbers >= 1 && (figures >= 2 || figures == 1 && columns() >= 2);
    if ends && (words <= 24 || numbers * 3 >= words) {
        return Line::Row;
    }
    if line.len() <= 110 && !line.ends_with(['.', ';', ',']) || is_scale(line) {
        return Line::Short;
    }
    Line::Long
}

/// A label with figures, or the heads of columns.
pub(super) fn is_row(line: &str) -> bool {
    classify(line) == Line::Row || is_columns(line)
}

/// True for a line set in cells by gaps of two blanks whose last one is a figure, as a row of a table ends. In
/// prose set with two blanks between all words most cells are words.
pub fn ends_in_figures(line: &str) -> bool {
    let cells = || {
        let cells = line.split("  ").map(str::trim);
        cells.filter(|cell| !cell.is_empty())
    };
    let is_figures = |cell: &&str| cell.split_whitespace().all(is_figure);
    let figures = cells().filter(is_figures).count();
    cells().last().as_ref().is_some_and(is_figures) && cells().count() <= 2 * figures + 1
}

/// `$1,234`, `(4.5)%`, `—`, `$`, `12`: a cell of figures.
pub fn is_figure(word: &str) -> bool {
    if matches!(
        word,
        "—" | "–" | "-" | "$" | "%" | ")" | ")%" | "€" | "N/A" | "NM" | "n/a" | "*"
    ) {
        return true;
    }
    let mut digits = 0;
    for c in word.chars() {
        match c {
            '0'..='9' => digits += 1,
            ',' | '.' | '$' | '€' | '£' | '%' | '(' | ')' | '-' | '–' | '+' | 'x' => {}
            _ => return false,
        }
    }
    digits > 0
}

/// "(In millions, except per share data)", "Dollars in thousands".
pub(super) fn is_scale(line: &str) -> bool {
    line.len() < 140 && SCALES.is_match(line)
}

static SCALES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build([
            "in millions",
            "in thousands",
            "in billions",
            "per share amounts",
            "per share data",
        ])
        .expect("small")
});

/// Three cells of words or more ("Number of stores  Gross square feet  Total"), or years at the end
/// of the line ("Property and Equipment  2015  2014").
fn names_columns(line: &str) -> bool {
    let words = !line.contains(|c: char| c.is_ascii_digit());
    let cells = line.split("  ").filter(|cell| !cell.trim().is_empty());
    let years = line.split_whitespace().rev().take(2);
    words && cells.count() >= 3 || years.filter(|word| is_year(word)).count() == 2
}

/// Years and dates alone: "2024  2023  2022", "December 31, 2024  December 31, 2023", "Three months ended June 30,".
fn is_columns(line: &str) -> bool {
    if line.len() >= 140 {
        return false;
    }
    let (mut years, mut others) = (0, 0);
    let mut lower = [0; LONGEST];
    for word in line
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        let number = word.bytes().all(|b| b.is_ascii_digit());
        if is_year(word) {
            years += 1;
        } else if !(number && word.len() <= 2 || is_calendar(word, &mut lower)) {
            others += 1;
            if others > 1 {
                return false;
            }
        }
    }
    let spans = || {
        let lower = line.to_ascii_lowercase();
        lower.contains("ended") || lower.contains("as of") || lower.contains("at ")
    };
    years >= 2 || others == 0 && line.len() < 80 && (years >= 1 || spans())
}

/// Bytes of the longest word of [`is_calendar`].
const LONGEST: usize = "september".len();

/// A word of dates and periods, or the first three letters or more of a month.
fn is_calendar(word: &str, lower: &mut [u8; LONGEST]) -> bool {
    let Some(lower) = lower.get_mut(..word.len()) else {
        return false;
    };
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    match &*lower {
        b"year" | b"years" | b"month" | b"months" | b"week" | b"weeks" | b"quarter"
        | b"quarters" | b"ended" | b"ending" | b"fiscal" | b"three" | b"six" | b"nine"
        | b"twelve" | b"as" | b"of" | b"at" | b"the" | b"for" | b"and" | b"change" | b"vs"
        | b"total" | b"note" | b"notes" => true,
        word => str::from_utf8(word).is_ok_and(|word| month(word).is_some()),
    }
}

/// A word of a date or a period, in lower case.
pub(super) fn is_date_word(word: &str) -> bool {
    is_calendar(word, &mut [0; LONGEST])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
Results of operations are discussed below, and the table shows our net sales by segment for the last three years:
NET SALES BY SEGMENT
(In millions)
Years ended December 31,
2024  2023  2022
Americas  $167,045  $162,560  $169,658
Europe  101,328  94,294  95,118
Other:
Japan  25,052  24,257  25,977
Total net sales  $391,035  $383,285  $394,328
Americas net sales increased during 2024 compared to 2023 due primarily to higher net sales of Services, which rose.
21";

    #[test]
    fn a_table_is_one_block_with_its_heads() {
        let found = blocks(PAGE);
        let kinds: Vec<BlockKind> = found.iter().map(|block| block.kind).collect();
        assert_eq!(
            kinds,
            [BlockKind::Prose, BlockKind::Table, BlockKind::Prose],
            "{found:?}"
        );
        let table = &PAGE[found[1].range.clone()];
        assert!(table.starts_with("NET SALES BY SEGMENT\n"), "{table}");
        assert!(table.ends_with("$394,328"), "{table}");
        assert_eq!(page_kind(PAGE), PageKind::Mixed);
        assert_eq!(page_kind(""), PageKind::Empty);
        assert_eq!(
            page_kind(
                "Prose alone, a sentence that goes on for a while and has no figures at all in it."
            ),
            PageKind::Prose
        );
    }

    #[test]
    fn rows_stay_whole() {
        let at = PAGE.find("101,328").unwrap();
        let range = whole_rows(PAGE, at..at + 3);
        assert_eq!(&PAGE[range], "Europe  101,328  94,294  95,118");
        let prose = PAGE.find("increased").unwrap();
        assert_eq!(whole_rows(PAGE, prose..prose + 5), prose..prose + 5);
    }

    #[test]
    fn heads_are_carried_over_a_page_break() {
        let cut = PAGE.find("Other:").unwrap();
        let (before, after) = (
            format!("{}20", &PAGE[..cut]),
            format!("Apple Inc.\n{}", &PAGE[cut..]),
        );
        let carried = carry(&before, &after).unwrap();
        assert_eq!(carried.title.as_deref(), Some("NET SALES BY SEGMENT"));
        assert_eq!(carried.scale.as_deref(), Some("(In millions)"));
        assert_eq!(
            carried.columns,
            ["Years ended December 31,", "2024  2023  2022"]
        );
        // A table with heads of its own carries nothing.
        assert_eq!(carry(&before, PAGE), None);
        assert_eq!(carry("Prose.", &after), None);
        let own = format!(
            "Apple Inc.\nBALANCE SHEETS\nMarch 31,  December 31,\n(in millions)  2022  2021\n{}",
            &PAGE[cut..]
        );
        assert_eq!(carry(&before, &own), None);
        for heads in [
            "Store Update\nStores opened  Stores closed  Gross square feet",
            "Property and Equipment  2015  2014",
        ] {
            let own = format!("Apple Inc.\n{heads}\n{}", &PAGE[cut..]);
            assert_eq!(carry(&before, &own), None, "{heads}");
        }
    }
}
