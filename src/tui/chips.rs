//! What was read from the question and what was set by hand, as chips.

use crate::library::Form;
use crate::question::{Lean, Reading, Statement};
use crate::search::{Facet, HandScope};

/// Where a chip comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Read from the question.
    Read,
    /// Set by hand.
    Set,
    /// Read, and ignored because the user removed it.
    Ignored,
}

/// A chip.
#[derive(Clone, Debug, PartialEq)]
pub struct Chip {
    /// What it narrows; none for what only ranks (metric, topic).
    pub facet: Option<Facet>,
    /// "company".
    pub label: &'static str,
    /// "3M".
    pub value: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// What the question leans to.
pub fn of_lean(lean: Lean) -> Chip {
    Chip {
        facet: None,
        label: "leans to",
        value: lean.as_str().to_string(),
        origin: Origin::Read,
    }
}

/// The name of a facet.
pub fn label(facet: Facet) -> &'static str {
    match facet {
        Facet::Company => "company",
        Facet::Year => "year",
        Facet::Form => "form",
        Facet::Quarter => "quarter",
        Facet::Filing => "filing",
        Facet::Statement => "statement",
        Facet::Item => "item",
    }
}

/// Every facet in the order of the chips.
pub const FACETS: [Facet; 7] = [
    Facet::Company,
    Facet::Year,
    Facet::Quarter,
    Facet::Form,
    Facet::Filing,
    Facet::Statement,
    Facet::Item,
];

/// The chips of a reading and a scope: those set first for each facet, since they take its place.
pub fn chips(reading: Option<&Reading>, scope: &HandScope) -> Vec<Chip> {
    let mut chips: Vec<Chip> = Vec::new();
    let mut add = |facet, label, value, origin| {
        let chip = Chip {
            facet,
            label,
            value,
            origin,
        };
        if !chips.contains(&chip) {
            chips.push(chip);
        }
    };
    for facet in FACETS {
        let set = set(scope, facet);
        let (values, origin) = match (reading, scope.ignore.contains(&facet)) {
            _ if !set.is_empty() => (set, Origin::Set),
            (Some(reading), true) => (read(reading, facet), Origin::Ignored),
            (Some(reading), false) => (read(reading, facet), Origin::Read),
            (None, _) => continue,
        };
        for value in values {
            add(Some(facet), label(facet), value, origin);
        }
    }
    if let Some(reading) = reading {
        let mut add = |label, value| add(None, label, value, Origin::Read);
        for date in &reading.dates {
            add(
                "date",
                match date.day_known {
                    true => date.date.to_string(),
                    false => date.date.strftime("%B %Y").to_string(),
                },
            );
        }
        for metric in &reading.metrics {
            add("metric", metric.metric.replace('_', " "));
        }
        for topic in reading.topics.iter().filter(|t| t.is_triggered()) {
            add("topic", topic.topic.replace('_', " "));
        }
        if !reading.outlook.is_empty() {
            add("outlook", "looks ahead".into());
        }
    }
    chips
}

fn read(reading: &Reading, facet: Facet) -> Vec<String> {
    match facet {
        Facet::Company => reading
            .companies
            .iter()
            .map(|c| match c.or.is_empty() {
                true => c.company.clone(),
                false => format!("{} or {}", c.company, c.or.join(" or ")),
            })
            .collect(),
        Facet::Year => reading
            .years
            .iter()
            .map(|y| match y.fiscal {
                true => format!("FY{}", y.year),
                false => y.year.to_string(),
            })
            .collect(),
        Facet::Quarter => reading
            .quarters
            .iter()
            .map(|q| format!("Q{}", q.quarter))
            .collect(),
        Facet::Form => reading.forms.iter().map(|f| f.form.to_string()).collect(),
        Facet::Filing => Vec::new(),
        Facet::Statement => {
            // The implied ones are shown as such.
            reading
                .statements_asked()
                .into_iter()
                .map(|s| match s.named {
                    true => s.statement.as_str().to_string(),
                    false => format!("{} (implied)", s.statement.as_str()),
                })
                .collect()
        }
        Facet::Item => reading
            .items
            .iter()
            .map(|i| format!("Item {}", i.item))
            .collect(),
    }
}

