//! The page pane: what is shown of a page, and where in it the reader is.

use std::ops::Range;

use super::laid_out::{LaidOut, Row};
use super::text;
use super::worker::LoadedPage;
use crate::library::PageId;

/// State of the page pane.
#[derive(Default)]
pub struct PageView {
    /// Generation of the newest page asked for.
    pub asked: u64,
    /// The page asked for last.
    pub wanted: Option<PageId>,
    /// The page shown.
    pub shown: Option<LoadedPage>,
    /// It is read beside the ranked pages, where the terminal is wide enough for both.
    pub beside: bool,
    /// Lines keep their length.
    pub unwrapped: bool,
    /// First row shown.
    pub top: usize,
    /// The first row as the page was opened: the reader who is there still has not gone elsewhere.
    opened: Option<usize>,
    /// First column shown of what keeps its length.
    pub column: usize,
    /// What is looked for in the page.
    pub find: String,
    /// Where it was found.
    pub finds: Vec<Range<usize>>,
    /// The match the reader went to.
    pub at: Option<usize>,
    /// The shown page, laid out for a width.
    laid_out: LaidOut,
    laid_out_for: Option<(u64, usize, bool)>,
    /// Rows the pane shows at once.
    height: usize,
    columns: usize,
}

impl PageView {
    /// No page of this library any more; how pages are read stays.
    pub fn forget(&mut self) {
        *self = PageView {
            beside: self.beside,
            unwrapped: self.unwrapped,
            asked: self.asked,
            ..PageView::default()
        };
    }

    /// The page has another number in the library opened again; the reader stays.
    pub fn renumber(&mut self, page: PageId) {
        let before = self.wanted.replace(page);
        self.shown = self.shown.take().filter(|p| Some(p.page) == before);
        if let Some(shown) = &mut self.shown {
            shown.page = page;
        }
    }

    /// The text shown.
    pub fn text(&self) -> &str {
        match &self.shown {
            Some(LoadedPage { text: Ok(text), .. }) => text,
            _ => "",
        }
    }

    /// The page as it is laid out.
    pub fn laid_out(&self) -> &LaidOut {
        &self.laid_out
    }

    /// Takes a page. The reader is put at its opening passage, or else at its top.
    pub fn show(&mut self, page: LoadedPage) {
        let same = self.shown.as_ref().is_some_and(|p| p.page == page.page);
        self.shown = Some(page);
        self.laid_out_for = None;
        self.finds = text::find_all(self.text(), &self.find);
        self.at = None;
        if !same {
            self.top = 0;
            self.opened = Some(0);
            self.column = 0;
        } else if self.shown.as_ref().is_some_and(|p| p.opening.is_none()) {
            // Read again, without a passage to go to: the reader stays.
            self.opened = None;
        }
        self.fit(self.columns, self.height);
    }

    /// Puts the reader at the opening passage, some rows of what stands before it above; at the top where
    /// the passage is in view from there.
    fn open(&mut self) {
        let shown = self.shown.as_ref();
        let passage = shown.and_then(|page| page.opening.clone());
        self.top = match passage.map(|passage| self.laid_out.row_of(passage.start)) {
            Some(row) if row + 3 >= self.height => row.saturating_sub(self.height / 3),
            _ => 0,
        };
        self.top = self.top.min(self.last_top());
        self.opened = Some(self.top);
    }

    /// Lays the page out for a pane of this size.
    pub fn fit(&mut self, columns: usize, height: usize) {
        let untouched = self.opened == Some(self.top);
        // The match the reader went to, unless they scrolled away from it.
        let went_to = self.stop().filter(|stop| self.shows(stop));
        let mut laid_out = self.height != height;
        self.columns = columns;
        self.height = height;
        let generation = self.shown.as_ref().map_or(0, |p| p.generation);
        let key = (generation, columns, self.unwrapped);
        if self.laid_out_for != Some(key) {
            // The reader stays at the same place of the text.
            let reading = self.row(self.top).map(|row| row.bytes.start);
            let tables = self.shown.as_ref().map_or(&[][..], |page| &page.tables);
            self.laid_out = match self.unwrapped {
                true => LaidOut::unwrapped(self.text()),
                false => LaidOut::wrapped(self.text(), tables, columns),
            };
            if let (Some(at), true) = (reading, self.laid_out_for.is_some()) {
                self.top = self.laid_out.row_of(at);
            }
            self.laid_out_for = Some(key);
            laid_out = true;
        }
        self.top = self.top.min(self.last_top());
        match went_to {
            Some(stop) if laid_out => self.reveal(stop),
            _ if untouched && laid_out && height > 0 => self.open(),
            _ => {}
        }
        self.column = self
            .column
            .min(self.laid_out.widest.saturating_sub(columns));
    }

