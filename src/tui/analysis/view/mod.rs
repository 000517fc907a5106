//! Drawing the error analysis.

mod case;
mod list;
mod strip;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::text::{Line, Span};

use super::state::{Column, Pane};

use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::layout::{take, take_last, without_heading};
use crate::tui::text;
use crate::tui::view::{count, foot, heading, joined, put, put_right, switches};

pub use list::row_at as list_row;

/// From this size on, all panes are shown at once.
const WIDE: Size = Size {
    width: 150,
    height: 36,
};
/// From this width on, the two pages stand side by side.
const TWO_PAGES: u16 = 100;
/// From this width on, a loss stands beside the rank.
const LOSS_BESIDE: u16 = 120;
/// Columns of the words beside two pages.
const WORDS: u16 = 62;

/// Where each part is drawn; parts without room are empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    head: Rect,
    chips: Rect,
    tabs: Rect,
    question: Rect,
    switches: Rect,
    strip: Rect,
    foot: Rect,
    panes: [Rect; 6],
}

impl Layout {
    /// Where a pane is.
    pub fn of(&self, pane: Pane) -> Rect {
        self.panes[pane as usize]
    }
}

/// The layout for the size of the terminal.
pub fn layout(app: &App) -> Layout {
    let Size { width, height } = app.size;
    let mut left = Rect::new(0, 0, width, height);
    let wide = width >= WIDE.width && height >= WIDE.height;
    let mut l = Layout::default();
    if height >= 12 {
        l.head = take(&mut left, 1);
    }
    if height >= 8 {
        l.chips = take(&mut left, 1);
    }
    if height >= 4 {
        l.foot = take_last(&mut left, 1);
    }
    if wide {
        take(&mut left, 1);
        let top = take(&mut left, (height * 3 / 10).clamp(10, 22));
        let (list, beside) = columns(top, width * 3 / 5);
        l.panes[Pane::List as usize] = list;
        l.panes[Pane::Filter as usize] = Rect {
            height: beside.height * 2 / 3,
            ..beside
        };
        l.panes[Pane::Notes as usize] = Rect {
            y: beside.y + beside.height * 2 / 3,
            height: beside.height - beside.height * 2 / 3,
            ..beside
        };
        take(&mut left, 1);
        l.question = take(&mut left, 2);
        l.switches = take(&mut left, 1);
        l.strip = take(&mut left, 2);
        take(&mut left, 1);
        let (pages, words) = columns(left, width - WORDS - 3);
        let (labelled, first) = columns(pages, pages.width / 2 - 1);
        l.panes[Pane::Labelled as usize] = labelled;
        l.panes[Pane::First as usize] = first;
        l.panes[Pane::Words as usize] = words;
        return l;
    }
    if height >= 10 {
        l.tabs = take(&mut left, 1);
    }
    l.strip = take_last(
        &mut left,
        match height {
            0..=2 => 0,
            3..=15 => 1,
            16..=19 => 2,
            // A loss has a row of its own where it stands beside nothing.
            _ => 3 + u16::from(width < LOSS_BESIDE && strip::loss(app).is_some()),
        },
    );
    if height >= 16 {
        l.switches = take_last(&mut left, 1);
    }
    l.question = take_last(
        &mut left,
        match height {
            0..=6 => 0,
            7..=19 => 1,
            _ => 2,
        },
    );
    match app.analysis.pane {
        Pane::Labelled | Pane::First if width >= TWO_PAGES => {
            let (labelled, first) = columns(left, width / 2 - 1);
            l.panes[Pane::Labelled as usize] = labelled;
            l.panes[Pane::First as usize] = first;
        }
        pane => l.panes[pane as usize] = left,
    }
    l
}

/// Two columns with a rule between them.
fn columns(area: Rect, first: u16) -> (Rect, Rect) {
    let first = first.min(area.width);
    let second = (first + 3).min(area.width);
    (
        Rect {
            width: first,
            ..area
        },
        Rect {
            x: area.x + second,
            width: area.width - second,
            ..area
        },
    )
}

/// Draws the screen.
pub fn draw(app: &App, frame: &mut Frame) {
    let l = layout(app);
    let buf = frame.buffer_mut();
    head(app, l.head, buf);
    chips(app, l.chips, buf);
    tabs(app, l.tabs, buf);
    question(app, l.question, buf);
    switches(app, &app.analysis.trial.settings, l.switches, buf);
    strip::draw(app, l.strip, buf);
    for pane in Pane::ORDER {
        let area = l.of(pane);
        if area.is_empty() {
            continue;
        }
        // Between two panes that stand side by side.
        if area.x >= 3 {
            for y in area.top()..area.bottom() {
                let rule = Rect::new(area.x - 2, y, 1, 1);
                put(buf, rule, 0, Line::styled("│", app.theme.dim));
            }
        }
        match pane {
            Pane::List => list::draw(app, area, buf),
            _ => scrolled(app, pane, area, buf),
        }
    }
    foot(app, l.foot, buf);
}

