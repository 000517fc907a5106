//! The filings of a library while some are added: what is there already, what each is called, what it replaces.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Result, bail};

use super::cover::Cover;
use super::label::{self, Labels, Missing, Named, Period};
use super::period;
use super::source::Source;
use super::{Ask, New};
use crate::library::{Filing, Form, Library, PageText, reading};
use crate::question::{self, Tables};

/// What became of a file.
pub(super) enum Done {
    /// Its content is there already.
    Kept(Filing),
    /// It is stored; whether another text was there.
    Stored(Filing, bool),
}

/// The filings of the library, those just added included.
pub(super) struct Shelf {
    by_name: BTreeMap<String, Filing>,
    by_content: HashMap<String, String>,
    companies: Vec<String>,
    /// Names given in this run: two files with one name are two filings.
    given: Vec<String>,
}

impl Shelf {
    pub(super) fn new(library: &Library) -> Shelf {
        let companies = library.companies();
        let content = |f: &Filing| Some((f.source_sha256.clone()?, f.doc_name.clone()));
        Shelf {
            by_content: library.filings().iter().filter_map(content).collect(),
            by_name: library
                .filings()
                .iter()
                .map(|f| (f.doc_name.clone(), f.clone()))
                .collect(),
            companies,
            given: Vec::new(),
        }
    }

    /// The filing with this content, unless labels set by hand say otherwise of it.
    pub(super) fn known(&self, sha256: &str, labels: &Labels) -> Option<&Filing> {
        let filing = self.by_name.get(self.by_content.get(sha256)?)?;
        let current = !filing.is_added() || filing.made_from == Some(made_from(sha256));
        let as_told = labels
            .company
            .as_ref()
            .is_none_or(|company| self.one_name(company, Named::ByHand) == filing.company)
            && labels
                .form
                .is_none_or(|form| form == (filing.form, filing.amended))
            && labels.period.is_none_or(|period| {
                filing.fiscal_year == Some(period.year)
                    && (period.quarter.is_none() || filing.quarter == period.quarter)
            });
        (current && as_told).then_some(filing)
    }

    /// The one name of a company: the library's, if it has filings of it, else the tables', else as it is given.
    /// "Inc." and capitals make no other company.
    fn one_name(&self, name: &str, named: Named) -> String {
        let plain = label::doc_slug(name);
        let name = name.trim();
        // A name without a letter a file name may have is told from others by itself alone.
        let same = |company: &&String| {
            label::doc_slug(company) == plain && (plain != label::NAMELESS || *company == name)
        };
        let known = self.companies.iter().find(same).cloned();
        match named {
            Named::ByHand => known,
            Named::OnTheCover => known.or_else(|| self.read_as(name)),
        }
        .unwrap_or_else(|| name.to_string())
    }

    /// The company that a name on a cover is read as.
    fn read_as(&self, name: &str) -> Option<String> {
        let plain = |name: &str| label::doc_slug(name);
        let tables = Tables::builtin();
        let reading = question::read(&tables, &self.companies, name);
        match reading.companies.as_slice() {
            // Most of the name, not a word of it, and to the letter: names of two companies may be near.
            [found]
                if found.or.is_empty() && !found.misspelt && found.span.len() * 2 > name.len() =>
            {
                Some(found.company.clone())
            }
            // The first filing of a company: as the tables name it, and with them every other library.
            _ => tables
                .companies
                .iter()
                .find(|entry| {
                    let mut names = entry.names.iter().chain([&entry.name]);
                    names.any(|known| plain(known) == plain(name))
                })
                .map(|entry| entry.name.clone()),
        }
    }

    pub(super) fn label(
        &self,
        source: &Source,
        new: &New,
        labels: &Labels,
        ask: Option<Ask>,
    ) -> Result<Filing> {
        let mut labels = labels.clone();
        let mut wrong: Option<String> = None;
        let mut filing = loop {
            let one_name = |name: &str, named| self.one_name(name, named);
            let missing = match label::filing(&new.cover, &labels, new.text_from, one_name) {
                Ok(filing) => break filing,
                Err(missing) => missing,
            };
            if missing == Missing::Period && labels.period.is_none() {
                labels.period = self.period_by_year_end(&new.cover, &labels);
                if labels.period.is_some() {
                    continue;
                }
            }
            let flag = missing.flag();
            let Some(ask) = ask else {
                let what = flag.trim_start_matches('-');
                bail!("its {what} cannot be read from it; say it with {flag}");
            };
            let Some(answer) = ask(&source.name, &new.cover, missing, wrong.as_deref()) else {
                bail!(
                    "left out: its {} is not known",
                    flag.trim_start_matches('-')
                );
            };
            wrong = labels.answer(missing, &answer).err();
        };
        filing.link = source.link.clone();
        filing.accession = source.accession.clone();
        filing.path = source.path();
        filing.source_sha256 = Some(new.sha256.clone());
        filing.made_from = Some(made_from(&new.sha256));
        filing.page_numbers_uncertain_from = (!new.pages_marked).then_some(1);
        filing.added = Some(jiff::Timestamp::now().to_string());
        filing.doc_name = self.free_name(&filing);
        Ok(filing)
    }

