//! What lies over the panes: help, lists, prompts.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Widget};

use super::{put, put_right, why};
use crate::library::fetch::ABOUT;
use crate::tui::action::{ACTIONS, Action, Info, Where};
use crate::tui::app::{App, Overlay, Prompt, PromptKind};
use crate::tui::export::FORMATS;
use crate::tui::fuzzy::Match;
use crate::tui::keymap::Keymap;
use crate::tui::picker::{Item, Picker, PickerKind};
use crate::tui::side;
use crate::tui::text;

pub fn draw(app: &App, frame: &mut Frame) {
    match &app.overlay {
        Some(Overlay::Help { top, place, .. }) => help(app, *top, *place, frame),
        Some(Overlay::Why { top }) => why::over(app, *top, frame),
        Some(Overlay::Picker(picker)) => list(app, picker, frame),
        Some(Overlay::Prompt(prompt)) => ask(app, prompt, frame),
        None => {}
    }
}

/// A box in the middle; where there is little room the whole screen, on the smallest without a border.
pub fn boxed(app: &App, frame: &mut Frame, title: &str, width: u16, height: u16) -> Rect {
    let (area, inner) = box_areas(frame.area(), width, height);
    Clear.render(area, frame.buffer_mut());
    if inner != area {
        Block::bordered()
            .border_type(BorderType::Rounded)
            .border_style(app.theme.dim)
            .title(Span::styled(format!(" {title} "), app.theme.title))
            .render(area, frame.buffer_mut());
    }
    inner
}

/// Such a box on a screen: all of it, and the part for what it shows.
pub fn box_areas(screen: Rect, width: u16, height: u16) -> (Rect, Rect) {
    let small = screen.width < 40 || screen.height < 10;
    let width = match screen.width < 100 {
        true => screen.width,
        false => width.min(screen.width - 4),
    };
    let height = match screen.height < 30 {
        true => screen.height,
        false => height.min(screen.height - 4),
    };
    let area = Rect {
        x: (screen.width - width) / 2,
        y: (screen.height - height) / 2,
        width,
        height,
    };
    if small {
        return (area, area);
    }
    let inner = Block::bordered().inner(area);
    let inner = Rect {
        x: inner.x + 1.min(inner.width),
        width: inner.width.saturating_sub(2),
        ..inner
    };
    (area, inner)
}

