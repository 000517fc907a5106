//! What several tests need.
#![allow(dead_code)]

use std::path::PathBuf;

/// What is at this place of the shared data (`""` for all of it), or `None` with a printed message.
pub fn shared(inside: &str) -> Option<PathBuf> {
    let root = std::env::var_os("TENLEAF_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let path = root.join(inside);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: no {} (set TENLEAF_SHARED)", path.display());
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
