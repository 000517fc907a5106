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
use super::lines::{is_separator, letters, lines};
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
    bare: Vec<String>,
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

    fn titled(&self, rest: &str) -> bool {
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

/// A line that names an Item.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Label {
    /// Byte where its line begins.
    pub at: usize,
    /// Byte where its line ends.
    pub end: usize,
    /// Index in the form's Items.
    pub item: usize,
    /// How much it looks like the heading; 0 when it only may stand on a contents page.
    pub weight: f32,
    /// It carries the number ("Item 7"), not the title alone.
    pub numbered: bool,
}

/// Every line of a page that names an Item, in order.
fn page_labels(text: &str, defs: &[ItemDef]) -> Vec<Label> {
    let mut out = Vec::new();
    let mut previous = "";
    let mut filled = 0;
    for (range, raw) in lines(text) {
        let line = raw.trim();
        if line.is_empty() {
            continue;
        }
        filled += 1;
        let joined;
        let mut end = range.end;
        let line = match line.eq_ignore_ascii_case("item") {
            // The number is in the next cell.
            true => {
                let rest = &text[(range.end + 1).min(text.len())..];
                let number = rest.split('\n').next().unwrap_or_default();
                end += 1 + number.len();
                joined = format!("{line} {}", number.trim());
                joined.as_str()
            }
            false => line,
        };
        if let Some(heading) = numbered(line) {
            let after = &text[end.min(text.len())..];
            let found = read_numbered(&heading, after, defs);
            let in_sentence = refers(previous);
            for (item, mut weight) in found {
                if weight == HEADER && filled > 4 {
                    weight = 0.0;
                }
                if in_sentence {
                    weight = 0.0;
                }
                out.push(Label {
                    at: range.start,
                    end: range.end,
                    item,
                    weight,
                    numbered: true,
                });
            }
        } else if let Some((item, weight)) = bare(line, defs) {
            out.push(Label {
                at: range.start,
                end: range.end,
                item,
                weight,
                numbered: false,
            });
        }
        previous = raw.trim();
    }
    out
}

/// Weight of a heading with number and title.
const HEADING: f32 = 10.0;
/// Weight of "Item 7" alone at the head of a page.
const HEADER: f32 = 1.0;
/// Weight of a title without its number.
const BARE: f32 = 3.0;

/// "Item 7A" or "Items 1 and 2" at the start of a line.
struct Numbered<'a> {
    part: Option<&'a str>,
    /// What follows the word.
    rest: &'a str,
}

/// The word "Item" (or "I tem") at the start of a line, after an optional "Part II,".
fn numbered(line: &str) -> Option<Numbered<'_>> {
    let line = line.trim_start_matches(is_separator);
    let (part, line) = match line.get(..4) {
        Some(word) if word.eq_ignore_ascii_case("part") => {
            let rest = line[4..].trim_start();
            let end = rest
                .find(|c: char| !matches!(c, 'I' | 'V' | 'i' | 'v'))
                .unwrap_or(rest.len());
            (
                Some(&rest[..end]),
                rest[end..].trim_start_matches(is_separator),
            )
        }
        _ => (None, line),
    };
    let mut want = "item".chars().peekable();
    let mut rest = None;
    let mut blanks = 0;
    for (at, c) in line.char_indices() {
        match want.peek() {
            None => {
                rest = Some(&line[at..]);
                break;
            }
            Some(letter) if c.eq_ignore_ascii_case(letter) => {
                want.next();
                blanks = 0;
            }
            Some(_) if c == ' ' && at > 0 && blanks == 0 => blanks += 1,
            Some(_) => return None,
        }
    }
    let rest = rest?;
    let plural = rest.strip_prefix(['s', 'S']).unwrap_or(rest);
    let rest = plural.trim_start_matches(is_separator);
    rest.starts_with(|c: char| c.is_ascii_digit())
        .then_some(Numbered { part, rest })
}

/// The Items a numbered line names, each with its weight.
fn read_numbered(heading: &Numbered, after: &str, defs: &[ItemDef]) -> Vec<(usize, f32)> {
    for (number, rest) in numbers(heading.rest) {
        let (second, rest) = second_number(rest);
        let title = rest.trim_start_matches(|c: char| {
            is_separator(c) || matches!(c, '(' | '[' | ')' | '"' | '“')
        });
        let mut title_letters = letters(head(title, 120));
        let alone = title_letters.is_empty();
        if alone {
            // The title stands below, or in the next cell: on the first line, or a little further
            // down where columns were read one by one.
            let below = after
                .split('\n')
                .map(str::trim)
                .filter(|line| !line.is_empty());
            let mut below = below.take(3).map(|line| letters(head(line, 120)));
            let titled = |line: &String| {
                defs.iter()
                    .any(|def| def.item == number && def.titled(line))
            };
            title_letters = below.find(titled).unwrap_or_default();
        }
        let of_number = |number: &str| -> Vec<usize> {
            (0..defs.len())
                .filter(|&ix| defs[ix].item == number)
                .collect()
        };
        let numbered = of_number(&number);
        if let Some(&item) = numbered.iter().find(|&&ix| defs[ix].titled(&title_letters)) {
            let weight = if alone || !continues(title) {
                HEADING
            } else {
                0.0
            };
            let mut found = vec![(item, weight)];
            if let Some(second) = second {
                let second = of_number(&second).into_iter().find(|&ix| ix > item);
                found.extend(second.map(|ix| (ix, weight)));
            }
            return found;
        }
        if alone {
            let part = heading.part.map(str::to_ascii_uppercase);
            return numbered
                .into_iter()
                .filter(|&ix| part.as_deref().is_none_or(|part| defs[ix].part == part))
                .map(|ix| (ix, HEADER))
                .collect();
        }
    }
    Vec::new()
}

