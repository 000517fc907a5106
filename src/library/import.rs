//! A mirror folder into the library: manifest, page text, questions, and PDFs where wanted.
//!
//! ```text
//! manifest.jsonl                    a `ManifestRow` a line
//! pages/DOC.jsonl.zst               {"page": 1-based, "text": "..."} a line
//! pdfs/DOC.pdf                      originals; read where there is no page text
//! financebench_open_source.jsonl    questions
//! questions/*.jsonl                 more questions
//! ```

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use rayon::prelude::*;
use serde::Deserialize;

use super::catalog::{ManifestRow, read_manifest};
use super::checksum::{Expected, sha256};
use super::job::{Cancel, Event, Failure, Summary};
use super::store::{self, PageFile};
use super::{Filing, Form, Library, PageText, cover, page_path, pdf, reading};
use crate::words::count;

/// The unpacked text of a filing is never larger; more is damage, or an attack.
const MAX_TEXT_BYTES: u64 = 512 << 20;

/// What to import, from where to where.
#[derive(Clone, Debug)]
pub struct ImportPlan {
    /// The mirror folder.
    pub from: PathBuf,
    /// The library's folder; made if need be.
    pub root: PathBuf,
    /// Whether to copy the PDFs too.
    pub with_pdfs: bool,
    /// More files of questions.
    pub questions: Vec<PathBuf>,
}

/// Imports on all cores. Filings already there from the same text are kept as they are; what fails
/// is reported as an event and in the summary, and the rest goes on. Stopped or killed at any
/// moment, the library is whole and the next run goes on.
///
/// # Errors
///
/// If there is no manifest, or the library cannot be written at all.
pub fn run(
    plan: &ImportPlan,
    on_event: &(dyn Fn(&Event) + Sync),
    cancel: &Cancel,
) -> Result<Summary> {
    let started = Instant::now();
    let summary = std::sync::Mutex::new(Summary::default());
    let tell = |event: Event| {
        summary.lock().expect("not poisoned").count(&event);
        on_event(&event);
    };
    let rows = manifest_of(plan, &tell)?;
    tell(Event::Planned {
        filings: rows.len(),
        bytes: 0,
    });
    fs::create_dir_all(plan.root.join("pages"))
        .with_context(|| format!("creating {}", plan.root.display()))?;
    copy_questions(plan, &tell);
    let full = AtomicBool::new(false);
    rayon::ThreadPoolBuilder::new().build()?.install(|| {
        rows.par_iter().for_each(|row| {
            if cancel.is_cancelled() || full.load(Ordering::Relaxed) {
                return;
            }
            match import_one(plan, row, cancel) {
                Ok(Some(event)) => tell(event),
                Ok(None) => {}
                Err(error) => {
                    full.fetch_or(is_disk_full(&error), Ordering::Relaxed);
                    tell(failed(&row.doc_name, &error));
                }
            }
        })
    });
    let refreshed = Library::refresh(&plan.root);
    let mut summary = summary.into_inner().expect("not poisoned");
    if full.into_inner() {
        // The page files are the truth: a catalog that could not be written is mended on opening.
        bail!(disk_full(&summary, rows.len(), &plan.root));
    }
    refreshed?;
    summary.cancelled = cancel.is_cancelled();
    summary.seconds = started.elapsed().as_secs_f64();
    Ok(summary)
}

/// What is said when nothing more can be written.
pub(super) fn disk_full(summary: &Summary, filings: usize, root: &Path) -> String {
    format!(
        "the disk is full: {} of {} are safe in {}; make room, and the same command goes on from there",
        summary.stored + summary.kept,
        count(filings, "filing"),
        root.display()
    )
}

pub(super) fn is_disk_full(error: &anyhow::Error) -> bool {
    use std::io;
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::StorageFull)
    })
}

pub(super) fn failed(what: &str, error: &anyhow::Error) -> Event {
    Event::Failed(Failure::new(what, error))
}

fn manifest_of(plan: &ImportPlan, tell: &(dyn Fn(Event) + Sync)) -> Result<Vec<ManifestRow>> {
    let path = plan.from.join("manifest.jsonl");
    let text = fs::read_to_string(&path).with_context(|| {
        format!(
            "{} cannot be imported: it needs manifest.jsonl and pages/",
            plan.from.display()
        )
    })?;
    let (rows, errors) = read_manifest(&text);
    for error in errors {
        tell(failed("manifest.jsonl", &error.into()));
    }
    if rows.is_empty() {
        bail!("{} names no filing", path.display());
    }
    Ok(rows)
}

fn copy_questions(plan: &ImportPlan, tell: &(dyn Fn(Event) + Sync)) {
    let known = plan.from.join("financebench_open_source.jsonl");
    let folder = plan.from.join("questions");
    let more = store::files(&folder).unwrap_or_else(|error| {
        tell(failed(&folder.display().to_string(), &error.into()));
        Vec::new()
    });
    let is_jsonl = |path: &PathBuf| path.extension().is_some_and(|ext| ext == "jsonl");
    let more = more.into_iter().filter(is_jsonl);
    let found = Some(known)
        .filter(|path| path.exists())
        .into_iter()
        .chain(more);
    let dir = plan.root.join("questions");
    for path in found.chain(plan.questions.iter().cloned()) {
        let copy = || -> Result<()> {
            let name = path.file_name().ok_or_else(|| anyhow!("no file"))?;
            fs::create_dir_all(&dir)?;
            write_if_other(&dir.join(name), &fs::read(&path)?)
        };
        if let Err(error) = copy() {
            tell(failed(&path.display().to_string(), &error));
        }
    }
}

