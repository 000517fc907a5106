//! The demo library: short filings and labelled questions built into the program, so that it
//! works with nothing downloaded. The files and their format are in `assets/demo`.

use std::fs;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use jiff::civil::Date;
use sha2::{Digest, Sha256};

use super::{Filing, Form, Library, PageQuality, PageText, TextSource, store};
use crate::text;

macro_rules! filings {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../assets/demo/filings/", $name, ".txt")))),*]
    };
}

/// (`doc_name`, file) of every filing.
const FILINGS: [(&str, &str); 8] = filings![
    "BESTBUY_2023Q4_EARNINGS",
    "BESTBUY_2023_10K",
    "BESTBUY_2024Q2_10Q",
    "COSTCO_2022_10K",
    "FOOTLOCKER_2022_8K_dated_2022-08-19",
    "NETFLIX_2023Q2_10Q",
    "NIKE_2022_10K",
    "NIKE_2023_10K",
];

/// The labelled questions.
const QUESTIONS: &str = include_str!("../../assets/demo/questions.jsonl");

/// Begins the line before each page.
const PAGE_MARK: &str = "=== page ";

/// Puts the demo into `root`, unless it is there already as this program ships it.
///
/// A killed install is done again: the stamp is written last.
pub fn install(root: &Path) -> Result<()> {
    let stamp = root.join("demo.version");
    let version = version();
    if fs::read_to_string(&stamp).is_ok_and(|found| found == version) && is_whole(root) {
        return Ok(());
    }
    for (doc_name, file) in FILINGS {
        let (mut filing, pages) = parse(doc_name, file)
            .with_context(|| format!("the demo's filing {doc_name}, built into the program"))?;
        Library::put(root, &mut filing, &pages)?;
    }
    Library::refresh(root)?;
    let questions = root.join("questions");
    fs::create_dir_all(&questions).with_context(|| format!("creating {}", questions.display()))?;
    store::write_atomic(&questions.join("demo.jsonl"), QUESTIONS.as_bytes())
        .and_then(|()| store::write_atomic(&stamp, version.as_bytes()))
        .with_context(|| format!("writing the demo's questions to {}", questions.display()))?;
    tracing::info!("demo library written to {}", root.display());
    Ok(())
}

/// How many filings and pages it has.
pub fn size() -> (usize, usize) {
    let lines = FILINGS.iter().flat_map(|(_, file)| file.lines());
    let pages = lines.filter(|line| line.starts_with(PAGE_MARK)).count();
    (FILINGS.len(), pages)
}

/// True for a filing of the demo, which [`install`] puts back.
pub fn is_built_in(doc_name: &str) -> bool {
    FILINGS.iter().any(|(name, _)| *name == doc_name)
}

fn is_whole(root: &Path) -> bool {
    FILINGS
        .iter()
        .all(|(doc_name, _)| super::page_path(root, doc_name).is_file())
}

/// Changes with any of the assets.
fn version() -> String {
    let mut hash = Sha256::new();
    for (doc_name, file) in FILINGS {
        hash.update(doc_name);
        hash.update(file);
    }
    hash.update(QUESTIONS);
    store::hex(&hash.finalize())
}

/// Reads a filing of the format `assets/demo/README.md` describes.
fn parse(doc_name: &str, file: &str) -> Result<(Filing, Vec<PageText>)> {
    let mut filing = Filing::named(doc_name, "", Form::Other, TextSource::Demo);
    let mut pages: Vec<String> = Vec::new();
    for (ix, line) in file.lines().enumerate() {
        let here = || format!("line {}: {line:?}", ix + 1);
        if let Some(number) = line.strip_prefix(PAGE_MARK) {
            if number.parse() != Ok(pages.len() + 1) {
                bail!("{}: page {} expected", here(), pages.len() + 1);
            }
            pages.push(String::new());
        } else if let Some(page) = pages.last_mut() {
            page.push_str(line);
            page.push('\n');
        } else if !line.starts_with('#') {
            let (key, value) = line.split_once(": ").with_context(here)?;
            set(&mut filing, key, value.trim()).with_context(here)?;
        }
    }
    if filing.company.is_empty() || pages.is_empty() {
        bail!("a filing needs a company and at least one page");
    }
    let pages = pages
        .iter()
        .map(|page| PageText {
            text: text::normalise(page.trim_end()),
            quality: PageQuality::Ok,
        })
        .collect();
    Ok((filing, pages))
}

