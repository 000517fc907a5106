//! What is in a library, what is missing, and what to do about it. What is damaged inside: see [`super::verify`].

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;

use super::catalog;
use super::store::{PageFile, files};
use super::{Filing, Library, PageQuality, SET_ASIDE, TextSource, page_path};
use crate::words::count;

/// What a library holds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Status {
    /// Its folder.
    pub root: PathBuf,
    /// Number of filings.
    pub filings: usize,
    /// Number of pages.
    pub pages: usize,
    /// Filings by form.
    pub forms: BTreeMap<String, usize>,
    /// Filings whose tables may run column by column (another extractor's text).
    pub other_extractor: usize,
    /// Pages without text.
    pub empty_pages: usize,
    /// Pages whose text is not language.
    pub garbage_pages: Vec<FlaggedPages>,
    /// Filings whose page numbers may be off from some page on.
    pub uncertain_page_numbers: Vec<String>,
    /// Page files that do not open, or hold another filing than their name says.
    pub damaged: Vec<String>,
    /// Filings whose damaged page file was set aside and that are not here again.
    pub set_aside: Vec<String>,
    /// Originals kept.
    pub pdfs: usize,
    /// Bytes of the page files, and of the originals.
    pub bytes: u64,
    /// Transfers that wait to go on.
    pub unfinished: Vec<String>,
    /// Files of questions.
    pub questions: Vec<String>,
    /// FinanceBench's filings that are not here; empty for a library that has none of them.
    pub missing: Vec<String>,
    /// Filings of the user's own by the names of FinanceBench's, which a fetch leaves as they are.
    pub in_the_way: Vec<String>,
    /// What to do.
    pub todo: Vec<String>,
}

/// Pages of one filing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FlaggedPages {
    /// The filing.
    pub doc_name: String,
    /// What its pages are numbered in.
    pub text_from: TextSource,
    /// 1-based pages.
    pub pages: Vec<u32>,
}

/// Looks at everything without reading page text.
///
/// # Errors
///
/// If the folder cannot be read.
pub fn status(root: &Path) -> Result<Status> {
    let library = Library::open(root)?;
    let mut status = Status {
        root: root.to_path_buf(),
        filings: library.filings().len(),
        pages: library.page_count(),
        ..Status::default()
    };
    let (mut better_by_fetch, mut pages_made_here) = (0, 0);
    for (ordinal, filing) in library.filings().iter().enumerate() {
        let is_pinned = filing.pinned().is_some();
        *status.forms.entry(filing.form.to_string()).or_default() += 1;
        status.other_extractor += usize::from(filing.text_from == TextSource::Text);
        let uncertain = filing.page_numbers_uncertain_from.is_some();
        if uncertain {
            status.uncertain_page_numbers.push(filing.doc_name.clone());
        }
        let by_another = filing.text_from == TextSource::Text;
        better_by_fetch += usize::from(is_pinned && (uncertain || by_another));
        pages_made_here += usize::from(!is_pinned && uncertain);
        if let Ok(file) = library.page_file(ordinal as u32) {
            let flagged =
                |quality| (0..file.pages()).filter(move |&page| file.quality(page) == quality);
            status.empty_pages += flagged(PageQuality::Empty).count();
            let garbage: Vec<u32> = flagged(PageQuality::Garbage).map(|page| page + 1).collect();
            if !garbage.is_empty() {
                status.garbage_pages.push(FlaggedPages {
                    doc_name: filing.doc_name.clone(),
                    text_from: filing.text_from,
                    pages: garbage,
                });
            }
        }
    }
    status.damaged = names(&root.join("pages"), ".pages")?
        .into_iter()
        .filter(|name| {
            let opened = PageFile::open(&page_path(root, name));
            opened.and_then(|file| file.own_filing()).is_err()
        })
        .collect();
    status.set_aside = names(&root.join("pages"), SET_ASIDE)?
        .into_iter()
        .filter(|name| !page_path(root, name).exists())
        .collect();
    status.pdfs = names(&root.join("pdfs"), ".pdf")?.len();
    status.unfinished = names(&root.join("pdfs"), ".pdf.part")?;
    status.questions = names(&root.join("questions"), ".jsonl")?;
    status.bytes = size(&root.join("pages")) + size(&root.join("pdfs"));
    if library.filings().iter().any(|f| f.pinned().is_some()) {
        let named = |f: &&Filing| catalog::pinned().contains_key(f.doc_name.as_str());
        let own = library.filings().iter().filter(|f| f.is_added());
        status.in_the_way = own.filter(named).map(|f| f.doc_name.clone()).collect();
        status.missing = catalog::pinned()
            .keys()
            .filter(|name| library.find(name).is_none())
            .map(ToString::to_string)
            .collect();
    }
    status.todo = status.advice(better_by_fetch, pages_made_here);
    Ok(status)
}

impl Status {
    fn advice(&self, better_by_fetch: usize, pages_made_here: usize) -> Vec<String> {
        let mut todo = Vec::new();
        if self.filings == 0 {
            todo.push(format!(
                "`tenleaf data fetch` brings FinanceBench ({}); `tenleaf data import DIR` \
                     takes them from a folder; `tenleaf add FILE...` your own filings",
                super::fetch::ABOUT
            ));
        }
        if !self.damaged.is_empty() {
            todo.push(
                "`tenleaf data verify --repair` makes damaged files again where it can, else sets them aside and \
                 says how to get them again"
                    .into(),
            );
        }
        if !self.set_aside.is_empty() {
            todo.push(format!(
                "add these again from their originals, their page files were damaged: {}",
                self.set_aside.join(", ")
            ));
        }
        if !self.missing.is_empty() || !self.unfinished.is_empty() {
            todo.push("`tenleaf data fetch` goes on with what is missing".into());
        }
        if !self.in_the_way.is_empty() {
            todo.push(format!(
                "not fetched, for a filing of your own has its name: {}; `tenleaf remove {}`, then `tenleaf data fetch` \
                 brings FinanceBench's",
                self.in_the_way.join(", "),
                self.in_the_way.join(" ")
            ));
        }
        if better_by_fetch > 0 {
            todo.push(format!(
                "`tenleaf data fetch` reads {} of FinanceBench from the PDF: tables by row, every page in its place",
                count(better_by_fetch, "filing")
            ));
        }
        if pages_made_here > 0 {
            todo.push(format!(
                "{} of your own without page breaks: quote the words, not the page, whose number was made here",
                count(pages_made_here, "filing")
            ));
        }
        todo
    }
}

/// Names of the files in `dir` that end in `ending`, without it, sorted; none where there is no `dir`.
pub(super) fn names(dir: &Path, ending: &str) -> Result<Vec<String>> {
    let mut names: Vec<String> = files(dir)
        .with_context(|| format!("reading {}", dir.display()))?
        .into_iter()
        .filter_map(|path| {
            path.file_name()?
                .to_str()?
                .strip_suffix(ending)
                .map(str::to_string)
        })
        .collect();
    names.sort();
    Ok(names)
}

fn size(dir: &Path) -> u64 {
    let files = files(dir).unwrap_or_default();
    files
        .iter()
        .filter_map(|path| Some(fs::metadata(path).ok()?.len()))
        .sum()
}
