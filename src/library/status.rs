//! What is in a library, what is missing, what is damaged, and what to do about it.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::Serialize;

use super::catalog::{self, ManifestRow};
use super::checksum::Expected;
use super::import::{pdf_path, store_pdf};
use super::job::Cancel;
use super::store::{self, PageFile, StoreError};
use super::{Library, PageQuality, TextSource, page_path};
use crate::words::with_causes;

/// What a library holds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Status {
    /// Its folder.
    pub root: PathBuf,
    /// Number of filings.
    pub filings: usize,
    /// Number of pages.
    pub pages: usize,
    /// Filings by form.
    pub forms: BTreeMap<String, usize>,
    /// Filings whose tables may run column by column (another extractor's text).
    pub other_extractor: usize,
    /// Pages without text.
    pub empty_pages: usize,
    /// Pages whose text is not language.
    pub garbage_pages: Vec<FlaggedPages>,
    /// Filings whose page numbers may be off from some page on.
    pub uncertain_page_numbers: Vec<String>,
    /// Page files that do not open, or hold another filing than their name says.
    pub damaged: Vec<String>,
    /// Originals kept.
    pub pdfs: usize,
    /// Bytes of the page files, and of the originals.
    pub bytes: u64,
    /// Transfers that wait to go on.
    pub unfinished: Vec<String>,
    /// Files of questions.
    pub questions: Vec<String>,
    /// FinanceBench's filings that are not here; empty for a library that has none of them.
    pub missing: Vec<String>,
    /// What to do.
    pub todo: Vec<String>,
}

/// Pages of one filing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FlaggedPages {
    /// The filing.
    pub doc_name: String,
    /// 1-based pages.
    pub pages: Vec<u32>,
}

/// Looks at everything without reading page text.
///
/// # Errors
///
/// If the folder cannot be read.
pub fn status(root: &Path) -> Result<Status> {
    let library = Library::open(root)?;
    let mut status = Status {
        root: root.to_path_buf(),
        filings: library.filings().len(),
        pages: library.page_count(),
        ..Status::default()
    };
    for (ordinal, filing) in library.filings().iter().enumerate() {
        *status.forms.entry(filing.form.to_string()).or_default() += 1;
        status.other_extractor += usize::from(filing.text_from == TextSource::Text);
        if filing.page_numbers_uncertain_from.is_some() {
            status.uncertain_page_numbers.push(filing.doc_name.clone());
        }
        if let Ok(file) = library.page_file(ordinal as u32) {
            let flagged =
                |quality| (0..file.pages()).filter(move |&page| file.quality(page) == quality);
            status.empty_pages += flagged(PageQuality::Empty).count();
            let garbage: Vec<u32> = flagged(PageQuality::Garbage).map(|page| page + 1).collect();
            if !garbage.is_empty() {
                status.garbage_pages.push(FlaggedPages {
                    doc_name: filing.doc_name.clone(),
                    pages: garbage,
                });
            }
        }
    }
    status.damaged = names(&root.join("pages"), ".pages")?
        .into_iter()
        .filter(|name| {
            let opened = PageFile::open(&page_path(root, name));
            opened.and_then(|file| file.own_filing()).is_err()
        })
        .collect();
    status.pdfs = names(&root.join("pdfs"), ".pdf")?.len();
    status.unfinished = names(&root.join("pdfs"), ".pdf.part")?;
    status.questions = names(&root.join("questions"), ".jsonl")?;
    status.bytes = size(&root.join("pages")) + size(&root.join("pdfs"));
    let pinned = catalog::pinned();
    if library
        .filings()
        .iter()
        .any(|f| f.text_from != TextSource::Demo && pinned.contains_key(f.doc_name.as_str()))
    {
        status.missing = pinned
            .keys()
            .filter(|name| library.find(name).is_none())
            .map(ToString::to_string)
            .collect();
    }
    status.todo = status.advice();
    Ok(status)
}

impl Status {
    fn advice(&self) -> Vec<String> {
        let mut todo = Vec::new();
        if self.filings == 0 {
            todo.push(format!(
                "`tenleaf data fetch` brings FinanceBench ({}); `tenleaf data import DIR` \
                     takes them from a folder; `tenleaf add FILE...` your own filings",
                super::fetch::ABOUT
            ));
        }
        if !self.damaged.is_empty() {
            todo.push("`tenleaf data verify --repair` removes damaged files and makes them again where it can".into());
        }
        if !self.missing.is_empty() || !self.unfinished.is_empty() {
            todo.push("`tenleaf data fetch` goes on with what is missing".into());
        }
        if self.other_extractor > 0 || !self.uncertain_page_numbers.is_empty() {
            todo.push(
                "`tenleaf data fetch` reads those filings from their PDFs: tables by row, every page in its place"
                    .into(),
            );
        }
        todo
    }
}

