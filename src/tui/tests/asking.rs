//! The question line: typed, picked, remembered, asked under other switches.

use std::sync::Arc;

use crossterm::event::Event;
use ratatui::style::Modifier;

use super::QUESTION;
use crate::tui::app::{Effect, Focus};
use crate::tui::side::Task;
use crate::tui::testing::{Bench, Fake};
use crate::tui::theme::Colours;
use crate::tui::update::Message;

#[test]
fn typing_narrows_at_once_and_marks_what_was_read() {
    let mut bench = Bench::new(200, 60);
    bench.type_text("net sales of Acme");
    let outcome = bench.app.outcome().unwrap();
    assert_eq!(outcome.question, "net sales of Acme");
    assert_eq!(outcome.funnel[1].filings, 2);
    let read = bench.styled(|s| {
        s.add_modifier.contains(Modifier::UNDERLINED) && !s.add_modifier.contains(Modifier::BOLD)
    });
    assert!(read.starts_with("Acme"), "{read}");
    bench.type_text(" in 2022");
    assert_eq!(bench.app.outcome().unwrap().funnel[2].filings, 1);
}

#[test]
fn a_picked_question_fills_the_line_and_knows_its_labels() {
    let mut bench = Bench::new(200, 60);
    bench.press(&["ctrl-o"]).type_text("dev").press(&["enter"]);
    assert_eq!(bench.app.line.text(), QUESTION);
    assert_eq!(bench.app.focus, Focus::Ranking);
    let screen = bench.screen();
    assert!(screen.contains("labelled page at rank 1"), "{screen}");
    assert!(screen.contains("★  1 Acme 10-K FY2022"), "{screen}");
    assert!(screen.contains("▌ Net sales "), "{screen}");
    // Another question has other labels.
    bench.press(&["i"]).type_text("x");
    assert!(bench.app.labels.is_none());
}

#[test]
fn a_switch_tells_what_moved() {
    let mut bench = Bench::new(200, 60);
    bench
        .press(&["ctrl-o"])
        .type_text("dev")
        .press(&["enter", "4"]);
    let screen = bench.screen();
    assert!(screen.contains("routing off: labelled page "), "{screen}");
    assert!(screen.contains("F4 ○ routing off"), "{screen}");
    bench.press(&["4"]);
    assert!(bench.screen().contains("F4 ● routing on"));
}

#[test]
fn switches_work_while_typing() {
    let mut bench = Bench::new(200, 60);
    bench.type_text("net sales 2");
    assert!(
        bench.app.settings.company,
        "a digit is text in the question"
    );
    bench.press(&["f2", "f3", "f5", "f6", "f7", "f8", "f9"]);
    let s = &bench.app.settings;
    assert!(
        !s.lean && !s.company && !s.year && !s.form && !s.strip_names && !s.signals && !s.several
    );
    assert_eq!(s.retriever, crate::search::Retriever::Hybrid);
    assert_eq!(bench.app.line.text(), "net sales 2");
}

#[test]
fn a_paste_is_text_wherever_the_keys_go() {
    let mut bench = Bench::new(80, 24);
    bench.press(&["esc"]);
    bench.message(Message::Input(Event::Paste(
        "What were\nAcme's sales?\nq\n".into(),
    )));
    assert_eq!(bench.app.line.text(), "What were Acme's sales? q");
    assert_eq!(bench.app.focus, Focus::Question);
    assert!(bench.effects.is_empty(), "{:?}", bench.effects);
}

#[test]
fn what_is_typed_before_the_library_is_open_is_asked_then() {
    let mut bench = Bench::closed(120, 40, Colours::True);
    assert!(bench.screen().contains("opening the library …"));
    bench.type_text("net sales of Acme").press(&["enter", "Q"]);
    assert!(bench.screen().contains("the library is still being opened"));
    bench.open(
        std::sync::Arc::new(crate::tui::testing::Fake::new()),
        Vec::new(),
    );
    assert_eq!(bench.app.outcome().unwrap().question, "net sales of Acme");
    assert!(
        bench.screen().contains("3 filings · 9 pages"),
        "{}",
        bench.screen()
    );
}

#[test]
fn without_a_question_nothing_is_ranked_and_examples_invite() {
    for (width, height) in [(80, 24), (200, 60)] {
        let mut bench = Bench::new(width, height);
        let screen = bench.screen();
        assert!(
            screen.contains("What were Acme's net sales in FY2022?"),
            "{screen}"
        );
        assert!(
            screen.contains("Ctrl-O  pick one of 2 questions"),
            "{screen}"
        );
        assert!(!screen.contains("0.00"), "{screen}");
        bench.type_text("net sales");
        assert!(bench.screen().contains("▸    1 "));
        bench.press(&["ctrl-u"]);
        assert!(bench.screen().contains("Type a question"));
    }
}

