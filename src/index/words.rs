//! The inverted index: which page holds which term how often. tantivy keeps it; statistics and
//! scores are our own, exact and independent of how tantivy has cut it into segments.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow};
use sha2::{Digest, Sha256};
use tantivy::directory::MmapDirectory;
use tantivy::postings::Postings;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{DocSet, IndexWriter, ReloadPolicy, Searcher, TERMINATED, TantivyDocument, Term};

use super::directory::ReadFolder;
use crate::caught::caught;
use crate::library::Filing;
use crate::words::with_causes;

/// Ordinal of a page that is deleted or not of the catalog.
const NONE: u32 = u32::MAX;

/// Fields of a page's document.
#[derive(Clone, Copy)]
struct Fields {
    /// The page's terms, as the analyzer made them, a space between two.
    body: Field,
    /// [`key`] of the filing.
    filing: Field,
    /// 0-based page.
    page: Field,
    /// Number of tokens.
    tokens: Field,
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let terms = TextFieldIndexing::default()
        .set_tokenizer("whitespace")
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(false);
    let fields = Fields {
        body: builder.add_text_field("body", TextOptions::default().set_indexing_options(terms)),
        filing: builder.add_u64_field("filing", INDEXED | FAST),
        page: builder.add_u64_field("page", FAST),
        tokens: builder.add_u64_field("tokens", FAST),
    };
    (builder.build(), fields)
}

/// Names a filing and its text: another text is another key.
pub fn key(filing: &Filing) -> u64 {
    let mut hash = Sha256::new();
    hash.update(filing.doc_name.as_bytes());
    hash.update([0]);
    hash.update(filing.text_sha256.as_bytes());
    u64::from_le_bytes(hash.finalize()[..8].try_into().expect("eight bytes"))
}

/// The index on disk, for writing.
pub struct WordIndexWriter {
    index: tantivy::Index,
    writer: IndexWriter,
    fields: Fields,
}

impl WordIndexWriter {
    /// Opens the index for writing, making it where there is none. [`damage`] is looked for first: a
    /// damaged index is an error.
    pub fn open(dir: &Path, threads: usize, bytes_per_thread: usize) -> Result<WordIndexWriter> {
        whole(|| {
            let (index, fields) = open(dir)?;
            check(&index)?;
            let writer = index
                .writer_with_num_threads(threads, threads * bytes_per_thread)
                .context("the index is being written by another tenleaf")?;
            Ok(WordIndexWriter {
                index,
                writer,
                fields,
            })
        })
    }

    /// Number of indexed pages of each filing key.
    pub fn present(&self) -> Result<HashMap<u64, u32>> {
        whole(|| {
            let reader = self.index.reader()?;
            let mut count = HashMap::new();
            for segment in reader.searcher().segment_readers() {
                let column = segment.fast_fields().u64("filing")?;
                for doc in segment.doc_ids_alive() {
                    *count.entry(column.first(doc).unwrap_or(0)).or_default() += 1;
                }
            }
            Ok(count)
        })
    }

    /// Adds a page; seen after [`WordIndexWriter::commit`].
    pub fn add(&self, filing: u64, page: u32, tokens: u32, terms: &str) -> Result<()> {
        let mut doc = TantivyDocument::default();
        doc.add_text(self.fields.body, terms);
        doc.add_u64(self.fields.filing, filing);
        doc.add_u64(self.fields.page, page as u64);
        doc.add_u64(self.fields.tokens, tokens as u64);
        self.writer.add_document(doc)?;
        Ok(())
    }

    /// Removes a filing's pages.
    pub fn remove(&self, filing: u64) {
        self.writer
            .delete_term(Term::from_field_u64(self.fields.filing, filing));
    }

    /// Makes everything since the last commit durable and seen, all or nothing.
    pub fn commit(mut self) -> Result<()> {
        self.writer.commit()?;
        self.writer.wait_merging_threads()?;
        Ok(())
    }
}

fn open(dir: &Path) -> Result<(tantivy::Index, Fields)> {
    let (schema, fields) = schema();
    std::fs::create_dir_all(dir).with_context(|| format!("creating {}", dir.display()))?;
    let directory = MmapDirectory::open(dir)?;
    let index = tantivy::Index::open_or_create(directory, schema)
        .with_context(|| format!("opening the index in {}", dir.display()))?;
    Ok((index, fields))
}

