//! The rows round the panes: program and library, question, chips, switches, tabs, keys.

use std::ops::Range;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{chips, count, joined, put, put_right, retriever};
use crate::library::Filing;
use crate::library::fetch::ABOUT;
use crate::question::Reading;
use crate::search::Settings;
use crate::tui::action::Action;
use crate::tui::analysis;
use crate::tui::app::{App, Focus, Screen};
use crate::tui::layout::{PROMPT_WIDTH, Panes};
use crate::tui::side;
use crate::tui::text;

pub fn draw(app: &App, panes: &Panes, frame: &mut Frame) {
    let buf = frame.buffer_mut();
    title(app, panes.head, buf);
    let cursor = question(app, panes.question, buf);
    chips::draw(app, indent(panes.chips), buf);
    switches(app, &app.settings, panes.switches, buf);
    tabs(app, panes.tabs, buf);
    if let (Some(at), Focus::Question, None) = (cursor, app.focus, &app.overlay) {
        frame.set_cursor_position(at);
    }
}

fn title(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let filings = app.finder.filings();
    let pages: usize = filings.iter().map(|f: &Filing| f.pages as usize).sum();
    let size = match app.opening {
        true => "  opening the library …".to_string(),
        false => format!(
            "  {} · {} · {}",
            app.library,
            count(filings.len(), "filing"),
            count(pages, "page")
        ),
    };
    let line = Line::from(vec![
        Span::styled("tenleaf", theme.accent),
        Span::styled(size, theme.dim),
    ]);
    let room = usize::from(area.width).saturating_sub(line.width() + 2);
    put(buf, area, 0, line);
    let right = match &app.job {
        Some(job) => {
            let key = app.keymap.key(Action::Fetch, app.focus.place());
            let words = match job.stopping {
                _ if app.side.asked.is_some() => format!(
                    "{}: a question waits · {} answers it",
                    job.what,
                    app.keymap.key(Action::AddFilings, app.focus.place())
                ),
                true => format!("{}: stopping", job.what),
                false if app.opening => format!("{}: {}", job.what, job.words),
                false => format!("{}: {} · {key} stops", job.what, job.words),
            };
            Line::styled(text::fit(&words, room), theme.label)
        }
        None if app.answer.as_ref().is_some_and(|answer| answer.stale) => {
            let key = app.keymap.key(Action::Reopen, app.focus.place());
            let words = [
                format!("the library changed on disk: {key} opens it again"),
                format!("changed on disk: {key} opens it"),
                format!("changed on disk: {key}"),
            ];
            Line::styled(text::that_fits(words, room), theme.label)
        }
        None if app.demo => {
            let key = |action| app.keymap.key(action, app.focus.place());
            let (key, go) = (key(Action::Fetch), key(Action::Libraries));
            let others: Vec<&str> = side::others(app).map(|l| l.name.as_str()).collect();
            let to = match others[..] {
                [] => None,
                [only] => Some(only),
                _ => Some("another library"),
            };
            let elsewhere = to.map(|to| {
                [
                    format!("demo library · {go} goes to {to}"),
                    format!("demo · {go}: {to}"),
                    format!("demo · {go}"),
                ]
            });
            let words = elsewhere.unwrap_or_else(|| {
                [
                    format!("demo library · {key} fetches the 360 FinanceBench filings ({ABOUT})"),
                    format!("demo · {key} fetches 360 filings ({ABOUT})"),
                    format!("demo · {key}: {ABOUT}"),
                ]
            });
            Line::styled(text::that_fits(words, room), theme.label)
        }
        None => Line::styled(
            app.outcome()
                .map(|o| format!("{:.1} ms", o.micros as f64 / 1000.0))
                .unwrap_or_default(),
            theme.dim,
        ),
    };
    put_right(buf, area, 0, right, room);
}

/// A question that the library can answer: of its newest annual filing.
fn example(filings: &[Filing]) -> Option<String> {
    let annual = filings.iter().filter(|filing| filing.form.is_annual());
    let newest = annual.filter_map(|filing| Some((filing.fiscal_year?, filing)));
    // The first of them, where several are of one year.
    let (year, filing) = newest.rev().max_by_key(|(year, _)| *year)?;
    let company = &filing.company;
    let its = match company.ends_with('s') {
        true => "'",
        false => "'s",
    };
    Some(format!("What was {company}{its} revenue in FY{year}?"))
}

