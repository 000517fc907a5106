//! What each filing of FinanceBench is: company, form, fiscal period and dates.
//!
//! A row of the manifest carries the company, the form and the year the benchmark gives a filing;
//! the quarter and the date stand in its irregular name alone. The label's form and period are kept
//! even where the document's cover says otherwise, since the labelled questions follow the label:
//! [`Filing::note`] says what the cover says.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Filing, Form, TextSource};

/// The 360 filings of FinanceBench at the pinned commit: labels, hashes, what their covers say.
const FINANCEBENCH: &str = include_str!("../../assets/financebench.jsonl");

/// One line of a manifest: upstream's labels of a filing, and its original's size and hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestRow {
    /// Unique name: `3M_2018_10K`.
    pub doc_name: String,
    /// Company name.
    pub company: String,
    /// GICS sector, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gics_sector: Option<String>,
    /// `10k`, `10k_annualreport`, `10q`, `8k`, `Earnings`; anything else is [`Form::Other`].
    pub doc_type: String,
    /// The fiscal year as the benchmark counts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doc_period: Option<u16>,
    /// Link to the original on the company's own pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doc_link: Option<String>,
    /// Number of pages of the text that comes with the manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// Where that text came from: `pdf`, or `text` for another extractor's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_from: Option<String>,
    /// Git blob SHA-1 of the PDF: of `blob <length>\0` and its bytes, in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pdf_git_blob_sha1: Option<String>,
    /// SHA-256 of the PDF, in hex, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pdf_sha256: Option<String>,
    /// Length of the PDF, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pdf_bytes: Option<u64>,
    /// From this 1-based page on, the text's page numbers may be off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_numbers_uncertain_from: Option<u32>,
    /// The event's date, read from the cover, where the name has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_date: Option<Date>,
    /// What the document says of itself where its label says something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What is wrong with a manifest.
#[derive(Debug, Error)]
pub enum CatalogError {
    /// A line is no row.
    #[error("line {line}: {source}")]
    Row {
        /// 1-based line.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A name that cannot be a file's.
    #[error("line {line}: {what}")]
    Name {
        /// 1-based line.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
}

impl ManifestRow {
    /// What the catalog knows of the filing before its pages are read: `pages` and `text_sha256`
    /// are set when they are stored, `cover_date` when the cover is read.
    pub fn filing(&self) -> Filing {
        let name = NameParts::read(&self.doc_name);
        let checked = pinned().get(self.doc_name.as_str());
        let form = form_of_label(&self.doc_type).or(name.form);
        let text_from = match self.text_from.as_deref() {
            Some("text") => TextSource::Text,
            _ => TextSource::Pdf,
        };
        Filing {
            sector: self.gics_sector.clone(),
            fiscal_year: self.doc_period.or(name.year),
            quarter: name.quarter,
            event_date: name
                .date
                .or(self.event_date)
                .or_else(|| checked.and_then(|row| row.event_date)),
            pages: self.pages.unwrap_or(0),
            source_sha256: self.pdf_sha256.clone(),
            link: self.doc_link.clone(),
            page_numbers_uncertain_from: self.page_numbers_uncertain_from,
            note: self
                .note
                .clone()
                .or_else(|| checked.and_then(|row| row.note.clone())),
            ..Filing::named(
                &self.doc_name,
                &self.company,
                form.unwrap_or(Form::Other),
                text_from,
            )
        }
    }
}

/// The rows of a manifest, one JSON object a line, in the file's order; a name that comes twice
/// (upstream's own list has one) is kept once. Every line that is no row is returned as an error
/// beside the rows that are.
pub fn read_manifest(text: &str) -> (Vec<ManifestRow>, Vec<CatalogError>) {
    let mut rows: Vec<ManifestRow> = Vec::new();
    let mut errors = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for (ix, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str::<ManifestRow>(line) {
            Err(source) => errors.push(CatalogError::Row {
                line: ix + 1,
                source,
            }),
            Ok(row) => match super::check_name(&row.doc_name) {
                Err(what) => errors.push(CatalogError::Name {
                    line: ix + 1,
                    what: what.to_string(),
                }),
                Ok(()) if seen.insert(row.doc_name.clone()) => rows.push(row),
                Ok(()) => {}
            },
        }
    }
    (rows, errors)
}

impl Filing {
    /// FinanceBench's row of this filing, if it is FinanceBench's. The name alone does not tell: a filing that a
    /// user adds is named in the same way, and so are those of the demo.
    pub fn pinned(&self) -> Option<&'static ManifestRow> {
        let row = pinned().get(self.doc_name.as_str())?;
        let another =
            matches!((&row.pdf_sha256, &self.source_sha256), (Some(a), Some(b)) if a != b);
        let own = self.is_added() || self.text_from == TextSource::Demo;
        (!own && !another).then_some(row)
    }
}

/// FinanceBench's 360 filings at the pinned commit, by `doc_name`.
pub fn pinned() -> &'static BTreeMap<&'static str, ManifestRow> {
    static ROWS: LazyLock<BTreeMap<&'static str, ManifestRow>> = LazyLock::new(|| {
        let (rows, errors) = read_manifest(FINANCEBENCH);
        assert!(errors.is_empty(), "assets/financebench.jsonl: {errors:?}");
        rows.into_iter()
            .map(|row| (&*row.doc_name.clone().leak(), row))
            .collect()
    });
    &ROWS
}

