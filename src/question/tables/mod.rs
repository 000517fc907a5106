//! The tables a question is read with: data in `assets/`, and the user's own beside their data.
//!
//! Every file has one form (the heads of the files in `assets/` describe it), so that a user's file may hold a
//! company, a metric and a topic side by side. Entries with the key of one of ours (a company's name, an id) add to
//! it; `replace = true` takes its place.

mod file;
mod merge;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, RwLock};

use super::associations::Associations;
use super::companies::{CompanyNames, without_suffix};
use super::plain::plain;
use super::triggers::TriggerSet;
use super::{Span, Statement};
use crate::library::checksum::sha256;
use crate::library::{Form, store};
use crate::text;
use merge::Merged;

/// What is wrong with a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {message}", file.display(), line.map_or(String::new(), |line| format!(":{line}")))]
pub struct TableError {
    /// The file.
    pub file: PathBuf,
    /// 1-based line; `None` when the file could not be read.
    pub line: Option<usize>,
    /// What is wrong, and with which entry.
    pub message: String,
}

/// Names of one company.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompanyEntry {
    /// As the catalog names it.
    pub name: String,
    /// Other names, in any case.
    pub names: Vec<String>,
    /// Read only as written.
    pub tickers: Vec<String>,
    /// Names that are also English words.
    pub words: Vec<String>,
    /// Products and subsidiaries: lead to the company when none is named, and stay in the query.
    pub brands: Vec<String>,
    /// Phrases that are not the company.
    pub traps: Vec<String>,
}

/// Names of one financial statement.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementEntry {
    /// Which.
    pub statement: Statement,
    /// How a question names it.
    pub triggers: Vec<String>,
}

/// A metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Unique name.
    pub id: String,
    /// How a question asks for it.
    pub triggers: Vec<String>,
    /// Statements that hold its inputs.
    pub statements: Vec<Statement>,
    /// Labels of its rows, as plain text.
    pub line_items: Vec<String>,
    /// Words that name the metric itself in discussion and tables, as plain text.
    pub phrases: Vec<String>,
}

/// A topic.
#[derive(Clone, Debug, PartialEq)]
pub struct Topic {
    /// Unique name.
    pub id: String,
    /// Words of the question.
    pub triggers: Vec<String>,
    /// Words of the text of a page that answers, as plain text.
    pub phrases: Vec<String>,
    /// Words of the headings of such a page, as plain text.
    pub headings: Vec<String>,
}

/// An Item of the 10-K.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemEntry {
    /// `1A`, `7`, ...
    pub item: String,
    /// How a question names it.
    pub triggers: Vec<String>,
}

/// A kind of filing.
#[derive(Clone, Debug, PartialEq)]
pub struct FormEntry {
    /// Which.
    pub form: Form,
    /// How a question names it.
    pub triggers: Vec<String>,
}

/// Words of questions that say nothing about the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WordLists {
    /// Words left out of the query, in lower case, sorted.
    pub stop: Vec<String>,
    /// Instructions to the reader, as triggers.
    pub boilerplate: Vec<String>,
    /// Words that look ahead, as triggers.
    pub outlook: Vec<String>,
    /// Words that ask for reasons, as triggers.
    pub why: Vec<String>,
    /// Words that ask for a sum of money, as triggers.
    pub sums: Vec<String>,
    /// Words that speak of quarters, as triggers.
    pub quarters: Vec<String>,
    /// Words for the latest quarter, as triggers.
    pub latest_quarter: Vec<String>,
    /// Words for the latest year, as triggers.
    pub latest_year: Vec<String>,
    /// Words before a company that another one deals with, as triggers.
    pub dealt_with: Vec<String>,
    /// Words for years as companies count them, as triggers.
    pub fiscal: Vec<String>,
    /// Words that alone never name a company of a user's library.
    pub weak_names: Vec<String>,
    /// What a company's name may end in that only says that it is one.
    pub suffixes: Vec<String>,
    /// Words of filings that name a company all the same.
    pub strong_names: Vec<String>,
    /// Words that people add to the name of a metric and filings do not print.
    pub spoken: Vec<String>,
    /// Words beside the name of a metric that name no part of a company.
    pub no_part: Vec<String>,
}

