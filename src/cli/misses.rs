//! `tenleaf misses`.

use std::fmt::Write as _;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;

use super::eval::{self, Chosen};
use super::eval_text::{losses, rank};
use super::switches::Switches;
use super::{Context, print, print_json_of};
use crate::eval::misses::Loss;
use crate::eval::report::Answered;
use crate::library::cite_pages;
use crate::words::{one_line, printable};

/// List the missed questions, each under the stage that lost it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf misses
  tenleaf misses --split dev --stage narrative_outranked
  tenleaf misses --json | jq -r '.missed[].id'

A question is missed when no labelled page is among the first ten.
`tenleaf explain --id ID` says more about one of them.")]
pub struct Args {
    #[command(flatten)]
    chosen: Chosen,
    /// Only those this stage lost
    #[arg(long, value_name = "STAGE", value_parser = stage())]
    stage: Option<Loss>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    switches: Switches,
}

fn stage() -> impl TypedValueParser<Value = Loss> {
    PossibleValuesParser::new(Loss::ALL.map(Loss::name)).map(|chosen| {
        let same = |loss: &Loss| loss.name() == chosen;
        Loss::ALL.into_iter().find(same).expect("one of the names")
    })
}

/// A missed question with its text.
#[derive(Serialize)]
struct Missed<'a> {
    question: &'a str,
    /// Labelled pages, 1-based.
    pages: Vec<u32>,
    rank: Option<usize>,
    #[serde(flatten)]
    answered: &'a Answered,
}

impl Args {
    /// Runs the command.
    pub fn run(self, context: &Context) -> Result<()> {
        let engine = context.engine()?;
        let set = self.chosen.load(&engine.library)?;
        let settings = self.switches.settings(context, &engine)?;
        let report = eval::evaluate(context, &engine, &set, &settings, &[], None, false)?;
        let mut missed: Vec<Missed> = report
            .misses()
            .filter(|answered| self.stage.is_none() || answered.loss == self.stage)
            .map(|answered| Missed {
                question: set.find(&answered.id).map_or("", |q| &q.text),
                pages: answered.gold_pages.iter().map(|page| page + 1).collect(),
                rank: answered.rank(),
                answered,
            })
            .collect();
        missed.sort_by_key(|m| m.answered.loss);
        if self.json {
            let counts: serde_json::Map<String, serde_json::Value> = report
                .losses(None)
                .into_iter()
                .map(|(loss, count)| (loss.name().to_string(), count.into()))
                .collect();
            let report = serde_json::json!({
                "questions": report.summary.questions,
                "stages": counts,
                "missed": missed,
            });
            return print_json_of(context.library(), &report);
        }
        let mut out = losses(&report);
        let mut last = None;
        for m in &missed {
            if last != m.answered.loss {
                last = m.answered.loss;
                let _ = writeln!(out, "\n{}", last.map_or("", Loss::title));
            }
            let rank = rank(m.rank);
            let pages: Vec<String> = m.pages.iter().map(u32::to_string).collect();
            let doc_name = &m.answered.doc_name;
            let _ = writeln!(
                out,
                "  {}  {}  {}  rank {rank}\n      {}",
                m.answered.id,
                m.answered.part,
                cite_pages(engine.library.filings(), doc_name, pages.join(", ")),
                one_line(m.question)
            );
        }
        print(&printable(&out))
    }
}
