//! The scope: which filings a question is about.
//!
//! Each filing of the companies named gets a score from what the question says of period, quarter,
//! form and date, and those within [`MARGIN`](fit::MARGIN) of the best are kept. A filing that fits no hint is
//! not locked out by a rule of its own: it is only further from the best.

mod asked;
mod fit;
#[cfg(test)]
mod tests;

use super::{KeptFiling, Settings, Stage, StageKind};
use crate::library::{Filing, Library};
use crate::question::Reading;
use asked::Asked;
pub(super) use asked::pairs;
use fit::{Fit, Parts, latest, latest_annual_and_later, of_quarter, of_year, within_margin};

/// At most this many kept filings are named in the funnel.
const NAMED: usize = 50;

/// The filings in scope and how they came to be.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The stages up to the filings: all, company, year, form.
    pub stages: Vec<Stage>,
    /// Ordinals of the filings kept with their score relative to the best (0, or below).
    pub filings: Vec<(u32, f64)>,
    /// The year whose filing is asked for: the latest named, or set by hand.
    pub year: Option<u16>,
    /// What was asked for and is not in the library, for a person.
    pub missing: Vec<String>,
}

/// Narrows the library to the filings the question is about.
pub fn scope(library: &Library, question: &str, reading: &Reading, settings: &Settings) -> Scope {
    let asked = Asked::new(question, reading, settings);
    let all: Vec<u32> = (0..library.filings().len() as u32).collect();
    let mut stages = vec![stage(library, StageKind::All, &all, "every filing", true)];

    // Company
    let in_hand = hand_filter(library, settings, &all);
    let (named, why) = asked.companies(library, &in_hand);
    let active = named.len() < all.len();
    stages.push(stage(library, StageKind::Company, &named, &why, active));

    // Year
    let years = asked.years_of(library, &named);
    let fits = |parts| -> Vec<Fit> {
        let filings = named.iter().map(|&n| (n, library.filing(n)));
        filings
            .map(|(n, filing)| asked.fit(filing, n, years.of(filing), parts))
            .collect()
    };
    let kept = within_margin(fits(Parts::Year));
    let active = kept.len() < named.len();
    let words = asked.year_words(&years, settings.year);
    stages.push(stage_of(library, StageKind::Year, &kept, &words, active));

    // Quarter, form, date: scored anew from all of the company's filings, since a date or a form
    // can outweigh a year ("the 8-K of January 2023" in a filing of fiscal 2022).
    let mut kept: Vec<Fit> = kept;
    let mut words = String::from("switched off");
    let before = kept.len();
    if settings.form {
        kept = within_margin(fits(Parts::All));
        words = asked.form_words();
        let (latest, of_latest) = match (asked.latest_quarter(), asked.latest_year()) {
            (true, _) => (
                latest(library, &kept, of_quarter),
                "the latest quarter asked",
            ),
            (_, true) => (latest(library, &kept, of_year), "the latest year asked"),
            _ => (Vec::new(), ""),
        };
        if !latest.is_empty() {
            kept.retain(|fit| latest.contains(&fit.ordinal));
            words = of_latest.to_string();
        } else if asked.latest_only() {
            kept = latest_annual_and_later(library, kept);
            let latest = "the latest annual filing and later";
            words = match &reading.last_years {
                Some(last) if settings.several => {
                    format!(
                        "the last {} years asked, a ranking each; the main one: {latest}",
                        last.count
                    )
                }
                Some(last) => format!("the last {} years asked: {latest}", last.count),
                None if !asked.quarters.is_empty() => {
                    format!("{} asked of no year: {latest}", asked.quarter_words())
                }
                None => format!("no period asked: {latest}"),
            };
        }
    }
    let active = kept.len() != before;
    stages.push(stage_of(library, StageKind::Form, &kept, &words, active));
    let filings: Vec<(u32, f64)> = kept.iter().map(|fit| (fit.ordinal, fit.score)).collect();
    let kept: Vec<&Filing> = filings.iter().map(|f| library.filing(f.0)).collect();
    Scope {
        missing: asked.missing(library, &years, &kept),
        stages,
        filings,
        year: asked.year,
    }
}

/// Hard limits set by hand: filings, forms, quarters, years.
fn hand_filter(library: &Library, settings: &Settings, all: &[u32]) -> Vec<u32> {
    let hand = &settings.scope;
    all.iter()
        .copied()
        .filter(|&n| {
            let filing = library.filing(n);
            (hand.filings.is_empty() || hand.filings.contains(&filing.doc_name))
                && (hand.forms.is_empty() || hand.forms.iter().any(|&f| filing.form.answers(f)))
                && (hand.quarters.is_empty()
                    || filing.quarter.is_some_and(|q| hand.quarters.contains(&q)))
                && hand.years.is_none_or(|years| filing.is_of_years(years))
        })
        .collect()
}

fn stage(library: &Library, kind: StageKind, ordinals: &[u32], kept: &str, active: bool) -> Stage {
    Stage {
        stage: kind,
        filings: ordinals.len(),
        pages: ordinals
            .iter()
            .map(|&n| library.filing(n).pages as usize)
            .sum(),
        kept: kept.to_string(),
        active,
        reasons: Vec::new(),
        ordinals: ordinals.to_vec(),
    }
}

fn stage_of(library: &Library, kind: StageKind, fits: &[Fit], kept: &str, active: bool) -> Stage {
    let ordinals: Vec<u32> = fits.iter().map(|fit| fit.ordinal).collect();
    let mut order: Vec<&Fit> = fits.iter().collect();
    order.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.ordinal.cmp(&b.ordinal)));
    let reasons = order
        .iter()
        .take(NAMED)
        .map(|fit| KeptFiling {
            doc_name: library.filing(fit.ordinal).doc_name.clone(),
            score: fit.score,
            why: fit.why.join(" · "),
        })
        .collect();
    Stage {
        reasons,
        ..stage(library, kind, &ordinals, kept, active)
    }
}
