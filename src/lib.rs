//! tenleaf finds the page of a company's filing that answers a question.
//!
//! Arrows point one way: `cli`, `tui` -> `search`, `eval` -> `question`, `index`, `dense` -> `library`.
//! Everything a screen shows comes from one pure call, [`search::search`].

#![warn(missing_docs)]
// A full disk behind stdout is no reason to panic: `cli::out` prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

// Workers, signals, pipes and the terminal are those of Unix.
#[cfg(not(unix))]
compile_error!("tenleaf runs on Linux and macOS; on Windows build and use it inside WSL");

pub mod add;
pub mod caught;
pub mod cli;
pub mod config;
pub mod dense;
pub mod edgar;
pub mod eval;
pub mod index;
pub mod library;
pub mod logging;
pub mod paths;
pub mod question;
pub mod search;
pub mod structure;
pub mod text;
pub mod tui;
pub mod words;

#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;
