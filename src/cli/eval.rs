//! `tenleaf eval`, and what the other commands over labelled questions share with it.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::eval_text::{rank, table};
use super::switches::Switches;
use super::{
    Context, Exit, Usage, check_not_read, errln, print, print_json, print_json_of, progress,
    write_file,
};
use crate::eval::compare::Comparison;
use crate::eval::gate::{Gate, Verdict};
use crate::eval::ladder::{self, Options, Run};
use crate::eval::markdown::{self, STAR, STAR_MEANS, difference, share, won_and_lost};
use crate::eval::report::{About, Report, corpus_hash};
use crate::eval::rungs::Rung;
use crate::eval::{Fault, Problem, Question, QuestionSet, Split, trec};
use crate::library::Library;
use crate::library::store::folder_of;
use crate::search::{Engine, Retriever, Settings};
use crate::words::{count, now, printable};

/// How many unusable lines are named on the terminal; a report names all.
const NAMED_PROBLEMS: usize = 20;

/// Measure how often the labelled pages are found, and what each step is worth
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf eval                                        the library's own questions, as a table
  tenleaf eval --split dev --json | jq '.\"hit@10\"'
  tenleaf eval --questions mine.jsonl --no-routing    your own questions, one switch off
  tenleaf eval --write docs/RESULTS.md                tables, and docs/RESULTS.json beside them
  tenleaf eval --compare before.json after.json       what changed between two reports
  tenleaf eval --run run.txt --qrels qrels.txt -k 100 files for trec_eval and its kin
  tenleaf eval --gate docs/gate.json                  fail when dev lost more than one question

A question file has one JSON object a line: FinanceBench's own form, or
  {\"id\": \"q1\", \"question\": \"...\", \"doc_name\": \"3M_2018_10K\", \"gold_pages\": [59], \"type\": \"...\"}
with 0-based PDF pages. Lines that cannot be used are named, the rest runs.")]
pub struct Args {
    #[command(flatten)]
    chosen: Chosen,
    /// Print the whole report as one JSON object
    #[arg(long)]
    json: bool,
    /// Write the report as Markdown to FILE, and as JSON beside it
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "docs/RESULTS.md")]
    write: Option<PathBuf>,
    /// Write the ranking as a TREC run
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
    /// Write the labels as TREC qrels
    #[arg(long, value_name = "FILE")]
    qrels: Option<PathBuf>,
    /// Say what changed between two JSON reports; nothing is run
    #[arg(
        long,
        value_names = ["BEFORE", "AFTER"],
        num_args = 2,
        conflicts_with_all = [
            "write", "run", "qrels", "gate", "record_gate", "jobs", "no_timing", "Chosen", "Switches"
        ]
    )]
    compare: Option<Vec<PathBuf>>,
    /// Fail when Hit@10 on dev fell by more than one question below what FILE records; the ladder is not run
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "docs/gate.json",
        conflicts_with = "write"
    )]
    gate: Option<PathBuf>,
    /// Record the dev questions found now in FILE, for --gate
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "docs/gate.json")]
    record_gate: Option<PathBuf>,
    /// Threads; 0 takes every core. The result is the same whatever the number
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Leave out the pass that measures the time of each call
    #[arg(long)]
    no_timing: bool,
    #[command(flatten)]
    switches: Switches,
}

/// Which labelled questions a command works on.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Chosen {
    /// Question file; may be given more than once [default: every file in the library's questions/]
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub questions: Vec<PathBuf>,
    /// Only the questions of this split
    #[arg(long, value_name = "SPLIT", value_parser = split())]
    pub split: Option<Split>,
}

fn split() -> impl TypedValueParser<Value = Split> {
    PossibleValuesParser::new(["dev", "test"]).map(|name| match name.as_str() {
        "dev" => Split::Dev,
        _ => Split::Test,
    })
}

impl Chosen {
    /// No file and no split named: every question of the library.
    fn is_everything(&self) -> bool {
        self.questions.is_empty() && self.split.is_none()
    }

