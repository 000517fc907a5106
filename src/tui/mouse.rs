//! The mouse, once the user turned it on: click to select, wheel to scroll.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::analysis;
use super::app::{App, Effect, Focus, Overlay, Screen};
use super::update::{scroll_overlay, select};
use super::view::ranking_listed;

/// Rows a turn of the wheel scrolls.
const WHEEL: isize = 3;

/// True when something changed.
pub fn update(app: &mut App, event: MouseEvent, effects: &mut Vec<Effect>) -> bool {
    let at = Position::new(event.column, event.row);
    let panes = app.panes();
    let has_chips = !app.chips().is_empty();
    let wheel = match event.kind {
        MouseEventKind::ScrollDown => WHEEL,
        MouseEventKind::ScrollUp => -WHEEL,
        MouseEventKind::Down(MouseButton::Left) => 0,
        _ => return false,
    };
    match &mut app.overlay {
        Some(Overlay::Help { .. } | Overlay::Why { .. }) => scroll_overlay(app, wheel),
        Some(Overlay::Picker(picker)) => picker.step(wheel),
        Some(Overlay::Prompt(_)) => {}
        None if app.screen == Screen::Analysis => analysis::mouse(app, at, wheel, effects),
        None if panes.page.contains(at) => match wheel {
            0 => app.focus = Focus::Page,
            by => app.page.scroll(by),
        },
        None if panes.ranking.contains(at) => match wheel {
            0 => {
                app.focus = Focus::Ranking;
                let body = panes.ranking_body();
                if body.contains(at) {
                    let row = at.y - body.y;
                    if let Some(listed) = ranking_listed(app, body.height, row) {
                        select(app, listed, effects);
                    }
                }
            }
            by => select(
                app,
                app.selected.saturating_add_signed(by.signum()),
                effects,
            ),
        },
        None if panes.question.contains(at) && wheel == 0 => app.focus = Focus::Question,
        None if panes.chips.contains(at) && wheel == 0 && has_chips => {
            app.focus = Focus::Chips;
        }
        None if panes.funnel.contains(at) && wheel == 0 => {
            app.focus = Focus::Funnel;
            let row = usize::from(at.y.saturating_sub(panes.funnel.y + 1));
            let last = app
                .outcome()
                .map_or(0, |o| o.funnel.len().saturating_sub(1));
            app.stage = row.min(last);
        }
        None => return false,
    }
    true
}
