//! Where the panes are, for any size of terminal.

use ratatui::layout::{Rect, Size};

use super::app::{App, Focus};
use super::line::Line;
use super::text;
use super::view::funnel_rows;

/// Where each part of the workbench is drawn; parts without room are empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Panes {
    /// Name of the program, size of the library, background work.
    pub head: Rect,
    /// The question line.
    pub question: Rect,
    /// The chips.
    pub chips: Rect,
    /// The switches.
    pub switches: Rect,
    /// Names of the panes, when one is shown at a time.
    pub tabs: Rect,
    /// The funnel.
    pub funnel: Rect,
    /// The ranked pages.
    pub ranking: Rect,
    /// The line between the columns.
    pub rule: Rect,
    /// The page.
    pub page: Rect,
    /// What the score of the selected page is made of.
    pub why: Rect,
    /// Notices and keys.
    pub foot: Rect,
}

/// From this size on, all panes are shown at once.
const WIDE: Size = Size {
    width: 100,
    height: 30,
};
/// Rows of the page beside the ranked pages where there is room for more: what its score is made of
/// stands below. Over SSH a step in the ranking brings a page that size, no more.
const PREVIEW_ROWS: u16 = 29;
/// Rows of a page read beside the ranked pages where there is room for more, for the same reason.
const READ_ROWS: u16 = 38;
/// Rows below the page from which on the score is shown there.
const WHY_ROWS: u16 = 12;
/// Columns from which on running text is wrapped, in a page over the whole width.
pub const MEASURE: usize = 120;
/// Columns of the prompt before the question.
pub const PROMPT_WIDTH: u16 = 2;

impl Panes {
    /// The panes of a state.
    pub fn of(app: &App) -> Panes {
        let Size { width, height } = app.size;
        let mut rows = Rect::new(0, 0, width, height);
        let wide = width >= WIDE.width && height >= WIDE.height;
        let mut panes = Panes::default();
        // The question first: on the smallest terminal it and one pane are all there is.
        let most = match height {
            0..=9 => 1,
            10..=29 => 2,
            _ => 3,
        };
        let asks = question_rows(&app.line, width, most);
        if height >= 12 {
            panes.head = take(&mut rows, 1);
        }
        if wide {
            take(&mut rows, 1);
        }
        panes.question = match height {
            0..=1 if app.focus != Focus::Question => Rect::default(),
            _ => take(&mut rows, asks),
        };
        if height >= 8 {
            panes.chips = take(&mut rows, 1);
            panes.switches = take(&mut rows, 1);
        }
        if height >= 4 {
            panes.foot = take_last(&mut rows, 1);
        }
        let whole_page = app.focus == Focus::Page && !app.page.beside;
        if wide {
            take(&mut rows, 1);
        }
        if wide && !whole_page {
            panes.side_by_side(app, rows);
            return panes;
        }
        if height >= 10 {
            panes.tabs = take(&mut rows, 1);
        }
        if wide {
            take(&mut rows, 1);
        }
        let body = rows;
        match app.focus {
            Focus::Funnel => panes.funnel = body,
            Focus::Page => panes.page = body,
            Focus::Question | Focus::Chips | Focus::Ranking => panes.ranking = body,
        }
        panes
    }

    /// All panes at once: funnel and ranked pages to the left, the page to the right, its score below.
    fn side_by_side(&mut self, app: &App, body: Rect) {
        let left = (body.width * 12 / 25).clamp(54, 104);
        let column = Rect {
            width: left,
            ..body
        };
        self.funnel = Rect {
            height: funnel_rows(app, left).min(column.height),
            ..column
        };
        self.ranking = Rect {
            y: column.y + self.funnel.height,
            height: column.height - self.funnel.height,
            ..column
        };
        self.rule = Rect {
            x: left + 1,
            width: 1,
            ..body
        };
        self.page = Rect {
            x: left + 3,
            width: body.width - left - 3,
            ..body
        };
        if app.focus != Focus::Funnel && body.height >= PREVIEW_ROWS + WHY_ROWS {
            self.page.height = match app.focus {
                Focus::Page => READ_ROWS.min(body.height - WHY_ROWS - 1),
                _ => PREVIEW_ROWS,
            };
            self.why = Rect {
                y: self.page.bottom() + 1,
                height: body.height - self.page.height - 1,
                ..self.page
            };
        }
    }

    /// True when all panes are shown at once.
    pub fn all_at_once(&self) -> bool {
        self.rule.width > 0
    }

    /// The text of the page: the pane without its heading.
    pub fn page_body(&self) -> Rect {
        without_heading(self.page)
    }

    /// The rows of the ranking: the pane without its heading.
    pub fn ranking_body(&self) -> Rect {
        without_heading(self.ranking)
    }
}

/// A pane without its heading; on the smallest terminals there is none.
pub fn without_heading(pane: Rect) -> Rect {
    let rows = if pane.height >= 4 { 1 } else { 0 };
    Rect {
        y: pane.y + rows,
        height: pane.height - rows,
        ..pane
    }
}

/// Columns of the page text: the pane without its gutter.
pub fn page_columns(page: Rect) -> usize {
    usize::from(page.width.saturating_sub(2))
}

/// Rows the question takes, at most so many.
fn question_rows(line: &Line, width: u16, most: u16) -> u16 {
    let columns = usize::from(width.saturating_sub(PROMPT_WIDTH)).max(1);
    // Laid out after every key: of a long question only what can be seen.
    let seen = text::skip_columns(line.text(), columns * usize::from(most));
    // The cursor may stand behind the last character.
    let rows = text::rows(&format!("{} ", &line.text()[..seen]), columns).len();
    u16::try_from(rows).unwrap_or(u16::MAX).clamp(1, most)
}

/// Takes rows from the top of an area, as many of them as it has.
pub fn take(from: &mut Rect, rows: u16) -> Rect {
    let height = rows.min(from.height);
    let taken = Rect { height, ..*from };
    from.y += height;
    from.height -= height;
    taken
}

/// Takes rows from the bottom of an area, as many of them as it has.
pub fn take_last(from: &mut Rect, rows: u16) -> Rect {
    let height = rows.min(from.height);
    from.height -= height;
    Rect {
        y: from.y + from.height,
        height,
        ..*from
    }
}
