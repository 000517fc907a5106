//! The pages that can be selected, in the order of the screen: the ranked ones, then for a question
//! about several years or companies the best of each.

use crate::search::{Group, Outcome, RankedPage};

/// So many pages of each year or company are listed.
pub const EACH: usize = 3;

/// Every listed page.
pub fn pages(outcome: &Outcome) -> impl Iterator<Item = &RankedPage> {
    let grouped = groups(outcome).iter().flat_map(of_group);
    outcome.ranked.iter().chain(grouped)
}

/// The page at a place of the list.
pub fn at(outcome: &Outcome, at: usize) -> Option<&RankedPage> {
    pages(outcome).nth(at)
}

/// The years or companies listed below the ranked pages; none where nothing is ranked.
pub fn groups(outcome: &Outcome) -> &[Group] {
    match outcome.ranked.is_empty() {
        true => &[],
        false => &outcome.groups,
    }
}

/// The listed pages of a group.
pub fn of_group(group: &Group) -> &[RankedPage] {
    &group.ranked[..group.ranked.len().min(EACH)]
}

/// Where the first page of a group stands in the list.
pub fn first_of(outcome: &Outcome, group: usize) -> usize {
    let before = groups(outcome).iter().take(group);
    outcome.ranked.len() + before.map(|group| of_group(group).len()).sum::<usize>()
}

/// The group a place of the list belongs to; none for a ranked page.
pub fn group_at(outcome: &Outcome, at: usize) -> Option<usize> {
    let mut last = outcome.ranked.len();
    if at < last {
        return None;
    }
    groups(outcome).iter().position(|group| {
        last += of_group(group).len();
        at < last
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::PageId;
    use crate::search::Missing;

    fn page(rank: usize, page: u32) -> RankedPage {
        RankedPage::bare(rank, PageId { filing: 0, page })
    }

    #[test]
    fn groups_follow_the_ranked_pages_and_empty_ones_hold_no_place() {
        let group = |pages: &[u32]| Group {
            label: String::new(),
            year: None,
            company: None,
            ranked: pages.iter().map(|&n| page(1, n)).collect(),
            missing: pages.is_empty().then_some(Missing::NoPage),
        };
        let mut outcome = Outcome {
            ranked: vec![page(1, 0), page(2, 1)],
            groups: vec![group(&[10, 11, 12, 13]), group(&[]), group(&[20])],
            ..Outcome::default()
        };
        let listed: Vec<u32> = pages(&outcome).map(|p| p.page.page).collect();
        assert_eq!(listed, [0, 1, 10, 11, 12, 20]);
        let groups: Vec<_> = (0..7).map(|n| group_at(&outcome, n)).collect();
        let (first, last) = (Some(0), Some(2));
        assert_eq!(groups, [None, None, first, first, first, last, None]);
        assert_eq!([0, 1, 2].map(|g| first_of(&outcome, g)), [2, 5, 5]);
        outcome.ranked.clear();
        assert_eq!(pages(&outcome).count(), 0, "nothing was asked");
    }
}
