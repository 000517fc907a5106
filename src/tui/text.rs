//! Measuring and cutting text by what a terminal shows.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::Span;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::structure::ends_in_figures;
pub use crate::words::thousands;

/// Columns a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// At most `columns` of a text, with `…` where it was cut.
pub fn fit(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    let Some(room) = columns.checked_sub(1) else {
        return String::new();
    };
    let mut used = 0;
    let mut out = String::new();
    for grapheme in text.graphemes(true) {
        used += grapheme.width();
        if used > room {
            break;
        }
        out.push_str(grapheme);
    }
    out.push('…');
    out
}

/// Exactly `columns`: cut, or filled with spaces on the right.
pub fn left(text: &str, columns: usize) -> String {
    let text = fit(text, columns);
    let fill = columns.saturating_sub(width(&text));
    text + &" ".repeat(fill)
}

/// Exactly `columns`: cut, or filled with spaces on the left.
pub fn right(text: &str, columns: usize) -> String {
    let text = fit(text, columns);
    " ".repeat(columns.saturating_sub(width(&text))) + &text
}

/// A page's text made safe to show: no control characters, tabs as spaces, lines untouched.
pub fn printable(text: &str) -> String {
    text.chars()
        .filter_map(|c| match c {
            '\n' => Some('\n'),
            '\t' => Some(' '),
            // Marks of direction would turn what stands beside the page.
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
            c if c.is_control() => None,
            c => Some(c),
        })
        .collect()
}

/// The rows of a text, as byte ranges: one a line, or as many as `columns` asks for.
pub fn rows(text: &str, wrap: Option<usize>) -> Vec<Range<usize>> {
    rows_by(text, |line| wrap.filter(|&columns| width(line) > columns))
}

/// The rows of a page in a pane of so many columns. A row of a table keeps its length, since figures
/// in the next row say nothing; other lines do while the pane holds them, and paragraphs in one line
/// are wrapped at `measure`.
pub fn page_rows(text: &str, columns: usize, measure: usize) -> Vec<Range<usize>> {
    rows_by(text, |line| {
        let wide = width(line);
        if is_table_row(line) {
            None
        } else if wide > measure * 4 / 3 {
            Some(columns.min(measure))
        } else {
            (wide > columns).then_some(columns)
        }
    })
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

/// The rows of a text, each line wrapped where `wrap` says so.
fn rows_by(text: &str, wrap: impl Fn(&str) -> Option<usize>) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let mut at = 0;
    for line in text.split('\n') {
        match wrap(line) {
            Some(columns) => wrap_line(line, at, columns.max(1), &mut rows),
            None => rows.push(at..at + line.len()),
        }
        at += line.len() + 1;
    }
    // A final line break ends the last line; it starts no other.
    if text.ends_with('\n') {
        rows.pop();
    }
    rows
}

fn wrap_line(line: &str, at: usize, columns: usize, rows: &mut Vec<Range<usize>>) {
    let mut start = 0;
    let mut used = 0;
    // Where the row can end: after the last space.
    let mut space = None;
    for (ix, grapheme) in line.grapheme_indices(true) {
        let wide = grapheme.width();
        if used + wide > columns && ix > start {
            let end = space.filter(|&s| s > start).unwrap_or(ix);
            rows.push(at + start..at + end);
            start = end;
            used = width(&line[start..ix]);
            space = None;
        }
        used += wide;
        if grapheme == " " {
            space = Some(ix + 1);
        }
    }
    rows.push(at + start..at + line.len());
}

/// Cuts `range` of a text into spans: each byte has the style of the last layer that covers it.
pub fn layered<'a>(
    text: &'a str,
    range: Range<usize>,
    base: Style,
    layers: &[(&[Range<usize>], Style)],
) -> Vec<Span<'a>> {
    let mut edges = vec![range.start, range.end];
    for (ranges, _) in layers {
        for r in overlapping(ranges, &range) {
            edges.push(r.start.clamp(range.start, range.end));
            edges.push(r.end.clamp(range.start, range.end));
        }
    }
    edges.retain(|&at| text.is_char_boundary(at));
    edges.sort_unstable();
    edges.dedup();
    edges
        .windows(2)
        .map(|w| {
            let style = layers
                .iter()
                .filter(|(ranges, _)| ranges.iter().any(|r| r.start <= w[0] && w[1] <= r.end))
                .fold(base, |style, (_, layer)| style.patch(*layer));
            Span::styled(&text[w[0]..w[1]], style)
        })
        .collect()
}

/// The first of these ways to say something that fits, the longest first; nothing where none does.
pub fn that_fits(ways: impl IntoIterator<Item = String>, columns: usize) -> String {
    let mut ways = ways.into_iter();
    ways.find(|words| width(words) <= columns)
        .unwrap_or_default()
}

