//! The filings on disk: catalog, page text, originals.
//!
//! A library is a folder:
//!
//! ```text
//! catalog.jsonl       one `Filing` a line, sorted by doc_name, with length and time of its page file
//! pages/DOC.pages     page text (see `store`)
//! pdfs/DOC.pdf        originals, where kept
//! questions/*.jsonl   labelled questions
//! notes.jsonl         what people noted about them
//! index/, vectors/    derived: can be deleted at any time
//! runs/last.json      the last run of `eval`
//! demo.version        in the demo alone (see `demo`)
//! ```
//!
//! The page files are the truth and the catalog a copy of their records: after a killed import
//! the catalog is mended from them on open.

pub mod catalog;
pub mod checksum;
pub mod cover;
pub mod demo;
pub mod fetch;
pub mod filing;
pub mod http;
pub mod import;
pub mod job;
pub mod output;
pub mod pdf;
pub mod reading;
pub mod status;
pub mod store;
pub mod verify;
pub mod worker;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

pub use filing::{Filing, Form, PageId, PageQuality, PageText, TextSource, cite, cite_pages, find};
use store::{PageFile, StoreError};

/// An open library.
#[derive(Debug)]
pub struct Library {
    root: PathBuf,
    filings: Vec<Filing>,
    stamps: Vec<Option<Stamp>>,
    files: Vec<OnceLock<PageFile>>,
    damaged: Vec<String>,
    mended: Option<String>,
    written: Written,
}

impl Library {
    /// Opens the library in `root`, or an empty one where there is none yet.
    ///
    /// A catalog that disagrees with the page files is mended from their records.
    pub fn open(root: &Path) -> Result<Library> {
        let (library, changed) = Library::read(root)?;
        if changed {
            // A read-only folder is no reason not to work.
            if let Err(error) = library.save_catalog() {
                tracing::warn!("catalog not written: {error:#}");
            }
        }
        Ok(library)
    }

    /// [`Library::open`] that leaves the catalog as it is.
    pub fn look(root: &Path) -> Result<Library> {
        Ok(Library::read(root)?.0)
    }

    /// The library, and whether the catalog says something else.
    fn read(root: &Path) -> Result<(Library, bool)> {
        let folders = Written::of(root);
        let (mut catalog, mended) = read_catalog(root);
        let mut changed = mended.is_some();
        let (mut lines, mut damaged) = (Vec::new(), Vec::new());
        for name in doc_names(root)? {
            let path = page_path(root, &name);
            let known = catalog.remove(&name);
            let stamp = Stamp::of(&path);
            if let Some(line) = known.as_ref().filter(|line| line.is_of(stamp)) {
                lines.push(line.clone());
                continue;
            }
            changed |= known.is_some();
            match Line::read(&path) {
                Ok(line) => {
                    lines.push(line);
                    changed = true;
                }
                Err(error) => {
                    tracing::warn!("{error}");
                    damaged.push(name);
                }
            }
        }
        changed |= !catalog.is_empty();
        let mut library = Library::of(root, lines, damaged);
        library.mended = mended;
        library.written = folders;
        Ok((library, changed))
    }

    fn of(root: &Path, lines: Vec<Line>, damaged: Vec<String>) -> Library {
        let files = lines.iter().map(|_| OnceLock::new()).collect();
        let (filings, stamps) = lines
            .into_iter()
            .map(|line| (line.filing, line.file))
            .unzip();
        Library {
            root: root.to_path_buf(),
            filings,
            stamps,
            files,
            damaged,
            mended: None,
            written: Written::of(root),
        }
    }

    /// Whether filings or vectors came or went since it was opened. Looks at times of folders alone.
    pub fn has_changed(&self) -> bool {
        Written::of(&self.root) != self.written
    }

    /// Names of page files that are damaged or hold another filing: they are left out.
    pub fn damaged(&self) -> &[String] {
        &self.damaged
    }

