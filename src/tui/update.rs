//! What happens: a message changes the state and may ask the loop for effects.

use std::sync::Arc;

use crossterm::event::{Event, KeyEvent, KeyEventKind};
use ratatui::layout::Size;

use super::action::{Action, Where};
use super::analysis;
use super::app::{App, Effect, Focus, Job, Notice, Opened, Overlay, PromptKind, Screen};
use super::asking::{ask, edit, walk, warmed};
use super::keymap::Chord;
use super::layout::page_columns;
use super::listed;
use super::picker::PickerKind;
use super::side::{self, Inquiry, Reported, Shelf, Task};
use super::switching::{chip, switch};
use super::view::CARRIED_ROWS;
use super::warm::Warmed;
use super::worker::{PageRequest, Reply};
use super::{mouse, picking, taking, theme};
use crate::eval::Question;
use crate::library::PageId;
use crate::search::{Outcome, Retriever};

/// What can happen.
pub enum Message {
    /// A key, a paste, the mouse, another size.
    Input(Event),
    /// Characters for the line that has the keys, typed faster than they are handled: all at once, for
    /// a changed question is read and asked anew.
    Typed(String),
    /// The worker has something.
    Engine(Reply),
    /// MiniLM is ready for a search, or cannot be had.
    Warmed(Warmed),
    /// Background work went on; none when it ended, with what it came to.
    Job(Option<Job>, Option<Notice>),
    /// The library is open, or another takes its place.
    Opened(Opened),
    /// There is nothing to go on with.
    Leave,
    /// The libraries there are.
    Libraries(Vec<Shelf>),
    /// Background work asks.
    Asked(Inquiry),
    /// What became of the files added.
    Report(Vec<Reported>),
    /// Something to tell the user.
    Tell(Notice),
    /// The error analysis has something.
    Analysis(analysis::Reply),
}

/// Changes the state; true when something on the screen may have changed.
pub fn update(app: &mut App, message: Message, effects: &mut Vec<Effect>) -> bool {
    let changed = match message {
        Message::Input(event) => input(app, event, effects),
        Message::Typed(characters) => {
            app.notice = None;
            edit(app, effects, |line| {
                characters.chars().for_each(|c| line.type_char(c));
            });
            true
        }
        Message::Engine(reply) => engine(app, reply, effects),
        Message::Warmed((generation, done)) => warmed(app, generation, done, effects),
        Message::Job(job, told) => {
            let stopping = app.job.as_ref().is_some_and(|j| j.stopping);
            app.job = job.map(|job| Job { stopping, ..job });
            if app.job.is_none() {
                side::ended(app, told);
            }
            true
        }
        Message::Opened(opened) => {
            if !side::stays(app, &opened) {
                library(app, opened, effects);
            }
            true
        }
        Message::Libraries(libraries) => {
            side::listed(app, libraries);
            true
        }
        Message::Asked(asked) => {
            side::asked(app, asked);
            true
        }
        Message::Report(report) => {
            app.side.report = report;
            true
        }
        Message::Leave => false,
        Message::Analysis(reply) => analysis::reply(app, reply, effects),
        Message::Tell(notice) => {
            app.notice = Some(notice);
            true
        }
    };
    fit(app);
    changed
}

/// Lays out what depends on the size of a pane.
fn fit(app: &mut App) {
    let body = app.panes().page_body();
    if body.height > 0 {
        let carried = app.page.shown.as_ref().is_some_and(|p| p.carried.is_some());
        let heads = match carried && body.height > CARRIED_ROWS {
            true => CARRIED_ROWS,
            false => 0,
        };
        app.page
            .fit(page_columns(body), usize::from(body.height - heads));
    }
    app.chip = app.chip.min(app.chips().len().saturating_sub(1));
}

fn input(app: &mut App, event: Event, effects: &mut Vec<Effect>) -> bool {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => {
            press(app, key, effects);
            true
        }
        Event::Key(_) | Event::FocusGained | Event::FocusLost => false,
        Event::Paste(_) if app.place().meets(Where::ANALYSIS) => false,
        Event::Paste(text) => {
            app.notice = None;
            // A paste is text wherever the keys go: outside a line, it belongs to the question.
            if app.place().meets(Where::PANES) {
                app.focus = Focus::Question;
            }
            edit(app, effects, |line| line.insert(&text));
            true
        }
        Event::Resize(width, height) => {
            app.size = Size { width, height };
            true
        }
        Event::Mouse(event) => mouse::update(app, event, effects),
    }
}

