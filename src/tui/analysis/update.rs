//! What changes the error analysis.

use ratatui::layout::Position;

use super::prompts::{note_on_this, typed};
use super::state::{Analysis, Pane, Row, Trial};
use super::view;
use super::work::{CaseRequest, NoteEdit, Reply, RunRequest};
use crate::search::{HandScope, Settings};
use crate::tui::action::Action;
use crate::tui::app::{App, Effect, Focus, Overlay, PromptKind, Screen};
use crate::tui::asking::fill;
use crate::tui::picker::PickerKind;
use crate::tui::switching::flip;

/// Shows the screen; the list is run when it was not yet under these switches. It is asked of the whole library, as
/// `tenleaf eval` asks it: what is set by hand for one question says nothing of the others.
pub fn open(app: &mut App, effects: &mut Vec<Effect>) {
    if app.questions.is_empty() {
        return app.tell("this library has no labelled questions");
    }
    app.screen = Screen::Analysis;
    let settings = Settings {
        without_words: Vec::new(),
        scope: HandScope::default(),
        ..app.settings.clone()
    };
    if app.analysis.rows.is_empty() {
        app.analysis = list(app);
    }
    app.analysis.trial = Trial {
        text: None,
        settings: settings.clone(),
    };
    if app.analysis.settings.as_ref() != Some(&settings) {
        run(app, effects);
    }
    if let Some(id) = app.labels.as_ref().map(|labels| labels.id.clone()) {
        go_to(app, &id, effects);
    }
    explain(app, effects);
}

/// Another library has other questions.
pub fn forget(app: &mut App, effects: &mut Vec<Effect>) {
    let selected = app.analysis.question().map(|question| question.id.clone());
    let rungs = app.analysis.rungs.to_vec();
    app.analysis = app.analysis.anew(rungs);
    effects.push(Effect::Note(NoteEdit::Read));
    if app.screen != Screen::Analysis {
        return;
    }
    app.screen = Screen::Bench;
    open(app, effects);
    if let Some(id) = selected {
        go_to(app, &id, effects);
    }
    // What is searched or tried in an open prompt stays in force.
    if let Some(Overlay::Prompt(prompt)) = &mut app.overlay {
        prompt.before = app.analysis.tried();
        typed(app, effects);
    }
}

/// The list of the library's questions, nothing known of them yet.
fn list(app: &App) -> Analysis {
    let retrievers = app.finder.retrievers();
    let mut rungs = app.analysis.rungs.to_vec();
    rungs.retain(|rung| retrievers.contains(&rung.settings.retriever));
    let row = |question: &crate::eval::Question| Row {
        id: question.short_id().to_string(),
        split: question.part().to_string(),
        kind: question.kind.clone(),
        company: app
            .find_filing(&question.doc_name)
            .and_then(|ordinal| app.filing(ordinal))
            .map_or_else(|| question.company.clone(), |f| f.company.clone()),
        judged: None,
        saved: None,
        tags: Vec::new(),
        notes: 0,
    };
    let mut list = Analysis {
        questions: app.questions.clone().into(),
        rows: app.questions.iter().map(row).collect(),
        shown: (0..app.questions.len()).collect(),
        notes: app.analysis.notes.clone(),
        ..app.analysis.anew(rungs)
    };
    list.fill();
    list
}

/// Runs the list under the switches tried.
fn run(app: &mut App, effects: &mut Vec<Effect>) {
    let analysis = &mut app.analysis;
    analysis.run += 1;
    analysis.progress = Some((0, analysis.questions.len()));
    effects.push(Effect::Evaluate(RunRequest {
        generation: analysis.run,
        questions: analysis.questions.clone(),
        settings: Settings {
            without_words: Vec::new(),
            ..analysis.trial.settings.clone()
        },
    }));
}

