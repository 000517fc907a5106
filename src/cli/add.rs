//! `tenleaf add`.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use indicatif::ProgressBar;
use jiff::civil::Date;

use super::{Context, Exit, Usage, errln, outln, print_json_of, progress, stop_asked, stopped};
use crate::add::{self, Event, Labels, Missing, Period, Summary, cover::Cover};
use crate::edgar::client::{Client, Company, Fetched, Progress, Wanted};
use crate::eval::QuestionSet;
use crate::library::Library;
use crate::library::job::{Cancel, Failure};
use crate::words::{count, printable};

/// Add filings of your own: files, folders, or from EDGAR by ticker
///
/// Company, form and fiscal period are read from the cover page or the filing's inline XBRL; what
/// cannot be read is asked for, or set with flags. A file that is already there is skipped, a changed
/// one replaced, a bad one named while the rest goes on. The index follows at once. They go to the
/// library that --library or your config names, and are searched from then on.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf add report.pdf                                   reads the cover
  tenleaf add ~/filings --library mine                     every PDF, HTML and text file in a folder
  tenleaf add deck.pdf --company Acme --form release --period 2024Q3
  curl -s https://example.com/10k.htm | tenleaf add -
  tenleaf add --ticker AAPL --form 10-K --limit 5          from EDGAR
  tenleaf add --ticker MSFT,ORCL --form 10-Q --since 2023-01-01
  tenleaf add --cik 320193 --form 8-K

EDGAR asks every client for a contact address: set [edgar] contact in your
config file first.")]
pub struct Args {
    /// PDF, HTML or text files, folders, or - for standard input
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Company, in place of the one read
    #[arg(long)]
    company: Option<String>,
    /// Form, in place of the one read: 10-K, 10-Q, 8-K, release, annual report, other; from EDGAR, the
    /// forms to get (several: 10-K,10-Q)
    #[arg(long, value_delimiter = ',')]
    form: Vec<String>,
    /// Fiscal period or date, in place of the one read: 2024, 2024Q3, 2024-11-14
    #[arg(long)]
    period: Option<Period>,
    /// From EDGAR: companies by ticker
    #[arg(long, value_delimiter = ',', value_name = "TICKER")]
    ticker: Vec<String>,
    /// From EDGAR: companies by CIK number
    #[arg(long, value_delimiter = ',', value_name = "CIK")]
    cik: Vec<u64>,
    /// From EDGAR: at most so many filings of each form and company, newest first [default: 1; with
    /// --since all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// From EDGAR: filed on this day or later
    #[arg(long, value_name = "YYYY-MM-DD")]
    since: Option<Date>,
    /// From EDGAR: amendments (10-K/A) too
    #[arg(long)]
    amended: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What is to be added, as far as it could be had.
pub(super) struct Gathered {
    pub(super) sources: Vec<add::Source>,
    /// What could not be had, and why.
    pub(super) failed: Vec<Failure>,
    /// Files of a folder that are of no kind that is read.
    pub(super) skipped: Vec<PathBuf>,
    /// What the flags say of each.
    pub(super) labels: Labels,
}

impl Args {
    /// Finds the files and downloads what is asked of EDGAR.
    pub(super) fn gather(
        &self,
        context: &Context,
        downloaded: Progress<'_>,
        cancel: &Cancel,
    ) -> Result<Gathered> {
        let from_edgar = !self.ticker.is_empty() || !self.cik.is_empty();
        if self.paths.is_empty() && !from_edgar {
            return Err(Usage("name files or folders to add, or --ticker for EDGAR".into()).into());
        }
        if !from_edgar && (self.limit.is_some() || self.since.is_some() || self.amended) {
            return Err(
                Usage("--limit, --since and --amended go with --ticker or --cik".into()).into(),
            );
        }
        let mut labels = Labels {
            company: self.company.clone(),
            period: self.period,
            form: None,
        };
        if let ([form], false) = (self.form.as_slice(), from_edgar) {
            labels.form = Some(add::parse_form(form).map_err(Usage)?);
        } else if self.form.len() > 1 && !from_edgar {
            return Err(Usage("a filing has one form: give --form once".into()).into());
        }
        let add::Found {
            mut sources,
            mut failed,
            skipped,
        } = add::gather(&self.paths, cancel);
        if from_edgar {
            let (found, missing) = self.fetch_from_edgar(context, downloaded, cancel)?;
            sources.extend(found.into_iter().map(add::Source::of_edgar));
            failed.extend(missing);
        }
        Ok(Gathered {
            sources,
            failed,
            skipped,
            labels,
        })
    }

    /// Adds the filings and brings the index in line.
    pub fn run(self, context: &Context) -> Result<()> {
        let cancel = stop_asked();
        let Gathered {
            sources,
            failed,
            skipped,
            labels,
        } = self.gathered(context, cancel)?;
        let root = context.root_to_fill();
        if !self.json && !sources.is_empty() {
            tell_library(context.library_to_fill(), &root)?;
        }
        let bar = progress("adding filings");
        bar.set_length(sources.len() as u64);
        for failure in &failed {
            tell(&bar, &format!("{}: {}", failure.what, failure.error));
        }
        if let Some(left_out) = add::left_out(&skipped) {
            tell(&bar, &left_out);
        }
        let asks = io::stdin().is_terminal() && io::stderr().is_terminal() && !self.json;
        let ask = |name: &str, cover: &Cover, missing: Missing, wrong: Option<&str>| {
            ask(&bar, name, cover, missing, wrong)
        };
        let mut on_event = |event: Event| {
            bar.inc(1);
            tell(&bar, &event_words(event));
        };
        let mut summary = add::run(
            &root,
            sources,
            &labels,
            asks.then_some(&ask),
            &mut on_event,
            cancel,
        )?;
        bar.finish_and_clear();
        summary.failed.splice(0..0, failed);
        summary.skipped = skipped;
        // Stopped, it stops: the next command brings the index in line.
        if !summary.added.is_empty() && !summary.cancelled {
            context.engine_of(&root)?;
        }
        match self.json {
            true => print_json_of(context.library_to_fill(), &summary)?,
            false => outln!("{}: {}", context.library_to_fill(), self.came_to(&summary)),
        }
        match (summary.cancelled, summary.failed.is_empty()) {
            (true, _) => Err(stopped().into()),
            (false, false) => Err(Exit(1).into()),
            (false, true) => Ok(()),
        }
    }

