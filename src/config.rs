//! Settings: what `config.toml` ships, overridden key by key by the user's file.
//!
//! The shipped file is the only place where a default is written down. A setting is added by a
//! line there and a field here. Keys the shipped file does not have are errors.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use toml::de::{DeTable, DeValue};

use crate::eval::ladder::Rung;
use crate::search::{Retriever, Settings};
use crate::tui::keymap::{KeyError, Keymap};

/// The file the program ships: every setting with its default and a comment.
pub const SHIPPED: &str = include_str!("../config.toml");

/// Every setting in force.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Values {
    /// Which library opens.
    pub library: LibraryConfig,
    /// The switches a session starts with.
    pub search: Settings,
    /// Fetching FinanceBench.
    pub fetch: FetchConfig,
    /// Evaluation.
    pub eval: EvalConfig,
    /// The workbench.
    pub tui: TuiConfig,
    /// The embedding model.
    pub model: ModelConfig,
    /// EDGAR.
    pub edgar: EdgarConfig,
    /// Keys of the workbench, by action.
    pub keys: BTreeMap<String, Vec<String>>,
}

/// `[library]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryConfig {
    /// Name of the library used when none is named.
    pub default: String,
}

/// `[fetch]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FetchConfig {
    /// Address of the upstream repository's raw files, without the commit.
    pub base: String,
    /// Commit the hashes were taken at.
    pub commit: String,
    /// Files at once.
    pub concurrency: usize,
    /// Seconds to connect in.
    pub connect_timeout_s: u64,
    /// Seconds without a byte after which a transfer is cut.
    pub stall_timeout_s: u64,
    /// Tries after the first, for each file.
    pub retries: u32,
}

/// `[eval]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EvalConfig {
    /// The rungs, in order.
    pub ladder: Vec<Step>,
    /// Bootstrap resamples.
    pub resamples: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Threads; 0 takes every core.
    pub jobs: usize,
}

impl EvalConfig {
    /// The rungs: each adds its switches to the last one that is not `alone`.
    pub fn ladder(&self) -> Vec<Rung> {
        let nothing = Settings {
            company: false,
            year: false,
            form: false,
            routing: false,
            strip_names: false,
            signals: false,
            lean: false,
            several: false,
            retriever: Retriever::Bm25,
            ..Settings::default()
        };
        let mut row = nothing.clone();
        let mut rungs = Vec::new();
        for step in &self.ladder {
            let mut settings = if step.alone { &nothing } else { &row }.clone();
            for switch in &step.on {
                switch.turn_on(&mut settings);
            }
            if let Some(retriever) = step.retriever {
                settings.retriever = retriever;
            }
            if !step.alone {
                row = settings.clone();
            }
            rungs.push(Rung {
                name: step.name.clone(),
                settings,
                alone: step.alone,
                over: step.over.clone(),
            });
        }
        rungs
    }
}

/// One rung of the ladder, as the file writes it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// As tables show it.
    pub name: String,
    /// Switches it adds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<Switch>,
    /// The retriever from here on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retriever: Option<Retriever>,
    /// Stands outside the row: starts from nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// The rung above that it is compared with, where that is not the last of the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
}

/// A switch of [`Settings`], by its key.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Switch {
    /// `company`
    Company,
    /// `year`
    Year,
    /// `form`
    Form,
    /// `routing`
    Routing,
    /// `strip_names`
    StripNames,
    /// `signals`
    Signals,
    /// `lean`
    Lean,
    /// `several`
    Several,
}

impl Switch {
    fn turn_on(self, settings: &mut Settings) {
        *match self {
            Switch::Company => &mut settings.company,
            Switch::Year => &mut settings.year,
            Switch::Form => &mut settings.form,
            Switch::Routing => &mut settings.routing,
            Switch::StripNames => &mut settings.strip_names,
            Switch::Signals => &mut settings.signals,
            Switch::Lean => &mut settings.lean,
            Switch::Several => &mut settings.several,
        } = true;
    }
}

