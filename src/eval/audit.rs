//! Is the page text good enough to search?
//!
//! For every labelled page whose set brings the text of the whole page: of the label's words, how
//! many our text has (term recall), and the harmonic mean of that and the share of our words the
//! label has (token F1, as in SQuAD; Rajpurkar et al. 2016). Words are those of the one analyzer
//! before stemming, counted with their repetitions; means are over pages. FinanceBench's own
//! labels hold glued words, so that no extractor reaches 1: pdftotext, PDFium and ours all stand
//! at 0.977 and 0.963 on 74 of its filings by words between spaces and marks.

use std::collections::{BTreeSet, HashMap};

use anyhow::Result;
use rayon::prelude::*;
use serde::Serialize;

use super::metrics::percentile;
use super::questions::Question;
use crate::library::{Library, PageId, PageQuality};
use crate::text;

/// What to look at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Largest record a page may become, in UTF-8 bytes.
    pub limit_bytes: Option<usize>,
    /// Bytes of it that something else takes (a title, an address).
    pub prefix_bytes: usize,
}

/// The text of a library against its labels.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Audit {
    /// Mean over the labelled pages; absent when no set brings page text.
    pub term_recall: Option<f64>,
    /// Mean over the labelled pages.
    pub token_f1: Option<f64>,
    /// The labelled pages, worst F1 first.
    pub labelled: Vec<LabelledPage>,
    /// Pages in the library.
    pub pages: usize,
    /// Pages with (next to) no text.
    pub empty: usize,
    /// Pages whose text is no language.
    pub garbage: usize,
    /// Share of the pages that are either.
    pub bad_share: f64,
    /// Filings with such pages, most first: name, empty, garbage.
    pub bad_filings: Vec<(String, usize, usize)>,
    /// Page lengths in characters.
    pub characters: Distribution,
    /// Page lengths in UTF-8 bytes.
    pub bytes: Distribution,
    /// What a record limit would do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// Page files that cannot be read.
    pub problems: Vec<String>,
}

/// One labelled page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelledPage {
    /// The first question it is a label of.
    pub question: String,
    /// Its filing.
    pub doc_name: String,
    /// 1-based PDF page.
    pub page: u32,
    /// Share of the label's words our text has.
    pub term_recall: f64,
    /// See the module.
    pub token_f1: f64,
}

/// How a length is distributed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Distribution {
    /// Smallest.
    pub min: u64,
    /// 5th percentile, nearest rank.
    pub p5: u64,
    /// Median.
    pub p50: u64,
    /// 95th percentile.
    pub p95: u64,
    /// 99th percentile.
    pub p99: u64,
    /// Largest.
    pub max: u64,
    /// Mean.
    pub mean: f64,
}

/// What a record limit would do to the pages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// The limit.
    pub limit_bytes: usize,
    /// Bytes of it left for the text.
    pub text_bytes: usize,
    /// Pages that would exceed it, largest first: filing, 1-based page, bytes, bytes kept.
    pub over: Vec<(String, u32, usize, usize)>,
    /// Share of the bytes of all pages that trimming keeps.
    pub bytes_kept: f64,
    /// Share of the words of all pages that trimming keeps.
    pub terms_kept: f64,
    /// Share of the words of the pages over the limit that trimming keeps; 1 when none is.
    pub terms_kept_of_trimmed: f64,
}