    /// Loads them, names on stderr what cannot be used, and fails when nothing is left.
    pub fn load(&self, library: &Library) -> Result<QuestionSet> {
        let mut set = QuestionSet::load(library, &self.questions);
        let mut text = String::new();
        for problem in set.problems.iter().take(NAMED_PROBLEMS) {
            let _ = writeln!(text, "tenleaf: {problem}");
        }
        if let Some(more) = set.problems.len().checked_sub(NAMED_PROBLEMS + 1) {
            let _ = writeln!(text, "tenleaf: ... and {} more like these", more + 1);
        }
        let _ = io::stderr().write_all(printable(&text).as_bytes());
        let unread = |problem: &&Problem| {
            matches!(problem.what, Fault::Unreadable(_)) && self.questions.contains(&problem.file)
        };
        if let Some(problem) = set.problems.iter().find(unread) {
            bail!("{problem}");
        }
        let usable = set.questions.len();
        if let Some(split) = self.split {
            set.keep_split(split);
        }
        if set.questions.is_empty() {
            match self.split {
                Some(split) if usable > 0 => bail!(
                    "none of the {usable} questions is in {split}: FinanceBench's have a split by their id, others by a \"split\" field"
                ),
                _ if self.questions.is_empty() && set.problems.is_empty() => bail!(
                    "the library in {} has no questions: put a file in its questions/ folder or name one with --questions",
                    library.root().display()
                ),
                _ => bail!(
                    "no question can be used with the library in {}",
                    library.root().display()
                ),
            }
        }
        Ok(set)
    }
}

/// The ladder of config.toml, as far as this library can climb it, and what ranking by meaning works with or
/// which rungs it leaves out, and why.
pub(super) fn rungs(context: &Context, engine: &Engine) -> (Vec<Rung>, String) {
    let ladder = context.config.eval.ladder();
    let (by_words, by_meaning): (Vec<Rung>, Vec<Rung>) = ladder
        .iter()
        .cloned()
        .partition(|rung| rung.settings.retriever == Retriever::Bm25);
    let Some(meaning) = engine.meaning.as_ref().filter(|_| !by_meaning.is_empty()) else {
        return (by_words, String::new());
    };
    match ladder::measurable(engine).and_then(|()| meaning.describe()) {
        Ok(words) => (ladder, words),
        Err(error) => {
            let names: Vec<&str> = by_meaning.iter().map(|rung| rung.name.as_str()).collect();
            let words = format!("not measured ({}): {error}", names.join("; "));
            (by_words, words)
        }
    }
}

/// Runs the questions under the settings and every rung, with progress on stderr.
pub(super) fn evaluate(
    context: &Context,
    engine: &Engine,
    set: &QuestionSet,
    settings: &Settings,
    rungs: &[Rung],
    jobs: Option<usize>,
    timing: bool,
) -> Result<Report> {
    let bar = progress("evaluating searches");
    let tell = |done: usize, total: usize| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    };
    // The settings given are most often a rung of the ladder: then they need no run of their own.
    let same = |rung: &Rung| {
        Settings {
            k: settings.k,
            ..rung.settings.clone()
        } == *settings
    };
    let given_at = rungs.iter().position(same);
    let mut all = rungs.to_vec();
    if given_at.is_none() {
        all.push(Rung {
            name: "given".into(),
            settings: settings.clone(),
            alone: true,
            over: None,
        });
    }
    let asked = jobs.unwrap_or(context.config.eval.jobs);
    let jobs = useful_jobs(asked, set.questions.len());
    if jobs < asked {
        errln!("tenleaf: {jobs} threads, not {asked}: more would not make it faster");
    }
    let options = Options {
        jobs,
        timing,
        progress: &tell,
    };
    let runs = ladder::run(engine, &set.questions, &all, options)?;
    engine.check_index()?;
    bar.finish_and_clear();
    let given = Run {
        rung: Rung {
            settings: settings.clone(),
            ..runs[given_at.unwrap_or(rungs.len())].rung.clone()
        },
        ..runs[given_at.unwrap_or(rungs.len())].clone()
    };
    let about = about(context, &engine.library);
    Ok(Report::new(
        about,
        &engine.library,
        set,
        &given,
        &runs[..rungs.len()],
    ))
}