/// Which table a trigger stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TableKind {
    /// `statements.toml`; the entry is `income`, `balance` or `cash_flow`.
    Statement,
    /// `metrics.toml`; the entry is the id.
    Metric,
    /// `topics.toml`; the entry is the id.
    Topic,
    /// `item_words.toml`; the entry is the Item.
    Item,
    /// `forms.toml`; the entry is the form.
    Form,
    /// `words.toml`, `outlook`.
    Outlook,
    /// `words.toml`, `why`.
    Why,
    /// `words.toml`, `sums`.
    Sums,
    /// `words.toml`, `quarters`.
    Quarters,
    /// `words.toml`, `latest_quarter`.
    LatestQuarter,
    /// `words.toml`, `latest_year`.
    LatestYear,
    /// `words.toml`, `dealt_with`.
    DealtWith,
    /// `words.toml`, `fiscal`.
    Fiscal,
    /// `words.toml`, `boilerplate`.
    Boilerplate,
}

/// One trigger: table, key of the entry, position in its list.
pub type TriggerId = (TableKind, String, usize);

/// A compiled trigger's place: table, position of the entry, position in its list.
#[derive(Clone, Copy, Debug)]
pub(super) struct TriggerAt {
    pub(super) kind: TableKind,
    pub(super) entry: usize,
    pub(super) trigger: usize,
}

/// Another measure of the topics near to a question's text than the table of associations: nearest first, with
/// their strengths.
pub type Nearest = Arc<dyn Fn(&str) -> Vec<(String, f64)> + Send + Sync>;

/// Everything a question is read with.
pub struct Tables {
    /// Companies, in file order.
    pub companies: Vec<CompanyEntry>,
    /// Words that say nothing.
    pub words: WordLists,
    /// The three statements.
    pub statements: Vec<StatementEntry>,
    /// Metrics, in file order.
    pub metrics: Vec<Metric>,
    /// Topics, in file order.
    pub topics: Vec<Topic>,
    /// Items.
    pub items: Vec<ItemEntry>,
    /// Kinds of filings.
    pub forms: Vec<FormEntry>,
    /// SHA-256 of the files they were read from: what is read from a question may change with it.
    pub fingerprint: String,
    places: Arc<Vec<TriggerAt>>,
    compiled: Arc<TriggerSet>,
    associations: Arc<Associations>,
    nearest: Option<Nearest>,
    /// Triggers that are left out ([`Tables::without_triggers`]).
    silent: Vec<bool>,
    /// The names of the catalog read last, compiled.
    names: RwLock<Option<Arc<CompanyNames>>>,
}

/// The built-in files.
const BUILTIN: [(&str, &str); 7] = [
    (
        "assets/companies.toml",
        include_str!("../../../assets/companies.toml"),
    ),
    (
        "assets/words.toml",
        include_str!("../../../assets/words.toml"),
    ),
    (
        "assets/statements.toml",
        include_str!("../../../assets/statements.toml"),
    ),
    (
        "assets/metrics.toml",
        include_str!("../../../assets/metrics.toml"),
    ),
    (
        "assets/topics.toml",
        include_str!("../../../assets/topics.toml"),
    ),
    (
        "assets/item_words.toml",
        include_str!("../../../assets/item_words.toml"),
    ),
    (
        "assets/forms.toml",
        include_str!("../../../assets/forms.toml"),
    ),
];

/// Words and the topics they go with.
const ASSOCIATIONS: &str = include_str!("../../../assets/associations.tsv");

impl Tables {
    /// The built-in tables, read once.
    pub fn builtin() -> Arc<Tables> {
        static BUILT: OnceLock<Arc<Tables>> = OnceLock::new();
        BUILT
            .get_or_init(|| Arc::new(Tables::load(None).expect("the built-in tables are tested")))
            .clone()
    }

    /// The built-in tables with the user's own (`*.toml` in `user_dir`, by name) merged over them. A folder that is
    /// not there is as good as an empty one.
    pub fn load(user_dir: Option<&Path>) -> Result<Tables, TableError> {
        let mut merged = Merged::default();
        let mut all = ASSOCIATIONS.to_string();
        for (file, text) in BUILTIN {
            merged.add(Path::new(file), text)?;
            all.push_str(text);
        }
        for file in user_files(user_dir)? {
            let text = text_of(&file)?;
            merged.add(&file, &text)?;
            all.push_str(&text);
        }
        Ok(merged.build(sha256(all.as_bytes())))
    }

