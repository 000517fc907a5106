//! What is known of one filing besides its text.

use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// The kind of document. EDGAR's form types, and the earnings release that FinanceBench
/// keeps apart from the 8-K it is furnished with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Form {
    /// Annual report on Form 10-K.
    #[serde(rename = "10-K")]
    TenK,
    /// Glossy annual report to shareholders; holds the 10-K's statements.
    #[serde(rename = "annual report")]
    AnnualReport,
    /// Quarterly report on Form 10-Q.
    #[serde(rename = "10-Q")]
    TenQ,
    /// Current report on Form 8-K.
    #[serde(rename = "8-K")]
    EightK,
    /// Earnings release (exhibit 99 of an 8-K, or the company's own).
    #[serde(rename = "earnings release")]
    Earnings,
    /// Anything else a user adds.
    #[serde(rename = "other")]
    Other,
}

impl Form {
    /// Every form, in the order lists show them.
    pub const ALL: [Form; 6] = [
        Form::TenK,
        Form::AnnualReport,
        Form::TenQ,
        Form::EightK,
        Form::Earnings,
        Form::Other,
    ];

    /// The name shown and written in JSON: `10-K`, `annual report`, `10-Q`, `8-K`, ...
    pub fn as_str(self) -> &'static str {
        match self {
            Form::TenK => "10-K",
            Form::AnnualReport => "annual report",
            Form::TenQ => "10-Q",
            Form::EightK => "8-K",
            Form::Earnings => "earnings release",
            Form::Other => "other",
        }
    }

    /// True where it is the form asked for, or stands in for it: an annual report holds the 10-K's statements.
    pub fn answers(self, asked: Form) -> bool {
        self == asked || (asked, self) == (Form::TenK, Form::AnnualReport)
    }

    /// True for the forms that cover a whole fiscal year.
    pub fn is_annual(self) -> bool {
        matches!(self, Form::TenK | Form::AnnualReport)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Where a filing's page text came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextSource {
    /// Read from a PDF by this program or by the same method.
    Pdf,
    /// Another extractor's text; tables may run column by column.
    Text,
    /// Read from HTML as EDGAR serves it.
    Html,
    /// Read from a plain text file.
    Plain,
    /// The built-in demo library.
    Demo,
}

impl TextSource {
    /// What a citation may begin with.
    pub const CITED: [&str; 3] = ["PDF", "HTML", "text"];

    /// `PDF p. 62`, `HTML p. 62`: numbers of pages (`62`, `5, 8`, `2 of 3`) as people cite them.
    pub fn pages(self, numbers: impl fmt::Display) -> String {
        let [pdf, html, text] = TextSource::CITED;
        let what = match self {
            TextSource::Html => html,
            TextSource::Plain => text,
            TextSource::Pdf | TextSource::Text | TextSource::Demo => pdf,
        };
        format!("{what} p. {numbers}")
    }
}

/// One filing: what the catalog knows of it. Its pages are in the page store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Filing {
    /// Unique name, also the file name in the library: `3M_2018_10K`.
    pub doc_name: String,
    /// Company as the catalog names it: `3M`, `Johnson & Johnson`.
    pub company: String,
    /// GICS sector, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sector: Option<String>,
    /// Form type.
    pub form: Form,
    /// An amendment (10-K/A ...): kept and marked, never in place of the original.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub amended: bool,
    /// Fiscal year, as the catalog counts it (FinanceBench's `doc_period`).
    pub fiscal_year: Option<u16>,
    /// Fiscal quarter 1-4 where the filing covers one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarter: Option<u8>,
    /// Date in the filing's name (8-Ks and some releases): the event or filing date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_date: Option<Date>,
    /// Period end (10-K, 10-Q, release) or date of the earliest event (8-K), read from the cover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover_date: Option<Date>,
    /// Number of pages.
    pub pages: u32,
    /// Where the text came from.
    pub text_from: TextSource,
    /// SHA-256 of the page text, in hex: what the index was made from.
    pub text_sha256: String,
    /// What the text was read from, a hash: when it is the same, there is nothing to read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_from: Option<String>,
    /// SHA-256 of the original document, in hex, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_sha256: Option<String>,
    /// Link to the original, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// EDGAR accession number, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accession: Option<String>,
    /// Path of the original on this machine, where kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// From this 1-based page on, page numbers may be off (page breaks lost upstream).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_numbers_uncertain_from: Option<u32>,
    /// What the document says of itself where its label says something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// When it was added, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<String>,
}

impl Filing {
    /// A filing of which no more than this is known.
    pub fn named(doc_name: &str, company: &str, form: Form, text_from: TextSource) -> Filing {
        Filing {
            doc_name: doc_name.to_string(),
            company: company.to_string(),
            sector: None,
            form,
            amended: false,
            fiscal_year: None,
            quarter: None,
            event_date: None,
            cover_date: None,
            pages: 0,
            text_from,
            text_sha256: String::new(),
            made_from: None,
            source_sha256: None,
            link: None,
            accession: None,
            path: None,
            page_numbers_uncertain_from: None,
            note: None,
            added: None,
        }
    }

    /// True for a filing that a user added: one of their own, whatever its name is.
    pub fn is_added(&self) -> bool {
        let made_from = self.made_from.as_deref();
        made_from.is_some_and(|from| from.starts_with(super::reading::ADD))
    }

