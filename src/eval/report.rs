//! The result of an evaluation: one struct, written as JSON and as Markdown, and compared with another.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::bootstrap::{Interval, Resamples};
use super::ladder::Run;
use super::metrics::{Means, Measure, mean};
use super::misses::Loss;
use super::questions::{Question, QuestionSet};
use crate::library::Library;
use crate::library::store::{self, write_atomic};
use crate::search::{Retriever, Settings};

/// Groups smaller than this are never flagged: one miss would do.
const SMALLEST_FLAGGED: usize = 3;
/// A group is flagged when so few hits would come by chance, were it like the others, in less
/// than this share of cases ...
const FLAG_CHANCE: f64 = 0.05;
/// ... and it falls at least this far below the mean.
const FLAG_DROP: f64 = 0.10;

/// What was evaluated, where and when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The command line.
    pub command: String,
    /// Version of the program.
    pub version: String,
    /// Commit of the working directory, with `+` when it has changes; empty outside a repository.
    pub commit: String,
    /// RFC 3339, UTC.
    pub date: String,
    /// Filings in the library.
    pub filings: usize,
    /// Pages in the library.
    pub pages: usize,
    /// See [`corpus_hash`].
    pub corpus_sha256: String,
    /// Bootstrap resamples.
    pub resamples: usize,
    /// Bootstrap seed.
    pub seed: u64,
    /// What ranking by meaning worked with, or why its rungs are left out.
    #[serde(default)]
    pub meaning: String,
}

/// SHA-256, in hex, over `doc_name TAB text_sha256 NEWLINE` of every filing in catalog order:
/// the same for the same page text.
pub fn corpus_hash(library: &Library) -> String {
    let mut hash = Sha256::new();
    for filing in library.filings() {
        hash.update(format!("{}\t{}\n", filing.doc_name, filing.text_sha256));
    }
    store::hex(&hash.finalize())
}

/// Everything measured over one set of questions under one rung.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many questions.
    pub questions: usize,
    /// Means, under the names `hit@1` ... `ndcg@10`.
    #[serde(flatten)]
    pub means: Means,
    /// 95 % interval of each mean, by the same names: low, high.
    pub intervals: BTreeMap<String, [f64; 2]>,
    /// Share of the questions in which a company was recognised.
    pub company_found: f64,
    /// Share of the questions whose right filing was in scope.
    pub filing_found: f64,
    /// Filings in scope, on average over the questions in which a company was recognised.
    pub filings_kept: f64,
    /// Median time of the whole call on one thread, milliseconds.
    pub p50_ms: Option<f64>,
    /// 95th percentile of the same.
    pub p95_ms: Option<f64>,
}

/// One rung.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The rung's name.
    pub name: String,
    /// What ranked its pages.
    #[serde(default)]
    pub retriever: Retriever,
    /// What it reached.
    #[serde(flatten)]
    pub summary: Summary,
    /// What it is worth over another rung.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<Change>,
}

/// The paired difference of two rankings of the same questions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Name of the one compared with.
    pub over: String,
    /// Difference in Hit@10.
    #[serde(rename = "hit@10")]
    pub hit10: Interval,
    /// Difference in MRR@10.
    #[serde(rename = "mrr@10")]
    pub mrr10: Interval,
    /// Ids of the questions found among the first ten now and not before.
    pub won: Vec<String>,
    /// The other way round.
    pub lost: Vec<String>,
}

/// The questions of one split, or of one file that has no split.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// `dev`, `test`, or the file's name.
    pub name: String,
    /// Under the settings given.
    #[serde(flatten)]
    pub summary: Summary,
    /// Under each rung.
    pub ladder: Vec<Row>,
}

/// Questions that have something in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// `type`, `form` or `company`.
    pub by: String,
    /// Its value.
    pub group: String,
    /// How many questions.
    pub questions: usize,
    /// Hit@10 under the settings given.
    #[serde(rename = "hit@10")]
    pub hit10: f64,
    /// MRR@10.
    #[serde(rename = "mrr@10")]
    pub mrr10: f64,
    /// Far below the mean.
    pub flagged: bool,
}

