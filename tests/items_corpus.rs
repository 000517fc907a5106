//! Items over the 10-Ks and 10-Qs of the corpus.

mod common;

use std::path::Path;

use tenleaf::library::Form;
use tenleaf::structure::{items, printed_pages};

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
    let Some(shared) = common::shared("") else {
        return;
    };
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
        let items = items(&texts, Form::TenK, &printed_pages(&texts));
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

/// Pages (1-based) on which Items 1, 1A, 7, 7A and 8 begin, read off the filings by eye.
const BY_HAND: [(&str, [usize; 5]); 20] = [
    ("3M_2018_10K", [4, 10, 15, 51, 52]),
    ("ADOBE_2020_10K", [3, 24, 42, 58, 61]),
    ("AES_2017_10K", [7, 47, 70, 105, 108]),
    ("AMAZON_2019_10K", [3, 6, 19, 32, 34]),
    ("AMCOR_2021_10K", [6, 12, 26, 45, 47]),
    ("AMD_2016_10K", [3, 15, 37, 54, 56]),
    ("AMERICANEXPRESS_2022_10K", [4, 25, 43, 91, 91]),
    ("APPLE_2016_10K", [4, 11, 25, 39, 41]),
    ("BESTBUY_2018_10K", [4, 7, 28, 51, 53]),
    ("BLOCK_2020_10K", [5, 18, 57, 77, 79]),
    ("BOEING_2021_10K", [3, 9, 25, 58, 59]),
    ("COCACOLA_2017_10K", [4, 12, 30, 71, 73]),
    ("CORNING_2019_10K", [2, 12, 24, 53, 53]),
    ("COSTCO_2015_10K", [3, 8, 19, 30, 31]),
    ("JOHNSON_JOHNSON_2018_10K", [7, 11, 22, 39, 40]),
    ("JPMORGAN_2022_10K", [3, 11, 36, 36, 37]),
    ("MICROSOFT_2019_10K", [3, 17, 32, 50, 51]),
    ("PFIZER_2017_10K", [5, 24, 40, 40, 40]),
    ("PG_E_2020_10K", [14, 33, 60, 108, 109]),
    ("WALMART_2022_10K", [6, 15, 34, 47, 49]),
];

#[test]
fn items_as_read_by_eye() {
    let Some(shared) = common::shared("") else {
        return;
    };
    for (name, want) in BY_HAND {
        let pages = pages(&shared.join(format!("financebench/pages/{name}.jsonl.zst")));
        let texts: Vec<&str> = pages.iter().map(String::as_str).collect();
        let items = items(&texts, Form::TenK, &printed_pages(&texts));
        let page_of = |item: &str| {
            let starts = |page: &tenleaf::structure::PageItems| {
                page.spans
                    .iter()
                    .any(|span| span.starts && span.def.item == item)
            };
            items.iter().position(starts).map(|page| page + 1)
        };
        let got = ["1", "1A", "7", "7A", "8"].map(|item| page_of(item).unwrap_or_default());
        assert_eq!(got, want, "{name}");
    }
}

/// Statements and discussion that an Item puts off to the end of the report belong to it all the same.
#[test]
fn what_stands_behind_the_last_item() {
    let Some(shared) = common::shared("") else {
        return;
    };
    for (name, page, want) in [
        ("PFIZER_2017_10K", 140, Some("7")),
        ("PFIZER_2017_10K", 230, Some("8")),
        ("VERIZON_2018_10K", 80, Some("7")),
        ("VERIZON_2018_10K", 120, Some("8")),
        ("CORNING_2018_10K", 90, Some("8")),
        ("ULTABEAUTY_2023_10K", 55, Some("8")),
        ("PFIZER_2017_10K", 60, None),
        ("PFIZER_2017_10K", 1, None),
    ] {
        let pages = pages(&shared.join(format!("financebench/pages/{name}.jsonl.zst")));
        let texts: Vec<&str> = pages.iter().map(String::as_str).collect();
        let items = items(&texts, Form::TenK, &printed_pages(&texts));
        let got = items[page - 1].main().map(|def| def.item.as_str());
        assert_eq!(got, want, "{name} p. {page}");
    }
}
