//! The signals: small named functions of question and page, and their weighted sum.
//!
//! A signal's value is 0 where it says nothing. Text signals are divided by the best page's value,
//! so that their weights mean the same for every question. Weights are fitted (`tenleaf fit`) and
//! live in `assets/weights.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lifts::Lifts;
use super::measure::Measured;
use super::query::Query;
use crate::index::bm25;
use crate::index::facts::{PageFacts, STATEMENT_SCORE, flag};
use crate::library::Form;
use crate::question::{Lean, Statement};

macro_rules! signals {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal, $sign:literal, $words:literal;)*) => {
        /// A signal, by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Signal { $($(#[doc = $doc])+ $name),* }

        /// Every signal, in the order of a page's values.
        pub const SIGNALS: &[Signal] = &[$(Signal::$name),*];

        impl Signal {
            /// Name in weights, JSON and tables.
            pub fn name(self) -> &'static str {
                match self { $(Signal::$name => $text),* }
            }

            /// 1 where more of it can only speak for a page, -1 where only against it.
            pub fn sign(self) -> f64 {
                match self { $(Signal::$name => f64::from($sign)),* }
            }

            /// What it says, for a person.
            pub fn words(self) -> &'static str {
                match self { $(Signal::$name => $words),* }
            }
        }
    };
}

signals! {
    /// BM25 with document frequencies of the whole library.
    Bm25Corpus = "bm25_corpus", 1, "words of the question, rare in the library";
    /// BM25 with document frequencies of the pages in scope.
    Bm25Scope = "bm25_scope", 1, "words of the question, rare in these filings";
    /// BM25 over related words, from topics and metrics.
    Related = "related_words", 1, "related words";
    /// Best passage of about 60 words, full weight when the year asked for stands in it.
    Passage = "passage", 1, "a passage with the question's words";
    /// Pairs of words side by side as in the question.
    Pairs = "word_pairs", 1, "words side by side as in the question";
    /// Three to five words in a row as in the question.
    Exact = "exact_phrases", 1, "whole phrases of the question";
    /// Phrases of the topics: triggered, and near in meaning by less.
    Topics = "topic_phrases", 1, "speaks of the topic";
    /// Headings of the topics triggered.
    TopicHeadings = "topic_headings", 1, "heading on the topic";
    /// Headings of topics near in meaning.
    NearHeadings = "near_topic_headings", 1, "heading on a topic near in meaning";
    /// Names in the question (capitalised, not the company's) on the page.
    Names = "proper_names", 1, "names in the question";
    /// Words of the question in headings.
    Headings = "headings", 1, "words of the question in a heading";
    /// Words of the question in running titles.
    Running = "running_titles", 1, "words of the question in the section's title";
    /// Phrases that name the metric itself.
    Metric = "metric_phrases", 1, "names the metric";
    /// Line items of the metric, on a page with rows of figures.
    LineItems = "line_items", 1, "line items of the metric";
    /// How much the page is a statement named in the question.
    StatementNamed = "statement_named", 1, "the statement named";
    /// How much the page is a statement that a metric implies.
    StatementImplied = "statement_implied", 1, "a statement that holds the metric's inputs";
    /// The page that is most that statement in its filing, when named.
    BestNamed = "statement_named_best", 1, "the filing's best page of the statement named";
    /// The page that is most that statement in its filing, when implied.
    BestImplied = "statement_implied_best", 1, "the filing's best page of the statement implied";
    /// Density of figures, when a metric is asked for.
    DensityImplied = "density_for_metric", 1, "dense with figures, as a metric asks for";
    /// Density of figures, when words are asked for.
    DensityNarrative = "density_for_prose", -1, "more figures than prose";
    /// Amounts of money, when a sum is asked for and no metric (logarithm of their number).
    Amounts = "amounts_for_sum", 1, "amounts of money, as a sum is asked for";
    /// The year asked for stands on the page.
    Year = "year_on_page", 1, "the year asked for is on the page";
    /// The year before stands on the page.
    YearBefore = "year_before_on_page", 1, "the year before is on the page";
    /// Numbers of the question on the page.
    Numbers = "numbers", 1, "a number of the question";
    /// How well the filing fits the period, form and date asked for.
    Filing = "filing", 1, "how well the filing fits";
    /// How recent the filing is, when no year is asked for.
    Recency = "recency", 1, "how recent the filing is";
    /// Contents pages and indexes.
    Contents = "contents_page", -1, "a contents page or index";
    /// A cover page, when registered securities are asked for.
    CoverAsked = "cover_asked", 1, "the cover, which lists registered securities";
    /// A cover page otherwise.
    Cover = "cover_page", -1, "a cover page";
    /// Exhibit lists.
    Exhibits = "exhibit_list", -1, "a list of exhibits";
    /// Signature pages.
    Signatures = "signature_page", -1, "a signature page";
    /// Pages of the MD&A, when a metric is asked for.
    MdaForMetric = "mda_for_metric", 1, "in the MD&A, where metrics are discussed";
    /// Pages of the risk factors, when no risk is asked for.
    RisksUnasked = "risk_factors_unasked", -1, "in the risk factors, which are not asked for";
    /// First four pages of an earnings release.
    EarlyRelease = "early_release_page", 1, "one of a release's first pages";
    /// First four pages of an 8-K.
    Early8k = "early_8k_page", 1, "one of an 8-K's first pages";
    /// Similarity in meaning by MiniLM, where there are vectors.
    Dense = "dense", 1, "near in meaning";
}

