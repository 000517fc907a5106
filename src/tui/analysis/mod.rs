//! The error analysis: every labelled question with where it is lost, and for one of them why.
//!
//! [`state`] holds the list and the question explained, [`update`] changes them, [`lists`] is what
//! its pickers offer, [`work`] is what runs off the draw thread, [`view`] draws.

mod lists;
mod state;
#[cfg(test)]
mod tests;
mod update;
mod view;
mod work;

pub use lists::{items, pick, remove_note};
pub use state::{Analysis, Filter};
pub use update::{act, answer, cancel, forget, mouse, open, reply, typed};
pub use view::{draw, hints};
pub use work::{Analyst, CaseRequest, NoteEdit, Reply, RunRequest, note};
#[cfg(test)]
pub use work::{explain, run};
