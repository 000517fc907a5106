//! The tables a question is read with: data in `assets/`, and the user's own beside their data.
//!
//! Every file has one form (the heads of the files in `assets/` describe it), so that a user's file may hold a
//! company, a metric and a topic side by side. Entries with the key of one of ours (a company's name, an id) add to
//! it; `replace = true` takes its place.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, RwLock};

use serde::Deserialize;
use toml::Spanned;

use super::associations::Associations;
use super::companies::CompanyNames;
use super::plain::plain;
use super::triggers::{self, TriggerSet};
use super::{Span, Statement};
use crate::library::Form;

/// What is wrong with a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {message}", file.display())]
pub struct TableError {
    /// The file.
    pub file: PathBuf,
    /// 1-based line; 0 when the file could not be read.
    pub line: usize,
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
    /// How its pages are headed, as plain text.
    pub titles: Vec<String>,
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
    /// Its heading in the form.
    pub title: String,
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
pub struct Words {
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
    /// Words that alone never name a company of a user's library.
    pub weak_names: Vec<String>,
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
    pub words: Words,
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
        include_str!("../../assets/companies.toml"),
    ),
    ("assets/words.toml", include_str!("../../assets/words.toml")),
    (
        "assets/statements.toml",
        include_str!("../../assets/statements.toml"),
    ),
    (
        "assets/metrics.toml",
        include_str!("../../assets/metrics.toml"),
    ),
    (
        "assets/topics.toml",
        include_str!("../../assets/topics.toml"),
    ),
    (
        "assets/item_words.toml",
        include_str!("../../assets/item_words.toml"),
    ),
    ("assets/forms.toml", include_str!("../../assets/forms.toml")),
];

/// Words and the topics they go with.
const ASSOCIATIONS: &str = include_str!("../../assets/associations.tsv");

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
        for (file, text) in BUILTIN {
            merged.add(Path::new(file), text)?;
        }
        for file in user_files(user_dir)? {
            let text = fs::read_to_string(&file).map_err(|error| TableError {
                file: file.clone(),
                line: 0,
                message: format!("cannot be read: {error}"),
            })?;
            merged.add(&file, &text)?;
        }
        Ok(merged.build())
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

    /// The metric of this id.
    pub fn metric(&self, id: &str) -> Option<&Metric> {
        self.metrics.iter().find(|metric| metric.id == id)
    }

    /// The topic of this id.
    pub fn topic(&self, id: &str) -> Option<&Topic> {
        self.topics.iter().find(|topic| topic.id == id)
    }

    /// True for a stop word, in lower case.
    pub fn is_stop_word(&self, word: &str) -> bool {
        self.words
            .stop
            .binary_search_by(|stop| stop.as_str().cmp(word))
            .is_ok()
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
        let names = Arc::new(CompanyNames::new(
            &self.companies,
            &self.words.weak_names,
            catalog,
        ));
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
            return Err(TableError {
                file: dir.to_path_buf(),
                line: 0,
                message: format!("cannot be read: {error}"),
            });
        }
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ext| ext == "toml"))
        .collect();
    files.sort();
    Ok(files)
}

/// A file as written.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TableFile {
    company: Vec<Spanned<RawCompany>>,
    statement: Vec<Spanned<RawStatement>>,
    metric: Vec<Spanned<RawMetric>>,
    topic: Vec<Spanned<RawTopic>>,
    item: Vec<Spanned<RawItem>>,
    form: Vec<Spanned<RawForm>>,
    words: RawWords,
}

