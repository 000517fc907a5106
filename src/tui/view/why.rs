//! What the score of the selected page is made of.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{put, put_right};
use crate::tui::app::App;
use crate::tui::text;

/// Columns of the numbers.
const NUMBER: usize = 9;

pub fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let ranked = app.outcome().and_then(|o| o.ranked.get(app.selected));
    let (Some(page), true) = (ranked, area.height > 2) else {
        return;
    };
    let title = Line::styled("Score", theme.title_idle);
    put(buf, area, 0, title);
    let number = |value: f64| text::right(&format!("{value:.2}"), NUMBER);
    let wide = usize::from(area.width);
    put_right(
        buf,
        area,
        0,
        Line::styled(number(page.score), theme.selected),
        wide,
    );
    let rows = usize::from(area.height - 1);
    // What does not fit is told in one line with its sum.
    let shown = match page.reasons.len() > rows {
        true => rows - 1,
        false => page.reasons.len(),
    };
    let (shown, rest) = page.reasons.split_at(shown);
    let mut lines: Vec<(String, f64)> = shown
        .iter()
        .map(|reason| (reason.words.clone(), reason.contribution))
        .collect();
    if !rest.is_empty() {
        let sum = rest.iter().map(|reason| reason.contribution).sum();
        lines.push((format!("{} more", rest.len()), sum));
    }
    let room = wide.saturating_sub(NUMBER + 4);
    for (row, (words, value)) in lines.iter().enumerate() {
        let row = row as u16 + 1;
        let words = text::left(words, room);
        let line = Line::from(vec![
            Span::styled(format!("  {words}  "), theme.dim),
            Span::styled(text::right(&format!("{value:+.2}"), NUMBER), theme.text),
        ]);
        put(buf, area, row, line);
    }
}
