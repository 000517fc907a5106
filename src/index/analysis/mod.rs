//! The analysis of one filing: its terms, the token stream of every page, and the facts of its
//! pages. One file a filing, memory-mapped, read without decoding.
//!
//! ```text
//! Header          see below
//! PageFacts       n_pages
//! u32             n_pages + 1   where each page's tokens start
//! u32             n_tokens      term id, with the HEADING bit
//! u32             n_pages + 1   where each page's running titles start
//! u32             n_running     term ids
//! u32             n_terms + 1   where each term's bytes start
//! u32             n_labels + 1  where each label's bytes start; a page has one of each [`Label`]
//! bytes           terms, sorted
//! bytes           labels
//! ```

mod build;

use std::ops::Range;
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use memmap2::Mmap;
use sha2::{Digest, Sha256};

use super::facts::{FACTS_VERSION, PageFacts};
use crate::library::store::{open_file, unhex};
use crate::text::ANALYZER_VERSION;

pub use build::build;

const MAGIC: u64 = u64::from_le_bytes(*b"TLWORDS1");
/// The version of what an analysis holds.
pub const VERSION: u32 = 1000 * ANALYZER_VERSION + FACTS_VERSION;

/// Set on a token that stands in a heading.
pub const HEADING: u32 = 1 << 31;
/// The term id of a token.
pub const TERM: u32 = HEADING - 1;

/// The texts that are kept of a page, in the order of the file.
#[derive(Clone, Copy)]
enum Label {
    /// What the page is called by.
    Heading,
    /// The number printed on it.
    Printed,
    /// Its Items as Items of a 10-K.
    Subjects,
    /// Its Item as its form numbers it.
    Item,
    /// What most of it is.
    Kind,
}

const LABELS: usize = Label::Kind as usize + 1;

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Header {
    magic: u64,
    text_hash: [u8; 32],
    version: u32,
    pages: u32,
    tokens: u32,
    running: u32,
    terms: u32,
    term_bytes: u32,
    label_bytes: u32,
    /// [`checksum`] of what follows.
    checksum: u32,
}

/// The first bytes of the SHA-256 of everything after the header.
fn checksum(body: &[u8]) -> u32 {
    let hash = Sha256::digest(body);
    u32::from_le_bytes(hash[..4].try_into().expect("four bytes"))
}

/// An analysis, memory-mapped.
#[derive(Debug)]
pub struct Analysis {
    map: Mmap,
    facts: Range<usize>,
    token_starts: Range<usize>,
    tokens: Range<usize>,
    running_starts: Range<usize>,
    running: Range<usize>,
    term_starts: Range<usize>,
    label_starts: Range<usize>,
    terms: Range<usize>,
    labels: Range<usize>,
}

impl Analysis {
    /// Opens the file; `None` when it is not there, of another version, of other text or damaged:
    /// it is then made anew.
    pub fn open(path: &Path, text_hash: &str) -> Option<Analysis> {
        let file = open_file(path).ok()?;
        // SAFETY: analyses are replaced by rename and never written in place.
        let map = unsafe { Mmap::map(&file) }.ok()?;
        let header: Header =
            bytemuck::pod_read_unaligned(map.get(..std::mem::size_of::<Header>())?);
        if header.magic != MAGIC
            || header.version != VERSION
            || header.text_hash != unhex(text_hash)
        {
            return None;
        }
        let pages = header.pages as usize;
        let mut at = std::mem::size_of::<Header>();
        let mut next = |bytes: usize| {
            let from = at;
            at += bytes;
            from..at
        };
        let analysis = Analysis {
            facts: next(pages * std::mem::size_of::<PageFacts>()),
            token_starts: next((pages + 1) * 4),
            tokens: next(header.tokens as usize * 4),
            running_starts: next((pages + 1) * 4),
            running: next(header.running as usize * 4),
            term_starts: next((header.terms as usize + 1) * 4),
            label_starts: next((pages * LABELS + 1) * 4),
            terms: next(header.term_bytes as usize),
            labels: next(header.label_bytes as usize),
            map,
        };
        (at == analysis.map.len()).then_some(analysis)
    }

    /// Whether every byte is as it was written: what [`Analysis::open`] has no time for.
    pub fn is_whole(&self) -> bool {
        let (head, body) = self.map.split_at(size_of::<Header>());
        bytemuck::pod_read_unaligned::<Header>(head).checksum == checksum(body)
    }

    fn slice<T: Pod>(&self, range: &Range<usize>) -> &[T] {
        // The header and every record before are multiples of 4 bytes, PageFacts come first and
        // are 8-aligned, and a map starts on a memory page: the cast cannot fail.
        bytemuck::cast_slice(&self.map[range.clone()])
    }

    /// Facts of every page.
    pub fn facts(&self) -> &[PageFacts] {
        self.slice(&self.facts)
    }

    /// Tokens of one page (0-based).
    pub fn tokens(&self, page: u32) -> &[u32] {
        part(
            self.slice(&self.token_starts),
            self.slice(&self.tokens),
            page as usize,
        )
    }