/// [`layered`] for a row of a page without some bytes of it.
pub fn without<'a>(
    text: &'a str,
    range: Range<usize>,
    out: Option<Range<usize>>,
    base: Style,
    layers: &[(&[Range<usize>], Style)],
) -> Vec<Span<'a>> {
    let Some(out) = out else {
        return layered(text, range, base, layers);
    };
    let (from, to) = (range.start + out.start, range.start + out.end);
    let mut spans = layered(text, range.start..from, base, layers);
    if !text[from..to].trim().is_empty() {
        spans.push(Span::styled("…", base));
    }
    spans.extend(layered(text, to..range.end, base, layers));
    spans
}

/// Bytes at the end of the label of a row of a table that are left out for the row to fit: the figures say
/// more. Columns that are set by many blanks stay where they are, under their heads.
pub fn label_cut(row: &str, columns: usize) -> Option<Range<usize>> {
    if width(row) <= columns || !is_table_row(row) || is_aligned(row) {
        return None;
    }
    let (label, _) = parts(row)?;
    // One column is for the mark of what is left out.
    let room = columns.checked_sub(width(&row[label..]) + 1)?;
    let kept = within(&row[..label], room);
    (room >= LABEL).then_some(kept..label)
}

/// The byte offset up to which a text takes at most so many columns.
pub fn within(text: &str, columns: usize) -> usize {
    let end = skip_columns(text, columns);
    let last = text[..end].graphemes(true).next_back().map_or(0, str::len);
    match width(&text[..end]) > columns {
        true => end - last,
        false => end,
    }
}

/// Columns of a label that still say something.
const LABEL: usize = 8;

/// True for a row whose columns are set by many blanks.
pub fn is_aligned(row: &str) -> bool {
    row.trim().contains("   ")
}

/// Where the label of a row of a table ends, and where its figures begin. The heads of columns stand alone
/// behind blanks.
fn parts(row: &str) -> Option<(usize, usize)> {
    let indent = row.len() - row.trim_start_matches(' ').len();
    let label = match indent > LABEL {
        true => 0,
        false => indent + row[indent..].find("  ")?,
    };
    let rest = &row[label..];
    Some((label, row.len() - rest.trim_start_matches(' ').len()))
}

/// The columns before the figures that each row set by many blanks does without, for all of them to fit and
/// their figures to stay under their heads; none where they fit, or cannot.
pub fn aligned_excess(page: &str, columns: usize) -> Option<usize> {
    let rows = || {
        page.lines()
            .filter(|row| is_table_row(row) && is_aligned(row))
    };
    let excess = rows()
        .map(width)
        .max()?
        .checked_sub(columns)
        .filter(|n| *n > 0)?;
    let spares = |row: &str| {
        parts(row).is_some_and(|(label, figures)| {
            let kept = if label == 0 { 0 } else { LABEL };
            width(&row[..figures]) >= kept + 3 + excess
        })
    };
    rows().all(spares).then_some(excess)
}

/// Bytes of so many columns before the figures of a row set by many blanks: blanks, or else the end of its
/// label too.
pub fn aligned_cut(row: &str, excess: usize) -> Option<Range<usize>> {
    if !is_table_row(row) || !is_aligned(row) {
        return None;
    }
    let (label, figures) = parts(row)?;
    if label + 2 + excess <= figures {
        return Some(figures - excess..figures);
    }
    // Two blanks stay, and one column is for the mark.
    let room = width(&row[..figures]).checked_sub(3 + excess)?;
    Some(within(&row[..label], room)..figures - 2)
}

fn overlapping<'a>(
    ranges: &'a [Range<usize>],
    with: &'a Range<usize>,
) -> impl Iterator<Item = &'a Range<usize>> {
    ranges
        .iter()
        .filter(|r| r.start < with.end && with.start < r.end)
}

/// The byte offset at which column `columns` starts (the next one when it falls inside a wide character).
pub fn skip_columns(text: &str, columns: usize) -> usize {
    let mut used = 0;
    for (ix, grapheme) in text.grapheme_indices(true) {
        if used >= columns {
            return ix;
        }
        used += grapheme.width();
    }
    text.len()
}

