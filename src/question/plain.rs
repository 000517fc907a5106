//! The question as the patterns see it.

use super::Span;

/// The question in lower-case ASCII with every byte in its place: dashes and curly quotes become `-` and `'`,
/// accented letters become `x`, underscores and everything else outside ASCII become spaces. Byte offsets stay those
/// of the question, so that a match here is a span there.
pub(super) fn plain(question: &str) -> String {
    let mut out = String::with_capacity(question.len());
    for c in question.chars() {
        if c == '_' {
            out.push(' ');
            continue;
        }
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
            continue;
        }
        let (pad, last) = match c {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => (' ', '-'),
            '\u{2018}' | '\u{2019}' | '\u{02bc}' => (' ', '\''),
            '\u{00c0}'..='\u{024f}' => ('x', 'x'),
            _ => (' ', ' '),
        };
        for _ in 1..c.len_utf8() {
            out.push(pad);
        }
        out.push(last);
    }
    out
}

/// The text with these byte ranges overwritten by spaces: every other byte keeps its offset.
///
/// Ranges that are out of bounds or cut a character are ignored.
pub(super) fn blank<'a>(text: &str, spans: impl IntoIterator<Item = &'a Span>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for span in spans {
        if text.get(span.clone()).is_some() {
            bytes[span.clone()].fill(b' ');
        }
    }
    String::from_utf8(bytes).expect("whole characters were overwritten")
}

/// The span widened to whole characters of `question`.
pub(super) fn whole_chars(question: &str, span: Span) -> Span {
    let (mut start, mut end) = (span.start, span.end.min(question.len()));
    while !question.is_char_boundary(start) {
        start -= 1;
    }
    while !question.is_char_boundary(end) {
        end += 1;
    }
    start..end
}
