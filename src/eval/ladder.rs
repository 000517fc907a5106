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
use crate::library::PageId;
use crate::question::Statement;
use crate::search::{Engine, Outcome, StageKind, search};

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
    pub fn of(engine: &Engine, question: &Question, outcome: &Outcome) -> Judged {
        let gold = question.gold(engine.library.filings());
        let gold_ranks: Vec<Option<usize>> = gold.iter().map(|&p| outcome.rank_of(p)).collect();
        let scope = outcome.funnel.iter().find(|s| s.stage == StageKind::Form);
        Judged {
            company_found: !outcome.reading.companies.is_empty(),
            filing_found: misses::kept(outcome, StageKind::Form, &gold),
            filings_kept: scope.map_or(engine.library.filings().len(), |s| s.filings),
            loss: misses::loss(engine, &gold, &gold_ranks, outcome),
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
    engine: &Engine,
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
                let outcome = search(engine, &question.text, settings);
                let judged = Judged::of(engine, question, &outcome);
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
                std::hint::black_box(search(engine, &question.text, &rung.settings));
                // Before the progress is told: to draw it takes time.
                let micros = start.elapsed().as_micros() as u64;
                step();
                micros
            };
            questions.iter().map(time).collect()
        } else {
            Vec::new()
        },
    });
    Ok(runs.collect())
}

/// What evaluation asks of an engine besides a search.
impl Engine {
    /// The statement a page is, if it is one.
    pub(super) fn statement(&self, page: PageId) -> Option<Statement> {
        let analysis = self.index.analysis(page.filing)?;
        analysis.facts()[page.page as usize].is_statement()
    }

    /// How often a term (as the analyzer writes it) stands on a page.
    pub(super) fn tf(&self, page: PageId, term: &str) -> u32 {
        let Some(analysis) = self.index.analysis(page.filing) else {
            return 0;
        };
        let Some(id) = analysis.find(term) else {
            return 0;
        };
        let tokens = analysis.tokens(page.page).iter();
        tokens.filter(|&&token| token & TERM == id).count() as u32
    }

    /// Tokens of a page.
    pub(super) fn length(&self, page: PageId) -> u32 {
        self.index.words().lengths()[self.index.ordinal(page) as usize]
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::eval::QuestionSet;
    use crate::library::demo;
    use crate::question::Tables;
    use crate::search::Settings;

    #[test]
    fn telling_how_far_it_is_takes_none_of_the_time_measured() {
        let dir = tempfile::tempdir().unwrap();
        demo::install(dir.path()).unwrap();
        let (engine, _) = Engine::open(dir.path(), Tables::builtin(), &|_, _| {}).unwrap();
        let questions = QuestionSet::load(&engine.library, &[]).questions;
        let rung = Rung {
            name: "demo".into(),
            settings: Settings::default(),
            over: None,
            alone: false,
        };
        // Of a search in eight filings, a thousandth of this is taken.
        let drawing = Duration::from_secs(1);
        let progress = |done, all| {
            if done == all {
                std::thread::sleep(drawing);
            }
        };
        let options = Options {
            jobs: 1,
            timing: true,
            progress: &progress,
        };
        let runs = run(&engine, &questions[..1], &[rung], options).unwrap();
        assert_eq!(runs[0].micros.len(), 1);
        assert!(u128::from(runs[0].micros[0]) < drawing.as_micros());
    }
}
