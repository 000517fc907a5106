//! A report as `docs/RESULTS.md`.

use std::fmt::Write;

use super::bootstrap::Interval;
use super::metrics::Measure;
use super::misses::Loss;
use super::questions::Split;
use super::report::{Answered, Change, Group, Part, Report, Row, Summary};
use crate::search::signals::Weights;
use crate::search::{Retriever, Settings};
use crate::words::count;

/// The whole page.
pub fn results(report: &Report) -> String {
    let mut out = String::from("# Results\n\nWritten by the program; do not edit.\n\n");
    about(&mut out, report);
    out.push_str(
        "\nHow everything is measured: [EVALUATION.md](EVALUATION.md). Square brackets hold 95 % \
         bootstrap intervals.",
    );
    // A promise about FinanceBench's questions: of others it would say nothing.
    let is_test = |answered: &Answered| Split::of(&answered.id) == Some(Split::Test);
    if report.results.iter().any(is_test) {
        out.push_str(" Nothing was tuned on the test questions.");
    }
    out.push('\n');
    for part in &report.parts {
        part_section(&mut out, report, part);
    }
    if report.parts.len() > 1 {
        let _ = writeln!(out, "\n## All {} questions\n", report.summary.questions);
        ladder(&mut out, &report.ladder);
    }
    worth_of_meaning(&mut out, &report.ladder);
    signals(&mut out, &Weights::builtin());
    losses(&mut out, report);
    groups(&mut out, report);
    problems(&mut out, report);
    out
}

/// Whether MiniLM earns its cost beside everything else: the last rung that has it.
fn worth_of_meaning(out: &mut String, rows: &[Row]) {
    let last = rows
        .iter()
        .rev()
        .find(|row| row.retriever != Retriever::Bm25);
    let Some((row, step)) = last.and_then(|row| Some((row, row.step.as_ref()?))) else {
        return;
    };
    let _ = writeln!(
        out,
        "\n## Does MiniLM earn its cost?\n\n\"{}\" over \"{}\", all {} questions: Hit@10 {}, MRR@10 {}.",
        row.name,
        step.over,
        row.summary.questions,
        difference(&step.hit10, row.summary.questions),
        difference(&step.mrr10, row.summary.questions),
    );
    if Settings::default().retriever == Retriever::Bm25 {
        out.push_str(
            "The default is BM25 with signals; how that was chosen, on dev and tuning questions under \
             cross-validation, is in [MINILM.md](MINILM.md).\n",
        );
    }
}

/// What each signal is worth, as `tenleaf fit --worth` recorded it beside the shipped weights.
fn signals(out: &mut String, weights: &Weights) {
    let number = |value: &serde_json::Value, key: &str| value[key].as_f64().unwrap_or(f64::NAN);
    let fitted = &weights.fitted;
    let all = &fitted["cross_validated"]["all"];
    let Some(worth) = fitted["worth"].as_array().filter(|rows| !rows.is_empty()) else {
        return;
    };
    let (hit, mrr) = (number(all, "hit@10"), number(all, "mrr@10"));
    let _ = writeln!(
        out,
        "\n## What each signal is worth\n\nLeft out one at a time; {}-fold cross-validation on {} questions (dev and tuning), under the \
         guard on table triggers ([RANKING.md](RANKING.md)). All signals: Hit@10 {}, MRR@10 {}. Command: `{}`.\n",
        fitted["folds"],
        fitted["questions"],
        share(hit),
        share(mrr),
        fitted["command"].as_str().unwrap_or("tenleaf fit --worth"),
    );
    let _ = writeln!(
        out,
        "| signal | weight | Hit@10 without | | MRR@10 without | |\n|---|--:|--:|--:|--:|--:|"
    );
    for row in worth {
        let without = &row["without"];
        let _ = writeln!(
            out,
            "| {} | {:.3} | {} | {:+.3} | {} | {:+.3} |",
            row["signal"].as_str().unwrap_or("?"),
            number(row, "weight"),
            share(number(without, "hit@10")),
            number(without, "hit@10") - hit,
            share(number(without, "mrr@10")),
            number(without, "mrr@10") - mrr,
        );
    }
    let _ = writeln!(
        out,
        "\n| type | questions | Hit@10 | MRR@10 |\n|---|--:|--:|--:|"
    );
    for (kind, r) in fitted["cross_validated"]["by_type"]
        .as_object()
        .into_iter()
        .flatten()
    {
        let _ = writeln!(
            out,
            "| {kind} | {} | {} | {} |",
            r["questions"],
            share(number(r, "hit@10")),
            share(number(r, "mrr@10"))
        );
    }
}