/// One question under the settings given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// Its id.
    pub id: String,
    /// `dev`, `test`, or its file's name.
    pub part: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its company: the filing's.
    pub company: String,
    /// Form of its filing.
    pub form: String,
    /// Its filing.
    pub doc_name: String,
    /// 0-based labelled pages.
    pub gold_pages: Vec<u32>,
    /// Rank of each labelled page.
    pub gold_ranks: Vec<Option<usize>>,
    /// Best rank of a labelled page under each rung, in the ladder's order.
    pub rungs: Vec<Option<usize>>,
    /// Where it was lost; absent for a hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
}

impl Answered {
    /// A labelled page is among the first ten.
    pub fn hit(&self) -> bool {
        Measure::Hit10.of(&self.gold_ranks) > 0.0
    }

    /// The best rank of a labelled page.
    pub fn rank(&self) -> Option<usize> {
        self.gold_ranks.iter().flatten().min().copied()
    }
}

/// A whole evaluation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What, where and when.
    pub about: About,
    /// The settings given.
    pub settings: Settings,
    /// What they reached over all questions.
    #[serde(flatten)]
    pub summary: Summary,
    /// Each rung over all questions.
    pub ladder: Vec<Row>,
    /// The same for dev, test and every other file.
    pub parts: Vec<Part>,
    /// By type, form and company.
    pub groups: Vec<Group>,
    /// Each question.
    pub results: Vec<Answered>,
    /// Questions left out, with the reason.
    pub problems: Vec<String>,
}

impl Report {
    /// Puts the runs together: `given` under the settings given, `rungs` the ladder's.
    pub fn new(
        about: About,
        library: &Library,
        set: &QuestionSet,
        given: &Run,
        rungs: &[Run],
    ) -> Report {
        let everything: Vec<usize> = (0..set.questions.len()).collect();
        let build = |chosen: &[usize]| {
            let resamples = Resamples::draw(chosen.len(), about.resamples, about.seed);
            let summary = summary(given, chosen, &resamples);
            (summary, ladder(&set.questions, rungs, chosen, &resamples))
        };
        let mut names: Vec<&str> = Vec::new();
        for question in &set.questions {
            if !names.contains(&question.part()) {
                names.push(question.part());
            }
        }
        // dev, test, then the rest in the order of the files.
        names.sort_by_key(|name| match *name {
            "dev" => 0,
            "test" => 1,
            _ => 2,
        });
        let (summary, ladder) = build(&everything);
        let parts = names
            .iter()
            .map(|name| {
                let in_part = |&ix: &usize| set.questions[ix].part() == *name;
                let chosen: Vec<usize> = everything.iter().copied().filter(in_part).collect();
                let (summary, ladder) = build(&chosen);
                Part {
                    name: name.to_string(),
                    summary,
                    ladder,
                }
            })
            .collect();
        let results = answered(library, &set.questions, given, rungs);
        Report {
            about,
            settings: given.rung.settings.clone(),
            summary,
            ladder,
            parts,
            groups: groups(&results),
            results,
            problems: set.problems.iter().map(ToString::to_string).collect(),
        }
    }

    /// Reads what `tenleaf eval --json` or `--write` wrote.
    pub fn read(path: &Path) -> Result<Report> {
        let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        serde_json::from_slice(&bytes).with_context(|| {
            format!(
                "{}: not a report of `tenleaf eval --json` or `--write`",
                path.display()
            )
        })
    }

    /// Keeps the report in the library in `root`: what the workbench compares with.
    pub fn keep(&self, root: &Path) -> Result<()> {
        let path = last_run(root);
        let folder = path.parent().expect("has a folder");
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        write_atomic(&path, &serde_json::to_vec(self)?)
            .with_context(|| format!("writing {}", path.display()))
    }

    /// The last report kept in the library in `root`; `None` when there is none.
    pub fn last(root: &Path) -> Option<Report> {
        Report::read(&last_run(root)).ok()
    }

