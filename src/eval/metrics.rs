//! Measures of one ranking against the labelled pages, and their means.
//!
//! All measures take binary labels. With G the labelled pages of a question and r(g) the 1-based
//! rank of labelled page g (infinite when it was not ranked):
//!
//! | measure | of one question | source; name in `ir-measures` |
//! |---|---|---|
//! | Hit@k | 1 if some r(g) <= k, else 0 | success at k (trec_eval `success`); `Success@k` |
//! | MRR@10 | 1 / min r(g) if that is <= 10, else 0 | Voorhees, TREC-8 (1999); `RR@10` |
//! | recall@10 | the share of G with r(g) <= 10 | trec_eval `recall`; `R@10` |
//! | nDCG@10 | sum over r(g) <= 10 of 1 / log2(1 + r(g)), divided by the same sum for ranks 1 to min(10, \|G\|) | Järvelin and Kekäläinen (2002); `nDCG@10` |
//!
//! The value of a set is the mean over its questions.

use serde::{Deserialize, Serialize};

/// How deep a ranking is judged.
pub const DEPTH: usize = 10;

/// A measure; see the module's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Measure {
    /// A labelled page is first.
    Hit1,
    /// A labelled page is among the first three.
    Hit3,
    /// Among the first five.
    Hit5,
    /// Among the first ten.
    Hit10,
    /// Reciprocal rank of the first labelled page.
    Mrr10,
    /// Share of the labelled pages among the first ten.
    Recall10,
    /// Normalised discounted cumulative gain.
    Ndcg10,
}

impl Measure {
    /// All, in the order reports show them.
    pub const ALL: [Measure; 7] = [
        Measure::Hit1,
        Measure::Hit3,
        Measure::Hit5,
        Measure::Hit10,
        Measure::Mrr10,
        Measure::Recall10,
        Measure::Ndcg10,
    ];

    /// Name in JSON: `hit@10`.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Hit1 => "hit@1",
            Measure::Hit3 => "hit@3",
            Measure::Hit5 => "hit@5",
            Measure::Hit10 => "hit@10",
            Measure::Mrr10 => "mrr@10",
            Measure::Recall10 => "recall@10",
            Measure::Ndcg10 => "ndcg@10",
        }
    }

    /// Name in tables: `Hit@10`.
    pub fn title(self) -> &'static str {
        match self {
            Measure::Hit1 => "Hit@1",
            Measure::Hit3 => "Hit@3",
            Measure::Hit5 => "Hit@5",
            Measure::Hit10 => "Hit@10",
            Measure::Mrr10 => "MRR@10",
            Measure::Recall10 => "recall@10",
            Measure::Ndcg10 => "nDCG@10",
        }
    }

    /// Value for one question, 0 to 1. `gold_ranks` holds the 1-based rank of each labelled page,
    /// `None` for one that has no rank.
    pub fn of(self, gold_ranks: &[Option<usize>]) -> f64 {
        let within = |k: usize| gold_ranks.iter().flatten().filter(move |&&rank| rank <= k);
        let hit = |k: usize| f64::from(u8::from(within(k).next().is_some()));
        match self {
            Measure::Hit1 => hit(1),
            Measure::Hit3 => hit(3),
            Measure::Hit5 => hit(5),
            Measure::Hit10 => hit(10),
            Measure::Mrr10 => within(DEPTH).min().map_or(0.0, |&rank| 1.0 / rank as f64),
            Measure::Recall10 if gold_ranks.is_empty() => 0.0,
            Measure::Recall10 => within(DEPTH).count() as f64 / gold_ranks.len() as f64,
            Measure::Ndcg10 => {
                let gain = |rank: usize| 1.0 / (1.0 + rank as f64).log2();
                let ideal: f64 = (1..=gold_ranks.len().min(DEPTH)).map(gain).sum();
                let found: f64 = within(DEPTH).map(|&rank| gain(rank)).sum();
                if ideal > 0.0 { found / ideal } else { 0.0 }
            }
        }
    }
}

