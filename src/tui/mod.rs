//! The workbench.
//!
//! A message (a key, an answer of the engine, a signal) goes through [`update::update`], which changes
//! the [`app::App`] and asks for effects; [`view::draw`] draws the state. Nothing is drawn without a
//! change, and the engine works on its own thread.

pub mod action;
pub mod app;
mod chips;
mod clipboard;
mod evidence;
pub mod export;
pub mod finder;
mod fuzzy;
pub mod keymap;
mod layout;
mod line;
pub mod memory;
mod mouse;
mod page_view;
mod picker;
mod picking;
pub mod run;
mod signals;
mod terminal;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
pub mod theme;
pub mod update;
pub mod view;
pub mod worker;