fn set(scope: &HandScope, facet: Facet) -> Vec<String> {
    match facet {
        Facet::Company => scope.companies.clone(),
        Facet::Year => match scope.years {
            Some((first, last)) if first == last => vec![format!("FY{first}")],
            Some((first, last)) => vec![format!("FY{first}–{last}")],
            None => Vec::new(),
        },
        Facet::Quarter => scope.quarters.iter().map(|q| format!("Q{q}")).collect(),
        Facet::Form => scope.forms.iter().map(Form::to_string).collect(),
        Facet::Filing => scope.filings.clone(),
        Facet::Statement => scope
            .statements
            .iter()
            .map(|s| s.as_str().to_string())
            .collect(),
        Facet::Item => scope.items.iter().map(|i| format!("Item {i}")).collect(),
    }
}

/// Takes a chip out: what was set is gone, what was read is ignored, what was ignored is read again.
pub fn remove(scope: &mut HandScope, chip: &Chip) {
    let Some(facet) = chip.facet else { return };
    match chip.origin {
        Origin::Read => scope.ignore.push(facet),
        Origin::Ignored => scope.ignore.retain(|f| *f != facet),
        Origin::Set => match facet {
            Facet::Company => scope.companies.retain(|c| *c != chip.value),
            Facet::Year => scope.years = None,
            Facet::Quarter => scope.quarters.retain(|q| format!("Q{q}") != chip.value),
            Facet::Form => scope.forms.retain(|f| f.as_str() != chip.value),
            Facet::Filing => scope.filings.retain(|f| *f != chip.value),
            Facet::Statement => scope.statements.retain(|s| s.as_str() != chip.value),
            Facet::Item => scope.items.retain(|i| format!("Item {i}") != chip.value),
        },
    }
}

/// Keeps what was read for the chip's facet, whatever is asked next. False when it cannot be pinned.
pub fn pin(scope: &mut HandScope, reading: &Reading, chip: &Chip) -> bool {
    let (Some(facet), Origin::Read) = (chip.facet, chip.origin) else {
        return false;
    };
    match facet {
        Facet::Company => {
            let named = reading.company_names().into_iter();
            scope.companies = named.map(String::from).collect();
        }
        Facet::Year => {
            let years = || reading.years.iter().map(|y| y.year);
            scope.years = years().min().zip(years().max());
        }
        Facet::Quarter => scope.quarters = each_once(reading.quarters.iter().map(|q| q.quarter)),
        Facet::Form => scope.forms = each_once(reading.forms.iter().map(|f| f.form)),
        Facet::Filing => {}
        Facet::Statement => {
            scope.statements = each_once(reading.statements_asked().iter().map(|s| s.statement));
        }
        Facet::Item => scope.items = each_once(reading.items.iter().map(|i| i.item.clone())),
    }
    true
}

/// `2016-2018`, `FY2016–2018`, `2018 to 2016`: the first and the last year.
pub fn year_range(text: &str) -> Option<(u16, u16)> {
    let years: Vec<u16> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !word.eq_ignore_ascii_case("to"))
        .map(|word| {
            let digits = word.trim_start_matches("FY").trim_start_matches("fy");
            digits.parse().ok().filter(|y| (1900..=2100).contains(y))
        })
        .collect::<Option<_>>()?;
    match years[..] {
        [a, b] => Some((a.min(b), a.max(b))),
        _ => None,
    }
}

fn push<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if !list.contains(&value) {
        list.push(value);
    }
}

fn each_once<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut list = Vec::new();
    values.for_each(|value| push(&mut list, value));
    list
}

