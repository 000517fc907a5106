//! Finding a company's filings on EDGAR and fetching their documents.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use futures_util::StreamExt;
use jiff::civil::Date;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::http::Edgar;
pub use super::http::EdgarError;
use crate::library::job::{Cancel, Failure};

/// The table of tickers changes rarely.
const TICKERS_FRESH: Duration = Duration::from_secs(24 * 3600);
/// A company's list changes when it files.
const SUBMISSIONS_FRESH: Duration = Duration::from_secs(15 * 60);
/// A filing's folder does not change once it is filed.
const FOLDER_FRESH: Duration = Duration::from_secs(365 * 24 * 3600);
/// Documents fetched at once; the rate limit holds for all of them.
const AT_ONCE: usize = 4;

/// `[edgar]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EdgarConfig {
    /// Contact for the User-Agent; empty until the user sets it.
    pub contact: String,
    /// Host of the submissions API.
    pub data_base: String,
    /// Host of the documents and of the ticker table.
    pub archive_base: String,
    /// Requests a second, at most.
    pub requests_per_second: u32,
}

/// A company to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Company {
    /// By ticker, in capitals.
    Ticker(String),
    /// By Central Index Key.
    Cik(u64),
}

impl std::fmt::Display for Company {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Company::Ticker(ticker) => f.write_str(ticker),
            Company::Cik(cik) => write!(f, "CIK {cik}"),
        }
    }
}

/// Which of its filings.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Forms as EDGAR writes them: `10-K`.
    pub forms: Vec<String>,
    /// Amendments (`10-K/A`) too.
    pub amended: bool,
    /// Filed on this day or later.
    pub since: Option<Date>,
    /// At most so many of each form, newest first.
    pub limit: usize,
}

/// A filing on EDGAR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The registrant.
    pub company: String,
    /// Its key.
    pub cik: u64,
    /// `0000320193-24-000123`.
    pub accession: String,
    /// `10-K/A`.
    pub form: String,
    /// Day it was filed.
    pub filed: Date,
    /// End of its period, or day of the event.
    pub report: Option<Date>,
    /// File name of its main document.
    pub document: String,
}

/// A filing whose main document is here.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The filing.
    pub filing: Found,
    /// Its document on disk.
    pub path: PathBuf,
    /// Its document on EDGAR.
    pub url: String,
    /// Press releases and presentations filed with an 8-K (exhibits 99), on disk.
    pub exhibits: Vec<PathBuf>,
}

/// Told how many documents are done of how many.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

/// A client of EDGAR.
pub struct Client {
    http: Edgar,
    data_base: String,
    archive_base: String,
}

impl Client {
    /// A client with the addresses and the contact of the config; answers are kept in `cache`.
    ///
    /// # Errors
    ///
    /// If no contact is set.
    pub fn new(config: &EdgarConfig, cache: &Path) -> Result<Client, EdgarError> {
        Ok(Client {
            http: Edgar::new(config, cache)?,
            data_base: config.data_base.trim_end_matches('/').to_string(),
            archive_base: config.archive_base.trim_end_matches('/').to_string(),
        })
    }

