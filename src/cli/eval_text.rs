//! What an evaluation found, for a person at a terminal.

use std::fmt::Write as _;

use crate::eval::markdown::{self, STAR, STAR_MEANS, difference, share};
use crate::eval::report::{Report, Row};
use crate::words::count;

/// `3`, or `-` where a page was not found.
pub(super) fn rank(rank: Option<usize>) -> String {
    rank.map_or("-".to_string(), |rank| rank.to_string())
}

/// The report for a person.
pub(super) fn table(report: &Report) -> String {
    let mut out = String::new();
    for part in &report.parts {
        let _ = writeln!(
            out,
            "{} · {}",
            part.name,
            count(part.summary.questions, "question")
        );
        rows(&mut out, &part.ladder);
        let given = Row {
            name: "settings in force".into(),
            retriever: report.settings.retriever,
            summary: part.summary.clone(),
            step: None,
        };
        rows_body(&mut out, &[given]);
        let _ = writeln!(
            out,
            "  company found {} · right filing kept {} · {:.2} filings kept\n",
            share(part.summary.company_found),
            share(part.summary.filing_found),
            part.summary.filings_kept
        );
    }
    if out.contains(STAR) {
        let _ = writeln!(out, "{STAR_MEANS}\n");
    }
    if !report.about.meaning.is_empty() {
        let _ = writeln!(out, "MiniLM: {}\n", report.about.meaning);
    }
    out.push_str(&losses(report));
    let flagged: Vec<String> = report
        .groups
        .iter()
        .filter(|group| group.flagged)
        .map(|g| {
            format!(
                "  {} {}: Hit@10 {} over {}\n",
                g.by,
                g.group,
                share(g.hit10),
                count(g.questions, "question")
            )
        })
        .collect();
    if !flagged.is_empty() {
        let _ = write!(out, "\nFar below the mean\n{}", flagged.concat());
    }
    out
}

fn rows(out: &mut String, rows: &[Row]) {
    out.push_str(
        "                            Hit@1  Hit@3  Hit@5 Hit@10 [95 %]          MRR@10 [95 %]           \
         p50 ms  p95 ms  Hit@10 over the step before\n",
    );
    rows_body(out, rows);
}

fn rows_body(out: &mut String, rows: &[Row]) {
    for row in rows {
        let summary = &row.summary;
        let interval = |name: &str, mean| markdown::mean_in(mean, summary, name);
        let ms = |value: Option<f64>| value.map_or("-".into(), |ms| format!("{ms:.2}"));
        let step = row.step.as_ref().map_or(String::new(), |step| {
            format!(
                "{}  won {}, lost {}",
                difference(&step.hit10, summary.questions),
                step.won.len(),
                step.lost.len()
            )
        });
        let line = format!(
            "  {:<24} {:>6} {:>6} {:>6} {:<22} {:<22} {:>7} {:>7}  {step}",
            row.name,
            share(summary.means.hit1),
            share(summary.means.hit3),
            share(summary.means.hit5),
            interval("hit@10", summary.means.hit10),
            interval("mrr@10", summary.means.mrr10),
            ms(summary.p50_ms),
            ms(summary.p95_ms),
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// The table of "where it loses", one column a part.
pub(super) fn losses(report: &Report) -> String {
    let mut out = format!("{:<58}", "Where it loses");
    for part in &report.parts {
        let _ = write!(out, " {:>8}", part.name);
    }
    out.push('\n');
    let parts: Vec<_> = report
        .parts
        .iter()
        .map(|p| report.losses(Some(&p.name)))
        .collect();
    for (ix, (loss, _)) in report.losses(None).into_iter().enumerate() {
        let _ = write!(out, "  {:<56}", loss.title());
        for counts in &parts {
            let _ = write!(out, " {:>8}", counts[ix].1);
        }
        out.push('\n');
    }
    out
}
