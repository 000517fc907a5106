//! What is said of an answer beside its pages.

use std::path::Path;

use tenleaf::library::{Library, PageQuality, PageText, TextSource, demo};
use tenleaf::question::Tables;
use tenleaf::search::{Engine, Settings, search};

fn open(root: &Path) -> Engine {
    Engine::open(root, Tables::builtin(), &|_, _| {})
        .expect("opens")
        .0
}

/// The demo and a filing of Acme's with these pages, from text of this kind.
fn with_acme(dir: &Path, text_from: TextSource, pages: &[PageText]) -> Engine {
    demo::install(dir).unwrap();
    let library = Library::open(dir).unwrap();
    let mut filing = library.filings()[0].clone();
    filing.doc_name = "ACME_2022_10K".to_string();
    filing.company = "Acme".to_string();
    filing.fiscal_year = Some(2022);
    filing.text_from = text_from;
    Library::put(dir, &mut filing, pages).unwrap();
    Library::refresh(dir).unwrap();
    open(dir)
}

fn page(text: &str, quality: PageQuality) -> PageText {
    PageText {
        text: text.to_string(),
        quality,
    }
}

#[test]
fn a_filing_without_text_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let pages = [
        page("", PageQuality::Empty),
        page("Gsv qfrxp yildm ulc", PageQuality::Garbage),
    ];
    let engine = with_acme(dir.path(), TextSource::Pdf, &pages);
    let notes = |question: &str| search(&engine, question, &Settings::default()).notes;
    let said = "ACME_2022_10K: no page has text that can be read, so nothing is found there";
    let about_acme = notes("Acme's net sales in 2022");
    assert!(about_acme.iter().any(|note| note == said), "{about_acme:?}");
    let about_nike = notes("Nike's gross profit in FY2022");
    assert!(about_nike.iter().all(|note| note != said), "{about_nike:?}");
}

#[test]
fn a_filing_whose_tables_run_by_column_says_so_where_a_figure_is_asked_for() {
    let pages = [page(
        "Net sales\nCost of sales\n4,120\n3,001",
        PageQuality::Ok,
    )];
    let said = "ACME_2022_10K: its text may give a table one column after the other; check figures in the PDF";
    for (text_from, question, told) in [
        (TextSource::Text, "Acme's net sales in 2022", true),
        (
            TextSource::Text,
            "Who founded Acme, in its 2022 10-K?",
            false,
        ),
        (TextSource::Pdf, "Acme's net sales in 2022", false),
        (TextSource::Text, "Nike's gross profit in FY2022", false),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let engine = with_acme(dir.path(), text_from, &pages);
        let notes = search(&engine, question, &Settings::default()).notes;
        assert_eq!(
            notes.iter().any(|note| note == said),
            told,
            "{question}: {notes:?}"
        );
    }
}