/// Sets a value by hand; years widen to a range. The values are those the picker offers.
pub fn add(scope: &mut HandScope, facet: Facet, value: &str) {
    scope.ignore.retain(|f| *f != facet);
    match facet {
        Facet::Company => push(&mut scope.companies, value.to_string()),
        Facet::Year => {
            if let Some(range) = year_range(value) {
                scope.years = Some(range);
            } else if let Ok(year) = value.trim_start_matches("FY").parse::<u16>() {
                let (first, last) = scope.years.unwrap_or((year, year));
                scope.years = Some((first.min(year), last.max(year)));
            }
        }
        Facet::Quarter => {
            if let Ok(quarter) = value.trim_start_matches('Q').parse() {
                push(&mut scope.quarters, quarter);
            }
        }
        Facet::Form => {
            if let Some(form) = Form::ALL.into_iter().find(|f| f.as_str() == value) {
                push(&mut scope.forms, form);
            }
        }
        Facet::Filing => push(&mut scope.filings, value.to_string()),
        Facet::Statement => {
            if let Some(statement) = Statement::ALL.into_iter().find(|s| s.as_str() == value) {
                push(&mut scope.statements, statement);
            }
        }
        Facet::Item => push(
            &mut scope.items,
            value.trim_start_matches("Item ").to_string(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::{CompanyMention, YearMention};

    fn reading() -> Reading {
        Reading {
            companies: vec![CompanyMention {
                company: "3M".into(),
                span: 0..2,
                or: vec![],
                brand: false,
                misspelt: false,
            }],
            years: vec![
                YearMention {
                    year: 2018,
                    span: 3..7,
                    fiscal: true,
                },
                YearMention {
                    year: 2020,
                    span: 8..12,
                    fiscal: true,
                },
            ],
            ..Reading::default()
        }
    }

    fn shown(scope: &HandScope) -> Vec<String> {
        chips(Some(&reading()), scope)
            .iter()
            .map(|c| format!("{} {} {:?}", c.label, c.value, c.origin))
            .collect()
    }

    #[test]
    fn read_set_and_ignored_are_told_apart() {
        let mut scope = HandScope::default();
        assert_eq!(
            shown(&scope),
            ["company 3M Read", "year FY2018 Read", "year FY2020 Read"]
        );
        let read = chips(Some(&reading()), &scope);
        assert!(pin(&mut scope, &reading(), &read[1]));
        assert_eq!(shown(&scope), ["company 3M Read", "year FY2018–2020 Set"]);
        remove(&mut scope, &read[0]);
        assert_eq!(shown(&scope)[0], "company 3M Ignored");
        for chip in chips(Some(&reading()), &scope) {
            remove(&mut scope, &chip);
        }
        assert!(scope.is_empty());
    }

    #[test]
    fn what_is_pinned_is_what_counts_each_once() {
        let tables = crate::question::Tables::builtin();
        let question = "current ratio by the balance sheet, in the balance sheet";
        let reading = crate::question::read(&tables, &[], question);
        let shown: Vec<Chip> = chips(Some(&reading), &HandScope::default());
        let chip = shown.iter().find(|c| c.facet == Some(Facet::Statement));
        let mut scope = HandScope::default();
        assert!(pin(
            &mut scope,
            &reading,
            chip.expect("a statement is named")
        ));
        assert_eq!(scope.statements, [Statement::Balance]);
    }

    #[test]
    fn ranges_of_years_are_read_as_people_write_them() {
        for text in ["2016-2018", "FY2016–2018", "2018 to 2016", "fy2016 fy2018"] {
            assert_eq!(year_range(text), Some((2016, 2018)), "{text}");
        }
        for text in ["2016", "3M 2016", "2016-2017-2018", "10-12", ""] {
            assert_eq!(year_range(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_added_takes_the_place_of_what_was_read() {
        let mut scope = HandScope::default();
        for (facet, value) in [
            (Facet::Company, "Best Buy"),
            (Facet::Year, "FY2019"),
            (Facet::Year, "FY2017"),
            (Facet::Quarter, "Q2"),
            (Facet::Form, "10-Q"),
            (Facet::Statement, "balance sheet"),
            (Facet::Item, "Item 1A"),
            (Facet::Item, "Item 1A"),
        ] {
            add(&mut scope, facet, value);
        }
        assert_eq!(
            shown(&scope),
            [
                "company Best Buy Set",
                "year FY2017–2019 Set",
                "quarter Q2 Set",
                "form 10-Q Set",
                "statement balance sheet Set",
                "item Item 1A Set"
            ]
        );
    }
}
