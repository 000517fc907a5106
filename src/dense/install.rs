//! The model folder: what is in it, and putting the right files there.
//!
//! Three files: `model.onnx`, `tokenizer.json` and the ONNX Runtime library. Each is known by its SHA-256
//! (`[model]` in config.toml). A file from a folder of the user's may be another one: it is taken with a warning.

use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;

use super::{
    Encode, MODEL_FILE, Model, ModelConfig, ModelId, RuntimePin, TOKENIZER_FILE, Weights, runtime,
};
use crate::library::checksum::sha256;
use crate::library::store::{self, write_atomic};
use crate::words::with_causes;

/// The largest library a wheel may hold; more is damage, or an attack.
const MAX_LIBRARY_BYTES: u64 = 512 << 20;

/// What a file of the model folder is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum FileState {
    /// Not there.
    Missing,
    /// One that config.toml pins or names.
    Known {
        /// `float`, `int8`, `tokenizer`, `1.32.0`.
        name: String,
    },
    /// There, and none that config.toml knows.
    Unknown {
        /// Its SHA-256, in hex.
        sha256: String,
    },
}

/// What the model folder holds and whether it works.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The folder.
    pub dir: PathBuf,
    /// `model.onnx`.
    pub model: FileState,
    /// `tokenizer.json`.
    pub tokenizer: FileState,
    /// The runtime library in use: in the folder, named by `ORT_DYLIB_PATH`, or the system's.
    pub runtime: FileState,
    /// Where the library in use is.
    pub runtime_path: Option<PathBuf>,
    /// Its version.
    pub runtime_version: Option<String>,
    /// What the vectors made here are known by.
    pub model_id: Option<String>,
    /// Length of a vector.
    pub dims: Option<usize>,
    /// Milliseconds a question takes, the best of five.
    pub question_ms: Option<f64>,
    /// What keeps it from working, and what to do; `None` when it works.
    pub problem: Option<String>,
}

/// A file put into the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Placed {
    /// Its name in the folder.
    pub file: String,
    /// What it is, in words.
    pub what: String,
    /// It is none that config.toml knows.
    pub warning: Option<String>,
}

/// The model folder and what should be in it.
#[derive(Clone, Copy, Debug)]
pub struct Installer<'a> {
    /// The folder.
    pub dir: &'a Path,
    /// `[model]`.
    pub config: &'a ModelConfig,
}

