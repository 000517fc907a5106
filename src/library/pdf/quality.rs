//! Can the text of a page be trusted?

use crate::library::PageQuality;

/// Fewer letters and digits than this is a blank page or a picture: a page number, a rule.
const EMPTY_BELOW: usize = 10;
/// So few characters are no basis for a judgement on the rest.
const JUDGE_FROM: usize = 40;
/// With this many letters their frequencies tell language from a shifted alphabet ...
const LETTERS_FROM: usize = 60;
/// ... by the share of the eight most common ones. In English it is near 0.65; the lowest of
/// 52,769 pages of filings, a list of lawsuits, has 0.457.
const COMMON_LETTERS: f32 = 0.4;

/// Judges a page's text: nothing to read, not language (a font with a broken encoding), or fine.
///
/// A NUL is a glyph drawn that has no character.
pub fn judge(text: &str) -> PageQuality {
    let shape = Shape::of(text);
    let unmapped = text.matches('\0').count();
    if unmapped > JUDGE_FROM && unmapped > shape.readable {
        return PageQuality::Garbage;
    }
    if shape.readable < EMPTY_BELOW && shape.strange + shape.symbols < JUDGE_FROM {
        return PageQuality::Empty;
    }
    if shape.visible < JUDGE_FROM {
        return PageQuality::Ok;
    }
    let strange = shape.strange as f32 / shape.visible as f32;
    let symbols = shape.symbols as f32 / shape.visible as f32;
    let common = shape.common_letters as f32 / shape.letters as f32;
    let shifted = shape.letters >= LETTERS_FROM && common < COMMON_LETTERS;
    // A page of numbers has few letters but many digits, and neither symbols nor strange characters.
    if strange > 0.15 || symbols > 0.5 || shifted {
        return PageQuality::Garbage;
    }
    PageQuality::Ok
}

#[derive(Default)]
struct Shape {
    /// Characters that are not white space.
    visible: usize,
    /// Letters and digits.
    readable: usize,
    /// Private use, controls, replacement characters.
    strange: usize,
    /// ASCII punctuation that is no part of numbers or tables' leaders.
    symbols: usize,
    /// ASCII letters ...
    letters: usize,
    /// ... and those of the eight that are most common in English.
    common_letters: usize,
}

impl Shape {
    fn of(text: &str) -> Shape {
        let mut shape = Shape::default();
        for c in text.chars() {
            match c {
                c if c.is_whitespace() || c == '\0' => continue,
                c if c.is_alphanumeric() => shape.readable += 1,
                '\u{e000}'..='\u{f8ff}' | '\u{fffd}' => shape.strange += 1,
                c if c.is_control() => shape.strange += 1,
                '$' | '%' | '.' | ',' | '(' | ')' | '-' | '_' | '*' => {}
                c if c.is_ascii_punctuation() => shape.symbols += 1,
                _ => {}
            }
            shape.visible += 1;
            shape.letters += usize::from(c.is_ascii_alphabetic());
            shape.common_letters += usize::from("etaoinsrETAOINSR".contains(c));
        }
        shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_numbers_are_fine() {
        let row = "$ 3,642 (2,980) 16.4% 1,330 — — 0.309 *\n";
        assert_eq!(judge(&row.repeat(30)), PageQuality::Ok);
    }

    #[test]
    fn blank_pages_are_empty() {
        assert_eq!(judge(""), PageQuality::Empty);
        assert_eq!(judge("\n 27 \n"), PageQuality::Empty);
        assert_eq!(judge("____________________"), PageQuality::Empty);
        assert_eq!(judge("PART II FINANCIAL"), PageQuality::Ok);
    }

    #[test]
    fn broken_fonts_are_garbage() {
        // Glyph numbers for characters; a shifted alphabet; private use; nothing mapped at all.
        assert_eq!(
            judge(&"!\"#$ %&'( )*+ ,-./ :;<= >?@[ ".repeat(20)),
            PageQuality::Garbage
        );
        assert_eq!(
            judge(&"QHW VDOHV LQFUHDVHG WKDQ WKH SULRU ".repeat(10)),
            PageQuality::Garbage
        );
        assert_eq!(
            judge(&"\u{e012}\u{e013}\u{e014} ".repeat(40)),
            PageQuality::Garbage
        );
        assert_eq!(judge(&"\0".repeat(900)), PageQuality::Garbage);
    }
}
