//! FinanceBench from its upstream repository: questions and PDFs at the pinned commit, checked
//! against their hashes, and read into pages as they arrive.
//!
//! A file comes in as `NAME.part` and gets its name when its hash is right, so whatever stands
//! under its name is whole. What is there is not fetched again; a `.part` goes on where it ended.

mod fault;
mod transfer;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use super::Library;
use super::catalog::{self, ManifestRow};
use super::checksum::Expected;
use super::http::Patience;
use super::import::{disk_full, failed, is_disk_full, pdf_path, store_pdf};
use super::job::{Cancel, Event, Failure, Summary};

use transfer::Transfers;
pub use transfer::Wanted;

/// The labelled questions: path at upstream, length, git blob SHA-1.
const QUESTIONS: (&str, u64, &str) = (
    "data/financebench_open_source.jsonl",
    929_848,
    "4aef1d43a443474ba193f158f2baf70550ff528d",
);
/// What the first fetch brings, in words for a person.
pub const ABOUT: &str = "about 575 MB";
/// What a PDF of unknown length counts as in the plan; those are the ones over 4 MiB.
const USUAL_BYTES: u64 = 6 << 20;

/// `[fetch]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FetchConfig {
    /// Address of the upstream repository's raw files, without the commit.
    pub base: String,
    /// Commit the hashes were taken at.
    pub commit: String,
    /// Files at once.
    pub concurrency: usize,
    /// Seconds to connect in.
    pub connect_timeout_s: u64,
    /// Seconds without a byte after which a transfer is cut.
    pub stall_timeout_s: u64,
    /// Tries after the first, for each file.
    pub retries: u32,
}

impl FetchConfig {
    /// How patiently each file is asked for.
    pub fn patience(&self) -> Patience {
        Patience {
            connect_timeout: Duration::from_secs(self.connect_timeout_s),
            stall_timeout: Duration::from_secs(self.stall_timeout_s),
            retries: self.retries,
            first_pause: Duration::from_millis(500),
        }
    }
}

/// What to fetch, from where, to where, and how patiently.
#[derive(Clone, Debug)]
pub struct FetchPlan {
    /// The library's folder; made if need be.
    pub root: PathBuf,
    /// Address the files' paths (`pdfs/DOC.pdf`) are added to.
    pub base: String,
    /// The filings.
    pub filings: Vec<ManifestRow>,
    /// Whether to fetch the questions.
    pub questions: bool,
    /// Files at once.
    pub concurrency: usize,
    /// How patiently each file is asked for.
    pub patience: Patience,
}

impl FetchPlan {
    /// All of FinanceBench, as the config says.
    pub fn new(root: &Path, config: &FetchConfig) -> FetchPlan {
        FetchPlan {
            root: root.to_path_buf(),
            base: format!("{}/{}", config.base.trim_end_matches('/'), config.commit),
            filings: catalog::pinned().values().cloned().collect(),
            questions: true,
            concurrency: config.concurrency.max(1),
            patience: config.patience(),
        }
    }

    /// Bytes of everything, as far as known: what the first fetch brings.
    pub fn bytes(&self) -> u64 {
        let pdfs = self
            .filings
            .iter()
            .map(|row| row.pdf_bytes.unwrap_or(USUAL_BYTES));
        pdfs.sum::<u64>() + if self.questions { QUESTIONS.1 } else { 0 }
    }
}

/// Fetches, and reads what arrives on all cores meanwhile. Stopped or killed at any moment, what is
/// done stays and the next run goes on. Blocks until all is done: run it on a thread of its own.
///
/// # Errors
///
/// If the library cannot be written at all. A file that could not be had is in the summary.
pub fn run(
    plan: &FetchPlan,
    on_event: &(dyn Fn(&Event) + Sync),
    cancel: &Cancel,
) -> Result<Summary> {
    let started = Instant::now();
    let summary = Mutex::new(Summary::default());
    let tell = |event: Event| {
        summary.lock().expect("not poisoned").count(&event);
        on_event(&event);
    };
    for dir in ["pages", "pdfs", "questions"] {
        let dir = plan.root.join(dir);
        fs::create_dir_all(&dir).with_context(|| format!("creating {}", dir.display()))?;
    }
    tell(Event::Planned {
        filings: plan.filings.len(),
        bytes: plan.bytes(),
    });
    let full = AtomicBool::new(false);
    let (arrived, to_read) = mpsc::channel::<&ManifestRow>();
    let to_read = Mutex::new(to_read);
    let given_up = std::thread::scope(|scope| -> Result<Option<String>> {
        let readers = std::thread::available_parallelism().map_or(2, |n| n.get());
        for _ in 0..readers {
            scope.spawn(|| read_arrivals(plan, &to_read, &tell, &full, cancel));
        }
        let transfers = Transfers::new(&plan.base, plan.patience, &tell, &full, cancel)?;
        // Dropped at the end, whatever happens: the readers then finish.
        let arrived = arrived;
        runtime()?.block_on(all(plan, &transfers, &arrived));
        Ok(transfers.given_up())
    })?;
    drop(to_read);
    let refreshed = Library::refresh(&plan.root);
    let mut summary = summary.into_inner().expect("not poisoned");
    if full.load(Ordering::Relaxed) {
        bail!(disk_full(&summary, plan.filings.len(), &plan.root));
    }
    refreshed?;
    summary.cancelled = cancel.is_cancelled();
    summary.given_up = given_up.filter(|_| !summary.cancelled);
    summary.seconds = started.elapsed().as_secs_f64();
    Ok(summary)
}

