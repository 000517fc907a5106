//! `tenleaf list`.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::{Context, outln, print, print_json, print_json_of, size};
use crate::library::{Filing, Library, TextSource};
use crate::words::{count, count_in};

/// List the filings of a library, or the libraries
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf list                          every filing
  tenleaf list apple 10-k               those whose company, form, period or name hold these words
  tenleaf list --libraries              the libraries there are
  tenleaf list --json | jq -r '.filings[] | select(.form == \"10-K\") | .doc_name'")]
pub struct Args {
    /// Only filings whose company, form, period or name hold these words
    words: Vec<String>,
    /// List the libraries instead
    #[arg(long, conflicts_with = "words")]
    libraries: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Prints the list.
    pub fn run(self, context: &Context) -> Result<()> {
        if self.libraries {
            return libraries(context, self.json);
        }
        let library = Library::open(&context.root()?)?;
        let filings: Vec<&Filing> = picked(&library, &self.words).collect();
        if self.json {
            return print_json_of(context.library(), &json!({ "filings": filings }));
        }
        let mut rows = vec![
            [
                "company", "form", "period", "pages", "source", "date", "name",
            ]
            .map(String::from),
        ];
        rows.extend(filings.iter().map(|filing| {
            [
                filing.company.clone(),
                match filing.amended {
                    true => format!("{}/A", filing.form),
                    false => filing.form.to_string(),
                },
                filing.period(),
                filing.pages.to_string(),
                source(filing).to_string(),
                filing
                    .cover_date
                    .or(filing.event_date)
                    .map(|date| date.to_string())
                    .unwrap_or_default(),
                filing.doc_name.clone(),
            ]
        }));
        let mut out = columns(&rows);
        let pages: u64 = filings.iter().map(|filing| u64::from(filing.pages)).sum();
        let _ = writeln!(
            out,
            "{}: {}, {}",
            context.library(),
            count(filings.len(), "filing"),
            count(pages as usize, "page")
        );
        print(&out)
    }
}

/// Filings that hold every word in company, form, period or name; case does not matter.
pub(super) fn picked<'a>(
    library: &'a Library,
    words: &[String],
) -> impl Iterator<Item = &'a Filing> {
    let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    library.filings().iter().filter(move |filing| {
        let text = format!("{} {}", filing.title(), filing.doc_name).to_lowercase();
        words.iter().all(|word| text.contains(word))
    })
}

fn source(filing: &Filing) -> &'static str {
    match (filing.text_from, &filing.accession) {
        (TextSource::Html | TextSource::Plain, Some(_)) => "EDGAR",
        (TextSource::Html, None) => "HTML",
        (TextSource::Pdf, _) => "PDF",
        (TextSource::Text | TextSource::Plain, _) => "text",
        (TextSource::Demo, _) => "demo",
    }
}

/// Columns two spaces apart; the fourth, numbers, to the right.
fn columns(rows: &[[String; 7]]) -> String {
    let mut widths = [0; 7];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (ix, (cell, width)) in row.iter().zip(widths).enumerate() {
            let blanks = " ".repeat(width - cell.width());
            match ix {
                3 => line.push_str(&format!("{blanks}{cell}  ")),
                _ => line.push_str(&format!("{cell}{blanks}  ")),
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn libraries(context: &Context, as_json: bool) -> Result<()> {
    let mut found = Vec::new();
    for name in context.paths.libraries() {
        let library = Library::open(&context.paths.library(&name))?;
        let (filings, pages) = size(&name, &library);
        found.push((name, filings, pages));
    }
    if as_json {
        let rows: Vec<_> = found
            .iter()
            .map(|(name, filings, pages)| json!({ "library": name, "filings": filings, "pages": pages }))
            .collect();
        return print_json(&json!({ "libraries": rows }));
    }
    for (name, filings, pages) in found {
        let mark = if name == context.library() { "*" } else { " " };
        outln!(
            "{mark} {name:20} {} {}",
            count_in(filings, "filing", 5),
            count_in(pages, "page", 7)
        );
    }
    Ok(())
}