/// Number of signals.
pub const COUNT: usize = SIGNALS.len();

/// A page's values, in the order of [`SIGNALS`].
pub type Values = [f64; COUNT];

/// Weight of the similarity in meaning (in shares of the best page's) in the hybrid: beside the signals, of whose fitted
/// weights it is none, and beside the words' share of 1 where signals are off. Chosen on dev and tuning questions
/// among 0.5 to 8 and 0.25 to 2, and against reciprocal rank fusion (see docs/MINILM.md).
pub(super) const MEANING_WEIGHT: f64 = 2.0;

/// Fitted weights, with what they reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// Signal name -> weight; a signal that is missing has none.
    pub weights: BTreeMap<String, f64>,
    /// What rules add beside them; not fitted.
    pub lifts: Lifts,
    /// How they were fitted and what they reached: for the reader, not for the program.
    #[serde(default)]
    pub fitted: serde_json::Value,
}

impl Weights {
    /// The weights the program ships.
    pub fn builtin() -> Weights {
        serde_json::from_str(include_str!("../../assets/weights.json"))
            .expect("assets/weights.json is valid: a test reads it")
    }

    /// As a vector in the order of [`SIGNALS`].
    pub fn vector(&self) -> Values {
        std::array::from_fn(|n| {
            let weight = self.weights.get(SIGNALS[n].name()).copied();
            weight.unwrap_or(match SIGNALS[n] {
                Signal::Dense => MEANING_WEIGHT,
                _ => 0.0,
            })
        })
    }
}

/// Parts of a report that signals tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Item 7 of a 10-K, Item 2 of a 10-Q.
    Mda,
    /// Item 1A.
    Risks,
    /// Any other, or none known.
    Other,
}

/// What the values are computed from besides the text.
pub struct Context<'a> {
    /// The query.
    pub query: &'a Query,
    /// What the pass found.
    pub measured: &'a Measured,
    /// Facts of each page, in the order of `measured.pages`.
    pub facts: &'a [PageFacts],
    /// Score of each page's filing: 0 for the best, below for others.
    pub filing_score: &'a [f64],
    /// Form of each page's filing.
    pub form: &'a [Form],
    /// Fiscal year of each page's filing.
    pub fiscal_year: &'a [Option<u16>],
    /// The year asked for.
    pub year: Option<u16>,
    /// The part of the report each page stands in.
    pub section: &'a [Section],
    /// Registered securities are asked for.
    pub cover_asked: bool,
    /// Risks are asked for.
    pub risks_asked: bool,
    /// Corpus-wide idf of the question's own terms.
    pub corpus_idf: &'a [f64],
    /// Average page length of the library.
    pub average_length: f64,
    /// Similarity in meaning of each page, where there are vectors.
    pub dense: Option<&'a [f64]>,
}

