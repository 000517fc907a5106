//! `assets/pages.toml`, compiled: titles of statements, their line items, words that tell
//! a page from a statement, and those that tell its kind.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};
use serde::Deserialize;

use super::kind::{Kinds, KindsTable};

pub(super) fn automaton<W: AsRef<[u8]>>(words: &[W]) -> AhoCorasick {
    fast(MatchKind::Standard).build(words).expect("small")
}

/// A table of states, larger than it could be; no search for rare bytes first, for none is rare
/// in running letters.
fn fast(kind: MatchKind) -> AhoCorasickBuilder {
    let mut builder = AhoCorasick::builder();
    builder.kind(Some(AhoCorasickKind::DFA));
    builder.prefilter(false).match_kind(kind);
    builder
}

/// `assets/pages.toml`, compiled.
pub(super) struct Tables {
    pub(super) titles: [AhoCorasick; 3],
    /// Titles of all three: most pages and lines have none.
    pub(super) any_title: AhoCorasick,
    pub(super) items: Items,
    pub(super) copy: AhoCorasick,
    pub(super) contents: AhoCorasick,
    pub(super) not_a_title: AhoCorasick,
    pub(super) digest: AhoCorasick,
    pub(super) kinds: Kinds,
}

/// All line items and needs of the three statements in one automaton.
pub(super) struct Items {
    automaton: AhoCorasick,
    /// Which (statement, item) each text belongs to; items from `NEEDS` on are needs.
    meaning: Vec<(usize, usize)>,
    counts: [usize; 3],
}

const NEEDS: usize = 64;

impl Items {
    /// For each statement: its line items on the page, as bits, and how many of its needs.
    pub(super) fn seen(&self, letters: &[u8]) -> [(u64, u32); 3] {
        let mut items = [0u64; 3];
        let mut needs = [0u64; 3];
        for found in self.automaton.find_overlapping_iter(letters) {
            let (k, item) = self.meaning[found.pattern().as_usize()];
            if item >= NEEDS {
                needs[k] |= 1 << (item - NEEDS);
            } else {
                items[k] |= 1 << item;
            }
        }
        std::array::from_fn(|k| (items[k], needs[k].count_ones()))
    }

    /// The share of a statement's line items that these bits are.
    pub(super) fn share(&self, k: usize, found: u64) -> f32 {
        found.count_ones() as f32 / self.counts[k] as f32
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PagesFile {
    income: StatementTable,
    balance: StatementTable,
    cash_flow: StatementTable,
    words: WordsTable,
    kinds: KindsTable,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StatementTable {
    titles: Vec<String>,
    items: Vec<Vec<String>>,
    needs: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordsTable {
    not_the_statement: Vec<String>,
    contents: Vec<String>,
    not_a_title: Vec<String>,
    digest_title: Vec<String>,
}

pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let file: PagesFile = toml::from_str(include_str!("../../../assets/pages.toml"))
        .expect("assets/pages.toml is valid: a test reads it");
    let statements = [file.income, file.balance, file.cash_flow];
    let any = automaton::<String>;
    let mut texts = Vec::new();
    let mut meaning = Vec::new();
    for (k, table) in statements.iter().enumerate() {
        for (item, ways) in table.items.iter().enumerate() {
            texts.extend(ways.iter().cloned());
            meaning.extend(ways.iter().map(|_| (k, item)));
        }
        for (need, text) in table.needs.iter().enumerate() {
            texts.push(text.clone());
            meaning.push((k, NEEDS + need));
        }
    }
    Tables {
        titles: std::array::from_fn(|k| {
            fast(MatchKind::LeftmostLongest)
                .build(&statements[k].titles)
                .expect("small")
        }),
        any_title: any(&statements
            .each_ref()
            .map(|table| table.titles.clone())
            .concat()),
        items: Items {
            automaton: any(&texts),
            meaning,
            counts: std::array::from_fn(|k| statements[k].items.len()),
        },
        copy: any(&file.words.not_the_statement),
        contents: any(&file.words.contents),
        not_a_title: any(&file.words.not_a_title),
        digest: any(&file.words.digest_title),
        kinds: Kinds::of(file.kinds),
    }
});