    /// Every list of triggers, with its table and the position of its entry there.
    pub(super) fn trigger_lists(&self) -> impl Iterator<Item = (TableKind, usize, &[String])> {
        fn of<'a, T>(
            kind: TableKind,
            entries: &'a [T],
            triggers: impl Fn(&'a T) -> &'a [String],
        ) -> impl Iterator<Item = (TableKind, usize, &'a [String])> {
            let entries = entries.iter().enumerate();
            entries.map(move |(ix, entry)| (kind, ix, triggers(entry)))
        }
        let words = &self.words;
        let of_words = [
            (TableKind::Outlook, &words.outlook),
            (TableKind::Why, &words.why),
            (TableKind::Sums, &words.sums),
            (TableKind::Quarters, &words.quarters),
            (TableKind::LatestQuarter, &words.latest_quarter),
            (TableKind::LatestYear, &words.latest_year),
            (TableKind::DealtWith, &words.dealt_with),
            (TableKind::Fiscal, &words.fiscal),
            (TableKind::Boilerplate, &words.boilerplate),
        ];
        of(TableKind::Statement, &self.statements, |e| &e.triggers)
            .chain(of(TableKind::Metric, &self.metrics, |e| &e.triggers))
            .chain(of(TableKind::Topic, &self.topics, |e| &e.triggers))
            .chain(of(TableKind::Item, &self.items, |e| &e.triggers))
            .chain(of(TableKind::Form, &self.forms, |e| &e.triggers))
            .chain(of_words.map(|(kind, list)| (kind, 0, list.as_slice())))
    }

    /// Makes ready to match the triggers of all lists.
    fn compile(&mut self) {
        let (mut places, mut triggers) = (Vec::new(), Vec::new());
        for (kind, entry, list) in self.trigger_lists() {
            for (trigger, text) in list.iter().enumerate() {
                places.push(TriggerAt {
                    kind,
                    entry,
                    trigger,
                });
                triggers.push(text.as_str());
            }
        }
        let compiled = TriggerSet::new(triggers);
        self.silent = vec![false; places.len()];
        self.places = Arc::new(places);
        self.compiled = Arc::new(compiled);
    }

    /// The tables with these triggers silent: the guard against tables written after reading the questions.
    pub fn without_triggers(&self, ids: &[TriggerId]) -> Tables {
        let mut silent = self.silent.clone();
        for (at, silent) in self.places.iter().zip(&mut silent) {
            *silent |= ids.iter().any(|(kind, entry, trigger)| {
                *kind == at.kind && *trigger == at.trigger && entry == self.key(at)
            });
        }
        Tables {
            companies: self.companies.clone(),
            words: self.words.clone(),
            statements: self.statements.clone(),
            metrics: self.metrics.clone(),
            topics: self.topics.clone(),
            items: self.items.clone(),
            forms: self.forms.clone(),
            fingerprint: self.fingerprint.clone(),
            places: self.places.clone(),
            compiled: self.compiled.clone(),
            associations: self.associations.clone(),
            nearest: self.nearest.clone(),
            silent,
            names: RwLock::new(self.names.read().expect("not poisoned").clone()),
        }
    }

    /// The triggers that fire on a question. Names of companies count as words here: leave them out first
    /// ([`super::without_names`]), as reading does.
    pub fn fired(&self, question: &str) -> Vec<TriggerId> {
        self.matches(&plain(question))
            .map(|(_, at)| (at.kind, self.key(&at).to_string(), at.trigger))
            .collect()
    }

    /// The topic of this id.
    pub fn topic(&self, id: &str) -> Option<&Topic> {
        self.topics.iter().find(|topic| topic.id == id)
    }

    /// Words of a company's name, in lower case, without those that only say that it is one: "Inc.".
    pub fn plain_name(&self, company: &str) -> Vec<String> {
        without_suffix(company, &self.words.suffixes)
    }

    /// True for a stop word, in lower case.
    pub fn is_stop_word(&self, word: &str) -> bool {
        self.words
            .stop
            .binary_search_by(|stop| stop.as_str().cmp(word))
            .is_ok()
    }

    /// True for a word of filings and questions, in lower case, that is no name written wrong: a stop word, a weak
    /// name, or one that many filings use.
    pub(super) fn is_ordinary(&self, word: &str) -> bool {
        let known = |term: &String| self.associations.knows(term);
        self.is_stop_word(word) || self.is_weak_name(word) || text::terms(word).iter().any(known)
    }

    /// True for a word, in lower case, that alone never names a company.
    pub(super) fn is_weak_name(&self, word: &str) -> bool {
        self.words.weak_names.iter().any(|name| name == word)
    }

