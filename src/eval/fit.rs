//! Weights of the signals, learned from labelled questions.
//!
//! Model: a page's score is the weighted sum of its signals; the probability that a page answers is
//! the softmax of the scores of a question's candidates; the loss is the negative log of the
//! probability of any labelled page, averaged over the questions, plus an L2 penalty on weights in
//! units of each signal's standard deviation (listwise softmax, after Cao et al. 2007, ListNet).
//! Signs are constrained ([`Signal::sign`]). Minimised by projected gradient steps with momentum
//! (FISTA, Beck and Teboulle 2009), in a fixed order of additions: the same questions give the same bits.
//!
//! Guard: tables are written by people who have read questions. For each question every trigger of
//! metrics and topics that fires on it and on no other question is silenced before its signals are
//! computed, so that a table cannot flatter itself.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::bootstrap::{Interval, Resamples};
use super::metrics::Measure;
use super::questions::Question;
use crate::library::PageId;
use crate::question::{self, TableKind, TriggerId, without_names};
use crate::search::signals::{COUNT, SIGNALS, Signal, Values, Weights};
use crate::search::{Engine, Settings, features, features_with};

/// Strength of the L2 penalty.
pub const L2: f64 = 0.05;
/// Cross-validation folds.
pub const FOLDS: usize = 5;
/// The weights have settled where the loss is this flat, in loss to a unit of weight, along every weight free to move.
const STILL: f64 = 1e-7;
/// At most so many steps; the shipped weights settle within a few hundred.
const STEPS: usize = 20_000;

/// A question's candidates.
#[derive(Clone, Debug)]
pub struct Case {
    /// The question's id.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// Signals of each candidate page.
    pub pages: Vec<(PageId, Values)>,
    /// Which candidates are labelled.
    pub gold: Vec<bool>,
    /// The fold it is left out with.
    pub fold: usize,
}

/// Computes the signals of every question; with `guard`, under the guard.
pub fn cases(
    engine: &Engine,
    questions: &[Question],
    settings: &Settings,
    guard: bool,
) -> Vec<Case> {
    let fired: Vec<Vec<TriggerId>> = questions
        .iter()
        .map(|q| {
            let reading = question::read(&engine.tables, &engine.companies, &q.text);
            let fired = engine.tables.fired(&without_names(&q.text, &reading));
            let ours = |id: &TriggerId| matches!(id.0, TableKind::Metric | TableKind::Topic);
            fired.into_iter().filter(ours).collect()
        })
        .collect();
    let mut count: HashMap<&TriggerId, usize> = HashMap::new();
    for id in fired.iter().flatten() {
        *count.entry(id).or_default() += 1;
    }
    let folds = folds(questions);
    questions
        .par_iter()
        .enumerate()
        .map(|(n, q)| {
            let lonely: Vec<TriggerId> = fired[n]
                .iter()
                .filter(|id| guard && count[id] == 1)
                .cloned()
                .collect();
            let pages = if lonely.is_empty() {
                features(engine, &q.text, settings)
            } else {
                let tables = engine.tables.without_triggers(&lonely);
                features_with(engine, &tables, &q.text, settings)
            };
            let labelled = q.gold(engine.library.filings());
            Case {
                id: q.id.clone(),
                kind: if q.kind.is_empty() {
                    "other".into()
                } else {
                    q.kind.clone()
                },
                gold: pages
                    .iter()
                    .map(|(page, _)| labelled.contains(page))
                    .collect(),
                pages,
                fold: folds[n],
            }
        })
        .collect()
}

/// Folds of equal make-up: within each type, in the order of the SHA-256 of the ids.
fn folds(questions: &[Question]) -> Vec<usize> {
    let mut by_kind: BTreeMap<&str, Vec<([u8; 32], usize)>> = BTreeMap::new();
    for (n, q) in questions.iter().enumerate() {
        let hash = Sha256::digest(q.id.as_bytes()).into();
        by_kind.entry(q.kind.as_str()).or_default().push((hash, n));
    }
    let mut folds = vec![0; questions.len()];
    for (_, mut list) in by_kind {
        list.sort();
        for (at, (_, n)) in list.into_iter().enumerate() {
            folds[n] = at % FOLDS;
        }
    }
    folds
}

