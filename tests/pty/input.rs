//! Keys, pastes, the mouse.

use std::time::{Duration, Instant};

use crate::QUESTION;
use crate::terminal::{Pty, Terminal};

#[test]
fn input_that_pours_in_is_drawn_and_signals_are_honoured() {
    let mut pty = Pty::workbench(Terminal::default());
    pty.wait_for("demo library");
    let frames = |pty: &Pty| pty.raw().matches("\x1b[?2026h").count();
    let before = frames(&pty);
    // The line is emptied again and again, so that every frame has something new.
    let taken = pty.pour("revenue of 3M in 2018\x15", Duration::from_secs(3));
    // A frame every 40 milliseconds and what it takes to draw it; a busy machine draws fewer.
    let drawn = frames(&pty) - before;
    assert!(drawn >= 10, "{drawn} frames of {taken} characters");
    pty.settle();
    pty.send("\x15");
    pty.pour("revenue of 3M in 2018 ", Duration::from_secs(1));
    pty.wait_for("a line holds 10,000 characters: the rest was not taken");
    pty.pour("and more ", Duration::from_millis(200));
    pty.signal(libc::SIGTERM);
    let told = Instant::now();
    pty.exit_code();
    assert!(
        told.elapsed() < Duration::from_secs(1),
        "{:?}",
        told.elapsed()
    );
    pty.assert_restored();
}

/// A paste in a terminal that does not say where a paste begins.
#[test]
fn much_input_at_once_is_taken_whole() {
    let mut pty = Pty::workbench(Terminal::default());
    pty.wait_for("demo library");
    let words: Vec<String> = (0..150).map(|n| format!("capex{n:04}")).collect();
    pty.send(&words.join(" "));
    pty.wait_for("capex0149");
    pty.send("\x15");
    pty.pour(&"x".repeat(3_000), Duration::from_millis(500));
    pty.wait_for("a line holds 10,000 characters: the rest was not taken");
    pty.settle();
    pty.send("\x15revenue of 3M");
    pty.wait_for("revenue of 3M");
    pty.signal(libc::SIGTERM);
    pty.exit_code();
    pty.assert_restored();
}

#[test]
fn a_paste_of_many_lines_is_text() {
    let mut pty = Pty::workbench(Terminal::default());
    pty.wait_for("demo library");
    pty.send("\x1b[200~What were Nike's\rrevenues?\rq\r\x1b[201~");
    pty.wait_for("› What were Nike's revenues? q");
    pty.send("\x03");
    assert_eq!(pty.exit_code(), 0);
}

#[test]
fn keys_are_given_anew_in_the_config_and_mistakes_named_with_their_line() {
    let mut pty = Pty::workbench(Terminal {
        config: "[keys]\nswitch-routing = [\"ctrl-t\"]\n",
        ..Terminal::default()
    });
    pty.wait_for("Ctrl-T ● routing on");
    pty.send("\x14");
    pty.wait_for("Ctrl-T ○ routing off");
    pty.send("\x03");
    pty.exit_code();
    for (config, words) in [
        (
            "[keys]\n\nqiut = [\"x\"]\n",
            "config.toml:3: unknown setting `keys.qiut`; did you mean `keys.quit`?",
        ),
        (
            "[keys]\nwrap = [\"n\"]\n",
            "config.toml:2: `keys.wrap`: \"n\" is the key of `next-match`",
        ),
        (
            "[tui.keys]\nwrap = [\"n\"]\n",
            "config.toml:1: unknown section `tui.keys`; did you mean `keys`?",
        ),
    ] {
        let mut pty = Pty::workbench(Terminal {
            config,
            ..Terminal::default()
        });
        assert_eq!(pty.exit_code(), 2);
        let screen = pty.screen().replace('\n', "");
        assert!(screen.contains(words), "{screen}");
        assert!(
            !pty.raw().contains("\x1b[?1049h"),
            "the terminal was not touched"
        );
    }
}

#[test]
fn the_mouse_is_the_terminals_own_until_it_is_asked_for() {
    let mut pty = Pty::workbench(Terminal::default());
    pty.wait_for("demo library");
    pty.send(QUESTION);
    pty.wait_for("company Nike");
    assert!(!pty.raw().contains("\x1b[?1000h"));
    pty.send("\x1b");
    pty.settle();
    pty.send("m");
    pty.wait_for("mouse on");
    assert!(pty.raw().contains("\x1b[?1000h"));
    // A click on the question puts the keys there; text follows.
    pty.send("\x1b[<0;10;3M\x1b[<0;10;3m");
    pty.settle();
    pty.send("!");
    pty.wait_for("fiscal 2023?!");
    pty.send("\x03");
    pty.exit_code();
    pty.assert_restored();
}

#[test]
fn wide_and_combining_characters_keep_the_cursor_in_place() {
    let mut pty = Pty::workbench(Terminal::default());
    pty.wait_for("demo library");
    pty.send("日本 cafe\u{301} 👍");
    pty.wait_for("日本 cafe\u{301} 👍");
    pty.settle();
    // The prompt takes two columns, the text 4 + 1 + 4 + 1 + 2.
    assert_eq!(pty.cursor(), (2, 14));
    pty.send("\x7f\x7f\x7f");
    pty.settle();
    assert_eq!(pty.cursor(), (2, 10));
    pty.send("\x03");
    pty.exit_code();
}