    /// Term ids of the running titles of one page.
    pub fn running(&self, page: u32) -> &[u32] {
        part(
            self.slice(&self.running_starts),
            self.slice(&self.running),
            page as usize,
        )
    }

    /// Number of distinct terms.
    pub fn term_count(&self) -> usize {
        self.slice::<u32>(&self.term_starts).len() - 1
    }

    /// The text of a term.
    pub fn term(&self, id: u32) -> &str {
        let bytes = part(
            self.slice(&self.term_starts),
            &self.map[self.terms.clone()],
            id as usize,
        );
        std::str::from_utf8(bytes).unwrap_or("")
    }

    /// The id of a term, if the filing has it.
    pub fn find(&self, term: &str) -> Option<u32> {
        let mut found = None;
        self.find_all(&[term], &mut |_, id| found = Some(id));
        found
    }

    /// Looks up all `terms`, given in the order of their text and each once, and tells `found` of each
    /// that the filing has: its place in `terms` and its id. Each narrows where the next can stand.
    pub fn find_all(&self, terms: &[&str], found: &mut impl FnMut(usize, u32)) {
        let starts: &[u32] = self.slice(&self.term_starts);
        let bytes = &self.map[self.terms.clone()];
        find_between(starts, bytes, 0..starts.len() - 1, terms, 0, found);
    }

    /// First heading or running title of a page; empty where there is none.
    pub fn heading(&self, page: u32) -> &str {
        self.label(page, Label::Heading)
    }

    /// Page number printed on the page; empty where none is known.
    pub fn printed_page(&self, page: u32) -> &str {
        self.label(page, Label::Printed)
    }

    /// Items on the page, as Items of a 10-K on the same subject (`7` for the MD&A of a 10-Q too),
    /// the one that most of the page belongs to first.
    pub fn subjects(&self, page: u32) -> impl Iterator<Item = &str> {
        self.label(page, Label::Subjects)
            .split(',')
            .filter(|item| !item.is_empty())
    }

    /// The Item that most of the page belongs to, as its form numbers it; empty where none is known.
    pub fn item(&self, page: u32) -> &str {
        self.label(page, Label::Item)
    }

    /// What most of the page is ([`crate::structure::PageKind::as_str`]).
    pub fn kind(&self, page: u32) -> &str {
        self.label(page, Label::Kind)
    }

    fn label(&self, page: u32, which: Label) -> &str {
        let bytes = part(
            self.slice(&self.label_starts),
            &self.map[self.labels.clone()],
            page as usize * LABELS + which as usize,
        );
        std::str::from_utf8(bytes).unwrap_or("")
    }
}

/// [`Analysis::find_all`] among the ids `within`: the middle term divides them for the others.
fn find_between(
    starts: &[u32],
    bytes: &[u8],
    within: Range<usize>,
    terms: &[&str],
    first: usize,
    found: &mut impl FnMut(usize, u32),
) {
    if terms.is_empty() || within.is_empty() {
        return;
    }
    let middle = terms.len() / 2;
    let (mut low, mut high) = (within.start, within.end);
    let mut there = false;
    while low < high && !there {
        let mid = (low + high) / 2;
        match part(starts, bytes, mid).cmp(terms[middle].as_bytes()) {
            std::cmp::Ordering::Less => low = mid + 1,
            std::cmp::Ordering::Greater => high = mid,
            std::cmp::Ordering::Equal => (low, there) = (mid, true),
        }
    }
    if there {
        found(first + middle, low as u32);
    }
    let (before, after) = (&terms[..middle], &terms[middle + 1..]);
    find_between(starts, bytes, within.start..low, before, first, found);
    let rest = low + there as usize..within.end;
    find_between(starts, bytes, rest, after, first + middle + 1, found);
}