/// What a set of weights reaches.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Reached {
    /// Questions.
    pub questions: usize,
    /// Share with a labelled page among the first ten.
    #[serde(rename = "hit@10")]
    pub hit_10: f64,
    /// Mean reciprocal rank, 0 beyond ten.
    #[serde(rename = "mrr@10")]
    pub mrr_10: f64,
    /// Ids of the questions missed.
    #[serde(skip)]
    pub missed: Vec<String>,
    /// Best rank of a labelled page, by question.
    #[serde(skip)]
    pub ranks: Vec<Option<usize>>,
}

impl Reached {
    /// Counts a question in, by the best rank of a labelled page.
    pub fn count(&mut self, id: &str, rank: Option<usize>) {
        let hit = Measure::Hit10.of(&[rank]);
        if hit == 0.0 {
            self.missed.push(id.to_string());
        }
        self.hit_10 += hit;
        self.mrr_10 += Measure::Mrr10.of(&[rank]);
        self.questions += 1;
        self.ranks.push(rank);
    }

    /// The sums of [`Reached::count`] as means.
    pub fn mean(mut self) -> Reached {
        let n = self.questions.max(1) as f64;
        self.hit_10 /= n;
        self.mrr_10 /= n;
        self
    }

    /// Differences to another ranking of the same questions: in Hit@10 and in MRR@10.
    pub fn over(&self, before: &Reached, resamples: &Resamples) -> [Interval; 2] {
        [Measure::Hit10, Measure::Mrr10].map(|measure| {
            let values = |of: &Reached| -> Vec<f64> {
                of.ranks.iter().map(|&rank| measure.of(&[rank])).collect()
            };
            resamples.paired(&values(before), &values(self))
        })
    }
}

/// Scores the cases with the weights that `weights_of` gives each.
pub fn reached<'a>(
    cases: impl Iterator<Item = &'a Case>,
    weights_of: impl Fn(&Case) -> Values,
) -> Reached {
    let mut out = Reached::default();
    for case in cases {
        let weights = weights_of(case);
        let score = |v: &Values| v.iter().zip(&weights).map(|(v, w)| v * w).sum::<f64>();
        let scores: Vec<f64> = case.pages.iter().map(|(_, v)| score(v)).collect();
        // Pages are sorted: of equal scores the earlier page comes first.
        let rank = (0..scores.len())
            .filter(|&n| case.gold[n])
            .map(|n| {
                let ahead = |m: &usize| scores[*m] > scores[n] || scores[*m] == scores[n] && *m < n;
                1 + (0..scores.len()).filter(ahead).count()
            })
            .min();
        out.count(&case.id, rank);
    }
    out.mean()
}

/// The weights for each fold, fitted on the other folds.
pub fn by_fold(cases: &[Case], signals: &[Signal]) -> Vec<Values> {
    (0..FOLDS)
        .into_par_iter()
        .map(|fold| fit(cases.iter().filter(|c| c.fold != fold), signals))
        .collect()
}

/// Cross-validated: each case scored with weights fitted on the other folds.
pub fn cross_validate(cases: &[Case], signals: &[Signal]) -> (Reached, BTreeMap<String, Reached>) {
    let by_fold = by_fold(cases, signals);
    let all = reached(cases.iter(), |c| by_fold[c.fold]);
    let mut kinds: BTreeMap<String, Reached> = BTreeMap::new();
    for kind in cases.iter().map(|c| &c.kind) {
        if !kinds.contains_key(kind) {
            let of_kind = cases.iter().filter(|c| c.kind == *kind);
            kinds.insert(kind.clone(), reached(of_kind, |c| by_fold[c.fold]));
        }
    }
    (all, kinds)
}

