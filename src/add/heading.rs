//! The form as a heading of the first page: "Acme Corporation Form 10-K", "Annual Report on Form 10-K/A (Amendment
//! No. 1)". A heading is all there is on its line; a sentence that speaks of a form, also one that wraps before it,
//! is none.

use std::sync::LazyLock;

use regex::Regex;

use super::cover::form_of;
use crate::library::{Form, PageText};

/// Lines of the first page among which its heading is.
const HEADING_LINES: usize = 10;
/// Lines that a heading may take: "Form 10-K", "for the fiscal year", "ended December 31, 2022".
const WRAPPED: usize = 3;
/// A line longer than this is a paragraph.
const LINE_BYTES: usize = 160;
/// Words that a name before the form may have.
const NAME_WORDS: usize = 8;

/// The form that the first page has as its heading, and whether it is an amendment.
pub fn form(pages: &[PageText]) -> Option<(Form, bool)> {
    let lines = first_lines(pages);
    (0..lines.len().min(HEADING_LINES)).find_map(|at| heading_at(&lines, at))
}

/// True where the first page is headed "2023 Annual Report", "Annual report of Acme for the year ended ...".
pub fn is_annual_report(pages: &[PageText]) -> bool {
    static HEADING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)^ (?:(?:19|20)\d\d\s+)? annual\s+report
            (?: \s+(?:19|20)\d\d | \s+(?:of|for)\b.* | \s+to\s+(?:share|stock)holders.* )?$",
        )
        .expect("a pattern")
    });
    let lines = first_lines(pages);
    let sentence = |at: usize| at > 0 && runs_on(lines[at - 1]);
    (0..lines.len().min(HEADING_LINES)).any(|at| HEADING.is_match(lines[at]) && !sentence(at))
}

/// The lines among which a heading is.
fn first_lines(pages: &[PageText]) -> Vec<&str> {
    let lines = pages.iter().take(1).flat_map(|page| page.text.lines());
    // Below the headline of a release its text speaks.
    let lines = lines
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take_while(|line| !is_headline(line));
    lines.take(HEADING_LINES + WRAPPED).collect()
}

/// The heading that begins with this line.
fn heading_at(lines: &[&str], at: usize) -> Option<(Form, bool)> {
    if at > 0 && runs_on(lines[at - 1]) {
        return None;
    }
    // As long as it gets first: what follows on further lines is a part of it or of a sentence.
    (1..=WRAPPED.min(lines.len() - at))
        .rev()
        .find_map(|length| {
            let next = lines.get(at + length);
            let goes_on = next
                .and_then(|line| line.split_whitespace().next())
                .is_some_and(is_small);
            match goes_on {
                true => None,
                false => whole(&lines[at..at + length].join(" ")),
            }
        })
}

/// Reads a line that is a heading as a whole.
fn whole(line: &str) -> Option<(Form, bool)> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)^ (?:\#{1,6}\s*)? [*_]{0,3}
            (?P<before>.*?)
            (?:\b(?:annual|quarterly|current)\s+report\s*(?:\b(?:on|under)\s+)?)?
            \(? \bf\s?o\s?r\s?m\s* (?P<number>10|8) \s?[-‐‑‒–—−]?\s? (?P<letter>[kq]) (?:405|sb|t)?
            (?P<amended>\s?/\s?a\b)? \)?
            (?P<after>.*)$",
        )
        .expect("a pattern")
    });
    static AFTER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)^
            (?: \s*[,:|–—-]?\s* \(?(?P<amendment>amendment)\s+no\.?\s*\d+\)? )?
            (?: \s*[,:|–—-]?\s* (?:annual|quarterly)\s+report )?
            (?: \s*[,:|–—-]?\s* \(? (?:(?:for|of)\s+)? (?:the\s+)?
                (?: (?:(?:full|fiscal|annual|calendar|transition|quarterly)\s+)? (?:year|quarter|period)\s+ end(?:ed|ing):?\s+
                    (?: [a-z]{3,9}\.?\s+\d{1,2}\s*,?\s*(?:19|20)\d\d | \d{1,2}\s+[a-z]{3,9}\.?,?\s+(?:19|20)\d\d
                      | \d{1,2}[/.-]\d{1,2}[/.-]\d{2,4} | \d{4}-\d\d-\d\d )
                  | (?:(?:first|second|third|fourth)\s+quarter\s+(?:of\s+)?)? (?:fiscal\s+)? (?:year\s+)? (?:fy\s?)? (?:19|20)\d\d )
                \)? )?
            \s*[*_]{0,3}$",
        )
        .expect("a pattern")
    });
    if line.len() > LINE_BYTES {
        return None;
    }
    let found = FORM.captures(line)?;
    let after = AFTER.captures(&found["after"])?;
    if !may_name(&found["before"]) {
        return None;
    }
    let (form, _) = form_of(&format!("{}-{}", &found["number"], &found["letter"]))?;
    let amended = found.name("amended").is_some() || after.name("amendment").is_some();
    Some((form, amended))
}

