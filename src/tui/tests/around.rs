//! Round the panes: help, commands, notices, work in the background, leaving.

use crate::tui::action::{ACTIONS, Action};
use crate::tui::app::{Effect, Focus, Notice, Overlay};
use crate::tui::side::Task;
use crate::tui::testing::Bench;
use crate::tui::update::Message;
use crossterm::event::Event;

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
            crate::tui::picker::Value::Action(action) => Some(action),
            _ => None,
        })
        .collect();
    let missing: Vec<&str> = ACTIONS
        .iter()
        .filter(|i| {
            i.places.meets(crate::tui::action::Where::BENCH) && !offered.contains(&i.action)
        })
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
        matches!(&bench.effects[..], [Effect::Copy { text, .. }] if text.starts_with("ACME_20"))
    );
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
fn the_help_comes_back_from_its_end_at_once() {
    for (width, height) in [(200, 60), (80, 24), (30, 8)] {
        let mut bench = Bench::new(width, height);
        bench.press(&["esc", "?", "G"]);
        let end = bench.screen();
        bench.press(&["pagedown", "j"]);
        assert_eq!(bench.screen(), end);
        bench.press(&["k"]);
        let above = bench.screen();
        assert_ne!(above, end, "{width}x{height}");
        bench.press(&["j"]);
        assert_eq!(bench.screen(), end);
        // A terminal grown since then has its end elsewhere.
        bench.message(Message::Input(Event::Resize(width + 60, height + 6)));
        let end = bench.screen();
        bench.press(&["k"]);
        assert_ne!(bench.screen(), end);
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
    // Enter, which is pressed for so much else, is no yes: the question stands.
    bench.press(&["f12", "enter", "enter"]);
    assert!(bench.effects.is_empty());
    assert!(bench.screen().contains("fetch 360 filings into"));
    bench.press(&["Y"]);
    assert!(matches!(bench.effects[..], [Effect::Work(Task::Fetch)]));
    assert!(bench.app.overlay.is_none());
    let job = crate::tui::app::Job {
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

#[test]
fn where_filings_are_the_demo_points_to_them_and_nothing_whole_is_fetched_again() {
    let shelf = |name: &str, fetched| crate::tui::side::Shelf {
        name: name.into(),
        filings: 360,
        pages: 53_361,
        fetched,
    };
    let listed = |shelves: &[crate::tui::side::Shelf], width| {
        let mut bench = Bench::new(width, 40);
        bench.message(Message::Libraries(shelves.to_vec()));
        assert!(bench.app.overlay.is_none(), "nobody asked for the list");
        bench
    };
    // The demo alone, or beside libraries without filings of the benchmark.
    let mut bench = listed(&[shelf("demo", false)], 120);
    assert!(bench.screen().contains("F12 fetches the 360"));
    bench.press(&["f12"]);
    assert!(bench.screen().contains("fetch 360 filings into"));
    let mut bench = listed(&[shelf("demo", false), shelf("mine", false)], 120);
    assert!(bench.screen().contains("demo library · Alt-l goes to mine"));
    bench.press(&["f12"]);
    assert!(bench.screen().contains("fetch 360 filings into"));
    for width in [80, 120, 200] {
        let here = [shelf("demo", false), shelf("financebench", true)];
        let mut bench = listed(&here, width);
        let screen = bench.screen();
        assert!(screen.contains("Alt-l goes to financebench"), "{screen}");
        bench.press(&["esc"]);
        assert!(bench.screen().contains("· L goes to financebench"));
        bench.press(&["f12"]);
        assert!(bench.app.overlay.is_none());
        let screen = bench.screen();
        assert!(
            screen.contains("the 360 FinanceBench filings are here, in financebench: L goes there"),
            "{screen}"
        );
        // In that library there is nowhere to go.
        (bench.app.demo, bench.app.library) = (false, "financebench".into());
        bench.press(&["f12"]);
        let screen = bench.screen();
        assert!(screen.contains("are here, in financebench;"), "{screen}");
        assert!(!screen.contains("goes to"), "{screen}");
    }
    // What came meanwhile is looked for when a question is asked.
    let mut bench = Bench::new(120, 40);
    bench.type_text("net sales").press(&["enter"]);
    assert!(matches!(bench.effects.last(), Some(Effect::ListLibraries)));
}

#[test]
fn a_name_that_is_not_there_is_out_of_the_way_of_the_next() {
    let line = |bench: &Bench| match &bench.app.overlay {
        Some(Overlay::Prompt(prompt)) => prompt.line.text().to_string(),
        _ => panic!("no prompt: {}", bench.screen()),
    };
    let failed = |words: &str| {
        let mut bench = Bench::new(120, 40);
        bench
            .press(&["ctrl-n"])
            .type_text("./raport.pdf")
            .press(&["enter"]);
        bench.message(Message::Job(None, Some(Notice::error(words))));
        bench.press(&["ctrl-n"]);
        bench
    };
    let mut bench = failed("failed: ./raport.pdf: there is no such file");
    assert_eq!(line(&bench), "");
    bench.press(&["ctrl-_"]);
    assert_eq!(line(&bench), "./raport.pdf", "undo brings it back");
    bench.press(&["ctrl-u"]);
    bench.type_text("./report.pdf").press(&["enter"]);
    assert!(matches!(
        bench.effects.last(),
        Some(Effect::Work(Task::Add { line, .. })) if line == "./report.pdf"
    ));
    // Another failure may pass: the same is tried again.
    let bench = failed("failed: ./raport.pdf: it is damaged");
    assert_eq!(line(&bench), "./raport.pdf");
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
    let job = crate::tui::app::Job {
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
        bench.message(Message::Asked(crate::tui::side::Inquiry { words, answer }));
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
    bench.message(Message::Job(None, Some(Notice::of("mine: 1 added"))));
    assert!(answers.recv().is_err());
    assert!(bench.screen().contains("mine: 1 added"));
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
fn commands_for_where_you_are_come_first_and_leaving_last() {
    use crate::tui::picker::Value;
    let offered = |keys: &[&str]| -> Vec<Action> {
        let mut bench = Bench::new(120, 40);
        bench.press(&["ctrl-o"]).type_text("0001").press(&["enter"]);
        bench.press(keys);
        let Some(Overlay::Picker(picker)) = &bench.app.overlay else {
            panic!("no palette");
        };
        let action = |item: &crate::tui::picker::Item| match item.value {
            Value::Action(action) => action,
            _ => panic!("no command"),
        };
        picker.items.iter().map(action).collect()
    };
    for (keys, first) in [
        (&["i", "ctrl-p"][..], Action::Submit),
        (&[":"], Action::Open),
        (&["enter", ":"], Action::Why),
        (&["backtab", "backtab", ":"], Action::AddChip),
        (&["E", ":"], Action::NextMiss),
    ] {
        let offered = offered(keys);
        assert_eq!(offered[0], first, "{keys:?}");
        let last = &offered[offered.len() - 2..];
        let leaves = |action: &Action| matches!(action, Action::Leave | Action::Quit);
        assert!(last.iter().all(leaves), "{keys:?}: {last:?}");
    }
    // Enter at once does no harm.
    let mut bench = Bench::new(120, 40);
    bench.type_text("net sales").press(&["ctrl-p", "enter"]);
    assert!(!bench.effects.iter().any(|e| matches!(e, Effect::Quit)));
    assert_eq!(bench.app.focus, Focus::Ranking);
}

#[test]
fn commands_are_found_by_their_words_of_the_footer_and_by_name() {
    for keys in [&["i", "ctrl-p"][..], &["esc", ":"]] {
        for info in ACTIONS {
            let bench_wide = info.places.meets(crate::tui::action::Where::PANES);
            if !bench_wide || matches!(info.action, Action::Palette | Action::Back) {
                continue;
            }
            for typed in [info.short, info.name] {
                let mut bench = Bench::new(120, 40);
                bench.type_text("net sales").press(&["esc"]).press(keys);
                bench.type_text(&typed.replace('-', " "));
                let Some(Overlay::Picker(picker)) = &bench.app.overlay else {
                    panic!("no palette");
                };
                let found = picker.matches.iter().map(|m| &picker.items[m.index].value);
                let action = crate::tui::picker::Value::Action(info.action);
                assert!(found.into_iter().any(|v| *v == action), "{typed}");
                bench.buffer();
            }
        }
        // While typing, too, Enter does it.
        let mut bench = Bench::new(120, 40);
        bench.type_text("net sales").press(&["esc"]).press(keys);
        bench.type_text("export").press(&["enter"]);
        assert!(
            bench.screen().contains("Export the ranked pages"),
            "{}",
            bench.screen()
        );
    }
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
    let shelf = |name: &str| crate::tui::side::Shelf {
        name: name.into(),
        filings: 3,
        pages: 1234,
        fetched: false,
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
fn what_is_added_to_another_library_leaves_the_reader_where_they_are() {
    let add = |keys: &[&str], question: &str| {
        let mut bench = Bench::new(120, 40);
        bench.press(&["ctrl-n"]).type_text("x.pdf");
        bench.press(&["enter"]).type_text(question).press(keys);
        bench.message(Message::Opened(crate::tui::Opened {
            name: "mine".into(),
            finder: std::sync::Arc::new(crate::tui::testing::Fake::new()),
            questions: Vec::new(),
            rungs: Vec::new(),
            demo: false,
        }));
        bench.message(Message::Report(vec![crate::tui::side::Reported {
            words: "added: Bolt 10-K FY2022".into(),
            note: "2 pages".into(),
            filing: Some("BOLT_2022_10K".into()),
        }]));
        let told = "added: Bolt 10-K FY2022, 2 pages";
        bench.message(Message::Job(None, Some(Notice::of(told))));
        bench
    };
    for keys in [&["enter"][..], &["enter", "enter"], &[]] {
        let mut bench = add(keys, "net sales");
        assert_eq!(bench.app.library, "demo");
        assert!(bench.app.answer.is_some());
        let key = if keys.is_empty() { "Alt-l" } else { "L" };
        let told = format!("2 pages · added to mine: {key} goes there");
        assert!(bench.screen().contains(&told), "{}", bench.screen());
        // Said once: another library is gone to when it is asked for.
        bench.message(Message::Job(None, Some(Notice::of("mine is open"))));
        assert!(!bench.screen().contains("goes there"));
    }
    // At an empty question there is nothing to lose.
    let bench = add(&[], "");
    assert_eq!(bench.app.library, "mine");
    assert!(!bench.screen().contains("goes there"));
}
