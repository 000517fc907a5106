//! What a search returns: everything a screen shows.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use super::Settings;
use crate::library::PageId;
use crate::question::{Lean, Reading, Statement};
use crate::structure::item_words;

/// The answer to one question under one set of switches.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The question as typed.
    pub question: String,
    /// The switches used.
    pub settings: Settings,
    /// What was read from the question.
    pub reading: Reading,
    /// The kind of page it leans to; none where it leans to neither.
    pub lean: Option<Lean>,
    /// How the scope narrowed, in order.
    pub funnel: Vec<Stage>,
    /// The statements whose pages come first or count for more: none where routing is off.
    pub statements: Vec<Statement>,
    /// The words that went to the scorer.
    pub terms: Vec<QueryTerm>,
    /// Tokens of an average page, of the same pages as the terms' document frequencies.
    pub average_length: f64,
    /// Line items of the metrics asked for, as the terms of each: marked where they head a row of figures.
    pub line_items: Vec<Vec<String>>,
    /// The best pages, best first, at most `settings.k`.
    pub ranked: Vec<RankedPage>,
    /// Every page that has a score, in no order: for ranks beyond `k`.
    pub scored: Vec<Scored>,
    /// One group for each year or company when the question asks about several.
    pub groups: Vec<Group>,
    /// What a person should know of this answer ("no company recognised: all filings searched").
    pub notes: Vec<String>,
    /// Why meaning had no part in the ranking, where it was asked for; one of the notes.
    pub by_words_alone: Option<String>,
    /// Time of the whole call, microseconds.
    pub micros: u64,
}

/// A page with what it is ordered by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The page.
    pub page: PageId,
    /// Pages of a higher tier come first whatever their score (routing without signals).
    pub tier: u8,
    /// The score.
    pub score: f64,
}

impl Scored {
    /// The one order of pages: tier, then score, then page identity.
    pub fn before(&self, other: &Scored) -> std::cmp::Ordering {
        other
            .tier
            .cmp(&self.tier)
            .then(other.score.total_cmp(&self.score))
            .then(self.page.cmp(&other.page))
    }
}

/// A stage of the funnel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stage {
    /// `all`, `company`, `year`, `form`, `pages`, `routed`.
    pub stage: StageKind,
    /// Filings left after it.
    pub filings: usize,
    /// Pages left after it.
    pub pages: usize,
    /// What it kept, in words: "3M", "FY2018 (named)", "10-K".
    pub kept: String,
    /// False when its switch is off or it had nothing to go on.
    pub active: bool,
    /// The filings left with the reason each was kept, best first; at most 50.
    pub reasons: Vec<KeptFiling>,
    /// Ordinals of all filings left.
    #[serde(skip)]
    pub ordinals: Vec<u32>,
}

/// Why a filing is in scope.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KeptFiling {
    /// The filing.
    pub doc_name: String,
    /// Its filing score relative to the best (0 = best, negative below).
    pub score: f64,
    /// "fiscal year 2018 asked · 10-K, since no quarter is asked".
    pub why: String,
}

/// The stages, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StageKind {
    /// Every filing of the library.
    All,
    /// After the company filter.
    Company,
    /// After the year filter.
    Year,
    /// After quarter, form and date.
    Form,
    /// Pages in scope (after Items set by hand).
    Pages,
    /// Statement pages ranked first.
    Routed,
}

impl StageKind {
    /// As people and programs read it.
    pub fn name(self) -> &'static str {
        match self {
            StageKind::All => "all",
            StageKind::Company => "company",
            StageKind::Year => "year",
            StageKind::Form => "form",
            StageKind::Pages => "pages",
            StageKind::Routed => "routed",
        }
    }
}

/// A term of the query.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueryTerm {
    /// As the analyzer writes it (stemmed).
    pub term: String,
    /// Pages of the library (or of the scope, by `Statistics` where words alone rank) that hold it.
    pub df: u64,
    /// Its BM25 inverse document frequency.
    pub idf: f64,
}

/// One ranked page.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedPage {
    /// 1-based.
    pub rank: usize,
    /// The page.
    pub page: PageId,
    /// Its filing's name.
    pub doc_name: String,
    /// What is known of it besides its text.
    pub about: About,
    /// Put first by routing.
    pub routed: bool,
    /// Score; the contributions add up to it.
    pub score: f64,
    /// Contributions, largest first.
    pub reasons: Vec<Reason>,
}

impl RankedPage {
    /// A page of which nothing else is known, for tests.
    #[cfg(test)]
    pub(crate) fn bare(rank: usize, page: PageId) -> RankedPage {
        RankedPage {
            rank,
            page,
            doc_name: "A".to_string(),
            about: About::default(),
            routed: false,
            score: 1.0,
            reasons: Vec::new(),
        }
    }
}

