//! `tenleaf` without a command: the workbench.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::Context;
use crate::config::Theme as Wanted;
use crate::eval::{Question, QuestionSet};
use crate::library::Library;
use crate::library::fetch::{self, FetchPlan};
use crate::library::job::{Cancel, Event, Summary};
use crate::paths::DEMO;
use crate::tui::{Background, Colours, Fetched, Ground, Job, Memory, Opened, Start, Theme, run};
use crate::words::count;

/// Opens the workbench and returns when the user leaves it.
pub fn open(context: &Context) -> Result<()> {
    if context.library() != DEMO {
        // A library that is not there is told before the terminal is taken.
        context.root()?;
    }
    let (memory, told) = Memory::read(&context.paths.state().join("workbench.json"));
    let colours = match context.config.tui.theme {
        Wanted::Mono => Colours::None,
        _ => Colours::from_env(|name| std::env::var(name).ok()),
    };
    let ground = match context.config.tui.theme {
        Wanted::Dark => Ground::Dark,
        Wanted::Light => Ground::Light,
        Wanted::Auto | Wanted::Mono => Ground::Unknown,
    };
    let start = Start {
        settings: context.config.search.clone(),
        keymap: context.config.keymap(),
        theme: Theme::of(colours, ground),
        can_fetch: true,
        memory,
        export_dir: std::env::current_dir().unwrap_or_else(|_| ".".into()),
        mouse: context.config.tui.mouse,
        told,
    };
    run(start, Arc::new(Work(context.clone())), colours)
}

/// The labelled questions of a library; what is wrong with some is logged.
fn questions(library: &Library) -> Vec<Question> {
    let set = QuestionSet::load(library, &[]);
    for problem in &set.problems {
        tracing::warn!("{problem}");
    }
    set.questions
}

/// What the workbench has done in the background.
struct Work(Context);

impl Work {
    fn library(&self, root: &Path, progress: &(dyn Fn(Job) + Sync)) -> Result<Opened> {
        let context = &self.0;
        let (engine, synced) = context.engine_with(root, &|done, all| {
            if all > 0 {
                progress(Job {
                    what: "indexing filings".into(),
                    done: done as u64,
                    total: all as u64,
                    words: format!("{done} of {all}"),
                    stopping: false,
                });
            }
        })?;
        if let Some(version) = synced.wiped {
            tracing::info!("the index was of another version ({version}): made again");
        }
        Ok(Opened {
            questions: questions(&engine.library),
            rungs: context.config.eval.ladder(),
            demo: context.library() == DEMO,
            finder: Arc::new(engine),
        })
    }
}

impl Background for Work {
    fn open(&self, progress: &(dyn Fn(Job) + Sync)) -> Result<Opened> {
        self.library(&self.0.root()?, progress)
    }

    /// `tenleaf data fetch`.
    fn fetch(&self, progress: &(dyn Fn(Job) + Sync), cancel: &Cancel) -> Result<Fetched> {
        let context = &self.0;
        let root = context.root_to_fill();
        let plan = FetchPlan::new(&root, &context.config.fetch);
        let meter = Mutex::new(Meter::new());
        let summary = fetch::run(
            &plan,
            &|event| {
                if let Some(job) = meter.lock().expect("not poisoned").count(event) {
                    progress(job);
                }
            },
            cancel,
        )?;
        if summary.cancelled {
            bail!("stopped");
        }
        if summary.stored + summary.kept == 0 {
            match summary.failed.first() {
                Some(first) => bail!("nothing could be had: {}: {}", first.what, first.error),
                None => bail!("nothing to fetch"),
            }
        }
        Ok(Fetched {
            library: Opened {
                demo: false,
                ..self.library(&root, progress)?
            },
            words: told(&summary),
        })
    }
}

fn told(summary: &Summary) -> String {
    let here = summary.stored + summary.kept;
    let verb = if here == 1 { "is" } else { "are" };
    let filings = format!("{} {verb} here", count(here, "filing"));
    match summary.failed.len() {
        0 => filings,
        n => {
            for failure in &summary.failed {
                tracing::warn!("{}: {}", failure.what, failure.error);
            }
            format!("{filings}; {n} could not be had: `tenleaf data status` names them")
        }
    }
}

/// Bytes, rate and time left, told a few times a second at most.
struct Meter {
    started: Instant,
    told: Option<Instant>,
    received: u64,
    /// Bytes that are here, received now or before.
    here: u64,
    all: u64,
    filings: usize,
}

impl Meter {
    const PAUSE: Duration = Duration::from_millis(250);

    fn new() -> Meter {
        Meter {
            started: Instant::now(),
            told: None,
            received: 0,
            here: 0,
            all: 0,
            filings: 0,
        }
    }

    fn count(&mut self, event: &Event) -> Option<Job> {
        match event {
            Event::Planned { bytes, .. } => self.all = *bytes,
            Event::Received(bytes) => {
                self.received += bytes;
                self.here += bytes;
            }
            Event::Corrected(by) => self.here = self.here.saturating_add_signed(*by),
            Event::Stored { .. } | Event::Kept { .. } => self.filings += 1,
            Event::Retry { what, error, .. } => tracing::info!("{what}: {error}: tried again"),
            Event::Failed(_) => {}
        }
        let now = Instant::now();
        if self.told.is_some_and(|told| now - told < Meter::PAUSE) {
            return None;
        }
        self.told = Some(now);
        Some(self.job(self.started.elapsed()))
    }

    fn job(&self, elapsed: Duration) -> Job {
        const MB: f64 = 1e6;
        let rate = self.received as f64 / elapsed.as_secs_f64().max(0.001);
        let mut words = format!(
            "{:.0} of {:.0} MB · {} read",
            self.here as f64 / MB,
            self.all as f64 / MB,
            count(self.filings, "filing")
        );
        if rate > 1.0 && elapsed >= Duration::from_secs(1) {
            let left = (self.all.saturating_sub(self.here) as f64 / rate) as u64;
            words += &format!(
                " · {:.1} MB/s · {}:{:02} left",
                rate / MB,
                left / 60,
                left % 60
            );
        }
        Job {
            what: "fetching filings".into(),
            done: self.here,
            total: self.all,
            words,
            stopping: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_has_rate_and_time_left() {
        let mut meter = Meter::new();
        meter.all = 430_000_000;
        meter.received = 20_000_000;
        meter.here = 30_000_000;
        meter.filings = 25;
        assert_eq!(
            meter.job(Duration::from_secs(10)).words,
            "30 of 430 MB · 25 filings read · 2.0 MB/s · 3:20 left"
        );
        assert_eq!(
            meter.job(Duration::ZERO).words,
            "30 of 430 MB · 25 filings read"
        );
    }
}