/// The question, wrapped, with what was read marked; returns where the cursor is.
fn question(app: &App, area: Rect, buf: &mut Buffer) -> Option<Position> {
    if area.is_empty() {
        return None;
    }
    let theme = &app.theme;
    let focused = app.focus == Focus::Question && app.overlay.is_none();
    let prompt = if focused { theme.accent } else { theme.dim };
    put(buf, area, 0, Line::styled("› ", prompt));
    let area = Rect {
        x: area.x + PROMPT_WIDTH.min(area.width),
        width: area.width.saturating_sub(PROMPT_WIDTH),
        ..area
    };
    if app.line.text().is_empty() {
        let ask = "ask about a company's filings";
        let mut hints = vec![ask.to_string()];
        // The longest that fits.
        if let Some(example) = example(app.finder.filings()) {
            hints.insert(0, format!("{ask}: {example}"));
            hints.insert(1, format!("for example: {example}"));
        }
        let mut hint = text::that_fits(hints, usize::from(area.width));
        if hint.is_empty() {
            hint = ask.to_string();
        }
        put(buf, area, 0, Line::styled(hint, theme.dim));
        return Some(Position::new(area.x, area.y));
    }
    // One space more: the cursor may stand behind the last character.
    let shown = format!("{} ", app.line.text());
    let rows = text::rows(&shown, usize::from(area.width));
    let cursor = app.line.cursor();
    let at = rows
        .partition_point(|r| r.start <= cursor)
        .saturating_sub(1);
    // While it is written the row of the cursor is in view, else the start, and what is cut is told.
    let height = usize::from(area.height);
    let writing = app.focus == Focus::Question;
    let top = match writing {
        true => (at + 1).saturating_sub(height),
        false => 0,
    };
    let read = app
        .outcome()
        .map(|o| still_true(spans(&o.reading), &o.question, app.line.text()))
        .unwrap_or_default();
    for (row, range) in rows
        .iter()
        .skip(top)
        .take(usize::from(area.height))
        .enumerate()
    {
        let end = match !writing && row + 1 == height {
            true => app.line.text().len(),
            false => range.end,
        };
        let spans = text::layered(&shown, range.start..end, theme.text, &[(&read, theme.read)]);
        put(buf, area, row as u16, Line::from(spans));
    }
    let column = text::width(&shown[rows.get(at)?.start..cursor]);
    Some(Position::new(
        area.x + (column as u16).min(area.width.saturating_sub(1)),
        area.y + at.saturating_sub(top) as u16,
    ))
}

/// Where something was read.
fn spans(reading: &Reading) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = reading.companies.iter().map(|m| m.span.clone()).collect();
    spans.extend(reading.years.iter().map(|m| m.span.clone()));
    spans.extend(reading.quarters.iter().map(|m| m.span.clone()));
    spans.extend(reading.dates.iter().map(|m| m.span.clone()));
    spans.extend(reading.forms.iter().map(|m| m.span.clone()));
    spans.extend(reading.statements.iter().map(|m| m.span.clone()));
    spans.extend(reading.metrics.iter().map(|m| m.span.clone()));
    spans.extend(reading.topics.iter().map(|m| m.span.clone()));
    spans.extend(reading.items.iter().map(|m| m.span.clone()));
    spans.extend(reading.outlook.iter().cloned());
    spans
}

/// Spans of the question answered that still hold for the question as it is typed now.
fn still_true(spans: Vec<Range<usize>>, answered: &str, typed: &str) -> Vec<Range<usize>> {
    let same = answered
        .bytes()
        .zip(typed.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    spans.into_iter().filter(|s| s.end <= same).collect()
}

pub fn switches(app: &App, s: &Settings, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let switches: [(Action, &str, Option<bool>); 8] = [
        (Action::SwitchCompany, "company", Some(s.company)),
        (Action::SwitchPeriod, "period", Some(s.year && s.form)),
        (Action::SwitchRouting, "routing", Some(s.routing)),
        (Action::SwitchNames, "names out", Some(s.strip_names)),
        (Action::SwitchSignals, "signals", Some(s.signals)),
        (Action::SwitchRetriever, retriever(s.retriever), None),
        (Action::SwitchSeveral, "several", Some(s.several)),
        (Action::SwitchLean, "lean", Some(s.lean)),
    ];
    // Where a digit is a key too, it is the one shown when there is little room.
    let place = app.pane_place();
    let short_key = |action: Action| {
        let keys = app.keymap.keys(action, place);
        keys.into_iter().min_by_key(String::len).unwrap_or_default()
    };
    let words = |long: bool| -> Line<'static> {
        let parts = switches.iter().map(|(action, name, on)| {
            let key = match long {
                true => app.keymap.key(*action, place),
                false => short_key(*action),
            };
            let mark = match on {
                Some(true) => "●",
                Some(false) => "○",
                None => "",
            };
            let state = match (long, on) {
                (true, Some(true)) => " on",
                (true, Some(false)) => " off",
                _ => "",
            };
            let style = match on {
                Some(false) => theme.dim,
                _ => theme.text,
            };
            let mark_style = match on {
                Some(true) => theme.accent,
                _ => theme.dim,
            };
            vec![
                Span::styled(key, theme.dim),
                Span::styled(if long || mark.is_empty() { " " } else { "" }, style),
                Span::styled(mark, mark_style),
                Span::styled(if mark.is_empty() || !long { "" } else { " " }, style),
                Span::styled(
                    format!("{}{state}", if long { *name } else { short(name) }),
                    style,
                ),
            ]
        });
        joined(parts.collect(), if long { "   " } else { " " }, theme.dim)
    };
    let area = indent(area);
    let long = words(true);
    let line = match long.width() <= usize::from(area.width) {
        true => long,
        false => words(false),
    };
    put(buf, area, 0, line);
}

