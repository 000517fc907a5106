//! Evaluation: how often a labelled page is found, what each step is worth, and where it loses.

pub mod bootstrap;
pub mod metrics;
pub mod questions;

pub use questions::{Evidence, Fault, Problem, Question, QuestionSet, Split};