#[test]
fn the_empty_line_suggests_what_this_library_can_answer() {
    let hint = |bench: &Bench| -> String {
        let screen = bench.screen();
        let row = screen.lines().find(|row| row.contains("› ask about"));
        row.unwrap_or_default().to_string()
    };
    let bench = Bench::new(80, 24);
    assert!(hint(&bench).ends_with("filings: What was Acme's revenue in FY2022?"));
    // Before it is open nothing is known of it.
    let closed = Bench::closed(80, 24, Colours::True);
    assert!(hint(&closed).ends_with("a company's filings"));
}

#[test]
fn a_long_question_shows_its_end_while_it_is_written_and_its_start_else() {
    let mut bench = Bench::new(80, 24);
    bench.type_text(&format!("first {}last", "word ".repeat(60)));
    assert!(bench.screen().contains("last") && !bench.screen().contains("first"));
    bench.press(&["esc"]);
    let screen = bench.screen();
    assert!(
        screen.contains("› first") && !screen.contains("last"),
        "{screen}"
    );
    assert!(screen.lines().nth(2).unwrap().ends_with('…'), "{screen}");
}

#[test]
fn history_is_walked_and_remembered() {
    let mut bench = Bench::new(80, 24);
    for question in ["first", "second"] {
        bench
            .press(&["ctrl-u"])
            .type_text(question)
            .press(&["enter", "i"]);
    }
    bench
        .press(&["ctrl-u"])
        .type_text("draft")
        .press(&["up", "up"]);
    assert_eq!(bench.app.line.text(), "first");
    bench.press(&["down", "down"]);
    assert_eq!(bench.app.line.text(), "draft");
    bench.press(&["down"]);
    assert_eq!(bench.app.focus, Focus::Ranking);
    assert_eq!(
        bench
            .effects
            .iter()
            .filter(|e| matches!(e, Effect::Remember))
            .count(),
        2
    );
}

#[test]
fn searches_are_saved_and_called_again() {
    let mut bench = Bench::new(80, 24);
    bench
        .type_text("net sales")
        .press(&["f2", "esc", "s"])
        .type_text("mine")
        .press(&["enter"]);
    bench.press(&["i", "ctrl-u", "f2", "esc", "S", "enter"]);
    assert_eq!(bench.app.line.text(), "net sales");
    assert!(!bench.app.settings.company);
    bench.press(&["S", "alt-x"]);
    assert!(bench.app.memory.saved.is_empty());
}

#[test]
fn a_library_is_picked_and_the_question_asked_again() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("net sales").press(&["alt-l"]);
    assert!(matches!(bench.effects[..], [Effect::ListLibraries]));
    let shelf = |name: &str| crate::tui::side::Shelf {
        name: name.into(),
        filings: 3,
        pages: 1234,
        fetched: false,
    };
    bench.message(Message::Libraries(vec![shelf("demo"), shelf("mine")]));
    assert!(bench.screen().contains("3 filings · 1,234 pages"));
    bench.type_text("mi").press(&["enter"]);
    assert!(matches!(&bench.effects[1..], [Effect::Work(Task::Open(name))] if name == "mine"));
    bench.app.settings.scope.filings = vec!["ONLY_IN_THE_DEMO".into()];
    bench.message(Message::Opened(crate::tui::app::Opened {
        name: "mine".into(),
        finder: std::sync::Arc::new(crate::tui::testing::Fake::new()),
        questions: Vec::new(),
        rungs: Vec::new(),
        demo: false,
    }));
    let answer = bench.app.answer.as_ref().expect("asked again");
    assert_eq!(answer.outcome.question, "net sales");
    assert!(bench.app.settings.scope.filings.is_empty());
    assert!(bench.screen().contains("tenleaf  mine · "));
}

#[test]
fn the_switch_bar_names_the_keys_that_work() {
    let switches = [
        ("company", '2'),
        ("period", '3'),
        ("routing", '4'),
        ("names", '5'),
        ("signals", '6'),
        ("several", '8'),
        ("lean", '9'),
    ];
    for (width, screen) in [(80, ""), (120, ""), (80, "E"), (120, "E")] {
        for (name, key) in switches {
            let mut bench = Bench::new(width, 40);
            bench.press(&["ctrl-o"]).type_text("0001").press(&["enter"]);
            bench.type_text(screen);
            let shown = bench.screen();
            assert!(shown.contains(&format!("{key}●{name}")), "{shown}");
            bench.press(&[&key.to_string()]);
            let shown = bench.screen();
            assert!(shown.contains(&format!("{key}○{name}")), "{shown}");
            bench.press(&[&format!("f{key}")]);
            let shown = bench.screen();
            assert!(shown.contains(&format!("{key}●{name}")), "{shown}");
        }
    }
    // While typing a digit is text: the function keys are named.
    let mut bench = Bench::new(80, 24);
    bench.type_text("net sales");
    assert!(
        bench.screen().contains("F8●several F9●lean"),
        "{}",
        bench.screen()
    );
}

