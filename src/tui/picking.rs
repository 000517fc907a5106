//! What happens in lists with a filter and in prompts.

use super::action::Action;
use super::analysis;
use super::app::{App, Effect, Focus, Overlay, PromptKind};
use super::asking::{ask, fill};
use super::chips;
use super::export;
use super::memory::SavedSearch;
use super::picker::{Picker, PickerKind, Value};
use super::side::{self, Task};
use super::update::{act as dispatch, read};
use crate::eval::export::Format;
use crate::library::PageId;

/// Does what an action of a list or prompt says.
pub fn act(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    let rows = isize::try_from(app.size.height / 2).unwrap_or(1).max(1);
    match app.overlay.take() {
        Some(Overlay::Prompt(prompt))
            if action == Action::Pick && prompt.kind != PromptKind::Fetch =>
        {
            answer(app, prompt.kind, prompt.line.text().trim(), effects);
        }
        Some(Overlay::Picker(mut picker)) => {
            match action {
                Action::PickDown => picker.step(1),
                Action::PickUp => picker.step(-1),
                Action::PickPageDown => picker.step(rows),
                Action::PickPageUp => picker.step(-rows),
                Action::PickMark if picker.kind == PickerKind::Filings => picker.mark(),
                Action::PickRemove if picker.kind == PickerKind::Saved => {
                    if let Some(Value::Saved(name)) = picker.current().map(|i| &i.value) {
                        app.memory.remove(name);
                        effects.push(Effect::Remember);
                        picker = Picker::of(PickerKind::Saved, app);
                    }
                }
                Action::PickRemove if picker.kind == PickerKind::Notes => {
                    analysis::remove_note(&picker, effects);
                    app.overlay = None;
                    return;
                }
                Action::Pick => return pick(app, picker, effects),
                _ => {}
            }
            app.overlay = Some(Overlay::Picker(picker));
        }
        other => app.overlay = other,
    }
}

fn pick(app: &mut App, picker: Picker, effects: &mut Vec<Effect>) {
    let set_before = !app.settings.scope.filings.is_empty();
    if picker.kind == PickerKind::Filings && (!picker.marked.is_empty() || set_before) {
        return scope_filings(app, &picker, effects);
    }
    let Some(value) = picker.current().map(|item| item.value.clone()) else {
        // Nothing to take: the list stays for another filter.
        app.overlay = Some(Overlay::Picker(picker));
        return;
    };
    match value {
        Value::Question(ix) => {
            if let Some(question) = app.questions.get(ix).cloned() {
                app.focus = Focus::Ranking;
                if app.find_filing(&question.doc_name).is_none() {
                    app.tell_error(format!(
                        "its filing {} is not in this library",
                        question.doc_name
                    ));
                }
                fill(app, &question.text.clone(), Some(question), effects);
            }
        }
        Value::Filing(ix) => open(app, u32::try_from(ix).unwrap_or(u32::MAX), effects),
        Value::Saved(name) => {
            // By name: another session may have removed it.
            let saved = app.memory.saved.iter().find(|s| s.name == name);
            if let Some(saved) = saved.cloned() {
                app.settings = saved.settings;
                app.focus = Focus::Ranking;
                fill(app, &saved.question, None, effects);
            }
        }
        Value::Library(library) => match library == app.library {
            true => app.tell(format!("{library} is in use")),
            false => side::start(app, Task::Open(library), effects),
        },
        Value::Reported(ix) => {
            let filing = app.side.report.get(ix).and_then(|l| l.filing.clone());
            let Some(name) = filing else { return };
            match app.find_filing(&name) {
                Some(filing) => open(app, filing, effects),
                None => {
                    let key = app.keymap.key(Action::Libraries, app.focus.place());
                    app.tell(format!("{name} is in another library: {key} goes there"));
                }
            }
        }
        Value::AddTo(library) => side::chosen(app, &library),
        Value::Action(action) => dispatch(app, action, effects),
        Value::Asked(question) => {
            app.focus = Focus::Question;
            fill(app, &question, None, effects);
        }
        Value::Scope(facet, value) => {
            chips::add(&mut app.settings.scope, facet, &value);
            ask(
                app,
                Some(format!("{} {value} set", chips::label(facet))),
                effects,
            );
        }
        Value::Format(format) => write_results(app, format),
        Value::Column(_) | Value::Filter(_) | Value::Word(_) | Value::Tag(_) | Value::Note(_) => {
            analysis::pick(app, value, effects);
        }
    }
}

