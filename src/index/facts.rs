//! Facts of a page that do not depend on the question: which statement it is, its headings, what
//! kind of page, how dense with figures. Computed once, when a filing is indexed.

mod kind;
mod shape;
mod tables;

use bytemuck::{Pod, Zeroable};

use crate::question::Statement;
use crate::text::find;
use shape::LineShape;
use tables::TABLES;

/// Changes with every change of what this module, [`crate::structure`], `assets/pages.toml` or
/// `assets/items.toml` make of a page: an index made with another is rebuilt.
pub const FACTS_VERSION: u32 = 10;

/// First year that [`PageFacts::years`] can hold.
pub const FIRST_YEAR: u16 = 1990;

/// Signs before an amount of money.
const CURRENCIES: [char; 4] = ['$', '€', '£', '¥'];

/// A filing's statements stand within so many pages.
const OWN_WITHIN: usize = 14;
/// So many pages behind them stand no more of them.
const APART: usize = 10;
/// A copy of a statement scores at most this: it is never taken for the statement.
const COPY_SCORE: f32 = 1.5;

/// From this statement score on, a page counts as that statement.
pub const STATEMENT_SCORE: f32 = 1.75;

/// What a title counts beside the share of line items.
const TITLE_WEIGHT: f32 = 0.9;

/// A statement without a title stands at most so many pages from another statement.
const UNTITLED_WITHIN: usize = 3;

/// Kinds of page, as bits of [`PageFacts::flags`].
pub mod flag {
    /// Cover page of a filing.
    pub const COVER: u32 = 1;
    /// Table of contents or index.
    pub const CONTENTS: u32 = 1 << 1;
    /// List of exhibits.
    pub const EXHIBITS: u32 = 1 << 2;
    /// Signatures.
    pub const SIGNATURES: u32 = 1 << 3;
    /// Condensed, parent-only, summary or schedule copy of a statement.
    pub const COPY: u32 = 1 << 4;
    /// Text that could not be read (see `PageQuality::Garbage`).
    pub const GARBAGE: u32 = 1 << 5;
}

/// What is known of one page. Stored as it stands in memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PageFacts {
    /// Bit `y - FIRST_YEAR` is set when the year `y` stands on the page.
    pub years: u64,
    /// How much the page looks like each statement ([`Statement::index`]); 0 to about 2.6.
    pub statement: [f32; 3],
    /// Share of lines that end in a figure and have few words.
    pub number_lines: f32,
    /// Figures of three digits and more to a word.
    pub density: f32,
    /// See [`flag`].
    pub flags: u32,
    /// Words (whitespace-separated).
    pub words: u32,
    /// Currency signs: about as many amounts of money.
    pub amounts: u32,
}

impl PageFacts {
    /// True when the page has this kind.
    pub fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// True when the year stands on the page.
    pub fn has_year(&self, year: u16) -> bool {
        (FIRST_YEAR..FIRST_YEAR + 64).contains(&year) && self.years >> (year - FIRST_YEAR) & 1 == 1
    }

    /// The statement this page is, if it is one.
    pub fn is_statement(&self) -> Option<Statement> {
        let best = |a: &Statement, b: &Statement| {
            self.statement[a.index()].total_cmp(&self.statement[b.index()])
        };
        Statement::ALL
            .into_iter()
            .max_by(best)
            .filter(|s| self.statement[s.index()] >= STATEMENT_SCORE)
    }
}

/// A page's lines as the facts need them.
pub struct Page<'a> {
    /// Non-empty lines, as they stand.
    pub lines: Vec<&'a str>,
    /// Which of them are headings.
    pub headings: Vec<bool>,
    facts: PageFacts,
    title: [f32; 3],
    /// Line items seen of each statement, as bits.
    items: [u64; 3],
    /// What its looks add to a statement's score.
    rest: f32,
}

/// Reads every page of a filing.
pub fn read<'a>(texts: &[&'a str]) -> Vec<Page<'a>> {
    let mut pages: Vec<Page<'a>> = texts
        .iter()
        .enumerate()
        .map(|(number, text)| read_page(text, number))
        .collect();
    carry_statements(&mut pages);
    find_untitled(&mut pages);
    set_later_ones_aside(&mut pages);
    pages
}

impl Page<'_> {
    /// The facts, after [`read`] has looked at the page's neighbours.
    pub fn facts(&self) -> PageFacts {
        self.facts
    }

    /// True when it is statement `k`.
    fn is(&self, k: usize) -> bool {
        self.facts.statement[k] >= STATEMENT_SCORE
    }

    /// True when it may be part of a statement, by its looks.
    fn is_table(&self) -> bool {
        !self.facts.is(flag::COPY | flag::CONTENTS) && self.facts.number_lines >= 0.3
    }

    /// Counts the page as statement `k` at least as much as one with this share of line items and nearly a title.
    fn raise_statement(&mut self, k: usize, share: f32) {
        let score = 0.9 * TITLE_WEIGHT + share + self.rest;
        self.facts.statement[k] = self.facts.statement[k].max(score);
    }
}

