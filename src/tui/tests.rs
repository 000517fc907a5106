//! The workbench over a small library: every view at every size, what keys do, and that no
//! sequence of actions ends badly.

mod around;
mod asking;
mod pages;
mod scope;

use crossterm::event::Event;
use proptest::prelude::*;
use ratatui::style::Modifier;

use super::action::ACTIONS;
use super::app::{Effect, Focus, Screen};
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
