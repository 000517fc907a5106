//! Ligatures a font has no character for.
//!
//! Some producers draw "ti" or "ft" as one glyph and do not say what it stands for; it arrives as a
//! NUL: "compensa\0on", "so\0ware". Left alone, every such word is lost to search.

use std::borrow::Cow;

/// What stands before the gap, what after it, and what belongs in it; the first that fits counts.
const TABLE: &str = include_str!("../../../assets/ligatures.tsv");
/// By far the most common.
const USUAL: &str = "ti";
/// A longer run of NULs is a font that maps nothing.
const LONGEST_RUN: usize = 2;

/// Puts letters where NULs stand inside words, as far as that can be told; other NULs stay.
pub fn mend(text: &str) -> Cow<'_, str> {
    if !text.contains('\0') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text;
    while let Some(at) = rest.find('\0') {
        out.push_str(&rest[..at]);
        let run = rest[at..].bytes().take_while(|b| *b == 0).count();
        let after = &rest[at + run..];
        let before_word = out.ends_with(char::is_alphabetic);
        let after_word = after.starts_with(char::is_alphabetic);
        let inside = match run {
            1 => before_word || after_word,
            _ => run <= LONGEST_RUN && before_word && after_word,
        };
        if inside {
            let word = word_before(&out);
            out.push_str(missing(&word, after));
            out.push_str(&USUAL.repeat(run - 1));
        } else {
            out.push_str(&rest[at..at + run]);
        }
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn word_before(text: &str) -> String {
    let start = text
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_alphabetic())
        .last()
        .map_or(text.len(), |(at, _)| at);
    text[start..].to_lowercase()
}

fn missing(before: &str, after: &str) -> &'static str {
    let fits = |line: &'static str| {
        let mut columns = line.split('\t');
        let (left, right, letters) = (columns.next()?, columns.next()?, columns.next()?);
        let start: String = after
            .chars()
            .take(right.len())
            .flat_map(char::to_lowercase)
            .collect();
        // An entry without an end is the whole of one.
        let ends = !right.is_empty() || !after.starts_with(char::is_alphabetic);
        // Short beginnings are whole words' ("a" of "after"), not the last letter of any word.
        let begins = if left.len() < 3 {
            before == left
        } else {
            before.ends_with(left)
        };
        (begins && ends && start == right).then_some(letters)
    };
    TABLE.lines().find_map(fits).unwrap_or(USUAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        let table = [
            (
                "Stock-Based Compensa\0on Plans",
                "Stock-Based Compensation Plans",
            ),
            ("so\0ware, a\0er taxes", "software, after taxes"),
            ("the Commi\0ee's le\0er", "the Committee's letter"),
            ("se\0ng", "setting"),
            ("pla\0orm por\0olio", "platform portfolio"),
            ("Compe\0\0ve \0me", "Competitive time"),
            ("opera\0ng ac\0vi\0es", "operating activities"),
            ("A\0en\0on", "Attention"),
            ("overdra\0 fees", "overdraft fees"),
        ];
        for (text, want) in table {
            assert_eq!(mend(text), want);
        }
    }

    #[test]
    fn fonts_that_map_nothing_stay_as_they_are() {
        for text in ["S\0\0\0\0 P\0\0\0", "\0 ANNUAL REPORT", "no gaps", "1\0 2"] {
            assert_eq!(mend(text), text);
        }
    }
}
