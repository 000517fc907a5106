//! The date on a filing's cover: the end of the period it covers, or of an 8-K the earliest event.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::{Captures, Regex};

use super::{Form, PageText};
use crate::text::months::month;

/// A glossy annual report puts its letters and pictures before the 10-K's cover.
const ANNUAL_REPORT_PAGES: usize = 60;
/// The cover, and a contents page before it.
const COVER_PAGES: usize = 6;
/// A release's tables.
const RELEASE_PAGES: usize = 60;
/// So much of a page is read.
const PAGE_CHARS: usize = 8_000;

/// A month, its day and the year; three groups.
const DATE: &str = r"(january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(\d{1,2})((?:19|20)\d\d)";
/// A release comes out this many days after the end of its quarter.
const RELEASE_DAYS: std::ops::RangeInclusive<i32> = 8..=100;

/// Reads the date off the first pages; `None` where they do not say.
pub fn date(form: Form, pages: &[PageText]) -> Option<Date> {
    let words = |count: usize| -> String {
        let texts = pages.iter().take(count).map(|page| squeezed(&page.text));
        texts.collect()
    };
    match form {
        Form::EightK => event_date(&words(2)),
        Form::Earnings => {
            let event = event_date(&words(1));
            release_period_end(&words(RELEASE_PAGES), event)
                .or(event)
                .or_else(|| first_period_end(&words(COVER_PAGES)))
        }
        Form::AnnualReport => first_period_end(&words(ANNUAL_REPORT_PAGES)),
        Form::TenK | Form::TenQ | Form::Other => first_period_end(&words(COVER_PAGES))
            .or_else(|| release_period_end(&words(RELEASE_PAGES), None)),
    }
}

/// Lower-case letters and digits alone: covers break words anywhere ("fis cal year") and glue them.
fn squeezed(text: &str) -> String {
    let start = text.chars().take(PAGE_CHARS);
    start
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// "Date of report (date of earliest event reported): February 21, 2023 (February 15, 2023)", and
/// the ways the line is broken: date first, or in its middle. Of several dates the earliest.
fn event_date(words: &str) -> Option<Date> {
    static AFTER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(&format!(r"earliesteventreported(?:on)?{DATE}(?:{DATE})?")).unwrap()
    });
    static AROUND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(&format!(
            r"(?:dateofreport{DATE}|{DATE}dateofreport)(?:dateof)?(?:the)?earliestevent"
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
            r"forthe(?:fiscal|transition)?(?:year|quarterlyperiod|quarter|period)(?:and[a-z]{{1,30}}?)?ended(?:commissionfile|on)?{DATE}"
        ))
        .unwrap()
    });
    date_at(&COVER.captures(words)?, 1)
}

/// A release has no cover. Of the dates a quarter's end can be, counted back from the release's own
/// date (the first after a date something ended on, if it is not known): the one it says something ended on, or
/// else one its tables keep naming.
fn release_period_end(words: &str, released: Option<Date>) -> Option<Date> {
    static ANY: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(&format!("(ended|endedon)?{DATE}")).unwrap());
    let dates: Vec<(bool, Date)> = ANY
        .captures_iter(words)
        .filter_map(|found| Some((found.get(1).is_some(), date_at(&found, 2)?)))
        .collect();
    let first_end = dates
        .iter()
        .find(|(ended, _)| *ended)
        .map(|(_, date)| *date);
    let own = |(ended, date): &&(bool, Date)| !ended && first_end.is_none_or(|end| *date > end);
    let released = released.or_else(|| Some(dates.iter().find(own)?.1))?;
    let mut counts: BTreeMap<Date, (usize, usize)> = BTreeMap::new();
    for (ended, date) in dates {
        let days = released.since(date).map_or(0, |span| span.get_days());
        if RELEASE_DAYS.contains(&days) {
            let count = counts.entry(date).or_default();
            count.0 += usize::from(ended);
            count.1 += 1;
        }
    }
    let (date, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (count.0 >= 1 || count.1 >= 3).then_some(date)
}

/// The date whose month is in group `at`, its day and year in the two after it.
fn date_at(found: &Captures, at: usize) -> Option<Date> {
    Date::new(
        found[at + 2].parse().ok()?,
        month(&found[at])?,
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
                "May 2, 2023 - We report ... for the fiscal year ending December 31, 2023. \
                 Three months ended Mar 31, 2023, Mar 31, 2022 ... ended March 31, 2023 and 2022",
                "2023-03-31",
            ),
            (
                Form::Earnings,
                "Acme reports its results for the year ended December 31, 2023",
                "2023-12-31",
            ),
            (
                Form::TenQ,
                "For the quarterly period ended  Commission file\nMarch 31, 2022  number 1-5805",
                "2022-03-31",
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
