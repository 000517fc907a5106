//! One pass over the tokens of the pages in scope: how often each term stands on each page, where
//! they stand together, which phrases are there. Everything the signals need of the text.

use crate::index::analysis::{Analysis, HEADING, TERM};
use crate::index::{Index, bm25};
use crate::library::{Library, PageId};

use super::query::Query;

/// Tokens in a block; a passage window is three blocks.
const BLOCK: usize = 20;
/// The bit of a block's mask that says the year asked for stands in it.
const YEAR_BIT: u32 = 127;

/// What the pass found, page by page in the order of `pages`.
#[derive(Debug, Default)]
pub struct Measured {
    /// The pages.
    pub pages: Vec<PageId>,
    /// Tokens of each page.
    pub lengths: Vec<u32>,
    /// Number of scored terms: the width of `tf`.
    pub terms: usize,
    /// Term frequencies, page by page.
    tf: Vec<u32>,
    /// Terms that stand in a heading, a mask a page.
    pub in_heading: Vec<u128>,
    /// Terms in the running titles, a mask a page.
    pub running: Vec<u128>,
    /// Number of phrases: the width of `phrases`.
    phrase_count: usize,
    /// Occurrences of each phrase, page by page.
    phrases: Vec<u16>,
    /// Occurrences of each phrase in headings, page by page.
    heading_phrases: Vec<u16>,
    /// Number of pairs: the width of `pairs`.
    pair_count: usize,
    pairs: Vec<u16>,
    /// Masks of terms in each block of 20 tokens, and where each page's blocks start.
    blocks: Vec<u128>,
    block_starts: Vec<usize>,
}

impl Measured {
    /// Term frequencies of one page.
    pub fn tf(&self, page: usize) -> &[u32] {
        &self.tf[page * self.terms..(page + 1) * self.terms]
    }

    /// How often a phrase stands on a page.
    pub fn phrase(&self, page: usize, phrase: usize) -> u16 {
        self.phrases[page * self.phrase_count + phrase]
    }

    /// How often a phrase stands in the page's headings.
    pub fn heading_phrase(&self, page: usize, phrase: usize) -> u16 {
        self.heading_phrases[page * self.phrase_count + phrase]
    }

    /// How often a pair of the question's terms stands side by side on a page.
    pub fn pair(&self, page: usize, pair: usize) -> u16 {
        self.pairs[page * self.pair_count + pair]
    }

    /// Pages that hold each scored term.
    pub fn df(&self) -> Vec<u64> {
        let mut df = vec![0; self.terms];
        for page in 0..self.pages.len() {
            for (df, &tf) in df.iter_mut().zip(self.tf(page)) {
                *df += (tf > 0) as u64;
            }
        }
        df
    }

    /// The best window of three blocks of a page: the sum of `weights` of the terms in it, times
    /// `without_year` where the year asked for is not in it.
    pub fn best_window(&self, page: usize, weights: &[f64], without_year: f64) -> f64 {
        let blocks = &self.blocks[self.block_starts[page]..self.block_starts[page + 1]];
        let mut best = 0f64;
        for at in 0..blocks.len() {
            let window = blocks[at..blocks.len().min(at + 3)]
                .iter()
                .fold(0, |a, b| a | b);
            if window & !(1 << YEAR_BIT) == 0 {
                continue;
            }
            let mut sum = 0.0;
            for (term, weight) in weights.iter().enumerate() {
                if window >> term & 1 == 1 {
                    sum += weight;
                }
            }
            if window >> YEAR_BIT & 1 == 0 {
                sum *= without_year;
            }
            best = best.max(sum);
        }
        best
    }

    /// BM25 of each page over the question's own terms, with the idf given.
    pub fn bm25(&self, idf: &[f64], average: f64) -> Vec<f64> {
        (0..self.pages.len())
            .map(|page| {
                let norm = bm25::norm(self.lengths[page], average);
                idf.iter()
                    .zip(self.tf(page))
                    .filter(|(_, tf)| **tf > 0)
                    .map(|(&idf, &tf)| bm25::contribution(idf, tf, norm))
                    .sum()
            })
            .collect()
    }
}

