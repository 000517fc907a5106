//! Filings and their pages, as what is said of an answer needs them: of an engine, or of a test.

use super::{Engine, Outcome, RankedPage, Snippet, snippet};
use crate::library::{Filing, PageId, PageText};
use crate::structure::{Carried, carry};

/// What stands behind the pages of an answer.
pub trait Pages {
    /// Every filing, sorted by `doc_name`.
    fn filings(&self) -> &[Filing];
    /// The text of a page.
    ///
    /// # Errors
    /// When the page store is damaged; in words for a person.
    fn page(&self, page: PageId) -> Result<PageText, String>;
    /// The passage of a ranked page that shows why it is there.
    fn snippet(&self, outcome: &Outcome, page: &RankedPage) -> Snippet;
}

impl Pages for Engine {
    fn filings(&self) -> &[Filing] {
        self.library.filings()
    }

    fn page(&self, page: PageId) -> Result<PageText, String> {
        self.library.page(page).map_err(|error| error.to_string())
    }

    fn snippet(&self, outcome: &Outcome, page: &RankedPage) -> Snippet {
        snippet(self, outcome, page)
    }
}

/// Title, scale and columns of the page before, where its last table goes on here.
pub fn carried(pages: &dyn Pages, page: PageId) -> Option<Carried> {
    let before = PageId {
        page: page.page.checked_sub(1)?,
        ..page
    };
    let text = |page| pages.page(page).ok().map(|page| page.text);
    carry(&text(before)?, &text(page)?)
}