/// Explains the selected question as it is tried.
pub fn explain(app: &mut App, effects: &mut Vec<Effect>) {
    let analysis = &mut app.analysis;
    let Some(question) = analysis.question().cloned() else {
        return;
    };
    analysis.asked += 1;
    effects.push(Effect::Explain(Box::new(CaseRequest {
        generation: analysis.asked,
        text: analysis.text().to_string(),
        question,
        settings: analysis.trial.settings.clone(),
        rungs: analysis.rungs.clone(),
    })));
}

/// Selects a row of the list; another question is explained, and what was tried in words ends.
fn select(app: &mut App, to: usize, effects: &mut Vec<Effect>) {
    let analysis = &mut app.analysis;
    let before = analysis.at();
    analysis.selected = to.min(analysis.shown.len().saturating_sub(1));
    if analysis.at() != before {
        another(app, effects);
    }
}

fn another(app: &mut App, effects: &mut Vec<Effect>) {
    let analysis = &mut app.analysis;
    analysis.trial.text = None;
    analysis.trial.settings.without_words.clear();
    analysis.tops = [0; 6];
    analysis.labelled = 0;
    analysis.note = usize::MAX;
    explain(app, effects);
}

/// Filters and sorts anew.
pub fn arrange(app: &mut App, effects: &mut Vec<Effect>) {
    let before = app.analysis.at();
    app.analysis.arrange();
    if app.analysis.at() != before {
        another(app, effects);
    }
}

/// Selects the question of this id, past filters that hide it; false when there is none.
pub fn go_to(app: &mut App, id: &str, effects: &mut Vec<Effect>) -> bool {
    let analysis = &mut app.analysis;
    let Some(at) = analysis.questions.iter().position(|q| q.id == id) else {
        return false;
    };
    let before = analysis.at();
    if !analysis.shown.contains(&at) {
        analysis.filters.clear();
        analysis.search.clear();
        analysis.arrange();
    }
    let row = analysis.shown.iter().position(|&ix| ix == at);
    analysis.selected = row.unwrap_or(0);
    if analysis.at() != before || analysis.case.is_none() {
        another(app, effects);
    }
    true
}

/// Takes what came back; true when the screen may have changed.
pub fn reply(app: &mut App, reply: Reply, effects: &mut Vec<Effect>) -> bool {
    let analysis = &mut app.analysis;
    match reply {
        Reply::Saved(saved) => {
            analysis.saved = saved;
            analysis.fill();
        }
        Reply::Progress(run, done, total) => {
            if run != analysis.run {
                return false;
            }
            analysis.progress = Some((done, total));
        }
        Reply::Run(run, settings, judged) => {
            if run != analysis.run {
                return false;
            }
            analysis.progress = None;
            analysis.settings = Some(settings);
            for (row, judged) in analysis.rows.iter_mut().zip(judged) {
                row.judged = Some(judged);
            }
            arrange(app, effects);
        }
        Reply::Case(case) => {
            let shown = analysis.case.as_ref().map_or(0, |shown| shown.generation);
            if case.generation <= shown {
                return false;
            }
            analysis.labelled = analysis.labelled.min(case.pairs.len().saturating_sub(1));
            let another = analysis
                .case()
                .is_none_or(|shown| shown.why.id != case.why.id);
            analysis.case = Some(case);
            if another {
                app.analysis.tops = view::first_tops(app);
            }
        }
        Reply::Notes(notes, words) => {
            analysis.notes = Some(*notes);
            analysis.fill();
            arrange(app, effects);
            if !words.is_empty() {
                app.tell(words);
            }
        }
        Reply::RunFailed(words) => {
            analysis.progress = None;
            app.tell_error(words);
        }
        Reply::Failed(words) => app.tell_error(words),
    }
    true
}

