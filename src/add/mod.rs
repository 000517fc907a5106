//! A user's own filings into a library: PDF and HTML files, folders, what EDGAR sent.

pub mod cover;
mod heading;
pub mod label;
mod names;
mod period;
mod shelf;
mod source;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use rayon::prelude::*;

use crate::library::checksum::sha256;
use crate::library::job::{Cancel, Failure};
use crate::library::{Filing, Library, PageQuality, PageText, TextSource, pdf, reading};
use crate::words::count;
use crate::{edgar::html_worker, text};

pub use label::{Labels, Missing, Named, Period, parse_form};
use shelf::{Done, Shelf};
pub use source::{Content, Found, NOTHING_THERE, Source, gather, left_out};

/// Filings read at once before they are stored, in order.
const BATCH: usize = 8;

/// Something that happened while filings were added.
#[derive(Debug)]
pub enum Event<'a> {
    /// A filing is stored.
    Added {
        /// Its record.
        filing: &'a Filing,
        /// Another text of the same filing was there.
        replaced: bool,
    },
    /// The same content is already there: its record.
    Kept(&'a Filing),
    /// A file could not be added; the rest goes on.
    Failed(&'a Failure),
}

/// What adding came to.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Summary {
    /// Names of the filings stored.
    pub added: Vec<String>,
    /// Of these, the ones that replaced another text.
    pub replaced: Vec<String>,
    /// Names of the filings that were already there.
    pub kept: Vec<String>,
    /// Files that could not be added, and why.
    pub failed: Vec<Failure>,
    /// Files of a folder that are of no kind that is read.
    pub skipped: Vec<PathBuf>,
    /// Pages of the filings stored.
    pub pages: usize,
    /// It was stopped before the end; what was done is kept.
    pub cancelled: bool,
    /// How long it took.
    pub seconds: f64,
}

/// Asks a person what a file (its name) does not say, and what was wrong with the answer before; `None` to
/// leave the file out.
pub type Ask<'a> = &'a dyn Fn(&str, &cover::Cover, Missing, Option<&str>) -> Option<String>;

/// Adds filings to the library in `root`. Files with the same content as a filing there are kept, another text
/// of a filing there replaces it, what fails is told and the rest goes on.
///
/// # Errors
///
/// If the library cannot be read or written at all.
pub fn run(
    root: &Path,
    sources: Vec<Source>,
    labels: &Labels,
    ask: Option<Ask>,
    on_event: &mut dyn FnMut(Event),
    cancel: &Cancel,
) -> Result<Summary> {
    let started = Instant::now();
    let library = Library::open(root)?;
    let mut shelf = Shelf::new(&library);
    let mut summary = Summary::default();
    let mut sources = sources.into_iter().peekable();
    while sources.peek().is_some() && !cancel.is_cancelled() {
        let batch: Vec<Source> = sources.by_ref().take(BATCH).collect();
        let read: Vec<Result<Read>> = batch
            .par_iter()
            .map(|source| read(source, &shelf, labels, cancel))
            .collect();
        for (source, read) in batch.iter().zip(read) {
            let done = read.and_then(|read| match read {
                Read::Cancelled => Ok(None),
                Read::Known(filing) => Ok(Some(Done::Kept(filing))),
                Read::New(new) => {
                    // A copy of it may have been read beside it.
                    if let Some(filing) = shelf.known(&new.sha256, labels) {
                        return Ok(Some(Done::Kept(filing.clone())));
                    }
                    let filing = shelf.label(source, &new, labels, ask)?;
                    shelf.store(root, filing, &new.pages).map(Some)
                }
            });
            match done {
                Ok(None) => {}
                Ok(Some(Done::Kept(filing))) => {
                    summary.kept.push(filing.doc_name.clone());
                    on_event(Event::Kept(&filing));
                }
                Ok(Some(Done::Stored(filing, replaced))) => {
                    summary.pages += filing.pages as usize;
                    summary.added.push(filing.doc_name.clone());
                    if replaced {
                        summary.replaced.push(filing.doc_name.clone());
                    }
                    on_event(Event::Added {
                        filing: &filing,
                        replaced,
                    });
                }
                Err(error) => {
                    let failure = Failure::new(&source.name, &error);
                    on_event(Event::Failed(&failure));
                    summary.failed.push(failure);
                }
            }
        }
    }
    if !summary.added.is_empty() {
        Library::refresh(root)?;
    }
    summary.cancelled = cancel.is_cancelled();
    summary.seconds = started.elapsed().as_secs_f64();
    Ok(summary)
}

