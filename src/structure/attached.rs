//! What follows the last Item: exhibits, and the sections that Items put off to them.
//!
//! "Item 7 ... is incorporated by reference to Exhibit 13", "Item 8 ... see Item 15": the text
//! then stands behind the last Item, under titles without numbers.

use super::items::{ItemDef, Start};
use super::lines::letters;

/// Titles of the statements and what belongs to them, as letters alone.
const STATEMENTS: [&str; 7] = [
    "reportofindependentregistered",
    "consolidatedstatementsof",
    "consolidatedstatementof",
    "consolidatedbalancesheet",
    "consolidatedincomestatement",
    "notestoconsolidated",
    "notestotheconsolidated",
];

/// Pages behind the last Item on which another section begins: the Item it belongs to, or none
/// for an exhibit of its own.
pub(super) fn sections(
    pages: &[&str],
    defs: &[ItemDef],
    chain: &[Start],
) -> Vec<(usize, Option<usize>)> {
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
            .filter(|line| line != "tableofcontents")
            .collect();
        let begins = |words: &[&str]| {
            top.iter()
                .any(|line| words.iter().any(|w| line.starts_with(w)))
        };
        let exhibit = top.iter().take(2).any(|line| {
            line.strip_prefix("exhibit")
                .is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
        });
        let section = if mdna_put_off
            && (begins(&["financialreview"]) || top.iter().any(|line| defs[mdna].is_bare(line)))
        {
            Some(mdna)
        } else if statements_put_off && begins(&STATEMENTS) {
            Some(statements)
        } else if exhibit {
            None
        } else if begins(&[
            "signatures",
            "scheduleii",
            "schedulei",
            "exhibitindex",
            "indextoexhibits",
        ]) && now.is_some()
        {
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
