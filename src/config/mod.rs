//! Settings: what `config.toml` ships, overridden key by key by the user's file.
//!
//! The shipped file is the only place where a default is written down. A setting is added by a
//! line there and a field here. Keys the shipped file does not have are errors, but in sections that are lists.

mod keys;
mod values;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;
use toml::de::DeTable;

use crate::tui::keymap::{KeyError, Keymap};
pub use keys::nearest;
use keys::{collect_keys, collect_lines, in_words, line_of, lookup, put, unknown};
pub use values::*;

/// The file the program ships: every setting with its default and a comment.
pub const SHIPPED: &str = include_str!("../../config.toml");

/// Sections that are lists: a user may add to them.
const OPEN: [&str; 2] = ["model.known", "model.runtime"];

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
                    wrong.push((line, format!("`{key}` is a section: write [{key}]")));
                    continue;
                }
                Some(_) => {}
                None => {
                    let parent = key.rsplit_once('.').map(|(parent, _)| parent);
                    match parent {
                        // What a user adds to a section that is a list is read as the others are.
                        Some(parent) if OPEN.contains(&parent) => {}
                        // A key of such a section, which was put in as a whole.
                        Some(parent) if set.contains_key(parent) => {
                            set.insert(key.clone(), line);
                            continue;
                        }
                        // An unknown section is named once, not again for each of its keys.
                        Some(parent) if lookup(&shipped, parent).is_none() => continue,
                        _ => {
                            wrong.push((line, unknown(key, value.is_table(), &known)));
                            continue;
                        }
                    }
                }
            }
            let mut alone = shipped.clone();
            put(&mut alone, key, value.clone());
            match checked(alone) {
                Ok(_) => {
                    put(&mut merged, key, value.clone());
                    set.insert(key.clone(), line);
                }
                Err(message) => wrong.push((line, format!("`{key}`: {message}"))),
            }
        }
        if !wrong.is_empty() {
            wrong.sort_by_key(|(line, _)| *line);
            let wrong = wrong.into_iter().map(|(line, what)| at(line, what));
            return Err(ConfigError::Wrong(wrong.collect()));
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

    /// Every setting as (key, value, line of the user's file that sets it), in the order of the shipped file; what the
    /// user added comes last.
    pub fn entries(&self) -> Vec<(String, toml::Value, Option<usize>)> {
        let table = toml::Table::try_from(&self.values).expect("settings are TOML");
        let mut keys = Vec::new();
        collect_keys("", &table, &mut keys);
        let spans = DeTable::parse(SHIPPED).expect("the shipped config.toml parses");
        let mut lines = BTreeMap::new();
        collect_lines(SHIPPED, "", spans.get_ref(), &mut lines);
        keys.sort_by_key(|key| lines.get(key).copied().unwrap_or(usize::MAX));
        keys.into_iter()
            .filter_map(|key| {
                let value = lookup(&table, &key)
                    .filter(|value| !value.is_table())?
                    .clone();
                let line = self.lines.get(&key).copied();
                Some((key, value, line))
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
    range("resamples", values.eval.resamples as u64, 100, 100_000)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Retriever, Settings};

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
        let entries = config.entries();
        let entry = |name: &str| entries.iter().find(|(key, ..)| key == name).unwrap();
        assert_eq!(entry("search.k").2, Some(2));
        assert_eq!(entry("search.company").2, None);
        let (_, value, line) = entry("edgar.contact");
        assert_eq!(value.as_str(), Some("me@example.com"));
        assert_eq!(*line, Some(5));
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
    fn mistakes_are_in_order_whatever_the_file_is_called() {
        let text = "[tui]\nmouze = 1\n[search]\nk = 0\n";
        let Err(ConfigError::Wrong(found)) = Config::parse(text, Some(Path::new("a: b:1.toml")))
        else {
            panic!("it is wrong");
        };
        assert!(found[0].starts_with("a: b:1.toml:2: "), "{}", found[0]);
    }

    #[test]
    fn what_is_a_list_takes_more() {
        let text = "[model.known]\nmine = \"abc\"\n\n[model.runtime.linux-riscv64]\nfile = \"r.whl\"\nbytes = 7\n\
                    sha256 = \"aa\"\nlibrary_sha256 = \"bb\"\n";
        let config = Config::parse(text, Some(Path::new("my.toml"))).unwrap();
        assert_eq!(config.model.known["mine"], "abc");
        assert!(config.model.known.len() > 1, "ours stay");
        assert_eq!(config.model.runtime["linux-riscv64"].bytes, 7);
        let entries = config.entries();
        let of = |key: &str| entries.iter().find(|(name, ..)| name == key).unwrap();
        assert_eq!(of("model.known.mine").2, Some(2));
        let (_, value, line) = of("model.runtime.linux-riscv64.bytes");
        assert_eq!((value.as_integer(), *line), (Some(7), Some(6)));
        for (text, says) in [
            (
                "[model.known]\nmine = 7\n",
                "`model.known.mine`: the number 7 is not a text",
            ),
            (
                "[model.runtime.x]\nfile = 'a'\n",
                "`model.runtime.x`: missing field",
            ),
        ] {
            let found = wrong(text);
            assert!(found.len() == 1 && found[0].contains(says), "{found:?}");
        }
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
