//! The fiscal year and quarter of a filing, as its company counts them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::ToSpan as _;
use jiff::civil::Date;
use regex::Regex;

use crate::library::catalog::NameParts;
use crate::library::{Form, PageText};

/// A thing said so often in statements and notes is meant of the period, not of one sentence's.
const OFTEN: usize = 3;
/// A year of 52 or 53 weeks ends so many days into the month after, or less.
const WEEKS_LATE: i64 = 10;
/// Pages on which a year is looked for.
const FRONT: usize = 60;

/// Fiscal year and quarter. Of a 10-Q that does not say which quarter it is of, neither.
pub(super) fn read(
    form: Form,
    pages: &[PageText],
    facts: &BTreeMap<String, String>,
    date: Option<Date>,
    named: NameParts,
) -> (Option<u16>, Option<u8>) {
    let fact = |name: &str| facts.get(name).map(|value| value.trim());
    let year_fact = fact("DocumentFiscalYearFocus").and_then(|year| year.parse().ok());
    let quarter_fact = fact("DocumentFiscalPeriodFocus")
        .and_then(|period| period.strip_prefix(['Q', 'q']))
        .and_then(|quarter| quarter.parse::<u8>().ok())
        .filter(|quarter| (1..=4).contains(quarter));
    match form {
        Form::EightK | Form::Other => (date.map(|d| d.year() as u16).or(named.year), named.quarter),
        Form::TenK | Form::AnnualReport => (
            year_fact
                .or_else(|| Some(fiscal_year(pages, date?)))
                .or(named.year),
            None,
        ),
        Form::TenQ => {
            let quarter = quarter_fact
                .or(named.quarter)
                .or_else(|| quarter_covered(pages, date))
                .or_else(|| quarter_of_year(pages).map(|(quarter, _)| quarter));
            let year = year_fact
                .or(named.year)
                .or_else(|| Some(year_of_quarter(pages, date?, quarter?)));
            (year, quarter)
        }
        Form::Earnings => {
            let quarter = named.quarter.or_else(|| quarter_named(pages));
            let year = named
                .year
                .or_else(|| match quarter {
                    Some(quarter) => Some(year_of_quarter(pages, date?, quarter)),
                    None => Some(fiscal_year(pages, date?)),
                })
                .or_else(|| quarter_of_year(pages).map(|(_, year)| year));
            (year, quarter)
        }
    }
}

/// The fiscal year that ends on `date`, as the company counts it: by its end, unless it says otherwise, "fiscal 2022
/// ended January 28, 2023".
fn fiscal_year(pages: &[PageText], date: Date) -> u16 {
    let year = date.year() as u16;
    // A year that ends in the first days of January is the old one.
    if date.month() == 1 && date.day() <= 7 {
        return year - 1;
    }
    if date.month() > 6 {
        return year;
    }
    let day = date.strftime("%B %-d, %Y").to_string();
    let said = Regex::new(&format!(
        r#"(?i)fiscal\s+(?:year\s+)?((?:19|20)\d\d)\b[^.\n]{{0,60}}?\bended\s+(?:on\s+)?{day}|{day}[^.\n]{{0,12}}[("“]+fiscal\s+(?:year\s+)?((?:19|20)\d\d)"#
    ));
    let said = said.expect("a date has no pattern characters");
    pages[..pages.len().min(FRONT)]
        .iter()
        .find_map(|page| said.captures(&page.text))
        .and_then(|found| found.get(1).or(found.get(2))?.as_str().parse().ok())
        .filter(|said: &u16| said.abs_diff(year) <= 1)
        .unwrap_or(year)
}

/// The fiscal year of the quarter that ends on `date`: the year in which its last quarter ends. One that ends in
/// January or February goes by either year, so the text has to say.
fn year_of_quarter(pages: &[PageText], date: Date, quarter: u8) -> u16 {
    static FISCAL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)\bfiscal\s+(?:year\s+)?((?:19|20)\d\d)\b").unwrap());
    if quarter == 4 {
        return fiscal_year(pages, date);
    }
    let months = 3 * (4 - i64::from(quarter));
    let end = date.saturating_sub(WEEKS_LATE.days());
    let end = end.saturating_add(months.months());
    let year = end.year() as u16;
    if end.month() > 2 {
        return year;
    }
    let said =
        quarter_of_year(pages).filter(|&(of, said)| of == quarter && said.abs_diff(year) <= 1);
    if let Some((_, said)) = said {
        return said;
    }
    let front = pages.iter().take(FRONT);
    let said = front.flat_map(|page| FISCAL.captures_iter(&page.text));
    let said = said.filter(|found| found[1].parse() == Ok(year)).count();
    year - u16::from(said < OFTEN)
}

