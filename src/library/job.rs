//! What long work on the library reports while it runs, whoever watches: a progress bar, the
//! workbench, a test.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Serialize;

use crate::words::{count, with_causes};

/// Something that happened in an import or a fetch. Events come from several threads.
#[derive(Clone, Debug)]
pub enum Event {
    /// What there is to do, before any of it is done.
    Planned {
        /// Filings to be looked at.
        filings: usize,
        /// Bytes to be downloaded, as far as known; 0 for an import.
        bytes: u64,
    },
    /// Bytes that came in since the last such event.
    Received(u64),
    /// Bytes given up or already there: the count so far is off by this many.
    Corrected(i64),
    /// A filing's pages are stored.
    Stored {
        /// The filing.
        doc_name: String,
        /// Its pages.
        pages: usize,
    },
    /// A filing was already there and is kept as it is.
    Kept {
        /// The filing.
        doc_name: String,
        /// Its pages.
        pages: usize,
    },
    /// Something went wrong and is tried again.
    Retry {
        /// File or filing.
        what: String,
        /// What went wrong.
        error: String,
        /// How long until then.
        after: Duration,
    },
    /// A file or filing could not be had; the rest goes on.
    Failed(Failure),
}

/// A file or filing that could not be had, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// File or filing.
    pub what: String,
    /// What went wrong, and what to do where that is known.
    pub error: String,
}

impl Failure {
    /// What an error says of a file or filing.
    pub fn new(what: impl ToString, error: &anyhow::Error) -> Failure {
        Failure {
            what: what.to_string(),
            error: with_causes(error),
        }
    }
}

/// What an import or a fetch came to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Filings whose pages were stored.
    pub stored: usize,
    /// Filings that were already there.
    pub kept: usize,
    /// Pages of both.
    pub pages: usize,
    /// Bytes downloaded.
    pub bytes: u64,
    /// What could not be had, by name.
    pub failed: Vec<Failure>,
    /// It was stopped before the end; what was done is kept.
    pub cancelled: bool,
    /// Why the rest was not tried, where too much had failed alike; what was done is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_up: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

impl Summary {
    /// `12 filings are fetched`, now or before. A filing that is here without its original is not.
    pub fn fetched(&self) -> String {
        let fetched = self.stored + self.kept;
        let verb = if fetched == 1 { "is" } else { "are" };
        format!("{} {verb} fetched", count(fetched, "filing"))
    }

    /// Counts an event in.
    pub fn count(&mut self, event: &Event) {
        match event {
            Event::Stored { pages, .. } => {
                self.stored += 1;
                self.pages += pages;
            }
            Event::Kept { pages, .. } => {
                self.kept += 1;
                self.pages += pages;
            }
            Event::Received(bytes) => self.bytes += bytes,
            Event::Failed(failure) => self.failed.push(failure.clone()),
            Event::Planned { .. } | Event::Corrected(_) | Event::Retry { .. } => {}
        }
    }
}

/// A flag that stops long work at the next safe point. Everything done stays.
#[derive(Debug, Default)]
pub struct Cancel(AtomicBool);

impl Cancel {
    /// A flag nobody has raised.
    pub const fn new() -> Cancel {
        Cancel(AtomicBool::new(false))
    }

    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The flag itself, for work that knows of no more than a flag.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// Whether someone asked.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
