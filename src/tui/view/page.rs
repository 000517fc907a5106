//! The page, whole.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{funnel, heading, put, put_right};
use crate::library::{Filing, PageQuality, TextSource};
use crate::search::Group;
use crate::tui::app::{App, Focus};
use crate::tui::layout::Panes;
use crate::tui::text;
use crate::tui::worker::LoadedPage;

/// Rows that the heads of a table take which goes on from the page before.
pub const CARRIED_ROWS: u16 = 1;

pub fn draw(app: &App, panes: &Panes, buf: &mut Buffer) {
    let area = panes.page;
    if area.is_empty() {
        return;
    }
    // A stage that is looked at shows what it kept.
    if app.focus == Focus::Funnel {
        return funnel::kept(app, area, buf);
    }
    let body = panes.page_body();
    let Some(page) = &app.page.shown else {
        if body.y > area.y {
            put(
                buf,
                area,
                0,
                Line::from(heading(app, "Page", app.focus == Focus::Page)),
            );
        }
        return;
    };
    if body.y > area.y {
        head(app, page, area, buf);
    }
    match &page.text {
        Err(words) => put(
            buf,
            body,
            0,
            Line::styled(format!("  error: {words}"), app.theme.error),
        ),
        Ok(text) if text.trim().is_empty() => {
            let words = "  (this page has no text: a picture, or left blank)";
            put(buf, body, 0, Line::styled(words, app.theme.dim));
        }
        Ok(_) => rows(app, page, carried(app, page, body, buf), buf),
    }
}

fn head(app: &App, page: &LoadedPage, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let filing = app.filing(page.page.filing);
    let name = filing.map(Filing::title).unwrap_or_default();
    let name_and_end = filing.map(Filing::title_and_end).unwrap_or_default();
    let pages = filing.map_or(0, |f| f.pages);
    let source = filing.map_or(TextSource::Pdf, |f| f.text_from);
    let number = page.page.page + 1;
    let right = matches(app);
    // What fits, from the whole to the least: when the period ended gives way first (where its year is a surprise,
    // late), then the place, then the printed number.
    let spans = |(length, end): (usize, bool)| {
        let name = if end { &name_and_end } else { &name };
        let mut line = Line::from(heading(app, name, app.focus == Focus::Page));
        let mut place = match length {
            3.. => format!("  {}", source.pages(format!("{number} of {pages}"))),
            _ => format!("  p. {number}/{pages}"),
        };
        if let (Some(printed), 2..) = (&page.about.printed_page, length) {
            place += &format!(" · printed {printed}");
        }
        if let (Some(kind), 3..) = (&page.about.kind, length) {
            place += &format!(" · {kind}");
        }
        if page.quality == PageQuality::Garbage {
            place += " · unreadable text";
        }
        line.push_span(Span::styled(place, theme.text));
        if app.is_labelled(page.page) {
            let words = if length >= 1 {
                "  ★ labelled"
            } else {
                "  ★"
            };
            line.push_span(Span::styled(words, theme.label));
        }
        if let (Some(rank), 3.., Focus::Page) = (rank_words(app), length, app.focus) {
            line.push_span(Span::styled(format!("  {rank}"), theme.accent));
        }
        let place = page.about.place();
        if length >= 4 && !place.is_empty() {
            line.push_span(Span::styled(
                format!("  {}", text::fit(&place, 30)),
                theme.dim,
            ));
        }
        line
    };
    let room = usize::from(area.width).saturating_sub(text::width(&right) + 2);
    let ends: &[_] = match filing.is_some_and(Filing::ended_in_another_year) {
        true => &[(4, true), (3, true), (2, true)],
        false => &[(4, true), (4, false)],
    };
    let lengths = ends
        .iter()
        .chain(&[(3, false), (2, false), (1, false), (0, false)]);
    let mut lines = lengths.copied().map(spans);
    let line = lines.find(|line| line.width() <= room);
    let fits = line.is_some();
    put(buf, area, 0, line.unwrap_or_else(|| spans((0, false))));
    if fits {
        put_right(
            buf,
            area,
            0,
            Line::styled(right, theme.dim),
            usize::from(area.width),
        );
    }
}

