//! A frame as few bytes: over SSH a scroll step must not cost a screen.
//!
//! The painter remembers what the terminal shows and writes what is to change by the cheapest way:
//! rows that only moved are scrolled, blank rests of rows erased, and between two changes what
//! stands there is written again where that is shorter than a jump. A style is set by its
//! difference from the one before.

use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::rc::Rc;

use ratatui::buffer::{Buffer, Cell, CellWidth};
use ratatui::style::{Color, Modifier};
use rustc_hash::FxHasher;

/// Blanks from this many on are erased instead of written.
const ERASE_FROM: usize = 10;
/// A scroll is worth it when it saves this many characters.
const SCROLL_FROM: usize = 40;
/// In raw mode on Unix a line feed goes straight down; elsewhere it may return the carriage too.
const FEED_GOES_DOWN: bool = cfg!(unix);

/// Colours and modifiers of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Look {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

const PLAIN: Look = Look {
    fg: Color::Reset,
    bg: Color::Reset,
    modifier: Modifier::empty(),
};
/// Modifiers that can be seen on a blank.
const SEEN_ON_BLANKS: Modifier = Modifier::UNDERLINED
    .union(Modifier::REVERSED)
    .union(Modifier::CROSSED_OUT);

impl Look {
    fn of(cell: &Cell) -> Look {
        let look = Look {
            fg: cell.fg,
            bg: cell.bg,
            modifier: cell.modifier,
        };
        match cell.symbol() == " " && !look.modifier.intersects(SEEN_ON_BLANKS) {
            true => Look {
                bg: cell.bg,
                ..PLAIN
            },
            false => look,
        }
    }

    /// True when a plain blank written in this look is seen as one.
    fn leaves_blanks_plain(self) -> bool {
        self.bg == Color::Reset && !self.modifier.intersects(SEEN_ON_BLANKS)
    }
}

/// One column of a row: the start of a glyph, or the rest of a wide one (an empty text).
#[derive(Clone, Debug)]
struct Column {
    /// The glyph that starts here.
    cell: Option<Cell>,
    look: Look,
}

impl PartialEq for Column {
    fn eq(&self, other: &Column) -> bool {
        self.look == other.look && self.text() == other.text()
    }
}

impl Eq for Column {}

impl Hash for Column {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.look.hash(state);
        self.text().hash(state);
    }
}

impl Column {
    const BLANK: Column = Column {
        cell: Some(Cell::EMPTY),
        look: PLAIN,
    };

    fn text(&self) -> &str {
        self.cell.as_ref().map_or("", Cell::symbol)
    }

    fn is_blank(&self) -> bool {
        self.look == PLAIN && self.text() == " "
    }

    /// One character that every terminal shows in one column.
    fn is_sure(&self) -> bool {
        let text = self.text();
        text.len() == 1 || text.chars().count() == 1 && text.cell_width() == 1
    }
}

/// The columns of a row, with a hash of them: rows are compared with each other many times a frame.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    hash: u64,
    columns: Vec<Column>,
}

/// A row stays the same one from frame to frame while nothing in it changes.
type Row = Rc<Line>;

impl Deref for Line {
    type Target = [Column];

    fn deref(&self) -> &[Column] {
        &self.columns
    }
}

impl Line {
    fn new(columns: Vec<Column>) -> Row {
        let mut hasher = FxHasher::default();
        columns.hash(&mut hasher);
        let hash = hasher.finish();
        Rc::new(Line { hash, columns })
    }

    fn blank(width: usize) -> Row {
        Line::new(vec![Column::BLANK; width])
    }

    /// The row of these cells; what a wide glyph covers is empty.
    fn of(cells: &[Cell]) -> Row {
        let mut row = Vec::with_capacity(cells.len());
        while row.len() < cells.len() {
            let cell = &cells[row.len()];
            let look = Look::of(cell);
            let columns = usize::from(cell.symbol().cell_width().max(1));
            let columns = columns.min(cells.len() - row.len());
            row.push(Column {
                cell: Some(cell.clone()),
                look,
            });
            row.extend((1..columns).map(|_| Column { cell: None, look }));
        }
        Line::new(row)
    }

    /// True when the row of these cells is this one.
    fn is_of(&self, cells: &[Cell]) -> bool {
        let mut both = self.iter().zip(cells);
        self.len() == cells.len()
            && both.all(|(column, cell)| column.cell.as_ref().is_none_or(|own| own == cell))
    }
}

