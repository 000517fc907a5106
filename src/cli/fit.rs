//! `tenleaf fit`.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use super::{Context, print_json};
use crate::eval::fit::{self, FOLDS, L2};
use crate::eval::{Question, QuestionSet, Split};
use crate::library::store::write_atomic;
use crate::search::signals::{SIGNALS, Signal};

/// Learn the weights of the signals from labelled questions
///
/// FinanceBench's test questions are never used: of a set that has a split, only dev is taken.
/// Every figure is cross-validated and under the guard on table triggers (docs/RANKING.md).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf fit
  tenleaf fit --questions tune.jsonl --write assets/weights.json
  tenleaf fit --worth                  what each signal is worth: leave one out")]
pub struct Args {
    /// Labelled questions, more of them; the library's own are always taken
    #[arg(long, value_name = "FILE")]
    questions: Vec<PathBuf>,
    /// Signals to fit [default: those of the shipped weights]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    signals: Vec<String>,
    /// Fit every signal there is
    #[arg(long, conflicts_with = "signals")]
    all_signals: bool,
    /// Write the weights to this file
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Leave each signal out in turn and show what is lost
    #[arg(long)]
    worth: bool,
    /// Let table triggers count that fire on a single question
    #[arg(long)]
    no_guard: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Fits, reports, writes.
    pub fn run(self, context: &Context) -> Result<()> {
        let engine = context.engine()?;
        let mut files = QuestionSet::files_of(&engine.library);
        files.extend(self.questions.iter().cloned());
        let set = QuestionSet::load(&engine.library, &files);
        for problem in &set.problems {
            eprintln!("tenleaf: {problem}");
        }
        let mut seen = std::collections::HashSet::new();
        let questions: Vec<Question> = set
            .questions
            .into_iter()
            .filter(|q| q.split != Some(Split::Test) && seen.insert(q.id.clone()))
            .collect();
        if questions.len() < 2 * FOLDS {
            bail!(
                "{} labelled questions are too few to fit {FOLDS} folds; name more with --questions",
                questions.len()
            );
        }
        let signals: Vec<Signal> = if self.all_signals {
            SIGNALS.to_vec()
        } else if self.signals.is_empty() {
            let known = SIGNALS.iter().copied();
            known
                .filter(|s| engine.weights.weights.contains_key(s.name()))
                .collect()
        } else {
            fit::by_name(&self.signals)?
        };
        let cases = fit::cases(&engine, &questions, !self.no_guard);
        let (all, kinds) = fit::cross_validate(&cases, &signals);
        let values = fit::fit(cases.iter(), &signals);
        let worth = match self.worth {
            true => fit::worth(&cases, &signals, &values),
            false => Vec::new(),
        };
        let mut weights = fit::rounded(&values);
        // Not a signal of the model: how far the best page of each needed statement is lifted.
        if let Some(lift) = engine.weights.weights.get("needed_statement") {
            weights.weights.insert("needed_statement".into(), *lift);
        }
        weights.fitted = json!({
            "questions": cases.len(),
            "guard": !self.no_guard,
            "folds": FOLDS,
            "l2": L2,
            "cross_validated": { "all": all, "by_type": kinds },
            "worth": worth,
            "command": "tenleaf fit --worth --questions tune.jsonl --write assets/weights.json",
        });
        if let Some(path) = &self.write {
            let mut text = serde_json::to_string_pretty(&weights)?;
            text.push('\n');
            write_atomic(path, text.as_bytes())
                .with_context(|| format!("writing {}", path.display()))?;
        }
        if self.json {
            let mut object = serde_json::to_value(&weights)?;
            object["missed"] = json!(all.missed);
            return print_json(&object);
        }
        println!(
            "{:<26} {:>6} {:>6}  (cross-validated)",
            "", "hit@10", "mrr@10"
        );
        println!(
            "{:<26} {:>6.3} {:>6.3}  {} questions",
            "all", all.hit_10, all.mrr_10, all.questions
        );
        for (kind, r) in &kinds {
            println!(
                "  {kind:<24} {:>6.3} {:>6.3}  {}",
                r.hit_10, r.mrr_10, r.questions
            );
        }
        println!();
        for (name, weight) in &weights.weights {
            print!("{name:<26} {weight:>9.5}");
            match worth.iter().find(|w| w.signal == *name) {
                Some(w) => println!(
                    "   without it {:.3} ({:+.3})  {:.3} ({:+.3})",
                    w.without.hit_10,
                    w.without.hit_10 - all.hit_10,
                    w.without.mrr_10,
                    w.without.mrr_10 - all.mrr_10
                ),
                None => println!(),
            }
        }
        println!("\nmissed: {}", all.missed.join(" "));
        if let Some(path) = &self.write {
            println!("written: {}", path.display());
        }
        Ok(())
    }
}
