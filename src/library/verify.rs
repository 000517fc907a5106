//! Every byte looked at: what is damaged, what becomes of it, and what to do.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use rayon::prelude::*;
use serde::Serialize;

use super::catalog;
use super::checksum::Expected;
use super::import::{pdf_path, store_pdf};
use super::job::Cancel;
use super::status::names;
use super::store::{self, PageFile, StoreError};
use super::{Filing, Library, SET_ASIDE, page_path};
use crate::words::with_causes;

/// What a verification found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Verified {
    /// Page files looked at.
    pub filings: usize,
    /// PDFs looked at.
    pub pdfs: usize,
    /// Vector files looked at.
    pub vectors: usize,
    /// Page files and PDFs there are.
    pub files: usize,
    /// What is wrong, sorted by file.
    pub problems: Vec<Problem>,
    /// It was stopped before the end.
    pub cancelled: bool,
}

impl Verified {
    /// Problems that are still there, or whose end is that something is missing.
    pub fn open(&self) -> usize {
        self.problems.len() - self.come_to(Outcome::Mended)
    }

    /// Problems with this outcome.
    pub fn come_to(&self, outcome: Outcome) -> usize {
        let problems = self.problems.iter();
        problems.filter(|one| one.outcome == outcome).count()
    }
}

/// What has become of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It is as it was.
    Open,
    /// All is whole again.
    Mended,
    /// The damaged file is out of the way, and what was in it is to be had again.
    Removed,
}

/// Something wrong with one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file, inside the library's folder.
    pub file: String,
    /// What is wrong.
    pub problem: String,
    /// What has become of it.
    pub outcome: Outcome,
    /// What was done, or what to do.
    pub remedy: String,
}

impl Problem {
    /// Of a file that could not be read. What is in it may be whole: it is never removed.
    pub(crate) fn unread(file: String, error: &std::io::Error) -> Problem {
        Problem {
            file,
            problem: format!("it cannot be read: {error}"),
            outcome: Outcome::Open,
            remedy: "see that it can be read, and run it again: it stays as it is".to_string(),
        }
    }
}

/// Reads every byte and checks every hash: page files (their own, and that of their text) and PDFs
/// (the pinned one, or the one they had when they were added).
///
/// With `repair`, a filing of FinanceBench whose PDF is good is read again, other damaged page files of FinanceBench are
/// removed and a user's own set aside, and what a killed write left behind goes too. `step` is called once a
/// file looked at.
///
/// # Errors
///
/// If the folder cannot be read.
pub fn verify(
    root: &Path,
    repair: bool,
    step: &(dyn Fn(usize) + Sync),
    cancel: &Cancel,
) -> Result<Verified> {
    let pages = names(&root.join("pages"), ".pages")?;
    let pdfs = names(&root.join("pdfs"), ".pdf")?;
    let all = pages.len() + pdfs.len();
    let (filings_seen, pdfs_seen) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let looked = |seen: &AtomicUsize, problem| {
        seen.fetch_add(1, Ordering::Relaxed);
        step(all);
        problem
    };
    let live = |_: &&String| !cancel.is_cancelled();
    let catalog = catalog_problem(root)?;
    // PDFs first: a filing is only read again from a good one.
    let mut problems: Vec<Problem> = pdfs
        .par_iter()
        .filter(live)
        .filter_map(|name| looked(&pdfs_seen, check_pdf(root, name, repair)))
        .collect();
    problems.par_extend(
        pages
            .par_iter()
            .filter(live)
            .filter_map(|name| looked(&filings_seen, check_pages(root, name, repair, cancel))),
    );
    for dir in ["", "pages/", "pdfs/", "questions/", "vectors/"] {
        problems.extend(leftovers(&root.join(dir), dir, repair));
    }
    let changed = problems
        .iter()
        .any(|problem| problem.outcome != Outcome::Open);
    if repair && (changed || catalog.is_some()) {
        Library::refresh(root)?;
    }
    problems.extend(catalog.map(|problem| Problem {
        file: super::CATALOG.to_string(),
        problem,
        outcome: match repair {
            true => Outcome::Mended,
            false => Outcome::Open,
        },
        remedy: match repair {
            true => "made again from the page files".to_string(),
            false => {
                "`tenleaf data verify --repair` makes it again from the page files".to_string()
            }
        },
    }));
    problems.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(Verified {
        filings: filings_seen.into_inner(),
        pdfs: pdfs_seen.into_inner(),
        vectors: 0,
        files: all,
        problems,
        cancelled: cancel.is_cancelled(),
    })
}

