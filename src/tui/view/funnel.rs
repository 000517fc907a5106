//! The funnel: how 360 filings became a handful, and why these.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{count, heading, put, put_right};
use crate::search::Stage;
use crate::tui::app::{App, Focus};
use crate::tui::layout::{Panes, without_heading};
use crate::tui::text;

/// Stages of a whole funnel.
const STAGES: usize = 6;

pub fn draw(app: &App, panes: &Panes, buf: &mut Buffer) {
    let area = panes.funnel;
    if area.is_empty() {
        return;
    }
    let theme = &app.theme;
    let focused = app.focus == Focus::Funnel;
    let body = without_heading(area);
    if body.y > area.y {
        put(buf, area, 0, Line::from(heading(app, "Funnel", focused)));
        let words = text::right("filings", NUMBER) + &text::right("pages", NUMBER);
        let before = (2 + NAME) as u16;
        let at = Rect {
            x: area.x + before,
            width: area.width.saturating_sub(before),
            ..area
        };
        put(buf, at, 0, Line::styled(words, theme.dim));
    }
    let Some(outcome) = app.outcome() else { return };
    // On a terminal of a few rows the selected stage stays in view.
    let stages = outcome.funnel.len().min(usize::from(body.height));
    let first = (app.stage + 1).saturating_sub(stages);
    // What was kept goes on in a second row where there are rows for that.
    let spare = usize::from(body.height).saturating_sub(outcome.funnel.len());
    let mut row = 0;
    let mut extra = 0;
    for (ix, stage) in outcome.funnel.iter().enumerate().skip(first).take(stages) {
        let before = ix.checked_sub(1).and_then(|ix| outcome.funnel.get(ix));
        let selected = focused && ix == app.stage;
        let kept = kept_rows(&stage.kept, area.width, 1 + spare - extra.min(spare));
        extra += kept.len() - 1;
        for (n, range) in kept.into_iter().enumerate() {
            let words = stage.kept[range].trim_end();
            let line = match n {
                0 => stage_line(app, stage, words, before, selected),
                _ => kept_line(app, stage, words, BEFORE_KEPT),
            };
            put(buf, body, row, line);
            row += 1;
        }
    }
    let rest = Rect {
        y: body.y + row.min(body.height),
        height: body.height - row.min(body.height),
        ..body
    };
    if !panes.all_at_once() && rest.height > 2 {
        let below = Rect {
            y: rest.y + 1,
            height: rest.height - 1,
            ..rest
        };
        kept(app, below, buf);
    }
}

/// Columns of a stage's name and of its numbers, and of all before what it kept.
const NAME: usize = 8;
const NUMBER: usize = 8;
const BEFORE_KEPT: usize = 2 + NAME + 2 * NUMBER + 2;

/// What a stage kept, in at most two rows of a funnel of this width; always one.
fn kept_rows(kept: &str, width: u16, most: usize) -> Vec<Range<usize>> {
    match usize::from(width).saturating_sub(BEFORE_KEPT) {
        0..12 => text::first_rows(kept, usize::MAX, 1),
        room => text::first_rows(kept, room, most.min(2)),
    }
}

/// The rows of a funnel of this width: its heading, its stages, one left free.
pub fn rows(app: &App, width: u16) -> u16 {
    let stages = app.outcome().map_or(&[][..], |o| &o.funnel);
    let rows: usize = stages
        .iter()
        .map(|stage| kept_rows(&stage.kept, width, 2).len())
        .sum();
    u16::try_from(rows.max(STAGES) + 2).unwrap_or(u16::MAX)
}

fn kept_line(app: &App, stage: &Stage, words: &str, indent: usize) -> Line<'static> {
    let theme = &app.theme;
    let style = if stage.active { theme.text } else { theme.dim };
    Line::styled(format!("{}{words}", " ".repeat(indent)), style)
}

fn stage_line(
    app: &App,
    stage: &Stage,
    kept: &str,
    before: Option<&Stage>,
    selected: bool,
) -> Line<'static> {
    let theme = &app.theme;
    let name = stage.stage.name();
    let narrowed = before.is_none_or(|b| (b.filings, b.pages) != (stage.filings, stage.pages));
    let style = match (stage.active, narrowed) {
        (false, _) => theme.dim,
        (true, false) => theme.text,
        (true, true) => theme.selected,
    };
    let number = |n: usize| text::right(&text::thousands(n), NUMBER);
    let mut line = kept_line(app, stage, kept, 2);
    let before = [
        Span::styled(if selected { "▸ " } else { "  " }, theme.accent),
        Span::styled(text::left(name, NAME), style),
        Span::styled(number(stage.filings) + &number(stage.pages), style),
    ];
    line.spans.splice(0..0, before);
    line
}

/// The filings a stage left, with the reasons.
pub fn kept(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let Some(outcome) = app.outcome() else { return };
    let Some(stage) = outcome.funnel.get(app.stage) else {
        return;
    };
    let body = without_heading(area);
    if body.y > area.y {
        let title = match stage.kept.is_empty() {
            true => "Kept".to_string(),
            false => format!("Kept: {}", stage.kept),
        };
        // The table above has the number too: it gives way to the words.
        let room = usize::from(area.width).saturating_sub(text::width(&title) + 2);
        put(buf, area, 0, Line::styled(title, theme.title_idle));
        let words = count(stage.filings, "filing");
        put_right(buf, area, 0, Line::styled(words, theme.dim), room);
    }
    // The reason stands beside the name, or where both are too long for that in rows of its own.
    let wide = usize::from(body.width);
    let column = (wide / 2).min(40);
    let mut lines: Vec<Line> = Vec::new();
    for kept in &stage.reasons {
        if lines.len() >= usize::from(body.height) {
            break;
        }
        let filing = app.find_filing(&kept.doc_name).and_then(|f| app.filing(f));
        let title = filing.map_or_else(|| kept.doc_name.clone(), |f| f.title());
        let name = text::width(&title).max(column);
        let room = wide.saturating_sub(name + 4);
        if text::width(&kept.why) <= room {
            lines.push(Line::from(vec![
                Span::styled(format!("  {}", text::left(&title, name)), theme.text),
                Span::styled(format!("  {}", kept.why), theme.dim),
            ]));
            continue;
        }
        lines.push(Line::styled(format!("  {title}"), theme.text));
        for range in text::rows(&kept.why, wide.saturating_sub(4)) {
            let words = kept.why[range].trim_end();
            lines.push(Line::styled(format!("    {words}"), theme.dim));
        }
    }
    for (row, line) in lines.into_iter().enumerate() {
        put(buf, body, row as u16, line);
    }
}
