//! The pure call: question and settings in, pages with reasons out.

mod outcome;
mod settings;

pub use outcome::*;
pub use settings::*;
