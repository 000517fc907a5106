//! What kind of page it is, told by its words: cover, contents, exhibits, signatures.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::memmem;

use super::flag;
use super::tables::automaton;
use crate::text::find;

/// The kinds of a page that its words tell, as bits of [`flag`]. `number` is its 0-based place in the
/// filing, `words` how many it has.
pub(super) fn flags(text: &str, number: usize, words: u32) -> u32 {
    let lower = collapse(text);
    let prefix = |bytes: usize| &lower[..lower.len().min(bytes)];
    let has = |text: &[u8], words: &[u8]| find(text, words).is_some();
    let seen = KindWords::seen(&lower);
    let dots = memmem::find_iter(text.as_bytes(), "....").count();
    let mut flags = 0;
    let contents_head = || has(prefix(60), b"table of contents") || has(prefix(200), b"index");
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
    if seen.requirements && has(prefix(700), b"signature") {
        flags |= flag::SIGNATURES;
    }
    if words < 40 {
        flags |= flag::TINY;
    }
    flags
}

/// What [`flags`] looks for, found in one go.
#[derive(Default)]
struct KindWords {
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

impl KindWords {
    const WORDS: [&str; 12] = [
        "item ",
        "exhibit",
        "by reference",
        "securities and exchange commission",
        "commission file",
        "pursuant to the requirements of",
        // From here on: the head of a list of exhibits.
        "exhibit index",
        "exhibit no",
        "exhibit number",
        "exhibit description",
        "incorporated by reference to exhibit",
        "incorporated herein by reference to exhibit",
    ];

    fn seen(lower: &[u8]) -> KindWords {
        let mut seen = KindWords::default();
        for found in KIND_WORDS.find_overlapping_iter(lower) {
            match found.pattern().as_usize() {
                0 => {
                    let starts = found.start() == 0 || !is_word(lower[found.start() - 1]);
                    seen.items +=
                        (starts && lower.get(found.end()).is_some_and(u8::is_ascii_digit)) as usize;
                }
                1 => seen.exhibit += 1,
                2 => seen.by_reference += 1,
                3 => seen.commission = true,
                4 => seen.commission_file = true,
                5 => seen.requirements = true,
                _ => seen.exhibits_at = seen.exhibits_at.or(Some(found.end())),
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

static KIND_WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(&KindWords::WORDS));
