//! Years of two digits beside a company: "Coke 22 and Pepsi 22 revenue".

use std::sync::LazyLock;

use regex::Regex;

use super::{Scan, UNIT_AFTER, year};
use crate::question::Span;

/// Two digits that may be a year, right after a company, whose name is blank here.
static AFTER_COMPANY: LazyLock<Regex> = pattern!(r"^[\s(,]+(?:in\s+)?([12]\d)\b");
/// What may follow such a year whatever else was read: the end, a mark, a word that joins, another year.
static ENDS: LazyLock<Regex> = pattern!(
    r"^\s*(?:$|[,;:?!.)](?:\D|$)|(?:and|or|vs\.?|versus|to|through|compared|against)\b|-\s*[12]\d\b)"
);

impl Scan<'_> {
    /// Reads these where the question names no other year, and where the company's year is all they can be: what is
    /// asked follows, or nothing does. The rest is left for a note.
    pub(super) fn years_beside_companies(&mut self) {
        let reading = &self.reading;
        if !(reading.years.is_empty() && reading.due.is_empty()) {
            return;
        }
        let companies = reading.companies.iter().filter(|company| !company.brand);
        let ends: Vec<usize> = companies.map(|company| company.span.end).collect();
        let plain = self.plain;
        for end in ends {
            let Some(digits) = AFTER_COMPANY.captures(&plain[end..]).and_then(|c| c.get(1)) else {
                continue;
            };
            let span = end + digits.start()..end + digits.end();
            let rest = &plain[span.end..];
            let decimal = rest.starts_with(['.', ',', '/'])
                && rest[1..].starts_with(|c: char| c.is_ascii_digit());
            if !self.free(&span)
                || decimal
                || UNIT_AFTER.is_match(rest)
                || self.asked().any(|read| read.contains(&span.start))
            {
                continue;
            }
            let next = span.end + (rest.len() - rest.trim_start().len());
            let is_year = ENDS.is_match(rest)
                || next > span.end && self.asked().any(|read| read.start == next);
            match year(digits.as_str()).filter(|_| is_year) {
                Some(year) => {
                    self.add_year(year, span.clone(), false);
                    self.more_years(false, year, span, false);
                }
                None => self.reading.unsure_years.push(span),
            }
        }
        if !self.reading.years.is_empty() {
            self.reading.unsure_years.clear();
        }
    }

    /// Where what is asked of a company stands.
    fn asked(&self) -> impl Iterator<Item = &Span> {
        let reading = &self.reading;
        (reading.metrics.iter().map(|read| &read.span))
            .chain(reading.statements.iter().map(|read| &read.span))
            .chain(reading.forms.iter().map(|read| &read.span))
            .chain(reading.items.iter().map(|read| &read.span))
            .chain(reading.quarters.iter().map(|read| &read.span))
    }
}