/// Fits the weights of the given signals; all others are 0.
pub fn fit<'a>(cases: impl Iterator<Item = &'a Case>, signals: &[Signal]) -> Values {
    let columns: Vec<usize> = signals.iter().map(|&s| s as usize).collect();
    let cases: Vec<&Case> = cases.filter(|c| c.gold.contains(&true)).collect();
    let scale = scales(&cases, &columns);
    let rows: Vec<(Vec<f64>, &[bool])> = cases
        .iter()
        .map(|case| {
            let values = case
                .pages
                .iter()
                .flat_map(|(_, v)| columns.iter().zip(&scale).map(|(&c, scale)| v[c] / scale));
            (values.collect(), case.gold.as_slice())
        })
        .collect();
    let signs: Vec<f64> = signals.iter().map(|s| s.sign()).collect();
    let weights = minimise(&rows, &signs);
    let mut out = [0.0; COUNT];
    for ((&column, weight), scale) in columns.iter().zip(weights).zip(&scale) {
        out[column] = weight / scale;
    }
    out
}

/// Standard deviation of each column over all pages.
fn scales(cases: &[&Case], columns: &[usize]) -> Vec<f64> {
    let count = cases.iter().map(|c| c.pages.len()).sum::<usize>().max(1) as f64;
    columns
        .iter()
        .map(|&column| {
            let all = || {
                cases
                    .iter()
                    .flat_map(|c| c.pages.iter().map(|(_, v)| v[column]))
            };
            let mean = all().sum::<f64>() / count;
            let variance = all().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
            variance.sqrt() + 1e-6
        })
        .collect()
}

/// Projected gradient with momentum and a step that halves until the loss goes down.
fn minimise(rows: &[(Vec<f64>, &[bool])], signs: &[f64]) -> Vec<f64> {
    let width = signs.len();
    let project = |w: &mut [f64]| {
        for (w, sign) in w.iter_mut().zip(signs) {
            if *w * sign < 0.0 {
                *w = 0.0;
            }
        }
    };
    let mut w = vec![0.0; width];
    let mut momentum = w.clone();
    let mut t = 1.0f64;
    let mut step = 1.0;
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        let (at, gradient) = loss(rows, &momentum);
        let (next, now) = loop {
            let mut next: Vec<f64> = momentum
                .iter()
                .zip(&gradient)
                .map(|(m, g)| m - step * g)
                .collect();
            project(&mut next);
            let moved: Vec<f64> = next.iter().zip(&momentum).map(|(a, b)| a - b).collect();
            let linear: f64 = moved.iter().zip(&gradient).map(|(d, g)| d * g).sum();
            let square: f64 = moved.iter().map(|d| d * d).sum();
            let (now, _) = loss(rows, &next);
            if now <= at + linear + square / (2.0 * step) + 1e-12 || step < 1e-6 {
                break (next, now);
            }
            step /= 2.0;
        };
        let steepest = next.iter().zip(&momentum).map(|(a, b)| (a - b).abs());
        let still = steepest.fold(0.0, f64::max) / step < STILL;
        let next_t = (1.0 + (1.0 + 4.0 * t * t).sqrt()) / 2.0;
        // Uphill: the momentum starts anew (O'Donoghue and Candes 2015).
        let (keep, next_t) = match now > last {
            true => (0.0, 1.0),
            false => ((t - 1.0) / next_t, next_t),
        };
        momentum = next
            .iter()
            .zip(&w)
            .map(|(n, w)| n + keep * (n - w))
            .collect();
        (w, last, t) = (next, now, next_t);
        if still {
            return w;
        }
    }
    tracing::warn!("the weights had not settled after {STEPS} steps");
    w
}

