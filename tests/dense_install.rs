//! The model folder filled from a folder of the user's: which file is taken, what is said of it, what is refused.

use std::fs;
use std::io::Write;
use std::path::Path;

use tenleaf::config::Config;
use tenleaf::dense::install::{FileState, Installer};
use tenleaf::dense::{ModelConfig, Weights, runtime};
use tenleaf::library::checksum::sha256;

/// The shipped settings with the hashes of small files in place of the real ones.
fn config() -> ModelConfig {
    let mut config = Config::shipped().model.clone();
    config.float.sha256 = sha256(b"float");
    config.int8.sha256 = sha256(b"int8");
    config.tokenizer.sha256 = sha256(b"tokenizer");
    config.known = [("int8_b".to_string(), sha256(b"another int8"))].into();
    config
}

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    dir
}

/// What `--from` takes as the model: the bytes, and whether it warns.
fn taken(files: &[(&str, &[u8])], weights: Weights) -> Result<(Vec<u8>, bool), String> {
    let (from, dir) = (folder(files), tempfile::tempdir().unwrap());
    let config = config();
    let installer = Installer {
        dir: dir.path(),
        config: &config,
    };
    let placed = installer
        .from_folder(from.path(), weights)
        .map_err(|error| error.to_string())?;
    let model = placed
        .iter()
        .find(|placed| placed.file == "model.onnx")
        .expect("a model is placed");
    Ok((
        fs::read(dir.path().join("model.onnx")).unwrap(),
        model.warning.is_some(),
    ))
}

#[test]
fn the_model_with_the_weights_asked_for_is_taken() {
    let both: &[(&str, &[u8])] = &[
        ("a.onnx", b"int8"),
        ("onnx/model.onnx", b"float"),
        ("tokenizer.json", b"tokenizer"),
    ];
    assert_eq!(taken(both, Weights::Float), Ok((b"float".to_vec(), false)));
    assert_eq!(taken(both, Weights::Int8), Ok((b"int8".to_vec(), false)));
    // The pinned file goes before another known one of the same weights.
    let two: &[(&str, &[u8])] = &[("a.onnx", b"another int8"), ("b.onnx", b"int8")];
    assert_eq!(taken(two, Weights::Int8), Ok((b"int8".to_vec(), false)));
    assert_eq!(
        taken(&two[..1], Weights::Int8),
        Ok((b"another int8".to_vec(), false))
    );
    // One file alone is taken whatever it is, with a warning when it is not known.
    assert_eq!(
        taken(&two[..1], Weights::Float),
        Ok((b"another int8".to_vec(), false))
    );
    assert_eq!(
        taken(&[("x.onnx", b"mine")], Weights::Float),
        Ok((b"mine".to_vec(), true))
    );
    // Of several unknown ones, the one of the usual name.
    let unknown: &[(&str, &[u8])] = &[("model.onnx", b"mine"), ("other.onnx", b"theirs")];
    assert_eq!(taken(unknown, Weights::Float), Ok((b"mine".to_vec(), true)));
    let error = taken(
        &[("x.onnx", b"mine"), ("y.onnx", b"theirs")],
        Weights::Float,
    )
    .unwrap_err();
    assert!(
        error.contains("2 models") && error.contains("model.onnx"),
        "{error}"
    );
}

#[test]
fn an_empty_or_missing_folder_is_an_error() {
    let error = taken(&[("readme.txt", b"x")], Weights::Float).unwrap_err();
    assert!(error.contains("no model"), "{error}");
    let dir = tempfile::tempdir().unwrap();
    let config = config();
    let installer = Installer {
        dir: dir.path(),
        config: &config,
    };
    let error = installer
        .from_folder(&dir.path().join("none"), Weights::Float)
        .unwrap_err();
    assert!(error.to_string().contains("is no folder"), "{error}");
}

#[test]
fn status_names_what_is_there() {
    let dir = folder(&[("model.onnx", b"float"), ("tokenizer.json", b"another")]);
    let config = config();
    let status = Installer {
        dir: dir.path(),
        config: &config,
    }
    .status();
    assert_eq!(
        status.model,
        FileState::Known {
            name: "float".to_string()
        }
    );
    assert_eq!(
        status.tokenizer,
        FileState::Unknown {
            sha256: sha256(b"another")
        }
    );
    let problem = status.problem.expect("these files are no model");
    assert!(
        problem.contains("tokenizer.json cannot be used"),
        "{problem}"
    );
    let empty = tempfile::tempdir().unwrap();
    let status = Installer {
        dir: empty.path(),
        config: &config,
    }
    .status();
    assert_eq!(status.model, FileState::Missing);
    assert!(status.problem.unwrap().contains("tenleaf model fetch"));
}

fn wheel(path: &Path, files: &[(&str, &[u8])]) {
    let mut zip = zip::ZipWriter::new(fs::File::create(path).unwrap());
    for (name, bytes) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

#[test]
fn a_library_that_cannot_be_used_does_not_replace_one_that_is_there() {
    let dir = folder(&[(runtime::FILE_NAME, b"the old one")]);
    let config = config();
    let installer = Installer {
        dir: dir.path(),
        config: &config,
    };
    let from = tempfile::tempdir().unwrap();
    let name = from.path().join("onnxruntime-1.99.0-cp311-cp311-linux.whl");
    let inside = format!("onnxruntime/capi/{}", runtime::FILE_NAME);
    wheel(
        &name,
        &[("onnxruntime/capi/other.py", b"x"), (&inside, &[b'x'; 100])],
    );
    let error = installer
        .from_folder(from.path(), Weights::Float)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("1.99.0") && error.contains("not a library this machine can load"),
        "{error}"
    );
    wheel(&name, &[("onnxruntime/capi/other.py", b"x")]);
    let error = format!("{:#}", installer.place_library_file(&name).unwrap_err());
    assert!(error.contains("holds no ONNX Runtime library"), "{error}");
    fs::write(&name, b"no zip").unwrap();
    let error = format!("{:#}", installer.place_library_file(&name).unwrap_err());
    assert!(error.contains("it is no wheel"), "{error}");
    assert_eq!(
        fs::read(dir.path().join(runtime::FILE_NAME)).unwrap(),
        b"the old one"
    );
    assert_eq!(
        fs::read_dir(dir.path()).unwrap().count(),
        1,
        "nothing is left lying about"
    );
}