/// Removes filings by name, with their originals, and gives the names: one given twice is one.
///
/// # Errors
///
/// If one of them is not there (then none is removed), or the library cannot be written.
pub fn remove(root: &Path, mut doc_names: Vec<String>) -> Result<Vec<String>> {
    let library = Library::open(root)?;
    doc_names.sort();
    doc_names.dedup();
    for name in &doc_names {
        if library.find(name).is_none() {
            bail!("there is no filing {name}; `tenleaf list` shows what there is");
        }
    }
    for name in &doc_names {
        Library::remove(root, name)?;
        let original = crate::library::import::pdf_path(root, name);
        if original.exists() {
            std::fs::remove_file(original)?;
        }
    }
    Library::refresh(root)?;
    Ok(doc_names)
}

enum Read {
    Cancelled,
    /// The same content is there already.
    Known(Filing),
    New(Box<New>),
}

struct New {
    pages: Vec<PageText>,
    cover: cover::Cover,
    text_from: TextSource,
    pages_marked: bool,
    sha256: String,
}

/// Reads one file.
fn read(source: &Source, shelf: &Shelf, labels: &Labels, cancel: &Cancel) -> Result<Read> {
    if cancel.is_cancelled() {
        return Ok(Read::Cancelled);
    }
    let bytes = source.bytes()?;
    let exhibits: Vec<Vec<u8>> = source
        .more
        .iter()
        .map(|path| std::fs::read(path).with_context(|| path.display().to_string()))
        .collect::<Result<_>>()?;
    let sha256 = match exhibits.as_slice() {
        [] => sha256(&bytes),
        exhibits => sha256(&[bytes.as_ref(), &exhibits.concat()].concat()),
    };
    if let Some(filing) = shelf.known(&sha256, labels) {
        return Ok(Read::Known(filing.clone()));
    }
    let (mut pages, facts, text_from, pages_marked) = match source.kind(&bytes)? {
        source::Kind::Pdf => {
            let file = source.file(&bytes)?;
            let Some(pages) = pdf::worker::extract_file(file.path(), cancel)? else {
                return Ok(Read::Cancelled);
            };
            if cut_off(&bytes) {
                bail!(
                    "cut off before its end, so that pages or words may be missing ({} can be found); get it again",
                    count(pages.len(), "page")
                );
            }
            (pages, BTreeMap::new(), TextSource::Pdf, true)
        }
        source::Kind::Text => {
            let file = source.file(&bytes)?;
            let Some(document) = html_worker::read_file(file.path(), cancel)? else {
                return Ok(Read::Cancelled);
            };
            let page = |text: String| PageText {
                quality: pdf::judge(&text),
                text,
            };
            let mut pages: Vec<PageText> = document.pages.into_iter().map(page).collect();
            for path in &source.more {
                match html_worker::read_file(path, cancel) {
                    Ok(Some(exhibit)) => pages.extend(exhibit.pages.into_iter().map(page)),
                    Ok(None) => return Ok(Read::Cancelled),
                    // A presentation of pictures; the filing itself is there.
                    Err(error) => tracing::warn!("{}: {error}", path.display()),
                }
            }
            (
                pages,
                document.facts,
                match document.markup {
                    true => TextSource::Html,
                    false => TextSource::Plain,
                },
                document.pages_marked,
            )
        }
    };
    for page in &mut pages {
        page.text = reading::stored_text(&page.text);
    }
    readable(&mut pages, text_from, &bytes)?;
    drop(bytes);
    let mut cover = cover::read(&pages, &facts, &source.stem);
    source.complete(&mut cover);
    Ok(Read::New(Box::new(New {
        pages,
        cover,
        text_from,
        pages_marked,
        sha256,
    })))
}

