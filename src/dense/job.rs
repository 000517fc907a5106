//! Embedding a library's pages: what is to do, doing it on several threads, stopping and going on.
//!
//! A filing is one task. Its vector file is rewritten every [`CHECKPOINT`] pages, so that whatever stops the
//! program loses at most the seconds since; the next run keeps every page whose text hash it finds. Vectors of another
//! model or number of windows serve until those that take their place are all there: till then these gather in a file
//! beside ([`next_path`]).

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::vectors::{self, Made, PageVectors, Quantised, VectorFile, VectorsError, vectors_path};
use super::{Encode, ModelError, ModelId};
use crate::caught::guarded;
use crate::library::job::Cancel;
use crate::library::store::PageFile;
use crate::library::{self, Library, PageQuality};

/// Pages between two writes of a filing's file: about three seconds of work.
const CHECKPOINT: usize = 64;

/// Filings from which pages are tried to tell how long all will take.
const TRIED: usize = 6;

/// What is to be embedded.
#[derive(Debug)]
pub struct Plan<'a> {
    library: &'a Library,
    model: ModelId,
    windows: usize,
    tasks: Vec<Task>,
    /// Pages to embed. A filing whose text changed counts in full until it is read.
    pub pages: usize,
    /// Pages of the filings asked for that need no work.
    pub kept: usize,
}

#[derive(Clone, Copy, Debug)]
struct Task {
    ordinal: u32,
    /// Pages counted as embedded already.
    kept: usize,
}

