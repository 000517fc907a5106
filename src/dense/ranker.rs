//! Model and page vectors together: how near a question is to pages.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;

use super::vectors::{Coverage, Query, Vectors, VectorsError};
use super::{Embedder, Model, ModelError, ModelId};
use crate::library::{Filing, PageId};

/// Questions whose vectors are kept.
const CACHED: usize = 512;

/// Why pages cannot be ranked by meaning. Each is one line that says what to do.
#[derive(Debug, Error)]
pub enum DenseError {
    /// The model or the library that runs it.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The page vectors.
    #[error(transparent)]
    Vectors(#[from] VectorsError),
}

/// The model with the vectors it made of a library.
pub struct Dense {
    model: ModelId,
    embedder: Mutex<Embedder>,
    vectors: Vectors,
    asked: Mutex<HashMap<String, Arc<Query>>>,
}

impl Dense {
    /// Opens the model in `model_dir` and the vectors of the `filings` of the library in `root`. Takes a tenth of
    /// a second or more: not for a thread that draws.
    pub fn open(model_dir: &Path, root: &Path, filings: &[Filing]) -> Result<Dense, DenseError> {
        let model = Model::open(model_dir)?;
        // A model cut short is another model, too: that it is no model is what has to be told.
        let embedder = model.embedder()?;
        let vectors = Vectors::open(root, filings, model.id())?;
        Ok(Dense {
            model: model.id(),
            embedder: Mutex::new(embedder),
            vectors,
            asked: Mutex::default(),
        })
    }

    /// The model.
    pub fn model(&self) -> ModelId {
        self.model
    }

    /// Milliseconds a question's vector takes: see [`Embedder::question_ms`].
    pub fn question_ms(&self) -> Result<f64, ModelError> {
        let mut embedder = self.embedder.lock().unwrap_or_else(PoisonError::into_inner);
        embedder.question_ms()
    }

    /// How much of the library is embedded.
    pub fn coverage(&self) -> Coverage {
        self.vectors.coverage()
    }

    /// Vector files that were left out and why, one line each.
    pub fn problems(&self) -> &[String] {
        self.vectors.problems()
    }

    /// The page vectors.
    pub fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// True when a text's vector is at hand.
    pub fn knows(&self, text: &str) -> bool {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.contains_key(text)
    }

    /// A text's vector, ready to compare; kept for the next time it is asked for.
    pub fn query(&self, text: &str) -> Result<Arc<Query>, ModelError> {
        let asked = || self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(query) = asked().get(text) {
            return Ok(Arc::clone(query));
        }
        let vector = self
            .embedder
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .embed(text)?;
        let query = Arc::new(Query::of(&vector));
        let mut asked = asked();
        if asked.len() >= CACHED {
            asked.clear();
        }
        asked.insert(text.to_string(), Arc::clone(&query));
        Ok(query)
    }

    /// Cosine similarity of a text to each page; `None` for a page without a vector.
    pub fn similarity(&self, text: &str, pages: &[PageId]) -> Result<Vec<Option<f32>>, ModelError> {
        let query = self.query(text)?;
        let vectors = &self.vectors;
        Ok(pages
            .iter()
            .map(|&page| vectors.similarity(&query, page))
            .collect())
    }
}
