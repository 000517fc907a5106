//! The workbench over a small library: every view at every size, what keys do, and that no
//! sequence of actions ends badly.

use crossterm::event::Event;
use proptest::prelude::*;
use ratatui::style::Modifier;

use super::action::{ACTIONS, Action};
use super::app::{Effect, Focus, Overlay, Screen};
use super::side::Task;
use super::testing::{Bench, MODES};
use super::theme::Colours;
use super::update::Message;

const SIZES: [(u16, u16); 5] = [(200, 60), (120, 40), (80, 24), (20, 5), (1, 1)];
const QUESTION: &str = "What were Acme's net sales in FY2022? See the income statement.";

/// The states worth a picture.
fn states(width: u16, height: u16) -> Vec<(&'static str, Bench)> {
    let bench = || Bench::new(width, height);
    let asked = || {
        let mut bench = bench();
        bench.press(&["ctrl-o"]).type_text("0001").press(&["enter"]);
        bench
    };
    let closed = Bench::closed(width, height, Colours::True);
    let mut states = vec![("opening", closed), ("empty", bench()), ("asked", asked())];
    let mut add = |name, keys: &[&str]| {
        let mut bench = asked();
        bench.press(keys);
        states.push((name, bench));
    };
    add("switched", &["4"]);
    add("page", &["enter", "n"]);
    add("page_beside", &["z", "enter", "n"]);
    add("funnel", &["backtab", "k"]);
    add("chips", &["backtab", "backtab", "x"]);
    add("why", &["W"]);
    add("why_reading", &["enter", "W"]);
    add("help", &["?"]);
    add("help_reading", &["enter", "?"]);
    add("export_to", &["e", "enter"]);
    add("fetch", &["f12"]);
    add("add", &["A"]);
    add("palette", &[":"]);
    add("questions", &["Q"]);
    add("filings", &["F", "tab"]);
    add("scope", &["a"]);
    add("export", &["e"]);
    add("find", &["/"]);
    add("quiet", &["X", "2", "3"]);
    states
}

#[test]
fn every_view_at_every_size() {
    for (width, height) in SIZES {
        let pictures: Vec<String> = states(width, height)
            .iter()
            .map(|(name, bench)| format!("=== {name}\n{}", bench.screen()))
            .collect();
        insta::assert_snapshot!(format!("{width}x{height}"), pictures.join("\n"));
    }
}

#[test]
fn every_view_at_every_size_in_every_colour_mode() {
    let mut lines = Vec::new();
    for (width, height) in SIZES {
        for (name, mut bench) in states(width, height) {
            for (mode, colours) in MODES {
                let looks = bench.looks(colours);
                lines.push(format!("{width}x{height} {name} {mode}: {looks}"));
            }
        }
    }
    insta::assert_snapshot!("looks", lines.join("\n"));
}

/// Runs of cells with their colour and modifiers.
#[test]
fn what_stands_out_in_every_colour_mode() {
    for (name, colours) in MODES {
        let mut bench = Bench::with(120, 40, colours);
        bench
            .press(&["ctrl-o"])
            .type_text("0001")
            .press(&["enter", "4"]);
        let mut runs: Vec<String> = Vec::new();
        let mut last = None;
        for cell in &bench.buffer().content {
            let style = (cell.fg, cell.bg, cell.modifier);
            match last == Some(style) {
                true => runs.last_mut().unwrap().push_str(cell.symbol()),
                false => runs.push(format!(
                    "{:?} {:?}: {}",
                    cell.fg,
                    cell.modifier,
                    cell.symbol()
                )),
            }
            last = Some(style);
        }
        let told: Vec<&str> = runs
            .iter()
            .map(|r| r.trim_end())
            .filter(|r| !r.ends_with(':'))
            .collect();
        insta::assert_snapshot!(format!("colours_{name}"), told.join("\n"));
    }
}

