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
    /// Its title on the form.
    pub title: String,
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

#[derive(Deserialize)]
struct Tables {
    ten_k: Vec<ItemDef>,
    ten_q: Vec<ItemDef>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
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
    /// Items in the order they run over the page; empty before the first one (cover, contents).
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
    let mut in_force: Option<&'static ItemDef> = None;
    let mut next = chain.iter().peekable();
    let mut out = Vec::with_capacity(pages.len());
    for (page, text) in pages.iter().enumerate() {
        let mut spans: Vec<ItemSpan> = Vec::new();
        if let Some(def) = in_force {
            spans.push(ItemSpan {
                def,
                range: 0..text.len(),
                starts: false,
            });
        }
        // After the last Item come exhibits and what was put off to them.
        if let Some(&(_, item)) = attached.iter().find(|&&(at, _)| at == page) {
            in_force = item.map(|item| &defs[item]);
            spans.clear();
            spans.extend(in_force.map(|def| ItemSpan {
                def,
                range: 0..text.len(),
                starts: false,
            }));
        }
        while let Some(start) = next.next_if(|start| start.page == page) {
            if let Some(last) = spans.last_mut() {
                last.range.end = start.at;
            }
            let def = &defs[start.item];
            spans.push(ItemSpan {
                def,
                range: start.at..text.len(),
                starts: true,
            });
            in_force = Some(def);
        }
        // What stands above the first heading of a page is its running header.
        if spans.len() > 1 && text[spans[0].range.clone()].trim().len() < 40 {
            spans.remove(0);
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
