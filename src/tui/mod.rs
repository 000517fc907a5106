//! The workbench.
//!
//! A message (a key, an answer of the engine, a signal) goes through [`update::update`], which changes
//! the [`app::App`] and asks for effects; [`view::draw`] draws the state. Nothing is drawn without a
//! change, and the engine works on its own thread.

pub mod action;
mod analysis;
mod app;
mod asking;
mod chips;
mod clipboard;
mod columns;
mod engine;
mod evidence;
mod export;
mod finder;
mod fuzzy;
mod input;
pub mod keymap;
mod laid_out;
mod layout;
mod line;
mod listed;
mod memory;
mod mouse;
mod page_view;
mod paint;
mod paragraphs;
mod picker;
mod picking;
mod run;
mod side;
mod signals;
mod switching;
mod taking;
mod terminal;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
mod theme;
mod update;
mod view;
mod viewer;
mod warm;
mod worker;

pub use app::{Job, Notice, Opened, Start};
pub use clipboard::{Route, TMUX_NEEDS, Through};
pub use finder::Finder;
pub use memory::{Memory, SavedSearch};
pub use run::run;
pub use side::{Background, Desk, Done, Reported, Shelf, Task};
pub use signals::ended_by;
pub use terminal::{check as check_terminal, give_back_at_once};
pub use theme::{Colours, Look};
