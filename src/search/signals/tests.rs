//! Each signal by name, on pages made for it.

use super::super::by_signals::{COVER_TOPIC, RISK_TOPIC};
use super::super::measure::YEAR_BIT;
use super::*;
use crate::index::facts::FIRST_YEAR;
use crate::library::PageId;
use crate::question::Tables;

/// Three pages, two of one filing, as a pass over them might have found them: of the question's two words one
/// stands on two pages, the other on one, as the related word does.
fn measured() -> Measured {
    Measured {
        part_rows: vec![0; 3],
        pages: [(0, 0), (0, 5), (1, 0)]
            .map(|(filing, page)| PageId { filing, page })
            .to_vec(),
        lengths: vec![100; 3],
        terms: 3,
        tf: vec![1, 1, 1, 1, 0, 0, 0, 0, 0],
        in_heading: vec![0b01, 0b11, 0],
        running: vec![0b10, 0, 0b01],
        phrase_count: 2,
        phrases: vec![2, 0, 1, 1, 0, 1],
        heading_phrases: vec![1, 0, 3, 0, 0, 2],
        pair_count: 1,
        pairs: vec![2, 1, 0],
        blocks: vec![0b011 | 1 << YEAR_BIT, 0b001, 0],
        block_starts: vec![0, 1, 2, 3],
    }
}

fn query() -> Query {
    Query {
        own: 2,
        scored: 3,
        pairs: vec![(0, 1)],
        phrases: vec![vec![0, 1], vec![2, 3]],
        exact: vec![0],
        topic: vec![(0, 1.0), (1, 0.5)],
        topic_headings: vec![0],
        soft_headings: vec![1],
        metric: vec![0],
        line_items: vec![vec![0, 1]],
        numbers: vec![0],
        names: vec![1],
        ..Query::default()
    }
}

fn facts() -> [PageFacts; 3] {
    let income = |score| {
        let mut statement = [0.0; 3];
        statement[Statement::Income.index()] = score;
        statement
    };
    let years = |years: &[u16]| years.iter().map(|year| 1 << (year - FIRST_YEAR)).sum();
    [
        PageFacts {
            years: years(&[2022]),
            statement: income(2.0),
            number_lines: 0.5,
            density: 0.25,
            flags: flag::CONTENTS,
            ..PageFacts::default()
        },
        PageFacts {
            years: years(&[2021, 2022]),
            // More than any page counts for.
            statement: income(3.0),
            number_lines: 0.5,
            density: 0.9,
            flags: flag::COVER,
            amounts: 7,
            ..PageFacts::default()
        },
        PageFacts {
            statement: income(1.0),
            flags: flag::EXHIBITS | flag::SIGNATURES,
            ..PageFacts::default()
        },
    ]
}

fn context<'a>(query: &'a Query, measured: &'a Measured, facts: &'a [PageFacts]) -> Context<'a> {
    Context {
        query,
        measured,
        facts,
        filing_score: &[0.0, 0.0, -1.5],
        form: &[Form::Earnings, Form::Earnings, Form::EightK],
        fiscal_year: &[Some(2022), Some(2020), None],
        year: None,
        section: &[Section::Mda, Section::Risks, Section::Other],
        cover_asked: false,
        risks_asked: false,
        corpus_idf: &[3.0, 1.0],
        average_length: 100.0,
        dense: None,
    }
}