impl Installer<'_> {
    /// Hashes what is there and tries it out.
    pub fn status(&self) -> Status {
        let found = runtime::find(self.dir);
        let mut status = Status {
            dir: self.dir.to_path_buf(),
            model: self.state(&self.dir.join(MODEL_FILE), |hash| self.model_name(hash)),
            tokenizer: self.state(&self.dir.join(TOKENIZER_FILE), |hash| {
                self.tokenizer_name(hash)
            }),
            runtime: FileState::Missing,
            runtime_path: None,
            runtime_version: None,
            model_id: None,
            dims: None,
            question_ms: None,
            problem: None,
        };
        if let Ok(runtime) = &found {
            status.runtime = match self.state(&runtime.path, |hash| self.library_name(hash)) {
                // One the system's loader found by its name alone.
                FileState::Missing => FileState::Unknown {
                    sha256: String::new(),
                },
                state => state,
            };
            status.runtime_path = Some(runtime.path.clone());
            status.runtime_version = Some(runtime.version.clone());
        }
        match self.try_out() {
            Ok((id, dims, ms)) => {
                status.model_id = Some(id.short());
                status.dims = Some(dims);
                status.question_ms = Some(ms);
            }
            Err(error) => status.problem = Some(with_causes(&error)),
        }
        status
    }

    fn try_out(&self) -> Result<(ModelId, usize, f64)> {
        let model = Model::open(self.dir)?;
        let mut embedder = model.embedder()?;
        let ms = embedder.question_ms()?;
        Ok((model.id(), embedder.dims(), ms))
    }

    /// Takes the files from a folder: the model with the weights asked for where there are several, the
    /// tokenizer, and the runtime library or a wheel that holds it. What the folder lacks and the model folder
    /// has already stays.
    pub fn from_folder(&self, from: &Path, weights: Weights) -> Result<Vec<Placed>> {
        ensure!(from.is_dir(), "{} is no folder", from.display());
        let mut placed = Vec::new();
        if let Some(path) = self.model_in(from, weights)? {
            let bytes = read(&path)?;
            placed.push(self.place_model(&bytes, &path.display().to_string())?);
        }
        let tokenizer = from.join(TOKENIZER_FILE);
        if tokenizer.is_file() {
            placed
                .push(self.place_tokenizer(&read(&tokenizer)?, &tokenizer.display().to_string())?);
        }
        if let Some(path) = library_in(from) {
            placed.push(self.place_library_file(&path)?);
        }
        ensure!(
            !placed.is_empty(),
            "{} holds no model (*.onnx), no {TOKENIZER_FILE} and no ONNX Runtime library",
            from.display()
        );
        Ok(placed)
    }

    /// The model file in a folder: the pinned one of these weights, another known one of them, else the one
    /// file there is.
    fn model_in(&self, from: &Path, weights: Weights) -> Result<Option<PathBuf>> {
        let mut files: Vec<PathBuf> = [from.to_path_buf(), from.join("onnx")]
            .iter()
            .flat_map(|dir| fs::read_dir(dir).into_iter().flatten().flatten())
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ext| ext == "onnx") && path.is_file())
            .collect();
        files.sort();
        let kind = match weights {
            Weights::Float => "float",
            Weights::Int8 => "int8",
        };
        let mut named = Vec::new();
        for path in &files {
            let name = self.model_name(&sha256(&read(path)?)).map(str::to_string);
            named.push((name, path));
        }
        let of_kind = |exact: bool| {
            named.iter().find(|(name, _)| match name.as_deref() {
                Some(name) => name == kind || !exact && name.starts_with(kind),
                None => false,
            })
        };
        match (of_kind(true).or_else(|| of_kind(false)), &named[..]) {
            (Some((_, path)), _) | (None, [(_, path)]) => Ok(Some((*path).clone())),
            (None, []) => Ok(None),
            (None, several) => {
                match several
                    .iter()
                    .find(|(_, path)| path.file_name() == Some(MODEL_FILE.as_ref()))
                {
                    Some((_, path)) => Ok(Some((*path).clone())),
                    None => bail!(
                        "{} holds {} models, none with {kind} weights known to config.toml: leave one, or name it {MODEL_FILE}",
                        from.display(),
                        several.len()
                    ),
                }
            }
        }
    }

    /// Puts a model file in place, whatever its hash; `from` names it in messages.
    pub fn place_model(&self, bytes: &[u8], from: &str) -> Result<Placed> {
        let hash = sha256(bytes);
        let name = self.model_name(&hash);
        self.place(MODEL_FILE, bytes, name, &hash, from)
    }

    /// Puts a tokenizer file in place.
    pub fn place_tokenizer(&self, bytes: &[u8], from: &str) -> Result<Placed> {
        let hash = sha256(bytes);
        let name = self.tokenizer_name(&hash);
        self.place(TOKENIZER_FILE, bytes, name, &hash, from)
    }

    /// Puts a runtime library in place, from a library file or from a wheel, if it can be used here.
    pub fn place_library_file(&self, path: &Path) -> Result<Placed> {
        let bytes = read(path)?;
        let from = path.display().to_string();
        if path.extension().is_some_and(|ext| ext == "whl") {
            self.place_library(
                &library_of_wheel(&bytes).with_context(|| format!("in {from}"))?,
                &from,
            )
        } else {
            self.place_library(&bytes, &from)
        }
    }

    /// Puts a runtime library in place if it can be used here; `from` names it in messages.
    pub fn place_library(&self, bytes: &[u8], from: &str) -> Result<Placed> {
        fs::create_dir_all(self.dir).with_context(|| format!("creating {}", self.dir.display()))?;
        store::sweep(self.dir);
        // Tried under another name first: a library that cannot be used does not replace one that can.
        let trial = store::write_beside(&self.dir.join(runtime::FILE_NAME), bytes)
            .with_context(|| format!("writing to {}", self.dir.display()))?;
        let version = match runtime::probe(trial.path()) {
            Ok(runtime) => runtime.version,
            Err(error) => {
                let text = error
                    .to_string()
                    .replace(&trial.path().display().to_string(), from);
                bail!("{text}");
            }
        };
        let hash = sha256(bytes);
        let name = self.library_name(&hash);
        let mut placed = self.place(runtime::FILE_NAME, bytes, name, &hash, from)?;
        placed.what = format!("ONNX Runtime {version}");
        Ok(placed)
    }

    fn place(
        &self,
        file: &str,
        bytes: &[u8],
        name: Option<&str>,
        hash: &str,
        from: &str,
    ) -> Result<Placed> {
        fs::create_dir_all(self.dir).with_context(|| format!("creating {}", self.dir.display()))?;
        let path = self.dir.join(file);
        write_atomic(&path, bytes).with_context(|| format!("writing {}", path.display()))?;
        Ok(Placed {
            file: file.to_string(),
            what: name.map_or_else(|| "an unknown file".to_string(), |name| format!("{name}, known by its SHA-256")),
            warning: name
                .is_none()
                .then(|| format!("{from} is none of the files config.toml knows (SHA-256 {hash}): taken on your word")),
        })
    }

    /// Fetches the wheel of ONNX Runtime with pip and puts its library in place. pip takes it from wherever it
    /// is set up to.
    pub fn runtime_from_pip(&self) -> Result<Placed> {
        let dir = tempfile::tempdir().context("making a temporary folder")?;
        let package = format!("onnxruntime=={}", self.config.runtime_version);
        let mut last = "no python3 and no python on the PATH".to_string();
        for python in ["python3", "python"] {
            let run = Command::new(python)
                .args([
                    "-m",
                    "pip",
                    "download",
                    "--no-deps",
                    "--only-binary=:all:",
                    "--quiet",
                ])
                .args(["--disable-pip-version-check", "--dest"])
                .arg(dir.path())
                .arg(&package)
                .output();
            match run {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => last = error.to_string(),
                Ok(run) if run.status.success() => {
                    let wheel = library_in(dir.path()).context("pip brought no wheel")?;
                    let mut placed = self.place_library_file(&wheel)?;
                    let from = wheel
                        .file_name()
                        .unwrap_or_default()
                        .to_string_lossy()
                        .into_owned();
                    let hidden = wheel.display().to_string();
                    placed.warning = placed.warning.map(|text| text.replace(&hidden, &from));
                    return Ok(placed);
                }
                Ok(run) => {
                    let text = String::from_utf8_lossy(&run.stderr);
                    let line = text.lines().rev().find(|line| !line.trim().is_empty());
                    last = line.unwrap_or("pip failed").trim().to_string();
                }
            }
        }
        bail!("{package} could not be had by pip: {last}")
    }

    /// The pin of this platform's wheel.
    pub fn runtime_pin(&self) -> Result<&RuntimePin> {
        let platform = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
        self.config.runtime.get(&platform).with_context(|| {
            format!(
                "no ONNX Runtime library is pinned for {platform}: put one (1.{} or later) in a folder and name it with --from",
                runtime::OLDEST_MINOR
            )
        })
    }

    /// True when the folder holds this file.
    pub fn has(&self, file: &str, hash: &str) -> bool {
        fs::read(self.dir.join(file)).is_ok_and(|bytes| sha256(&bytes) == hash)
    }

    fn state<'n>(&self, path: &Path, name: impl Fn(&str) -> Option<&'n str>) -> FileState {
        match fs::read(path) {
            Err(_) => FileState::Missing,
            Ok(bytes) => {
                let sha256 = sha256(&bytes);
                match name(&sha256) {
                    Some(name) => FileState::Known {
                        name: name.to_string(),
                    },
                    None => FileState::Unknown { sha256 },
                }
            }
        }
    }

    fn model_name(&self, hash: &str) -> Option<&str> {
        let pinned = [("float", &self.config.float), ("int8", &self.config.int8)];
        let pinned = pinned
            .into_iter()
            .map(|(name, pin)| (name, pin.sha256.as_str()));
        let known = self
            .config
            .known
            .iter()
            .map(|(name, hash)| (name.as_str(), hash.as_str()));
        pinned
            .chain(known)
            .find(|(_, known)| *known == hash)
            .map(|(name, _)| name)
    }

    fn tokenizer_name(&self, hash: &str) -> Option<&'static str> {
        (self.config.tokenizer.sha256 == hash).then_some("tokenizer")
    }

    fn library_name(&self, hash: &str) -> Option<&str> {
        let mut pins = self.config.runtime.values();
        pins.any(|pin| pin.library_sha256 == hash)
            .then_some(self.config.runtime_version.as_str())
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("reading {}", path.display()))
}