/// Names of the files in `dir` that end in `ending`, without it, sorted; none where there is no `dir`.
fn names(dir: &Path, ending: &str) -> Result<Vec<String>> {
    let mut names: Vec<String> = files(dir)
        .with_context(|| format!("reading {}", dir.display()))?
        .into_iter()
        .filter_map(|path| {
            path.file_name()?
                .to_str()?
                .strip_suffix(ending)
                .map(str::to_string)
        })
        .collect();
    names.sort();
    Ok(names)
}

fn files(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    match fs::read_dir(dir) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn size(dir: &Path) -> u64 {
    let files = files(dir).unwrap_or_default();
    files
        .iter()
        .filter_map(|path| Some(fs::metadata(path).ok()?.len()))
        .sum()
}

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
    /// Problems that are still there.
    pub fn open(&self) -> usize {
        self.problems
            .iter()
            .filter(|problem| !problem.repaired)
            .count()
    }
}

/// Something wrong with one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file, inside the library's folder.
    pub file: String,
    /// What is wrong.
    pub problem: String,
    /// Whether it has been put right.
    pub repaired: bool,
    /// What was done, or what to do.
    pub remedy: String,
}

impl Problem {
    /// Of a file that could not be read. What is in it may be whole: it is never removed.
    pub(crate) fn unread(file: String, error: &std::io::Error) -> Problem {
        Problem {
            file,
            problem: format!("it cannot be read: {error}"),
            repaired: false,
            remedy: "see that it can be read, and run it again: it stays as it is".to_string(),
        }
    }
}

/// Reads every byte and checks every hash: page files (their own, and that of their text) and PDFs
/// (the pinned one, or the one they had when they were added).
///
/// With `repair`, damaged files are removed, a filing whose PDF is good is read again, and what a
/// killed write left behind goes too. `step` is called once a file looked at.
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
    let changed = problems.iter().any(|problem| problem.repaired);
    if repair && (changed || catalog.is_some()) {
        Library::refresh(root)?;
    }
    problems.extend(catalog.map(|problem| Problem {
        file: super::CATALOG.to_string(),
        problem,
        repaired: repair,
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
        repaired: removed,
        remedy: if removed {
            format!("removed; {again}")
        } else {
            remove_first(again)
        },
    })
}

fn remove_first(again: &str) -> String {
    format!("`tenleaf data verify --repair` removes it; then {again}")
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
    let problem_of = |repaired, remedy| {
        Some(Problem {
            file: file.clone(),
            problem: problem.clone(),
            repaired,
            remedy,
        })
    };
    let pinned = catalog::pinned().get(name);
    let pdf = pdf_path(root, name);
    let mut again = match pinned {
        Some(_) => "`tenleaf data fetch` or `tenleaf data import DIR` brings it again".to_string(),
        None => "add the filing again from its original".to_string(),
    };
    if let Some(own) = misnamed(&path, name) {
        let to = page_path(root, &own);
        match (to.exists(), repair) {
            (true, _) => again = format!("{own} has a page file of its own"),
            (false, false) => {
                let remedy = format!("`tenleaf data verify --repair` renames it to {own}.pages");
                return problem_of(false, remedy);
            }
            (false, true) if fs::rename(&path, &to).is_ok() => {
                return problem_of(true, format!("renamed to pages/{own}.pages"));
            }
            (false, true) => {}
        }
    }
    if !repair {
        return problem_of(false, remove_first(&again));
    }
    if let Err(error) = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)) {
        let path = path.display();
        return problem_of(
            false,
            format!("it cannot be removed ({error}): remove {path} yourself"),
        );
    }
    match pinned {
        Some(row) if pdf.exists() => match store_pdf(root, row, &pdf, cancel) {
            Ok(Some(_)) => problem_of(true, "read again from its PDF".to_string()),
            Ok(None) => problem_of(true, format!("removed; {again}")),
            Err(error) => problem_of(
                true,
                format!("removed; {again} (its PDF: {})", with_causes(&error)),
            ),
        },
        _ => problem_of(true, format!("removed; {again}")),
    }
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
            let repaired = repair && fs::remove_file(&path).is_ok();
            let name = path.file_name().unwrap_or_default().display();
            Problem {
                file: format!("{shown}{name}"),
                problem: "left behind by a write that was killed".to_string(),
                repaired,
                remedy: match repaired {
                    true => "removed".to_string(),
                    false => "harmless; `tenleaf data verify --repair` removes it".to_string(),
                },
            }
        })
        .collect()
}