/// The rows of a buffer, those that are as they were shown taken from there.
fn rows(buffer: &Buffer, shown: &[Row]) -> Vec<Row> {
    let width = usize::from(buffer.area.width).max(1);
    let rows = buffer.content.chunks_exact(width).enumerate();
    rows.map(|(y, cells)| match shown.get(y) {
        Some(row) if row.is_of(cells) => Rc::clone(row),
        _ => Line::of(cells),
    })
    .collect()
}

/// Where the glyph in column `at` starts and ends.
fn glyph(row: &Row, at: usize) -> Range<usize> {
    let start = (0..=at).rev().find(|&x| row[x].cell.is_some());
    let start = start.unwrap_or(0);
    let end = (start + 1..row.len()).find(|&x| row[x].cell.is_some());
    start..end.unwrap_or(row.len())
}

/// Writes frames.
#[derive(Default)]
pub struct Painter {
    /// What the terminal shows; none when that is not known.
    shown: Option<Vec<Row>>,
}

impl Painter {
    /// What the terminal shows is not known any more: the next frame is written whole.
    pub fn forget(&mut self) {
        self.shown = None;
    }

    /// The bytes that turn what is shown into this frame. The cursor is left anywhere.
    pub fn paint(&mut self, frame: &Buffer) -> Vec<u8> {
        let next = rows(frame, self.shown.as_deref().unwrap_or_default());
        let mut pen = Pen::default();
        let mut shown = match self.shown.take() {
            Some(shown) if same_size(&shown, &next) => shown,
            _ => {
                pen.put("\x1b[m\x1b[H\x1b[2J");
                next.iter().map(|row| Line::blank(row.len())).collect()
            }
        };
        if let Some(scroll) = Scroll::find(&shown, &next) {
            scroll.perform(&mut pen, &mut shown);
        }
        for (y, (old, new)) in shown.iter().zip(&next).enumerate() {
            if old != new {
                paint_row(&mut pen, y, old, new);
            }
        }
        pen.set_look(PLAIN);
        self.shown = Some(next);
        pen.bytes
    }
}

fn same_size(a: &[Row], b: &[Row]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.len() == b.len())
}

/// Rows that moved up or down together, over the whole width.
struct Scroll {
    /// The rows that take part.
    region: Range<usize>,
    /// How far up; down when negative.
    up: isize,
}

impl Scroll {
    /// The move that saves most.
    fn find(shown: &[Row], next: &[Row]) -> Option<Scroll> {
        let first = (0..next.len()).find(|&y| shown[y] != next[y])?;
        let last = (0..next.len()).rfind(|&y| shown[y] != next[y])?;
        let height = (last + 1 - first) as isize;
        let weight = |row: &Row| row.iter().filter(|c| !c.is_blank()).count();
        let mut best: Option<(usize, Scroll)> = None;
        for up in (1 - height..height).filter(|&up| up != 0) {
            let mut run: Option<(usize, usize)> = None;
            for y in first..=last + 1 {
                let from = y.checked_add_signed(up);
                let from = from.filter(|f| (first..=last).contains(f) && y <= last);
                match (from, run) {
                    (Some(from), start) if shown[from] == next[y] => {
                        // What stood there already is no gain.
                        let gain = match shown[y] == next[y] {
                            true => 0,
                            false => weight(&next[y]),
                        };
                        let (start, gained) = start.unwrap_or((y, 0));
                        run = Some((start, gained + gain));
                    }
                    (_, Some((start, gain))) => {
                        run = None;
                        if gain >= SCROLL_FROM && best.as_ref().is_none_or(|(b, _)| gain > *b) {
                            let from = start.saturating_add_signed(up);
                            let to = (y - 1).saturating_add_signed(up);
                            let region = start.min(from)..y.max(to + 1);
                            best = Some((gain, Scroll { region, up }));
                        }
                    }
                    (_, None) => {}
                }
            }
        }
        best.map(|(_, scroll)| scroll)
    }

