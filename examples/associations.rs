//! Learns `assets/associations.tsv` from a library: `cargo run --release --example associations -- LIBRARY > assets/associations.tsv`.

use std::path::Path;

use anyhow::{Context, Result};
use tenleaf::library::{Library, PageId};
use tenleaf::question::{Tables, associations};

fn main() -> Result<()> {
    let root = std::env::args()
        .nth(1)
        .context("usage: associations LIBRARY")?;
    let library = Library::open(Path::new(&root))?;
    let pages = library
        .filings()
        .iter()
        .enumerate()
        .flat_map(|(n, filing)| {
            let library = &library;
            (0..filing.pages).map(move |page| {
                let id = PageId {
                    filing: n as u32,
                    page,
                };
                let text = library.page(id).map(|page| page.text).unwrap_or_default();
                (filing.company.as_str(), text)
            })
        });
    print!("{}", associations::learn(&Tables::builtin(), pages));
    Ok(())
}
