//! What questions find, and what is said of them, among real filings.

mod common;
mod corpus;

use corpus::{corpus, open};
use tenleaf::search::{Engine, Outcome, Settings, search};

/// A library of the companies of [`corpus`], or `None` where the shared data is not there.
fn engine() -> Option<(tempfile::TempDir, Engine)> {
    common::shared("financebench")?;
    let dir = tempfile::tempdir().unwrap();
    let engine = open(&corpus(dir.path()).0);
    Some((dir, engine))
}

fn ask(engine: &Engine, question: &str) -> Outcome {
    search(engine, question, &Settings::default())
}

#[test]
fn the_figure_of_a_part_comes_from_its_own_row() {
    let Some((_dir, engine)) = engine() else {
        return;
    };
    for (question, figure) in [
        ("AMD data center revenue 2022", "6,043"),
        ("AMD operating income of the Embedded segment 2022", "2,252"),
        ("3M health care segment net sales 2018", "6,021"),
        ("3M FY2018 sales in Latin America and Canada", "3,024"),
        ("Best Buy international segment gross profit 2022", "938"),
        // The company's own, though its segments have rows.
        ("3M total net sales 2018", "32,765"),
        ("Best Buy gross profit 2022", "11,640"),
    ] {
        let outcome = ask(&engine, question);
        let first = &outcome.ranked[0];
        let text = engine.library.page(first.page).unwrap().text;
        assert!(
            text.contains(figure),
            "{question}: {} p. {}",
            first.doc_name,
            first.page.page
        );
    }
}

#[test]
fn without_a_period_the_latest_filings_come_first() {
    let Some((_dir, engine)) = engine() else {
        return;
    };
    let year = |page: tenleaf::library::PageId| engine.library.filing(page.filing).year().unwrap();
    for (company, latest) in [("3M", 2023), ("AMD", 2022), ("Best Buy", 2023)] {
        for question in [
            format!("{company} properties"),
            format!("Who audits {company}?"),
            format!("Who competes with {company}?"),
        ] {
            let outcome = ask(&engine, &question);
            let first = &outcome.ranked[0];
            assert!(
                year(first.page) + 2 >= latest,
                "{question}: {}",
                first.doc_name
            );
            let sum: f64 = first.reasons.iter().map(|reason| reason.contribution).sum();
            assert!((sum - first.score).abs() < 1e-9, "{question}");
        }
    }
    // A year that is asked is asked.
    let outcome = ask(&engine, "Who audited Pfizer in 2018?");
    assert_eq!(year(outcome.ranked[0].page), 2018);
}

#[test]
fn notes_tell_what_may_be_meant() {
    let Some((_dir, engine)) = engine() else {
        return;
    };
    for (question, note) in [
        (
            "Pfizer subscribrs 2021",
            "\"subscribrs\" stands in no filing of this library: did you mean \"subscribers\"?",
        ),
        (
            "3M opiod settlement",
            "\"opiod\" stands in no filing of this library: did you mean \"opioid\"?",
        ),
        (
            "Pfizer vs Sanofi R&D 2021",
            "the library has no company called Sanofi: only filings of Pfizer are searched",
        ),
        (
            "Best Buy revenue 2022",
            "fiscal 2022 of Best Buy here ended January 29, 2022; the year after is BESTBUY_2023_10K",
        ),
        (
            "revenue of AMD, Pfizer and 3M from 2011 to 2022",
            "no ranking of its own for 2011 to 2014: too many are asked",
        ),
    ] {
        let outcome = ask(&engine, question);
        assert!(
            outcome.notes.iter().any(|said| said == note),
            "{question}: {:?}",
            outcome.notes
        );
    }
    for question in [
        "AMD FCF 2022",
        "Pfizer and 3M revenue 2022",
        "AMD revenue 2022",
        "3M PFAS",
        "revenue in fiscal 2022",
    ] {
        let notes = ask(&engine, question).notes;
        let meant = |note: &String| {
            note.contains("did you mean") || note.contains("stands in") || note.contains("ended")
        };
        assert!(!notes.iter().any(meant), "{question}: {notes:?}");
    }
    let outcome = ask(&engine, "revenue of AMD, Pfizer and 3M from 2011 to 2022");
    let years: Vec<u16> = outcome
        .groups
        .iter()
        .filter_map(|group| group.year)
        .collect();
    assert_eq!((years.len(), years[0], years[23]), (24, 2015, 2022));
}
