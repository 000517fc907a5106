//! Ranking by BM25, statement pages first.

use super::measure::Measured;
use super::rank::{Asked, Ranking, is_one_of, sorted, top};
use super::{Reason, Scored, Statistics};
use crate::index::bm25;
use crate::library::PageId;

/// With more pages in scope than this, the words' own index finds the candidates.
pub(super) const MOST_MEASURED: usize = 4000;
impl Asked<'_> {
    pub(super) fn rank_by_words(&self) -> Ranking {
        let by_corpus = self.settings.statistics == Statistics::Corpus;
        let wide = self.pages.len() > MOST_MEASURED;
        let (scores, idf, average) = if wide {
            self.score_by_postings(by_corpus)
        } else {
            self.score_by_tokens(by_corpus)
        };
        let statements = match self.settings.routing {
            true => self.query.statements(),
            false => &[],
        };
        let mut routed = 0;
        let mut scored = Vec::new();
        for (&page, score) in self.pages.iter().zip(scores) {
            let tier = is_one_of(&self.facts(page), statements) as u8;
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
                Ok(row) => self.word_reasons(&measured, row, &idf, average),
                Err(_) => Vec::new(),
            };
            self.ranked_page(at + 1, s, reasons)
        });
        let ranked = ranked.collect();
        (scored, routed, ranked, idf)
    }

    /// One pass over the postings of each term. Every page's sum runs in the order of the terms,
    /// as in [`Asked::score_by_tokens`], so both give the same bits.
    pub(super) fn score_by_postings(&self, by_corpus: bool) -> (Vec<f64>, Vec<f64>, f64) {
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
        let average = match by_corpus {
            true => words.average_length(),
            false => (tokens as f64 / self.pages.len().max(1) as f64).max(1.0),
        };
        let mut sums = vec![0.0; lengths.len()];
        let mut idfs = Vec::new();
        let mut hits: Vec<(u32, u32)> = Vec::new();
        for (term, &df) in self.query.own_terms().iter().zip(&self.df) {
            hits.clear();
            words.postings(term, |ordinal, tf| {
                if in_scope[ordinal as usize] {
                    hits.push((ordinal, tf));
                }
            });
            let idf = match by_corpus {
                true => bm25::idf(words.pages(), df),
                false => bm25::idf(self.pages.len() as u64, hits.len() as u64),
            };
            for &(ordinal, tf) in &hits {
                let norm = bm25::norm(lengths[ordinal as usize], average);
                sums[ordinal as usize] += bm25::contribution(idf, tf, norm);
            }
            idfs.push(idf);
        }
        let scores = self
            .pages
            .iter()
            .map(|&p| sums[index.ordinal(p) as usize])
            .collect();
        (scores, idfs, average)
    }

    pub(super) fn score_by_tokens(&self, by_corpus: bool) -> (Vec<f64>, Vec<f64>, f64) {
        let measured = self.measure_pages(&self.pages);
        let words = self.engine.index.words();
        let count = self.pages.len() as u64;
        let (idf, average): (Vec<f64>, f64) = if by_corpus {
            let idf = self.df.iter().map(|&df| bm25::idf(words.pages(), df));
            (idf.collect(), words.average_length())
        } else {
            let df = measured.df();
            let tokens: u64 = measured.lengths.iter().map(|&n| n as u64).sum();
            let own = df[..self.query.own].iter();
            (
                own.map(|&df| bm25::idf(count, df)).collect(),
                (tokens as f64 / count.max(1) as f64).max(1.0),
            )
        };
        let mut scores = measured.bm25(&idf, average);
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
        (scores, idf, average)
    }

    pub(super) fn word_reasons(
        &self,
        m: &Measured,
        row: usize,
        idf: &[f64],
        average: f64,
    ) -> Vec<Reason> {
        let norm = bm25::norm(m.lengths[row], average);
        let names = self.query.own_terms().iter().zip(&self.query.own_words);
        let own = names.zip(idf).zip(m.tf(row));
        let mut reasons: Vec<Reason> = own
            .filter(|(_, tf)| **tf > 0)
            .map(|(((term, word), &idf), &tf)| {
                let contribution = bm25::contribution(idf, tf, norm);
                Reason {
                    signal: term.clone(),
                    words: format!("{word} × {tf}"),
                    value: contribution / idf,
                    weight: idf,
                    contribution,
                }
            })
            .collect();
        reasons.sort_by(|a, b| b.contribution.total_cmp(&a.contribution));
        reasons
    }
}
