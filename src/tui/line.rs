//! A line of text with the keys people know from their shell.

use super::action::Action;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// Text with a cursor, undo and a cut buffer.
#[derive(Clone, Debug, Default)]
pub struct Line {
    text: String,
    /// Byte offset, on a grapheme boundary.
    cursor: usize,
    undo: Vec<(String, usize)>,
    redo: Vec<(String, usize)>,
    cut: String,
    /// The last change typed a character: the next one joins its undo step.
    typing: bool,
    /// The last change did not fit whole.
    full: bool,
}

/// Characters a line holds. A question has hundreds; a file pasted by mistake has millions.
pub const LINE: usize = 10_000;

/// Undo steps kept.
const UNDO_STEPS: usize = 500;

/// How far a move or a cut goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// One character as a person sees it.
    Character,
    /// To the edge of a word.
    Word,
    /// To the end of the line.
    All,
}

impl Line {
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Byte offset of the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// True, once, when not all of what was typed or pasted last found room.
    pub fn take_full(&mut self) -> bool {
        std::mem::take(&mut self.full)
    }

    /// Puts a text in the place of this one; undo brings the old one back.
    pub fn set(&mut self, text: &str) {
        if text != self.text {
            self.remember();
            self.text.clear();
            self.text = self.fitting(on_one_line(text));
        }
        self.cursor = self.text.len();
    }

    /// Types a character.
    pub fn type_char(&mut self, c: char) {
        if c.is_control() {
            return;
        }
        self.full = self.room() == 0;
        if self.full {
            return;
        }
        // A word is one undo step.
        if !self.typing || c.is_whitespace() {
            self.remember();
        }
        self.text.insert(self.cursor, c);
        self.cursor += c.len_utf8();
        // A combining mark joins the character before it.
        self.cursor = self.boundary_at_or_after(self.cursor);
        self.typing = true;
    }

    /// Inserts text as one step. Line breaks become spaces: a paste is text, never keys.
    pub fn insert(&mut self, text: &str) {
        let text = self.fitting(on_one_line(text));
        if text.is_empty() {
            return;
        }
        self.remember();
        self.text.insert_str(self.cursor, &text);
        self.cursor = self.boundary_at_or_after(self.cursor + text.len());
    }

    /// Moves left.
    pub fn left(&mut self, reach: Reach) {
        self.typing = false;
        self.cursor = self.before(reach);
    }

    /// Moves right.
    pub fn right(&mut self, reach: Reach) {
        self.typing = false;
        self.cursor = self.after(reach);
    }

    /// Deletes to the left; more than a character goes to the cut buffer.
    pub fn delete_left(&mut self, reach: Reach) {
        self.delete(self.before(reach), self.cursor, reach);
    }

    /// Deletes to the right; more than a character goes to the cut buffer.
    pub fn delete_right(&mut self, reach: Reach) {
        self.delete(self.cursor, self.after(reach), reach);
    }

    /// Inserts what was cut last.
    pub fn yank(&mut self) {
        let cut = self.cut.clone();
        self.insert(&cut);
    }

    /// Does what an action of a line says.
    pub fn act(&mut self, action: Action) {
        match action {
            Action::LineStart => self.left(Reach::All),
            Action::LineEnd => self.right(Reach::All),
            Action::LineLeft => self.left(Reach::Character),
            Action::LineRight => self.right(Reach::Character),
            Action::WordLeft => self.left(Reach::Word),
            Action::WordRight => self.right(Reach::Word),
            Action::DeleteBack => self.delete_left(Reach::Character),
            Action::DeleteForward => self.delete_right(Reach::Character),
            Action::DeleteWordBack => self.delete_left(Reach::Word),
            Action::DeleteWordForward => self.delete_right(Reach::Word),
            Action::CutToStart => self.delete_left(Reach::All),
            Action::CutToEnd => self.delete_right(Reach::All),
            Action::Yank => self.yank(),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            _ => {}
        }
    }

    /// Takes the last change back.
    pub fn undo(&mut self) {
        if let Some(state) = self.undo.pop() {
            let now = self.become_again(state);
            self.redo.push(now);
        }
    }

    /// Does again what was undone.
    pub fn redo(&mut self) {
        if let Some(state) = self.redo.pop() {
            let now = self.become_again(state);
            self.undo.push(now);
        }
    }

    /// Text and cursor as they were; those of now are given back.
    fn become_again(&mut self, (text, cursor): (String, usize)) -> (String, usize) {
        self.typing = false;
        (
            std::mem::replace(&mut self.text, text),
            std::mem::replace(&mut self.cursor, cursor),
        )
    }

    fn remember(&mut self) {
        self.undo.push((self.text.clone(), self.cursor));
        if self.undo.len() > UNDO_STEPS {
            self.undo.remove(0);
        }
        self.redo.clear();
        self.typing = false;
    }

    fn delete(&mut self, from: usize, to: usize, reach: Reach) {
        if from == to {
            return;
        }
        self.remember();
        let gone: String = self.text.drain(from..to).collect();
        // What is left may join to another grapheme.
        self.cursor = self.boundary_at_or_after(from);
        if reach != Reach::Character {
            self.cut = gone;
        }
    }

