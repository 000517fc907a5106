//! Headings in force: the note of the financial statements and the nearest subheading.

use super::lines::lines;

/// Headings carried from page to page.
#[derive(Debug, Default)]
pub(super) struct Heads {
    note: Option<String>,
    last: Option<String>,
}

impl Heads {
    /// Reads one page: headings in force on it, outermost first, and carries the last ones on.
    pub(super) fn read(&mut self, text: &str) -> Vec<String> {
        let _ = (lines(text).next(), &self.note, &self.last);
        Vec::new()
    }
}
