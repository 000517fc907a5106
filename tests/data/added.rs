//! Hostile files through `tenleaf add`: a clear error in bounded time and memory, and the rest goes on.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use serde_json::Value;

use crate::made::{pdf_of_contents, stream, text_pdf, zeros_packed};

/// Processor seconds and bytes of memory that one `add` may take, its workers included.
const SECONDS: f64 = 10.0;
const BYTES: u64 = 1 << 30;

/// Adds files, each labelled, so that nothing has to be read from a cover.
fn add(data: &Path, files: &[&Path]) -> (Value, f64, u64) {
    let out = tempfile::NamedTempFile::new().unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_tenleaf"))
        .arg("--data-dir")
        .arg(data)
        .args(["--library", "mine", "add", "--json"])
        .args(["--form", "other", "--period", "2024", "--company"])
        .arg(files[0].file_stem().unwrap())
        .args(files)
        .env_remove("TENLEAF_CONFIG")
        .stdin(Stdio::null())
        .stdout(out.reopen().unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (_, seconds, bytes) = wait(child);
    let text = fs::read_to_string(out.path()).unwrap();
    let summary = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
    (summary, seconds, bytes)
}

/// Waits; returns processor time and the most memory, of the child or one of its own.
fn wait(child: std::process::Child) -> (ExitStatus, f64, u64) {
    use std::os::unix::process::ExitStatusExt;
    let mut status = 0;
    // SAFETY: zeroes are a valid rusage, and both pointers live through the call. The child is waited for here alone:
    // dropping its handle does not.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let waited = libc::wait4(child.id() as libc::pid_t, &mut status, 0, &mut usage);
        assert_eq!(waited, child.id() as libc::pid_t);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    // Kilobytes on Linux, bytes on macOS.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    (
        ExitStatus::from_raw(status),
        seconds(usage.ru_utime) + seconds(usage.ru_stime),
        usage.ru_maxrss as u64 * unit,
    )
}

#[test]
fn a_hostile_file_costs_little_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let file = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let good = file("Good.pdf", &text_pdf(&["Net sales increased by 4 percent"]));
    let (summary, ..) = add(&data, &[&good]);
    assert_eq!(summary["added"][0], "GOOD_2024_OTHER", "{summary}");

    let bomb = zeros_packed(3 << 30);
    let bomb = pdf_of_contents(vec![stream("/Filter /FlateDecode", &bomb)], vec![], "");
    let words =
        "Net sales of the company increased by 4 percent over the year before, to 36 million.";
    let nested = format!("<html>{}{words}", "<div>".repeat(1_000_000));
    let one_line = vec![b'a'; 200 << 20];
    // Latin-1 that says it is UTF-8.
    let charset = b"<html><meta charset=utf-8><p>Soci\xe9t\xe9 G\xe9n\xe9rale: net sales of 4 million, up from 3 million\
        </html>";
    let cases: [(&str, Vec<u8>, &str); 5] = [
        ("Nested.html", nested.into_bytes(), ""),
        ("Line.html", one_line, "no filing is that large"),
        ("Bomb.pdf", bomb, "memory"),
        ("Charset.html", charset.to_vec(), ""),
        (
            "Blank.html",
            b"<html><img src=x></html>".to_vec(),
            "no text",
        ),
    ];
    for (name, bytes, error) in cases {
        let hostile = file(name, &bytes);
        drop(bytes);
        let after = file("After.pdf", &text_pdf(&[&format!("Read after {name}")]));
        let (summary, seconds, memory) = add(&data, &[&hostile, &after]);
        println!("{name}: {seconds:.1} s, {} MB: {summary}", memory >> 20);
        assert!(seconds < SECONDS, "{name}: {seconds} s");
        assert!(memory < BYTES, "{name}: {memory} bytes");
        let failed = summary["failed"].as_array().unwrap();
        let added = summary["added"].as_array().unwrap().len();
        if error.is_empty() {
            assert_eq!((failed.len(), added), (0, 2), "{summary}");
        } else {
            assert_eq!((failed.len(), added), (1, 1), "{summary}");
            let told = failed[0].to_string();
            assert!(told.contains(name) && told.contains(error), "{told}");
        }
        fs::remove_file(hostile).unwrap();
    }
    let listed = Command::new(env!("CARGO_BIN_EXE_tenleaf"))
        .arg("--data-dir")
        .arg(&data)
        .args(["--library", "mine", "list", "--json"])
        .output()
        .unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let names: Vec<&str> = (listed["filings"].as_array().unwrap().iter())
        .map(|filing| filing["doc_name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"GOOD_2024_OTHER"), "{names:?}");
}