#[test]
fn every_view_draws_at_any_size() {
    for width in [0, 1, 2, 3, 7, 19, 39, 40, 79, 99, 100, 101, 250] {
        for height in [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 29, 30, 31] {
            for (_, bench) in states(width, height) {
                bench.buffer();
            }
        }
    }
}

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
fn q_leaves_outside_text_and_ctrl_c_everywhere() {
    let mut bench = Bench::new(80, 24);
    bench.type_text("q");
    assert!(bench.effects.is_empty());
    bench.press(&["esc", "q"]);
    assert!(matches!(bench.effects[..], [Effect::Quit]));
    for keys in [
        &["ctrl-c"][..],
        &["esc", "?", "ctrl-c"],
        &["ctrl-p", "ctrl-c"],
        &["esc", "/", "ctrl-c"],
    ] {
        let mut bench = Bench::new(80, 24);
        bench.press(keys);
        assert!(matches!(bench.effects[..], [Effect::Quit]), "{keys:?}");
    }
}

#[test]
fn filings_are_opened_paged_and_set_as_scope() {
    let mut bench = Bench::new(120, 40);
    bench
        .press(&["esc", "F"])
        .type_text("bolt")
        .press(&["enter"]);
    assert!(
        bench
            .screen()
            .contains("Bolt & Nut 10-Q 2022 Q2  PDF p. 1 of 3")
    );
    bench.press(&["]", "]", "]"]);
    let screen = bench.screen();
    assert!(
        screen.contains("PDF p. 3 of 3") && screen.contains("this is the last page"),
        "{screen}"
    );
    assert!(screen.contains("this page has no text"));
    bench.press(&["p"]).type_text("p1").press(&["enter"]);
    assert!(bench.screen().contains("PDF p. 2 of 3 · printed 1"));
    bench.press(&["p"]).type_text("9").press(&["enter"]);
    assert!(
        bench
            .screen()
            .contains("error: no page 9: this filing has pages 1 to 3")
    );
    bench
        .press(&["F"])
        .type_text("2021")
        .press(&["tab", "enter"]);
    assert_eq!(bench.app.settings.scope.filings, ["ACME_2021_10K"]);
    assert!(bench.screen().contains("filing = ACME_2021_10K"));
    bench.press(&["X"]);
    assert!(bench.app.settings.scope.is_empty());
}

#[test]
fn chips_are_removed_pinned_and_added() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("net sales of Acme in 2022").press(&["tab"]);
    assert_eq!(bench.app.focus, Focus::Chips);
    bench.press(&["x"]);
    assert!(bench.screen().contains("company Acme ignored"));
    bench.press(&["x", "p"]);
    assert!(bench.screen().contains("company = Acme"));
    bench.press(&["a"]).type_text("balance").press(&["enter"]);
    assert!(bench.screen().contains("statement = balance sheet"));
    bench.press(&["a"]).type_text("2021-2022").press(&["enter"]);
    assert!(bench.screen().contains("year = FY2021–2022"));
    assert_eq!(bench.app.settings.scope.years, Some((2021, 2022)));
}

