//! What changed from one evaluation to another.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bootstrap::Resamples;
use super::metrics::{Means, Measure};
use super::report::{About, Answered, Change, Report, won_and_lost};

/// What changed between two reports, over the questions both have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Comparison {
    /// `all`, then each part, with the measures of both.
    pub parts: Vec<ComparedPart>,
    /// Questions whose best rank moved: id, rank before, rank after; the largest gains first.
    pub moved: Vec<(String, Option<usize>, Option<usize>)>,
    /// Questions only the first has.
    pub only_before: Vec<String>,
    /// Questions only the second has.
    pub only_after: Vec<String>,
    /// The two were made from different page text.
    pub other_corpus: bool,
}

/// One part of a [`Comparison`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ComparedPart {
    /// `all`, `dev`, ...
    pub name: String,
    /// Questions both reports have.
    pub questions: usize,
    /// Before.
    pub before: Means,
    /// After.
    pub after: Means,
    /// The paired difference.
    pub change: Change,
}

impl Comparison {
    /// Compares; `resamples` and `seed` as the second report's.
    pub fn of(before: &Report, after: &Report) -> Comparison {
        let known: BTreeMap<&str, &Answered> =
            before.results.iter().map(|a| (a.id.as_str(), a)).collect();
        let mut pairs = Vec::new();
        let mut only_after = Vec::new();
        for answered in &after.results {
            match known.get(answered.id.as_str()) {
                Some(before) => pairs.push((*before, answered)),
                None => only_after.push(answered.id.clone()),
            }
        }
        let both: Vec<&str> = pairs.iter().map(|(_, a)| a.id.as_str()).collect();
        let mut names: Vec<&str> = vec!["all"];
        names.extend(after.parts.iter().map(|part| part.name.as_str()));
        let parts = names
            .into_iter()
            .map(|name| {
                let inside: Vec<(&Answered, &Answered)> = pairs
                    .iter()
                    .copied()
                    .filter(|(_, a)| name == "all" || a.part == name)
                    .collect();
                compare_part(name, &inside, &after.about)
            })
            .collect();
        let mut moved: Vec<(String, Option<usize>, Option<usize>)> = pairs
            .iter()
            .map(|(b, a)| (a.id.clone(), b.rank(), a.rank()))
            .filter(|(_, b, a)| b != a)
            .collect();
        let reciprocal = |rank: Option<usize>| rank.map_or(0.0, |rank| 1.0 / rank as f64);
        moved.sort_by(|x, y| {
            let gain = |m: &(String, _, _)| reciprocal(m.2) - reciprocal(m.1);
            gain(y).total_cmp(&gain(x)).then(x.0.cmp(&y.0))
        });
        Comparison {
            parts,
            moved,
            only_before: before
                .results
                .iter()
                .map(|a| a.id.clone())
                .filter(|id| !both.contains(&id.as_str()))
                .collect(),
            only_after,
            other_corpus: before.about.corpus_sha256 != after.about.corpus_sha256,
        }
    }
}

fn compare_part(name: &str, pairs: &[(&Answered, &Answered)], about: &About) -> ComparedPart {
    let ids: Vec<&str> = pairs.iter().map(|(_, a)| a.id.as_str()).collect();
    let values = |measure: Measure| -> (Vec<f64>, Vec<f64>) {
        pairs
            .iter()
            .map(|(b, a)| (measure.of(&b.gold_ranks), measure.of(&a.gold_ranks)))
            .unzip()
    };
    let resamples = Resamples::draw(pairs.len(), about.resamples, about.seed);
    let (hits_before, hits_after) = values(Measure::Hit10);
    let (mrr_before, mrr_after) = values(Measure::Mrr10);
    let (won, lost) = won_and_lost(&ids, &hits_before, &hits_after);
    ComparedPart {
        name: name.to_string(),
        questions: pairs.len(),
        before: Means::of(pairs.iter().map(|(b, _)| b.gold_ranks.as_slice())),
        after: Means::of(pairs.iter().map(|(_, a)| a.gold_ranks.as_slice())),
        change: Change {
            over: "before".to_string(),
            hit10: resamples.paired(&hits_before, &hits_after),
            mrr10: resamples.paired(&mrr_before, &mrr_after),
            won,
            lost,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::report::Part;
    use crate::eval::report::tests::answered;

    #[test]
    fn comparison_names_wins_losses_and_moves() {
        let report = |results: Vec<Answered>| Report {
            about: About {
                resamples: 1000,
                seed: 1,
                ..About::default()
            },
            parts: vec![Part {
                name: "dev".into(),
                ..Part::default()
            }],
            results,
            ..Report::default()
        };
        let before = report(vec![
            answered("a", "t", Some(1)),
            answered("b", "t", Some(40)),
            answered("c", "t", Some(9)),
            answered("gone", "t", None),
        ]);
        let after = report(vec![
            answered("a", "t", Some(2)),
            answered("b", "t", Some(3)),
            answered("c", "t", Some(11)),
            answered("new", "t", None),
        ]);
        let comparison = Comparison::of(&before, &after);
        let all = &comparison.parts[0];
        assert_eq!((all.name.as_str(), all.questions), ("all", 3));
        assert_eq!(
            (&all.change.won, &all.change.lost),
            (&vec!["b".into()], &vec!["c".into()])
        );
        assert_eq!(all.change.hit10.mean, 0.0);
        assert_eq!(comparison.only_before, ["gone"]);
        assert_eq!(comparison.only_after, ["new"]);
        let order: Vec<&str> = comparison.moved.iter().map(|m| m.0.as_str()).collect();
        assert_eq!(order, ["b", "c", "a"]);
        // A report survives being kept and read.
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Report::last(dir.path()), None);
        after.keep(dir.path()).unwrap();
        assert_eq!(Report::last(dir.path()), Some(after));
    }
}
