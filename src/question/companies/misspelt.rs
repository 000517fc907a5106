//! Names written wrong: one slip is read as the name that is meant, two are asked about.
//!
//! A word counts as a slip only where it is no ordinary word ("energy" is not Entergy, nor "general" Generac), begins
//! as the name does or sounds like it, and where the name is long enough for chance to be no likely cause. Ordinary
//! words are a name typed apart where each has a capital ("Wall Mart").

use std::collections::BTreeSet;

use super::super::{CompanyMention, Span};
use super::{CompanyNames, Found, Kind, LongName, Word, joins, split};

/// Shorter names and words are never near to anything.
const SHORTEST: usize = 4;
/// Names and words of so many letters are read from one slip, and asked about at two.
const LONG: usize = 6;
/// Names of several words with so many letters are read from two slips.
const LONGER: usize = 10;
/// At most so many words of a question are one name.
const MOST_WORDS: usize = 4;

/// Words of a question that are a name of the library written wrong.
struct Slip {
    span: Span,
    /// Position of the first word, and of the word after the last.
    words: std::ops::Range<usize>,
    /// How many letters are wrong, missing, added or swapped; 0 for a name typed as several words.
    distance: usize,
    /// Whether name and words are long.
    long: bool,
    /// Positions in the catalog.
    companies: BTreeSet<usize>,
}

impl Slip {
    /// One slip in a long name, or two in one of several words that is longer still: "Ultta Beuty".
    fn is_sure(&self, question: &str) -> bool {
        let letters = question[self.span.clone()].chars();
        let two =
            || self.words.len() > 1 && letters.filter(|c| c.is_alphabetic()).count() >= LONGER;
        self.long && (self.distance <= 1 || self.distance == 2 && two())
    }
}

impl CompanyNames {
    /// Names with one letter wrong, missing, added or swapped ("Microsfot", "Lockhead Martin"), that sound the same
    /// ("Costko") or are typed as several words ("Net flix"): long words that are near to the names of one company only.
    pub(super) fn misspelt(
        &self,
        question: &str,
        is_word: &dyn Fn(&str) -> bool,
    ) -> Vec<CompanyMention> {
        let words = split(question);
        self.slips(question, &words, is_word)
            .into_iter()
            .filter(|slip| slip.is_sure(question) && slip.companies.len() == 1)
            .filter_map(|slip| {
                Some(CompanyMention {
                    company: self.catalog[*slip.companies.first()?].clone(),
                    span: slip.span,
                    or: Vec::new(),
                    brand: false,
                    misspelt: true,
                })
            })
            .collect()
    }

    /// Where the whole of a name lies of which a part was found, the other words of it written wrong: "kraft hienz".
    pub(super) fn with_slips(
        &self,
        question: &str,
        words: &[Word],
        found: &Found,
        is_word: &dyn Fn(&str) -> bool,
    ) -> Option<Span> {
        let part = &found.name.words;
        let first = found.next - part.len();
        let slipped = |word: &str, name: &str| {
            !is_word(word)
                && word.chars().all(char::is_alphabetic)
                && distance(word, name).is_some()
        };
        let longer = self.by_first.values().flatten().filter(|name| {
            name.kind == Kind::Name
                && name.words.len() > part.len()
                && name.companies == found.name.companies
        });
        let placed = longer.flat_map(|name| {
            let places = name.words.windows(part.len()).enumerate();
            let places = places.filter(|(_, here)| here == part);
            places.map(move |(before, _)| (name, before))
        });
        placed
            .filter_map(|(name, before)| {
                let start = first.checked_sub(before)?;
                let here = words.get(start..start + name.words.len())?;
                let joined = here.windows(2).all(|pair| {
                    let between = &question[pair[0].span.end..pair[1].span.start];
                    joins(between, &pair[0].lower)
                });
                let same = here.iter().zip(&name.words).all(|(word, expected)| {
                    word.lower == *expected || slipped(&word.lower, expected)
                });
                (joined && same).then(|| here[0].span.start..here[here.len() - 1].span.end)
            })
            .max_by_key(|span| (span.len(), std::cmp::Reverse(span.start)))
    }

    /// The companies that words outside `read` may mean, each with the words' bytes.
    pub(in super::super) fn near(
        &self,
        question: &str,
        read: &[&Span],
        is_word: &dyn Fn(&str) -> bool,
    ) -> Vec<(Span, Vec<&str>)> {
        let mut taken = vec![false; question.len()];
        for &span in read {
            taken[span.clone()].fill(true);
        }
        let mut words = split(question);
        words.retain(|word| !taken[word.span.clone()].contains(&true));
        let slips = self.slips(question, &words, is_word).into_iter();
        slips
            .map(|slip| {
                let companies = slip.companies.iter();
                let names = companies.map(|&company| self.catalog[company].as_str());
                (slip.span, names.collect())
            })
            .collect()
    }

