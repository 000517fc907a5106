//! Ranking by the weighted sum of signals.

use super::Scored;
use super::by_words::MOST_MEASURED;
use super::measure::Measured;
use super::rank::{Narrowed, Ranking, is_one_of, sorted, top};
use super::signals::{self, Context, Section, Values};
use crate::index::facts::PageFacts;
use crate::library::{Form, PageId};

/// How many pages the words' own index hands on to the signals, where more than [`MOST_MEASURED`] are in scope.
pub(super) const CANDIDATES: usize = 400;

/// The topic of the tables that is answered by the cover page.
pub(super) const COVER_TOPIC: &str = "registered_securities";
/// The topic of the tables that is answered by the risk factors.
pub(super) const RISK_TOPIC: &str = "risk_factors";

/// The pages that are scored, with all that is known of them.
pub(super) struct Judged {
    pub(super) measured: Measured,
    pub(super) facts: Vec<PageFacts>,
}

impl Narrowed<'_> {
    pub(super) fn rank_by_signals(&self) -> Ranking {
        let judged = self.judge();
        let values = self.values(&judged);
        let weights = self.engine.weights.vector();
        let statements = self.query.statements();
        let mut scored: Vec<Scored> = values
            .iter()
            .zip(&judged.measured.pages)
            .map(|(values, &page)| Scored {
                page,
                tier: 0,
                score: values.iter().zip(&weights).map(|(v, w)| v * w).sum(),
            })
            .collect();
        let lifts = self.lift(&mut scored, &judged);
        let routed = judged
            .facts
            .iter()
            .filter(|f| is_one_of(f, statements))
            .count();
        let found = judged.measured.df();
        let nowhere = found[..self.query.own].iter().all(|&df| df == 0);
        let best = top(&scored, self.settings.k);
        let mut ranked = Vec::with_capacity(best.len());
        for (at, s) in best.iter().enumerate() {
            let row = judged
                .measured
                .pages
                .binary_search(&s.page)
                .expect("was scored");
            let mut reasons = self.signal_reasons(&values[row], &weights, &judged, row);
            let lifted = lifts.iter().filter(|lift| lift.0 == s.page);
            reasons.extend(lifted.map(|lift| lift.1.clone()));
            // Words that stand on none of the pages tell none from another, nor does a question without words.
            if reasons.is_empty() && nowhere {
                break;
            }
            reasons.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
            ranked.push(self.ranked_page(at + 1, s, reasons));
        }
        Ranking {
            scored,
            routed,
            ranked,
            counts: self.library_counts(),
        }
    }

    /// The pages to score with the signals.
    pub(super) fn judge(&self) -> Judged {
        let measured = if self.pages.len() > MOST_MEASURED {
            let scores = self.score_by_postings(true).scores;
            let scored: Vec<Scored> = self
                .pages
                .iter()
                .zip(scores)
                .filter(|(_, score)| *score > 0.0)
                .map(|(&page, score)| Scored {
                    page,
                    tier: 0,
                    score,
                })
                .collect();
            let best = top(&scored, CANDIDATES);
            let nearest = self
                .meant
                .iter()
                .flat_map(|meant| meant.nearest(CANDIDATES));
            self.measure_pages(&sorted(best.iter().map(|s| s.page).chain(nearest)))
        } else {
            self.measure_pages(&self.pages)
        };
        let facts = measured.pages.iter().map(|&p| self.facts(p)).collect();
        Judged { measured, facts }
    }

    pub(super) fn values(&self, judged: &Judged) -> Vec<Values> {
        let library = &self.engine.library;
        let pages = &judged.measured.pages;
        let score_of = |p: &PageId| {
            let at = self.scope.filings.binary_search_by_key(&p.filing, |f| f.0);
            at.map_or(0.0, |at| self.scope.filings[at].1)
        };
        let filing_score: Vec<f64> = pages.iter().map(score_of).collect();
        let form: Vec<Form> = pages
            .iter()
            .map(|p| library.filing(p.filing).form)
            .collect();
        let fiscal_year: Vec<Option<u16>> = pages
            .iter()
            .map(|p| library.filing(p.filing).fiscal_year)
            .collect();
        let counts = self.library_counts();
        let section: Vec<Section> = pages.iter().map(|&p| self.section(p)).collect();
        signals::values(&Context {
            query: &self.query,
            measured: &judged.measured,
            facts: &judged.facts,
            filing_score: &filing_score,
            form: &form,
            fiscal_year: &fiscal_year,
            year: self.scope.year,
            section: &section,
            risks_asked: self.asks_topic(RISK_TOPIC),
            cover_asked: self.asks_topic(COVER_TOPIC),
            corpus_idf: &counts.idf(),
            average_length: counts.average_length,
            dense: self
                .meant
                .as_ref()
                .map(|meant| meant.shares(pages))
                .as_deref(),
        })
    }

    pub(super) fn asks_topic(&self, topic: &str) -> bool {
        let topics = &self.reading.topics;
        topics.iter().any(|t| t.topic == topic && t.is_triggered())
    }

    pub(super) fn section(&self, page: PageId) -> Section {
        let analysis = self.engine.index.analysis(page.filing);
        match analysis.and_then(|a| a.subjects(page.page).next()) {
            Some("7") => Section::Mda,
            Some("1A") => Section::Risks,
            _ => Section::Other,
        }
    }
}
