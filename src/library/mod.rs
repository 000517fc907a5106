//! The filings on disk: catalog, page text, originals.
//!
//! A library is a folder:
//!
//! ```text
//! library.json        its name and format version
//! catalog.jsonl       one `Filing` a line, sorted by doc_name
//! pages/DOC.pages     page text (see `store`)
//! pdfs/DOC.pdf        originals, where kept
//! questions/*.jsonl   labelled questions
//! index/              derived: can be deleted at any time
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
pub mod import;
pub mod job;
pub mod output;
pub mod pdf;
pub mod status;
pub mod store;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};

pub use filing::{Filing, Form, PageId, PageQuality, PageText, TextSource};
use store::{PageFile, StoreError};

/// An open library.
#[derive(Debug)]
pub struct Library {
    root: PathBuf,
    filings: Vec<Filing>,
    files: Vec<OnceLock<PageFile>>,
    damaged: Vec<String>,
}

impl Library {
    /// Opens the library in `root`, or an empty one where there is none yet.
    ///
    /// A catalog that disagrees with the page files is mended from their records.
    pub fn open(root: &Path) -> Result<Library> {
        let mut catalog = read_catalog(root)?;
        let written = modified(&root.join("catalog.jsonl"));
        let on_disk = doc_names(root)?;
        let known = catalog.len();
        catalog.retain(|name, _| on_disk.binary_search(name).is_ok());
        let mut changed = catalog.len() != known;
        let mut damaged = Vec::new();
        for name in &on_disk {
            let path = page_path(root, name);
            // A file as new as the catalog may have been written after it was put together.
            if catalog.contains_key(name) && modified(&path) < written {
                continue;
            }
            match PageFile::open(&path).and_then(|file| file.filing()) {
                Ok(filing) if catalog.get(name) == Some(&filing) => {}
                Ok(filing) => {
                    catalog.insert(name.clone(), filing);
                    changed = true;
                }
                Err(error) => {
                    tracing::warn!("{error}");
                    damaged.push(name.clone());
                    changed |= catalog.remove(name).is_some();
                }
            }
        }
        let library = Library::of(root, catalog.into_values().collect(), damaged);
        if changed {
            // A read-only folder is no reason not to work.
            if let Err(error) = library.save_catalog() {
                tracing::warn!("catalog not written: {error:#}");
            }
        }
        Ok(library)
    }

    fn of(root: &Path, filings: Vec<Filing>, damaged: Vec<String>) -> Library {
        let files = filings.iter().map(|_| OnceLock::new()).collect();
        Library {
            root: root.to_path_buf(),
            filings,
            files,
            damaged,
        }
    }

    /// Names of filings whose page files are damaged: they are left out.
    pub fn damaged(&self) -> &[String] {
        &self.damaged
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every filing, sorted by `doc_name`; `PageId::filing` is the position here.
    pub fn filings(&self) -> &[Filing] {
        &self.filings
    }

    /// The filing of this ordinal.
    pub fn filing(&self, ordinal: u32) -> &Filing {
        &self.filings[ordinal as usize]
    }

    /// The ordinal of the filing of this name.
    pub fn find(&self, doc_name: &str) -> Option<u32> {
        self.filings
            .binary_search_by(|filing| filing.doc_name.as_str().cmp(doc_name))
            .ok()
            .map(|ix| ix as u32)
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
        let mut filings = Vec::new();
        let mut damaged = Vec::new();
        for name in doc_names(root)? {
            match PageFile::open(&page_path(root, &name)).and_then(|file| file.filing()) {
                Ok(filing) => filings.push(filing),
                Err(error) => {
                    tracing::warn!("{error}");
                    damaged.push(name.clone());
                }
            }
        }
        let library = Library::of(root, filings, damaged);
        library.save_catalog()?;
        Ok(library)
    }

    fn save_catalog(&self) -> Result<()> {
        let mut out = Vec::new();
        for filing in &self.filings {
            serde_json::to_writer(&mut out, filing)?;
            out.push(b'\n');
        }
        fs::create_dir_all(&self.root)?;
        store::write_atomic(&self.root.join("catalog.jsonl"), &out)
            .with_context(|| format!("writing the catalog of {}", self.root.display()))
    }
}

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

/// When the file was last written; `None`, which is before all else, if that cannot be told.
fn modified(path: &Path) -> Option<std::time::SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

fn read_catalog(root: &Path) -> Result<BTreeMap<String, Filing>> {
    let path = root.join("catalog.jsonl");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
    };
    // A line that does not parse is dropped: its filing is read again from its page file.
    Ok(text
        .lines()
        .filter_map(|line| serde_json::from_str::<Filing>(line).ok())
        .map(|filing| (filing.doc_name.clone(), filing))
        .collect())
}

fn doc_names(root: &Path) -> Result<Vec<String>> {
    let dir = root.join("pages");
    let entries = match fs::read_dir(&dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("reading {}", dir.display())),
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".pages").map(str::to_string))
        .collect();
    names.sort();
    Ok(names)
}
