//! An outcome as JSON, for programs that read us.

use serde_json::{Value, json};

use super::{Engine, Missing, Outcome, RankedPage, snippet};
use crate::library::PageId;
use crate::structure::{Carried, carry};

/// The object `ask --json` prints; pages are 1-based pages of the file. Only a question about several years or
/// companies has `groups`; a group has no company or no year where it is for neither.
pub fn to_json(engine: &Engine, outcome: &Outcome) -> Value {
    let pages = |ranked: &[RankedPage]| -> Vec<Value> {
        ranked
            .iter()
            .map(|page| page_to_json(engine, outcome, page))
            .collect()
    };
    let mut object = json!({
        "question": outcome.question,
        "settings": outcome.settings,
        "reading": outcome.reading,
        "lean": outcome.lean,
        "funnel": outcome.funnel,
        "terms": outcome.terms,
        "ranked": pages(&outcome.ranked),
        "notes": outcome.notes,
        "micros": outcome.micros,
    });
    if !outcome.groups.is_empty() {
        let groups = outcome.groups.iter().map(|group| {
            json!({
                "label": group.label,
                "company": group.company,
                "fiscal_year": group.year,
                "missing": group.missing.as_ref().map(Missing::to_string),
                "ranked": pages(&group.ranked),
            })
        });
        object["groups"] = groups.collect();
    }
    object
}

/// A ranked page as it stands in that object.
pub fn page_to_json(engine: &Engine, outcome: &Outcome, page: &RankedPage) -> Value {
    let filing = engine.library.filing(page.page.filing);
    let mut object = json!({
        "rank": page.rank,
        "doc_name": page.doc_name,
        "page": page.page.page + 1,
        "printed_page": page.printed_page,
        "cited_as": filing.cite(page.page.page, page.printed_page.as_deref()),
        "statement": page.statement,
        "item": page.item,
        "heading": page.heading,
        "kind": page.kind,
        "routed": page.routed,
        "score": page.score,
        "snippet": snippet(engine, outcome, page).text,
        "reasons": page.reasons,
    });
    if let Some(carried) = carried(engine, page.page) {
        object["carried"] = json!(carried);
    }
    object
}

/// Title, scale and columns of the page before, where its last table goes on here.
fn carried(engine: &Engine, page: PageId) -> Option<Carried> {
    let before = PageId {
        page: page.page.checked_sub(1)?,
        ..page
    };
    let text = |page| engine.library.page(page).ok().map(|page| page.text);
    carry(&text(before)?, &text(page)?)
}
