//! The structure of a filing, read from its page texts alone: Items, tables, printed page numbers.
//!
//! Everything here is a pure function over page texts, so that it can run at import and again at
//! any time.

mod attached;
mod blocks;
mod contents;
mod heading;
mod items;
mod labels;
mod lines;
mod printed;

pub use blocks::{
    Block, BlockKind, Carried, PageKind, blocks, carry, ends_in_figures, is_figure, page_kind,
    whole_rows,
};
pub use heading::{RunningHeads, page_title};
pub use items::{ItemDef, ItemSpan, PageItems, item_defs, item_words, items};
pub use labels::item_title;
pub use printed::printed_pages;
