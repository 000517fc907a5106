//! Files that are no PDFs, broken PDFs, and PDFs made to hurt.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use tenleaf::library::job::Cancel;
use tenleaf::library::pdf::{self, PdfError, worker};
use tenleaf::library::{PageQuality, PageText};

use crate::common;
use crate::made::{draw, pdf, pdf_of_contents, stream, text_pdf, zeros_packed};

/// Reads as the program does: in a worker. Workers are limited by the CPU time they take, 3 s a
/// page and at most three of them; the limit here is for a machine that is busy with other things.
fn read(bytes: &[u8]) -> Result<Vec<PageText>, PdfError> {
    tenleaf::library::worker::use_program(PathBuf::from(env!("CARGO_BIN_EXE_tenleaf")));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let started = Instant::now();
    let result = worker::extract_file(file.path(), &Cancel::new());
    assert!(
        started.elapsed() < Duration::from_secs(240),
        "{:?}",
        started.elapsed()
    );
    result.map(|pages| pages.expect("nobody cancels"))
}

fn texts(bytes: &[u8]) -> Vec<String> {
    let pages = read(bytes).unwrap();
    pages.into_iter().map(|page| page.text).collect()
}

fn error(bytes: &[u8]) -> String {
    read(bytes).expect_err("it is no good").to_string()
}

#[test]
fn a_made_pdf_reads() {
    let bytes = text_pdf(&["Net sales increased by 4 percent", "Total assets 36,500"]);
    for pages in [read(&bytes).unwrap(), pdf::extract(&bytes).unwrap()] {
        assert_eq!(pages.len(), 2);
        assert_eq!(pages[1].text, "Total assets 36,500");
        assert_eq!(pages[0].quality, PageQuality::Ok);
    }
}

