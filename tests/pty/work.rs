//! Work that leaves the screen: fetch, export, copy, another program.

use crate::QUESTION;
use crate::terminal::{Pty, Terminal, base64};

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
    let text = base64(sequence);
    assert!(text.starts_with("NIKE_2023_10K  PDF p. "), "{text}");
    pty.send("q");
    pty.exit_code();
}

#[test]
fn filings_are_fetched_into_their_own_library_whichever_is_open() {
    let program = env!("CARGO_BIN_EXE_tenleaf");
    let mut pty = Pty::command(program, &["--library", "demo"], Terminal::default());
    pty.wait_for("demo library");
    pty.send("\x1b[24~");
    pty.wait_for("fetch 360 filings into financebench");
    // Enter is no yes.
    pty.send("\r");
    pty.settle();
    assert!(pty.screen().contains("y fetches them"), "{}", pty.screen());
    pty.send("n");
    pty.send("\x03");
    assert_eq!(pty.exit_code(), 0);
}

#[test]
fn a_pager_that_cannot_be_given_its_file_is_told_and_the_workbench_goes_on() {
    let mut pty = Pty::workbench(Terminal {
        env: &[("TMPDIR", "/nowhere/at/all"), ("PAGER", "cat")],
        ..Terminal::default()
    });
    pty.wait_for("demo library");
    pty.send(QUESTION);
    pty.wait_for("Nike 10-K FY2023");
    pty.settle();
    pty.send("\x1b");
    pty.settle();
    pty.send("v");
    pty.wait_for("error: making a folder for the page text");
    pty.send("i!");
    pty.wait_for("fiscal 2023?!");
    pty.send("\x03");
    assert_eq!(pty.exit_code(), 0);
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
