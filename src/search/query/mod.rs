//! From a reading to what is looked for on the pages: terms, word pairs, phrases.

use std::collections::HashMap;

use super::Settings;
use super::parts::parts;
use crate::question::{
    Lean, Reading, Span, Statement, Tables, TopicMention, without_boilerplate, without_names,
};
use crate::text::{Stems, scan, terms};

/// At most this many terms are scored (own and related); the masks of [`super::measure`] hold them.
pub const MOST_TERMS: usize = 120;

/// At most this many different words of the question are looked for.
pub const MOST_OWN_TERMS: usize = 64;

/// At most so many runs of the question's words are looked for: a pass over pages numbers phrases and their words in 14
/// bits.
const MOST_RUNS: usize = 1_000;

/// From this weight on, the headings of a topic near in meaning count too.
const NEAR: f32 = 0.1;

/// A phrase: indices into [`Query::universe`].
pub type Phrase = Vec<u16>;

/// Tables, tokenised once with the one analyzer.
#[derive(Debug, Default)]
pub struct Prepared {
    topics: HashMap<String, TopicPhrases>,
    metrics: HashMap<String, MetricPhrases>,
    stop_stems: std::collections::HashSet<String>,
}

#[derive(Debug, Default)]
struct TopicPhrases {
    phrases: Vec<WordRun>,
    headings: Vec<WordRun>,
}

#[derive(Debug, Default)]
struct MetricPhrases {
    line_items: Vec<WordRun>,
    phrases: Vec<WordRun>,
}

/// Words in a row: their terms, and as they are written.
#[derive(Clone, Debug)]
pub(super) struct WordRun {
    pub(super) terms: Vec<String>,
    pub(super) text: String,
}

impl WordRun {
    /// A run of words of the question.
    pub(super) fn of(question: &str, run: &[Word]) -> WordRun {
        let (first, last) = (run.first(), run.last());
        let span = first.map_or(0, |word| word.span.start)..last.map_or(0, |word| word.span.end);
        WordRun {
            terms: run.iter().map(|word| word.term.clone()).collect(),
            text: question[span].to_string(),
        }
    }
}

impl Prepared {
    /// Tokenises every phrase of the tables.
    pub fn new(tables: &Tables) -> Prepared {
        let all = |texts: &[String]| -> Vec<WordRun> {
            let words = texts.iter().map(|text| WordRun {
                terms: terms(text),
                text: text.clone(),
            });
            words.filter(|words| !words.terms.is_empty()).collect()
        };
        Prepared {
            topics: tables
                .topics
                .iter()
                .map(|t| {
                    let phrases = TopicPhrases {
                        phrases: all(&t.phrases),
                        headings: all(&t.headings),
                    };
                    (t.id.clone(), phrases)
                })
                .collect(),
            metrics: tables
                .metrics
                .iter()
                .map(|m| {
                    let phrases = MetricPhrases {
                        line_items: all(&m.line_items),
                        phrases: all(&m.phrases),
                    };
                    (m.id.clone(), phrases)
                })
                .collect(),
            stop_stems: tables.words.stop.iter().flat_map(|w| terms(w)).collect(),
        }
    }

    fn is_stop(&self, term: &str) -> bool {
        self.stop_stems.contains(term)
    }
}

/// What is looked for.
#[derive(Debug, Default)]
pub struct Query {
    /// Every term that matters: the question's own first, then related ones (from topics and
    /// metrics), then those that only occur in phrases.
    pub universe: Vec<String>,
    /// How many are the question's own.
    pub own: usize,
    /// The question's own words as they stand in it, in the order of their terms.
    pub own_words: Vec<String>,
    /// How many words of the question there were beyond [`MOST_OWN_TERMS`].
    pub words_left_out: usize,
    /// How many are scored: own and related.
    pub scored: usize,
    /// Pairs of own terms that stand side by side in the question.
    pub pairs: Vec<(u16, u16)>,
    /// Runs of three to five words of the question, names and instructions left out, that begin and
    /// end with own terms: "cost of goods sold".
    pub exact: Vec<usize>,
    /// All phrases.
    pub phrases: Vec<Phrase>,
    /// The phrases as they are written, in the same order.
    pub phrase_texts: Vec<String>,
    /// Phrases of topics, each once, with the weight of the topic it weighs most in.
    pub topic: Vec<(usize, f64)>,
    /// Heading phrases of topics triggered, and of those near in meaning.
    pub topic_headings: Vec<usize>,
    /// Heading phrases of topics near in meaning.
    pub soft_headings: Vec<usize>,
    /// Phrases that name a metric itself.
    pub metric: Vec<usize>,
    /// Line items of each metric.
    pub line_items: Vec<Vec<usize>>,
    /// What may be the part of the company whose figure is asked for ([`super::parts`]): "LinkedIn".
    pub parts: Vec<usize>,
    /// Own terms read as part of a metric's name.
    pub in_metric: Vec<u16>,
    /// Every own term was read as part of the name of a metric, a statement or a period, and not all of a period:
    /// "revenue Q2 2022", "balance sheet".
    pub bare: bool,
    /// Own terms that are numbers and no years.
    pub numbers: Vec<u16>,
    /// Own terms that are written as names: capitalised inside the question, and no date, quarter or kind of filing.
    pub names: Vec<u16>,
    /// Statements named in the question.
    pub named: Vec<Statement>,
    /// Statements implied by metrics.
    pub implied: Vec<Statement>,
    /// A sum of money is asked for, and neither a metric nor a statement.
    pub asks_sum: bool,
    /// The kind of page the question leans to; none where that is switched off.
    pub lean: Option<Lean>,
}