/// The loss and its gradient.
fn loss(rows: &[(Vec<f64>, &[bool])], w: &[f64]) -> (f64, Vec<f64>) {
    let width = w.len();
    let mut total = 0.0;
    let mut gradient = vec![0.0; width];
    for (values, gold) in rows {
        let scores: Vec<f64> = values
            .chunks_exact(width)
            .map(|row| row.iter().zip(w).map(|(v, w)| v * w).sum())
            .collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let odds: Vec<f64> = scores.iter().map(|s| (s - most).exp()).collect();
        let all: f64 = odds.iter().sum();
        let right: f64 = odds
            .iter()
            .zip(*gold)
            .filter(|(_, g)| **g)
            .map(|(o, _)| o)
            .sum();
        total += all.ln() - right.max(1e-300).ln();
        for ((row, odds), &gold) in values.chunks_exact(width).zip(&odds).zip(*gold) {
            let pull = odds / all - if gold { odds / right.max(1e-300) } else { 0.0 };
            if pull.abs() > 1e-12 {
                for (g, v) in gradient.iter_mut().zip(row) {
                    *g += pull * v;
                }
            }
        }
    }
    let n = rows.len().max(1) as f64;
    let penalty: f64 = w.iter().map(|w| w * w).sum();
    for (g, w) in gradient.iter_mut().zip(w) {
        *g = *g / n + 2.0 * L2 * w;
    }
    (total / n + L2 * penalty, gradient)
}

/// One line of the table of what each signal is worth.
#[derive(Clone, Debug, Serialize)]
pub struct Worth {
    /// The signal left out.
    pub signal: String,
    /// Its weight in the full model.
    pub weight: f64,
    /// Cross-validated, without it.
    pub without: Reached,
}

/// Leaves out each signal in turn, under cross-validation.
pub fn worth(cases: &[Case], signals: &[Signal], weights: &Values) -> Vec<Worth> {
    signals
        .iter()
        .map(|&left_out| {
            let rest: Vec<Signal> = signals.iter().copied().filter(|&s| s != left_out).collect();
            Worth {
                signal: left_out.name().to_string(),
                weight: weights[left_out as usize],
                without: cross_validate(cases, &rest).0,
            }
        })
        .collect()
}

/// The signals of these names; an unknown name is an error that lists them.
pub fn by_name(names: &[String]) -> anyhow::Result<Vec<Signal>> {
    names
        .iter()
        .map(|name| {
            let found = SIGNALS.iter().copied().find(|s| s.name() == name);
            found.ok_or_else(|| {
                let known: Vec<&str> = SIGNALS.iter().map(|s| s.name()).collect();
                anyhow::anyhow!("no signal {name:?}; there are {}", known.join(", "))
            })
        })
        .collect()
}