fn press(app: &mut App, key: KeyEvent, effects: &mut Vec<Effect>) {
    app.notice = None;
    let chord = Chord::of(key);
    match (app.keymap.action(chord, app.place()), chord.text()) {
        (Some(action), _) => act(app, action, effects),
        // A yes or no needs no Enter.
        (None, Some(c)) if asks_yes_or_no(app) => match c {
            'y' | 'Y' => {
                close(app);
                side::start(app, Task::Fetch, effects);
            }
            'n' | 'N' => back(app, effects),
            _ => {}
        },
        _ => {
            if let Some(c) = typed_by(app, &key) {
                edit(app, effects, |line| line.type_char(c));
            }
        }
    }
}

/// The character that a key types into the line that has the keys; none where it does something else.
pub fn typed_by(app: &App, key: &KeyEvent) -> Option<char> {
    let (chord, place) = (Chord::of(*key), app.place());
    let types = key.kind != KeyEventKind::Release
        && place.meets(Where::TEXT)
        && app.keymap.action(chord, place).is_none()
        && !asks_yes_or_no(app);
    chord.text().filter(|_| types)
}

fn asks_yes_or_no(app: &App) -> bool {
    // So much is fetched at a plain yes alone.
    app.is_at(PromptKind::Fetch)
}

/// Does what an action says.
pub fn act(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    use Action::*;
    if app.screen == Screen::Analysis && analysis::act(app, action, effects) {
        return;
    }
    match action {
        Help => help(app),
        Palette => app.pick_from(PickerKind::Palette),
        Leave | Quit => effects.push(Effect::Quit),
        CloseHelp => close(app),
        Back => back(app, effects),
        NextPane => turn(app, 1),
        PreviousPane => turn(app, Focus::ORDER.len() - 1),
        FocusQuestion => app.focus = Focus::Question,
        Questions if app.opening => app.tell("the library is still being opened"),
        Questions if app.questions.is_empty() => app.tell("this library has no labelled questions"),
        Questions => app.pick_from(PickerKind::Questions),
        Filings => app.pick_from(PickerKind::Filings),
        Fetch => side::fetch(app, effects),
        AddFilings => side::add(app),
        Added if app.side.report.is_empty() => app.tell("nothing was added yet in this session"),
        Added => app.pick_from(PickerKind::Report),
        Libraries => side::list(app, effects),
        Reopen if app.opening => app.tell("the library is still being opened"),
        Reopen => side::start(app, Task::Open(app.library.clone()), effects),
        Mouse => turn_mouse(app, effects),
        Theme => next_theme(app),
        Redraw => effects.push(Effect::Redraw),
        Suspend => effects.push(Effect::Suspend),

        SwitchCompany | SwitchPeriod | SwitchRouting | SwitchNames | SwitchSignals
        | SwitchRetriever | SwitchLean | SwitchSeveral => switch(app, action, effects),

        Submit => submit(app, effects),
        HistoryPrevious => walk(app, true, effects),
        HistoryNext => walk(app, false, effects),
        History => app.pick_from(PickerKind::History),
        LineStart | LineEnd | LineLeft | LineRight | WordLeft | WordRight | DeleteBack
        | DeleteForward | DeleteWordBack | DeleteWordForward | CutToStart | CutToEnd | Yank
        | Undo | Redo => edit(app, effects, |line| line.act(action)),

        Down | Up | First | Last | HalfDown | HalfUp | PageDown | PageUp => {
            step(app, action.rows(screen(app)), effects);
        }

        Open => app.focus = Focus::Page,
        Why => match app.overlay {
            Some(Overlay::Why { .. }) => close(app),
            _ => app.overlay = Some(Overlay::Why { top: 0 }),
        },
        NextRanked => select(app, app.selected.saturating_add(1), effects),
        PreviousRanked => select(app, app.selected.saturating_sub(1), effects),
        NextPage | PreviousPage | GoToPage | Find | NextMatch | PreviousMatch | Wrap | Beside
        | ScrollLeft | ScrollRight => in_page(app, action, effects),

        AddChip => app.pick_from(PickerKind::Scope),
        ChipLeft => app.chip = app.chip.saturating_sub(1),
        ChipRight => app.chip += 1,
        RemoveChip | PinChip => chip(app, action, effects),
        ClearScope => {
            app.settings.scope = Default::default();
            ask(app, Some("scope cleared".into()), effects);
        }

        CopyCitation | CopyPage | CopyResults | Export | SaveSearch | SavedSearches
        | OpenOriginal | ViewInPager | ViewInEditor => taking::act(app, action, effects),

        NoteQuestion => analysis::note_on_asked(app),
        Analyse => analysis::open(app, effects),
        NextMiss | PreviousMiss | NextQuestion | PreviousQuestion | NextLabelled
        | PreviousLabelled | SearchList | FilterList | SortList | ClearFilters | WhatIf
        | AddWord | ExcludeWord | ResetWhatIf | RunList | ToBench | WriteNote | ChangeNote
        | RemoveNote | TagNote | ListNotes | ExportNotes => {}

        OtherLibrary => side::choose(app, effects),
        PickDown | PickUp | PickPageDown | PickPageUp | PickMark | Pick | PickRemove => {
            picking::act(app, action, effects);
        }
    }
}

