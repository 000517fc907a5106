//! What is derived from the page text: the inverted index and one analysis a filing. Everything in
//! `index/` can be deleted; [`Index::sync`] makes it again.

pub mod analysis;
pub mod bm25;
mod directory;
pub mod facts;
pub mod words;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use rayon::prelude::*;

use crate::library::store::Persister;
use crate::library::verify::{Outcome, Problem};
use crate::library::{Filing, Library, PageId, store};
use crate::text::Stems;
use analysis::{Analysis, TERM};
use words::{WordIndex, WordIndexWriter, key};

/// Version of everything in `index/`; another version is wiped and made again.
pub const INDEX_VERSION: u32 = 1_000_000 + analysis::VERSION;

/// An open index, in line with the library it was opened for.
#[derive(Debug)]
pub struct Index {
    base: Vec<u32>,
    words: WordIndex,
    parts: Vec<Part>,
}

/// The analysis of one filing, opened when it is first asked for.
#[derive(Debug)]
struct Part {
    path: PathBuf,
    text_sha256: String,
    opened: OnceLock<Analysis>,
    /// It could not be opened; not tried again before [`Index::look_again`].
    damaged: AtomicBool,
}

impl Part {
    fn open(&self) -> Option<&Analysis> {
        let analysis = Analysis::open(&self.path, &self.text_sha256)?;
        Some(self.opened.get_or_init(|| analysis))
    }
}

/// What [`Index::sync`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// Filings added or changed.
    pub added: usize,
    /// Filings removed or changed.
    pub removed: usize,
    /// The version of the index that was found and wiped, if it was another.
    pub wiped: Option<u32>,
    /// The index was damaged and has been made again.
    pub mended: bool,
}

/// What to say of an index that turned out to be damaged while it was searched.
pub const DAMAGED: &str = "the index is damaged: `tenleaf index --rebuild` makes it again";

/// Told of each filing done: how many are done and how many there are.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

impl Index {
    /// Opens the index; `None` when it is missing, of another version or out of line with the
    /// catalog: call [`Index::sync`].
    pub fn open(library: &Library) -> Result<Option<Index>> {
        let dir = library.root().join("index");
        if stored_version(&dir) != Some(INDEX_VERSION) {
            return Ok(None);
        }
        // A part that is gone is made again; one that is damaged is found when it is read.
        let there =
            |filing: &Filing| fs::symlink_metadata(path(&dir, filing)).is_ok_and(|m| m.is_file());
        if !library.filings().iter().all(there) {
            return Ok(None);
        }
        let base = base(library.filings());
        let Some(words) = WordIndex::open(&dir.join("words"), library.filings(), &base)? else {
            return Ok(None);
        };
        let part = |filing: &Filing| Part {
            path: path(&dir, filing),
            text_sha256: filing.text_sha256.clone(),
            opened: OnceLock::new(),
            damaged: AtomicBool::new(false),
        };
        Ok(Some(Index {
            base,
            words,
            parts: library.filings().iter().map(part).collect(),
        }))
    }

