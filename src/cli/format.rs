//! Answers as they are written to a file: JSON lines, CSV, Markdown, a run file.

use std::fmt::Write as _;
use std::path::Path;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::Usage;
use crate::eval::trec;
use crate::search::{Engine, Outcome, RankedPage, page_to_json, to_json};
use crate::structure::Carried;
use crate::words::csv_cell;

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One JSON object a question, as `ask --json` prints
    Jsonl,
    /// One row a page; `group` is the year or company of a question about several, empty for the main ranking
    Csv,
    /// For reading, with a section for each year or company
    Md,
    /// A run file for trec_eval and its kin: the main ranking alone
    Trec,
}

impl Format {
    /// The format asked for, else the one the name of the file ends in.
    ///
    /// # Errors
    ///
    /// If the two differ.
    pub fn of(asked: Option<Format>, out: Option<&Path>) -> Result<Format, Usage> {
        let extension = out.and_then(Path::extension).and_then(|ext| ext.to_str());
        let named = match extension.unwrap_or_default().to_ascii_lowercase().as_str() {
            "jsonl" | "ndjson" | "json" => Some(Format::Jsonl),
            "csv" => Some(Format::Csv),
            "md" | "markdown" => Some(Format::Md),
            "trec" | "run" => Some(Format::Trec),
            _ => None,
        };
        match (asked, named, out) {
            (Some(asked), Some(named), Some(out)) if asked != named => Err(Usage(format!(
                "{} is named as {}, but --format says {}: change one of them",
                out.display(),
                named.name(),
                asked.name()
            ))),
            _ => Ok(asked.or(named).unwrap_or(Format::Jsonl)),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Format::Jsonl => "jsonl",
            Format::Csv => "csv",
            Format::Md => "md",
            Format::Trec => "trec",
        }
    }
}

/// What the file begins with.
pub fn head(format: Format) -> &'static str {
    match format {
        Format::Csv => {
            "id,question,rank,doc_name,page,printed_page,score,statement,item,heading,kind,why,table_heads,snippet,group\n"
        }
        Format::Jsonl | Format::Md | Format::Trec => "",
    }
}

/// The answer to the question of a line in a format.
pub fn body(format: Format, line: usize, id: &str, engine: &Engine, outcome: &Outcome) -> String {
    let pages = |ranked: &[RankedPage]| -> Vec<Value> {
        let pages = ranked.iter();
        pages
            .map(|page| page_to_json(engine, outcome, page))
            .collect()
    };
    match format {
        Format::Jsonl => {
            let mut object = to_json(engine, outcome);
            object["id"] = json!(id);
            object["line"] = json!(line);
            format!("{object}\n")
        }
        Format::Csv => {
            let mut out = String::new();
            for (group, ranked) in outcome.rankings() {
                for page in pages(ranked) {
                    out += &csv_row(id, &outcome.question, &page, group);
                }
            }
            out
        }
        Format::Trec => {
            let mut out = String::new();
            trec::push_run_of(&mut out, id, trec::pages(&outcome.ranked), "tenleaf");
            out
        }
        Format::Md => markdown(id, outcome, pages),
    }
}

fn csv_row(id: &str, question: &str, page: &Value, group: &str) -> String {
    let cells = [
        id.to_string(),
        question.to_string(),
        plain(&page["rank"]),
        plain(&page["doc_name"]),
        plain(&page["page"]),
        plain(&page["printed_page"]),
        plain(&page["score"]),
        plain(&page["statement"]),
        plain(&page["item"]),
        plain(&page["heading"]),
        plain(&page["kind"]),
        why(page),
        heads(page),
        plain(&page["snippet"]),
        group.to_string(),
    ];
    let cells: Vec<String> = cells.iter().map(|cell| csv_cell(cell)).collect();
    cells.join(",") + "\n"
}

fn markdown(id: &str, outcome: &Outcome, pages: impl Fn(&[RankedPage]) -> Vec<Value>) -> String {
    let mut out = format!("## {id}: {}\n\n", outcome.question);
    for note in &outcome.notes {
        let _ = writeln!(out, "Note: {note}\n");
    }
    for block in outcome.blocks() {
        if !block.label.is_empty() {
            let _ = writeln!(out, "### {}\n", block.label);
        }
        if block.ranked.is_empty() {
            let _ = match &block.missing {
                Some(missing) => writeln!(out, "{missing}"),
                None => writeln!(out, "No page found."),
            };
        }
        for page in pages(block.ranked) {
            push_page(&mut out, &page);
        }
        out.push('\n');
    }
    out
}

fn push_page(out: &mut String, page: &Value) {
    let _ = writeln!(
        out,
        "{}. **{}** (score {:.3})\n   {}\n   > {}",
        plain(&page["rank"]),
        plain(&page["cited_as"]),
        page["score"].as_f64().unwrap_or_default(),
        why(page),
        plain(&page["snippet"]),
    );
    let heads = heads(page);
    if !heads.is_empty() {
        let _ = writeln!(out, "   > (table from the page before: {heads})");
    }
}

/// Title, scale and columns of a table that goes on from the page before.
fn heads(page: &Value) -> String {
    serde_json::from_value::<Carried>(page["carried"].clone())
        .map(|carried| carried.one_line())
        .unwrap_or_default()
}

/// The three strongest reasons in words.
fn why(page: &Value) -> String {
    let reasons = page["reasons"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let words: Vec<&str> = reasons
        .iter()
        .take(3)
        .filter_map(|reason| reason["words"].as_str())
        .collect();
    words.join("; ")
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_file_says_the_format_and_never_another() {
        let of = |asked, out: &str| Format::of(asked, Some(Path::new(out)));
        assert_eq!(of(None, "a.csv").ok(), Some(Format::Csv));
        assert_eq!(of(None, "a.txt").ok(), Some(Format::Jsonl));
        assert_eq!(of(Some(Format::Trec), "run.txt").ok(), Some(Format::Trec));
        assert_eq!(of(Some(Format::Md), "a.MD").ok(), Some(Format::Md));
        let refused = of(Some(Format::Md), "a.csv").unwrap_err().to_string();
        assert_eq!(
            refused,
            "a.csv is named as csv, but --format says md: change one of them"
        );
    }
}
