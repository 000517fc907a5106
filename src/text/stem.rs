//! Stems, remembered: a filing has a few thousand words and hundreds of thousands of tokens.

use std::cell::RefCell;

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

/// A memo of the Snowball English stemmer.
pub struct Stems {
    stemmer: Stemmer,
    known: FxHashMap<Box<str>, Box<str>>,
}

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
            self.known.insert(raw.into(), self.stemmer.stem(raw).into());
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
