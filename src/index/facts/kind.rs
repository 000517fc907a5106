//! What kind of page it is, told by its words: cover, contents, exhibits, signatures.

use aho_corasick::AhoCorasick;
use memchr::memmem;
use serde::Deserialize;

use super::flag;
use super::tables::{TABLES, automaton};
use crate::text::find;

/// The kinds of a page that its words tell, as bits of [`flag`]. `number` is its 0-based place in the
/// filing.
pub(super) fn flags(text: &str, number: usize) -> u32 {
    let lower = collapse(text);
    let kinds = &TABLES.kinds;
    let headed = |bytes: usize, heads: &[String]| {
        let head = &lower[..lower.len().min(bytes)];
        heads
            .iter()
            .any(|words| find(head, words.as_bytes()).is_some())
    };
    let seen = kinds.seen(&lower);
    let dots = memmem::find_iter(text.as_bytes(), "....").count();
    let mut flags = 0;
    let contents_head = || headed(60, &kinds.contents_heads) || headed(200, &kinds.index_heads);
    let lists = seen.items >= 8 || dots > 3;
    if lists && contents_head() || dots > 5 || seen.items >= 12 {
        flags |= flag::CONTENTS;
    }
    if number <= 1 && seen.commission && seen.commission_file {
        flags |= flag::COVER;
    }
    if seen.exhibits_at.is_some_and(|end| end <= 3000) && seen.exhibit + seen.by_reference >= 6 {
        flags |= flag::EXHIBITS;
    }
    if seen.requirements && headed(700, &kinds.signature_heads) {
        flags |= flag::SIGNATURES;
    }
    flags
}

/// `[kinds]` of `assets/pages.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KindsTable {
    items: Vec<String>,
    contents_heads: Vec<String>,
    index_heads: Vec<String>,
    commission: Vec<String>,
    commission_file: Vec<String>,
    exhibit_heads: Vec<String>,
    exhibits: Vec<String>,
    by_reference: Vec<String>,
    requirements: Vec<String>,
    signature_heads: Vec<String>,
}

/// The same, compiled.
pub(super) struct Kinds {
    /// What is counted all over a page, in one automaton.
    words: AhoCorasick,
    /// What each text of it says.
    says: Vec<Says>,
    contents_heads: Vec<String>,
    index_heads: Vec<String>,
    signature_heads: Vec<String>,
}

#[derive(Clone, Copy)]
enum Says {
    Item,
    Exhibit,
    ByReference,
    Commission,
    CommissionFile,
    Requirements,
    ExhibitHead,
}

/// What [`flags`] looks for all over a page.
#[derive(Default)]
struct Seen {
    /// "item 7" and the like.
    items: usize,
    exhibit: usize,
    by_reference: usize,
    /// Where the first words end that a list of exhibits has at its head.
    exhibits_at: Option<usize>,
    commission: bool,
    commission_file: bool,
    requirements: bool,
}

impl Kinds {
    pub(super) fn of(table: KindsTable) -> Kinds {
        let (words, says): (Vec<String>, Vec<Says>) = [
            (table.items, Says::Item),
            (table.exhibits, Says::Exhibit),
            (table.by_reference, Says::ByReference),
            (table.commission, Says::Commission),
            (table.commission_file, Says::CommissionFile),
            (table.requirements, Says::Requirements),
            (table.exhibit_heads, Says::ExhibitHead),
        ]
        .into_iter()
        .flat_map(|(texts, says)| texts.into_iter().map(move |text| (text, says)))
        .unzip();
        Kinds {
            words: automaton(&words),
            says,
            contents_heads: table.contents_heads,
            index_heads: table.index_heads,
            signature_heads: table.signature_heads,
        }
    }

    fn seen(&self, lower: &[u8]) -> Seen {
        let mut seen = Seen::default();
        for found in self.words.find_overlapping_iter(lower) {
            match self.says[found.pattern().as_usize()] {
                Says::Item => {
                    let starts = found.start() == 0 || !is_word(lower[found.start() - 1]);
                    seen.items +=
                        (starts && lower.get(found.end()).is_some_and(u8::is_ascii_digit)) as usize;
                }
                Says::Exhibit => seen.exhibit += 1,
                Says::ByReference => seen.by_reference += 1,
                Says::Commission => seen.commission = true,
                Says::CommissionFile => seen.commission_file = true,
                Says::Requirements => seen.requirements = true,
                Says::ExhibitHead => {
                    seen.exhibits_at = seen.exhibits_at.or(Some(found.end()));
                }
            }
        }
        seen
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// ASCII in lower case, every run of whitespace one space.
fn collapse(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut space = true;
    for b in text.bytes() {
        // Page text has no other whitespace than this: it is normalised at import.
        if matches!(b, b' ' | b'\n') {
            if !space {
                out.push(b' ');
            }
            space = true;
        } else {
            out.push(b.to_ascii_lowercase());
            space = false;
        }
    }
    out
}
