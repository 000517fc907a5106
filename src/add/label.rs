//! From what was read (or set by hand) to a filing's record and name.

use std::str::FromStr;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use super::cover::{self, Cover};
use crate::library::{Filing, Form, TextSource};
use crate::question::Tables;

/// Labels set by hand, each in place of what the filing says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labels {
    /// Company.
    pub company: Option<String>,
    /// Form, and whether it is an amendment.
    pub form: Option<(Form, bool)>,
    /// Fiscal period or date.
    pub period: Option<Period>,
}

/// A period as people write it: `FY2024`, `2024`, `2024 Q3`, `Q3 2024`, `2024-11-14`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// Fiscal year.
    pub year: u16,
    /// Quarter 1-4.
    pub quarter: Option<u8>,
    /// A day.
    pub date: Option<Date>,
}

impl FromStr for Period {
    type Err = String;

    fn from_str(text: &str) -> Result<Period, String> {
        static PERIOD: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(
                r"(?i)^\s*(?:q([1-4])\s*)?(?:fy\s*)?((?:19|20)\d\d)\s*(?:[-_ ]?q([1-4]))?\s*$",
            )
            .unwrap()
        });
        if let Ok(date) = text.trim().parse::<Date>() {
            return Ok(Period {
                year: date.year() as u16,
                quarter: None,
                date: Some(date),
            });
        }
        let found = PERIOD
            .captures(text)
            .ok_or_else(|| format!("{text:?} is no period: write 2024, 2024Q3 or 2024-11-14"))?;
        let quarter = found
            .get(1)
            .or(found.get(3))
            .and_then(|q| q.as_str().parse().ok());
        Ok(Period {
            year: found[2].parse().expect("four digits"),
            quarter,
            date: None,
        })
    }
}

/// What a filing does not say and has to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The company.
    Company,
    /// The form.
    Form,
    /// The fiscal period or date.
    Period,
}

impl Missing {
    /// The flag that sets it.
    pub fn flag(self) -> &'static str {
        match self {
            Missing::Company => "--company",
            Missing::Form => "--form",
            Missing::Period => "--period",
        }
    }

    /// What to ask a person.
    pub fn question(self) -> &'static str {
        match self {
            Missing::Company => "Which company is it of?",
            Missing::Form => {
                "Which form is it (10-K, 10-Q, 8-K, earnings release, annual report, other)?"
            }
            Missing::Period => "Which period is it for (2024, 2024Q3, or the date of an event)?",
        }
    }
}

impl Labels {
    /// Takes an answer to a question of [`Missing`].
    pub fn answer(&mut self, missing: Missing, text: &str) -> Result<(), String> {
        let text = text.trim();
        match missing {
            Missing::Company if text.is_empty() => return Err("a company needs a name".to_string()),
            Missing::Company => self.company = Some(text.to_string()),
            Missing::Form => self.form = Some(parse_form(text)?),
            Missing::Period => self.period = Some(text.parse()?),
        }
        Ok(())
    }
}

/// A form as people write it: `10-K`, `10-q`, `8-K/A`, `release`, `annual report`, `other`.
pub fn parse_form(text: &str) -> Result<(Form, bool), String> {
    if text.trim().eq_ignore_ascii_case("other") {
        return Ok((Form::Other, false));
    }
    cover::form_of(text).ok_or_else(|| {
        format!("{text:?} is no form tenleaf knows: write 10-K, 10-Q, 8-K, release, annual report or other")
    })
}

/// Where the name of a company comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// It is read off a cover.
    OnTheCover,
    /// A person set it.
    ByHand,
}

