//! Why a question's labelled page stands where it stands.

use serde::Serialize;

use super::ladder::Judged;
use super::misses::{Loss, kept};
use super::questions::Question;
use super::rungs::Rung;
use crate::index::bm25;
use crate::library::PageId;
use crate::search::{Engine, Outcome, QueryTerm, RankedPage, Reason, Settings, StageKind, search};

/// Everything the error-analysis screen shows of one question.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// Id of the question.
    pub id: String,
    /// The question as asked: edited, when it was.
    pub question: String,
    /// The settings in force.
    pub settings: Settings,
    /// Where it is lost; `None` for a hit.
    pub loss: Option<Loss>,
    /// For each labelled page its rank under each rung.
    pub pages: Vec<LabelledRanks>,
    /// What each stage of the funnel left, and whether the right filing was among it.
    pub stages: Vec<StageSeen>,
    /// The weight of each query term in the pages compared.
    pub terms: Vec<TermSeen>,
    /// The page ranked first.
    pub first: Option<PageSeen>,
    /// The labelled pages, in the order of `pages`; `None` for one that has no score.
    pub labelled: Vec<Option<PageSeen>>,
}

/// Ranks of one labelled page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelledRanks {
    /// Its filing.
    pub doc_name: String,
    /// 1-based PDF page.
    pub page: u32,
    /// Both, as people cite them, with the printed number where it is known.
    pub cited_as: String,
    /// Rank under the settings in force; `None` when it is out of scope or shares no word.
    pub rank: Option<usize>,
    /// Rung and rank, in the ladder's order.
    pub rungs: Vec<(String, Option<usize>)>,
}

/// A stage of the funnel as the right filing saw it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StageSeen {
    /// The stage.
    pub stage: StageKind,
    /// Filings left.
    pub filings: usize,
    /// Pages left.
    pub pages: usize,
    /// What it kept, in words.
    pub kept: String,
    /// The right filing is among the filings left.
    pub keeps_right_filing: bool,
    /// Filings this stage dropped.
    pub dropped: usize,
    /// Names of some of them, the right filing first, at most twenty.
    pub dropped_names: Vec<String>,
    /// Why the right filing was kept, where it was.
    pub why: Option<String>,
}

/// A query term and what it gives each page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TermSeen {
    /// As the analyzer writes it.
    pub term: String,
    /// Pages that hold it.
    pub df: u64,
    /// Inverse document frequency.
    pub idf: f64,
    /// In the page ranked first.
    pub first: Weight,
    /// In each labelled page.
    pub labelled: Vec<Weight>,
    /// It stands in the page ranked first and in a labelled one.
    pub shared: bool,
}

/// A term in a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Weight {
    /// How often it stands there.
    pub tf: u32,
    /// Its part of the page's BM25 score.
    pub contribution: f64,
}

/// A page compared.
#[derive(Clone, Debug, Serialize)]
pub struct PageSeen {
    /// The page.
    #[serde(skip)]
    pub id: PageId,
    /// Its filing.
    pub doc_name: String,
    /// 1-based PDF page.
    pub page: u32,
    /// Both, as people cite them.
    pub cited_as: String,
    /// Rank under the settings in force.
    pub rank: usize,
    /// Score under the settings in force.
    pub score: f64,
    /// What adds up to it: signals, or terms for BM25 alone.
    pub reasons: Vec<Reason>,
    /// BM25 score: the sum of the terms' contributions.
    pub bm25: f64,
}

