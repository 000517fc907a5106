//! What several tests need.
#![allow(dead_code)]

use std::io::Write;
use std::path::PathBuf;

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