impl Query {
    /// The question's own terms.
    pub fn own_terms(&self) -> &[String] {
        &self.universe[..self.own]
    }

    /// The terms of each line item, each once.
    pub fn line_item_terms(&self) -> Vec<Vec<String>> {
        let term = |&id: &u16| self.universe[id as usize].clone();
        let mut items: Vec<usize> = self.line_items.concat();
        items.sort_unstable();
        items.dedup();
        let items = items.into_iter().map(|item| &self.phrases[item]);
        items.map(|item| item.iter().map(term).collect()).collect()
    }

    /// Statements to route to: those named, else those implied. None where routing is off.
    pub fn statements(&self) -> &[Statement] {
        if self.named.is_empty() {
            &self.implied
        } else {
            &self.named
        }
    }
}

/// Builds the query. Stop words and boilerplate ("answer in USD millions") are always left out; the
/// companies' names, the years and the kinds of filing read ("10-K") only with `strip_names`: they say
/// which filing, and no more which of its pages.
pub fn build(
    tables: &Tables,
    prepared: &Prepared,
    question: &str,
    reading: &Reading,
    settings: &Settings,
    stems: &mut Stems,
) -> Query {
    let asked = AskedWords {
        tables,
        prepared,
        reading,
        settings,
    };
    let text = without_boilerplate(question, reading);
    let text = match settings.strip_names {
        true => without_names(&text, reading),
        false => text,
    };
    let mut builder = Builder::default();
    let words = asked.push_words(&mut builder, &text, stems);
    asked.read_kind(&mut builder.query);
    // Related terms come right after the own ones.
    asked.push_related(&mut builder);
    asked.push_topics(&mut builder);
    asked.push_phrases(&mut builder, &text, &words);
    builder.query
}

/// What a query is built from.
struct AskedWords<'a> {
    tables: &'a Tables,
    prepared: &'a Prepared,
    reading: &'a Reading,
    settings: &'a Settings,
}

/// What a word of the question was read as a part of.
struct Place {
    year: bool,
    /// A quarter or a date.
    period: bool,
    /// What says which filing: a year, the latest quarter, a kind of filing.
    filing: bool,
    metric: bool,
    statement: bool,
    outlook: bool,
}

impl<'a> AskedWords<'a> {
    fn place(&self, span: &Span) -> Place {
        let reading = self.reading;
        let within = |at: &Span| at.start < span.end && span.start < at.end;
        let year = (reading.years.iter().chain(&reading.due)).any(|year| within(&year.span));
        // Of "the last three years (FY2018-FY2020)" the years alone leave.
        let counted =
            reading.years.is_empty() && reading.last_years.iter().any(|last| within(&last.span));
        let latest = (reading.latest_quarter.iter().chain(&reading.latest_year)).any(within);
        let form = reading.forms.iter().any(|form| within(&form.span));
        let quarter = reading.quarters.iter().any(|quarter| within(&quarter.span));
        Place {
            year,
            period: quarter || reading.dates.iter().any(|date| within(&date.span)),
            filing: year || counted || latest || form,
            metric: reading.metrics.iter().any(|metric| within(&metric.span)),
            statement: (reading.statements.iter())
                .any(|statement| statement.named && within(&statement.span)),
            outlook: reading.outlook.iter().any(within),
        }
    }

    /// Whether a word is not looked for.
    fn leaves_out(&self, raw: &str, term: &str, place: &Place) -> bool {
        self.settings.strip_names && place.filing
            || (place.metric || place.outlook) && self.tables.is_spoken(raw)
            || self.prepared.is_stop(term)
            || self.tables.is_stop_word(raw)
            || term.len() < 2 && !starts_with_digit(raw)
            || self.settings.without_words.iter().any(|w| w == term)
    }

