//! HTML to pages: the text a reader of a filing sees, page by page.
//!
//! The tokenizer streams and no tree is built, so a file of a million nested tags costs no more
//! than its length. What is kept of the markup:
//!
//! - page breaks: `page-break-after`, `break-before` and their kin, `<page>`, `<!-- PAGEBREAK -->`;
//! - rows of tables, one a line (see [`super::writer`]);
//! - the facts about the filing itself in inline XBRL (`dei:`), hidden or not.

use crate::words::one_line;
use std::cell::RefCell;
use std::collections::BTreeMap;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use html5ever::LocalName;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::markup::has_tags;
use super::writer::Writer;

/// The largest file read, in bytes; the largest filings on EDGAR have about half of it.
pub const MAX_BYTES: usize = 128 << 20;

/// Why a file could not be read.
#[derive(Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
pub enum HtmlError {
    /// Larger than [`MAX_BYTES`].
    #[error("it has {} MB; files up to {} MB are read", .0 >> 20, MAX_BYTES >> 20)]
    TooLarge(usize),
    /// Bytes that are neither HTML nor text.
    #[error("it is neither PDF, HTML nor text (binary data)")]
    Binary,
    /// Nothing a reader would see.
    #[error("it has no text")]
    NoText,
    /// The reader failed on it.
    #[error("it cannot be read: {0}")]
    Failed(String),
}

/// An HTML file, read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Text of each page, lines separated by `\n`, columns of a table by two spaces.
    pub pages: Vec<String>,
    /// True when the file marks its pages; otherwise they were made at block boundaries and their
    /// numbers are ours.
    pub pages_marked: bool,
    /// False for plain text, read as it stands.
    pub markup: bool,
    /// Facts of the filing from inline XBRL, by name without prefix: `DocumentType`, `EntityRegistrantName`.
    pub facts: BTreeMap<String, String>,
}

/// Reads an HTML or plain text file.
pub fn read(bytes: &[u8]) -> Result<Document, HtmlError> {
    if bytes.len() > MAX_BYTES {
        return Err(HtmlError::TooLarge(bytes.len()));
    }
    let text = decode(bytes);
    let control = |b: &&u8| matches!(b, 0..=8 | 14..=26 | 28..=31);
    if text.as_bytes().iter().take(1 << 16).filter(control).count() * 50 > text.len().min(1 << 16) {
        return Err(HtmlError::Binary);
    }
    let markup = has_tags(&text);
    let (writer, facts) = match markup {
        true => read_markup(&text),
        false => (read_plain(&text), BTreeMap::new()),
    };
    let (pages, pages_marked) = writer.finish();
    if pages.is_empty() {
        return Err(HtmlError::NoText);
    }
    Ok(Document {
        pages,
        pages_marked,
        markup,
        facts,
    })
}

/// Plain text has its lines as they are; a form feed ends a page.
fn read_plain(text: &str) -> Writer {
    let mut writer = Writer::default();
    writer.preformatted(true);
    for (n, page) in text.split('\u{c}').enumerate() {
        if n > 0 {
            writer.page_break();
        }
        writer.text(page);
    }
    writer
}

fn read_markup(text: &str) -> (Writer, BTreeMap<String, String>) {
    let sink = Sink::default();
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let queue = BufferQueue::default();
    // In pieces, so that the tokenizer never holds a second copy of the file.
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(1 << 16));
        queue.push_back(StrTendril::from(piece));
        let _ = tokenizer.feed(&queue);
        rest = after;
    }
    tokenizer.end();
    let Reader { writer, facts, .. } = tokenizer.sink.0.into_inner();
    (writer, facts)
}