/// What the text says, whatever is asked for: the words' idf is `ln 1.6` and `ln 8/3` (2 and 1 of 3 pages).
fn of_text() -> Vec<(Signal, [f64; 3])> {
    let (common, rare) = (1.6f64.ln(), (8.0f64 / 3.0).ln());
    let both = common + rare;
    let twice = 1.0 + 0.5 * 2f64.ln();
    vec![
        (Signal::Bm25Corpus, [1.0, 0.75, 0.0]),
        (Signal::Bm25Scope, [1.0, common / both, 0.0]),
        (Signal::Related, [1.0, 0.0, 0.0]),
        (Signal::Passage, [1.0, 0.6 * common / both, 0.0]),
        (Signal::Pairs, [1.0, 0.8, 0.0]),
        (Signal::Exact, [1.0, 1.0 / twice, 0.0]),
        (Signal::Topics, [twice / 1.5, 1.0, 0.5 / 1.5]),
        (Signal::TopicHeadings, [1.0 / 3.0, 1.0, 0.0]),
        (Signal::NearHeadings, [0.0, 0.0, 1.0]),
        (Signal::Names, [1.0, 0.0, 0.0]),
        (Signal::Headings, [common / both, 1.0, 0.0]),
        (Signal::Running, [1.0, 0.0, common / rare]),
        (Signal::Metric, [1.0, 1.0 / twice, 0.0]),
        // The third page has no rows of figures.
        (Signal::LineItems, [0.5, 1.0, 0.0]),
        (Signal::Numbers, [1.0, 1.0, 0.0]),
        (Signal::Filing, [0.0, 0.0, -1.5]),
        (Signal::Contents, [1.0, 0.0, 0.0]),
        (Signal::Exhibits, [0.0, 0.0, 1.0]),
        (Signal::Signatures, [0.0, 0.0, 1.0]),
        (Signal::EarlyRelease, [1.0, 0.0, 0.0]),
        (Signal::Early8k, [0.0, 0.0, 1.0]),
    ]
}

/// Every signal has the value expected, and those that are not expected say nothing.
fn check(context: &Context<'_>, expected: &[(Signal, [f64; 3])]) {
    let found = values(context);
    for &signal in SIGNALS {
        let want = expected.iter().find(|(name, _)| *name == signal);
        let want = want.map_or([0.0; 3], |(_, want)| *want);
        for (page, (values, want)) in found.iter().zip(want).enumerate() {
            let value = values[signal as usize];
            assert!(
                (value - want).abs() < 1e-6,
                "{}, page {page}: {value}, expected {want}",
                signal.name()
            );
        }
    }
}

#[test]
fn values_where_a_metric_of_a_year_is_asked_for() {
    let query = Query {
        implied: vec![Statement::Income],
        lean: Some(Lean::Tables),
        ..query()
    };
    let (measured, facts) = (measured(), facts());
    let context = Context {
        year: Some(2022),
        ..context(&query, &measured, &facts)
    };
    let mut expected = of_text();
    expected.extend([
        (Signal::StatementImplied, [2.0, 2.6, 1.0]),
        // The best of the other filing is none.
        (Signal::BestImplied, [0.0, 1.0, 0.0]),
        (Signal::DensityImplied, [0.25, 0.4, 0.0]),
        (Signal::Year, [1.0, 1.0, 0.0]),
        (Signal::YearBefore, [0.0, 1.0, 0.0]),
        (Signal::Cover, [0.0, 1.0, 0.0]),
        (Signal::MdaForMetric, [1.0, 0.0, 0.0]),
        (Signal::RisksUnasked, [0.0, 1.0, 0.0]),
    ]);
    check(&context, &expected);
}

#[test]
fn values_where_prose_of_no_year_is_asked_for() {
    let query = Query {
        named: vec![Statement::Income],
        implied: vec![Statement::Income],
        lean: Some(Lean::Prose),
        asks_sum: true,
        ..query()
    };
    let (measured, facts) = (measured(), facts());
    let context = Context {
        cover_asked: true,
        risks_asked: true,
        dense: Some(&[0.1, 0.2, 0.3]),
        ..context(&query, &measured, &facts)
    };
    let mut expected = of_text();
    expected.extend([
        (Signal::StatementNamed, [2.0, 2.6, 1.0]),
        (Signal::BestNamed, [0.0, 1.0, 0.0]),
        (Signal::DensityNarrative, [0.25, 0.4, 0.0]),
        (Signal::Amounts, [0.0, 8f64.ln(), 0.0]),
        (Signal::Recency, [0.0, -2.0 / 3.0, 0.0]),
        (Signal::CoverAsked, [0.0, 1.0, 0.0]),
        (Signal::Dense, [0.1, 0.2, 0.3]),
    ]);
    check(&context, &expected);
}

#[test]
fn the_topics_that_signals_know_are_in_the_tables() {
    for topic in [COVER_TOPIC, RISK_TOPIC] {
        assert!(Tables::builtin().topic(topic).is_some(), "{topic}");
    }
}