fn read_page(text: &str, number: usize) -> Page<'_> {
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    let shapes: Vec<LineShape> = lines.iter().map(|line| LineShape::of(line)).collect();
    let mut letters = Vec::with_capacity(text.len());
    push_letters(text, &mut letters);
    let looks = Looks::of(&shapes, &letters);
    let headings = shapes.iter().zip(&lines);
    let headings = headings.map(|(shape, line)| looks.per_line > 3.0 && shape.is_heading(line));

    let title_lines = title_lines(&lines, looks.columns());
    let (mut statement, mut title, mut items) = ([0f32; 3], [0f32; 3], [0u64; 3]);
    for (k, (found, needed)) in TABLES.items.seen(&letters).into_iter().enumerate() {
        let share = TABLES.items.share(k, found);
        items[k] = found;
        title[k] = title_strength(&title_lines, k);
        if title[k] == 0.0 {
            title[k] = title_elsewhere(k, share, looks.columns(), &letters);
        }
        statement[k] = looks.statement_score(k, title[k], share, needed);
    }

    let mut flags = kind::flags(text, number);
    if looks.copy {
        flags |= flag::COPY;
    }
    Page {
        headings: headings.collect(),
        facts: PageFacts {
            years: 0,
            statement,
            number_lines: looks.number_lines,
            density: looks.density,
            flags,
            words: looks.words,
            amounts: amounts(text),
        },
        title,
        items,
        rest: looks.rest(),
        lines,
    }
}

/// What a page looks like, whatever it is about.
struct Looks {
    words: u32,
    figures: u32,
    /// Words a line.
    per_line: f32,
    /// Share of the lines that end in a figure.
    number_lines: f32,
    /// Share of the lines that are prose.
    long_lines: f32,
    /// Figures among the words.
    density: f32,
    /// A statement repeated: parent only, condensed, pro forma.
    copy: bool,
    /// A list of what stands where.
    index_page: bool,
    /// Statements whose titles stand near the top.
    titles_at_head: usize,
}

impl Looks {
    fn of(shapes: &[LineShape], letters: &[u8]) -> Looks {
        let tables = &*TABLES;
        let count = shapes.len().max(1) as f32;
        let share = |is: &dyn Fn(&LineShape) -> bool| {
            shapes.iter().filter(|shape| is(shape)).count() as f32 / count
        };
        let words: u32 = shapes.iter().map(|s| s.words).sum();
        let figures: u32 = shapes.iter().map(|s| s.figures).sum();
        let head = |n: usize| &letters[..letters.len().min(n)];
        let titles_at_head = match tables.any_title.is_match(head(900)) {
            true => (0..3)
                .filter(|&k| tables.titles[k].is_match(head(900)))
                .count(),
            false => 0,
        };
        Looks {
            words,
            figures,
            per_line: words as f32 / count,
            number_lines: share(&|s| s.ends_in_figure),
            long_lines: share(&|s| s.words > 22),
            density: figures as f32 / words.max(1) as f32,
            copy: tables.copy.is_match(head(350)),
            index_page: tables.contents.is_match(head(600)),
            titles_at_head,
        }
    }

    /// One cell a line: tables run column by column.
    fn columns(&self) -> bool {
        self.per_line <= 4.2
    }

    /// What shape adds to the score of any statement: figures for it, prose against it.
    fn rest(&self) -> f32 {
        self.number_lines.min(0.8) * 0.7 + self.density.min(0.45) * 0.6
            - self.long_lines.min(0.5) * 1.2
    }

    /// How much the page is statement `k`, by the strength of its title, the share of its line items, and how many of
    /// those it must have.
    fn statement_score(&self, k: usize, title: f32, share: f32, needed: u32) -> f32 {
        let mut score = title * TITLE_WEIGHT + share + self.rest();
        if title == 0.0 {
            score -= 0.35;
        }
        if share < 0.38 || self.figures < 15 {
            score = score.min(0.6);
        }
        if needed == 0 {
            score -= [0.5, 0.35, 0.5][k];
        } else if k == Statement::CashFlow.index() && needed >= 2 {
            score += 0.1;
        }
        if self.copy {
            score = (score - 0.7).min(COPY_SCORE);
        }
        if self.index_page && (share < 0.5 || self.titles_at_head >= 3) {
            score -= 0.8;
        }
        if self.titles_at_head >= 3 && share < 0.6 {
            score -= 0.5;
        }
        score.max(0.0)
    }
}

/// The strength of a title that is not among the first lines: anywhere where tables run column by column, or at the
/// foot of a page, where some extractors put the head.
fn title_elsewhere(k: usize, share: f32, columns: bool, letters: &[u8]) -> f32 {
    let title = &TABLES.titles[k];
    if columns && share >= 0.55 && title.is_match(letters) {
        return 0.7;
    }
    let last = |n: usize| &letters[letters.len().saturating_sub(n)..];
    let at_foot = share >= 0.6 && title.is_match(last(500)) && find(last(60), b"notesto").is_none();
    if at_foot { 0.25 } else { 0.0 }
}

