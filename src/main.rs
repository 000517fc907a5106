//! The binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    tenleaf::cli::main()
}