/// What is wrong with the index in `dir`, if anything is; `None` where there is no index, too.
pub fn damage(dir: &Path) -> Option<String> {
    let look = || -> Result<()> {
        if std::fs::symlink_metadata(dir).is_err() {
            return Ok(());
        }
        check(&tantivy::Index::open(ReadFolder::open(dir)?)?)
    };
    whole(look).err().map(|error| with_causes(&error))
}

/// Compares every file of the index with the checksum in its footer: a thing of milliseconds, and
/// what tantivy itself reads without looking.
fn check(index: &tantivy::Index) -> Result<()> {
    match index.validate_checksum()?.into_iter().min() {
        Some(file) => Err(anyhow!("{}: its checksum does not match", file.display())),
        None => Ok(()),
    }
}

/// Runs what reads the index: where tantivy panics, the index is damaged.
fn whole<T>(read: impl FnOnce() -> Result<T>) -> Result<T> {
    caught(read).unwrap_or_else(|panic| Err(anyhow!("the index is damaged ({panic})")))
}

const META: &str = "meta.json";

/// The index, for reading: a page is known by its ordinal, its position among all pages of the
/// catalog in the order of (`doc_name`, page).
pub struct WordIndex {
    searcher: Searcher,
    body: Field,
    /// For each segment, document -> page ordinal.
    ordinals: Vec<Vec<u32>>,
    /// Tokens of each page.
    lengths: Vec<u32>,
    total: u64,
    damaged: AtomicBool,
}

impl std::fmt::Debug for WordIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WordIndex")
            .field("pages", &self.lengths.len())
            .finish()
    }
}

impl WordIndex {
    /// Opens by mmap. `base` holds the ordinal of each filing's first page and, last, their number.
    /// `None` when the index does not hold exactly the catalog's pages; an error when it is damaged.
    pub fn open(dir: &Path, filings: &[Filing], base: &[u32]) -> Result<Option<WordIndex>> {
        if !dir.join(META).is_file() {
            return Ok(None);
        }
        whole(|| WordIndex::read(dir, filings, base))
    }

    fn read(dir: &Path, filings: &[Filing], base: &[u32]) -> Result<Option<WordIndex>> {
        let fields = schema().1;
        let index = tantivy::Index::open(ReadFolder::open(dir)?)
            .with_context(|| format!("opening the index in {}", dir.display()))?;
        check(&index)?;
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        let searcher: Searcher = tantivy::IndexReader::searcher(&reader);
        let known: HashMap<u64, u32> = (0u32..).zip(filings).map(|(n, f)| (key(f), n)).collect();
        let mut lengths = vec![NONE; base[filings.len()] as usize];
        let mut ordinals = Vec::new();
        for segment in searcher.segment_readers() {
            let fast = segment.fast_fields();
            let (filing, page, tokens) =
                (fast.u64("filing")?, fast.u64("page")?, fast.u64("tokens")?);
            let mut of_doc = vec![NONE; segment.max_doc() as usize];
            let mut last = (0, None);
            for doc in segment.doc_ids_alive() {
                let key = filing.first(doc).unwrap_or(0);
                if last.1.is_none() || last.0 != key {
                    last = (key, known.get(&key).copied());
                }
                let Some(number) = last.1 else {
                    return Ok(None);
                };
                let page = page.first(doc).unwrap_or(u64::MAX);
                if page >= filings[number as usize].pages as u64 {
                    return Ok(None);
                }
                let ordinal = base[number as usize] + page as u32;
                of_doc[doc as usize] = ordinal;
                lengths[ordinal as usize] = tokens.first(doc).unwrap_or(0) as u32;
            }
            ordinals.push(of_doc);
        }
        if lengths.contains(&NONE) {
            return Ok(None);
        }
        let total = lengths.iter().map(|&n| n as u64).sum();
        Ok(Some(WordIndex {
            searcher,
            body: fields.body,
            ordinals,
            lengths,
            total,
            damaged: AtomicBool::new(false),
        }))
    }