/// Fetches single files in turn from below an address. Files that are there and right are kept. Blocks until all is
/// done; returns what could not be had.
///
/// # Errors
///
/// If no client can be made. A file that could not be had is in the list.
pub fn files(
    base: &str,
    patience: Patience,
    wanted: &[Wanted],
    on_event: &(dyn Fn(&Event) + Sync),
    cancel: &Cancel,
) -> Result<Vec<Failure>> {
    let failures = Mutex::new(Vec::new());
    let tell = |event: Event| {
        if let Event::Failed(failure) = &event {
            failures.lock().expect("not poisoned").push(failure.clone());
        }
        on_event(&event);
    };
    let full = AtomicBool::new(false);
    let transfers = Transfers::new(base, patience, &tell, &full, cancel)?;
    runtime()?.block_on(async {
        for wanted in wanted {
            transfers.one(wanted).await;
        }
    });
    drop(transfers);
    Ok(failures.into_inner().expect("not poisoned"))
}

/// Transfers wait, they do not compute: one thread drives them all.
fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
}

/// Brings in everything that is planned, and tells of every PDF that has arrived.
async fn all<'a>(
    plan: &'a FetchPlan,
    transfers: &Transfers<'a>,
    arrived: &mpsc::Sender<&'a ManifestRow>,
) {
    if plan.questions {
        let (path, bytes, sha1) = QUESTIONS;
        let name = path.rsplit('/').next().expect("not empty");
        transfers
            .one(&Wanted {
                path: path.to_string(),
                to: plan.root.join("questions").join(name),
                bytes: Some(bytes),
                expected: Some(Expected::GitBlob(sha1.to_string())),
            })
            .await;
    }
    futures_util::stream::iter(&plan.filings)
        .for_each_concurrent(plan.concurrency, |row| async move {
            let wanted = Wanted {
                path: format!("pdfs/{}.pdf", row.doc_name),
                to: pdf_path(&plan.root, &row.doc_name),
                bytes: row.pdf_bytes,
                expected: Expected::of(row),
            };
            if transfers.one(&wanted).await {
                // The readers live as long as this does.
                let _ = arrived.send(row);
            }
        })
        .await;
}

/// Reads PDFs that are whole until there are no more to come.
fn read_arrivals(
    plan: &FetchPlan,
    to_read: &Mutex<mpsc::Receiver<&ManifestRow>>,
    tell: &(dyn Fn(Event) + Sync),
    full: &AtomicBool,
    cancel: &Cancel,
) {
    loop {
        let next = to_read.lock().expect("not poisoned").recv();
        let Ok(row) = next else { return };
        if cancel.is_cancelled() {
            continue;
        }
        match store_pdf(
            &plan.root,
            row,
            &pdf_path(&plan.root, &row.doc_name),
            cancel,
        ) {
            Ok(Some(event)) => tell(event),
            Ok(None) => {}
            Err(error) => {
                full.fetch_or(is_disk_full(&error), Ordering::Relaxed);
                tell(failed(&row.doc_name, &error));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everywhere_the_fetch_is_said_to_be_as_long_as_it_is() {
        let config = &crate::config::Config::shipped().fetch;
        let bytes = FetchPlan::new(Path::new("x"), config).bytes();
        assert_eq!(ABOUT, format!("about {:.0} MB", bytes as f64 / 1e6));
        for text in [
            include_str!("../../../README.md"),
            include_str!("../../cli/data.rs"),
        ] {
            assert!(text.contains(ABOUT));
        }
    }

    #[test]
    fn the_plan_is_the_whole_of_it() {
        let plan = FetchPlan::new(Path::new("x"), &crate::config::Config::shipped().fetch);
        assert_eq!(plan.filings.len(), 360);
        assert!(
            plan.base
                .ends_with("financebench/cc39aeb4afdf33909ee1412188bf89035950c2eb")
        );
        assert!((400_000_000..700_000_000).contains(&plan.bytes()));
    }
}
