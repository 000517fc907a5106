//! Words for people: numbers in sentences (`53,361 pages`), texts in lines and cells, causes of errors.

use std::borrow::Cow;

/// `53,361`.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (ix, digit) in digits.chars().enumerate() {
        if ix > 0 && (digits.len() - ix).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 filing`, `2,345 filings`.
pub fn count(n: usize, one: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        n => format!("{} {one}s", thousands(n)),
    }
}

/// The first few names, and how many more there are.
pub fn some_of(names: &[impl AsRef<str>]) -> String {
    const SHOWN: usize = 5;
    let first: Vec<&str> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// The text on one line, with one blank where there were blanks, tabs and ends of lines.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// [`count`] for a column: the number at the right end of so many columns, the word filled up.
pub fn count_in(n: usize, one: &str, columns: usize) -> String {
    let s = if n == 1 { " " } else { "s" };
    format!("{:>columns$} {one}{s}", thousands(n))
}

/// A cell of a CSV file, quoted where it must be, and never a formula that a spreadsheet would run.
pub fn csv_cell(cell: &str) -> String {
    let number = cell.parse::<f64>().is_ok();
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && !number;
    let cell = match formula {
        true => format!("'{cell}"),
        false => cell.to_string(),
    };
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
}

/// What is wrong with a line of JSON, and where in it: its number is for the caller to say.
pub fn json_trouble(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let (what, at) = match words.rsplit_once(" at line ") {
        Some((what, _)) => (what, format!(" at column {}", error.column())),
        None => (words.as_str(), String::new()),
    };
    // Names of ours say nothing to the user.
    let what = match what.rsplit_once(", expected ") {
        Some((found, "u8" | "u16" | "u32" | "u64" | "usize")) => {
            format!("{found}, expected a whole number, 0 or more")
        }
        Some((found, wanted)) if wanted.starts_with("struct ") => {
            format!("{found}, expected an object in {{ }}")
        }
        _ => what.to_string(),
    };
    what + &at
}

/// The time now to the second, RFC 3339, UTC.
pub fn now() -> String {
    let seconds = jiff::Timestamp::now().as_second();
    jiff::Timestamp::from_second(seconds).map_or_else(|_| String::new(), |at| at.to_string())
}

/// An error and its causes on one line.
pub fn with_causes(error: &anyhow::Error) -> String {
    causes(error).join(": ")
}

/// An error and its causes, each said once: some name their cause in their own words.
pub fn causes(error: &anyhow::Error) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for cause in error.chain() {
        let words = cause.to_string();
        if !said.last().is_some_and(|before| before.contains(&words)) {
            said.push(words);
        }
    }
    said
}

/// A text that may hold the name of a file, for a line on a terminal: control characters, which would act
/// on it, are escaped. Lines and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    let acts = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match acts(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_complained_of_without_names_of_ours() {
        #[derive(serde::Deserialize)]
        struct Line {
            #[serde(rename = "pages")]
            _pages: Vec<u32>,
        }
        for (line, says) in [
            (
                r#"{"pages": ["58"]}"#,
                "expected a whole number, 0 or more at column ",
            ),
            ("58", "expected an object in { } at column "),
            (r#"{"pages": 58}"#, "expected a sequence at column "),
            ("{", "EOF while parsing an object at column "),
        ] {
            let told = json_trouble(&serde_json::from_str::<Line>(line).err().unwrap());
            assert!(told.contains(says), "{told}");
        }
    }

    #[test]
    fn a_cause_is_said_once() {
        use anyhow::Context as _;

        use crate::library::store;

        let dir = tempfile::tempdir().unwrap();
        let missing = dir.path().join("A.pages");
        let error = store::PageFile::open(&missing).err().unwrap();
        // It names its cause, and has it.
        assert!(error.to_string().contains("No such file"));
        let error = anyhow::Error::from(error).context("opening the library");
        let words = with_causes(&error);
        assert_eq!(words.matches("No such file").count(), 1, "{words}");
        assert!(words.starts_with("opening the library: "), "{words}");
        let error = std::fs::read(&missing).context("reading A").unwrap_err();
        assert_eq!(
            with_causes(&error),
            "reading A: No such file or directory (os error 2)"
        );
    }

    #[test]
    fn csv_cells_are_quoted_and_never_formulas() {
        for (cell, written) in [
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("=1+1", "'=1+1"),
            ("-12.5", "-12.5"),
            ("- a", "'- a"),
        ] {
            assert_eq!(csv_cell(cell), written);
        }
    }

    #[test]
    fn what_acts_on_a_terminal_is_escaped() {
        assert_eq!(
            printable("a\u{1b}]0;x\u{7}\r.pdf"),
            r"a\u{1b}]0;x\u{7}\r.pdf"
        );
        assert_eq!(printable("\u{9b}1m"), r"\u{9b}1m");
        assert_eq!(printable("für\n\t3M.pdf"), "für\n\t3M.pdf");
    }

    #[test]
    fn one_is_one_and_columns_line_up() {
        assert_eq!(thousands(53_361), "53,361");
        assert_eq!(count(1, "filing"), "1 filing");
        assert_eq!(count(0, "page"), "0 pages");
        assert_eq!(count(2345, "page"), "2,345 pages");
        assert_eq!(count_in(1, "filing", 4), "   1 filing ");
        assert_eq!(count_in(360, "filing", 4), " 360 filings");
    }
}
