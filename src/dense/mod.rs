//! Ranking by meaning: all-MiniLM-L6-v2 embeddings of pages and questions.
//!
//! Optional. Without the model files or the ONNX Runtime library everything else works; the errors here say in
//! one line what is missing and which command brings it.

mod embedder;
pub mod fetch;
pub mod install;
pub mod job;
mod meaning;
mod ranker;
pub mod runtime;
mod settings;
pub mod vectors;

pub use embedder::{
    Embedder, Encode, MAX_TOKENS, MODEL_FILE, Model, ModelError, ModelId, TOKENIZER_FILE,
};
pub use meaning::{Meaning, MiniLm, Readiness};
pub use ranker::{Dense, DenseError};
pub use settings::{ModelConfig, Pin, RuntimePin, Weights};
