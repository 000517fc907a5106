//! `tenleaf remove`.

use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use super::{Context, Usage, outln, print_json_of};
use crate::add;
use crate::library::{Library, demo};
use crate::paths::DEMO;
use crate::words::count;

/// Remove filings from a library
///
/// Takes names as `tenleaf list` shows them, or words that pick them (company, form, period). Filings named
/// in full are removed at once; what words pick only after a yes, or with --yes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf remove APPLE_2024_10K
  tenleaf remove --library mine nike 10-q
  tenleaf remove --library mine --yes nike")]
pub struct Args {
    /// Name of a filing, or words that pick filings
    #[arg(required = true)]
    filings: Vec<String>,
    /// Remove all that are picked, without asking
    #[arg(long)]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Removes the filings and brings the index in line.
    pub fn run(self, context: &Context) -> Result<()> {
        let root = context.root()?;
        let library = Library::open(&root)?;
        let by_name = self.filings.iter().all(|name| library.find(name).is_some());
        let names: Vec<String> = match by_name {
            true => self.filings.clone(),
            false => super::list::picked(&library, &self.filings)
                .map(|filing| filing.doc_name.clone())
                .collect(),
        };
        if names.is_empty() {
            return Err(Usage(format!(
                "no filing of {} is {:?}; `tenleaf list` shows what there is",
                context.library(),
                self.filings.join(" ")
            ))
            .into());
        }
        if context.library() == DEMO
            && let Some(name) = names.iter().find(|name| demo::is_built_in(name))
        {
            bail!(
                "{name} is built into the demo and would be back at the next start; \
                 `tenleaf add FILE --library NAME` makes a library of your own"
            );
        }
        if !by_name && !self.yes && !confirmed(&names)? {
            bail!("nothing removed");
        }
        let names = add::remove(&root, names)?;
        context.engine_of(&root)?;
        if self.json {
            return print_json_of(context.library(), &json!({ "removed": names }));
        }
        for name in &names {
            outln!("removed {name}");
        }
        Ok(())
    }
}

fn confirmed(names: &[String]) -> Result<bool> {
    let mut out = io::stderr();
    for name in names {
        writeln!(out, "  {name}")?;
    }
    if !io::stdin().is_terminal() {
        bail!(
            "that would remove {}: name each in full, or add --yes",
            count(names.len(), "filing")
        );
    }
    write!(out, "Remove {}? [y/N] ", count(names.len(), "filing"))?;
    out.flush()?;
    let mut line = String::new();
    io::stdin()
        .lock()
        .read_line(&mut line)
        .context("reading the answer")?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}
