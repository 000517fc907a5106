//! What filings say of themselves, against the labels of the corpus and the facts of EDGAR's files.

mod common;

use std::collections::BTreeMap;

use tenleaf::add::cover;
use tenleaf::edgar::html;
use tenleaf::library::{Form, PageText};

/// Labels read from text alone, against the catalog's. What is left is where the catalog names a
/// year otherwise than the company, or calls a release an annual report.
#[test]
fn covers_of_the_corpus() {
    let Some(shared) = common::shared("") else {
        return;
    };
    let (mut forms, mut periods, mut names) = (0, 0, 0);
    for (name, row) in tenleaf::library::catalog::pinned() {
        let path = shared.join(format!("financebench/pages/{name}.jsonl.zst"));
        let raw = zstd::decode_all(std::fs::File::open(path).unwrap()).unwrap();
        let page = |line: &str| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            PageText {
                text: row["text"].as_str().unwrap().to_string(),
                ..PageText::default()
            }
        };
        let pages: Vec<PageText> = String::from_utf8(raw).unwrap().lines().map(page).collect();
        let got = cover::read(&pages, &BTreeMap::new(), "a file");
        let want = row.filing();
        forms += usize::from(got.form == Some(want.form));
        names += usize::from(got.company.is_some());
        let same = got.fiscal_year == want.fiscal_year && got.quarter == want.quarter;
        periods += usize::from(same);
        if got.company.is_none() {
            println!("{name}: no company");
        }
        if !same {
            println!(
                "{name}: {:?} {:?} {:?}",
                got.form, got.fiscal_year, got.quarter
            );
        }
    }
    println!("{forms} forms, {periods} periods, {names} names of 360");
    assert!(forms >= 340 && periods >= 330 && names >= 350);
}

#[test]
fn covers_of_edgars_files() {
    let Some(shared) = common::shared("") else {
        return;
    };
    for (name, company, form, year, quarter) in [
        ("AAPL_10-K_2024-11-01", "Apple Inc.", Form::TenK, 2024, None),
        ("NKE_10-K_2025-07-17", "NIKE, Inc.", Form::TenK, 2025, None),
        (
            "WMT_10-K_2025-03-14",
            "Walmart Inc.",
            Form::TenK,
            2025,
            None,
        ),
        (
            "KO_10-Q_2025-07-24",
            "COCA COLA CO",
            Form::TenQ,
            2025,
            Some(2),
        ),
        (
            "NFLX_10-Q_2025-07-18",
            "Netflix, Inc.",
            Form::TenQ,
            2025,
            Some(2),
        ),
        ("ORCL_8-K", "Oracle Corporation", Form::EightK, 2024, None),
        (
            "BKE_8-K_EX99.1",
            "The Buckle, Inc.",
            Form::Earnings,
            2024,
            Some(3),
        ),
        (
            "10-K_1999_0000950153-99-001234",
            "Medicis Pharmaceutical Corporation",
            Form::TenK,
            1999,
            None,
        ),
    ] {
        let path = shared.join(format!("edgar/html/{name}.html.zst"));
        let bytes = zstd::decode_all(std::fs::File::open(path).unwrap()).unwrap();
        let document = html::read(&bytes).unwrap();
        let pages: Vec<PageText> = document
            .pages
            .into_iter()
            .map(|text| PageText {
                text,
                ..PageText::default()
            })
            .collect();
        let got = cover::read(&pages, &document.facts, "a file");
        println!("{name}: {got:?}");
        let letters = |name: &str| {
            name.to_lowercase()
                .replace(['.', ',', '-'], " ")
                .trim()
                .to_string()
        };
        let named = got.company.as_deref().unwrap_or_default();
        assert!(
            letters(named) == letters(company) || letters(named) == "coca cola company",
            "{name}: {named}"
        );
        assert_eq!(
            (got.form, got.fiscal_year, got.quarter),
            (Some(form), Some(year), quarter),
            "{name}"
        );
        assert!(got.date.is_some(), "{name}");
    }
}

#[test]
fn a_form_is_read_from_its_heading_where_the_commission_is_not_named() {
    let form = |text: &str| {
        let page = PageText {
            text: text.to_string(),
            ..PageText::default()
        };
        let cover = cover::read(&[page], &BTreeMap::new(), "report");
        (cover.form, cover.amended)
    };
    let annual =
        "\nFor the fiscal year ended December 31, 2023\nNet sales were reported for the year.\n";
    for (heading, wanted) in [
        ("ACME CORP\nANNUAL REPORT ON FORM 10-K", Form::TenK),
        ("Acme Corp. Annual Report on Form 10-K", Form::TenK),
        ("2023 Form 10-K", Form::TenK),
        ("Acme: Quarterly report on Form 10-Q", Form::TenQ),
        ("Form 8-K", Form::EightK),
    ] {
        assert_eq!(form(&format!("{heading}{annual}")), (Some(wanted), false));
    }
    let amended = form(&format!("Annual report on Form 10-K/A{annual}"));
    assert_eq!(amended, (Some(Form::TenK), true));
    // A release that speaks of a form.
    for release in [
        "Acme Reports Fourth Quarter Results\nSee the risk factors in our Annual Report on Form 10-K for the year.\n",
        "Acme announces results for the quarter\nIt will file its annual report on Form 10-K in March\n",
    ] {
        assert_eq!(form(release), (Some(Form::Earnings), false), "{release}");
    }
}

/// What a report is called is no company, and a year that ended is a period.
#[test]
fn covers_of_plain_texts() {
    for (text, company, form, year) in [
        (
            "ACME WIDGETS\nAnnual report of Acme for the year ended December 31, 2023\n",
            None,
            Some(Form::AnnualReport),
            Some(2023),
        ),
        (
            "2023 Annual Report\nFor the year ended June 30, 2023\n",
            None,
            Some(Form::AnnualReport),
            Some(2023),
        ),
        (
            "Quarterly report\nResults of the second quarter, reported August 3, 2023\n",
            None,
            Some(Form::Earnings),
            None,
        ),
        (
            "Acme Widgets reports results for the year ended December 31, 2023\n",
            Some("Acme Widgets"),
            Some(Form::Earnings),
            Some(2023),
        ),
    ] {
        let page = PageText {
            text: text.to_string(),
            ..PageText::default()
        };
        let got = cover::read(&[page], &BTreeMap::new(), "a file");
        assert_eq!(got.company.as_deref(), company, "{text}");
        assert_eq!((got.form, got.fiscal_year), (form, year), "{text}");
    }
}