/// `None` where it was cancelled half-way.
fn import_one(plan: &ImportPlan, row: &ManifestRow, cancel: &Cancel) -> Result<Option<Event>> {
    let original = plan.from.join("pdfs").join(format!("{}.pdf", row.doc_name));
    if plan.with_pdfs && original.exists() {
        keep_original(&plan.root, row, &original)?;
    }
    let name = format!("{}.jsonl.zst", row.doc_name);
    let path = plan.from.join("pages").join(&name);
    let packed = match fs::read(&path) {
        Ok(packed) => packed,
        Err(_) if original.exists() => return store_pdf(&plan.root, row, &original, cancel),
        Err(error) => return Err(error).context(format!("pages/{name}")),
    };
    let made_from = reading::made_from("", &sha256(&packed));
    if let Some(pages) = already_there(&plan.root, &row.doc_name, &made_from)? {
        return Ok(Some(Event::Kept {
            doc_name: row.doc_name.clone(),
            pages,
        }));
    }
    let pages = unpack(&packed).with_context(|| format!("pages/{name}"))?;
    if let Some(want) = row.pages
        && want as usize != pages.len()
    {
        bail!(
            "pages/{name}: {} pages, but the manifest says {want}",
            pages.len()
        );
    }
    let mut filing = row.filing();
    filing.made_from = Some(made_from);
    store_pages(&plan.root, filing, pages).map(Some)
}

/// Copies a mirror's PDF after checking it.
fn keep_original(root: &Path, row: &ManifestRow, from: &Path) -> Result<()> {
    let bytes = fs::read(from).with_context(|| from.display().to_string())?;
    if let Some(expected) = Expected::of(row)
        && !expected.matches(&bytes)
    {
        bail!(
            "pdfs/{}.pdf: its hash is not the manifest's: copy it again, or leave --with-pdfs out",
            row.doc_name
        );
    }
    let to = pdf_path(root, &row.doc_name);
    fs::create_dir_all(to.parent().expect("has a parent"))?;
    write_if_other(&to, &bytes)
}

/// Writes a file, unless these are its bytes already.
fn write_if_other(to: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(to).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    Ok(store::write_atomic(to, bytes)?)
}

/// Where a filing's original is kept, if it is.
pub fn pdf_path(root: &Path, doc_name: &str) -> PathBuf {
    root.join("pdfs").join(format!("{doc_name}.pdf"))
}

/// Reads a PDF and stores its pages, unless that was done before. `None` where it was cancelled.
///
/// # Errors
///
/// What is wrong with the PDF, or with writing.
pub(super) fn store_pdf(
    root: &Path,
    row: &ManifestRow,
    path: &Path,
    cancel: &Cancel,
) -> Result<Option<Event>> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    let made_from = reading::made_from("", &sha256(&bytes));
    if let Some(pages) = already_there(root, &row.doc_name, &made_from)? {
        return Ok(Some(Event::Kept {
            doc_name: row.doc_name.clone(),
            pages,
        }));
    }
    let Some(pages) = pdf::worker::extract_file(path, cancel)? else {
        return Ok(None);
    };
    let mut filing = ManifestRow {
        text_from: None,
        page_numbers_uncertain_from: None,
        ..row.clone()
    }
    .filing();
    filing.made_from = Some(made_from);
    filing.source_sha256 = Some(sha256(&bytes));
    drop(bytes);
    store_pages(root, filing, pages).map(Some)
}

/// Normalises the text, reads the cover and writes the page file.
fn store_pages(root: &Path, mut filing: Filing, mut pages: Vec<PageText>) -> Result<Event> {
    for page in &mut pages {
        page.text = reading::stored_text(&page.text);
    }
    filing.cover_date = cover::date(filing.form, &pages);
    if filing.form == Form::EightK {
        // An 8-K is of its event: where the name has no date, the cover has.
        filing.event_date = filing.event_date.or(filing.cover_date);
    }
    filing.added = Some(jiff::Timestamp::now().to_string());
    Library::put(root, &mut filing, &pages)?;
    Ok(Event::Stored {
        doc_name: filing.doc_name,
        pages: pages.len(),
    })
}

/// The number of pages, if the filing is there whole and was made from the same.
///
/// # Errors
///
/// If a filing that a user added has its name: it stays.
fn already_there(root: &Path, doc_name: &str, made_from: &str) -> Result<Option<usize>> {
    let Ok(file) = PageFile::open(&page_path(root, doc_name)) else {
        return Ok(None);
    };
    let Ok(filing) = file.filing() else {
        return Ok(None);
    };
    if filing.is_added() {
        bail!(
            "a filing that you added has this name here and stays; \
             `tenleaf remove {doc_name}` makes room for this one"
        );
    }
    let same = filing.made_from.as_deref() == Some(made_from) && file.verify().is_ok();
    Ok(same.then_some(filing.pages as usize))
}

#[derive(Deserialize)]
struct MirrorPage {
    page: usize,
    text: String,
}

fn unpack(packed: &[u8]) -> Result<Vec<PageText>> {
    let mut lines = String::new();
    zstd::Decoder::new(packed)?
        .take(MAX_TEXT_BYTES + 1)
        .read_to_string(&mut lines)
        .context("damaged")?;
    if lines.len() as u64 > MAX_TEXT_BYTES {
        bail!("unpacks to more than {} MB", MAX_TEXT_BYTES >> 20);
    }
    let mut pages = Vec::new();
    for (ix, line) in lines.lines().enumerate() {
        let page: MirrorPage =
            serde_json::from_str(line).with_context(|| format!("line {}", ix + 1))?;
        if page.page != ix + 1 {
            bail!("line {}: page {} out of order", ix + 1, page.page);
        }
        pages.push(PageText {
            quality: pdf::judge(&page.text),
            text: page.text,
        });
    }
    if pages.is_empty() {
        bail!("no pages");
    }
    Ok(pages)
}
