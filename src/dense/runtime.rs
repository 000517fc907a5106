//! The ONNX Runtime library: where it is, whether it can be used, and loading it once.
//!
//! It is a shared library loaded at run time, so that the build downloads nothing and the program runs
//! without it. Every way in which the file can be wrong is found out before it is handed to `ort`, whose
//! entry points panic on an unusable library.

use std::ffi::CStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ort::environment::Environment;
use ort::logging::LogLevel;
use thiserror::Error;

use crate::words::one_line;

/// The oldest minor version of ONNX Runtime 1.x that will do: the API `ort` was built for.
pub const OLDEST_MINOR: u32 = ort::MINOR_VERSION;

/// What the library is called on this platform.
pub const FILE_NAME: &str = if cfg!(target_os = "macos") {
    "libonnxruntime.dylib"
} else {
    "libonnxruntime.so"
};

/// Names the library's path, in place of the model folder's copy; `ort` reads the same variable.
pub const PATH_VARIABLE: &str = "ORT_DYLIB_PATH";

/// Why the runtime library cannot be used. Each is one line that says what to do.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RuntimeError {
    /// No library anywhere.
    #[error("no ONNX Runtime library ({FILE_NAME}): get it with `tenleaf model fetch`")]
    Missing,
    /// The named file does not exist.
    #[error("{PATH_VARIABLE} names {}, which does not exist", .0.display())]
    NamedMissing(PathBuf),
    /// Not a shared library of this platform, or a damaged one.
    #[error("{} is not a library this machine can load ({what}): get it anew with `tenleaf model fetch`", path.display())]
    NotLoadable {
        /// The file.
        path: PathBuf,
        /// The loader's words, or ours.
        what: String,
    },
    /// A shared library, but not ONNX Runtime.
    #[error("{} is a library, but not ONNX Runtime: get it with `tenleaf model fetch`", .0.display())]
    NotOnnxRuntime(PathBuf),
    /// Older than the API we speak.
    #[error("{} is ONNX Runtime {version}; 1.{OLDEST_MINOR} or later is needed: get it with `tenleaf model fetch`", path.display())]
    TooOld {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: String,
    },
    /// The library was found fit, yet would not start.
    #[error("ONNX Runtime did not start: {0}")]
    Start(String),
}

/// A library found fit for use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runtime {
    /// The file.
    pub path: PathBuf,
    /// Its version, `1.32.0`.
    pub version: String,
}

/// Finds the library and checks that it can be used: the file that `ORT_DYLIB_PATH` names, else the one in
/// the model folder, else one the system's loader knows.
pub fn find(model_dir: &Path) -> Result<Runtime, RuntimeError> {
    if let Some(named) = std::env::var_os(PATH_VARIABLE).filter(|value| !value.is_empty()) {
        let path = PathBuf::from(named);
        if !path.is_file() {
            return Err(RuntimeError::NamedMissing(path));
        }
        return probe(&path);
    }
    let own = model_dir.join(FILE_NAME);
    if own.exists() {
        return probe(&own);
    }
    // A bare name makes the loader look where the system keeps its libraries.
    match probe(Path::new(FILE_NAME)) {
        Err(RuntimeError::NotLoadable { .. }) => Err(RuntimeError::Missing),
        found => found,
    }
}

/// Opens the library and asks its version, without starting it.
pub fn probe(path: &Path) -> Result<Runtime, RuntimeError> {
    let not_loadable = |what: String| RuntimeError::NotLoadable {
        path: path.to_path_buf(),
        what,
    };
    if path.is_file() {
        check_whole(path).map_err(|what| not_loadable(what.to_string()))?;
    }
    // SAFETY: loading runs the library's initialisers. It is ONNX Runtime, pinned by hash when we fetched it,
    // or a file the user named for this purpose; a file that is no library is refused by the loader.
    let library = unsafe { libloading::Library::new(path) }
        .map_err(|error| not_loadable(loader_words(&error, path)))?;
    // SAFETY: this is the one documented export of ONNX Runtime, with this signature since 1.0.
    let entry = unsafe {
        library.get::<unsafe extern "C" fn() -> *const ort::sys::OrtApiBase>(b"OrtGetApiBase")
    };
    let Ok(entry) = entry else {
        return Err(RuntimeError::NotOnnxRuntime(path.to_path_buf()));
    };
    // SAFETY: the base is a static of the library, which stays loaded until the end of this function; the
    // version is a NUL-terminated static string.
    let (version, has_api) = unsafe {
        let base = entry();
        if base.is_null() {
            return Err(RuntimeError::NotOnnxRuntime(path.to_path_buf()));
        }
        let version = CStr::from_ptr(((*base).GetVersionString)())
            .to_string_lossy()
            .into_owned();
        // Asking an older library for a newer API makes it write to standard error: look at its number first.
        let has_api = is_recent(&version) && !((*base).GetApi)(OLDEST_MINOR).is_null();
        (version, has_api)
    };
    if !has_api {
        return Err(RuntimeError::TooOld {
            path: path.to_path_buf(),
            version,
        });
    }
    Ok(Runtime {
        path: path.to_path_buf(),
        version,
    })
}

