//! The answer to a question about several years or companies, as it is printed and written.

use super::{Group, Missing, Outcome, RankedPage};

/// Pages under one heading.
#[derive(Debug, PartialEq)]
pub struct Section<'a> {
    /// `2019`, `AMD`, `1995–1999` for a run of years that are not there; empty for the main ranking.
    pub label: String,
    /// Why it is empty.
    pub missing: Option<Missing>,
    /// Its pages.
    pub ranked: &'a [RankedPage],
}

impl Outcome {
    /// Every ranking with its label: the main one, which has none, then that of each year or company.
    pub fn rankings(&self) -> impl Iterator<Item = (&str, &[RankedPage])> {
        let groups = self.groups.iter();
        let groups = groups.map(|group| (group.label.as_str(), group.ranked.as_slice()));
        std::iter::once(("", self.ranked.as_slice())).chain(groups)
    }

    /// What a person reads: each page once, so the main ranking only where it is not that of a group, and
    /// one line for a run of years that are not there.
    pub fn sections(&self) -> Vec<Section<'_>> {
        let pages = |ranked: &[RankedPage]| ranked.iter().map(|page| page.page).collect::<Vec<_>>();
        let main = pages(&self.ranked);
        let said_again = |group: &Group| pages(&group.ranked) == main;
        let mut sections = Vec::new();
        if self.groups.is_empty() || !self.groups.iter().any(said_again) {
            sections.push(Section {
                label: String::new(),
                missing: None,
                ranked: &self.ranked,
            });
        }
        for run in self.groups.chunk_by(goes_on) {
            sections.push(of_run(run));
        }
        sections
    }
}

/// True for two groups that lack the filings of the same company, the second those of the next year.
fn goes_on(one: &Group, next: &Group) -> bool {
    let lacks = |group: &Group| match &group.missing {
        Some(Missing::NoFiling { company, .. }) => Some((group.year?, company.clone())),
        _ => None,
    };
    match (lacks(one), lacks(next)) {
        (Some((year, of)), Some((then, other))) => {
            one.company == next.company && of == other && year + 1 == then
        }
        _ => false,
    }
}

/// A run of groups, which is one but for years in a row that are not there, under one heading.
fn of_run(run: &[Group]) -> Section<'_> {
    let first = &run[0];
    let years = first.year.zip(run[run.len() - 1].year);
    let missing = match &first.missing {
        Some(Missing::NoFiling { company, .. }) if run.len() > 1 => Some(Missing::NoFiling {
            company: company.clone(),
            years,
        }),
        missing => missing.clone(),
    };
    Section {
        label: match run {
            [one] => one.label.clone(),
            _ => Group::label(first.company.as_deref(), years),
        },
        missing,
        ranked: &first.ranked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::PageId;

    fn page(page: u32) -> RankedPage {
        RankedPage::bare(1, PageId { filing: 0, page })
    }

    fn of_year(year: u16, pages: &[u32]) -> Group {
        let missing = Missing::NoFiling {
            company: Some("Nike".to_string()),
            years: Some((year, year)),
        };
        Group {
            label: year.to_string(),
            year: Some(year),
            company: None,
            ranked: pages.iter().map(|&n| page(n)).collect(),
            missing: pages.is_empty().then_some(missing),
        }
    }

    fn shown(outcome: &Outcome) -> Vec<(String, Option<String>, usize)> {
        let sections = outcome.sections().into_iter();
        let said = |missing: Option<Missing>| missing.map(|missing| missing.to_string());
        let section =
            sections.map(|section| (section.label, said(section.missing), section.ranked.len()));
        section.collect()
    }

    #[test]
    fn a_page_is_printed_once_and_a_run_of_missing_years_is_one_line() {
        let mut outcome = Outcome {
            ranked: vec![page(7), page(8)],
            groups: [1995, 1996, 1997, 2000]
                .map(|year| of_year(year, &[]))
                .into(),
            ..Outcome::default()
        };
        outcome.groups.push(of_year(2001, &[7, 8]));
        let lacks = |years: &str| Some(format!("no filing of Nike for {years} in the library"));
        let want = [
            ("1995–1997".to_string(), lacks("1995–1997"), 0),
            ("2000".to_string(), lacks("2000"), 0),
            ("2001".to_string(), None, 2),
        ];
        assert_eq!(shown(&outcome), want);
        // In another order the main ranking says something else.
        outcome.ranked.reverse();
        assert_eq!(shown(&outcome)[0], (String::new(), None, 2));
        assert_eq!(shown(&outcome).len(), 4);
        // For a program every ranking, whatever it repeats.
        assert_eq!(outcome.rankings().count(), 6);
    }
}