/// What is wrong with the catalog: it is a copy of the records in the page files.
fn catalog_problem(root: &Path) -> Result<Option<String>> {
    let (catalog, damaged) = super::read_catalog(root);
    let on_disk = super::doc_names(root)?;
    let gone = catalog.keys().any(|name| !on_disk.contains(name));
    let differs = |name: &String| {
        let record = PageFile::open(&page_path(root, name)).and_then(|file| file.own_filing());
        record.is_ok_and(|record| catalog.get(name).is_none_or(|line| line.filing != record))
    };
    let stale = || gone || on_disk.iter().any(differs);
    Ok(damaged.or_else(|| stale().then(|| "it does not say what the page files say".to_string())))
}

/// What a PDF may hash to: what FinanceBench's of that name does, and what the filing's record says.
fn expected_of(root: &Path, doc_name: &str) -> Vec<Expected> {
    let pinned = catalog::pinned().get(doc_name).and_then(Expected::of);
    let source = record_of(&page_path(root, doc_name)).and_then(|filing| filing.source_sha256);
    pinned
        .into_iter()
        .chain(source.map(Expected::Sha256))
        .collect()
}

/// The record of a page file, as far as it can be read.
fn record_of(path: &Path) -> Option<Filing> {
    PageFile::open(path).and_then(|file| file.filing()).ok()
}

fn check_pdf(root: &Path, name: &str, repair: bool) -> Option<Problem> {
    let path = pdf_path(root, name);
    let expected = expected_of(root, name);
    if expected.is_empty() {
        return None;
    }
    let file = format!("pdfs/{name}.pdf");
    let problem = match store::read_file(&path) {
        Ok(bytes) if expected.iter().any(|one| one.matches(&bytes)) => return None,
        Ok(_) => "its hash is not the one it should have".to_string(),
        Err(error) if error.kind() == ErrorKind::InvalidInput => error.to_string(),
        Err(error) => return Some(Problem::unread(file, &error)),
    };
    let record = record_of(&page_path(root, name));
    let others = record.is_some_and(|filing| filing.pinned().is_none());
    let again = match catalog::pinned().contains_key(name) && !others {
        true => "`tenleaf data fetch` brings it again",
        false => "add the filing again from its original",
    };
    let removed = repair && fs::remove_file(&path).is_ok();
    Some(Problem {
        file,
        problem,
        outcome: match removed {
            true => Outcome::Removed,
            false => Outcome::Open,
        },
        remedy: match removed {
            true => format!("removed; {again}"),
            false => format!("`tenleaf data verify --repair` removes it; then {again}"),
        },
    })
}

/// What becomes of a page file that is damaged or has another filing's name.
enum Verdict {
    /// It is whole, and of this filing, which has no page file: it gets its name.
    Rename(String),
    /// It is whole, and of this filing, which has a page file of its own: the copy goes.
    Copy(String),
    /// FinanceBench's: it goes, and can be had again.
    Pinned,
    /// Perhaps the one trace of a user's own filing: it stays, out of the way. Where its original is, as far as its
    /// record tells.
    Own(Option<String>),
}

impl Verdict {
    fn of(root: &Path, name: &str) -> Verdict {
        let path = page_path(root, name);
        let Some(record) = record_of(&path) else {
            return Verdict::Own(None);
        };
        let own = &record.doc_name;
        let misnamed = own != name && super::check_name(own).is_ok();
        if misnamed && page_problem(&path, own).is_none() {
            return match page_path(root, own).exists() {
                true => Verdict::Copy(record.doc_name),
                false => Verdict::Rename(record.doc_name),
            };
        }
        match record.pinned() {
            Some(row) if row.doc_name == name => Verdict::Pinned,
            _ => Verdict::Own(record.path.or(record.link)),
        }
    }

    /// What is to be done to the file (`removes it`, `removed`), what then, and what that comes to.
    fn words(&self, name: &str) -> ([String; 2], String, Outcome) {
        let removed = || ["removes it".to_string(), "removed".to_string()];
        match self {
            Verdict::Rename(own) => (
                [
                    format!("renames it to {own}.pages"),
                    format!("renamed to pages/{own}.pages"),
                ],
                String::new(),
                Outcome::Mended,
            ),
            Verdict::Copy(own) => (
                removed(),
                format!("{own} has a page file of its own"),
                Outcome::Mended,
            ),
            Verdict::Pinned => (removed(), BRINGS.to_string(), Outcome::Removed),
            Verdict::Own(original) => {
                let original = original
                    .as_ref()
                    .map_or(String::new(), |at| format!(" ({at})"));
                let mut then = format!("add the filing again from its original{original}");
                if original.is_empty() && catalog::pinned().contains_key(name) {
                    then += &format!("; if it is FinanceBench's, {BRINGS}");
                }
                let aside = format!("set aside as pages/{name}{SET_ASIDE}");
                (["sets it aside".to_string(), aside], then, Outcome::Removed)
            }
        }
    }