    /// The missed questions.
    pub fn misses(&self) -> impl Iterator<Item = &Answered> {
        self.results.iter().filter(|answered| !answered.hit())
    }

    /// How many questions each stage lost, in the stages' order, over one part or all.
    pub fn losses(&self, part: Option<&str>) -> Vec<(Loss, usize)> {
        let count = |loss| {
            self.misses()
                .filter(|a| a.loss == Some(loss) && part.is_none_or(|part| a.part == part))
                .count()
        };
        Loss::ALL.map(|loss| (loss, count(loss))).to_vec()
    }
}

fn last_run(root: &Path) -> PathBuf {
    root.join("runs").join("last.json")
}

fn values(measure: Measure, run: &Run, chosen: &[usize]) -> Vec<f64> {
    chosen
        .iter()
        .map(|&ix| measure.of(&run.judged[ix].gold_ranks))
        .collect()
}

fn summary(run: &Run, chosen: &[usize], resamples: &Resamples) -> Summary {
    let judged = || chosen.iter().map(|&ix| &run.judged[ix]);
    let share = |yes: bool| f64::from(u8::from(yes));
    let latency = run.latency(chosen);
    Summary {
        questions: chosen.len(),
        means: run.means(chosen),
        intervals: Measure::ALL
            .into_iter()
            .map(|measure| {
                let interval = resamples.interval(&values(measure, run, chosen));
                (measure.name().to_string(), [interval.low, interval.high])
            })
            .collect(),
        company_found: mean(judged().map(|j| share(j.company_found))),
        filing_found: mean(judged().map(|j| share(j.filing_found))),
        filings_kept: mean(
            judged()
                .filter(|j| j.company_found)
                .map(|j| j.filings_kept as f64),
        ),
        p50_ms: latency.map(|l| l.0),
        p95_ms: latency.map(|l| l.1),
    }
}

fn ladder(
    questions: &[Question],
    rungs: &[Run],
    chosen: &[usize],
    resamples: &Resamples,
) -> Vec<Row> {
    let mut row_above: Option<&Run> = None;
    let mut rows = Vec::new();
    let named = |run: &Run| {
        let over = run.rung.over.as_ref()?;
        rungs.iter().find(|other| other.rung.name == *over)
    };
    for run in rungs {
        let change = |over: &Run| {
            let paired = |measure| {
                resamples.paired(
                    &values(measure, over, chosen),
                    &values(measure, run, chosen),
                )
            };
            let hits = |run| values(Measure::Hit10, run, chosen);
            let ids: Vec<&str> = chosen.iter().map(|&ix| &*questions[ix].id).collect();
            let (won, lost) = won_and_lost(&ids, &hits(over), &hits(run));
            Change {
                over: over.rung.name.clone(),
                hit10: paired(Measure::Hit10),
                mrr10: paired(Measure::Mrr10),
                won,
                lost,
            }
        };
        rows.push(Row {
            name: run.rung.name.clone(),
            retriever: run.rung.settings.retriever,
            summary: summary(run, chosen, resamples),
            step: named(run).or(row_above).map(change),
        });
        if !run.rung.alone {
            row_above = Some(run);
        }
    }
    rows
}

/// Ids whose value rose, and whose value fell.
pub(super) fn won_and_lost(
    ids: &[&str],
    before: &[f64],
    after: &[f64],
) -> (Vec<String>, Vec<String>) {
    let pick = |better: fn(f64, f64) -> bool| {
        (0..ids.len())
            .filter(|&ix| better(before[ix], after[ix]))
            .map(|ix| ids[ix].to_string())
            .collect()
    };
    (pick(|b, a| a > b), pick(|b, a| a < b))
}

