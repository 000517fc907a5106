//! What a filing says of itself: company, form and period, from inline XBRL, the cover page, or the
//! file's name.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use super::{heading, names, period};
use crate::library::catalog::NameParts;
use crate::library::{Form, PageText, cover};
use crate::words::one_line;

/// What was read. What it does not say is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cover {
    /// The registrant's name.
    pub company: Option<String>,
    /// Form type.
    pub form: Option<Form>,
    /// An amendment: 10-K/A.
    pub amended: bool,
    /// Fiscal year as the company names it.
    pub fiscal_year: Option<u16>,
    /// Fiscal quarter, for a 10-Q or a release.
    pub quarter: Option<u8>,
    /// End of the period, or date of the event.
    pub date: Option<Date>,
}

/// Pages on which a form and a name are looked for; a contents page may come first.
const COVER_PAGES: usize = 4;
/// A glossy annual report has its cover within these.
const GLOSSY_PAGES: usize = 60;
/// So much of a page is read.
const PAGE_BYTES: usize = 12_000;

/// Reads a filing. `facts` are its `dei:` facts ([`crate::edgar::html::Document::facts`]), `name` the
/// name of its file without extension.
pub fn read(pages: &[PageText], facts: &BTreeMap<String, String>, name: &str) -> Cover {
    let fact = |name: &str| {
        facts
            .get(name)
            .map(|value| value.trim())
            .filter(|value| !value.is_empty())
    };
    let named = NameParts::read(name);
    let text = cover_text(pages, COVER_PAGES);
    let (form, amended) = fact("DocumentType")
        .and_then(form_of)
        .or_else(|| {
            let release = names::announces(&text) && is_release(&text);
            release.then_some((Form::Earnings, false))
        })
        .or_else(|| form_on_cover(&text))
        .or_else(|| heading::form(pages))
        .or_else(|| heading::is_annual_report(pages).then_some((Form::AnnualReport, false)))
        .or_else(|| is_release(&text).then_some((Form::Earnings, false)))
        .map_or((named.form, false), |(form, amended)| (Some(form), amended));
    let amended =
        amended || fact("AmendmentFlag").is_some_and(|flag| flag.eq_ignore_ascii_case("true"));
    let date = fact("DocumentPeriodEndDate")
        .and_then(date_of)
        .or_else(|| form.and_then(|form| cover::date(form, pages)))
        .or(named.date);
    let release = form == Some(Form::Earnings);
    let company = registrant(&text)
        .or_else(|| fact("EntityRegistrantName").map(str::to_string))
        .or_else(|| names::listed(&text).filter(|_| release))
        .or_else(|| release_company(&text).filter(|_| release))
        // The cover stands behind letters and pictures, or the name on it is a picture.
        .or_else(|| registrant(&cover_text(pages, GLOSSY_PAGES)))
        .or_else(|| names::with_subsidiaries(pages));
    let (fiscal_year, quarter) = match form {
        Some(form) => period::read(form, pages, facts, date, named),
        None => (named.year, named.quarter),
    };
    Cover {
        company: company.map(|name| tidy(&name)),
        form,
        amended,
        fiscal_year,
        quarter,
        date,
    }
}

fn cover_text(pages: &[PageText], count: usize) -> String {
    let mut text = String::new();
    for page in pages.iter().take(count) {
        text.push_str(&page.text[..page.text.floor_char_boundary(PAGE_BYTES)]);
        text.push('\n');
    }
    text
}

/// `10-K405/A` -> 10-K, amended.
pub fn form_of(label: &str) -> Option<(Form, bool)> {
    let label = label.trim().to_ascii_uppercase();
    let amended = label.ends_with("/A");
    let form = match label.trim_end_matches("/A").trim() {
        "10-K" | "10K" | "10-K405" | "10-KSB" | "10-KT" => Form::TenK,
        "10-Q" | "10Q" | "10-QSB" | "10-QT" => Form::TenQ,
        "8-K" | "8K" | "8-K12B" => Form::EightK,
        "ARS" | "ANNUAL REPORT" => Form::AnnualReport,
        "EX-99" | "EX-99.1" | "EARNINGS" | "EARNINGS RELEASE" | "RELEASE" => Form::Earnings,
        _ => return None,
    };
    Some((form, amended))
}

/// On the cover of every filing with the Commission.
pub(super) static COMMISSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)securities\s+and\s+exchange|commission\s+file").unwrap());

/// "Form 10-K", "FORM 8-K/A" on the cover of a filing with the Commission.
fn form_on_cover(text: &str) -> Option<(Form, bool)> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)f ?o ?r ?m\s*(10|8)\s?[-–—‑]?\s?([kq])(?:405)?\s?(/a\b|\s?/\s?a\b)?")
            .unwrap()
    });
    if !COMMISSION.is_match(text) {
        return None;
    }
    // A heading, not a reference in a sentence.
    let heading = |found: &regex::Captures| {
        let whole = found.get(0).expect("a match");
        let line = text[..whole.start()].rfind('\n').map_or(0, |at| at + 1);
        let before = text[line..whole.start()].trim();
        match before.is_empty() {
            true => {
                let above = text[..line].lines().rev().find(|l| !l.trim().is_empty());
                !above.is_some_and(|above| heading::runs_on(above.trim()))
            }
            false => {
                before.len() < 40 || before.ends_with(|c: char| !c.is_alphabetic() && c != ',')
            }
        }
    };
    let found = FORM.captures_iter(text).find(heading)?;
    let form = match (&found[1], found[2].to_ascii_lowercase().as_str()) {
        ("10", "k") => Form::TenK,
        ("10", "q") => Form::TenQ,
        ("8", "k") => Form::EightK,
        _ => return None,
    };
    Some((form, found.get(3).is_some()))
}

