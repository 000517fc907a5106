//! How it ends, is left and come back to.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::QUESTION;
use crate::terminal::{Pty, Terminal, alive, send_signal};

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
    pty.wait_for("▸ Page");
    pty.send("g]");
    pty.settle();
    // Another size, both ways.
    for (columns, rows) in [(80, 24), (1, 1), (20, 5), (120, 40), (200, 60)] {
        pty.resize(columns, rows);
        pty.settle();
    }
    pty.wait_for("Funnel");
    // Back to the pages, where Esc stays: it never ends in the question line.
    pty.send("\x1b");
    pty.settle();
    pty.send("\x1b");
    pty.wait_for("i goes to the question line");
    pty.send("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

#[test]
fn the_terminal_is_restored_on_every_signal_within_a_second() {
    // Who waits for us knows the signal by the exit code.
    for (signal, code) in [
        (libc::SIGHUP, 129),
        (libc::SIGINT, 130),
        (libc::SIGQUIT, 131),
        (libc::SIGTERM, 143),
    ] {
        let mut pty = Pty::workbench(Terminal::default());
        pty.wait_for("demo library");
        pty.signal(signal);
        let told = Instant::now();
        assert_eq!(pty.exit_code(), code);
        assert!(
            told.elapsed() < Duration::from_secs(1),
            "signal {signal}: {:?}",
            told.elapsed()
        );
        pty.assert_restored();
    }
}

/// The connection drops, and the process is gone within this time.
fn ends_on_hang_up(pty: &mut Pty, within: Duration) {
    let pid = pty.pid();
    pty.hang_up();
    let dropped = Instant::now();
    while alive(pid) {
        assert!(dropped.elapsed() < within, "still there");
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_dropped_connection_ends_the_process_within_a_second() {
    let mut pty = Pty::workbench(Terminal::default());
    pty.wait_for("demo library");
    ends_on_hang_up(&mut pty, Duration::from_secs(1));
}

/// As under `nohup`: the hang-up is not told by a signal.
fn untold_of_hang_up() -> Pty {
    Pty::command(
        "sh",
        &[
            "-c",
            "trap '' HUP; exec \"$0\"",
            env!("CARGO_BIN_EXE_tenleaf"),
        ],
        Terminal::default(),
    )
}

#[test]
fn a_dropped_connection_ends_it_even_without_a_signal() {
    let mut pty = untold_of_hang_up();
    pty.wait_for("demo library");
    ends_on_hang_up(&mut pty, Duration::from_secs(2));
}

#[test]
fn a_dropped_connection_is_told_by_the_exit_code_whatever_is_seen_first() {
    // With the signal and without it; idle, and while a frame is drawn.
    for run in 0..12 {
        let mut pty = match run % 2 {
            0 => Pty::workbench(Terminal::default()),
            _ => untold_of_hang_up(),
        };
        pty.wait_for("demo library");
        // The pty sends a Ctrl-D when it is closed, which leaves only an empty line.
        pty.send("revenue of Nike");
        pty.wait_for("› revenue");
        if run % 3 == 0 {
            pty.settle();
        }
        pty.hang_up();
        assert_eq!(pty.exit_code(), 129, "run {run}");
    }
}

#[test]
fn a_dropped_connection_loses_no_note() {
    for with_signal in [true, false] {
        let mut pty = match with_signal {
            true => Pty::workbench(Terminal::default()),
            false => untold_of_hang_up(),
        };
        pty.wait_for("demo library");
        pty.send("Nike's revenue\r");
        pty.wait_for("Nike 10-K");
        pty.send("E");
        pty.wait_for("error analysis");
        pty.send("a");
        pty.wait_for("note:");
        pty.send("the label is debatable\r");
        pty.wait_for("the label is debatable");
        ends_on_hang_up(&mut pty, Duration::from_secs(2));
        let notes = std::fs::read_to_string(pty.data().join("demo/notes.jsonl")).unwrap();
        assert!(notes.contains("the label is debatable"), "{notes}");
        let history = std::fs::read_to_string(pty.data().join("state/workbench.json")).unwrap();
        assert!(history.contains("Nike's revenue"), "{history}");
    }
}

#[test]
fn a_library_that_does_not_open_ends_it_with_the_reason() {
    let mut pty = Pty::command(
        "sh",
        &[
            "-c",
            "mkdir -p \"$TENLEAF_DATA_DIR/tables\" && echo 'oops' > \"$TENLEAF_DATA_DIR/tables/companies.toml\" && exec \"$0\"",
            env!("CARGO_BIN_EXE_tenleaf"),
        ],
        Terminal::default(),
    );
    assert_ne!(pty.exit_code(), 0);
    pty.assert_restored();
    let (_, after) = pty
        .raw()
        .split_once("\x1b[?1049l")
        .map(|(a, b)| (a.to_string(), b.to_string()))
        .expect("the other screen was left");
    assert!(after.contains("companies.toml"), "{after}");

    let mut pty = Pty::command(
        env!("CARGO_BIN_EXE_tenleaf"),
        &["--library", "nowhere"],
        Terminal::default(),
    );
    assert_eq!(pty.exit_code(), 2);
    assert!(pty.raw().contains("there is no library \"nowhere\""));
    assert!(
        !pty.raw().contains("\x1b[?1049h"),
        "the terminal was not touched"
    );
}

/// The workbench under a shell with job control whose prompt is `ready>`, a question typed.
fn under_a_shell() -> Pty {
    let mut pty = Pty::command("sh", &["-i"], Terminal::default());
    pty.send(&format!(
        "PS1='ready> '; set -m; {}\r",
        env!("CARGO_BIN_EXE_tenleaf")
    ));
    pty.wait_for("demo library");
    pty.send("Nike");
    pty.wait_for("company Nike");
    pty
}

#[test]
fn ctrl_z_goes_to_the_shell_and_fg_paints_everything_again() {
    let mut pty = under_a_shell();
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
fn stopped_from_outside_it_gives_the_terminal_back_until_fg() {
    let mut pty = under_a_shell();
    for _ in 0..2 {
        send_signal(pty.child_of(), libc::SIGTSTP);
        pty.wait_for_row("ready>");
        pty.assert_restored();
        pty.send("fg\r");
        pty.wait_for("company Nike");
    }
    pty.send("\x03");
    pty.wait_for_row("ready>");
    pty.assert_restored();
    pty.send("exit\r");
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
