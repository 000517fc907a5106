//! Signals in words, for a page.

use super::Reason;
use super::by_signals::Judged;
use super::rank::Narrowed;
use super::signals::{COUNT, SIGNALS, Signal, Values};
use crate::question::Statement;

impl Narrowed<'_> {
    pub(super) fn signal_reasons(
        &self,
        values: &Values,
        weights: &Values,
        judged: &Judged,
        row: usize,
    ) -> Vec<Reason> {
        (0..COUNT)
            .filter(|&n| values[n] * weights[n] != 0.0)
            .map(|n| {
                let words = self.say(SIGNALS[n], judged, row);
                Reason::new(SIGNALS[n].name(), words, values[n], weights[n])
            })
            .collect()
    }

    /// A signal in words, for this page.
    pub(super) fn say(&self, signal: Signal, judged: &Judged, row: usize) -> String {
        let m = &judged.measured;
        let phrase_words = |list: &[usize]| {
            let on_page = list.iter().filter(|&&p| m.phrase(row, p) > 0).take(3);
            let texts: Vec<&str> = on_page
                .map(|&p| self.query.phrase_texts[p].as_str())
                .collect();
            texts.join(", ")
        };
        let with = |words: String| match words.is_empty() {
            true => signal.words().to_string(),
            false => format!("{}: {words}", signal.words()),
        };
        let own_words = |are: &dyn Fn(u16) -> bool| {
            let own = self.query.own_words.iter().zip(m.tf(row)).enumerate();
            let words: Vec<&str> = own
                .filter(|(term, (_, tf))| **tf > 0 && are(*term as u16))
                .map(|(_, (word, _))| word.as_str())
                .take(5)
                .collect();
            words.join(", ")
        };
        let statement_of = |list: &[Statement]| {
            let facts = &judged.facts[row];
            let best = list
                .iter()
                .max_by(|a, b| facts.statement[a.index()].total_cmp(&facts.statement[b.index()]));
            best.map_or("statement", |s| s.as_str())
        };
        match signal {
            Signal::Topics => {
                let phrases: Vec<usize> = self.query.topic.iter().map(|topic| topic.0).collect();
                with(phrase_words(&phrases))
            }
            Signal::Metric => with(phrase_words(&self.query.metric)),
            Signal::LineItems => with(phrase_words(&self.query.line_items.concat())),
            Signal::StatementNamed | Signal::BestNamed => {
                let name = statement_of(&self.query.named);
                match self
                    .scope
                    .year
                    .is_some_and(|y| judged.facts[row].has_year(y))
                {
                    true => format!("{name} of the year asked, named in the question"),
                    false => format!("{name}, named in the question"),
                }
            }
            Signal::StatementImplied | Signal::BestImplied => {
                format!(
                    "{}, which holds the metric's inputs",
                    statement_of(&self.query.implied)
                )
            }
            Signal::Bm25Corpus | Signal::Bm25Scope | Signal::Passage => with(own_words(&|_| true)),
            Signal::Names => with(own_words(&|term| self.query.names.contains(&term))),
            Signal::Numbers => with(own_words(&|term| self.query.numbers.contains(&term))),
            Signal::Year => match self.scope.year {
                Some(year) => format!("{year} is on the page"),
                None => signal.words().to_string(),
            },
            _ => signal.words().to_string(),
        }
    }
}
