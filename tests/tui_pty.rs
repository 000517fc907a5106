//! The workbench in a real terminal: what people complain about in programs like it, one test each.
#![cfg(unix)]

mod pty;

use std::ops::Range;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pty::{Pty, Terminal};
use tenleaf::library::{Filing, PageId, PageText};
use tenleaf::search::{Outcome, RankedPage, Retriever, Settings, Snippet};
use tenleaf::tui::{About, Colours, Finder, Ground, Memory, Start, Theme};

const QUESTION: &str = "What were Nike's total revenues in fiscal 2023?";

#[test]
fn from_start_to_quit() {
    let mut pty = Pty::workbench(Terminal::default());
    pty.wait_for("demo library");
    pty.send(QUESTION);
    pty.wait_for("Nike 10-K FY2023");
    pty.wait_for("company Nike");
    // Switch: it is shown, and what moved is told.
    pty.send("\x1bOS");
    pty.wait_for("F4 ○ routing off");
    pty.wait_for("routing off: ");
    // Page through the filing.
    pty.send("\x1b");
    pty.settle();
    pty.send("\r");
    pty.wait_for("n next match");
    pty.send("g]");
    pty.settle();
    // Another size, both ways.
    for (columns, rows) in [(80, 24), (1, 1), (20, 5), (120, 40), (200, 60)] {
        pty.resize(columns, rows);
        pty.settle();
    }
    pty.wait_for("Funnel");
    pty.send("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

#[test]
fn the_terminal_is_restored_on_every_signal_within_a_second() {
    for signal in [libc::SIGHUP, libc::SIGTERM, libc::SIGINT] {
        let mut pty = Pty::workbench(Terminal::default());
        pty.wait_for("demo library");
        pty.signal(signal);
        let told = Instant::now();
        pty.exit_code();
        assert!(
            told.elapsed() < Duration::from_secs(1),
            "signal {signal}: {:?}",
            told.elapsed()
        );
        pty.assert_restored();
    }
}

#[test]
fn a_dropped_connection_ends_the_process_within_a_second() {
    let mut pty = Pty::workbench(Terminal::default());
    pty.wait_for("demo library");
    let pid = pty.pid();
    pty.hang_up();
    let dropped = Instant::now();
    while pty::alive(pid) {
        assert!(dropped.elapsed() < Duration::from_secs(1), "still there");
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_dropped_connection_ends_it_even_without_a_signal() {
    // As under `nohup`: the hang-up is not told by a signal.
    let mut pty = Pty::command(
        "sh",
        &[
            "-c",
            "trap '' HUP; exec \"$0\"",
            env!("CARGO_BIN_EXE_tenleaf"),
        ],
        Terminal::default(),
    );
    pty.wait_for("demo library");
    let pid = pty.pid();
    pty.hang_up();
    let dropped = Instant::now();
    while pty::alive(pid) {
        assert!(dropped.elapsed() < Duration::from_secs(2), "still there");
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn ctrl_z_goes_to_the_shell_and_fg_paints_everything_again() {
    let mut pty = Pty::command("sh", &["-i"], Terminal::default());
    pty.send(&format!(
        "PS1='ready> '; set -m; {}\r",
        env!("CARGO_BIN_EXE_tenleaf")
    ));
    pty.wait_for("demo library");
    pty.send("Nike");
    pty.wait_for("company Nike");
    pty.send("\x1a");
    pty.wait_for_row("ready>");
    pty.send("echo $((40+2))\r");
    pty.wait_for("42");
    pty.send("fg\r");
    pty.wait_for("company Nike");
    pty.wait_for("demo library");
    pty.send(" 2023");
    pty.wait_for("› Nike 2023");
    pty.send("\x03");
    pty.wait_for_row("ready>");
    pty.send("exit\r");
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
fn over_ssh_a_citation_is_copied_by_the_terminal() {
    let mut pty = Pty::workbench(Terminal {
        env: &[("SSH_TTY", "/dev/pts/9")],
        ..Terminal::default()
    });
    pty.wait_for("demo library");
    pty.send(QUESTION);
    pty.wait_for("Nike 10-K FY2023");
    pty.settle();
    pty.send("\x1b");
    pty.settle();
    pty.send("y");
    pty.wait_for("citation copied by the terminal");
    let raw = pty.raw();
    let sequence = raw
        .split("\x1b]52;c;")
        .nth(1)
        .expect("an OSC 52")
        .split('\x07')
        .next()
        .unwrap();
    let text = pty::base64(sequence);
    assert!(text.starts_with("Nike, 10-K FY2023, PDF p. "), "{text}");
    pty.send("q");
    pty.exit_code();
}

#[test]
fn a_pager_has_the_keys_and_gives_them_back() {
    let mut pty = Pty::workbench(Terminal {
        env: &[(
            "PAGER",
            "sh -c 'echo in the pager; read line; echo got $line' ",
        )],
        ..Terminal::default()
    });
    pty.wait_for("demo library");
    pty.send(QUESTION);
    pty.wait_for("Nike 10-K FY2023");
    pty.settle();
    pty.send("\x1b");
    pty.settle();
    pty.send("v");
    pty.wait_for("in the pager");
    pty.send("hello\r");
    pty.wait_for("demo library");
    assert!(pty.raw().contains("got hello"));
    pty.send("i!");
    pty.wait_for("fiscal 2023?!");
    pty.send("\x03");
    assert_eq!(pty.exit_code(), 0);
}

#[test]
fn what_is_no_terminal_gets_a_clear_error() {
    let data = tempfile::tempdir().unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_tenleaf"))
        .env("TENLEAF_DATA_DIR", data.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{words}");
    assert!(words.contains("tenleaf ask"), "{words}");
    assert!(!words.contains('\x1b'));

    let mut pty = Pty::workbench(Terminal {
        env: &[("TERM", "dumb")],
        ..Terminal::default()
    });
    assert_eq!(pty.exit_code(), 2);
    assert!(pty.raw().contains("TERM=dumb") && pty.raw().contains("tenleaf ask"));
    assert!(!pty.raw().contains("\x1b["));
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

/// The workbench over an engine that fails where the screen is drawn.
struct Failing;

impl Finder for Failing {
    fn filings(&self) -> &[Filing] {
        panic!("a mistake in the view")
    }
    fn search(&self, _: &str, _: &Settings) -> Outcome {
        panic!("not asked")
    }
    fn snippet(&self, _: &Outcome, _: &RankedPage) -> Snippet {
        Snippet::default()
    }
    fn marks(&self, _: &Outcome, _: &str) -> Vec<Range<usize>> {
        Vec::new()
    }
    fn page(&self, _: PageId) -> Result<PageText, String> {
        Err("none".into())
    }
    fn about(&self, _: PageId) -> About {
        About::default()
    }
    fn retrievers(&self) -> Vec<Retriever> {
        Vec::new()
    }
}

/// Not a test: the program the next one runs in a terminal.
#[test]
#[ignore = "run by a_panic_gives_the_terminal_back"]
fn program_that_panics() {
    let logs = std::env::var_os("TENLEAF_TEST_LOGS").expect("run by the test below");
    tenleaf::logging::start(logs.as_ref());
    tenleaf::logging::catch_panics(logs.as_ref());
    let start = Start {
        rungs: Vec::new(),
        finder: Arc::new(Failing),
        questions: Vec::new(),
        settings: Settings::default(),
        keymap: tenleaf::config::Config::shipped().keymap(),
        theme: Theme::of(Colours::True, Ground::Unknown),
        demo: false,
        can_fetch: false,
        memory: Memory::default(),
        export_dir: ".".into(),
        mouse: true,
        told: None,
    };
    let _ = tenleaf::tui::run(start, None, Colours::True);
}

#[test]
fn a_panic_gives_the_terminal_back_and_names_the_log() {
    let logs = tempfile::tempdir().unwrap();
    let program = std::env::current_exe().unwrap();
    let mut pty = Pty::command(
        program.to_str().unwrap(),
        &["--exact", "program_that_panics", "--ignored", "--nocapture"],
        Terminal {
            env: &[("TENLEAF_TEST_LOGS", logs.path().to_str().unwrap())],
            ..Terminal::default()
        },
    );
    assert_ne!(pty.exit_code(), 0);
    pty.assert_restored();
    let raw = pty.raw();
    let (_, after) = raw
        .split_once("\x1b[?1049l")
        .expect("the other screen was left");
    assert!(after.contains("a mistake in the view"), "{after}");
    assert!(after.contains(logs.path().to_str().unwrap()), "{after}");
    let log = std::fs::read_dir(logs.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    assert!(
        std::fs::read_to_string(log)
            .unwrap()
            .contains("a mistake in the view")
    );
}
