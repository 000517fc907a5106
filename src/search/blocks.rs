//! The answer to a question about several years or companies, as it is printed and written.

use super::{Group, Outcome, RankedPage};

/// Pages under one heading.
#[derive(Debug, PartialEq)]
pub struct Block<'a> {
    /// `2019`, `AMD`, `1995–1999` for a run of years that are not there; empty for the main ranking.
    pub label: String,
    /// Why it is empty.
    pub missing: Option<String>,
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
    pub fn blocks(&self) -> Vec<Block<'_>> {
        let pages = |ranked: &[RankedPage]| ranked.iter().map(|page| page.page).collect::<Vec<_>>();
        let main = pages(&self.ranked);
        let said_again = |group: &Group| pages(&group.ranked) == main;
        let mut blocks = Vec::new();
        if self.groups.is_empty() || !self.groups.iter().any(said_again) {
            blocks.push(Block {
                label: String::new(),
                missing: None,
                ranked: &self.ranked,
            });
        }
        let mut rest = self.groups.as_slice();
        while let Some(first) = rest.first() {
            let run = 1 + rest.windows(2).take_while(|two| follows(two)).count();
            blocks.push(Block {
                label: over(first, &rest[run - 1], &first.label),
                missing: (first.missing.as_deref()).map(|why| over(first, &rest[run - 1], why)),
                ranked: &first.ranked,
            });
            rest = &rest[run..];
        }
        blocks
    }
}

/// True for two groups that lack the same but for the year, which is the next.
fn follows(two: &[Group]) -> bool {
    let lacks = |group: &Group| {
        let year = group.year?;
        let why = group.missing.as_ref().filter(|_| group.ranked.is_empty())?;
        why.contains(&year.to_string())
            .then(|| (year, why.replace(&year.to_string(), "")))
    };
    let company = two[0].company == two[1].company;
    match (lacks(&two[0]), lacks(&two[1])) {
        (Some((year, why)), Some((next, same))) => company && year + 1 == next && why == same,
        _ => false,
    }
}

/// Words of the first year of a run, said of the whole run.
fn over(first: &Group, last: &Group, words: &str) -> String {
    match (first.year, last.year) {
        (Some(from), Some(to)) if from < to => {
            words.replacen(&from.to_string(), &format!("{from}–{to}"), 1)
        }
        _ => words.to_string(),
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
        let missing = format!("no filing of Nike for {year} in the library");
        Group {
            label: year.to_string(),
            year: Some(year),
            company: None,
            ranked: pages.iter().map(|&n| page(n)).collect(),
            missing: pages.is_empty().then_some(missing),
        }
    }

    fn shown(outcome: &Outcome) -> Vec<(String, Option<String>, usize)> {
        let blocks = outcome.blocks().into_iter();
        let block = blocks.map(|block| (block.label, block.missing, block.ranked.len()));
        block.collect()
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