    /// Brings the index in line with the catalog: adds what is new or changed, removes what is
    /// gone. Stopped (by `cancel`, or killed), the next call goes on.
    pub fn sync(library: &Library, progress: Progress<'_>, cancel: &AtomicBool) -> Result<Synced> {
        let _turn = wait_for_turn(library.root())?;
        let dir = library.root().join("index");
        let mut synced = Synced::default();
        let found = stored_version(&dir);
        if found != Some(INDEX_VERSION) {
            synced.mended = dir.exists() && found.is_none();
            synced.wiped = found;
            remove(&dir)?;
        }
        make_folder(&dir.join("filings"))?;
        if found != Some(INDEX_VERSION) {
            store::write_atomic(
                &dir.join("version"),
                format!("{INDEX_VERSION}\n").as_bytes(),
            )?;
        }
        remove_strays(&dir, library)?;
        let threads = rayon::current_num_threads().min(8);
        let (writer, present) = match open_words(&dir, threads) {
            Ok(opened) => opened,
            Err(error) => {
                tracing::warn!("the inverted index is made again: {error:#}");
                synced.mended = true;
                remove(&dir.join("words"))?;
                open_words(&dir, threads)?
            }
        };
        let wanted: HashSet<u64> = library.filings().iter().map(key).collect();
        for (&old, _) in present.iter().filter(|(key, _)| !wanted.contains(key)) {
            writer.remove(old);
            synced.removed += 1;
        }
        let mut stale: Vec<usize> = (0..library.filings().len())
            .filter(|&n| {
                let filing = &library.filings()[n];
                let pages = present.get(&key(filing)).copied();
                if pages.is_some_and(|pages| pages != filing.pages) {
                    writer.remove(key(filing));
                }
                pages != Some(filing.pages)
                    || Analysis::open(&path(&dir, filing), &filing.text_sha256).is_none()
            })
            .collect();
        // The longest first: no thread is left with a long one when the others are done.
        stale.sort_by_key(|&n| Reverse(library.filings()[n].pages));
        let persister = Persister::start();
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        progress(0, stale.len());
        let work = |stems: &mut Stems| -> Result<()> {
            while let Some(&n) = stale.get(next.fetch_add(1, Ordering::Relaxed)) {
                if cancel.load(Ordering::Relaxed) {
                    bail!("stopped; the next run goes on from here");
                }
                let filing = &library.filings()[n];
                let indexed = present.get(&key(filing)) == Some(&filing.pages);
                let writer = (!indexed).then_some(&writer);
                add_filing(&dir, library, n as u32, writer, &persister, stems)
                    .with_context(|| format!("indexing {}", filing.doc_name))?;
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, stale.len());
            }
            Ok(())
        };
        let added: Result<Vec<()>> = rayon::broadcast(|_| work(&mut Stems::default()))
            .into_iter()
            .collect();
        // What was analysed stays, whatever became of the rest.
        persister.finish()?;
        added?;
        synced.added = stale.len();
        if synced.added + synced.removed > 0 {
            writer.commit()?;
        }
        Ok(synced)
    }

    /// Throws the index away: the next [`Index::sync`] makes it again.
    pub fn wipe(library: &Library) -> Result<()> {
        let _turn = wait_for_turn(library.root())?;
        remove(&library.root().join("index"))
    }

    /// Looks at every byte of the index; with `repair`, what is damaged is made again. An index that is
    /// not there, or of another version, is made when it is needed.
    pub fn verify(library: &Library, repair: bool, cancel: &AtomicBool) -> Result<Vec<Problem>> {
        let found = Index::damage(library);
        let repaired = repair && !found.is_empty();
        if repaired {
            let turn = wait_for_turn(library.root())?;
            for (file, _) in &found {
                remove(&library.root().join(file))?;
            }
            drop(turn);
            Index::sync(library, &|_, _| {}, cancel)?;
        }
        let problem = |(file, problem)| Problem {
            file,
            problem,
            outcome: match repaired {
                true => Outcome::Mended,
                false => Outcome::Open,
            },
            remedy: match repaired {
                true => "made again".to_string(),
                false => "`tenleaf data verify --repair` makes it again".to_string(),
            },
        };
        Ok(found.into_iter().map(problem).collect())
    }

    /// Damaged parts, by their paths in the library's folder.
    fn damage(library: &Library) -> Vec<(String, String)> {
        let dir = library.root().join("index");
        if fs::symlink_metadata(&dir).is_ok() && !dir.is_dir() {
            return vec![("index".to_string(), "it is no folder".to_string())];
        }
        if stored_version(&dir) != Some(INDEX_VERSION) {
            return Vec::new();
        }
        let analyses = library.filings().par_iter().filter_map(|filing| {
            let path = path(&dir, filing);
            let whole = || Analysis::open(&path, &filing.text_sha256).is_some_and(|a| a.is_whole());
            (fs::symlink_metadata(&path).is_ok() && !whole()).then(|| {
                let file = format!("index/filings/{}.terms", filing.doc_name);
                (file, "damaged, or of another text".to_string())
            })
        });
        let words = words::damage(&dir.join("words"));
        let words = words.map(|problem| ("index/words".to_string(), problem));
        analyses
            .collect::<Vec<_>>()
            .into_iter()
            .chain(words)
            .collect()
    }

    /// The inverted index.
    pub fn words(&self) -> &WordIndex {
        &self.words
    }

    /// Position of a page among all pages.
    pub fn ordinal(&self, page: PageId) -> u32 {
        self.base[page.filing as usize] + page.page
    }

    /// The page at a position among all pages.
    pub fn page(&self, ordinal: u32) -> PageId {
        let filing = self.base.partition_point(|&first| first <= ordinal) - 1;
        PageId {
            filing: filing as u32,
            page: ordinal - self.base[filing],
        }
    }

    /// The analysis of a filing, by its position. `None` only when its file was damaged or removed after opening; the
    /// filing's pages are then left out and the log says so.
    pub fn analysis(&self, filing: u32) -> Option<&Analysis> {
        let part = &self.parts[filing as usize];
        if let Some(analysis) = part.opened.get() {
            return Some(analysis);
        }
        if part.damaged.load(Ordering::Relaxed) {
            return None;
        }
        let opened = part.open();
        if opened.is_none() {
            part.damaged.store(true, Ordering::Relaxed);
            tracing::error!("{}: damaged or gone", part.path.display());
        }
        opened
    }

    /// Tries once more to open what could not be: it may have been made again since.
    pub fn look_again(&self) {
        for part in &self.parts {
            if part.damaged.load(Ordering::Relaxed) && part.open().is_some() {
                part.damaged.store(false, Ordering::Relaxed);
            }
        }
    }

    /// Filings whose part of the index could not be opened.
    pub fn damaged<'l>(&self, library: &'l Library) -> Vec<&'l str> {
        let parts = self.parts.iter().zip(library.filings());
        parts
            .filter(|(part, _)| part.damaged.load(Ordering::Relaxed))
            .map(|(_, filing)| filing.doc_name.as_str())
            .collect()
    }
}

