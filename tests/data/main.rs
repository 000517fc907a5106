//! The library of filings: catalog, import, fetch, PDF reading, verification.

#[path = "../common/mod.rs"]
mod common;

mod added;
mod catalog;
mod damage;
mod fetch;
mod hostile;
mod import;
mod killed;
mod made;
mod pdf;
mod server;
mod verify;
