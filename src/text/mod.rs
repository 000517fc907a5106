//! The one analyzer: pages, questions, tables and highlights all go through [`scan`].
//!
//! What it decides, for filings:
//!
//! | text | terms | why |
//! |---|---|---|
//! | `10-K`, `10K`, `8-K/A` | `10k`, `8k` + `a` | a form is one word |
//! | `$1,234.5`, `(4,625)`, `3,130` | `1234.5`, `4625`, `3130` | a figure is one word, however it is grouped |
//! | `R&D`, `R & D`, `PP&E` | `r&d`, `pp&e` | short forms keep their ampersand |
//! | `non-GAAP`, `non GAAP` | `nongaap` | the opposite of `gaap`, not a kind of it |
//! | `U.S.`, `US` | `u.s` | not the pronoun |
//! | `U.K.`, `N.V.` | `uk`, `nv` | dotted letters are one word |
//! | `long-term`, `long term` | `long`, `term` | hyphens divide |
//! | `Moody’s`, `don't` | `moodi`, `dont` | possessives go, apostrophes close up |
//! | `Nestlé`, `ﬁnancial` | `nestl`, `financi` | accents and ligatures fold |
//! | `approximately3,130` | `approxim`, `3130` | glued words part |
//! | `3M`, `2nd` | `3m`, `2nd` | a number with one or two letters is one word |
//!
//! Words are stemmed by the Snowball English stemmer (Porter 2), forms it cannot join after
//! `assets/word_forms.tsv`: `paid` is `pay`.

pub mod months;
mod stem;

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

pub use stem::{Stems, with_stems};

/// Changes with every change of what [`scan`] yields: an index made with another is rebuilt.
pub const ANALYZER_VERSION: u32 = 2;

/// A term and where it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The stemmed term.
    pub term: String,
    /// Bytes of the text it was read from.
    pub span: Range<usize>,
}

/// The terms of `text`, with their spans. Convenient; [`scan`] is the fast way.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    with_stems(|stems| {
        scan(text, |raw, span| {
            out.push(Token {
                term: stems.stem(raw).to_string(),
                span,
            })
        })
    });
    out
}

/// Where `what` first stands in these bytes.
pub fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, what)
}

/// Where `what` last stands in these bytes.
pub fn rfind(bytes: &[u8], what: &[u8]) -> Option<usize> {
    memchr::memmem::rfind(bytes, what)
}

/// The terms of `text` alone.
pub fn terms(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(|token| token.term).collect()
}

/// True for a year in figures of the last century or this one: "2019".
pub fn is_year(word: &str) -> bool {
    let digits = word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit());
    digits && matches!(&word[..2], "19" | "20")
}

/// Page text as it is stored and indexed: ligatures expanded, every kind of line end a newline, every
/// kind of space a space, soft hyphens, zero-width characters and control characters but the newline dropped.
pub fn normalise(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            'ﬀ' => out.push_str("ff"),
            'ﬁ' => out.push_str("fi"),
            'ﬂ' => out.push_str("fl"),
            'ﬃ' => out.push_str("ffi"),
            'ﬄ' => out.push_str("ffl"),
            'ﬅ' | 'ﬆ' => out.push_str("st"),
            '\n' | '\u{2028}' | '\u{2029}' | '\u{b}' | '\u{c}' => out.push('\n'),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => out.push('\n'),
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => {}
            c if c.is_whitespace() => out.push(' '),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// Calls `f` with the raw form (lower case, folded, not yet stemmed) and the byte span of each token, in order.
pub fn scan(text: &str, mut f: impl FnMut(&str, Range<usize>)) {
    let bytes = text.as_bytes();
    let mut raw = String::new();
    let mut at = 0;
    while at < bytes.len() {
        let b = bytes[at];
        let end = if b.is_ascii_digit() {
            number(bytes, at, &mut raw)
        } else if b.is_ascii_alphabetic() || b >= 0x80 {
            word(text, at, &mut raw)
        } else {
            at += 1;
            continue;
        };
        if !raw.is_empty() {
            f(&raw, at..end);
        }
        at = end;
    }
}

/// A token that starts with a digit at `at`; returns its end.
fn number(bytes: &[u8], at: usize, raw: &mut String) -> usize {
    raw.clear();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let letter = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_alphabetic);
    let mut i = at;
    while digit(i) {
        raw.push(bytes[i] as char);
        i += 1;
        if matches!(bytes.get(i), Some(b',' | b'.')) && digit(i + 1) {
            if bytes[i] == b'.' {
                raw.push('.');
            }
            i += 1;
        }
    }
    let integer = i - at == raw.len() && !raw.contains('.');
    // 10-K, 8-K, 20-F
    if integer
        && raw.len() <= 2
        && bytes.get(i) == Some(&b'-')
        && matches!(
            bytes.get(i + 1),
            Some(b'K' | b'k' | b'Q' | b'q' | b'F' | b'f')
        )
        && !letter(i + 2)
        && !digit(i + 2)
    {
        raw.push(bytes[i + 1].to_ascii_lowercase() as char);
        return i + 2;
    }
    // 3M, 10K, 2nd
    let letters = (i..).take_while(|&j| letter(j)).count();
    if integer && (1..=2).contains(&letters) && !digit(i + letters) {
        raw.extend(
            bytes[i..i + letters]
                .iter()
                .map(|b| b.to_ascii_lowercase() as char),
        );
        return i + letters;
    }
    i
}