fn about(out: &mut String, report: &Report) {
    let about = &report.about;
    let commit = if about.commit.is_empty() {
        "unknown"
    } else {
        &about.commit
    };
    let _ = writeln!(out, "| | |\n|---|---|");
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "| {name} | {value} |");
    };
    row("command", format!("`{}`", about.command));
    row("date", about.date.clone());
    row(
        "program",
        format!("tenleaf {}, commit {commit}", about.version),
    );
    row(
        "corpus",
        format!(
            "{} filings, {} pages, SHA-256 `{}`",
            about.filings, about.pages, about.corpus_sha256
        ),
    );
    if !about.meaning.is_empty() {
        row("MiniLM", about.meaning.clone());
    }
    row(
        "intervals",
        format!("{} resamples, seed {}", about.resamples, about.seed),
    );
}

fn part_section(out: &mut String, report: &Report, part: &Part) {
    let _ = writeln!(
        out,
        "\n## {} ({})\n",
        part.name,
        count(part.summary.questions, "question")
    );
    measures(out, &part.summary);
    out.push('\n');
    ladder(out, &part.ladder);
    let missed: Vec<String> = report
        .misses()
        .filter(|a| a.part == part.name)
        .map(|a| format!("`{}`", a.id))
        .collect();
    if !missed.is_empty() {
        let _ = writeln!(out, "\nMissed: {}", missed.join(", "));
    }
}

fn measures(out: &mut String, summary: &Summary) {
    let mut names = String::from("|");
    let mut values = String::from("|");
    for measure in Measure::ALL {
        let _ = write!(names, " {} |", measure.title());
        let mean = mean_in(summary.means.get(measure), summary, measure.name());
        let _ = write!(values, " {mean} |");
    }
    let _ = writeln!(
        out,
        "{names} company found | right filing kept | filings kept |"
    );
    let _ = writeln!(out, "|{}", "---|".repeat(Measure::ALL.len() + 3));
    let _ = writeln!(
        out,
        "{values} {} | {} | {:.2} |",
        share(summary.company_found),
        share(summary.filing_found),
        summary.filings_kept
    );
}

/// The ladder's table.
pub fn ladder(out: &mut String, rows: &[Row]) {
    out.push_str(
        "| step | Hit@1 | Hit@10 | MRR@10 | nDCG@10 | recall@10 | right filing kept | p50 / p95 ms \
         | Hit@10 over the step before | won, lost | MRR@10 over the step before |\n",
    );
    let _ = writeln!(out, "|---|{}", "---|".repeat(10));
    for row in rows {
        let summary = &row.summary;
        let means = &summary.means;
        let interval = |name: &str, mean| mean_in(mean, summary, name);
        let latency = match (summary.p50_ms, summary.p95_ms) {
            (Some(p50), Some(p95)) => format!("{p50:.2} / {p95:.2}"),
            _ => "-".into(),
        };
        let _ = write!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {latency} |",
            row.name,
            share(means.hit1),
            interval("hit@10", means.hit10),
            interval("mrr@10", means.mrr10),
            share(means.ndcg10),
            share(means.recall10),
            share(summary.filing_found),
        );
        let _ = match &row.step {
            None => writeln!(out, " | | |"),
            Some(step) => writeln!(
                out,
                " {} | +{} -{} | {} |",
                difference(&step.hit10, summary.questions),
                step.won.len(),
                step.lost.len(),
                difference(&step.mrr10, summary.questions)
            ),
        };
    }
    let told = rows.iter().filter(|row| row.summary.questions >= ENOUGH);
    let mut steps = told.filter_map(|row| row.step.as_ref());
    if steps.any(|step| step.hit10.clear_of_zero() || step.mrr10.clear_of_zero()) {
        // Not the mark of a list.
        let _ = writeln!(out, "\n\\{STAR_MEANS}.");
    }
    let compared: Vec<String> = rows
        .iter()
        .zip(std::iter::once(None).chain(rows.iter().map(Some)))
        .filter_map(|(row, above)| Some((row, row.step.as_ref()?, above?)))
        .filter(|(_, step, above)| step.over != above.name)
        .map(|(row, step, _)| format!("\"{}\" with \"{}\"", row.name, step.over))
        .collect();
    if !compared.is_empty() {
        let _ = writeln!(out, "\nCompared: {}.", compared.join(", "));
    }
}

