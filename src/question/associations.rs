//! Words and the topics they speak of: how a topic is read from a question that uses none of its triggers.
//!
//! `assets/associations.tsv` says of some thousand words on which topics' pages they stand, learned from a library of
//! filings by [`learn`] (`make associations`): a page speaks of a topic as far as it holds the topic's phrases, and a
//! word goes with a topic as far as the pages that hold the word speak of it more than others do. A question goes with
//! the topics that its words, rare ones above all, go with. Only words that several companies use are kept, so that
//! the table says nothing of a single company.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use super::Tables;
use crate::text::{Stems, scan, terms, with_stems};

/// How many topics a word keeps.
const TOPICS_OF_A_WORD: usize = 6;
/// How many topics a question is near to.
const NEAREST: usize = 10;
/// A word on fewer pages, or used by fewer companies, is left out.
const FEWEST_PAGES: usize = 80;
const FEWEST_COMPANIES: usize = 5;
/// Counts against words on few pages: strength grows as pages / (pages + this).
const SHRINK: f64 = 20.0;
/// Strengths are written in tenths.
const SCALE: f64 = 10.0;

/// The table, ready to be looked up.
#[derive(Debug, Default)]
pub(super) struct Associations {
    topics: Vec<String>,
    /// By stem: position of the topic, strength in tenths.
    words: HashMap<String, Vec<(u8, u8)>>,
}

impl Associations {
    /// Reads the table: a line of topics, then a line a word, `stem<TAB>topic:tenths ...`, topics by position.
    /// Topics that the tables lack are left out.
    pub(super) fn parse(text: &str, known: impl Fn(&str) -> bool) -> Result<Associations, String> {
        let mut lines = text.lines().enumerate();
        let (_, head) = lines.next().ok_or("empty")?;
        let topics: Vec<String> = head.split('\t').map(String::from).collect();
        let mut words = HashMap::new();
        for (n, line) in lines {
            let bad = || format!("line {}: not `stem<TAB>topic:tenths ...`", n + 1);
            let (stem, list) = line.split_once('\t').ok_or_else(bad)?;
            let mut pairs = Vec::new();
            for pair in list.split(' ') {
                let (topic, tenths) = pair.split_once(':').ok_or_else(bad)?;
                let topic: u8 = topic.parse().map_err(|_| bad())?;
                let tenths: u8 = tenths.parse().map_err(|_| bad())?;
                if known(topics.get(topic as usize).ok_or_else(bad)?) {
                    pairs.push((topic, tenths));
                }
            }
            words.insert(stem.to_string(), pairs);
        }
        Ok(Associations { topics, words })
    }

    /// True for a word that several companies use.
    pub(super) fn knows(&self, stem: &str) -> bool {
        self.words.contains_key(stem)
    }

    /// The topics nearest to a question's text, nearest first, with their strengths.
    pub(super) fn nearest(&self, tables: &Tables, text: &str) -> Vec<(String, f64)> {
        let mut strength = vec![0u32; self.topics.len()];
        for stem in content_stems(tables, text) {
            for &(topic, tenths) in self.words.get(&stem).into_iter().flatten() {
                strength[topic as usize] += u32::from(tenths);
            }
        }
        let mut order: Vec<usize> = (0..strength.len())
            .filter(|&topic| strength[topic] > 0)
            .collect();
        order.sort_by_key(|&topic| (std::cmp::Reverse(strength[topic]), topic));
        order.truncate(NEAREST);
        order
            .into_iter()
            .map(|topic| {
                (
                    self.topics[topic].clone(),
                    f64::from(strength[topic]) / SCALE,
                )
            })
            .collect()
    }
}

/// Words that topics are known by: neither stop words nor numbers nor single letters.
fn is_content(tables: &Tables, raw: &str) -> bool {
    let word = raw.len() > 1 && !raw.starts_with(|c: char| c.is_ascii_digit());
    word && !tables.is_stop_word(raw)
}

/// The stems of a text's words that are content, each once.
fn content_stems(tables: &Tables, text: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    with_stems(|stems| {
        scan(text, |raw, _| {
            if is_content(tables, raw) {
                out.insert(stems.stem(raw).to_string());
            }
        })
    });
    out
}

