//! Making an analysis: the pages of a filing read, and written as one file.

use rustc_hash::FxHashMap;

use super::{HEADING, Header, LABELS, Label, MAGIC, TERM, VERSION, checksum};
use crate::index::facts::{self, FIRST_YEAR, PageFacts, flag};
use crate::library::store::unhex;
use crate::library::{Form, PageQuality, PageText};
use crate::structure::{self, ItemDef, PageItems, RunningHeads};
use crate::text::{Stems, scan};

/// Analyses the pages of a filing and returns the file's bytes. `text_hash` is the SHA-256 of the
/// page text ([`crate::library::store::text_hash`]), in hex.
pub fn build(pages: &[PageText], form: Form, text_hash: &str, stems: &mut Stems) -> Vec<u8> {
    let texts: Vec<&str> = pages
        .iter()
        .map(|page| match page.quality {
            // Garbage is flagged, never indexed as if it were words.
            PageQuality::Garbage => "",
            _ => page.text.as_str(),
        })
        .collect();
    let read = facts::read(&texts);
    let mut parts = Parts {
        token_starts: vec![0],
        running_starts: vec![0],
        ..Parts::default()
    };
    let mut titles = RunningTitles::default();
    let printed = structure::printed_pages(&texts);
    let structure = structure::items(&texts, form, &printed);
    let running_heads = RunningHeads::of(read.iter().map(headings));
    for (number, (page, text)) in read.iter().zip(pages).enumerate() {
        let mut facts = page.facts();
        if text.quality == PageQuality::Garbage {
            facts.flags |= flag::GARBAGE;
        }
        for (line, &heading) in page.lines.iter().zip(&page.headings) {
            scan(line, |raw, _| {
                parts.words.push(raw, if heading { HEADING } else { 0 });
                if let Some(year) = year(raw) {
                    facts.years |= 1 << (year - FIRST_YEAR);
                }
            });
        }
        let items = &structure[number];
        let here = titles.page(
            page,
            &item_lines(items, texts[number]),
            facts.is(flag::CONTENTS),
        );
        for title in &here {
            scan(title, |raw, _| parts.running.push(parts.words.id(raw)));
        }
        let in_force = here.last().map(String::as_str);
        let title = structure::page_title(headings(page), in_force, &running_heads);
        let item = items.main().map(|def| item_name(def, form));
        let mut of_page: [String; LABELS] = Default::default();
        of_page[Label::Heading as usize] = title.unwrap_or_default();
        of_page[Label::Printed as usize] = printed[number].clone().unwrap_or_default();
        of_page[Label::Subjects as usize] = subjects(items);
        of_page[Label::Item as usize] = item.unwrap_or_default();
        of_page[Label::Kind as usize] = structure::page_kind(texts[number]).as_str().to_string();
        parts.labels.extend(of_page);
        parts.token_starts.push(parts.words.tokens.len() as u32);
        parts.running_starts.push(parts.running.len() as u32);
        parts.facts.push(facts);
    }
    write(text_hash, parts, stems)
}

/// The headings of a page, in order.
fn headings<'a>(page: &'a facts::Page<'_>) -> impl Iterator<Item = &'a str> + Clone {
    let lines = page.lines.iter().zip(&page.headings);
    lines
        .filter(|(_, heading)| **heading)
        .map(|(line, _)| *line)
}

/// The lines of a page that begin an Item.
fn item_lines<'a>(items: &PageItems, text: &'a str) -> Vec<&'a str> {
    let starts = items.spans.iter().filter(|span| span.starts);
    starts
        .filter_map(|span| text[span.range.start..].lines().next())
        .collect()
}

/// Items on the page as Items of a 10-K, most of the page first: `7,7A`.
fn subjects(items: &PageItems) -> String {
    let mut all: Vec<&str> = items.main().map(|def| def.subject()).into_iter().collect();
    for span in &items.spans {
        if !all.contains(&span.def.subject()) {
            all.push(span.def.subject());
        }
    }
    all.join(",")
}

/// `7` in a 10-K, `Part I 2` in a 10-Q, whose numbers start anew.
fn item_name(def: &ItemDef, form: Form) -> String {
    match form {
        Form::TenQ => format!("Part {} {}", def.part, def.item),
        _ => def.item.clone(),
    }
}

/// `2019` for the raw token "2019".
fn year(raw: &str) -> Option<u16> {
    let year: u16 = (raw.len() == 4).then(|| raw.parse().ok())??;
    (FIRST_YEAR..FIRST_YEAR + 64)
        .contains(&year)
        .then_some(year)
}

/// Raw words of a filing, numbered in order of appearance.
#[derive(Default)]
struct Vocabulary {
    /// Ids of words of at most eight bytes, which most are: one comparison finds them. The key is
    /// the word itself, filled up with zeros, which no word has.
    short: FxHashMap<u64, u32>,
    long: FxHashMap<Box<str>, u32>,
    tokens: Vec<u32>,
}

impl Vocabulary {
    fn id(&mut self, raw: &str) -> u32 {
        let next = (self.short.len() + self.long.len()) as u32;
        let mut key = [0; 8];
        match key.get_mut(..raw.len()) {
            Some(bytes) => {
                bytes.copy_from_slice(raw.as_bytes());
                *self.short.entry(u64::from_ne_bytes(key)).or_insert(next)
            }
            None => match self.long.get(raw) {
                Some(&id) => id,
                None => *self.long.entry(raw.into()).or_insert(next),
            },
        }
    }

