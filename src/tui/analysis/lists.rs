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
    match kind {
        PickerKind::SortList => {
            let note = |column| match app.analysis.sort {
                Some((by, false)) if by == column => "rising",
                Some((by, true)) if by == column => "falling",
                _ => "",
            };
            let item = |column: Column| {
                Item::of(column.title().into(), Value::Column(column)).noted(note(column))
            };
            Column::ALL.into_iter().map(item).collect()
        }
        PickerKind::FilterList => filters(app),
        PickerKind::ExcludeWord => words(app),
        PickerKind::Tags => tags(app),
        PickerKind::Notes => notes(app),
        _ => Vec::new(),
    }
}

/// Every value of every column, with how many rows have it.
fn filters(app: &App) -> Vec<Item> {
    let mut items = Vec::new();
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
        items.extend(values.into_iter().map(|(value, n)| {
            let words = format!("{}  {value}", text::left(column.title(), 13));
            let filter = Filter { column, value };
            let on = app.analysis.filters.contains(&filter);
            let note = format!("{}{n}", if on { "on · " } else { "" });
            Item::of(words, Value::Filter(filter)).noted(note)
        }));
    }
    items
}

/// The words of the query, those left out last.
fn words(app: &App) -> Vec<Item> {
    let item = |word: &String| Item::of(word.clone(), Value::Word(word.clone()));
    let terms = app.analysis.case().map(|case| &case.why.terms);
    let terms = terms.into_iter().flatten().map(|t| &t.term);
    let out = &app.analysis.trial.settings.without_words;
    terms
        .filter(|word| !out.contains(word))
        .map(item)
        .chain(out.iter().map(|word| item(word).noted("left out")))
        .collect()
}

/// Those offered and those in use, with how many notes have them.
fn tags(app: &App) -> Vec<Item> {
    let mut tags: BTreeMap<&str, usize> = TAGS.iter().map(|t| (*t, 0)).collect();
    if let Some(notes) = &app.analysis.notes {
        tags.extend(notes.tags());
    }
    let here = app.analysis.notes_here();
    let item = |(tag, n): (&str, usize)| {
        let on = here.iter().any(|note| note.tags.iter().any(|t| t == tag));
        let note = match (on, n) {
            (true, _) => "on this question".to_string(),
            (false, 0) => String::new(),
            (false, n) => n.to_string(),
        };
        Item::of(tag.into(), Value::Tag(tag.into())).noted(note)
    };
    tags.into_iter().map(item).collect()
}

/// Every note, newest first.
fn notes(app: &App) -> Vec<Item> {
    let notes = app.analysis.notes.as_ref();
    let notes = notes.map_or(Vec::new(), |notes| notes.list(&NoteFilter::default()));
    let item = |note: &Note| {
        let question = app.questions.iter().find(|q| q.id == note.question);
        let id = question.map_or(note.question.as_str(), |q| q.short_id());
        let tags: String = note.tags.iter().map(|tag| format!("#{tag} ")).collect();
        let words = format!("{id}  {tags}{}", note.text);
        let day: String = note.at.chars().take(10).collect();
        Item::of(words, Value::Note(note.note)).noted(day)
    };
    notes.into_iter().rev().map(item).collect()
}

/// Takes a line.
pub fn pick(app: &mut App, value: Value, effects: &mut Vec<Effect>) {
    match value {
        Value::Column(column) => {
            let analysis = &mut app.analysis;
            analysis.sort = match analysis.sort {
                Some((by, false)) if by == column => Some((column, true)),
                Some((by, true)) if by == column => None,
                _ => Some((column, false)),
            };
            update::arrange(app, effects);
        }
        Value::Filter(filter) => {
            toggle(&mut app.analysis.filters, filter);
            update::arrange(app, effects);
        }
        Value::Word(word) => {
            toggle(&mut app.analysis.trial.settings.without_words, word);
            update::explain(app, effects);
        }
        Value::Tag(tag) => tag_question(app, tag, effects),
        Value::Note(number) => go_to_question(app, number, effects),
        _ => {}
    }
}

/// Takes a value out, or puts it in where it is not.
fn toggle<T: PartialEq>(values: &mut Vec<T>, value: T) {
    match values.iter().position(|v| *v == value) {
        Some(at) => drop(values.remove(at)),
        None => values.push(value),
    }
}

/// Goes to the question that a note is on.
fn go_to_question(app: &mut App, number: u64, effects: &mut Vec<Effect>) {
    let notes = app.analysis.notes.as_ref();
    let note = notes.and_then(|notes| notes.get(number).ok());
    let Some(id) = note.map(|note| note.question.clone()) else {
        return;
    };
    if update::go_to(app, &id, effects) {
        return;
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
    if let Some(Value::Note(number)) = picker.current().map(|item| &item.value) {
        effects.push(Effect::Note(NoteEdit::Remove(*number)));
    }
}