/// Threads worth starting: no more than questions, or than four a core.
fn useful_jobs(asked: usize, questions: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    asked.min(questions.max(1)).min(4 * cores)
}

fn about(context: &Context, library: &Library) -> About {
    About {
        command: command_line(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        commit: commit().unwrap_or_default(),
        date: now(),
        filings: library.filings().len(),
        pages: library.page_count(),
        corpus_sha256: corpus_hash(library),
        resamples: context.config.eval.resamples,
        seed: context.config.eval.seed,
        meaning: String::new(),
    }
}

/// The command that runs, as it was typed.
pub(super) fn command_line() -> String {
    let args: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    format!("tenleaf {}", args.join(" "))
}

/// Commit of the working directory, with `+` when tracked files have changed; nothing where that is not the folder
/// this program was built in, but some other repository.
fn commit() -> Option<String> {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).output().ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    if Path::new(&git(&["rev-parse", "--show-toplevel"])?) != Path::new(env!("CARGO_MANIFEST_DIR"))
    {
        return None;
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(format!(
        "{commit}{}",
        if changed.is_empty() { "" } else { "+" }
    ))
}

impl Args {
    /// Runs the command.
    pub fn run(self, context: &Context) -> Result<()> {
        if let Some(files) = &self.compare {
            return compare(&files[0], &files[1], self.json);
        }
        for file in [&self.write, &self.run, &self.qrels, &self.record_gate]
            .into_iter()
            .flatten()
        {
            check_folder(file)?;
        }
        let written = [&self.write, &self.run, &self.qrels, &self.record_gate];
        let beside = self.write.as_deref().map(json_beside);
        if let (Some(page), Some(json)) = (&self.write, &beside)
            && page == json
        {
            return Err(Usage(format!(
                "{} would hold the report as JSON, which is written beside the page: name the page, say {}",
                json.display(),
                page.with_extension("md").display()
            ))
            .into());
        }
        for file in written.into_iter().flatten().chain(&beside) {
            check_not_read(file, self.chosen.questions.iter().map(PathBuf::as_path))?;
        }
        let gate = self.gate.as_deref().map(Gate::read).transpose()?;
        let engine = context.engine()?;
        let set = self.chosen.load(&engine.library)?;
        let dev = |question: &Question| question.split == Some(Split::Dev);
        if self.record_gate.is_some() && !set.questions.iter().any(dev) {
            return Err(Usage(
                "no question is in dev: a gate of none would say nothing; a \"split\" field puts questions there"
                    .into(),
            )
            .into());
        }
        let settings = self.switches.settings(context, &engine)?;
        let (rungs, meaning) = match gate {
            Some(_) => (Vec::new(), String::new()),
            None => rungs(context, &engine),
        };
        let timing = !self.no_timing && gate.is_none();
        let mut report = evaluate(context, &engine, &set, &settings, &rungs, self.jobs, timing)?;
        report.about.meaning = meaning;

        if gate.is_none() && self.chosen.is_everything() {
            keep(&report, engine.library.root());
        }
        if let Some(file) = &self.run {
            write_file(file, &trec_run(&engine, &set, &settings))?;
        }
        if let Some(file) = &self.qrels {
            write_file(file, &trec::qrels(&set.questions))?;
        }
        if let Some(file) = &self.write {
            write_file(file, &markdown::results(&report))?;
            let mut json = serde_json::to_string_pretty(&report)?;
            json.push('\n');
            if let Some(file) = &beside {
                write_file(file, &json)?;
            }
        }
        if let Some(file) = &self.record_gate {
            Gate::record(&report).write(file)?;
        }
        if let Some(gate) = gate {
            return through(&gate.judge(&report), self.json);
        }
        if self.json {
            print_json_of(context.library(), &report)
        } else {
            print(&table(&report))
        }
    }
}

/// Keeps the report as the library's last run; a folder that cannot be written is no reason to fail.
fn keep(report: &Report, root: &Path) {
    if let Err(error) = report.keep(root) {
        tracing::warn!("the run is not kept: {error:#}");
    }
}

/// The report itself, beside the page made of it.
fn json_beside(page: &Path) -> PathBuf {
    page.with_extension("json")
}

fn check_folder(file: &Path) -> Result<()> {
    let folder = folder_of(file);
    if !folder.is_dir() {
        return Err(Usage(format!(
            "{}: there is no folder {}",
            file.display(),
            folder.display()
        ))
        .into());
    }
    Ok(())
}

fn trec_run(engine: &Engine, set: &QuestionSet, settings: &Settings) -> String {
    let mut out = String::new();
    for question in &set.questions {
        let outcome = crate::search::search(engine, &question.text, settings);
        trec::push_run(
            &mut out,
            &question.id,
            trec::pages(&outcome.ranked),
            "tenleaf",
        );
    }
    out
}

/// Prints the verdict and fails when the gate is shut.
fn through(verdict: &Verdict, json: bool) -> Result<()> {
    if json {
        print_json(verdict)?;
    } else {
        let mut out = format!(
            "Hit@10 on dev: {} of {} recorded, {} now: {}\n",
            verdict.hits_before,
            verdict.questions,
            verdict.hits_now,
            if verdict.passed { "passed" } else { "FAILED" }
        );
        for (word, ids) in [
            ("lost", &verdict.lost),
            ("won", &verdict.won),
            ("not asked", &verdict.missing),
        ] {
            for id in ids {
                let _ = writeln!(out, "  {word}: {id}");
            }
        }
        if verdict.other_corpus {
            out.push_str("  the page text is not what the gate was recorded on\n");
        }
        print(&out)?;
    }
    if verdict.passed {
        Ok(())
    } else {
        Err(Exit(1).into())
    }
}

fn compare(before: &Path, after: &Path, json: bool) -> Result<()> {
    let comparison = Comparison::of(&Report::read(before)?, &Report::read(after)?);
    if json {
        return print_json(&comparison);
    }
    let mut out = String::new();
    if comparison.other_corpus {
        out.push_str("The two were made from different page text.\n\n");
    }
    for part in comparison.parts.iter().filter(|part| part.questions > 0) {
        let (b, a, change) = (&part.before, &part.after, &part.change);
        let _ = writeln!(out, "{} · {}", part.name, count(part.questions, "question"));
        let _ = writeln!(
            out,
            "  Hit@10 {} -> {}  {}",
            share(b.hit10),
            share(a.hit10),
            difference(&change.hit10, part.questions)
        );
        let _ = writeln!(
            out,
            "  MRR@10 {} -> {}  {}",
            share(b.mrr10),
            share(a.mrr10),
            difference(&change.mrr10, part.questions)
        );
        let ids = won_and_lost(change);
        if !ids.is_empty() {
            let _ = writeln!(out, "  {ids}");
        }
    }
    if out.contains(STAR) {
        let _ = writeln!(out, "\n{STAR_MEANS}");
    }
    if !comparison.moved.is_empty() {
        out.push_str("\nmoved\n");
    }
    for (id, before, after) in &comparison.moved {
        let _ = writeln!(out, "  {id}: {} -> {}", rank(*before), rank(*after));
    }
    for (words, ids) in [
        ("in the first alone", &comparison.only_before),
        ("in the second alone", &comparison.only_after),
    ] {
        if !ids.is_empty() {
            let _ = writeln!(out, "\n{} questions are {words}", ids.len());
        }
    }
    print(&out)
}

#[cfg(test)]
mod tests {
    use super::useful_jobs;

    #[test]
    fn no_more_threads_than_there_is_work_for() {
        assert_eq!(useful_jobs(0, 150), 0);
        assert_eq!(useful_jobs(1, 150), 1);
        assert_eq!(useful_jobs(1_000_000, 3), 3);
        assert!(useful_jobs(1_000_000, 1_000_000) <= 1024 * 4);
    }
}
