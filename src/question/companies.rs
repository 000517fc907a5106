//! Company names in a question.
//!
//! Names are compared word by word: a word is a run of letters and digits, or `&`. Spaces, hyphens, dots and
//! apostrophes between the words of a name are free ("Wal-Mart", "Coca Cola", "J. P. Morgan"), a name of several
//! words may be typed as one ("footlocker"), "and" stands for "&", and a final s may follow ("Boeings", "Nike's").

mod misspelt;

use std::collections::{BTreeSet, HashMap};

use super::tables::{CompanyEntry, WordLists};
use super::{CompanyMention, Span};

/// Leading words shared by more companies than this name none of them.
const MOST_CANDIDATES: usize = 3;

/// The names of a catalog's companies, ready to be found.
#[derive(Debug)]
pub(super) struct CompanyNames {
    catalog: Vec<String>,
    /// Words that only say that a name is a company's.
    suffixes: Vec<String>,
    /// Names by their first word, longest first.
    by_first: HashMap<String, Vec<Name>>,
    /// Names as one word that mean one company, for misspelt ones.
    long_names: Vec<LongName>,
}

#[derive(Debug)]
struct LongName {
    word: String,
    sound: String,
    company: usize,
}

/// How a name is read; where the same words have several kinds, the smallest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// In any case.
    Name,
    /// As written only.
    Ticker,
    /// With a capital, or when nothing else is named.
    Word,
    /// When nothing else is named.
    Brand,
    /// Another company, whose name may begin as one of the library does: "Coca-Cola Bottling".
    Other,
    /// No company.
    Trap,
}

impl Kind {
    fn is_company(self) -> bool {
        !matches!(self, Kind::Other | Kind::Trap)
    }
}

#[derive(Clone, Debug)]
struct Name {
    words: Vec<String>,
    kind: Kind,
    /// The ticker as written.
    exact: Option<String>,
    /// Positions in the catalog, ascending.
    companies: BTreeSet<usize>,
}

/// A word of the question.
#[derive(Clone, Debug)]
struct Word {
    span: Span,
    lower: String,
}

/// What was found at a place.
struct Found<'a> {
    name: &'a Name,
    span: Span,
    next: usize,
}

impl CompanyNames {
    /// Compiles the names of these companies: those of the table where it knows the company, else its own.
    pub(super) fn new(
        table: &[CompanyEntry],
        words: &WordLists,
        catalog: &[String],
    ) -> CompanyNames {
        let mut names = CompanyNames {
            catalog: catalog.to_vec(),
            suffixes: words.suffixes.clone(),
            by_first: HashMap::new(),
            long_names: Vec::new(),
        };
        let entries = entries_by_name(table, &words.suffixes);
        let mut unknown = Vec::new();
        for (ix, company) in catalog.iter().enumerate() {
            let plain = without_suffix(company, &words.suffixes);
            match entries.get(&plain.join(" ")) {
                Some(&entry) => names.add_entry(&table[entry], company, ix),
                None => {
                    names.add(company, Kind::Name, ix);
                    unknown.push((ix, plain));
                }
            }
        }
        names.add_unknown(&unknown, &words.weak_names);
        for list in names.by_first.values_mut() {
            list.sort_by_key(|name| (std::cmp::Reverse(name.words.len()), name.kind));
        }
        let long = |name: &&Name| {
            let word = &name.words[0];
            name.kind == Kind::Name
                && name.words.len() == 1
                && name.companies.len() == 1
                && word.chars().all(char::is_alphabetic)
        };
        names.long_names = names
            .by_first
            .values()
            .flatten()
            .filter(long)
            .map(|name| LongName {
                word: name.words[0].clone(),
                sound: misspelt::sound(&name.words[0]),
                company: name.companies.first().copied().expect("one company"),
            })
            .collect();
        names
    }

    /// The catalog these are the names of.
    pub(super) fn catalog(&self) -> &[String] {
        &self.catalog
    }