/// What is known of a page besides its text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// Page number printed on the page.
    pub printed_page: Option<String>,
    /// The statement the page is.
    pub statement: Option<Statement>,
    /// Item of the 10-K or 10-Q it stands in: `7`, `1A`.
    pub item: Option<String>,
    /// Its first heading or running title.
    pub heading: Option<String>,
    /// What most of it is: `table`, `prose`, `mixed`.
    pub kind: Option<String>,
}

impl About {
    /// Statement, Item and heading in words, as far as they are known: `balance sheet`, `Item 7 · Liquidity`,
    /// `Part I, Item 2 · Overview`.
    pub fn place(&self) -> String {
        if let Some(statement) = self.statement {
            return statement.as_str().to_string();
        }
        // A heading that names its Item needs no second name.
        let named = |heading: &&str| {
            heading
                .get(..4)
                .is_some_and(|w| w.eq_ignore_ascii_case("item"))
        };
        match (self.item.as_deref(), self.heading.as_deref()) {
            (_, Some(heading)) if named(&heading) => heading.to_string(),
            (Some(item), Some(heading)) => format!("{} · {heading}", item_words(item)),
            (Some(item), None) => item_words(item),
            (None, heading) => heading.unwrap_or_default().to_string(),
        }
    }
}

/// One signal's part in a page's score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// Name of the signal (or the query term, for BM25 alone).
    pub signal: String,
    /// In words: "balance sheet of the year asked".
    pub words: String,
    /// Value of the signal for this page.
    pub value: f64,
    /// Its weight.
    pub weight: f64,
    /// `value * weight`.
    pub contribution: f64,
}

impl Reason {
    /// A signal of this value and weight.
    pub fn new(
        signal: impl Into<String>,
        words: impl Into<String>,
        value: f64,
        weight: f64,
    ) -> Reason {
        Reason {
            signal: signal.into(),
            words: words.into(),
            value,
            weight,
            contribution: value * weight,
        }
    }
}

/// The pages of one year or company of a question that asks about several.
#[derive(Clone, Debug)]
pub struct Group {
    /// `2019`, `AMD`.
    pub label: String,
    /// The year, for groups by year.
    pub year: Option<u16>,
    /// The company, for groups by company.
    pub company: Option<String>,
    /// Its best pages; empty when the library lacks it.
    pub ranked: Vec<RankedPage>,
    /// Why it is empty.
    pub missing: Option<Missing>,
}

impl Group {
    /// `2019`, `AMD`, `AMD 1995–1999`: what a group of a company and of years, the first and the last, is called.
    pub(super) fn label(company: Option<&str>, years: Option<(u16, u16)>) -> String {
        match (company, years) {
            (Some(company), Some(years)) => format!("{company} {}", in_words(years)),
            (None, Some(years)) => in_words(years),
            (company, None) => company.unwrap_or_default().to_string(),
        }
    }
}

/// Why a group has no pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The library has no filing of the company, where it is one, and of these years, first and last.
    NoFiling {
        /// The one company asked for.
        company: Option<String>,
        /// The years asked for.
        years: Option<(u16, u16)>,
    },
    /// There are filings; no page of them was found.
    NoPage,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Missing::NoFiling { company, years } = self else {
            return f.write_str("no page found");
        };
        f.write_str("no filing")?;
        if let Some(company) = company {
            write!(f, " of {company}")?;
        }
        if let Some(years) = *years {
            write!(f, " for {}", in_words(years))?;
        }
        f.write_str(" in the library")
    }
}

/// `2019`, `1995–1999`.
fn in_words((first, last): (u16, u16)) -> String {
    match first == last {
        true => first.to_string(),
        false => format!("{first}–{last}"),
    }
}

/// A passage of a page with the matched words marked.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Snippet {
    /// One line of text.
    pub text: String,
    /// Byte ranges of matched words in `text`.
    pub marks: Vec<Range<usize>>,
}

#[cfg(test)]
mod tests {
    use super::About;
    use crate::question::Statement;

    #[test]
    fn a_place_is_said_once_and_as_the_form_says_it() {
        let (leases, part) = (Some("Leases"), Some("Part I 2"));
        for (statement, item, heading, said) in [
            (Some(Statement::Balance), Some("8"), leases, "balance sheet"),
            (None, Some("8"), leases, "Item 8 · Leases"),
            (None, part, leases, "Part I, Item 2 · Leases"),
            (None, part, None, "Part I, Item 2"),
            (None, Some("7"), Some("ITEM 7. MD&A"), "ITEM 7. MD&A"),
            (None, None, leases, "Leases"),
            (None, None, None, ""),
        ] {
            let about = About {
                statement,
                item: item.map(String::from),
                heading: heading.map(String::from),
                ..About::default()
            };
            assert_eq!(about.place(), said);
        }
    }
}
