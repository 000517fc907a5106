//! The binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    // The program starts itself again to read PDFs; such a process does nothing else.
    match tenleaf::library::pdf::worker::serve_if_asked() {
        Some(code) => code,
        None => tenleaf::cli::main(),
    }
}