/// The record of a filing as far as it is known before its pages are stored, or what is missing.
///
/// `one_name` gives the one name of a company, whether it is read off a cover or set by hand.
pub fn filing(
    cover: &Cover,
    labels: &Labels,
    text_from: TextSource,
    one_name: impl FnOnce(&str, Named) -> String,
) -> Result<Filing, Missing> {
    let company = match (&labels.company, &cover.company) {
        (Some(company), _) => one_name(company, Named::ByHand),
        (None, Some(company)) => one_name(company, Named::OnTheCover),
        (None, None) => return Err(Missing::Company),
    };
    let (form, amended) = match (labels.form, cover.form) {
        (Some(form), _) => form,
        (None, Some(form)) => (form, cover.amended),
        (None, None) => return Err(Missing::Form),
    };
    let period = labels.period;
    let fiscal_year = period.map(|period| period.year).or(cover.fiscal_year);
    let quarter = match period {
        Some(period) => period.quarter,
        None => cover.quarter,
    };
    let date = period.and_then(|period| period.date).or(cover.date);
    let quarter = quarter.filter(|_| matches!(form, Form::TenQ | Form::Earnings));
    if fiscal_year.is_none() && form != Form::Other || form == Form::TenQ && quarter.is_none() {
        return Err(Missing::Period);
    }
    let dated = form == Form::EightK || form == Form::Earnings && quarter.is_none();
    let mut filing = Filing {
        amended,
        fiscal_year,
        quarter,
        event_date: date.filter(|_| dated),
        cover_date: date,
        ..Filing::named("", &company, form, text_from)
    };
    filing.doc_name = doc_name(&filing);
    Ok(filing)
}

/// `APPLE_2024_10K`, `COCACOLA_2025Q2_10Q`, `ORACLE_2024_8K_dated-2024-11-14`: the form of the corpus's own names.
pub fn doc_name(filing: &Filing) -> String {
    let mut name = doc_slug(&filing.company);
    if let Some(year) = filing.fiscal_year {
        name.push_str(&format!("_{year}"));
    }
    if let Some(quarter) = filing.quarter {
        name.push_str(&format!("Q{quarter}"));
    }
    name.push_str(match filing.form {
        Form::TenK => "_10K",
        Form::AnnualReport => "_annualreport",
        Form::TenQ => "_10Q",
        Form::EightK => "_8K",
        Form::Earnings => "_EARNINGS",
        Form::Other => "_OTHER",
    });
    if filing.amended {
        name.push_str("_A");
    }
    if let Some(date) = filing.event_date {
        name.push_str(&format!("_dated-{date}"));
    }
    name
}

/// What stands for a company none of whose letters may be in a file name.
pub(super) const NAMELESS: &str = "FILING";

/// `Johnson & Johnson` -> `JOHNSON_JOHNSON`, `The Coca-Cola Company` -> `COCACOLA`.
pub(super) fn doc_slug(company: &str) -> String {
    let mut out = String::new();
    for word in Tables::builtin().plain_name(company) {
        match word.as_str() {
            "&" => out.push('_'),
            word => out.extend(
                (word.chars().filter(char::is_ascii_alphanumeric)).map(|c| c.to_ascii_uppercase()),
            ),
        }
    }
    let out = out.trim_matches('_');
    match out.get(..40.min(out.len())) {
        Some("") | None => NAMELESS.to_string(),
        Some(out) => out.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_as_people_write_them() {
        for (text, year, quarter) in [
            ("FY2024", 2024, None),
            ("2024", 2024, None),
            ("fy 2024", 2024, None),
            ("2024Q3", 2024, Some(3)),
            ("2024 q3", 2024, Some(3)),
            ("Q1 2023", 2023, Some(1)),
            ("2024-11-14", 2024, None),
        ] {
            let period: Period = text.parse().unwrap();
            assert_eq!((period.year, period.quarter), (year, quarter), "{text}");
        }
        for text in ["", "24", "2024Q5", "soon", "2024-13-01"] {
            assert!(text.parse::<Period>().is_err(), "{text}");
        }
    }

    #[test]
    fn names_of_companies_in_file_names() {
        for (company, want) in [
            ("Johnson & Johnson", "JOHNSON_JOHNSON"),
            ("The Coca-Cola Company", "COCACOLA"),
            ("PG&E Corporation", "PG_E"),
            ("The Goldman Sachs Group, Inc.", "GOLDMANSACHS"),
            ("Tiffany & Co.", "TIFFANY"),
            ("Moody's Corp /DE/", "MOODYS"),
            ("Company", "COMPANY"),
            ("Apple Inc.", "APPLE"),
            ("3M", "3M"),
            ("株式会社", "FILING"),
        ] {
            assert_eq!(doc_slug(company), want);
        }
    }
}