    /// The year it is of: the fiscal year, else that of the period it covers, else that of its event.
    pub fn year(&self) -> Option<u16> {
        let of = |date: Option<Date>| date.and_then(|date| u16::try_from(date.year()).ok());
        (self.fiscal_year)
            .or_else(|| of(self.cover_date))
            .or_else(|| of(self.event_date))
    }

    /// True for a filing of these years, both included.
    pub fn is_of_years(&self, (first, last): (u16, u16)) -> bool {
        self.year()
            .is_some_and(|year| (first..=last).contains(&year))
    }

    /// `FY2018`, `2023 Q2`, `2022-07-01`: the period in the form people use for this kind of filing.
    pub fn period(&self) -> String {
        match (self.form, self.fiscal_year, self.quarter, self.event_date) {
            (Form::EightK, _, _, Some(date)) => date.to_string(),
            (_, Some(year), Some(quarter), _) => format!("{year} Q{quarter}"),
            (_, _, None, Some(date)) => date.to_string(),
            (_, Some(year), None, None) => format!("FY{year}"),
            (_, None, _, _) => "no period".to_string(),
        }
    }

    /// `3M 10-K FY2018`: company, form and period.
    pub fn title(&self) -> String {
        format!("{} {} {}", self.company, self.form, self.period())
    }

    /// `ended Jan 29, 2023`: when the period ended, where the cover says it. Companies count fiscal years in ways of
    /// their own, and names of filings in others.
    pub fn ended(&self) -> Option<String> {
        let date = self.cover_date.filter(|_| self.form != Form::EightK)?;
        Some(format!("ended {}", date.strftime("%b %-d, %Y")))
    }

    /// Whether that was in another calendar year than the fiscal year the filing goes by.
    pub fn ended_in_another_year(&self) -> bool {
        let (Some(date), Some(year)) = (self.cover_date, self.fiscal_year) else {
            return false;
        };
        self.form != Form::EightK && i32::from(date.year()) != i32::from(year)
    }

    /// `Ulta Beauty 10-K FY2022 · ended Jan 28, 2023`: the title, and when the period ended where it is known.
    pub fn title_and_end(&self) -> String {
        let end = self.ended().map(|end| format!(" · {end}"));
        self.title() + &end.unwrap_or_default()
    }

    /// `PDF p. 62 · printed 60`: a page (0-based), and the number on its paper where it is known.
    pub fn page_words(&self, page: u32, printed: Option<&str>) -> String {
        let mut words = self.text_from.pages(page + 1);
        if let Some(printed) = printed {
            words += " · printed ";
            words += printed;
        }
        words
    }

    /// `PFIZER_2021_10K  PDF p. 59 · printed 53`: a page (0-based) as it is cited everywhere.
    pub fn cite(&self, page: u32, printed: Option<&str>) -> String {
        cite(&self.doc_name, &self.page_words(page, printed))
    }

    /// `Pfizer 10-K FY2021  PDF p. 59 · printed 53`: the same by the filing's title, for a screen.
    pub fn page_title(&self, page: u32, printed: Option<&str>) -> String {
        cite(&self.title(), &self.page_words(page, printed))
    }
}

/// `PFIZER_2021_10K  PDF p. 59, 60`: a filing's name, and its pages as [`TextSource::pages`] says them.
pub fn cite(name: &str, pages: &str) -> String {
    format!("{name}  {pages}")
}

/// Number of the filing of this name among filings in the order of their names.
pub fn find(filings: &[Filing], doc_name: &str) -> Option<u32> {
    let found = filings.binary_search_by(|filing| filing.doc_name.as_str().cmp(doc_name));
    found.ok().map(|ix| ix as u32)
}

/// `PFIZER_2021_10K  HTML p. 59, 60`: pages of the filing of this name (their numbers as people cite them). One that
/// is not among the filings is taken for a PDF: labels are made on those.
pub fn cite_pages(filings: &[Filing], doc_name: &str, numbers: impl fmt::Display) -> String {
    let filing = find(filings, doc_name).map(|ix| &filings[ix as usize]);
    let source = filing.map_or(TextSource::Pdf, |filing| filing.text_from);
    cite(doc_name, &source.pages(numbers))
}

/// How good the text of one page is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageQuality {
    /// Readable text.
    #[default]
    Ok,
    /// No text, or next to none: a picture, a blank page.
    Empty,
    /// Text that is not language: a font with a broken encoding.
    Garbage,
}

/// One page of text as extracted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageText {
    /// The text, rows separated by `\n`; columns by two spaces or more.
    pub text: String,
    /// Whether the text can be trusted.
    pub quality: PageQuality,
}

/// One page of the library: filing ordinal (position in the sorted catalog) and 0-based page.
///
/// The order of `PageId`s is the order of (`doc_name`, page): it breaks ties between scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PageId {
    /// Position of the filing in the catalog, which is sorted by `doc_name`.
    pub filing: u32,
    /// 0-based page of the document.
    pub page: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_cited_by_what_the_filing_is() {
        for (from, words) in [
            (TextSource::Pdf, "PDF p. 62"),
            (TextSource::Text, "PDF p. 62"),
            (TextSource::Html, "HTML p. 62"),
            (TextSource::Plain, "text p. 62"),
        ] {
            assert_eq!(from.pages(62), words);
        }
        assert_eq!(TextSource::Html.pages("5, 8"), "HTML p. 5, 8");
        let pages = TextSource::Text.pages("5, 8");
        assert_eq!(cite("3M_2018_10K", &pages), "3M_2018_10K  PDF p. 5, 8");
    }
}