type Texts = Vec<Spanned<String>>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCompany {
    name: Spanned<String>,
    #[serde(default)]
    names: Texts,
    #[serde(default)]
    tickers: Texts,
    #[serde(default)]
    words: Texts,
    #[serde(default)]
    brands: Texts,
    #[serde(default)]
    traps: Texts,
    #[serde(default)]
    replace: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStatement {
    statement: Statement,
    #[serde(default)]
    triggers: Texts,
    #[serde(default)]
    titles: Texts,
    #[serde(default)]
    replace: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMetric {
    id: Spanned<String>,
    #[serde(default)]
    triggers: Texts,
    #[serde(default)]
    statements: Vec<Statement>,
    #[serde(default)]
    line_items: Texts,
    #[serde(default)]
    phrases: Texts,
    #[serde(default)]
    replace: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTopic {
    id: Spanned<String>,
    #[serde(default)]
    triggers: Texts,
    #[serde(default)]
    phrases: Texts,
    #[serde(default)]
    headings: Texts,
    #[serde(default)]
    replace: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawItem {
    item: Spanned<String>,
    #[serde(default)]
    title: Option<Spanned<String>>,
    #[serde(default)]
    triggers: Texts,
    #[serde(default)]
    replace: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawForm {
    form: Form,
    #[serde(default)]
    triggers: Texts,
    #[serde(default)]
    replace: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawWords {
    stop: Texts,
    boilerplate: Texts,
    outlook: Texts,
    why: Texts,
    sums: Texts,
    weak_names: Texts,
}

/// The files read so far, merged.
#[derive(Debug, Default)]
struct Merged {
    companies: Vec<CompanyEntry>,
    statements: Vec<StatementEntry>,
    metrics: Vec<Metric>,
    topics: Vec<Topic>,
    items: Vec<ItemEntry>,
    forms: Vec<FormEntry>,
    words: Words,
}

/// The file being read: makes errors that name file and line.
struct Source<'a> {
    file: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    fn error(&self, span: Range<usize>, message: impl Into<String>) -> TableError {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        TableError {
            file: self.file.to_path_buf(),
            line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(),
            message: message.into(),
        }
    }

    /// The key of an entry: not empty, and once a file.
    fn key(
        &self,
        seen: &mut HashMap<String, ()>,
        kind: &str,
        key: &Spanned<String>,
    ) -> Result<String, TableError> {
        let text = key.get_ref().trim();
        if text.is_empty() {
            return Err(self.error(key.span(), format!("{kind} without a name")));
        }
        if seen.insert(text.to_lowercase(), ()).is_some() {
            return Err(self.error(
                key.span(),
                format!("{kind} \"{text}\" is in this file twice"),
            ));
        }
        Ok(text.to_string())
    }

    /// Plain texts: none empty.
    fn texts(&self, field: &str, texts: Texts) -> Result<Vec<String>, TableError> {
        let letters = |text: &str| text.chars().any(char::is_alphanumeric);
        texts
            .into_iter()
            .map(|text| match text.get_ref().trim() {
                trimmed if letters(trimmed) => Ok(trimmed.to_string()),
                _ => Err(self.error(text.span(), format!("an empty text in `{field}`"))),
            })
            .collect()
    }

    /// The built-in triggers are checked by a test, not at every start.
    fn check(&self, trigger: &str) -> Result<(), String> {
        if BUILTIN.iter().any(|(file, _)| Path::new(file) == self.file) {
            return Ok(());
        }
        triggers::check(trigger)
    }

    fn triggers(&self, triggers: Texts) -> Result<Vec<String>, TableError> {
        triggers
            .into_iter()
            .map(|trigger| match self.check(trigger.get_ref()) {
                Ok(()) => Ok(trigger.into_inner()),
                Err(message) => Err(self.error(trigger.span(), message)),
            })
            .collect()
    }
}

/// The entry of this key, emptied when it is to be replaced; a new one where there is none.
fn entry<T>(
    entries: &mut Vec<T>,
    replace: bool,
    is_it: impl Fn(&T) -> bool,
    new: impl FnOnce() -> T,
) -> &mut T {
    match entries.iter().position(is_it) {
        Some(ix) => {
            if replace {
                entries[ix] = new();
            }
            &mut entries[ix]
        }
        None => {
            entries.push(new());
            entries.last_mut().expect("just pushed")
        }
    }
}

/// Appends what is not there yet.
fn extend(list: &mut Vec<String>, more: Vec<String>) {
    for text in more {
        if !list.contains(&text) {
            list.push(text);
        }
    }
}

impl Merged {
    fn add(&mut self, file: &Path, text: &str) -> Result<(), TableError> {
        let source = Source { file, text };
        let parsed: TableFile = toml::from_str(text).map_err(|error| {
            source.error(error.span().unwrap_or(0..0), error.message().to_string())
        })?;
        self.add_companies(&source, parsed.company)?;
        self.add_metrics(&source, parsed.metric)?;
        self.add_topics(&source, parsed.topic)?;
        for raw in parsed.statement {
            let raw = raw.into_inner();
            let statement = raw.statement;
            let triggers = source.triggers(raw.triggers)?;
            let titles = source.texts("titles", raw.titles)?;
            let entry = entry(
                &mut self.statements,
                raw.replace,
                |entry| entry.statement == statement,
                || StatementEntry {
                    statement,
                    triggers: Vec::new(),
                    titles: Vec::new(),
                },
            );
            extend(&mut entry.triggers, triggers);
            extend(&mut entry.titles, titles);
        }
        for raw in parsed.item {
            let raw = raw.into_inner();
            let item = raw.item.get_ref().trim().to_uppercase();
            if item.is_empty() || item.len() > 3 || !item.starts_with(|c: char| c.is_ascii_digit())
            {
                return Err(source.error(
                    raw.item.span(),
                    format!("\"{item}\" is no Item: write \"7\" or \"1A\""),
                ));
            }
            let triggers = source.triggers(raw.triggers)?;
            let entry = entry(
                &mut self.items,
                raw.replace,
                |entry| entry.item == item,
                || ItemEntry {
                    item: item.clone(),
                    title: String::new(),
                    triggers: Vec::new(),
                },
            );
            if let Some(title) = raw.title {
                entry.title = title.into_inner();
            }
            extend(&mut entry.triggers, triggers);
        }
        for raw in parsed.form {
            let raw = raw.into_inner();
            let triggers = source.triggers(raw.triggers)?;
            let entry = entry(
                &mut self.forms,
                raw.replace,
                |entry| entry.form == raw.form,
                || FormEntry {
                    form: raw.form,
                    triggers: Vec::new(),
                },
            );
            extend(&mut entry.triggers, triggers);
        }
        let words = parsed.words;
        let lower = |texts: Vec<String>| texts.iter().map(|text| text.to_lowercase()).collect();
        extend(
            &mut self.words.stop,
            lower(source.texts("stop", words.stop)?),
        );
        extend(
            &mut self.words.boilerplate,
            source.triggers(words.boilerplate)?,
        );
        extend(&mut self.words.outlook, source.triggers(words.outlook)?);
        extend(&mut self.words.why, source.triggers(words.why)?);
        extend(&mut self.words.sums, source.triggers(words.sums)?);
        extend(
            &mut self.words.weak_names,
            lower(source.texts("weak_names", words.weak_names)?),
        );
        Ok(())
    }

    fn add_companies(
        &mut self,
        source: &Source,
        companies: Vec<Spanned<RawCompany>>,
    ) -> Result<(), TableError> {
        let mut seen = HashMap::new();
        for raw in companies {
            let raw = raw.into_inner();
            let name = source.key(&mut seen, "company", &raw.name)?;
            let mut new = CompanyEntry {
                name,
                ..CompanyEntry::default()
            };
            new.names = source.texts("names", raw.names)?;
            new.tickers = source.texts("tickers", raw.tickers)?;
            new.words = source.texts("words", raw.words)?;
            new.brands = source.texts("brands", raw.brands)?;
            new.traps = source.texts("traps", raw.traps)?;
            let name = new.name.clone();
            let entry = entry(
                &mut self.companies,
                raw.replace,
                |entry| entry.name.to_lowercase() == name.to_lowercase(),
                || CompanyEntry {
                    name: name.clone(),
                    ..CompanyEntry::default()
                },
            );
            extend(&mut entry.names, new.names);
            extend(&mut entry.tickers, new.tickers);
            extend(&mut entry.words, new.words);
            extend(&mut entry.brands, new.brands);
            extend(&mut entry.traps, new.traps);
        }
        Ok(())
    }

    fn add_metrics(
        &mut self,
        source: &Source,
        metrics: Vec<Spanned<RawMetric>>,
    ) -> Result<(), TableError> {
        let mut seen = HashMap::new();
        for raw in metrics {
            let span = raw.span();
            let raw = raw.into_inner();
            let id = source.key(&mut seen, "metric", &raw.id)?;
            let triggers = source.triggers(raw.triggers)?;
            let line_items = source.texts("line_items", raw.line_items)?;
            let phrases = source.texts("phrases", raw.phrases)?;
            let entry = entry(
                &mut self.metrics,
                raw.replace,
                |entry| entry.id == id,
                || Metric {
                    id: id.clone(),
                    triggers: Vec::new(),
                    statements: Vec::new(),
                    line_items: Vec::new(),
                    phrases: Vec::new(),
                },
            );
            extend(&mut entry.triggers, triggers);
            for statement in raw.statements {
                if !entry.statements.contains(&statement) {
                    entry.statements.push(statement);
                }
            }
            extend(&mut entry.line_items, line_items);
            extend(&mut entry.phrases, phrases);
            if entry.triggers.is_empty() || entry.line_items.is_empty() && entry.phrases.is_empty()
            {
                return Err(source.error(
                    span,
                    format!("metric \"{id}\" needs `triggers` and `line_items` or `phrases`"),
                ));
            }
        }
        Ok(())
    }

    fn add_topics(
        &mut self,
        source: &Source,
        topics: Vec<Spanned<RawTopic>>,
    ) -> Result<(), TableError> {
        let mut seen = HashMap::new();
        for raw in topics {
            let span = raw.span();
            let raw = raw.into_inner();
            let id = source.key(&mut seen, "topic", &raw.id)?;
            let triggers = source.triggers(raw.triggers)?;
            let phrases = source.texts("phrases", raw.phrases)?;
            let headings = source.texts("headings", raw.headings)?;
            let entry = entry(
                &mut self.topics,
                raw.replace,
                |entry| entry.id == id,
                || Topic {
                    id: id.clone(),
                    triggers: Vec::new(),
                    phrases: Vec::new(),
                    headings: Vec::new(),
                },
            );
            extend(&mut entry.triggers, triggers);
            extend(&mut entry.phrases, phrases);
            extend(&mut entry.headings, headings);
            if entry.triggers.is_empty() || entry.phrases.is_empty() && entry.headings.is_empty() {
                return Err(source.error(
                    span,
                    format!("topic \"{id}\" needs `triggers` and `phrases` or `headings`"),
                ));
            }
        }
        Ok(())
    }

    fn build(mut self) -> Tables {
        self.words.stop.sort();
        let mut places = Vec::new();
        let mut triggers = Vec::new();
        {
            let mut add = |kind, entry, list: &[String]| {
                for (trigger, text) in list.iter().enumerate() {
                    places.push(TriggerAt {
                        kind,
                        entry,
                        trigger,
                    });
                    triggers.push(text.clone());
                }
            };
            for (ix, entry) in self.statements.iter().enumerate() {
                add(TableKind::Statement, ix, &entry.triggers);
            }
            for (ix, entry) in self.metrics.iter().enumerate() {
                add(TableKind::Metric, ix, &entry.triggers);
            }
            for (ix, entry) in self.topics.iter().enumerate() {
                add(TableKind::Topic, ix, &entry.triggers);
            }
            for (ix, entry) in self.items.iter().enumerate() {
                add(TableKind::Item, ix, &entry.triggers);
            }
            for (ix, entry) in self.forms.iter().enumerate() {
                add(TableKind::Form, ix, &entry.triggers);
            }
            add(TableKind::Outlook, 0, &self.words.outlook);
            add(TableKind::Why, 0, &self.words.why);
            add(TableKind::Sums, 0, &self.words.sums);
            add(TableKind::Boilerplate, 0, &self.words.boilerplate);
        }
        let silent = vec![false; places.len()];
        let known = |id: &str| self.topics.iter().any(|topic| topic.id == id);
        let associations =
            Associations::parse(ASSOCIATIONS, known).expect("the built-in table is tested");
        Tables {
            associations: Arc::new(associations),
            nearest: None,
            compiled: Arc::new(TriggerSet::new(triggers.iter().map(String::as_str))),
            places: Arc::new(places),
            silent,
            companies: self.companies,
            words: self.words,
            statements: self.statements,
            metrics: self.metrics,
            topics: self.topics,
            items: self.items,
            forms: self.forms,
            names: RwLock::new(None),
        }
    }
}
