//! What narrows and ranks: the switches, and the chips of what was read and set.

use super::action::Action;
use super::app::{App, Effect};
use super::asking::ask;
use super::chips;
use super::finder::Finder;
use crate::search::Settings;

/// Flips the switch of an action and asks again.
pub fn switch(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    match flip(&mut app.settings, action, &*app.finder) {
        Ok(words) => ask(app, Some(words), effects),
        Err(words) => app.tell(words),
    }
}

/// Flips the switch of an action, and says what it is now; or why there is nothing to flip to.
pub fn flip(s: &mut Settings, action: Action, finder: &dyn Finder) -> Result<String, String> {
    let flip = |on: &mut bool, name: &str| {
        *on = !*on;
        format!("{name} {}", if *on { "on" } else { "off" })
    };
    let words = match action {
        Action::SwitchCompany => flip(&mut s.company, "company"),
        Action::SwitchPeriod => {
            let words = flip(&mut s.year, "period");
            s.form = s.year;
            words
        }
        Action::SwitchRouting => flip(&mut s.routing, "routing"),
        Action::SwitchNames => flip(&mut s.strip_names, "names out"),
        Action::SwitchSignals => flip(&mut s.signals, "signals"),
        Action::SwitchSeveral => flip(&mut s.several, "several"),
        Action::SwitchLean => flip(&mut s.lean, "lean"),
        _ => {
            let retrievers = finder.retrievers();
            let at = retrievers.iter().position(|r| *r == s.retriever);
            let next = at.map_or(0, |ix| (ix + 1) % retrievers.len().max(1));
            let next = retrievers.get(next).filter(|next| **next != s.retriever);
            let lacks = || finder.lacks().unwrap_or_else(|| "only BM25 here".into());
            s.retriever = *next.ok_or_else(lacks)?;
            super::view::retriever(s.retriever).to_string()
        }
    };
    Ok(words)
}

/// Takes the selected chip out, or keeps it.
pub fn chip(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    let Some(chip) = app.chips().into_iter().nth(app.chip) else {
        return;
    };
    if chip.facet.is_none() {
        app.tell(format!("{} only ranks: it narrows nothing", chip.label));
        return;
    }
    let words = match action {
        Action::RemoveChip => {
            chips::remove(&mut app.settings.scope, &chip);
            match chip.origin {
                chips::Origin::Ignored => format!("{} read again", chip.label),
                _ => format!("{} {} removed", chip.label, chip.value),
            }
        }
        _ => {
            let reading = app.outcome().map(|o| o.reading.clone()).unwrap_or_default();
            if !chips::pin(&mut app.settings.scope, &reading, &chip) {
                app.tell("only what was read can be pinned");
                return;
            }
            format!("{} {} pinned", chip.label, chip.value)
        }
    };
    ask(app, Some(words), effects);
}