/// Does what an action says here; false when it is the same everywhere.
pub fn act(app: &mut App, action: Action, effects: &mut Vec<Effect>) -> bool {
    use Action::*;
    if app.overlay.is_some() {
        return false;
    }
    match action {
        Back => match app.analysis.pane {
            Pane::List => leave(app),
            _ => app.analysis.pane = Pane::List,
        },
        NextPane => turn(app, 1),
        PreviousPane => turn(app, Pane::ORDER.len() - 1),
        Open => app.analysis.pane = Pane::Labelled,
        Down | Up | First | Last | HalfDown | HalfUp | PageDown | PageUp => {
            let rows = view::layout(app).of(app.analysis.pane).height.max(2) - 1;
            step(app, action.rows(rows.into()), effects);
        }
        NextMiss | PreviousMiss => miss(app, action == NextMiss, effects),
        NextQuestion => select(app, app.analysis.selected.saturating_add(1), effects),
        PreviousQuestion => select(app, app.analysis.selected.saturating_sub(1), effects),
        NextLabelled | PreviousLabelled => labelled(app, action == NextLabelled),

        SwitchCompany | SwitchPeriod | SwitchRouting | SwitchNames | SwitchSignals
        | SwitchRetriever | SwitchSeveral | SwitchLean => {
            match flip(&mut app.analysis.trial.settings, action, &*app.finder) {
                Ok(words) => {
                    app.tell(words);
                    explain(app, effects);
                }
                Err(words) => app.tell(words),
            }
        }
        SearchList => {
            let search = app.analysis.search.clone();
            app.prompt(PromptKind::SearchList, &search);
        }
        SortList => app.pick_from(PickerKind::SortList),
        FilterList => app.pick_from(PickerKind::FilterList),
        ClearFilters => {
            app.analysis.filters.clear();
            app.analysis.search.clear();
            arrange(app, effects);
        }
        // What follows is about a question.
        _ if app.analysis.question().is_none() => return own(action),
        WhatIf => {
            let text = app.analysis.text().to_string();
            app.prompt(PromptKind::WhatIf, &text);
        }
        AddWord => app.prompt(PromptKind::AddWord, ""),
        ExcludeWord => app.pick_from(PickerKind::ExcludeWord),
        ResetWhatIf => {
            let settings = app.analysis.settings.clone();
            app.analysis.trial = Trial {
                text: None,
                settings: settings.unwrap_or_else(|| app.settings.clone()),
            };
            app.tell("question and switches as they were");
            explain(app, effects);
        }
        RunList => run(app, effects),
        ToBench => to_bench(app, effects),
        WriteNote | ChangeNote | RemoveNote | TagNote => note(app, action, effects),
        ListNotes => app.pick_from(PickerKind::Notes),
        ExportNotes => export(app),
        _ => return false,
    }
    true
}

/// True for the actions of this screen alone.
fn own(action: Action) -> bool {
    action.info().section == Action::Analyse.info().section
}

/// Takes question and switches to the workbench.
fn to_bench(app: &mut App, effects: &mut Vec<Effect>) {
    app.screen = Screen::Bench;
    app.focus = Focus::Ranking;
    app.settings = Settings {
        scope: app.settings.scope.clone(),
        ..app.analysis.trial.settings.clone()
    };
    // The workbench neither shows words left out nor takes them in again.
    let left_out = std::mem::take(&mut app.settings.without_words);
    let text = app.analysis.text().to_string();
    let labels = app.analysis.question().cloned();
    fill(app, &text, labels, effects);
    if !left_out.is_empty() {
        app.tell(format!("searched again: {}", left_out.join(", ")));
    }
}

/// Does what an action about the notes on the selected question says.
fn note(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    match action {
        Action::WriteNote => {
            note_on_this(app);
            app.prompt(PromptKind::WriteNote, "");
        }
        Action::ChangeNote => match app.analysis.note_here().cloned() {
            Some(note) => {
                note_on_this(app);
                app.prompt(PromptKind::ChangeNote(note.note), &note.text);
            }
            None => app.tell("there is no note on this question"),
        },
        Action::RemoveNote => match app.analysis.note_here().map(|note| note.note) {
            Some(number) => effects.push(Effect::Note(NoteEdit::Remove(number))),
            None => app.tell("there is no note on this question"),
        },
        _ => {
            note_on_this(app);
            app.pick_from(PickerKind::Tags);
        }
    }
}

