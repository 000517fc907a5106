//! Markup told from plain text.

use std::sync::LazyLock;

use regex::Regex;

/// Whether the start of the text is markup: a tag of HTML or of EDGAR's own, a declaration, a comment or an entity. An
/// address in angle brackets, or `a<b`, is plain text, which a reader of markup would swallow.
pub fn has_tags(text: &str) -> bool {
    static MARKUP: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"(?imx)
            # What holds everything else; its attributes may be longer than what is looked at.
              <(?:html|head|body|document|sec-document|ims-document|xbrl)[\s>]
            | <(?:p|div|table|tr|td|br|hr|pre|h[1-6]|ul|ol|li|center|title|script|style) (?:\s+[a-z][\w:-]*\s*=[^<>]*)? \s*/?>
            | <(?:a|font|span)\s+[a-z][\w:-]*\s*=[^<>]*>
            | </(?:p|div|table|tr|td|pre|h[1-6]|b|i|u|a|font|span|ul|ol|li|center|title|script|style)\s*>
            # EDGAR's own stand at the start of a line.
            | ^\s*<page>\s*\d*\s*$
            | ^<(?:type|sequence|filename|description|text)>
            | <!doctype\s | <!-- | <\?xml\s
            | &nbsp; | &amp; | &\#
            "#,
        )
        .expect("a pattern")
    });
    MARKUP.is_match(&text[..text.floor_char_boundary(4096)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edgar::html::read;

    #[test]
    fn markup_is_told_from_plain_text_with_angle_brackets() {
        for plain in [
            "Contact: John Smith <john@acme.com>\nNet sales rose.",
            "where a<b and c > d",
            "a <b and p<q",
            "if x<p and y>0",
            "a<b>c",
            "Net sales <unaudited> rose; see <https://acme.com/p>",
            "<page 3 of 10>",
            "Fill in <date> and <type> here",
            "R&D & AT&T; <-- see",
        ] {
            assert!(!has_tags(plain), "{plain}");
            let text = read(plain.as_bytes()).unwrap().pages.concat();
            assert_eq!(text.trim(), plain);
        }
        for markup in [
            "<html\nxmlns:ix=\"x\"",
            "<HTML><BODY>",
            "<?xml version='1.0'?>",
            "<!DOCTYPE html>",
            "<!-- made by -->",
            "<DOCUMENT>\n<TYPE>10-K",
            "<SEC-DOCUMENT>0000950153-99-001234.txt",
            "Acme\n<PAGE>   12\nNet sales",
            "<P>Net sales",
            "<p align=center>Net sales",
            "<div style=\"x\">Net sales</div>",
            "Net sales<br/>rose",
            "<b>Net sales</b> rose",
            "<font size=2>Net sales",
            "<style>p { }</style>",
            "<script src=\"a.js\">",
            "Net&nbsp;sales",
        ] {
            assert!(has_tags(markup), "{markup}");
        }
    }
}
