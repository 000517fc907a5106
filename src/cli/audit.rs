//! `tenleaf audit`.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};

use super::eval::Chosen;
use super::{Context, Exit, Usage, print, print_json_of};
use crate::eval::QuestionSet;
use crate::eval::audit::{Audit, Distribution, Options, audit};
use crate::library::{Filing, Library, cite_pages};

/// Worst pages and filings named on the terminal; --json has all.
const NAMED: usize = 10;

/// Check whether the page text is good enough to search
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf audit
  tenleaf audit --min-recall 0.97 --min-f1 0.95 --max-bad-share 0.01    in CI: exit code 1 below
  tenleaf audit --limit-bytes 32768 --prefix-bytes 200                 what a record limit would cut

Term recall and token F1 compare our text of every labelled page with the text
its label brings.")]
pub struct Args {
    #[command(flatten)]
    chosen: Chosen,
    /// Say which pages exceed a record of N UTF-8 bytes, and what trimming them to whole words keeps
    #[arg(long, value_name = "N")]
    limit_bytes: Option<usize>,
    /// Bytes of each record that something else takes (a title, an address)
    #[arg(long, value_name = "P", default_value_t = 0, requires = "limit_bytes")]
    prefix_bytes: usize,
    /// Exit with 1 when the mean term recall is below this (0 to 1)
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_recall: Option<f64>,
    /// Exit with 1 when the mean token F1 is below this (0 to 1)
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_f1: Option<f64>,
    /// Exit with 1 when more than this share of the pages has no text or cannot be read (0 to 1)
    #[arg(long, value_name = "SHARE", value_parser = share)]
    max_bad_share: Option<f64>,
    /// Exit with 1 when trimming keeps less than this share of the words (0 to 1)
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "limit_bytes")]
    min_terms_kept: Option<f64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("a share is a number from 0 to 1".into()),
    }
}

impl Args {
    /// Runs the command.
    pub fn run(self, context: &Context) -> Result<()> {
        if let Some(limit) = self.limit_bytes
            && self.prefix_bytes >= limit
        {
            let prefix = self.prefix_bytes;
            return Err(Usage(format!(
                "--prefix-bytes {prefix} leaves nothing of --limit-bytes {limit}"
            ))
            .into());
        }
        let root = context.root()?;
        let library = Library::open(&root)?;
        if library.filings().is_empty() {
            anyhow::bail!(
                "the library in {} is empty; `tenleaf data import` or `tenleaf data fetch` fill it",
                root.display()
            );
        }
        let set = if self.chosen.questions.is_empty() && QuestionSet::files_of(&library)?.is_empty()
        {
            QuestionSet::default()
        } else {
            self.chosen.load(&library)?
        };
        let options = Options {
            limit_bytes: self.limit_bytes,
            prefix_bytes: self.prefix_bytes,
        };
        let audit = audit(&library, &set.questions, options)
            .with_context(|| format!("auditing {}", root.display()))?;
        let failures = self.failures(&audit);
        if self.json {
            let mut object = serde_json::to_value(&audit)?;
            object["failures"] = serde_json::to_value(&failures)?;
            print_json_of(context.library(), &object)?;
        } else {
            let mut out = text(&audit, library.filings());
            for failure in &failures {
                let _ = writeln!(out, "FAILED: {failure}");
            }
            print(&out)?;
        }
        if failures.is_empty() {
            Ok(())
        } else {
            Err(Exit(1).into())
        }
    }

    /// The thresholds not met.
    fn failures(&self, audit: &Audit) -> Vec<String> {
        let mut failures = Vec::new();
        let mut at_least = |what: &str, value: Option<f64>, threshold: Option<f64>| {
            let Some(threshold) = threshold else { return };
            match value {
                Some(value) if value >= threshold => {}
                Some(value) => failures.push(format!("{what} is {value:.4}, below {threshold}")),
                None => failures.push(format!(
                    "{what} is unknown: no question brings the text of its page"
                )),
            }
        };
        at_least("term recall", audit.term_recall, self.min_recall);
        at_least("token F1", audit.token_f1, self.min_f1);
        let kept = audit.limit.as_ref().map(|limit| limit.terms_kept);
        at_least("share of words kept", kept, self.min_terms_kept);
        if let Some(most) = self.max_bad_share
            && audit.bad_share > most
        {
            failures.push(format!(
                "share of bad pages is {:.4}, above {most}",
                audit.bad_share
            ));
        }
        failures.extend(audit.problems.iter().cloned());
        failures
    }
}

fn text(audit: &Audit, filings: &[Filing]) -> String {
    let mut out = String::new();
    if let (Some(recall), Some(f1)) = (audit.term_recall, audit.token_f1) {
        let _ = writeln!(
            out,
            "{} labelled pages: term recall {recall:.4}, token F1 {f1:.4}\nworst",
            audit.labelled.len()
        );
        for page in audit.labelled.iter().take(NAMED) {
            let _ = writeln!(
                out,
                "  {}  recall {:.3}  F1 {:.3}  {}",
                cite_pages(filings, &page.doc_name, page.page),
                page.term_recall,
                page.token_f1,
                page.question
            );
        }
        out.push('\n');
    } else {
        out.push_str(
            "no question brings the text of its page: term recall and token F1 unknown\n\n",
        );
    }
    let _ = writeln!(
        out,
        "{} pages: {} without text, {} unreadable, their characters in disorder ({:.2} % in all)",
        audit.pages,
        audit.empty,
        audit.garbage,
        100.0 * audit.bad_share
    );
    for (name, empty, garbage) in audit.bad_filings.iter().take(NAMED) {
        let _ = writeln!(out, "  {name}: {empty} without text, {garbage} unreadable");
    }
    let _ = writeln!(
        out,
        "\npage length {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "min", "p5", "median", "p95", "p99", "max", "mean"
    );
    let mut row = |name: &str, d: &Distribution| {
        let _ = writeln!(
            out,
            "{name:<11} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8.0}",
            d.min, d.p5, d.p50, d.p95, d.p99, d.max, d.mean
        );
    };
    row("characters", &audit.characters);
    row("UTF-8 bytes", &audit.bytes);
    if let Some(limit) = &audit.limit {
        let _ = writeln!(
            out,
            "\nrecords of {} bytes, {} for the text: {} pages exceed it; trimmed to whole words they keep {:.2} % of their words \
             (all pages: {:.3} % of words, {:.3} % of bytes)",
            limit.limit_bytes,
            limit.text_bytes,
            limit.over.len(),
            100.0 * limit.terms_kept_of_trimmed,
            100.0 * limit.terms_kept,
            100.0 * limit.bytes_kept
        );
        for (name, page, bytes, kept) in limit.over.iter().take(NAMED) {
            let page = cite_pages(filings, name, page);
            let _ = writeln!(out, "  {page}: {bytes} bytes, {kept} kept");
        }
    }
    out
}