    /// What there is to add, downloaded where it is EDGAR's.
    fn gathered(&self, context: &Context, cancel: &Cancel) -> Result<Gathered> {
        let bar = progress("fetching from EDGAR");
        let mut downloaded = |done: usize, all: usize| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        };
        let gathered = self.gather(context, &mut downloaded, cancel);
        bar.finish_and_clear();
        if gathered.is_err() && cancel.is_cancelled() {
            errln!("stopped: nothing was added; what was fetched is kept for the next time");
            return Err(stopped().into());
        }
        gathered
    }

    /// `2 added (1 replaced), 3 already there, 0 failed`.
    fn came_to(&self, summary: &Summary) -> String {
        let piped = self.paths.iter().any(|path| path.as_os_str() == "-");
        format!(
            "{} added ({} replaced), {} already there, {} failed{}",
            summary.added.len(),
            summary.replaced.len(),
            summary.kept.len(),
            summary.failed.len(),
            match (summary.cancelled, piped) {
                (false, _) => "",
                (true, false) => "; stopped: the same command goes on from here",
                // What came by the pipe is gone with it.
                (true, true) if summary.added.is_empty() => "; stopped: nothing was added",
                (true, true) => "; stopped",
            }
        )
    }

    /// The filings of the companies named, downloaded; beside them what could not be had.
    fn fetch_from_edgar(
        &self,
        context: &Context,
        downloaded: Progress<'_>,
        cancel: &Cancel,
    ) -> Result<(Vec<Fetched>, Vec<Failure>)> {
        let forms = match self.form.is_empty() {
            true => vec!["10-K".to_string()],
            false => self
                .form
                .iter()
                .map(|form| form.trim().to_ascii_uppercase())
                .collect(),
        };
        let wanted = Wanted {
            forms,
            amended: self.amended,
            since: self.since,
            limit: self
                .limit
                .unwrap_or(if self.since.is_some() { usize::MAX } else { 1 }),
        };
        let companies: Vec<Company> = self
            .ticker
            .iter()
            .map(|ticker| Company::Ticker(ticker.trim().to_ascii_uppercase()))
            .chain(self.cik.iter().map(|&cik| Company::Cik(cik)))
            .collect();
        let client = Client::new(&context.config.edgar, &context.paths.cache().join("edgar"))?;
        client.fetch(&companies, &wanted, downloaded, cancel)
    }
}

/// Which library is added to, and what that means for its questions.
fn tell_library(library: &str, root: &Path) -> Result<()> {
    errln!("adding to the library {library}");
    if !QuestionSet::files_of(&Library::open(root)?)?.is_empty() {
        errln!(
            "note: {library} has labelled questions, and what is added changes what `tenleaf eval` \
             measures there; --library NAME keeps your filings apart"
        );
    }
    Ok(())
}

/// What became of one filing.
fn event_words(event: Event) -> String {
    match event {
        Event::Added { filing, replaced } => format!(
            "{} {}, {}{}  {}",
            if replaced { "replaced" } else { "added   " },
            filing.title(),
            count(filing.pages as usize, "page"),
            match filing.page_numbers_uncertain_from {
                Some(_) => " made here (the file marks none)",
                None => "",
            },
            filing.doc_name
        ),
        Event::Kept(filing) => format!("kept     {}  {}", filing.title(), filing.doc_name),
        Event::Failed(failure) => format!("failed   {}: {}", failure.what, failure.error),
    }
}

/// A line above the bar, on stderr.
fn tell(bar: &ProgressBar, line: &str) {
    bar.suspend(|| {
        errln!("{line}");
    });
}

/// What is asked about a file, with what was read of it.
pub(super) fn question(name: &str, cover: &Cover, missing: Missing) -> String {
    let mut read = Vec::new();
    read.extend(cover.company.clone());
    read.extend(cover.form.map(|form| form.to_string()));
    read.extend(cover.date.map(|date| date.to_string()));
    let read = match read.is_empty() {
        true => String::new(),
        false => format!(" ({})", read.join(", ")),
    };
    format!("{name}{read}: {}", missing.question())
}

/// Asks on the terminal; an empty answer leaves the file out.
fn ask(
    bar: &ProgressBar,
    name: &str,
    cover: &Cover,
    missing: Missing,
    wrong: Option<&str>,
) -> Option<String> {
    bar.suspend(|| {
        let mut out = io::stderr();
        if let Some(wrong) = wrong {
            let _ = writeln!(out, "  {wrong}");
        }
        let question = question(name, cover, missing);
        let _ = write!(out, "{} [Enter leaves it out] ", printable(&question));
        let _ = out.flush();
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).ok()?;
        let line = line.trim();
        (!line.is_empty()).then(|| line.to_string())
    })
}
