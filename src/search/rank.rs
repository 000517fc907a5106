//! From a question to ranked pages.

use std::cell::RefCell;
use std::time::Instant;

use super::meaning::Meant;
use super::measure::{Measured, measure};
use super::query::{self, Query};
use super::scope::{Scope, scope};
use super::several;
use super::signals::{self, COUNT, Context, SIGNALS, Section, Signal, Values};
use super::{
    Engine, Facet, Outcome, QueryTerm, RankedPage, Reason, Retriever, Scored, Settings, Stage,
    StageKind, Statistics,
};
use crate::index::bm25;
use crate::index::facts::{PageFacts, STATEMENT_SCORE};
use crate::library::{Form, PageId};
use crate::question::{self, Reading, Statement, Tables};
use crate::text::Stems;

/// With more pages in scope than this, the words' own index finds the candidates.
const MOST_MEASURED: usize = 4000;
/// How many candidates it then hands on to the signals.
const CANDIDATES: usize = 400;

thread_local! {
    static STEMS: RefCell<Stems> = RefCell::default();
}

/// Answers a question. The same question and settings give the same pages with the same score bits.
pub fn search(engine: &Engine, question: &str, settings: &Settings) -> Outcome {
    let start = Instant::now();
    let asked = Asked::read(engine, &engine.tables, question, settings);
    let mut outcome = asked.rank();
    if settings.several {
        outcome.groups = several::groups(engine, &outcome, |one| search(engine, question, one));
    }
    outcome.micros = start.elapsed().as_micros() as u64;
    outcome
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
    let asked = Asked::read(engine, tables, question, settings);
    let judged = asked.judge();
    let values = asked.values(&judged);
    judged.measured.pages.iter().copied().zip(values).collect()
}

/// A question read and its filings narrowed.
pub(super) struct Asked<'a> {
    pub(super) engine: &'a Engine,
    pub(super) question: &'a str,
    pub(super) settings: &'a Settings,
    pub(super) reading: Reading,
    pub(super) query: Query,
    scope: Scope,
    /// Items whose pages alone are in scope; all pages where there are none.
    items: Vec<String>,
    /// Pages in scope, sorted.
    pub(super) pages: Vec<PageId>,
    df: Vec<u64>,
    /// How near each page in scope is in meaning, when that is asked for and can be had.
    pub(super) meant: Option<Meant>,
    /// Why it cannot be had, or not for every page.
    pub(super) meant_note: Option<String>,
}

/// Scored pages in no order, how many were routed, the best pages, idf of the question's terms.
pub(super) type Ranking = (Vec<Scored>, usize, Vec<RankedPage>, Vec<f64>);

/// The pages that are scored, with all that is known of them.
struct Judged {
    measured: Measured,
    facts: Vec<PageFacts>,
}