/// True for what may stand before the form: nothing, a year, a company's name.
fn may_name(before: &str) -> bool {
    const INNER: [&str; 7] = ["of", "and", "the", "de", "fiscal", "year", "to"];
    static LISTED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)^(?:\d+[.)]|.*\b\d+-[kqf]\b.*)$").expect("a pattern"));
    let before = before.trim().trim_end_matches(['-', '–', '—', ':', '|']);
    let words: Vec<&str> = before.split_whitespace().collect();
    let Some(last) = words.last() else {
        return true;
    };
    let name_like = |word: &&str| {
        (!is_small(word) || INNER.contains(word)) && !is_label(word) && !LISTED.is_match(word)
    };
    words.len() <= NAME_WORDS
        && words.iter().all(name_like)
        && !INNER.contains(&last.to_lowercase().as_str())
        && !last.ends_with(',')
        && !is_possessive(last)
}

/// True when the sentence of this line goes on in the next one, or when it labels that.
pub fn runs_on(line: &str) -> bool {
    const FUNCTION: [&str; 24] = [
        "a", "an", "the", "our", "its", "their", "his", "in", "on", "of", "to", "and", "or",
        "with", "under", "by", "from", "for", "see", "also", "at", "as", "this", "which",
    ];
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some(last) = words.last() else {
        return false;
    };
    let small = words.iter().filter(|word| is_small(word)).count();
    line.ends_with(',')
        || (is_small(last) && last.chars().all(char::is_alphabetic) && words.len() >= 5)
        || FUNCTION.contains(last)
        || (is_possessive(last) && words.len() >= 3)
        || (words.len() > 8 && small >= 3 && !line.ends_with(['.', ':', '!', '?', ')', '"', '”']))
        || (words.len() <= 3 && is_label(words[0]))
}

/// The headline of a release with results.
fn is_headline(line: &str) -> bool {
    static HEADLINE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:reports|reported|announces|announced)\b.*\b(?:quarter|year|results|earnings)\b")
            .expect("a pattern")
    });
    HEADLINE.is_match(line)
}

/// A word without capitals or digits.
fn is_small(word: &str) -> bool {
    word.starts_with(char::is_lowercase)
        && !word.contains(|c: char| c.is_uppercase() || c.is_ascii_digit())
}

fn is_possessive(word: &str) -> bool {
    ["'s", "’s", "s'", "s’"]
        .iter()
        .any(|end| word.ends_with(*end))
}