/// The values of every page.
pub fn values(c: &Context<'_>) -> Vec<Values> {
    let m = c.measured;
    let q = c.query;
    let pages = m.pages.len();
    let df = m.df();
    let idf: Vec<f64> = df.iter().map(|&df| bm25::idf(pages as u64, df)).collect();
    let (own, related) = idf.split_at(q.own.min(idf.len()));
    let average = m.lengths.iter().map(|&n| n as f64).sum::<f64>() / pages.max(1) as f64;
    let mut out = vec![[0.0; COUNT]; pages];
    let mut put = |signal: Signal, values: &[f64]| {
        for (page, &value) in out.iter_mut().zip(values) {
            page[signal as usize] = value;
        }
    };

    put(
        Signal::Bm25Corpus,
        &shares(m.bm25(c.corpus_idf, c.average_length)),
    );
    put(Signal::Bm25Scope, &shares(m.bm25(own, average)));
    put(
        Signal::Related,
        &shares(related_words(m, q.own, related, average)),
    );
    put(Signal::Passage, &shares(passages(m, own, related)));
    put(Signal::Pairs, &shares(word_pairs(m, q.pairs.len())));
    let of_phrases = |list: &[usize]| shares(phrases(m, list, Measured::phrase, damped));
    let of_headings =
        |list: &[usize]| shares(phrases(m, list, Measured::heading_phrase, |count| count));
    put(Signal::Exact, &of_phrases(&q.exact));
    put(Signal::Topics, &shares(weighed(m, &q.topic)));
    put(Signal::TopicHeadings, &of_headings(&q.topic_headings));
    put(Signal::NearHeadings, &of_headings(&q.soft_headings));
    put(Signal::Metric, &of_phrases(&q.metric));
    put(Signal::Names, &shares(rarity(m, &q.names, &df)));
    put(Signal::Headings, &shares(masked(&m.in_heading, own)));
    put(Signal::Running, &shares(masked(&m.running, own)));
    put(Signal::Numbers, &shares(rarity(m, &q.numbers, &df)));

    let leans = |lean| q.lean == Some(lean);
    let best = best_of_filing(c);
    for page in 0..pages {
        let facts = &c.facts[page];
        let v = &mut out[page];
        let statement = |list: &[Statement]| {
            list.iter()
                .map(|s| facts.statement[s.index()].clamp(0.0, 2.6) as f64)
                .fold(0.0, f64::max)
        };
        let is_best = |list: &[Statement]| list.iter().any(|s| best[page][s.index()]) as u8 as f64;
        if !q.named.is_empty() {
            v[Signal::StatementNamed as usize] = statement(&q.named);
            v[Signal::BestNamed as usize] = is_best(&q.named);
        } else if !q.implied.is_empty() {
            v[Signal::StatementImplied as usize] = statement(&q.implied);
            v[Signal::BestImplied as usize] = is_best(&q.implied);
        }
        let density = facts.density.min(0.4) as f64;
        if leans(Lean::Prose) {
            v[Signal::DensityNarrative as usize] = density;
        } else if leans(Lean::Tables) && q.named.is_empty() {
            v[Signal::DensityImplied as usize] = density;
        }
        if q.asks_sum {
            v[Signal::Amounts as usize] = f64::from(facts.amounts).ln_1p();
        }
        if facts.number_lines > 0.25 {
            v[Signal::LineItems as usize] = line_items(m, &q.line_items, page);
        }
        if let Some(year) = c.year {
            v[Signal::Year as usize] = facts.has_year(year) as u8 as f64;
            v[Signal::YearBefore as usize] = facts.has_year(year.saturating_sub(1)) as u8 as f64;
        }
        v[Signal::Filing as usize] = c.filing_score[page];
        let on = |f: u32| facts.is(f) as u8 as f64;
        v[Signal::Contents as usize] = on(flag::CONTENTS);
        let cover = if c.cover_asked {
            Signal::CoverAsked
        } else {
            Signal::Cover
        };
        v[cover as usize] = on(flag::COVER);
        v[Signal::Exhibits as usize] = on(flag::EXHIBITS);
        v[Signal::Signatures as usize] = on(flag::SIGNATURES);
        let section = c.section[page];
        v[Signal::MdaForMetric as usize] =
            (section == Section::Mda && !q.implied.is_empty() && q.named.is_empty()) as u8 as f64;
        v[Signal::RisksUnasked as usize] =
            (section == Section::Risks && !c.risks_asked) as u8 as f64;
        let early = m.pages[page].page < 4;
        v[Signal::EarlyRelease as usize] = (c.form[page] == Form::Earnings && early) as u8 as f64;
        v[Signal::Early8k as usize] = (c.form[page] == Form::EightK && early) as u8 as f64;
    }
    if c.year.is_none() {
        recency(c, &mut out);
    }
    if let Some(dense) = c.dense {
        for (page, &value) in out.iter_mut().zip(dense) {
            page[Signal::Dense as usize] = value;
        }
    }
    out
}

/// Divides by the largest; all zero stays so.
fn shares(mut values: Vec<f64>) -> Vec<f64> {
    let most = values.iter().copied().fold(0.0, f64::max);
    if most > 1e-9 {
        values.iter_mut().for_each(|v| *v /= most);
    } else {
        values.fill(0.0);
    }
    values
}

/// BM25 over the scored terms after the first `own`.
fn related_words(m: &Measured, own: usize, idf: &[f64], average: f64) -> Vec<f64> {
    (0..m.pages.len())
        .map(|page| {
            let norm = bm25::norm(m.lengths[page], average);
            idf.iter()
                .zip(&m.tf(page)[own..])
                .filter(|(_, tf)| **tf > 0)
                .map(|(&idf, &tf)| bm25::contribution(idf, tf, norm))
                .sum()
        })
        .collect()
}

