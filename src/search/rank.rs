//! From a question to ranked pages.

use std::time::Instant;

use super::by_signals::CANDIDATES;
use super::by_words::MOST_MEASURED;
use super::meaning::Meant;
use super::measure::{Measured, measure};
use super::query::{self, Query};
use super::scope::{Scope, scope};
use super::several;
use super::signals::Values;
use super::{
    Engine, Facet, Outcome, QueryTerm, RankedPage, Reason, Retriever, Scored, Settings, Stage,
    StageKind,
};
use crate::index::bm25;
use crate::index::facts::{PageFacts, STATEMENT_SCORE};
use crate::library::{Filing, PageId};
use crate::question::{self, Reading, Statement, Tables};
use crate::text::with_stems;

/// Answers a question. The same question and settings give the same pages with the same score bits.
pub fn search(engine: &Engine, question: &str, settings: &Settings) -> Outcome {
    let start = Instant::now();
    engine.index.look_again();
    let tables = &engine.tables;
    let reading = read(engine, tables, question);
    let mut outcome = Narrowed::new(engine, tables, question, reading, settings).answer();
    if settings.several {
        // A group is a ranking alone: what is said beside it is said once, of the whole answer.
        let rank = |one: &Settings| {
            let reading = outcome.reading.clone();
            let ranking = Narrowed::new(engine, tables, question, reading, one).rank();
            ranking.ranked
        };
        let (groups, left_out) = several::groups(engine, &outcome, rank);
        outcome.groups = groups;
        outcome.notes.extend(left_out);
    }
    outcome.micros = start.elapsed().as_micros() as u64;
    outcome
}

/// The question as this library reads it: "since 2019" goes on to the latest year of the companies named.
pub(super) fn read(engine: &Engine, tables: &Tables, question: &str) -> Reading {
    let mut reading = question::read(tables, &engine.companies, question);
    if reading.since.is_some() {
        let named = reading.company_names();
        let filings = engine.library.filings().iter();
        let of = filings.filter(|f| named.is_empty() || named.contains(&f.company.as_str()));
        let latest = of.filter(|f| f.form.is_annual()).filter_map(Filing::year);
        let latest = latest.max();
        reading.close_since(latest);
    }
    reading
}

/// The candidates of a question with the values of their signals: what weights are fitted on.
pub fn features(engine: &Engine, question: &str, settings: &Settings) -> Vec<(PageId, Values)> {
    features_with(engine, &engine.tables, question, settings)
}

/// [`features`] with other tables (of the same phrases) than the engine's.
pub fn features_with(
    engine: &Engine,
    tables: &Tables,
    question: &str,
    settings: &Settings,
) -> Vec<(PageId, Values)> {
    let reading = read(engine, tables, question);
    let narrowed = Narrowed::new(engine, tables, question, reading, settings);
    let judged = narrowed.judge();
    let values = narrowed.values(&judged);
    judged.measured.pages.iter().copied().zip(values).collect()
}

/// A question read and its filings narrowed.
pub(super) struct Narrowed<'a> {
    pub(super) engine: &'a Engine,
    pub(super) question: &'a str,
    pub(super) settings: &'a Settings,
    pub(super) reading: Reading,
    pub(super) query: Query,
    pub(super) scope: Scope,
    /// Items whose pages alone are in scope; all pages where there are none.
    items: Vec<String>,
    /// Pages in scope, sorted.
    pub(super) pages: Vec<PageId>,
    pub(super) df: Vec<u64>,
    /// How near each page in scope is in meaning, when that is asked for and can be had.
    pub(super) meant: Option<Meant>,
    /// Why it cannot be had, or not for every page.
    pub(super) meant_note: Option<String>,
}

/// What a way to rank makes of the pages.
pub(super) struct Ranking {
    /// Every page that has a score, in no order.
    pub(super) scored: Vec<Scored>,
    /// How many pages are a statement that is asked for.
    pub(super) routed: usize,
    /// The best pages, best first.
    pub(super) ranked: Vec<RankedPage>,
    /// What BM25 counted with, where words have a part in the ranking.
    pub(super) counts: Counts,
}

/// What BM25 counts with, in the library or among the pages in scope.
#[derive(Default)]
pub(super) struct Counts {
    /// The question's own terms.
    pub(super) terms: Vec<QueryTerm>,
    /// Tokens of an average page.
    pub(super) average_length: f64,
}

impl Counts {
    /// The rarity of each term.
    pub(super) fn idf(&self) -> Vec<f64> {
        self.terms.iter().map(|term| term.idf).collect()
    }
}