    /// Scrolls by rows.
    pub fn scroll(&mut self, by: isize) {
        self.top = self.top.saturating_add_signed(by).min(self.last_top());
    }

    /// Scrolls what keeps its length sideways.
    pub fn scroll_columns(&mut self, by: isize) {
        self.column = self
            .column
            .saturating_add_signed(by)
            .min(self.laid_out.widest.saturating_sub(self.columns));
    }

    /// True when there is more to the right.
    pub fn has_more(&self) -> bool {
        self.column + self.columns < self.laid_out.widest
    }

    /// Rows the pane shows at once.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Looks for a phrase; empty ends the search.
    pub fn look_for(&mut self, phrase: &str) {
        self.find = phrase.to_string();
        self.finds = text::find_all(self.text(), phrase);
        self.at = None;
        if !self.finds.is_empty() {
            self.next(true);
        }
    }

    /// What `n` steps through: finds, or else the question's words, or else the labelled passages.
    pub fn stops(&self) -> &[Range<usize>] {
        match &self.shown {
            _ if !self.find.is_empty() => &self.finds,
            Some(page) if !page.marks.is_empty() => &page.marks,
            Some(page) => &page.evidence,
            None => &[],
        }
    }

    /// The match the reader went to.
    pub fn stop(&self) -> Option<Range<usize>> {
        self.stops().get(self.at?).cloned()
    }

    /// Goes to the next match, or the one before, round the ends.
    pub fn next(&mut self, forward: bool) -> bool {
        let count = self.stops().len();
        if count == 0 {
            return false;
        }
        let start = self.row(self.top).map_or(0, |row| row.bytes.start);
        let at = match (self.at, forward) {
            (Some(at), true) => (at + 1) % count,
            (Some(at), false) => (at + count - 1) % count,
            (None, true) => self
                .stops()
                .iter()
                .position(|r| r.start >= start)
                .unwrap_or(0),
            (None, false) => self
                .stops()
                .iter()
                .rposition(|r| r.start < start)
                .unwrap_or(count - 1),
        };
        self.at = Some(at);
        // The reader has gone elsewhere, even where the pane need not scroll.
        self.opened = None;
        let stop = self.stops()[at].clone();
        self.reveal(stop);
        true
    }

    /// True when the passage begins in a row that is in view.
    fn shows(&self, passage: &Range<usize>) -> bool {
        (self.top..self.top + self.height.max(1)).contains(&self.laid_out.row_of(passage.start))
    }

    /// Scrolls, as little as it takes, until the passage is in view with some rows around it.
    fn reveal(&mut self, passage: Range<usize>) {
        let row = self.laid_out.row_of(passage.start);
        let height = self.height.max(1);
        let margin = 3.min(height / 3);
        if row < self.top + margin {
            self.top = row.saturating_sub(margin);
        } else if row + margin >= self.top + height {
            self.top = (row + margin + 1).saturating_sub(height);
        }
        self.top = self.top.min(self.last_top());
        if let Some(row) = self.row(row).filter(|row| row.whole) {
            let before = self.text().get(row.bytes.start..passage.start);
            let column = before.map_or(0, text::width);
            if column < self.column || column + 8 > self.column + self.columns {
                self.column = column.saturating_sub(self.columns / 2);
            }
        }
    }

    fn row(&self, row: usize) -> Option<&Row> {
        self.laid_out.rows().get(row)
    }

