//! Why a file does not come, and when it is of no use to ask for the next.

use std::mem::{Discriminant, discriminant};
use std::path::PathBuf;

use reqwest::StatusCode;
use thiserror::Error;

use crate::library::http::Trouble;

/// So many files in a row that fail alike say that the next would, too.
const ALIKE: usize = 3;

/// Why a try failed.
#[derive(Debug, Error)]
pub(super) enum Fault {
    #[error(transparent)]
    Asking(#[from] Trouble),
    #[error("cut off after {got} of {want} bytes")]
    Cut { got: u64, want: u64 },
    #[error("longer than the {0} bytes it should have")]
    TooLong(u64),
    #[error("its hash is not the pinned one")]
    WrongHash,
    #[error("not the file: an HTML page (a login or a proxy?)")]
    WebPage,
    #[error("{path}: {source}")]
    Disk {
        path: PathBuf,
        source: std::io::Error,
    },
}

impl Fault {
    /// Whether another try may go better.
    pub(super) fn passes(&self) -> bool {
        match self {
            // The part that was too long is gone.
            Fault::Asking(Trouble::Status(StatusCode::RANGE_NOT_SATISFIABLE, _)) => true,
            Fault::Asking(trouble) => trouble.passes(),
            // Whoever answers for the server will do so again.
            Fault::WebPage => false,
            Fault::Disk { .. } => false,
            _ => true,
        }
    }

    /// What asking failed by, if it was that.
    pub(super) fn trouble(&self) -> Option<&Trouble> {
        match self {
            Fault::Asking(trouble) => Some(trouble),
            _ => None,
        }
    }

    fn status(&self) -> Option<StatusCode> {
        match self {
            Fault::Asking(Trouble::Status(status, _)) => Some(*status),
            _ => None,
        }
    }

    /// What tells it from faults of another kind.
    fn kind(&self) -> Kind {
        let trouble = self.trouble().map(discriminant);
        (discriminant(self), trouble, self.status())
    }

    /// Whether it is of this one file: another may well be there.
    fn is_of_the_file(&self) -> bool {
        matches!(
            self.status(),
            Some(StatusCode::NOT_FOUND | StatusCode::GONE)
        )
    }
}

type Kind = (
    Discriminant<Fault>,
    Option<Discriminant<Trouble>>,
    Option<StatusCode>,
);

/// Files that failed, one after another.
#[derive(Default)]
pub(super) struct InARow {
    files: usize,
    alike: Option<Kind>,
    /// Why no more are asked for, once there were too many.
    pub(super) given_up: Option<String>,
}

impl InARow {
    pub(super) fn failed(&mut self, fault: &Fault) {
        let kind = Some(fault.kind()).filter(|_| !fault.is_of_the_file());
        self.files = match kind.is_some() && kind == self.alike {
            true => self.files + 1,
            false => 1,
        };
        self.alike = kind;
        if kind.is_some() && self.files == ALIKE {
            self.given_up = Some(format!("{ALIKE} files in a row failed alike: {fault}"));
        }
    }
}

/// What the bytes say, where a file is not what it should be.
pub(super) fn is_web_page(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = bytes.trim_ascii_start();
    [&b"<!doctype html"[..], b"<html"].iter().any(|tag| {
        let start = start.get(..tag.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(tag))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_tried_again() {
        let too_long = Trouble::Status(StatusCode::RANGE_NOT_SATISFIABLE, None);
        assert!(Fault::Asking(too_long).passes());
        assert!(Fault::WrongHash.passes());
        assert!(!Fault::Asking(Trouble::Cancelled).passes());
        assert!(!Fault::WebPage.passes());
    }

    #[test]
    fn files_that_fail_alike_are_counted_in_a_row() {
        let after = |faults: &[Fault]| {
            let mut row = InARow::default();
            faults.iter().for_each(|fault| row.failed(fault));
            row.given_up
        };
        let status =
            |code| Fault::Asking(Trouble::Status(StatusCode::from_u16(code).unwrap(), None));
        let cut = |got| Fault::Cut { got, want: 9 };
        assert_eq!(
            after(&[status(404), status(503), status(503), status(503)]).as_deref(),
            Some("3 files in a row failed alike: the server answers 503 Service Unavailable")
        );
        assert!(after(&[cut(1), cut(2), cut(3), status(404)]).is_some());
        for others in [
            &[status(503), status(503), status(500), status(503)][..],
            &[cut(1), cut(2), Fault::WrongHash, cut(3)],
            // Files that are not there say nothing of the others.
            &[status(404), status(404), status(404), status(404)],
        ] {
            assert_eq!(after(others), None);
        }
    }

    #[test]
    fn a_web_page_is_told_by_its_start() {
        for page in [
            "<!DOCTYPE html><title>Sign in</title>",
            "\u{feff}\r\n <HTML lang=en>",
        ] {
            assert!(is_web_page(page.as_bytes()), "{page}");
        }
        for other in ["", "<htm", "%PDF-1.4", "<?xml version='1.0'?>", "{}"] {
            assert!(!is_web_page(other.as_bytes()), "{other}");
        }
    }
}