/// Currency signs in a text, counted sign by sign: each pass runs at the speed of memory.
fn amounts(text: &str) -> u32 {
    let counts = CURRENCIES.iter().map(|&sign| text.matches(sign).count());
    counts.sum::<usize>() as u32
}

/// A statement that runs on: a titled page and the page after it, with figures and line items and no
/// title or the same one, are the statement together when they hold most of its line items.
fn carry_statements(pages: &mut [Page<'_>]) {
    for at in 1..pages.len() {
        let (before, after) = pages.split_at_mut(at);
        let (first, second) = (&mut before[at - 1], &mut after[0]);
        if !first.is_table() || !second.is_table() {
            continue;
        }
        for k in 0..3 {
            let other_title = (0..3).any(|other| other != k && second.title[other] >= 0.5);
            let share = |found| TABLES.items.share(k, found);
            let both = share(first.items[k] | second.items[k]);
            let adds = both - share(first.items[k]);
            if first.title[k] >= 0.8 && !other_title && adds >= 0.15 && both >= 0.6 {
                for page in [&mut *first, second] {
                    // A little less than a page that holds it whole.
                    page.raise_statement(k, both - 0.1);
                }
            }
        }
    }
}

/// A statement whose title is lost (a picture, or words no list has): where a filing has no page of a
/// statement, the page with most of its line items is, when it stands beside the others.
fn find_untitled(pages: &mut [Page<'_>]) {
    for k in 0..3 {
        if pages.iter().any(|page| page.is(k)) {
            continue;
        }
        let beside_others = |at: usize| {
            let near =
                at.saturating_sub(UNTITLED_WITHIN)..(at + UNTITLED_WITHIN + 1).min(pages.len());
            pages[near]
                .iter()
                .any(|page| page.facts.is_statement().is_some())
        };
        let share = |at: usize| TABLES.items.share(k, pages[at].items[k]);
        let best = (0..pages.len())
            .filter(|&at| pages[at].is_table() && share(at) >= 0.6 && beside_others(at))
            .max_by(|&a, &b| share(a).total_cmp(&share(b)).then(b.cmp(&a)));
        if let Some(at) = best {
            let share = share(at);
            pages[at].raise_statement(k, share);
        }
    }
}

/// A filing's own statements come before all others: what stands far behind them (those of an affiliate among the
/// exhibits, quarters restated in a note) is a copy.
fn set_later_ones_aside(pages: &mut [Page<'_>]) {
    let own = |at: usize| {
        let within = &pages[at..pages.len().min(at + OWN_WITHIN)];
        let is = |k: usize| within.iter().rposition(|page| page.is(k));
        // Where the last of the three stands; none where one is not there.
        let [a, b, c] = [is(0)?, is(1)?, is(2)?];
        Some(at + a.max(b).max(c))
    };
    let Some(last) = (0..pages.len()).find_map(own) else {
        return;
    };
    for page in pages.iter_mut().skip(last + APART) {
        for k in 0..3 {
            if page.is(k) {
                page.facts.statement[k] = COPY_SCORE;
            }
        }
    }
}

/// Those of a page's first lines that hold the title of a statement: how far down, and their letters.
fn title_lines(lines: &[&str], columns: bool) -> Vec<(usize, Vec<u8>)> {
    let mut found = Vec::new();
    let mut letters = Vec::new();
    let first = lines.iter().take(if columns { 14 } else { 22 });
    // A longer line is no title.
    for (at, line) in first.enumerate().filter(|(_, line)| line.len() <= 400) {
        letters.clear();
        push_letters(line, &mut letters);
        if TABLES.any_title.is_match(&letters) {
            found.push((at, letters.clone()));
        }
    }
    found
}

/// 1 for a title among the first lines of a page, less further down or for a digest, 0 for none.
fn title_strength(title_lines: &[(usize, Vec<u8>)], k: usize) -> f32 {
    let tables = &*TABLES;
    let mut best = 0f32;
    for (at, letters) in title_lines {
        let Some(found) = tables.titles[k].find(letters) else {
            continue;
        };
        if letters.len() > found.len() + 75 || tables.not_a_title.is_match(letters) {
            continue;
        }
        let mut value = match at {
            0..6 => 1.0,
            6..12 => 0.8,
            _ => 0.5,
        };
        if k == Statement::Income.index()
            && find(&letters[found.range()], b"comprehensive").is_some()
        {
            value *= 0.5;
        }
        if tables.digest.is_match(letters) {
            value *= 0.4;
        }
        best = f32::max(best, value);
        if value >= 0.8 {
            break;
        }
    }
    best
}

/// Appends the ASCII letters of `text`, lower case.
fn push_letters(text: &str, out: &mut Vec<u8>) {
    let letters = text.bytes().filter(u8::is_ascii_alphabetic);
    out.extend(letters.map(|b| b | 0x20));
}

#[cfg(test)]
mod tests;
