//! Reading a question: company, period, form, statement, metric, topic.
//!
//! [`read`] is a pure function of tables, catalog and question. Everything it reads carries the bytes of the
//! question it was read from.

pub mod associations;
mod companies;
mod periods;
mod plain;
mod reading;
mod tables;
#[cfg(test)]
mod tests;
mod triggers;
mod unknown;

use std::sync::LazyLock;

use regex::Regex;

use plain::{blank, plain, whole_chars};
pub use reading::*;
pub use tables::*;
pub use unknown::{compared_names, near_names, unknown_names};

/// "Item 7", "Items 7 and 7A". Items of an 8-K have two numbers ("Item 5.02") and are none.
static ITEMS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bitems?\s+([0-9]+[a-z]?(?:\.[0-9]+)?(?:(?:\s*,\s*|\s*&\s*|\s+and\s+|\s*,\s*and\s+|\s+or\s+)[0-9]+[a-z]?(?:\.[0-9]+)?)*)\b")
        .expect("a pattern")
});
/// One of [`ITEMS`].
static ITEM: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[0-9]+[a-z]?(?:\.[0-9]+)?").expect("a pattern"));
/// An Item of a 10-K or a 10-Q.
static ITEM_OF_REPORT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(1[0-6]|[1-9][abc]?)$").expect("a pattern"));

/// Weight of a topic that no trigger reads, were it as near in meaning as the nearest; it falls with the square of
/// the nearness. From 0.2 to 0.5 it makes no difference on dev and tuning questions.
const SOFT_TOPIC: f32 = 0.3;
/// Topics of less weight are left out.
const LEAST_WEIGHT: f32 = 0.01;

/// Reads a question. `catalog_companies` are the companies of the library by catalog name; only they are found.
pub fn read(tables: &Tables, catalog_companies: &[String], question: &str) -> Reading {
    let mut reading = Reading {
        companies: tables
            .names(catalog_companies)
            .read(question, &|word| tables.is_ordinary(word)),
        ..Reading::default()
    };
    let plain = plain(&without_names(question, &reading));
    reading.boilerplate = boilerplate(tables, &plain);
    let plain = without_boilerplate(&plain, &reading);
    read_triggers(tables, &plain, &mut reading);
    periods::read(&plain, &mut reading);
    read_items(&plain, &mut reading);
    read_soft_topics(tables, question, &mut reading);
    for span in spans_of(&mut reading) {
        *span = whole_chars(question, span.clone());
    }
    reading
}

/// The question with the companies' names and their possessives overwritten by spaces, so that every other byte
/// keeps its offset. Names of products and subsidiaries stay.
pub fn without_names(question: &str, reading: &Reading) -> String {
    let named = reading.companies.iter().filter(|mention| !mention.brand);
    let spans: Vec<Span> = named
        .map(|mention| {
            let after = question.get(mention.span.end..).unwrap_or("");
            let possessive = ["'s", "\u{2019}s", "'", "\u{2019}", "s"]
                .into_iter()
                .find(|end| {
                    after
                        .strip_prefix(end)
                        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
                });
            mention.span.start..mention.span.end + possessive.map_or(0, str::len)
        })
        .collect();
    blank(question, &spans)
}

/// A text of the question's length ([`without_names`], say) with its instructions to the reader overwritten by
/// spaces.
pub fn without_boilerplate(text: &str, reading: &Reading) -> String {
    blank(text, &reading.boilerplate)
}

/// Instructions to the reader. They are found first and say nothing else: "explain why" asks for no drivers.
fn boilerplate(tables: &Tables, plain: &str) -> Vec<Span> {
    let mut spans: Vec<Span> = tables
        .matches(plain)
        .filter(|(_, at)| at.kind == TableKind::Boilerplate)
        .flat_map(|(trigger, _)| tables.spans(trigger, plain))
        .collect();
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    spans.dedup_by(|next, kept| next.end <= kept.end);
    spans
}