/// The `at`-th part of `all`; empty where the starts make no sense (a damaged file).
fn part<'a, T>(starts: &[u32], all: &'a [T], at: usize) -> &'a [T] {
    let (Some(&from), Some(&to)) = (starts.get(at), starts.get(at + 1)) else {
        return &[];
    };
    all.get(from as usize..to as usize).unwrap_or(&[])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::index::facts::flag;
    use crate::library::store::text_hash;
    use crate::library::{Form, Library, PageQuality, PageText};
    use crate::structure;
    use crate::text::Stems;

    /// The analysis of a filing with these pages.
    pub(crate) fn analysed(texts: &[&str]) -> Analysis {
        let pages: Vec<PageText> = texts
            .iter()
            .map(|text| PageText {
                text: text.to_string(),
                quality: PageQuality::Ok,
            })
            .collect();
        let hash = text_hash(&pages);
        let bytes = build(&pages, Form::TenK, &hash, &mut Stems::default());
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        Analysis::open(file.path(), &hash).unwrap()
    }

    /// An index on disk is made anew where the version is another, and only there.
    #[test]
    fn the_version_changes_with_what_an_analysis_holds() {
        let root = tempfile::tempdir().unwrap();
        crate::library::demo::install(root.path()).unwrap();
        let library = Library::open(root.path()).unwrap();
        let mut hash = Sha256::new();
        let mut stems = Stems::default();
        let mut names: Vec<(&str, u32)> = Vec::new();
        for (filing, number) in library.filings().iter().zip(0..) {
            names.push((&filing.doc_name, number));
        }
        names.sort_unstable();
        for (_, number) in names {
            let pages = library.page_file(number).unwrap().all().unwrap();
            let form = library.filing(number).form;
            // Of no text: what the pages say is not what is pinned.
            hash.update(build(&pages, form, "", &mut stems));
        }
        let found = format!("{VERSION} {}", crate::library::store::hex(&hash.finalize()));
        let pinned = "2010 06ac08ee94f2fd3e782dd91e1261ef9f50036d4076c5fbca8d4b9fc8476d4566";
        assert_eq!(
            found, pinned,
            "an analysis holds something else than before: raise FACTS_VERSION (or ANALYZER_VERSION, \
             where it is the words), then pin the new one here"
        );
    }

    #[test]
    fn a_checksum_that_is_gone_is_damage() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("A.terms");
        let page = PageText {
            text: "Net sales rose".to_string(),
            quality: PageQuality::Ok,
        };
        let mut bytes = build(&[page], Form::TenK, "", &mut Stems::default());
        let is_whole = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Analysis::open(&path, "").unwrap().is_whole()
        };
        assert!(is_whole(&bytes));
        let end = size_of::<Header>();
        bytes[end - 4..end].fill(0);
        assert!(!is_whole(&bytes));
    }

    #[test]
    fn a_page_has_its_labels() {
        let prose =
            "What happened in the year is told here in sentences that go on for quite a while.";
        let analysis = analysed(&[
            &format!("Item 1A. Risk Factors\n{prose}\n{prose}"),
            &format!("Items 7 and 7A. Management's Discussion and Analysis\n{prose}\n{prose}"),
            &format!("{prose}\n{prose}\n{prose}"),
            &format!("Item 8. Financial Statements\n{prose}\n{prose}"),
            &format!("Item 9A. Controls and Procedures\n{prose}\n{prose}"),
        ]);
        let subjects = |page| analysis.subjects(page).collect::<Vec<_>>().join(",");
        assert_eq!(subjects(0), "1A");
        for page in [1, 2] {
            assert_eq!(subjects(page), "7,7A");
            assert_eq!(analysis.item(page), "7");
            assert_eq!(analysis.kind(page), "prose");
        }
        assert_eq!(
            analysis.heading(1),
            "Items 7 and 7A. Management's Discussion and Analysis"
        );
        // The title in force, and no longer that of Item 1A.
        assert_eq!(analysis.heading(2), "Management's Discussion and Analysis");
        assert_eq!(subjects(4), "9A");
    }

    #[test]
    fn a_long_heading_of_an_item_ends_the_title_before_it() {
        let title = "Management's Discussion and Analysis of Financial Condition and Results of Operations; \
             Quantitative and Qualitative Disclosures About Market Risk";
        let prose =
            "What happened in the year is told here in sentences that go on for quite a while.";
        let analysis = analysed(&[
            &format!("Item 1. Business\n{prose}\n{prose}"),
            &format!("Item 1A. Risk Factors\n{prose}\n{prose}"),
            &format!("Items 7 and 7A. {title}\n{prose}\n{prose}"),
            &format!("{prose}\n{prose}"),
            &format!("Item 8. Financial Statements\n{prose}\n{prose}"),
        ]);
        for (page, heading) in [(1, "Item 1A. Risk Factors"), (2, title), (3, title)] {
            assert_eq!(analysis.heading(page), heading);
        }
    }

    #[test]
    fn garbage_is_no_kind_of_page() {
        let pages = [PageText {
            text: "\u{1}Kx# 9) The rest of it cannot be read either, though it looks like words."
                .into(),
            quality: PageQuality::Garbage,
        }];
        let hash = text_hash(&pages);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(
            file.path(),
            build(&pages, Form::TenK, &hash, &mut Stems::default()),
        )
        .unwrap();
        let analysis = Analysis::open(file.path(), &hash).unwrap();
        assert!(analysis.facts()[0].is(flag::GARBAGE) && analysis.tokens(0).is_empty());
        assert_eq!(analysis.kind(0), structure::PageKind::Empty.as_str());
    }

    proptest::proptest! {
        #[test]
        fn terms_looked_up_together_are_those_looked_up_alone(
            text in "([a-d]{1,3} ){0,40}",
            terms in proptest::collection::btree_set("[a-e]{1,3}", 0..30),
        ) {
            let analysis = analysed(&[&text]);
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            let mut found = vec![None; terms.len()];
            analysis.find_all(&terms, &mut |n, id| found[n] = Some(id));
            let all: Vec<&str> = (0..analysis.term_count() as u32)
                .map(|id| analysis.term(id))
                .collect();
            for (term, found) in terms.iter().zip(found) {
                let alone = all.iter().position(|other| other == term);
                proptest::prop_assert_eq!(found, alone.map(|id| id as u32), "{}", term);
            }
        }
    }
}
