//! What a page may be called by: the first of its headings that says what it is about.

use std::collections::HashMap;

use super::blocks::{is_row, is_scale};
use super::items::TABLES;
use super::lines::letters;

/// A line on so many pages of a filing, one in so many, stands at the head of pages, not of a section.
const RUNNING_FROM: usize = 5;
const RUNNING_SHARE: usize = 6;

/// Lines at the head of many pages: the company's name, "PART II", "Notes (continued)".
#[derive(Debug, Default)]
pub struct RunningHeads {
    /// As letters alone: on how many pages.
    pages: HashMap<String, usize>,
    all: usize,
}

impl RunningHeads {
    /// Counts the headings of each page of a filing.
    pub fn of<'a, P: Iterator<Item = &'a str>>(pages: impl Iterator<Item = P>) -> RunningHeads {
        let mut heads = RunningHeads::default();
        for page in pages {
            heads.all += 1;
            let mut here: Vec<String> = page.map(letters).collect();
            here.sort_unstable();
            here.dedup();
            for line in here {
                *heads.pages.entry(line).or_default() += 1;
            }
        }
        heads
    }

    fn has(&self, line: &str) -> bool {
        let pages = self.pages.get(&letters(line)).copied().unwrap_or(0);
        pages >= RUNNING_FROM && pages * RUNNING_SHARE >= self.all
    }
}

/// What to call a page by: the first of its headings that is a title and does not run over the whole
/// filing, else the title `in_force` from an earlier page, else a running head.
pub fn page_title<'a>(
    headings: impl Iterator<Item = &'a str> + Clone,
    in_force: Option<&'a str>,
    running: &RunningHeads,
) -> Option<String> {
    let titles = headings.filter(|line| is_title(line));
    let mut own = titles.clone().filter(|line| !running.has(line));
    let in_force = in_force.filter(|title| is_title(title));
    let title = own.next().or(in_force).or(titles.clone().next())?;
    let words: Vec<&str> = title
        .trim_end_matches([':', ' '])
        .split_whitespace()
        .collect();
    Some(words.join(" "))
}

/// False for what only looks like a heading: rows and totals of a table, the heads of its columns, dates,
/// lines of a contents page, "PART II" and "Item 7" without a title.
pub fn is_title(line: &str) -> bool {
    let line = line.trim();
    let lower = line.to_lowercase();
    let mut words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let numbered = matches!(first, "item" | "items" | "note");
    let letters = line.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 3
        || line.starts_with(['(', '•', '·', '*', '-', '/'])
        || line.contains(['$', '€', '£'])
        || line.contains("...")
        || line.contains(". . ")
        || matches!(first, "total" | "totals" | "subtotal")
        || TABLES.headings.say_nothing.contains(&lower)
        || is_scale(line)
        || is_row(line)
        || !numbered && only_dates(&lower)
    {
        return false;
    }
    // Two cells: a row of heads. A number may stand apart from its title.
    if !numbered && line.contains("  ") {
        return false;
    }
    // A line of a contents page ends in a page number; a heading may end in a year.
    let last = lower.split_whitespace().next_back().unwrap_or_default();
    let page_number = last.len() <= 3 && last.bytes().all(|b| b.is_ascii_digit());
    if page_number && (line.contains("  ") || lower.split_whitespace().count() > 2) {
        return false;
    }
    let bare = |word: &str| {
        word.len() <= 4
            && word
                .chars()
                .all(|c| matches!(c, 'i' | 'v' | '0'..='9' | 'a'..='c'))
    };
    match first {
        "part" => !words.next().is_some_and(bare),
        "item" => !words.all(bare),
        "items" => !words.all(|word| word == "and" || bare(word)),
        _ => true,
    }
}

/// "March 31, December", "Years Ended December 31": nothing but parts of dates and periods.
fn only_dates(lower: &str) -> bool {
    lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .all(|word| word.bytes().all(|b| b.is_ascii_digit()) || super::blocks::is_date_word(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_dates_and_lines_of_contents_are_no_titles() {
        for line in [
            "Total $ 1,840",
            "Total current assets",
            "March 31, December",
            "Years Ended December 31",
            "December 31, 2018",
            "Exhibits, Financial Statement Schedules  119",
            "Properties ........ 24",
            "Legal Proceedings and Other Matters 24",
            "PART II",
            "PART II. OTHER INFORMATION",
            "Part I, Item 2",
            "Item 7",
            "ITEM 7A.",
            "Items 7 and 7A.",
            "(In millions)",
            "(Unaudited)",
            "Amount  Percent",
            "Goodwill  10,051  10,513",
            "• Net Sales",
            "3M",
            "UNITED STATES",
        ] {
            assert!(!is_title(line), "{line}");
        }
        for line in [
            "3M COMPANY",
            "Item 7. Management’s Discussion and Analysis",
            "Item 1A.  Risk Factors",
            "Items 1 and 2.  Business and Properties",
            "NOTE 3  Leases",
            "Note 3",
            "Partnership Interests",
            "Outlook for 2023",
            "Fiscal 2022 Compared with Fiscal 2021",
            "Inventories",
            "Totalization Agreements",
            "Segment Performance: Safety & Industrial",
        ] {
            assert!(is_title(line), "{line}");
        }
    }

    #[test]
    fn a_page_is_called_by_what_tells_it_from_the_others() {
        let pages: Vec<Vec<&str>> = (0..8)
            .map(|n| match n {
                2 => vec!["ACME INC.", "Total Assets", "Leases: "],
                3 => vec!["ACME INC.", "March 31,"],
                _ => vec!["ACME INC."],
            })
            .collect();
        let running = RunningHeads::of(pages.iter().map(|page| page.iter().copied()));
        let title = |n: usize, in_force| page_title(pages[n].iter().copied(), in_force, &running);
        assert_eq!(title(2, None).as_deref(), Some("Leases"));
        assert_eq!(title(3, Some("Debt")).as_deref(), Some("Debt"));
        assert_eq!(title(3, Some("Debt  71")).as_deref(), Some("ACME INC."));
        assert_eq!(page_title(["PART II"].into_iter(), None, &running), None);
    }
}