/// Reads the given pages (sorted) for the query.
pub fn measure(
    library: &Library,
    index: &Index,
    query: &Query,
    year: Option<u16>,
    pages: &[PageId],
) -> Measured {
    let mut m = Measured {
        terms: query.scored,
        phrase_count: query.phrases.len(),
        pair_count: query.pairs.len(),
        block_starts: vec![0],
        ..Measured::default()
    };
    let year = year.map(|y| y.to_string());
    let mut rest = pages;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|p| p.filing == first.filing).count();
        let (of_filing, after) = rest.split_at(count);
        rest = after;
        let filing = library.filing(first.filing);
        if let Some(analysis) = index.analysis(filing, first.filing) {
            let mut pass = Pass::new(analysis, query, year.as_deref());
            for page in of_filing {
                pass.page(page.page, &mut m);
                m.pages.push(*page);
            }
        }
    }
    m
}

/// The query in the terms of one filing.
struct Pass<'a> {
    analysis: &'a Analysis,
    query: &'a Query,
    /// Term id of the filing -> position in the universe + 1.
    lut: Vec<u16>,
    /// For each universe term: the phrases that start with it.
    starts: Vec<Vec<u16>>,
    year: Option<u32>,
}

impl<'a> Pass<'a> {
    fn new(analysis: &'a Analysis, query: &'a Query, year: Option<&str>) -> Self {
        let mut lut = vec![0; analysis.term_count()];
        let mut found = vec![false; query.universe.len()];
        for (at, term) in query.universe.iter().enumerate() {
            if let Some(id) = analysis.find(term) {
                lut[id as usize] = at as u16 + 1;
                found[at] = true;
            }
        }
        let mut starts = vec![Vec::new(); query.universe.len()];
        for (id, phrase) in query.phrases.iter().enumerate() {
            if phrase.iter().all(|&term| found[term as usize]) {
                starts[phrase[0] as usize].push(id as u16);
            }
        }
        Pass {
            analysis,
            query,
            lut,
            starts,
            year: year.and_then(|y| analysis.find(y)),
        }
    }

    fn at(&self, token: u32) -> Option<u16> {
        self.lut.get((token & TERM) as usize)?.checked_sub(1)
    }

    fn page(&mut self, page: u32, m: &mut Measured) {
        let tokens = self.analysis.tokens(page);
        let (tf_from, phrases_from, pairs_from) = (m.tf.len(), m.phrases.len(), m.pairs.len());
        m.tf.resize(tf_from + m.terms, 0);
        m.phrases.resize(phrases_from + m.phrase_count, 0);
        m.heading_phrases.resize(phrases_from + m.phrase_count, 0);
        m.pairs.resize(pairs_from + m.pair_count, 0);
        let blocks_from = m.blocks.len();
        m.blocks
            .resize(blocks_from + tokens.len().div_ceil(BLOCK), 0);
        let mut heading_mask = 0u128;
        let mut last: Option<u16> = None;
        for (position, &token) in tokens.iter().enumerate() {
            if self.year == Some(token & TERM) {
                m.blocks[blocks_from + position / BLOCK] |= 1 << YEAR_BIT;
            }
            let Some(at) = self.at(token) else {
                last = None;
                continue;
            };
            if (at as usize) < m.terms {
                m.tf[tf_from + at as usize] += 1;
                m.blocks[blocks_from + position / BLOCK] |= 1 << at;
                if token & HEADING != 0 {
                    heading_mask |= 1 << at;
                }
            }
            if (at as usize) < self.query.own {
                if let Some(last) = last
                    && let Some(pair) = self.query.pairs.iter().position(|p| *p == (last, at))
                {
                    m.pairs[pairs_from + pair] = m.pairs[pairs_from + pair].saturating_add(1);
                }
                last = Some(at);
            } else {
                last = None;
            }
            for &phrase in &self.starts[at as usize] {
                let words = &self.query.phrases[phrase as usize];
                let Some(here) = tokens.get(position..position + words.len()) else {
                    continue;
                };
                if here.iter().zip(words).all(|(&t, &w)| self.at(t) == Some(w)) {
                    let slot = phrases_from + phrase as usize;
                    m.phrases[slot] = m.phrases[slot].saturating_add(1);
                    if here.iter().all(|t| t & HEADING != 0) {
                        m.heading_phrases[slot] = m.heading_phrases[slot].saturating_add(1);
                    }
                }
            }
        }
        let mut running_mask = 0u128;
        for &term in self.analysis.running(page) {
            if let Some(at) = self.at(term).filter(|&at| (at as usize) < m.terms) {
                running_mask |= 1 << at;
            }
        }
        m.in_heading.push(heading_mask);
        m.running.push(running_mask);
        m.lengths.push(tokens.len() as u32);
        m.block_starts.push(m.blocks.len());
    }
}