/// `[tui]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TuiConfig {
    /// Colours.
    pub theme: Theme,
    /// Take the mouse from the start.
    pub mouse: bool,
}

/// Which colours the workbench uses.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// What the terminal says of itself decides.
    Auto,
    /// For dark backgrounds.
    Dark,
    /// For light backgrounds.
    Light,
    /// No colours: bold, underline, reverse.
    Mono,
}

/// `[model]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Which weights `model fetch` brings.
    pub weights: Weights,
    /// Windows embedded a page, at most.
    pub windows: u32,
    /// Address of the folder of the model's files.
    pub base: String,
    /// Address of the folder of Python wheels.
    pub runtime_base: String,
    /// Version of the package `onnxruntime`.
    pub runtime_version: String,
    /// Weights as published.
    pub float: Pin,
    /// Weights and arithmetic in bytes.
    pub int8: Pin,
    /// The tokenizer.
    pub tokenizer: Pin,
    /// The wheel that holds the runtime library, by platform: `linux-x86_64`.
    pub runtime: BTreeMap<String, RuntimePin>,
    /// SHA-256 of other files of the same weights, by name.
    pub known: BTreeMap<String, String>,
}

/// Weights of the model.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Weights {
    /// As published.
    Float,
    /// Weights and arithmetic in bytes.
    Int8,
}

/// A file to fetch, and what it must be.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Its place below the base address.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hex.
    pub sha256: String,
}

/// A wheel to fetch, and the library in it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RuntimePin {
    /// Its place below the base address.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hex.
    pub sha256: String,
    /// SHA-256 of the library in it, in hex.
    pub library_sha256: String,
}

/// `[edgar]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EdgarConfig {
    /// Contact for the User-Agent; empty until the user sets it.
    pub contact: String,
    /// Host of the submissions API.
    pub data_base: String,
    /// Host of the documents and of the ticker table.
    pub archive_base: String,
    /// Requests a second, at most.
    pub requests_per_second: u32,
}

/// The settings and where each comes from.
#[derive(Clone, Debug)]
pub struct Config {
    values: Values,
    /// The user's file, where there is one.
    file: Option<PathBuf>,
    /// Keys the user's file sets, with their 1-based lines.
    lines: BTreeMap<String, usize>,
}

impl std::ops::Deref for Config {
    type Target = Values;

    fn deref(&self) -> &Values {
        &self.values
    }
}

/// Where a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The shipped file.
    Default,
    /// The user's file and its 1-based line.
    File(PathBuf, usize),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File(path, line) => write!(f, "{}:{line}", path.display()),
        }
    }
}

/// What is wrong with the user's file: every problem, each with its line.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// It cannot be read.
    #[error("cannot read the config file {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// It can be read and is wrong.
    #[error("{}", .0.join("\n"))]
    Wrong(Vec<String>),
}

impl Config {
    /// The shipped settings alone.
    pub fn shipped() -> Config {
        Config::parse("", None).expect("the shipped config.toml is right: a test reads it")
    }

    /// The shipped settings, overridden by `file`. A file that is not there is an error when it
    /// was `named` by the user, and no matter otherwise.
    pub fn load(file: &Path, named: bool) -> Result<Config, ConfigError> {
        match fs::read_to_string(file) {
            Ok(text) => Config::parse(&text, Some(file)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !named => {
                Ok(Config::shipped())
            }
            Err(source) => Err(ConfigError::Read {
                path: file.to_path_buf(),
                source,
            }),
        }
    }

    fn parse(text: &str, file: Option<&Path>) -> Result<Config, ConfigError> {
        let name = file.map_or("config.toml".into(), |f| f.display().to_string());
        let at = |line: usize, what: String| format!("{name}:{line}: {what}");
        let shipped: toml::Table = SHIPPED.parse().expect("the shipped config.toml parses");
        let user: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let line = line_of(text, error.span().map_or(0, |span| span.start));
            ConfigError::Wrong(vec![at(line, error.message().to_string())])
        })?;
        let spans = DeTable::parse(text).expect("it has just been parsed");
        let mut lines = BTreeMap::new();
        collect_lines(text, "", spans.get_ref(), &mut lines);