/// The ways to read a number at the start of `text`, with what follows: "1 A description" may be 1 or 1A.
fn numbers(text: &str) -> Vec<(String, &str)> {
    let end = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(end);
    let mut out = Vec::new();
    let gap = rest.trim_start_matches([' ', '(', '.']);
    let mut after = gap.chars();
    if let Some(letter @ ('A'..='C' | 'a'..='c')) = after.next() {
        let tail = after.as_str();
        if !tail.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            out.push((format!("{digits}{}", letter.to_ascii_uppercase()), tail));
        }
    }
    // "Item 1 0."
    if let Some(second) = rest.strip_prefix(' ')
        && digits == "1"
        && second.starts_with(|c: char| ('0'..='6').contains(&c))
    {
        let tail = &second[1..];
        if !tail.starts_with(|c: char| c.is_ascii_digit()) {
            out.push((format!("1{}", &second[..1]), tail));
        }
    }
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        out.push((digits.to_string(), rest));
    }
    out
}

/// "and 7A" of "Items 7 and 7A".
fn second_number(rest: &str) -> (Option<String>, &str) {
    let text = rest.trim_start_matches(|c: char| is_separator(c) || c == '&' || c == '/');
    let text = match text.get(..3) {
        Some(and) if and.eq_ignore_ascii_case("and") => text[3..].trim_start(),
        _ => text,
    };
    let text = match text.get(..4) {
        Some(item) if item.eq_ignore_ascii_case("item") => {
            text[4..].trim_start_matches(|c: char| is_separator(c) || c == 's')
        }
        _ => text,
    };
    match numbers(text).into_iter().next() {
        Some((number, tail)) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            (Some(number), tail)
        }
        _ => (None, rest),
    }
}

/// The first `max` bytes, cut at a character.
fn head(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// True when a title runs on as a sentence that refers to the Item.
fn continues(title: &str) -> bool {
    const WORDS: [&str; 16] = [
        " of this ",
        " in this ",
        " of our ",
        " to this ",
        " of the company's annual",
        " and elsewhere",
        " elsewhere",
        " herein",
        " above",
        " below",
        " for a ",
        " for further",
        " for additional",
        " for more",
        " which ",
        " contained in",
    ];
    let lower = title.to_lowercase();
    if lower.contains("incorporated") {
        return false;
    }
    // A quotation closed: “Item 1A. Risk Factors” ...
    let closes = title
        .find(['”', '"'])
        .is_some_and(|at| !title[..at].contains(['“', '"']));
    closes || WORDS.iter().any(|word| lower.contains(word)) || lower.ends_with(',')
}

/// True when a line ends so that the next one goes on with it.
fn refers(line: &str) -> bool {
    const ENDS: [&str; 18] = [
        "in", "see", "under", "and", "of", "to", "the", "with", "also", "our", "or", "from", "by",
        "at", "refer", "both", "this", "for",
    ];
    let line = line.trim_end();
    if line.ends_with(['“', '"', '(', '‘']) {
        return true;
    }
    if line.ends_with(',') {
        // "Part I," or the end of a clause.
        return true;
    }
    let last = line.rsplit(char::is_whitespace).next().unwrap_or_default();
    ENDS.contains(&last) && line.contains(char::is_whitespace)
}

/// A line that is the title of an Item, without its number.
fn bare(line: &str, defs: &[ItemDef]) -> Option<(usize, f32)> {
    if line.len() > 140 || !line.starts_with(|c: char| c.is_uppercase()) {
        return None;
    }
    let first = line.as_bytes()[0].to_ascii_lowercase();
    let may = |def: &ItemDef| def.bare.iter().any(|bare| bare.as_bytes()[0] == first);
    if !defs.iter().any(may) {
        return None;
    }
    let whole = letters(line);
    let whole = whole.strip_suffix("continued").unwrap_or(&whole);
    let whole = whole.trim_end_matches(|c: char| c.is_ascii_digit());
    let item = defs.iter().position(|def| def.is_bare(whole))?;
    // One common word is weaker evidence than a phrase.
    let weight = if whole.len() < 12 { BARE / 2.0 } else { BARE };
    Some((item, weight))
}
