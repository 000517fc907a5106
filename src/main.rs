//! The binary.

use std::process::ExitCode;

use tenleaf::edgar::html_worker;
use tenleaf::library::{pdf, worker};

fn main() -> ExitCode {
    // The program starts itself again to read PDFs and HTML; such a process does nothing else.
    match worker::serve_if_asked(&[&pdf::worker::JOB, &html_worker::JOB]) {
        Some(code) => code,
        None => tenleaf::cli::main(),
    }
}
