//! What ends it at once, without its doing: a panic, a fault.

use std::fs::{self, File};
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use tenleaf::library::{Filing, PageId, PageText};
use tenleaf::search::{About, Outcome, Pages, RankedPage, Retriever, Settings, Snippet};
use tenleaf::tui::{
    Background, Colours, Desk, Done, Finder, Job, Look, Memory, Opened, Shelf, Start, Task,
};

use crate::terminal::{Pty, Terminal};

/// The workbench over an engine that fails where the screen is drawn.
struct Failing;

impl Pages for Failing {
    fn filings(&self) -> &[Filing] {
        panic!("a mistake in the view")
    }
    fn page(&self, _: PageId) -> Result<PageText, String> {
        Err("none".into())
    }
    fn snippet(&self, _: &Outcome, _: &RankedPage) -> Snippet {
        Snippet::default()
    }
}

impl Finder for Failing {
    fn search(&self, _: &str, _: &Settings) -> Outcome {
        panic!("not asked")
    }
    fn marks(&self, _: &Outcome, _: &str) -> Vec<Range<usize>> {
        Vec::new()
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
        look: Look::Auto,
        colours: Colours::True,
        memory: Memory::default(),
        benchmark: "financebench".into(),
        export_dir: ".".into(),
        mouse: true,
        told: None,
    };
    let _ = tenleaf::tui::run(start, Arc::new(Failing));
}

#[test]
fn a_panic_gives_the_terminal_back_and_names_the_log() {
    let logs = tempfile::tempdir().unwrap();
    let program = std::env::current_exe().unwrap();
    let mut pty = Pty::command(
        program.to_str().unwrap(),
        &[
            "--exact",
            "faults::program_that_panics",
            "--ignored",
            "--nocapture",
        ],
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

/// What is said of a mapped file that another program changed in place.
const CHANGED: &str = "another program changed a file of the data folder in place";

/// Cuts every page file of the demo where it lies, as `cp` over it begins.
fn cut_in_place(data: &Path) {
    for entry in fs::read_dir(data.join("demo/pages")).unwrap() {
        File::create(entry.unwrap().path()).unwrap();
    }
}

#[test]
fn a_file_changed_in_place_gives_the_terminal_back_and_is_told() {
    // Under a shell, which says by which code it ended.
    let mut pty = Pty::command(
        "sh",
        &[
            "-c",
            "\"$0\"; echo ended by $?",
            env!("CARGO_BIN_EXE_tenleaf"),
        ],
        Terminal {
            config: "[tui]\nmouse = true\n",
            ..Terminal::default()
        },
    );
    pty.wait_for("demo library");
    pty.send("revenue of Nike");
    pty.wait_for("company Nike");
    pty.settle();
    assert!(pty.raw().contains("\x1b[?1000h"), "the mouse is taken");
    cut_in_place(pty.data());
    pty.send("\x15How many paid memberships did Netflix have?");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
    let raw = pty.raw();
    let (_, after) = raw
        .split_once("\x1b[?1049l")
        .expect("the other screen was left");
    assert_eq!(after.matches(CHANGED).count(), 1, "{after}");
    assert!(after.contains("tenleaf data verify"), "{after}");
    assert!(after.contains("ended by 135"), "{after}");
    assert!(
        !after.contains("\x1b[?2026h"),
        "a frame came later: {after}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_changed_in_place_is_told_on_the_command_line() {
    let data = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tenleaf"))
        .args(["ask", "-"])
        .env("TENLEAF_DATA_DIR", data.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It has opened the library when it waits for the question.
    let started = Instant::now();
    let status = format!("/proc/{}", child.id());
    let waits = || {
        let syscall = fs::read_to_string(format!("{status}/syscall")).unwrap_or_default();
        let maps = fs::read_to_string(format!("{status}/maps")).unwrap_or_default();
        maps.contains(".pages") && syscall.starts_with(&format!("{} 0x0 ", libc::SYS_read))
    };
    while !waits() {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "it does not read"
        );
        sleep(Duration::from_millis(10));
    }
    cut_in_place(data.path());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"revenue of Nike").unwrap();
    drop(stdin);
    let run = child.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(135), "{words}");
    assert!(
        words.starts_with("tenleaf: ") && words.contains(CHANGED),
        "{words}"
    );
    assert_eq!(words.lines().count(), 1, "{words}");
    // And as it says: nothing is lost but what was cut, which is named.
    let verify = Command::new(env!("CARGO_BIN_EXE_tenleaf"))
        .args(["--library", "demo", "data", "verify"])
        .env("TENLEAF_DATA_DIR", data.path())
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&verify.stdout) + String::from_utf8_lossy(&verify.stderr);
    assert_eq!(verify.status.code(), Some(1), "{words}");
    assert!(words.contains(".pages"), "{words}");
}

#[test]
fn a_fault_gives_the_terminal_back() {
    for signal in [libc::SIGSEGV, libc::SIGABRT, libc::SIGBUS] {
        let mut pty = Pty::workbench(Terminal::default());
        pty.wait_for("demo library");
        pty.signal(signal);
        assert_ne!(pty.exit_code(), 0);
        pty.assert_restored();
        assert!(!pty.raw().contains(CHANGED), "no file did it");
    }
}