    /// Whether reading it failed since it was opened: what was found with it since is not to be
    /// trusted.
    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Runs what reads postings. The index was whole when it was opened; whatever fails now has been
    /// changed under us.
    fn reading<T: Default>(&self, read: impl FnOnce() -> tantivy::Result<T>) -> T {
        whole(|| Ok(read()?)).unwrap_or_else(|error| {
            tracing::error!("reading the index: {error:#}");
            self.damaged.store(true, Ordering::Relaxed);
            T::default()
        })
    }

    /// Tokens of each page, by ordinal.
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// Number of pages.
    pub fn pages(&self) -> u64 {
        self.lengths.len() as u64
    }

    /// Average tokens a page; at least one.
    pub fn average_length(&self) -> f64 {
        (self.total as f64 / self.lengths.len().max(1) as f64).max(1.0)
    }

    /// Number of pages that hold the term, deleted ones left out.
    pub fn df(&self, term: &str) -> u64 {
        let clean = self
            .searcher
            .segment_readers()
            .iter()
            .all(|s| !s.has_deletes());
        if clean {
            let term = Term::from_field_text(self.body, term);
            return self.reading(|| self.searcher.doc_freq(&term));
        }
        let mut df = 0;
        self.postings(term, |_, _| df += 1);
        df
    }

    /// The term most like these spellings of a word: one letter of it wrong, missing, more or in another's place, two of
    /// eight and more. Of several the one on most pages. The first letter has to be right.
    pub fn nearest(&self, spellings: &[&str]) -> Option<String> {
        let initial = spellings.first()?.chars().next()?;
        let mut end = String::from(initial);
        end.push(char::MAX);
        let mut best: Option<(usize, std::cmp::Reverse<u64>, String)> = None;
        for segment in self.searcher.segment_readers() {
            self.reading(|| {
                let inverted = segment.inverted_index(self.body)?;
                let terms = inverted.terms().range();
                let mut terms = terms.ge(initial.to_string()).lt(&end).into_stream()?;
                while terms.advance() {
                    let Ok(term) = std::str::from_utf8(terms.key()) else {
                        continue;
                    };
                    let wrong = spellings.iter().filter_map(|word| slips(word, term)).min();
                    let Some(wrong) = wrong else { continue };
                    let found = (wrong, std::cmp::Reverse(self.df(term)), term.to_string());
                    if best.as_ref().is_none_or(|best| found < *best) {
                        best = Some(found);
                    }
                }
                Ok(())
            });
        }
        best.map(|(_, _, term)| term)
    }

    /// Calls `f` with the ordinal of each page that holds the term and how often.
    pub fn postings(&self, term: &str, mut f: impl FnMut(u32, u32)) {
        let term = Term::from_field_text(self.body, term);
        for (segment, ordinals) in self.searcher.segment_readers().iter().zip(&self.ordinals) {
            self.reading(|| {
                let inverted = segment.inverted_index(self.body)?;
                let postings = inverted.read_postings(&term, IndexRecordOption::WithFreqs)?;
                let Some(mut postings) = postings else {
                    return Ok(());
                };
                let mut doc = postings.doc();
                while doc != TERMINATED {
                    let ordinal = ordinals[doc as usize];
                    if ordinal != NONE {
                        f(ordinal, postings.term_freq());
                    }
                    doc = postings.advance();
                }
                Ok(())
            });
        }
    }
}

/// How many letters of a word are wrong, where they are few enough for it to be a slip.
fn slips(word: &str, term: &str) -> Option<usize> {
    let most = 1 + usize::from(word.len() >= 8);
    let near = word.len().abs_diff(term.len()) <= most;
    let wrong = near.then(|| strsim::osa_distance(word, term));
    wrong.filter(|&wrong| wrong <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_while_reading_is_damage_and_no_more() {
        let dir = tempfile::tempdir().unwrap();
        WordIndexWriter::open(dir.path(), 1, 15 << 20)
            .unwrap()
            .commit()
            .unwrap();
        let words = WordIndex::open(dir.path(), &[], &[0]).unwrap().unwrap();
        assert_eq!(words.df("sales"), 0);
        assert!(!words.is_damaged());
        let read: u64 = words.reading(|| panic!("out of bounds"));
        assert_eq!(read, 0);
        assert!(words.is_damaged());
        assert!(whole::<()>(|| panic!("out of bounds")).is_err());
    }
}
