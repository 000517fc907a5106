//! What a command gives out: text on stdout, words on stderr, files the user names. Nothing here
//! panics: a full disk behind stdout is an error of one line, a stderr that is gone no reason to stop. What a
//! line holds (the name of a file, say) does not act on the terminal.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;

use super::Usage;
use crate::library::output;
use crate::words::printable;

/// A line on stdout, as `println!` prints one; fails with the function around it.
macro_rules! outln {
    ($($words:tt)*) => {
        $crate::cli::out::line(format_args!($($words)*))?
    };
}

/// A line on stderr, as `eprintln!` prints one.
macro_rules! errln {
    ($($words:tt)*) => {
        $crate::cli::out::tell(format_args!($($words)*))
    };
}

pub(crate) use {errln, outln};

/// Writes to stdout.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("writing to stdout")
}

/// The work of `outln!`.
pub fn line(words: fmt::Arguments<'_>) -> Result<()> {
    print(&printable(&format!("{words}\n")))
}

/// The work of `errln!`.
pub fn tell(words: fmt::Arguments<'_>) {
    let words = format!("{words}\n");
    let _ = io::stderr().write_all(printable(&words).as_bytes());
}

/// Prints `value` as one line of JSON.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    line(format_args!("{}", serde_json::to_string(value)?))
}

/// Writes a file the user named.
pub fn write_file(path: &Path, text: &str) -> Result<()> {
    output::write(path, text.as_bytes()).with_context(|| format!("writing {}", path.display()))
}

/// An error where a file to be written is one of those that are read.
pub fn check_not_read<'a>(out: &Path, read: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    match read.into_iter().find(|file| output::same_file(out, file)) {
        None => Ok(()),
        Some(file) => Err(Usage(format!(
            "{} is read and would be overwritten ({}): name another file to write",
            file.display(),
            out.display()
        ))
        .into()),
    }
}
