//! The engine as the workbench sees it.

use std::ops::Range;

use super::finder::Finder;
use crate::dense::Readiness;
use crate::eval::ladder;
use crate::library::PageId;
use crate::search::{
    About, Engine, Outcome, Retriever, Settings, best_passage, make_ready, marks, readiness, search,
};

impl Finder for Engine {
    fn search(&self, question: &str, settings: &Settings) -> Outcome {
        search(self, question, settings)
    }

    fn marks(&self, outcome: &Outcome, text: &str) -> Vec<Range<usize>> {
        marks(outcome, text)
    }

    fn best_passage(&self, outcome: &Outcome, text: &str) -> Option<Range<usize>> {
        best_passage(outcome, text)
    }

    fn about(&self, page: PageId) -> About {
        Engine::about(self, page)
    }

    fn has_changed(&self) -> bool {
        self.library.has_changed()
    }

    fn retrievers(&self) -> Vec<Retriever> {
        match &self.meaning {
            Some(meaning) if meaning.missing().is_none() => {
                vec![Retriever::Bm25, Retriever::Dense, Retriever::Hybrid]
            }
            _ => vec![Retriever::Bm25],
        }
    }

    fn is_measurable(&self, retriever: Retriever) -> bool {
        retriever == Retriever::Bm25 || ladder::measurable(self).is_ok()
    }

    fn lacks(&self) -> Option<String> {
        self.meaning.as_ref()?.missing()
    }

    fn readiness(&self, question: &str, settings: &Settings) -> Readiness {
        readiness(self, question, settings)
    }

    fn make_ready(&self, question: &str, settings: &Settings) -> Result<(), String> {
        make_ready(self, question, settings).map_err(|error| error.to_string())
    }

    fn engine(&self) -> Option<&Engine> {
        Some(self)
    }
}