/// Weights for the file, rounded to five decimals so that the file is what is used. What is not fitted comes from `before`.
pub fn rounded(values: &Values, before: &Weights) -> Weights {
    let all = SIGNALS.iter().zip(values).filter(|(_, w)| w.abs() >= 5e-6);
    Weights {
        weights: all
            .map(|(s, w)| (s.name().to_string(), (w * 1e5).round() / 1e5))
            .collect(),
        lifts: before.lifts,
        fitted: serde_json::Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::super::bootstrap::below;
    use super::*;

    fn case(id: &str, gold: usize, values: &[(Signal, [f64; 4])]) -> Case {
        let pages = (0..4)
            .map(|page| {
                let mut row = [0.0; COUNT];
                for (signal, of_page) in values {
                    row[*signal as usize] = of_page[page];
                }
                (
                    PageId {
                        filing: 0,
                        page: page as u32,
                    },
                    row,
                )
            })
            .collect();
        Case {
            id: id.into(),
            kind: "made".into(),
            pages,
            gold: (0..4).map(|page| page == gold).collect(),
            fold: id.len() % FOLDS,
        }
    }

    /// Passage tells the labelled page; headings speak for another; the contents page never answers.
    fn cases() -> Vec<Case> {
        (0..12)
            .map(|n| {
                let gold = n % 4;
                let mut passage = [0.2, 0.1, 0.3, 0.2];
                passage[gold] = 1.0;
                let mut headings = [0.0; 4];
                headings[(gold + 1) % 4] = 1.0;
                case(
                    &"x".repeat(n + 1),
                    gold,
                    &[
                        (Signal::Passage, passage),
                        (Signal::Headings, headings),
                        (Signal::Contents, headings),
                    ],
                )
            })
            .collect()
    }

    #[test]
    fn weights_find_the_signal_that_tells_and_keep_their_signs() {
        let cases = cases();
        let signals = [Signal::Passage, Signal::Headings, Signal::Contents];
        let weights = fit(cases.iter(), &signals);
        assert!(weights[Signal::Passage as usize] > 1.0, "{weights:?}");
        assert_eq!(
            weights[Signal::Headings as usize],
            0.0,
            "its sign may not turn"
        );
        assert!(weights[Signal::Contents as usize] < 0.0);
        assert_eq!(reached(cases.iter(), |_| weights).mrr_10, 1.0);
        let (all, kinds) = cross_validate(&cases, &signals);
        assert_eq!(
            (all.hit_10, all.mrr_10, kinds["made"].questions),
            (1.0, 1.0, 12)
        );
    }

    #[test]
    fn the_same_cases_give_the_same_bits() {
        let signals = [Signal::Passage, Signal::Contents];
        let bits = || fit(cases().iter(), &signals).map(f64::to_bits);
        assert_eq!(bits(), bits());
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let cases = cases();
        let rows: Vec<(Vec<f64>, &[bool])> = cases
            .iter()
            .map(|c| {
                let of = |v: &Values| [v[Signal::Passage as usize], v[Signal::Headings as usize]];
                (
                    c.pages.iter().flat_map(|(_, v)| of(v)).collect(),
                    c.gold.as_slice(),
                )
            })
            .collect();
        let at = [0.7, -0.3];
        let (_, gradient) = loss(&rows, &at);
        for n in 0..2 {
            let mut up = at;
            let mut down = at;
            up[n] += 1e-5;
            down[n] -= 1e-5;
            let slope = (loss(&rows, &up).0 - loss(&rows, &down).0) / 2e-5;
            assert!(
                (slope - gradient[n]).abs() < 1e-6,
                "{slope} {}",
                gradient[n]
            );
        }
    }

    #[test]
    fn weights_settle_where_no_step_lowers_the_loss() {
        // Two signals that nearly say the same, a third that says little, a fourth of the wrong sign.
        let mut state = 7;
        let mut random = || below(&mut state, 1000) as f64 / 1000.0;
        let questions: Vec<(Vec<f64>, Vec<bool>)> = (0..30)
            .map(|_| {
                let gold = (20.0 * random()) as usize;
                let pages = (0..20).flat_map(|page| {
                    let tells = random() + f64::from(u8::from(page == gold));
                    let close = tells + 0.01 * random();
                    [tells, close, 0.05 * random(), tells - random()]
                });
                (pages.collect(), (0..20).map(|page| page == gold).collect())
            })
            .collect();
        let rows: Vec<(Vec<f64>, &[bool])> = questions
            .iter()
            .map(|(values, gold)| (values.clone(), gold.as_slice()))
            .collect();
        let signs = [1.0, 1.0, 1.0, -1.0];
        let weights = minimise(&rows, &signs);
        let (_, gradient) = loss(&rows, &weights);
        for ((weight, gradient), sign) in weights.iter().zip(&gradient).zip(signs) {
            let held_at_zero = *weight == 0.0 && gradient * sign > 0.0;
            assert!(
                held_at_zero || gradient.abs() < 1e-6,
                "{weights:?} {gradient}"
            );
        }
    }

    #[test]
    fn the_shipped_weights_are_of_known_signals_with_the_right_signs() {
        let weights = Weights::builtin();
        let lifts = weights.lifts;
        assert!(lifts.needed_statement > 0.0 && lifts.part_row > 0.0);
        for (name, weight) in &weights.weights {
            let signal = by_name(std::slice::from_ref(name)).unwrap()[0];
            assert!(weight * signal.sign() >= 0.0, "{name}");
        }
        assert!(by_name(&["nonsense".into()]).is_err());
    }
}
