//! The workbench in a real terminal: what people complain about in programs like it, one test each.
//!
//! | complaint | test |
//! |---|---|
//! | full redraws flicker, frames are torn | `nothing_is_drawn_while_nothing_changes_and_a_frame_is_whole` |
//! | a dropped SSH line leaves the program spinning | `a_dropped_connection_ends_the_process_within_a_second`, `a_dropped_connection_ends_it_even_without_a_signal`, `a_dropped_connection_loses_no_note` |
//! | copying fails over SSH | `over_ssh_a_citation_is_copied_by_the_terminal` |
//! | the mouse is taken from the terminal | `the_mouse_is_the_terminals_own_until_it_is_asked_for` |
//! | white on white, unreadable greys | `tui::theme::tests::no_role_sets_a_background_or_a_grey` |
//! | 24 bits sent to a terminal of 256 or 16 colours | `colours_are_those_the_terminal_has` |
//! | `NO_COLOR` loses the highlights | `no_color_means_no_colour_at_all` |
//! | a tiny terminal crashes it and keeps the mouse | `a_terminal_of_one_cell_does_no_harm`, `tui::tests::every_view_draws_at_any_size` |
//! | CJK and emoji shift the screen | `wide_and_combining_characters_keep_the_cursor_in_place`, `tui::paint::tests::the_terminal_shows_what_was_drawn` |
//! | keys cannot be changed, `?` shows no help | `keys_are_given_anew_in_the_config_and_mistakes_named_with_their_line`, `tui::tests::the_help_shows_every_key` |
//! | piped stdin: no keys, no words | `what_is_no_terminal_gets_a_clear_error` |
//! | a panic leaves raw mode | `a_panic_gives_the_terminal_back_and_names_the_log` |
//! | Ctrl-Z arrives as a key | `ctrl_z_goes_to_the_shell_and_fg_paints_everything_again` |
//! | stopped from outside it leaves raw mode | `stopped_from_outside_it_gives_the_terminal_back_until_fg` |
//! | a paste of many lines runs as commands | `a_paste_of_many_lines_is_text` |
//! | a large paste freezes it | `input_that_pours_in_is_drawn_and_signals_are_honoured` |
//! | wide tables cannot be read | `tui::tests::wide_tables_are_kept_whole_and_scrolled_sideways` |
//! | results cannot be taken out | `results_are_written_to_a_file`, `tui::export::tests` |
//! | a message is mixed with the page | `where_nothing_can_open_the_original_one_line_says_so`, `tui::tests::a_line_for_the_user_lies_over_the_page_never_in_it` |
//! | an export goes somewhere, over something | `an_export_is_written_where_the_user_says_and_over_nothing` |
//! | `$EDITOR` or `$PAGER` loses its input | `a_pager_has_the_keys_and_gives_them_back` |
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
use tenleaf::tui::{
    About, Background, Colours, Desk, Done, Finder, Ground, Job, Memory, Opened, Shelf, Start,
    Task, Theme,
};

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
    let pid = pty.pid();
    pty.hang_up();
    let dropped = Instant::now();
    while pty::alive(pid) {
        assert!(dropped.elapsed() < Duration::from_secs(2), "still there");
        sleep(Duration::from_millis(10));
    }
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
            false => Pty::command(
                "sh",
                &[
                    "-c",
                    "trap '' HUP; exec \"$0\"",
                    env!("CARGO_BIN_EXE_tenleaf"),
                ],
                Terminal::default(),
            ),
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
        let pid = pty.pid();
        pty.hang_up();
        let dropped = Instant::now();
        while pty::alive(pid) {
            assert!(dropped.elapsed() < Duration::from_secs(2), "still there");
            sleep(Duration::from_millis(10));
        }
        let notes = std::fs::read_to_string(pty.data().join("demo/notes.jsonl")).unwrap();
        assert!(notes.contains("the label is debatable"), "{notes}");
        let history = std::fs::read_to_string(pty.data().join("state/workbench.json")).unwrap();
        assert!(history.contains("Nike's revenue"), "{history}");
    }
}

