//! Answers as they are written to a file: JSON lines, CSV, Markdown, a run file.

use std::fmt::Write as _;

use clap::ValueEnum;
use serde_json::json;

use super::trec;
use crate::search::{Outcome, Pages, RankedPage, carried, to_json};
use crate::words::{count, csv_cell, one_line};

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
    /// Its name, which is the ending of its files.
    pub fn name(self) -> &'static str {
        match self {
            Format::Jsonl => "jsonl",
            Format::Csv => "csv",
            Format::Md => "md",
            Format::Trec => "trec",
        }
    }

    /// What a person calls it.
    pub fn title(self) -> &'static str {
        match self {
            Format::Jsonl => "JSONL",
            Format::Csv => "CSV",
            Format::Md => "Markdown",
            Format::Trec => "run file",
        }
    }

    /// What a file begins with.
    pub fn head(self) -> &'static str {
        match self {
            Format::Csv => {
                "id,question,rank,doc_name,page,printed_page,score,statement,item,heading,kind,why,table_heads,snippet,group\n"
            }
            Format::Jsonl | Format::Md | Format::Trec => "",
        }
    }

    /// The answer to one question, below what the file begins with.
    pub fn body(self, of: Option<OfFile>, pages: &dyn Pages, outcome: &Outcome) -> String {
        let id = of.map_or("", |of| of.id);
        match self {
            Format::Jsonl => {
                let mut object = to_json(pages, outcome);
                if let Some(of) = of {
                    object["id"] = json!(of.id);
                    object["line"] = json!(of.line);
                }
                format!("{object}\n")
            }
            Format::Csv => csv(id, pages, outcome),
            Format::Md => markdown(id, pages, outcome),
            Format::Trec => {
                let mut out = String::new();
                trec::push_run(&mut out, id, trec::pages(&outcome.ranked), "tenleaf");
                out
            }
        }
    }
}

/// Where a question stands that is one of a file's.
#[derive(Clone, Copy, Debug)]
pub struct OfFile<'a> {
    /// Its line, 1-based.
    pub line: usize,
    /// Its id.
    pub id: &'a str,
}

fn csv(id: &str, pages: &dyn Pages, outcome: &Outcome) -> String {
    let mut out = String::new();
    for (group, ranked) in outcome.rankings() {
        for page in ranked {
            let known = |text: &Option<String>| text.clone().unwrap_or_default();
            let cells = [
                id.to_string(),
                outcome.question.clone(),
                page.rank.to_string(),
                page.doc_name.clone(),
                (page.page.page + 1).to_string(),
                known(&page.about.printed_page),
                json!(page.score).to_string(),
                json!(page.about.statement)
                    .as_str()
                    .unwrap_or_default()
                    .into(),
                known(&page.about.item),
                known(&page.about.heading),
                known(&page.about.kind),
                why(page),
                table_heads(pages, page),
                pages.snippet(outcome, page).text,
                group.to_string(),
            ];
            out += &cells.map(|cell| csv_cell(&cell)).join(",");
            out.push('\n');
        }
    }
    out
}

fn markdown(id: &str, pages: &dyn Pages, outcome: &Outcome) -> String {
    let question = one_line(&outcome.question);
    let mut out = match id {
        "" => format!("## {question}\n\n"),
        id => format!("## {id}: {question}\n\n"),
    };
    let _ = writeln!(out, "{}\n", narrowing(outcome));
    for note in &outcome.notes {
        let _ = writeln!(out, "Note: {}\n", one_line(note));
    }
    for section in outcome.sections() {
        if !section.label.is_empty() {
            let _ = writeln!(out, "### {}\n", one_line(&section.label));
        }
        if section.ranked.is_empty() {
            let _ = match &section.missing {
                Some(missing) => writeln!(out, "{missing}"),
                None => writeln!(out, "No page found."),
            };
        }
        for page in section.ranked {
            push_page(&mut out, pages, outcome, page);
        }
        out.push('\n');
    }
    out
}

/// `360 filings → 5 (3M) → 1 (FY2018)`: the steps that narrowed the search.
fn narrowing(outcome: &Outcome) -> String {
    let steps = outcome.funnel.iter().filter(|stage| stage.active);
    let steps = steps.map(|stage| match one_line(&stage.kept) {
        kept if kept.is_empty() => count(stage.filings, "filing"),
        kept => format!("{} ({kept})", stage.filings),
    });
    steps.collect::<Vec<_>>().join(" → ")
}

fn push_page(out: &mut String, pages: &dyn Pages, outcome: &Outcome, page: &RankedPage) {
    let filing = &pages.filings()[page.page.filing as usize];
    let what = match page.about.place() {
        place if place.is_empty() => filing.title(),
        place => format!("{} · {}", filing.title(), one_line(&place)),
    };
    let _ = writeln!(
        out,
        "{}. **{}** (score {:.3})\n   {what}\n   {}\n   > {}",
        page.rank,
        filing.cite(page.page.page, page.about.printed_page.as_deref()),
        page.score,
        why(page),
        one_line(&pages.snippet(outcome, page).text),
    );
    let heads = table_heads(pages, page);
    if !heads.is_empty() {
        let _ = writeln!(out, "   > (table from the page before: {heads})");
    }
}

/// Title, scale and columns of a table that goes on from the page before.
fn table_heads(pages: &dyn Pages, page: &RankedPage) -> String {
    carried(pages, page.page).map_or(String::new(), |carried| carried.one_line())
}

/// The three strongest reasons in words.
fn why(page: &RankedPage) -> String {
    let reasons = page.reasons.iter().take(3);
    let words: Vec<&str> = reasons.map(|reason| reason.words.as_str()).collect();
    words.join("; ")
}
