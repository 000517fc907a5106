//! The switches: one struct for the workbench, the command line and evaluation.

use serde::{Deserialize, Serialize};

use crate::library::Form;
use crate::question::Statement;

/// What ranks the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Retriever {
    /// Words: BM25 (and, with `signals` on, everything read from page and question).
    #[default]
    Bm25,
    /// Meaning: MiniLM embeddings.
    Dense,
    /// Both, fused.
    Hybrid,
}

/// Whose term statistics BM25 uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Statistics {
    /// Document frequencies of the whole library.
    #[default]
    Corpus,
    /// Document frequencies of the pages in scope alone.
    Scope,
}

/// How a question is answered. The same question and settings give the same pages and score bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Keep only the filings of the companies named.
    pub company: bool,
    /// Keep only the filings of the period named.
    pub year: bool,
    /// Narrow to the quarter, form or date named.
    pub form: bool,
    /// Rank statement pages first when a statement is asked for.
    pub routing: bool,
    /// Leave the companies' names, the years and the kinds of filing out of the query: they say which filing, and
    /// no more which of its pages.
    pub strip_names: bool,
    /// Rank by the fitted sum of signals instead of BM25 alone.
    pub signals: bool,
    /// Lean to tables when a figure is asked for, to prose when reasons or other words are (with `signals`).
    pub lean: bool,
    /// One retrieval a year (or company) when the question asks about several.
    pub several: bool,
    /// What ranks the pages.
    pub retriever: Retriever,
    /// Whose statistics BM25 uses.
    pub statistics: Statistics,
    /// How many pages to rank.
    pub k: usize,
    /// Scope set by hand.
    #[serde(skip_serializing_if = "HandScope::is_empty")]
    pub scope: HandScope,
    /// Words left out of the query by hand, as the analyzer writes them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_words: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            company: true,
            year: true,
            form: true,
            routing: true,
            strip_names: true,
            signals: true,
            lean: true,
            several: true,
            retriever: Retriever::Bm25,
            statistics: Statistics::Corpus,
            k: 10,
            scope: HandScope::default(),
            without_words: Vec::new(),
        }
    }
}

/// A scope set by hand. Each facet that is not empty replaces what was read for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HandScope {
    /// Catalog names of companies.
    pub companies: Vec<String>,
    /// First and last fiscal year.
    pub years: Option<(u16, u16)>,
    /// Forms.
    pub forms: Vec<Form>,
    /// Quarters 1-4.
    pub quarters: Vec<u8>,
    /// Filings by `doc_name`: nothing else is searched.
    pub filings: Vec<String>,
    /// Statements to route to.
    pub statements: Vec<Statement>,
    /// Items (`1A`, `7`): only pages of these.
    pub items: Vec<String>,
    /// Facets whose reading is ignored: `company`, `year`, `form`, `quarter`, `statement`, `item`.
    pub ignore: Vec<Facet>,
}

/// A dimension of the scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Facet {
    /// Company.
    Company,
    /// Fiscal year.
    Year,
    /// Form.
    Form,
    /// Fiscal quarter.
    Quarter,
    /// A single filing.
    Filing,
    /// Statement.
    Statement,
    /// Item of a 10-K or 10-Q.
    Item,
}

impl HandScope {
    /// True when nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == HandScope::default()
    }
}
