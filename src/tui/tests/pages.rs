//! The ranked pages and the page: read, searched, explained, taken away.

use std::sync::Arc;

use crossterm::event::Event;

use crate::tui::action::Action;
use crate::tui::app::{Effect, Focus, Overlay};
use crate::tui::testing::Bench;
use crate::tui::update::Message;

#[test]
fn wide_tables_are_kept_whole_and_scrolled_sideways() {
    let mut bench = Bench::new(40, 24);
    bench
        .type_text("Acme net sales income statement 2022")
        .press(&["esc", "enter", "g"]);
    let row = |bench: &Bench| {
        let screen = bench.screen();
        let row = screen.lines().find(|l| l.contains("Cost of sales"));
        row.map(str::to_string).expect("the row of the table")
    };
    let cut = row(&bench);
    assert!(
        cut.ends_with('…') && !cut.contains("731"),
        "cut, and told: {cut}"
    );
    bench.message(Message::Input(Event::Resize(60, 24)));
    assert!(bench.screen().contains("more →"), "{}", bench.screen());
    bench.message(Message::Input(Event::Resize(40, 24)));
    bench.press(&["l", "l", "l", "l", "l", "l"]);
    let screen = bench.screen();
    assert!(screen.contains("731        702        690"), "{screen}");
    bench.act(Action::ScrollRight);
    assert_eq!(bench.screen(), screen, "the end is the end");
    bench.press(&["w"]);
    assert!(bench.screen().contains("every line as it is"));
    bench.press(&["w", "h", "h", "h", "h", "h", "h"]);
    assert_eq!(row(&bench), cut);
}

#[test]
fn the_page_is_read_over_the_whole_width_or_beside_the_ranking() {
    let mut bench = Bench::new(200, 60);
    bench.type_text("Acme net sales 2022").press(&["esc"]);
    assert!(
        bench.screen().contains("Score"),
        "what the score is made of"
    );
    bench.press(&["enter"]);
    let screen = bench.screen();
    assert!(
        screen.contains("▸ Page") && !screen.contains("│"),
        "{screen}"
    );
    assert!(screen.contains("rank 1"), "{screen}");
    // A switch reorders the ranking out of sight: what moved is told.
    bench.press(&["4"]);
    assert!(bench.screen().contains("routing off: "));
    bench.press(&["z"]);
    let screen = bench.screen();
    assert!(
        screen.contains("│") && screen.contains("Funnel"),
        "{screen}"
    );
}

#[test]
fn a_page_with_the_text_of_one_above_it_says_so() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut bench = Bench::new(width, height);
        bench.type_text("Acme net sales 2022").press(&["esc"]);
        assert!(!bench.screen().contains("same text"));
        bench.app.answer.as_mut().unwrap().same_text[1] = Some(1);
        let screen = bench.screen();
        assert_eq!(screen.matches("same text as 1 · ").count(), 1, "{screen}");
    }
}

#[test]
fn find_steps_through_the_page() {
    let mut bench = Bench::new(120, 40);
    bench
        .type_text("Acme income statement 2022")
        .press(&["esc", "/"])
        .type_text("1,2")
        .press(&["enter"]);
    let screen = bench.screen();
    assert!(screen.contains("find 1 of 2"), "{screen}");
    bench.press(&["n"]);
    assert!(bench.screen().contains("find 2 of 2"));
    bench.press(&["esc"]);
    assert!(!bench.screen().contains("find 2"));
}