    /// Fetches the filings wanted into the cache; beside them what could not be had. What is in the cache is not fetched again, so that a stopped run goes on.
    ///
    /// # Errors
    ///
    /// If there is no runtime to work in, or EDGAR refuses us altogether.
    pub fn fetch(
        &self,
        companies: &[Company],
        wanted: &Wanted,
        progress: Progress,
        cancel: &Cancel,
    ) -> Result<(Vec<Fetched>, Vec<Failure>)> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("starting the network")?;
        runtime.block_on(self.fetch_all(companies, wanted, progress, cancel))
    }

    async fn fetch_all(
        &self,
        companies: &[Company],
        wanted: &Wanted,
        progress: Progress<'_>,
        cancel: &Cancel,
    ) -> Result<(Vec<Fetched>, Vec<Failure>)> {
        let mut failed = Vec::new();
        let mut found = Vec::new();
        for company in companies {
            match self.filings(company, wanted, cancel).await {
                Ok(filings) if filings.is_empty() => {
                    let error = anyhow!("EDGAR has no such filing: {}", wanted.forms.join(", "));
                    failed.push(Failure::new(company, &error));
                }
                Ok(filings) => found.extend(filings),
                // Nothing else will do better.
                Err(error @ (EdgarError::Refused { .. } | EdgarError::Cancelled)) => {
                    return Err(error.into());
                }
                Err(error) => failed.push(Failure::new(company, &error.into())),
            }
        }
        let all = found.len();
        progress(0, all);
        let fetches = found
            .iter()
            .map(|filing| async move { (filing, self.document(filing, cancel).await) });
        let mut answers = futures_util::stream::iter(fetches).buffered(AT_ONCE);
        let mut fetched = Vec::new();
        while let Some((filing, answer)) = answers.next().await {
            match answer {
                Ok(document) => fetched.push(document),
                Err(error @ (EdgarError::Refused { .. } | EdgarError::Cancelled)) => {
                    return Err(error.into());
                }
                Err(error) => failed.push(Failure::new(&filing.accession, &error.into())),
            }
            progress(fetched.len(), all);
        }
        Ok((fetched, failed))
    }

    /// Fetches a filing's main document, and of an 8-K the exhibits that hold what it announces.
    async fn document(&self, filing: &Found, cancel: &Cancel) -> Result<Fetched, EdgarError> {
        let url = self.url_of(filing, &filing.document);
        self.http.get(&url, None, cancel).await?;
        let mut exhibits = Vec::new();
        if filing.form.starts_with("8-K") {
            for name in self.exhibits(filing, cancel).await? {
                let url = self.url_of(filing, &name);
                self.http.get(&url, None, cancel).await?;
                exhibits.push(self.http.cached(&url));
            }
        }
        Ok(Fetched {
            filing: filing.clone(),
            path: self.http.cached(&url),
            url,
            exhibits,
        })
    }

    /// Names of the exhibits 99 in a filing's folder.
    async fn exhibits(&self, filing: &Found, cancel: &Cancel) -> Result<Vec<String>, EdgarError> {
        let url = self.url_of(filing, "index.json");
        let folder: Folder = match self.json(&url, FOLDER_FRESH, cancel).await {
            Ok(folder) => folder,
            // Old filings have no such list.
            Err(EdgarError::NotFound(_)) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names: Vec<String> = folder
            .directory
            .item
            .into_iter()
            .map(|item| item.name)
            .collect();
        names.retain(|name| {
            let plain = name.to_ascii_lowercase().replace(['-', '_'], "");
            let html = plain.ends_with(".htm") || plain.ends_with(".html");
            html && is_file_name(name)
                && *name != filing.document
                && (plain.contains("ex99") || plain.contains("exhibit99"))
        });
        names.sort();
        Ok(names)
    }

    fn url_of(&self, filing: &Found, document: &str) -> String {
        format!(
            "{}/Archives/edgar/data/{}/{}/{}",
            self.archive_base,
            filing.cik,
            filing.accession.replace('-', ""),
            document
        )
    }

    /// A company's filings, newest first.
    ///
    /// # Errors
    ///
    /// If EDGAR does not know the company, or does not answer.
    pub async fn filings(
        &self,
        company: &Company,
        wanted: &Wanted,
        cancel: &Cancel,
    ) -> Result<Vec<Found>, EdgarError> {
        let cik = match company {
            Company::Cik(cik) => *cik,
            Company::Ticker(ticker) => self.cik(ticker, cancel).await?,
        };
        let url = format!("{}/submissions/CIK{cik:010}.json", self.data_base);
        let submissions: Submissions =
            self.json(&url, SUBMISSIONS_FRESH, cancel)
                .await
                .map_err(|error| match error {
                    EdgarError::NotFound(_) => {
                        EdgarError::NotFound(format!("company with {company}"))
                    }
                    error => error,
                })?;
        let mut taken = Taken::new(wanted);
        let mut found = Vec::new();
        let name = &submissions.name;
        taken.take(&submissions.filings.recent, name, cik, &mut found);
        // Older ones are in files of their own.
        for file in &submissions.filings.files {
            let too_old = wanted
                .since
                .is_some_and(|since| file.filing_to.is_some_and(|to| to < since));
            if taken.is_full() || too_old {
                continue;
            }
            let url = format!("{}/submissions/{}", self.data_base, file.name);
            let older: Columns = self.json(&url, SUBMISSIONS_FRESH, cancel).await?;
            taken.take(&older, name, cik, &mut found);
        }
        Ok(found)
    }

    async fn cik(&self, ticker: &str, cancel: &Cancel) -> Result<u64, EdgarError> {
        let url = format!("{}/files/company_tickers.json", self.archive_base);
        let table: std::collections::HashMap<String, TickerRow> =
            self.json(&url, TICKERS_FRESH, cancel).await?;
        // BRK.B is BRK-B there.
        let plain = |ticker: &str| ticker.to_ascii_uppercase().replace('.', "-");
        table
            .values()
            .find(|row| plain(&row.ticker) == plain(ticker))
            .map(|row| row.cik_str)
            .ok_or_else(|| EdgarError::NotFound(format!("ticker {ticker}")))
    }

    async fn json<T: DeserializeOwned>(
        &self,
        url: &str,
        fresh: Duration,
        cancel: &Cancel,
    ) -> Result<T, EdgarError> {
        let bytes = self.http.get(url, Some(fresh), cancel).await?;
        serde_json::from_slice(&bytes).map_err(|error| {
            // Not to be read again.
            let _ = std::fs::remove_file(self.http.cached(url));
            EdgarError::Unexpected {
                url: url.to_string(),
                what: error.to_string(),
            }
        })
    }
}