    /// The question's own words, the pairs, names and numbers among them; returns every word in order.
    fn push_words(&self, builder: &mut Builder, text: &str, stems: &mut Stems) -> Vec<Word> {
        let mut words: Vec<Word> = Vec::new();
        let mut last: Option<u16> = None;
        let (mut names_measure, mut says_more) = (false, false);
        scan(text, |raw, span| {
            let place = self.place(&span);
            let term = stems.stem(raw);
            let out = self.leaves_out(raw, term, &place);
            let room = builder.query.universe.len() < MOST_OWN_TERMS;
            let own = match !out && (room || builder.ids.contains_key(term)) {
                true => Some(builder.id(term)),
                false => None,
            };
            let query = &mut builder.query;
            query.words_left_out += usize::from(!out && own.is_none());
            if query.own_words.len() < query.universe.len() {
                query.own_words.push(text[span.clone()].to_string());
            }
            words.push(Word {
                raw: raw.to_string(),
                term: term.to_string(),
                span: span.clone(),
                own: own.is_some(),
                may_name: !(place.metric
                    || place.filing
                    || starts_with_digit(raw)
                    || self.tables.is_stop_word(raw)),
            });
            if let Some(own) = own {
                let capital = span.start > 0 && text[span].starts_with(char::is_uppercase);
                if capital && !place.filing && !place.period {
                    push_new(&mut query.names, own);
                }
                let digits = raw.len() >= 2 && raw.bytes().all(|b| !b.is_ascii_alphabetic());
                if digits && !place.year {
                    push_new(&mut query.numbers, own);
                }
                if place.metric {
                    push_new(&mut query.in_metric, own);
                }
                let measure = place.metric || place.statement;
                names_measure |= measure;
                says_more |= !measure && !place.period;
                if let Some(last) = last {
                    push_new(&mut query.pairs, (last, own));
                }
            }
            last = own;
        });
        let query = &mut builder.query;
        query.own = query.universe.len();
        query.bare = names_measure && !says_more;
        words
    }

    /// What kind of page and of answer is asked for. Lean and sums are no matter of routing: they stay when it is off.
    fn read_kind(&self, query: &mut Query) {
        read_statements(query, self.reading, self.settings);
        let by_hand = &self.settings.scope.statements;
        query.lean = (self.settings.lean).then(|| lean(self.reading, by_hand));
        query.asks_sum =
            !self.reading.sums.is_empty() && !self.reading.asks_figure() && by_hand.is_empty();
    }

    /// The topics asked about. None is guessed of a question that names a metric or a statement and no more.
    fn topics(&self, query: &Query) -> Vec<(&'a TopicMention, &'a TopicPhrases)> {
        let heeded = |topic: &&TopicMention| topic.is_triggered() || !query.bare;
        let topics = self.reading.topics.iter().filter(heeded);
        topics
            .filter_map(|topic| Some((topic, self.prepared.topics.get(&topic.topic)?)))
            .collect()
    }

    fn metrics(&self) -> impl Iterator<Item = &'a MetricPhrases> {
        let metrics = self.reading.metrics.iter();
        metrics.filter_map(|metric| self.prepared.metrics.get(&metric.metric))
    }

    /// Terms of the topics triggered and of the metrics.
    fn push_related(&self, builder: &mut Builder) {
        let topics = self.topics(&builder.query);
        let triggered = || (topics.iter()).filter(|(topic, _)| topic.is_triggered());
        let related = triggered()
            .flat_map(|(_, topic)| &topic.phrases)
            .chain(triggered().flat_map(|(_, topic)| &topic.headings))
            .chain(self.metrics().flat_map(|metric| &metric.phrases));
        for term in related.flat_map(|words| &words.terms) {
            if builder.query.universe.len() >= MOST_TERMS {
                break;
            }
            if term.len() > 1 && !self.prepared.is_stop(term) {
                builder.id(term);
            }
        }
        builder.query.scored = builder.query.universe.len();
    }

    /// Phrases and headings of topics.
    fn push_topics(&self, builder: &mut Builder) {
        let topics = self.topics(&builder.query);
        // They come by weight, so a phrase of several has the weight of the first.
        for (topic, words) in &topics {
            for id in builder.phrases(words.phrases.iter(), &[]) {
                if builder.query.topic.iter().all(|(known, _)| *known != id) {
                    builder.query.topic.push((id, f64::from(topic.weight)));
                }
            }
        }
        let headings = |of: fn(&TopicMention) -> bool| {
            let topics = topics.iter().filter(move |(topic, _)| of(topic));
            topics.flat_map(|(_, words)| &words.headings)
        };
        let triggered = builder.phrases(headings(TopicMention::is_triggered), &[]);
        let near = headings(|topic| !topic.is_triggered() && topic.weight >= NEAR);
        builder.query.soft_headings = builder.phrases(near, &triggered);
        builder.query.topic_headings = triggered;
    }

    /// Phrases of the question itself, and of the metrics it names.
    fn push_phrases(&self, builder: &mut Builder, text: &str, words: &[Word]) {
        let runs = runs(text, words);
        builder.query.exact = builder.phrases(runs.iter().take(MOST_RUNS), &[]);
        if builder.query.named.is_empty() && builder.query.lean == Some(Lean::Tables) {
            let parts = parts(self.tables, self.reading, text, words);
            builder.query.parts = builder.phrases(parts.iter(), &[]);
        }
        builder.query.metric = builder.phrases(self.metrics().flat_map(|m| &m.phrases), &[]);
        for metric in self
            .metrics()
            .filter(|metric| !metric.line_items.is_empty())
        {
            let items = builder.phrases(metric.line_items.iter(), &[]);
            builder.query.line_items.push(items);
        }
    }
}

