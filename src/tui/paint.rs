//! Writing what changed to the terminal in few bytes: over SSH a scroll step must not cost a page.
//!
//! Ratatui finds the cells that changed. Here they are written with the cheapest moves between them:
//! cells that did not change are written again where that is shorter than a jump, the blank rest of a
//! row is erased by one sequence, and styles are set whole.

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

/// Blanks from this many on are erased instead of written.
const ERASE_FROM: usize = 12;

/// Crossterm's backend with its own way to draw.
pub struct Painter<W: Write> {
    inner: CrosstermBackend<W>,
    out: W,
    /// What the terminal shows, row by row; empty when that is not known.
    shown: Vec<Vec<Cell>>,
    /// As the terminal said last: it is asked before every frame.
    columns: std::cell::Cell<u16>,
}

impl<W: Write + Clone> Painter<W> {
    /// Paints to a writer; the clone must write to the same place.
    pub fn new(out: W) -> Painter<W> {
        Painter {
            inner: CrosstermBackend::new(out.clone()),
            out,
            shown: Vec::new(),
            columns: std::cell::Cell::new(0),
        }
    }
}

/// Where the terminal's cursor is and how it writes, while painting.
struct Pen {
    bytes: Vec<u8>,
    at: Option<Position>,
    style: (Color, Color, Modifier),
}

const PLAIN: (Color, Color, Modifier) = (Color::Reset, Color::Reset, Modifier::empty());

fn style(cell: &Cell) -> (Color, Color, Modifier) {
    (cell.fg, cell.bg, cell.modifier)
}

fn is_blank(cell: &Cell) -> bool {
    cell.symbol() == " " && style(cell) == PLAIN
}