    /// The quarter of a 10-Q that does not say it, where an annual filing of its company tells when its years end.
    fn period_by_year_end(&self, cover: &Cover, labels: &Labels) -> Option<Period> {
        let form = labels.form.map(|(form, _)| form).or(cover.form);
        let date = cover.date.filter(|_| form == Some(Form::TenQ))?;
        let company = match (&labels.company, &cover.company) {
            (Some(company), _) => self.one_name(company, Named::ByHand),
            (None, company) => self.one_name(company.as_deref()?, Named::OnTheCover),
        };
        let annual = |old: &&Filing| {
            matches!(old.form, Form::TenK | Form::AnnualReport) && old.company == company
        };
        let ends = |old: &Filing| Some((old.cover_date?, old.fiscal_year?));
        let years = self.by_name.values().filter(annual).filter_map(ends);
        let (end, year) = years.min_by_key(|(end, _)| (date - *end).get_days().abs())?;
        let (year, quarter) = period::by_year_end(date, end, year)?;
        Some(Period {
            year,
            quarter: Some(quarter),
            date: Some(date),
        })
    }

    /// The name a filing is stored by: that of the filing it replaces, else its own with the first number that
    /// is free. Two 8-Ks of one day are two filings, and so are a deck and a proxy statement of one year.
    fn free_name(&self, filing: &Filing) -> String {
        let plain = &filing.doc_name;
        let of_this_name = self.by_name.range(plain.clone()..).map(|(_, old)| old);
        let replaced = of_this_name
            .take_while(|old| old.doc_name.starts_with(plain))
            .filter(|old| is_numbered(plain, &old.doc_name) && !self.given.contains(&old.doc_name))
            .find(|old| same_source(old, filing));
        if let Some(old) = replaced {
            return old.doc_name.clone();
        }
        let by_name = self.by_name.get(plain);
        if by_name.is_some_and(|old| only_one_is_filed(old, filing)) && !self.given.contains(plain)
        {
            return plain.clone();
        }
        let mut name = plain.clone();
        let mut count = 1;
        while self.given.contains(&name) || self.by_name.contains_key(&name) {
            count += 1;
            name = format!("{plain}_{count}");
        }
        name
    }

    pub(super) fn store(
        &mut self,
        root: &Path,
        mut filing: Filing,
        pages: &[PageText],
    ) -> Result<Done> {
        Library::put(root, &mut filing, pages)?;
        let sha = filing.source_sha256.clone().unwrap_or_default();
        let name = filing.doc_name.clone();
        let before = self.by_name.get(&name);
        let mut replaced = before.is_some();
        if let Some(content) = before.and_then(|old| old.source_sha256.as_ref()) {
            self.by_content.remove(content);
        }
        // The same content under another name was labelled wrongly.
        if let Some(old) = self.by_content.insert(sha, name.clone())
            && old != name
        {
            Library::remove(root, &old)?;
            self.by_name.remove(&old);
            replaced = true;
        }
        if !self.companies.contains(&filing.company) {
            self.companies.push(filing.company.clone());
        }
        self.given.push(name.clone());
        self.by_name.insert(name, filing.clone());
        Ok(Done::Stored(filing, replaced))
    }
}

/// Whether `name` is `plain`, or `plain` with a number behind it.
fn is_numbered(plain: &str, name: &str) -> bool {
    let rest = name.strip_prefix(plain);
    let digits = |rest: &str| rest.bytes().all(|b| b.is_ascii_digit());
    rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('_').is_some_and(digits))
}

/// Whether two texts of one name came from one place: then the later is the filing as it is now.
fn same_source(old: &Filing, new: &Filing) -> bool {
    let same = |of: fn(&Filing) -> &Option<String>| of(new).is_some() && of(old) == of(new);
    same(|f| &f.accession) || same(|f| &f.path) || same(|f| &f.source_sha256)
}

/// Whether a filing of this name is this filing, wherever it came from: a company files one 10-K a year and one
/// 10-Q a quarter. Amendments, reports of events and all else may be several.
fn only_one_is_filed(old: &Filing, new: &Filing) -> bool {
    let one = matches!(new.form, Form::TenK | Form::TenQ) && !new.amended;
    one && (old.accession.is_none() || new.accession.is_none())
}

fn made_from(sha256: &str) -> String {
    reading::made_from(reading::ADD, sha256)
}
