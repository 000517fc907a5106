//! A company's name where no line of a cover is it: beside its ticker, or before "and subsidiaries".

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::cover::{COMMISSION, is_name};
use super::label::doc_slug;
use crate::library::PageText;
use crate::words::one_line;

/// A name said so often before "and subsidiaries" is that of the filing's company.
const OFTEN: usize = 2;

/// True for "Inc." and its like without a name before it.
pub fn is_legal_end(line: &str) -> bool {
    doc_slug(&format!("acme {line}")) == "ACME"
}

/// True for a release: "(NYSE: ACME) today announced", before any form is spoken of.
pub fn announces(text: &str) -> bool {
    static ANNOUNCES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\((?:nyse|nasdaq)\b[^)\n]{0,24}:[^)\n]{1,24}\)\s+today\s+(?:announced|reported)\b")
            .expect("a pattern")
    });
    let found = ANNOUNCES.find(text);
    found.is_some_and(|found| !COMMISSION.is_match(&text[..found.start()]))
}

/// "May 2, 2023 - Acme, Inc. (NYSE: ACME) today announced": the name before the first ticker.
pub fn listed(text: &str) -> Option<String> {
    static TICKER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"([^\n()]{2,80})\n?\s*\((?i:nyse|nasdaq)\b[^)\n]{0,24}:[^)\n]{1,24}\)")
            .expect("a pattern")
    });
    let before = &TICKER.captures(text)?[1];
    // What a dash with spaces divides from it, and a full date, is the place and the day.
    let dashes = ["–", "—", "--", " - ", "―"];
    let name = dashes.iter().fold(before, |name, dash| {
        name.rsplit(dash).next().unwrap_or(name)
    });
    let name = one_line(name);
    (name.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()) && is_name(&name))
        .then_some(name)
}

/// "THE ACME COMPANY AND SUBSIDIARIES" over statements, "balance sheets of Acme, Inc. and its subsidiaries" in the
/// auditor's report: the name that stands there most often.
pub fn with_subsidiaries(pages: &[PageText]) -> Option<String> {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        let word = r"[A-Z0-9][\w&.'’‑-]*";
        Regex::new(&format!(
            r"({word}(?:,?[ ](?:{word}|of|&))*),?\s+(?i:and\s+(?:its\s+)?(?:consolidated\s+)?subsidiaries)\b"
        ))
        .expect("a pattern")
    });
    // "Consolidated Balance Sheets of Acme": what is consolidated is no part of the name.
    static OTHER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:statements?|sheets?|reports?|operations|management|directors|audit(?:ed|ors?)?|parent|guarantors?|borrowers?|issuers?|registrants?|corporation's)\b")
            .expect("a pattern")
    });
    let mut times: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for page in pages {
        for found in NAMED.captures_iter(&page.text) {
            let name = found[1].replace('‑', "-");
            let name = match OTHER.find_iter(&name).last() {
                Some(other) => name[other.end()..].trim_start().trim_start_matches("of "),
                None => &name,
            };
            if is_name(name) && !is_legal_end(name) {
                let slug = doc_slug(name);
                times.entry(slug).or_insert((0, name.to_string())).0 += 1;
            }
        }
    }
    let (times, name) = times.into_values().max_by_key(|(times, _)| *times)?;
    (times >= OFTEN).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_before_its_ticker() {
        for (text, want) in [
            (
                "New Brunswick, N.J. (July 20, 2023) – Acme & Acme (NYSE: ACM) today announced",
                Some("Acme & Acme"),
            ),
            (
                "PURCHASE, N.Y. - April 25, 2023 - Acme, Inc. (NASDAQ: ACM) today",
                Some("Acme, Inc."),
            ),
            (
                "SPRINGFIELD, March 2, 2023 -- Acme Co., Inc.\n(NYSE: ACM) today",
                Some("Acme Co., Inc."),
            ),
            ("3M (NYSE: MMM) today", Some("3M")),
            ("AT-Acme Inc. (Nasdaq GS: ACM) today", Some("AT-Acme Inc.")),
            ("it is listed (NYSE: ACM)", None),
            ("Acme (a company of New York)", None),
        ] {
            assert_eq!(listed(text).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn a_release_announces_before_it_speaks_of_forms() {
        let release = "Acme Co., Inc. (NYSE: ACM) today\nannounced results. See our Form 10-K";
        assert!(announces(release));
        assert!(!announces(&format!(
            "SECURITIES AND EXCHANGE COMMISSION\nFORM 8-K\n{release}"
        )));
        assert!(!announces("Acme Co., Inc. (NYSE: ACM) is large"));
    }

    #[test]
    fn what_ends_a_name_is_none() {
        for (line, ends) in [
            ("INC.", true),
            ("Corporation", true),
            ("Acme", false),
            ("Acme Inc.", false),
        ] {
            assert_eq!(is_legal_end(line), ends, "{line}");
        }
    }

    #[test]
    fn a_name_stands_before_its_subsidiaries() {
        let read = |text: &str| {
            with_subsidiaries(&[PageText {
                text: text.to_string(),
                ..PageText::default()
            }])
        };
        for (text, want) in [
            (
                "THE ACME-BETA COMPANY AND SUBSIDIARIES\nas The Acme‑Beta Company and its subsidiaries",
                Some("THE ACME-BETA COMPANY"),
            ),
            (
                "We have audited Foot Acme, Inc. and subsidiaries' control. Sheets of Foot Acme, Inc. and\nsubsidiaries",
                Some("Foot Acme, Inc."),
            ),
            (
                "Bank of Acme Corporation and its consolidated subsidiaries, Bank of Acme Corporation and subsidiaries",
                Some("Bank of Acme Corporation"),
            ),
            // Nobody's name, and one that is named in passing.
            (
                "The Company and its subsidiaries, the Company and its subsidiaries",
                None,
            ),
            ("Our rival Beta Inc. and its subsidiaries sued", None),
        ] {
            assert_eq!(read(text).as_deref(), want, "{text}");
        }
    }
}
