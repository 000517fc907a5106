//! Which files the model is made of, where they come from, and what they must be.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// `[model]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Which weights `model fetch` brings.
    pub weights: Weights,
    /// Windows embedded a page, at most.
    pub windows: u32,
    /// Address of the folder of the model's files.
    pub base: String,
    /// Address of the folder of Python wheels.
    pub runtime_base: String,
    /// Version of the package `onnxruntime`.
    pub runtime_version: String,
    /// Weights as published.
    pub float: Pin,
    /// Weights and arithmetic in bytes.
    pub int8: Pin,
    /// The tokenizer.
    pub tokenizer: Pin,
    /// The wheel that holds the runtime library, by platform: `linux-x86_64`.
    pub runtime: BTreeMap<String, RuntimePin>,
    /// SHA-256 of other files of the same weights, by name.
    pub known: BTreeMap<String, String>,
}

/// Weights of the model.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Weights {
    /// As published.
    Float,
    /// Weights and arithmetic in bytes.
    Int8,
}

/// A file to fetch, and what it must be.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Its place below the base address.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hex.
    pub sha256: String,
}

/// A wheel to fetch, and the library in it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RuntimePin {
    /// Its place below the base address.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hex.
    pub sha256: String,
    /// SHA-256 of the library in it, in hex.
    pub library_sha256: String,
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_fetch_of_the_model_brings_is_said_to_be_as_long_as_it_is() {
        let model = &crate::config::Config::shipped().model;
        let runtimes = model.runtime.values().map(|pin| pin.bytes);
        let bytes = model.float.bytes + model.tokenizer.bytes + runtimes.max().unwrap();
        // To the next ten: platforms differ by a few.
        let about = format!("about {} MB", bytes.div_ceil(10_000_000) * 10);
        let readme = include_str!("../../README.md");
        let fetch = readme
            .lines()
            .find(|line| line.contains("tenleaf model fetch "));
        assert!(fetch.is_some_and(|line| line.ends_with(&about)), "{about}");
    }
}