/// A token that starts with a letter (or any non-ASCII character) at `at`; returns its end.
/// `raw` stays empty for a symbol or a stray mark.
fn word(text: &str, at: usize, raw: &mut String) -> usize {
    raw.clear();
    let bytes = text.as_bytes();
    let mut end = letters(text, at, raw);
    if raw.is_empty() {
        return end;
    }
    // U.S., U.K., e.g.
    if end - at == 1 && bytes.get(end) == Some(&b'.') {
        let mut last = end;
        while bytes.get(last) == Some(&b'.')
            && bytes.get(last + 1).is_some_and(u8::is_ascii_alphabetic)
            && !bytes
                .get(last + 2)
                .is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80)
        {
            raw.push(bytes[last + 1].to_ascii_lowercase() as char);
            last += 2;
        }
        if raw.len() > 1 {
            if raw == "us" {
                *raw = "u.s".to_string();
            }
            return last + (bytes.get(last) == Some(&b'.')) as usize;
        }
    }
    if &text[at..end] == "US" {
        *raw = "u.s".to_string();
        return end;
    }
    // R&D, PP&E, R & D
    if end - at <= 4
        && let Some(right) = ampersand(bytes, at, end)
    {
        raw.push('&');
        raw.extend(
            bytes[right.clone()]
                .iter()
                .map(|b| b.to_ascii_lowercase() as char),
        );
        return right.end;
    }
    // don't -> dont, Moody's -> moody
    if let Some(mark) = apostrophe(bytes, end) {
        let len = raw.len();
        end = letters(text, end + mark, raw);
        if &raw[len..] == "s" {
            raw.truncate(len);
        }
    }
    // non-GAAP
    if raw == "non" {
        let gap = match bytes.get(end) {
            Some(b'-' | b' ') => 1,
            Some(0xE2) if text[end..].starts_with(['–', '‑', '‐']) => 3,
            _ => 0,
        };
        let from = end + gap;
        if gap > 0
            && bytes
                .get(from..from + 4)
                .is_some_and(|w| w.eq_ignore_ascii_case(b"gaap"))
            && !bytes.get(from + 4).is_some_and(u8::is_ascii_alphabetic)
        {
            raw.push_str("gaap");
            return from + 4;
        }
    }
    end
}

/// Appends the run of letters at `at`, lower-cased and folded; returns its end, past at least one character.
fn letters(text: &str, at: usize, raw: &mut String) -> usize {
    let bytes = text.as_bytes();
    let mut i = at;
    while i < bytes.len() {
        let b = bytes[i];
        if b.is_ascii_alphabetic() {
            raw.push(b.to_ascii_lowercase() as char);
            i += 1;
        } else if b >= 0x80 {
            let c = text[i..].chars().next().expect("on a boundary");
            if c.is_alphabetic() {
                let folded = std::iter::once(c).nfkd().filter(|c| !is_combining_mark(*c));
                raw.extend(folded.flat_map(char::to_lowercase));
            } else if !is_combining_mark(c) {
                return if i == at { i + c.len_utf8() } else { i };
            }
            i += c.len_utf8();
        } else {
            break;
        }
    }
    i
}

