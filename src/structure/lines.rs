//! Looking at text line by line.

use std::ops::Range;

/// The lines of `text` with their byte ranges, without line ends.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut at = 0;
    text.split('\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        (start..start + line.len(), line)
    })
}

/// Letters and digits of `text` alone, lower case: mends "Busines s" and "I tem".
pub(super) fn letters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if c == '&' {
            out.push_str("and");
        } else if !c.is_ascii() && c.is_alphabetic() {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// True for a character that may stand between the number of an Item and its title.
pub(super) fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '.' | ':' | ';' | ',' | '-' | '–' | '—' | '―' | '|' | '·' | '•' | '*' | '_' | '\u{ad}'
        )
}
