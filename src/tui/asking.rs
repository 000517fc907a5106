//! The question: typed, filled in, taken from those asked before, and asked.

use std::time::Duration;

use super::analysis;
use super::app::{App, Awaited, Effect, Focus, Overlay};
use super::line::{LINE, Line};
use super::text::thousands;
use super::warm::{REST, WarmRequest};
use super::worker::SearchRequest;
use crate::dense::Readiness;
use crate::eval::Question;
use crate::search::Retriever;

/// Changes the line that has the keys; a changed question is asked at once.
pub fn edit(app: &mut App, effects: &mut Vec<Effect>, change: impl FnOnce(&mut Line)) {
    let mut full = false;
    let change = |line: &mut Line| {
        change(line);
        full = line.take_full();
    };
    match &mut app.overlay {
        Some(Overlay::Picker(picker)) => {
            let before = picker.filter.text().to_string();
            change(&mut picker.filter);
            if picker.filter.text() != before {
                picker.refilter();
            }
        }
        Some(Overlay::Prompt(prompt)) => {
            change(&mut prompt.line);
            analysis::typed(app, effects);
        }
        Some(Overlay::Help { .. } | Overlay::Why { .. }) => {}
        None => {
            let before = app.line.text().to_string();
            change(&mut app.line);
            if app.line.text() != before {
                app.walking = None;
                typed(app, effects);
            }
        }
    }
    if full {
        tell_full(app);
    }
}

fn tell_full(app: &mut App) {
    app.tell_error(format!(
        "a line holds {} characters: the rest was not taken",
        thousands(LINE)
    ));
}

/// The question changed: labels of another question no longer hold.
fn typed(app: &mut App, effects: &mut Vec<Effect>) {
    if app
        .labels
        .as_ref()
        .is_some_and(|l| l.text.trim() != app.line.text().trim())
    {
        app.labels = None;
    }
    ask_after(app, REST, None, effects);
}

/// Fills the question line.
pub fn fill(app: &mut App, question: &str, labels: Option<Question>, effects: &mut Vec<Effect>) {
    app.line.set(question);
    app.labels = labels;
    ask(app, None, effects);
    if app.line.take_full() {
        tell_full(app);
    }
}

/// Asks the question in the line. `switched` says what was changed besides it: what moved is told.
pub fn ask(app: &mut App, switched: Option<String>, effects: &mut Vec<Effect>) {
    ask_after(app, Duration::ZERO, switched, effects);
}

/// [`ask`]; what would wait for MiniLM is ranked by words first, and by meaning when nothing else was asked
/// for `rest` and the question is embedded.
fn ask_after(app: &mut App, rest: Duration, switched: Option<String>, effects: &mut Vec<Effect>) {
    app.asked += 1;
    if app.opening {
        // It is asked as soon as the library is open.
        return;
    }
    let compare = switched.and_then(|words| {
        let before = app.outcome()?;
        (before.question == app.line.text()).then(|| (before.clone(), words))
    });
    let request = SearchRequest {
        generation: app.asked,
        question: app.line.text().to_string(),
        settings: app.settings.clone(),
        labelled: app.labelled_pages(),
        compare,
    };
    let readiness = app.finder.readiness(&request.question, &request.settings);
    app.awaited = None;
    if readiness == Readiness::Ready {
        return effects.push(Effect::Search(Box::new(request)));
    }
    effects.push(Effect::Warm(Box::new(WarmRequest {
        generation: request.generation,
        question: request.question.clone(),
        settings: request.settings.clone(),
        rest,
    })));
    // The answer before a switch stays, to be compared with; any other gives way to one by words.
    if request.compare.is_none() {
        let mut by_words = request.clone();
        by_words.settings.retriever = Retriever::Bm25;
        effects.push(Effect::Search(Box::new(by_words)));
    }
    app.awaited = Some(Awaited { request, readiness });
}

/// MiniLM is ready for the search that awaits it, or cannot be had: then words go on alone.
pub fn warmed(
    app: &mut App,
    generation: u64,
    done: Result<(), String>,
    effects: &mut Vec<Effect>,
) -> bool {
    let Some(Awaited { request, .. }) = app
        .awaited
        .take_if(|awaited| awaited.request.generation == generation)
    else {
        // Something else was asked since.
        return false;
    };
    let staying = app.staying == Some(generation);
    match done {
        Ok(()) => {
            // Newer than the answer by words.
            app.asked += 1;
            effects.push(Effect::Search(Box::new(SearchRequest {
                generation: app.asked,
                ..request
            })));
        }
        Err(words) => {
            app.settings.retriever = Retriever::Bm25;
            ask(app, None, effects);
            app.tell_error(words);
        }
    }
    if staying {
        app.staying = Some(app.asked);
    }
    true
}

/// Back and forth through the questions asked before; forth from the newest goes to the pages.
pub fn walk(app: &mut App, back: bool, effects: &mut Vec<Effect>) {
    let newest = app.memory.history.len();
    let (at, draft) = match app.walking.take() {
        Some(walking) => walking,
        None => (newest, app.line.text().to_string()),
    };
    let to = match back {
        true => at.saturating_sub(1),
        false => at + 1,
    };
    if !back && at >= newest {
        app.focus = Focus::Ranking;
        return;
    }
    match app.memory.history.get(to) {
        Some(question) => app.line.set(&question.clone()),
        None => app.line.set(&draft),
    }
    if to < newest {
        app.walking = Some((to, draft));
    }
    typed(app, effects);
}
