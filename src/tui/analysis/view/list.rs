//! The question list.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::{Column, RANK, column_widths, layout, put, row_of};
use crate::eval::misses::Loss;
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
    let differs = analysis.differs();
    let columns = column_widths(area.width, differs);
    if body.y > area.y {
        let mut line = vec![Span::raw("  ")];
        for (column, width) in &columns {
            let mut title = match (column, differs) {
                (Column::Rank, true) => "rank was".to_string(),
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
            let shown = cell(row, *column, *width);
            line.push(Span::styled(text::left(&shown, *width), style));
            line.push(Span::raw("  "));
        }
        put(buf, body, y as u16, Line::from(line));
    }
}

fn cell(row: &Row, column: Column, width: usize) -> String {
    let known = row.judged.is_some();
    match column {
        Column::Rank => {
            // Without commas: the column holds the rank of any page.
            let rank = |rank: Option<usize>| {
                let digits = rank.map_or("–".to_string(), |rank| rank.to_string());
                text::right(&digits, RANK)
            };
            let now = match known {
                true => rank(row.rank()),
                false => String::new(),
            };
            match row.was() {
                Some(was) => format!("{now} {}", rank(was)),
                None => now,
            }
        }
        Column::Tag if row.tags.is_empty() && row.notes > 0 => "✎".into(),
        Column::Tag => row.tags.join(", "),
        Column::Stage => row.loss().map_or(String::new(), |loss| stage(loss, width)),
        // "metrics-generated": its first word says it all.
        Column::Type if text::width(&row.kind) > width => {
            let first = row.kind.split('-').next();
            first.unwrap_or_default().to_string()
        }
        column => row.values(column).join(", "),
    }
}

/// Where a question is lost; in little room in few words.
fn stage(loss: Loss, width: usize) -> String {
    let title = loss.title();
    let words = match text::width(title) <= width {
        true => title,
        false => few_words(loss),
    };
    words.to_string()
}

/// A loss in few words. The filter, `misses` and `eval` have its title.
pub fn few_words(loss: Loss) -> &'static str {
    match loss {
        Loss::CompanyNotFound => "company unread",
        Loss::DroppedByCompany => "lost by company",
        Loss::DroppedByYear => "lost by year",
        Loss::DroppedByForm => "lost by form",
        Loss::NoSuchStatement => "label not routed",
        Loss::StatementOutranked => "statement beaten",
        Loss::StatementNotAsked => "statement unread",
        Loss::FewSharedWords => "few shared words",
        Loss::NarrativeOutranked => "text outranked",
    }
}