#[test]
fn every_facet_is_added_by_a_fuzzy_pick_and_removed() {
    for (typed, chip) in [
        ("company bolt", "company = Bolt & Nut"),
        ("year 2021", "year = FY2021"),
        ("quarter 2", "quarter = Q2"),
        ("form 10q", "form = 10-Q"),
        ("filing acme 2021", "filing = ACME_2021_10K"),
        ("statement cash", "statement = cash flow statement"),
        ("item 7a", "item = Item 7A"),
    ] {
        let mut bench = Bench::new(120, 40);
        bench.type_text("net sales").press(&["esc", "a"]);
        bench.type_text(typed).press(&["enter"]);
        assert!(bench.screen().contains(chip), "{typed}: {}", bench.screen());
        bench.press(&["backtab", "backtab", "x"]);
        assert!(bench.app.settings.scope.is_empty(), "{typed}");
    }
}

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
    assert!(bench.screen().contains("all lines kept whole"));
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
fn what_is_typed_before_the_library_is_open_is_asked_then() {
    let mut bench = Bench::closed(120, 40, Colours::True);
    assert!(bench.screen().contains("opening the library …"));
    bench.type_text("net sales of Acme").press(&["enter", "Q"]);
    assert!(bench.screen().contains("the library is still being opened"));
    bench.open(std::sync::Arc::new(super::testing::Fake::new()), Vec::new());
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
fn esc_goes_to_the_pages_and_stays_there() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("net sales").press(&["esc"]);
    assert_eq!(bench.app.focus, Focus::Ranking);
    bench.press(&["esc"]);
    assert_eq!(bench.app.focus, Focus::Ranking);
    let screen = bench.screen();
    assert!(
        screen.contains("i goes to the question line, q leaves"),
        "{screen}"
    );
    assert_eq!(bench.app.line.text(), "net sales");
    bench.press(&["esc", "q"]);
    assert!(matches!(bench.effects[..], [Effect::Quit]));
}

#[test]
fn help_commands_and_leaving_work_while_typing() {
    for (width, height) in [(80, 24), (200, 60)] {
        let mut bench = Bench::new(width, height);
        bench.type_text("net sales");
        let foot = bench.screen().lines().last().unwrap().to_string();
        for hint in ["F1 help", "Ctrl-C quit", "Ctrl-P commands"] {
            assert!(foot.contains(hint), "{hint}: {foot}");
        }
        bench.press(&["f1"]);
        assert!(matches!(bench.app.overlay, Some(Overlay::Help { .. })));
        bench.press(&["esc", "ctrl-p"]);
        assert!(matches!(bench.app.overlay, Some(Overlay::Picker(_))));
        bench.press(&["esc", "ctrl-c"]);
        assert!(matches!(bench.effects[..], [Effect::Quit]));
    }
}

