//! A question about several years or companies: one retrieval for each.

use super::scope::pairs;
use super::{Engine, Facet, Group, HandScope, Missing, Outcome, RankedPage, Settings};
use crate::library::{Filing, Library};

/// So many years, and so many companies, are asked for one by one.
const MOST: usize = 12;
/// So many of both together: of more, the latest years.
const MOST_PAIRS: usize = 2 * MOST;

/// The groups of a question: each company with the year beside it where they stand so, else every pair in the
/// order of years, then of companies as named; none for a question about one year and one company.
/// `rank` ranks pages for the question with other settings. Beside them, what is left out.
pub(super) fn groups(
    engine: &Engine,
    outcome: &Outcome,
    rank: impl Fn(&Settings) -> Vec<RankedPage>,
) -> (Vec<Group>, Option<String>) {
    let settings = &outcome.settings;
    let mut groups = Vec::new();
    let (asked, left_out) = asked(engine, outcome);
    for (year, company) in asked {
        let scope = HandScope {
            years: year.map(|year| (year, year)).or(settings.scope.years),
            companies: company
                .clone()
                .map_or(settings.scope.companies.clone(), |company| vec![company]),
            ..settings.scope.clone()
        };
        let one = Settings {
            several: false,
            scope,
            ..settings.clone()
        };
        let missing = missing(&engine.library, outcome, &one.scope);
        let ranked = match missing {
            Some(_) => Vec::new(),
            None => rank(&one),
        };
        groups.push(Group {
            label: Group::label(company.as_deref(), year.map(|year| (year, year))),
            year,
            company,
            missing: missing.or(ranked.is_empty().then_some(Missing::NoPage)),
            ranked,
        });
    }
    (groups, left_out)
}

/// The years and companies to ask for one by one, and what is said of those left out; none for a question about one
/// year and one company.
fn asked(
    engine: &Engine,
    outcome: &Outcome,
) -> (Vec<(Option<u16>, Option<String>)>, Option<String>) {
    let mut companies = companies(outcome);
    let mut years = years(engine, outcome);
    if companies.len() < 2 && years.len() < 2 {
        return (Vec::new(), None);
    }
    let mut left_out = Vec::new();
    if companies.len() > MOST {
        left_out.push(companies.split_off(MOST).join(", "));
    }
    let most = (MOST_PAIRS / companies.len().max(1)).clamp(1, MOST);
    if years.len() > most {
        let latest = years.split_off(years.len() - most);
        left_out.push(match years.as_slice() {
            [one] => one.to_string(),
            [first, .., last] => format!("{first} to {last}"),
            [] => String::new(),
        });
        years = latest;
    }
    let left_out = (!left_out.is_empty()).then(|| {
        format!(
            "no ranking of its own for {}: too many are asked",
            left_out.join(" and ")
        )
    });
    (each(outcome, companies, years), left_out)
}

/// Every year with every company, or each company with the year beside it.
fn each(
    outcome: &Outcome,
    companies: Vec<String>,
    years: Vec<u16>,
) -> Vec<(Option<u16>, Option<String>)> {
    let pairs = pairs(&outcome.question, &outcome.reading, &outcome.settings);
    if years.len() > 1 && !pairs.is_empty() {
        let pairs = pairs.into_iter();
        return pairs
            .map(|(company, year)| (Some(year), Some(company.to_string())))
            .take(MOST_PAIRS)
            .collect();
    }
    // Of one company: the one named or set by hand, if there is one.
    let companies: Vec<Option<String>> = match companies.len() {
        0 | 1 => vec![None],
        _ => companies.into_iter().map(Some).collect(),
    };
    let years: Vec<Option<u16>> = match years.len() {
        0 | 1 => vec![None],
        _ => years.into_iter().map(Some).collect(),
    };
    let every = years.iter().flat_map(|year| {
        let companies = companies.iter();
        companies.map(move |company| (*year, company.clone()))
    });
    every.collect()
}

/// The companies asked for, when they are several.
fn companies(outcome: &Outcome) -> Vec<String> {
    let settings = &outcome.settings;
    if !settings.scope.companies.is_empty() {
        return settings.scope.companies.clone();
    }
    if !settings.company || settings.scope.ignore.contains(&Facet::Company) {
        return Vec::new();
    }
    let named = outcome.reading.asks_several_companies();
    named.into_iter().map(str::to_string).collect()
}

/// The years asked for, when they are several; "the last three years" count back from the latest
/// year the library has of the companies named.
fn years(engine: &Engine, outcome: &Outcome) -> Vec<u16> {
    let settings = &outcome.settings;
    if !settings.year || settings.scope.ignore.contains(&Facet::Year) {
        return Vec::new();
    }
    match settings.scope.years {
        Some((first, last)) => (first..=last).collect(),
        None => {
            let filings = engine.library.filings().iter();
            let latest = filings
                .filter(|filing| filing.form.is_annual() && is_of(filing, outcome, &settings.scope))
                .filter_map(Filing::year)
                .max();
            outcome.reading.asks_several_years(latest)
        }
    }
}

/// True for a filing of the companies set by hand or named; of any where none is.
fn is_of(filing: &Filing, outcome: &Outcome, scope: &HandScope) -> bool {
    if !scope.companies.is_empty() {
        return scope.companies.contains(&filing.company);
    }
    let named = outcome.reading.company_names();
    let by_name = outcome.settings.company && !scope.ignore.contains(&Facet::Company);
    !by_name || named.is_empty() || named.contains(&filing.company.as_str())
}

/// Why the library cannot answer for this scope.
fn missing(library: &Library, outcome: &Outcome, scope: &HandScope) -> Option<Missing> {
    let covers = |filing: &Filing| scope.years.is_none_or(|years| filing.is_of_years(years));
    let there = library
        .filings()
        .iter()
        .any(|filing| is_of(filing, outcome, scope) && covers(filing));
    if there {
        return None;
    }
    let named = outcome.reading.company_names();
    let company = match (scope.companies.as_slice(), named.as_slice()) {
        ([company], _) => Some(company.clone()),
        ([], [company]) if outcome.settings.company => Some(company.to_string()),
        _ => None,
    };
    Some(Missing::NoFiling {
        company,
        years: scope.years,
    })
}