/// The quarter and the fiscal year of a period that ends on `date`, by a year of the same company that ended on
/// `year_end` and is its fiscal `year`.
pub(super) fn by_year_end(date: Date, year_end: Date, year: u16) -> Option<(u16, u8)> {
    let months = |date: Date| {
        let date = date.saturating_sub(WEEKS_LATE.days());
        i64::from(date.year()) * 12 + i64::from(date.month())
    };
    let after = months(date) - months(year_end);
    let quarter = after.rem_euclid(12);
    let year = i64::from(year) + after.div_euclid(12) + 1;
    // A quarter of twelve weeks ends a month early.
    match (quarter % 3, u8::try_from((quarter + 1) / 3)) {
        (0 | 2, Ok(quarter @ 1..=3)) => Some((u16::try_from(year).ok()?, quarter)),
        _ => None,
    }
}

/// What the statements of a 10-Q cover, the longest first, with the quarter that makes it one of.
const COVERED: [(u8, &str); 3] = [
    (
        3,
        r"nine[\s-]months?|(?:thirty-nine|39|thirty-six|36|forty)\s+weeks",
    ),
    (
        2,
        r"six[\s-]months?|(?:twenty-six|26|twenty-four|24)\s+weeks",
    ),
    (
        1,
        r"three[\s-]months?|(?:thirteen|13|twelve|12|sixteen|16)\s+weeks",
    ),
];

/// The quarter of a 10-Q, by the longest period its statements cover: one that is named often, or, of several
/// quarters, in a statement's head. "Six Months Ended November 30," is said there once, and of no other quarter's end.
fn quarter_covered(pages: &[PageText], date: Option<Date>) -> Option<u8> {
    static NAMED: LazyLock<[Regex; 3]> = LazyLock::new(|| {
        COVERED.map(|(_, span)| Regex::new(&format!(r"(?i)\b(?:{span})\b")).expect("a pattern"))
    });
    let front = || pages.iter().take(25).map(|page| page.text.as_str());
    let is_often = |named: &Regex| {
        let found = front().map(|text| named.find_iter(text).count());
        found.sum::<usize>() >= OFTEN
    };
    let day = date.map(|date| date.strftime("%B %-d").to_string());
    let heads = |span: &str| {
        let head = day.as_ref().map(|day| {
            let head = format!(r"(?i)\b(?:{span})\s+ended\s+{day}\b");
            Regex::new(&head).expect("a date has no pattern characters")
        });
        head.is_some_and(|head| front().any(|text| head.is_match(text)))
    };
    let mut covered = COVERED.iter().zip(&*NAMED);
    let found =
        covered.find(|((quarter, span), named)| is_often(named) || *quarter > 1 && heads(span));
    found.map(|((quarter, _), _)| *quarter)
}

/// The quarter a release names first.
fn quarter_named(pages: &[PageText]) -> Option<u8> {
    static NAMED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(&format!(r"(?i)\b({QUARTER})\b")).expect("a pattern"));
    let mut front = pages.iter().take(2);
    let found = front.find_map(|page| NAMED.captures(&page.text))?;
    quarter(&found[1])
}

/// The quarter and the year that a filing names together: "Second Quarter Fiscal 2025", "Q2 2025", "Q2 FY25", "fiscal
/// 2025 second quarter".
fn quarter_of_year(pages: &[PageText]) -> Option<(u8, u16)> {
    static BOTH: LazyLock<Regex> = LazyLock::new(|| {
        let year = r"(?:(?:fiscal\s+)?(?:year\s+)?(?:fy\s?)?((?:19|20)\d\d)|(?:fiscal\s+|fy\s?)['’]?(\d\d))";
        Regex::new(&format!(
            r"(?i)\b({QUARTER})(?:\s+of|\s+for|,)?\s+(?:the\s+)?{year}\b|\b{year}\s+({QUARTER})\b"
        ))
        .expect("a pattern")
    });
    let mut front = pages.iter().take(2);
    let found = front.find_map(|page| BOTH.captures(&page.text))?;
    let group = |a, b| Some(found.get(a).or(found.get(b))?.as_str());
    let year = match group(2, 4) {
        Some(year) => year.parse().ok()?,
        None => 2000 + group(3, 5)?.parse::<u16>().ok()?,
    };
    Some((quarter(group(1, 6)?)?, year))
}

