//! Taking it away: copies, exports, saved searches, the page in another program.

use super::action::{Action, Where};
use super::app::{App, Effect, PromptKind};
use super::export;
use super::picker::PickerKind;
use crate::eval::export::Format;
use crate::words::count;

/// Does what an action of this section says.
pub fn act(app: &mut App, action: Action, effects: &mut Vec<Effect>) {
    match action {
        Action::Export if app.answer.is_some() => return app.pick_from(PickerKind::Export),
        Action::SaveSearch => return app.prompt(PromptKind::SaveSearch, ""),
        Action::SavedSearches if app.memory.saved.is_empty() => {
            let key = app.keymap.key(Action::SaveSearch, Where::RANKING);
            return app.tell(format!("no saved search yet: {key} saves this one"));
        }
        Action::SavedSearches => return app.pick_from(PickerKind::Saved),
        Action::CopyResults => {
            if let Some(answer) = &app.answer {
                // A question about several years or companies has a list of each.
                let sections = answer.outcome.sections();
                let lists = sections.iter().map(|section| section.ranked.len());
                let lists: Vec<usize> = lists.filter(|pages| *pages > 0).collect();
                let pages = count(lists.iter().sum(), "ranked page");
                let what = match lists.len() {
                    0 | 1 => pages,
                    n => format!("{pages} in {n} lists"),
                };
                effects.push(Effect::Copy {
                    what,
                    text: export::results(&*app.finder, &answer.outcome, Format::Md),
                });
                return;
            }
        }
        _ => {}
    }
    let Some((shown, filing)) = app
        .page
        .shown
        .as_ref()
        .and_then(|p| Some((p, app.filing(p.page.filing)?)))
    else {
        return app.tell("no page is open");
    };
    let name = format!("{}_p{}.txt", filing.doc_name, shown.page.page + 1);
    let child = |variable| Effect::Child {
        variable,
        name,
        text: app.page.text().to_string(),
    };
    let effect = match action {
        Action::CopyCitation => Effect::Copy {
            what: "citation".into(),
            text: export::citation(filing, shown.page, &shown.about),
        },
        Action::CopyPage => Effect::Copy {
            what: "page text".into(),
            text: app.page.text().to_string(),
        },
        Action::ViewInEditor => child("EDITOR"),
        Action::ViewInPager => child("PAGER"),
        _ => match filing.path.clone().or(filing.link.clone()) {
            Some(target) => Effect::OpenOriginal {
                target,
                page: shown.page.page + 1,
            },
            None => {
                let key = app.keymap.key(Action::ViewInPager, app.focus.place());
                return app.tell(format!(
                    "the original is not on this machine: {key} reads the text of the page"
                ));
            }
        },
    };
    effects.push(effect);
}
