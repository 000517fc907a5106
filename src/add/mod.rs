//! A user's own filings into a library: PDF and HTML files, folders, what EDGAR sent.

pub mod cover;
mod heading;
pub mod label;
mod source;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use rayon::prelude::*;

use crate::library::checksum::sha256;
use crate::library::job::{Cancel, Failure};
use crate::library::{Filing, Form, Library, PageQuality, PageText, TextSource, pdf, reading};
use crate::question::{self, Tables};
use crate::words::{count, with_causes};
use crate::{edgar::html_worker, text};

pub use label::{Labels, Missing, Named, Period, parse_form};
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
                    let failure = Failure {
                        what: source.name.clone(),
                        error: with_causes(&error),
                    };
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

enum Done {
    Kept(Filing),
    Stored(Filing, bool),
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

/// The filings of the library, those just added included.
struct Shelf {
    by_name: BTreeMap<String, Filing>,
    by_content: HashMap<String, String>,
    companies: Vec<String>,
    /// Names given in this run: two files with one name are two filings.
    given: Vec<String>,
}

impl Shelf {
    fn new(library: &Library) -> Shelf {
        let mut companies: Vec<String> = library
            .filings()
            .iter()
            .map(|f| f.company.clone())
            .collect();
        companies.sort();
        companies.dedup();
        let content = |f: &Filing| Some((f.source_sha256.clone()?, f.doc_name.clone()));
        Shelf {
            by_content: library.filings().iter().filter_map(content).collect(),
            by_name: library
                .filings()
                .iter()
                .map(|f| (f.doc_name.clone(), f.clone()))
                .collect(),
            companies,
            given: Vec::new(),
        }
    }

    /// The filing with this content, unless labels set by hand say otherwise of it.
    fn known(&self, sha256: &str, labels: &Labels) -> Option<&Filing> {
        let filing = self.by_name.get(self.by_content.get(sha256)?)?;
        let current = filing
            .made_from
            .as_deref()
            .is_none_or(|from| from == made_from(sha256) || !from.starts_with("add"));
        let as_told = labels
            .company
            .as_ref()
            .is_none_or(|company| self.one_name(company, Named::ByHand) == filing.company)
            && labels
                .form
                .is_none_or(|form| form == (filing.form, filing.amended))
            && labels.period.is_none_or(|period| {
                filing.fiscal_year == Some(period.year)
                    && (period.quarter.is_none() || filing.quarter == period.quarter)
            });
        (current && as_told).then_some(filing)
    }

    /// The one name of a company: the library's, if it has filings of it, else the tables', else as it is given.
    /// "Inc." and capitals make no other company.
    fn one_name(&self, name: &str, named: Named) -> String {
        let plain = label::doc_slug(name);
        let name = name.trim();
        // A name without a letter a file name may have is told from others by itself alone.
        let same = |company: &&String| {
            label::doc_slug(company) == plain && (plain != label::NAMELESS || *company == name)
        };
        let known = self.companies.iter().find(same).cloned();
        match named {
            Named::ByHand => known,
            Named::OnTheCover => known.or_else(|| self.read_as(name)),
        }
        .unwrap_or_else(|| name.to_string())
    }

    /// The company that a name on a cover is read as.
    fn read_as(&self, name: &str) -> Option<String> {
        let plain = |name: &str| label::doc_slug(name);
        let tables = Tables::builtin();
        let reading = question::read(&tables, &self.companies, name);
        match reading.companies.as_slice() {
            // Most of the name, not a word of it, and to the letter: names of two companies may be near.
            [found]
                if found.or.is_empty() && !found.misspelt && found.span.len() * 2 > name.len() =>
            {
                Some(found.company.clone())
            }
            // The first filing of a company: as the tables name it, and with them every other library.
            _ => tables
                .companies
                .iter()
                .find(|entry| {
                    let mut names = entry.names.iter().chain([&entry.name]);
                    names.any(|known| plain(known) == plain(name))
                })
                .map(|entry| entry.name.clone()),
        }
    }