    fn add_entry(&mut self, entry: &CompanyEntry, catalog_name: &str, company: usize) {
        for (list, kind) in [
            (&entry.names, Kind::Name),
            (&entry.tickers, Kind::Ticker),
            (&entry.words, Kind::Word),
            (&entry.brands, Kind::Brand),
        ] {
            for text in list {
                self.add(text, kind, company);
            }
        }
        for text in &entry.traps {
            // Names are written so in the table.
            let is_name = text.split([' ', '-']).all(starts_upper);
            let kind = if is_name { Kind::Other } else { Kind::Trap };
            self.add(text, kind, company);
        }
        // A name that is a word as well ("3M", "Block") is read as a word.
        let is_word = |text: &str| {
            entry
                .words
                .iter()
                .any(|word| words_of(word) == words_of(text))
        };
        for name in [&entry.name, catalog_name] {
            if !is_word(name) {
                self.add(name, Kind::Name, company);
            }
        }
    }

    /// Companies the table does not know: the catalog name without "Inc" and its kind, and its leading words where
    /// few other companies' names start with them.
    fn add_unknown(&mut self, unknown: &[(usize, Vec<String>)], weak_names: &[String]) {
        let mut prefixes: HashMap<Vec<String>, BTreeSet<usize>> = HashMap::new();
        for (ix, words) in unknown {
            for len in 1..=words.len() {
                prefixes
                    .entry(words[..len].to_vec())
                    .or_default()
                    .insert(*ix);
            }
        }
        for (ix, words) in unknown {
            if words.is_empty() {
                continue;
            }
            let ordinary = words.len() == 1 && weak_names.contains(&words[0]);
            let kind = if ordinary { Kind::Word } else { Kind::Name };
            self.add(&words.join(" "), kind, *ix);
            for len in 1..words.len() {
                let prefix = &words[..len];
                let weak = len == 1 && (prefix[0].len() < 4 || weak_names.contains(&prefix[0]))
                    || prefix.last().is_some_and(|word| word == "&");
                let sharers = &prefixes[prefix];
                // A name of the table goes before a part of a name.
                let taken = self.by_first.get(&prefix[0]).is_some_and(|names| {
                    let other = |name: &Name| !name.companies.is_subset(sharers);
                    names.iter().any(|name| name.words == prefix && other(name))
                });
                if !weak && !taken && sharers.len() <= MOST_CANDIDATES {
                    let kind = if len == 1 { Kind::Word } else { Kind::Name };
                    self.add(&prefix.join(" "), kind, *ix);
                }
            }
        }
    }

    fn add(&mut self, text: &str, kind: Kind, company: usize) {
        let words = words_of(text);
        if words.is_empty() {
            return;
        }
        let glued: String = words.iter().filter(|word| *word != "&").cloned().collect();
        if words.len() > 1 && glued.chars().count() >= 6 && kind.is_company() {
            self.insert(vec![glued], kind, None, company);
        }
        let exact = (kind == Kind::Ticker).then(|| text.to_string());
        self.insert(words, kind, exact, company);
    }

    fn insert(&mut self, words: Vec<String>, kind: Kind, exact: Option<String>, company: usize) {
        let list = self.by_first.entry(words[0].clone()).or_default();
        match list
            .iter_mut()
            .find(|name| name.words == words && name.kind == kind && name.exact == exact)
        {
            Some(name) => {
                name.companies.insert(company);
            }
            None => list.push(Name {
                words,
                kind,
                exact,
                companies: BTreeSet::from([company]),
            }),
        }
    }