    fn last_top(&self) -> usize {
        self.laid_out
            .rows()
            .len()
            .saturating_sub(self.height.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::PageQuality;
    use crate::search::About;

    fn view(text: &str, columns: usize, height: usize) -> PageView {
        let mut view = PageView::default();
        view.fit(columns, height);
        view.show(LoadedPage {
            generation: 1,
            page: PageId { filing: 0, page: 0 },
            text: Ok(text.into()),
            quality: PageQuality::Ok,
            marks: text::find_all(text, "sales"),
            evidence: Vec::new(),
            opening: None,
            about: About::default(),
            tables: Vec::new(),
            carried: None,
        });
        view
    }

    fn lines(n: usize) -> String {
        (0..n)
            .map(|i| {
                if i % 10 == 7 {
                    format!("line {i} sales\n")
                } else {
                    format!("line {i}\n")
                }
            })
            .collect()
    }

    #[test]
    fn matches_are_stepped_through_round_the_ends_and_kept_in_view() {
        let mut view = view(&lines(40), 20, 10);
        for row in [7, 17, 27, 37, 7] {
            assert!(view.next(true));
            assert!(
                (view.top..view.top + 10).contains(&row),
                "row {row}, top {}",
                view.top
            );
        }
        view.next(false);
        assert_eq!(view.at, Some(3));
        view.look_for("line 20");
        assert_eq!((view.at, view.stops().len()), (Some(0), 1));
        view.look_for("nothing of the sort");
        assert!(!view.next(true));
    }

    #[test]
    fn a_long_page_opens_at_its_passage_and_a_short_one_at_its_top() {
        let text = lines(60);
        let passage = text.find("line 40").unwrap();
        let open = |height| {
            let mut view = view(&text, 20, height);
            let mut page = view.shown.take().unwrap();
            page.opening = Some(passage..passage + 7);
            view.show(page);
            view
        };
        // Before the pane has rows nothing is known of where it is: it is opened when it has some.
        for first in [10, 0] {
            let mut view = open(first);
            view.fit(20, 10);
            assert_eq!(view.top, 37, "a third of the rows above it");
            view.fit(5, 12);
            let seen = &view.laid_out.rows()[view.top..view.top + 12];
            assert!(
                seen.iter().any(|row| row.bytes.contains(&passage)),
                "narrower"
            );
            view.fit(20, 60);
            assert_eq!(view.top, 0, "all of it fits");
            view.fit(20, 10);
            assert_eq!(view.top, 37);
            // Who went elsewhere stays there.
            view.scroll(-20);
            view.fit(20, 12);
            assert_eq!(view.top, 17);
        }
    }

    #[test]
    fn a_match_gone_to_stays_in_view_whatever_the_size() {
        let text = lines(60);
        let passage = text.find("line 43").unwrap();
        let mut view = view(&text, 20, 12);
        let mut page = view.shown.take().unwrap();
        page.opening = Some(passage..passage + 7);
        view.show(page);
        // The next match is in view where the page was opened: nothing scrolls.
        let opened = view.top;
        assert!(view.next(true));
        assert_eq!((view.top, view.at), (opened, Some(4)));
        let stop = view.stop().unwrap();
        for (columns, height) in [(20, 4), (7, 5), (1, 1), (20, 0), (4, 6), (20, 30), (20, 10)] {
            view.fit(columns, height);
            let row = view.laid_out.row_of(stop.start);
            assert!(
                (view.top..view.top + height.max(1)).contains(&row),
                "{columns}x{height}: row {row}, top {}",
                view.top
            );
        }
        // Who scrolled away from it stays there.
        view.scroll(-30);
        let top = view.top;
        view.fit(20, 12);
        assert_eq!(view.top, top);
    }

    #[test]
    fn the_reader_stays_in_place_when_the_width_changes() {
        let text = format!("{}needle\n{}", "word ".repeat(200), lines(50));
        let mut view = view(&text, 40, 10);
        view.top = view.laid_out.row_of(text.find("needle").unwrap());
        view.fit(17, 10);
        let row = &view.text()[view.row(view.top).unwrap().bytes.clone()];
        assert!(row.contains("needle"), "{row:?}");
    }

    #[test]
    fn scrolling_stops_at_the_edges_of_any_pane() {
        for (columns, height) in [(0, 0), (1, 1), (20, 10), (500, 500)] {
            let mut view = view(&lines(30), columns, height);
            view.scroll(isize::MAX);
            view.scroll(isize::MIN);
            assert_eq!(view.top, 0);
            view.unwrapped = true;
            view.fit(columns, height);
            view.scroll_columns(isize::MAX);
            view.scroll(isize::MAX);
            view.next(true);
            view.fit(columns, height);
        }
    }
}
