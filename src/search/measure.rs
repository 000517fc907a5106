//! One pass over the tokens of the pages in scope: how often each term stands on each page, where
//! they stand together, which phrases are there. Everything the signals need of the text.

use crate::index::analysis::{Analysis, HEADING, TERM};
use crate::index::{Index, bm25};
use crate::library::PageId;

use super::parts::in_label;
use super::query::Query;

/// Tokens in a block; a passage window is three blocks.
const BLOCK: usize = 20;
/// The bit of a block's mask that says the year asked for stands in it.
pub(super) const YEAR_BIT: u32 = 127;

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
    pub(super) tf: Vec<u32>,
    /// Terms that stand in a heading, a mask a page.
    pub in_heading: Vec<u128>,
    /// Terms in the running titles, a mask a page.
    pub running: Vec<u128>,
    /// Number of phrases: the width of `phrases`.
    pub(super) phrase_count: usize,
    /// Occurrences of each phrase, page by page.
    pub(super) phrases: Vec<u16>,
    /// Occurrences of each phrase in headings, page by page.
    pub(super) heading_phrases: Vec<u16>,
    /// Rows that begin with the part asked for, page by page.
    pub(super) part_rows: Vec<u16>,
    /// Number of pairs: the width of `pairs`.
    pub(super) pair_count: usize,
    pub(super) pairs: Vec<u16>,
    /// Masks of terms in each block of 20 tokens, and where each page's blocks start.
    pub(super) blocks: Vec<u128>,
    pub(super) block_starts: Vec<usize>,
}

impl Measured {
    /// No page yet.
    fn of(query: &Query) -> Measured {
        Measured {
            terms: query.scored,
            phrase_count: query.phrases.len(),
            pair_count: query.pairs.len(),
            block_starts: vec![0],
            ..Measured::default()
        }
    }

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
            let mut left = window & !(1 << YEAR_BIT);
            while left != 0 {
                sum += weights[left.trailing_zeros() as usize];
                left &= left - 1;
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
pub fn measure(index: &Index, query: &Query, year: Option<u16>, pages: &[PageId]) -> Measured {
    let mut m = Measured::of(query);
    let year = year.map(|y| y.to_string());
    let sorted = Sorted::of(query);
    let mut rest = pages;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|p| p.filing == first.filing).count();
        let (of_filing, after) = rest.split_at(count);
        rest = after;
        if let Some(analysis) = index.analysis(first.filing) {
            let pass = Pass::new(analysis, query, &sorted, year.as_deref());
            for page in of_filing {
                pass.page(page.page, &mut m);
                m.pages.push(*page);
            }
        }
    }
    m
}

/// The terms of the universe in the order of their text.
struct Sorted<'a> {
    terms: Vec<&'a str>,
    /// Their positions in the universe.
    at: Vec<u16>,
}

impl<'a> Sorted<'a> {
    fn of(query: &'a Query) -> Self {
        let mut all: Vec<(&str, u16)> =
            query.universe.iter().map(String::as_str).zip(0..).collect();
        all.sort_unstable();
        let (terms, at) = all.into_iter().unzip();
        Sorted { terms, at }
    }
}

/// The query in the terms of one filing.
struct Pass<'a> {
    analysis: &'a Analysis,
    query: &'a Query,
    /// Term id of the filing -> position in the universe + 1; 0 for the many that are not in it.
    lut: Vec<u16>,
    /// The same, of those alone that something is done about: scored terms, first words of phrases
    /// (with the bit [`STARTS`]), the year asked for (with the bit [`YEAR`]). "of" and "and" stand
    /// within many phrases.
    active: Vec<u16>,
    /// For each universe term: the phrases that start with it.
    starts: Vec<Vec<u16>>,
}

/// See [`Pass::active`].
const YEAR: u16 = 1 << 15;
const STARTS: u16 = 1 << 14;

impl<'a> Pass<'a> {
    fn new(
        analysis: &'a Analysis,
        query: &'a Query,
        sorted: &Sorted<'_>,
        year: Option<&str>,
    ) -> Self {
        let mut lut = vec![0; analysis.term_count()];
        let mut active = vec![0; analysis.term_count()];
        // By position in the universe: the filing's own id.
        let mut ids: Vec<Option<u32>> = vec![None; query.universe.len()];
        analysis.find_all(&sorted.terms, &mut |n, id| {
            let at = sorted.at[n];
            lut[id as usize] = at + 1;
            ids[at as usize] = Some(id);
        });
        let mut starts = vec![Vec::new(); query.universe.len()];
        for (n, phrase) in query.phrases.iter().enumerate() {
            if phrase.iter().all(|&term| ids[term as usize].is_some()) {
                starts[phrase[0] as usize].push(n as u16);
            }
        }
        for (at, id) in ids.iter().enumerate() {
            let Some(id) = *id else { continue };
            if !starts[at].is_empty() {
                active[id as usize] = (at as u16 + 1) | STARTS;
            } else if at < query.scored {
                active[id as usize] = at as u16 + 1;
            }
        }
        if let Some(id) = year.and_then(|year| analysis.find(year)) {
            active[id as usize] |= YEAR;
        }
        Pass {
            analysis,
            query,
            lut,
            active,
            starts,
        }
    }

    /// Position of a token in the universe.
    fn at(&self, token: u32) -> Option<u16> {
        let entry = *self.lut.get((token & TERM) as usize)?;
        entry.checked_sub(1)
    }

