//! HTML made to hurt, as `tenleaf add` meets it.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const GOOD: &str = "<html><body><p>ACME CORP</p><p>FORM 10-K</p>\
    <p>For the fiscal year ended December 31, 2022</p><p>Net sales increased by 4 percent.</p>";

/// A tag of so many attributes that looking for doubles among them takes for ever.
fn attributes(file: &Path) {
    let mut text = "<html><body><p ".to_string();
    for n in 0..600_000 {
        let _ = write!(text, "a{n}=1 ");
    }
    fs::write(file, text + ">x").unwrap();
}

fn add(dir: &Path, files: &[&Path]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tenleaf"));
    command
        .args(["--data-dir", dir.join("data").to_str().unwrap()])
        .args([
            "--library",
            "mine",
            "add",
            "--company",
            "Acme",
            "--form",
            "10-K",
            "--period",
            "2022",
        ])
        .args(files)
        .env_remove("TENLEAF_CONFIG")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[test]
fn a_tag_without_end_is_given_up_and_the_others_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let (bad, good) = (dir.path().join("bad.html"), dir.path().join("good.html"));
    attributes(&bad);
    fs::write(&good, GOOD).unwrap();
    let output = add(dir.path(), &[&bad, &good]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("bad.html: it cannot be read: took more than"),
        "{said}"
    );
    assert!(said.contains("added    Acme"), "{said}");
}

/// Asked to stop, it does not wait for the file it reads: it ends before that is given up.
#[test]
fn ctrl_c_ends_it_in_the_middle_of_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let bad = dir.path().join("bad.html");
    attributes(&bad);
    let child = add(dir.path(), &[&bad]).spawn().unwrap();
    common::signal(&child, libc::SIGINT);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains("stopping") && !said.contains("bad.html"),
        "{said}"
    );
}

/// A name can hold what acts on a terminal; it is shown, and does not act.
#[test]
fn a_file_name_does_not_act_on_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let bad = dir.path().join("a\u{1b}]0;title\u{7}.pdf");
    fs::write(&bad, "no PDF").unwrap();
    let missing = dir.path().join("b\u{1b}[2J.pdf");
    let output = add(dir.path(), &[&bad, &missing]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains(r"a\u{1b}]0;title\u{7}.pdf: it is not a PDF"),
        "{said}"
    );
    assert!(
        said.contains(r"b\u{1b}[2J.pdf: there is no such file"),
        "{said}"
    );
    assert!(!said.contains(['\u{1b}', '\u{7}']), "{said:?}");
}