    fn label(
        &self,
        source: &Source,
        new: &New,
        labels: &Labels,
        ask: Option<Ask>,
    ) -> Result<Filing> {
        let mut labels = labels.clone();
        let mut wrong: Option<String> = None;
        let mut filing = loop {
            let one_name = |name: &str, named| self.one_name(name, named);
            let missing = match label::filing(&new.cover, &labels, new.text_from, one_name) {
                Ok(filing) => break filing,
                Err(missing) => missing,
            };
            let flag = missing.flag();
            let Some(ask) = ask else {
                let what = flag.trim_start_matches('-');
                bail!("its {what} cannot be read from it; say it with {flag}");
            };
            let Some(answer) = ask(&source.name, &new.cover, missing, wrong.as_deref()) else {
                bail!(
                    "left out: its {} is not known",
                    flag.trim_start_matches('-')
                );
            };
            wrong = labels.answer(missing, &answer).err();
        };
        filing.link = source.link.clone();
        filing.accession = source.accession.clone();
        filing.path = source.path();
        filing.source_sha256 = Some(new.sha256.clone());
        filing.made_from = Some(made_from(&new.sha256));
        filing.page_numbers_uncertain_from = (!new.pages_marked).then_some(1);
        filing.added = Some(jiff::Timestamp::now().to_string());
        filing.doc_name = self.free_name(&filing);
        Ok(filing)
    }

    /// The name a filing is stored by: that of the filing it replaces, else its own with the first number that
    /// is free. Two 8-Ks of one day are two filings, and so are a deck and a proxy statement of one year.
    fn free_name(&self, filing: &Filing) -> String {
        let plain = &filing.doc_name;
        let of_this_name = self.by_name.range(plain.clone()..).map(|(_, old)| old);
        let replaced = of_this_name
            .take_while(|old| old.doc_name.starts_with(plain))
            .filter(|old| is_numbered(plain, &old.doc_name) && !self.given.contains(&old.doc_name))
            .find(|old| same_source(old, filing));
        if let Some(old) = replaced {
            return old.doc_name.clone();
        }
        let by_name = self.by_name.get(plain);
        if by_name.is_some_and(|old| only_one_is_filed(old, filing)) && !self.given.contains(plain)
        {
            return plain.clone();
        }
        let mut name = plain.clone();
        let mut count = 1;
        while self.given.contains(&name) || self.by_name.contains_key(&name) {
            count += 1;
            name = format!("{plain}_{count}");
        }
        name
    }

    fn store(&mut self, root: &Path, mut filing: Filing, pages: &[PageText]) -> Result<Done> {
        Library::put(root, &mut filing, pages)?;
        let sha = filing.source_sha256.clone().unwrap_or_default();
        let name = filing.doc_name.clone();
        let before = self.by_name.get(&name);
        let mut replaced = before.is_some();
        if let Some(content) = before.and_then(|old| old.source_sha256.as_ref()) {
            self.by_content.remove(content);
        }
        // The same content under another name was labelled wrongly.
        if let Some(old) = self.by_content.insert(sha, name.clone())
            && old != name
        {
            Library::remove(root, &old)?;
            self.by_name.remove(&old);
            replaced = true;
        }
        if !self.companies.contains(&filing.company) {
            self.companies.push(filing.company.clone());
        }
        self.given.push(name.clone());
        self.by_name.insert(name, filing.clone());
        Ok(Done::Stored(filing, replaced))
    }
}

/// Whether `name` is `plain`, or `plain` with a number behind it.
fn is_numbered(plain: &str, name: &str) -> bool {
    let rest = name.strip_prefix(plain);
    let digits = |rest: &str| rest.bytes().all(|b| b.is_ascii_digit());
    rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('_').is_some_and(digits))
}

/// Whether two texts of one name came from one place: then the later is the filing as it is now.
fn same_source(old: &Filing, new: &Filing) -> bool {
    let same = |of: fn(&Filing) -> &Option<String>| of(new).is_some() && of(old) == of(new);
    same(|f| &f.accession) || same(|f| &f.path) || same(|f| &f.source_sha256)
}

/// Whether a filing of this name is this filing, wherever it came from: a company files one 10-K a year and one
/// 10-Q a quarter. Amendments, reports of events and all else may be several.
fn only_one_is_filed(old: &Filing, new: &Filing) -> bool {
    let one = matches!(new.form, Form::TenK | Form::TenQ) && !new.amended;
    one && (old.accession.is_none() || new.accession.is_none())
}

fn made_from(sha256: &str) -> String {
    reading::made_from("add", sha256)
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
    let tail = &pdf[pdf.len().saturating_sub(2048)..];
    let has = |bytes: &[u8], what: &[u8]| text::find(bytes, what).is_some();
    let end = has(tail, b"%%EOF") || has(tail, b"startxref");
    match (end, has(pdf, b"/Image")) {
        (false, _) => Some("it is cut off before its end"),
        (true, false) => Some("its pages can be found and hold neither text nor pictures"),
        (true, true) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(says(&scan[..30]).starts_with("damaged: it is cut off"));
        assert!(says(b"%PDF-1.4 startxref 9 %%EOF\n").starts_with("damaged: its pages"));
    }
}