/// What a filing's name alone says of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameParts {
    /// The year of `_2023_` or `_2023Q2_`.
    pub year: Option<u16>,
    /// The quarter of `_2023Q2_`.
    pub quarter: Option<u8>,
    /// The form of `_10K`, `_10Q_`, `_8K_dated`, `_EARNINGS-dated`, `_annualreport`.
    pub form: Option<Form>,
    /// The date of `dated-2023-01-06` or `dated_2023-01-06`.
    pub date: Option<Date>,
}

impl NameParts {
    /// Reads a name such as `FOOTLOCKER_2022_8K_dated_2023-02-21`; what it does not hold is `None`.
    pub fn read(doc_name: &str) -> NameParts {
        static PERIOD: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"[_-]((?:19|20)\d\d)(?:Q([1-4]))?(?:[_-]|$)").unwrap());
        static FORM: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i)[_-](10-?K|10-?Q|8-?K|earnings|annual_?report)(?:[_-]|$)").unwrap()
        });
        static DATE: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"(?i)dated[_-](\d{4}-\d\d-\d\d)$").unwrap());
        let date = DATE.captures(doc_name);
        // The year of the date is no period: MCDONALDS_8K_dated-2023-01-06 has none.
        let before_date = match &date {
            Some(found) => &doc_name[..found.get(0).map_or(0, |m| m.start())],
            None => doc_name,
        };
        let period = PERIOD.captures(before_date);
        NameParts {
            year: period.as_ref().and_then(|m| m[1].parse().ok()),
            quarter: period
                .as_ref()
                .and_then(|m| m.get(2)?.as_str().parse().ok()),
            form: FORM.captures(before_date).and_then(|m| {
                let word = m[1].to_ascii_lowercase().replace(['-', '_'], "");
                form_of_label(&word)
            }),
            date: date.and_then(|m| m[1].parse().ok()),
        }
    }
}

/// The form behind a label as upstream or a name writes it.
fn form_of_label(label: &str) -> Option<Form> {
    match label.to_ascii_lowercase().as_str() {
        "10k" => Some(Form::TenK),
        "10k_annualreport" | "annualreport" => Some(Form::AnnualReport),
        "10q" => Some(Form::TenQ),
        "8k" => Some(Form::EightK),
        "earnings" => Some(Form::Earnings),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn irregular_names() {
        let table = [
            ("3M_2018_10K", Some(2018), None, Some(Form::TenK), None),
            (
                "ACTIVSIONBLIZZARD_2023Q2_10Q",
                Some(2023),
                Some(2),
                Some(Form::TenQ),
                None,
            ),
            (
                "MCDONALDS_8K_dated-2023-01-06",
                None,
                None,
                Some(Form::EightK),
                Some("2023-01-06"),
            ),
            (
                "FOOTLOCKER_2022_8K_dated_2023-02-21",
                Some(2022),
                None,
                Some(Form::EightK),
                Some("2023-02-21"),
            ),
            (
                "PG_E_2023_EARNINGS-dated-2023-06-01",
                Some(2023),
                None,
                Some(Form::Earnings),
                Some("2023-06-01"),
            ),
            (
                "EBAY_2023Q1_8K",
                Some(2023),
                Some(1),
                Some(Form::EightK),
                None,
            ),
            (
                "FEDEX_2023_annualreport",
                Some(2023),
                None,
                Some(Form::AnnualReport),
                None,
            ),
            (
                "acme_annual_report_2020",
                Some(2020),
                None,
                Some(Form::AnnualReport),
                None,
            ),
            (
                "Acme-2021Q3-10-Q",
                Some(2021),
                Some(3),
                Some(Form::TenQ),
                None,
            ),
            ("letter", None, None, None, None),
            (
                "X_2023_8K_dated-2023-02-31",
                Some(2023),
                None,
                Some(Form::EightK),
                None,
            ),
        ];
        for (name, year, quarter, form, date) in table {
            let date = date.map(|d| d.parse().unwrap());
            let want = NameParts {
                year,
                quarter,
                form,
                date,
            };
            assert_eq!(NameParts::read(name), want, "{name}");
        }
    }

    #[test]
    fn a_bad_line_is_named_and_the_rest_stays() {
        let text = "{\"doc_name\":\"A_2020_10K\",\"company\":\"A\",\"doc_type\":\"10k\"}\n\nnot json\n\
            {\"doc_name\":\"../etc\",\"company\":\"A\",\"doc_type\":\"10k\"}\n\
            {\"doc_name\":\"A_2020_10K\",\"company\":\"A\",\"doc_type\":\"10k\"}\n";
        let (rows, errors) = read_manifest(text);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].filing().fiscal_year, Some(2020));
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert!(errors[0].starts_with("line 3"), "{errors:?}");
        assert!(errors[1].starts_with("line 4"), "{errors:?}");
    }
}