    /// What was wrong with the catalog when it was opened, if anything was: it has been made again
    /// from the page files.
    pub fn mended(&self) -> Option<&str> {
        self.mended.as_deref()
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every filing, sorted by `doc_name`; `PageId::filing` is the position here.
    pub fn filings(&self) -> &[Filing] {
        &self.filings
    }

    /// Every company as its filings name it, once, sorted.
    pub fn companies(&self) -> Vec<String> {
        let mut companies: Vec<String> = self.filings.iter().map(|f| f.company.clone()).collect();
        companies.sort();
        companies.dedup();
        companies
    }

    /// The filing of this ordinal.
    pub fn filing(&self, ordinal: u32) -> &Filing {
        &self.filings[ordinal as usize]
    }

    /// The ordinal of the filing of this name.
    pub fn find(&self, doc_name: &str) -> Option<u32> {
        filing::find(&self.filings, doc_name)
    }

    /// Total number of pages.
    pub fn page_count(&self) -> usize {
        self.filings.iter().map(|f| f.pages as usize).sum()
    }

    /// The page file of a filing, opened once.
    pub fn page_file(&self, ordinal: u32) -> Result<&PageFile, StoreError> {
        let cell = &self.files[ordinal as usize];
        if let Some(file) = cell.get() {
            return Ok(file);
        }
        let file = PageFile::open(&page_path(&self.root, &self.filing(ordinal).doc_name))?;
        Ok(cell.get_or_init(|| file))
    }

    /// The text of one page.
    pub fn page(&self, page: PageId) -> Result<PageText, StoreError> {
        self.page_file(page.filing)?.page(page.page)
    }

    /// Writes a filing and its pages, without touching the catalog: call [`Library::refresh`]
    /// after the last one. `pages` and `text_sha256` of the record are set here.
    pub fn put(root: &Path, filing: &mut Filing, pages: &[PageText]) -> Result<()> {
        check_name(&filing.doc_name)?;
        filing.pages = pages.len() as u32;
        filing.text_sha256 = store::text_hash(pages);
        let path = page_path(root, &filing.doc_name);
        fs::create_dir_all(path.parent().expect("has a parent"))
            .with_context(|| format!("creating {}", path.display()))?;
        store::write(&path, filing, pages)?;
        // It is here again; nothing there, or what cannot be removed, is no matter.
        let _ = fs::remove_file(path.with_extension(&SET_ASIDE[1..]));
        Ok(())
    }

    /// Removes a filing's pages; call [`Library::refresh`] after the last one.
    pub fn remove(root: &Path, doc_name: &str) -> Result<()> {
        check_name(doc_name)?;
        let path = page_path(root, doc_name);
        fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))
    }

    /// Rewrites the catalog from the records in the page files and opens the result.
    pub fn refresh(root: &Path) -> Result<Library> {
        let (mut lines, mut damaged) = (Vec::new(), Vec::new());
        for name in doc_names(root)? {
            match Line::read(&page_path(root, &name)) {
                Ok(line) => lines.push(line),
                Err(error) => {
                    tracing::warn!("{error}");
                    damaged.push(name);
                }
            }
        }
        let library = Library::of(root, lines, damaged);
        library.save_catalog()?;
        Ok(library)
    }

    fn save_catalog(&self) -> Result<()> {
        let mut out = Vec::new();
        for (filing, &file) in self.filings.iter().zip(&self.stamps) {
            let filing = filing.clone();
            serde_json::to_writer(&mut out, &Line { filing, file })?;
            out.push(b'\n');
        }
        fs::create_dir_all(&self.root)?;
        let path = self.root.join(CATALOG);
        if path.is_dir() {
            // Not one of ours: it makes room, and nothing in it is lost.
            let mut names = (1..).map(|n| self.root.join(format!("{CATALOG}.{n}")));
            let free = names.find(|name| !name.exists()).expect("one is free");
            fs::remove_dir(&path)
                .or_else(|_| fs::rename(&path, free))
                .with_context(|| format!("{} is a folder: move it away", path.display()))?;
        }
        store::write_atomic(&path, &out)
            .with_context(|| format!("writing the catalog of {}", self.root.display()))?;
        sweep(&self.root);
        Ok(())
    }
}

/// Removes what killed writes left behind in a library long ago.
pub fn sweep(root: &Path) {
    store::sweep(root);
    for dir in ["pages", "pdfs", "questions", "vectors"] {
        store::sweep(&root.join(dir));
    }
}

const CATALOG: &str = "catalog.jsonl";
/// What the name of a damaged page file ends in that was set aside: nothing else has what is left of it.
const SET_ASIDE: &str = ".pages.damaged";