    /// The companies named, in order of appearance. `is_word` tells ordinary words from names written wrong.
    pub(super) fn read(
        &self,
        question: &str,
        is_word: &dyn Fn(&str) -> bool,
    ) -> Vec<CompanyMention> {
        let words = split(question);
        let shouted = !question.chars().any(char::is_lowercase);
        let mut found: Vec<Found> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            match self.at(question, &words, at, is_word) {
                Some(hit) => {
                    at = hit.next;
                    if hit.name.kind.is_company() {
                        found.push(hit);
                    }
                }
                None => at += 1,
            }
        }
        // Names that are sure come first; the doubtful ones count only when there is none.
        let sure = |hit: &Found| match hit.name.kind {
            Kind::Name => true,
            Kind::Ticker => !shouted,
            Kind::Word => !shouted && question[hit.span.clone()].chars().any(char::is_uppercase),
            Kind::Brand | Kind::Other | Kind::Trap => false,
        };
        let kept: Vec<&Found> = if found.iter().any(sure) {
            found.iter().filter(|hit| sure(hit)).collect()
        } else if found.iter().any(|hit| hit.name.kind != Kind::Brand) {
            found
                .iter()
                .filter(|hit| hit.name.kind != Kind::Brand)
                .collect()
        } else {
            found.iter().collect()
        };
        if kept.is_empty() {
            return self.misspelt(question, is_word);
        }
        let mut mentions = self.mentions(&kept);
        for (mention, hit) in mentions.iter_mut().zip(&kept) {
            let clear = mention.or.is_empty() && !mention.brand;
            if let Some(whole) =
                (clear.then(|| self.with_slips(question, &words, hit, is_word))).flatten()
            {
                mention.span = whole;
                mention.misspelt = true;
            }
        }
        mentions
    }

    /// The longest name that starts at this word.
    fn at<'a>(
        &'a self,
        question: &str,
        words: &[Word],
        at: usize,
        is_word: &dyn Fn(&str) -> bool,
    ) -> Option<Found<'a>> {
        let first = words[at].lower.as_str();
        let singular = first.strip_suffix('s').filter(|stem| stem.len() >= 4);
        let longest = |all: &dyn Fn(Kind) -> bool| {
            [Some(first), singular]
                .into_iter()
                .flatten()
                .filter_map(|key| self.by_first.get(key))
                .flatten()
                .filter(|name| all(name.kind))
                .filter_map(|name| matches(question, words, at, name))
                .max_by_key(|hit| (hit.next, std::cmp::Reverse(hit.name.kind)))
        };
        let hit = longest(&|_| true)?;
        let own = (hit.name.kind == Kind::Other)
            .then(|| longest(&Kind::is_company))
            .flatten();
        match own {
            Some(own) if !is_another(question, words, &own, &hit, &self.suffixes, is_word) => {
                Some(own)
            }
            _ => Some(hit),
        }
    }

    fn mentions(&self, found: &[&Found]) -> Vec<CompanyMention> {
        // A name that several companies have means the one that is named outright elsewhere.
        let outright: BTreeSet<usize> = found
            .iter()
            .filter(|hit| hit.name.companies.len() == 1)
            .flat_map(|hit| hit.name.companies.iter().copied())
            .collect();
        found
            .iter()
            .map(|hit| {
                let clear: Vec<usize> = hit
                    .name
                    .companies
                    .intersection(&outright)
                    .copied()
                    .collect();
                let candidates = match clear.len() {
                    1 => clear,
                    _ => hit.name.companies.iter().copied().collect(),
                };
                CompanyMention {
                    company: self.catalog[candidates[0]].clone(),
                    span: hit.span.clone(),
                    or: candidates[1..]
                        .iter()
                        .map(|&ix| self.catalog[ix].clone())
                        .collect(),
                    brand: hit.name.kind == Kind::Brand,
                    misspelt: false,
                }
            })
            .collect()
    }
}

fn starts_upper(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
}

/// Whether `other`, another company whose name begins as `own` does, is what is meant. It is not where the rest of its
/// name is written as ordinary words are ("Coca-Cola bottling", "coca-cola consolidated revenue"), nor where a name goes
/// on in another way ("Coca-Cola Bottling Investments", a segment).
fn is_another(
    question: &str,
    words: &[Word],
    own: &Found,
    other: &Found,
    suffixes: &[String],
    is_word: &dyn Fn(&str) -> bool,
) -> bool {
    let upper = |word: &Word| starts_upper(&question[word.span.clone()]);
    let rest = &words[own.next..other.next];
    if !rest.iter().all(upper) {
        let as_name = starts_upper(&question[own.span.clone()]);
        return !as_name && !rest.iter().all(|word| is_word(&word.lower));
    }
    let goes_on = words.get(other.next).is_some_and(|next| {
        let between = &question[words[other.next - 1].span.end..next.span.start];
        between == " " && upper(next) && !suffixes.contains(&next.lower)
    });
    !goes_on
}

