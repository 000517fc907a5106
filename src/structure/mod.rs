//! The structure of a filing, read from its page texts alone: Items, tables, printed page numbers.
//!
//! Everything here is a pure function over page texts, so that it can run at import and again at
//! any time.

mod attached;
mod contents;
mod items;
mod lines;
mod printed;

pub use items::{ItemDef, ItemSpan, PageItems, in_item, item_defs, items, shown};
pub use printed::{printed_page, printed_pages};
