//! What the pickers of the error analysis offer, and what taking a line does.

use std::collections::BTreeMap;

use super::prompts::go_to_noted;
use super::state::{Column, Filter};
use super::update;
use super::work::NoteEdit;
use crate::eval::notes::{Filter as NoteFilter, Note};
use crate::tui::app::{App, Effect, Screen};
use crate::tui::asking::fill;
use crate::tui::picker::{Item, Picker, PickerKind, Value};
use crate::tui::text;

/// Tags offered before any is in use.
const TAGS: [&str; 4] = [
    "label debatable",
    "needs synonym",
    "wrong page text",
    "not answerable",
];

/// The lines of a picker of the error analysis.
pub fn items(kind: PickerKind, app: &App) -> Vec<Item> {
    let analysis = &app.analysis;
    let item = |text: String, note: String, ix: usize| Item {
        text,
        note,
        value: Value::Index(ix),
    };
    match kind {
        PickerKind::SortList => Column::ALL
            .iter()
            .enumerate()
            .map(|(ix, column)| {
                let note = match analysis.sort {
                    Some((by, false)) if by == *column => "rising",
                    Some((by, true)) if by == *column => "falling",
                    _ => "",
                };
                item(column.title().to_string(), note.to_string(), ix)
            })
            .collect(),
        PickerKind::FilterList => offered(app)
            .into_iter()
            .map(|(filter, n)| {
                let on = analysis.filters.contains(&filter);
                let words = format!(
                    "{}  {}",
                    text::left(filter.column.title(), 13),
                    filter.value
                );
                let note = format!("{}{n}", if on { "on · " } else { "" });
                Item {
                    text: words,
                    note,
                    value: Value::Filter(filter),
                }
            })
            .collect(),
        PickerKind::ExcludeWord => words(app)
            .into_iter()
            .map(|(word, out)| Item {
                text: word.clone(),
                note: if out { "left out" } else { "" }.to_string(),
                value: Value::Text(word),
            })
            .collect(),
        PickerKind::Tags => tags(app)
            .into_iter()
            .map(|(tag, n)| {
                let here = analysis.notes_here();
                let on = here.iter().any(|note| note.tags.contains(&tag));
                let note = match (on, n) {
                    (true, _) => "on this question".to_string(),
                    (false, 0) => String::new(),
                    (false, n) => n.to_string(),
                };
                Item {
                    text: tag.clone(),
                    note,
                    value: Value::Text(tag),
                }
            })
            .collect(),
        PickerKind::Notes => notes(app)
            .into_iter()
            .map(|note| {
                let question = app.questions.iter().find(|q| q.id == note.question);
                let id = question.map_or(note.question.as_str(), |q| q.short_id());
                let tags: String = note.tags.iter().map(|tag| format!("#{tag} ")).collect();
                item(
                    format!("{id}  {tags}{}", note.text),
                    note.at.chars().take(10).collect(),
                    usize::try_from(note.note).unwrap_or(usize::MAX),
                )
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Every value of every column, with how many rows have it.
fn offered(app: &App) -> Vec<(Filter, usize)> {
    let mut offered = Vec::new();
    // Hit or miss first: it is what people come for.
    let mut columns = Column::ALL;
    columns.sort_by_key(|column| match column {
        Column::Hit => 0,
        Column::Stage => 1,
        Column::Rank => 2,
        Column::Tag => 3,
        Column::Id => 9,
        _ => 4,
    });
    for column in columns {
        let mut values: BTreeMap<String, usize> = BTreeMap::new();
        for row in &app.analysis.rows {
            for value in row.values(column).into_iter().filter(|v| !v.is_empty()) {
                *values.entry(value).or_default() += 1;
            }
        }
        let filters = values.into_iter();
        offered.extend(filters.map(|(value, n)| (Filter { column, value }, n)));
    }
    offered
}

/// The words of the query, those left out last.
fn words(app: &App) -> Vec<(String, bool)> {
    let terms = app.analysis.case().map(|case| &case.why.terms);
    let mut words: Vec<(String, bool)> = terms
        .into_iter()
        .flatten()
        .map(|t| (t.term.clone(), false))
        .collect();
    let out = &app.analysis.trial.settings.without_words;
    words.retain(|(word, _)| !out.contains(word));
    words.extend(out.iter().map(|word| (word.clone(), true)));
    words
}

fn tags(app: &App) -> Vec<(String, usize)> {
    let mut tags: BTreeMap<String, usize> = TAGS.iter().map(|t| (t.to_string(), 0)).collect();
    if let Some(notes) = &app.analysis.notes {
        tags.extend(notes.tags().into_iter().map(|(t, n)| (t.to_string(), n)));
    }
    tags.into_iter().collect()
}

/// Every note, newest first.
fn notes(app: &App) -> Vec<&Note> {
    let mut notes = match &app.analysis.notes {
        Some(notes) => notes.list(&NoteFilter::default()),
        None => Vec::new(),
    };
    notes.reverse();
    notes
}

/// Takes the selected line; false when the picker is none of the error analysis.
pub fn pick(app: &mut App, picker: &Picker, effects: &mut Vec<Effect>) -> bool {
    let value = picker.current().map(|item| item.value.clone());
    let index = match value {
        Some(Value::Index(ix)) => Some(ix),
        _ => None,
    };
    match picker.kind {
        PickerKind::SortList => {
            if let Some(&column) = index.and_then(|ix| Column::ALL.get(ix)) {
                let analysis = &mut app.analysis;
                analysis.sort = match analysis.sort {
                    Some((by, false)) if by == column => Some((column, true)),
                    Some((by, true)) if by == column => None,
                    _ => Some((column, false)),
                };
                update::arrange(app, effects);
            }
        }
        PickerKind::FilterList => {
            if let Some(Value::Filter(filter)) = value {
                let filters = &mut app.analysis.filters;
                match filters.iter().position(|f| *f == filter) {
                    Some(at) => drop(filters.remove(at)),
                    None => filters.push(filter),
                }
                update::arrange(app, effects);
            }
        }
        PickerKind::ExcludeWord => {
            if let Some(Value::Text(word)) = value {
                let without = &mut app.analysis.trial.settings.without_words;
                match without.iter().position(|w| *w == word) {
                    Some(at) => drop(without.remove(at)),
                    None => without.push(word),
                }
                update::explain(app, effects);
            }
        }
        PickerKind::Tags => {
            if let Some(Value::Text(tag)) = value {
                tag_question(app, tag, effects);
            }
        }
        PickerKind::Notes => {
            let note = index.and_then(|n| {
                let notes = app.analysis.notes.as_ref()?;
                notes.get(n as u64).ok()
            });
            let Some(id) = note.map(|note| note.question.clone()) else {
                return true;
            };
            if update::go_to(app, &id, effects) {
                return true;
            }
            match id.contains(' ') {
                // Words that were asked in the workbench.
                true => {
                    app.screen = Screen::Bench;
                    fill(app, &id, None, effects);
                }
                false => app.tell(format!("question {id} is not in this library")),
            }
        }
        _ => return false,
    }
    true
}

/// Tags the newest note on the question, or a new one; takes the tag away where it is.
fn tag_question(app: &mut App, tag: String, effects: &mut Vec<Effect>) {
    if !go_to_noted(app, effects) {
        return;
    }
    let Some(question) = app.analysis.question().map(|q| q.id.clone()) else {
        return;
    };
    let notes = app.analysis.notes_here();
    let tagged = notes.iter().find(|note| note.tags.contains(&tag));
    let edit = match (tagged, app.analysis.note_here()) {
        (Some(note), _) if note.text.is_empty() && note.tags.len() == 1 => {
            NoteEdit::Remove(note.note)
        }
        (Some(note), _) => NoteEdit::Change {
            number: note.note,
            text: note.text.clone(),
            tags: note.tags.iter().filter(|t| **t != tag).cloned().collect(),
        },
        (None, Some(note)) => NoteEdit::Change {
            number: note.note,
            text: note.text.clone(),
            tags: note.tags.iter().cloned().chain([tag]).collect(),
        },
        (None, None) => NoteEdit::Add {
            question,
            text: String::new(),
            tags: vec![tag],
            rank: app.analysis.row().and_then(|row| row.rank()),
        },
    };
    effects.push(Effect::Note(edit));
}

/// Removes the note selected in the list of notes.
pub fn remove_note(picker: &Picker, effects: &mut Vec<Effect>) {
    if let Some(Value::Index(number)) = picker.current().map(|item| item.value.clone()) {
        effects.push(Effect::Note(NoteEdit::Remove(number as u64)));
    }
}