    /// Every slip, in order; of those that overlap the sure one, then the nearest, then the longest.
    fn slips(&self, question: &str, words: &[Word], is_word: &dyn Fn(&str) -> bool) -> Vec<Slip> {
        let strange: Vec<bool> = words
            .iter()
            .map(|word| word.lower.chars().all(char::is_alphabetic) && !is_word(&word.lower))
            .collect();
        let shouted = !question.chars().any(char::is_lowercase);
        let capital = |word: &Word| {
            !shouted
                && (is_and(word) || question[word.span.clone()].starts_with(char::is_uppercase))
        };
        let mut slips: Vec<Slip> = Vec::new();
        for start in 0..words.len() {
            let mut glued = String::new();
            for end in start..words.len().min(start + MOST_WORDS) {
                let word = &words[end];
                let joined = end == start
                    || joins(
                        &question[words[end - 1].span.end..word.span.start],
                        &words[end - 1].lower,
                    );
                if !joined {
                    break;
                }
                if is_and(word) {
                    if end == start {
                        break;
                    }
                    continue;
                }
                glued.push_str(&word.lower);
                let apart = end > start && words[start..=end].iter().all(capital);
                if strange[start..=end].contains(&true) || apart && !self.is_trap(words, start) {
                    let span = words[start].span.start..word.span.end;
                    slips.extend(self.nearest(&glued, span, start..end + 1));
                }
            }
        }
        slips.sort_by_key(|slip| {
            let more = std::cmp::Reverse(slip.words.len());
            (!slip.is_sure(question), slip.distance, more)
        });
        let mut kept: Vec<Slip> = Vec::new();
        for slip in slips {
            let apart = |other: &Slip| {
                other.words.end <= slip.words.start || slip.words.end <= other.words.start
            };
            if kept.iter().all(apart) {
                kept.push(slip);
            }
        }
        kept.sort_by_key(|slip| slip.span.start);
        kept
    }

    /// True where a phrase begins that is known to be no company: "sales force".
    fn is_trap(&self, words: &[Word], start: usize) -> bool {
        let traps = self.by_first.get(&words[start].lower).into_iter().flatten();
        traps.filter(|name| !name.kind.is_company()).any(|trap| {
            let here = words[start..].iter().map(|word| &word.lower);
            here.take(trap.words.len()).eq(&trap.words)
        })
    }

    /// The companies whose names are nearest to a word.
    fn nearest(&self, word: &str, span: Span, words: std::ops::Range<usize>) -> Option<Slip> {
        let mut best: Option<Slip> = None;
        let sound = sound(word);
        for LongName {
            word: name,
            sound: as_heard,
            company,
        } in &self.long_names
        {
            let distance = match words.len() > 1 && word == name && name.len() >= SHORTEST {
                true => 0,
                false => match distance(word, name) {
                    Some(distance) => distance,
                    None if word != name && sound == *as_heard && sound.len() >= SHORTEST => 1,
                    None => continue,
                },
            };
            let long = word.len() >= LONG && name.len() >= LONG;
            match &mut best {
                Some(slip) if slip.distance < distance => {}
                Some(slip) if slip.distance == distance => {
                    slip.companies.insert(*company);
                    slip.long &= long;
                }
                _ => {
                    best = Some(Slip {
                        span: span.clone(),
                        words: words.clone(),
                        distance,
                        long,
                        companies: BTreeSet::from([*company]),
                    });
                }
            }
        }
        best
    }
}

/// A word as it is heard, near enough: "costko" is "costco", "nyke" "nike", "netflicks" "netflix".
pub(super) fn sound(word: &str) -> String {
    let word = match word.strip_prefix("pf") {
        Some(rest) => format!("f{rest}"),
        None => word.to_string(),
    };
    let mut heard = word
        .replace("ph", "f")
        .replace("ck", "k")
        .replace('x', "ks")
        .replace('z', "s")
        .replace('y', "i")
        .replace('q', "k");
    for soft in ["ce", "ci"] {
        heard = heard.replace(soft, &soft.replace('c', "s"));
    }
    let mut letters: Vec<char> = heard.replace('c', "k").chars().collect();
    letters.dedup();
    letters.into_iter().collect()
}

fn is_and(word: &Word) -> bool {
    matches!(word.lower.as_str(), "&" | "and")
}

/// How many slips lie between a word and a name; `None` where they are too far apart, or the same.
fn distance(word: &str, name: &str) -> Option<usize> {
    let most = if name.len() < LONG { 1 } else { 2 };
    if word.len().min(name.len()) < SHORTEST
        || word.len().abs_diff(name.len()) > most
        || word.chars().next() != name.chars().next()
    {
        return None;
    }
    let distance = strsim::osa_distance(word, name);
    // Letters replaced make other words of short ones: "boxing" is not Boeing, nor "nice" Nike.
    let replaced = || strsim::hamming(word, name) == Ok(distance);
    let near = (1..=most).contains(&distance) && !(name.len() <= LONG && replaced());
    near.then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sounds_the_same_is_told() {
        for (typed, name, same) in [
            ("costko", "costco", true),
            ("netflicks", "netflix", true),
            ("fizer", "pfizer", true),
            ("phizer", "pfizer", true),
            ("nyke", "nike", true),
            ("aplle", "apple", true),
            ("kokakola", "cocacola", true),
            ("cisco", "costco", false),
            ("chase", "case", false),
            ("nice", "nike", false),
            ("boxing", "boeing", false),
            ("", "nike", false),
        ] {
            assert_eq!(sound(typed) == sound(name), same, "{typed} {name}");
        }
    }

    #[test]
    fn slips_are_counted_and_chance_is_none() {
        for (word, name, slips) in [
            ("micorsoft", "microsoft", Some(1)),
            ("bording", "boeing", Some(2)),
            ("nkie", "nike", Some(1)),
            ("aple", "apple", Some(1)),
            ("jonsonjohnson", "johnsonjohnson", Some(1)),
            // The name itself, another first letter, another word, too short, too far.
            ("boeing", "boeing", None),
            ("morning", "corning", None),
            ("boxing", "boeing", None),
            ("nice", "nike", None),
            ("nke", "nike", None),
            ("netfilx", "nike", None),
            ("biking", "boeing", None),
        ] {
            assert_eq!(distance(word, name), slips, "{word} {name}");
        }
    }
}