#[test]
fn why_a_page_is_ranked_is_told_on_a_key_at_any_size() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut bench = Bench::new(width, height);
        bench.type_text("Acme net sales 2022").press(&["esc"]);
        let foot = bench.screen().lines().last().unwrap().to_string();
        assert!(foot.contains("W why"), "{foot}");
        let mut answer = bench.app.answer.clone().unwrap();
        let mut outcome = (*answer.outcome).clone();
        let parts = [
            ("words of the question", 1.25),
            ("speaks of next year", -0.5),
        ];
        outcome.ranked[0].reasons = parts
            .into_iter()
            .map(|(words, contribution)| crate::search::Reason {
                signal: words.into(),
                words: words.into(),
                value: 1.0,
                weight: contribution,
                contribution,
            })
            .collect();
        outcome.ranked[0].score = 0.75;
        let page = outcome.ranked[0].clone();
        answer.outcome = std::sync::Arc::new(outcome);
        bench.app.answer = Some(answer);
        let all = |bench: &Bench| {
            let screen = bench.screen();
            for reason in &page.reasons {
                assert!(screen.contains(&reason.words), "{screen}");
                let part = format!("{:+.2}", reason.contribution);
                assert!(screen.contains(&part), "{part}: {screen}");
            }
            let sum: f64 = page.reasons.iter().map(|r| r.contribution).sum();
            assert!((sum - page.score).abs() < 1e-9);
            let row = screen
                .lines()
                .find(|row| row.contains("score: the sum of the 2 parts"));
            let row = row.unwrap_or_else(|| panic!("{screen}"));
            assert!(row.contains(&format!("{sum:.2}")), "{row}");
            assert!(screen.contains("Why Acme 10-K FY2022  PDF p. "), "{screen}");
        };
        bench.press(&["W"]);
        all(&bench);
        // The next ranked page, without closing it.
        bench.press(&["J"]);
        assert_eq!(bench.app.selected, 1);
        assert!(bench.screen().contains("rank 2 ─"), "{}", bench.screen());
        bench.press(&["K", "W"]);
        assert!(bench.app.overlay.is_none());
        // While it is read; while the question is typed.
        bench.press(&["enter", "W"]);
        all(&bench);
        bench.press(&["esc", "esc", "i", "alt-w"]);
        all(&bench);
        bench.press(&["esc"]);
        // A page that is not ranked says so.
        bench.press(&["esc", "esc", "F"]).type_text("bolt");
        bench.press(&["enter", "W"]);
        assert!(
            bench.screen().contains("This page has "),
            "{}",
            bench.screen()
        );
    }
}

#[test]
fn what_does_not_fit_the_why_is_scrolled_to() {
    let mut bench = Bench::new(20, 3);
    bench.type_text("Acme net sales 2022").press(&["esc", "W"]);
    assert!(!bench.screen().contains("score: "));
    bench.press(&["G"]);
    assert!(bench.screen().contains("score: "), "{}", bench.screen());
    // Back from the end at once, row by row.
    for back in ["k", "ctrl-u", "g"] {
        bench.press(&["G"]);
        let end = bench.screen();
        bench.press(&[back]);
        assert_ne!(bench.screen(), end, "{back}");
    }
    assert!(!bench.screen().contains("score: "));
}

#[test]
fn a_line_for_the_user_lies_over_the_page_never_in_it() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut bench = Bench::new(width, height);
        bench
            .press(&["ctrl-o"])
            .type_text("0001")
            .press(&["enter", "z", "enter"]);
        let words = format!(
            "https://example.com/{}: see it",
            "x".repeat(usize::from(width))
        );
        bench.app.tell_error(words.clone());
        let screen = bench.screen();
        let rows: Vec<&str> = screen.lines().collect();
        let told: String = rows[rows.len() - 3..].concat();
        let start = told.find("error:").unwrap_or_else(|| panic!("{screen}"));
        let letters = |text: &str| text.replace(' ', "");
        assert_eq!(letters(&told[start..]), letters(&format!("error: {words}")));
    }
}

#[test]
fn what_is_copied_is_counted_with_the_list_of_each_year() {
    use crate::search::{Group, Missing};
    let mut bench = Bench::new(120, 40);
    bench.type_text("Acme net sales 2022").press(&["esc", "C"]);
    let copied = |bench: &mut Bench| match bench.effects.pop() {
        Some(Effect::Copy { what, text }) => (what, text.matches("\n1. **").count()),
        other => panic!("nothing copied: {other:?}"),
    };
    let alone = bench.app.outcome().unwrap().ranked.len();
    assert_eq!(copied(&mut bench), (format!("{alone} ranked pages"), 1));
    let answer = bench.app.answer.as_mut().unwrap();
    let mut outcome = (*answer.outcome).clone();
    let group = |year: u16, pages: usize| Group {
        label: year.to_string(),
        year: Some(year),
        company: None,
        ranked: outcome.ranked[..pages].to_vec(),
        missing: (pages == 0).then_some(Missing::NoPage),
    };
    outcome.groups = vec![group(2020, 0), group(2021, 1), group(2022, 2)];
    answer.outcome = Arc::new(outcome);
    bench.press(&["C"]);
    let all = alone + 3;
    assert_eq!(
        copied(&mut bench),
        (format!("{all} ranked pages in 3 lists"), 3)
    );
}

