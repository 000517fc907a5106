//! An outcome as JSON, for programs that read us.

use serde_json::{Value, json};

use super::pages::{Pages, carried};
use super::{Missing, Outcome, RankedPage, same_text};

/// The object `ask --json` prints; pages are 1-based pages of the file. Only a question about several years or
/// companies has `groups`; a group has no company or no year where it is for neither.
pub fn to_json(pages: &dyn Pages, outcome: &Outcome) -> Value {
    let rows = |ranked: &[RankedPage]| -> Vec<Value> {
        let same_text_as = same_text(pages, ranked);
        let ranked = ranked.iter().zip(same_text_as);
        ranked
            .map(|(page, same)| page_to_json(pages, outcome, page, same))
            .collect()
    };
    let mut object = json!({
        "question": outcome.question,
        "settings": outcome.settings,
        "reading": outcome.reading,
        "lean": outcome.lean,
        "funnel": outcome.funnel,
        "terms": outcome.terms,
        "ranked": rows(&outcome.ranked),
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
                "ranked": rows(&group.ranked),
            })
        });
        object["groups"] = groups.collect();
    }
    object
}

/// A ranked page as it stands in that object.
fn page_to_json(
    pages: &dyn Pages,
    outcome: &Outcome,
    page: &RankedPage,
    same_text_as: Option<usize>,
) -> Value {
    let filing = &pages.filings()[page.page.filing as usize];
    let mut object = json!({
        "rank": page.rank,
        "doc_name": page.doc_name,
        "page": page.page.page + 1,
        "printed_page": page.about.printed_page,
        "cited_as": filing.cite(page.page.page, page.about.printed_page.as_deref()),
        "statement": page.about.statement,
        "item": page.about.item,
        "heading": page.about.heading,
        "kind": page.about.kind,
        "routed": page.routed,
        "score": page.score,
        "same_text_as": same_text_as,
        "snippet": pages.snippet(outcome, page).text,
        "reasons": page.reasons,
    });
    if let Some(carried) = carried(pages, page.page) {
        object["carried"] = json!(carried);
    }
    object
}