/// A runtime library or a wheel that holds it, in a folder.
fn library_in(from: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(from).into_iter().flatten().flatten();
    let files = entries.filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let wheel = name.starts_with("onnxruntime-") && name.ends_with(".whl");
        (is_library(&name) || wheel).then(|| (entry.path(), name))
    });
    // The one the system calls by its plain name, else the latest.
    let best =
        files.max_by_key(|(_, name)| (name == runtime::FILE_NAME, version_in(name), name.clone()));
    best.map(|(path, _)| path)
}

/// `[1, 32, 0]` for `libonnxruntime.so.1.32.0`.
fn version_in(name: &str) -> Vec<u64> {
    let number = |c: char| c.is_ascii_digit() || c == '.';
    let version = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let version = version.split(|c| !number(c)).next().unwrap_or_default();
    version
        .split('.')
        .map_while(|part| part.parse().ok())
        .collect()
}

/// `libonnxruntime.so.1.32.0`, `libonnxruntime.1.32.0.dylib`; not its companions.
fn is_library(name: &str) -> bool {
    let (stem, ext) = runtime::FILE_NAME
        .rsplit_once('.')
        .expect("a name with a dot");
    let version = name
        .strip_prefix(stem)
        .map(|rest| rest.replacen(ext, "", 1));
    version.is_some_and(|rest| {
        rest.chars().all(|c| c.is_ascii_digit() || c == '.') && rest.contains('.')
    })
}