fn answered(
    library: &Library,
    questions: &[Question],
    given: &Run,
    rungs: &[Run],
) -> Vec<Answered> {
    let of = |(ix, question): (usize, &Question)| {
        let filing = library
            .find(&question.doc_name)
            .map(|ordinal| library.filing(ordinal));
        let judged = &given.judged[ix];
        Answered {
            id: question.id.clone(),
            part: question.part().to_string(),
            kind: question.kind.clone(),
            company: filing.map_or(question.company.clone(), |f| f.company.clone()),
            form: filing.map_or(String::new(), |f| f.form.to_string()),
            doc_name: question.doc_name.clone(),
            gold_pages: question.gold_pages.clone(),
            gold_ranks: judged.gold_ranks.clone(),
            rungs: rungs.iter().map(|run| run.judged[ix].rank()).collect(),
            loss: judged.loss,
        }
    };
    questions.iter().enumerate().map(of).collect()
}

/// What a question is grouped by.
type Key = fn(&Answered) -> &str;

fn groups(results: &[Answered]) -> Vec<Group> {
    let overall = mean(results.iter().map(|a| Measure::Hit10.of(&a.gold_ranks)));
    let mut groups = Vec::new();
    let by: [(&str, Key); 3] = [
        ("type", |a| &a.kind),
        ("form", |a| &a.form),
        ("company", |a| &a.company),
    ];
    for (by, key) in by {
        let mut members: BTreeMap<&str, Vec<&[Option<usize>]>> = BTreeMap::new();
        for answered in results {
            members
                .entry(key(answered))
                .or_default()
                .push(&answered.gold_ranks);
        }
        for (group, ranks) in members {
            let of = |measure: Measure| mean(ranks.iter().map(|ranks| measure.of(ranks)));
            let hit10 = of(Measure::Hit10);
            let hits = (hit10 * ranks.len() as f64).round() as usize;
            groups.push(Group {
                by: by.to_string(),
                group: if group.is_empty() { "unknown" } else { group }.to_string(),
                questions: ranks.len(),
                hit10,
                mrr10: of(Measure::Mrr10),
                flagged: ranks.len() >= SMALLEST_FLAGGED
                    && overall - hit10 >= FLAG_DROP
                    && at_most(hits, ranks.len(), overall) < FLAG_CHANCE,
            });
        }
    }
    groups
}

/// Probability of at most `hits` in `n` tries that each succeed with probability `p`.
fn at_most(hits: usize, n: usize, p: f64) -> f64 {
    let mut term = (1.0 - p).powi(n as i32);
    if term == 0.0 {
        return if hits >= n { 1.0 } else { 0.0 };
    }
    let mut sum = term;
    for k in 0..hits.min(n) {
        term *= (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
        sum += term;
    }
    sum.min(1.0)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn answered(id: &str, kind: &str, rank: Option<usize>) -> Answered {
        Answered {
            id: id.into(),
            part: "dev".into(),
            kind: kind.into(),
            company: "Acme".into(),
            form: "10-K".into(),
            doc_name: "ACME_2020_10K".into(),
            gold_pages: vec![3],
            gold_ranks: vec![rank],
            rungs: Vec::new(),
            loss: rank.is_none().then_some(Loss::NarrativeOutranked),
        }
    }

    #[test]
    fn a_group_far_below_the_mean_is_flagged() {
        let mut results: Vec<Answered> = (0..30)
            .map(|n| answered(&n.to_string(), "easy", Some(1)))
            .collect();
        results.extend((0..6).map(|n| answered(&format!("h{n}"), "hard", None)));
        results.push(answered("x", "tiny", None));
        let groups = groups(&results);
        let flagged: Vec<&str> = groups
            .iter()
            .filter(|g| g.flagged)
            .map(|g| g.group.as_str())
            .collect();
        assert_eq!(flagged, ["hard"]);
        let company = groups.iter().find(|g| g.by == "company").unwrap();
        assert_eq!((company.questions, company.flagged), (37, false));
    }

    #[test]
    fn binomial_tail() {
        assert!((at_most(0, 3, 0.84) - 0.16f64.powi(3)).abs() < 1e-12);
        assert!((at_most(1, 2, 0.5) - 0.75).abs() < 1e-12);
        assert!((at_most(5, 5, 0.3) - 1.0).abs() < 1e-12);
        assert_eq!(at_most(2, 3, 1.0), 0.0);
        assert_eq!(at_most(3, 3, 1.0), 1.0);
    }
}