#[test]
fn the_error_analysis_opens_steps_and_leaves() {
    // Words alone: the demo has questions that are missed then.
    let mut pty = Pty::workbench(Terminal {
        config: "[search]\ncompany = false\nyear = false\nform = false\nrouting = false\nsignals = false\nk = 1\n",
        ..Terminal::default()
    });
    pty.wait_for("demo library");
    // Over a line half typed, as while typing.
    pty.send("Nike\x1b[21~");
    pty.wait_for("error analysis");
    pty.wait_for(" missed");
    pty.settle();
    let first = pty.screen();
    pty.send("n");
    pty.settle();
    let second = pty.screen();
    let selected = |screen: &str| {
        screen
            .lines()
            .find(|row| row.starts_with("▸ demo-"))
            .map(str::to_string)
    };
    assert!(selected(&first).is_some(), "{first}");
    assert_ne!(selected(&first), selected(&second), "{second}");
    assert!(selected(&second).unwrap().contains("miss"), "{second}");
    pty.send("\x1b");
    pty.wait_for("› Nike");
    pty.send("\x03");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

#[test]
fn filings_that_cannot_be_fetched_leave_the_workbench_as_it_was() {
    let mut pty = Pty::workbench(Terminal {
        config: "[fetch]\nbase = \"http://127.0.0.1:9\"\nretries = 0\n",
        ..Terminal::default()
    });
    pty.wait_for("demo library");
    pty.send("Nike");
    // A no fetches nothing; a yes is asked for.
    pty.send("\x1b[24~");
    pty.wait_for("fetch 360 filings into financebench (about 575 MB");
    pty.send("n");
    pty.settle();
    assert!(!pty.screen().contains("fetching"), "{}", pty.screen());
    pty.send("\x1b[24~");
    pty.wait_for("fetch 360 filings");
    pty.send("y");
    pty.wait_for("error: not fetched: ");
    pty.send(" 2023");
    pty.wait_for("› Nike 2023");
    pty.wait_for("demo library");
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

#[test]
fn results_are_written_to_a_file() {
    let mut pty = Pty::workbench(Terminal::default());
    pty.wait_for("demo library");
    pty.send(QUESTION);
    pty.wait_for("Nike 10-K FY2023");
    pty.settle();
    pty.send("\x1b");
    pty.settle();
    for format in ["md", "csv", "jsonl"] {
        pty.send("e");
        pty.wait_for("take");
        pty.send(format);
        pty.settle();
        pty.send("\r");
        pty.wait_for("write to: ");
        pty.send("\r");
        pty.wait_for("written: ");
        let written = std::fs::read_dir(pty.data())
            .unwrap()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| path.extension().is_some_and(|e| e == format))
            .unwrap_or_else(|| panic!("no {format}: {}", pty.screen()));
        let text = std::fs::read_to_string(written).unwrap();
        assert!(
            text.contains("NIKE_2023_10K") || text.contains("Nike 10-K FY2023"),
            "{text}"
        );
        pty.send("j");
        pty.settle();
    }
    pty.send("q");
    assert_eq!(pty.exit_code(), 0);
}

#[test]
fn an_export_is_written_where_the_user_says_and_over_nothing() {
    let mut pty = Pty::workbench(Terminal::default());
    pty.wait_for("demo library");
    pty.send(QUESTION);
    pty.wait_for("Nike 10-K FY2023");
    pty.send("\x1b");
    pty.settle();
    let folder = pty.data().join("mine");
    std::fs::create_dir(&folder).unwrap();
    let taken = folder.join("nike.md");
    std::fs::write(&taken, "precious").unwrap();
    pty.send("e");
    pty.wait_for("take");
    pty.send("\r");
    pty.wait_for("write to: ");
    // Ctrl-U clears the name offered.
    pty.send(&format!("\x15{}\r", taken.display()));
    pty.wait_for("is there already");
    pty.send("\r");
    pty.wait_for("written: ");
    assert_eq!(std::fs::read_to_string(&taken).unwrap(), "precious");
    let written = std::fs::read_to_string(folder.join("nike-2.md")).unwrap();
    assert!(written.contains("Nike 10-K FY2023"), "{written}");
    // No folder is made, and nothing is lost but the one file.
    pty.send("e");
    pty.wait_for("take");
    pty.send("\r");
    pty.wait_for("write to: ");
    pty.send("\x15/nowhere/at/all.md\r");
    pty.wait_for("error: not written: there is no folder /nowhere/at");
    pty.send("q");
    assert_eq!(pty.exit_code(), 0);
}

#[test]
fn where_nothing_can_open_the_original_one_line_says_so() {
    let mut pty = Pty::workbench(Terminal {
        env: &[("DISPLAY", ""), ("WAYLAND_DISPLAY", "")],
        ..Terminal::default()
    });
    pty.wait_for("demo library");
    pty.send(QUESTION);
    pty.wait_for("Nike 10-K FY2023");
    pty.send("\x1b");
    pty.settle();
    pty.send("\r");
    pty.wait_for("▸ Page");
    let before = pty.screen();
    pty.send("o");
    pty.settle();
    let screen = pty.screen();
    let told = screen
        .trim_end()
        .lines()
        .last()
        .unwrap_or_default()
        .trim_end();
    // The demo's filings have neither file nor link, or there is no display: one line either way.
    assert!(told.contains("v reads the"), "{screen}");
    let page = |screen: &str| {
        let rows: Vec<String> = screen.trim_end().lines().map(str::to_string).collect();
        rows[..rows.len() - 1].to_vec()
    };
    assert_eq!(page(&before), page(&screen), "the page is as it was");
    pty.send("q");
    assert_eq!(pty.exit_code(), 0);
}

#[test]
fn why_a_page_is_ranked_is_shown_over_the_page() {
    let mut pty = Pty::workbench(Terminal::default());
    pty.wait_for("demo library");
    pty.send(QUESTION);
    pty.wait_for("Nike 10-K FY2023");
    pty.send("\x1b");
    pty.settle();
    pty.resize(80, 24);
    pty.settle();
    for keys in ["W", "\rW"] {
        pty.send(keys);
        pty.wait_for("score: the sum of the ");
        pty.send("W");
        pty.settle();
        assert!(!pty.screen().contains("score: the sum"), "{}", pty.screen());
    }
    pty.send("q");
    assert_eq!(pty.exit_code(), 0);
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
        pty::send_signal(pty.child_of(), libc::SIGTSTP);
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

impl Background for Failing {
    fn open(&self, _: &(dyn Fn(Job) + Sync)) -> anyhow::Result<Opened> {
        Ok(Opened {
            name: "failing".into(),
            finder: Arc::new(Failing),
            questions: Vec::new(),
            rungs: Vec::new(),
            demo: false,
        })
    }
    fn work(&self, _: &Task, _: &Desk<'_>) -> anyhow::Result<Done> {
        anyhow::bail!("nothing is done here")
    }

    fn libraries(&self) -> Vec<Shelf> {
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
        settings: Settings::default(),
        keymap: tenleaf::config::Config::shipped().keymap(),
        theme: Theme::of(Colours::True, Ground::Unknown),
        can_fetch: false,
        memory: Memory::default(),
        benchmark: "financebench".into(),
        export_dir: ".".into(),
        mouse: true,
        told: None,
    };
    let _ = tenleaf::tui::run(start, Arc::new(Failing), Colours::True);
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