impl<'a> Asked<'a> {
    fn read(
        engine: &'a Engine,
        tables: &Tables,
        question: &'a str,
        settings: &'a Settings,
    ) -> Self {
        let reading = question::read(tables, &engine.companies, question);
        let query = STEMS.with_borrow_mut(|stems| {
            query::build(
                tables,
                &engine.prepared,
                question,
                &reading,
                settings,
                stems,
            )
        });
        let figure = !reading.statements.is_empty();
        let scope = scope(&engine.library, question, &reading, settings, figure);
        let mut items = wanted_items(settings, question, &reading);
        let mut pages = pages_in(engine, &scope, &items);
        if pages.is_empty() && settings.scope.items.is_empty() {
            // None of the filings has the Item read from the question.
            items.clear();
            pages = pages_in(engine, &scope, &items);
        }
        let words = engine.index.words();
        let df = query.own_terms().iter().map(|t| words.df(t)).collect();
        let mut asked = Asked {
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
        asked.measure_meaning();
        asked
    }

    fn rank(&self) -> Outcome {
        let mut funnel = self.scope.stages.clone();
        funnel.push(self.pages_stage());
        let (scored, routed, ranked, idf) = match (&self.meant, self.settings.retriever) {
            (Some(meant), Retriever::Dense) => self.rank_by_meaning(meant),
            _ if self.settings.signals => self.rank_by_signals(),
            (Some(meant), Retriever::Hybrid) => self.rank_by_both(meant),
            _ => self.rank_by_words(),
        };
        funnel.push(self.routed_stage(routed));
        Outcome {
            question: self.question.to_string(),
            settings: self.settings.clone(),
            terms: self.terms(&idf),
            notes: self.notes(),
            reading: self.reading.clone(),
            funnel,
            ranked,
            scored,
            groups: Vec::new(),
            micros: 0,
        }
    }

    // ---- BM25, statement pages first ------------------------------------------------------------

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
    fn score_by_postings(&self, by_corpus: bool) -> (Vec<f64>, Vec<f64>, f64) {
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

    fn score_by_tokens(&self, by_corpus: bool) -> (Vec<f64>, Vec<f64>, f64) {
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

    fn word_reasons(&self, m: &Measured, row: usize, idf: &[f64], average: f64) -> Vec<Reason> {
        let norm = bm25::norm(m.lengths[row], average);
        let own = self.query.own_terms().iter().zip(idf).zip(m.tf(row));
        let mut reasons: Vec<Reason> = own
            .filter(|(_, tf)| **tf > 0)
            .map(|((term, &idf), &tf)| {
                let contribution = bm25::contribution(idf, tf, norm);
                Reason {
                    signal: term.clone(),
                    words: format!("{term} × {tf}"),
                    value: contribution / idf,
                    weight: idf,
                    contribution,
                }
            })
            .collect();
        reasons.sort_by(|a, b| b.contribution.total_cmp(&a.contribution));
        reasons
    }

    // ---- The sum of signals ---------------------------------------------------------------------

    fn rank_by_signals(&self) -> Ranking {
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
        let leads = self.lead_pages(&mut scored, &judged.facts);
        let routed = judged
            .facts
            .iter()
            .filter(|f| is_one_of(f, statements))
            .count();
        let best = top(&scored, self.settings.k);
        let mut ranked = Vec::with_capacity(best.len());
        for (at, s) in best.iter().enumerate() {
            let row = judged
                .measured
                .pages
                .binary_search(&s.page)
                .expect("was scored");
            let mut reasons = self.signal_reasons(&values[row], &weights, &judged, row);
            if let Some((_, statement, bonus)) = leads.iter().find(|lead| lead.0 == s.page) {
                reasons.insert(
                    0,
                    Reason {
                        signal: "needed_statement".to_string(),
                        words: format!("best {}: the answer needs one", statement.as_str()),
                        value: 1.0,
                        weight: *bonus,
                        contribution: *bonus,
                    },
                );
            }
            reasons.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
            ranked.push(self.ranked_page(at + 1, s, reasons));
        }
        let words = self.engine.index.words();
        let idf = self
            .df
            .iter()
            .map(|&df| bm25::idf(words.pages(), df))
            .collect();
        (scored, routed, ranked, idf)
    }

    /// A question that needs several statements gets the best page of each first.
    fn lead_pages(
        &self,
        scored: &mut [Scored],
        facts: &[PageFacts],
    ) -> Vec<(PageId, Statement, f64)> {
        let statements = self.query.statements();
        if statements.len() < 2 || !self.settings.routing {
            return Vec::new();
        }
        let mut leads: Vec<(usize, Statement)> = Vec::new();
        for &statement in statements {
            let best = (0..scored.len())
                .filter(|&n| facts[n].statement[statement.index()] >= STATEMENT_SCORE)
                .min_by(|&a, &b| scored[a].before(&scored[b]));
            if let Some(best) = best
                && leads.iter().all(|lead| lead.0 != best)
            {
                leads.push((best, statement));
            }
        }
        let bonus = self
            .engine
            .weights
            .weights
            .get("needed_statement")
            .copied()
            .unwrap_or(0.0);
        leads
            .into_iter()
            .map(|(at, statement)| {
                scored[at].score += bonus;
                (scored[at].page, statement, bonus)
            })
            .collect()
    }

    /// The pages to score with the signals.
    fn judge(&self) -> Judged {
        let measured = if self.pages.len() > MOST_MEASURED {
            let (scores, _, _) = self.score_by_postings(true);
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

    fn values(&self, judged: &Judged) -> Vec<Values> {
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
        let words = self.engine.index.words();
        let corpus_idf: Vec<f64> = self
            .df
            .iter()
            .map(|&df| bm25::idf(words.pages(), df))
            .collect();
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
            corpus_idf: &corpus_idf,
            average_length: words.average_length(),
            dense: self
                .meant
                .as_ref()
                .map(|meant| meant.shares(pages))
                .as_deref(),
        })
    }

    fn asks_topic(&self, topic: &str) -> bool {
        let topics = &self.reading.topics;
        topics.iter().any(|t| t.topic == topic && t.weight >= 1.0)
    }

    fn section(&self, page: PageId) -> Section {
        let filing = self.engine.library.filing(page.filing);
        let analysis = self.engine.index.analysis(filing, page.filing);
        match analysis.and_then(|a| a.subjects(page.page).next()) {
            Some("7") => Section::Mda,
            Some("1A") => Section::Risks,
            _ => Section::Other,
        }
    }

    fn signal_reasons(
        &self,
        values: &Values,
        weights: &Values,
        judged: &Judged,
        row: usize,
    ) -> Vec<Reason> {
        (0..COUNT)
            .filter(|&n| values[n] * weights[n] != 0.0)
            .map(|n| Reason {
                signal: SIGNALS[n].name().to_string(),
                words: self.say(SIGNALS[n], judged, row),
                value: values[n],
                weight: weights[n],
                contribution: values[n] * weights[n],
            })
            .collect()
    }

    /// A signal in words, for this page.
    fn say(&self, signal: Signal, judged: &Judged, row: usize) -> String {
        let m = &judged.measured;
        let phrase_words = |list: &[usize]| {
            let on_page = list.iter().filter(|&&p| m.phrase(row, p) > 0).take(3);
            let texts: Vec<String> = on_page.map(|&p| self.phrase_text(p)).collect();
            texts.join(", ")
        };
        let with = |words: String| match words.is_empty() {
            true => signal.words().to_string(),
            false => format!("{}: {words}", signal.words()),
        };
        let statement_of = |list: &[Statement]| {
            let facts = &judged.facts[row];
            let best = list
                .iter()
                .max_by(|a, b| facts.statement[a.index()].total_cmp(&facts.statement[b.index()]));
            best.map_or("statement", |s| s.as_str())
        };
        match signal {
            Signal::Topics => with(phrase_words(&self.query.topic)),
            Signal::NearTopics => with(phrase_words(&self.query.soft)),
            Signal::Metric => with(phrase_words(&self.query.metric)),
            Signal::LineItems => with(phrase_words(&self.query.line_items.concat())),
            Signal::StatementNamed | Signal::BestNamed => {
                let name = statement_of(&self.query.named);
                match self
                    .scope
                    .year
                    .is_some_and(|y| judged.facts[row].has_year(y))
                {
                    true => format!("{name} of the year asked, named in the question"),
                    false => format!("{name}, named in the question"),
                }
            }
            Signal::StatementImplied | Signal::BestImplied => {
                format!(
                    "{}, which holds the metric's inputs",
                    statement_of(&self.query.implied)
                )
            }
            Signal::Bm25Corpus | Signal::Bm25Scope | Signal::Passage => {
                let tf = m.tf(row);
                let own = self.query.own_terms().iter().enumerate();
                let words: Vec<&str> = own
                    .filter(|(n, _)| tf[*n] > 0)
                    .map(|(_, t)| t.as_str())
                    .take(5)
                    .collect();
                with(words.join(", "))
            }
            Signal::Year => match self.scope.year {
                Some(year) => format!("{year} is on the page"),
                None => signal.words().to_string(),
            },
            _ => signal.words().to_string(),
        }
    }

    fn phrase_text(&self, phrase: usize) -> String {
        let words = self.query.phrases[phrase].iter();
        let words: Vec<&str> = words
            .map(|&w| self.query.universe[w as usize].as_str())
            .collect();
        words.join(" ")
    }

    // ---- What both share ------------------------------------------------------------------------

    fn measure_pages(&self, pages: &[PageId]) -> Measured {
        measure(
            &self.engine.library,
            &self.engine.index,
            &self.query,
            self.scope.year,
            pages,
        )
    }

    pub(super) fn facts(&self, page: PageId) -> PageFacts {
        let filing = self.engine.library.filing(page.filing);
        let analysis = self.engine.index.analysis(filing, page.filing);
        analysis
            .and_then(|a| a.facts().get(page.page as usize).copied())
            .unwrap_or_default()
    }

    pub(super) fn ranked_page(
        &self,
        rank: usize,
        scored: &Scored,
        reasons: Vec<Reason>,
    ) -> RankedPage {
        let page = scored.page;
        let filing = self.engine.library.filing(page.filing);
        let analysis = self.engine.index.analysis(filing, page.filing);
        let label = |text: &str| (!text.is_empty()).then(|| text.to_string());
        let statement = self.facts(page).is_statement();
        RankedPage {
            rank,
            page,
            doc_name: filing.doc_name.clone(),
            printed_page: analysis.and_then(|a| label(a.printed_page(page.page))),
            statement,
            item: analysis.and_then(|a| label(a.item(page.page))),
            heading: analysis.and_then(|a| label(a.heading(page.page))),
            kind: analysis.and_then(|a| label(a.kind(page.page))),
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
        let on = self.settings.routing && !statements.is_empty();
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
                    format!("{} ({how})", names.join(" + "))
                }
            },
            active: on,
            reasons: Vec::new(),
            ordinals: self.scope.filings.iter().map(|f| f.0).collect(),
        }
    }

    fn terms(&self, idf: &[f64]) -> Vec<QueryTerm> {
        let own = self.query.own_terms().iter().zip(&self.df).zip(idf);
        own.map(|((term, &df), &idf)| QueryTerm {
            term: term.clone(),
            df,
            idf,
        })
        .collect()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.meant_note.iter().cloned().collect();
        let by_hand = !self.settings.scope.companies.is_empty()
            || !self.settings.scope.filings.is_empty()
            || self.settings.scope.ignore.contains(&Facet::Company);
        if self.settings.company && self.reading.companies.is_empty() && !by_hand {
            notes.push("no company recognised: all filings are searched".to_string());
        }
        for mention in self.reading.companies.iter().filter(|m| !m.or.is_empty()) {
            notes.push(format!(
                "{:?} may mean {} or {}: all are kept",
                &self.question[mention.span.clone()],
                mention.company,
                mention.or.join(" or ")
            ));
        }
        if self.query.own == 0 {
            notes.push("no word of the question is left to search for".to_string());
        }
        notes
    }
}

/// The topic of the tables that is answered by the cover page.
const COVER_TOPIC: &str = "registered_securities";
/// The topic of the tables that is answered by the risk factors.
const RISK_TOPIC: &str = "risk_factors";

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
        match engine.index.analysis(engine.library.filing(filing), filing) {
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

fn sorted(pages: impl Iterator<Item = PageId>) -> Vec<PageId> {
    let mut pages: Vec<PageId> = pages.collect();
    pages.sort();
    pages.dedup();
    pages
}

impl Outcome {
    /// The rank (from 1) of any scored page.
    pub fn rank_of(&self, page: PageId) -> Option<usize> {
        let own = self.scored.iter().find(|s| s.page == page)?;
        let before = self.scored.iter().filter(|s| s.before(own).is_lt()).count();
        Some(before + 1)
    }
}