impl<'a> Narrowed<'a> {
    fn new(
        engine: &'a Engine,
        tables: &Tables,
        question: &'a str,
        reading: Reading,
        settings: &'a Settings,
    ) -> Self {
        let query = with_stems(|stems| {
            query::build(
                tables,
                &engine.prepared,
                question,
                &reading,
                settings,
                stems,
            )
        });
        let scope = scope(&engine.library, question, &reading, settings);
        let mut items = wanted_items(settings, question, &reading);
        let mut pages = pages_in(engine, &scope, &items);
        if pages.is_empty() && settings.scope.items.is_empty() {
            // None of the filings has the Item read from the question.
            items.clear();
            pages = pages_in(engine, &scope, &items);
        }
        let words = engine.index.words();
        let df = query.own_terms().iter().map(|t| words.df(t)).collect();
        let mut narrowed = Narrowed {
            engine,
            question,
            settings,
            reading,
            query,
            scope,
            items,
            pages,
            df,
            meant: None,
            meant_note: None,
        };
        narrowed.measure_meaning();
        narrowed
    }

    fn rank(&self) -> Ranking {
        match (&self.meant, self.settings.retriever) {
            (Some(meant), Retriever::Dense) => self.rank_by_meaning(meant),
            _ if self.settings.signals => self.rank_by_signals(),
            (Some(meant), Retriever::Hybrid) => self.rank_by_both(meant),
            _ => self.rank_by_words(),
        }
    }

    fn answer(&self) -> Outcome {
        let mut funnel = self.scope.stages.clone();
        funnel.push(self.pages_stage());
        let ranking = self.rank();
        funnel.push(self.routed_stage(ranking.routed));
        Outcome {
            question: self.question.to_string(),
            settings: self.settings.clone(),
            lean: self.query.lean.filter(|_| self.settings.signals),
            statements: self.query.statements().to_vec(),
            notes: self.notes(ranking.ranked.len()),
            terms: ranking.counts.terms,
            average_length: ranking.counts.average_length,
            line_items: self.query.line_item_terms(),
            by_words_alone: self.meant_note.clone().filter(|_| self.meant.is_none()),
            reading: self.reading.clone(),
            funnel,
            ranked: ranking.ranked,
            scored: ranking.scored,
            groups: Vec::new(),
            micros: 0,
        }
    }

    pub(super) fn measure_pages(&self, pages: &[PageId]) -> Measured {
        measure(&self.engine.index, &self.query, self.scope.year, pages)
    }

    pub(super) fn facts(&self, page: PageId) -> PageFacts {
        let analysis = self.engine.index.analysis(page.filing);
        analysis
            .and_then(|a| a.facts().get(page.page as usize).copied())
            .unwrap_or_default()
    }

    pub(super) fn ranked_page(
        &self,
        rank: usize,
        scored: &Scored,
        mut reasons: Vec<Reason>,
    ) -> RankedPage {
        let page = scored.page;
        let filing = self.engine.library.filing(page.filing);
        let about = self.engine.about(page);
        let statement = about.statement;
        if scored.tier > 0 {
            // No part of the score: pages of a higher tier come before all others.
            let name = statement.map_or("statement", Statement::as_str);
            let words = format!("{name}, which is asked for: such pages come first");
            reasons.insert(0, Reason::new("routed", words, 1.0, 0.0));
        }
        RankedPage {
            rank,
            page,
            doc_name: filing.doc_name.clone(),
            about,
            routed: match self.settings.signals {
                true => statement.is_some_and(|s| self.query.statements().contains(&s)),
                false => scored.tier > 0,
            },
            score: scored.score,
            reasons,
        }
    }

    fn pages_stage(&self) -> Stage {
        let items = &self.items;
        let in_filings: usize = self.scope.stages.last().map_or(0, |s| s.pages);
        Stage {
            stage: StageKind::Pages,
            filings: self.scope.filings.len(),
            pages: self.pages.len(),
            kept: match items.is_empty() {
                true => "every page".to_string(),
                false => format!("Item {}", items.join(", ")),
            },
            active: self.pages.len() < in_filings,
            reasons: Vec::new(),
            ordinals: self.scope.filings.iter().map(|f| f.0).collect(),
        }
    }

    fn routed_stage(&self, routed: usize) -> Stage {
        let statements = self.query.statements();
        let names: Vec<&str> = statements.iter().map(|s| s.as_str()).collect();
        let on = routed > 0;
        Stage {
            stage: StageKind::Routed,
            filings: self.scope.filings.len(),
            pages: if on { routed } else { self.pages.len() },
            kept: match (self.settings.routing, names.is_empty()) {
                (false, _) => "switched off".to_string(),
                (true, true) => "no statement asked for".to_string(),
                (true, false) => {
                    let how = if self.query.named.is_empty() {
                        "implied"
                    } else {
                        "named"
                    };
                    let names = names.join(" + ");
                    match on {
                        true => format!("{names} ({how})"),
                        false => format!("{} is {names} ({how})", self.none_of_those_looked_at()),
                    }
                }
            },
            active: on,
            reasons: Vec::new(),
            ordinals: self.scope.filings.iter().map(|f| f.0).collect(),
        }
    }

