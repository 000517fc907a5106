//! What raises or lowers pages beside the signals: rules for what too few labelled questions ask to be fitted.

use serde::{Deserialize, Serialize};

use super::by_signals::Judged;
use super::rank::{Narrowed, is_one_of};
use super::{Reason, Scored};
use crate::index::facts::STATEMENT_SCORE;
use crate::library::PageId;
use crate::question::Statement;
use crate::words::count;

/// Years that count: a filing still older is no worse.
const OLDEST: u16 = 4;

/// How much each rule adds to a score. Chosen by hand, see docs/RANKING.md.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lifts {
    /// For the best page of each statement, where a question needs several, or asks for nothing but a metric.
    pub needed_statement: f64,
    /// For a page with a row of the part of the company that is asked for.
    pub part_row: f64,
    /// Taken from a statement that does not name that part.
    pub part_missing: f64,
    /// Taken for each year that a filing is older than the latest, where a company is named and no period.
    pub year_older: f64,
}

impl Narrowed<'_> {
    /// Adds to the scores what the rules give; returns the pages, in order, with the reasons.
    pub(super) fn lift(&self, scored: &mut [Scored], judged: &Judged) -> Vec<(PageId, Reason)> {
        let lifts = [
            self.needed_statements(scored, judged),
            self.rows_of_part(judged),
            self.statements_without_part(judged),
            self.older_years(judged),
        ];
        let lifts = lifts.into_iter().flatten();
        lifts
            .map(|(at, reason)| {
                scored[at].score += reason.contribution;
                (scored[at].page, reason)
            })
            .collect()
    }

    /// Where a question needs several statements, the best page of each.
    fn needed_statements(&self, scored: &[Scored], judged: &Judged) -> Vec<(usize, Reason)> {
        let statements = self.query.statements();
        // So does one that names a metric or a statement and no more: nothing else tells pages apart.
        let needed = statements.len() >= 2 || self.query.bare;
        let mut leads: Vec<(usize, Statement)> = Vec::new();
        for &statement in statements.iter().filter(|_| needed) {
            let best = (0..scored.len())
                .filter(|&n| judged.facts[n].statement[statement.index()] >= STATEMENT_SCORE)
                .min_by(|&a, &b| scored[a].before(&scored[b]));
            if let Some(best) = best
                && leads.iter().all(|lead| lead.0 != best)
            {
                leads.push((best, statement));
            }
        }
        let weight = self.engine.weights.lifts.needed_statement;
        let leads = leads.into_iter();
        leads
            .map(|(at, statement)| {
                let words = format!("best {}: the answer needs one", statement.as_str());
                (at, Reason::new("needed_statement", words, 1.0, weight))
            })
            .collect()
    }

    /// Pages with a row of the part of the company that is asked for, which name the metric.
    fn rows_of_part(&self, judged: &Judged) -> Vec<(usize, Reason)> {
        let measured = &judged.measured;
        let names_metric = |page: usize| {
            let phrase = |&phrase: &usize| measured.phrase(page, phrase) > 0;
            let term = |&term: &u16| measured.tf(page)[usize::from(term)] > 0;
            self.query.metric.iter().any(phrase) || self.query.in_metric.iter().any(term)
        };
        let words = format!(
            "a row of {}, whose figure is asked for",
            self.parts_in_words()
        );
        let weight = self.engine.weights.lifts.part_row;
        let pages = 0..measured.pages.len();
        pages
            .filter(|&page| measured.part_rows[page] > 0 && names_metric(page))
            .map(|page| (page, Reason::new("part_row", words.clone(), 1.0, weight)))
            .collect()
    }

    /// Statements that do not name the part of the company that is asked for, where other pages do.
    fn statements_without_part(&self, judged: &Judged) -> Vec<(usize, Reason)> {
        let measured = &judged.measured;
        let names_part = |page: usize| {
            let mut parts = self.query.parts.iter();
            parts.any(|&part| measured.phrase(page, part) > 0)
        };
        let pages = || 0..measured.pages.len();
        if !pages().any(names_part) {
            return Vec::new();
        }
        let words = format!(
            "does not name {}, whose figure is asked for",
            self.parts_in_words()
        );
        let weight = -self.engine.weights.lifts.part_missing;
        pages()
            .filter(|&page| {
                is_one_of(&judged.facts[page], &self.query.implied) && !names_part(page)
            })
            .map(|page| {
                (
                    page,
                    Reason::new("part_missing", words.clone(), 1.0, weight),
                )
            })
            .collect()
    }

    fn parts_in_words(&self) -> String {
        let parts = self.query.parts.iter();
        let mut parts: Vec<&str> = parts.map(|&part| &*self.query.phrase_texts[part]).collect();
        parts.dedup();
        parts.join(", ")
    }

    /// Of a company asked about without a period the latest filings are meant, unless older ones say more.
    fn older_years(&self, judged: &Judged) -> Vec<(usize, Reason)> {
        let period = self.scope.year.is_some() || !self.reading.dates.is_empty();
        if period || self.reading.companies.is_empty() {
            return Vec::new();
        }
        let pages = &judged.measured.pages;
        let year = |page: &PageId| self.engine.library.filing(page.filing).year();
        let Some(latest) = pages.iter().filter_map(year).max() else {
            return Vec::new();
        };
        let weight = -self.engine.weights.lifts.year_older;
        let behind = pages
            .iter()
            .map(|page| year(page).map_or(0, |year| latest - year));
        behind
            .enumerate()
            .filter(|(_, behind)| *behind > 0)
            .map(|(at, behind)| {
                let years = count(usize::from(behind), "year");
                let words = format!("{years} older than the latest, and no period is asked");
                let value = f64::from(behind.min(OLDEST));
                (at, Reason::new("year_older", words, value, weight))
            })
            .collect()
    }
}
