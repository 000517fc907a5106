//! What the workbench asks of the engine. A trait, so that every screen can be tested over a few
//! pages in memory.

use std::ops::Range;

use crate::dense::Readiness;
use crate::library::{Filing, PageId, PageText};
use crate::search::{About, Engine, Outcome, Pages, RankedPage, Retriever, Settings, Snippet};

/// Questions in, pages out. Called on a worker thread, never while drawing.
pub trait Finder: Pages + Send + Sync {
    /// Answers a question.
    fn search(&self, question: &str, settings: &Settings) -> Outcome;
    /// Byte ranges of the question's words in a text.
    fn marks(&self, outcome: &Outcome, text: &str) -> Vec<Range<usize>>;
    /// Byte range of the passage of a text that the question's words gather in.
    fn best_passage(&self, outcome: &Outcome, text: &str) -> Option<Range<usize>> {
        self.marks(outcome, text).into_iter().next()
    }
    /// What is known of a page besides its text.
    fn about(&self, page: PageId) -> About;
    /// Whether what is on disk is no longer what was opened.
    fn has_changed(&self) -> bool {
        false
    }
    /// The retrievers there is something for, BM25 first. Looks at no more than names of files.
    fn retrievers(&self) -> Vec<Retriever>;
    /// Whether an evaluation says something of this retriever. The model may be loaded for that.
    fn is_measurable(&self, retriever: Retriever) -> bool {
        self.retrievers().contains(&retriever)
    }
    /// What the other retrievers lack, and the command that brings it.
    fn lacks(&self) -> Option<String> {
        None
    }
    /// What a search would wait for. Never waits itself.
    fn readiness(&self, _question: &str, _settings: &Settings) -> Readiness {
        Readiness::Ready
    }
    /// Does what a search would wait for. Takes a second the first time.
    ///
    /// # Errors
    /// What is missing or wrong and what to do, in words for a person.
    fn make_ready(&self, _question: &str, _settings: &Settings) -> Result<(), String> {
        Ok(())
    }
    /// The same engine as evaluation sees it; none where there is none to evaluate.
    fn engine(&self) -> Option<&Engine> {
        None
    }
}

/// Stands in until the library is open.
pub struct NoLibrary;

impl Pages for NoLibrary {
    fn filings(&self) -> &[Filing] {
        &[]
    }

    fn page(&self, _: PageId) -> Result<PageText, String> {
        Err("the library is still being opened".into())
    }

    fn snippet(&self, _: &Outcome, _: &RankedPage) -> Snippet {
        Snippet::default()
    }
}

impl Finder for NoLibrary {
    fn search(&self, question: &str, settings: &Settings) -> Outcome {
        Outcome {
            question: question.into(),
            settings: settings.clone(),
            ..Outcome::default()
        }
    }

    fn marks(&self, _: &Outcome, _: &str) -> Vec<Range<usize>> {
        Vec::new()
    }

    fn about(&self, _: PageId) -> About {
        About::default()
    }

    fn retrievers(&self) -> Vec<Retriever> {
        vec![Retriever::Bm25]
    }
}
