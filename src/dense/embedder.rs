//! Text to vector: tokenizer, model, mean pooling, unit length.
//!
//! One text a call, never a padded batch: the int8 model scales its activations by the largest in the batch,
//! so in a batch a page's vector would depend on its neighbours. Alone, the same text gives the same bits, and
//! pages are long enough that a batch would not be faster.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ort::session::Session;
use ort::session::builder::{GraphOptimizationLevel, SessionBuilder};
use ort::value::{TensorElementType, TensorRef};
use sha2::{Digest, Sha256};
use thiserror::Error;
use tokenizers::Tokenizer;

use super::runtime::{self, RuntimeError};
use super::vectors::MAX_DIMS;
use crate::library::store::hex;
use crate::words::one_line;

/// The model's file in the model folder.
pub const MODEL_FILE: &str = "model.onnx";
/// The tokenizer's file in the model folder.
pub const TOKENIZER_FILE: &str = "tokenizer.json";
/// Tokens the model reads at once, `[CLS]` and `[SEP]` included.
pub const MAX_TOKENS: usize = 256;
/// A window of fewer tokens than this after the first adds nothing of its own.
const SHORTEST_WINDOW: usize = 16;
/// Text beyond this many bytes cannot reach the windows read.
const BYTES_A_WINDOW: usize = 16 * 1024;

/// Why there is no embedder. Each is one line that says what to do.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ModelError {
    /// A file of the model folder is not there.
    #[error("no {file} in {}: get the model with `tenleaf model fetch`", dir.display())]
    Missing {
        /// The model folder.
        dir: PathBuf,
        /// `model.onnx` or `tokenizer.json`.
        file: &'static str,
    },
    /// A file is there and does not serve.
    #[error("{} cannot be used ({what}): get it anew with `tenleaf model fetch`", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The runtime library.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The model failed on a text.
    #[error("the model failed on a text: {0}")]
    Run(String),
}

/// What vectors were made by: SHA-256 of the model and tokenizer files. Vectors of different models
/// cannot be compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ModelId(pub [u8; 32]);

impl ModelId {
    /// The id of a model and tokenizer with these contents.
    pub fn of(model: &[u8], tokenizer: &[u8]) -> ModelId {
        let mut hash = Sha256::new();
        hash.update(Sha256::digest(model));
        hash.update(Sha256::digest(tokenizer));
        ModelId(hash.finalize().into())
    }

    /// The first twelve hex digits, for people.
    pub fn short(&self) -> String {
        hex(&self.0[..6])
    }
}

impl std::fmt::Debug for ModelId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ModelId({})", self.short())
    }
}

/// Anything that turns text into vectors of unit length. The model does; tests have simpler ones.
pub trait Encode {
    /// Length of a vector.
    fn dims(&self) -> usize;
    /// The vectors of the first `windows` windows of a text, of unit length each; none for a text without tokens.
    fn windows(&mut self, text: &str, windows: usize) -> Result<Vec<Vec<f32>>, ModelError>;
}

/// The files of a model folder, read once and shared by the sessions made from them.
pub struct Model {
    dir: PathBuf,
    onnx: Vec<u8>,
    tokenizer: Arc<Tokenizer>,
    id: ModelId,
}

impl Model {
    /// Reads and hashes the files in `dir`; no session yet.
    pub fn open(dir: &Path) -> Result<Model, ModelError> {
        let onnx = read(dir, MODEL_FILE)?;
        let json = read(dir, TOKENIZER_FILE)?;
        let unusable = |what: String| ModelError::Unusable {
            path: dir.join(TOKENIZER_FILE),
            what,
        };
        let mut tokenizer = Tokenizer::from_bytes(&json)
            .map_err(|error| unusable(format!("no tokenizer: {}", one_line(&error.to_string()))))?;
        // The file as published cuts at 128 tokens and pads to 128; we cut at 256 ourselves and never pad.
        tokenizer.with_padding(None);
        tokenizer
            .with_truncation(None)
            .map_err(|error| unusable(error.to_string()))?;
        Ok(Model {
            dir: dir.to_path_buf(),
            id: ModelId::of(&onnx, &json),
            onnx,
            tokenizer: Arc::new(tokenizer),
        })
    }

