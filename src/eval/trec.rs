//! TREC files: what was ranked (`run`) and what is labelled (`qrels`), for other tools to judge.
//!
//! ```text
//! run     QUESTION Q0 DOC/pPAGE RANK SCORE TAG
//! qrels   QUESTION 0 DOC/pPAGE 1
//! ```
//!
//! PAGE is the 1-based PDF page, QUESTION the question's id, blanks in it as `_`: fields are divided by blanks.

use std::fmt::Write;

use super::questions::Question;
use crate::search::RankedPage;

/// A question's id in TREC files.
pub fn topic(id: &str) -> String {
    id.split_whitespace().collect::<Vec<_>>().join("_")
}

/// Name of a page in TREC files; `page` is 0-based.
pub fn page_name(doc_name: &str, page: u32) -> String {
    format!("{doc_name}/p{}", page + 1)
}

/// Ranked pages as [`push_run`] takes them.
pub fn pages(ranked: &[RankedPage]) -> impl Iterator<Item = (&str, u32, f64)> {
    ranked
        .iter()
        .map(|page| (page.doc_name.as_str(), page.page.page, page.score))
}

/// Appends the lines of one question's ranking: filing, 0-based page and score, best first.
///
/// trec_eval and its kin take the order from the score alone, in single precision, and break ties
/// their own way. So that they see the order we rank in (routed pages first, ties by page), each
/// score is written at most as high as the largest number below the one before it.
pub fn push_run<'a>(
    out: &mut String,
    id: &str,
    ranked: impl Iterator<Item = (&'a str, u32, f64)>,
    tag: &str,
) {
    let (topic, mut ceiling) = (topic(id), f32::INFINITY);
    for (ix, (doc_name, page, score)) in ranked.enumerate() {
        let score = (score as f32).min(ceiling.next_down());
        ceiling = score;
        let page = page_name(doc_name, page);
        let _ = writeln!(out, "{topic} Q0 {page} {} {score:e} {tag}", ix + 1);
    }
}

/// The labels of the questions.
pub fn qrels(questions: &[Question]) -> String {
    let mut out = String::new();
    for question in questions {
        for &page in &question.gold_pages {
            let page = page_name(&question.doc_name, page);
            let _ = writeln!(out, "{} 0 {page} 1", topic(&question.id));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_fall_strictly_whatever_the_ranking() {
        let question = Question {
            id: "q 1".into(),
            text: String::new(),
            doc_name: "A_2020_10K".into(),
            gold_pages: vec![0, 4],
            split: None,
            kind: String::new(),
            company: String::new(),
            answer: String::new(),
            evidence: Vec::new(),
            set: "mine".into(),
        };
        let ranked = [
            ("A_2020_10K", 4, 3.5),
            ("B", 0, 7.25),
            ("C", 1, 7.25),
            ("D", 9, 0.5),
        ];
        let mut out = String::new();
        push_run(&mut out, &question.id, ranked.into_iter(), "tenleaf");
        let rows: Vec<Vec<&str>> = out.lines().map(|l| l.split(' ').collect()).collect();
        assert_eq!(
            rows[0],
            ["q_1", "Q0", "A_2020_10K/p5", "1", "3.5e0", "tenleaf"]
        );
        let scores: Vec<f32> = rows.iter().map(|row| row[4].parse().unwrap()).collect();
        assert!(
            scores.windows(2).all(|pair| pair[0] > pair[1]),
            "{scores:?}"
        );
        assert_eq!(
            qrels(&[question]),
            "q_1 0 A_2020_10K/p1 1\nq_1 0 A_2020_10K/p5 1\n"
        );
    }
}