/// Explains a question under `settings`; `text` is what is asked, the question's own or an edit.
pub fn explain(
    engine: &Engine,
    question: &Question,
    text: &str,
    settings: &Settings,
    rungs: &[Rung],
) -> Explanation {
    let gold = question.gold(engine.library.filings());
    let outcome = search(engine, text, settings);
    let ranks: Vec<Option<usize>> = gold.iter().map(|&p| outcome.rank_of(p)).collect();
    // Once more, deep enough for the reasons of the labelled pages.
    let deep = deep(settings, ranks.iter().flatten().max().copied());
    let deep = search(engine, text, &deep);
    let first = deep.ranked.first();
    let terms = terms(engine, &deep, first.map(|page| page.page), &gold);
    let bm25 = |page: PageId| -> f64 {
        let weight = |t: &TermSeen| match gold.iter().position(|&g| g == page) {
            Some(ix) => t.labelled[ix].contribution,
            None => t.first.contribution,
        };
        terms.iter().map(weight).sum()
    };
    let cited = |id: PageId| {
        let listed = deep.ranked.iter().find(|page| page.page == id);
        let printed = listed.and_then(|page| page.about.printed_page.as_deref());
        let filing = engine.library.filing(id.filing);
        filing.cite(id.page, printed)
    };
    let seen = |page: &RankedPage| PageSeen {
        id: page.page,
        doc_name: page.doc_name.clone(),
        page: page.page.page + 1,
        cited_as: cited(page.page),
        rank: page.rank,
        score: page.score,
        reasons: page.reasons.clone(),
        bm25: bm25(page.page),
    };
    let by_rung: Vec<Vec<Option<usize>>> = rungs
        .iter()
        .map(|rung| Judged::of(engine, question, &search(engine, text, &rung.settings)))
        .map(|judged| judged.gold_ranks)
        .collect();
    Explanation {
        id: question.id.clone(),
        question: text.to_string(),
        settings: settings.clone(),
        loss: Judged::of(engine, question, &outcome).loss,
        pages: gold
            .iter()
            .enumerate()
            .map(|(ix, page)| LabelledRanks {
                doc_name: question.doc_name.clone(),
                page: page.page + 1,
                cited_as: cited(*page),
                rank: ranks[ix],
                rungs: rungs
                    .iter()
                    .zip(&by_rung)
                    .map(|(rung, ranks)| (rung.name.clone(), ranks[ix]))
                    .collect(),
            })
            .collect(),
        stages: stages(engine, question, &gold, &outcome),
        first: first.map(seen),
        labelled: gold
            .iter()
            .map(|&page| deep.ranked.iter().find(|r| r.page == page).map(seen))
            .collect(),
        terms,
    }
}

fn deep(settings: &Settings, deepest: Option<usize>) -> Settings {
    Settings {
        k: settings.k.max(deepest.unwrap_or(0)),
        ..settings.clone()
    }
}

/// The query's terms in the pages compared, heaviest first.
fn terms(
    engine: &Engine,
    outcome: &Outcome,
    first: Option<PageId>,
    gold: &[PageId],
) -> Vec<TermSeen> {
    let weight = |page: PageId, term: &QueryTerm| {
        let tf = engine.tf(page, &term.term);
        let norm = bm25::norm(engine.length(page), outcome.average_length);
        Weight {
            tf,
            contribution: bm25::contribution(term.idf, tf, norm),
        }
    };
    let of = |term: &QueryTerm| {
        let first = first.map_or(Weight::default(), |page| weight(page, term));
        let labelled: Vec<Weight> = gold.iter().map(|&page| weight(page, term)).collect();
        TermSeen {
            term: term.term.clone(),
            df: term.df,
            idf: term.idf,
            shared: first.tf > 0 && labelled.iter().any(|w| w.tf > 0),
            first,
            labelled,
        }
    };
    let mut terms: Vec<TermSeen> = outcome.terms.iter().map(of).collect();
    let largest = |t: &TermSeen| {
        let labelled = t.labelled.iter().map(|w| w.contribution);
        labelled.fold(t.first.contribution, f64::max)
    };
    terms.sort_by(|a, b| largest(b).total_cmp(&largest(a)));
    terms
}

fn stages(
    engine: &Engine,
    question: &Question,
    gold: &[PageId],
    outcome: &Outcome,
) -> Vec<StageSeen> {
    let library = &engine.library;
    let name = |&ordinal: &u32| library.filing(ordinal).doc_name.clone();
    let mut before: Option<&[u32]> = None;
    let mut seen = Vec::new();
    for stage in &outcome.funnel {
        let mut dropped: Vec<u32> = before
            .unwrap_or_default()
            .iter()
            .filter(|ordinal| !stage.ordinals.contains(ordinal))
            .copied()
            .collect();
        let right = gold.first().map(|page| page.filing);
        dropped.sort_by_key(|&ordinal| (Some(ordinal) != right, ordinal));
        let why = stage
            .reasons
            .iter()
            .find(|kept| kept.doc_name == question.doc_name)
            .map(|kept| kept.why.clone())
            .filter(|why| !why.is_empty());
        seen.push(StageSeen {
            stage: stage.stage,
            filings: stage.filings,
            pages: stage.pages,
            kept: stage.kept.clone(),
            keeps_right_filing: kept(outcome, stage.stage, gold),
            dropped: dropped.len(),
            dropped_names: dropped.iter().take(20).map(name).collect(),
            why,
        });
        before = Some(&stage.ordinals);
    }
    seen
}
