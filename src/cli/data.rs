//! `tenleaf data`: the filings themselves.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Subcommand;
use indicatif::{HumanBytes, HumanCount, MultiProgress, ProgressBar};
use serde::Serialize;
use serde_json::json;

use super::{Context, Exit, Usage, bar, errln, outln, print_json_of, size, stop_asked, stopped};
use crate::dense::vectors;
use crate::index::Index;
use crate::library::fetch::{self, FetchPlan};
use crate::library::import::{self, ImportPlan};
use crate::library::job::{Event, Summary};
use crate::library::status::{self, Status};
use crate::library::verify::{Outcome, Verified, verify};
use crate::library::{Library, cite};
use crate::words::{count, some_of};

/// Bring filings in, and check what is here
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Fetch(FetchArgs),
    Import(ImportArgs),
    Status(StatusArgs),
    Verify(VerifyArgs),
}

impl Args {
    /// Runs the command.
    pub fn run(self, context: &Context) -> Result<()> {
        match self.command {
            Command::Fetch(args) => args.run(context),
            Command::Import(args) => args.run(context),
            Command::Status(args) => args.run(context),
            Command::Verify(args) => args.run(context),
        }
    }
}

/// Bring FinanceBench's 150 questions and 360 filings (about 575 MB)
///
/// Every file is checked against its hash; what is here is not fetched again, and what was cut off goes
/// on where it ended. When three files in a row fail alike the rest is not tried. Address, files at once
/// and patience are under [fetch] in the config.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf data fetch
  tenleaf data fetch --json | jq .failed
  tenleaf --library bench data fetch --only 3M_2018_10K --only COCACOLA_2021_10K")]
struct FetchArgs {
    /// Fetch this filing alone; may be given more than once
    #[arg(long, value_name = "DOC")]
    only: Vec<String>,
    /// Print the summary as one line of JSON
    #[arg(long)]
    json: bool,
}

impl FetchArgs {
    fn run(self, context: &Context) -> Result<()> {
        let mut plan = FetchPlan::new(&context.root_to_fill(), &context.config.fetch);
        if !self.only.is_empty() {
            for name in &self.only {
                if !plan.filings.iter().any(|row| row.doc_name == *name) {
                    return Err(Usage(format!("FinanceBench has no filing {name}")).into());
                }
            }
            plan.filings.retain(|row| self.only.contains(&row.doc_name));
        }
        let bar = FetchBar::new();
        let summary = fetch::run(&plan, &|event| bar.show(event), stop_asked())?;
        bar.finish();
        report("fetch", context.library_to_fill(), &summary, self.json)
    }
}

/// Bytes with rate and time left, and below them the filings read.
struct FetchBar {
    bytes: ProgressBar,
    filings: ProgressBar,
}

impl FetchBar {
    fn new() -> FetchBar {
        let both = MultiProgress::new();
        let bytes =
            bar("fetching {bar:30} {bytes}/{total_bytes}  {binary_bytes_per_sec}  {eta} left");
        FetchBar {
            bytes: both.add(bytes),
            filings: both.add(filings_bar("reading ")),
        }
    }

    fn show(&self, event: &Event) {
        match event {
            Event::Planned { bytes, .. } => self.bytes.set_length(*bytes),
            Event::Received(bytes) => self.bytes.inc(*bytes),
            Event::Corrected(by) if *by < 0 => self.bytes.dec(by.unsigned_abs()),
            Event::Corrected(by) => self.bytes.inc(by.unsigned_abs()),
            Event::Retry { what, error, after } => self.bytes.println(format!(
                "{what}: {error}; again in {:.1} s",
                after.as_secs_f64()
            )),
            Event::Stored { .. } | Event::Kept { .. } | Event::Failed(_) => {}
        }
        show(&self.filings, event);
    }

    fn finish(&self) {
        self.bytes.finish_and_clear();
        self.filings.finish_and_clear();
    }
}

/// Take filings from a folder that has them already: manifest.jsonl, pages/, questions, pdfs/
///
/// Filings that are already here from the same text are kept as they are, so a stopped import goes
/// on where it was.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf data import ~/financebench
  tenleaf data import ~/financebench --with-pdfs --questions ~/tune.jsonl")]
struct ImportArgs {
    /// The mirror folder
    #[arg(value_name = "DIR")]
    from: PathBuf,
    /// Copy the PDFs too
    #[arg(long)]
    with_pdfs: bool,
    /// Questions to take along besides the folder's own
    #[arg(long, value_name = "FILE")]
    questions: Vec<PathBuf>,
    /// Print the summary as one line of JSON
    #[arg(long)]
    json: bool,
}

