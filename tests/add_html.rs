//! HTML to pages, on real filings as EDGAR serves them and on hostile files.

mod common;

use std::time::Duration;

use tenleaf::edgar::html::{self, Document, HtmlError};
use tenleaf::library::Form;
use tenleaf::structure::{items, printed_pages};

fn filing(name: &str) -> Option<Document> {
    let path = common::shared("edgar/html")?.join(format!("{name}.html.zst"));
    let bytes = zstd::decode_all(std::fs::File::open(path).unwrap()).unwrap();
    Some(html::read(&bytes).unwrap())
}

/// The page, 1-based, on which each Item starts.
fn starts(document: &Document, form: Form) -> Vec<(String, usize)> {
    let texts: Vec<&str> = document.pages.iter().map(String::as_str).collect();
    let mut out = Vec::new();
    for (page, items) in items(&texts, form, &printed_pages(&texts))
        .iter()
        .enumerate()
    {
        for span in items.spans.iter().filter(|span| span.starts) {
            out.push((format!("{}.{}", span.def.part, span.def.item), page + 1));
        }
    }
    out
}

#[test]
fn pages_end_where_the_filing_says() {
    for (name, pages) in [
        ("AAPL_10-K_2024-11-01", 59),
        ("KO_10-Q_2025-07-24", 59),
        ("NKE_10-K_2025-07-17", 99),
        ("WMT_10-K_2025-03-14", 87),
        ("10-K_1999_0000950153-99-001234", 31),
    ] {
        let Some(document) = filing(name) else { return };
        assert_eq!(document.pages.len(), pages, "{name}");
        assert!(document.pages_marked, "{name}");
    }
}

#[test]
fn figures_are_whole_and_hidden_facts_are_not_text() {
    let Some(document) = filing("AAPL_10-K_2024-11-01") else {
        return;
    };
    let page = document
        .pages
        .iter()
        .find(|page| page.contains("CONSOLIDATED STATEMENTS OF OPERATIONS\n"))
        .unwrap();
    assert!(
        page.contains("Products  $294,866  $298,085  $316,199\n"),
        "{page}"
    );
    assert!(page.contains("Total net sales  391,035  383,285  394,328\n"));
    let flows = document
        .pages
        .iter()
        .find(|page| page.contains("CONSOLIDATED STATEMENTS OF CASH FLOWS\n"))
        .unwrap();
    assert!(flows.contains("  (9,447)  (10,959)  (10,708)"), "{flows}");
    assert!(
        !document.pages[0].contains("false"),
        "hidden facts were read as text"
    );
    for (fact, value) in [
        ("DocumentType", "10-K"),
        ("DocumentFiscalYearFocus", "2024"),
        ("DocumentFiscalPeriodFocus", "FY"),
        ("EntityRegistrantName", "Apple Inc."),
        ("DocumentPeriodEndDate", "September 28, 2024"),
        ("AmendmentFlag", "false"),
        ("TradingSymbol", "AAPL"),
    ] {
        assert_eq!(document.facts.get(fact).map(String::as_str), Some(value));
    }
}

#[test]
fn items_and_printed_pages() {
    for (name, form, want) in [
        (
            "AAPL_10-K_2024-11-01",
            Form::TenK,
            &[
                ("I.1", 3),
                ("I.1A", 7),
                ("II.7", 23),
                ("II.7A", 29),
                ("II.8", 30),
                ("IV.15", 55),
            ][..],
        ),
        (
            "KO_10-Q_2025-07-24",
            Form::TenQ,
            &[
                ("I.1", 5),
                ("I.2", 37),
                ("I.4", 52),
                ("II.1", 53),
                ("II.1A", 55),
                ("II.6", 55),
            ][..],
        ),
    ] {
        let Some(document) = filing(name) else { return };
        let starts = starts(&document, form);
        println!("{name}: {starts:?}");
        for (item, page) in want {
            assert!(starts.contains(&(item.to_string(), *page)), "{name} {item}");
        }
        let texts: Vec<&str> = document.pages.iter().map(String::as_str).collect();
        let known = printed_pages(&texts).iter().flatten().count();
        assert!(
            known * 10 >= texts.len() * 8,
            "{name}: {known} of {}",
            texts.len()
        );
    }
}