    fn carry_out(&self, root: &Path, name: &str) -> std::io::Result<()> {
        let path = page_path(root, name);
        match self {
            Verdict::Rename(own) => fs::rename(&path, page_path(root, own)),
            Verdict::Copy(_) | Verdict::Pinned => {
                fs::remove_file(&path).or_else(|_| fs::remove_dir(&path))
            }
            Verdict::Own(_) => fs::rename(&path, path.with_extension(&SET_ASIDE[1..])),
        }
    }
}

const BRINGS: &str = "`tenleaf data fetch` or `tenleaf data import DIR` brings it again";

fn check_pages(root: &Path, name: &str, repair: bool, cancel: &Cancel) -> Option<Problem> {
    let path = page_path(root, name);
    let error = page_problem(&path, name)?;
    let file = format!("pages/{name}.pages");
    let problem = match error.downcast_ref() {
        Some(StoreError::Io { source, .. }) => return Some(Problem::unread(file, source)),
        Some(StoreError::Damaged { what, .. }) => (*what).to_string(),
        _ => with_causes(&error),
    };
    let verdict = Verdict::of(root, name);
    let ([does, done], then, outcome) = verdict.words(name);
    let and_then = |first: &str, between: &str| match then.is_empty() {
        true => first.to_string(),
        false => format!("{first}; {between}{then}"),
    };
    let (outcome, remedy) = if !repair {
        let does = format!("`tenleaf data verify --repair` {does}");
        (Outcome::Open, and_then(&does, "then "))
    } else if let Err(error) = verdict.carry_out(root, name) {
        let path = path.display();
        let remedy = format!("it cannot be {done} ({error}): do it yourself, it is {path}");
        (Outcome::Open, remedy)
    } else {
        match read_again(root, name, &verdict, cancel) {
            Some(Ok(())) => (Outcome::Mended, "read again from its PDF".to_string()),
            Some(Err(error)) => {
                let why = format!(" (its PDF: {})", with_causes(&error));
                (outcome, and_then(&done, "") + &why)
            }
            None => (outcome, and_then(&done, "")),
        }
    };
    Some(Problem {
        file,
        problem,
        outcome,
        remedy,
    })
}

/// Reads a filing of FinanceBench again from its PDF, which has been found to be good; `None` if it is none, or
/// there is no PDF. A page file that does not tell whose it was counts as FinanceBench's beside its PDF, which only a
/// fetch or an import brings.
fn read_again(root: &Path, name: &str, verdict: &Verdict, cancel: &Cancel) -> Option<Result<()>> {
    let row = catalog::pinned().get(name)?;
    let pdf = pdf_path(root, name);
    let theirs = match verdict {
        Verdict::Pinned | Verdict::Own(None) => pdf.exists(),
        _ => false,
    };
    if !theirs {
        return None;
    }
    match store_pdf(root, row, &pdf, cancel) {
        Ok(stored) => stored.map(|_| Ok(())),
        Err(error) => Some(Err(error)),
    }
}

fn page_problem(path: &Path, name: &str) -> Option<anyhow::Error> {
    let check = || -> Result<()> {
        let file = PageFile::open(path)?;
        file.verify()?;
        let filing = file.filing()?;
        anyhow::ensure!(filing.doc_name == name, "it is of {}", filing.doc_name);
        anyhow::ensure!(
            filing.pages == file.pages(),
            "its record has another number of pages"
        );
        let text = store::text_hash(&file.all()?);
        anyhow::ensure!(
            filing.text_sha256 == text,
            "its text is not what its record says"
        );
        Ok(())
    };
    check().err()
}

/// Temporary files of writes that were killed.
fn leftovers(dir: &Path, shown: &str, repair: bool) -> Vec<Problem> {
    let found = store::files(dir).unwrap_or_default().into_iter();
    found
        .filter(|path| store::is_temporary(path))
        .map(|path| {
            let removed = repair && fs::remove_file(&path).is_ok();
            let name = path.file_name().unwrap_or_default().display();
            Problem {
                file: format!("{shown}{name}"),
                problem: "left behind by a write that was killed".to_string(),
                outcome: match removed {
                    true => Outcome::Mended,
                    false => Outcome::Open,
                },
                remedy: match removed {
                    true => "removed".to_string(),
                    false => "harmless; `tenleaf data verify --repair` removes it".to_string(),
                },
            }
        })
        .collect()
}