fn set(filing: &mut Filing, key: &str, value: &str) -> Result<()> {
    match key {
        "company" => filing.company = value.to_string(),
        "sector" => filing.sector = Some(value.to_string()),
        "form" => {
            filing.form = Form::ALL
                .into_iter()
                .find(|form| form.as_str() == value)
                .context("no such form")?;
        }
        "fiscal_year" => filing.fiscal_year = Some(value.parse()?),
        "quarter" => filing.quarter = Some(value.parse()?),
        "event_date" => filing.event_date = Some(Date::from_str(value)?),
        "cover_date" => filing.cover_date = Some(Date::from_str(value)?),
        _ => bail!("no such key"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::QuestionSet;

    fn words(text: &str) -> String {
        crate::words::one_line(text)
    }

    #[test]
    fn the_demo_installs_once_and_mends_itself() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("demo");
        install(&root).unwrap();
        let library = Library::open(&root).unwrap();
        assert_eq!(library.filings().len(), FILINGS.len());
        let modified = |name: &str| {
            let path = super::super::page_path(&root, name);
            fs::metadata(path).unwrap().modified().unwrap()
        };
        let before = modified("NIKE_2022_10K");
        install(&root).unwrap();
        assert_eq!(
            modified("NIKE_2022_10K"),
            before,
            "nothing is written twice"
        );

        Library::remove(&root, "NIKE_2022_10K").unwrap();
        install(&root).unwrap();
        assert!(
            Library::open(&root)
                .unwrap()
                .find("NIKE_2022_10K")
                .is_some()
        );

        fs::write(root.join("demo.version"), "an older one").unwrap();
        install(&root).unwrap();
        assert_eq!(
            fs::read_to_string(root.join("demo.version")).unwrap(),
            version()
        );
    }

    #[test]
    fn it_has_something_to_narrow() {
        let filings: Vec<Filing> = FILINGS
            .iter()
            .map(|(name, file)| parse(name, file).unwrap().0)
            .collect();
        for form in [Form::TenK, Form::TenQ, Form::EightK, Form::Earnings] {
            assert!(filings.iter().any(|filing| filing.form == form), "{form}");
        }
        let nike: Vec<_> = filings.iter().filter(|f| f.company == "Nike").collect();
        assert_eq!(nike.len(), 2);
        assert_ne!(nike[0].fiscal_year, nike[1].fiscal_year);
        let best_buy = filings.iter().filter(|f| f.company == "Best Buy");
        assert_eq!(best_buy.count(), 3);
    }

    #[test]
    fn every_labelled_page_holds_its_evidence() {
        let dir = tempfile::tempdir().unwrap();
        install(dir.path()).unwrap();
        let library = Library::open(dir.path()).unwrap();
        let set = QuestionSet::load(&library, &[]);
        assert!(set.problems.is_empty(), "{:?}", set.problems);
        assert!(set.questions.len() >= 12);
        for question in &set.questions {
            let filing = library.find(&question.doc_name).unwrap();
            for &page in &question.gold_pages {
                let evidence: Vec<_> = question
                    .evidence
                    .iter()
                    .filter(|e| e.page == page)
                    .collect();
                assert!(
                    !evidence.is_empty(),
                    "{}: page {page} is unproven",
                    question.id
                );
                let text = library
                    .page(super::super::PageId { filing, page })
                    .unwrap()
                    .text;
                for passage in evidence {
                    assert!(
                        words(&text).contains(&words(&passage.text)),
                        "{}: {:?} is not on page {page}",
                        question.id,
                        passage.text
                    );
                }
            }
        }
    }

    #[test]
    fn statements_add_up() {
        // The figures are copied from real filings: assets equal liabilities and equity.
        for (name, file) in FILINGS {
            let pages = parse(name, file).unwrap().1;
            for page in &pages {
                let row = |label: &str| {
                    page.text.lines().find_map(|line| {
                        line.to_lowercase()
                            .strip_prefix(label)
                            .map(|rest| rest.split_whitespace().map(str::to_string).collect())
                    })
                };
                let assets: Option<Vec<String>> = row("total assets ");
                let Some(assets) = assets else { continue };
                let both = row("total liabilities and equity ")
                    .or_else(|| row("total liabilities and stockholders’ equity "))
                    .or_else(|| row("total liabilities and stockholders' equity "))
                    .or_else(|| row("total liabilities and shareholders' equity "));
                assert_eq!(Some(assets), both, "{name}");
            }
        }
    }

    #[test]
    fn a_mistake_in_a_file_names_its_line() {
        let cases = [
            ("company: A\n=== page 2\n", "line 2"),
            ("company: A\ncolour: blue\n", "line 2"),
            ("form: 10-X\n", "line 1"),
            ("company: A\n", "at least one page"),
        ];
        for (file, message) in cases {
            let error = format!("{:#}", parse("A", file).unwrap_err());
            assert!(error.contains(message), "{file:?}: {error}");
        }
    }
}