        let mut known = Vec::new();
        collect_keys("", &shipped, &mut known);
        let mut wrong = Vec::new();
        let mut merged = shipped.clone();
        let mut set = BTreeMap::new();
        for (key, &line) in &lines {
            let value = lookup(&user, key).expect("the key came from this table");
            match lookup(&shipped, key) {
                // A section: its keys are looked at one by one.
                Some(toml::Value::Table(_)) if value.is_table() => continue,
                Some(toml::Value::Table(_)) => {
                    wrong.push(at(line, format!("`{key}` is a section: write [{key}]")));
                    continue;
                }
                Some(_) => {}
                None => {
                    // An unknown section is named once, not again for each of its keys.
                    let parent = key.rsplit_once('.').map(|(parent, _)| parent);
                    if parent.is_none_or(|parent| lookup(&shipped, parent).is_some()) {
                        wrong.push(at(line, unknown(key, value.is_table(), &known)));
                    }
                    continue;
                }
            }
            let mut alone = shipped.clone();
            put(&mut alone, key, value.clone());
            match checked(alone) {
                Ok(_) => {
                    put(&mut merged, key, value.clone());
                    set.insert(key.clone(), line);
                }
                Err(message) => wrong.push(at(line, format!("`{key}`: {message}"))),
            }
        }
        if !wrong.is_empty() {
            wrong.sort_by_key(|message| message_line(message));
            return Err(ConfigError::Wrong(wrong));
        }
        let values = checked(merged)
            .map_err(|message| ConfigError::Wrong(vec![format!("{name}: {message}")]))?;
        let line = |action: &str| set.get(&format!("keys.{action}")).copied();
        Keymap::new(&values.keys, |action| line(action).is_some()).map_err(|errors| {
            let at_line = |e: &KeyError| at(line(&e.action).unwrap_or(0), e.to_string());
            ConfigError::Wrong(errors.iter().map(at_line).collect())
        })?;
        Ok(Config {
            values,
            file: file.map(Path::to_path_buf),
            lines: set,
        })
    }

    /// The keys of the workbench.
    pub fn keymap(&self) -> Keymap {
        Keymap::new(&self.values.keys, |_| false)
            .unwrap_or_else(|errors| unreachable!("the keys have been checked: {errors:?}"))
    }

    /// The user's file that was read, where there is one.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Where the setting `key` (`search.k`) comes from.
    pub fn origin(&self, key: &str) -> Origin {
        match (&self.file, self.lines.get(key)) {
            (Some(file), Some(&line)) => Origin::File(file.clone(), line),
            _ => Origin::Default,
        }
    }

    /// Every setting as (key, value, origin), in the order of the shipped file.
    pub fn entries(&self) -> Vec<(String, toml::Value, Origin)> {
        let table = toml::Table::try_from(&self.values).expect("settings are TOML");
        let shipped: toml::Table = SHIPPED.parse().expect("the shipped config.toml parses");
        let mut keys = Vec::new();
        collect_keys("", &shipped, &mut keys);
        let spans = DeTable::parse(SHIPPED).expect("the shipped config.toml parses");
        let mut lines = BTreeMap::new();
        collect_lines(SHIPPED, "", spans.get_ref(), &mut lines);
        keys.sort_by_key(|key| lines.get(key).copied());
        keys.into_iter()
            .filter_map(|key| {
                let value = lookup(&table, &key)
                    .filter(|value| !value.is_table())?
                    .clone();
                let origin = self.origin(&key);
                Some((key, value, origin))
            })
            .collect()
    }
}