/// Audits the library against the labels of the questions.
pub fn audit(library: &Library, questions: &[Question], options: Options) -> Result<Audit> {
    let mut audit = Audit::default();
    label_pages(library, questions, &mut audit);

    let filings: Vec<u32> = (0..library.filings().len() as u32).collect();
    let looked: Vec<Result<Looked, String>> = filings
        .par_iter()
        .map(|&filing| look(library, filing, options).map_err(|error| error.to_string()))
        .collect();
    let mut all = Looked::default();
    for (filing, looked) in filings.iter().zip(looked) {
        match looked {
            Ok(looked) => {
                if looked.empty + looked.garbage > 0 {
                    let name = library.filing(*filing).doc_name.clone();
                    audit.bad_filings.push((name, looked.empty, looked.garbage));
                }
                all.add(looked);
            }
            Err(problem) => audit.problems.push(problem),
        }
    }
    audit
        .bad_filings
        .sort_by_key(|(name, empty, garbage)| (std::cmp::Reverse(empty + garbage), name.clone()));
    audit.pages = all.bytes.len();
    audit.empty = all.empty;
    audit.garbage = all.garbage;
    audit.bad_share = share(all.empty + all.garbage, audit.pages);
    audit.characters = distribution(&all.characters);
    audit.limit = options.limit_bytes.map(|limit_bytes| {
        let total: u64 = all.bytes.iter().sum();
        let lost: usize = all.over.iter().map(|page| page.2 - page.3).sum();
        all.over
            .sort_by(|a, b| b.2.cmp(&a.2).then_with(|| (&a.0, a.1).cmp(&(&b.0, b.1))));
        let terms_lost = all.terms_over - all.terms_over_kept;
        Limit {
            limit_bytes,
            text_bytes: limit_bytes.saturating_sub(options.prefix_bytes),
            bytes_kept: 1.0 - share(lost, total as usize),
            terms_kept: 1.0 - share(terms_lost, all.terms),
            terms_kept_of_trimmed: 1.0 - share(terms_lost, all.terms_over),
            over: std::mem::take(&mut all.over),
        }
    });
    audit.bytes = distribution(&all.bytes);
    Ok(audit)
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn label_pages(library: &Library, questions: &[Question], audit: &mut Audit) {
    let mut seen = BTreeSet::new();
    for question in questions {
        let Some(filing) = library.find(&question.doc_name) else {
            continue;
        };
        for evidence in &question.evidence {
            let page = PageId {
                filing,
                page: evidence.page,
            };
            if evidence.full_page_text.is_empty() || !seen.insert(page) {
                continue;
            }
            let ours = match library.page(page) {
                Ok(page) => page.text,
                Err(error) => {
                    audit.problems.push(error.to_string());
                    continue;
                }
            };
            let (term_recall, token_f1) = overlap(&evidence.full_page_text, &ours);
            audit.labelled.push(LabelledPage {
                question: question.id.clone(),
                doc_name: question.doc_name.clone(),
                page: evidence.page + 1,
                term_recall,
                token_f1,
            });
        }
    }
    let n = audit.labelled.len() as f64;
    let mean = |of: fn(&LabelledPage) -> f64, pages: &[LabelledPage]| {
        (!pages.is_empty()).then(|| pages.iter().map(of).sum::<f64>() / n)
    };
    audit.term_recall = mean(|page| page.term_recall, &audit.labelled);
    audit.token_f1 = mean(|page| page.token_f1, &audit.labelled);
    audit
        .labelled
        .sort_by(|a, b| a.token_f1.total_cmp(&b.token_f1));
}

/// Term recall and token F1 of `ours` against the label's text.
pub fn overlap(label: &str, ours: &str) -> (f64, f64) {
    let count = |text: &str| {
        let mut counts: HashMap<String, i64> = HashMap::new();
        let mut total = 0usize;
        text::scan(&text::normalise(text), |raw, _| {
            *counts.entry(raw.to_string()).or_default() += 1;
            total += 1;
        });
        (counts, total)
    };
    let (label, label_total) = count(label);
    let (ours, our_total) = count(ours);
    if label_total == 0 && our_total == 0 {
        return (1.0, 1.0);
    }
    let shared: i64 = label
        .iter()
        .map(|(word, &n)| n.min(ours.get(word).copied().unwrap_or(0)))
        .sum();
    let shared = shared as usize;
    (
        if label_total == 0 {
            1.0
        } else {
            share(shared, label_total)
        },
        share(2 * shared, label_total + our_total),
    )
}

/// What is counted over the pages of one filing, then of all.
#[derive(Default)]
struct Looked {
    empty: usize,
    garbage: usize,
    characters: Vec<u64>,
    bytes: Vec<u64>,
    over: Vec<(String, u32, usize, usize)>,
    terms: usize,
    terms_over: usize,
    terms_over_kept: usize,
}

impl Looked {
    fn add(&mut self, mut other: Looked) {
        self.empty += other.empty;
        self.garbage += other.garbage;
        self.characters.append(&mut other.characters);
        self.bytes.append(&mut other.bytes);
        self.over.append(&mut other.over);
        self.terms += other.terms;
        self.terms_over += other.terms_over;
        self.terms_over_kept += other.terms_over_kept;
    }
}

fn look(library: &Library, filing: u32, options: Options) -> Result<Looked> {
    let file = library.page_file(filing)?;
    let mut looked = Looked::default();
    for number in 0..file.pages() {
        let page = file.page(number)?;
        match page.quality {
            PageQuality::Ok => {}
            PageQuality::Empty => looked.empty += 1,
            PageQuality::Garbage => looked.garbage += 1,
        }
        let bytes = page.text.len();
        looked.characters.push(page.text.chars().count() as u64);
        looked.bytes.push(bytes as u64);
        let Some(limit) = options.limit_bytes else {
            continue;
        };
        let terms = count_terms(&page.text);
        looked.terms += terms;
        if options.prefix_bytes + bytes > limit {
            let kept = trim(&page.text, limit.saturating_sub(options.prefix_bytes));
            looked.terms_over += terms;
            looked.terms_over_kept += count_terms(kept);
            let name = library.filing(filing).doc_name.clone();
            looked.over.push((name, number + 1, bytes, kept.len()));
        }
    }
    Ok(looked)
}

fn count_terms(text: &str) -> usize {
    let mut n = 0;
    text::scan(text, |_, _| n += 1);
    n
}

/// The longest beginning of `text` of at most `bytes` bytes that ends with a whole word, without
/// the space after it. A first word that is longer by itself is cut between two characters.
pub fn trim(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let head = &text[..text.floor_char_boundary(bytes)];
    let ends_word = text[head.len()..].starts_with(char::is_whitespace);
    let cut = if ends_word {
        head.len()
    } else {
        head.rfind(char::is_whitespace).unwrap_or(0)
    };
    match head[..cut].trim_end() {
        "" => head.trim_end(),
        whole => whole,
    }
}

fn distribution(values: &[u64]) -> Distribution {
    let at = |p: f64| percentile(values, p);
    Distribution {
        min: at(0.0),
        p5: at(0.05),
        p50: at(0.5),
        p95: at(0.95),
        p99: at(0.99),
        max: at(1.0),
        mean: values.iter().sum::<u64>() as f64 / values.len().max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn overlap_by_hand() {
        // Label: net sales 10 10 (4 words); ours: net sales 10 up today (5 words); shared 3.
        let (recall, f1) = overlap("Net  sales 10 10", "net sales 10 up today");
        assert!((recall - 0.75).abs() < 1e-12);
        assert!((f1 - 6.0 / 9.0).abs() < 1e-12);
        assert_eq!(overlap("", ""), (1.0, 1.0));
        assert_eq!(overlap("one", ""), (0.0, 0.0));
        assert_eq!(overlap("", "one"), (1.0, 0.0));
    }

    #[test]
    fn trimming_by_hand() {
        for (text, bytes, kept) in [
            ("net sales rose", 14, "net sales rose"),
            ("net sales rose", 13, "net sales"),
            ("net sales rose", 9, "net sales"),
            ("net sales rose", 10, "net sales"),
            ("net sales rose", 8, "net"),
            ("net sales rose", 2, "ne"),
            ("net sales rose", 0, ""),
            ("café crème", 4, "caf"),
            ("café crème", 5, "café"),
            ("été été", 6, "été"),
            ("   x", 2, ""),
        ] {
            assert_eq!(trim(text, bytes), kept, "{text:?} at {bytes}");
        }
    }

    #[test]
    fn distributions_by_hand() {
        let values: Vec<u64> = (1..=100).rev().collect();
        let d = distribution(&values);
        assert_eq!(
            (d.min, d.p5, d.p50, d.p95, d.p99, d.max),
            (1, 5, 50, 95, 99, 100)
        );
        assert_eq!(d.mean, 50.5);
        assert_eq!(distribution(&[]), Distribution::default());
    }

    proptest! {
        #[test]
        fn trimmed_text_is_a_beginning_of_whole_words(text in "[a-zé€𝄞 \n]{0,60}", bytes in 0usize..80) {
            let kept = trim(&text, bytes);
            prop_assert!(kept.len() <= bytes.min(text.len()));
            prop_assert!(text.starts_with(kept));
            // Nothing longer would do: the next word does not fit.
            let words: Vec<&str> = text.split_whitespace().collect();
            let kept_words: Vec<&str> = kept.split_whitespace().collect();
            if text.len() > bytes && kept_words.len() > 1 {
                prop_assert_eq!(&words[..kept_words.len()], &kept_words[..]);
            }
        }
    }
}
