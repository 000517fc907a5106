//! What follows the last Item: exhibits, and the sections that Items put off to them.
//!
//! "Item 7 ... is incorporated by reference to Exhibit 13", "Item 8 ... see Item 15": the text
//! then stands behind the last Item, under titles without numbers.

use super::items::{ItemDef, Start, TABLES};
use super::lines::letters;

/// Pages behind the last Item on which another section begins: the Item it belongs to, or none
/// for an exhibit of its own.
pub(super) fn sections(
    pages: &[&str],
    defs: &[ItemDef],
    chain: &[Start],
) -> Vec<(usize, Option<usize>)> {
    let words = &TABLES.attached;
    let Some(last) = chain.last() else {
        return Vec::new();
    };
    let on = |subject: &str| defs.iter().position(|def| def.subject() == subject);
    let (Some(mdna), Some(statements), Some(exhibits)) = (on("7"), on("8"), on("15")) else {
        return Vec::new();
    };
    let put_off = |item: usize| {
        let Some(at) = chain.iter().position(|start| start.item == item) else {
            return true;
        };
        let end = chain.get(at + 1).map_or(pages.len(), |next| next.page);
        end - chain[at].page < 3
    };
    let (mdna_put_off, statements_put_off) = (put_off(mdna), put_off(statements));
    let mut out: Vec<(usize, Option<usize>)> = Vec::new();
    let mut now = Some(exhibits);
    let first = chain
        .iter()
        .find(|start| start.item == exhibits)
        .map_or(last.page, |s| s.page);
    for (page, text) in pages.iter().enumerate().skip(first + 1) {
        if let Some(start) = chain.iter().rev().find(|start| start.page == page) {
            now = Some(start.item);
            continue;
        }
        let top: Vec<String> = text
            .split('\n')
            .filter(|line| !line.trim().is_empty())
            .take(5)
            .filter(|line| line.len() < 160)
            .map(letters)
            .filter(|line| !words.skipped.contains(line))
            .collect();
        let begins = |words: &[String]| {
            top.iter()
                .any(|line| words.iter().any(|w| line.starts_with(w.as_str())))
        };
        let exhibit = top.iter().take(2).any(|line| {
            line.strip_prefix(words.exhibit.as_str())
                .is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
        });
        let section = if mdna_put_off
            && (begins(&words.discussion) || top.iter().any(|line| defs[mdna].is_bare(line)))
        {
            Some(mdna)
        } else if statements_put_off && begins(&words.statements) {
            Some(statements)
        } else if exhibit {
            None
        } else if begins(&words.exhibits) && now.is_some() {
            Some(exhibits)
        } else {
            now
        };
        if section != now {
            out.push((page, section));
            now = section;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{items, printed_pages};
    use crate::library::Form;

    const PROSE: &str = "A page of sentences, which say nothing of where in the report they stand.";

    /// The Item of each page of a report whose Item 7 takes these pages, from Item 15 on.
    fn behind_the_last_item(mdna: &[&str], after: &[&str]) -> Vec<Option<&'static str>> {
        let mut pages = vec!["Item 1. Business", "Item 1A. Risk Factors"];
        pages.extend(mdna);
        pages.push("Item 8. Financial Statements\nSee Item 15.");
        pages.push("Item 15. Exhibits");
        let first = pages.len();
        pages.extend(after);
        items(&pages, Form::TenK, &printed_pages(&pages))[first..]
            .iter()
            .map(|page| page.main().map(|def| def.item.as_str()))
            .collect()
    }

    #[test]
    fn sections_put_off_belong_to_their_items() {
        let put_off = ["Item 7. Management's Discussion and Analysis\nSee Exhibit 13."];
        let after = [
            PROSE,
            "Exhibit 13\nAnnual report",
            "Acme Inc.\nFinancial Review",
            PROSE,
            "Table of Contents\nConsolidated Balance Sheets",
            "Notes to the Consolidated Financial Statements",
            "SIGNATURES",
            "Exhibit 31.1\nCertification",
            "SIGNATURES",
        ];
        let want = [
            Some("15"),
            None,
            Some("7"),
            Some("7"),
            Some("8"),
            Some("8"),
            Some("15"),
            None,
            None,
        ];
        assert_eq!(behind_the_last_item(&put_off, &after), want);
    }

    #[test]
    fn an_item_that_has_its_pages_takes_no_others() {
        let held = ["Item 7. Management's Discussion and Analysis", PROSE, PROSE];
        let after = ["Financial Review", "Consolidated Balance Sheets"];
        let want = [Some("15"), Some("8")];
        assert_eq!(behind_the_last_item(&held, &after), want);
    }
}