/// One process at a time changes an index; the others wait. The lock goes with the file's handle,
/// so that a killed process leaves none behind.
fn wait_for_turn(root: &Path) -> Result<fs::File> {
    let path = root.join("index.lock");
    let cannot = || {
        format!(
            "{} cannot be written, and tenleaf keeps its index there",
            root.display()
        )
    };
    fs::create_dir_all(root).with_context(cannot)?;
    if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
        remove(&path)?;
    }
    let file = fs::File::create(&path).with_context(cannot)?;
    file.lock().with_context(cannot)?;
    Ok(file)
}

fn base(filings: &[Filing]) -> Vec<u32> {
    let mut base = vec![0];
    for filing in filings {
        base.push(base[base.len() - 1] + filing.pages);
    }
    base
}

fn path(dir: &Path, filing: &Filing) -> PathBuf {
    dir.join("filings")
        .join(format!("{}.terms", filing.doc_name))
}

fn stored_version(dir: &Path) -> Option<u32> {
    let bytes = store::read_file(&dir.join("version")).ok()?;
    std::str::from_utf8(&bytes).ok()?.trim().parse().ok()
}

/// Removes a part of the index, whatever it is: all of it can be made again.
fn remove(path: &Path) -> Result<()> {
    store::remove_all(path).with_context(|| format!("removing {}", path.display()))
}

/// Makes a folder of the index, in place of whatever else is there.
fn make_folder(dir: &Path) -> Result<()> {
    if !dir.is_dir() {
        remove(dir)?;
        fs::create_dir_all(dir).with_context(|| format!("creating {}", dir.display()))?;
    }
    Ok(())
}

/// The inverted index for writing, and how many pages of each filing it holds.
fn open_words(dir: &Path, threads: usize) -> Result<(WordIndexWriter, HashMap<u64, u32>)> {
    let words = dir.join("words");
    make_folder(&words)?;
    let writer = WordIndexWriter::open(&words, threads, 96 << 20)?;
    let present = writer.present()?;
    Ok((writer, present))
}

/// Removes analyses of filings that are gone, and what is no analysis.
fn remove_strays(dir: &Path, library: &Library) -> Result<()> {
    let dir = dir.join("filings");
    for entry in fs::read_dir(&dir).with_context(|| format!("reading {}", dir.display()))? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str());
        if !path.is_file() || name.is_none_or(|name| library.find(name).is_none()) {
            remove(&path)?;
        }
    }
    Ok(())
}

fn add_filing(
    dir: &Path,
    library: &Library,
    number: u32,
    writer: Option<&WordIndexWriter>,
    persister: &Persister,
    stems: &mut Stems,
) -> Result<()> {
    let filing = library.filing(number);
    let path = path(dir, filing);
    let analysis = match Analysis::open(&path, &filing.text_sha256) {
        Some(analysis) => analysis,
        None => {
            let pages = library.page_file(number)?.all()?;
            let bytes = analysis::build(&pages, filing.form, &filing.text_sha256, stems);
            let file = store::write_beside(&path, &bytes)?;
            let analysis = Analysis::open(file.path(), &filing.text_sha256)
                .context("the analysis does not read back")?;
            persister.persist(file, path);
            analysis
        }
    };
    let Some(writer) = writer else {
        return Ok(());
    };
    let mut terms = String::new();
    for page in 0..filing.pages {
        let tokens = analysis.tokens(page);
        terms.clear();
        for token in tokens {
            terms.push_str(analysis.term(token & TERM));
            terms.push(' ');
        }
        writer.add(key(filing), page, tokens.len() as u32, &terms)?;
    }
    Ok(())
}