    /// What identifies the vectors this model makes.
    pub fn id(&self) -> ModelId {
        self.id
    }

    /// A session on one thread. One a worker: sessions do not share their scratch memory.
    pub fn embedder(&self) -> Result<Embedder, ModelError> {
        let environment = runtime::start(&self.dir)?;
        let unusable = |what: String| ModelError::Unusable {
            path: self.dir.join(MODEL_FILE),
            what,
        };
        let refused = |error: ort::Error| unusable(one_line(&error.to_string()));
        let mut builder = SessionBuilder::new(environment)
            .map_err(refused)?
            .with_intra_threads(1)
            .and_then(|builder| builder.with_inter_threads(1))
            .and_then(|builder| builder.with_optimization_level(GraphOptimizationLevel::Level3))
            .map_err(|error| unusable(one_line(&error.to_string())))?;
        let session = builder.commit_from_memory(&self.onnx).map_err(refused)?;
        let special = |token: &str| {
            self.tokenizer
                .token_to_id(token)
                .map(i64::from)
                .ok_or_else(|| ModelError::Unusable {
                    path: self.dir.join(TOKENIZER_FILE),
                    what: format!("it has no {token}"),
                })
        };
        let (dims, output) = token_vectors(&session).ok_or_else(|| {
            unusable(
                "it is no sentence embedding model: no float output of tokens by dimensions".into(),
            )
        })?;
        if dims > MAX_DIMS {
            return Err(unusable(format!(
                "its vectors have {dims} dimensions, {MAX_DIMS} at most are read"
            )));
        }
        let wants_types = session
            .inputs()
            .iter()
            .any(|i| i.name() == "token_type_ids");
        Ok(Embedder {
            tokenizer: Arc::clone(&self.tokenizer),
            cls: special("[CLS]")?,
            sep: special("[SEP]")?,
            session,
            output,
            dims,
            wants_types,
        })
    }
}

fn read(dir: &Path, file: &'static str) -> Result<Vec<u8>, ModelError> {
    let path = dir.join(file);
    match fs::read(&path) {
        Ok(bytes) => Ok(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(ModelError::Missing {
            dir: dir.to_path_buf(),
            file,
        }),
        Err(error) => Err(ModelError::Unusable {
            path,
            what: error.to_string(),
        }),
    }
}

/// The first output of shape (batch, tokens, dimensions): its dimensions and name.
fn token_vectors(session: &Session) -> Option<(usize, String)> {
    session.outputs().iter().find_map(|output| {
        let shape = output.dtype().tensor_shape()?;
        let float = output.dtype().tensor_type() == Some(TensorElementType::Float32);
        match shape[..] {
            [_, _, dims] if float && dims > 0 => Some((dims as usize, output.name().to_string())),
            _ => None,
        }
    })
}

/// A session with its tokenizer.
pub struct Embedder {
    tokenizer: Arc<Tokenizer>,
    session: Session,
    output: String,
    dims: usize,
    wants_types: bool,
    cls: i64,
    sep: i64,
}

impl Embedder {
    /// Opens the model in `dir` for use by one thread.
    pub fn open(dir: &Path) -> Result<Embedder, ModelError> {
        Model::open(dir)?.embedder()
    }

    /// The vector of a short text: its first 256 tokens. A text without tokens gives the vector of nothing.
    pub fn embed(&mut self, text: &str) -> Result<Vec<f32>, ModelError> {
        let tokens = self.tokens(text, 1)?;
        self.run(&tokens[..tokens.len().min(MAX_TOKENS - 2)])
    }

    /// Milliseconds a question of average length takes: the best of five.
    pub fn question_ms(&mut self) -> Result<f64, ModelError> {
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let started = Instant::now();
            self.embed("What was the capital expenditure, in millions, in fiscal year 2018?")?;
            best = best.min(started.elapsed().as_secs_f64() * 1e3);
        }
        Ok(best)
    }

    /// Token ids without `[CLS]` and `[SEP]`, enough for `windows` windows.
    fn tokens(&self, text: &str, windows: usize) -> Result<Vec<i64>, ModelError> {
        let text = &text[..text.floor_char_boundary(windows.saturating_mul(BYTES_A_WINDOW))];
        let encoding = self
            .tokenizer
            .encode_fast(text, false)
            .map_err(|error| ModelError::Run(one_line(&error.to_string())))?;
        Ok(encoding.get_ids().iter().map(|&id| i64::from(id)).collect())
    }

    fn run(&mut self, tokens: &[i64]) -> Result<Vec<f32>, ModelError> {
        let failed = |error: ort::Error| ModelError::Run(one_line(&error.to_string()));
        let mut ids = Vec::with_capacity(tokens.len() + 2);
        ids.push(self.cls);
        ids.extend_from_slice(tokens);
        ids.push(self.sep);
        let shape = [1, ids.len()];
        let ones = vec![1i64; ids.len()];
        let zeros = vec![0i64; ids.len()];
        let mut inputs = ort::inputs! {
            "input_ids" => TensorRef::from_array_view((shape, &ids[..])).map_err(failed)?,
            "attention_mask" => TensorRef::from_array_view((shape, &ones[..])).map_err(failed)?,
        };
        if self.wants_types {
            let types = TensorRef::from_array_view((shape, &zeros[..])).map_err(failed)?;
            inputs.push(("token_type_ids".into(), types.into()));
        }
        let outputs = self.session.run(inputs).map_err(failed)?;
        let (_, values) = outputs[self.output.as_str()]
            .try_extract_tensor::<f32>()
            .map_err(failed)?;
        pool(values, self.dims).ok_or_else(|| {
            ModelError::Run("its output is not of the shape it declares".to_string())
        })
    }
}

