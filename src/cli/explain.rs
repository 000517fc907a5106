//! `tenleaf explain`.

use std::fmt::Write as _;

use anyhow::Result;

use super::eval::{self, Chosen};
use super::eval_text::rank;
use super::notes::no_such_question;
use super::switches::Switches;
use super::{Context, print, print_json_of};
use crate::eval::explain::{Explanation, PageSeen, explain};
use crate::words::count_in;

/// Show why a question's labelled page stands where it stands
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf explain --id 00517
  tenleaf explain --id 00517 --no-routing
  tenleaf explain --id 00517 --ask \"What was Foot Locker's gross margin in fiscal 2022?\"
  tenleaf explain --id 00517 --json | jq '.pages[0].rungs'")]
pub struct Args {
    /// Id of the question; FinanceBench's prefix may be left out
    #[arg(long, value_name = "ID")]
    id: String,
    /// Ask this in place of the question's own text, against the same labels
    #[arg(long, value_name = "TEXT")]
    ask: Option<String>,
    #[command(flatten)]
    chosen: Chosen,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    switches: Switches,
}

impl Args {
    /// Runs the command.
    pub fn run(self, context: &Context) -> Result<()> {
        let engine = context.engine()?;
        let set = self.chosen.load(&engine.library)?;
        let Some(question) = set.find(&self.id) else {
            let files = &self.chosen.questions;
            return Err(no_such_question(&self.id, &engine.library, files).into());
        };
        let settings = self.switches.settings(context, &engine)?;
        let rungs = eval::rungs(context, &engine).0;
        let text = self.ask.as_deref().unwrap_or(&question.text);
        let explanation = explain(&engine, question, text, &settings, &rungs);
        if self.json {
            print_json_of(context.library(), &explanation)
        } else {
            print(&text_of(&explanation))
        }
    }
}

fn text_of(e: &Explanation) -> String {
    let mut out = format!("{}\n{}\n", e.id, e.question);
    if let Some(loss) = e.loss {
        let _ = writeln!(out, "missed: {}", loss.title());
    }
    for page in &e.pages {
        let _ = writeln!(out, "\n{}: rank {}", page.cited_as, rank(page.rank));
        let strip: Vec<String> = page
            .rungs
            .iter()
            .map(|(name, r)| format!("{name} {}", rank(*r)))
            .collect();
        let _ = writeln!(out, "  {}", strip.join(" · "));
    }
    out.push_str("\nThe filter\n");
    for stage in &e.stages {
        let name = stage.stage.name();
        let _ = write!(
            out,
            "  {name:<8} {} {}  {}",
            count_in(stage.filings, "filing", 4),
            count_in(stage.pages, "page", 7),
            stage.kept
        );
        if stage.dropped > 0 {
            let more = if stage.dropped > 5 { ", ..." } else { "" };
            let names: Vec<&str> = stage
                .dropped_names
                .iter()
                .take(5)
                .map(String::as_str)
                .collect();
            let _ = write!(
                out,
                "\n           dropped {}: {}{more}",
                stage.dropped,
                names.join(", ")
            );
        }
        if !stage.keeps_right_filing {
            out.push_str("\n           the right filing is not among them");
        } else if let Some(why) = &stage.why {
            let _ = write!(out, "\n           the right filing stays: {why}");
        }
        out.push('\n');
    }
    out.push_str("\nThe scores\n");
    if let Some(first) = &e.first {
        scores(&mut out, first);
    }
    for page in e.labelled.iter().flatten().filter(|page| page.rank > 1) {
        scores(&mut out, page);
    }
    terms(&mut out, e);
    out
}

fn scores(out: &mut String, page: &PageSeen) {
    let _ = writeln!(
        out,
        "  {}: rank {}, score {:.4}",
        page.cited_as, page.rank, page.score
    );
    for reason in &page.reasons {
        let _ = writeln!(
            out,
            "    {:>+9.4} = {:>8.4} × {:>8.4}  {:<24} {}",
            reason.contribution, reason.weight, reason.value, reason.signal, reason.words
        );
    }
}

fn terms(out: &mut String, e: &Explanation) {
    out.push_str("\nThe words (BM25)\n");
    let _ = write!(
        out,
        "  {:<18} {:>6} {:>7}   {:>16}",
        "term", "df", "idf", "first page"
    );
    for page in &e.pages {
        let _ = write!(out, "   {:>16}", format!("labelled p. {}", page.page));
    }
    out.push('\n');
    let mut totals = vec![0.0; 1 + e.pages.len()];
    for term in &e.terms {
        let mark = if term.shared { "*" } else { " " };
        let _ = write!(
            out,
            " {mark}{:<18} {:>6} {:>7.3}",
            term.term, term.df, term.idf
        );
        for (ix, weight) in std::iter::once(&term.first)
            .chain(&term.labelled)
            .enumerate()
        {
            totals[ix] += weight.contribution;
            let _ = write!(
                out,
                "   {:>6} {:>9.4}",
                format!("x{}", weight.tf),
                weight.contribution
            );
        }
        out.push('\n');
    }
    let _ = write!(out, "  {:<33}", "sum");
    for total in totals {
        let _ = write!(out, "   {total:>16.4}");
    }
    out.push_str("\n  * in both the first page and a labelled one\n");
}