    fn perform(&self, pen: &mut Pen, shown: &mut [Row]) {
        let Range { start, end } = self.region;
        let by = self.up.unsigned_abs();
        pen.put(&format!("\x1b[{};{end}r", start + 1));
        let region = &mut shown[self.region.clone()];
        let blank = match self.up > 0 {
            true => {
                pen.put(&format!("\x1b[{end};1H{}", "\n".repeat(by)));
                region.rotate_left(by);
                region.len() - by..region.len()
            }
            false => {
                pen.put(&format!("\x1b[{};1H{}", start + 1, "\x1bM".repeat(by)));
                region.rotate_right(by);
                0..by
            }
        };
        for row in &mut region[blank] {
            *row = Line::blank(row.len());
        }
        pen.put("\x1b[r");
    }
}

/// Writes the columns of a row that differ.
fn paint_row(pen: &mut Pen, y: usize, old: &Row, new: &Row) {
    let dirty = dirty(old, new);
    // From here on the row is blank.
    let end = new.iter().rposition(|c| !c.is_blank()).map_or(0, |x| x + 1);
    let mut x = 0;
    while x < new.len() {
        if !dirty[x] {
            x += 1;
            continue;
        }
        if new[x].is_blank() {
            let blanks = new[x..].iter().take_while(|c| c.is_blank()).count();
            // Of these, the ones that are not blank yet.
            let stale = (x..x + blanks)
                .rfind(|&x| dirty[x])
                .map_or(1, |l| l + 1 - x);
            if x >= end && stale > 2 {
                pen.go(y, x, new);
                pen.set_blank_look();
                pen.put("\x1b[K");
                return;
            }
            if stale >= ERASE_FROM {
                pen.go(y, x, new);
                pen.set_blank_look();
                pen.put(&format!("\x1b[{stale}X"));
                x += stale;
                continue;
            }
        }
        let span = glyph(new, x);
        pen.go(y, x, new);
        pen.write(&new[x], span.len(), new.len());
        x = span.end;
    }
}

/// Which columns are to be written: what differs, whole glyphs only.
fn dirty(old: &Row, new: &Row) -> Vec<bool> {
    let mut dirty: Vec<bool> = old.iter().zip(new.iter()).map(|(a, b)| a != b).collect();
    let is_covered = |column: &Column| column.cell.is_none();
    if old.iter().any(is_covered) || new.iter().any(is_covered) {
        while widen(&mut dirty, old) || widen(&mut dirty, new) {}
    }
    // A terminal may show this glyph in more columns than it has: what follows is written over it.
    let unsure = (0..new.len()).find(|&x| dirty[x] && new[x].cell.is_some() && !new[x].is_sure());
    if let Some(x) = unsure {
        dirty[x..].fill(true);
    }
    dirty
}

/// Glyphs that are dirty in part become dirty as a whole; true when there were some.
fn widen(dirty: &mut [bool], row: &Row) -> bool {
    let mut grown = false;
    let mut x = 0;
    while x < row.len() {
        let span = glyph(row, x);
        let part = &mut dirty[span.clone()];
        if part.contains(&true) && part.contains(&false) {
            part.fill(true);
            grown = true;
        }
        x = span.end;
    }
    grown
}

/// Where the terminal's cursor is and how it writes, while painting.
struct Pen {
    bytes: Vec<u8>,
    /// Row and column; none when not known.
    at: Option<(usize, usize)>,
    look: Look,
}

impl Default for Pen {
    fn default() -> Pen {
        Pen {
            bytes: Vec::new(),
            at: None,
            look: PLAIN,
        }
    }
}