/// Learns the table from pages (company, text) and returns it as the file's text, sorted, the same for the same pages.
pub fn learn<'a>(tables: &Tables, pages: impl Iterator<Item = (&'a str, String)>) -> String {
    let phrases = PhraseBook::new(tables);
    let topics = tables.topics.len();
    let mut words: HashMap<String, u32> = HashMap::new();
    let mut companies_of: Vec<HashSet<&'a str>> = Vec::new();
    let mut pages_of: Vec<Vec<u32>> = Vec::new();
    let mut found: Vec<Vec<u32>> = Vec::new();
    let mut stems = Stems::default();
    for (page, (company, text)) in pages.enumerate() {
        let mut sequence: Vec<u32> = Vec::new();
        let mut content: BTreeSet<u32> = BTreeSet::new();
        scan(&text, |raw, _| {
            let stem = stems.stem(raw);
            let next = words.len() as u32;
            let id = match words.get(stem) {
                Some(&id) => id,
                None => {
                    words.insert(stem.to_string(), next);
                    companies_of.push(HashSet::new());
                    pages_of.push(Vec::new());
                    next
                }
            };
            sequence.push(id);
            if is_content(tables, raw) {
                content.insert(id);
            }
        });
        for id in content {
            pages_of[id as usize].push(page as u32);
            companies_of[id as usize].insert(company);
        }
        found.push(phrases.in_page(&words, &sequence));
    }
    let count = found.len();
    let spoken = z_scores(&phrases, &found, topics);

    let mut rows: Vec<(&String, String)> = Vec::new();
    for (stem, &id) in &words {
        let on = &pages_of[id as usize];
        if on.len() < FEWEST_PAGES || companies_of[id as usize].len() < FEWEST_COMPANIES {
            continue;
        }
        let df = on.len() as f64;
        let factor = (count as f64 / df).ln() * df / (df + SHRINK);
        let mut strengths: Vec<(usize, u8)> = (0..topics)
            .map(|topic| {
                let sum: f64 = on
                    .iter()
                    .map(|&page| f64::from(spoken[page as usize * topics + topic]))
                    .sum();
                let tenths = (SCALE * factor * sum / df).round();
                (topic, tenths.clamp(0.0, 255.0) as u8)
            })
            .filter(|(_, tenths)| *tenths > 0)
            .collect();
        strengths.sort_by_key(|&(topic, tenths)| (std::cmp::Reverse(tenths), topic));
        strengths.truncate(TOPICS_OF_A_WORD);
        if strengths.is_empty() {
            continue;
        }
        let mut row = String::new();
        for (topic, tenths) in strengths {
            let _ = write!(
                row,
                "{}{topic}:{tenths}",
                if row.is_empty() { "" } else { " " }
            );
        }
        rows.push((stem, row));
    }
    rows.sort();
    let ids: Vec<&str> = tables
        .topics
        .iter()
        .map(|topic| topic.id.as_str())
        .collect();
    let mut out = ids.join("\t");
    for (stem, row) in rows {
        let _ = write!(out, "\n{stem}\t{row}");
    }
    out.push('\n');
    out
}

/// The topics' phrases as sequences of stems.
struct PhraseBook {
    phrases: Vec<Vec<String>>,
    by_first: HashMap<String, Vec<u32>>,
    of_topic: Vec<Vec<u32>>,
}

impl PhraseBook {
    fn new(tables: &Tables) -> PhraseBook {
        let mut book = PhraseBook {
            phrases: Vec::new(),
            by_first: HashMap::new(),
            of_topic: Vec::new(),
        };
        let mut ids: HashMap<Vec<String>, u32> = HashMap::new();
        for topic in &tables.topics {
            let mut list = Vec::new();
            for phrase in topic
                .phrases
                .iter()
                .map(|text| terms(text))
                .filter(|terms| !terms.is_empty())
            {
                let next = ids.len() as u32;
                let id = *ids.entry(phrase.clone()).or_insert(next);
                if id == next {
                    book.by_first.entry(phrase[0].clone()).or_default().push(id);
                    book.phrases.push(phrase);
                }
                if !list.contains(&id) {
                    list.push(id);
                }
            }
            book.of_topic.push(list);
        }
        book
    }

