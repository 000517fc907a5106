//! Filings as EDGAR serves them.

pub mod client;
pub mod html;
pub mod html_worker;
mod http;
pub mod markup;
mod writer;