impl Pen {
    fn put(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn set_look(&mut self, to: Look) {
        if self.look != to {
            let change = change(self.look, to);
            self.put(&change);
            self.look = to;
        }
    }

    fn set_blank_look(&mut self) {
        if !self.look.leaves_blanks_plain() {
            self.set_look(PLAIN);
        }
    }

    /// Goes to a column by the shortest way; `row` is what the terminal is to show there.
    fn go(&mut self, y: usize, x: usize, row: &Row) {
        let jump = format!("\x1b[{};{}H", y + 1, x + 1);
        let way = match self.at {
            Some(at) if at == (y, x) => return,
            Some((row_at, from)) if row_at == y && from < x => self.forward(&row[from..x]),
            Some((row_at, from)) if FEED_GOES_DOWN && row_at + 1 == y => match from == x {
                true => "\n".to_string(),
                false if x == 0 => "\r\n".to_string(),
                false => format!("\n\x1b[{}G", x + 1),
            },
            _ => jump.clone(),
        };
        let shortest = if way.len() < jump.len() { way } else { jump };
        self.put(&shortest);
        self.at = Some((y, x));
    }

    /// Over columns that are right already: written again, or jumped over.
    fn forward(&self, over: &[Column]) -> String {
        let step = match over.len() {
            1 => "\x1b[C".to_string(),
            by => format!("\x1b[{by}C"),
        };
        let again = over.iter().all(|c| {
            let looks_right =
                c.look == self.look || c.is_blank() && self.look.leaves_blanks_plain();
            looks_right && c.is_sure()
        });
        let text: String = over.iter().map(Column::text).collect();
        match again && text.len() <= step.len() {
            true => text,
            false => step,
        }
    }

    fn write(&mut self, column: &Column, columns: usize, width: usize) {
        if !(column.is_blank() && self.look.leaves_blanks_plain()) {
            self.set_look(column.look);
        }
        let at = self.at;
        if !column.is_sure()
            && let Some((y, x)) = at
        {
            // Where a terminal shows it narrower nothing old stays beside it.
            let clean = format!("{}\x1b[{};{}H", " ".repeat(columns), y + 1, x + 1);
            self.put(&clean);
            // A terminal that joins no characters must not wrap into the next row.
            let apart: usize = column.text().chars().map(width_of).sum();
            let first = column.text().chars().next();
            if let (true, Some(first)) = (x + apart > width, first) {
                self.put(first.encode_utf8(&mut [0; 4]));
                self.at = None;
                return;
            }
        }
        self.put(column.text());
        // Where terminals disagree on a width, or are about to wrap, the next move is absolute.
        self.at = at
            .map(|(y, x)| (y, x + columns))
            .filter(|(_, x)| column.is_sure() && *x < width);
    }
}

fn width_of(c: char) -> usize {
    c.encode_utf8(&mut [0; 4]).cell_width().into()
}

/// Modifiers with the codes that set them.
const MODIFIERS: [(Modifier, u8); 9] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::SLOW_BLINK, 5),
    (Modifier::RAPID_BLINK, 6),
    (Modifier::REVERSED, 7),
    (Modifier::HIDDEN, 8),
    (Modifier::CROSSED_OUT, 9),
];
/// Modifiers that end together, with the code that ends them.
const GROUPS: [(Modifier, u8); 7] = [
    (Modifier::BOLD.union(Modifier::DIM), 22),
    (Modifier::ITALIC, 23),
    (Modifier::UNDERLINED, 24),
    (Modifier::SLOW_BLINK.union(Modifier::RAPID_BLINK), 25),
    (Modifier::REVERSED, 27),
    (Modifier::HIDDEN, 28),
    (Modifier::CROSSED_OUT, 29),
];

/// The shortest sequence from one look to another.
fn change(from: Look, to: Look) -> String {
    if to == PLAIN {
        return "\x1b[m".into();
    }
    let mut whole = vec!["0".to_string()];
    let mut step: Vec<String> = Vec::new();
    let mut kept = from.modifier;
    // Bold and dim end together, and which of them wins is the terminal's choice; so the blinks.
    for (group, end) in GROUPS {
        if from.modifier.intersects(group) && from.modifier & group != to.modifier & group {
            kept.remove(group);
            step.push(end.to_string());
        }
    }
    for (modifier, begin) in MODIFIERS {
        if to.modifier.contains(modifier) {
            whole.push(begin.to_string());
            if !kept.contains(modifier) {
                step.push(begin.to_string());
            }
        }
    }
    for (before, after, ground) in [(from.fg, to.fg, 0), (from.bg, to.bg, 10)] {
        if after != Color::Reset {
            whole.push(colour(after, ground));
        }
        if before != after {
            step.push(colour(after, ground));
        }
    }
    let (whole, step) = (whole.join(";"), step.join(";"));
    let codes = if whole.len() < step.len() {
        whole
    } else {
        step
    };
    format!("\x1b[{codes}m")
}

fn colour(color: Color, ground: u8) -> String {
    let basic = |n: u8| (n + ground).to_string();
    match color {
        Color::Reset => basic(39),
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
        Color::Indexed(n) => format!("{};5;{n}", 38 + ground),
        Color::Rgb(r, g, b) => format!("{};2;{r};{g};{b}", 38 + ground),
    }
}

#[cfg(test)]
mod tests;
