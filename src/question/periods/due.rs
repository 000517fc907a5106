//! Periods that say when something falls due ("notes due 2029"), which are no period of a filing.

use std::sync::LazyLock;

use regex::Regex;

use super::{FISCAL, MONTH, ORDINAL, Scan, Y2, Y4, year};
use crate::question::{Reading, Span, YearMention};

/// Words before a period that make it the one in which something falls due: "notes due 2029", "maturing in fiscal
/// 2025", "due in the second quarter of 2024". The first group is a part of the year, the second the periods on the
/// way ("due May 31, 2029 and").
static DUE_BEFORE: LazyLock<Regex> = pattern!(
    r"\b(?:due|matur(?:e|es|ing|ity)|expir(?:e|es|ing))(?:\s+(?:in|on|by|of|after|before|during|through|until|between|within))?(?:\s+the\s+end\s+of)?(?:\s+the)?(?:\s+(?:fiscal\s+|financial\s+|calendar\s+)?years?(?:\s+end(?:ed|ing)(?:\s+(?:on|in))?)?)?(?:\s+((?:q\s?[1-4]|[1-4]q|h[12]|{ORDINAL}[\s-]+(?:fiscal[\s-]+|calendar[\s-]+)?(?:quarter|half))(?:\s+of)?))?((?:\s*(?:\d{{1,2}}\s+)?(?:{MONTH}\.?\s+(?:\d{{1,2}}(?:st|nd|rd|th)?\s*,?\s+)?)?(?:(?:{FISCAL}[\s-]*)?{Y4}|{FISCAL}[\s-]*'?{Y2})\s*(?:-|/|to|through|thru|until|till|and|or|&|,(?:\s*and)?)(?:\s+the)?)*)\s*$"
);
/// Words before a year by which something is to happen, or after which: "by 2030", "by the end of fiscal 2025", "due
/// after 2026".
static BY: LazyLock<Regex> =
    pattern!(r"\b(?:by|after|beyond)(?:\s+the)?(?:\s+end\s+of)?(?:\s+the)?(?:\s+years?)?\s+$");
/// Words before the year of a filing that tells of others: "as stated in its 2021 10-K", "according to the 2021 10-K".
static TOLD_IN: LazyLock<Regex> = pattern!(
    r"\b(?:(?:per|according\s+to|(?:stated|disclosed|reported|given|shown|described|presented|based)\s+(?:in|by|on))(?:\s+(?:the|its|their))?|(?:in|from|of)\s+(?:its|their))\s+$"
);
/// Longer than what [`BY`] matches, written with single spaces.
const NEAR: usize = 40;
/// "Due" is looked for in so many bytes before a year: the longest way from one to the other is less than half as long.
const FAR: usize = 400;
/// A year of the second group of [`DUE_BEFORE`].
static DUE_YEAR: LazyLock<Regex> = pattern!(r"({Y4})\b|(?:fye?|fiscal)[\s-]*'?({Y2})\b");

/// Puts the periods in order, and leaves out quarters that are a part of one.
pub(super) fn settle(reading: &mut Reading) {
    let Reading { quarters, due, .. } = reading;
    due.sort_by_key(|due| due.span.start);
    quarters.retain(|quarter| {
        let within = |due: &Span| due.start <= quarter.span.start && quarter.span.end <= due.end;
        !due.iter().any(|due| within(&due.span))
    });
}

impl Scan<'_> {
    /// Where the period begins in which something falls due: "notes due 2029", "due in fiscal 2029 and 2031", but
    /// not "was due in 2022 to higher prices" nor, of "due 2023, 2018 annual report", the year that is no later one.
    pub(super) fn due_from(&self, asked: u16, span: &Span) -> Option<usize> {
        // A plain text has no characters of several bytes.
        let near = span.start.saturating_sub(FAR);
        let caps = DUE_BEFORE.captures(&self.plain[near..span.start])?;
        let reason = self.plain[span.end..]
            .trim_start()
            .strip_prefix("to ")
            .is_some_and(|what| !what.trim_start().starts_with(|c: char| c.is_ascii_digit()));
        let before = DUE_YEAR.captures_iter(&caps[2]).filter_map(|caps| {
            let digits = caps.get(1).or(caps.get(2))?;
            year(digits.as_str())
        });
        let years: Vec<u16> = before.chain([asked]).collect();
        let part = caps.get(1).filter(|_| years.len() == 1);
        (!reason && years.is_sorted_by(|a, b| a < b))
            .then(|| part.map_or(span.start, |part| near + part.start()))
    }

    /// Reads a period of this year as when something falls due, where it is that.
    pub(super) fn read_due(&mut self, year: u16, span: &Span) -> bool {
        let Some(start) = self.due_from(year, span) else {
            return false;
        };
        self.take(span.clone());
        self.reading.due.push(YearMention {
            year,
            span: start..span.end,
            fiscal: false,
        });
        true
    }

    /// Years that are looked ahead to from an earlier one that is asked: of "2019 annual report, coal by 2030" and
    /// "debt in 2024, as stated in its 2019 10-K" the period is 2019.
    pub(super) fn years_aimed_at(&mut self) {
        let before =
            |year: &YearMention| &self.plain[year.span.start.saturating_sub(NEAR)..year.span.start];
        let names_filing = |year: &&YearMention| {
            let mut forms = self.reading.forms.iter();
            let beside = |form: &Span| {
                let between = self.plain.get(year.span.end..form.start);
                between.is_some_and(|between| between.trim().is_empty())
            };
            forms.any(|form| beside(&form.span)) && TOLD_IN.is_match(before(year))
        };
        let first = self.reading.years.iter().map(|year| year.year).min();
        let told_in = (self.reading.years.iter())
            .filter(names_filing)
            .map(|year| year.year)
            .max();
        let ranges = &self.reading.ranges;
        let is_aimed_at = |year: &YearMention| {
            let ranged = |span: &Span| span.start <= year.span.start && year.span.end <= span.end;
            let later = |than: Option<u16>| than.is_some_and(|than| than < year.year);
            (later(told_in) || later(first) && BY.is_match(before(year)))
                && !ranges.iter().any(|range| ranged(&range.span))
        };
        let years = self.reading.years.clone().into_iter();
        let (aimed, asked) = years.partition(is_aimed_at);
        self.reading.years = asked;
        self.reading.due.extend::<Vec<YearMention>>(aimed);
    }
}