impl ImportArgs {
    fn run(self, context: &Context) -> Result<()> {
        let plan = ImportPlan {
            from: self.from,
            root: context.root_to_fill(),
            with_pdfs: self.with_pdfs,
            questions: self.questions,
        };
        let bar = filings_bar("importing");
        let summary = import::run(&plan, &|event| show(&bar, event), stop_asked())?;
        bar.finish_and_clear();
        report("import", context.library_to_fill(), &summary, self.json)
    }
}

/// What is here, what is missing, what to do
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf data status
  tenleaf data status --json | jq .missing")]
struct StatusArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl StatusArgs {
    fn run(self, context: &Context) -> Result<()> {
        let fills = context.library_to_fill();
        let in_use = context.library();
        let mut others: Vec<Other> = Vec::new();
        for name in context.paths.libraries() {
            if name != fills {
                let library = Library::open(&context.paths.library(&name))?;
                let (filings, pages) = size(&name, &library);
                others.push(Other {
                    in_use: name == in_use,
                    filings,
                    pages,
                    library: name,
                });
            }
        }
        // What fetch and import fill, not the demo that stands in for it.
        let status = status::status(&context.root_to_fill())?;
        if self.json {
            let mut object = serde_json::to_value(&status)?;
            object["in_use"] = json!(in_use);
            object["others"] = json!(others);
            return print_json_of(fills, &object);
        }
        match in_use == fills {
            true => outln!("in use: {in_use}\n"),
            false => outln!("in use: {in_use}, while {fills} has no filings\n"),
        }
        print_status(fills, &status)?;
        if !others.is_empty() {
            outln!("\nother libraries (--library NAME uses one)");
        }
        for other in others {
            let mark = if other.in_use { "*" } else { " " };
            outln!(
                "{mark} {:20} {}, {}",
                other.library,
                count(other.filings, "filing"),
                count(other.pages, "page")
            );
        }
        Ok(())
    }
}

/// A library beside the one that fetch and import fill.
#[derive(Debug, Serialize)]
struct Other {
    library: String,
    in_use: bool,
    filings: usize,
    pages: usize,
}

fn print_status(name: &str, status: &Status) -> Result<()> {
    outln!("{name}  {}", status.root.display());
    let forms: Vec<String> = status
        .forms
        .iter()
        .map(|(form, n)| format!("{n} {form}"))
        .collect();
    outln!(
        "  filings    {} ({})",
        status.filings,
        or_none(&forms.join(", "))
    );
    outln!(
        "  pages      {}, {} without text",
        HumanCount(status.pages as u64),
        status.empty_pages
    );
    outln!(
        "  originals  {}; {} in all",
        count(status.pdfs, "PDF"),
        HumanBytes(status.bytes)
    );
    outln!("  questions  {}", or_none(&status.questions.join(", ")));
    for flagged in &status.garbage_pages {
        let pages: Vec<String> = flagged.pages.iter().map(u32::to_string).collect();
        let pages = flagged.text_from.pages(pages.join(", "));
        outln!("  unreadable {}", cite(&flagged.doc_name, &pages));
    }
    if status.other_extractor > 0 {
        outln!(
            "  by column  {} came as text that may give a table one column after the other: read their figures \
             with care",
            count(status.other_extractor, "filing")
        );
    }
    if !status.uncertain_page_numbers.is_empty() {
        outln!(
            "  uncertain  page numbers of {}",
            status.uncertain_page_numbers.join(", ")
        );
    }
    for (what, names) in [
        ("missing", &status.missing),
        ("unfinished", &status.unfinished),
        ("damaged", &status.damaged),
        ("set aside", &status.set_aside),
    ] {
        if !names.is_empty() {
            outln!("  {what:<10} {}: {}", names.len(), some_of(names));
        }
    }
    for todo in &status.todo {
        outln!("  -> {todo}");
    }
    Ok(())
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "none" } else { text }
}

/// Read every byte and check every hash
///
/// It looks at the library that fetch and import fill, or at the one that --library names. The exit code is 1
/// while something is damaged, and where it had to be removed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf data verify
  tenleaf data verify --repair")]