    /// Which pages were looked at, where none of them is the statement asked for.
    fn none_of_those_looked_at(&self) -> String {
        match self.settings.signals && self.pages.len() > MOST_MEASURED {
            true => format!("none of the {CANDIDATES} best pages by words"),
            false => "no page here".to_string(),
        }
    }

    /// Counts over the whole library.
    pub(super) fn library_counts(&self) -> Counts {
        let words = self.engine.index.words();
        Counts {
            terms: self.terms(words.pages(), &self.df),
            average_length: words.average_length(),
        }
    }

    /// Counts over the pages in scope: how many hold each term, and how many tokens they have.
    pub(super) fn scope_counts(&self, df: &[u64], tokens: u64) -> Counts {
        let pages = self.pages.len() as u64;
        Counts {
            terms: self.terms(pages, df),
            average_length: (tokens as f64 / pages.max(1) as f64).max(1.0),
        }
    }

    /// The question's own terms, each on so many of the pages.
    fn terms(&self, pages: u64, df: &[u64]) -> Vec<QueryTerm> {
        let own = self.query.own_terms().iter().zip(df);
        own.map(|(term, &df)| QueryTerm {
            term: term.clone(),
            df,
            idf: bm25::idf(pages, df),
        })
        .collect()
    }

    /// 1 for a statement asked for, whose pages come before all others.
    pub(super) fn tier(&self, page: PageId) -> u8 {
        u8::from(is_one_of(&self.facts(page), self.query.statements()))
    }
}

/// The Items set by hand, else those the question names by number ("Item 1A"). Words such as "risk
/// factors" only raise the pages of their Item: companies write of risks elsewhere too.
fn wanted_items(settings: &Settings, question: &str, reading: &Reading) -> Vec<String> {
    if !settings.scope.items.is_empty() {
        return settings.scope.items.clone();
    }
    if !settings.form || settings.scope.ignore.contains(&Facet::Item) {
        return Vec::new();
    }
    let by_number =
        |span: &std::ops::Range<usize>| question[span.clone()].chars().any(|c| c.is_ascii_digit());
    let named = reading.items.iter().filter(|item| by_number(&item.span));
    named.map(|item| item.item.clone()).collect()
}

/// The pages of the filings in scope, of these Items alone where there are any; sorted.
fn pages_in(engine: &Engine, scope: &Scope, items: &[String]) -> Vec<PageId> {
    let mut pages = Vec::new();
    for &(filing, _) in &scope.filings {
        let count = engine.library.filing(filing).pages;
        let all = (0..count).map(|page| PageId { filing, page });
        match engine.index.analysis(filing) {
            Some(analysis) if !items.is_empty() => {
                pages.extend(all.filter(|p| {
                    analysis
                        .subjects(p.page)
                        .any(|subject| items.iter().any(|item| item == subject))
                }));
            }
            _ => pages.extend(all),
        }
    }
    pages
}

pub(super) fn is_one_of(facts: &PageFacts, statements: &[Statement]) -> bool {
    statements
        .iter()
        .any(|s| facts.statement[s.index()] >= STATEMENT_SCORE)
}

/// The best `k`, best first.
pub(super) fn top(scored: &[Scored], k: usize) -> Vec<Scored> {
    let mut best: Vec<Scored> = scored.to_vec();
    if k == 0 {
        return Vec::new();
    }
    if best.len() > k {
        best.select_nth_unstable_by(k - 1, Scored::before);
        best.truncate(k);
    }
    best.sort_by(Scored::before);
    best
}

pub(super) fn sorted(pages: impl Iterator<Item = PageId>) -> Vec<PageId> {
    let mut pages: Vec<PageId> = pages.collect();
    pages.sort();
    pages.dedup();
    pages
}

impl Outcome {
    /// The rank (from 1) of any scored page; none where nothing is ranked, as no page has a word of the question.
    pub fn rank_of(&self, page: PageId) -> Option<usize> {
        if self.ranked.is_empty() {
            return None;
        }
        let own = self.scored.iter().find(|s| s.page == page)?;
        let before = self.scored.iter().filter(|s| s.before(own).is_lt()).count();
        Some(before + 1)
    }
}
