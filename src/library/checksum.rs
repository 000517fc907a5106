//! The hashes files are checked by.

use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::catalog::ManifestRow;
use super::store::hex;

/// SHA-256, in hex.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// What git names a file's content by: SHA-1 of `blob <length>\0` and the bytes, in hex.
pub fn git_blob_sha1(bytes: &[u8]) -> String {
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()));
    hash.update(bytes);
    hex(&hash.finalize())
}

/// What a file must hash to: its SHA-256 where known, else its git blob SHA-1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// SHA-256, in hex.
    Sha256(String),
    /// Git blob SHA-1, in hex.
    GitBlob(String),
}

impl Expected {
    /// The hash of a manifest row's PDF, where it has one.
    pub fn of(row: &ManifestRow) -> Option<Expected> {
        let sha256 = row.pdf_sha256.clone().map(Expected::Sha256);
        sha256.or_else(|| row.pdf_git_blob_sha1.clone().map(Expected::GitBlob))
    }

    /// Whether these are the bytes.
    pub fn matches(&self, bytes: &[u8]) -> bool {
        match self {
            Expected::Sha256(want) => *want == sha256(bytes),
            Expected::GitBlob(want) => *want == git_blob_sha1(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hashes() {
        assert_eq!(
            git_blob_sha1(b""),
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
        );
        assert_eq!(
            git_blob_sha1(b"hello\n"),
            "ce013625030ba8dba906f756967f9e9ca394464a"
        );
        assert!(sha256(b"").starts_with("e3b0c44298fc1c149afbf4c8996fb924"));
        assert!(Expected::GitBlob(git_blob_sha1(b"x")).matches(b"x"));
        assert!(!Expected::Sha256(sha256(b"x")).matches(b"y"));
    }
}