/// A quarter as people write it.
const QUARTER: &str =
    r"(?:first|second|third|fourth|1st|2nd|3rd|4th)[- ](?:fiscal[- ])?quarter|q[1-4]";

/// The number of a [`QUARTER`].
fn quarter(named: &str) -> Option<u8> {
    let named = named.to_ascii_lowercase();
    let digit = named.strip_prefix('q').unwrap_or(&named);
    Some(match digit.as_bytes().first()? {
        digit @ b'1'..=b'4' => digit - b'0',
        b'f' if named.starts_with("first") => 1,
        b'f' => 4,
        b's' => 2,
        b't' => 3,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(text: &str) -> [PageText; 1] {
        [PageText {
            text: text.to_string(),
            ..PageText::default()
        }]
    }

    #[test]
    fn the_quarter_of_a_10q_is_read_or_not_known() {
        for (ended, text, want) in [
            (
                "2024-11-30",
                "Second quarter of fiscal 2025",
                Some((2025, 2)),
            ),
            (
                "2024-11-30",
                "Six Months Ended\nNovember 30,",
                Some((2025, 2)),
            ),
            (
                "2022-10-29",
                "39 weeks ended October 29, 2022",
                Some((2022, 3)),
            ),
            (
                "2022-10-29",
                "39 weeks ended October 29, 2022. Fiscal 2023, fiscal 2023, fiscal 2023",
                Some((2023, 3)),
            ),
            (
                "2024-12-28",
                "Net sales in the first quarter of 2025 were",
                Some((2025, 1)),
            ),
            (
                "2023-04-01",
                "three months, three months and three-month",
                Some((2023, 1)),
            ),
            ("2022-11-20", "12 weeks 12 Weeks 12 weeks", Some((2023, 1))),
            (
                "2023-11-30",
                "Net sales rose. Three Months Ended November 30,",
                None,
            ),
            // Of another period.
            ("2023-11-30", "Six Months Ended June 30,", None),
        ] {
            let date = ended.parse().ok();
            let (year, quarter) = read(
                Form::TenQ,
                &pages(text),
                &BTreeMap::new(),
                date,
                NameParts::default(),
            );
            assert_eq!(year.zip(quarter), want, "{ended} {text}");
            assert_eq!(year.is_some(), quarter.is_some(), "{ended} {text}");
        }
    }

    #[test]
    fn a_quarter_is_counted_from_a_year_of_its_company() {
        for (ended, year_end, year, want) in [
            ("2023-11-30", "2023-05-31", 2023, Some((2024, 2))),
            ("2018-11-30", "2023-05-31", 2023, Some((2019, 2))),
            ("2024-12-28", "2022-09-24", 2022, Some((2025, 1))),
            ("2024-06-30", "2023-12-31", 2023, Some((2024, 2))),
            // A year named by the one in which it begins, and quarters of twelve weeks.
            ("2022-10-29", "2022-01-29", 2021, Some((2022, 3))),
            ("2023-05-07", "2022-08-28", 2022, Some((2023, 3))),
            ("2023-09-09", "2022-12-31", 2022, Some((2023, 3))),
            ("2023-10-01", "2023-01-01", 2022, Some((2023, 3))),
            ("2023-12-31", "2022-12-31", 2022, None),
            ("2024-01-31", "2022-12-31", 2022, None),
        ] {
            let got = by_year_end(ended.parse().unwrap(), year_end.parse().unwrap(), year);
            assert_eq!(got, want, "{ended} {year_end}");
        }
    }

    #[test]
    fn a_quarter_and_its_year_are_read_together() {
        for (text, want) in [
            ("Second Quarter Fiscal 2025 results", Some((2, 2025))),
            ("Results of Q2 FY24 compared with Q2 FY23", Some((2, 2024))),
            ("fiscal '24 third quarter", Some((3, 2024))),
            ("fiscal 2025 first quarter", Some((1, 2025))),
            ("in the second quarter 15 stores opened", None),
        ] {
            assert_eq!(quarter_of_year(&pages(text)), want, "{text}");
        }
    }

    #[test]
    fn a_release_of_a_whole_year_is_of_that_year() {
        let text =
            "Fourth quarter results. Fiscal 2024, fiscal 2024 and fiscal 2024 will be better.";
        let ended = "2023-06-30".parse().ok();
        let none = BTreeMap::new();
        let got = read(
            Form::Earnings,
            &pages(text),
            &none,
            ended,
            NameParts::default(),
        );
        assert_eq!(got, (Some(2023), Some(4)));
    }
}
