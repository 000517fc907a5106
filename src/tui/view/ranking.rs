//! The ranked pages.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{count, heading, put, put_right};
use crate::dense::Readiness;
use crate::eval::Question;
use crate::library::Filing;
use crate::search::{Group, Outcome, RankedPage, Reason, Snippet};
use crate::tui::action::Action;
use crate::tui::analysis;
use crate::tui::app::{App, Focus};
use crate::tui::layout::without_heading;
use crate::tui::listed;
use crate::tui::text;
use crate::tui::worker::{Answer, Moved};
use crate::words::one_line;

/// From this width on a row has a column for the statement or section.
const PLACE_FROM: u16 = 88;
/// Columns before a note.
const NOTE_INDENT: u16 = 2;
/// From this width on it has the printed page number too.
const PRINTED_FROM: u16 = 70;

/// Rows a ranked page takes: its line and one of its passage; with room, two of the passage and why it is
/// there.
fn entry_rows(app: &App, height: u16) -> usize {
    let pages = app.outcome().map_or(0, |o| o.ranked.len()).max(1);
    match left(app, height) {
        0..=3 => 1,
        height => (usize::from(height) / pages).clamp(2, 4),
    }
}

/// A row more for the selected page, for the reasons of its rank, where pages take a line and one of their passage.
fn reason_rows(app: &App, height: u16) -> usize {
    let room = left(app, height) >= 5;
    usize::from(room && entry_rows(app, height) == 2 && app.panes().why.is_empty())
}

/// Rows left for the ranked pages by what stands below them.
fn left(app: &App, height: u16) -> u16 {
    height - group_rows(app, height) - notes(app, height).len() as u16
}

/// What a person should know of the answer, in rows below the ranked pages: each note in rows of its own, or
/// where there is no room for that one after the other.
fn notes(app: &App, height: u16) -> Vec<String> {
    let notes = remarks(app);
    let most = match height {
        0..=7 => 0,
        8..=11 => 1,
        12..=19 => 2,
        _ => 4,
    };
    let width = app.panes().ranking.width;
    let rows: Vec<String> = notes.iter().flat_map(|note| wrapped(note, width)).collect();
    if rows.len() <= most {
        return rows;
    }
    let mut rows = wrapped(&notes.join(" · "), width);
    // The last row takes all that is left: `put` tells what it cuts.
    let last: String = rows.drain(most.saturating_sub(1)..).collect();
    rows.extend((most > 0).then_some(last));
    rows
}

/// The reader's own note on the question, and what the search tells beside its pages.
fn remarks(app: &App) -> Vec<Cow<'_, str>> {
    let own = analysis::note_asked(app).map(|note| {
        let tags: String = note.tags.iter().map(|tag| format!("#{tag} ")).collect();
        Cow::Owned(format!("your note: {tags}{}", one_line(&note.text)))
    });
    let of_search = app.outcome().into_iter().flat_map(|o| &o.notes);
    let of_search = of_search.map(|note| Cow::Borrowed(note.as_str()));
    own.into_iter().chain(of_search).collect()
}

/// A note in rows of a pane of this width.
fn wrapped(note: &str, width: u16) -> Vec<String> {
    let columns = usize::from(width.saturating_sub(NOTE_INDENT)).max(1);
    let rows = text::rows(note, columns).into_iter();
    rows.map(|row| note[row].to_string()).collect()
}

/// How many ranked pages are in view.
pub fn shown(app: &App, height: u16) -> usize {
    let left = usize::from(left(app, height));
    ((left - reason_rows(app, height)) / entry_rows(app, height)).max(left.min(1))
}

/// The rows of each ranked page in view.
fn entries(app: &App, outcome: &Outcome, height: u16) -> Vec<(usize, usize)> {
    let first = top(app, height);
    let last = outcome.ranked.len().min(first + shown(app, height));
    let rows = |ix: usize| match ix == app.selected {
        true => entry_rows(app, height) + reason_rows(app, height),
        false => entry_rows(app, height),
    };
    (first..last).map(|ix| (ix, rows(ix))).collect()
}

/// The first ranked page in view.
fn top(app: &App, height: u16) -> usize {
    let last = app.outcome().map_or(0, |o| o.ranked.len());
    (app.selected + 1)
        .min(last)
        .saturating_sub(shown(app, height))
}