#[test]
fn other_files_are_told_apart() {
    assert_eq!(read(b"").unwrap_err(), PdfError::Empty);
    assert!(error(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").contains("PNG"));
    assert!(error(b"PK\x03\x04rest").contains("ZIP"));
    assert!(error(b"<!doctype html><p>Moved</p>").contains("HTML"));
    assert!(error(b"just some words").contains("plain text"));
    assert!(error(&[0_u8; 4096]).contains("not a PDF"));
}

#[test]
fn cut_and_hollow_files_are_damaged() {
    let whole = text_pdf(&["Net sales increased by 4 percent"]);
    assert_eq!(read(b"%PDF-1.7\n").unwrap_err(), PdfError::Damaged);
    assert_eq!(read(&whole[..60]).unwrap_err(), PdfError::Damaged);
    // Cut in the table at its end, everything else is there: it is mended.
    let pages = read(&whole[..whole.len() - 60]).unwrap();
    assert_eq!(pages[0].text, "Net sales increased by 4 percent");
    let no_pages = pdf(
        &[
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            b"<< /Type /Pages /Count 0 /Kids [] >>".to_vec(),
        ],
        "",
    );
    assert_eq!(read(&no_pages).unwrap_err(), PdfError::Damaged);
}

#[test]
fn a_real_filing_cut_anywhere_gives_pages_or_an_error() {
    let Some(path) = common::shared("financebench/pdfs/ULTABEAUTY_2023Q4_EARNINGS.pdf") else {
        return;
    };
    let whole = std::fs::read(path).unwrap();
    for tenth in 1..10 {
        match pdf::extract(&whole[..whole.len() * tenth / 10]) {
            Ok(pages) => assert!(!pages.is_empty()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn encrypted_files_say_so() {
    let objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Count 0 /Kids [] >>".to_vec(),
        format!(
            "<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <{}> /U <{}> >>",
            "ab".repeat(32),
            "cd".repeat(32)
        )
        .into_bytes(),
    ];
    let bytes = pdf(&objects, "/Encrypt 3 0 R /ID [<00> <00>]");
    assert_eq!(read(&bytes).unwrap_err(), PdfError::Encrypted);
}

#[test]
fn cycles_end() {
    // Pages that are their own kids; contents that are themselves; a parent that is a child.
    let own_kid = pdf(
        &[
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            b"<< /Type /Pages /Count 1 /Kids [2 0 R] >>".to_vec(),
        ],
        "",
    );
    assert_eq!(read(&own_kid).unwrap_err(), PdfError::Damaged);
    let own_length = pdf_of_contents(
        vec![b"<< /Length 4 0 R >>\nstream\nBT ET\nendstream".to_vec()],
        vec![],
        "",
    );
    assert_eq!(texts(&own_length), [""]);
    let own_contents = pdf(
        &[
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            b"<< /Type /Pages /Count 1 /Kids [3 0 R] /Parent 3 0 R >>".to_vec(),
            b"<< /Type /Page /Parent 2 0 R /MediaBox 4 0 R /Contents [4 0 R] /Resources 4 0 R >>"
                .to_vec(),
            b"[4 0 R]".to_vec(),
        ],
        "",
    );
    assert_eq!(texts(&own_contents), [""]);
    // A form that draws itself.
    let form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 600 700] /Resources << /XObject << /X 5 0 R >> >>",
        b"/X Do",
    );
    let bytes = pdf_of_contents(
        vec![stream("", b"/X Do BT /F1 10 Tf 50 700 Td (after) Tj ET")],
        vec![form],
        "/XObject << /X 5 0 R >>",
    );
    assert_eq!(texts(&bytes), ["after"]);
}

/// Thirty forms, each drawing the next twice: a billion runs.
fn endless(page_count: usize) -> Vec<Vec<u8>> {
    let first = 3 + 2 * page_count;
    (0..30)
        .map(|ix| {
            stream(
                &format!(
                    "/Type /XObject /Subtype /Form /BBox [0 0 600 700] /Resources << /XObject << /X {} 0 R >> >>",
                    first + ix + 1
                ),
                b"/X Do /X Do",
            )
        })
        .chain([stream("/Type /XObject /Subtype /Form /BBox [0 0 600 700]", b"0 0 m 9 9 l S")])
        .collect()
}

#[test]
fn a_page_that_takes_for_ever_is_given_up_and_the_others_read() {
    let contents = vec![
        stream("", &draw("Net sales increased by 4 percent")),
        stream("", b"/X Do"),
        stream("", &draw("Total assets were 36,500 million")),
    ];
    let bytes = pdf_of_contents(contents, endless(3), "/XObject << /X 9 0 R >>");
    let pages = read(&bytes).unwrap();
    assert_eq!(pages.len(), 3);
    assert_eq!(pages[0].text, "Net sales increased by 4 percent");
    assert_eq!(
        (pages[1].text.as_str(), pages[1].quality),
        ("", PageQuality::Garbage)
    );
    assert_eq!(pages[2].text, "Total assets were 36,500 million");

    let alone = pdf_of_contents(
        vec![stream("", b"/X Do")],
        endless(1),
        "/XObject << /X 5 0 R >>",
    );
    let error = error(&alone);
    assert!(
        error.starts_with("page 1: ") && error.contains("computing"),
        "{error}"
    );
}

#[test]
fn a_bomb_goes_off_in_its_own_process() {
    let packed = zeros_packed(3 << 30);
    let bytes = pdf_of_contents(vec![stream("/Filter /FlateDecode", &packed)], vec![], "");
    let error = error(&bytes);
    assert!(
        error.starts_with("page 1: ") && error.contains("memory"),
        "{error}"
    );
}

#[test]
fn deep_nesting_is_survived() {
    // What stands behind brackets that nobody closes is inside them, and no text.
    for (content, text) in [("[".repeat(200_000), ""), ("q ".repeat(400_000), "after")] {
        let page = [content.as_bytes(), &draw("after")].concat();
        let bytes = pdf_of_contents(vec![stream("", &page)], vec![], "");
        assert_eq!(texts(&bytes), [text]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Bytes changed anywhere in a PDF: pages or an error, never a panic.
    #[test]
    fn changed_bytes(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..30)) {
        let mut bytes = text_pdf(&["Net sales increased", "Total assets 36,500"]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Err(error) = pdf::extract(&bytes) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