/// A pane of rows, from its first one shown.
fn scrolled(app: &App, pane: Pane, area: Rect, buf: &mut Buffer) {
    let body = without_heading(area);
    let focused = app.analysis.pane == pane;
    if body.y > area.y {
        let title = heading(app, pane.title(), focused);
        let room = usize::from(area.width).saturating_sub(title.width() + 2);
        put(buf, area, 0, Line::from(title));
        let words = text::fit(&case::heading(app, pane, room), room);
        put_right(buf, area, 0, Line::styled(words, app.theme.dim), room);
    }
    let rows = case::rows(app, pane, body.width);
    let top = top_of(app, pane, rows.len(), body.height);
    for (row, line) in rows
        .into_iter()
        .skip(top)
        .take(usize::from(body.height))
        .enumerate()
    {
        put(buf, body, row as u16, line);
    }
}

/// The first row of a pane in view.
fn top_of(app: &App, pane: Pane, rows: usize, height: u16) -> usize {
    let last = rows.saturating_sub(usize::from(height));
    app.analysis.tops[pane as usize].min(last)
}

/// Where the pages of a question are shown from at first.
pub fn first_tops(app: &App) -> [usize; 6] {
    let l = layout(app);
    Pane::ORDER.map(|pane| {
        // A pane that is not shown will have the whole width.
        let area = l.of(pane);
        let width = if area.is_empty() {
            app.size.width
        } else {
            area.width
        };
        case::first_top(app, pane, width)
    })
}

/// How far a pane can be scrolled.
pub fn last_top(app: &App, pane: Pane) -> usize {
    let body = without_heading(layout(app).of(pane));
    let rows = case::rows(app, pane, body.width).len();
    rows.saturating_sub(usize::from(body.height))
}

fn head(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let analysis = &app.analysis;
    let of = |hit| {
        analysis
            .rows
            .iter()
            .filter(|r| r.hit() == Some(hit))
            .count()
    };
    let mut words = format!("  {}", count(analysis.rows.len(), "question"));
    if analysis.rows.iter().any(|row| row.judged.is_some()) {
        words += &format!(" · {} hit · {} missed", of(true), of(false));
    }
    let line = Line::from(vec![
        Span::styled("tenleaf", theme.accent),
        Span::styled("  error analysis", theme.title_idle),
        Span::styled(words, theme.dim),
    ]);
    let room = usize::from(area.width).saturating_sub(line.width() + 2);
    put(buf, area, 0, line);
    let right = match (analysis.progress, &analysis.saved) {
        (Some((done, total)), _) => Line::styled(
            format!("running {done} of {total} {}", bar(done, total)),
            theme.label,
        ),
        (None, Some(saved)) => {
            let day: String = saved.date.chars().take(10).collect();
            let words = match analysis.differs() {
                true => [
                    format!("was: rank in `tenleaf eval` of {day}"),
                    "was: last eval".into(),
                ],
                false => [
                    format!("every rank as in `tenleaf eval` of {day}"),
                    "as last eval".into(),
                ],
            };
            Line::styled(text::that_fits(words, room), theme.dim)
        }
        (None, None) => Line::styled("compared with this list", theme.dim),
    };
    put_right(buf, area, 0, right, room);
}

fn bar(done: usize, total: usize) -> String {
    let full = done * 10 / total.max(1);
    "█".repeat(full) + &"░".repeat(10 - full.min(10))
}

/// What is filtered, searched and sorted by.
fn chips(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let analysis = &app.analysis;
    let mut parts: Vec<Vec<Span>> = analysis
        .filters
        .iter()
        .map(|f| {
            vec![
                Span::styled(format!("{} = ", f.column.title()), theme.dim),
                Span::styled(f.value.clone(), theme.set),
            ]
        })
        .collect();
    if !analysis.search.is_empty() {
        parts.push(vec![
            Span::styled("search ", theme.dim),
            Span::styled(analysis.search.clone(), theme.set),
        ]);
    }
    if let Some((column, reversed)) = analysis.sort {
        let arrow = if reversed { "↓" } else { "↑" };
        parts.push(vec![
            Span::styled("sorted by ", theme.dim),
            Span::styled(format!("{} {arrow}", column.title()), theme.set),
        ]);
    }
    if parts.is_empty() {
        let key = |action| app.keymap.key(action, app.pane_place());
        let words = format!(
            "  all questions, in the order of their files · {} filters · {} sorts · {} searches",
            key(Action::FilterList),
            key(Action::SortList),
            key(Action::SearchList)
        );
        return put(buf, area, 0, Line::styled(words, theme.dim));
    }
    let mut shown = format!("{} of {}", analysis.shown.len(), analysis.rows.len());
    if !analysis.filters.is_empty() || !analysis.search.is_empty() {
        let key = app.keymap.key(Action::ClearFilters, app.pane_place());
        shown += &format!(" · {key} shows all");
    }
    parts.insert(0, vec![Span::styled(format!("  {shown}"), theme.dim)]);
    put(buf, area, 0, joined(parts, "   ", theme.dim));
}