/// Rows below the ranked pages for the years or companies asked for, one each: where there is little
/// room some of them, that of the selected page always.
fn group_rows(app: &App, height: u16) -> u16 {
    let Some(outcome) = app.outcome() else {
        return 0;
    };
    let groups = u16::try_from(listed::groups(outcome).len()).unwrap_or(u16::MAX);
    let selected = listed::group_at(outcome, app.selected).is_some();
    groups
        .min((height / 3).max(u16::from(selected)))
        .min(height)
}

/// The first group in view.
fn top_group(app: &App, outcome: &Outcome, rows: u16) -> usize {
    let selected = listed::group_at(outcome, app.selected).unwrap_or(0);
    (selected + 1).saturating_sub(usize::from(rows))
}

/// The listed page in a row of the pane, for the mouse.
pub fn listed_at(app: &App, height: u16, row: u16) -> Option<usize> {
    let outcome = app.outcome()?;
    let mut row = usize::from(row);
    for (ix, rows) in entries(app, outcome, height) {
        if row < rows {
            return Some(ix);
        }
        row -= rows;
    }
    let group = top_group(app, outcome, group_rows(app, height)) + row;
    let pages = listed::of_group(listed::groups(outcome).get(group)?);
    (!pages.is_empty()).then(|| listed::first_of(outcome, group))
}

/// `2021: Boeing 10-K FY2021 p. 54, [61], 112`, the selected page in brackets, with the names of the
/// filings or without; or why there is none.
fn group_line<'a>(
    app: &App,
    outcome: &Outcome,
    ix: usize,
    group: &'a Group,
    names: bool,
) -> Line<'a> {
    let theme = &app.theme;
    let here = listed::group_at(outcome, app.selected) == Some(ix);
    let (mark, style) = match here {
        true => ("▸ ", theme.selected),
        false => ("  ", theme.dim),
    };
    let mut line = vec![
        Span::styled(mark, theme.accent),
        Span::styled(format!("{}:", group.label), style),
    ];
    if let Some(why) = &group.missing {
        line.push(Span::styled(format!(" {why}"), theme.dim));
    }
    let first = listed::first_of(outcome, ix);
    let mut last = None;
    for (n, page) in listed::of_group(group).iter().enumerate() {
        let words = match (last, last == Some(page.page.filing)) {
            (_, true) => ", ".to_string(),
            (last, false) => {
                let filing = app.filing(page.page.filing).filter(|_| names);
                let title = filing.map(|f| f.title() + " ");
                let between = if last.is_some() { " ·" } else { "" };
                format!("{between} {}p. ", title.unwrap_or_default())
            }
        };
        line.push(Span::styled(words, theme.dim));
        if app.is_labelled(page.page) {
            line.push(Span::styled("★", theme.label));
        }
        let number = page.page.page + 1;
        line.push(match first + n == app.selected {
            true => Span::styled(format!("[{number}]"), theme.selected),
            false => Span::styled(number.to_string(), theme.dim),
        });
        last = Some(page.page.filing);
    }
    Line::from(line)
}

pub fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let theme = &app.theme;
    let body = without_heading(area);
    if body.y > area.y {
        let title = heading(app, "Pages", app.focus == Focus::Ranking);
        let room = usize::from(area.width).saturating_sub(title.width() + 2);
        put(buf, area, 0, Line::from(title));
        let mut words = told(app);
        let left = room.saturating_sub(text::width(&words));
        words += &on_to_groups(app, left);
        let style = match app.awaited.is_some()
            || app.labels.is_some()
            || app.answer.as_ref().is_some_and(|a| a.moved.is_some())
        {
            true => theme.label,
            false => theme.dim,
        };
        put_right(
            buf,
            area,
            0,
            Line::styled(text::fit(&words, room), style),
            room,
        );
    }
    let Some(answer) = &app.answer else {
        let words = match app.opening {
            true => "  opening the library …",
            false => "  searching …",
        };
        return put(buf, body, 0, Line::styled(words, theme.dim));
    };
    let outcome = &answer.outcome;
    if outcome.ranked.is_empty() {
        for (row, words) in nothing(app).into_iter().enumerate() {
            put(buf, body, row as u16, words);
        }
        return;
    }
    let mut row = 0;
    for (ix, rows) in entries(app, outcome, body.height) {
        let rows = (rows as u16).min(body.height - row);
        let entry = Rect {
            y: body.y + row,
            height: rows,
            ..body
        };
        let (page, snippet) = (&outcome.ranked[ix], &answer.snippets[ix]);
        draw_entry(app, answer, page, snippet, entry, buf);
        row += rows;
    }
    let in_view = group_rows(app, body.height);
    let groups = listed::groups(outcome).iter().enumerate();
    let groups = groups
        .map(|(ix, group)| {
            let line = group_line(app, outcome, ix, group, true);
            match line.width() <= usize::from(body.width) {
                true => line,
                false => group_line(app, outcome, ix, group, false),
            }
        })
        .skip(top_group(app, outcome, in_view))
        .take(usize::from(in_view));
    let notes = notes(app, body.height).into_iter();
    let notes = notes.map(|note| Line::styled(format!("  {}", note.trim_end()), theme.dim));
    for (ix, line) in groups.chain(notes).enumerate() {
        put(buf, body, row.saturating_add(ix as u16), line);
    }
}

