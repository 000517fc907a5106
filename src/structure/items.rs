//! The Items of a 10-K or 10-Q: which part of the form every page stands in.
//!
//! Headings come in every style and everything else looks like one: the contents page, references
//! in running text, the header of every page. So all lines that may start an Item are gathered
//! with a weight, and the heaviest chain that runs in the form's own order is taken. Reports in
//! annual-report style have no such headings but an index that gives the pages of each Item: its
//! page numbers take part in the same chain.

use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::attached;
use super::contents;
use super::labels::{HEADER, HEADING, Label, page_labels};
use crate::library::Form;

/// One Item of a form.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemDef {
    /// Part of the form: `I` to `IV`.
    pub part: String,
    /// `1`, `1A`, `7`.
    pub item: String,
    /// The Item of a 10-K on the same subject, for an Item of a 10-Q.
    #[serde(default)]
    pub same_as: Option<String>,
    /// How its heading goes on after the number, as letters alone.
    keys: Vec<String>,
    /// Headings without the number, as letters alone.
    pub(super) bare: Vec<String>,
}

impl ItemDef {
    /// The Item of a 10-K on this subject: `7` for the MD&A of both forms.
    pub fn subject(&self) -> &str {
        self.same_as.as_deref().unwrap_or(&self.item)
    }

    /// True when a line, as letters alone, is this title without a number.
    pub(super) fn is_bare(&self, line: &str) -> bool {
        self.bare.iter().any(|bare| bare == line)
    }

    pub(super) fn titled(&self, rest: &str) -> bool {
        self.keys.iter().any(|key| rest.starts_with(key.as_str()))
    }
}

/// `assets/items.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tables {
    ten_k: Vec<ItemDef>,
    ten_q: Vec<ItemDef>,
    pub(super) attached: Attached,
    pub(super) headings: Headings,
}

/// What sections behind the last Item begin with, as letters alone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attached {
    pub(super) discussion: Vec<String>,
    pub(super) statements: Vec<String>,
    pub(super) exhibits: Vec<String>,
    pub(super) exhibit: String,
    pub(super) skipped: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Headings {
    pub(super) say_nothing: Vec<String>,
}

pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    toml::from_str(include_str!("../../assets/items.toml"))
        .expect("assets/items.toml is well-formed")
});

/// `Item 7`; `Part I, Item 2` for the `Part I 2` of a 10-Q.
pub fn item_words(item: &str) -> String {
    match item.rsplit_once(' ') {
        Some((part, number)) if part.starts_with("Part ") => format!("{part}, Item {number}"),
        _ => format!("Item {item}"),
    }
}

/// The Items of a form in order; none for forms that have none.
pub fn item_defs(form: Form) -> &'static [ItemDef] {
    match form {
        Form::TenK | Form::AnnualReport => &TABLES.ten_k,
        Form::TenQ => &TABLES.ten_q,
        _ => &[],
    }
}

/// A stretch of one page that belongs to one Item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemSpan {
    /// Which Item.
    pub def: &'static ItemDef,
    /// Bytes of the page's text.
    pub range: Range<usize>,
    /// True when its heading stands on this page, at the start of the range.
    pub starts: bool,
}

/// What one page stands in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageItems {
    /// Items in the order they run over the page, those begun by one heading side by side; empty before
    /// the first one (cover, contents).
    pub spans: Vec<ItemSpan>,
}

impl PageItems {
    /// The Item that most of the page belongs to.
    pub fn main(&self) -> Option<&'static ItemDef> {
        // The first of the longest.
        self.spans
            .iter()
            .rev()
            .max_by_key(|span| span.range.len())
            .map(|span| span.def)
    }
}

/// A place where an Item may begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub page: usize,
    /// Byte in the page's text.
    at: usize,
    /// Index in `item_defs`.
    pub item: usize,
    weight: f32,
}

/// Part and Item of every page. `pages` are the page texts in order, `printed` their numbers
/// ([`printed_pages`](super::printed_pages)); forms other than 10-K, annual report and 10-Q have none.
pub fn items(pages: &[&str], form: Form, printed: &[Option<String>]) -> Vec<PageItems> {
    let defs = item_defs(form);
    let chain = match defs {
        [] => Vec::new(),
        _ => chain(pages, defs, printed),
    };
    let attached = attached::sections(pages, defs, &chain);
    // More than one where a heading begins them together: "Items 7 and 7A".
    let mut in_force: Vec<&'static ItemDef> = Vec::new();
    let mut next = chain.iter().peekable();
    let mut out = Vec::with_capacity(pages.len());
    for (page, text) in pages.iter().enumerate() {
        // After the last Item come exhibits and what was put off to them.
        if let Some(&(_, item)) = attached.iter().find(|&&(at, _)| at == page) {
            in_force = item.map(|item| &defs[item]).into_iter().collect();
        }
        let mut spans: Vec<ItemSpan> = in_force
            .iter()
            .map(|def| ItemSpan {
                def,
                range: 0..text.len(),
                starts: false,
            })
            .collect();
        while let Some(start) = next.next_if(|start| start.page == page) {
            let together = |span: &ItemSpan| span.starts && span.range.start == start.at;
            if !spans.last().is_some_and(together) {
                for span in &mut spans {
                    span.range.end = span.range.end.min(start.at);
                }
                in_force.clear();
            }
            let def = &defs[start.item];
            spans.push(ItemSpan {
                def,
                range: start.at..text.len(),
                starts: true,
            });
            in_force.push(def);
        }
        // What stands above the first heading of a page is its running header.
        if spans.iter().any(|span| span.starts) {
            spans.retain(|span| span.starts || text[span.range.clone()].trim().len() >= 40);
        }
        out.push(PageItems { spans });
    }
    out
}