    fn page(&self, page: u32, m: &mut Measured) {
        let tokens = self.analysis.tokens(page);
        m.part_rows.push(0);
        let row = Row {
            part_rows: m.part_rows.last_mut().expect("was pushed"),
            tf: grow(&mut m.tf, m.terms),
            phrases: grow(&mut m.phrases, m.phrase_count),
            heading_phrases: grow(&mut m.heading_phrases, m.phrase_count),
            pairs: grow(&mut m.pairs, m.pair_count),
        };
        let in_heading = self.tokens(tokens, row, &mut m.blocks);
        let mut running = 0u128;
        for &term in self.analysis.running(page) {
            if let Some(at) = self.at(term).filter(|&at| (at as usize) < m.terms) {
                running |= 1 << at;
            }
        }
        m.in_heading.push(in_heading);
        m.running.push(running);
        m.lengths.push(tokens.len() as u32);
        m.block_starts.push(m.blocks.len());
    }

    /// Fills a page's row and blocks; returns the mask of the terms in headings. This is where the
    /// time of a search goes: a token that has nothing to do with the query costs one look-up.
    fn tokens(&self, tokens: &[u32], row: Row<'_>, blocks: &mut Vec<u128>) -> u128 {
        let (own, scored) = (self.query.own, row.tf.len());
        let mut in_heading = 0;
        // The last own term, and where the next token stands.
        let mut last: (u16, usize) = (0, usize::MAX);
        for (number, block) in tokens.chunks(BLOCK).enumerate() {
            let mut mask = 0u128;
            for (n, &token) in block.iter().enumerate() {
                let entry = self.active.get((token & TERM) as usize);
                let hit = entry.copied().unwrap_or(0);
                if hit == 0 {
                    continue;
                }
                if hit & YEAR != 0 {
                    mask |= 1 << YEAR_BIT;
                }
                let Some(at) = (hit & !(YEAR | STARTS)).checked_sub(1) else {
                    continue;
                };
                let position = number * BLOCK + n;
                if (at as usize) < scored {
                    row.tf[at as usize] += 1;
                    mask |= 1 << at;
                    if token & HEADING != 0 {
                        in_heading |= 1 << at;
                    }
                }
                if (at as usize) < own {
                    if last.1 == position
                        && let Some(pair) = self.query.pairs.iter().position(|p| *p == (last.0, at))
                    {
                        row.pairs[pair] = row.pairs[pair].saturating_add(1);
                    }
                    last = (at, position + 1);
                }
                if hit & STARTS == 0 {
                    continue;
                }
                for &phrase in &self.starts[at as usize] {
                    let words = &self.query.phrases[phrase as usize];
                    let Some(here) = tokens.get(position..position + words.len()) else {
                        continue;
                    };
                    if here.iter().zip(words).all(|(&t, &w)| self.at(t) == Some(w)) {
                        let slot = phrase as usize;
                        row.phrases[slot] = row.phrases[slot].saturating_add(1);
                        if self.query.parts.contains(&slot)
                            && in_label(self.analysis, tokens, position + words.len())
                        {
                            *row.part_rows = row.part_rows.saturating_add(1);
                        }
                        if here.iter().all(|t| t & HEADING != 0) {
                            row.heading_phrases[slot] = row.heading_phrases[slot].saturating_add(1);
                        }
                    }
                }
            }
            blocks.push(mask);
        }
        in_heading
    }
}

/// One page's part of [`Measured`].
struct Row<'a> {
    tf: &'a mut [u32],
    phrases: &'a mut [u16],
    heading_phrases: &'a mut [u16],
    pairs: &'a mut [u16],
    part_rows: &'a mut u16,
}

/// Adds a row of zeros and returns it.
fn grow<T: Clone + Default>(all: &mut Vec<T>, width: usize) -> &mut [T] {
    let from = all.len();
    all.resize(from + width, T::default());
    &mut all[from..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::analysis::tests::analysed;

    #[test]
    fn a_year_asked_for_that_is_also_a_word_of_the_question_counts_as_both() {
        let analysis = analysed(&[
            "Sales of 2023 rose as sales of stores did\nSales are seasonal\n",
            "Sales fell\n",
        ]);
        let query = Query {
            universe: ["sale", "2023", "store", "did"].map(String::from).to_vec(),
            own: 2,
            scored: 3,
            pairs: vec![(0, 1)],
            phrases: vec![vec![0, 1], vec![2, 3]],
            ..Query::default()
        };
        let sorted = Sorted::of(&query);
        for (year, without) in [(Some("2023"), 1.0), (Some("2022"), 0.5), (None, 0.5)] {
            let pass = Pass::new(&analysis, &query, &sorted, year);
            let mut m = Measured::of(&query);
            for page in 0..2 {
                pass.page(page, &mut m);
                m.pages.push(PageId { filing: 0, page });
            }
            assert_eq!(m.tf(0), [3, 1, 1], "{year:?}");
            assert_eq!(m.tf(1), [1, 0, 0], "{year:?}");
            assert_eq!(m.df(), [2, 1, 1], "{year:?}");
            assert_eq!((m.phrase(0, 1), m.phrase(1, 1)), (1, 0), "{year:?}");
            let best = m.best_window(0, &[4.0, 2.0, 1.0], 0.5);
            assert_eq!(best, 7.0 * without, "{year:?}");
        }
    }
}