/// What is said where no page is ranked.
fn nothing(app: &App) -> Vec<Line<'static>> {
    let theme = &app.theme;
    let dim = |words: &str| Line::styled(format!("  {words}"), theme.dim);
    if !app.line.text().trim().is_empty() {
        let mut lines = vec![dim("no page in scope holds a word of the question")];
        let width = app.panes().ranking.width;
        let rows = remarks(app).into_iter();
        lines.extend(
            rows.flat_map(|note| wrapped(&note, width))
                .map(|row| dim(&row)),
        );
        return lines;
    }
    let mut lines = vec![
        Line::styled(
            "  Type a question: pages are ranked as you type.",
            theme.text,
        ),
        Line::default(),
    ];
    let examples = examples(&app.questions);
    if !examples.is_empty() {
        lines.push(dim("for example"));
        lines.extend(
            examples
                .into_iter()
                .map(|question| Line::styled(format!("    {question}"), theme.text)),
        );
        lines.push(Line::default());
    }
    let place = app.focus.place();
    let mut key = |action: Action, words: String| {
        let key = app.keymap.key(action, place);
        if !key.is_empty() {
            lines.push(Line::from(vec![
                Span::styled(format!("  {}", text::left(&key, 8)), theme.selected),
                Span::styled(words, theme.dim),
            ]));
        }
    };
    if !app.questions.is_empty() {
        let known = count(app.questions.len(), "question");
        key(
            Action::Questions,
            format!("pick one of {known} with a known answer"),
        );
    }
    key(Action::Filings, "open a filing, or search only some".into());
    key(Action::AddChip, "set company, year, form … by hand".into());
    key(Action::History, "questions asked before".into());
    if !app.questions.is_empty() {
        key(
            Action::Analyse,
            "where each labelled question is lost, and why".into(),
        );
    }
    key(Action::Help, "every key".into());
    lines
}

/// Some labelled questions of different companies, to show what can be asked: the shortest.
fn examples(questions: &[Question]) -> Vec<String> {
    let mut by_length: Vec<&Question> = questions.iter().collect();
    by_length.sort_by_key(|q| (q.text.len(), q.id.as_str()));
    let mut seen = Vec::new();
    by_length.retain(|q| {
        // `NIKE_2022_10K`: the company's part of the name.
        let company = q.doc_name.split('_').next().unwrap_or_default();
        let new = q.text.len() > 25 && !seen.contains(&company);
        if new {
            seen.push(company);
        }
        new
    });
    by_length.iter().take(3).map(|q| q.text.clone()).collect()
}

