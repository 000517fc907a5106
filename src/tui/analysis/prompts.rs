//! The prompts of the error analysis: what is searched and tried as it is typed, and the notes.

use super::state::Row;
use super::update::{arrange, explain, go_to};
use super::work::NoteEdit;
use crate::eval::notes::Note;
use crate::tui::app::{App, Effect, PromptKind, Screen};
use crate::words::one_line;

/// The note that is begun is about the question now selected, whatever becomes of the list meanwhile.
pub fn note_on_this(app: &mut App) {
    let question = app.analysis.question().map(|q| q.id.clone());
    app.analysis.noting = question.map(|id| (app.library.clone(), id));
}

/// In the workbench it is about the question in the line; where that has a note already, the newest is changed.
pub fn note_on_asked(app: &mut App) {
    let Some(id) = asked(app) else {
        return app.tell("no question is asked that a note could be kept on");
    };
    match note_asked(app).map(|note| (note.note, note.text.clone())) {
        Some((number, text)) => app.prompt(PromptKind::ChangeNote(number), &text),
        None => app.prompt(PromptKind::WriteNote, ""),
    }
    app.analysis.noting = Some((app.library.clone(), id));
}

/// The newest note on the question in the line.
pub fn note_asked(app: &App) -> Option<&Note> {
    let id = asked(app)?;
    app.analysis.notes_on(&id).last().copied()
}

/// What notes know the question in the line by: its id where it is labelled, or else its words.
fn asked(app: &App) -> Option<String> {
    let words = one_line(app.line.text());
    let labelled = app.labels.as_ref().map(|labels| labels.id.clone());
    (!words.is_empty()).then(|| labelled.unwrap_or(words))
}

/// Goes back to the question that the note is about; says so where it is not in this library.
pub fn go_to_noted(app: &mut App, effects: &mut Vec<Effect>) -> bool {
    let Some((library, id)) = app.analysis.noting.clone() else {
        return false;
    };
    let here = app.library == library;
    let selected = app.analysis.question().is_some_and(|q| q.id == id);
    // The workbench keeps a note on any question; what is asked there meanwhile is no matter.
    if here && (app.screen == Screen::Bench || selected || go_to(app, &id, effects)) {
        return true;
    }
    app.tell_error(match here {
        true => format!("question {id} is no longer in this library"),
        false => format!("the note is on a question of {library}: go back there to keep it"),
    });
    false
}

/// A prompt of the error analysis has another text: what it tries is shown at once.
pub fn typed(app: &mut App, effects: &mut Vec<Effect>) {
    let Some(prompt) = app.prompted() else { return };
    let (kind, text) = (prompt.kind, prompt.line.text().to_string());
    let own = app.analysis.question().map_or("", |q| q.text.as_str());
    let tried = match kind {
        PromptKind::SearchList if app.analysis.search != text => {
            app.analysis.search = text;
            return arrange(app, effects);
        }
        // The line shows breaks as spaces: that is no edit.
        PromptKind::WhatIf if own.split_whitespace().eq(text.split_whitespace()) => None,
        PromptKind::WhatIf => Some(text),
        PromptKind::AddWord => match (&prompt.before.trial.text, text.trim()) {
            (before, "") => before.clone(),
            (before, words) => Some(format!("{} {words}", before.as_deref().unwrap_or(own))),
        },
        _ => return,
    };
    if tried != app.analysis.trial.text {
        app.analysis.trial.text = tried;
        explain(app, effects);
    }
}

/// A prompt is left without an answer: all is as before.
pub fn cancel(app: &mut App, effects: &mut Vec<Effect>) {
    let Some(prompt) = app.prompted() else { return };
    let (kind, before) = (prompt.kind, prompt.before.clone());
    match kind {
        PromptKind::SearchList => {
            app.analysis.search = before.search;
            arrange(app, effects);
        }
        PromptKind::WhatIf | PromptKind::AddWord => {
            app.analysis.trial = before.trial;
            explain(app, effects);
        }
        _ => {}
    }
}

/// A prompt was answered. What is searched and tried is in force already.
pub fn answer(app: &mut App, kind: PromptKind, text: &str, effects: &mut Vec<Effect>) {
    match kind {
        PromptKind::WriteNote if text.is_empty() => return,
        PromptKind::WriteNote | PromptKind::ChangeNote(_) => {}
        _ => return,
    }
    let edit = match go_to_noted(app, effects) {
        true => edit(app, kind, text),
        false => None,
    };
    match edit {
        Some(edit) => effects.push(Effect::Note(edit)),
        // What was written is not lost.
        None => app.prompt(kind, text),
    }
}

/// What a prompt answered does to the notes on the selected question.
fn edit(app: &mut App, kind: PromptKind, text: &str) -> Option<NoteEdit> {
    let text = text.to_string();
    let (_, question) = app.analysis.noting.clone()?;
    let PromptKind::ChangeNote(number) = kind else {
        app.analysis.note = usize::MAX;
        let rank = match app.screen {
            Screen::Analysis => app.analysis.row().and_then(Row::rank),
            Screen::Bench => rank_asked(app, &question),
        };
        return Some(NoteEdit::Add {
            question,
            text,
            tags: Vec::new(),
            rank,
        });
    };
    let here = app.analysis.notes_on(&question);
    let note = here.into_iter().find(|note| note.note == number);
    let Some(tags) = note.map(|note| note.tags.clone()) else {
        app.tell_error(format!("note {number} is no longer on this question"));
        return None;
    };
    Some(match text.is_empty() && tags.is_empty() {
        true => NoteEdit::Remove(number),
        false => NoteEdit::Change { number, text, tags },
    })
}

/// Best rank of a labelled page in the answer shown, where it is of this question.
fn rank_asked(app: &App, id: &str) -> Option<usize> {
    app.labels.as_ref().filter(|labels| labels.id == id)?;
    let answer = app.answer.as_ref()?;
    answer.labelled.iter().filter_map(|(_, rank)| *rank).min()
}