/// A switch's name where all of them have to fit in 80 columns.
fn short(name: &str) -> &str {
    match name {
        "names out" => "names",
        "BM25 + meaning" => "both",
        name => name,
    }
}

fn tabs(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let steps: Vec<String> = app
        .outcome()
        .map(|o| {
            o.funnel
                .iter()
                .map(|s| text::thousands(s.filings))
                .collect()
        })
        .unwrap_or_default();
    let mut narrowing: Vec<String> = Vec::new();
    for step in steps {
        if narrowing.last() != Some(&step) {
            narrowing.push(step);
        }
    }
    let funnel = match narrowing.is_empty() {
        true => "Funnel".to_string(),
        false => format!("Funnel {}", narrowing.join("›")),
    };
    let ranking = match app.outcome() {
        Some(o) => format!("Pages {}", o.ranked.len()),
        None => "Pages".to_string(),
    };
    let tab = |name: String, active: bool| {
        let (mark, style) = match active {
            true => ("▸ ", theme.title),
            false => ("  ", theme.dim),
        };
        vec![Span::styled(mark, style), Span::styled(name, style)]
    };
    let (in_funnel, in_page) = (app.focus == Focus::Funnel, app.focus == Focus::Page);
    let line = joined(
        vec![
            tab(funnel, in_funnel),
            tab(ranking, !in_funnel && !in_page),
            tab("Page".into(), in_page),
        ],
        "   ",
        theme.dim,
    );
    put(buf, area, 0, line);
}

/// The actions that the foot names, the first of them where there is little room.
fn hinted(app: &App) -> &'static [Action] {
    use Action::*;
    match app.focus {
        _ if app.screen == Screen::Analysis => analysis::hints(app),
        Focus::Question => &[
            Submit,
            Palette,
            Questions,
            Filings,
            NextPane,
            HistoryPrevious,
        ],
        Focus::Chips => &[RemoveChip, PinChip, AddChip, ClearScope, NextPane],
        Focus::Funnel => &[Down, Up, AddChip, NextPane, Palette],
        Focus::Ranking => &[
            Open,
            Why,
            FocusQuestion,
            Questions,
            Filings,
            NextMatch,
            CopyCitation,
            Export,
            AddChip,
            Palette,
        ],
        Focus::Page => &[
            NextMatch,
            First,
            Find,
            NextPage,
            PreviousPage,
            NextRanked,
            Why,
            GoToPage,
            Wrap,
            CopyCitation,
            OpenOriginal,
            Palette,
        ],
    }
}

pub fn foot(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    if let Some(notice) = &app.notice {
        let (words, style) = match notice.error {
            true => (format!("error: {}", notice.words), theme.error),
            false => (notice.words.clone(), theme.accent),
        };
        return told(&words, style, area, buf);
    }
    let place = app.pane_place();
    let hint = |action: Action, short: &'static str| -> Option<Vec<Span<'static>>> {
        let key = app.keymap.key(action, place);
        (!key.is_empty()).then(|| {
            vec![
                Span::styled(key, theme.text),
                Span::styled(format!(" {short}"), theme.dim),
            ]
        })
    };
    // Help and the way out are at the right end, whatever the width.
    let leave = match app.focus {
        Focus::Question if app.screen == Screen::Bench => Action::Quit,
        _ => Action::Leave,
    };
    let ends: Vec<_> = [Action::Help, leave]
        .iter()
        .filter_map(|a| hint(*a, a.info().short))
        .collect();
    let ends = joined(ends, "   ", theme.dim);
    let room = usize::from(area.width).saturating_sub(ends.width());
    // The way to the top is told where one is not there.
    let hints: Vec<_> = hinted(app)
        .iter()
        .filter(|action| **action != Action::First || app.page.top > 0)
        .filter_map(|a| hint(*a, a.info().short))
        .collect();
    // Whole hints only: the last one that fits ends the row.
    let mut used = 0;
    let fits = hints
        .iter()
        .take_while(|hint| {
            used += hint.iter().map(Span::width).sum::<usize>() + 3;
            used <= room
        })
        .count();
    put(
        buf,
        area,
        0,
        joined(hints[..fits].to_vec(), "   ", theme.dim),
    );
    put_right(buf, area, 0, ends, usize::from(area.width));
}

/// A line for the user; a long one takes the rows above, too, for what is to be done stands at its end.
fn told(words: &str, style: Style, area: Rect, buf: &mut Buffer) {
    let width = usize::from(area.width).max(1);
    let rows = text::first_rows(words, width, 3.min(usize::from(area.y) + 1));
    let top = area.y + 1 - rows.len() as u16;
    for (row, range) in rows.into_iter().enumerate() {
        let at = Rect {
            y: top + row as u16,
            ..area
        };
        // Padded: it covers what lies there.
        let line = text::left(words[range].trim_end(), width);
        put(buf, at, 0, Line::styled(line, style));
    }
}

fn indent(area: Rect) -> Rect {
    Rect {
        x: area.x + PROMPT_WIDTH.min(area.width),
        width: area.width.saturating_sub(PROMPT_WIDTH),
        ..area
    }
}
