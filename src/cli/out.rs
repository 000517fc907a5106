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
    print(&json_line(value)?)
}

/// The same of what was done in a library, whose name comes first.
pub fn print_json_of(library: &str, value: &impl Serialize) -> Result<()> {
    #[derive(Serialize)]
    struct InLibrary<'a, T> {
        library: &'a str,
        #[serde(flatten)]
        value: &'a T,
    }
    print_json(&InLibrary { library, value })
}

/// One line of JSON that does not act on a terminal: the control characters that JSON lets stand (DEL and
/// those above it) are escaped its own way.
fn json_line(value: &impl Serialize) -> Result<String> {
    let json = serde_json::to_string(value)?;
    let mut line = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        match c.is_control() {
            true => line.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => line.push(c),
        }
    }
    line.push('\n');
    Ok(line)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_json_whatever_its_texts_hold_and_does_not_act_on_a_terminal() {
        let text = "Nike \u{85}\u{7f}\u{9b}1m \u{1b}[2J\n\t\"für\"";
        let line = json_line(&text).unwrap();
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
        assert_eq!(line.matches(char::is_control).collect::<Vec<_>>(), ["\n"]);
    }
}