/// The starts of Items found, in the form's order.
fn chain(pages: &[&str], defs: &[ItemDef], printed: &[Option<String>]) -> Vec<Start> {
    let mut starts = Vec::new();
    let mut labels: Vec<Vec<Label>> = Vec::with_capacity(pages.len());
    for text in pages {
        labels.push(page_labels(text, defs));
    }
    let is_contents: Vec<bool> = contents::pages(pages, &labels);
    let listed = contents::listed(pages, &labels, &is_contents, defs.len(), printed);
    for (page, labels) in labels.iter().enumerate() {
        if is_contents[page] {
            continue;
        }
        for label in labels {
            let mut weight = label.weight;
            // The contents page says where it is.
            if let Some(target) = listed[label.item]
                && target.abs_diff(page) <= 1
                && weight > 0.0
            {
                weight += 4.0;
            }
            if weight > 0.0 {
                starts.push(Start {
                    page,
                    at: label.at,
                    item: label.item,
                    weight,
                });
            }
        }
    }
    for (item, target) in listed.iter().enumerate() {
        if let Some(page) = *target
            && !is_contents[page]
        {
            starts.push(Start {
                page,
                at: 0,
                item,
                weight: 2.0,
            });
        }
    }
    // A report goes from its contents into Item 1, whose heading may be missing.
    let front = 20.min(pages.len() / 4);
    if let Some(contents) = is_contents[..front].iter().rposition(|&is| is) {
        starts.push(Start {
            page: contents + 1,
            at: 0,
            item: 0,
            weight: 0.5,
        });
    }
    let chain = heaviest(starts, defs.len());
    let by_number = |start: &&Start| start.weight >= HEADING;
    if chain.iter().filter(by_number).count() >= 4 {
        return chain;
    }
    // Annual-report style: few numbered headings, and sections in an order of their own.
    by_title(&labels, &is_contents, &listed, chain)
}

/// For each Item the first page headed by its title, or the one the index gives.
fn by_title(
    labels: &[Vec<Label>],
    is_contents: &[bool],
    listed: &[Option<usize>],
    chain: Vec<Start>,
) -> Vec<Start> {
    let mut found: Vec<Option<Start>> = vec![None; listed.len()];
    for start in chain {
        found[start.item] = Some(start);
    }
    for (page, labels) in labels
        .iter()
        .enumerate()
        .filter(|(page, _)| !is_contents[*page])
    {
        for label in labels.iter().filter(|label| label.weight > HEADER) {
            let start = Start {
                page,
                at: label.at,
                item: label.item,
                weight: label.weight,
            };
            if found[label.item].is_none_or(|known| known.weight < label.weight) {
                found[label.item] = Some(start);
            }
        }
    }
    let mut starts: Vec<Start> = found.into_iter().flatten().collect();
    starts.sort_by_key(|start| (start.page, start.at));
    starts
}

