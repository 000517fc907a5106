//! The question list.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::{Column, column_widths, layout, put, rank, row_of};
use crate::tui::analysis::state::{Pane, Row};
use crate::tui::app::App;
use crate::tui::text;

/// The rows without the heading; the smallest lists have none.
fn body(area: Rect) -> Rect {
    let rows = u16::from(area.height >= 3);
    Rect {
        y: area.y + rows,
        height: area.height - rows,
        ..area
    }
}

fn top(app: &App, height: u16) -> usize {
    let height = usize::from(height).max(1);
    let n = app.analysis.shown.len();
    // The selected row in the middle, as far as there are rows.
    (app.analysis.selected.saturating_sub(height / 2)).min(n.saturating_sub(height))
}

/// The row of the list under the mouse.
pub fn row_at(app: &App, at: Position) -> Option<usize> {
    let body = body(layout(app).of(Pane::List));
    Some(row_of(body, at)? + top(app, body.height))
}

pub fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let analysis = &app.analysis;
    let focused = analysis.pane == Pane::List && app.overlay.is_none();
    let body = body(area);
    let columns = column_widths(area.width, analysis.saved.is_some());
    if body.y > area.y {
        let mut line = vec![Span::raw("  ")];
        for (column, width) in &columns {
            let mut title = match (column, analysis.saved.is_some()) {
                (Column::Rank, true) => "rank  saved".to_string(),
                _ => column.title().to_string(),
            };
            if let Some((by, reversed)) = analysis.sort
                && by == *column
            {
                title += if reversed { "↓" } else { "↑" };
            }
            let style = if focused {
                theme.title
            } else {
                theme.title_idle
            };
            line.push(Span::styled(text::left(&title, *width), style));
            line.push(Span::raw("  "));
        }
        put(buf, area, 0, Line::from(line));
    }
    if analysis.shown.is_empty() {
        let words = "  no question passes the filters";
        return put(buf, body, 0, Line::styled(words, theme.dim));
    }
    let first = top(app, body.height);
    let rows = analysis.shown.iter().enumerate().skip(first);
    for (y, (at, &ix)) in rows.take(usize::from(body.height)).enumerate() {
        let row = &analysis.rows[ix];
        let selected = at == analysis.selected;
        let base = if selected { theme.selected } else { theme.text };
        let mark = if selected { "▸ " } else { "  " };
        let mut line = vec![Span::styled(mark, theme.accent)];
        for (column, width) in &columns {
            let style = match column {
                Column::Hit if row.hit() == Some(false) => theme.error,
                Column::Hit => theme.dim,
                Column::Stage if !selected => theme.dim,
                Column::Tag => theme.label,
                _ => base,
            };
            let shown = cell(app, row, *column);
            line.push(Span::styled(text::left(&shown, *width), style));
            line.push(Span::raw("  "));
        }
        put(buf, body, y as u16, Line::from(line));
    }
}

fn cell(app: &App, row: &Row, column: Column) -> String {
    let known = row.judged.is_some();
    match column {
        Column::Rank => {
            let now = match known {
                true => text::right(&rank(row.rank()), 4),
                false => text::right("…", 4),
            };
            match (&app.analysis.saved, row.saved) {
                (Some(_), Some(saved)) if known && saved != row.rank() => {
                    format!("{now} {}", text::right(&rank(saved), 6))
                }
                _ => now,
            }
        }
        Column::Tag if row.tags.is_empty() && row.notes > 0 => "✎".into(),
        Column::Tag => row.tags.join(", "),
        column => row.values(column).join(", "),
    }
}
