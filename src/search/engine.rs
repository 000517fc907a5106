//! Everything a search needs, opened once.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, ensure};

use super::About;
use super::query::Prepared;
use super::signals::Weights;
use crate::dense::Meaning;
use crate::index::{DAMAGED, Index, Progress, Synced};
use crate::library::{Library, PageId};
use crate::question::Tables;
use crate::words::some_of;

/// A library with its index, tables and weights.
pub struct Engine {
    /// The filings.
    pub library: Library,
    /// The index, in line with the library.
    pub index: Index,
    /// What questions are read with.
    pub tables: Arc<Tables>,
    /// Weights of the signals.
    pub weights: Weights,
    /// Catalog names of the companies, each once.
    pub companies: Vec<String>,
    /// MiniLM and the page vectors, where there are any.
    pub meaning: Option<Arc<dyn Meaning>>,
    pub(super) prepared: Prepared,
}

impl Engine {
    /// Opens the library in `root`; its index is brought in line first where it is not.
    pub fn open(
        root: &Path,
        tables: Arc<Tables>,
        progress: Progress<'_>,
    ) -> Result<(Engine, Synced)> {
        let library = Library::open(root)?;
        let mut synced = Synced::default();
        let mut opened = Index::open(&library);
        // Once more from nothing, should bringing it in line not be enough.
        for from_nothing in [false, true] {
            if matches!(opened, Ok(Some(_))) {
                break;
            }
            if let Err(error) = &opened {
                tracing::warn!("the index is brought in line: {error:#}");
            }
            if from_nothing {
                Index::wipe(&library)?;
            }
            let mended = synced.mended;
            synced = Index::sync(&library, progress, &AtomicBool::new(false))?;
            synced.mended |= mended || from_nothing;
            opened = Index::open(&library);
        }
        let index = opened?.context(
            "the index does not open after it was made: `tenleaf data verify --repair` looks at every file",
        )?;
        Ok((Engine::of(library, index, tables), synced))
    }

    /// An error when the index turned out to be damaged since it was opened: what was found with it is
    /// not to be trusted.
    pub fn check_index(&self) -> Result<()> {
        ensure!(!self.index.words().is_damaged(), DAMAGED);
        let damaged = self.index.damaged(&self.library);
        ensure!(
            damaged.is_empty(),
            "the index is damaged for {}, whose pages were left out: `tenleaf index` makes it again",
            some_of(&damaged)
        );
        Ok(())
    }

    /// What is known of a page besides its text.
    pub fn about(&self, page: PageId) -> About {
        let Some(analysis) = self.index.analysis(page.filing) else {
            return About::default();
        };
        let known = |text: &str| (!text.is_empty()).then(|| text.to_string());
        let facts = analysis.facts().get(page.page as usize);
        About {
            printed_page: known(analysis.printed_page(page.page)),
            statement: facts.and_then(|facts| facts.is_statement()),
            item: known(analysis.item(page.page)),
            heading: known(analysis.heading(page.page)),
            kind: known(analysis.kind(page.page)),
        }
    }

    /// Puts an engine together.
    pub fn of(library: Library, index: Index, tables: Arc<Tables>) -> Engine {
        let companies = library.companies();
        Engine {
            prepared: Prepared::new(&tables),
            library,
            index,
            tables,
            weights: Weights::builtin(),
            companies,
            meaning: None,
        }
    }
}