impl Pen {
    fn put(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn set_style(&mut self, to: (Color, Color, Modifier)) {
        if self.style == to {
            return;
        }
        self.style = to;
        let (fg, bg, modifier) = to;
        let mut codes = String::new();
        if to != PLAIN {
            codes.push('0');
        }
        for (flag, code) in [
            (Modifier::BOLD, "1"),
            (Modifier::DIM, "2"),
            (Modifier::ITALIC, "3"),
            (Modifier::UNDERLINED, "4"),
            (Modifier::SLOW_BLINK, "5"),
            (Modifier::RAPID_BLINK, "6"),
            (Modifier::REVERSED, "7"),
            (Modifier::HIDDEN, "8"),
            (Modifier::CROSSED_OUT, "9"),
        ] {
            if modifier.contains(flag) {
                codes += ";";
                codes += code;
            }
        }
        codes += &colour(fg, 0);
        codes += &colour(bg, 10);
        self.put(&format!("\x1b[{codes}m"));
    }

    /// Goes to a cell by the shortest way; `row` is what the terminal shows there.
    fn go(&mut self, to: Position, row: &[Cell]) {
        if self.at == Some(to) {
            return;
        }
        let jump = format!("\x1b[{};{}H", to.y + 1, to.x + 1);
        let from = self.at.filter(|at| at.y == to.y && at.x < to.x);
        let Some(from) = from else {
            self.put(&jump);
            self.at = Some(to);
            return;
        };
        let by = usize::from(to.x - from.x);
        let step = match by {
            1 => "\x1b[C".to_string(),
            by => format!("\x1b[{by}C"),
        };
        let between = &row[usize::from(from.x)..usize::from(to.x)];
        let again = between
            .iter()
            .all(|c| style(c) == self.style && is_one_column(c.symbol()));
        let length: usize = between.iter().map(|c| c.symbol().len()).sum();
        match again && length <= step.len() {
            true => {
                for cell in between {
                    self.bytes.extend_from_slice(cell.symbol().as_bytes());
                }
            }
            false => self.put(&step),
        }
        self.at = Some(to);
    }

    fn write(&mut self, cell: &Cell, columns: u16) {
        self.set_style(style(cell));
        self.put(cell.symbol());
        let Some(at) = self.at else { return };
        // Where terminals disagree on a width, or wrap, the next move is by coordinates.
        self.at = match is_one_column(cell.symbol()) && at.x + 1 < columns {
            true => Some(Position::new(at.x + 1, at.y)),
            false => None,
        };
    }
}

/// One character that every terminal shows in one column.
fn is_one_column(symbol: &str) -> bool {
    symbol.chars().count() == 1 && symbol.width() == 1
}

fn colour(color: Color, ground: u8) -> String {
    let basic = |n: u8| format!(";{}", n + ground);
    match color {
        Color::Reset => String::new(),
        Color::Black => basic(30),
        Color::Red => basic(31),
        Color::Green => basic(32),
        Color::Yellow => basic(33),
        Color::Blue => basic(34),
        Color::Magenta => basic(35),
        Color::Cyan => basic(36),
        Color::Gray => basic(37),
        Color::DarkGray => basic(90),
        Color::LightRed => basic(91),
        Color::LightGreen => basic(92),
        Color::LightYellow => basic(93),
        Color::LightBlue => basic(94),
        Color::LightMagenta => basic(95),
        Color::LightCyan => basic(96),
        Color::White => basic(97),
        Color::Indexed(n) => format!(";{};5;{n}", 38 + ground),
        Color::Rgb(r, g, b) => format!(";{};2;{r};{g};{b}", 38 + ground),
    }
}

impl<W: Write + Clone> Backend for Painter<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut changes: Vec<(u16, u16, &Cell)> = content.collect();
        changes.sort_by_key(|(x, y, _)| (*y, *x));
        let mut pen = Pen {
            bytes: Vec::new(),
            at: None,
            style: PLAIN,
        };
        for row in changes.chunk_by(|a, b| a.1 == b.1) {
            let y = usize::from(row[0].1);
            let last = usize::from(row[row.len() - 1].0);
            let width = self.columns.get();
            let columns = usize::from(width).max(last + 1);
            if self.shown.len() <= y {
                self.shown.resize(y + 1, Vec::new());
            }
            self.shown[y].resize(columns, Cell::EMPTY);
            for (x, _, cell) in row {
                let x = usize::from(*x);
                self.shown[y][x] = (*cell).clone();
                // A wide character covers what stood in the next cell.
                let covered = x + cell.symbol().width().max(1);
                for cell in &mut self.shown[y][x + 1..covered.min(columns)] {
                    *cell = Cell::EMPTY;
                }
            }
            paint_row(&mut pen, row, &self.shown[y], width);
        }
        pen.set_style(PLAIN);
        self.out.write_all(&pen.bytes)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.inner.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.shown.clear();
        self.inner.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        self.shown.clear();
        self.inner.clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        let size = self.inner.size()?;
        self.columns.set(size.width);
        Ok(size)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.inner)
    }
}