fn read_triggers(tables: &Tables, plain: &str, reading: &mut Reading) {
    let mut implied: Vec<StatementMention> = Vec::new();
    let mut dealt_with: Vec<Span> = Vec::new();
    for (trigger, at) in tables.matches(plain) {
        let spans = tables.spans(trigger, plain);
        let Some(first) = spans.first().cloned() else {
            continue;
        };
        match at.kind {
            TableKind::Statement => {
                let statement = tables.statements[at.entry].statement;
                reading
                    .statements
                    .extend(spans.into_iter().map(|span| StatementMention {
                        statement,
                        named: true,
                        span,
                    }));
            }
            TableKind::Metric => {
                let metric = &tables.metrics[at.entry];
                let known = reading.metrics.iter_mut();
                if let Some(read) = { known }.find(|read| read.metric == metric.id) {
                    // The longest of its names that stand at that place: "total revenue".
                    let longer = spans.into_iter().find(|span| {
                        let overlaps = span.start < read.span.end && read.span.start < span.end;
                        overlaps && span.len() > read.span.len()
                    });
                    read.span = longer.unwrap_or(read.span.clone());
                    continue;
                }
                for &statement in &metric.statements {
                    if !implied.iter().any(|mention| mention.statement == statement) {
                        implied.push(StatementMention {
                            statement,
                            named: false,
                            span: first.clone(),
                        });
                    }
                }
                reading.metrics.push(MetricMention {
                    metric: metric.id.clone(),
                    span: first,
                    statements: metric.statements.clone(),
                });
            }
            TableKind::Topic => {
                let topic = &tables.topics[at.entry].id;
                if !reading.topics.iter().any(|read| read.topic == *topic) {
                    reading.topics.push(TopicMention {
                        topic: topic.clone(),
                        span: first,
                        weight: 1.0,
                    });
                }
            }
            TableKind::Item => reading.items.push(ItemMention {
                item: tables.items[at.entry].item.clone(),
                span: first,
            }),
            TableKind::Form => {
                let form = tables.forms[at.entry].form;
                reading
                    .forms
                    .extend(spans.into_iter().map(|span| FormMention { form, span }));
            }
            TableKind::Outlook => reading.outlook.extend(spans),
            TableKind::Why => reading.why.extend(spans),
            TableKind::Sums => reading.sums.extend(spans),
            TableKind::Quarters => reading.quarterly.extend(spans),
            TableKind::LatestQuarter => reading.latest_quarter.extend(spans),
            TableKind::LatestYear => reading.latest_year.extend(spans),
            TableKind::Fiscal => reading.fiscal.extend(spans),
            TableKind::DealtWith => dealt_with.extend(spans),
            TableKind::Boilerplate => {}
        }
    }
    set_aside_dealt_with(plain, &dealt_with, reading);
    // One mention where two triggers read the same words.
    reading
        .statements
        .sort_by_key(|mention| (mention.span.start, std::cmp::Reverse(mention.span.end)));
    reading
        .statements
        .dedup_by(|next, kept| next.statement == kept.statement && next.span.start < kept.span.end);
    reading.statements.extend(implied);
    reading
        .forms
        .sort_by_key(|mention| (mention.span.start, std::cmp::Reverse(mention.span.end)));
    reading
        .forms
        .dedup_by(|next, kept| next.form == kept.form && next.span.start < kept.span.end);
    reading.metrics.sort_by_key(|mention| mention.span.start);
    reading.topics.sort_by_key(|mention| mention.span.start);
    for spans in [
        &mut reading.outlook,
        &mut reading.why,
        &mut reading.sums,
        &mut reading.quarterly,
        &mut reading.fiscal,
    ] {
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        spans.dedup_by(|next, kept| next.end <= kept.end);
    }
}