/// Types and ranges; the message says what is wrong and what would be right.
fn checked(table: toml::Table) -> Result<Values, String> {
    let values: Values = toml::Value::Table(table)
        .try_into()
        .map_err(|error: toml::de::Error| in_words(error.message()))?;
    let range = |key: &str, value: u64, low: u64, high: u64| {
        if (low..=high).contains(&value) {
            Ok(())
        } else {
            Err(format!(
                "{value} is out of range: `{key}` is {low} to {high}"
            ))
        }
    };
    range("k", values.search.k as u64, 1, 1000)?;
    range("concurrency", values.fetch.concurrency as u64, 1, 32)?;
    range("connect_timeout_s", values.fetch.connect_timeout_s, 1, 3600)?;
    range("stall_timeout_s", values.fetch.stall_timeout_s, 1, 3600)?;
    range("retries", values.fetch.retries.into(), 0, 100)?;
    range("resamples", values.eval.resamples as u64, 100, 10_000_000)?;
    range("windows", values.model.windows.into(), 1, 16)?;
    range("jobs", values.eval.jobs as u64, 0, 1024)?;
    range(
        "requests_per_second",
        values.edgar.requests_per_second.into(),
        1,
        10,
    )?;
    if values.eval.ladder.is_empty() {
        return Err("the ladder needs at least one rung".into());
    }
    for (ix, step) in values.eval.ladder.iter().enumerate() {
        let above = &values.eval.ladder[..ix];
        if let Some(over) = &step.over
            && !above.iter().any(|step| step.name == *over)
        {
            return Err(format!(
                "the rung {:?} is compared with {over:?}: there is none of that name above it",
                step.name
            ));
        }
    }
    crate::paths::check_library(&values.library.default).map_err(|error| error.to_string())?;
    for (key, address) in [
        ("fetch.base", &values.fetch.base),
        ("model.base", &values.model.base),
        ("model.runtime_base", &values.model.runtime_base),
        ("edgar.data_base", &values.edgar.data_base),
        ("edgar.archive_base", &values.edgar.archive_base),
    ] {
        if !address.starts_with("http://") && !address.starts_with("https://") {
            return Err(format!(
                "{address:?} is no address: `{key}` begins with https:// or http://"
            ));
        }
    }
    Ok(values)
}

/// What serde says of a value, as a person would: `invalid type: string "ten", expected usize`.
fn in_words(message: &str) -> String {
    let message = message.trim();
    let Some((found, wanted)) = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))
        .and_then(|rest| rest.split_once(", expected "))
    else {
        return with_nearest(message);
    };
    let (kind, value) = found.split_once(' ').unwrap_or((found, ""));
    let value = value.trim_matches('`');
    let found = match kind {
        "string" => format!("the text {value}"),
        "integer" => format!("the number {value}"),
        "floating" => format!("the number {}", value.trim_start_matches("point `")),
        "boolean" => value.to_string(),
        "sequence" => "a list".to_string(),
        "map" => "a section".to_string(),
        _ => found.to_string(),
    };
    let wanted = match wanted {
        "usize" | "u8" | "u16" | "u32" | "u64" => "a whole number, 0 or more",
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" => "a text in quotes",
        "a sequence" => "a list in [ ]",
        "a map" => "a section",
        // "struct Step", "enum Theme": names of ours say nothing to the user.
        other if other.starts_with("struct") => "a table in { }",
        other if other.contains("enum") => "a name in quotes",
        other => other,
    };
    format!("{found} is not {wanted}")
}

/// Adds the nearest name to serde's "unknown variant `x`, expected one of `a`, `b`".
fn with_nearest(message: &str) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match quoted.split_first() {
        Some((wrong, right)) if message.starts_with("unknown") => {
            let choice = match right {
                [] => String::new(),
                names => format!(": it is one of `{}`", names.join("`, `")),
            };
            let meant = match nearest(wrong, right.iter().copied()) {
                Some(name) => format!("; did you mean `{name}`?"),
                None => String::new(),
            };
            format!("`{wrong}` is not known{choice}{meant}")
        }
        _ => message.trim_end().to_string(),
    }
}