/// What MiniLM is waited for; what moved; or else where the labelled page is.
fn told(app: &App) -> String {
    if let Some(awaited) = &app.awaited {
        // After a switch the ranking before it is still shown.
        let until_then = match awaited.request.compare {
            Some(_) => "as before until then",
            None => "by BM25 until then",
        };
        return match awaited.readiness {
            Readiness::Unloaded => format!("loading MiniLM… {until_then}"),
            _ if awaited.request.compare.is_some() => "reading by meaning…".to_string(),
            _ => "by BM25 until typing rests".to_string(),
        };
    }
    let Some(answer) = &app.answer else {
        return String::new();
    };
    if let Some(moved) = &answer.moved {
        return moved.words.clone();
    }
    let best = answer.labelled.iter().filter_map(|(_, rank)| *rank).min();
    match (&app.labels, answer.labelled.is_empty(), best) {
        (None, _, _) if answer.outcome.ranked.is_empty() => String::new(),
        (None, _, _) => {
            let scored = answer.outcome.scored.len();
            // Of those scored: the funnel has already counted the pages in scope.
            format!(
                "best {} of {} scored",
                answer.outcome.ranked.len(),
                text::thousands(scored)
            )
        }
        (Some(_), true, _) => "the labelled filing is not in this library".into(),
        (Some(_), false, Some(rank)) => format!("labelled page at rank {}", text::thousands(rank)),
        (Some(_), false, None) => "labelled page out of scope".into(),
    }
}

/// The key that goes on from the ranked pages to the lines by year and company, where there are any, in so
/// many columns.
fn on_to_groups(app: &App, columns: usize) -> String {
    let Some(outcome) = app.outcome() else {
        return String::new();
    };
    let here = app.focus == Focus::Ranking && listed::group_at(outcome, app.selected).is_none();
    let key = app.keymap.key(Action::Last, Focus::Ranking.place());
    if !here || listed::groups(outcome).is_empty() || key.is_empty() {
        return String::new();
    }
    let words = [
        format!(" · {key} on to the lines by year and company"),
        format!(" · {key}: by year and company"),
    ];
    text::that_fits(words, columns)
}

/// `PDF p. 62 · printed 60`, or less of it where the columns are few.
fn page_number(filing: Option<&Filing>, page: &RankedPage, columns: usize) -> String {
    let number = page.page.page;
    let printed = page.about.printed_page.as_deref().filter(|_| columns > 10);
    let words = filing.map(|filing| filing.page_words(number, printed));
    let words = words.filter(|words| words.len() <= columns || printed.is_some());
    words.unwrap_or_else(|| format!("p. {}", number + 1))
}

fn draw_entry(
    app: &App,
    answer: &Answer,
    page: &RankedPage,
    snippet: &Snippet,
    area: Rect,
    buf: &mut Buffer,
) {
    let theme = &app.theme;
    put(buf, area, 0, entry_line(app, answer, page, area.width));
    let under = Rect {
        x: area.x + 7.min(area.width),
        y: area.y + 1,
        width: area.width.saturating_sub(7),
        height: area.height.saturating_sub(1),
    };
    if under.is_empty() {
        return;
    }
    let before = entry_words(app, answer, page, area.width);
    let all = format!("{before}{}", snippet.text);
    let shift = before.len();
    let marks: Vec<_> = snippet
        .marks
        .iter()
        .map(|m| m.start + shift..m.end + shift)
        .collect();
    let selected = page.rank == app.selected + 1;
    let reasons = selected && under.height >= 2 && app.panes().why.is_empty();
    let passage_rows = usize::from(under.height - u16::from(reasons)).min(2);
    let label = match app.is_labelled(page.page) {
        true => theme.label,
        false => theme.dim,
    };
    let head = [0..shift];
    let rows = text::first_rows(&all, usize::from(under.width), passage_rows);
    for (row, range) in rows.into_iter().enumerate() {
        let layers: [(&[_], _); 2] = [(&head, label), (&marks, theme.matched)];
        let spans = text::layered(&all, range, theme.dim, &layers);
        put(buf, under, row as u16, Line::from(spans));
    }
    if reasons {
        let part = |reason: &Reason| match area.width >= PRINTED_FROM {
            true => format!("{} {:+.1}", reason.words, reason.contribution),
            false => reason.words.clone(),
        };
        let parts: Vec<String> = page.reasons.iter().take(4).map(part).collect();
        let words = format!("why: {}", parts.join(" · "));
        let words = text::fit(&words, usize::from(under.width));
        let line = Line::styled(words, theme.dim);
        put(buf, under, passage_rows as u16, line);
    }
}