fn turn_mouse(app: &mut App, effects: &mut Vec<Effect>) {
    app.mouse = !app.mouse;
    effects.push(Effect::Mouse(app.mouse));
    app.tell(match app.mouse {
        true => "mouse on: click, wheel; hold Shift to select text",
        false => "mouse off",
    });
}

fn next_theme(app: &mut App) {
    app.look = app.look.next();
    app.theme = theme::Theme::of(app.look, app.colours);
    let name = app.look.as_str();
    app.tell(format!("theme {name}; `theme` in the config file keeps it"));
}

/// Keeps the question in the history and goes to the pages.
fn submit(app: &mut App, effects: &mut Vec<Effect>) {
    let question = app.line.text().to_string();
    app.memory.note(&question);
    app.walking = None;
    effects.push(Effect::Remember);
    if app.demo {
        // Filings may have come meanwhile, by another program: the head says so.
        effects.push(Effect::ListLibraries);
    }
    app.focus = Focus::Ranking;
}

/// Does what an action in the page says.
fn in_page(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    use Action::*;
    match action {
        NextPage => turn_page(app, 1, effects),
        PreviousPage => turn_page(app, -1, effects),
        GoToPage => app.prompt(PromptKind::GoToPage, ""),
        Find => app.prompt(PromptKind::Find, ""),
        NextMatch | PreviousMatch => {
            if !app.page.next(action == NextMatch) {
                app.tell("no match on this page");
            }
        }
        Wrap => {
            app.page.unwrapped = !app.page.unwrapped;
            app.tell(match app.page.unwrapped {
                true => "every line as it is in the text: ← → scroll",
                false => "paragraphs wrapped, tables set in columns: ← → scroll",
            });
        }
        Beside => {
            app.page.beside = !app.page.beside;
            app.tell(match app.page.beside {
                true => "the page is read beside the ranked pages, where both fit",
                false => "the page is read over the whole width",
            });
        }
        ScrollLeft => app.page.scroll_columns(-8),
        _ => app.page.scroll_columns(8),
    }
}

fn back(app: &mut App, effects: &mut Vec<Effect>) {
    match app.is_at(PromptKind::Answer) {
        true => side::answer(app, ""),
        false => analysis::cancel(app, effects),
    }
    if app.overlay.is_some() {
        return close(app);
    }
    match app.focus {
        Focus::Page if !app.page.find.is_empty() => app.page.look_for(""),
        Focus::Ranking => {
            let key = |action| app.keymap.key(action, Where::RANKING);
            let (ask, leave) = (key(Action::FocusQuestion), key(Action::Leave));
            app.tell(format!("{ask} goes to the question line, {leave} leaves"));
        }
        _ => app.focus = Focus::Ranking,
    }
}

