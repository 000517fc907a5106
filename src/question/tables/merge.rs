//! Files of tables laid over each other, with errors that name file and line.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, RwLock};

use toml::Spanned;

use super::file::{RawCompany, RawMetric, RawTopic, TableFile, Texts};
use super::{
    ASSOCIATIONS, BUILTIN, CompanyEntry, FormEntry, ItemEntry, Metric, StatementEntry, TableError,
    Tables, Topic, WordLists, line_after,
};
use crate::question::associations::Associations;
use crate::question::triggers;

/// The files read so far, merged.
#[derive(Debug, Default)]
pub(super) struct Merged {
    companies: Vec<CompanyEntry>,
    statements: Vec<StatementEntry>,
    metrics: Vec<Metric>,
    topics: Vec<Topic>,
    items: Vec<ItemEntry>,
    forms: Vec<FormEntry>,
    words: WordLists,
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
            line: Some(line_after(before)),
            message: message.into(),
        }
    }

    /// The key of an entry: not empty, and once a file.
    fn key(
        &self,
        seen: &mut HashSet<String>,
        kind: &str,
        key: &Spanned<String>,
    ) -> Result<String, TableError> {
        let text = key.get_ref().trim();
        if text.is_empty() {
            return Err(self.error(key.span(), format!("{kind} without a name")));
        }
        if !seen.insert(text.to_lowercase()) {
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
    pub(super) fn add(&mut self, file: &Path, text: &str) -> Result<(), TableError> {
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
            let entry = entry(
                &mut self.statements,
                raw.replace,
                |entry| entry.statement == statement,
                || StatementEntry {
                    statement,
                    triggers: Vec::new(),
                },
            );
            extend(&mut entry.triggers, triggers);
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
                    triggers: Vec::new(),
                },
            );
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
        extend(&mut self.words.quarters, source.triggers(words.quarters)?);
        extend(
            &mut self.words.latest_quarter,
            source.triggers(words.latest_quarter)?,
        );
        extend(
            &mut self.words.latest_year,
            source.triggers(words.latest_year)?,
        );
        extend(
            &mut self.words.dealt_with,
            source.triggers(words.dealt_with)?,
        );
        extend(&mut self.words.fiscal, source.triggers(words.fiscal)?);
        extend(
            &mut self.words.weak_names,
            lower(source.texts("weak_names", words.weak_names)?),
        );
        extend(
            &mut self.words.suffixes,
            lower(source.texts("suffixes", words.suffixes)?),
        );
        extend(
            &mut self.words.strong_names,
            lower(source.texts("strong_names", words.strong_names)?),
        );
        extend(
            &mut self.words.spoken,
            lower(source.texts("spoken", words.spoken)?),
        );
        extend(
            &mut self.words.no_part,
            lower(source.texts("no_part", words.no_part)?),
        );
        Ok(())
    }

    fn add_companies(
        &mut self,
        source: &Source,
        companies: Vec<Spanned<RawCompany>>,
    ) -> Result<(), TableError> {
        let mut seen = HashSet::new();
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
        let mut seen = HashSet::new();
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
        let mut seen = HashSet::new();
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

    pub(super) fn build(mut self, fingerprint: String) -> Tables {
        self.words.stop.sort();
        let known = |id: &str| self.topics.iter().any(|topic| topic.id == id);
        let associations =
            Associations::parse(ASSOCIATIONS, known).expect("the built-in table is tested");
        let mut tables = Tables {
            associations: Arc::new(associations),
            nearest: None,
            compiled: Arc::default(),
            places: Arc::default(),
            silent: Vec::new(),
            companies: self.companies,
            words: self.words,
            statements: self.statements,
            metrics: self.metrics,
            topics: self.topics,
            items: self.items,
            forms: self.forms,
            fingerprint,
            names: RwLock::new(None),
        };
        tables.compile();
        tables
    }
}
