//! The row of what was read from the question and set by hand. Where it is full, how many more there are is told.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::{joined, put};
use crate::tui::app::{App, Focus};
use crate::tui::chips::{Chip, Origin};

/// Between two chips.
const GAP: &str = "   ";

pub fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let chips = app.chips();
    if chips.is_empty() {
        let words = match app.line.text().is_empty() {
            true => "",
            false => "nothing read from the question: all filings are searched",
        };
        return put(buf, area, 0, Line::styled(words, theme.dim));
    }
    let focused = app.focus == Focus::Chips && app.overlay.is_none();
    let mut parts: Vec<Vec<Span>> = chips
        .iter()
        .enumerate()
        .map(|(ix, chip)| spans_of(app, chip, focused && ix == app.chip))
        .collect();
    let widths: Vec<usize> = parts
        .iter()
        .map(|part| part.iter().map(Span::width).sum())
        .collect();
    let selected = if focused { app.chip } else { 0 };
    let shown = shown(&widths, usize::from(area.width), selected);
    let (before, after) = (more(shown.start), more(chips.len() - shown.end));
    parts.truncate(shown.end);
    parts.drain(..shown.start);
    if !before.is_empty() {
        parts.insert(0, vec![Span::styled(before, theme.dim)]);
    }
    let line = joined(parts, GAP, theme.dim);
    if after.is_empty() {
        return put(buf, area, 0, line);
    }
    // A chip that is wider than the row is cut, and what comes after it is still told.
    let after = format!("{GAP}{after}");
    let room = area.width.saturating_sub(after.len() as u16);
    let end = room.min(line.width() as u16);
    put(
        buf,
        Rect {
            width: room,
            ..area
        },
        0,
        line,
    );
    let rest = Rect {
        x: area.x + end,
        width: area.width - end,
        ..area
    };
    put(buf, rest, 0, Line::styled(after, theme.dim));
}

/// How many more there are: `+3`.
fn more(chips: usize) -> String {
    match chips {
        0 => String::new(),
        n => format!("+{n}"),
    }
}

/// The chips that fit whole into so many columns, the selected one among them, beside the marks of how many more
/// there are at either end; one at least.
fn shown(widths: &[usize], room: usize, selected: usize) -> Range<usize> {
    let selected = selected.min(widths.len() - 1);
    let mark = |chips: usize| match more(chips).len() {
        0 => 0,
        width => GAP.len() + width,
    };
    let fits = |shown: &Range<usize>| {
        let gaps = (shown.len() - 1) * GAP.len();
        let chips: usize = widths[shown.clone()].iter().sum();
        mark(shown.start) + chips + gaps + mark(widths.len() - shown.end) <= room
    };
    (0..=selected)
        .flat_map(|first| {
            let ends = selected + 1..=widths.len();
            ends.rev().map(move |end| first..end)
        })
        .find(fits)
        .unwrap_or(selected..selected + 1)
}

/// Read: `company 3M`; set: `company = 3M`; removed: `company 3M ignored`.
fn spans_of(app: &App, chip: &Chip, selected: bool) -> Vec<Span<'static>> {
    let theme = &app.theme;
    let (between, after, style) = match chip.origin {
        Origin::Read => (" ", "", theme.read),
        Origin::Set => (" = ", "", theme.set),
        Origin::Ignored => (
            " ",
            " ignored",
            theme.dim.add_modifier(Modifier::CROSSED_OUT),
        ),
    };
    let here = |style: Style| match selected {
        true => style.add_modifier(Modifier::REVERSED),
        false => style,
    };
    vec![
        Span::styled(format!("{}{between}", chip.label), here(theme.dim)),
        Span::styled(chip.value.clone(), here(style)),
        Span::styled(after, here(theme.dim)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_chips_and_how_many_more() {
        // Widths, columns, the selected chip; what is shown.
        for (widths, room, selected, want) in [
            (&[10, 10, 10][..], 36, 0, 0..3),
            // `+1` and what parts it from the chip take five columns.
            (&[10, 10, 10], 35, 0, 0..2),
            (&[10, 10, 10], 28, 0, 0..2),
            (&[10, 10, 10], 27, 0, 0..1),
            // The selected one comes into view, and as few as can be go at the left.
            (&[10, 10, 10], 35, 2, 1..3),
            (&[10, 10, 10], 20, 1, 1..2),
            (&[10, 10, 10], 27, 2, 2..3),
            // Wider than the row.
            (&[50, 10], 30, 0, 0..1),
            (&[50, 10], 3, 1, 1..2),
            (&[7], 0, 9, 0..1),
        ] {
            assert_eq!(
                shown(widths, room, selected),
                want,
                "{widths:?} {room} {selected}"
            );
        }
    }
}
