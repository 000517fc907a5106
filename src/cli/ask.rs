//! `tenleaf ask`.

use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use unicode_width::UnicodeWidthStr;

use super::bulk;
use super::switches::Switches;
use super::{Context, Usage, print, print_json_of};
use crate::eval::export::Format;
use crate::library::output;
use crate::search::{Engine, Outcome, RankedPage, search, snippet, to_json};
use crate::words::count_in;

/// Ask one question, or a file of them: the filings narrowed and the pages ranked
///
/// First come the steps of the narrowing, each with the filings and pages it leaves; › marks those that
/// narrowed the search. Then the pages, best first: name of the filing, page of the file a viewer jumps to,
/// number printed on the paper, what the page is, score.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf ask \"What was 3M's capital expenditure in FY2018?\"
  tenleaf ask --json \"AMD quick ratio FY22\" | jq '.ranked[0]'
  echo \"Nike inventory turnover 2021\" | tenleaf ask -
  tenleaf ask --why --no-routing \"Coca-Cola net income 2021\"
  tenleaf ask --questions mine.jsonl --format csv --out answers.csv
  tenleaf ask --questions mine.jsonl --format trec > run.txt")]
pub struct Args {
    /// The question; - reads it from standard input
    #[arg(
        value_name = "QUESTION",
        required_unless_present = "questions",
        conflicts_with = "questions"
    )]
    question: Vec<String>,
    /// Answer every question of a file (- is standard input): one a line, or JSON objects with "question" and "id"
    #[arg(long, value_name = "FILE", conflicts_with = "why")]
    questions: Option<PathBuf>,
    /// How the answers to --questions are written [default: as the name of --out ends; jsonl without an ending]
    #[arg(long, value_enum, requires = "questions")]
    format: Option<Format>,
    /// Write the answers to --questions here; stopped, the same command goes on
    #[arg(long, value_name = "FILE", requires = "questions")]
    out: Option<PathBuf>,
    /// Print one JSON object a question
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Show what every signal adds to a page's score
    #[arg(long, conflicts_with = "json")]
    why: bool,
    #[command(flatten)]
    switches: Switches,
}

/// The format asked for, else the one the name of the file ends in.
///
/// # Errors
///
/// If the two differ, or nothing is asked for and no format has this ending.
fn format_of(asked: Option<Format>, out: Option<&Path>) -> Result<Format, Usage> {
    let extension = out.and_then(Path::extension).unwrap_or_default();
    let named = match extension.to_string_lossy().to_ascii_lowercase().as_str() {
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
        // A device's name says nothing.
        (None, None, Some(out)) if !extension.is_empty() && !output::is_stream(out) => {
            Err(Usage(format!(
                "{}: no answers are written as .{}: name it .jsonl, .csv, .md or .trec, or say which with --format",
                out.display(),
                extension.display()
            )))
        }
        _ => Ok(asked.or(named).unwrap_or(Format::Jsonl)),
    }
}

impl Args {
    /// Searches and prints.
    pub fn run(self, context: &Context) -> Result<()> {
        let asked = self.format.or(self.json.then_some(Format::Jsonl));
        let format = format_of(asked, self.out.as_deref())?;
        let engine = context.engine()?;
        let settings = self.switches.settings(context, &engine)?;
        if let Some(file) = &self.questions {
            return bulk::run(&engine, &settings, file, format, self.out.as_deref());
        }
        let mut question = self.question.join(" ");
        if question == "-" {
            question.clear();
            io::stdin()
                .read_to_string(&mut question)
                .context("reading the question")?;
        }
        let question = question.trim();
        if question.is_empty() {
            return Err(Usage("the question is empty".into()).into());
        }
        let outcome = search(&engine, question, &settings);
        match self.json {
            true => print_json_of(context.library(), &to_json(&engine, &outcome))?,
            false => self.print(&engine, &outcome)?,
        }
        // The answer says what it lacks; a script is told too.
        engine.check_index()
    }

    fn print(&self, engine: &Engine, outcome: &Outcome) -> Result<()> {
        let text = self.text(engine, outcome);
        match io::stdout().is_terminal().then(crossterm::terminal::size) {
            Some(Ok((columns, _))) if columns > 0 => print(&wrapped(&text, columns.into())),
            _ => print(&text),
        }
    }

    /// The answer for a person: funnel, then pages.
    fn text(&self, engine: &Engine, outcome: &Outcome) -> String {
        // Control characters would act on the terminal.
        let question = outcome.question.replace(|c: char| c.is_control(), " ");
        let mut out = format!("{question}\n\n");
        out += &funnel(outcome);
        for note in &outcome.notes {
            out += &format!("  note: {note}\n");
        }
        out.push('\n');
        let several = !outcome.groups.is_empty();
        let mut left = false;
        for (ix, section) in outcome.sections().into_iter().enumerate() {
            if ix > 0 {
                out.push('\n');
            }
            if !section.label.is_empty() {
                out += section.label.as_str();
                if let Some(missing) = &section.missing {
                    out += &format!("  {missing}");
                }
                out.push('\n');
            } else if section.ranked.is_empty() {
                out += "no page found\n";
            }
            let most = match section.label.is_empty() {
                true => section.ranked.len(),
                false => GROUP_PAGES,
            };
            left |= section.ranked.len() > most;
            for page in section.ranked.iter().take(most) {
                out += &self.page(engine, outcome, page);
            }
        }
        if several && left {
            out += &format!("\n({GROUP_PAGES} pages of each; --json gives all)\n");
        }
        out += &format!("\n{:.1} ms\n", outcome.micros as f64 / 1000.0);
        out
    }

