//! Where it loses: the first stage that lost a missed question, by rule.
//!
//! A miss is a question with no labelled page among the first ten. [`Facts::loss`] is the one
//! place where the rules stand; they are tried in the order of [`Loss`].

use serde::{Deserialize, Serialize};

use super::metrics::{DEPTH, Measure};
use crate::library::PageId;
use crate::question::Statement;
use crate::search::{Engine, Outcome, StageKind};

/// A narrative page that shares at most so many of the question's words is out of BM25's reach.
const FEW_WORDS: usize = 2;

/// The stage that lost a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// No company was read from the question.
    CompanyNotFound,
    /// The company filter dropped the right filing.
    DroppedByCompany,
    /// The year filter dropped the right filing.
    DroppedByYear,
    /// Quarter, form or date dropped the right filing.
    DroppedByForm,
    /// A statement was asked for, and no labelled page is one of the kind.
    NoSuchStatement,
    /// A labelled page is a statement of the kind asked for; others came first.
    StatementOutranked,
    /// A labelled page is a statement; nothing in the question was read as asking for one.
    StatementNotAsked,
    /// A narrative page that shares at most two content words with the question.
    FewSharedWords,
    /// A narrative page with more in common; others came first.
    NarrativeOutranked,
}

impl Loss {
    /// All, in the order they are tried.
    pub const ALL: [Loss; 9] = [
        Loss::CompanyNotFound,
        Loss::DroppedByCompany,
        Loss::DroppedByYear,
        Loss::DroppedByForm,
        Loss::NoSuchStatement,
        Loss::StatementOutranked,
        Loss::StatementNotAsked,
        Loss::FewSharedWords,
        Loss::NarrativeOutranked,
    ];

    /// Name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Loss::CompanyNotFound => "company_not_found",
            Loss::DroppedByCompany => "dropped_by_company",
            Loss::DroppedByYear => "dropped_by_year",
            Loss::DroppedByForm => "dropped_by_form",
            Loss::NoSuchStatement => "no_such_statement",
            Loss::StatementOutranked => "statement_outranked",
            Loss::StatementNotAsked => "statement_not_asked",
            Loss::FewSharedWords => "few_shared_words",
            Loss::NarrativeOutranked => "narrative_outranked",
        }
    }

    /// As tables show it.
    pub fn title(self) -> &'static str {
        match self {
            Loss::CompanyNotFound => "company not found",
            Loss::DroppedByCompany => "right filing dropped by company",
            Loss::DroppedByYear => "right filing dropped by year",
            Loss::DroppedByForm => "right filing dropped by quarter or form",
            Loss::NoSuchStatement => "routed, but the labelled page is no such statement",
            Loss::StatementOutranked => "right statement routed, another page came first",
            Loss::StatementNotAsked => "statement page needed, nothing in the question said so",
            Loss::FewSharedWords => "page of prose with at most two words of the question",
            Loss::NarrativeOutranked => "page of prose, other pages came first",
        }
    }
}

/// What the rules look at.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The company filter is off, or a company was read from the question.
    pub company_found: bool,
    /// The right filing survived the company filter.
    pub kept_by_company: bool,
    /// ... and the year filter.
    pub kept_by_year: bool,
    /// ... and quarter, form and date.
    pub kept_by_form: bool,
    /// Statements the question was routed to; empty when it was not routed.
    pub asked: Vec<Statement>,
    /// The statements the labelled pages are.
    pub gold_statements: Vec<Statement>,
    /// The most content words of the question any labelled page holds.
    pub shared_words: usize,
}

impl Facts {
    /// Gathers them for a question's labelled pages and what was found for it.
    pub fn of(engine: &Engine, gold: &[PageId], outcome: &Outcome) -> Facts {
        let shared = |page: PageId| {
            let has = |term: &str| engine.tf(page, term) > 0;
            outcome.terms.iter().filter(|term| has(&term.term)).count()
        };
        Facts {
            company_found: !outcome.settings.company || !outcome.reading.companies.is_empty(),
            kept_by_company: kept(outcome, StageKind::Company, gold),
            kept_by_year: kept(outcome, StageKind::Year, gold),
            kept_by_form: kept(outcome, StageKind::Form, gold),
            asked: outcome.statements.clone(),
            gold_statements: gold
                .iter()
                .filter_map(|&page| engine.statement(page))
                .collect(),
            shared_words: gold.iter().map(|&page| shared(page)).max().unwrap_or(0),
        }
    }

