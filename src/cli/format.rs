//! Answers as they are written to a file: JSON lines, CSV, Markdown, a run file.

use std::fmt::Write as _;

use clap::ValueEnum;
use serde_json::Value;

use crate::eval::trec;
use crate::structure::Carried;

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One JSON object a question, as `ask --json` prints
    Jsonl,
    /// One row a page
    Csv,
    /// For reading
    Md,
    /// A run file for trec_eval and its kin
    Trec,
}

/// What the file begins with.
pub fn head(format: Format) -> &'static str {
    match format {
        Format::Csv => {
            "id,question,rank,doc_name,page,printed_page,score,statement,item,heading,kind,why,table_heads,snippet\n"
        }
        Format::Jsonl | Format::Md | Format::Trec => "",
    }
}

/// An answer (`ask --json`'s object) in a format.
pub fn body(format: Format, id: &str, object: &Value) -> String {
    let ranked = object["ranked"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    match format {
        Format::Jsonl => format!("{object}\n"),
        Format::Csv => ranked
            .iter()
            .map(|page| csv_row(id, &object["question"], page))
            .collect(),
        Format::Trec => trec_rows(id, ranked),
        Format::Md => markdown(id, &object["question"], ranked),
    }
}

fn csv_row(id: &str, question: &Value, page: &Value) -> String {
    let cells = [
        id.to_string(),
        plain(question),
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
    ];
    let cells: Vec<String> = cells.iter().map(|cell| csv(cell)).collect();
    cells.join(",") + "\n"
}

/// A cell, quoted where it must be, and never a formula.
fn csv(cell: &str) -> String {
    let number = cell.parse::<f64>().is_ok();
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && !number;
    let cell = if formula {
        format!("'{cell}")
    } else {
        cell.to_string()
    };
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
}

/// An id as a run file has it: its fields have no blanks.
pub fn topic(id: &str) -> String {
    id.split_whitespace().collect::<Vec<_>>().join("_")
}

fn trec_rows(id: &str, ranked: &[Value]) -> String {
    let id = topic(id);
    let pages = ranked.iter().map(|page| {
        let number = page["page"].as_u64().unwrap_or(1).max(1) as u32 - 1;
        (
            page["doc_name"].as_str().unwrap_or_default(),
            number,
            page["score"].as_f64().unwrap_or_default(),
        )
    });
    let mut out = String::new();
    trec::push_run_of(&mut out, &id, pages, "tenleaf");
    out
}

fn markdown(id: &str, question: &Value, ranked: &[Value]) -> String {
    let mut out = format!("## {id}: {}\n\n", plain(question));
    if ranked.is_empty() {
        out.push_str("No page found.\n");
    }
    for page in ranked {
        let _ = writeln!(
            out,
            "{}. **{}** {} (score {:.3})\n   {}\n   > {}",
            plain(&page["rank"]),
            plain(&page["doc_name"]),
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
    out.push('\n');
    out
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