/// The name at this word, if the question has it there.
fn matches<'a>(question: &str, words: &[Word], at: usize, name: &'a Name) -> Option<Found<'a>> {
    let here = words.get(at..at + name.words.len())?;
    let last = here.len() - 1;
    let mut end = here[last].span.end;
    for (ix, (word, expected)) in here.iter().zip(&name.words).enumerate() {
        if ix > 0
            && !joins(
                &question[here[ix - 1].span.end..word.span.start],
                &here[ix - 1].lower,
            )
        {
            return None;
        }
        let same = word.lower == *expected
            || expected == "&" && matches!(word.lower.as_str(), "and" | "n");
        if same {
            continue;
        }
        // "Boeings", "apples": a name with an s, written without its apostrophe.
        let plural = ix == last
            && name.kind == Kind::Name
            && expected.len() >= 4
            && word.lower.strip_suffix('s') == Some(expected);
        if !plural {
            return None;
        }
        end -= 1;
    }
    let span = here[0].span.start..end;
    let typed = &question[span.clone()];
    let before = question[..span.start].chars().next_back();
    if let Some(exact) = &name.exact {
        let cashtag = matches!(before, Some('$' | ':' | '('))
            || question[..span.start].trim_end().ends_with(':');
        if typed != exact || exact.chars().count() == 1 && !cashtag {
            return None;
        }
    }
    // "$3m" and "1.3m" are amounts.
    if typed.starts_with(|c: char| c.is_ascii_digit())
        && matches!(before, Some('$' | '€' | '£' | '.' | ',' | '+' | '~'))
    {
        return None;
    }
    Some(Found {
        name,
        span,
        next: at + name.words.len(),
    })
}

/// True when this text between two words keeps them in one name.
fn joins(between: &str, previous: &str) -> bool {
    let initial = previous.chars().count() == 1;
    let free = |c: char| c == ' ' || c == '\u{a0}' || "-_\u{2010}\u{2011}\u{2013}'’‘".contains(c);
    match between.strip_prefix('.') {
        Some("") => true,
        Some(rest) => initial && rest == " ",
        None => between.chars().count() <= 3 && between.chars().all(free),
    }
}

/// Words of a name, lower-cased.
fn words_of(text: &str) -> Vec<String> {
    split(text).into_iter().map(|word| word.lower).collect()
}

fn split(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut open = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        if c.is_alphanumeric() {
            if open {
                let word = words.last_mut().expect("a word is open");
                word.span.end = end;
                word.lower.extend(c.to_lowercase());
            } else {
                words.push(Word {
                    span: at..end,
                    lower: c.to_lowercase().collect(),
                });
            }
            open = true;
        } else {
            if c == '&' {
                words.push(Word {
                    span: at..end,
                    lower: "&".into(),
                });
            }
            open = false;
        }
    }
    words
}

/// Words of a company's name without those of `suffixes`, which only say that it is a company.
pub(super) fn without_suffix(company: &str, suffixes: &[String]) -> Vec<String> {
    let mut words = words_of(company);
    if words.len() > 1 && words[0] == "the" {
        words.remove(0);
    }
    // "Tiffany & Co."
    while words.len() > 1
        && (words.last()).is_some_and(|word| word == "&" || suffixes.contains(word))
    {
        words.pop();
    }
    words
}

/// Entries of the table by each of their names without suffix. Another name of one is no reason to take the place of
/// a company that bears it.
fn entries_by_name(table: &[CompanyEntry], suffixes: &[String]) -> HashMap<String, usize> {
    let own = table
        .iter()
        .enumerate()
        .map(|(ix, entry)| (ix, &entry.name));
    let others = table.iter().enumerate();
    let others = others.flat_map(|(ix, entry)| entry.names.iter().map(move |name| (ix, name)));
    let names = others.chain(own);
    names
        .map(|(ix, name)| (without_suffix(name, suffixes).join(" "), ix))
        .collect()
}
