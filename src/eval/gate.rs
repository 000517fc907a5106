//! The gate: Hit@10 on dev must not fall by more than one question below the recorded value.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::questions::Split;
use super::report::{Answered, Report};
use crate::library::output;

/// So many questions may be lost: one more or less is noise of no consequence.
const ALLOWED: usize = 1;

/// What was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// Corpus the hits were recorded on: [`super::report::corpus_hash`].
    pub corpus_sha256: String,
    /// Commit they were recorded at.
    pub commit: String,
    /// Ids of the dev questions asked.
    pub questions: BTreeSet<String>,
    /// Those with a labelled page among the first ten.
    pub hits: BTreeSet<String>,
}

/// How a report stands against the gate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// False when more than one question net was lost.
    pub passed: bool,
    /// Questions both have.
    pub questions: usize,
    /// Of those, found when recorded.
    pub hits_before: usize,
    /// Of those, found now.
    pub hits_now: usize,
    /// Found when recorded, missed now.
    pub lost: Vec<String>,
    /// Missed when recorded, found now.
    pub won: Vec<String>,
    /// Recorded questions that were not asked now: they are not judged.
    pub missing: Vec<String>,
    /// The page text is not what the gate was recorded on.
    pub other_corpus: bool,
}

impl Gate {
    /// Records the dev questions of a report.
    pub fn record(report: &Report) -> Gate {
        let dev = || report.results.iter().filter(|a| is_dev(a));
        Gate {
            corpus_sha256: report.about.corpus_sha256.clone(),
            commit: report.about.commit.clone(),
            questions: dev().map(|a| a.id.clone()).collect(),
            hits: dev().filter(|a| a.hit()).map(|a| a.id.clone()).collect(),
        }
    }

    /// Reads a gate file.
    pub fn read(path: &Path) -> Result<Gate> {
        let text = std::fs::read_to_string(path).with_context(|| {
            format!(
                "reading {}; `tenleaf eval --record-gate` writes it",
                path.display()
            )
        })?;
        serde_json::from_str(&text).with_context(|| format!("{}: no gate file", path.display()))
    }

    /// Writes a gate file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        output::write(path, text.as_bytes()).with_context(|| format!("writing {}", path.display()))
    }

    /// Judges a report.
    pub fn judge(&self, report: &Report) -> Verdict {
        let now: Vec<&Answered> = report
            .results
            .iter()
            .filter(|a| self.questions.contains(&a.id))
            .collect();
        let asked: BTreeSet<&str> = now.iter().map(|a| a.id.as_str()).collect();
        let pick = |before: bool, after: bool| -> Vec<String> {
            now.iter()
                .filter(|a| self.hits.contains(&a.id) == before && a.hit() == after)
                .map(|a| a.id.clone())
                .collect()
        };
        let (lost, won) = (pick(true, false), pick(false, true));
        Verdict {
            passed: !now.is_empty() && lost.len() <= won.len() + ALLOWED,
            questions: now.len(),
            hits_before: now.iter().filter(|a| self.hits.contains(&a.id)).count(),
            hits_now: now.iter().filter(|a| a.hit()).count(),
            lost,
            won,
            missing: self
                .questions
                .iter()
                .filter(|id| !asked.contains(id.as_str()))
                .cloned()
                .collect(),
            other_corpus: self.corpus_sha256 != report.about.corpus_sha256,
        }
    }
}

fn is_dev(answered: &Answered) -> bool {
    answered.part == Split::Dev.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(hits: &[bool]) -> Report {
        Report {
            results: hits
                .iter()
                .enumerate()
                .map(|(n, &hit)| Answered {
                    id: format!("q{n}"),
                    part: if n == 9 { "test" } else { "dev" }.into(),
                    kind: String::new(),
                    company: String::new(),
                    form: String::new(),
                    doc_name: String::new(),
                    gold_pages: vec![0],
                    gold_ranks: vec![hit.then_some(3)],
                    rungs: Vec::new(),
                    loss: None,
                })
                .collect(),
            ..Report::default()
        }
    }

    #[test]
    fn one_lost_question_passes_and_two_do_not() {
        let gate = Gate::record(&report(&[true; 10]));
        assert_eq!(gate.questions.len(), 9, "test questions are not recorded");
        let mut hits = [true; 10];
        hits[2] = false;
        hits[9] = false;
        let verdict = gate.judge(&report(&hits));
        assert!(verdict.passed);
        assert_eq!(verdict.lost, ["q2"]);
        hits[4] = false;
        let verdict = gate.judge(&report(&hits));
        assert!(!verdict.passed);
        assert_eq!((verdict.hits_before, verdict.hits_now), (9, 7));
        assert_eq!(verdict.lost, ["q2", "q4"]);
    }

    #[test]
    fn a_win_makes_up_for_a_loss_and_nothing_asked_is_no_pass() {
        let gate = Gate::record(&report(&[true, true, true, false]));
        assert!(gate.judge(&report(&[false, false, true, true])).passed);
        let verdict = gate.judge(&report(&[]));
        assert!(!verdict.passed);
        assert_eq!(verdict.missing.len(), 4);
    }

    #[test]
    fn a_gate_file_reads_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("gate.json");
        let missing = Gate::read(&path).unwrap_err();
        assert!(format!("{missing:#}").contains("--record-gate"));
        let gate = Gate::record(&report(&[true, false]));
        gate.write(&path).unwrap();
        assert_eq!(Gate::read(&path).unwrap(), gate);
    }
}