/// Related words count 0.3 of the question's own; a passage without the year asked for 0.6.
fn passages(m: &Measured, own: &[f64], related: &[f64]) -> Vec<f64> {
    let weights: Vec<f64> = own
        .iter()
        .copied()
        .chain(related.iter().map(|w| 0.3 * w))
        .collect();
    (0..m.pages.len())
        .map(|page| m.best_window(page, &weights, 0.6))
        .collect()
}

fn word_pairs(m: &Measured, pairs: usize) -> Vec<f64> {
    let mut out = vec![0.0; m.pages.len()];
    for pair in 0..pairs {
        add_rarity(
            &mut out,
            |page| m.pair(page, pair),
            |count| (0.6 + 0.2 * count).min(1.0),
        );
    }
    out
}

fn phrases(
    m: &Measured,
    list: &[usize],
    count: fn(&Measured, usize, usize) -> u16,
    damp: fn(f64) -> f64,
) -> Vec<f64> {
    let mut out = vec![0.0; m.pages.len()];
    for &phrase in list {
        add_rarity(&mut out, |page| count(m, page, phrase), damp);
    }
    out
}

/// Phrases that count more or less.
fn weighed(m: &Measured, list: &[(usize, f64)]) -> Vec<f64> {
    let mut out = vec![0.0; m.pages.len()];
    for &(phrase, weight) in list {
        let count = |page| m.phrase(page, phrase);
        add_rarity(&mut out, count, |count| weight * damped(count));
    }
    out
}

/// Once counts whole, more a little more.
fn damped(count: f64) -> f64 {
    1.0 + 0.5 * count.ln()
}

/// Adds to each page that has it the rarity (idf among the pages) of a thing times its damped count.
fn add_rarity(out: &mut [f64], count: impl Fn(usize) -> u16, damp: impl Fn(f64) -> f64) {
    let pages = out.len();
    let df = (0..pages).filter(|&page| count(page) > 0).count();
    if df == 0 {
        return;
    }
    let idf = bm25::idf(pages as u64, df as u64);
    for (page, out) in out.iter_mut().enumerate() {
        let count = count(page);
        if count > 0 {
            *out += idf * damp(count as f64);
        }
    }
}

/// Sum of the idf of the terms in each page's mask.
fn masked(masks: &[u128], idf: &[f64]) -> Vec<f64> {
    masks
        .iter()
        .map(|mask| {
            let set = idf
                .iter()
                .enumerate()
                .filter(|(term, _)| mask >> term & 1 == 1);
            set.map(|(_, idf)| idf).sum()
        })
        .collect()
}

/// Sum of the idf of these own terms on each page.
fn rarity(m: &Measured, terms: &[u16], df: &[u64]) -> Vec<f64> {
    let pages = m.pages.len();
    (0..pages)
        .map(|page| {
            let on_page = terms.iter().filter(|&&t| m.tf(page)[t as usize] > 0);
            on_page
                .map(|&t| bm25::idf(pages as u64, df[t as usize]))
                .sum()
        })
        .collect()
}

/// Share of each metric's line items on the page, averaged over the metrics.
fn line_items(m: &Measured, metrics: &[Vec<usize>], page: usize) -> f64 {
    if metrics.is_empty() {
        return 0.0;
    }
    let share = |items: &Vec<usize>| {
        let there = items
            .iter()
            .filter(|&&item| m.phrase(page, item) > 0)
            .count();
        there as f64 / items.len().max(1) as f64
    };
    metrics.iter().map(share).sum::<f64>() / metrics.len() as f64
}

/// For each page and statement: is it the page of its filing that is most that statement?
fn best_of_filing(c: &Context<'_>) -> Vec<[bool; 3]> {
    let mut best: BTreeMap<(u32, usize), (f32, usize)> = BTreeMap::new();
    for (at, page) in c.measured.pages.iter().enumerate() {
        for k in 0..3 {
            let score = c.facts[at].statement[k];
            let entry = best.entry((page.filing, k)).or_insert((0.0, at));
            if score > entry.0 {
                *entry = (score, at);
            }
        }
    }
    let mut out = vec![[false; 3]; c.measured.pages.len()];
    for ((_, k), (score, at)) in best {
        if score >= STATEMENT_SCORE {
            out[at][k] = true;
        }
    }
    out
}

/// 0 for the latest fiscal year in scope, a third less for each year before.
fn recency(c: &Context<'_>, out: &mut [Values]) {
    let Some(latest) = c.fiscal_year.iter().flatten().max() else {
        return;
    };
    for (page, year) in out.iter_mut().zip(c.fiscal_year) {
        let behind = year.map_or(0, |year| latest - year);
        page[Signal::Recency as usize] = -(behind as f64) / 3.0;
    }
}

#[cfg(test)]
mod tests;
