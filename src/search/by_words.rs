//! Ranking by BM25, statement pages first.

use super::measure::Measured;
use super::rank::{Counts, Narrowed, Ranking, sorted, top};
use super::{Reason, Scored, Statistics};
use crate::index::bm25;
use crate::library::PageId;

/// With more pages in scope than this, the words' own index finds the candidates.
pub(super) const MOST_MEASURED: usize = 4000;

/// The BM25 score of every page in scope, in their order, and what it was counted with.
pub(super) struct WordScores {
    pub(super) scores: Vec<f64>,
    pub(super) counts: Counts,
}

impl Narrowed<'_> {
    pub(super) fn rank_by_words(&self) -> Ranking {
        let WordScores { scores, counts } = self.word_scores();
        let mut routed = 0;
        let mut scored = Vec::new();
        for (&page, score) in self.pages.iter().zip(scores) {
            let tier = self.tier(page);
            routed += tier as usize;
            if score > 0.0 || tier > 0 {
                scored.push(Scored { page, tier, score });
            }
        }
        let best = top(&scored, self.settings.k);
        let pages: Vec<PageId> = sorted(best.iter().map(|s| s.page));
        let measured = self.measure_pages(&pages);
        let ranked = best.iter().enumerate().map(|(at, s)| {
            let reasons = match measured.pages.binary_search(&s.page) {
                Ok(row) => self.word_reasons(&measured, row, &counts),
                Err(_) => Vec::new(),
            };
            self.ranked_page(at + 1, s, reasons)
        });
        Ranking {
            ranked: ranked.collect(),
            scored,
            routed,
            counts,
        }
    }

    /// By the statistics asked for.
    pub(super) fn word_scores(&self) -> WordScores {
        let by_corpus = self.settings.statistics == Statistics::Corpus;
        match self.pages.len() > MOST_MEASURED {
            true => self.score_by_postings(by_corpus),
            false => self.score_by_tokens(by_corpus),
        }
    }

    /// One pass over the postings of each term. Every page's sum runs in the order of the terms,
    /// as in [`Narrowed::score_by_tokens`], so both give the same bits.
    pub(super) fn score_by_postings(&self, by_corpus: bool) -> WordScores {
        let index = &self.engine.index;
        let words = index.words();
        let lengths = words.lengths();
        let mut in_scope = vec![false; lengths.len()];
        let mut tokens = 0u64;
        for &page in &self.pages {
            let ordinal = index.ordinal(page) as usize;
            in_scope[ordinal] = true;
            tokens += lengths[ordinal] as u64;
        }
        let hits = self.query.own_terms().iter().map(|term| {
            let mut hits: Vec<(u32, u32)> = Vec::new();
            words.postings(term, |ordinal, tf| {
                if in_scope[ordinal as usize] {
                    hits.push((ordinal, tf));
                }
            });
            hits
        });
        let hits: Vec<Vec<(u32, u32)>> = hits.collect();
        let counts = match by_corpus {
            true => self.library_counts(),
            false => {
                let df: Vec<u64> = hits.iter().map(|hits| hits.len() as u64).collect();
                self.scope_counts(&df, tokens)
            }
        };
        let mut sums = vec![0.0; lengths.len()];
        for (term, hits) in counts.terms.iter().zip(&hits) {
            for &(ordinal, tf) in hits {
                let norm = bm25::norm(lengths[ordinal as usize], counts.average_length);
                sums[ordinal as usize] += bm25::contribution(term.idf, tf, norm);
            }
        }
        let scores = self.pages.iter();
        let scores = scores.map(|&p| sums[index.ordinal(p) as usize]).collect();
        WordScores { scores, counts }
    }

    fn score_by_tokens(&self, by_corpus: bool) -> WordScores {
        let measured = self.measure_pages(&self.pages);
        let counts = match by_corpus {
            true => self.library_counts(),
            false => {
                let tokens = measured.lengths.iter().map(|&n| n as u64).sum();
                self.scope_counts(&measured.df()[..self.query.own], tokens)
            }
        };
        let mut scores = measured.bm25(&counts.idf(), counts.average_length);
        if measured.pages.len() != self.pages.len() {
            // A damaged analysis: its pages score nothing.
            let mut all = vec![0.0; self.pages.len()];
            for (page, score) in measured.pages.iter().zip(scores) {
                if let Ok(at) = self.pages.binary_search(page) {
                    all[at] = score;
                }
            }
            scores = all;
        }
        WordScores { scores, counts }
    }

    pub(super) fn word_reasons(&self, m: &Measured, row: usize, counts: &Counts) -> Vec<Reason> {
        let norm = bm25::norm(m.lengths[row], counts.average_length);
        let own = counts.terms.iter().zip(&self.query.own_words);
        let mut reasons: Vec<Reason> = own
            .zip(m.tf(row))
            .filter(|(_, tf)| **tf > 0)
            .map(|((term, word), &tf)| {
                let contribution = bm25::contribution(term.idf, tf, norm);
                Reason {
                    signal: term.term.clone(),
                    words: format!("{word} × {tf}"),
                    value: contribution / term.idf,
                    weight: term.idf,
                    contribution,
                }
            })
            .collect();
        reasons.sort_by(|a, b| b.contribution.total_cmp(&a.contribution));
        reasons
    }
}
