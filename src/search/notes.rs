//! What a person should know of an answer.

use super::Facet;
use super::by_signals::CANDIDATES;
use super::query::MOST_OWN_TERMS;
use super::rank::Narrowed;
use crate::index::DAMAGED;
use crate::index::facts::{PageFacts, flag};
use crate::library::TextSource;
use crate::question::{self, compared_names, unknown_names};
use crate::text::tokens;
use crate::words::some_of;

/// Of so many filings in scope each is worth a word.
const FEW: usize = 12;

/// So many pages are looked at for a word as it is printed.
const LOOKED_AT: usize = 8;

/// Shorter words are told no other word for.
const SHORTEST: usize = 5;

/// A word on more than one page of so many is no name written wrong.
const COMMON: u64 = 2_000;

impl Narrowed<'_> {
    /// What is to be said of an answer with so many pages.
    pub(super) fn notes(&self, ranked: usize) -> Vec<String> {
        let mut notes = Vec::new();
        notes.extend(self.meant_note.clone());
        notes.extend(self.named_but_not_searched());
        notes.extend(self.misread_names());
        notes.extend(self.dealt_with());
        notes.extend(self.scope.missing.iter().cloned());
        notes.extend(self.unsure_years());
        notes.extend(self.names_of_several());
        notes.extend(self.damaged_files());
        notes.extend(self.damaged_index());
        notes.extend(self.without_text());
        notes.extend(self.columns_apart());
        notes.extend(self.without_words(ranked));
        notes.extend(self.misspelt_words());
        notes.extend(self.words_left_out());
        notes.extend(self.fewer_than_asked(ranked));
        notes
    }

    /// Which filings are searched is set by hand, whatever companies are named.
    fn by_hand(&self) -> bool {
        let hand = &self.settings.scope;
        !hand.companies.is_empty()
            || !hand.filings.is_empty()
            || hand.ignore.contains(&Facet::Company)
    }

    fn named_but_not_searched(&self) -> Option<String> {
        let searched = |name: &str| {
            let mut filings = self.scope.filings.iter();
            filings.any(|&(filing, _)| self.engine.library.filing(filing).company == name)
        };
        let left_out: Vec<&str> = (self.reading.companies.iter())
            .map(|mention| mention.company.as_str())
            .filter(|name| self.by_hand() && !searched(name))
            .collect();
        (!left_out.is_empty()).then(|| {
            format!(
                "{} is named but not searched: another scope is set by hand",
                left_out.join(" + ")
            )
        })
    }

    fn dealt_with(&self) -> Option<String> {
        let reading = &self.reading;
        let on = self.settings.company && !self.by_hand() && !reading.dealt_with.is_empty();
        on.then(|| {
            let dealt_with = reading.dealt_with.iter().map(|m| m.company.as_str());
            format!(
                "{} is read as whom {} deals with: its own filings are not searched",
                Vec::from_iter(dealt_with).join(" and "),
                reading.company_names().join(" and ")
            )
        })
    }

    /// What is to be said of names that are none of the library, or written wrong.
    fn misread_names(&self) -> Vec<String> {
        if !self.settings.company || self.by_hand() {
            return Vec::new();
        }
        let (engine, reading) = (self.engine, &self.reading);
        let mut notes: Vec<String> = (reading.companies.iter().filter(|m| m.misspelt))
            .map(|m| {
                format!(
                    "{:?} is read as {}",
                    &self.question[m.span.clone()],
                    m.company
                )
            })
            .collect();
        notes.sort();
        notes.dedup();
        let tables = &engine.tables;
        let words = engine.index.words();
        let common = |term: &str| words.df(term) * COMMON > words.pages();
        let named = reading.company_names();
        // What is near to a company that is read already says nothing new.
        let mut near: Vec<(String, Vec<String>)> = Vec::new();
        for slip in question::near_names(tables, &engine.companies, reading, self.question, &common)
        {
            let read = (slip.1.iter()).any(|company| named.contains(&company.as_str()));
            if !read && !near.contains(&slip) {
                near.push(slip);
            }
        }
        let searched = match named.is_empty() {
            true => "all filings are searched".to_string(),
            false => format!("only filings of {} are searched", named.join(" and ")),
        };
        let mut unknown = match named.is_empty() {
            true => unknown_names(tables, reading, self.question),
            false => compared_names(tables, reading, self.question),
        };
        unknown.retain(|name| !near.iter().any(|(slip, _)| slip.contains(name.as_str())));
        let asked = near
            .iter()
            .map(|(name, companies)| format!("{name} (did you mean {}?)", companies.join(" or ")));
        let names: Vec<String> = asked.chain(unknown).collect();
        if !names.is_empty() {
            let names = names.join(" or ");
            notes.push(format!(
                "the library has no company called {names}: {searched}"
            ));
        } else if named.is_empty() {
            notes.push(format!("no company of the library is named: {searched}"));
        }
        notes
    }

    /// Two digits after a company that are searched for as a number.
    fn unsure_years(&self) -> impl Iterator<Item = String> {
        let unsure = self
            .reading
            .unsure_years
            .iter()
            .filter(|_| self.settings.year);
        unsure.map(|span| {
            let digits = &self.question[span.clone()];
            format!("\"{digits}\" is not read as a year: write 20{digits} where one is meant")
        })
    }

    /// Names that more than one company may go by.
    fn names_of_several(&self) -> impl Iterator<Item = String> {
        let several = self.reading.companies.iter().filter(|m| !m.or.is_empty());
        several.map(|mention| {
            format!(
                "{:?} may mean {} or {}: all are kept",
                &self.question[mention.span.clone()],
                mention.company,
                mention.or.join(" or ")
            )
        })
    }

    fn damaged_files(&self) -> Option<String> {
        let damaged = self.engine.library.damaged();
        let files = damaged.iter().map(|name| format!("pages/{name}.pages"));
        (!damaged.is_empty()).then(|| {
            format!(
                "damaged and left out: {}; `tenleaf data verify` says what is wrong and what to do",
                files.collect::<Vec<_>>().join(", ")
            )
        })
    }

    /// What of the index is damaged, or of the catalog.
    fn damaged_index(&self) -> Vec<String> {
        let (library, index) = (&self.engine.library, &self.engine.index);
        let mut notes = Vec::new();
        if index.words().is_damaged() {
            notes.push(DAMAGED.to_string());
        }
        if let Some(mended) = library.mended() {
            notes.push(format!("{mended} and is made again from the page files"));
        }
        let filings = self.scope.filings.iter();
        let unread = filings.filter(|(filing, _)| index.analysis(*filing).is_none());
        let unread: Vec<&str> = unread
            .map(|(filing, _)| library.filing(*filing).doc_name.as_str())
            .collect();
        if !unread.is_empty() {
            notes.push(format!(
                "{}: left out, the index is damaged there; `tenleaf index` makes it again",
                some_of(&unread)
            ));
        }
        notes
    }

    /// What is to be said of filings in scope none of whose pages can be read, where they are few.
    fn without_text(&self) -> Option<String> {
        let readable = |facts: &PageFacts| facts.words > 0 && !facts.is(flag::GARBAGE);
        if self.scope.filings.len() > FEW {
            return None;
        }
        let is_mute = |filing: u32| {
            let analysis = self.engine.index.analysis(filing);
            analysis.is_some_and(|a| !a.facts().iter().any(readable))
        };
        let mute: Vec<&str> = (self.scope.filings.iter())
            .filter(|(filing, _)| is_mute(*filing))
            .map(|(filing, _)| self.engine.library.filing(*filing).doc_name.as_str())
            .collect();
        (!mute.is_empty()).then(|| {
            format!(
                "{}: no page has text that can be read, so nothing is found there",
                mute.join(", ")
            )
        })
    }

    /// A figure is asked for, and filings searched give the columns of a table one after the other, where they are few.
    fn columns_apart(&self) -> Option<String> {
        if !self.reading.asks_figure() || self.scope.filings.len() > FEW {
            return None;
        }
        let filings = (self.scope.filings.iter()).map(|&(n, _)| self.engine.library.filing(n));
        let apart: Vec<&str> = filings
            .filter(|filing| filing.text_from == TextSource::Text)
            .map(|filing| filing.doc_name.as_str())
            .collect();
        (!apart.is_empty()).then(|| {
            format!(
                "{}: its text may give a table one column after the other; check figures in the PDF",
                apart.join(", ")
            )
        })
    }

    /// The question has no word to search for, or none that stands anywhere.
    fn without_words(&self, ranked: usize) -> Option<String> {
        let add = "add what to look for, \"revenue\" or \"legal proceedings\", say";
        let named = !self.reading.companies.is_empty();
        match self.query.own {
            0 if named => Some(format!("a name alone tells no page from another: {add}")),
            0 => Some(format!(
                "no word of the question is left to search for: {add}"
            )),
            // A metric ("FCF") is found by its other names.
            _ if self.df.iter().all(|&df| df == 0) && self.reading.metrics.is_empty() => {
                Some("no word of the question stands in any filing of this library".to_string())
            }
            _ if ranked == 0 && !self.pages.is_empty() => {
                Some("no word of the question stands in the filings searched".to_string())
            }
            _ => None,
        }
    }

    /// Words that stand in no filing, and the word each may be meant for.
    fn misspelt_words(&self) -> Vec<String> {
        let words = self.query.own_words.iter().zip(self.query.own_terms());
        let nowhere = words.zip(&self.df).filter(|((word, _), df)| {
            let letters = word.chars().all(char::is_alphabetic);
            **df == 0 && letters && word.chars().count() >= SHORTEST
        });
        let read = |word: &str| {
            let mut companies = self.reading.companies.iter();
            companies.any(|mention| self.question[mention.span.clone()].contains(word))
        };
        nowhere
            .filter(|((word, _), _)| !read(word))
            .filter_map(|((word, term), _)| {
                let near = self.as_printed(&self.nearest(word, term)?, word)?;
                Some(format!(
                    "{word:?} stands in no filing of this library: did you mean {near:?}?"
                ))
            })
            .collect()
    }

    fn nearest(&self, word: &str, term: &str) -> Option<String> {
        let words = self.engine.index.words();
        words.nearest(&[&word.to_lowercase(), term])
    }

    /// The word of this stem that is most like the one typed, on the first pages that have any; in lower case.
    fn as_printed(&self, term: &str, typed: &str) -> Option<String> {
        let mut pages = Vec::new();
        let words = self.engine.index.words();
        words.postings(term, |ordinal, _| {
            if pages.len() < LOOKED_AT {
                pages.push(ordinal);
            }
        });
        let mut printed: Vec<String> = Vec::new();
        for page in pages {
            let page = self
                .engine
                .library
                .page(self.engine.index.page(page))
                .ok()?;
            let found = tokens(&page.text)
                .into_iter()
                .filter(|token| token.term == term);
            printed.extend(found.map(|token| page.text[token.span].to_lowercase()));
        }
        let typed = typed.to_lowercase();
        printed
            .into_iter()
            .min_by_key(|word| strsim::osa_distance(word, &typed))
    }

    fn words_left_out(&self) -> Option<String> {
        let more = self.query.words_left_out;
        (more > 0).then(|| {
            format!(
                "the first {MOST_OWN_TERMS} different words of the question are searched for, {more} that follow are not"
            )
        })
    }

    fn fewer_than_asked(&self, ranked: usize) -> Option<String> {
        let short = ranked < self.settings.k.min(self.pages.len());
        (self.settings.signals && short && ranked >= CANDIDATES).then(|| {
            format!(
                "the best {ranked} pages are ranked, not {}: signals are measured for no more; \
                 --no-signals ranks by words alone",
                self.settings.k
            )
        })
    }
}