    /// The phrases that stand in a page, ascending.
    fn in_page(&self, words: &HashMap<String, u32>, sequence: &[u32]) -> Vec<u32> {
        let mut places: HashMap<u32, Vec<usize>> = HashMap::new();
        for (at, &word) in sequence.iter().enumerate() {
            places.entry(word).or_default().push(at);
        }
        let mut found = Vec::new();
        for (first, phrases) in &self.by_first {
            let Some(starts) = words.get(first).and_then(|id| places.get(id)) else {
                continue;
            };
            for &phrase in phrases {
                let ids: Option<Vec<u32>> = self.phrases[phrase as usize]
                    .iter()
                    .map(|stem| words.get(stem).copied())
                    .collect();
                if ids.is_some_and(|ids| starts.iter().any(|&at| sequence[at..].starts_with(&ids)))
                {
                    found.push(phrase);
                }
            }
        }
        found.sort_unstable();
        found
    }
}

/// How much each page speaks of each topic (page-major): the rarity of the topic's phrases it holds, in standard
/// deviations from the mean of all pages.
fn z_scores(phrases: &PhraseBook, found: &[Vec<u32>], topics: usize) -> Vec<f32> {
    let pages = found.len() as f64;
    let mut df = vec![0u32; phrases.phrases.len()];
    for &phrase in found.iter().flatten() {
        df[phrase as usize] += 1;
    }
    let rarity: Vec<f64> = df
        .iter()
        .map(|&df| (1.0 + (pages - f64::from(df) + 0.5) / (f64::from(df) + 0.5)).ln())
        .collect();
    let mut out = vec![0f32; found.len() * topics];
    for (topic, list) in phrases.of_topic.iter().enumerate() {
        let score = |page: &Vec<u32>| -> f64 {
            let here = list
                .iter()
                .filter(|phrase| page.binary_search(phrase).is_ok());
            here.map(|&phrase| rarity[phrase as usize]).sum()
        };
        let scores: Vec<f64> = found.iter().map(score).collect();
        let mean = scores.iter().sum::<f64>() / pages.max(1.0);
        let variance = scores
            .iter()
            .map(|score| (score - mean).powi(2))
            .sum::<f64>()
            / pages.max(1.0);
        let deviation = variance.sqrt() + 1e-6;
        for (page, score) in scores.iter().enumerate() {
            out[page * topics + topic] = ((score - mean) / deviation) as f32;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_with_the_topics_of_their_pages() {
        let tables = Tables::builtin();
        let companies = ["a", "b", "c", "d", "e", "f"];
        let pages = (0..1200usize).map(|n| {
            let text = match n % 4 {
                0 => "the landlord wants rent under the operating lease, whose lease term is long",
                1 => "plaintiffs filed a complaint in district court; an attorney argued the class action",
                2 => "nothing of note, only widgets and gadgets",
                _ => "widgets again",
            };
            (companies[n / 4 % 6], text.to_string())
        });
        let table = learn(&tables, pages);
        let known = |id: &str| tables.topic(id).is_some();
        let associations = Associations::parse(&table, known).unwrap();
        assert_eq!(
            associations.nearest(&tables, "What did the attorney argue?")[0].0,
            "legal_proceedings"
        );
        assert_eq!(
            associations.nearest(&tables, "Who is the landlord?")[0].0,
            "leases"
        );
        assert!(
            associations
                .nearest(&tables, "the zebra of 2022")
                .is_empty()
        );
    }

    #[test]
    fn broken_tables_are_refused_by_line() {
        for (text, says) in [
            ("", "empty"),
            ("a\tb\nstem", "line 2"),
            ("a\tb\nstem\t0:1\nstem\t9:1", "line 3"),
            ("a\tb\nstem\t0:x", "line 2"),
        ] {
            let error = Associations::parse(text, |_| true).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn the_built_in_table_is_whole_and_of_these_topics() {
        let tables = Tables::builtin();
        let text = include_str!("../../assets/associations.tsv");
        let associations = Associations::parse(text, |_| true).unwrap();
        let ids: Vec<&str> = tables
            .topics
            .iter()
            .map(|topic| topic.id.as_str())
            .collect();
        assert_eq!(associations.topics, ids, "run `make associations`");
        assert!(associations.words.len() > 1000);
    }
}
