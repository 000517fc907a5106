//! The date on a filing's cover: the end of the period it covers, or of an 8-K the earliest event.

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::{Captures, Regex};

use super::{Form, PageText};

/// A glossy annual report puts its letters and pictures before the 10-K's cover.
const ANNUAL_REPORT_PAGES: usize = 60;
/// The cover, and a contents page before it.
const COVER_PAGES: usize = 6;
/// So much of a page is read.
const PAGE_BYTES: usize = 8_000;

const DATE: &str = r"(january|february|march|april|may|june|july|august|september|october|november|december) ?(\d{1,2}) ?((?:19|20)\d\d)";

/// Reads the date off the first pages; `None` where they do not say.
pub fn date(form: Form, pages: &[PageText]) -> Option<Date> {
    let words = |count: usize| -> String {
        let texts = pages.iter().take(count).map(|page| squeezed(&page.text));
        texts.collect::<Vec<_>>().join(" ")
    };
    match form {
        Form::EightK => event_date(&words(2)),
        // A release that is in truth an 8-K has the 8-K's cover.
        Form::Earnings => event_date(&words(1)).or_else(|| latest_period_end(&words(COVER_PAGES))),
        Form::AnnualReport => first_period_end(&words(ANNUAL_REPORT_PAGES)),
        Form::TenK | Form::TenQ | Form::Other => {
            let words = words(COVER_PAGES);
            first_period_end(&words).or_else(|| latest_period_end(&words))
        }
    }
}

/// Lower case; everything but letters and digits is one space.
fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(PAGE_BYTES);
    for c in text.chars() {
        if out.len() >= PAGE_BYTES {
            break;
        }
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out
}

/// "Date of report (date of earliest event reported): February 21, 2023 (February 15, 2023)", and
/// the ways the line is broken: date first, or in its middle. Of several dates the earliest.
fn event_date(words: &str) -> Option<Date> {
    static AFTER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(&format!(
            r"earliest event reported (?:on )?{DATE}(?: {DATE})?"
        ))
        .unwrap()
    });
    static AROUND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(&format!(
            r"(?:date of report {DATE}|{DATE} date of report)(?: date of)? ?(?:the )?earliest event"
        ))
        .unwrap()
    });
    let found = AFTER.captures(words).or_else(|| AROUND.captures(words))?;
    let dates = [1, 4].map(|group| found.get(group).and_then(|_| date_at(&found, group)));
    dates.into_iter().flatten().min()
}

/// The cover of a periodic report: "for the fiscal year ended December 31, 2018".
fn first_period_end(words: &str) -> Option<Date> {
    static COVER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(&format!(
            r"for the (?:fiscal |transition )?(?:year|quarterly period|quarter|period)(?: and [a-z ]{{1,30}}?)? ended (?:on )?{DATE}"
        ))
        .unwrap()
    });
    date_at(&COVER.captures(words)?, 1)
}

/// The latest date something ended on: of a release's columns, this year's.
fn latest_period_end(words: &str) -> Option<Date> {
    static ENDED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(&format!(r"ended (?:on )?{DATE}")).unwrap());
    ENDED
        .captures_iter(words)
        .filter_map(|found| date_at(&found, 1))
        .max()
}

/// The date whose month is in group `at`, its day and year in the two after it.
fn date_at(found: &Captures, at: usize) -> Option<Date> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let month = MONTHS.iter().position(|month| *month == &found[at])? as i8 + 1;
    Date::new(
        found[at + 2].parse().ok()?,
        month,
        found[at + 1].parse().ok()?,
    )
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_as_they_are_printed() {
        let table = [
            (
                Form::TenK,
                "For the fiscal year ended December 31, 2018\nCommission file",
                "2018-12-31",
            ),
            (
                Form::TenK,
                "FOR\nTHE FISCAL YEAR ENDED MAY 28, 2023",
                "2023-05-28",
            ),
            (
                Form::TenQ,
                "For the quarterly period ended: October 29, 2022",
                "2022-10-29",
            ),
            (
                Form::EightK,
                "Date of report (Date of earliest event reported): February 21, 2023 (February 15, 2023)",
                "2023-02-15",
            ),
            (
                Form::EightK,
                "January 4, 2023\nDate of Report (date of earliest event reported)",
                "2023-01-04",
            ),
            (
                Form::EightK,
                "Date of Report: June 1, 2023\n(Date of earliest event reported)",
                "2023-06-01",
            ),
            (
                Form::Earnings,
                "Three months ended March 31, 2022 ... ended March 31, 2023",
                "2023-03-31",
            ),
        ];
        for (form, text, want) in table {
            let page = PageText {
                text: text.to_string(),
                ..PageText::default()
            };
            assert_eq!(
                date(form, &[page]).map(|d| d.to_string()).as_deref(),
                Some(want),
                "{text}"
            );
        }
        assert_eq!(date(Form::TenK, &[]), None);
        let no_date = PageText {
            text: "For the fiscal year ended February 31, 2018".to_string(),
            ..PageText::default()
        };
        assert_eq!(date(Form::TenK, &[no_date]), None);
    }
}
