//! `tenleaf config`.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::{Context, Usage, outln, print_json};
use crate::config::nearest;
use crate::paths;

/// Print the settings in force and where each comes from
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf config                       every setting and its origin
  tenleaf config search                those of one section
  tenleaf config --changed             those your file sets
  tenleaf config --default             the shipped file, with its comments, to start yours from
  tenleaf config --json | jq '.settings[] | select(.file)'")]
pub struct Args {
    /// Only settings that begin with this: a section or a key
    prefix: Option<String>,
    /// Only settings your file sets
    #[arg(long)]
    changed: bool,
    /// Print the shipped config.toml instead
    #[arg(long, conflicts_with_all = ["prefix", "changed", "json"])]
    pub(super) default: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    config_file: Option<String>,
    config_file_read: bool,
    data_dir: String,
    library: String,
    settings: Vec<Setting>,
}

#[derive(Serialize)]
struct Setting {
    key: String,
    value: toml::Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl Args {
    /// Prints the settings.
    pub fn run(self, context: &Context) -> Result<()> {
        let prefix = self.prefix.unwrap_or_default();
        let all = context.config.entries();
        if !all.iter().any(|(key, ..)| key.starts_with(&prefix)) {
            let sections = all.iter().filter_map(|(key, ..)| key.split_once('.'));
            let names = sections
                .map(|(section, _)| section)
                .chain(all.iter().map(|(key, ..)| key.as_str()));
            let meant = match nearest(&prefix, names) {
                Some(name) => format!("; did you mean {name:?}?"),
                None => String::new(),
            };
            return Err(Usage(format!("no setting begins with {prefix:?}{meant}")).into());
        }
        let read = context.config.file();
        let shown = |file: &Path| file.display().to_string();
        let settings: Vec<Setting> = all
            .into_iter()
            .filter(|(key, ..)| key.starts_with(&prefix))
            .map(|(key, value, line)| Setting {
                key,
                value,
                file: read.filter(|_| line.is_some()).map(shown),
                line,
            })
            .filter(|setting| !self.changed || setting.line.is_some())
            .collect();
        let usual = paths::config_file();
        let report = Report {
            config_file: read.or(usual.as_deref()).map(shown),
            config_file_read: read.is_some(),
            data_dir: context.paths.data().display().to_string(),
            library: context.library().to_string(),
            settings,
        };
        if self.json {
            return print_json(&report);
        }
        print_text(&report)
    }
}

fn print_text(report: &Report) -> Result<()> {
    let file = report
        .config_file
        .as_deref()
        .unwrap_or("none: no home folder");
    let note = if report.config_file_read {
        ""
    } else {
        " (not there: the defaults are in force)"
    };
    outln!("config file  {file}{note}");
    outln!("data folder  {}", report.data_dir);
    outln!("library      {}\n", report.library);
    let lines: Vec<(String, String)> = report.settings.iter().flat_map(setting_lines).collect();
    let width = lines
        .iter()
        .map(|(text, _)| text.chars().count())
        .filter(|&n| n <= 72)
        .max()
        .unwrap_or(0);
    for (text, origin) in lines {
        outln!("{}", format!("{text:width$}  {origin}").trim_end());
    }
    Ok(())
}

/// One line a setting; a list of tables (the ladder) one line an element.
fn setting_lines(setting: &Setting) -> Vec<(String, String)> {
    let origin = match (&setting.file, setting.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => "default".to_string(),
    };
    match &setting.value {
        toml::Value::Array(items) if items.iter().any(toml::Value::is_table) => {
            let mut lines = vec![(format!("{} = [", setting.key), origin)];
            lines.extend(
                items
                    .iter()
                    .map(|item| (format!("  {item},"), String::new())),
            );
            lines.push(("]".into(), String::new()));
            lines
        }
        value => vec![(format!("{} = {value}", setting.key), origin)],
    }
}
