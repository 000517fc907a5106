//! What several tests need.
#![allow(dead_code)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Output};

/// Says that the calling test is skipped and why, straight to the terminal: what a passing test prints is not shown.
pub fn skipped(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {why}");
}

/// What is at this place of the shared data (`""` for all of it), or `None` where there is none: then the test is
/// skipped, and that is said.
pub fn shared(inside: &str) -> Option<PathBuf> {
    let root = std::env::var_os("TENLEAF_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let path = root.join(inside);
    if path.exists() {
        return Some(path);
    }
    skipped(&format!("no {} (set TENLEAF_SHARED)", path.display()));
    None
}

/// A filing's cover and a page of text behind it, as HTML.
pub fn filing(company: &str, form: &str, period: &str) -> String {
    format!(
        "<p>UNITED STATES SECURITIES AND EXCHANGE COMMISSION<p>FORM {form}<p>{period}<p>{company}\
         <p>(Exact name of registrant as specified in its charter)\
         <p>Indicate by check mark whether the registrant is a shell company.<hr style=\"page-break-after:always\">\
         <p>Net sales rose by a tenth, and costs by less."
    )
}

/// What a command said.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The JSON a command printed.
pub fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", stderr(output)))
}

/// Sends a command a signal as soon as it listens to signals.
#[cfg(target_os = "linux")]
pub fn signal(child: &Child, signal: i32) {
    let status = format!("/proc/{}/status", child.id());
    let listens = || {
        let status = std::fs::read_to_string(&status).unwrap();
        let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
        let all = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
        all.iter().all(|signal| caught >> (signal - 1) & 1 == 1)
    };
    while !listens() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // SAFETY: sends a signal to a child that has not been waited for.
    assert_eq!(0, unsafe { libc::kill(child.id() as i32, signal) });
}