    /// A page: where it is, why it is here, and the passage.
    fn page(&self, engine: &Engine, outcome: &Outcome, page: &RankedPage) -> String {
        let filing = engine.library.filing(page.page.filing);
        let mut out = format!(
            "{:>3}. {}{}  {:.3}\n     {}\n",
            page.rank,
            filing.cite(page.page.page, page.about.printed_page.as_deref()),
            what(page),
            page.score,
            filing.title_and_end()
        );
        if self.why {
            for reason in &page.reasons {
                out += &format!(
                    "     {:>+8.3} = {:>7.3} × {:>7.3}  {:<24} {}\n",
                    reason.contribution, reason.weight, reason.value, reason.signal, reason.words
                );
            }
        } else {
            let strongest = page.reasons.iter().take(3);
            let words: Vec<&str> = strongest.map(|r| r.words.as_str()).collect();
            if !words.is_empty() {
                out += &format!("     why: {}\n", words.join(" · "));
            }
        }
        out += &format!("     {}\n", snippet(engine, outcome, page).text);
        out
    }
}

/// Lines no wider than the terminal: the rest of a long one goes on below, set in as it is.
fn wrapped(text: &str, columns: usize) -> String {
    const SET_IN: usize = 5;
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let blank = line.len() - line.trim_start().len();
        let indent = " ".repeat(blank.clamp(SET_IN, SET_IN.max(columns / 4)));
        let mut used = 0;
        for (ix, word) in line.split(' ').enumerate() {
            let width = word.width();
            if used > indent.len() && !word.is_empty() && used + 1 + width > columns {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
                out += &indent;
                used = indent.len();
            } else if ix > 0 {
                out.push(' ');
                used += 1;
            }
            out += word;
            used += width;
        }
        out.push('\n');
    }
    out
}

/// Pages shown of each year or company.
const GROUP_PAGES: usize = 3;
/// Filings named of those left.
const FILINGS: usize = 5;

fn what(page: &RankedPage) -> String {
    match page.about.place() {
        place if place.is_empty() => place,
        place => format!("  {place}"),
    }
}

/// The steps of the narrowing, and the filings they leave.
fn funnel(outcome: &Outcome) -> String {
    let mut out = String::new();
    for stage in &outcome.funnel {
        let mark = if stage.active { "›" } else { " " };
        out += &format!(
            "{mark} {:<8} {} {}  {}\n",
            stage.stage.name(),
            count_in(stage.filings, "filing", 4),
            count_in(stage.pages, "page", 7),
            stage.kept
        );
    }
    out += "  (› marks the steps that narrowed the search)\n";
    let all = outcome.funnel.first().map_or(0, |stage| stage.filings);
    let left = (outcome.funnel.iter().rev()).find(|stage| !stage.reasons.is_empty());
    // Where every filing is left, their names tell nothing.
    if let Some(left) = left.filter(|stage| stage.filings < all || stage.filings == 1) {
        for filing in left.reasons.iter().take(FILINGS) {
            out += &match filing.why.as_str() {
                "" => format!("           {}\n", filing.doc_name),
                why => format!("           {}: {why}\n", filing.doc_name),
            };
        }
        if left.filings > FILINGS {
            out += &format!("           and {} more\n", left.filings - FILINGS);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_file_says_the_format_and_never_another() {
        let of = |asked, out: &str| format_of(asked, Some(Path::new(out)));
        assert_eq!(of(None, "a.csv").ok(), Some(Format::Csv));
        assert_eq!(of(None, "answers").ok(), Some(Format::Jsonl));
        assert_eq!(of(None, "/dev/stdout").ok(), Some(Format::Jsonl));
        let unknown = of(None, "a.pdf").unwrap_err().to_string();
        assert!(unknown.starts_with("a.pdf: no answers are written as .pdf: name it .jsonl"));
        assert_eq!(of(Some(Format::Trec), "run.txt").ok(), Some(Format::Trec));
        assert_eq!(of(Some(Format::Md), "a.MD").ok(), Some(Format::Md));
        let refused = of(Some(Format::Md), "a.csv").unwrap_err().to_string();
        assert_eq!(
            refused,
            "a.csv is named as csv, but --format says md: change one of them"
        );
    }

    #[test]
    fn a_long_line_goes_on_below_at_its_own_indent() {
        let text = "     why: net sales of the year asked · income statement\n  1. short\n";
        assert_eq!(
            wrapped(text, 40),
            "     why: net sales of the year asked ·\n     income statement\n  1. short\n"
        );
        assert_eq!(wrapped(text, 200), text);
        let long = "a".repeat(50);
        assert_eq!(wrapped(&long, 20), format!("{long}\n"));
    }
}