fn losses(out: &mut String, report: &Report) {
    out.push_str("\n## Where it loses\n\n| lost at | all |");
    for part in &report.parts {
        let _ = write!(out, " {} |", part.name);
    }
    let _ = writeln!(out, "\n|---|{}", "---|".repeat(1 + report.parts.len()));
    let by_part: Vec<Vec<(Loss, usize)>> = report
        .parts
        .iter()
        .map(|part| report.losses(Some(&part.name)))
        .collect();
    for (ix, (loss, count)) in report.losses(None).into_iter().enumerate() {
        let _ = write!(out, "| {} | {count} |", loss.title());
        for counts in &by_part {
            let _ = write!(out, " {} |", counts[ix].1);
        }
        out.push('\n');
    }
    let _ = write!(out, "| **missed** | {} |", report.misses().count());
    for part in &report.parts {
        let missed = report.misses().filter(|a| a.part == part.name).count();
        let _ = write!(out, " {missed} |");
    }
    out.push('\n');
}

fn groups(out: &mut String, report: &Report) {
    out.push_str(
        "\n## By type, form and company\n\nAll questions, under the settings in force. **low** marks a \
         group that falls far below the mean.\n",
    );
    for by in ["type", "form", "company"] {
        let _ = writeln!(
            out,
            "\n| {by} | questions | Hit@10 | MRR@10 | |\n|---|---|---|---|---|"
        );
        for group in report.groups.iter().filter(|g| g.by == by) {
            let Group {
                questions, flagged, ..
            } = group;
            let flag = if *flagged { "**low**" } else { "" };
            let _ = writeln!(
                out,
                "| {} | {questions} | {} | {} | {flag} |",
                group.group,
                share(group.hit10),
                share(group.mrr10)
            );
        }
    }
}

fn problems(out: &mut String, report: &Report) {
    if report.problems.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n## Left out\n\n{} lines of the question files could not be used:\n",
        report.problems.len()
    );
    for problem in &report.problems {
        let _ = writeln!(out, "- {problem}");
    }
}

/// `0.840`
pub fn share(value: f64) -> String {
    format!("{value:.3}")
}

/// After a difference whose interval is clear of zero.
pub const STAR: &str = "] *";
/// What it means.
pub const STAR_MEANS: &str = "* the 95 % interval of the difference leaves out zero: hardly chance";

/// Of fewer questions than this no interval is told: drawn again, they are the same few.
const ENOUGH: usize = 5;

/// `0.840 [0.760, 0.910]`: a mean with the interval a summary has of it; the mean alone of a few questions.
pub fn mean_in(mean: f64, summary: &Summary, name: &str) -> String {
    match summary.intervals.get(name) {
        Some([low, high]) if summary.questions >= ENOUGH => {
            format!("{} [{}, {}]", share(mean), share(*low), share(*high))
        }
        _ => share(mean),
    }
}

/// `+0.040 [-0.010, +0.090]`, with a star when the interval is clear of zero; the difference alone of a
/// few questions.
pub fn difference(interval: &Interval, questions: usize) -> String {
    if questions < ENOUGH {
        return format!("{:+.3}", interval.mean);
    }
    let end = if interval.clear_of_zero() { STAR } else { "]" };
    format!(
        "{:+.3} [{:+.3}, {:+.3}{end}",
        interval.mean, interval.low, interval.high
    )
}

/// `won q1, q2; lost q3`, or nothing.
pub fn won_and_lost(change: &Change) -> String {
    let list = |word: &str, ids: &[String]| {
        (!ids.is_empty()).then(|| format!("{word} {}", ids.join(", ")))
    };
    [list("won", &change.won), list("lost", &change.lost)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_questions_have_no_interval_and_no_star() {
        let sure = Interval {
            mean: 1.0,
            low: 1.0,
            high: 1.0,
        };
        assert_eq!(difference(&sure, 1), "+1.000");
        assert_eq!(difference(&sure, 5), "+1.000 [+1.000, +1.000] *");
        let mut summary = Summary {
            questions: 4,
            ..Summary::default()
        };
        summary.intervals.insert("hit@10".into(), [0.5, 1.0]);
        assert_eq!(mean_in(0.75, &summary, "hit@10"), "0.750");
        let mut table = String::new();
        measures(&mut table, &summary);
        assert!(!table.contains('['), "{table}");
        summary.questions = 5;
        assert_eq!(mean_in(0.75, &summary, "hit@10"), "0.750 [0.500, 1.000]");
    }
}
