//! `tenleaf fit`.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde_json::json;

use super::eval::command_line;
use super::{Context, Usage, check_not_read, errln, outln, print_json_of, write_file};
use crate::eval::bootstrap::{Interval, Resamples};
use crate::eval::fit::{self, FOLDS, L2, Reached, Worth};
use crate::eval::markdown::difference;
use crate::eval::{Question, QuestionSet, Split};
use crate::search::signals::{SIGNALS, Signal, Weights};
use crate::search::{Engine, Retriever, Settings};

/// Learn the weights of the signals from labelled questions
///
/// FinanceBench's test questions are never used: of a set that has a split, only dev is taken.
/// Every figure is cross-validated and under the guard on table triggers (docs/RANKING.md).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf fit
  tenleaf fit --questions tune.jsonl --write assets/weights.json
  tenleaf fit --signals bm25_corpus,passage,dense
                                       other signals, compared with the shipped ones
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

/// What a fit came to.
struct Fitted {
    weights: Weights,
    all: Reached,
    kinds: BTreeMap<String, Reached>,
    over_shipped: Option<[Interval; 2]>,
    worth: Vec<Worth>,
}

impl Args {
    /// Fits, reports, writes.
    pub fn run(self, context: &Context) -> Result<()> {
        let engine = context.engine()?;
        let questions = self.labelled(&engine)?;
        let signals = self.wanted(&engine)?;
        let fitted = self.fit(context, &engine, &questions, &signals)?;
        if let Some(path) = &self.write {
            let mut text = serde_json::to_string_pretty(&fitted.weights)?;
            text.push('\n');
            write_file(path, &text)?;
        }
        if self.json {
            let mut object = serde_json::to_value(&fitted.weights)?;
            object["missed"] = json!(fitted.all.missed);
            return print_json_of(context.library(), &object);
        }
        fitted.print()?;
        if let Some(path) = &self.write {
            outln!("written: {}", path.display());
        }
        Ok(())
    }

    /// The questions to learn from: all but those for reporting, each once.
    fn labelled(&self, engine: &Engine) -> Result<Vec<Question>> {
        let mut files = QuestionSet::files_of(&engine.library)?;
        let own = files.len();
        for file in &self.questions {
            // The library's own under another name would be a list of duplicates.
            match files[..own].iter().any(|own| same_content(own, file)) {
                true => errln!(
                    "{}: the library's own, which are taken anyway",
                    file.display()
                ),
                false => files.push(file.clone()),
            }
        }
        if let Some(out) = &self.write {
            check_not_read(out, files.iter().map(PathBuf::as_path))?;
        }
        let set = QuestionSet::load(&engine.library, &files);
        for problem in &set.problems {
            errln!("tenleaf: {problem}");
        }
        if let Some(file) = files[own..].iter().find(|file| set.count_of(file) == 0) {
            bail!("no question of {} can be used", file.display());
        }
        let mut seen = HashSet::new();
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
        Ok(questions)
    }

    /// The signals to fit.
    fn wanted(&self, engine: &Engine) -> Result<Vec<Signal>> {
        if self.all_signals {
            return Ok(SIGNALS.to_vec());
        }
        match self.signals.is_empty() {
            true => Ok(shipped(engine)),
            false => fit::by_name(&self.signals),
        }
    }

    fn fit(
        &self,
        context: &Context,
        engine: &Engine,
        questions: &[Question],
        signals: &[Signal],
    ) -> Result<Fitted> {
        let settings = self.settings(engine, signals)?;
        let cases = fit::cases(engine, questions, &settings, !self.no_guard);
        let (all, kinds) = fit::cross_validate(&cases, signals);
        let over_shipped = self.over_shipped(context, engine, questions, signals, &all);
        let values = fit::fit(cases.iter(), signals);
        let worth = match self.worth {
            true => fit::worth(&cases, signals, &values),
            false => Vec::new(),
        };
        let mut weights = fit::rounded(&values, &engine.weights);
        weights.fitted = json!({
            "questions": cases.len(),
            "guard": !self.no_guard,
            "folds": FOLDS,
            "l2": L2,
            "cross_validated": { "all": all, "by_type": kinds },
            "worth": worth,
            "command": command_line(),
        });
        Ok(Fitted {
            weights,
            all,
            kinds,
            over_shipped,
            worth,
        })
    }

    /// How candidates are found: with similarity in meaning where that is one of the signals.
    fn settings(&self, engine: &Engine, signals: &[Signal]) -> Result<Settings> {
        let mut settings = Settings::default();
        if signals.contains(&Signal::Dense) {
            let meaning = engine.meaning.as_ref();
            match meaning.map(|meaning| meaning.ready()) {
                Some(Ok(())) => settings.retriever = Retriever::Hybrid,
                // Of every signal there is, one that cannot be had has no values.
                _ if self.all_signals => {}
                Some(Err(error)) => {
                    return Err(Usage(format!("no signal \"dense\": {error}")).into());
                }
                None => return Err(Usage("no signal \"dense\" here".into()).into()),
            }
        }
        Ok(settings)
    }

    /// What other signals gain over the shipped ones, both cross-validated: in Hit@10 and MRR@10.
    fn over_shipped(
        &self,
        context: &Context,
        engine: &Engine,
        questions: &[Question],
        signals: &[Signal],
        reached: &Reached,
    ) -> Option<[Interval; 2]> {
        let shipped = shipped(engine);
        if signals == shipped {
            return None;
        }
        let cases = fit::cases(engine, questions, &Settings::default(), !self.no_guard);
        let (before, _) = fit::cross_validate(&cases, &shipped);
        let eval = &context.config.eval;
        let resamples = Resamples::draw(questions.len(), eval.resamples, eval.seed);
        Some(reached.over(&before, &resamples))
    }
}

impl Fitted {
    /// The table for a person.
    fn print(&self) -> Result<()> {
        outln!(
            "{:<26} {:>6} {:>6}  (cross-validated)",
            "",
            "hit@10",
            "mrr@10"
        );
        outln!(
            "{:<26} {:>6.3} {:>6.3}  {} questions",
            "all",
            self.all.hit_10,
            self.all.mrr_10,
            self.all.questions
        );
        for (kind, r) in &self.kinds {
            outln!(
                "  {kind:<24} {:>6.3} {:>6.3}  {}",
                r.hit_10,
                r.mrr_10,
                r.questions
            );
        }
        if let Some([hit, mrr]) = &self.over_shipped {
            outln!(
                "against the shipped signals: Hit@10 {}, MRR@10 {}",
                difference(hit, self.all.questions),
                difference(mrr, self.all.questions)
            );
        }
        outln!("");
        for (name, weight) in &self.weights.weights {
            let without = match self.worth.iter().find(|w| w.signal == *name) {
                Some(w) => format!(
                    "   without it {:.3} ({:+.3})  {:.3} ({:+.3})",
                    w.without.hit_10,
                    w.without.hit_10 - self.all.hit_10,
                    w.without.mrr_10,
                    w.without.mrr_10 - self.all.mrr_10
                ),
                None => String::new(),
            };
            outln!("{name:<26} {weight:>9.5}{without}");
        }
        outln!("\nmissed: {}", self.all.missed.join(" "));
        Ok(())
    }
}

/// Whether two files that can be read hold the same.
fn same_content(one: &Path, other: &Path) -> bool {
    matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
}

/// The signals that have a weight.
fn shipped(engine: &Engine) -> Vec<Signal> {
    let known = SIGNALS.iter().copied();
    known
        .filter(|signal| engine.weights.weights.contains_key(signal.name()))
        .collect()
}