/// Mean of each measure over a set of questions, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Means {
    /// Hit@1.
    #[serde(rename = "hit@1")]
    pub hit1: f64,
    /// Hit@3.
    #[serde(rename = "hit@3")]
    pub hit3: f64,
    /// Hit@5.
    #[serde(rename = "hit@5")]
    pub hit5: f64,
    /// Hit@10.
    #[serde(rename = "hit@10")]
    pub hit10: f64,
    /// MRR@10.
    #[serde(rename = "mrr@10")]
    pub mrr10: f64,
    /// Recall@10 over all labelled pages.
    #[serde(rename = "recall@10")]
    pub recall10: f64,
    /// nDCG@10.
    #[serde(rename = "ndcg@10")]
    pub ndcg10: f64,
}

impl Means {
    /// Means over questions, each given by the ranks of its labelled pages; zeros for none.
    pub fn of<'a>(questions: impl Iterator<Item = &'a [Option<usize>]> + Clone) -> Means {
        let mean = |measure: Measure| mean(questions.clone().map(|ranks| measure.of(ranks)));
        Means {
            hit1: mean(Measure::Hit1),
            hit3: mean(Measure::Hit3),
            hit5: mean(Measure::Hit5),
            hit10: mean(Measure::Hit10),
            mrr10: mean(Measure::Mrr10),
            recall10: mean(Measure::Recall10),
            ndcg10: mean(Measure::Ndcg10),
        }
    }

    /// One of them.
    pub fn get(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Hit1 => self.hit1,
            Measure::Hit3 => self.hit3,
            Measure::Hit5 => self.hit5,
            Measure::Hit10 => self.hit10,
            Measure::Mrr10 => self.mrr10,
            Measure::Recall10 => self.recall10,
            Measure::Ndcg10 => self.ndcg10,
        }
    }
}

/// The mean, 0 for nothing.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut n) = (0.0, 0u32);
    for value in values {
        sum += value;
        n += 1;
    }
    if n == 0 { 0.0 } else { sum / f64::from(n) }
}

/// The smallest value that at least a share `p` (0 to 1) of the values do not exceed (nearest
/// rank); 0 for nothing.
pub fn percentile(values: &[u64], p: f64) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (p * sorted.len() as f64).ceil() as usize;
    sorted
        .get(rank.saturating_sub(1).min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_by_hand() {
        // Ranks of the labelled pages, then Hit@1, 3, 5, 10, MRR, recall, nDCG.
        let third = 1.0 / 4f64.log2();
        let two_ideal = 1.0 + 1.0 / 3f64.log2();
        #[rustfmt::skip]
        let table: [(&[Option<usize>], [f64; 7]); 7] = [
            (&[Some(1)], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
            (&[Some(3)], [0.0, 1.0, 1.0, 1.0, 1.0 / 3.0, 1.0, third]),
            (&[Some(10)], [0.0, 0.0, 0.0, 1.0, 0.1, 1.0, 1.0 / 11f64.log2()]),
            (&[Some(11)], [0.0; 7]),
            (&[None], [0.0; 7]),
            (&[Some(40), Some(3)], [0.0, 1.0, 1.0, 1.0, 1.0 / 3.0, 0.5, third / two_ideal]),
            (&[Some(2), Some(1)], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
        ];
        for (ranks, wanted) in table {
            for (measure, wanted) in Measure::ALL.into_iter().zip(wanted) {
                let got = measure.of(ranks);
                assert!(
                    (got - wanted).abs() < 1e-12,
                    "{measure:?} of {ranks:?}: {got}"
                );
                assert_eq!(Means::of([ranks].into_iter()).get(measure), got);
            }
        }
    }

    #[test]
    fn more_than_ten_labels_can_still_be_perfect_in_ndcg() {
        let ranks: Vec<Option<usize>> = (1..=12).map(Some).collect();
        assert!((Measure::Ndcg10.of(&ranks) - 1.0).abs() < 1e-12);
        assert!((Measure::Recall10.of(&ranks) - 10.0 / 12.0).abs() < 1e-12);
    }

    #[test]
    fn percentiles_by_nearest_rank() {
        let values: Vec<u64> = (1..=100).rev().collect();
        assert_eq!(percentile(&values, 0.5), 50);
        assert_eq!(percentile(&values, 0.95), 95);
        assert_eq!(percentile(&[7], 0.95), 7);
        assert_eq!(percentile(&[], 0.5), 0);
    }
}
