//! What is looked for, of questions of every kind.

use super::*;
use crate::question::read;

#[test]
fn words_that_people_add_to_a_metric_are_not_looked_for() {
    let tables = Tables::builtin();
    let prepared = Prepared::new(&tables);
    for (question, own, bare) in [
        ("R&D spend", &["r&d"][..], true),
        ("R&D", &["r&d"], true),
        ("capex spending in 2022", &["capex"], true),
        // Of no metric, and what filings print.
        ("spend on airline fuel", &["spend", "airlin", "fuel"], false),
        ("capital spending", &["capit"], true),
        ("R&D expense", &["r&d", "expens"], true),
        ("interest on R&D", &["interest", "r&d"], false),
        ("R&D in Q2 2022", &["r&d", "2"], true),
        ("income statement", &["incom"], true),
        ("Q2 2022", &["2"], false),
    ] {
        let reading = read(&tables, &[], question);
        let settings = Settings::default();
        let stems = &mut Stems::default();
        let query = build(&tables, &prepared, question, &reading, &settings, stems);
        assert_eq!(query.own_terms(), own, "{question}");
        assert_eq!(query.bare, bare, "{question}");
    }
}

#[test]
fn what_names_the_filing_is_not_looked_for_on_its_pages() {
    let tables = Tables::builtin();
    let prepared = Prepared::new(&tables);
    for (question, own, names, numbers) in [
        (
            "Layoffs in January 2023 at Kenvue",
            &["layoff", "januari", "kenvu"][..],
            &["kenvu"][..],
            &[][..],
        ),
        (
            "8-K on a new chief of Tower",
            &["new", "chief", "tower"],
            &["tower"],
            &[],
        ),
        (
            "the FY2022 10-K on data centers",
            &["data", "center"],
            &[],
            &[],
        ),
        (
            "Q2 growth above 3.5",
            &["2", "growth", "abov", "3.5"],
            &[],
            &["3.5"],
        ),
        ("notes due 2031 at 5%", &["note", "due", "5"], &[], &[]),
        ("all 12 stores", &["all", "12", "store"], &[], &["12"]),
    ] {
        let reading = read(&tables, &[], question);
        let settings = Settings::default();
        let stems = &mut Stems::default();
        let query = build(&tables, &prepared, question, &reading, &settings, stems);
        let terms = |ids: &[u16]| -> Vec<&str> {
            ids.iter()
                .map(|&n| query.universe[n as usize].as_str())
                .collect()
        };
        assert_eq!(query.own_terms(), own, "{question}");
        assert_eq!(terms(&query.names), names, "{question}");
        assert_eq!(terms(&query.numbers), numbers, "{question}");
    }
}

#[test]
fn exact_phrases_begin_and_end_with_words_that_count() {
    let tables = Tables::builtin();
    let prepared = Prepared::new(&tables);
    let cases: &[(&str, &[&str])] = &[
        (
            "What was the cost of goods sold?",
            &["cost of good", "cost of good sell"],
        ),
        ("Is growth, margin, leverage named?", &[]),
        ("share repurchase program", &["share repurchas program"]),
        ("", &[]),
    ];
    for (question, want) in cases {
        let query = build(
            &tables,
            &prepared,
            question,
            &Reading::default(),
            &Settings::default(),
            &mut Stems::default(),
        );
        let shown = |phrase: &usize| -> String {
            let words = query.phrases[*phrase].iter();
            let words: Vec<&str> = words
                .map(|&w| query.universe[w as usize].as_str())
                .collect();
            words.join(" ")
        };
        let found: Vec<String> = query.exact.iter().map(shown).collect();
        assert_eq!(found, *want, "{question:?}");
    }
}

#[test]
fn a_figure_leans_to_tables_whatever_is_routed() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
            dir.path().join("mine.toml"),
            "[[metric]]\nid = \"load_factor\"\ntriggers = ['load factor']\nstatements = []\nphrases = [\"load factor\"]\n",
        )
        .unwrap();
    let tables = Tables::load(Some(dir.path())).unwrap();
    let prepared = Prepared::new(&tables);
    let routed = Settings::default();
    let not_routed = Settings {
        routing: false,
        ..Settings::default()
    };
    let mut ignored = Settings::default();
    ignored.scope.ignore = vec![crate::search::Facet::Statement];
    let mut by_hand = Settings::default();
    by_hand.scope.statements = vec![Statement::Income];
    let (figures, prose) = (Some(Lean::Tables), Some(Lean::Prose));
    for (question, settings, lean, asks_sum) in [
        ("How much is gross profit?", &routed, figures, false),
        ("How much is gross profit?", &not_routed, figures, false),
        ("How much is gross profit?", &ignored, figures, false),
        ("Show the balance sheet", &not_routed, figures, false),
        // A metric that stands in no statement.
        (
            "How much is the load factor worth?",
            &routed,
            figures,
            false,
        ),
        ("Why did the load factor fall?", &routed, prose, false),
        ("Why did gross profit fall?", &not_routed, prose, false),
        ("How much does the arena cost?", &routed, prose, true),
        ("How much does the arena cost?", &not_routed, prose, true),
        ("How much does the arena cost?", &by_hand, figures, false),
    ] {
        let reading = crate::question::read(&tables, &[], question);
        let query = build(
            &tables,
            &prepared,
            question,
            &reading,
            settings,
            &mut Stems::default(),
        );
        assert_eq!((query.lean, query.asks_sum), (lean, asks_sum), "{question}");
    }
}

#[test]
fn words_beyond_the_most_are_counted_and_known_ones_still_count() {
    let tables = Tables::builtin();
    let prepared = Prepared::new(&tables);
    // "zaak zabk ... zclk "
    let word = |n: u8| format!("z{}{}k ", (b'a' + n / 26) as char, (b'a' + n % 26) as char);
    let mut question: String = (0..MOST_OWN_TERMS as u8).map(word).collect();
    for (more, left_out, pairs) in [
        ("", 0, MOST_OWN_TERMS - 1),
        // A pair that was there, then one that was not.
        ("unseen zack zadk ", 1, MOST_OWN_TERMS - 1),
        ("vacuum zafk zadk ", 2, MOST_OWN_TERMS),
    ] {
        question += more;
        let query = build(
            &tables,
            &prepared,
            &question,
            &Reading::default(),
            &Settings::default(),
            &mut Stems::default(),
        );
        assert_eq!(query.own, MOST_OWN_TERMS);
        assert_eq!(query.own_words.len(), MOST_OWN_TERMS);
        assert_eq!(query.words_left_out, left_out, "{more:?}");
        assert_eq!(query.pairs.len(), pairs, "{more:?}");
    }
}