/// A row of the help.
enum HelpRow {
    Blank,
    Section(&'static str),
    /// Keys (none where the words go on) and words.
    Action(String, String),
}

/// Columns of the help for a width of the terminal: its text, and of that the keys.
fn help_columns(screen: u16) -> (usize, usize) {
    let inner = match screen {
        // As in `boxed`: border and a blank column on either side.
        0..40 => screen,
        40..100 => screen - 4,
        _ => 88,
    };
    let inner = usize::from(inner);
    (inner, (inner / 3).clamp(8, 26))
}

/// The rows of the help on a terminal of so many columns, what is about the place first.
fn help_lines(keymap: &Keymap, screen: u16, place: Where) -> Vec<HelpRow> {
    let first = place.sections();
    let order = |info: &&Info| {
        let at = first.iter().position(|section| *section == info.section);
        at.unwrap_or(first.len())
    };
    let mut infos: Vec<&Info> = ACTIONS.iter().collect();
    infos.sort_by_key(order);
    let (inner, keys_wide) = help_columns(screen);
    let room = inner.saturating_sub(keys_wide + 2).max(1);
    let mut rows = Vec::new();
    let mut section = "";
    for info in infos {
        let keys = keymap.keys(info.action, Where::ANY);
        if keys.is_empty() {
            continue;
        }
        if info.section != section {
            if !section.is_empty() {
                rows.push(HelpRow::Blank);
            }
            section = info.section;
            rows.push(HelpRow::Section(section));
        }
        let keys = keys.join("  ");
        let key_rows = text::rows(&keys, keys_wide);
        let word_rows = text::rows(info.words, room);
        for row in 0..key_rows.len().max(word_rows.len()) {
            let part = |text: &str, rows: &[std::ops::Range<usize>]| {
                rows.get(row).map_or(String::new(), |range| {
                    text[range.clone()].trim().to_string()
                })
            };
            rows.push(HelpRow::Action(
                part(&keys, &key_rows),
                part(info.words, &word_rows),
            ));
        }
    }
    rows
}

/// The first row shown where what is only read is scrolled to its end: the help, or why a page is ranked.
pub fn last_top(app: &App) -> usize {
    let screen = Rect::from(app.size);
    match &app.overlay {
        Some(Overlay::Help { place, .. }) => {
            let rows = help_lines(&app.keymap, screen.width, *place).len();
            let (_, inner) = box_areas(screen, HELP_WIDTH, help_height(rows));
            rows.saturating_sub(usize::from(inner.height))
        }
        Some(Overlay::Why { .. }) => why::last_top(app, screen),
        _ => 0,
    }
}

/// Columns of the box of the help, where there are so many.
const HELP_WIDTH: u16 = 92;

fn help_height(rows: usize) -> u16 {
    rows.min(500) as u16 + 2
}

fn help(app: &App, top: usize, place: Where, frame: &mut Frame) {
    let theme = &app.theme;
    let screen = frame.area().width;
    let rows = help_lines(&app.keymap, screen, place);
    let (_, keys) = help_columns(screen);
    let area = boxed(app, frame, "Keys", HELP_WIDTH, help_height(rows.len()));
    let top = top.min(rows.len().saturating_sub(usize::from(area.height)));
    let buf = frame.buffer_mut();
    for (y, row) in rows
        .iter()
        .skip(top)
        .take(usize::from(area.height))
        .enumerate()
    {
        let line = match row {
            HelpRow::Blank => continue,
            HelpRow::Section(words) => Line::styled(*words, theme.title),
            HelpRow::Action(key, words) => Line::from(vec![
                Span::styled(text::right(key, keys), theme.selected),
                Span::styled(format!("  {words}"), theme.text),
            ]),
        };
        put(buf, area, y as u16, line);
    }
}

fn list(app: &App, picker: &Picker, frame: &mut Frame) {
    let theme = &app.theme;
    let marked = match picker.marked.len() {
        0 => String::new(),
        n => format!(" · {n} marked"),
    };
    let title = format!("{} · {}{marked}", picker.kind.title(), picker.matches.len());
    let rows = match picker.kind {
        PickerKind::Export => FORMATS.len() as u16,
        _ => 36,
    };
    let area = boxed(app, frame, &title, 116, rows + 5);
    if area.is_empty() {
        return;
    }
    let cursor = filter(app, &picker.filter, "› ", area, frame);
    frame.set_cursor_position(cursor);
    let buf = frame.buffer_mut();
    let hint = u16::from(area.height > 5);
    let body = Rect {
        y: area.y + 1 + hint,
        height: area.height.saturating_sub(1 + 2 * hint),
        ..area
    };
    if hint > 0 {
        let row = Rect {
            y: area.bottom() - 1,
            height: 1,
            ..area
        };
        put(buf, row, 0, Line::styled(hints(app, picker), theme.dim));
    }
    let height = usize::from(body.height).max(1);
    let top = (picker.selected + 1).saturating_sub(height);
    for (row, found) in picker.matches.iter().enumerate().skip(top).take(height) {
        let Some(item) = picker.items.get(found.index) else {
            continue;
        };
        let at = Rect {
            y: body.y + (row - top) as u16,
            height: 1,
            ..body
        };
        item_row(app, picker, item, found, row == picker.selected, at, buf);
    }
    if picker.matches.is_empty() {
        let words = match picker.items.is_empty() {
            true => "  nothing here yet",
            false => "  no match",
        };
        put(buf, body, 0, Line::styled(words, theme.dim));
    }
}

/// A line of a list, what matched marked, its note at the right end.
fn item_row(
    app: &App,
    picker: &Picker,
    item: &Item,
    found: &Match,
    selected: bool,
    area: Rect,
    buf: &mut Buffer,
) {
    let theme = &app.theme;
    let style = if selected { theme.selected } else { theme.text };
    let mut line = vec![Span::styled(
        if selected { "▸ " } else { "  " },
        theme.accent,
    )];
    if picker.kind == PickerKind::Filings {
        let mark = if picker.marked.contains(&found.index) {
            "✓ "
        } else {
            "  "
        };
        line.push(Span::styled(mark, theme.label));
    }
    let matched: Vec<_> = found
        .at
        .iter()
        .map(|&at| at..at + item.text[at..].chars().next().map_or(0, char::len_utf8))
        .collect();
    // Where the text has no room beside the whole note, all of it but its last part gives way.
    let whole = 4 + text::width(&item.text) + 2 + text::width(&item.note);
    let note = match whole <= usize::from(area.width) {
        true => item.note.as_str(),
        false => item.note.rsplit(" · ").next().unwrap_or_default(),
    };
    let taken = match text::width(note) {
        0 => 0,
        note => note + 2,
    };
    let room = usize::from(area.width).saturating_sub(4 + taken);
    let shown = text::fit(&item.text, room);
    line.extend(text::layered(
        &shown,
        0..shown.len(),
        style,
        &[(&matched, theme.matched)],
    ));
    put(buf, area, 0, Line::from(line));
    put_right(
        buf,
        area,
        0,
        Line::styled(note, theme.dim),
        usize::from(area.width),
    );
}

fn hints(app: &App, picker: &Picker) -> String {
    let key = |action| app.keymap.key(action, Where::PICKER);
    let (take, other) = match (picker.kind, picker.marked.is_empty()) {
        (PickerKind::Filings, true) => ("open", Some((Action::PickMark, "mark for the scope"))),
        (PickerKind::Filings, false) => (
            "search the marked filings only",
            Some((Action::PickMark, "mark")),
        ),
        (PickerKind::Saved, _) => ("take", Some((Action::PickRemove, "delete"))),
        (PickerKind::Notes, _) => ("go to the question", Some((Action::PickRemove, "remove"))),
        (PickerKind::AddTo, _) => ("add to it; type a name for a new library", None),
        (PickerKind::Tags, _) => ("tag, or take the tag away; type a new one", None),
        _ => ("take", None),
    };
    let hints = [(Action::Pick, take)].into_iter().chain(other);
    let hints = hints.chain([(Action::Back, "close")]);
    let hints: Vec<String> = hints
        .map(|(action, words)| format!("{} {words}", key(action)))
        .collect();
    hints.join("   ")
}

/// The filter line of a list or the line of a prompt; returns where the cursor is.
fn filter(
    app: &App,
    line: &crate::tui::line::Line,
    before: &str,
    area: Rect,
    frame: &mut Frame,
) -> Position {
    let buf = frame.buffer_mut();
    let start = text::width(before);
    let room = usize::from(area.width).saturating_sub(start + 1);
    // The end that holds the cursor is shown.
    let to_cursor = text::width(&line.text()[..line.cursor()]);
    let skip = text::skip_columns(line.text(), to_cursor.saturating_sub(room));
    let shown = &line.text()[skip..];
    put(
        buf,
        area,
        0,
        Line::from(vec![
            Span::styled(before.to_string(), app.theme.accent),
            Span::styled(shown.to_string(), app.theme.text),
        ]),
    );
    let column = start + text::width(&line.text()[skip..line.cursor().max(skip)]);
    Position::new(
        area.x + (column as u16).min(area.width.saturating_sub(1)),
        area.y,
    )
}

/// What a prompt asks. All lines but the last stand above the line that is typed.
fn prompt_words(app: &App, kind: PromptKind) -> String {
    let key = |action| app.keymap.key(action, Where::PROMPT);
    let words = match kind {
        PromptKind::Find => "find: ",
        PromptKind::GoToPage => "page (62, or p60 for the printed number): ",
        PromptKind::SaveSearch => "save as: ",
        PromptKind::SearchList => "search the questions: ",
        PromptKind::WhatIf => "what if it read: ",
        PromptKind::AddWord => "add words: ",
        PromptKind::WriteNote => "note: ",
        PromptKind::ChangeNote(_) => "change the note: ",
        PromptKind::Answer => {
            let words = app.side.asked.as_ref().map_or("", |a| a.words.as_str());
            return words.to_string();
        }
        PromptKind::Fetch => {
            return format!(
                "fetch 360 filings into {} ({ABOUT}; what is there is kept)?\ny fetches them, n or {} does not ",
                app.benchmark,
                key(Action::Back)
            );
        }
        PromptKind::ExportTo => {
            let export = app.export.as_ref();
            let what = export.map_or("", |e| e.what);
            return match export.and_then(|e| e.problem.as_ref()) {
                Some(problem) => format!("{problem}\nwrite to: "),
                None => format!(
                    "{what}: {} writes it here, {} does not\nwrite to: ",
                    key(Action::Pick),
                    key(Action::Back)
                ),
            };
        }
        PromptKind::AddFilings => {
            let library = side::target(app);
            let other = key(Action::OtherLibrary);
            let words = match side::is_evaluated(app) {
                true => format!(
                    "adds to {library}: its evaluation results will differ · {other} a new library"
                ),
                false => format!("adds to {library} · {other} another library"),
            };
            return format!("{words}\nfiles, folders, or AAPL 10-K 5: ");
        }
    };
    words.to_string()
}

fn ask(app: &App, prompt: &Prompt, frame: &mut Frame) {
    let screen = frame.area();
    let mut row = Rect {
        y: screen.bottom().saturating_sub(1),
        height: screen.height.min(1),
        ..screen
    };
    if row.is_empty() {
        return;
    }
    let words = prompt_words(app, prompt.kind);
    let (above, words) = match words.rsplit_once('\n') {
        Some((above, words)) => (above, words),
        // A long question has rows of its own above the answer.
        None if text::width(&words) > usize::from(screen.width / 2) => (words.as_str(), "› "),
        None => ("", words.as_str()),
    };
    // The prompt takes the row of what is told: it stands above.
    let (above, style) = match (&app.notice, above) {
        (Some(notice), "") if notice.error => (notice.words.as_str(), app.theme.error),
        (Some(notice), "") => (notice.words.as_str(), app.theme.accent),
        _ => (above, app.theme.accent),
    };
    Clear.render(row, frame.buffer_mut());
    let cursor = filter(app, &prompt.line, words, row, frame);
    frame.set_cursor_position(cursor);
    let above_rows = text::rows(above, usize::from(row.width));
    for range in above_rows.into_iter().rev().take(3) {
        if above.is_empty() || row.y == screen.y {
            return;
        }
        row.y -= 1;
        Clear.render(row, frame.buffer_mut());
        let line = Line::styled(above[range].trim_end(), style);
        put(frame.buffer_mut(), row, 0, line);
    }
}
