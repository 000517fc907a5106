//! `tenleaf index`.

use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::{Context, errln, outln, print_json_of, progress, stop_asked, stopped};
use crate::index::Index;
use crate::library::Library;
use crate::words::count;

/// Bring the index in line with the filings
///
/// Every command does this on its own; this one shows it, and --rebuild starts from nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf index
  tenleaf index --rebuild --library mine")]
pub struct Args {
    /// Throw the index away first
    #[arg(long)]
    rebuild: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Brings the index in line and says what was done.
    pub fn run(self, context: &Context) -> Result<()> {
        let root = context.root()?;
        let library = Library::open(&root)?;
        if self.rebuild {
            Index::wipe(&library)?;
        }
        let start = Instant::now();
        // Opening trusts what it finds; this looks at every file, so that a damaged one is mended.
        let bar = progress("indexing filings");
        let tell = |done, all| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        };
        let cancel = stop_asked();
        let synced = Index::sync(&library, &tell, cancel.flag());
        bar.finish_and_clear();
        if synced.is_err() && cancel.is_cancelled() {
            errln!("stopped: `tenleaf index` does what is left");
            return Err(stopped().into());
        }
        let synced = synced?;
        let (engine, _) = context.engine_of(&root)?;
        let seconds = start.elapsed().as_secs_f64();
        let filings = engine.library.filings().len();
        let pages = engine.library.page_count();
        if self.json {
            let report = json!({
                "filings": filings, "pages": pages,
                "added": synced.added, "removed": synced.removed, "mended": synced.mended,
                "damaged": library.damaged(), "seconds": seconds,
            });
            return print_json_of(context.library(), &report);
        }
        outln!(
            "{}: {}, {}; {} added, {} removed in {seconds:.1} s",
            context.library(),
            count(filings, "filing"),
            count(pages, "page"),
            synced.added,
            synced.removed
        );
        if synced.mended {
            outln!("it was damaged and has been made again");
        }
        if let Some(mended) = library.mended() {
            outln!("{mended} and is made again from the page files");
        }
        for name in library.damaged() {
            outln!(
                "damaged and left out: pages/{name}.pages; `tenleaf data verify` says what to do"
            );
        }
        Ok(())
    }
}