#[test]
fn the_help_is_wrapped_not_cut() {
    for width in [40, 60, 80, 99] {
        let mut bench = Bench::new(width, 400);
        bench.press(&["esc", "?"]);
        let screen = bench.screen();
        let mut inside = screen.lines().filter(|row| row.contains('│'));
        assert!(inside.all(|row| !row.contains('…')), "{screen}");
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
fn the_palette_reaches_every_action_of_the_panes() {
    let mut bench = Bench::new(80, 24);
    bench.press(&["ctrl-p"]);
    let Some(Overlay::Picker(picker)) = &bench.app.overlay else {
        panic!("no palette");
    };
    let offered: Vec<Action> = picker
        .items
        .iter()
        .filter_map(|i| match i.value {
            super::picker::Value::Action(action) => Some(action),
            _ => None,
        })
        .collect();
    let missing: Vec<&str> = ACTIONS
        .iter()
        .filter(|i| i.places.meets(super::action::Where::BENCH) && !offered.contains(&i.action))
        .map(|i| i.name)
        .filter(|name| !["palette", "back"].contains(name) && !name.starts_with("line-"))
        .collect();
    assert_eq!(
        missing,
        [
            "word-left",
            "word-right",
            "delete-back",
            "delete-forward",
            "delete-word-back",
            "delete-word-forward",
            "cut-to-start",
            "cut-to-end",
            "yank",
            "undo",
            "redo"
        ],
        "only line editing is left out"
    );
    bench.type_text("citation").press(&["enter"]);
    assert!(bench.effects.is_empty(), "no page is open yet");
    bench
        .type_text("net sales of Acme")
        .press(&["ctrl-p"])
        .type_text("citation")
        .press(&["enter"]);
    assert!(
        matches!(&bench.effects[..], [Effect::Copy { text, .. }] if text.starts_with("Acme, 10-K FY20"))
    );
}

#[test]
fn without_colours_every_mark_is_still_there() {
    let mut bench = Bench::with(200, 60, Colours::None);
    bench
        .press(&["ctrl-o"])
        .type_text("dev")
        .press(&["enter", "/"])
        .type_text("gross")
        .press(&["enter"]);
    let coloured = bench.styled(|s| {
        s.fg.is_some_and(|c| c != ratatui::style::Color::Reset)
            || s.bg.is_some_and(|c| c != ratatui::style::Color::Reset)
    });
    assert_eq!(coloured, "");
    assert_eq!(
        bench.styled(|s| s.add_modifier.contains(Modifier::REVERSED)),
        "Gross"
    );
    let screen = bench.screen();
    assert!(screen.contains("★") && screen.contains("labelled") && screen.contains("▌"));
    let marked = bench.styled(|s| {
        s.add_modifier
            .contains(Modifier::UNDERLINED | Modifier::BOLD)
    });
    assert!(marked.contains("sales"), "{marked}");
}

#[test]
fn the_help_shows_every_key() {
    let mut bench = Bench::new(120, 250);
    bench.press(&["esc", "?"]);
    let screen = bench.screen();
    for info in ACTIONS {
        assert!(
            screen.contains(&info.words[..info.words.len().min(50)]),
            "{} is not in the help",
            info.name
        );
    }
}

#[test]
fn the_demo_says_so_and_names_the_key_that_fetches() {
    let mut bench = Bench::new(120, 40);
    assert!(
        bench
            .screen()
            .contains("demo library · F12 fetches the 360 FinanceBench filings (about 575 MB)")
    );
    // So much is asked first.
    bench.press(&["f12"]);
    let screen = bench.screen();
    assert!(
        screen.contains("fetch 360 filings into financebench (about 575 MB"),
        "{screen}"
    );
    for no in ["n", "esc"] {
        bench.press(&[no, "f12"]);
        assert!(bench.effects.is_empty());
    }
    bench.press(&["x", "y"]);
    assert!(matches!(bench.effects[..], [Effect::Work(Task::Fetch)]));
    bench.effects.clear();
    bench.press(&["f12", "enter"]);
    assert!(matches!(bench.effects[..], [Effect::Work(Task::Fetch)]));
    let job = super::app::Job {
        what: "fetching filings".into(),
        words: "12 of 575 MB · 3.1 MB/s · 2:15 left".into(),
        ..Default::default()
    };
    bench.message(Message::Job(Some(job), None));
    assert!(
        bench
            .screen()
            .contains("fetching filings: 12 of 575 MB · 3.1 MB/s · 2:15 left · F12 stops")
    );
    bench.press(&["f12"]);
    assert!(matches!(
        bench.effects[..],
        [Effect::Work(Task::Fetch), Effect::StopWork]
    ));
    assert!(bench.screen().contains("fetching filings: stopping"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// 40 runs of 250 actions are 10,000; text, pastes and resizes come between.
    #[test]
    fn no_sequence_of_actions_ends_badly(
        steps in prop::collection::vec((0..ACTIONS.len(), 0..12u8, "\\PC{0,6}"), 250),
        size in prop::sample::select(SIZES.to_vec()),
    ) {
        let mut bench = Bench::new(size.0, size.1);
        for (action, other, text) in steps {
            match other {
                0 => { bench.type_text(&text); }
                1 => bench.message(Message::Input(Event::Paste(text))),
                2 => {
                    let (width, height) = SIZES[action % SIZES.len()];
                    bench.message(Message::Input(Event::Resize(width, height)));
                }
                3 => { bench.type_text("Acme net sales 2022 "); }
                4 => { bench.press(&["esc", "esc"]); }
                _ => {
                    let action = ACTIONS[action].action;
                    // Only what keys can reach here is asked of the workbench.
                    if action.info().places.meets(bench.app.place()) {
                        bench.act(action);
                    }
                }
            }
            bench.buffer();
        }
        // Never stuck: from anywhere two Esc and q leave.
        bench.effects.clear();
        bench.press(&["esc", "esc"]);
        // The error analysis lies over the workbench.
        while bench.app.screen == Screen::Analysis {
            bench.press(&["esc"]);
        }
        if bench.app.focus == Focus::Question {
            bench.press(&["esc"]);
        }
        bench.press(&["q"]);
        prop_assert!(matches!(bench.effects.last(), Some(Effect::Quit)));
    }
}

#[test]
fn a_long_line_for_the_user_is_shown_whole() {
    let mut bench = Bench::new(80, 24);
    let words = "/home/someone/data/models/libonnxruntime.so is ONNX Runtime 1.22.1; 1.24 or later is needed: \
                 get it with `tenleaf model fetch`";
    bench.app.tell_error(words);
    let screen = bench.screen();
    let rows: Vec<&str> = screen.lines().collect();
    let told = format!("{} {}", rows[22].trim(), rows[23].trim());
    assert_eq!(told, format!("error: {words}"));
}

#[test]
fn filings_are_added_beside_the_work_and_only_what_is_missing_is_asked() {
    let mut bench = Bench::new(120, 40);
    bench.press(&["ctrl-n"]);
    bench.type_text("~/filings").press(&["enter"]);
    assert!(
        matches!(&bench.effects[..], [Effect::Work(Task::Add { line, .. })] if line == "~/filings")
    );
    let job = super::app::Job {
        what: "adding filings".into(),
        words: "1 of 2 · added: Acme 10-K FY2022".into(),
        ..Default::default()
    };
    bench.message(Message::Job(Some(job.clone()), None));
    assert!(bench.screen().contains("adding filings: 1 of 2 · added"));
    // Another task waits until this one has ended.
    bench
        .press(&["ctrl-n"])
        .type_text("x.pdf")
        .press(&["enter"]);
    assert!(
        bench
            .screen()
            .contains("adding filings goes on: F12 stops it")
    );
    let ask = |bench: &mut Bench| {
        let (answer, answers) = std::sync::mpsc::channel();
        let words = "note.pdf: Which company is it of?".into();
        bench.message(Message::Asked(super::side::Asked { words, answer }));
        answers
    };
    let answers = ask(&mut bench);
    assert!(bench.screen().contains("note.pdf: Which company is it of?"));
    bench.type_text("Acme").press(&["enter"]);
    assert_eq!(answers.recv(), Ok(Some("Acme".into())));
    // Esc leaves the file out.
    let answers = ask(&mut bench);
    bench.press(&["esc"]);
    assert_eq!(answers.recv(), Ok(None));
    // Who types a question is not disturbed: the key answers.
    bench.type_text("net");
    let answers = ask(&mut bench);
    bench.type_text(" sales");
    assert_eq!(bench.app.line.text(), "net sales");
    assert!(
        bench
            .screen()
            .contains("a question waits · Ctrl-N answers it")
    );
    bench.press(&["ctrl-n"]).type_text("Acme").press(&["enter"]);
    assert_eq!(answers.recv(), Ok(Some("Acme".into())));
    // The work ends: what it asked is gone with it.
    let answers = ask(&mut bench);
    bench.message(Message::Job(None, Some(("mine: 1 added".into(), false))));
    assert!(answers.recv().is_err());
    assert!(bench.screen().contains("mine: 1 added"));
}

#[test]
fn a_library_is_picked_and_the_question_asked_again() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("net sales").press(&["alt-l"]);
    assert!(matches!(bench.effects[..], [Effect::ListLibraries]));
    let shelf = |name: &str| super::side::Shelf {
        name: name.into(),
        filings: 3,
        pages: 1234,
    };
    bench.message(Message::Libraries(vec![shelf("demo"), shelf("mine")]));
    assert!(bench.screen().contains("3 filings · 1,234 pages"));
    bench.type_text("mi").press(&["enter"]);
    assert!(matches!(&bench.effects[1..], [Effect::Work(Task::Open(name))] if name == "mine"));
    bench.app.settings.scope.filings = vec!["ONLY_IN_THE_DEMO".into()];
    bench.message(Message::Opened(super::app::Opened {
        name: "mine".into(),
        finder: std::sync::Arc::new(super::testing::Fake::new()),
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
            assert!(
                screen.contains("Why Acme 10-K FY2022 · PDF p. "),
                "{screen}"
            );
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
fn commands_are_found_by_the_words_people_use() {
    for word in ["why", "score", "signal"] {
        let mut bench = Bench::new(80, 24);
        bench.type_text("net sales").press(&["esc", ":"]);
        bench.type_text(word);
        let screen = bench.screen();
        assert!(
            screen.contains("why this page is ranked here"),
            "{word}: {screen}"
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
    bench.press(&["g"]);
    assert!(!bench.screen().contains("score: "));
}

#[test]
fn the_help_opens_at_what_can_be_done_here_and_gives_back_what_it_covered() {
    let first = |bench: &Bench| {
        let screen = bench.screen();
        let row = screen.lines().nth(1).unwrap();
        row.trim_matches(['│', ' ']).to_string()
    };
    let asked = || {
        let mut bench = Bench::new(80, 24);
        bench.press(&["ctrl-o"]).type_text("0001").press(&["enter"]);
        bench
    };
    for (keys, section) in [
        (&["i", "f1"][..], "The question line"),
        (&["backtab", "backtab", "?"], "The scope"),
        (&["?"], "Ranked pages and the page"),
        (&["enter", "?"], "Ranked pages and the page"),
        (&["W", "?"], "Ranked pages and the page"),
        (&["E", "?"], "Error analysis"),
        (&["a", "f1"], "In a list with a filter"),
        (&["/", "f1"], "In a list with a filter"),
    ] {
        let mut bench = asked();
        bench.press(keys);
        assert_eq!(first(&bench), section, "{keys:?}");
    }
    let mut bench = asked();
    bench.press(&["a"]).type_text("bolt").press(&["f1", "esc"]);
    let Some(Overlay::Picker(picker)) = &bench.app.overlay else {
        panic!("the list is gone");
    };
    assert_eq!(picker.filter.text(), "bolt");
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
fn adding_names_the_library_and_another_can_be_chosen() {
    let mut bench = Bench::new(80, 24);
    bench.type_text("net sales").press(&["esc", "A"]);
    let screen = bench.screen();
    assert!(
        screen.contains(
            "adds to financebench: its evaluation results will differ · Tab a new library"
        ),
        "{screen}"
    );
    bench.type_text("./x.pdf").press(&["tab"]);
    assert!(matches!(bench.effects[..], [Effect::ListLibraries]));
    bench.effects.clear();
    let shelf = |name: &str| super::side::Shelf {
        name: name.into(),
        filings: 3,
        pages: 1234,
    };
    bench.message(Message::Libraries(vec![
        shelf("demo"),
        shelf("financebench"),
    ]));
    bench.type_text("mine");
    assert!(
        bench.screen().contains("a new library"),
        "{}",
        bench.screen()
    );
    bench.press(&["enter"]);
    let screen = bench.screen();
    assert!(
        screen.contains("adds to mine · Tab another library"),
        "{screen}"
    );
    // What was typed is still there.
    bench.press(&["enter"]);
    assert!(matches!(
        &bench.effects[..],
        [Effect::Work(Task::Add { line, library })] if line == "./x.pdf" && library == "mine"
    ));
    bench.press(&["A", "tab"]);
    bench.message(Message::Libraries(vec![shelf("financebench")]));
    bench.type_text("no/name").press(&["enter"]);
    assert!(
        bench
            .screen()
            .contains("error: \"no/name\" cannot name a library")
    );
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
                .then(|| "no filing in the library".to_string()),
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
        bench.press(&["G"]);
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
            matches!(&bench.effects[..], [Effect::Copy { text, .. }] if text.starts_with("Acme, 10-K FY2021, PDF p. 1"))
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