/// An error where no page can be read. Little text is none in a PDF, a page number on a picture; in a
/// file of text it is all there is.
fn readable(pages: &mut [PageText], text_from: TextSource, file: &[u8]) -> Result<()> {
    let ok = |page: &PageText| page.quality == PageQuality::Ok;
    if pages.iter().any(ok) {
        return Ok(());
    }
    if text_from != TextSource::Pdf {
        for page in pages.iter_mut() {
            let written = page.text.contains(char::is_alphanumeric);
            if page.quality == PageQuality::Empty && written {
                page.quality = PageQuality::Ok;
            }
        }
    }
    if pages.iter().any(ok) {
        return Ok(());
    }
    let broken = pages
        .iter()
        .any(|page| page.quality == PageQuality::Garbage);
    if text_from == TextSource::Pdf
        && let Some(damage) = damage(file)
    {
        bail!("damaged: {damage}; get it again");
    }
    match (broken, text_from) {
        (true, _) => {
            bail!("its text cannot be read: a font in it does not say which characters it shows")
        }
        (false, TextSource::Pdf) => bail!(
            "no text in its {}: a scan, say, or damaged; tenleaf reads text, not pictures of it",
            count(pages.len(), "page")
        ),
        (false, _) => bail!("it has no text"),
    }
}

/// What is wrong with a PDF none of whose pages has text, as far as its bytes tell. A picture's
/// record is never compressed: a file without one is no scan.
fn damage(pdf: &[u8]) -> Option<&'static str> {
    match text::find(pdf, b"/Image") {
        None => Some("its pages can be found and hold neither text nor pictures"),
        Some(_) => None,
    }
}

/// Whether a PDF ends before its last object: in the end a whole one tells where its objects are, and none comes
/// after. (One made for the web, or changed, tells so before as well. Cut off while it tells, it has all its pages.)
fn cut_off(pdf: &[u8]) -> bool {
    let tells: [&[u8]; 3] = [b"startxref", b"\nxref", b"\rxref"];
    match tells.iter().filter_map(|what| text::rfind(pdf, what)).max() {
        None => true,
        Some(told) => text::find(&pdf[told..], b" obj").is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pdf_that_is_cut_off_does_not_tell_where_its_objects_are() {
        let whole =
            b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\nxref\n0 1\ntrailer <<>>\nstartxref\n9\n%%EOF\n";
        // Half of it is for the web: its first part has an end of its own.
        let for_the_web = [b"%PDF-1.4\n1 0 obj\nstartxref\n0\n%%EOF\n", &whole[9..]].concat();
        assert!(!cut_off(whole) && !cut_off(&for_the_web));
        assert!(!cut_off(
            &[&whole[..], b"\n<html>what a server put behind it</html>"].concat()
        ));
        assert!(cut_off(&whole[..30]));
        assert!(!cut_off(&whole[..45]), "in its table of objects");
        assert!(cut_off(&for_the_web[..45]));
    }

    #[test]
    fn a_pdf_without_text_is_a_scan_or_damaged() {
        let says = |bytes: &[u8]| {
            let mut pages = [PageText {
                text: String::new(),
                quality: PageQuality::Empty,
            }];
            readable(&mut pages, TextSource::Pdf, bytes)
                .unwrap_err()
                .to_string()
        };
        let scan = b"%PDF-1.4 <</Subtype /Image>> startxref 9 %%EOF\n";
        assert!(says(scan).starts_with("no text in its 1 page: a scan, say, or damaged"));
        assert!(says(b"%PDF-1.4 startxref 9 %%EOF\n").starts_with("damaged: its pages"));
    }
}
