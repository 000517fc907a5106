//! Fuzzy matching, behind this one module.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

/// A line of a list that matched.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Position in the list.
    pub index: usize,
    /// Byte offsets of the matched characters, rising.
    pub at: Vec<usize>,
}

/// The lines that match every word of `filter`, best first; all of them in their order when it is empty.
pub fn filter<'a>(filter: &str, lines: impl Iterator<Item = &'a str>) -> Vec<Match> {
    let words: Vec<&str> = filter.split_whitespace().collect();
    let matcher = SkimMatcherV2::default().ignore_case();
    let mut scored: Vec<(i64, Match)> = Vec::new();
    'lines: for (index, line) in lines.enumerate() {
        let mut score = 0;
        let mut at = Vec::new();
        for word in &words {
            let Some((points, chars)) = matcher.fuzzy_indices(line, word) else {
                continue 'lines;
            };
            score += points;
            at.extend(chars);
        }
        at.sort_unstable();
        at.dedup();
        scored.push((
            score,
            Match {
                index,
                at: bytes(line, &at),
            },
        ));
    }
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.index.cmp(&b.1.index)));
    scored.into_iter().map(|(_, m)| m).collect()
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
    }

    #[test]
    fn matched_characters_are_byte_offsets() {
        let found = filter("bar", ["é bar"].into_iter());
        assert_eq!(found[0].at, [3, 4, 5]);
    }
}