/// Processor time of this thread: what a busy machine does not lengthen.
fn now() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes one timespec, which is ours.
    let done = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(done, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Reads within 10 s.
fn quickly(bytes: &[u8]) -> Result<Document, HtmlError> {
    let start = now();
    let read = html::read(bytes);
    let took = now() - start;
    assert!(took < Duration::from_secs(10), "{took:?}");
    read
}

#[test]
fn a_million_nested_tags() {
    let mut file = String::from("<html><body>");
    for _ in 0..250_000 {
        file.push_str("<div style=\"page-break-after:always\"><table><tr><td><b>");
    }
    file.push_str("Total assets</html>");
    let document = quickly(file.as_bytes()).unwrap();
    assert_eq!(document.pages.concat(), "Total assets");
}

#[test]
fn one_line_of_200_mb() {
    let line = vec![b'x'; 200 << 20];
    assert_eq!(quickly(&line), Err(HtmlError::TooLarge(200 << 20)));
    let words = "revenue 1,234 ".repeat(100 << 20 >> 4);
    let document = quickly(words.as_bytes()).unwrap();
    assert!(!document.pages_marked);
    let read: usize = document
        .pages
        .iter()
        .map(|page| page.matches("1,234").count())
        .sum();
    assert_eq!(read, words.len() / 14);
}

#[test]
fn charset_declared_wrongly() {
    let mut file = b"<html><head><meta charset=\"utf-8\"></head><body><p>Net sales \x96 up 5% to \x80 12 at L\xf6we".to_vec();
    assert_eq!(
        quickly(&file).unwrap().pages,
        ["Net sales – up 5% to € 12 at Löwe"]
    );
    file = "<html><head><meta charset=\"iso-8859-1\"></head><body><p>Löwe – €"
        .as_bytes()
        .to_vec();
    assert_eq!(quickly(&file).unwrap().pages, ["Löwe – €"]);
    let utf16: Vec<u8> = std::iter::once(0xfeffu16)
        .chain("<p>Löwe".encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(quickly(&utf16).unwrap().pages, ["Löwe"]);
}

#[test]
fn nothing_to_read() {
    for file in [
        &b""[..],
        b"<html><body><img src=x></body></html>",
        b"<div style=\"display: none\">1,234</div>",
        b"<script>var revenue = 1;</script><style>p { }</style>",
    ] {
        assert_eq!(quickly(file), Err(HtmlError::NoText));
    }
    let binary: Vec<u8> = (0..100_000u32).map(|n| ((n * 7919) >> 3) as u8).collect();
    assert_eq!(quickly(&binary), Err(HtmlError::Binary));
}

#[test]
fn unclosed_and_odd_markup() {
    for (file, want) in [
        ("<p>One<p>Two<br>Three", "One\nTwo\nThree"),
        (
            "<table><tr><td>Cash<td>$<td>12<td>)<tr><td>Debt<td>(<td>3</table>After",
            "Cash  $12)\nDebt  (3\nAfter",
        ),
        (
            "<table><tr><td><table><tr><td>Inner<td>1</table>tail</td></tr></table>",
            "Inner  1\ntail",
        ),
        ("<table><tr><td><p>A</p><p>B</p></td></tr></table>", "A\nB"),
        ("A &amp; B&nbsp;&#8212; C &lt;", "A & B — C <"),
        ("<div style='display:none'><div>x</div>y</div>z", "z"),
        (
            "<pre>Cash      12\n  Debt     3</pre>",
            "Cash      12\n  Debt     3",
        ),
        ("<p>Cash<i", "Cash"),
        ("I<b>tem</b> 7<span>A</span>.", "Item 7A."),
    ] {
        let got = html::read(file.as_bytes()).map(|document| document.pages.join("\n---\n"));
        assert_eq!(got.unwrap_or_default(), want, "{file}");
    }
}

#[test]
fn every_kind_of_break() {
    for mark in [
        "<hr style=\"page-break-after:always\"/>",
        "<hr style='PAGE-BREAK-AFTER: always !important'>",
        "<p style=\"break-before: page\">",
        "<div style=\"page-break-after: always\"></div>",
        "<!-- PAGEBREAK -->",
        "<PAGE>",
    ] {
        let document = html::read(format!("<p>One</p>{mark}<p>Two").as_bytes()).unwrap();
        assert_eq!(document.pages, ["One", "Two"], "{mark}");
        assert!(document.pages_marked, "{mark}");
    }
    let document =
        html::read(b"<div style='page-break-after:always'><div>One</div>Two</div>Three").unwrap();
    assert_eq!(document.pages, ["One\nTwo", "Three"]);
}

#[test]
fn pages_made_where_none_are_marked() {
    let paragraphs: String = (0..100)
        .map(|n| format!("<p>{n} {}</p>", "word ".repeat(50)))
        .collect();
    let document = html::read(paragraphs.as_bytes()).unwrap();
    assert!(!document.pages_marked);
    assert!(document.pages.len() > 5);
    assert!(document.pages.iter().all(|page| page.len() <= 3_000));
    assert_eq!(document.pages.join("\n").lines().count(), 100);
}

/// Every line of a page is in exactly one block, and a row of figures is never outside a table's.
#[test]
fn blocks_cover_the_pages_and_the_statements_are_tables() {
    use tenleaf::structure::{BlockKind, PageKind, blocks, page_kind};
    for name in [
        "AAPL_10-K_2024-11-01",
        "KO_10-Q_2025-07-24",
        "10-K_1999_0000950153-99-001234",
    ] {
        let Some(document) = filing(name) else { return };
        for page in &document.pages {
            let found = blocks(page);
            let mut at = 0;
            for block in &found {
                assert!(
                    page[at..block.range.start].trim().is_empty(),
                    "{name}: a line is left out"
                );
                at = block.range.end;
            }
            assert!(page[at..].trim().is_empty(), "{name}: a line is left out");
        }
    }
    let Some(document) = filing("AAPL_10-K_2024-11-01") else {
        return;
    };
    let page = |title: &str| {
        document
            .pages
            .iter()
            .find(|page| page.contains(title))
            .unwrap()
    };
    for title in [
        "CONSOLIDATED BALANCE SHEETS\n",
        "CONSOLIDATED STATEMENTS OF CASH FLOWS\n",
    ] {
        let page = page(title);
        assert_eq!(page_kind(page), PageKind::Table, "{page}");
        let tables: Vec<&str> = blocks(page)
            .into_iter()
            .filter(|block| block.kind == BlockKind::Table)
            .map(|block| &page[block.range])
            .collect();
        let rows = page
            .lines()
            .filter(|line| line.matches(',').count() >= 2 && line.contains("  "));
        for row in rows.filter(|row| row.split("  ").count() >= 3) {
            assert!(tables.iter().any(|table| table.contains(row)), "{row}");
        }
    }
    assert_eq!(page_kind(page("Item 1A. Risk Factors")), PageKind::Prose);
}

#[test]
fn markup_is_told_from_text() {
    for (file, markup) in [
        ("<!DOCTYPE html><p>x", true),
        ("<SEC-DOCUMENT>\n<DOCUMENT>\n<TYPE>10-K\n<TEXT>\n<p>x", true),
        ("<span>Revenue</span> rose", true),
        ("R&amp;D rose", true),
        ("if a < b, and b > a", false),
        ("R&D rose", false),
    ] {
        let document = html::read(format!("{file} and more").as_bytes()).unwrap();
        assert_eq!(document.markup, markup, "{file}");
    }
}

#[test]
fn plain_text_keeps_its_lines_and_its_pages() {
    let text = "FORM 10-K\r\nFor the fiscal year ended December 31, 2023\r\n\r\n  ZORBITAL CORP\r\n\
                (Exact name of registrant)\r\nif a < b, then  5   7\u{c}second page\n";
    let document = html::read(text.as_bytes()).unwrap();
    assert!(document.pages_marked);
    assert_eq!(document.pages.len(), 2);
    let lines: Vec<&str> = document.pages[0].lines().collect();
    assert_eq!(
        lines,
        [
            "FORM 10-K",
            "For the fiscal year ended December 31, 2023",
            "  ZORBITAL CORP",
            "(Exact name of registrant)",
            "if a < b, then  5   7"
        ]
    );
    assert_eq!(document.pages[1], "second page");
    let long = "a line of a long report without a form feed\n".repeat(1_000);
    let made = html::read(long.as_bytes()).unwrap();
    assert!(
        !made.pages_marked && made.pages.len() > 10,
        "{}",
        made.pages.len()
    );
}
