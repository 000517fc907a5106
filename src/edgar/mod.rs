//! Filings as EDGAR serves them.

pub mod html;
mod writer;
