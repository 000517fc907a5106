//! `tenleaf embed`.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::{Context, Exit, Usage, errln, outln, print_json_of, stop_asked, stopped};
use crate::dense::job::{self, Plan};
use crate::dense::{Embedder, Model};
use crate::library::Library;
use crate::tui::action::{Action, Where};
use crate::words::{count, thousands};

/// Embed every page for ranking by meaning: only pages that are new or whose text changed
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf embed                                    all pages, on every core
  tenleaf embed --filings 3M_2018_10K AMD_2022     these first (a name or the beginning of one)
  tenleaf embed --only 3M_2018_10K --workers 1     these and no others
  tenleaf embed --replace                          anew, after a change of model

FinanceBench's 53,361 pages take 20 minutes to two hours on two cores; before it
starts it says how long yours will take. Stop it at any moment (Ctrl-C, even
kill -9): the next run goes on where it was.")]
pub struct Args {
    /// Filings to embed first: names, or beginnings of names
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    filings: Vec<String>,
    /// Filings to embed and no others
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', conflicts_with = "filings")]
    only: Vec<String>,
    /// Threads, one session each, at most one a core [default: one a core]
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    /// Windows of 256 tokens a page, at most; the best one counts [default: as config says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    windows: Option<u32>,
    /// Make vectors of another model anew, too
    #[arg(long)]
    replace: bool,
    /// Print one line of JSON at the end in place of words
    #[arg(long)]
    json: bool,
}

/// What the run came to, for `--json`.
#[derive(Debug, Serialize)]
struct Report {
    pages_embedded: usize,
    pages_kept: usize,
    seconds: f64,
    pages_per_second: f64,
    stopped: bool,
    problems: Vec<String>,
}

/// `40 s`, `12 min`, `1 h 5 min`.
fn about(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    match (seconds, minutes) {
        (..90.0, _) => format!("{:.0} s", seconds.max(1.0)),
        (_, ..60) => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

impl Args {
    /// Embeds, showing how far it is.
    pub fn run(self, context: &Context) -> Result<()> {
        let root = context.root()?;
        let library = Library::open(&root)?;
        let orphans = job::remove_orphans(&library)?;
        if orphans > 0 {
            tracing::info!("{orphans} vector files of removed filings deleted");
        }
        let filings = self.order(&library)?;
        let model = Model::open(&context.paths.models())?;
        // One session before anything is planned: a wrong library or model is told of at once.
        model.embedder()?;
        let windows = self.windows.unwrap_or(context.config.model.windows) as usize;
        let plan = Plan::new(&library, model.id(), windows, &filings, self.replace)?;
        let cores = thread::available_parallelism().map_or(1, usize::from);
        // Each holds a model in memory, and more than the cores are not faster.
        let most = cores.min(plan.filings()).max(1);
        let workers = self.workers.unwrap_or(most).clamp(1, most);
        if !self.json && plan.pages > 0 {
            errln!(
                "{}: {} of {} to embed, {} already are; {workers} at a time",
                context.library(),
                count(plan.pages, "page"),
                count(plan.filings(), "filing"),
                thousands(plan.kept),
            );
            // All at once, as it will be: cores share memory and other work.
            let rate: f64 = thread::scope(|scope| {
                let tried = || plan.pages_per_second(&mut model.embedder().ok()?);
                let tries: Vec<_> = (0..workers).map(|_| scope.spawn(tried)).collect();
                let rates = tries.into_iter().filter_map(|one| one.join().ok()?);
                rates.sum()
            });
            if rate > 0.0 {
                errln!(
                    "at {rate:.0} pages/s, tried on some of them, about {}; longer while the machine does other work",
                    about(plan.pages as f64 / rate)
                );
            }
            errln!("Ctrl-C stops it at any moment; the same command goes on from there");
        }
        let bar = self.bar(plan.pages);
        let started = Instant::now();
        let summary = plan.run(
            workers,
            || -> Result<Embedder, _> { model.embedder() },
            stop_asked(),
            |progress| {
                bar.set_length(progress.pages as u64);
                bar.set_position(progress.embedded as u64);
                bar.set_message(progress.now);
            },
        )?;
        bar.finish_and_clear();
        let seconds = started.elapsed().as_secs_f64();
        let report = Report {
            pages_embedded: summary.embedded,
            pages_kept: plan.kept,
            seconds,
            pages_per_second: summary.embedded as f64 / seconds.max(1e-9),
            stopped: summary.stopped,
            problems: summary.problems,
        };
        self.print(context, &report, plan.pages)?;
        match (report.stopped, report.problems.is_empty()) {
            (true, _) => Err(stopped().into()),
            (false, false) => Err(Exit(1).into()),
            (false, true) => Ok(()),
        }
    }

    /// The ordinals of the filings to embed, those asked for first.
    fn order(&self, library: &Library) -> Result<Vec<u32>> {
        let mut order = Vec::new();
        for name in self.filings.iter().chain(&self.only) {
            let found = library.filings().iter().enumerate();
            let mut found = found
                .filter(|(_, filing)| filing.doc_name.starts_with(name))
                .peekable();
            if found.peek().is_none() {
                return Err(Usage(format!(
                    "no filing's name begins with {name:?}: `tenleaf list` names them"
                ))
                .into());
            }
            order.extend(found.map(|(ix, _)| ix as u32));
        }
        if self.only.is_empty() {
            order.extend(0..library.filings().len() as u32);
        }
        let mut seen = std::collections::HashSet::new();
        order.retain(|ordinal| seen.insert(*ordinal));
        Ok(order)
    }

    fn bar(&self, pages: usize) -> ProgressBar {
        let target = if self.json {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(5)
        };
        let style = ProgressStyle::with_template(
            "{bar:24} {human_pos} of {human_len} pages · {per_sec} · {eta} left · {wide_msg}",
        )
        .expect("the template is right")
        .with_key(
            "per_sec",
            |state: &indicatif::ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{:.1} pages/s", state.per_sec());
            },
        );
        let bar = ProgressBar::with_draw_target(Some(pages as u64), target).with_style(style);
        bar.enable_steady_tick(Duration::from_millis(500));
        bar
    }

    fn print(&self, context: &Context, report: &Report, planned: usize) -> Result<()> {
        if self.json {
            return print_json_of(context.library(), report);
        }
        let key = context
            .config
            .keymap()
            .key(Action::SwitchRetriever, Where::QUESTION);
        let words = match (report.pages_embedded, report.stopped) {
            (0, false) if planned == 0 => {
                format!("all {} pages are embedded", thousands(report.pages_kept))
            }
            (embedded, stopped) => format!(
                "{} embedded in {:.0} s, {:.1} pages/s{}",
                count(embedded, "page"),
                report.seconds,
                report.pages_per_second,
                match stopped {
                    true => "; stopped: `tenleaf embed` goes on from here".to_string(),
                    false =>
                        format!("; {key} in the workbench and `--retriever hybrid` rank by them"),
                },
            ),
        };
        outln!("{}: {words}", context.library());
        for problem in &report.problems {
            errln!("tenleaf: {problem}");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::about;

    #[test]
    fn times_are_said_as_people_say_them() {
        for (seconds, said) in [
            (0.2, "1 s"),
            (40.0, "40 s"),
            (720.0, "12 min"),
            (3_598.0, "1 h 0 min"),
            (3_900.0, "1 h 5 min"),
        ] {
            assert_eq!(about(seconds), said);
        }
    }
}