    /// The stems of the words, by id.
    fn stemmed(&self, stems: &mut Stems) -> Vec<String> {
        let mut out = vec![String::new(); self.short.len() + self.long.len()];
        for (key, &id) in &self.short {
            let bytes = key.to_ne_bytes();
            let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
            let raw = std::str::from_utf8(&bytes[..end]).expect("made from a word");
            out[id as usize] = stems.stem(raw).to_string();
        }
        for (raw, &id) in &self.long {
            out[id as usize] = stems.stem(raw).to_string();
        }
        out
    }

    fn push(&mut self, raw: &str, flags: u32) {
        let token = self.id(raw) | flags;
        self.tokens.push(token);
    }
}

/// What a file is made of: see the head of the module above.
#[derive(Default)]
struct Parts {
    facts: Vec<PageFacts>,
    words: Vocabulary,
    token_starts: Vec<u32>,
    running: Vec<u32>,
    running_starts: Vec<u32>,
    labels: Vec<String>,
}

fn write(text_hash: &str, parts: Parts, stems: &mut Stems) -> Vec<u8> {
    let Parts {
        facts,
        words,
        token_starts,
        running,
        running_starts,
        labels,
    } = parts;
    // Raw words -> stems -> ids in the order of the sorted stems.
    let stemmed = words.stemmed(stems);
    let mut order: Vec<usize> = (0..stemmed.len()).collect();
    order.sort_unstable_by(|&a, &b| stemmed[a].cmp(&stemmed[b]));
    let mut terms: Vec<&str> = Vec::new();
    let mut id = vec![0u32; stemmed.len()];
    for raw in order {
        if terms.last() != Some(&stemmed[raw].as_str()) {
            terms.push(&stemmed[raw]);
        }
        id[raw] = terms.len() as u32 - 1;
    }
    let tokens: Vec<u32> = words
        .tokens
        .iter()
        .map(|token| id[(token & TERM) as usize] | token & !TERM)
        .collect();
    let running: Vec<u32> = running.iter().map(|&raw| id[raw as usize]).collect();
    let (term_starts, term_bytes) = strings(terms.iter().copied());
    let (label_starts, label_bytes) = strings(labels.iter().map(String::as_str));
    let mut header = Header {
        magic: MAGIC,
        text_hash: unhex(text_hash),
        version: VERSION,
        pages: facts.len() as u32,
        tokens: tokens.len() as u32,
        running: running.len() as u32,
        terms: terms.len() as u32,
        term_bytes: term_bytes.len() as u32,
        label_bytes: label_bytes.len() as u32,
        checksum: 0,
    };
    let mut out = vec![0; size_of::<Header>()];
    out.extend_from_slice(bytemuck::cast_slice(&facts));
    for part in [
        &token_starts,
        &tokens,
        &running_starts,
        &running,
        &term_starts,
        &label_starts,
    ] {
        out.extend_from_slice(bytemuck::cast_slice(part));
    }
    out.extend_from_slice(&term_bytes);
    out.extend_from_slice(&label_bytes);
    let (head, body) = out.split_at_mut(size_of::<Header>());
    header.checksum = checksum(body);
    head.copy_from_slice(bytemuck::bytes_of(&header));
    out
}

fn strings<'a>(all: impl Iterator<Item = &'a str>) -> (Vec<u32>, Vec<u8>) {
    let mut starts = vec![0];
    let mut bytes = Vec::new();
    for text in all {
        bytes.extend_from_slice(text.as_bytes());
        starts.push(bytes.len() as u32);
    }
    (starts, bytes)
}

/// Titles in force on a page: the note or section begun on an earlier page, and those begun on it.
#[derive(Default)]
struct RunningTitles {
    title: String,
}

impl RunningTitles {
    /// `item_lines` begin an Item, however long they are: "Items 7 and 7A" with both titles is no heading
    /// otherwise.
    fn page(&mut self, page: &facts::Page<'_>, item_lines: &[&str], contents: bool) -> Vec<String> {
        let mut here = Vec::new();
        if !self.title.is_empty() {
            here.push(self.title.clone());
        }
        if contents {
            return here;
        }
        for (&line, &heading) in page.lines.iter().zip(&page.headings) {
            let title = match heading {
                true => numbered_title(line),
                false if item_lines.contains(&line) => structure::item_title(line),
                false => None,
            };
            if let Some(title) = title {
                self.title = title.to_string();
                here.push(self.title.clone());
            }
        }
        here
    }
}

/// The title of `Items 7 and 7A. Management's discussion`, `Note 3: Leases` and `3. Leases`.
fn numbered_title(line: &str) -> Option<&str> {
    let line = line.trim();
    if line.len() > 120 {
        return None;
    }
    if let Some(title) = structure::item_title(line) {
        return Some(title);
    }
    let word = line.get(..4).unwrap_or("");
    let named = word.eq_ignore_ascii_case("note");
    let rest = if named { line[4..].trim_start() } else { line };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 2 {
        return None;
    }
    let rest = &rest[digits..];
    // "3M Company" has no number.
    if !named && rest.starts_with(char::is_alphanumeric) {
        return None;
    }
    let letter = rest.starts_with(|c: char| "ABCabc".contains(c))
        && !rest[1..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let title =
        rest[(named && letter) as usize..].trim_start_matches(|c: char| !c.is_alphanumeric());
    let long = !named && (title.len() > 70 || title.bytes().any(|b| b.is_ascii_digit()));
    (title.starts_with(char::is_alphabetic) && !long).then_some(title)
}