    /// The first stage that lost it. Call it for a miss: a hit lost nowhere.
    pub fn loss(&self) -> Loss {
        let right_kind = |s: &Statement| self.asked.contains(s);
        if !self.company_found {
            Loss::CompanyNotFound
        } else if !self.kept_by_company {
            Loss::DroppedByCompany
        } else if !self.kept_by_year {
            Loss::DroppedByYear
        } else if !self.kept_by_form {
            Loss::DroppedByForm
        } else if !self.asked.is_empty() && !self.gold_statements.iter().any(right_kind) {
            Loss::NoSuchStatement
        } else if !self.asked.is_empty() {
            Loss::StatementOutranked
        } else if !self.gold_statements.is_empty() {
            Loss::StatementNotAsked
        } else if self.shared_words <= FEW_WORDS {
            Loss::FewSharedWords
        } else {
            Loss::NarrativeOutranked
        }
    }
}

/// Where a question was lost; `None` for a hit.
pub fn loss(
    engine: &Engine,
    gold: &[PageId],
    gold_ranks: &[Option<usize>],
    outcome: &Outcome,
) -> Option<Loss> {
    debug_assert_eq!(DEPTH, 10, "a miss is a miss of Hit@10");
    (Measure::Hit10.of(gold_ranks) == 0.0).then(|| Facts::of(engine, gold, outcome).loss())
}

/// Whether the right filing was still in scope after a stage of the funnel.
pub fn kept(outcome: &Outcome, stage: StageKind, gold: &[PageId]) -> bool {
    let Some(stage) = outcome.funnel.iter().find(|s| s.stage == stage) else {
        return true;
    };
    gold.iter()
        .any(|page| stage.ordinals.contains(&page.filing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::demo;
    use crate::question::Tables;
    use crate::search::{Engine, Facet, Settings, search};
    use Statement::{Balance, Income};

    #[test]
    fn rules_in_order() {
        let kept = Facts {
            company_found: true,
            kept_by_company: true,
            kept_by_year: true,
            kept_by_form: true,
            ..Facts::default()
        };
        let table = [
            (Facts::default(), Loss::CompanyNotFound),
            (
                Facts {
                    company_found: true,
                    ..Facts::default()
                },
                Loss::DroppedByCompany,
            ),
            (
                Facts {
                    kept_by_year: false,
                    kept_by_form: false,
                    ..kept.clone()
                },
                Loss::DroppedByYear,
            ),
            (
                Facts {
                    kept_by_form: false,
                    asked: vec![Income],
                    ..kept.clone()
                },
                Loss::DroppedByForm,
            ),
            (
                Facts {
                    asked: vec![Income],
                    gold_statements: vec![Balance],
                    shared_words: 9,
                    ..kept.clone()
                },
                Loss::NoSuchStatement,
            ),
            (
                Facts {
                    asked: vec![Income],
                    ..kept.clone()
                },
                Loss::NoSuchStatement,
            ),
            (
                Facts {
                    asked: vec![Income, Balance],
                    gold_statements: vec![Balance],
                    ..kept.clone()
                },
                Loss::StatementOutranked,
            ),
            (
                Facts {
                    gold_statements: vec![Balance],
                    ..kept.clone()
                },
                Loss::StatementNotAsked,
            ),
            (
                Facts {
                    shared_words: 2,
                    ..kept.clone()
                },
                Loss::FewSharedWords,
            ),
            (
                Facts {
                    shared_words: 3,
                    ..kept.clone()
                },
                Loss::NarrativeOutranked,
            ),
        ];
        for (facts, wanted) in table {
            assert_eq!(facts.loss(), wanted, "{facts:?}");
        }
    }

    #[test]
    fn every_loss_has_a_place_a_name_and_a_title() {
        for (ix, loss) in Loss::ALL.into_iter().enumerate() {
            assert_eq!(loss as usize, ix);
            assert!(!loss.title().is_empty());
            assert_eq!(serde_json::to_value(loss).unwrap(), loss.name());
        }
    }

    #[test]
    fn a_question_is_filed_under_the_statements_it_was_routed_to() {
        let dir = tempfile::tempdir().unwrap();
        demo::install(dir.path()).unwrap();
        let (engine, _) = Engine::open(dir.path(), Tables::builtin(), &|_, _| {}).unwrap();
        let routed = Settings::default();
        let not_routed = Settings {
            routing: false,
            ..Settings::default()
        };
        let mut ignored = Settings::default();
        ignored.scope.ignore = vec![Facet::Statement];
        let mut by_hand = Settings::default();
        by_hand.scope.statements = vec![Balance];
        let page = PageId { filing: 0, page: 0 };
        for (question, settings, wanted) in [
            ("Nike's gross profit in FY2022", &routed, vec![Income]),
            ("Nike's gross profit in FY2022", &not_routed, vec![]),
            ("Nike's gross profit in FY2022", &ignored, vec![]),
            ("Nike's gross profit in FY2022", &by_hand, vec![Balance]),
            // The one named; what a metric implies is not routed to beside it.
            (
                "Total assets in Nike's income statement",
                &routed,
                vec![Income],
            ),
        ] {
            let outcome = search(&engine, question, settings);
            let facts = Facts::of(&engine, &[page], &outcome);
            assert_eq!(facts.asked, wanted, "{question}");
        }
    }
}
