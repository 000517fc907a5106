//! Ranking by meaning, alone and together with words.

use anyhow::{Result, anyhow};

use super::by_words::WordScores;
use super::rank::{Counts, Narrowed, Ranking, top};
use super::signals::MEANING_WEIGHT;
use super::{Engine, Reason, Retriever, Scored, Settings};
use crate::dense::Readiness;
use crate::library::PageId;
use crate::question::{Reading, without_boilerplate, without_names};
use crate::words::with_causes;

/// What [`super::search`] would wait for with these settings.
pub fn readiness(engine: &Engine, question: &str, settings: &Settings) -> Readiness {
    match &engine.meaning {
        Some(meaning) if settings.retriever != Retriever::Bm25 => {
            meaning.readiness(&text_to_compare(engine, question, settings))
        }
        _ => Readiness::Ready,
    }
}

/// Does what [`super::search`] would wait for with these settings, so that it need not.
///
/// # Errors
/// One line that says what is missing or wrong, and what to do.
pub fn make_ready(engine: &Engine, question: &str, settings: &Settings) -> Result<()> {
    match &engine.meaning {
        Some(meaning) if settings.retriever != Retriever::Bm25 => {
            meaning.ready()?;
            let text = text_to_compare(engine, question, settings);
            match text.trim().is_empty() {
                true => Ok(()),
                false => meaning.similarity(&text, &[]).map(|_| ()),
            }
        }
        _ => Ok(()),
    }
}

fn text_to_compare(engine: &Engine, question: &str, settings: &Settings) -> String {
    let reading = super::rank::read(engine, &engine.tables, question);
    meant(question, &reading, settings)
}

/// What is compared with the pages: the question, less what [`super::query`] leaves out too.
fn meant(question: &str, reading: &Reading, settings: &Settings) -> String {
    let text = without_boilerplate(question, reading);
    let text = match settings.strip_names {
        true => without_names(&text, reading),
        false => text,
    };
    // A question of a name alone would leave nothing to compare.
    match text.trim().is_empty() {
        true => question.to_string(),
        false => text.to_string(),
    }
}

/// Pages in scope with their similarity to the question.
pub(super) struct Meant {
    /// In the order of the pages; only those with a vector.
    pages: Vec<(PageId, f32)>,
    best: f32,
}

impl Meant {
    fn of(&self, page: PageId) -> Option<f32> {
        let at = self
            .pages
            .binary_search_by_key(&page, |(page, _)| *page)
            .ok()?;
        Some(self.pages[at].1)
    }

    /// Similarity of each page in shares of the best in scope, 0 for those without a vector.
    pub(super) fn shares(&self, pages: &[PageId]) -> Vec<f64> {
        pages.iter().map(|&page| self.share(page)).collect()
    }

    fn share(&self, page: PageId) -> f64 {
        let similarity = self.of(page).unwrap_or(0.0).max(0.0);
        if self.best > 0.0 {
            f64::from(similarity / self.best)
        } else {
            0.0
        }
    }

    /// The `count` nearest pages, in no order.
    pub(super) fn nearest(&self, count: usize) -> Vec<PageId> {
        let scored: Vec<Scored> = self
            .pages
            .iter()
            .map(|&(page, similarity)| Scored {
                page,
                tier: 0,
                score: f64::from(similarity),
            })
            .collect();
        top(&scored, count)
            .iter()
            .map(|scored| scored.page)
            .collect()
    }
}

