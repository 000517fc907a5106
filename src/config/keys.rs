//! Dotted keys of a settings file, the lines they stand on, and what is wrong with one, in words.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

/// What serde says of a value, as a person would: `invalid type: string "ten", expected usize`.
pub(super) fn in_words(message: &str) -> String {
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

pub(super) fn unknown(key: &str, is_section: bool, known: &[String]) -> String {
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
        None => format!("unknown {what} `{key}`; `tenleaf config --default` lists every setting"),
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
pub(super) fn collect_keys(prefix: &str, table: &toml::Table, keys: &mut Vec<String>) {
    for (name, value) in table {
        let key = join(prefix, name);
        if let toml::Value::Table(inner) = value {
            collect_keys(&key, inner, keys);
        }
        keys.push(key);
    }
}

/// The 1-based line of every dotted key, sections included.
pub(super) fn collect_lines(
    text: &str,
    prefix: &str,
    table: &DeTable,
    lines: &mut BTreeMap<String, usize>,
) {
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

pub(super) fn line_of(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at.min(text.len())]
        .iter()
        .filter(|&&b| b == b'\n')
        .count()
}

pub(super) fn lookup<'t>(table: &'t toml::Table, key: &str) -> Option<&'t toml::Value> {
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

pub(super) fn put(table: &mut toml::Table, key: &str, value: toml::Value) {
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
