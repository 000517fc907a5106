//! Filings as EDGAR serves them.

pub mod client;
pub mod html;
mod http;
mod writer;
