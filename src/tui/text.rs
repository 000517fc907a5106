//! Measuring and cutting text by what a terminal shows.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::Span;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

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
    text[..within(text, room)].to_string() + "…"
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

/// The lines of a part of a text, as bytes of the text; one at least. A line break at its end starts no other.
pub fn lines(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = part.start;
    let text = &text[part];
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.split('\n').map(move |line| {
        let line = at..at + line.len();
        at = line.end + 1;
        line
    })
}

/// The rows of a text wrapped to so many columns, as byte ranges.
pub fn rows(text: &str, columns: usize) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    for line in lines(text, 0..text.len()) {
        wrap_line(text, line, columns, &mut rows);
    }
    rows
}

/// The rows of a text, so many at the most: the last takes all that is left, and who draws it tells what is cut.
pub fn first_rows(text: &str, columns: usize, most: usize) -> Vec<Range<usize>> {
    let mut rows = rows(text, columns);
    if rows.len() > most {
        rows.truncate(most);
        if let Some(last) = rows.last_mut() {
            last.end = text.len();
        }
    }
    rows
}

/// What a byte of a page that is not drawn is replaced by: it takes no column, and a row can end behind it.
pub const NOTHING: &str = "\n";

/// Puts the rows of a line of a text.
pub fn wrap_line(text: &str, line: Range<usize>, columns: usize, rows: &mut Vec<Range<usize>>) {
    let (line, at) = (&text[line.clone()], line.start);
    let columns = columns.max(1);
    let wide = |grapheme: &str| match grapheme {
        NOTHING => 0,
        grapheme => grapheme.width(),
    };
    let mut start = 0;
    let mut used = 0;
    // Where the row can end: after the last space.
    let mut space = None;
    for (ix, grapheme) in line.grapheme_indices(true) {
        let taken = wide(grapheme);
        while used + taken > columns && ix > start {
            let end = space.filter(|&s| s > start).unwrap_or(ix);
            rows.push(at + start..at + end);
            start = end;
            used = line[start..ix].graphemes(true).map(wide).sum();
            space = None;
        }
        used += taken;
        if matches!(grapheme, " " | NOTHING) {
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

/// The byte offset up to which a text takes at most so many columns.
pub fn within(text: &str, columns: usize) -> usize {
    let end = skip_columns(text, columns);
    let last = text[..end].graphemes(true).next_back().map_or(0, str::len);
    match width(&text[..end]) > columns {
        true => end - last,
        false => end,
    }
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
        rows(text, columns).into_iter().map(|r| &text[r]).collect()
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
        assert_eq!(wrapped(" 日本", 3), [" ", "日", "本"]);
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("a\n\nb\n", 5), ["a", "", "b"]);
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
    fn columns_are_skipped_by_width() {
        assert_eq!(skip_columns("日本語", 2), 3);
        assert_eq!(skip_columns("日本語", 3), 6);
        assert_eq!(skip_columns("ab", 9), 2);
    }
}