    /// Characters there is room for.
    fn room(&self) -> usize {
        // Bytes are known without counting.
        match LINE.checked_sub(self.text.len()) {
            Some(room) => room,
            None => LINE.saturating_sub(self.text.chars().count()),
        }
    }

    /// As much of the text as there is room for.
    fn fitting(&mut self, mut text: String) -> String {
        let end = text.char_indices().nth(self.room()).map(|(at, _)| at);
        self.full = end.is_some();
        text.truncate(end.unwrap_or(text.len()));
        text
    }

    fn boundary_at_or_after(&self, at: usize) -> usize {
        // From the place itself: the line may be long.
        let mut cursor = GraphemeCursor::new(at, self.text.len(), true);
        match cursor.is_boundary(&self.text, 0) {
            Ok(true) => at,
            _ => cursor
                .next_boundary(&self.text, 0)
                .ok()
                .flatten()
                .unwrap_or(self.text.len()),
        }
    }

    fn before(&self, reach: Reach) -> usize {
        let head = &self.text[..self.cursor];
        match reach {
            Reach::All => 0,
            Reach::Character => head
                .grapheme_indices(true)
                .next_back()
                .map_or(0, |(ix, _)| ix),
            Reach::Word => head
                .unicode_word_indices()
                .next_back()
                .map_or(0, |(ix, _)| ix),
        }
    }

    fn after(&self, reach: Reach) -> usize {
        let tail = &self.text[self.cursor..];
        self.cursor
            + match reach {
                Reach::All => tail.len(),
                Reach::Character => tail.graphemes(true).next().map_or(0, str::len),
                Reach::Word => tail
                    .unicode_word_indices()
                    .next()
                    .map_or(tail.len(), |(ix, word)| ix + word.len()),
            }
    }
}

/// Line breaks and tabs as spaces, other control characters gone.
fn on_one_line(text: &str) -> String {
    text.trim_end_matches(['\r', '\n'])
        .replace("\r\n", " ")
        .chars()
        .map(|c| {
            if matches!(c, '\n' | '\r' | '\t') {
                ' '
            } else {
                c
            }
        })
        .filter(|c| !c.is_control())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        let mut line = Line::default();
        line.insert(text);
        line
    }

    #[test]
    fn a_word_is_one_undo_step() {
        let mut line = Line::default();
        for c in "net sales 2019".chars() {
            line.type_char(c);
        }
        line.undo();
        assert_eq!(line.text(), "net sales");
        line.undo();
        assert_eq!(line.text(), "net");
        line.redo();
        assert_eq!(line.text(), "net sales");
        line.type_char('!');
        line.redo();
        assert_eq!(line.text(), "net sales!");
    }

    #[test]
    fn cut_and_yank() {
        let mut line = line("what is capex for 3M");
        line.delete_left(Reach::Word);
        assert_eq!(line.text(), "what is capex for ");
        line.left(Reach::All);
        line.yank();
        assert_eq!(line.text(), "3Mwhat is capex for ");
        line.right(Reach::Word);
        line.delete_right(Reach::All);
        assert_eq!(line.text(), "3Mwhat");
        line.delete_left(Reach::All);
        assert_eq!((line.text(), line.cursor()), ("", 0));
        line.undo();
        assert_eq!(line.text(), "3Mwhat");
    }

    #[test]
    fn moves_go_by_what_a_person_sees() {
        // A combining acute, a family of four, a flag.
        let mut line = line("e\u{301}👨‍👩‍👧‍👦🇫🇷x");
        for expected in ["e\u{301}👨‍👩‍👧‍👦🇫🇷", "e\u{301}👨‍👩‍👧‍👦", "e\u{301}", ""]
        {
            line.left(Reach::Character);
            assert_eq!(&line.text()[..line.cursor()], expected);
        }
        line.delete_right(Reach::Character);
        assert_eq!(line.text(), "👨‍👩‍👧‍👦🇫🇷x");
    }

    #[test]
    fn a_paste_of_many_lines_is_one_line_of_text() {
        let line = line("What is\r\nthe total?\n\trm -rf\u{1b}[A\n");
        assert_eq!(line.text(), "What is the total?  rm -rf[A");
    }

    #[test]
    fn a_line_takes_so_many_characters_and_no_more() {
        let mut line = line(&"é ".repeat(LINE));
        assert_eq!(line.text().chars().count(), LINE);
        assert!(line.take_full());
        let before = line.text().to_string();
        line.type_char('x');
        line.insert("more");
        assert!(line.take_full());
        assert_eq!(line.text(), before);
        line.delete_left(Reach::Character);
        line.type_char('x');
        assert!(!line.take_full());
        assert_eq!(line.text().chars().count(), LINE);
        line.set(&"y".repeat(LINE + 1));
        assert_eq!(line.text().len(), LINE);
        line.undo();
        assert!(line.text().ends_with("éx"));
    }

    #[test]
    fn a_combining_mark_typed_after_its_letter_joins_it() {
        let mut line = line("e");
        line.type_char('\u{301}');
        assert_eq!(line.cursor(), line.text().len());
        line.delete_left(Reach::Character);
        assert_eq!(line.text(), "");
    }
}