/// The line of a ranked page: its rank, filing, number, place and score, and what moved.
fn entry_line(app: &App, answer: &Answer, page: &RankedPage, width: u16) -> Line<'static> {
    let theme = &app.theme;
    let selected = page.rank == app.selected + 1;
    let labelled = app.is_labelled(page.page);
    let filing = app.filing(page.page.filing);
    let wide = width >= PLACE_FROM;
    let number_columns = if width >= PRINTED_FROM { 24 } else { 10 };
    let number = page_number(filing, page, number_columns);
    let place_columns = if wide { 20 } else { 0 };
    let moved = answer.moved.as_ref().map(|m| delta(m, page));
    let mut fixed = 2 + 2 + 3 + 2 + number_columns + 2 + 7;
    fixed += if wide { 2 + place_columns } else { 0 };
    fixed += if moved.is_some() { 2 + 5 } else { 0 };
    let columns = usize::from(width).saturating_sub(fixed).max(4);
    let title = match filing {
        Some(filing) => title(filing, columns),
        None => page.doc_name.clone(),
    };
    let style = if selected { theme.selected } else { theme.text };
    let mut line = vec![
        Span::styled(if selected { "▸ " } else { "  " }, theme.accent),
        Span::styled(if labelled { "★ " } else { "  " }, theme.label),
        Span::styled(
            format!("{} ", text::right(&page.rank.to_string(), 2)),
            style,
        ),
        Span::styled(format!("{}  ", text::left(&title, columns)), style),
        Span::styled(
            format!("{}  ", text::left(&number, number_columns)),
            theme.text,
        ),
    ];
    if wide {
        let style = if page.routed { theme.accent } else { theme.dim };
        let place = page.about.place();
        line.push(Span::styled(
            format!("{}  ", text::left(&place, place_columns)),
            style,
        ));
    }
    line.push(Span::styled(
        text::right(&format!("{:.2}", page.score), 7),
        theme.text,
    ));
    if let Some(moved) = moved {
        line.push(Span::styled(
            format!("  {}", text::right(&moved, 5)),
            theme.label,
        ));
    }
    Line::from(line)
}

/// What is said of a ranked page before its passage.
fn entry_words(app: &App, answer: &Answer, page: &RankedPage, width: u16) -> String {
    let about = &page.about;
    // A question about several years or companies: which of them this page is for.
    let mut groups = answer.outcome.groups.iter();
    let group = groups.find(|g| g.ranked.iter().any(|p| p.page == page.page));
    let same_text = answer.same_text.get(page.rank - 1).copied().flatten();
    // Little room for its column: the passage says more than a heading does.
    let place = match (width >= PLACE_FROM, about.statement, &about.item) {
        (false, Some(statement), _) => Some(statement.as_str().to_string()),
        (false, None, Some(item)) => Some(format!("Item {item}")),
        _ => None,
    };
    let parts = [
        app.is_labelled(page.page).then(|| "labelled".to_string()),
        group.map(|group| group.label.clone()),
        same_text.map(|rank| format!("same text as {rank}")),
        about.kind.clone(),
        place,
    ];
    let parts = parts.into_iter().flatten();
    parts.map(|part| part + " · ").collect()
}

/// A filing's title in so many columns, with the end of its period where there is room and its year is not the one
/// the filing goes by. Where the title is too long, a long form is shortened, then the company's name gives way, since
/// form and period tell filings apart.
fn title(filing: &Filing, columns: usize) -> String {
    if filing.ended_in_another_year() {
        let whole = filing.title_and_end();
        if text::width(&whole) <= columns {
            return whole;
        }
    }
    let mut title = filing.title();
    if text::width(&title) > columns {
        title = title.replace("earnings release", "release");
    }
    let rest = title.strip_prefix(filing.company.as_str()).unwrap_or("");
    let room = columns.saturating_sub(text::width(rest));
    match text::width(&title) > columns && !rest.is_empty() && room > 3 {
        true => text::fit(&filing.company, room) + rest,
        false => title.clone(),
    }
}

/// `↑33`, `↓2`, `=`, `new`: against the ranking before the switch.
fn delta(moved: &Moved, page: &RankedPage) -> String {
    match moved.was.get(&page.page).copied().flatten() {
        None => "new".into(),
        Some(was) if was > page.rank => format!("↑{}", was - page.rank),
        Some(was) if was < page.rank => format!("↓{}", page.rank - was),
        Some(_) => "=".into(),
    }
}