impl Narrowed<'_> {
    /// Looks up how near the pages in scope are, when the retriever asks for it.
    pub(super) fn measure_meaning(&mut self) {
        // Nothing is near to nothing.
        if self.settings.retriever == Retriever::Bm25 || self.question.trim().is_empty() {
            return;
        }
        let text = meant(self.question, &self.reading, self.settings);
        let similarity = match &self.engine.meaning {
            None => Err(anyhow!(
                "no page vectors: `tenleaf model fetch`, then `tenleaf embed`"
            )),
            Some(meaning) => meaning.similarity(&text, &self.pages),
        };
        match similarity {
            Ok(similarity) => {
                let mut pages: Vec<(PageId, f32)> = Vec::with_capacity(similarity.len());
                let mut missing = 0;
                for (&page, similarity) in self.pages.iter().zip(similarity) {
                    match similarity {
                        Some(similarity) => pages.push((page, similarity)),
                        None => missing += usize::from(self.has_text(page)),
                    }
                }
                if missing > 0 {
                    self.meant_note = Some(self.not_embedded(missing, pages.is_empty()));
                }
                if pages.is_empty() {
                    return;
                }
                let best = pages.iter().map(|(_, similarity)| *similarity);
                self.meant = Some(Meant {
                    best: best.fold(0.0, f32::max),
                    pages,
                });
            }
            Err(error) => {
                self.meant_note = Some(format!("ranked by words alone: {}", with_causes(&error)));
            }
        }
    }

    /// A page without a word of text misses no vector.
    fn has_text(&self, page: PageId) -> bool {
        let analysis = self.engine.index.analysis(page.filing);
        analysis.is_none_or(|analysis| !analysis.tokens(page.page).is_empty())
    }

    /// What is said where pages in scope have no vector: by words alone where none has.
    fn not_embedded(&self, missing: usize, all_of_them: bool) -> String {
        let filings = &self.scope.filings;
        let command = match filings.as_slice() {
            [(filing, _)] => {
                let name = &self.engine.library.filing(*filing).doc_name;
                format!("`tenleaf embed --only {name}`")
            }
            _ => "`tenleaf embed`".to_string(),
        };
        let all = self.pages.len();
        match all_of_them {
            true => format!(
                "ranked by words alone: none of the {all} pages in scope is embedded yet; {command} does it"
            ),
            false => format!(
                "{missing} of the {all} pages in scope are not embedded yet and have no part in the ranking by \
                 meaning; {command} does it"
            ),
        }
    }

    /// By similarity, statement pages first.
    pub(super) fn rank_by_meaning(&self, meant: &Meant) -> Ranking {
        let pages = meant.pages.iter();
        let scored: Vec<Scored> = pages
            .map(|&(page, similarity)| Scored {
                page,
                tier: self.tier(page),
                score: f64::from(similarity),
            })
            .collect();
        self.ranking(scored, Counts::default(), |scored| {
            vec![Reason::new("dense", "near in meaning", scored.score, 1.0)]
        })
    }

    /// By a weighted sum of BM25 and similarity, each in shares of the best; statement pages first.
    pub(super) fn rank_by_both(&self, meant: &Meant) -> Ranking {
        let WordScores { scores, counts } = self.word_scores();
        let best = scores.iter().copied().fold(0.0, f64::max);
        let share = |score: f64| if best > 0.0 { score / best } else { 0.0 };
        let pages = self.pages.iter().zip(&scores);
        let scored: Vec<Scored> = pages
            .map(|(&page, &score)| Scored {
                page,
                tier: self.tier(page),
                score: share(score) + MEANING_WEIGHT * meant.share(page),
            })
            .filter(|scored| scored.score > 0.0 || scored.tier > 0)
            .collect();
        self.ranking(scored, counts, |scored| {
            let at = self.pages.binary_search(&scored.page).expect("is in scope");
            let (words, meaning) = (share(scores[at]), meant.share(scored.page));
            let mut reasons = vec![
                Reason::new("bm25", "words of the question", words, 1.0),
                Reason::new("dense", "near in meaning", meaning, MEANING_WEIGHT),
            ];
            reasons.retain(|reason| reason.value != 0.0);
            reasons.sort_by(|a, b| b.contribution.total_cmp(&a.contribution));
            reasons
        })
    }

    /// The best of these pages, each with its reasons.
    fn ranking(
        &self,
        scored: Vec<Scored>,
        counts: Counts,
        reasons: impl Fn(&Scored) -> Vec<Reason>,
    ) -> Ranking {
        let best = top(&scored, self.settings.k);
        let ranked = best.iter().enumerate();
        Ranking {
            ranked: ranked
                .map(|(at, scored)| self.ranked_page(at + 1, scored, reasons(scored)))
                .collect(),
            routed: scored.iter().filter(|scored| scored.tier > 0).count(),
            scored,
            counts,
        }
    }
}