fn unknown(key: &str, is_section: bool, known: &[String]) -> String {
    let what = if is_section { "section" } else { "setting" };
    // The same name in another section is nearer than a similar name: "k" belongs in [search].
    let last = key.rsplit('.').next().unwrap_or(key);
    let elsewhere = known
        .iter()
        .find(|name| name.rsplit('.').next() == Some(last));
    match elsewhere
        .map(String::as_str)
        .or_else(|| nearest(key, known.iter().map(String::as_str)))
    {
        Some(name) => format!("unknown {what} `{key}`; did you mean `{name}`?"),
        None => format!("unknown {what} `{key}`; `tenleaf config` lists every setting"),
    }
}

/// The most similar of `names`, if one is similar enough to be meant.
pub fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|name| (strsim::jaro_winkler(wrong, name), name))
        .filter(|(similarity, _)| *similarity > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// Every dotted key of a table, sections included.
fn collect_keys(prefix: &str, table: &toml::Table, keys: &mut Vec<String>) {
    for (name, value) in table {
        let key = join(prefix, name);
        if let toml::Value::Table(inner) = value {
            collect_keys(&key, inner, keys);
        }
        keys.push(key);
    }
}

/// The 1-based line of every dotted key, sections included.
fn collect_lines(text: &str, prefix: &str, table: &DeTable, lines: &mut BTreeMap<String, usize>) {
    for (name, value) in table {
        let key = join(prefix, name.get_ref());
        if let DeValue::Table(inner) = value.get_ref() {
            collect_lines(text, &key, inner, lines);
        }
        lines.insert(key, line_of(text, name.span().start));
    }
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() {
        name.to_string()
    } else {
        format!("{prefix}.{name}")
    }
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at.min(text.len())]
        .iter()
        .filter(|&&b| b == b'\n')
        .count()
}

/// The line in "file:line: message", to report problems in the order of the file.
fn message_line(message: &str) -> usize {
    let before = message.split(": ").next().unwrap_or_default();
    before
        .rsplit(':')
        .next()
        .and_then(|line| line.parse().ok())
        .unwrap_or(0)
}

fn lookup<'t>(table: &'t toml::Table, key: &str) -> Option<&'t toml::Value> {
    let (first, rest) = match key.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (key, None),
    };
    let value = table.get(first)?;
    match rest {
        Some(rest) => lookup(value.as_table()?, rest),
        None => Some(value),
    }
}