#[test]
fn notes_are_wrapped_in_a_few_rows_and_what_is_left_out_is_told() {
    let notes = [
        "the library has no company called Tesla or Zorgon: all filings are searched",
        "the library has no filing for 2031: 2024 is searched, the nearest year",
        "52 of the 136 pages in scope are not embedded yet and have no part in the ranking by meaning",
    ];
    let with = |width, height, notes: &[&str]| {
        let mut bench = Bench::new(width, height);
        bench.type_text("net sales");
        let answer = bench.app.answer.as_mut().unwrap();
        let mut outcome = (*answer.outcome).clone();
        outcome.notes = notes.iter().map(|note| note.to_string()).collect();
        answer.outcome = Arc::new(outcome);
        bench.screen()
    };
    // The rows of the pane without what stands beside it.
    let rows = |screen: &str| -> String {
        let rows = screen
            .lines()
            .map(|row| row.split('│').next().unwrap_or_default().trim());
        rows.collect::<Vec<_>>().join(" ")
    };
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let screen = with(width, height, &notes[..1]);
        assert!(
            rows(&screen).contains(notes[0]),
            "{width}x{height}:\n{screen}"
        );
        assert!(rows(&with(width, height, &notes[..2])).contains("the nearest year"));
        let all = with(width, height, &notes);
        let noted = all
            .lines()
            .filter(|row| row.contains("Tesla") || row.contains("2031"));
        assert!(noted.count() >= 1, "{all}");
        assert!(
            all.contains("  net sales") || all.contains("Acme 10-K"),
            "pages stay: {all}"
        );
    }
    assert!(with(120, 40, &notes).contains("…"), "what is cut is told");
}

#[test]
fn a_library_that_changed_on_disk_is_opened_again_on_a_key() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let changed = Arc::new(Fake::new().changed());
        let mut bench = Bench::over(changed, Fake::questions(), width, height);
        bench.press(&["ctrl-o"]).type_text("0001").press(&["enter"]);
        let screen = bench.screen();
        assert!(screen.contains("changed on disk: r opens it"), "{screen}");
        bench.press(&["i"]);
        assert!(bench.screen().contains("changed on disk: Alt-r opens it"));
        bench.press(&["alt-r"]);
        let [Effect::Work(Task::Open(library))] = &bench.effects[..] else {
            panic!("{:?}", bench.effects);
        };
        assert_eq!(library, "demo");
        // Open again: the question is asked anew, its labels hold, nothing more is told.
        bench.open(Arc::new(Fake::new()), Fake::questions());
        assert_eq!(bench.app.outcome().unwrap().question, QUESTION);
        assert!(bench.app.labels.is_some());
        assert!(!bench.screen().contains("changed on disk"));
    }
}

#[test]
fn a_library_opened_again_leaves_the_reader_where_they_are() {
    let mut bench = Bench::over(Arc::new(Fake::new()), Fake::questions(), 80, 12);
    bench.type_text("net sales").press(&["esc", "j", "j"]);
    let named = |bench: &Bench| {
        let at = bench.app.page.wanted.expect("a page");
        (
            bench.app.filing(at.filing).unwrap().doc_name.clone(),
            at.page,
        )
    };
    // Among the ranked pages the selected one stays selected.
    let (page, selected) = (named(&bench), bench.app.selected);
    assert_eq!(selected, 2);
    bench.open(Arc::new(Fake::new()), Fake::questions());
    assert_eq!((named(&bench), bench.app.selected), (page, selected));
    // In a page its place stays, also where the filing has another ordinal by now.
    let statement = ("ACME_2022_10K".to_string(), 2);
    bench.press(&["k", "k"]);
    for _ in 0..6 {
        if named(&bench) != statement {
            bench.press(&["j"]);
        }
    }
    assert_eq!(named(&bench), statement, "{}", bench.screen());
    bench.press(&["enter"]);
    bench.screen();
    bench.press(&["G"]);
    bench.screen();
    let top = bench.app.page.top;
    assert!(top > 0, "it scrolls: {}", bench.screen());
    bench.open(Arc::new(Fake::new().without_first()), Fake::questions());
    bench.screen();
    assert_eq!(named(&bench), statement);
    assert_eq!(bench.app.page.top, top);
    assert_eq!(bench.app.page.wanted.unwrap().filing, 0);
    assert!(
        bench
            .app
            .page
            .text()
            .contains("Consolidated Statement of Income")
    );
    // The filing is gone: the first page listed.
    bench.open(
        Arc::new(Fake::new().without_first().without_first()),
        Fake::questions(),
    );
    assert_eq!(bench.app.selected, 0);
    assert_eq!(named(&bench).0, "BOLT_2022Q2_10Q");
    // A question typed next goes to its first page again.
    bench.press(&["i", "ctrl-u"]).type_text("net loss");
    assert_eq!(bench.app.selected, 0);
}