/// The runtime library in a Python wheel, which is a zip archive.
pub fn library_of_wheel(wheel: &[u8]) -> Result<Vec<u8>> {
    let mut archive = zip::ZipArchive::new(Cursor::new(wheel)).context("it is no wheel")?;
    let name = archive
        .file_names()
        .find(|name| is_library(name.rsplit('/').next().unwrap_or_default()))
        .map(str::to_string)
        .context("it holds no ONNX Runtime library for this platform")?;
    let entry = archive.by_name(&name).context("it is damaged")?;
    let mut bytes = Vec::new();
    entry
        .take(MAX_LIBRARY_BYTES)
        .read_to_end(&mut bytes)
        .context("it is damaged")?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn library_names() {
        for (name, yes) in [
            ("libonnxruntime.so", true),
            ("libonnxruntime.so.1", true),
            ("libonnxruntime.so.1.32.0", true),
            ("libonnxruntime_providers_shared.so", false),
            ("libonnxruntime.so.txt", false),
        ] {
            assert_eq!(is_library(name), yes, "{name}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_plain_name_then_the_latest_version_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let taken = || library_in(dir.path()).map(|path| path.file_name().unwrap().to_owned());
        assert_eq!(taken(), None);
        for (added, best) in [
            ("libonnxruntime.so.1.9.0", "libonnxruntime.so.1.9.0"),
            ("libonnxruntime.so.1.32.0", "libonnxruntime.so.1.32.0"),
            ("libonnxruntime.so.1.10.0", "libonnxruntime.so.1.32.0"),
            (
                "onnxruntime-1.33.0-cp311-none.whl",
                "onnxruntime-1.33.0-cp311-none.whl",
            ),
            ("libonnxruntime.so", "libonnxruntime.so"),
        ] {
            fs::write(dir.path().join(added), "").unwrap();
            assert_eq!(taken().as_deref(), Some(best.as_ref()), "{added}");
        }
    }
}
