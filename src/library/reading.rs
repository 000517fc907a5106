//! What turns a filing into text, and by which version: raise it when any of it changes (the PDF reader, the HTML
//! reader, the ligatures, the normal form), and filings are read again when they are next imported or added.

use super::pdf;
use crate::text;

/// Of everything that reads text.
const VERSION: u32 = 4;

/// Who reads a filing that a user adds.
pub const ADD: &str = "add";

/// What a filing's text is made from: who read it ([`ADD`], or nobody in particular), by which version, from which bytes.
pub fn made_from(by: &str, sha256: &str) -> String {
    format!("{by}{VERSION}:{sha256}")
}

/// The text of a page as it is stored.
pub fn stored_text(read: &str) -> String {
    text::normalise(&pdf::ligature::mend(read))
}