    /// True for a name, as typed, that may be a company's: some word of it is none of filings and questions, or
    /// names a company there is.
    pub(super) fn may_be_company(&self, name: &str) -> bool {
        let lower = name.to_lowercase();
        let named = |list: &[String]| list.iter().any(|known| known.to_lowercase() == lower);
        let of_table = |entry: &CompanyEntry| {
            named(std::slice::from_ref(&entry.name)) || named(&entry.names) || named(&entry.words)
        };
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        lower.contains('&')
            || self.words.strong_names.contains(&lower)
            || self.companies.iter().any(of_table)
            || words.any(|word| word.chars().count() > 1 && !self.is_ordinary(word))
    }

    /// True for a word, in lower case, that people add to the name of a metric and filings do not print.
    pub fn is_spoken(&self, word: &str) -> bool {
        self.words.spoken.iter().any(|spoken| spoken == word)
    }

    /// True for a word, in lower case, that names no part of a company where it stands beside a metric.
    pub fn is_no_part(&self, word: &str) -> bool {
        self.words.no_part.iter().any(|no_part| no_part == word)
    }

    /// The tables with this measure in place of the table of associations.
    pub fn with_nearest(&self, nearest: Nearest) -> Tables {
        Tables {
            nearest: Some(nearest),
            ..self.without_triggers(&[])
        }
    }

    /// The topics nearest to a question's text, nearest first, with their strengths.
    pub(super) fn nearest_topics(&self, text: &str) -> Vec<(String, f64)> {
        match &self.nearest {
            Some(nearest) => nearest(text),
            None => self.associations.nearest(self, text),
        }
    }

    /// The triggers that fire on a plain text, by number and place, in table order.
    pub(super) fn matches(&self, plain: &str) -> impl Iterator<Item = (usize, TriggerAt)> {
        self.compiled
            .fired(plain)
            .into_iter()
            .filter(|&trigger| !self.silent[trigger])
            .map(|trigger| (trigger, self.places[trigger]))
    }

    /// Where the trigger of this number matches.
    pub(super) fn spans(&self, trigger: usize, plain: &str) -> Vec<Span> {
        self.compiled.spans(trigger, plain)
    }

    /// The compiled names of a catalog's companies: built anew only when another catalog comes.
    pub(super) fn names(&self, catalog: &[String]) -> Arc<CompanyNames> {
        if let Some(names) = &*self.names.read().expect("not poisoned")
            && names.catalog() == catalog
        {
            return names.clone();
        }
        let names = Arc::new(CompanyNames::new(&self.companies, &self.words, catalog));
        *self.names.write().expect("not poisoned") = Some(names.clone());
        names
    }

    fn key(&self, at: &TriggerAt) -> &str {
        match at.kind {
            TableKind::Statement => statement_key(self.statements[at.entry].statement),
            TableKind::Metric => &self.metrics[at.entry].id,
            TableKind::Topic => &self.topics[at.entry].id,
            TableKind::Item => &self.items[at.entry].item,
            TableKind::Form => self.forms[at.entry].form.as_str(),
            TableKind::Outlook => "outlook",
            TableKind::Why => "why",
            TableKind::Sums => "sums",
            TableKind::Quarters => "quarters",
            TableKind::LatestQuarter => "latest_quarter",
            TableKind::LatestYear => "latest_year",
            TableKind::DealtWith => "dealt_with",
            TableKind::Fiscal => "fiscal",
            TableKind::Boilerplate => "boilerplate",
        }
    }
}

fn statement_key(statement: Statement) -> &'static str {
    match statement {
        Statement::Income => "income",
        Statement::Balance => "balance",
        Statement::CashFlow => "cash_flow",
    }
}

fn user_files(dir: Option<&Path>) -> Result<Vec<PathBuf>, TableError> {
    let Some(dir) = dir else {
        return Ok(Vec::new());
    };
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(unreadable(dir, &error));
        }
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ext| ext == "toml"))
        .collect();
    files.sort();
    Ok(files)
}

fn text_of(file: &Path) -> Result<String, TableError> {
    let bytes = store::read_file(file).map_err(|error| unreadable(file, &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        TableError {
            file: file.to_path_buf(),
            line: Some(line_after(before)),
            message: "not UTF-8 text: save the file as UTF-8".to_string(),
        }
    })
}

fn unreadable(file: &Path, error: &std::io::Error) -> TableError {
    TableError {
        file: file.to_path_buf(),
        line: None,
        message: format!("cannot be read: {error}"),
    }
}

/// The 1-based line on which a file goes on after these bytes.
fn line_after(before: &[u8]) -> usize {
    1 + before.iter().filter(|&&byte| byte == b'\n').count()
}