impl<'a> Plan<'a> {
    /// Looks at the vector files of `filings` (ordinals, in this order) and lists what is missing.
    ///
    /// Vectors of another model are refused unless `replace` is set: they may be an hour's work.
    pub fn new(
        library: &'a Library,
        model: ModelId,
        windows: usize,
        filings: &[u32],
        replace: bool,
    ) -> Result<Plan<'a>, VectorsError> {
        let mut plan = Plan {
            library,
            model,
            windows,
            tasks: Vec::new(),
            pages: 0,
            kept: 0,
        };
        for &ordinal in filings {
            let filing = library.filing(ordinal);
            let path = vectors_path(library.root(), &filing.doc_name);
            let kept = |file: &VectorFile| match plan.is_ours(file) && file.is_of(filing) {
                true => file.embedded(),
                false => 0,
            };
            let kept = match VectorFile::open(&path) {
                Ok(file) if file.model() != model && !replace => {
                    return Err(VectorsError::OtherModel {
                        theirs: file.model(),
                        ours: model,
                    });
                }
                Ok(file) if plan.is_ours(&file) => kept(&file),
                _ => VectorFile::open(&next_path(&path)).map_or(0, |file| kept(&file)),
            };
            let pages = filing.pages as usize;
            plan.kept += kept;
            plan.pages += pages - kept;
            if kept < pages {
                plan.tasks.push(Task { ordinal, kept });
            }
        }
        Ok(plan)
    }

    /// Filings with work to do.
    pub fn filings(&self) -> usize {
        self.tasks.len()
    }

    /// Pages that one encoder embeds in a second, tried on a few pages of those to do; `None` where none can
    /// be read.
    pub fn pages_per_second(&self, encoder: &mut impl Encode) -> Option<f64> {
        let (mut tried, mut busy) = (0, Duration::ZERO);
        let step = self.tasks.len().div_ceil(TRIED).max(1);
        for task in self.tasks.iter().step_by(step) {
            let Ok(texts) = self.library.page_file(task.ordinal).and_then(PageFile::all) else {
                continue;
            };
            for at in [texts.len() / 3, texts.len() * 2 / 3] {
                // A filing without pages tells nothing.
                let Some(page) = texts.get(at) else {
                    continue;
                };
                let started = Instant::now();
                encoder.windows(&page.text, self.windows).ok()?;
                // The first one warms the model up.
                if tried > 0 {
                    busy += started.elapsed();
                }
                tried += 1;
            }
        }
        (tried > 1).then(|| (tried - 1) as f64 / busy.as_secs_f64().max(1e-9))
    }

    fn is_ours(&self, file: &VectorFile) -> bool {
        file.model() == self.model && file.windows() == self.windows
    }

    /// Does the work on `workers` threads; `make` gives each its encoder.
    ///
    /// Returns when everything is done or soon after `cancel` is raised, with all finished pages on disk. A filing
    /// that cannot be read, or that the model fails on, is told of in the summary and the rest goes on; a file
    /// that cannot be written ends the run.
    pub fn run<E: Encode>(
        &self,
        workers: usize,
        make: impl Fn() -> Result<E, ModelError> + Sync,
        cancel: &Cancel,
        on_progress: impl Fn(Progress) + Sync,
    ) -> Result<Summary> {
        let dir = vectors::folder(self.library.root());
        fs::create_dir_all(&dir).with_context(|| format!("creating {}", dir.display()))?;
        library::sweep(self.library.root());
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let stopped = || cancel.is_cancelled() || failed.load(Ordering::Relaxed);
        let state = Mutex::new(Progress {
            pages: self.pages,
            ..Progress::default()
        });
        let advance = |step: &dyn Fn(&mut Progress)| {
            let mut progress = state.lock().unwrap_or_else(PoisonError::into_inner);
            step(&mut progress);
            on_progress(progress.clone());
        };
        let work = || -> Result<Vec<String>> {
            let mut encoder = make()?;
            let mut problems = Vec::new();
            while !stopped() {
                let Some(&task) = self.tasks.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    break;
                };
                let doc_name = &self.library.filing(task.ordinal).doc_name;
                match self.filing(task, &mut encoder, &stopped, &advance) {
                    Ok(problem) => {
                        problems.extend(problem.map(|problem| format!("{doc_name}: {problem}")));
                    }
                    Err(error) => {
                        failed.store(true, Ordering::Relaxed);
                        return Err(error).with_context(|| format!("embedding {doc_name}"));
                    }
                }
            }
            Ok(problems)
        };
        let workers = workers.clamp(1, self.tasks.len().max(1));
        let results: Vec<Result<Vec<String>>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..workers)
                .map(|_| scope.spawn(|| guarded(work)))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("panics are caught"))
                .collect()
        });
        let mut problems = Vec::new();
        for result in results {
            problems.extend(result?);
        }
        let progress = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Summary {
            embedded: progress.embedded,
            stopped: cancel.is_cancelled() && progress.embedded < progress.pages,
            problems,
        })
    }

    /// Embeds one filing, keeping the pages whose text has not changed. `Ok(Some(_))` tells why it is not
    /// finished; an error, that its file cannot be written.
    fn filing(
        &self,
        task: Task,
        encoder: &mut impl Encode,
        stopped: &dyn Fn() -> bool,
        advance: &dyn Fn(&dyn Fn(&mut Progress)),
    ) -> Result<Option<String>, VectorsError> {
        let filing = self.library.filing(task.ordinal);
        let path = vectors_path(self.library.root(), &filing.doc_name);
        let planned = filing.pages as usize - task.kept;
        if path.is_dir() {
            advance(&|progress| progress.pages -= planned);
            return Ok(Some(format!("{} is a folder: remove it", path.display())));
        }
        let texts = match self.library.page_file(task.ordinal).and_then(PageFile::all) {
            Ok(texts) => texts,
            Err(error) => {
                advance(&|progress| progress.pages -= planned);
                return Ok(Some(error.to_string()));
            }
        };
        let made = Made {
            model: self.model,
            text_sha256: filing.text_sha256.clone(),
            windows: self.windows,
            dims: encoder.dims(),
        };
        let next = next_path(&path);
        let there = VectorFile::open(&path).ok();
        let replaces = there.as_ref().is_some_and(|file| !self.is_ours(file));
        let gathers = if replaces { &next } else { &path };
        let begun = VectorFile::open(&next).ok();
        let known = self.known(begun.into_iter().chain(there), made.dims);
        let mut pages: Vec<(u64, Option<PageVectors>)> = texts
            .iter()
            .map(|page| vectors::page_hash(&page.text))
            .map(|hash| (hash, known.get(&hash).cloned()))
            .collect();
        let missing = pages.iter().filter(|(_, page)| page.is_none()).count();
        advance(&|progress| {
            progress.pages = progress.pages - planned + missing;
            progress.now.clone_from(&filing.doc_name);
        });
        let write = |pages: &[(u64, Option<PageVectors>)]| {
            let pages: Vec<_> = pages.iter().map(|(_, page)| page.as_ref()).collect();
            if !pages.iter().all(Option::is_some) {
                return vectors::write(gathers, &made, &pages);
            }
            vectors::write(&path, &made, &pages)?;
            // Not there is as good as removed; what stays is never read again and goes with the next run.
            let _ = fs::remove_file(&next);
            Ok(())
        };
        let mut fresh = 0;
        for (ix, text) in texts.iter().enumerate() {
            if pages[ix].1.is_some() {
                continue;
            }
            if stopped() {
                break;
            }
            let windows = match text.quality {
                PageQuality::Ok => encoder.windows(&text.text, self.windows),
                // A broken encoding has no meaning to find.
                PageQuality::Empty | PageQuality::Garbage => Ok(Vec::new()),
            };
            let windows = match windows {
                Ok(windows) => windows,
                Err(error) => {
                    write(&pages)?;
                    advance(&|progress| progress.pages -= missing - fresh);
                    return Ok(Some(format!("page {}: {error}", ix + 1)));
                }
            };
            pages[ix].1 = Some(PageVectors {
                hash: pages[ix].0,
                windows: windows.iter().map(|window| Quantised::of(window)).collect(),
            });
            fresh += 1;
            if fresh % CHECKPOINT == 0 {
                write(&pages)?;
            }
            advance(&|progress| progress.embedded += 1);
        }
        write(&pages)?;
        if fresh == missing {
            advance(&|progress| progress.filings += 1);
        }
        Ok(None)
    }

    /// The vectors in a filing's files that are ours, by page hash.
    fn known(
        &self,
        files: impl Iterator<Item = VectorFile>,
        dims: usize,
    ) -> HashMap<u64, PageVectors> {
        let mut known = HashMap::new();
        for file in files.filter(|file| self.is_ours(file) && file.dims() == dims) {
            let pages = (0..file.pages()).filter_map(|page| file.page(page));
            known.extend(pages.map(|page| (page.hash, page)));
        }
        known
    }
}

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Pages embedded in this run.
    pub embedded: usize,
    /// Pages to embed in this run.
    pub pages: usize,
    /// Filings finished in this run.
    pub filings: usize,
    /// The filing begun last.
    pub now: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Pages embedded.
    pub embedded: usize,
    /// It was asked to stop before the end.
    pub stopped: bool,
    /// Filings that could not be read, with the reason.
    pub problems: Vec<String>,
}

/// Where the vectors of a filing gather that will take the place of those in `path`.
fn next_path(path: &Path) -> PathBuf {
    path.with_extension("next.vectors")
}

/// Deletes the vectors of filings the library no longer has; returns how many. One whose page file is damaged is had:
/// its pages may come back.
pub fn remove_orphans(library: &Library) -> Result<usize> {
    let dir = vectors::folder(library.root());
    let entries = match fs::read_dir(&dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error).with_context(|| format!("reading {}", dir.display())),
    };
    let mut removed = 0;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let doc_name = name.to_str().and_then(|name| name.strip_suffix(".vectors"));
        let doc_name = doc_name.map(|name| name.strip_suffix(".next").unwrap_or(name));
        let gone = doc_name.is_some_and(|doc_name| {
            let pages = library::page_path(library.root(), doc_name);
            library.find(doc_name).is_none() && fs::symlink_metadata(pages).is_err()
        });
        if gone && !entry.path().is_dir() {
            fs::remove_file(entry.path())
                .with_context(|| format!("removing {}", entry.path().display()))?;
            removed += 1;
        }
    }
    Ok(removed)
}
