//! Fuzzy matching, behind this one module.

use std::ops::Range;

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

use super::text;

/// A line of a list that matched.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Position in the list.
    pub index: usize,
    /// Byte offsets of the matched characters, rising.
    pub at: Vec<usize>,
}

/// The lines that match every word of `filter`, best first; all of them in their order when it is empty.
/// A line matches where it holds the words as they are; where none does, where it holds their letters in
/// their order.
pub fn filter<'a>(filter: &str, lines: impl Iterator<Item = &'a str>) -> Vec<Match> {
    let words: Vec<&str> = filter.split_whitespace().collect();
    let lines: Vec<&str> = lines.collect();
    let mut scored = scored(&lines, |line| as_written(line, &words));
    if scored.is_empty() {
        let matcher = SkimMatcherV2::default().ignore_case();
        scored = self::scored(&lines, |line| by_letters(&matcher, line, &words));
    }
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.index.cmp(&b.1.index)));
    scored.into_iter().map(|(_, m)| m).collect()
}

/// The lines that match, with their points.
fn scored(
    lines: &[&str],
    matches: impl Fn(&str) -> Option<(i64, Vec<usize>)>,
) -> Vec<(i64, Match)> {
    let one = |(index, line): (usize, &&str)| {
        let (points, mut at) = matches(line)?;
        at.sort_unstable();
        at.dedup();
        Some((points, Match { index, at }))
    };
    lines.iter().enumerate().filter_map(one).collect()
}

/// Every word as it is written, in any case: a whole word is best, then the start of one.
fn as_written(line: &str, words: &[&str]) -> Option<(i64, Vec<usize>)> {
    let (mut points, mut at) = (0, Vec::new());
    for word in words {
        let found = text::find_all(line, word);
        let value = |r: &Range<usize>| {
            // A number starts and ends at a letter, too: the year of `FY2018` and `2018Q2`.
            let number = line[r.clone()].ends_with(|c: char| c.is_ascii_digit());
            let joins = |c: char| match number {
                true => c.is_numeric(),
                false => c.is_alphanumeric(),
            };
            let starts = !line[..r.start].ends_with(joins);
            let ends = !line[r.end..].starts_with(joins);
            i64::from(starts) * 2 + i64::from(starts && ends)
        };
        points += found.iter().map(value).max()?;
        for range in found {
            let start = range.start;
            at.extend(line[range].char_indices().map(|(ix, _)| start + ix));
        }
    }
    Some((points, at))
}

/// The letters of every word in their order, with others between them: no more than twice as many.
fn by_letters(matcher: &SkimMatcherV2, line: &str, words: &[&str]) -> Option<(i64, Vec<usize>)> {
    let (mut points, mut at) = (0, Vec::new());
    for word in words {
        let (value, chars) = matcher.fuzzy_indices(line, word)?;
        let (first, last) = (chars.first()?, chars.last()?);
        if last - first >= 3 * chars.len() {
            return None;
        }
        points += value;
        at.extend(bytes(line, &chars));
    }
    Some((points, at))
}

/// Character positions to byte offsets.
fn bytes(line: &str, chars: &[usize]) -> Vec<usize> {
    let mut wanted = chars.iter().peekable();
    line.char_indices()
        .enumerate()
        .filter(|(n, _)| wanted.next_if_eq(&n).is_some())
        .map(|(_, (at, _))| at)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_must_match_and_the_best_comes_first() {
        let lines = [
            "3M 10-K FY2018",
            "3M 10-K FY2019",
            "Best Buy 10-Q 2023 Q2",
            "Coca-Cola 10-K FY2018",
        ];
        let found = |text: &str| -> Vec<usize> {
            filter(text, lines.iter().copied())
                .iter()
                .map(|m| m.index)
                .collect()
        };
        assert_eq!(found(""), [0, 1, 2, 3]);
        assert_eq!(found("3m 2018"), [0]);
        assert_eq!(found("2018 coca"), [3]);
        assert_eq!(found("bby q2"), [2]);
        assert!(found("zzz").is_empty());
        // Letters from one end of the line to the other say nothing.
        assert!(found("cfy").is_empty());
    }

    #[test]
    fn a_word_that_is_there_hides_what_only_has_its_letters() {
        let lines = [
            "could a capital-light plan pay?",
            "a rapid rise of profit and sales",
            "Capital expenditure of 3M",
            "a cap it always had",
            "undercapitalised?",
        ];
        let found = |text: &str| -> Vec<usize> {
            filter(text, lines.iter().copied())
                .iter()
                .map(|m| m.index)
                .collect()
        };
        // Whole words, then parts of words; letters with others between them not at all.
        assert_eq!(found("capital"), [0, 2, 4]);
        assert_eq!(found("capital 3m"), [2]);
        // No line holds it: then letters will do.
        assert_eq!(found("cptl").len(), 4);
    }

    #[test]
    fn matched_characters_are_byte_offsets() {
        let found = filter("bar", ["é bar"].into_iter());
        assert_eq!(found[0].at, [3, 4, 5]);
    }
}
