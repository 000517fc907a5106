//! Items over the 10-Ks and 10-Qs of the corpus.

use std::path::{Path, PathBuf};

use tenleaf::library::Form;
use tenleaf::structure::items;

/// The folder of test data, where it is.
fn shared() -> Option<PathBuf> {
    let root = std::env::var_os("TENLEAF_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    if !root.is_dir() {
        println!("skipped: {} is not there", root.display());
        return None;
    }
    Some(root)
}

fn pages(path: &Path) -> Vec<String> {
    let raw = zstd::decode_all(std::fs::File::open(path).unwrap()).unwrap();
    let raw = String::from_utf8(raw).unwrap();
    let text = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["text"].as_str().unwrap().to_string()
    };
    raw.lines().map(text).collect()
}

/// At least 95 % of the 10-Ks have their five main Items, found in the form's order.
#[test]
fn main_items_of_the_10ks() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("financebench/pages");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("10K"))
        .collect();
    names.sort();
    let mut found = 0;
    for name in &names {
        let pages = pages(&folder.join(name));
        let texts: Vec<&str> = pages.iter().map(String::as_str).collect();
        let items = items(&texts, Form::TenK);
        let starts: Vec<&str> = items
            .iter()
            .flat_map(|page| &page.spans)
            .filter(|span| span.starts)
            .map(|span| span.def.item.as_str())
            .filter(|item| ["1", "1A", "7", "7A", "8"].contains(item))
            .collect();
        match starts == ["1", "1A", "7", "7A", "8"] {
            true => found += 1,
            false => println!("{name}: {starts:?}"),
        }
        if std::env::var_os("TENLEAF_SHOW_ITEMS").is_some() {
            let mut now = None;
            print!("{name}:");
            for (page, items) in items.iter().enumerate() {
                let main = items.main().map(|def| def.item.as_str());
                if main != now {
                    print!(" {}@{}", main.unwrap_or("-"), page + 1);
                    now = main;
                }
            }
            println!();
        }
    }
    println!("{found} of {}", names.len());
    assert!(
        found * 100 >= names.len() * 95,
        "{found} of {}",
        names.len()
    );
}