fn put(table: &mut toml::Table, key: &str, value: toml::Value) {
    match key.split_once('.') {
        Some((first, rest)) => {
            if let Some(inner) = table.get_mut(first).and_then(toml::Value::as_table_mut) {
                put(inner, rest, value);
            }
        }
        None => {
            table.insert(key.to_string(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> Vec<String> {
        match Config::parse(text, Some(Path::new("my.toml"))) {
            Err(ConfigError::Wrong(messages)) => messages,
            other => panic!("expected errors, got {other:?}"),
        }
    }

    #[test]
    fn the_shipped_file_is_right_and_agrees_with_the_engine() {
        let config = Config::shipped();
        assert_eq!(config.search, Settings::default());
        assert!(config.entries().len() > 20);
    }

    #[test]
    fn a_users_file_overrides_key_by_key() {
        let text = "[search]\nk = 25\n\n[edgar]\ncontact = \"me@example.com\"\n";
        let config = Config::parse(text, Some(Path::new("my.toml"))).unwrap();
        assert_eq!(config.search.k, 25);
        assert!(config.search.company);
        assert_eq!(config.edgar.contact, "me@example.com");
        assert_eq!(config.origin("search.k"), Origin::File("my.toml".into(), 2));
        assert_eq!(config.origin("search.company"), Origin::Default);
        let (_, value, origin) = config
            .entries()
            .into_iter()
            .find(|(key, ..)| key == "edgar.contact")
            .unwrap();
        assert_eq!(value.as_str(), Some("me@example.com"));
        assert_eq!(origin.to_string(), "my.toml:5");
    }

    #[test]
    fn mistakes_name_file_line_and_the_nearest_right_name() {
        let cases = [
            (
                "[search]\nroutin = true\n",
                "my.toml:2: unknown setting `search.routin`; did you mean `search.routing`?",
            ),
            (
                "\n[serach]\nk = 1\n",
                "my.toml:2: unknown section `serach`; did you mean `search`?",
            ),
            (
                "[tui.keys]\nquit = ['x']\n",
                "my.toml:1: unknown section `tui.keys`; did you mean `keys`?",
            ),
            (
                "[search]\nk = 2.5\n",
                "my.toml:2: `search.k`: the number 2.5 is not a whole number",
            ),
            (
                "k = 3\n",
                "my.toml:1: unknown setting `k`; did you mean `search.k`?",
            ),
            (
                "[search]\nzzz = 1\n",
                "my.toml:2: unknown setting `search.zzz`; did you mean",
            ),
            (
                "search = 1\n",
                "my.toml:1: `search` is a section: write [search]",
            ),
            (
                "[search]\nk = 'ten'\n",
                "my.toml:2: `search.k`: the text \"ten\" is not a whole number",
            ),
            (
                "[search]\n# none\nk = 0\n",
                "my.toml:3: `search.k`: 0 is out of range: `k` is 1 to 1000",
            ),
            (
                "[search]\nretriever = 'bm52'\n",
                "my.toml:2: `search.retriever`: `bm52` is not known: it is one of `bm25`, `dense`, \
                 `hybrid`; did you mean `bm25`?",
            ),
            (
                "[eval]\nladder = [{ name = 'a' }, { name = 'b', over = 'c' }]\n",
                "there is none of that name",
            ),
            (
                "[eval]\nladder = [{ name = 'a', on = ['yaer'] }]\n",
                "did you mean `year`?",
            ),
            ("[search]\nk = \n", "my.toml:2: "),
            (
                "[fetch]\nbase = 'ftp://x'\n",
                "my.toml:2: `fetch.base`: \"ftp://x\" is no address",
            ),
        ];
        for (text, message) in cases {
            let found = wrong(text);
            assert_eq!(found.len(), 1, "{text:?}: {found:?}");
            assert!(found[0].contains(message), "{text:?}: {}", found[0]);
        }
    }

    #[test]
    fn every_mistake_is_reported_in_the_order_of_the_file() {
        let found = wrong("[tui]\nmouze = 1\n[search]\nk = 0\n");
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("my.toml:2: "), "{}", found[0]);
        assert!(found[1].starts_with("my.toml:4: "), "{}", found[1]);
    }

    #[test]
    fn a_named_file_must_be_there_and_a_default_one_need_not() {
        let missing = Path::new("no/such/config.toml");
        assert!(Config::load(missing, false).is_ok());
        let error = Config::load(missing, true).unwrap_err();
        assert!(error.to_string().contains("no/such/config.toml"));
    }

    #[test]
    fn the_ladder_adds_up_and_lone_rungs_stand_outside() {
        let ladder = Config::shipped().eval.ladder();
        assert!(!ladder[0].settings.company && !ladder[0].settings.signals);
        assert!(ladder[2].settings.company && ladder[2].settings.year);
        assert!(!ladder[2].settings.form);
        assert_eq!(ladder[6].name, "+ signals");
        assert_eq!(ladder[6].settings, Settings::default());
        assert!(ladder[7].alone && !ladder[7].settings.company);
        assert_eq!(ladder[7].settings.retriever, Retriever::Dense);
        assert_eq!(ladder[7].over.as_deref(), Some("all pages"));
    }
}
