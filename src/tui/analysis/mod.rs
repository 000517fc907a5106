//! The error analysis: every labelled question with where it is lost, and for one of them why.
//!
//! [`state`] holds the list and the question explained, [`update`] changes them, [`lists`] is what
//! its pickers offer, [`prompts`] its prompts, [`work`] is what runs off the draw thread, [`view`] draws.

mod lists;
mod prompts;
mod state;
#[cfg(test)]
mod tests;
mod update;
mod view;
mod work;

pub use lists::{items, pick, remove_note};
pub use prompts::{answer, cancel, note_asked, note_on_asked, typed};
pub use state::{Analysis, Column, Filter, Tried};
pub use update::{act, forget, mouse, open, reply};
pub use view::{draw, hints};
pub use work::{Analyst, CaseRequest, NoteEdit, Reply, RunRequest, note};
#[cfg(test)]
pub use work::{explain, run};
