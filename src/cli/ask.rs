//! `tenleaf ask`.

use std::io::{self, Read};
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use super::bulk;
use super::format::Format;
use super::switches::Switches;
use super::{Context, Usage, print, print_json};
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
    /// How the answers to --questions are written
    #[arg(long, value_enum, default_value = "jsonl", requires = "questions")]
    format: Format,
    /// Write the answers to --questions here; stopped, the same command goes on
    #[arg(long, value_name = "FILE", requires = "questions")]
    out: Option<PathBuf>,
    /// Print one JSON object a question
    #[arg(long)]
    json: bool,
    /// Show what every signal adds to a page's score
    #[arg(long, conflicts_with = "json")]
    why: bool,
    #[command(flatten)]
    switches: Switches,
}

impl Args {
    /// Searches and prints.
    pub fn run(self, context: &Context) -> Result<()> {
        let engine = context.engine()?;
        let settings = self.switches.settings(context, &engine)?;
        if let Some(file) = &self.questions {
            return bulk::run(&engine, &settings, file, self.format, self.out.as_deref());
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
            true => print_json(&to_json(&engine, &outcome))?,
            false => self.print(&engine, &outcome)?,
        }
        // The answer says what it lacks; a script is told too.
        engine.check_index()
    }

    fn print(&self, engine: &Engine, outcome: &Outcome) -> Result<()> {
        print(&self.text(engine, outcome))
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
        if outcome.ranked.is_empty() {
            out += "no page found\n";
        }
        for page in &outcome.ranked {
            let filing = engine.library.filing(page.page.filing);
            out += &format!(
                "{:>3}. {}  {}{}  {:.3}\n",
                page.rank,
                page.doc_name,
                filing.page_words(page.page.page, page.printed_page.as_deref()),
                what(page),
                page.score
            );
            out += &format!("     {}\n", filing.title());
            let shown = if self.why { page.reasons.len() } else { 3 };
            if self.why {
                for reason in page.reasons.iter().take(shown) {
                    out += &format!(
                        "     {:>+8.3} = {:>7.3} × {:>7.3}  {:<24} {}\n",
                        reason.contribution,
                        reason.weight,
                        reason.value,
                        reason.signal,
                        reason.words
                    );
                }
            } else {
                let words: Vec<&str> = page
                    .reasons
                    .iter()
                    .take(shown)
                    .map(|r| r.words.as_str())
                    .collect();
                out += &format!("     why: {}\n", words.join(" · "));
            }
            out += &format!("     {}\n", snippet(engine, outcome, page).text);
        }
        for group in &outcome.groups {
            out += &format!("\n{}", group.label);
            if let Some(missing) = &group.missing {
                out += &format!("  {missing}");
            }
            out.push('\n');
            for page in group.ranked.iter().take(GROUP_PAGES) {
                let filing = engine.library.filing(page.page.filing);
                out += &format!(
                    "{:>3}. {}  {}{}  {:.3}\n     {}\n",
                    page.rank,
                    page.doc_name,
                    filing.page_words(page.page.page, page.printed_page.as_deref()),
                    what(page),
                    page.score,
                    snippet(engine, outcome, page).text
                );
            }
        }
        out += &format!("\n{:.1} ms\n", outcome.micros as f64 / 1000.0);
        out
    }
}

/// Pages shown of each year or company.
const GROUP_PAGES: usize = 3;
/// Filings named of those left.
const FILINGS: usize = 5;

fn what(page: &RankedPage) -> String {
    match page.place() {
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
            format!("{:?}", stage.stage).to_lowercase(),
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