struct VerifyArgs {
    /// Make catalog and index again, read filings again whose PDF is good, and put out of the way what cannot
    /// be mended, saying how to get it again
    #[arg(long)]
    repair: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl VerifyArgs {
    fn run(self, context: &Context) -> Result<()> {
        let bar = super::progress("checking files");
        let step = |all: usize| {
            bar.set_length(all as u64);
            bar.inc(1);
        };
        // The demo, which makes itself again, only where nothing was ever fetched or named.
        let (fills, to_fill) = (context.library_to_fill(), context.root_to_fill());
        let (library, root) = match to_fill.is_dir() {
            true => (fills, to_fill),
            false => (context.library(), context.root()?),
        };
        if !self.json {
            outln!("{library}  {}", root.display());
        }
        let cancel = stop_asked();
        let mut verified = verify(&root, self.repair, &step, cancel)?;
        if !verified.cancelled {
            let shelf = Library::look(&root)?;
            let found = Index::verify(&shelf, self.repair, cancel.flag());
            verified.cancelled = cancel.is_cancelled();
            if !verified.cancelled {
                verified.problems.extend(found?);
                let (seen, found) = vectors::verify(&root, shelf.filings(), self.repair);
                verified.vectors = seen;
                verified.problems.extend(found);
            }
        }
        bar.finish_and_clear();
        if self.json {
            print_json_of(library, &verified)?;
        } else {
            print_verified(&verified)?;
        }
        if verified.cancelled {
            return Err(stopped().into());
        }
        if verified.open() > 0 {
            Err(Exit(1).into())
        } else {
            Ok(())
        }
    }
}

fn print_verified(verified: &Verified) -> Result<()> {
    let (filings, pdfs) = (verified.filings, verified.pdfs);
    match verified.cancelled {
        true => outln!(
            "{} of {} files looked at, then stopped",
            filings + pdfs,
            verified.files
        ),
        false => outln!(
            "{filings} filings, {pdfs} PDFs and the vectors of {} looked at",
            count(verified.vectors, "filing")
        ),
    }
    for problem in &verified.problems {
        outln!("  {}: {}", problem.file, problem.problem);
        outln!("    -> {}", problem.remedy);
    }
    match verified.problems.len() {
        0 if verified.cancelled && filings + pdfs == 0 => {}
        0 if verified.cancelled => outln!("those are whole"),
        0 if filings + pdfs == 0 => outln!("there is nothing in it"),
        0 => outln!("all of it is whole"),
        _ => {
            let count = |outcome| verified.come_to(outcome);
            let said = [
                (count(Outcome::Mended), "mended"),
                (
                    count(Outcome::Removed),
                    "out of the way and to be had again",
                ),
                (count(Outcome::Open), "to put right"),
            ];
            let said = said.iter().filter(|(n, _)| *n > 0);
            let said: Vec<String> = said.map(|(n, words)| format!("{n} {words}")).collect();
            outln!("{}", said.join(", "));
        }
    }
    Ok(())
}

/// A bar of filings on stderr, with count, rate and time left.
fn filings_bar(what: &'static str) -> ProgressBar {
    bar("{prefix} {bar:30} {pos}/{len} filings  {per_sec:.0}  {eta} left  {wide_msg}")
        .with_prefix(what)
}

fn show(bar: &ProgressBar, event: &Event) {
    match event {
        Event::Planned { filings, .. } => bar.set_length(*filings as u64),
        Event::Stored { doc_name, .. } | Event::Kept { doc_name, .. } => {
            bar.set_message(doc_name.clone());
            bar.inc(1);
        }
        Event::Failed(failure) => {
            bar.suspend(|| errln!("{}: {}", failure.what, failure.error));
            bar.inc(1);
        }
        Event::Retry { .. } | Event::Received(_) | Event::Corrected(_) => {}
    }
}

/// Prints what came of it; an error (and exit code 1) if something could not be had.
fn report(what: &str, library: &str, summary: &Summary, json: bool) -> Result<()> {
    if json {
        print_json_of(library, summary)?;
    } else {
        let mut parts = vec![format!("{} stored", count(summary.stored, "filing"))];
        if summary.kept > 0 {
            parts.push(format!("{} already here", summary.kept));
        }
        parts.push(count(summary.pages, "page"));
        if summary.bytes > 0 {
            parts.push(format!("{} fetched", HumanBytes(summary.bytes)));
        }
        outln!("{} in {:.1} s", parts.join(", "), summary.seconds);
    }
    if summary.cancelled {
        errln!("stopped: what is done is kept, and the same command goes on from here");
        return Err(stopped().into());
    }
    if let Some(why) = &summary.given_up {
        bail!(
            "{what}: {why}\nThe rest was not tried. {}, and all that is here stays; the same command goes on from there",
            summary.fetched()
        );
    }
    match summary.failed.as_slice() {
        [] => Ok(()),
        // Each was named when it failed.
        failed => bail!(
            "{what}: {} failed; what is done is kept, and the same command goes on from here",
            failed.len()
        ),
    }
}
