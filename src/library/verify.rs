//! Every byte looked at: what is damaged, what becomes of it, and what to do.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use rayon::prelude::*;
use serde::Serialize;

use super::catalog::{self, ManifestRow};
use super::checksum::Expected;
use super::import::{pdf_path, store_pdf};
use super::job::Cancel;
use super::status::{files, names};
use super::store::{self, PageFile, StoreError};
use super::{Library, SET_ASIDE, page_path};
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
/// With `repair`, a filing whose PDF is good is read again, other damaged page files are removed where they can be
/// fetched again and set aside where not, and what a killed write left behind goes too. `step` is called once a
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
        record.is_ok_and(|record| catalog.get(name) != Some(&record))
    };
    let stale = || gone || on_disk.iter().any(differs);
    Ok(damaged.or_else(|| stale().then(|| "it does not say what the page files say".to_string())))
}

/// The row a filing is fetched and read by, with what its record knows where it is not pinned.
fn row_of(root: &Path, doc_name: &str) -> Option<ManifestRow> {
    if let Some(row) = catalog::pinned().get(doc_name) {
        return Some(row.clone());
    }
    let filing = PageFile::open(&page_path(root, doc_name))
        .ok()?
        .filing()
        .ok()?;
    Some(ManifestRow {
        doc_name: doc_name.to_string(),
        pdf_sha256: filing.source_sha256,
        ..ManifestRow::default()
    })
}

fn check_pdf(root: &Path, name: &str, repair: bool) -> Option<Problem> {
    let path = pdf_path(root, name);
    let expected = row_of(root, name).and_then(|row| Expected::of(&row))?;
    let file = format!("pdfs/{name}.pdf");
    let problem = match store::read_file(&path) {
        Ok(bytes) if expected.matches(&bytes) => return None,
        Ok(_) => "its hash is not the one it should have".to_string(),
        Err(error) if error.kind() == ErrorKind::InvalidInput => error.to_string(),
        Err(error) => return Some(Problem::unread(file, &error)),
    };
    let pinned = catalog::pinned().contains_key(name);
    let again = if pinned {
        "`tenleaf data fetch` brings it again"
    } else {
        "add the filing again from its original"
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

fn check_pages(root: &Path, name: &str, repair: bool, cancel: &Cancel) -> Option<Problem> {
    let path = page_path(root, name);
    let error = page_problem(&path, name)?;
    let file = format!("pages/{name}.pages");
    let problem = match error.downcast_ref() {
        Some(StoreError::Io { source, .. }) => return Some(Problem::unread(file, source)),
        Some(StoreError::Damaged { what, .. }) => (*what).to_string(),
        _ => with_causes(&error),
    };
    let problem_of = |outcome, remedy| {
        Some(Problem {
            file: file.clone(),
            problem: problem.clone(),
            outcome,
            remedy,
        })
    };
    let own = misnamed(&path, name);
    if let Some(own) = &own {
        let to = page_path(root, own);
        if !to.exists() && !repair {
            let remedy = format!("`tenleaf data verify --repair` renames it to {own}.pages");
            return problem_of(Outcome::Open, remedy);
        }
        if !to.exists() {
            return match fs::rename(&path, &to) {
                Ok(()) => problem_of(Outcome::Mended, format!("renamed to pages/{own}.pages")),
                Err(error) => problem_of(
                    Outcome::Open,
                    format!("it cannot be renamed ({error}): rename it to {own}.pages yourself"),
                ),
            };
        }
    }
    let pinned = catalog::pinned().get(name);
    let pdf = pdf_path(root, name);
    // A copy, or what can be fetched, goes; the one trace of a user's own filing stays, out of the way.
    let aside = path.with_extension(&SET_ASIDE[1..]);
    let (done, then, outcome) = match (&own, pinned) {
        (_, Some(_)) => (
            "removed".to_string(),
            "`tenleaf data fetch` or `tenleaf data import DIR` brings it again".to_string(),
            Outcome::Removed,
        ),
        (Some(own), None) => (
            "removed".to_string(),
            format!("{own} has a page file of its own"),
            Outcome::Mended,
        ),
        (None, None) => (
            format!("set aside as pages/{name}{SET_ASIDE}"),
            format!("add the filing again from its original{}", original(&path)),
            Outcome::Removed,
        ),
    };
    let keep = own.is_none() && pinned.is_none();
    if !repair {
        let does = if keep { "sets it aside" } else { "removes it" };
        let remedy = format!("`tenleaf data verify --repair` {does}; then {then}");
        return problem_of(Outcome::Open, remedy);
    }
    let moved = match keep {
        true => fs::rename(&path, &aside),
        false => fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)),
    };
    if let Err(error) = moved {
        let path = path.display();
        return problem_of(
            Outcome::Open,
            format!("it cannot be removed ({error}): remove {path} yourself"),
        );
    }
    match pinned {
        Some(row) if pdf.exists() => match store_pdf(root, row, &pdf, cancel) {
            Ok(Some(_)) => problem_of(Outcome::Mended, "read again from its PDF".to_string()),
            Ok(None) => problem_of(outcome, format!("{done}; {then}")),
            Err(error) => problem_of(
                outcome,
                format!("{done}; {then} (its PDF: {})", with_causes(&error)),
            ),
        },
        _ => problem_of(outcome, format!("{done}; {then}")),
    }
}

/// Where a damaged page file says its original is, as far as it can be read: ` (~/filings/report.pdf)`.
fn original(path: &Path) -> String {
    let filing = PageFile::open(path).and_then(|file| file.filing());
    let original = filing.ok().and_then(|filing| filing.path.or(filing.link));
    original.map_or(String::new(), |original| format!(" ({original})"))
}

/// The name a page file should have, where it is whole and its name is all that is wrong.
fn misnamed(path: &Path, name: &str) -> Option<String> {
    let own = PageFile::open(path).ok()?.filing().ok()?.doc_name;
    (own != name && super::check_name(&own).is_ok() && page_problem(path, &own).is_none())
        .then_some(own)
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
    let found = files(dir).unwrap_or_default().into_iter();
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
