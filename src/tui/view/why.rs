//! What the score of the page under the cursor is made of: below the page where there is room, and over
//! all else on a key.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::overlay::{box_areas, boxed};
use super::page::rank_words;
use super::{put, put_right};
use crate::search::RankedPage;
use crate::tui::action::{Action, Where};
use crate::tui::app::App;
use crate::tui::text;

/// Columns of the numbers.
const NUMBER: usize = 9;

pub fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let (Some(page), true) = (app.listed_here(), area.height > 2) else {
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

/// Columns of the table over all else, and what of them a box takes.
const OVER: u16 = 92;
const FRAME: u16 = 4;

/// A row of the table.
enum Row {
    Blank,
    Words(String),
    /// Words and number; a word that goes on in another row has no number.
    Part(String, Option<f64>),
    Sum(String, f64),
}

/// The table: every part of the score and their sum; words alone for a page that is not listed.
fn table(app: &App, columns: usize) -> Vec<Row> {
    let room = columns.saturating_sub(NUMBER + 2).max(1);
    let mut rows = Vec::new();
    let Some(page) = app.listed_here() else {
        let words = unlisted(app);
        let lines = text::rows(&words, columns);
        rows.extend(lines.into_iter().map(|r| Row::Words(words[r].to_string())));
        return rows;
    };
    for reason in &page.reasons {
        let lines = text::rows(&reason.words, room);
        for (n, range) in lines.into_iter().enumerate() {
            let number = (n == 0).then_some(reason.contribution);
            rows.push(Row::Part(reason.words[range].to_string(), number));
        }
    }
    let parts = match page.reasons.len() {
        1 => "the one part above".to_string(),
        n => format!("the sum of the {n} parts above"),
    };
    rows.push(Row::Blank);
    rows.push(Row::Sum(format!("score: {parts}"), page.score));
    rows
}

/// Why there is no table for the page that is read.
fn unlisted(app: &App) -> String {
    let key = app.keymap.key(Action::NextRanked, Where::PAGE);
    let rank = match (app.outcome(), app.page.wanted) {
        (Some(outcome), Some(page)) => outcome.rank_of(page),
        _ => None,
    };
    match (rank, app.outcome().map_or(0, |o| o.ranked.len())) {
        (_, 0) => "Nothing is ranked yet: type a question.".to_string(),
        (Some(rank), listed) => format!(
            "This page has rank {}. What a score is made of is kept for the first {listed} pages: {key} goes to the next of them.",
            text::thousands(rank)
        ),
        (None, _) => format!(
            "This page has no score: it is not in the scope of the question, or holds none of its words. {key} goes to the next ranked page."
        ),
    }
}

fn columns_of(screen: u16) -> usize {
    usize::from(OVER.min(screen).saturating_sub(FRAME))
}

/// The first row shown where the table over all else is scrolled to its end.
pub fn last_top(app: &App, screen: Rect) -> usize {
    let rows = table(app, columns_of(screen.width)).len();
    let (_, inner) = box_areas(screen, OVER, height(rows));
    rows.saturating_sub(usize::from(body(inner).height))
}

/// Rows of the box: those of the table, the hints, what parts the two, and the border.
fn height(rows: usize) -> u16 {
    u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(4)
}

/// The part of the box for the table: where there is room, the hints stand below it.
fn body(inner: Rect) -> Rect {
    match inner.height > 4 {
        true => Rect {
            height: inner.height - 2,
            ..inner
        },
        false => inner,
    }
}

/// `Why 3M 10-K FY2018  PDF p. 60 · printed 58 · rank 2`.
fn title(app: &App, page: &RankedPage) -> String {
    let filing = app.filing(page.page.filing);
    let words = filing.map(|f| f.page_title(page.page.page, page.about.printed_page.as_deref()));
    format!(
        "Why {} · {}",
        words.unwrap_or_default(),
        rank_words(app).unwrap_or_default()
    )
}

/// The table over all else.
pub fn over(app: &App, top: usize, frame: &mut Frame) {
    let theme = &app.theme;
    let words = match app.listed_here() {
        Some(page) => title(app, page),
        None => "Why this page".to_string(),
    };
    let rows = table(app, columns_of(frame.area().width));
    let inner = boxed(app, frame, &words, OVER, height(rows.len()));
    let area = body(inner);
    let buf = frame.buffer_mut();
    if area.height < inner.height {
        let key = |action| app.keymap.key(action, Where::WHY);
        let hint = format!(
            "{}/{} next and previous ranked page   {} close",
            key(Action::NextRanked),
            key(Action::PreviousRanked),
            key(Action::Back)
        );
        let more = match rows.len() > usize::from(area.height) {
            true => format!("{}/{} scroll   ", key(Action::Down), key(Action::Up)),
            false => String::new(),
        };
        put(
            buf,
            inner,
            inner.height - 1,
            Line::styled(more + &hint, theme.dim),
        );
    }
    let top = top.min(rows.len().saturating_sub(usize::from(area.height)));
    for (y, row) in rows
        .iter()
        .skip(top)
        .take(usize::from(area.height))
        .enumerate()
    {
        let (words, number, style) = match row {
            Row::Blank => continue,
            Row::Words(words) => (words, None, theme.text),
            Row::Part(words, part) => (words, part.map(|n| format!("{n:+.2}")), theme.text),
            Row::Sum(words, score) => (words, Some(format!("{score:.2}")), theme.selected),
        };
        put(buf, area, y as u16, Line::styled(words.as_str(), style));
        if let Some(number) = number {
            let number = Line::styled(text::right(&number, NUMBER), style);
            put_right(buf, area, y as u16, number, usize::from(area.width));
        }
    }
}