/// Opens a filing at its first page.
fn open(app: &mut App, filing: u32, effects: &mut Vec<Effect>) {
    app.focus = Focus::Page;
    read(app, PageId { filing, page: 0 }, effects);
}

/// The marked filings become the scope; none marked ends it.
fn scope_filings(app: &mut App, picker: &Picker, effects: &mut Vec<Effect>) {
    app.settings.scope.filings = picker
        .marked
        .iter()
        .filter_map(|&ix| Some(app.finder.filings().get(ix)?.doc_name.clone()))
        .collect();
    let words = match app.settings.scope.filings.len() {
        0 => "no filings set by hand".to_string(),
        1 => "one filing set by hand".to_string(),
        n => format!("{n} filings set by hand"),
    };
    ask(app, Some(words), effects);
}

fn answer(app: &mut App, kind: PromptKind, typed: &str, effects: &mut Vec<Effect>) {
    match kind {
        PromptKind::Find => {
            app.page.look_for(typed);
            app.focus = Focus::Page;
            if !typed.is_empty() && app.page.finds.is_empty() {
                app.tell(format!("`{typed}` is not on this page"));
            }
        }
        PromptKind::GoToPage => go_to_page(app, typed, effects),
        PromptKind::AddFilings if typed.is_empty() => {}
        PromptKind::AddFilings => {
            app.side.typed = typed.to_string();
            let task = Task::Add {
                line: typed.to_string(),
                library: side::target(app).to_string(),
            };
            side::start(app, task, effects);
        }
        PromptKind::Fetch => {}
        PromptKind::ExportTo => export::to(app, typed, effects),
        PromptKind::Answer => side::answer(app, typed),
        PromptKind::SearchList
        | PromptKind::WhatIf
        | PromptKind::AddWord
        | PromptKind::WriteNote
        | PromptKind::ChangeNote(_) => analysis::answer(app, kind, typed, effects),
        PromptKind::SaveSearch => {
            let name = match typed {
                "" => app.line.text().trim(),
                typed => typed,
            };
            if name.is_empty() {
                return app.tell("nothing to save: the question is empty");
            }
            let search = SavedSearch {
                name: name.to_string(),
                question: app.line.text().to_string(),
                settings: app.settings.clone(),
            };
            app.tell(format!("saved as `{name}`"));
            app.memory.save(search);
            effects.push(Effect::Remember);
        }
    }
}

/// `62` is a PDF page; `p60` or `printed 60` a number printed on a page.
fn go_to_page(app: &mut App, typed: &str, effects: &mut Vec<Effect>) {
    let Some(at) = app.page.wanted else {
        return app.tell("no filing is open");
    };
    let pages = app.filing(at.filing).map_or(0, |f| f.pages);
    if let Ok(number) = typed.parse::<u32>() {
        return match number.checked_sub(1).filter(|page| *page < pages) {
            Some(page) => read(app, PageId { page, ..at }, effects),
            None => app.tell_error(format!(
                "no page {number}: this filing has pages 1 to {pages}"
            )),
        };
    }
    let printed = typed
        .trim_start_matches("printed")
        .trim_start_matches('p')
        .trim();
    let found = (0..pages)
        .map(|page| PageId { page, ..at })
        .find(|page| app.finder.about(*page).printed_page.as_deref() == Some(printed));
    match found {
        Some(page) if !printed.is_empty() => read(app, page, effects),
        _ => app.tell_error(format!("no page with `{printed}` printed on it is known")),
    }
}

fn write_results(app: &mut App, format: Format) {
    let Some(found) = &app.answer else { return };
    let stem = export::file_stem(&found.outcome.question);
    let text = export::results(&*app.finder, &found.outcome, format);
    export::ask(app, format.title(), &stem, format.name(), text);
}