#[test]
fn an_export_names_its_file_and_never_takes_anothers_place() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::new(120, 40);
    bench.app.export_dir = dir.path().to_path_buf();
    bench.type_text("net sales of Acme").press(&["esc", "e"]);
    assert!(bench.screen().contains("tenleaf-net-sales-of-acme.csv"));
    bench.press(&["enter"]);
    let offered = dir.path().join("tenleaf-net-sales-of-acme.md");
    let line = |bench: &Bench| match &bench.app.overlay {
        Some(Overlay::Prompt(prompt)) => prompt.line.text().to_string(),
        _ => panic!("no prompt: {}", bench.screen()),
    };
    assert_eq!(line(&bench), offered.display().to_string());
    // A name that is taken is told, and a free one offered.
    std::fs::write(dir.path().join("mine.md"), "precious").unwrap();
    bench.press(&["ctrl-u"]).type_text("mine").press(&["enter"]);
    assert!(bench.effects.is_empty());
    assert!(
        bench.screen().contains("is there already"),
        "{}",
        bench.screen()
    );
    let free = dir.path().join("mine-2.md");
    assert_eq!(line(&bench), free.display().to_string());
    bench.press(&["enter"]);
    assert!(
        matches!(&bench.effects[..], [Effect::Write { path, text }] if *path == free && text.contains("Acme"))
    );
    bench.effects.clear();
    bench.press(&["e", "enter", "esc"]);
    assert!(bench.effects.is_empty());
}

#[test]
fn pages_of_each_year_or_company_are_selected_and_read() {
    for (width, height) in [(80, 24), (120, 40), (200, 60), (40, 8)] {
        let mut bench = Bench::new(width, height);
        bench.type_text("Acme net sales 2022").press(&["esc"]);
        let mut answer = bench.app.answer.clone().unwrap();
        let mut outcome = (*answer.outcome).clone();
        let group = |label: &str, filing: u32, pages: &[u32]| crate::search::Group {
            label: label.into(),
            year: None,
            company: None,
            ranked: pages
                .iter()
                .enumerate()
                .map(|(n, &page)| crate::search::RankedPage {
                    rank: n + 1,
                    page: crate::library::PageId { filing, page },
                    score: 5.0 - n as f64,
                    ..outcome.ranked[0].clone()
                })
                .collect(),
            missing: pages
                .is_empty()
                .then_some(crate::search::Missing::NoFiling {
                    company: None,
                    years: None,
                }),
        };
        let groups = vec![
            group("Acme 2021", 0, &[1, 0]),
            group("Acme 2020", 0, &[]),
            group("Bolt 2022", 2, &[1, 0]),
        ];
        outcome.groups = groups;
        answer.outcome = std::sync::Arc::new(outcome);
        let ranked = answer.outcome.ranked.len();
        bench.app.answer = Some(answer);
        if width >= 80 {
            // That there is more than the ten pages, and how to get there.
            let screen = bench.screen();
            assert!(
                screen.contains("· G on to the lines by year and company")
                    || screen.contains("· G: by year and company"),
                "{screen}"
            );
        }
        bench.press(&["G"]);
        assert!(!bench.screen().contains("by year and company"));
        assert_eq!(bench.app.selected, ranked + 3);
        assert!(
            bench.screen().contains("▸ Bolt 2022:"),
            "{}",
            bench.screen()
        );
        assert!(bench.screen().contains("2, [1]"), "{}", bench.screen());
        bench.press(&["k", "k"]);
        assert!(
            bench.screen().contains("▸ Acme 2021:"),
            "{}",
            bench.screen()
        );
        let read = bench.app.page.shown.as_ref().unwrap().page;
        assert_eq!((read.filing, read.page), (0, 0));
        // It is copied, explained and read as any other.
        bench.press(&["y"]);
        assert!(
            matches!(&bench.effects[..], [Effect::Copy { text, .. }] if text.starts_with("ACME_2021_10K  PDF p. 1 · "))
        );
        bench.press(&["k", "W"]);
        if width >= 80 {
            let screen = bench.screen();
            assert!(screen.contains("Acme 2021: rank 1"), "{screen}");
            assert!(screen.contains("5.00"), "{screen}");
        }
        bench.press(&["esc", "enter"]);
        assert_eq!(bench.app.focus, Focus::Page);
        bench.press(&["K"]);
        assert_eq!(bench.app.selected, ranked - 1);
    }
}

#[test]
fn a_page_without_a_word_of_the_question_says_what_it_is_ranked_for() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("income statement of Acme, volumes");
    let answer = bench.app.answer.as_mut().unwrap();
    let mut outcome = (*answer.outcome).clone();
    outcome.ranked[0].reasons[0].words = "income statement, named in the question".into();
    answer.outcome = std::sync::Arc::new(outcome);
    assert!(bench.screen().contains(" match"));
    bench.app.page.shown.as_mut().unwrap().marks.clear();
    let screen = bench.screen();
    assert!(!screen.contains("no match"), "{screen}");
    assert!(
        screen.contains("income statement, named in the question"),
        "{screen}"
    );
}