/// A press release with results.
fn is_release(text: &str) -> bool {
    static RELEASE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?is)\b(?:reports?|reported|announces?|announced|results)\b.{0,160}\b(?:quarter|year|results|earnings)\b")
            .unwrap()
    });
    RELEASE.is_match(&text[..text.floor_char_boundary(4_000)])
}

/// The line above "(Exact name of registrant as specified in its charter)", or what stands in its
/// place: behind the file number, or in the first row of a table of registrants.
fn registrant(text: &str) -> Option<String> {
    static EXACT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\(?\s*exact\s+name\s+of\s+(?:the\s+)?(?:each\s+)?registrant").unwrap()
    });
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?im)commission\s+file\s+(?:number|no)\b\W*(?:\d+-\d+[\W_]*)?\s*(?-i:([A-Z0-9][^\n(]{1,80}))").unwrap()
    });
    static ROW: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^\d{1,3}-\d{3,6}\s+([A-Z][^\n]*?)(?:\s{2,}|$)").unwrap());
    if let Some(found) = EXACT.find(text) {
        let mut above = text[..found.start()]
            .lines()
            .rev()
            .map(str::trim)
            .filter(|line| line.chars().any(char::is_alphabetic));
        if let Some(name) = above.by_ref().take(3).find(|line| is_name(line)) {
            // "Inc." on a line of its own.
            let begins = above.next().filter(|_| names::is_legal_end(name));
            return Some(match begins.filter(|line| is_name(line)) {
                Some(begins) => format!("{begins} {name}"),
                None => name.to_string(),
            });
        }
    }
    let behind = NUMBER
        .captures(text)
        .map(|found| found[1].trim().to_string());
    behind
        .filter(|name| is_name(name))
        .or_else(|| Some(ROW.captures(text)?[1].to_string()))
        .filter(|name| is_name(name))
}

/// True for a line that may be a company's name.
pub(super) fn is_name(line: &str) -> bool {
    const NOT: [&str; 16] = [
        "of 1934",
        "exact name",
        "commission",
        "for the",
        "form ",
        "file number",
        "washington",
        "transition",
        "pursuant",
        "date of",
        "or ",
        "registrant",
        "ended",
        "mark one",
        "report",
        "(address",
    ];
    // "Annual Report", "Third Quarter": what a filing is, not whose.
    const OF_A_FILING: [&str; 24] = [
        "annual",
        "quarterly",
        "interim",
        "current",
        "monthly",
        "report",
        "reports",
        "the",
        "our",
        "company",
        "management",
        "fiscal",
        "financial",
        "full",
        "year",
        "quarter",
        "first",
        "second",
        "third",
        "fourth",
        "consolidated",
        "results",
        "earnings",
        "news",
    ];
    let lower = line.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphabetic());
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    let of_a_filing = words.peek().is_some() && words.all(|word| OF_A_FILING.contains(&word));
    line.len() < 90
        && !of_a_filing
        && lower.len() > 1
        && !NOT
            .iter()
            .any(|word| lower.starts_with(word) || lower.contains(&format!(" {word}")))
}

/// "Buckle, Inc. Reports Third Quarter Net Income": what stands before the verb.
fn release_company(text: &str) -> Option<String> {
    static VERB: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?im)^\W*((?:the )?[A-Z][^\n]{1,60}?),?\s+(?:reports?|announces?|delivers|posts)\b",
        )
        .unwrap()
    });
    let name = VERB.captures(text)?[1].trim().to_string();
    is_name(&name).then_some(name)
}

/// `COCA COLA CO` -> `Coca Cola Co`; a name in capitals and small letters stays.
fn tidy(name: &str) -> String {
    let name = one_line(name);
    let name = name
        .trim_matches(|c: char| matches!(c, '*' | '|' | ';' | ',' | '"'))
        .trim()
        .to_string();
    if name.chars().any(char::is_lowercase) || name.len() <= 4 {
        return name;
    }
    let words = name.split(' ').map(|word| {
        // "3M", "AT&T", "IBM": short or mixed words stay.
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        if letters <= 3
            && !["THE", "INC", "CO", "LTD", "AND", "OF", "INC."]
                .contains(&word.trim_end_matches(['.', ',']))
        {
            return word.to_string();
        }
        let mut out = String::new();
        let mut start = true;
        for c in word.chars() {
            match start {
                true => out.push(c),
                false => out.extend(c.to_lowercase()),
            }
            start = !c.is_alphanumeric() && c != '\'' && c != '’';
        }
        out
    });
    words.collect::<Vec<_>>().join(" ")
}

/// "September 28, 2024", "2024-09-28".
fn date_of(text: &str) -> Option<Date> {
    if let Ok(date) = text.trim().parse::<Date>() {
        return (1900..2100).contains(&date.year()).then_some(date);
    }
    let page = PageText {
        text: format!("for the year ended {text}"),
        ..PageText::default()
    };
    cover::date(Form::TenK, &[page])
}