/// The text in the encoding of its byte order mark, in UTF-8 where it is valid, in the encoding it
/// declares, else in Windows-1252.
fn decode(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding.decode(bytes).0;
    }
    if let (text, false) = UTF_8.decode_without_bom_handling(bytes) {
        return text;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).to_ascii_lowercase();
    let declared = ["charset=", "encoding="].iter().find_map(|key| {
        let at = head.find(key)? + key.len();
        let label = head[at..].trim_start_matches(['"', '\'']);
        let end = label
            .find(['"', '\'', '>', ' ', ';', '/', '?'])
            .unwrap_or(label.len());
        Encoding::for_label(&label.as_bytes()[..end])
    });
    // UTF-8 was tried: a file that declares it and is not was written on Windows.
    let encoding = declared
        .filter(|&declared| declared != UTF_8)
        .unwrap_or(WINDOWS_1252);
    encoding.decode_without_bom_handling(bytes).0
}

/// The tokenizer hands its tokens to a shared reference.
#[derive(Default)]
struct Sink(RefCell<Reader>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        self.0.borrow_mut().token(token)
    }
}

/// An element whose end matters, and how many of its name are open inside it.
struct Open {
    name: LocalName,
    depth: usize,
}

impl Open {
    fn new(name: &LocalName) -> Open {
        Open {
            name: name.clone(),
            depth: 1,
        }
    }

    /// Counts a tag; true when it closes the element.
    fn closed_by(&mut self, tag: &Tag) -> bool {
        if tag.name != self.name || tag.self_closing {
            return false;
        }
        match tag.kind {
            TagKind::StartTag => self.depth += 1,
            TagKind::EndTag => self.depth -= 1,
        }
        self.depth == 0
    }
}

#[derive(Default)]
struct Reader {
    writer: Writer,
    facts: BTreeMap<String, String>,
    /// The outermost element that is not shown.
    hidden: Option<Open>,
    /// Elements after which a page ends.
    breaks_after: Vec<Open>,
    /// The `dei:` fact being read.
    fact: Option<(Open, String, String)>,
    /// Reading the type of a document in a full submission.
    document_type: Option<String>,
}

/// Longest fact kept, in bytes; those about the filing are names, dates and flags.
const MAX_FACT: usize = 300;