/// The heaviest chain whose Items run in order; of equals the one that begins each Item earliest.
fn heaviest(mut starts: Vec<Start>, items: usize) -> Vec<Start> {
    starts.sort_by_key(|s| (s.page, s.at, s.item));
    // best[i]: heaviest chain so far that ends with Item i, as (weight, index of its last start).
    let mut best: Vec<Option<(f32, usize)>> = vec![None; items];
    let mut before: Vec<Option<usize>> = vec![None; starts.len()];
    for (ix, start) in starts.iter().enumerate() {
        let mut from: Option<(f32, usize)> = None;
        for earlier in best[..start.item].iter().flatten() {
            if from.is_none_or(|(weight, _)| earlier.0 > weight) {
                from = Some(*earlier);
            }
        }
        let weight = start.weight + from.map_or(0.0, |(weight, _)| weight);
        if best[start.item].is_none_or(|(most, _)| weight > most + 1e-3) {
            best[start.item] = Some((weight, ix));
            before[ix] = from.map(|(_, ix)| ix);
        }
    }
    let mut at = best
        .iter()
        .flatten()
        .fold(None, |most: Option<(f32, usize)>, end| match most {
            Some(most) if most.0 >= end.0 => Some(most),
            _ => Some(*end),
        })
        .map(|(_, ix)| ix);
    let mut chain = Vec::new();
    while let Some(ix) = at {
        chain.push(starts[ix]);
        at = before[ix];
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::super::printed_pages;
    use super::*;

    const PROSE: &str = "What we make and sell is told here in sentences that go on for a while.";

    /// The Items of each page, each as `7`, with a star where it begins: `3 4*`.
    fn read(pages: &[&str], form: Form) -> Vec<String> {
        let span = |span: &ItemSpan| {
            let star = if span.starts { "*" } else { "" };
            format!("{}{star}", span.def.item)
        };
        items(pages, form, &printed_pages(pages))
            .iter()
            .map(|page| page.spans.iter().map(span).collect::<Vec<_>>().join(" "))
            .collect()
    }

    fn headed(heading: &str) -> String {
        format!("{heading}\n{PROSE}\n{PROSE}")
    }

    #[test]
    fn items_run_from_heading_to_heading() {
        let pages = [
            "FORM 10-K\nAcme Inc.".to_string(),
            headed("Item 1. Business"),
            // A reference, a running header of the Item before, and one of the company.
            headed("as described in\nItem 8. Financial Statements"),
            headed("Item 1. Business (continued)\nItem 1A. Risk Factors"),
            format!(
                "{PROSE}\n{}\nItem 4. Mine Safety Disclosures\nNone.",
                headed("Item 3. Legal Proceedings")
            ),
            headed("Acme Inc.\nItem 7. Management's Discussion and Analysis"),
            PROSE.to_string(),
            headed("Item 8. Financial Statements"),
        ];
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        assert_eq!(
            read(&pages, Form::TenK),
            ["", "1*", "1", "1A*", "1A 3* 4*", "7*", "7", "8*"]
        );
        assert_eq!(read(&pages, Form::EightK), [""; 8]);
        assert_eq!(read(&[], Form::TenK), [""; 0]);
    }

    #[test]
    fn one_heading_may_begin_several_items() {
        let pages = [
            headed("Items 1 and 2. Business and Properties"),
            PROSE.to_string(),
            headed("Item 3. Legal Proceedings"),
            headed("Items 7 and 7A. Management's Discussion and Analysis and Market Risk"),
            PROSE.to_string(),
            headed(&format!("{PROSE}\nItem 8. Financial Statements")),
        ];
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        assert_eq!(
            read(&pages, Form::TenK),
            ["1* 2*", "1 2", "3*", "7* 7A*", "7 7A", "7 7A 8*"]
        );
        let found = items(&pages, Form::TenK, &printed_pages(&pages));
        let main = |page: usize| found[page].main().map(|def| def.item.as_str());
        // The first of those that share a page; the one with most of it otherwise.
        assert_eq!([3, 4, 5].map(main), [Some("7"), Some("7"), Some("8")]);
        let ends: Vec<usize> = found[5].spans.iter().map(|span| span.range.end).collect();
        assert_eq!(ends, [PROSE.len() + 1, PROSE.len() + 1, pages[5].len()]);
    }

    #[test]
    fn the_parts_of_a_10q_number_their_items_anew() {
        let pages = [
            headed("Part I. Item 1. Financial Statements"),
            headed("Item 2. Management's Discussion and Analysis"),
            headed("Item 4. Controls and Procedures"),
            headed("Part II. Item 1. Legal Proceedings"),
            headed("Item 2. Unregistered Sales of Equity Securities"),
            headed("Item 6. Exhibits"),
        ];
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        let subjects: Vec<(&str, &str)> = items(&pages, Form::TenQ, &printed_pages(&pages))
            .iter()
            .filter_map(|page| page.main())
            .map(|def| (def.part.as_str(), def.subject()))
            .collect();
        let want = [
            ("I", "8"),
            ("I", "7"),
            ("I", "9A"),
            ("II", "3"),
            ("II", "5"),
            ("II", "15"),
        ];
        assert_eq!(subjects, want);
    }

    #[test]
    fn what_has_no_heading_is_where_the_contents_say() {
        let contents = "Item 1. Business 3\nItem 1A. Risk Factors 4\nItem 3. Legal Proceedings 5\n\
            Item 7. Management's Discussion and Analysis 6\nItem 8. Financial Statements 8";
        let numbered = |number: usize| format!("{PROSE}\n{PROSE}\n{number}");
        let mut pages = vec!["Acme".to_string(), contents.to_string()];
        pages.extend((3..=10).map(numbered));
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        assert_eq!(
            read(&pages, Form::AnnualReport),
            ["", "", "1*", "1A*", "3*", "7*", "7", "8*", "8", "8"]
        );
    }

    #[test]
    fn an_item_1_without_a_heading_follows_the_contents() {
        let contents = "Item 1. Business\nItem 1A. Risk Factors\nItem 3. Legal Proceedings\n\
            Item 7. Management's Discussion and Analysis\nItem 8. Financial Statements\nItem 9A. Controls and Procedures";
        let pages = [
            contents.to_string(),
            PROSE.to_string(),
            headed("Item 1A. Risk Factors"),
            headed("Item 3. Legal Proceedings"),
            headed("Item 7. Management's Discussion and Analysis"),
            headed("Item 8. Financial Statements"),
        ];
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        assert_eq!(
            read(&pages, Form::TenK),
            ["", "1*", "1A*", "3*", "7*", "8*"]
        );
    }
}