/// Opens the help over all else, or closes it.
fn help(app: &mut App) {
    if let Some(Overlay::Help { .. }) = app.overlay {
        return close(app);
    }
    app.overlay = Some(Overlay::Help {
        top: 0,
        place: app.place(),
        under: app.overlay.take().map(Box::new),
    });
}

/// Closes what lies on top.
fn close(app: &mut App) {
    app.overlay = match app.overlay.take() {
        Some(Overlay::Help { under, .. }) => under.map(|under| *under),
        _ => None,
    };
    // What was asked meanwhile may be asked no more.
    if app.is_at(PromptKind::Answer) && app.side.asked.is_none() {
        app.overlay = None;
    }
}

/// Goes `by` panes on, past those with nothing in them.
fn turn(app: &mut App, by: usize) {
    let order = Focus::ORDER;
    let mut at = order.iter().position(|f| *f == app.focus).unwrap_or(0);
    loop {
        at = (at + by) % order.len();
        if order[at] != Focus::Chips || !app.chips().is_empty() {
            app.focus = order[at];
            return;
        }
    }
}

/// Rows of a screenful, for the pane that has the keys.
fn screen(app: &App) -> usize {
    let panes = app.panes();
    let rows = match (&app.overlay, app.focus) {
        (Some(_), _) => usize::from(app.size.height.saturating_sub(4)),
        (None, Focus::Ranking) => super::view::ranking_shown(app, panes.ranking_body().height),
        (None, Focus::Page) => usize::from(panes.page_body().height),
        _ => 6,
    };
    rows.max(2)
}

fn step(app: &mut App, by: isize, effects: &mut Vec<Effect>) {
    if app.overlay.is_some() {
        return scroll_overlay(app, by);
    }
    match app.focus {
        Focus::Page => app.page.scroll(by),
        Focus::Ranking => select(app, app.selected.saturating_add_signed(by), effects),
        Focus::Funnel => {
            let last = app
                .outcome()
                .map_or(0, |o| o.funnel.len().saturating_sub(1));
            app.stage = app.stage.saturating_add_signed(by).min(last);
        }
        Focus::Question | Focus::Chips => {}
    }
}

/// Scrolls what is only read: the help, or why a page is ranked.
pub fn scroll_overlay(app: &mut App, by: isize) {
    let last = super::view::overlay_last_top(app);
    if let Some(Overlay::Help { top, .. } | Overlay::Why { top }) = &mut app.overlay {
        *top = (*top).min(last).saturating_add_signed(by).min(last);
    }
}

/// Selects a listed page and reads it.
pub fn select(app: &mut App, at: usize, effects: &mut Vec<Effect>) {
    let Some(outcome) = app.outcome() else { return };
    let at = at.min(listed::pages(outcome).count().saturating_sub(1));
    let Some(page) = listed::at(outcome, at).map(|p| p.page) else {
        return;
    };
    app.selected = at;
    if let Some(Overlay::Why { top }) = &mut app.overlay {
        *top = 0;
    }
    read_listed(app, page, effects);
}

fn turn_page(app: &mut App, by: i64, effects: &mut Vec<Effect>) {
    let Some(at) = app.page.wanted else { return };
    let pages = app.filing(at.filing).map_or(0, |f| f.pages);
    match u32::try_from(i64::from(at.page) + by) {
        Ok(page) if page < pages => read(app, PageId { page, ..at }, effects),
        _ => app.tell(match by < 0 {
            true => "this is the first page",
            false => "this is the last page",
        }),
    }
}

/// Reads a page into the page pane, from its top.
pub fn read(app: &mut App, page: PageId, effects: &mut Vec<Effect>) {
    request(app, page, false, effects);
}

/// Reads a listed page into the page pane, from the passage that answers best.
fn read_listed(app: &mut App, page: PageId, effects: &mut Vec<Effect>) {
    request(app, page, true, effects);
}

