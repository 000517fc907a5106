//! `tenleaf` without a command: the workbench.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::typed::Typed;
use super::{Context, add, size};
use crate::add::cover::Cover;
use crate::add::{self as filings, Missing};
use crate::eval::{Question, QuestionSet};
use crate::library::fetch::{self, FetchPlan};
use crate::library::job::{Event, Failure, Summary};
use crate::library::{Filing, Library, catalog, demo};
use crate::paths::DEMO;
use crate::tui::{
    Background, Colours, Desk, Done, Job, Memory, Notice, Opened, Reported, Shelf, Start, Task, run,
};
use crate::words::count;

/// Opens the workbench and returns when the user leaves it.
pub fn open(context: &Context) -> Result<()> {
    if context.library() != DEMO {
        // A library that is not there is told before the terminal is taken.
        context.root()?;
    }
    let (memory, told) = Memory::read(&context.paths.state().join("workbench.json"));
    let start = Start {
        settings: context.config.search.clone(),
        keymap: context.config.keymap(),
        look: context.config.tui.theme,
        colours: Colours::from_env(|name| std::env::var(name).ok()),
        memory,
        benchmark: context.config.library.default.clone(),
        export_dir: std::env::current_dir().unwrap_or_else(|_| ".".into()),
        mouse: context.config.tui.mouse,
        told,
    };
    run(start, Arc::new(Work(context.clone())))
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
    /// Opens the library of this name.
    fn library(&self, name: &str, progress: &(dyn Fn(Job) + Sync)) -> Result<Opened> {
        let context = &self.0;
        let root = context.paths.library(name);
        if name == DEMO {
            demo::install(&root)?;
        }
        let (engine, synced) = context.engine_with(&root, &|done, all| {
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
        if synced.mended {
            tracing::info!("the index was damaged: made again");
        }
        Ok(Opened {
            name: name.to_string(),
            questions: questions(&engine.library),
            rungs: context.config.eval.ladder(),
            demo: name == DEMO,
            finder: Arc::new(engine),
        })
    }

    /// `tenleaf data fetch`, into the library that commands add to where none is named: the one in use may be
    /// the user's own.
    fn fetch(&self, desk: &Desk<'_>) -> Result<Done> {
        let context = &self.0;
        let benchmark = &context.config.library.default;
        let plan = FetchPlan::new(&context.paths.library(benchmark), &context.config.fetch);
        let meter = Mutex::new(Meter::new());
        let summary = fetch::run(
            &plan,
            &|event| {
                if let Some(job) = meter.lock().expect("not poisoned").count(event) {
                    (desk.progress)(job);
                }
            },
            desk.cancel,
        )?;
        if summary.cancelled {
            bail!("stopped");
        }
        if summary.stored + summary.kept == 0 {
            match summary.failed.first() {
                Some(first) => bail!(
                    "not fetched: nothing could be had: {}: {}",
                    first.what,
                    first.error
                ),
                None => bail!("nothing to fetch"),
            }
        }
        Ok(Done {
            opened: Some(self.library(benchmark, desk.progress)?),
            notice: Notice::of(told(&summary)),
            report: Vec::new(),
        })
    }

    /// `tenleaf add`, to the library named in the line, or else the one given.
    fn add(&self, line: &str, library: &str, desk: &Desk<'_>) -> Result<Done> {
        let context = &self.0;
        let typed = Typed::read(line)?;
        let library = typed.library.as_deref().unwrap_or(library);
        let told = |what: &str, done: usize, all: usize, words: &str| {
            (desk.progress)(Job {
                what: what.into(),
                done: done as u64,
                total: all as u64,
                words: format!("{done} of {all} · {words}"),
                stopping: false,
            });
        };
        let gathered = typed.args.gather(
            context,
            &mut |done, all| told("fetching from EDGAR", done, all, ""),
            desk.cancel,
        )?;
        let root = context.paths.library(library);
        let all = gathered.sources.len();
        let mut report: Vec<Reported> = gathered.failed.iter().map(failed).collect();
        let left_out = filings::left_out(&gathered.skipped);
        report.extend(left_out.map(|words| Reported {
            words,
            note: String::new(),
            filing: None,
        }));
        told("adding filings", 0, all, "reading");
        let mut done = 0;
        // What was wrong with an answer stands in place of the question: a line has not room for both.
        let ask = |name: &str, cover: &Cover, missing: Missing, wrong: Option<&str>| {
            let words = wrong.map(str::to_string);
            (desk.ask)(words.unwrap_or_else(|| add::question(name, cover, missing)))
        };
        let summary = filings::run(
            &root,
            gathered.sources,
            &gathered.labels,
            Some(&ask),
            &mut |event| {
                done += 1;
                let line = match event {
                    filings::Event::Added { filing, replaced } => {
                        added(if replaced { "replaced" } else { "added" }, filing)
                    }
                    filings::Event::Kept(filing) => added("already there", filing),
                    filings::Event::Failed(failure) => failed(failure),
                };
                told("adding filings", done, all, &line.words);
                report.push(line);
            },
            desk.cancel,
        )?;
        let failures = gathered.failed.len() + summary.failed.len();
        let opened = match summary.added.is_empty() {
            true => None,
            false => Some(self.library(library, desk.progress)?),
        };
        let words = match report.as_slice() {
            [only] if only.note.is_empty() => only.words.clone(),
            [only] => format!("{}, {}", only.words, only.note),
            _ => format!(
                "{library}: {} added, {} already there, {failures} failed",
                summary.added.len(),
                summary.kept.len()
            ),
        };
        let stopped = if summary.cancelled { "stopped; " } else { "" };
        let nothing = failures > 0 && summary.added.is_empty() && summary.kept.is_empty();
        Ok(Done {
            opened,
            notice: Notice {
                words: format!("{stopped}{words}"),
                error: nothing,
            },
            report,
        })
    }
}

fn added(what: &str, filing: &Filing) -> Reported {
    Reported {
        words: format!("{what}: {}", filing.title()),
        note: count(filing.pages as usize, "page"),
        filing: Some(filing.doc_name.clone()),
    }
}

fn failed(failure: &Failure) -> Reported {
    Reported {
        words: format!("failed: {}: {}", failure.what, failure.error),
        note: String::new(),
        filing: None,
    }
}

impl Background for Work {
    fn open(&self, progress: &(dyn Fn(Job) + Sync)) -> Result<Opened> {
        self.0.root()?;
        self.library(self.0.library(), progress)
    }

    fn work(&self, task: &Task, desk: &Desk<'_>) -> Result<Done> {
        match task {
            Task::Fetch => self.fetch(desk),
            Task::Add { line, library } => self.add(line, library, desk),
            // To open it would make its folder again.
            Task::Open(name) if name != DEMO && !self.0.paths.library(name).is_dir() => {
                bail!("there is no library {name} any more; what is open stays")
            }
            Task::Open(name) => Ok(Done {
                opened: Some(self.library(name, desk.progress)?),
                notice: Notice::of(format!("{name} is open")),
                report: Vec::new(),
            }),
        }
    }

    fn libraries(&self) -> Vec<Shelf> {
        let paths = &self.0.paths;
        let shelf = |name: String| {
            let library = Library::open(&paths.library(&name)).ok();
            let (filings, pages) = library.as_ref().map_or((0, 0), |l| size(&name, l));
            Shelf {
                fetched: library.as_ref().is_some_and(is_fetched),
                filings,
                pages,
                name,
            }
        };
        paths.libraries().into_iter().map(shelf).collect()
    }
}

/// True for a library with every filing of FinanceBench.
fn is_fetched(library: &Library) -> bool {
    let mut wanted = catalog::pinned().keys();
    wanted.all(|name| library.find(name).is_some())
}

fn told(summary: &Summary) -> String {
    for failure in &summary.failed {
        tracing::warn!("{}: {}", failure.what, failure.error);
    }
    let fetched = summary.fetched();
    match (&summary.given_up, summary.failed.len()) {
        (Some(why), _) => format!("{fetched}; {why}; the same again goes on"),
        (None, 0) => fetched,
        (None, n) => format!("{fetched}; {n} could not be had: `tenleaf data status` names them"),
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
    use crate::config::Config;
    use crate::library::job::Cancel;
    use crate::paths::Paths;

    #[test]
    fn a_library_whose_folder_is_gone_is_not_made_again() {
        let data = tempfile::tempdir().unwrap();
        let work = Work(Context {
            config: Config::shipped(),
            paths: Paths::new(Some(data.path())).unwrap(),
            named: Some("gone".into()),
        });
        let desk = Desk {
            progress: &|_| {},
            ask: &|_| None,
            cancel: &Cancel::new(),
        };
        let open = || work.work(&Task::Open("gone".into()), &desk);
        std::fs::create_dir(data.path().join("gone")).unwrap();
        assert!(open().is_ok());
        std::fs::remove_dir_all(data.path().join("gone")).unwrap();
        let error = open().err().expect("it is gone").to_string();
        assert!(
            error.starts_with("there is no library gone any more"),
            "{error}"
        );
        assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_demo_is_listed_whole_before_it_is_first_opened() {
        let data = tempfile::tempdir().unwrap();
        let work = Work(Context {
            config: Config::shipped(),
            paths: Paths::new(Some(data.path())).unwrap(),
            named: None,
        });
        let listed = work.libraries();
        assert_eq!(listed[0].filings, 8);
        assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0);
        demo::install(&data.path().join(DEMO)).unwrap();
        assert_eq!(work.libraries(), listed, "as it is when it is there");
    }

    #[test]
    fn progress_has_rate_and_time_left() {
        let mut meter = Meter::new();
        meter.all = 575_000_000;
        meter.received = 20_000_000;
        meter.here = 30_000_000;
        meter.filings = 25;
        assert_eq!(
            meter.job(Duration::from_secs(10)).words,
            "30 of 575 MB · 25 filings read · 2.0 MB/s · 4:32 left"
        );
        assert_eq!(
            meter.job(Duration::ZERO).words,
            "30 of 575 MB · 25 filings read"
        );
    }
}
