//! Drawing a state. Views read the state and never change it.

mod chips;
mod funnel;
mod head;
mod overlay;
mod page;
mod ranking;
mod why;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

pub use funnel::rows as funnel_rows;
pub use head::{foot, switches};
pub use overlay::last_top as overlay_last_top;
pub use page::CARRIED_ROWS;
pub use ranking::{listed_at as ranking_listed, shown as ranking_shown};

pub use crate::words::count;

use super::analysis;
use super::app::{App, Screen};
use crate::search::Retriever;

/// Draws the state.
pub fn draw(app: &App, frame: &mut Frame) {
    match app.screen {
        Screen::Bench => bench(app, frame),
        Screen::Analysis => analysis::draw(app, frame),
    }
    overlay::draw(app, frame);
}

fn bench(app: &App, frame: &mut Frame) {
    let panes = app.panes();
    head::draw(app, &panes, frame);
    let buf = frame.buffer_mut();
    funnel::draw(app, &panes, buf);
    ranking::draw(app, panes.ranking, buf);
    for y in panes.rule.top()..panes.rule.bottom() {
        put(
            buf,
            panes.rule,
            y - panes.rule.y,
            Line::styled("│", app.theme.dim),
        );
    }
    page::draw(app, &panes, buf);
    why::draw(app, panes.why, buf);
    // Last: a long line for the user takes the rows above.
    foot(app, panes.foot, buf);
}

/// Puts a line in a row of an area; what does not fit is cut and ends in `…`, rows outside are not
/// drawn.
pub fn put(buf: &mut Buffer, area: Rect, row: u16, line: Line) {
    let area = area.intersection(buf.area);
    if row >= area.height || area.width == 0 {
        return;
    }
    let y = area.y + row;
    if line.width() <= usize::from(area.width) {
        buf.set_line(area.x, y, &line, area.width);
        return;
    }
    let words: String = line.spans.iter().map(|span| &*span.content).collect();
    if Line::from(words.trim_end()).width() <= usize::from(area.width) {
        // Only blanks are cut.
        buf.set_line(area.x, y, &line, area.width);
        return;
    }
    // A wide character may leave the last column but one free: the mark follows what was written.
    let (x, _) = buf.set_line(area.x, y, &line, area.width - 1);
    buf.set_string(x, y, "…", line.style);
}

/// Puts a line at the right end of a row; dropped when it would take more than `room` columns.
pub fn put_right(buf: &mut Buffer, area: Rect, row: u16, line: Line, room: usize) {
    let width = line.width();
    if width <= room {
        let columns = u16::try_from(width).unwrap_or(u16::MAX).min(area.width);
        let area = Rect {
            x: area.right() - columns,
            width: columns,
            ..area
        };
        put(buf, area, row, line);
    }
}

/// A heading of a pane.
pub fn heading<'a>(app: &App, words: &'a str, focused: bool) -> Span<'a> {
    match focused && app.overlay.is_none() {
        true => Span::styled(words, app.theme.title),
        false => Span::styled(words, app.theme.title_idle),
    }
}

/// Spans joined by a separator.
pub fn joined<'a>(parts: Vec<Vec<Span<'a>>>, between: &'a str, style: Style) -> Line<'a> {
    let mut line = Line::default();
    for (ix, part) in parts.into_iter().enumerate() {
        if ix > 0 {
            line.push_span(Span::styled(between, style));
        }
        line.extend(part);
    }
    line
}

/// A retriever, as shown.
pub fn retriever(retriever: Retriever) -> &'static str {
    match retriever {
        Retriever::Bm25 => "BM25",
        Retriever::Dense => "meaning",
        Retriever::Hybrid => "BM25 + meaning",
    }
}
