//! The pure call: question and settings in, pages with reasons out.
//!
//! [`search`] reads the question, narrows the filings ([`scope`]), measures the pages in scope
//! ([`measure`]) and ranks them: by BM25 with statement pages first, or by the weighted sum of
//! [`signals`]. It never touches a terminal, the network or a file path.

mod by_signals;
mod by_words;
mod engine;
mod json;
mod lifts;
mod meaning;
pub mod measure;
mod notes;
mod outcome;
mod pages;
mod parts;
pub mod query;
mod rank;
mod same_text;
mod say;
pub mod scope;
mod sections;
mod settings;
mod several;
pub mod signals;
mod snippet;

pub use engine::Engine;
pub use json::to_json;
pub use meaning::{make_ready, readiness};
pub use outcome::{
    About, Group, KeptFiling, Missing, Outcome, QueryTerm, RankedPage, Reason, Scored, Snippet,
    Stage, StageKind,
};
pub use pages::{Pages, carried};
pub use rank::{features, features_with, search};
pub use same_text::same_text;
pub use sections::Section;
pub use settings::{Facet, HandScope, Retriever, Settings, Statistics};
pub use snippet::{best_passage, marks, snippet};