/// The letters after an ampersand that joins a short form ending at `end`.
fn ampersand(bytes: &[u8], at: usize, end: usize) -> Option<Range<usize>> {
    let left = &bytes[at..end];
    if !left.iter().all(u8::is_ascii_alphabetic) {
        return None;
    }
    let spaced = bytes.get(end) == Some(&b' ');
    let mark = end + spaced as usize;
    if bytes.get(mark) != Some(&b'&') {
        return None;
    }
    let from = mark + 1 + (bytes.get(mark + 1) == Some(&b' ')) as usize;
    let to = from
        + bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_alphabetic())
            .count();
    let right = &bytes[from..to];
    if right.is_empty() || right.len() > 3 {
        return None;
    }
    // With spaces, or with longer sides, only capitals make a short form: "oil & gas" is two words.
    let loose = spaced || from > mark + 1 || left.len() > 2 || right.len() > 1;
    let capitals = left.iter().chain(right).all(u8::is_ascii_uppercase);
    (!loose || capitals).then_some(from..to)
}

/// Length in bytes of an apostrophe at `at` that a letter follows.
fn apostrophe(bytes: &[u8], at: usize) -> Option<usize> {
    let len = match bytes.get(at)? {
        b'\'' => 1,
        0xE2 if bytes.get(at + 1..at + 3) == Some(&[0x80, 0x99]) => 3,
        _ => return None,
    };
    bytes.get(at + len).filter(|b| b.is_ascii_alphabetic())?;
    Some(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filings_words() {
        let cases: &[(&str, &[&str])] = &[
            ("Form 10-K for 2018", &["form", "10k", "for", "2018"]),
            ("10K 10-Q 8-K/A 20-F", &["10k", "10q", "8k", "a", "20f"]),
            ("10-Kids", &["10", "kid"]),
            ("$1,234.5 million", &["1234.5", "million"]),
            ("(4,625)", &["4625"]),
            ("1.500% Notes due 2026.", &["1.500", "note", "due", "2026"]),
            ("R&D R & D r&d", &["r&d", "r&d", "r&d"]),
            ("PP&E, SG&A, S&P, AT&T", &["pp&e", "sg&a", "s&p", "at&t"]),
            ("oil & gas", &["oil", "gas"]),
            ("Johnson & Johnson", &["johnson", "johnson"]),
            ("J&J PG&E", &["j&j", "pg&e"]),
            (
                "non-GAAP non GAAP non–GAAP non-cash",
                &["nongaap", "nongaap", "nongaap", "non", "cash"],
            ),
            ("in the U.S. and U.K.", &["in", "the", "u.s", "and", "uk"]),
            ("US sales; tell us", &["u.s", "sale", "tell", "us"]),
            ("i.e. Inc. A. B", &["ie", "inc", "a", "b"]),
            ("long-term debt", &["long", "term", "debt"]),
            (
                "Moody’s Moody's don't companies'",
                &["moodi", "moodi", "dont", "compani"],
            ),
            ("Nestlé ﬁnancial naïve", &["nestl", "financi", "naiv"]),
            ("approximately3,130 shares", &["approxim", "3130", "share"]),
            (
                "3M 2nd 12months Q2",
                &["3m", "2nd", "12", "month", "q", "2"],
            ),
            ("COVID-19 中文 🙂 ☒", &["covid", "19", "中文"]),
            ("1,2,3 1.2.3", &["123", "1.2.3"]),
            ("", &[]),
            ("- . ' & '", &[]),
        ];
        for (text, want) in cases {
            assert_eq!(terms(text), *want, "{text:?}");
        }
    }

    #[test]
    fn spans_are_where_the_words_stand() {
        let text = "The U.S. “Company’s” R & D, 1,234.5é";
        let found: Vec<&str> = tokens(text).iter().map(|t| &text[t.span.clone()]).collect();
        assert_eq!(found, ["The", "U.S.", "Company’s", "R & D", "1,234.5", "é"]);
    }

    #[test]
    fn normalising_is_for_storage() {
        assert_eq!(normalise("ﬁ\u{a0}x\u{ad}y\r\nz\u{200b}\t!"), "fi xy\nz !");
        assert_eq!(normalise("sales\rrose\r\r\n"), "sales\nrose\n\n");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_scanned_in_order(text in "\\PC{0,80}|[a-zA-Z0-9&.,' ’\\-éﬁUS\u{301}]{0,60}") {
            let mut last = 0;
            for token in tokens(&text) {
                assert!(token.span.start >= last && token.span.end <= text.len());
                assert!(!token.term.is_empty() && !token.span.is_empty());
                assert!(text.get(token.span.clone()).is_some());
                last = token.span.end;
            }
        }
    }
}