/// Where a filing's pages are.
pub fn page_path(root: &Path, doc_name: &str) -> PathBuf {
    root.join("pages").join(format!("{doc_name}.pages"))
}

/// A document name becomes a file name: letters, digits, `_`, `-`, `.`, `&`, at most 120, no leading dot.
pub fn check_name(doc_name: &str) -> Result<()> {
    let ok = |c: char| c.is_ascii_alphanumeric() || "_-.&".contains(c);
    if doc_name.is_empty()
        || doc_name.len() > 120
        || doc_name.starts_with('.')
        || !doc_name.chars().all(ok)
    {
        bail!("{doc_name:?} cannot name a filing: use letters, digits, '_', '-', '.', '&'");
    }
    Ok(())
}

/// A line of the catalog: a record, and the page file it was read from, as that was then.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    filing: Filing,
    #[serde(default)]
    file: Option<Stamp>,
}

impl Line {
    fn read(path: &Path) -> Result<Line, StoreError> {
        // Its time first: a file that is replaced meanwhile is read again the next time.
        let file = Stamp::of(path);
        let filing = PageFile::open(path)?.own_filing()?;
        Ok(Line { filing, file })
    }

    fn is_of(&self, stamp: Option<Stamp>) -> bool {
        stamp.is_some() && self.file == stamp
    }
}

/// What tells a file from the one that was there before. A time that is another, not one that is later: what is put
/// back from a backup has its old time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    /// In ns since 1970.
    modified: u64,
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        let found = fs::metadata(path).ok()?;
        let since_1970 = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Stamp {
            bytes: found.len(),
            modified: u64::try_from(since_1970.as_nanos()).ok()?,
        })
    }
}

/// When something last came into the folders that other processes write into, or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Written([Option<SystemTime>; 2]);

impl Written {
    fn of(root: &Path) -> Written {
        Written(["pages", "vectors"].map(|folder| modified(&root.join(folder))))
    }
}

/// When the file was last written; `None` if that cannot be told.
fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// The catalog as far as it can be read, and what is wrong with it. What cannot be read of it is
/// read again from the page files.
fn read_catalog(root: &Path) -> (BTreeMap<String, Line>, Option<String>) {
    let mut catalog = BTreeMap::new();
    let bytes = match store::read_file(&root.join(CATALOG)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return (catalog, None),
        Err(error) => {
            tracing::warn!("{CATALOG}: {error}");
            return (
                catalog,
                Some(format!("{CATALOG} could not be read ({error})")),
            );
        }
    };
    let mut bad = None;
    for (ix, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        match serde_json::from_slice::<Line>(line) {
            Ok(line) => {
                catalog.insert(line.filing.doc_name.clone(), line);
            }
            Err(_) if line.trim_ascii().is_empty() => {}
            Err(error) => {
                tracing::warn!("{CATALOG}, line {}: {error}", ix + 1);
                bad = bad.or(Some(format!("{CATALOG} was damaged (line {})", ix + 1)));
            }
        }
    }
    (catalog, bad)
}

fn doc_names(root: &Path) -> Result<Vec<String>> {
    status::names(&root.join("pages"), ".pages")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_add_embed_and_remove_is_a_change() {
        let dir = tempfile::tempdir().unwrap();
        demo::install(dir.path()).unwrap();
        let changed = |change: &dyn Fn()| {
            let library = Library::open(dir.path()).unwrap();
            let before = library.has_changed();
            // A clock of the file system may tick slowly.
            std::thread::sleep(std::time::Duration::from_millis(20));
            change();
            (before, library.has_changed())
        };
        let name = Library::open(dir.path()).unwrap().filings()[0]
            .doc_name
            .clone();
        let vectors = dir.path().join("vectors");
        assert_eq!(changed(&|| ()), (false, false));
        assert_eq!(
            changed(&|| fs::create_dir(&vectors).unwrap()),
            (false, true)
        );
        let file = vectors.join("A.vectors");
        let embed = || store::write_atomic(&file, b"vectors").unwrap();
        assert_eq!(changed(&embed), (false, true));
        assert_eq!(changed(&embed), (false, true), "anew");
        let remove = || Library::remove(dir.path(), &name).unwrap();
        assert_eq!(changed(&remove), (false, true));
        assert_eq!(changed(&|| ()), (false, false));
    }
}