impl Encode for Embedder {
    fn dims(&self) -> usize {
        self.dims
    }

    fn windows(&mut self, text: &str, windows: usize) -> Result<Vec<Vec<f32>>, ModelError> {
        let tokens = self.tokens(text, windows)?;
        tokens
            .chunks(MAX_TOKENS - 2)
            .take(windows)
            .enumerate()
            .filter(|(ix, window)| *ix == 0 || window.len() >= SHORTEST_WINDOW)
            .map(|(_, window)| self.run(window))
            .collect()
    }
}

/// The mean over the tokens (all of them: nothing is padded), brought to unit length.
fn pool(values: &[f32], dims: usize) -> Option<Vec<f32>> {
    let tokens = values.len() / dims;
    if tokens == 0 || !values.len().is_multiple_of(dims) {
        return None;
    }
    let mut mean = vec![0f32; dims];
    for token in values.chunks_exact(dims) {
        for (sum, value) in mean.iter_mut().zip(token) {
            *sum += value;
        }
    }
    let norm = mean.iter().map(|v| v * v).sum::<f32>().sqrt();
    if !norm.is_finite() {
        return None;
    }
    if norm > 0.0 {
        mean.iter_mut().for_each(|v| *v /= norm);
    }
    Some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pooling_is_the_unit_mean() {
        assert_eq!(pool(&[1.0, 0.0, 5.0, 8.0], 2), Some(vec![0.6, 0.8]));
        assert_eq!(pool(&[0.0, 0.0], 2), Some(vec![0.0, 0.0]));
        assert_eq!(pool(&[1.0, 2.0, 3.0], 2), None);
        assert_eq!(pool(&[], 2), None);
        assert_eq!(pool(&[f32::NAN, 1.0], 2), None);
    }

    #[test]
    fn a_missing_model_says_how_to_get_it() {
        let dir = tempfile::tempdir().unwrap();
        let error = Model::open(dir.path()).err().unwrap().to_string();
        assert!(
            error.contains("model.onnx") && error.contains("tenleaf model fetch"),
            "{error}"
        );
        fs::write(dir.path().join(MODEL_FILE), b"x").unwrap();
        fs::write(dir.path().join(TOKENIZER_FILE), b"{\"version\": 1}").unwrap();
        let error = Model::open(dir.path()).err().unwrap().to_string();
        assert!(error.contains("tokenizer.json cannot be used"), "{error}");
    }
}
