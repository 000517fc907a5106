//! What is drawn, and in which colours.

use std::thread::sleep;
use std::time::Duration;

use crate::QUESTION;
use crate::terminal::{Pty, Terminal};

#[test]
fn nothing_is_drawn_while_nothing_changes_and_a_frame_is_whole() {
    let mut pty = Pty::workbench(Terminal::default());
    pty.wait_for("demo library");
    pty.send(QUESTION);
    pty.wait_for("company Nike");
    pty.settle();
    let before = pty.bytes();
    sleep(Duration::from_millis(700));
    assert_eq!(pty.bytes(), before, "bytes while idle");
    let raw = pty.raw();
    let begins = raw.matches("\x1b[?2026h").count();
    let ends = raw.matches("\x1b[?2026l").count();
    assert!(begins > 1);
    assert_eq!(begins, ends);
    pty.send("\x03");
    pty.exit_code();
}

#[test]
fn no_color_means_no_colour_at_all() {
    let mut pty = Pty::workbench(Terminal {
        env: &[("NO_COLOR", "1")],
        ..Terminal::default()
    });
    pty.wait_for("demo library");
    pty.send(QUESTION);
    pty.wait_for("company Nike");
    pty.settle();
    for cell in pty.cells() {
        assert_eq!(
            (cell.fgcolor(), cell.bgcolor()),
            (vt100::Color::Default, vt100::Color::Default)
        );
    }
    assert!(
        pty.cells().iter().any(|c| c.bold()),
        "highlights are still there"
    );
    assert!(pty.cells().iter().any(|c| c.underline()));
    pty.send("\x03");
    pty.exit_code();
}

#[test]
fn colours_are_those_the_terminal_has() {
    for (env, allowed) in [
        (
            &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")][..],
            "rgb",
        ),
        (&[("TERM", "xterm-256color")], "indexed"),
        (&[("TERM", "xterm")], "sixteen"),
    ] {
        let mut pty = Pty::workbench(Terminal {
            env,
            ..Terminal::default()
        });
        pty.wait_for("demo library");
        let kinds: Vec<&str> = pty
            .cells()
            .iter()
            .map(|c| match c.fgcolor() {
                vt100::Color::Default => "default",
                vt100::Color::Idx(0..=15) => "sixteen",
                vt100::Color::Idx(_) => "indexed",
                vt100::Color::Rgb(..) => "rgb",
            })
            .collect();
        assert!(kinds.contains(&allowed), "{env:?}: no {allowed}");
        assert!(
            kinds.iter().all(|k| *k == allowed || *k == "default"),
            "{env:?}: {kinds:?}"
        );
        pty.send("\x03");
        pty.exit_code();
    }
}

#[test]
fn a_terminal_of_one_cell_does_no_harm() {
    let mut pty = Pty::workbench(Terminal::default());
    pty.wait_for("demo library");
    pty.resize(1, 1);
    pty.settle();
    pty.send("Nike\x1bJ\r?qQ\x1b\x1b");
    pty.settle();
    pty.resize(80, 24);
    pty.wait_for("tenleaf");
    pty.send("\x03");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}
