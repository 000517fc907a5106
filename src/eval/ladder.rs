//! Running questions under many settings: the ladder.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use rayon::prelude::*;

use super::metrics::{Means, percentile};
use super::misses::{self, Loss};
use super::questions::Question;
use super::rungs::Rung;
use crate::index::analysis::TERM;
use crate::library::{Library, PageId};
use crate::question::Statement;
use crate::search::{Engine, Outcome, Settings, StageKind, search};

/// What evaluation asks of a search engine.
pub trait Searcher: Sync {
    /// The filings searched.
    fn library(&self) -> &Library;
    /// Answers a question.
    fn search(&self, question: &str, settings: &Settings) -> Outcome;
    /// The statement a page is, if it is one.
    fn statement(&self, page: PageId) -> Option<Statement>;
    /// How often a term (as the analyzer writes it) stands on a page.
    fn tf(&self, page: PageId, term: &str) -> u32;
    /// Tokens of a page.
    fn length(&self, page: PageId) -> u32;
}

/// What one search was worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// 1-based rank of each labelled page among all pages that have a score, in the order of
    /// [`Question::gold_pages`].
    pub gold_ranks: Vec<Option<usize>>,
    /// A company was read from the question.
    pub company_found: bool,
    /// The right filing was in scope.
    pub filing_found: bool,
    /// Filings in scope.
    pub filings_kept: usize,
    /// Where it was lost; `None` for a hit.
    pub loss: Option<Loss>,
}

impl Judged {
    /// Judges an outcome against the labels.
    pub fn of(searcher: &dyn Searcher, question: &Question, outcome: &Outcome) -> Judged {
        let gold = question.gold(searcher.library());
        let gold_ranks: Vec<Option<usize>> = gold.iter().map(|&p| outcome.rank_of(p)).collect();
        let scope = outcome.funnel.iter().find(|s| s.stage == StageKind::Form);
        Judged {
            company_found: !outcome.reading.companies.is_empty(),
            filing_found: misses::kept(outcome, StageKind::Form, &gold),
            filings_kept: scope.map_or(searcher.library().filings().len(), |s| s.filings),
            loss: misses::loss(searcher, &gold, &gold_ranks, outcome),
            gold_ranks,
        }
    }

    /// The best rank of a labelled page.
    pub fn rank(&self) -> Option<usize> {
        self.gold_ranks.iter().flatten().min().copied()
    }
}

/// Every question under the settings of one rung.
#[derive(Clone, Debug)]
pub struct Run {
    /// The rung.
    pub rung: Rung,
    /// One for each question, in their order.
    pub judged: Vec<Judged>,
    /// Time of each whole call on one thread, microseconds; empty when it was not measured.
    pub micros: Vec<u64>,
}

impl Run {
    /// Means over the questions chosen by position.
    pub fn means(&self, chosen: &[usize]) -> Means {
        Means::of(
            chosen
                .iter()
                .map(|&ix| self.judged[ix].gold_ranks.as_slice()),
        )
    }

    /// p50 and p95 of the whole call in milliseconds over the questions chosen; `None` when it
    /// was not measured.
    pub fn latency(&self, chosen: &[usize]) -> Option<(f64, f64)> {
        let micros: Vec<u64> = chosen
            .iter()
            .filter_map(|&ix| self.micros.get(ix).copied())
            .collect();
        let ms = |p| percentile(&micros, p) as f64 / 1000.0;
        (!micros.is_empty()).then(|| (ms(0.5), ms(0.95)))
    }
}

/// How to run.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Threads; 0 takes every core. The result does not depend on it.
    pub jobs: usize,
    /// Measure the time of each call, on one thread, after everything ran once.
    pub timing: bool,
    /// Told how many of the searches are done.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// Whether rungs by meaning can be measured: MiniLM is ready, and every page is embedded.
///
/// # Errors
/// What there is not, and the command that brings it.
pub fn measurable(engine: &Engine) -> Result<()> {
    let meaning = engine.meaning.as_ref().context("no ranking by meaning")?;
    meaning.ready()?;
    // With a part of the pages a rung would say little of MiniLM and much of that part.
    ensure!(
        meaning.is_whole()?,
        "{}; `tenleaf embed` does the rest",
        meaning.vectors()?
    );
    Ok(())
}

/// Runs every question under every rung.
pub fn run(
    searcher: &dyn Searcher,
    questions: &[Question],
    rungs: &[Rung],
    options: Options<'_>,
) -> Result<Vec<Run>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs)
        .build()
        .context("starting the evaluation's threads")?;
    let passes = 1 + usize::from(options.timing);
    let total = rungs.len() * questions.len() * passes;
    let done = AtomicUsize::new(0);
    let step = || (options.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, total);

    let judged: Vec<Judged> = pool.install(|| {
        (0..rungs.len() * questions.len())
            .into_par_iter()
            .map(|task| {
                let question = &questions[task % questions.len()];
                let settings = &rungs[task / questions.len()].settings;
                let judged = Judged::of(
                    searcher,
                    question,
                    &searcher.search(&question.text, settings),
                );
                step();
                judged
            })
            .collect()
    });

    let mut judged = judged.into_iter();
    let runs = rungs.iter().map(|rung| Run {
        rung: rung.clone(),
        judged: judged.by_ref().take(questions.len()).collect(),
        micros: if options.timing {
            let time = |question: &Question| {
                let start = Instant::now();
                std::hint::black_box(searcher.search(&question.text, &rung.settings));
                step();
                start.elapsed().as_micros() as u64
            };
            questions.iter().map(time).collect()
        } else {
            Vec::new()
        },
    });
    Ok(runs.collect())
}

impl Searcher for Engine {
    fn library(&self) -> &Library {
        &self.library
    }

    fn search(&self, question: &str, settings: &Settings) -> Outcome {
        search(self, question, settings)
    }

    fn statement(&self, page: PageId) -> Option<Statement> {
        let analysis = self.index.analysis(page.filing)?;
        analysis.facts()[page.page as usize].is_statement()
    }

    fn tf(&self, page: PageId, term: &str) -> u32 {
        let Some(analysis) = self.index.analysis(page.filing) else {
            return 0;
        };
        let Some(id) = analysis.find(term) else {
            return 0;
        };
        let tokens = analysis.tokens(page.page).iter();
        tokens.filter(|&&token| token & TERM == id).count() as u32
    }

    fn length(&self, page: PageId) -> u32 {
        self.index.words().lengths()[self.index.ordinal(page) as usize]
    }
}
