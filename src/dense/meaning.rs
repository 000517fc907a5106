//! MiniLM as a search asks for it: opened when first needed, with what it lacks in words.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, anyhow};

use super::{Dense, MODEL_FILE, vectors};
use crate::library::{Filing, Library, PageId};

/// Similarity in meaning of question and pages: MiniLM, where it is there.
pub trait Meaning: Send + Sync {
    /// What is not there at all, and the command that brings it. Looks at names of files alone.
    fn missing(&self) -> Option<String>;
    /// Whether it can be used; the error is one line that says what to do. May take a second the first time;
    /// what failed is tried again.
    fn ready(&self) -> Result<()>;
    /// Which model and how much is embedded, in words.
    fn vectors(&self) -> Result<String>;
    /// Whether every page is embedded.
    fn is_whole(&self) -> Result<bool>;
    /// [`Meaning::vectors`], and what a question takes.
    fn describe(&self) -> Result<String>;
    /// How long a text's similarity would keep its caller waiting. Never waits itself.
    fn readiness(&self, text: &str) -> Readiness;
    /// Cosine similarity of the question to each page; `None` for pages without a vector.
    fn similarity(&self, question: &str, pages: &[PageId]) -> Result<Vec<Option<f32>>>;
}

/// What a search by meaning would wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Nothing.
    Ready,
    /// The question's vector: some milliseconds.
    Unread,
    /// The model: a second, once.
    Unloaded,
}

/// MiniLM, opened when it is first asked for.
pub struct MiniLm {
    model_dir: PathBuf,
    root: PathBuf,
    filings: Vec<Filing>,
    opened: Mutex<Option<Result<Arc<Dense>, String>>>,
}

impl MiniLm {
    /// The model in `model_dir` for this library; nothing is opened yet.
    pub fn new(model_dir: &Path, library: &Library) -> MiniLm {
        MiniLm {
            model_dir: model_dir.to_path_buf(),
            root: library.root().to_path_buf(),
            filings: library.filings().to_vec(),
            opened: Mutex::default(),
        }
    }

    /// Model and vectors; with `again`, what failed before is tried again.
    fn open(&self, again: bool) -> Result<Arc<Dense>> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if again && matches!(*opened, Some(Err(_))) {
            *opened = None;
        }
        let opened = opened.get_or_insert_with(|| {
            let dense = Dense::open(&self.model_dir, &self.root, &self.filings);
            let dense = dense.map_err(|error| error.to_string())?;
            for problem in dense.problems() {
                tracing::warn!("{problem}");
            }
            Ok(Arc::new(dense))
        });
        opened.clone().map_err(|error| anyhow!("{error}"))
    }
}

impl Meaning for MiniLm {
    fn missing(&self) -> Option<String> {
        let has_vectors = vectors::folder(&self.root).is_dir();
        match (self.model_dir.join(MODEL_FILE).is_file(), has_vectors) {
            (true, true) => None,
            (true, false) => Some("no page is embedded yet: run `tenleaf embed`".to_string()),
            (false, true) => Some("no MiniLM here: `tenleaf model fetch` brings it".to_string()),
            (false, false) => Some(
                "no MiniLM here: `tenleaf model fetch` brings it, then `tenleaf embed`".to_string(),
            ),
        }
    }

    fn ready(&self) -> Result<()> {
        match self.missing() {
            Some(words) => Err(anyhow!("{words}")),
            None => self.open(true).map(|_| ()),
        }
    }

    fn vectors(&self) -> Result<String> {
        let dense = self.open(false)?;
        let coverage = dense.coverage();
        Ok(format!(
            "{} of {} pages embedded by model {}",
            coverage.pages,
            coverage.pages_in_all,
            dense.model().short(),
        ))
    }

    fn is_whole(&self) -> Result<bool> {
        let coverage = self.open(false)?.coverage();
        Ok(coverage.pages == coverage.pages_in_all)
    }

    fn describe(&self) -> Result<String> {
        Ok(format!(
            "{}; a question takes {:.1} ms once, its vector is kept",
            self.vectors()?,
            self.open(false)?.question_ms()?
        ))
    }

    fn readiness(&self, text: &str) -> Readiness {
        // Whoever holds the lock is opening it.
        let opened = self.opened.try_lock().ok();
        match opened.as_deref() {
            Some(Some(Ok(dense))) if text.trim().is_empty() || dense.knows(text) => {
                Readiness::Ready
            }
            Some(Some(Ok(_))) => Readiness::Unread,
            _ => Readiness::Unloaded,
        }
    }

    fn similarity(&self, question: &str, pages: &[PageId]) -> Result<Vec<Option<f32>>> {
        match self.missing() {
            Some(words) => Err(anyhow!("{words}")),
            None => Ok(self.open(false)?.similarity(question, pages)?),
        }
    }
}