/// `rank 2`; `Apple 2021: rank 2` for one of the pages of a year or company asked for.
pub fn rank_words(app: &App) -> Option<String> {
    let listed = app.listed_here()?;
    let outcome = app.outcome()?;
    let ranked = outcome.ranked.iter().any(|p| std::ptr::eq(p, listed));
    let in_group = |group: &&Group| group.ranked.iter().any(|p| std::ptr::eq(p, listed));
    match outcome.groups.iter().find(in_group) {
        Some(group) if !ranked => Some(format!("{}: rank {}", group.label, listed.rank)),
        _ => Some(format!("rank {}", listed.rank)),
    }
}

/// What gave a page without a match the most points.
fn ranked_for(app: &App) -> String {
    let listed = app.listed_here();
    let shown = app.page.shown.as_ref().map(|page| page.page);
    let reason = listed
        .filter(|listed| Some(listed.page) == shown)
        .and_then(|listed| listed.reasons.first());
    reason.map_or("no match".to_string(), |reason| {
        text::fit(&reason.words, 40)
    })
}

/// `match 3 of 17 · 41%`.
fn matches(app: &App) -> String {
    let view = &app.page;
    let count = view.stops().len();
    let what = match view.find.is_empty() {
        true if view.shown.as_ref().is_some_and(|p| p.marks.is_empty()) => "labelled line",
        true => "match",
        false => "find",
    };
    let mut words = match (view.at, count) {
        (_, 0) => ranked_for(app),
        (Some(at), _) => format!("{what} {} of {count}", at + 1),
        (None, 1) => format!("1 {what}"),
        (None, _) if what == "match" => format!("{count} matches"),
        (None, _) => format!("{count} {what}s"),
    };
    let rows = view.laid_out().rows().len();
    if rows > view.height() && view.height() > 0 {
        let seen = (view.top + view.height()).min(rows);
        words += &format!(" · {}%", 100 * seen / rows);
    }
    words += &match (view.column, view.unwrapped, view.has_more()) {
        (0, false, false) => String::new(),
        (0, true, _) => " · no wrap".to_string(),
        (0, false, true) => " · more →".to_string(),
        (column, _, _) => format!(" · column {}", column + 1),
    };
    words
}

/// The heads of a table that goes on from the page before, above its rows; returns the room below.
fn carried(app: &App, page: &LoadedPage, body: Rect, buf: &mut Buffer) -> Rect {
    let Some(heads) = page.carried.as_ref().filter(|_| body.height > CARRIED_ROWS) else {
        return body;
    };
    let line = format!("  ↑ {}", text::printable(&heads.one_line()));
    let line = text::fit(&line, usize::from(body.width));
    put(buf, body, 0, Line::styled(line, app.theme.read));
    Rect {
        y: body.y + CARRIED_ROWS,
        height: body.height - CARRIED_ROWS,
        ..body
    }
}

fn rows(app: &App, page: &LoadedPage, body: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let view = &app.page;
    let here: Vec<_> = view.stop().into_iter().collect();
    let layers: [(&[_], _); 3] = [
        (&page.marks, theme.matched),
        (&view.finds, theme.found),
        (&here, theme.found_here),
    ];
    let (gutter, width) = (2.min(body.width), body.width.saturating_sub(2));
    let at = Rect {
        x: body.x + gutter,
        width,
        ..body
    };
    let laid_out = view.laid_out();
    let rows = laid_out.rows().iter().skip(view.top);
    for (ix, row) in rows.take(usize::from(body.height)).enumerate() {
        if page.evidence.iter().any(|e| row.touches(e)) {
            put(buf, body, ix as u16, Line::styled("▌", theme.label));
        } else if page.tables.iter().any(|t| row.touches(t)) {
            put(buf, body, ix as u16, Line::styled("┆", theme.dim));
        }
        let spans = laid_out.spans(row, view.column, theme.text, &layers);
        put(buf, at, ix as u16, Line::from(spans));
    }
}