fn starts_with_digit(raw: &str) -> bool {
    raw.starts_with(|c: char| c.is_ascii_digit())
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if !list.contains(&value) {
        list.push(value);
    }
}

/// A word of the question, in order.
pub(super) struct Word {
    /// As typed, in lower case.
    pub(super) raw: String,
    pub(super) term: String,
    /// Bytes of the question without names and instructions.
    pub(super) span: Span,
    /// It is looked for by itself: neither stop word nor year.
    own: bool,
    /// It may name something: no number, no stop word as typed, no part of a metric's name.
    pub(super) may_name: bool,
}

/// Whether a word follows another with nothing but a space, hyphen or mark between them.
pub(super) fn joined(question: &str, before: &Word, after: &Word) -> bool {
    let gap = &question[before.span.end..after.span.start];
    gap.len() < 4 && !gap.contains(['.', ',', ';', ':', '(', ')', '?'])
}

/// See [`Query::exact`].
fn runs(text: &str, words: &[Word]) -> Vec<WordRun> {
    let joined = |pair: &[Word]| joined(text, &pair[0], &pair[1]);
    let mut out = Vec::new();
    for length in 3..=5 {
        for run in words.windows(length) {
            if run[0].own && run[length - 1].own && run.windows(2).all(joined) {
                out.push(WordRun::of(text, run));
            }
        }
    }
    out
}

fn read_statements(query: &mut Query, reading: &Reading, settings: &Settings) {
    let hand = &settings.scope;
    if settings.routing && !hand.statements.is_empty() {
        query.named = hand.statements.clone();
        return;
    }
    if !settings.routing || hand.ignore.contains(&super::Facet::Statement) {
        return;
    }
    for mention in &reading.statements {
        let list = if mention.named {
            &mut query.named
        } else {
            &mut query.implied
        };
        push_new(list, mention.statement);
    }
    for metric in &reading.metrics {
        for &statement in &metric.statements {
            push_new(&mut query.implied, statement);
        }
    }
}

/// Tables for a statement or a metric; prose for the reasons behind a metric and for all else.
fn lean(reading: &Reading, by_hand: &[Statement]) -> Lean {
    let named = !by_hand.is_empty() || reading.statements.iter().any(|s| s.named);
    // "Load factor" asks for no factors.
    let in_metric = |why: &Span| {
        let mut metrics = reading.metrics.iter();
        metrics.any(|metric| metric.span.start <= why.start && why.end <= metric.span.end)
    };
    let for_reasons = reading.why.iter().any(|why| !in_metric(why));
    match named || reading.asks_figure() && !for_reasons {
        true => Lean::Tables,
        false => Lean::Prose,
    }
}

#[derive(Default)]
struct Builder {
    query: Query,
    ids: HashMap<String, u16>,
    phrase_ids: HashMap<Phrase, usize>,
}

impl Builder {
    fn id(&mut self, term: &str) -> u16 {
        if let Some(&id) = self.ids.get(term) {
            return id;
        }
        let id = self.query.universe.len() as u16;
        self.ids.insert(term.to_string(), id);
        self.query.universe.push(term.to_string());
        id
    }

    /// Ids of the phrases, each once, those in `without` left out.
    fn phrases<'a>(
        &mut self,
        phrases: impl Iterator<Item = &'a WordRun>,
        without: &[usize],
    ) -> Vec<usize> {
        let mut out = Vec::new();
        for words in phrases {
            let phrase: Phrase = words.terms.iter().map(|w| self.id(w)).collect();
            let next = self.query.phrases.len();
            let id = *self.phrase_ids.entry(phrase.clone()).or_insert(next);
            if id == next {
                self.query.phrases.push(phrase);
                self.query.phrase_texts.push(words.text.clone());
            }
            if !out.contains(&id) && !without.contains(&id) {
                out.push(id);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests;