fn leave(app: &mut App) {
    app.screen = Screen::Bench;
    app.notice = None;
}

fn turn(app: &mut App, by: usize) {
    let at = app.analysis.pane as usize;
    app.analysis.pane = Pane::ORDER[(at + by) % Pane::ORDER.len()];
}

/// Moves in the pane that has the keys.
fn step(app: &mut App, by: isize, effects: &mut Vec<Effect>) {
    let moved = |from: usize, last: usize| from.saturating_add_signed(by).min(last);
    let pane = app.analysis.pane;
    match pane {
        Pane::List => select(app, moved(app.analysis.selected, usize::MAX), effects),
        Pane::Notes => {
            let last = app.analysis.notes_here().len().saturating_sub(1);
            app.analysis.note = moved(app.analysis.note.min(last), last);
        }
        _ => {
            let last = view::last_top(app, pane);
            let top = &mut app.analysis.tops[pane as usize];
            *top = moved((*top).min(last), last);
        }
    }
}

fn miss(app: &mut App, forward: bool, effects: &mut Vec<Effect>) {
    let analysis = &app.analysis;
    let missed = |at: &usize| {
        let row = analysis
            .shown
            .get(*at)
            .and_then(|&ix| analysis.rows.get(ix));
        row.and_then(Row::hit) == Some(false)
    };
    let n = analysis.shown.len();
    let found = match forward {
        true => (analysis.selected + 1..n).find(missed),
        false => (0..analysis.selected.min(n)).rev().find(missed),
    };
    match found {
        Some(at) => select(app, at, effects),
        None if analysis.progress.is_some() => app.tell("the list is still being run"),
        None => app.tell(match forward {
            true => "no missed question further down",
            false => "no missed question further up",
        }),
    }
}

fn labelled(app: &mut App, forward: bool) {
    let n = app.analysis.case().map_or(0, |case| case.pairs.len());
    let at = app.analysis.labelled;
    let to = match forward {
        true => at + 1,
        false => at.wrapping_sub(1),
    };
    match to < n {
        true => {
            app.analysis.labelled = to;
            app.analysis.tops = view::first_tops(app);
        }
        false if n <= 1 => app.tell("the question has one labelled page"),
        false => app.tell(match forward {
            true => "this is the last labelled page",
            false => "this is the first labelled page",
        }),
    }
}

fn export(app: &mut App) {
    use crate::eval::QuestionSet;
    use crate::eval::notes::{Filter, Notes};
    let analysis = &app.analysis;
    let Some(notes) = &analysis.notes else { return };
    let listed: Vec<&str> = analysis
        .shown
        .iter()
        .map(|&ix| analysis.questions[ix].id.as_str())
        .collect();
    let mut chosen = notes.list(&Filter::default());
    chosen.retain(|note| listed.contains(&note.question.as_str()));
    if chosen.is_empty() {
        return app.tell("there is no note on the questions listed");
    }
    let set = QuestionSet::from(analysis.questions.to_vec());
    let rank_now = |id: &str| {
        let at = analysis.questions.iter().position(|q| q.id == id)?;
        let row = &analysis.rows[at];
        row.judged.is_some().then(|| row.rank())
    };
    let text = Notes::markdown(&chosen, &set, app.finder.filings(), rank_now);
    crate::tui::export::ask(app, "the notes", "notes", "md", text);
}

/// A click (`wheel` is 0) or a turn of the wheel.
pub fn mouse(app: &mut App, at: Position, wheel: isize, effects: &mut Vec<Effect>) {
    let layout = view::layout(app);
    let pane = Pane::ORDER
        .into_iter()
        .find(|pane| layout.of(*pane).contains(at));
    let Some(pane) = pane else { return };
    app.analysis.pane = pane;
    match (pane, wheel) {
        (Pane::List, 0) => {
            if let Some(row) = view::list_row(app, at) {
                select(app, row, effects);
            }
        }
        (_, 0) => {}
        (Pane::List, by) => step(app, by.signum(), effects),
        (_, by) => step(app, by, effects),
    }
}
