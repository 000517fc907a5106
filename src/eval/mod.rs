//! Evaluation: how often a labelled page is found, what each step is worth, and where it loses.

pub mod audit;
pub mod bootstrap;
pub mod compare;
pub mod explain;
pub mod export;
pub mod fit;
pub mod gate;
pub mod ladder;
pub mod markdown;
pub mod metrics;
pub mod misses;
pub mod notes;
pub mod questions;
pub mod report;
pub mod rungs;
pub mod trec;

pub use questions::{Evidence, Fault, Problem, Question, QuestionSet, Split, id_of};