fn request(app: &mut App, page: PageId, at_best: bool, effects: &mut Vec<Effect>) {
    app.page.asked += 1;
    app.page.wanted = Some(page);
    let passages = match (&app.labels, app.is_labelled(page)) {
        (Some(labels), true) => labels
            .evidence
            .iter()
            .filter(|e| e.page == page.page)
            .map(|e| e.text.clone())
            .collect(),
        _ => Vec::new(),
    };
    effects.push(Effect::Page(PageRequest {
        generation: app.page.asked,
        page,
        outcome: app.outcome().cloned(),
        passages,
        at_best,
    }));
}

fn engine(app: &mut App, reply: Reply, effects: &mut Vec<Effect>) -> bool {
    match reply {
        Reply::Answer(answer) => {
            // An answer to a question typed since then is as good as none; an older one is not shown.
            if app
                .answer
                .as_ref()
                .is_some_and(|shown| shown.generation >= answer.generation)
            {
                return false;
            }
            let reading_on = app.focus == Focus::Page && answer.moved.is_some();
            // What a switch moved is told above the ranked pages; where they are out of sight, here.
            if let (Some(moved), true) = (&answer.moved, app.panes().ranking.is_empty()) {
                let words = moved.words.clone();
                app.tell(words);
            }
            let staying = app.staying == Some(answer.generation);
            let before = app.page.wanted.filter(|_| reading_on || staying);
            let outcome: Arc<Outcome> = answer.outcome.clone();
            app.answer = Some(*answer);
            app.stage = app.stage.min(outcome.funnel.len().saturating_sub(1));
            // The reader of a page keeps it when a switch reorders the ranking, or the library is open again;
            // who is among the ranked pages, as long as it is one of them.
            let kept = before.and_then(|page| listed::pages(&outcome).position(|p| p.page == page));
            let before = before.filter(|_| kept.is_some() || app.focus == Focus::Page);
            app.selected = kept.unwrap_or(0);
            match (before, outcome.ranked.first()) {
                (Some(page), _) => read(app, page, effects),
                (None, Some(first)) => {
                    let page = first.page;
                    read_listed(app, page, effects);
                }
                (None, None) => {
                    app.page.wanted = None;
                    app.page.shown = None;
                }
            }
            true
        }
        Reply::Page(page) => {
            if page.generation < app.page.asked || app.page.wanted != Some(page.page) {
                return false;
            }
            app.page.show(*page);
            true
        }
        Reply::Failed(words) => {
            app.tell_error(format!("the engine failed: {words} (see the log)"));
            true
        }
    }
}

/// Goes on with another library, or with this one changed: the question is kept and asked again.
fn library(app: &mut App, opened: Opened, effects: &mut Vec<Effect>) {
    app.opening = false;
    // Who reads a page of this library goes on reading it while its filing is there.
    let reading = app.page.wanted.filter(|_| app.library == opened.name);
    let reading = reading.and_then(|at| Some((app.filing(at.filing)?.doc_name.clone(), at.page)));
    app.finder = opened.finder;
    let reading = reading.and_then(|(doc_name, page)| {
        let filing = app.find_filing(&doc_name)?;
        (page < app.filing(filing)?.pages).then_some(PageId { filing, page })
    });
    app.questions = opened.questions;
    app.demo = opened.demo;
    // The question keeps its labels where the library has it.
    let questions = &app.questions;
    let known = |l: &mut Question| {
        questions
            .iter()
            .any(|q| (&q.id, &q.text) == (&l.id, &l.text))
    };
    app.labels = app.labels.take_if(known);
    // What the user is typing in a prompt is not taken away.
    if !matches!(app.overlay, Some(Overlay::Prompt(_))) {
        app.overlay = None;
    }
    app.answer = None;
    match reading {
        Some(page) => app.page.renumber(page),
        None => app.page.forget(),
    }
    app.analysis.rungs = opened.rungs.into();
    if app.library != opened.name {
        app.library = opened.name;
        app.settings.scope.filings.clear();
    }
    if !app.finder.retrievers().contains(&app.settings.retriever) {
        app.settings.retriever = Retriever::Bm25;
    }
    analysis::forget(app, effects);
    ask(app, None, effects);
    app.staying = reading.map(|_| app.asked);
}