#[derive(Deserialize)]
struct TickerRow {
    cik_str: u64,
    ticker: String,
}

#[derive(Deserialize)]
struct Submissions {
    name: String,
    filings: Filings,
}

#[derive(Deserialize)]
struct Filings {
    recent: Columns,
    #[serde(default)]
    files: Vec<OlderFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OlderFile {
    name: String,
    filing_to: Option<Date>,
}

/// `index.json` of a filing's folder.
#[derive(Deserialize)]
struct Folder {
    directory: Directory,
}

#[derive(Deserialize)]
struct Directory {
    #[serde(default)]
    item: Vec<FolderItem>,
}

#[derive(Deserialize)]
struct FolderItem {
    name: String,
}

/// A list of filings, column by column.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Columns {
    accession_number: Vec<String>,
    filing_date: Vec<Date>,
    report_date: Vec<String>,
    form: Vec<String>,
    primary_document: Vec<String>,
}

/// What was taken of each form, to stop at the limit.
struct Taken<'a> {
    wanted: &'a Wanted,
    counts: Vec<usize>,
}

impl<'a> Taken<'a> {
    fn new(wanted: &'a Wanted) -> Taken<'a> {
        Taken {
            wanted,
            counts: vec![0; wanted.forms.len()],
        }
    }

    fn is_full(&self) -> bool {
        self.counts.iter().all(|&count| count >= self.wanted.limit)
    }

    fn take(&mut self, columns: &Columns, company: &str, cik: u64, found: &mut Vec<Found>) {
        let rows = columns
            .accession_number
            .iter()
            .zip(&columns.filing_date)
            .zip(&columns.report_date)
            .zip(&columns.form)
            .zip(&columns.primary_document);
        for ((((accession, &filed), report), form), document) in rows {
            let plain = form
                .strip_suffix("/A")
                .filter(|_| self.wanted.amended)
                .unwrap_or(form);
            let Some(ix) = self.wanted.forms.iter().position(|wanted| wanted == plain) else {
                continue;
            };
            let is_document =
                !document.is_empty() && is_file_name(document) && is_accession(accession);
            if !is_document
                || self.wanted.since.is_some_and(|since| filed < since)
                || self.counts[ix] >= self.wanted.limit
            {
                continue;
            }
            self.counts[ix] += 1;
            found.push(Found {
                company: company.to_string(),
                cik,
                accession: accession.clone(),
                form: form.clone(),
                filed,
                report: report.parse().ok(),
                document: document.clone(),
            });
        }
    }
}

/// Goes into an address as it is.
fn is_file_name(name: &str) -> bool {
    name.bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"._-/".contains(&b))
        && !name.contains("..")
}

fn is_accession(text: &str) -> bool {
    text.len() == 20 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-')
}