fn tabs(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let short = area.width < 90;
    let parts = Pane::ORDER.into_iter().map(|pane| {
        let active = pane == app.analysis.pane;
        let (mark, style) = match active {
            true => ("▸ ", theme.title),
            false => ("  ", theme.dim),
        };
        let title = match (short, pane) {
            (true, Pane::Labelled) => "Labelled",
            (true, Pane::First) => "First",
            _ => pane.title(),
        };
        vec![Span::styled(mark, style), Span::styled(title, style)]
    });
    put(buf, area, 0, joined(parts.collect(), "  ", theme.dim));
}

/// The question as asked, and that it was changed.
fn question(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let analysis = &app.analysis;
    let Some(row) = analysis.row() else {
        return put(
            buf,
            area,
            0,
            Line::styled("  no question is listed", theme.dim),
        );
    };
    let tried = analysis.trial.text.is_some();
    let mut before = row.id.clone();
    if tried {
        before += " what if";
    }
    let words: Vec<&str> = analysis.text().split_whitespace().collect();
    let out = match analysis.trial.settings.without_words.as_slice() {
        [] => String::new(),
        words => format!("  (without {})", words.join(", ")),
    };
    let all = format!("{before}  {}{out}", words.join(" "));
    let head = [0..before.len()];
    let tail = [all.len() - out.len()..all.len()];
    let style = if tried { theme.set } else { theme.text };
    let rows = text::first_rows(&all, area.width.into(), area.height.into());
    for (row, range) in rows.into_iter().enumerate() {
        let layers: [(&[_], _); 2] = [(&head, theme.accent), (&tail, theme.set)];
        let spans = text::layered(&all, range, style, &layers);
        put(buf, area, row as u16, Line::from(spans));
    }
}

/// A rank as shown.
fn rank(rank: Option<usize>) -> String {
    rank.map_or("–".into(), text::thousands)
}

/// The keys worth a word, by pane.
pub fn hints(app: &App) -> &'static [Action] {
    use Action::*;
    match app.analysis.pane {
        Pane::List => &[
            NextMiss,
            FilterList,
            SortList,
            SearchList,
            WhatIf,
            ExcludeWord,
            WriteNote,
            TagNote,
            NextPane,
            Palette,
            Back,
        ],
        Pane::Notes => &[
            WriteNote,
            ChangeNote,
            TagNote,
            RemoveNote,
            ListNotes,
            ExportNotes,
            NextPane,
            Back,
        ],
        _ => &[
            NextMiss,
            NextLabelled,
            WhatIf,
            AddWord,
            ExcludeWord,
            ResetWhatIf,
            WriteNote,
            TagNote,
            NextPane,
            Palette,
            Back,
        ],
    }
}

/// Columns of a rank in the list.
const RANK: usize = 5;

/// The columns of the list with their widths.
fn column_widths(width: u16, saved: bool) -> Vec<(Column, usize)> {
    if width < 40 {
        return vec![(Column::Id, 7), (Column::Rank, RANK), (Column::Hit, 4)];
    }
    let roomy = width >= 100;
    let mut columns = vec![
        (Column::Id, if roomy { 8 } else { 6 }),
        (Column::Split, if roomy { 6 } else { 5 }),
        (Column::Type, if roomy { 18 } else { 9 }),
        (
            Column::Company,
            match (roomy, saved) {
                (true, _) => 18,
                (false, false) => 11,
                (false, true) => 9,
            },
        ),
        (Column::Hit, 4),
        (Column::Rank, if saved { 2 * RANK + 1 } else { RANK }),
    ];
    let left = |columns: &[(Column, usize)]| {
        let used: usize = columns.iter().map(|(_, w)| w + 2).sum::<usize>() + 2;
        usize::from(width).checked_sub(used)
    };
    // Where not all fit, hit and rank stay.
    for column in [Column::Split, Column::Type, Column::Company] {
        if left(&columns).is_none() {
            columns.retain(|(one, _)| *one != column);
        }
    }
    let left = left(&columns).unwrap_or(0);
    let tags = match roomy {
        true => 16.min(left / 3),
        false => 4.min(left / 3),
    };
    columns.push((Column::Stage, left.saturating_sub(tags + 2)));
    columns.push((Column::Tag, tags));
    columns
}

/// The row of the list's body a position is on.
fn row_of(body: Rect, at: Position) -> Option<usize> {
    body.contains(at).then(|| usize::from(at.y - body.y))
}
