//! The error analysis over the demo library with its real engine.

use std::sync::{Arc, OnceLock};

use crate::eval::{Question, QuestionSet};
use crate::library::demo;
use crate::question::Tables;
use crate::search::Engine;
use crate::tui::action::Where;
use crate::tui::app::{Effect, Screen};
use crate::tui::testing::Bench;

/// The demo, opened once for all tests.
fn engine() -> Arc<Engine> {
    static ENGINE: OnceLock<(Arc<Engine>, tempfile::TempDir)> = OnceLock::new();
    let (engine, _) = ENGINE.get_or_init(|| {
        let dir = tempfile::tempdir().expect("a folder");
        demo::install(dir.path()).expect("the demo installs");
        let opened = Engine::open(dir.path(), Tables::builtin(), &|_, _| {});
        (Arc::new(opened.expect("the demo opens").0), dir)
    });
    engine.clone()
}

fn questions() -> Vec<Question> {
    QuestionSet::load(&engine().library, &[]).questions
}

/// The screen, opened by its key.
fn bench(width: u16, height: u16) -> Bench {
    let mut bench = Bench::over(engine(), questions(), width, height);
    bench.press(&["esc", "E"]);
    assert!(bench.app.screen == Screen::Analysis);
    bench
}

#[test]
fn every_pane_at_every_size() {
    for (width, height) in [(200, 60), (80, 24), (20, 5)] {
        let states: [(&str, &[&str]); 9] = [
            ("list", &[]),
            ("filter", &["J", "tab"]),
            ("notes", &["tab", "tab"]),
            ("pages", &["enter"]),
            ("words", &["backtab"]),
            ("by BM25 alone", &["6", "backtab"]),
            ("sorted", &["s", "down", "down", "down", "enter"]),
            ("filters", &["f"]),
            ("left out", &["-", "enter"]),
        ];
        let pictures = states.map(|(name, keys)| {
            let mut bench = bench(width, height);
            bench.press(keys);
            format!("=== {name}\n{}", bench.screen())
        });
        insta::assert_snapshot!(format!("{width}x{height}"), pictures.join("\n"));
    }
}

#[test]
fn escape_goes_back_to_the_workbench() {
    let mut bench = bench(200, 60);
    bench.press(&["tab", "esc"]);
    assert!(bench.app.place() == Where::LIST);
    bench.press(&["esc"]);
    assert!(bench.app.screen == Screen::Bench);
    bench.press(&["q"]);
    assert!(matches!(bench.effects.last(), Some(Effect::Quit)));
}
