//! The real model against the reference implementation.
//!
//! Needs the model folder and the ONNX Runtime library: TENLEAF_MODEL (a folder with model.onnx and tokenizer.json) or
//! the files in TENLEAF_SHARED, and ORT_DYLIB_PATH. Skipped with a message where they are not there.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use tenleaf::dense::{Encode, Model, ModelError, runtime};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/minilm")
}

/// A model folder of the given weights, or `None` with a message.
fn model_dir(weights: &str) -> Option<tempfile::TempDir> {
    let skip = |what: &str| {
        common::skipped(what);
        None
    };
    if runtime::find(Path::new("no-such-folder")).is_err() {
        return skip("no ONNX Runtime library (set ORT_DYLIB_PATH)");
    }
    let shared = common::shared("models/all-MiniLM-L6-v2")?;
    let dir = tempfile::tempdir().unwrap();
    if fs::copy(shared.join(weights), dir.path().join("model.onnx")).is_err() {
        return skip(&format!("no {weights}"));
    }
    fs::copy(
        shared.join("tokenizer.json"),
        dir.path().join("tokenizer.json"),
    )
    .unwrap();
    Some(dir)
}

fn texts() -> Vec<String> {
    let lines = fs::read_to_string(fixtures().join("texts.jsonl")).unwrap();
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn reference() -> Vec<Vec<f32>> {
    let bytes = fs::read(fixtures().join("reference.f32")).unwrap();
    let floats: Vec<f32> = bytes
        .chunks_exact(4)
        .map(|four| f32::from_le_bytes(four.try_into().unwrap()))
        .collect();
    floats.chunks_exact(384).map(<[f32]>::to_vec).collect()
}

fn cosines(dir: &Path) -> Vec<f32> {
    let mut embedder = Model::open(dir).unwrap().embedder().unwrap();
    assert_eq!(embedder.dims(), 384);
    let mut cosines: Vec<f32> = texts()
        .iter()
        .zip(reference())
        .map(|(text, reference)| {
            let vector = embedder.embed(text).unwrap();
            vector.iter().zip(&reference).map(|(a, b)| a * b).sum()
        })
        .collect();
    assert_eq!(cosines.len(), 40);
    cosines.sort_by(f32::total_cmp);
    println!(
        "cosine to the reference: least {:.5}, mean {:.5}",
        cosines[0],
        cosines.iter().sum::<f32>() / 40.0
    );
    cosines
}

#[test]
fn the_reference_is_of_unit_length() {
    let reference = reference();
    assert_eq!((reference.len(), texts().len()), (40, 40));
    for vector in reference {
        let norm = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
        assert!((norm - 1.0).abs() < 1e-5);
    }
}

/// The file as published, or another float export: TENLEAF_MODEL names its folder.
#[test]
fn float_weights_agree_with_the_reference() {
    let Some(dir) = std::env::var_os("TENLEAF_MODEL") else {
        common::skipped("TENLEAF_MODEL is not set");
        return;
    };
    let cosines = cosines(Path::new(&dir));
    assert!(cosines[0] >= 0.9999, "{cosines:?}");
}

/// Weights stored as bytes, arithmetic in float: what the rounding of the weights costs.
#[test]
fn float_arithmetic_on_byte_weights() {
    let Some(dir) = model_dir("model_f32w8.onnx") else {
        return;
    };
    let cosines = cosines(dir.path());
    assert!(cosines.iter().sum::<f32>() / 40.0 >= 0.999, "{cosines:?}");
    assert!(cosines[0] >= 0.998, "{cosines:?}");
}

/// Arithmetic in bytes: faster, at a stated loss.
#[test]
fn byte_arithmetic_loses_less_than_stated() {
    let Some(dir) = model_dir("model_qint8.onnx") else {
        return;
    };
    let cosines = cosines(dir.path());
    assert!(cosines.iter().sum::<f32>() / 40.0 >= 0.99, "{cosines:?}");
    assert!(cosines[0] >= 0.98, "{cosines:?}");
}

#[test]
fn windows_and_whole_texts() {
    let Some(dir) = model_dir("model_qint8.onnx") else {
        return;
    };
    let mut embedder = Model::open(dir.path()).unwrap().embedder().unwrap();
    let long = texts().pop().unwrap();
    let first = embedder.windows(&long, 1).unwrap();
    let three = embedder.windows(&long, 3).unwrap();
    assert_eq!((first.len(), three.len()), (1, 3));
    assert_eq!(first[0], three[0]);
    assert_eq!(first[0], embedder.embed(&long).unwrap());
    assert_ne!(three[0], three[1]);
    assert_eq!(embedder.windows("short", 3).unwrap().len(), 1);
    assert!(embedder.windows(" \n ", 3).unwrap().is_empty());
    // What the tokenizer cannot read in one piece.
    assert_eq!(embedder.windows(&"é".repeat(100_000), 2).unwrap().len(), 1);
    assert_eq!(embedder.windows(&"1 ".repeat(100_000), 2).unwrap().len(), 2);
}

#[test]
fn wrong_models_are_refused_in_one_line() {
    let Some(dir) = model_dir("model_qint8.onnx") else {
        return;
    };
    let file = dir.path().join("model.onnx");
    let whole = fs::read(&file).unwrap();
    for bytes in [&b"no model"[..], &whole[..whole.len() / 2], b""] {
        fs::write(&file, bytes).unwrap();
        let error = Model::open(dir.path()).unwrap().embedder().err().unwrap();
        assert!(matches!(error, ModelError::Unusable { .. }));
        let text = error.to_string();
        assert!(
            text.contains("tenleaf model fetch") && !text.contains('\n'),
            "{text}"
        );
    }
    // Mended, it works in the same process.
    fs::write(&file, &whole).unwrap();
    assert!(Model::open(dir.path()).unwrap().embedder().is_ok());
}
