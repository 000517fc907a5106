//! Evaluation: how often a labelled page is found, what each step is worth, and where it loses.

pub mod bootstrap;
pub mod ladder;
pub mod metrics;
pub mod misses;
pub mod questions;
pub mod report;

pub use questions::{Evidence, Fault, Problem, Question, QuestionSet, Split};
