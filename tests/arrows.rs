//! Arrows between modules point one way, as docs/ARCHITECTURE.md says: each may use the modules below it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up. A module uses only what stands in an earlier row.
const ROWS: [&[&str]; 11] = [
    &["words", "caught"],
    &["text", "logging"],
    &["library"],
    &["paths", "structure", "edgar", "dense", "question"],
    &["index", "add"],
    &["search"],
    &["eval"],
    &["tui"],
    &["config"],
    &["cli"],
    &["lib", "main"],
];

/// Every source file but tests.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("src can be read") {
        let path = entry.expect("src can be read").path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match path.is_dir() {
            true if name != "tests" => sources(&path, into),
            false if name != "tests" && name != "testing" => into.push(path),
            _ => {}
        }
    }
}

/// The modules of ours that a text names before its tests: `crate::library::Form` names `library`.
fn named(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let lines = code.lines();
    let code: Vec<&str> = lines
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    code.join(" ")
        .split("crate::")
        .skip(1)
        .flat_map(heads)
        .filter(|name| row(name).is_some())
        .map(String::from)
        .collect()
}

/// The first name of what stands behind `crate::`, or of every path between its braces.
fn heads(rest: &str) -> Vec<&str> {
    let head = |path: &'_ str| -> usize {
        let end = path.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        end.unwrap_or(path.len())
    };
    let Some(inner) = rest.strip_prefix('{') else {
        return vec![&rest[..head(rest)]];
    };
    let mut depth = 0;
    let mut heads = Vec::new();
    let ends = inner.split_inclusive([',', '{', '}']);
    let mut starts = true;
    for part in ends {
        let path = part.trim_start();
        if starts && depth == 0 {
            heads.push(&path[..head(path)]);
        }
        starts = part.ends_with(',');
        match part.chars().last() {
            Some('{') => depth += 1,
            Some('}') if depth == 0 => break,
            Some('}') => depth -= 1,
            _ => {}
        }
    }
    heads
}

fn row(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

#[test]
fn arrows_between_modules_point_one_way() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for file in &files {
        let inside = file.strip_prefix(&src).expect("it is in src");
        let first = inside.components().next().expect("it has a name");
        let first = first.as_os_str().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs").to_string();
        let own = row(&module).unwrap_or_else(|| panic!("{module} stands in no row: give it one"));
        let text = fs::read_to_string(file).expect("a source file can be read");
        for other in named(&text) {
            if other != module && row(&other).expect("it has a row") >= own {
                wrong.push(format!("{}: {module} uses {other}", inside.display()));
            }
        }
        seen.insert(module);
    }
    assert!(seen.len() > 15, "{seen:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn modules_are_read_from_uses_and_paths() {
    let text = "use crate::library::Form;\n// crate::cli in words\nlet x = crate::text::terms(1);\n\
                use crate::{edgar::{client, html},\n    words, add::cover};\n\
                #[cfg(test)]\nmod tests { use crate::tui; }\n";
    assert_eq!(
        named(text).into_iter().collect::<Vec<_>>(),
        ["add", "edgar", "library", "text", "words"]
    );
}
