//! What several tests need.
#![allow(dead_code)]

use std::path::PathBuf;

/// The folder with FinanceBench's files, or `None` with a printed message.
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
