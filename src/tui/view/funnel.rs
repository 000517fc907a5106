//! The funnel: how 360 filings became a handful, and why these.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{count, heading, put, put_right};
use crate::search::{Stage, StageKind};
use crate::tui::app::{App, Focus};
use crate::tui::layout::{Panes, without_heading};
use crate::tui::text;

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
        let words = format!("{} {}", text::right("filings", 9), text::right("pages", 9));
        let at = Rect {
            x: area.x + 11,
            width: area.width.saturating_sub(11),
            ..area
        };
        put(buf, at, 0, Line::styled(words, theme.dim));
    }
    let Some(outcome) = app.outcome() else { return };
    // On a terminal of a few rows the selected stage stays in view.
    let stages = outcome.funnel.len().min(usize::from(body.height));
    let first = (app.stage + 1).saturating_sub(stages);
    for (row, (ix, stage)) in outcome
        .funnel
        .iter()
        .enumerate()
        .skip(first)
        .take(stages)
        .enumerate()
    {
        let before = ix.checked_sub(1).and_then(|ix| outcome.funnel.get(ix));
        let selected = focused && ix == app.stage;
        put(
            buf,
            body,
            row as u16,
            stage_line(app, stage, before, selected),
        );
    }
    let rest = Rect {
        y: body.y + stages as u16,
        height: body.height - stages as u16,
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

fn stage_line<'a>(app: &App, stage: &'a Stage, before: Option<&Stage>, selected: bool) -> Line<'a> {
    let theme = &app.theme;
    let name = match stage.stage {
        StageKind::All => "all",
        StageKind::Company => "company",
        StageKind::Year => "year",
        StageKind::Form => "form",
        StageKind::Pages => "pages",
        StageKind::Routed => "routed",
    };
    let narrowed = before.is_none_or(|b| (b.filings, b.pages) != (stage.filings, stage.pages));
    let style = match (stage.active, narrowed) {
        (false, _) => theme.dim,
        (true, false) => theme.text,
        (true, true) => theme.selected,
    };
    Line::from(vec![
        Span::styled(if selected { "▸ " } else { "  " }, theme.accent),
        Span::styled(text::left(name, 9), style),
        Span::styled(text::right(&text::thousands(stage.filings), 9), style),
        Span::styled(
            format!(" {}", text::right(&text::thousands(stage.pages), 9)),
            style,
        ),
        Span::styled(
            format!("  {}", stage.kept),
            if stage.active { theme.text } else { theme.dim },
        ),
    ])
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
        put(buf, area, 0, Line::styled(title, theme.title_idle));
        let words = count(stage.filings, "filing");
        put_right(
            buf,
            area,
            0,
            Line::styled(words, theme.dim),
            usize::from(area.width / 2),
        );
    }
    let wide = usize::from(area.width);
    let name = (wide / 2).min(40);
    for (row, kept) in stage
        .reasons
        .iter()
        .take(usize::from(body.height))
        .enumerate()
    {
        let filing = app.find_filing(&kept.doc_name).and_then(|f| app.filing(f));
        let title = filing.map_or_else(|| kept.doc_name.clone(), |f| f.title());
        let line = Line::from(vec![
            Span::styled(format!("  {}", text::left(&title, name)), theme.text),
            Span::styled(format!("  {}", kept.why), theme.dim),
        ]);
        put(buf, body, row as u16, line);
    }
}
