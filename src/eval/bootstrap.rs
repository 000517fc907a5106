//! Percentile bootstrap intervals over questions (Efron and Tibshirani, "An Introduction to the
//! Bootstrap", 1993, chapter 13; paired over questions as in Sakai, SIGIR 2006).
//!
//! Questions are drawn with replacement from a fixed seed, so the same values give the same
//! interval on every machine and whatever the number of threads.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The mean of the sample itself.
    pub mean: f64,
    /// 2.5th percentile of the resampled means.
    pub low: f64,
    /// 97.5th percentile.
    pub high: f64,
}

impl Interval {
    /// True when zero is outside: for a paired difference, the change is not chance alone.
    pub fn clear_of_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// The resamples of `n` questions, drawn once and used for every measure of them.
pub struct Resamples {
    n: usize,
    /// Rows of `n` counts: how often each question was drawn.
    counts: Vec<u16>,
}

impl Resamples {
    /// Draws `resamples` times; `seed` may be any number.
    pub fn draw(n: usize, resamples: usize, seed: u64) -> Resamples {
        let mut counts = vec![0u16; resamples * n];
        let mut state = seed;
        for row in counts.chunks_exact_mut(n.max(1)) {
            for _ in 0..n {
                row[below(&mut state, n)] += 1;
            }
        }
        Resamples { n, counts }
    }

    /// The interval of the mean of `values`, one value a question; zeros for no questions.
    ///
    /// # Panics
    /// When there are not as many values as questions.
    pub fn interval(&self, values: &[f64]) -> Interval {
        assert_eq!(values.len(), self.n, "one value a question");
        let n = self.n as f64;
        let mut means: Vec<f64> = self
            .counts
            .par_chunks_exact(self.n.max(1))
            .map(|row| {
                let sum: f64 = row.iter().zip(values).map(|(&c, v)| f64::from(c) * v).sum();
                sum / n
            })
            .collect();
        if means.is_empty() {
            return Interval::default();
        }
        means.sort_unstable_by(f64::total_cmp);
        let tail = means.len() / 40;
        Interval {
            mean: values.iter().sum::<f64>() / n,
            low: means[tail],
            high: means[means.len() - 1 - tail],
        }
    }

    /// The interval of the mean of `after - before`, question by question.
    pub fn paired(&self, before: &[f64], after: &[f64]) -> Interval {
        let differences: Vec<f64> = before.iter().zip(after).map(|(b, a)| a - b).collect();
        self.interval(&differences)
    }
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), scaled to `0..n`.
pub(super) fn below(state: &mut u64, n: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    ((u128::from(z) * n as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proportion_agrees_with_the_normal_approximation() {
        // 84 of 100: standard error sqrt(.84 * .16 / 100) = .0367, so .84 +- .0719.
        let values: Vec<f64> = (0..100).map(|i| f64::from(u8::from(i < 84))).collect();
        let interval = Resamples::draw(100, 10_000, 20).interval(&values);
        assert_eq!(interval.mean, 0.84);
        assert!((interval.low - 0.768).abs() <= 0.011, "{interval:?}");
        assert!((interval.high - 0.912).abs() <= 0.011, "{interval:?}");
    }

    #[test]
    fn draws_are_the_same_every_time_and_even() {
        let (a, b) = (
            Resamples::draw(37, 10_000, 20),
            Resamples::draw(37, 10_000, 20),
        );
        assert_eq!(a.counts, b.counts);
        for question in 0..37 {
            let drawn: u32 = a
                .counts
                .iter()
                .skip(question)
                .step_by(37)
                .map(|&c| u32::from(c))
                .sum();
            // Binomial with mean 10,000 and deviation 99.
            assert!(
                (9_500..10_500).contains(&drawn),
                "question {question}: {drawn}"
            );
        }
    }

    #[test]
    fn paired_differences() {
        let resamples = Resamples::draw(50, 10_000, 20);
        let before = vec![0.0; 50];
        let mut after = before.clone();
        assert_eq!(resamples.paired(&before, &after), Interval::default());
        after[..20].fill(1.0);
        let gain = resamples.paired(&before, &after);
        assert!(gain.clear_of_zero() && (gain.mean - 0.4).abs() < 1e-12);
        let mut mixed = before.clone();
        mixed[0] = 1.0;
        mixed[1] = -1.0;
        assert!(!resamples.interval(&mixed).clear_of_zero());
        assert_eq!(
            Resamples::draw(0, 10_000, 20).interval(&[]),
            Interval::default()
        );
    }
}