impl Reader {
    fn token(&mut self, token: Token) -> TokenSinkResult<()> {
        match token {
            Token::CharacterTokens(text) => self.text(&text),
            Token::TagToken(tag) => return self.tag(&tag),
            Token::CommentToken(text) => {
                let text = text.to_ascii_lowercase();
                if text.len() < 100 && (text.contains("pagebreak") || text.contains("page break")) {
                    self.writer.page_break();
                }
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }

    fn text(&mut self, text: &str) {
        if let Some(kind) = &mut self.document_type {
            kind.push_str(text);
            if kind.trim_start().contains('\n') || kind.len() > 40 {
                self.end_document_type();
            }
            return;
        }
        if let Some((_, _, value)) = &mut self.fact
            && value.len() + text.len() <= MAX_FACT
        {
            value.push_str(text);
        }
        if self.hidden.is_none() {
            self.writer.text(text);
        }
    }

    /// Pictures and data of a full submission stand between its documents, encoded as text.
    fn end_document_type(&mut self) {
        const DATA: [&str; 7] = ["graphic", "zip", "excel", "xml", "json", "pdf", "ex-101"];
        let kind = self.document_type.take().unwrap_or_default();
        let kind = kind.trim().to_ascii_lowercase();
        if DATA.iter().any(|data| kind.starts_with(data)) && self.hidden.is_none() {
            self.hidden = Some(Open::new(&LocalName::from("document")));
        }
    }

    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        if self.document_type.is_some() {
            self.end_document_type();
        }
        self.facts(tag);
        if let Some(hidden) = &mut self.hidden {
            if hidden.closed_by(tag) {
                self.hidden = None;
            }
            return raw(tag);
        }
        let starts = tag.kind == TagKind::StartTag;
        let style = match starts {
            true => attribute(tag, "style").map(squeeze).unwrap_or_default(),
            false => String::new(),
        };
        if starts && !tag.self_closing {
            let never_shown = matches!(
                name,
                "ix:header" | "script" | "style" | "title" | "noscript"
            );
            if never_shown || style.contains("display:none") {
                if !is_void(name) {
                    self.hidden = Some(Open::new(&tag.name));
                }
                return raw(tag);
            }
        }
        self.shown(tag, name, starts);
        if starts && (breaks(&style, "before") || name == "page") {
            self.writer.page_break();
        }
        let after = starts && breaks(&style, "after");
        if after && (tag.self_closing || is_void(name)) {
            self.writer.page_break();
        }
        let open_before = self.breaks_after.len();
        self.breaks_after.retain_mut(|open| !open.closed_by(tag));
        if self.breaks_after.len() < open_before {
            self.writer.page_break();
        }
        if after && !tag.self_closing && !is_void(name) && self.breaks_after.len() < 4 {
            self.breaks_after.push(Open::new(&tag.name));
        }
        TokenSinkResult::Continue
    }

    /// What a shown tag does to the text.
    fn shown(&mut self, tag: &Tag, name: &str, starts: bool) {
        match name {
            "table" if starts && !tag.self_closing => self.writer.table_start(),
            "table" if !starts => self.writer.table_end(),
            "tr" if starts => self.writer.row_start(),
            "tr" => self.writer.row_end(),
            "td" | "th" if starts => {
                self.writer.cell_start();
                if tag.self_closing {
                    self.writer.cell_end();
                }
            }
            "td" | "th" => self.writer.cell_end(),
            "pre" => self.writer.preformatted(starts && !tag.self_closing),
            "sup" if starts => self.writer.text(" "),
            "type" if starts => self.document_type = Some(String::new()),
            _ if is_block(name) => {
                self.writer.block();
                match name {
                    "li" if starts => self.writer.text("• "),
                    "document" if starts => self.writer.page_break(),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Reads `dei:` facts, hidden or not; the first of a name counts.
    fn facts(&mut self, tag: &Tag) {
        if let Some((open, name, value)) = &mut self.fact {
            if open.closed_by(tag) {
                let value = one_line(value);
                if !value.is_empty() {
                    self.facts.entry(std::mem::take(name)).or_insert(value);
                }
                self.fact = None;
            }
        } else if tag.kind == TagKind::StartTag
            && &*tag.name == "ix:nonnumeric"
            && !tag.self_closing
            && let Some(name) = attribute(tag, "name").and_then(|name| name.strip_prefix("dei:"))
        {
            self.fact = Some((Open::new(&tag.name), name.to_string(), String::new()));
        }
    }
}

/// Text up to the end tag of a script or style sheet is not markup.
fn raw(tag: &Tag) -> TokenSinkResult<()> {
    match &*tag.name {
        _ if tag.kind == TagKind::EndTag || tag.self_closing => TokenSinkResult::Continue,
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "style" | "noscript" => TokenSinkResult::RawData(RawKind::Rawtext),
        _ => TokenSinkResult::Continue,
    }
}

fn attribute<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    tag.attrs
        .iter()
        .find(|a| &*a.name.local == name)
        .map(|a| &*a.value)
}

/// A style without blanks, lower case.
fn squeeze(style: &str) -> String {
    style
        .chars()
        .take(2000)
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// Elements that begin and end a line.
fn is_block(name: &str) -> bool {
    matches!(
        name,
        "p" | "div"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "li"
            | "ul"
            | "ol"
            | "dl"
            | "dt"
            | "dd"
            | "br"
            | "hr"
            | "center"
            | "blockquote"
            | "section"
            | "article"
            | "header"
            | "footer"
            | "address"
            | "caption"
            | "body"
            | "document"
            | "text"
    )
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "br" | "hr" | "img" | "meta" | "link" | "input" | "col" | "page"
    )
}

/// True when a style breaks the page on this side ("before", "after") of its element.
fn breaks(style: &str, side: &str) -> bool {
    style.split(';').any(|rule| {
        let Some((name, value)) = rule.split_once(':') else {
            return false;
        };
        let name = name.strip_prefix("page-").unwrap_or(name);
        name.strip_prefix("break-") == Some(side)
            && matches!(
                value.trim_end_matches("!important"),
                "always" | "page" | "left" | "right" | "all"
            )
    })
}
