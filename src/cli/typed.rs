//! What a user types in the workbench to add filings: the words of `tenleaf add`, or a ticker with forms.

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;

use super::{Usage, add};
use crate::add::parse_form;
use crate::paths::check_library;

/// A line, read.
#[derive(Debug, Parser)]
#[command(name = "add", no_binary_name = true, disable_help_flag = true)]
pub struct Typed {
    #[command(flatten)]
    pub args: add::Args,
    /// The library to add to, in place of the one in use.
    #[arg(long, value_name = "NAME")]
    pub library: Option<String>,
}

impl Typed {
    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it, on one line.
    pub fn read(line: &str) -> Result<Typed> {
        let words = words(line)?;
        let words = match words.first() {
            Some(first) if !first.starts_with('-') && !is_path(first) => spelt_out(&words),
            _ => words,
        };
        if words.iter().any(|word| word == "-") {
            return Err(Usage("the workbench has no standard input to read from".into()).into());
        }
        let typed = Typed::try_parse_from(words).map_err(|error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            Usage(first.trim_start_matches("error: ").to_string())
        })?;
        if let Some(name) = &typed.library {
            check_library(name).map_err(|error| Usage(error.to_string()))?;
        }
        Ok(typed)
    }
}

/// Something of the file system, not a ticker.
fn is_path(word: &str) -> bool {
    word.contains(['/', '\\'])
        || word.contains('.') && word.len() > 6
        || PathBuf::from(word).exists()
}

/// `AAPL MSFT 10-K 5 2023-01-01` with the flags that it stands for.
fn spelt_out(words: &[String]) -> Vec<String> {
    let (mut out, mut flags) = (Vec::new(), false);
    for word in words {
        flags |= word.starts_with('-');
        let flag = match word.as_str() {
            _ if flags => None,
            word if word.parse::<jiff::civil::Date>().is_ok() => Some("--since"),
            word if word.bytes().all(|b| b.is_ascii_digit()) => Some("--limit"),
            word if word.split(',').all(|form| parse_form(form).is_ok()) => Some("--form"),
            _ => Some("--ticker"),
        };
        out.extend(flag.map(str::to_string));
        out.push(word.clone());
    }
    out
}

/// The words of a line as a shell takes them apart: quotes, backslashes, `~` for the home folder.
fn words(line: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (_, '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            // `~bob` is another's home, which only the system knows.
            (None, '~')
                if word.is_none()
                    && chars
                        .clone()
                        .next()
                        .is_none_or(|c| c == '/' || c.is_whitespace()) =>
            {
                let home = std::env::var("HOME").unwrap_or_else(|_| "~".into());
                word = Some(home);
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(Usage("a quote is open: close it, or write \\' for one".into()).into());
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart_as_a_shell_does() {
        for (line, want) in [
            ("a.pdf  b.pdf", vec!["a.pdf", "b.pdf"]),
            (r"my\ file.pdf", vec!["my file.pdf"]),
            ("'a b.pdf' \"c d\"e", vec!["a b.pdf", "c de"]),
            ("", vec![]),
            ("~bob/x.pdf a~b", vec!["~bob/x.pdf", "a~b"]),
        ] {
            assert_eq!(words(line).unwrap(), want, "{line}");
        }
        assert!(words("'a").is_err());
        assert!(!words("~/x.pdf").unwrap()[0].starts_with("~/x") || std::env::var("HOME").is_err());
    }

    #[test]
    fn a_ticker_needs_no_flags() {
        let spelt = |line: &str| spelt_out(&words(line).unwrap()).join(" ");
        assert_eq!(spelt("AAPL 10-K 5"), "--ticker AAPL --form 10-K --limit 5");
        assert_eq!(
            spelt("AAPL MSFT 10-K,10-Q 2023-01-01 --library mine"),
            "--ticker AAPL --ticker MSFT --form 10-K,10-Q --since 2023-01-01 --library mine"
        );
    }

    #[test]
    fn what_is_wrong_is_told_on_one_line() {
        for (line, want) in [
            ("./x.pdf --form", "a value is required"),
            ("./x.pdf --library ../up", "cannot name a library"),
            ("-", "no standard input"),
            ("./x.pdf --what", "unexpected argument"),
        ] {
            let error = Typed::read(line).unwrap_err().to_string();
            assert!(error.contains(want) && !error.contains('\n'), "{error}");
        }
        let typed = Typed::read("./x.pdf --library mine").unwrap();
        assert_eq!(typed.library.as_deref(), Some("mine"));
    }
}
