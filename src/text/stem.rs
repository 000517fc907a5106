//! Stems, remembered: a filing has a few thousand words and hundreds of thousands of tokens.

use std::cell::RefCell;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

/// A memo of the Snowball English stemmer.
pub struct Stems {
    stemmer: Stemmer,
    known: FxHashMap<Box<str>, Box<str>>,
}

/// Words that no stemmer joins with what they are a form of: "sold" with "sell", "women" with "woman".
static FORMS: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = include_str!("../../assets/word_forms.tsv").lines();
    let rows = lines.filter_map(|line| line.split_once('\t'));
    rows.flat_map(|(base, forms)| forms.split(' ').map(move |form| (form, base)))
        .collect()
});

/// Past this many words the memo starts anew: hostile text must not fill the memory.
const MOST: usize = 200_000;

impl Default for Stems {
    fn default() -> Self {
        Stems {
            stemmer: Stemmer::create(Algorithm::English),
            known: FxHashMap::default(),
        }
    }
}

impl Stems {
    /// The term of a raw token: words are stemmed; numbers, forms and short forms stay.
    pub fn stem<'a>(&'a mut self, raw: &'a str) -> &'a str {
        if raw.len() < 3 || !raw.bytes().all(|b| b.is_ascii_lowercase()) {
            return raw;
        }
        if !self.known.contains_key(raw) {
            if self.known.len() >= MOST {
                self.known.clear();
            }
            let base = FORMS.get(raw).copied().unwrap_or(raw);
            self.known
                .insert(raw.into(), self.stemmer.stem(base).into());
        }
        &self.known[raw]
    }
}

thread_local! {
    static STEMS: RefCell<Stems> = RefCell::default();
}

/// Lends the thread's own memo: what one question stemmed the next knows. While it is lent, another is made.
pub fn with_stems<R>(f: impl FnOnce(&mut Stems) -> R) -> R {
    STEMS.with(|stems| match stems.try_borrow_mut() {
        Ok(mut stems) => f(&mut stems),
        Err(_) => f(&mut Stems::default()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        let mut stems = Stems::default();
        for (form, word) in [
            ("paid", "pay"),
            ("spent", "spending"),
            ("risen", "rises"),
            ("lives", "life"),
        ] {
            assert_eq!(stems.stem(form).to_string(), stems.stem(word), "{form}");
        }
        for apart in ["pays", "payable", "prepaid"].windows(2) {
            assert_ne!(stems.stem(apart[0]).to_string(), stems.stem(apart[1]));
        }
    }

    #[test]
    fn the_table_holds_each_form_once_and_leads_to_a_word() {
        let text = include_str!("../../assets/word_forms.tsv");
        let rows = || text.lines().filter(|line| !line.starts_with('#'));
        let forms: usize = rows()
            .map(|row| row.split('\t').nth(1).unwrap().split(' ').count())
            .sum();
        assert_eq!(FORMS.len(), forms, "a form stands twice");
        for (form, word) in &*FORMS {
            assert!(!FORMS.contains_key(word), "{form} leads to a form");
            let plain = |word: &str| word.len() > 2 && word.bytes().all(|b| b.is_ascii_lowercase());
            assert!(plain(form) && plain(word), "{form} {word}");
        }
    }
}