/// Companies that another one deals with: asked how much Kraft Heinz sells to Walmart, Walmart's own filings say nothing.
/// `words` are the words before such a company; the names are blank in `plain`.
fn set_aside_dealt_with(plain: &str, words: &[Span], reading: &mut Reading) {
    let after_words = |mention: &CompanyMention| {
        let mut words = words.iter();
        words.any(|span| {
            let between = plain.get(span.end..mention.span.start);
            between.is_some_and(|between| between.trim().is_empty())
        })
    };
    let companies = reading.companies.clone().into_iter();
    let (dealt_with, asked): (Vec<_>, Vec<_>) = companies.partition(after_words);
    if !asked.is_empty() {
        reading.companies = asked;
        reading.dealt_with = dealt_with;
    }
}

/// Topics near in meaning beside those triggered: what the question's words go with.
fn read_soft_topics(tables: &Tables, question: &str, reading: &mut Reading) {
    let text = without_boilerplate(&without_names(question, reading), reading);
    let near = tables.nearest_topics(&text);
    let nearest = near.first().map_or(0.0, |(_, strength)| *strength);
    for (topic, strength) in near {
        let weight = SOFT_TOPIC * ((strength / nearest) as f32).powi(2);
        let triggered = reading.topics.iter().any(|mention| mention.topic == topic);
        if !triggered && weight >= LEAST_WEIGHT {
            reading.topics.push(TopicMention {
                topic,
                span: 0..0,
                weight,
            });
        }
    }
}

fn read_items(plain: &str, reading: &mut Reading) {
    for caps in ITEMS.captures_iter(plain) {
        let list = caps.get(1).expect("the list");
        for item in ITEM.find_iter(list.as_str()) {
            // The first is marked with the word "Item" before it.
            let start = match item.start() {
                0 => caps.get(0).expect("the match").start(),
                start => list.start() + start,
            };
            if ITEM_OF_REPORT.is_match(item.as_str()) {
                reading.items.push(ItemMention {
                    item: item.as_str().to_uppercase(),
                    span: start..list.start() + item.end(),
                });
            }
        }
    }
    reading.items.sort_by_key(|mention| mention.span.start);
    let mut seen: Vec<String> = Vec::new();
    (reading.items).retain(|mention| {
        let new = !seen.contains(&mention.item);
        if new {
            seen.push(mention.item.clone());
        }
        new
    });
}

fn spans_of(reading: &mut Reading) -> impl Iterator<Item = &mut Span> {
    let Reading {
        companies: _,
        years,
        due,
        ranges,
        last_years,
        since,
        unsure_years,
        quarters,
        dates,
        forms,
        outlook,
        why,
        sums,
        quarterly,
        latest_quarter,
        latest_year,
        dealt_with,
        fiscal,
        statements,
        metrics,
        topics,
        items,
        boilerplate,
    } = reading;
    years
        .iter_mut()
        .map(|read| &mut read.span)
        .chain(due.iter_mut().map(|read| &mut read.span))
        .chain(ranges.iter_mut().map(|read| &mut read.span))
        .chain(last_years.iter_mut().map(|read| &mut read.span))
        .chain(since.iter_mut().map(|read| &mut read.span))
        .chain(unsure_years.iter_mut())
        .chain(quarters.iter_mut().map(|read| &mut read.span))
        .chain(dates.iter_mut().map(|read| &mut read.span))
        .chain(forms.iter_mut().map(|read| &mut read.span))
        .chain(outlook.iter_mut())
        .chain(why.iter_mut())
        .chain(sums.iter_mut())
        .chain(quarterly.iter_mut())
        .chain(latest_quarter.iter_mut())
        .chain(latest_year.iter_mut())
        .chain(dealt_with.iter_mut().map(|read| &mut read.span))
        .chain(fiscal.iter_mut())
        .chain(statements.iter_mut().map(|read| &mut read.span))
        .chain(metrics.iter_mut().map(|read| &mut read.span))
        .chain(topics.iter_mut().map(|read| &mut read.span))
        .chain(items.iter_mut().map(|read| &mut read.span))
        .chain(boilerplate.iter_mut())
}