/// True for a word that points to a form, or does something with one, and is in no company's name.
fn is_label(word: &str) -> bool {
    const LABELS: [&str; 48] = [
        "item",
        "items",
        "exhibit",
        "exhibits",
        "appendix",
        "annex",
        "schedule",
        "part",
        "note",
        "notes",
        "see",
        "also",
        "re",
        "question",
        "operator",
        "section",
        "page",
        "source",
        "sources",
        "reference",
        "references",
        "contents",
        "link",
        "links",
        "attachment",
        "attachments",
        "enclosure",
        "files",
        "filed",
        "filing",
        "filings",
        "announces",
        "reports",
        "receives",
        "delays",
        "regarding",
        "concerning",
        "about",
        "notice",
        "extension",
        "our",
        "its",
        "their",
        "this",
        "in",
        "with",
        "under",
        "by",
    ];
    let word = word
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    LABELS.contains(&word.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(Form, bool)> {
        form(&[PageText {
            text: text.to_string(),
            ..PageText::default()
        }])
    }

    #[test]
    fn a_heading_is_read_in_any_way_it_is_written() {
        for (heading, wanted, amended) in [
            ("Acme Corporation Form 10-K", Form::TenK, false),
            ("ACME CORP\n\nANNUAL REPORT ON FORM 10-K", Form::TenK, false),
            ("Acme Corp. Annual Report on Form 10-K", Form::TenK, false),
            ("Acme: Quarterly report on Form 10-Q", Form::TenQ, false),
            (
                "Bank of Acme and the West – 2022 Form 10-K",
                Form::TenK,
                false,
            ),
            (
                "Annual Report on Form 10-K/A (Amendment No. 1)",
                Form::TenK,
                true,
            ),
            ("Form 10-K, Amendment No. 2", Form::TenK, true),
            (
                "Form 10-K for the fiscal year ended Dec. 31, 2022",
                Form::TenK,
                false,
            ),
            (
                "Form 10-Q for the quarterly period ended 30 June 2022",
                Form::TenQ,
                false,
            ),
            (
                "Acme Corp\nForm 10-K\nfor the fiscal year\nended December 31, 2022",
                Form::TenK,
                false,
            ),
            ("Form 10\u{2011}K", Form::TenK, false),
            ("Form\u{a0}10-K", Form::TenK, false),
            ("FORM 10 - K", Form::TenK, false),
            ("F O R M 10-K", Form::TenK, false),
            ("Annual Report (Form 10-K)", Form::TenK, false),
            (
                "Annual report to shareholders\nForm 10-K",
                Form::TenK,
                false,
            ),
            ("# Form 10-K", Form::TenK, false),
            ("**Form 10-K**", Form::TenK, false),
            ("Form\n10-K", Form::TenK, false),
            ("Annual report on\nForm 10-K", Form::TenK, false),
            ("2023 Form 10-K", Form::TenK, false),
            ("Form 10-K 2023", Form::TenK, false),
            ("MACY'S\nForm 10-K", Form::TenK, false),
            ("eBay Inc. Form 10-K\neBay sells things.", Form::TenK, false),
            ("Form 8-K", Form::EightK, false),
        ] {
            for text in [
                format!("{heading}\nNet sales were up.\n"),
                format!("\n  {heading}  \n\nFor the year ended December 31, 2022\n"),
            ] {
                assert_eq!(read(&text), Some((wanted, amended)), "{text}");
            }
        }
    }

    #[test]
    fn a_sentence_that_speaks_of_a_form_is_no_heading() {
        for text in [
            "Sales were higher. The details are in its\nForm 10-K for fiscal 2022, to be filed in March.",
            "Sales were higher. The details are in its\nForm 10-K for fiscal 2022\n",
            "The details are in the latest\n\nForm 10-K\nof Acme Corp.",
            "For more see the filings of Acme, its\nquarterly reports and\nForm 10-K",
            "For more see the risk factors in the Acme\nForm 10-K for fiscal 2022\nand its other filings.",
            "See Acme's\nForm 10-K",
            "See also: Form 10-K, Form 8-K and other filings",
            "Operator: Form 10-K and 10-Q risks apply",
            "Operator: Form 10-K",
            "Item 5. Form 10-K",
            "Item 5.\nForm 10-K",
            "1. Form 10-K",
            "Our Form 10-K",
            "The Form 10-K",
            "Acme files Form 10-K",
            "Acme Files Annual Report on Form 10-K",
            "Acme Receives Notice Regarding Form 10-K",
            "It was filed on Form 10-K.",
            "Form 10-K is filed each year",
            "Forms 10-K and 10-Q",
            "Acme Reports Fourth Quarter Results\nAcme Corporation Form 10-K",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_heading_is_among_the_first_lines() {
        let below = |lines: usize| format!("{}Form 10-K\n", "sales\n\n".repeat(lines));
        assert!(read(&below(9)).is_some());
        assert_eq!(read(&below(10)), None);
    }
}