/// The running environment: the library is loaded at the first call and stays for the life of the process.
/// After a failure a later call may succeed (the file has been mended in between).
pub(super) fn start(model_dir: &Path) -> Result<&'static Environment, RuntimeError> {
    static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
    static STARTING: Mutex<()> = Mutex::new(());
    let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = ENVIRONMENT.get() {
        return Ok(environment);
    }
    let runtime = find(model_dir)?;
    let environment = ort::init_from(&runtime.path)
        .map_err(|error| RuntimeError::Start(one_line(&error.to_string())))?
        .with_name("tenleaf")
        .with_telemetry(false)
        // Without a logger of ours it writes to standard error, over the screen.
        .with_logger(Arc::new(|_, category, _, _, message| {
            tracing::debug!(target: "onnxruntime", category, "{message}");
        }))
        .build()
        .map_err(|error| RuntimeError::Start(one_line(&error.to_string())))?;
    environment.set_log_level(LogLevel::Warning);
    Ok(ENVIRONMENT.get_or_init(|| environment))
}

fn is_recent(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(1), Some(minor)) => minor >= OLDEST_MINOR,
        (Some(major), _) => major > 1,
        _ => false,
    }
}

/// Refuses a file cut short. The loader maps segments without looking at the file's length, and touching
/// what is not there kills the process. In ELF the section headers come last: if they are there, all is.
fn check_whole(path: &Path) -> Result<(), &'static str> {
    let mut head = [0u8; 64];
    let mut file = File::open(path).map_err(|_| "it cannot be read")?;
    let size = file.metadata().map_err(|_| "it cannot be read")?.len();
    if file.read_exact(&mut head).is_err() {
        return Err("it is too short");
    }
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    if &head[..4] != b"\x7fELF" || head[4] != 2 {
        return Err("it is no 64-bit ELF file");
    }
    let word = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]) as u64;
    let sections_at = u64::from_le_bytes(head[0x28..0x30].try_into().expect("eight bytes"));
    let sections_end = sections_at.checked_add(word(0x3a) * word(0x3c));
    match sections_end {
        Some(end) if sections_at > 0 && end <= size => Ok(()),
        _ => Err("it is cut short"),
    }
}

/// The loader's message without the path it repeats.
fn loader_words(error: &libloading::Error, path: &Path) -> String {
    let text = std::error::Error::source(error)
        .map(|source| source.to_string())
        .unwrap_or_else(|| error.to_string());
    let path = path.display().to_string();
    one_line(text.trim_start_matches(&path).trim_start_matches(": "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for (version, recent) in [
            ("1.32.0", true),
            ("1.24.0", true),
            ("1.23.2", false),
            ("1.9.1", false),
            ("2.0.0", true),
            ("1.x", false),
            ("", false),
        ] {
            assert_eq!(is_recent(version), recent, "{version}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn unusable_files_are_refused_in_words() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE_NAME);
        let refusal = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let error = probe(&path).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
            assert!(error.contains("tenleaf model fetch"), "{error}");
            error
        };
        assert!(refusal(b"").contains("too short"));
        assert!(refusal(&[b'x'; 100]).contains("no 64-bit ELF"));

        // A real library of this platform that is something else, whole and cut.
        let other = std::fs::read("/proc/self/maps")
            .map(|maps| String::from_utf8_lossy(&maps).into_owned());
        let libc = other
            .unwrap()
            .lines()
            .filter_map(|line| line.split_whitespace().last())
            .find(|name| name.contains("libc.so") || name.contains("libm.so"))
            .map(std::fs::read);
        let Some(Ok(libc)) = libc else {
            crate::common::skipped("no shared libc in this process");
            return;
        };
        assert!(refusal(&libc[..libc.len() - 1000]).contains("cut short"));
        assert!(refusal(&libc).contains("not ONNX Runtime"));
        // Another machine's (e_machine is at byte 18).
        let mut foreign = libc.clone();
        foreign[18] = 0xf3;
        refusal(&foreign);
    }
}