/// Writes the changed cells of a row. `row` is the row as it is to be shown.
fn paint_row(pen: &mut Pen, changes: &[(u16, u16, &Cell)], row: &[Cell], columns: u16) {
    // From here on the row is blank.
    let end = row
        .iter()
        .rposition(|c| !is_blank(c))
        .map_or(0, |ix| ix + 1);
    let mut erased_to = 0;
    for (x, y, cell) in changes {
        let at = usize::from(*x);
        if at < erased_to {
            continue;
        }
        let blanks = row[at..].iter().take_while(|c| is_blank(c)).count();
        if at >= end && blanks > 3 {
            pen.go(Position::new(*x, *y), row);
            pen.set_style(PLAIN);
            pen.put("\x1b[K");
            return;
        }
        pen.go(Position::new(*x, *y), row);
        if blanks >= ERASE_FROM {
            pen.set_style(PLAIN);
            pen.put(&format!("\x1b[{blanks}X"));
            erased_to = at + blanks;
            continue;
        }
        pen.write(cell, columns);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use proptest::prelude::*;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[derive(Clone, Default)]
    struct Tape(Rc<RefCell<Vec<u8>>>);

    impl Write for Tape {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    const COLUMNS: u16 = 40;
    const ROWS: u16 = 4;

    fn painter(tape: &Tape) -> Painter<Tape> {
        let painter = Painter::new(tape.clone());
        painter.columns.set(COLUMNS);
        painter
    }

    fn draw(painter: &mut Painter<Tape>, from: &Buffer, to: &Buffer) {
        painter.draw(from.diff(to).into_iter()).unwrap();
    }

    fn buffer(rows: &[(String, u8)]) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, COLUMNS, ROWS));
        for (y, (text, look)) in rows.iter().enumerate().take(usize::from(ROWS)) {
            let style = match look % 4 {
                0 => Style::new(),
                1 => Style::new().bold().fg(Color::Rgb(1, 2, 3)),
                2 => Style::new().fg(Color::Indexed(99)).underlined(),
                _ => Style::new().reversed(),
            };
            buffer.set_stringn(u16::from(*look) % 30, y as u16, text, 38, style);
        }
        buffer
    }

    fn shows(parser: &vt100::Parser, buffer: &Buffer) -> Result<(), String> {
        for y in 0..ROWS {
            for x in 0..COLUMNS {
                let (cell, wanted) = (parser.screen().cell(y, x).unwrap(), &buffer[(x, y)]);
                if cell.is_wide_continuation() {
                    continue;
                }
                let shown = match cell.contents() {
                    "" => " ",
                    text => text,
                };
                let modifiers = wanted.modifier;
                let same = shown == wanted.symbol()
                    && cell.bold() == modifiers.contains(Modifier::BOLD)
                    && cell.underline() == modifiers.contains(Modifier::UNDERLINED)
                    && cell.inverse() == modifiers.contains(Modifier::REVERSED)
                    && (cell.fgcolor() == vt100::Color::Default) == (wanted.fg == Color::Reset);
                if !same {
                    return Err(format!("({x}, {y}): {shown:?} for {wanted:?}"));
                }
            }
        }
        Ok(())
    }

    proptest! {
        /// Whatever is drawn after whatever, the terminal shows what was meant.
        #[test]
        fn the_terminal_shows_what_was_drawn(
            frames in prop::collection::vec(
                prop::collection::vec(("[a-c 日é]{0,30}( {14})?[x-z ]{0,8}", any::<u8>()), 0..5),
                1..8,
            )
        ) {
            let tape = Tape::default();
            let mut painter = painter(&tape);
            let mut parser = vt100::Parser::new(ROWS, COLUMNS, 0);
            let mut before = buffer(&[]);
            for frame in &frames {
                let now = buffer(frame);
                draw(&mut painter, &before, &now);
                parser.process(&tape.0.take());
                prop_assert_eq!(shows(&parser, &now), Ok(()));
                before = now;
            }
        }
    }

    #[test]
    fn short_gaps_are_written_again_and_long_ones_jumped() {
        let line = |text: &str| buffer(&[(text.to_string(), 0)]);
        let tape = Tape::default();
        let mut painter = painter(&tape);
        let empty = buffer(&[]);
        let first = line("abc def ghi jkl mno pqr stu vwx");
        draw(&mut painter, &empty, &first);
        tape.0.take();
        draw(
            &mut painter,
            &first,
            &line("Abc Def ghi jkl mno pqr stu vwX"),
        );
        let bytes = String::from_utf8(tape.0.take()).unwrap();
        assert_eq!(bytes, "\x1b[1;1HAbc D\x1b[25CX");
        draw(&mut painter, &first, &line("abc"));
        let bytes = String::from_utf8(tape.0.take()).unwrap();
        assert_eq!(bytes, "\x1b[1;5H\x1b[K");
    }
}