/// Byte ranges of a phrase in a text, whatever the case and the spaces between its words.
pub fn find_all(text: &str, phrase: &str) -> Vec<Range<usize>> {
    let words: Vec<String> = phrase.split_whitespace().map(regex::escape).collect();
    if words.is_empty() {
        return Vec::new();
    }
    // Escaped words are always a valid expression; only its size could be refused.
    match regex::RegexBuilder::new(&words.join(r"\s+"))
        .case_insensitive(true)
        .build()
    {
        Ok(re) => re.find_iter(text).map(|m| m.range()).collect(),
        Err(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(row: &str, out: Option<Range<usize>>) -> String {
        let text = format!("above\n{row}\nbelow");
        let spans = without(&text, 6..6 + row.len(), out, Style::default(), &[]);
        spans.iter().map(|span| &*span.content).collect()
    }

    #[test]
    fn a_row_too_long_loses_the_end_of_its_label_never_a_figure() {
        let segments = "Net sales of all segments  1,251  1,204";
        let aligned = "Net sales            1,251    1,204";
        for (row, columns, is) in [
            ("Net sales  1,251  1,204", 30, "Net sales  1,251  1,204"),
            (segments, 30, "Net sales of al…  1,251  1,204"),
            // A label of a few letters says nothing; columns stay under their heads.
            (segments, 20, segments),
            (aligned, 30, aligned),
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
            assert_eq!(shown(row, label_cut(row, columns)), is);
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
        let excess = aligned_excess(&page.join("\n"), 40).expect("it can be done");
        let rows = page.map(|row| shown(row, aligned_cut(row, excess)));
        assert_eq!(
            rows,
            [
                "                         2022       2021",
                "Net sales             $ 1,251    $ 1,204",
                "Selling and administrat…  731        702",
                "Other                       1",
                page[4],
            ]
        );
        assert_eq!(aligned_excess(&page.join("\n"), 60), None, "all fit");
        assert_eq!(
            aligned_excess(&page.join("\n"), 20),
            None,
            "too few for labels"
        );
    }

    #[test]
    fn widths_are_those_of_the_terminal() {
        assert_eq!(width("日本"), 4);
        assert_eq!(width("e\u{301}"), 1);
        assert_eq!(left("日本語", 5), "日本…");
        assert_eq!(left("日本語", 4), "日… ");
        assert_eq!(right("12", 5), "   12");
        assert_eq!(fit("abc", 0), "");
        assert_eq!(fit("abc", 1), "…");
    }

    #[test]
    fn thousands_have_commas() {
        let shown: Vec<String> = [0, 999, 1000, 53361, 1234567]
            .into_iter()
            .map(thousands)
            .collect();
        assert_eq!(shown, ["0", "999", "1,000", "53,361", "1,234,567"]);
    }

    fn wrapped(text: &str, columns: usize) -> Vec<&str> {
        rows(text, Some(columns))
            .into_iter()
            .map(|r| &text[r])
            .collect()
    }

    #[test]
    fn lines_wrap_at_spaces_and_lose_nothing() {
        assert_eq!(
            wrapped("net sales grew\nby 3%\n", 10),
            ["net sales ", "grew", "by 3%"]
        );
        assert_eq!(
            wrapped("unbroken-and-long", 6),
            ["unbrok", "en-and", "-long"]
        );
        assert_eq!(wrapped("日本語日本", 5), ["日本", "語日", "本"]);
        assert_eq!(wrapped("日", 1), ["日"]);
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(rows("a\n\nb", None), [0..1, 2..2, 3..4]);
    }

    #[test]
    fn layers_cut_at_their_edges() {
        let plain = Style::new();
        let spans = layered(
            "abcdef",
            1..6,
            plain,
            &[(&[0..3, 4..5], plain.bold()), (&[2..3], plain.italic())],
        );
        let cut: Vec<&str> = spans.iter().map(|s| s.content.as_ref()).collect();
        assert_eq!(cut, ["b", "c", "d", "e", "f"]);
        assert_eq!(spans[1].style, plain.bold().italic());
        assert_eq!(spans[2].style, plain);
        // Ranges that are not of this text do no harm.
        let text = "é";
        assert_eq!(
            layered(text, 0..2, plain, &[(&[0..1, 1..9], plain)]).len(),
            1
        );
    }

    #[test]
    fn finding_ignores_case_and_spaces() {
        let text = "Net  Sales and net\nsales";
        assert_eq!(find_all(text, "net sales"), [0..10, 15..24]);
        assert!(find_all(text, "  ").is_empty());
        assert_eq!(find_all("a.b acb", "a.b"), [0..3]);
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[31m\tb\r\n\u{202e}c"), "a[31m b\nc");
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
        let text = "word word word\nNet sales     1,251\n";
        let cut: Vec<&str> = page_rows(text, 10, 120)
            .into_iter()
            .map(|r| &text[r])
            .collect();
        assert_eq!(cut, ["word word ", "word", "Net sales     1,251"]);
        let paragraph = "word ".repeat(40);
        assert_eq!(
            page_rows(&paragraph, 198, 120).len(),
            2,
            "wrapped at the measure"
        );
    }

    #[test]
    fn columns_are_skipped_by_width() {
        assert_eq!(skip_columns("日本語", 2), 3);
        assert_eq!(skip_columns("日本語", 3), 6);
        assert_eq!(skip_columns("ab", 9), 2);
    }
}
