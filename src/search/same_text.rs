//! Pages whose text is nearly that of a page ranked above them: the annual report beside the 10-K of a year, a paragraph
//! that filings of several years repeat. They keep their ranks; a reader may skip them.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::{Pages, RankedPage};

/// Words side by side that are compared: figures of another year leave no four of a row the same.
const SIDE_BY_SIDE: usize = 4;
/// Of what two pages hold, the share they have in common.
const NEARLY: f64 = 0.8;
/// A page of fewer words says too little to be told from others.
const WORDS: usize = 40;

/// For each ranked page the rank of the first above it with nearly the same text, where there is one.
pub fn same_text(pages: &dyn Pages, ranked: &[RankedPage]) -> Vec<Option<usize>> {
    let text = |page: &RankedPage| pages.page(page.page).ok();
    let texts = ranked.iter().map(|page| shingles(&text(page)?.text));
    let texts: Vec<Option<Vec<u64>>> = texts.collect();
    let first_like = |ix: usize| {
        let text = texts[ix].as_ref()?;
        let like = |above: &Option<Vec<u64>>| above.as_ref().is_some_and(|a| are_like(a, text));
        let above = texts[..ix].iter().position(like)?;
        Some(ranked[above].rank)
    };
    (0..ranked.len()).map(first_like).collect()
}

/// What stands side by side on a page, sorted; none where it has few words.
fn shingles(text: &str) -> Option<Vec<u64>> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words: Vec<u64> = words
        .filter(|word| !word.is_empty())
        .map(|word| hash(word.bytes().map(|b| b.to_ascii_lowercase().into())))
        .collect();
    if words.len() < WORDS {
        return None;
    }
    let side_by_side = words.windows(SIDE_BY_SIDE);
    let mut shingles: Vec<u64> = side_by_side
        .map(|words| hash(words.iter().copied()))
        .collect();
    shingles.sort_unstable();
    shingles.dedup();
    Some(shingles)
}

/// A page has some hundred words, and this is done while someone types.
fn hash(parts: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = FxHasher::default();
    parts.for_each(|part| hasher.write_u64(part));
    hasher.finish()
}

/// True where two sorted sets have nearly all in common.
fn are_like(a: &[u64], b: &[u64]) -> bool {
    let (few, many) = (a.len().min(b.len()), a.len().max(b.len()));
    if (few as f64) < NEARLY * many as f64 {
        return false;
    }
    let (mut at, mut common) = (0, 0);
    for shingle in a {
        while b.get(at).is_some_and(|other| other < shingle) {
            at += 1;
        }
        common += usize::from(b.get(at) == Some(shingle));
    }
    common as f64 >= NEARLY * (a.len() + b.len() - common) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::{Filing, PageId, PageQuality, PageText};
    use crate::search::{Outcome, Snippet};

    struct Texts(Vec<String>);

    impl Pages for Texts {
        fn filings(&self) -> &[Filing] {
            &[]
        }

        fn page(&self, page: PageId) -> Result<PageText, String> {
            let text = self.0.get(page.page as usize).ok_or("no such page")?;
            Ok(PageText {
                text: text.clone(),
                quality: PageQuality::Ok,
            })
        }

        fn snippet(&self, _: &Outcome, _: &RankedPage) -> Snippet {
            Snippet::default()
        }
    }

    fn same(texts: &[&str]) -> Vec<Option<usize>> {
        let pages = (0..texts.len() as u32).map(|page| PageId { filing: 0, page });
        let ranked = pages
            .zip(1..)
            .map(|(page, rank)| RankedPage::bare(rank, page));
        let texts = Texts(texts.iter().map(ToString::to_string).collect());
        same_text(&texts, &ranked.collect::<Vec<_>>())
    }

    const PROSE: &str = "Our customers buy from us under contracts that they can end at short notice. A few of them make up \
        much of our sales, and the loss of one would hurt our results. Prices of steel and of energy rise and fall, and we \
        cannot always pass them on. We depend on suppliers of parts that no one else makes, on people who are hard to find, \
        and on plants that a storm or a fire could stop for months. Laws on trade, tax and the environment change, and it \
        may cost us much to follow them.";

    #[test]
    fn twins_point_to_the_first_of_them() {
        let twin = format!("Table of Contents\n{}\n17\n", PROSE.replace(". ", ".\n"));
        let other = PROSE.split(' ').rev().collect::<Vec<_>>().join(" ");
        let texts = [&other, PROSE, "", &twin, &PROSE.to_uppercase(), &other];
        assert_eq!(same(&texts), [None, None, None, Some(2), Some(2), Some(1)]);
    }

    #[test]
    fn the_same_table_of_another_year_is_another_text() {
        let table = |years: [u32; 2]| {
            let label = |n: u32| format!("Net sales of segment {n}");
            let row = |n| years.map(|year| format!("  {},{:03}", n + year % 7, n * year % 997));
            let rows = (1..30).map(|n| label(n) + &row(n).concat() + "\n");
            rows.collect::<String>()
        };
        let (before, now) = (table([2022, 2021]), table([2023, 2022]));
        assert_eq!(same(&[&now, &before, &now]), [None, None, Some(1)]);
    }

    #[test]
    fn pages_of_a_few_words_or_that_cannot_be_read_are_like_none() {
        assert_eq!(same(&["[Signature page follows]"; 3]), [None; 3]);
        let page = |page| PageId { filing: 0, page };
        let ranked = [RankedPage::bare(1, page(8)), RankedPage::bare(2, page(9))];
        assert_eq!(same_text(&Texts(Vec::new()), &ranked), [None; 2]);
    }
}
