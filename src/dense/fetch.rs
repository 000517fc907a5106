//! Fetching model, tokenizer and runtime library from their upstream addresses.

use std::fs;

use anyhow::{Context, Result, bail};

use super::install::{Installer, Placed};
use super::{MODEL_FILE, Pin, TOKENIZER_FILE, Weights, runtime};
use crate::library::checksum::Expected;
use crate::library::fetch::{Wanted, files};
use crate::library::http::Patience;
use crate::library::job::{Cancel, Event};

/// The wheel while its library is taken out.
const WHEEL: &str = "onnxruntime.whl";

/// Brings what is missing or other than pinned; what is there and right is kept and not in the result. Stopped or
/// killed, the next fetch goes on where it was.
///
/// The runtime library comes from the wheel at its address, else by pip. A library the user names by
/// `ORT_DYLIB_PATH` or has in the system is no reason not to fetch.
///
/// # Errors
///
/// If a file cannot be had, with what was tried; those had before stay.
pub fn fetch(
    installer: &Installer<'_>,
    weights: Weights,
    patience: Patience,
    on_event: &(dyn Fn(&Event) + Sync),
    cancel: &Cancel,
) -> Result<Vec<Placed>> {
    let config = installer.config;
    fs::create_dir_all(installer.dir)
        .with_context(|| format!("creating {}", installer.dir.display()))?;
    let bring = |base: &str, wanted: &[Wanted]| {
        files(
            base.trim_end_matches('/'),
            patience,
            wanted,
            on_event,
            cancel,
        )
    };
    let model = match weights {
        Weights::Float => &config.float,
        Weights::Int8 => &config.int8,
    };
    let pins = [(MODEL_FILE, model), (TOKENIZER_FILE, &config.tokenizer)];
    let missing: Vec<(&str, &Pin)> = pins
        .into_iter()
        .filter(|(file, pin)| !installer.has(file, &pin.sha256))
        .collect();
    let wanted: Vec<Wanted> = missing
        .iter()
        .map(|(file, pin)| Wanted {
            path: pin.file.clone(),
            to: installer.dir.join(file),
            bytes: Some(pin.bytes),
            expected: Some(Expected::Sha256(pin.sha256.clone())),
        })
        .collect();
    let failures = bring(&config.base, &wanted)?;
    if let Some(failure) = failures.first() {
        bail!(
            "{} could not be fetched: {}\nwithout a connection, put the files in a folder and name it: `tenleaf model fetch --from DIR`",
            failure.what,
            failure.error
        );
    }
    let mut placed: Vec<Placed> = missing
        .iter()
        .map(|(file, pin)| Placed {
            file: (*file).to_string(),
            what: format!("{}, as pinned", pin.file),
            warning: None,
        })
        .collect();
    let pin = installer.runtime_pin()?;
    if cancel.is_cancelled() || installer.has(runtime::FILE_NAME, &pin.library_sha256) {
        return Ok(placed);
    }
    let wheel = installer.dir.join(WHEEL);
    let wanted = Wanted {
        path: pin.file.clone(),
        to: wheel.clone(),
        bytes: Some(pin.bytes),
        expected: Some(Expected::Sha256(pin.sha256.clone())),
    };
    let failures = bring(&config.runtime_base, &[wanted])?;
    placed.push(match failures.first() {
        None if cancel.is_cancelled() => return Ok(placed),
        None => {
            let library = installer.place_library_file(&wheel);
            let _ = fs::remove_file(&wheel);
            library?
        }
        Some(failure) => installer.runtime_from_pip().with_context(|| {
            format!(
                "no ONNX Runtime library: its address did not serve ({}), and neither did pip",
                failure.error
            )
        })?,
    });
    Ok(placed)
}
