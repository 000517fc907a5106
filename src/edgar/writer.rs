//! Text laid out as it is read: lines, rows of tables, pages.
//!
//! A row of a table becomes one line, its columns two spaces apart. EDGAR's tables cut a figure
//! into cells (`$`, `(4,625`, `)`) and space them with empty ones: a figure is put together again.

use crate::words::one_line;

/// Length of a page where the file marks none, in bytes.
const MADE_UP_PAGE: usize = 3_000;
/// Longest page, in bytes; a longer one is cut.
const MAX_PAGE: usize = 40_000;
/// Tables within tables that are told apart; deeper ones are read as one.
const MAX_NESTED: usize = 64;

#[derive(Default)]
pub(super) struct Writer {
    pages: Vec<String>,
    page: String,
    line: String,
    /// The row being read of each open table.
    tables: Vec<Row>,
    marked: bool,
    preformatted: usize,
}

#[derive(Default)]
struct Row {
    cells: Vec<String>,
    cell: Option<String>,
}

impl Writer {
    /// Appends text where we are; blanks run together.
    pub(super) fn text(&mut self, text: &str) {
        let preformatted = self.preformatted > 0;
        let in_cell = self.tables.last_mut().and_then(|row| row.cell.as_mut());
        if preformatted && in_cell.is_none() {
            let mut lines = text.split('\n');
            self.line.push_str(lines.next().unwrap_or_default());
            for line in lines {
                self.end_line();
                self.line.push_str(line);
            }
            return;
        }
        append(in_cell.unwrap_or(&mut self.line), text);
    }

    /// Ends the line, or a line within a cell.
    pub(super) fn block(&mut self) {
        match self.tables.last_mut().and_then(|row| row.cell.as_mut()) {
            Some(cell) => {
                if !cell.is_empty() && !cell.ends_with('\n') {
                    cell.push('\n');
                }
            }
            None => self.end_line(),
        }
    }

    pub(super) fn preformatted(&mut self, starts: bool) {
        self.block();
        self.preformatted = match starts {
            true => self.preformatted + 1,
            false => self.preformatted.saturating_sub(1),
        };
    }

    pub(super) fn table_start(&mut self) {
        // A table in a cell: the cell is layout, what was read of its row comes before it.
        self.flush_row();
        if self.tables.len() < MAX_NESTED {
            self.tables.push(Row::default());
        }
    }

    pub(super) fn table_end(&mut self) {
        self.flush_row();
        self.tables.pop();
    }

    pub(super) fn row_start(&mut self) {
        self.flush_row();
        if let Some(row) = self.tables.last_mut() {
            row.cell = None;
        }
    }

    pub(super) fn row_end(&mut self) {
        self.row_start();
    }

    pub(super) fn cell_start(&mut self) {
        self.cell_end();
        match self.tables.last_mut() {
            Some(row) => row.cell = Some(String::new()),
            None => self.end_line(),
        }
    }

    pub(super) fn cell_end(&mut self) {
        if let Some(row) = self.tables.last_mut()
            && let Some(cell) = row.cell.take()
            && !cell.trim().is_empty()
        {
            row.cells.push(cell);
        }
    }

    pub(super) fn page_break(&mut self) {
        self.flush_row();
        self.end_line();
        self.marked |= !self.pages.is_empty() || !self.page.is_empty();
        self.end_page();
    }

    /// The pages, and whether the file marked them.
    pub(super) fn finish(mut self) -> (Vec<String>, bool) {
        while !self.tables.is_empty() {
            self.table_end();
        }
        self.end_line();
        self.end_page();
        let marked = self.marked && self.pages.len() > 1;
        if marked {
            return (self.pages, true);
        }
        (
            make_pages(&self.pages),
            self.pages.len() == 1 && self.pages[0].len() < MADE_UP_PAGE,
        )
    }

    /// Writes what was read of the current row; the cell stays open.
    fn flush_row(&mut self) {
        let Some(row) = self.tables.last_mut() else {
            self.end_line();
            return;
        };
        let mut cells = std::mem::take(&mut row.cells);
        if let Some(cell) = &mut row.cell {
            cells.push(std::mem::take(cell));
        }
        cells.retain(|cell| !cell.trim().is_empty());
        match cells.as_slice() {
            [] => self.end_line(),
            // One cell is layout, not a row: its lines stay.
            [cell] => {
                for line in cell.split('\n') {
                    self.end_line();
                    self.line.push_str(line);
                }
            }
            cells => {
                self.end_line();
                self.line = row_text(cells);
            }
        }
        self.end_line();
    }

    fn end_line(&mut self) {
        let line = self.line.trim_end();
        let line = match self.preformatted {
            0 => line.trim_start(),
            _ => line,
        };
        let line = cut(line, &mut self.page, &mut self.pages);
        if !line.trim().is_empty() {
            self.page.push_str(line);
            self.page.push('\n');
        }
        self.line.clear();
        if self.page.len() > MAX_PAGE {
            self.end_page();
        }
    }

    fn end_page(&mut self) {
        let text = self.page.trim_end();
        if !text.trim().is_empty() {
            self.pages.push(text.to_string());
        }
        self.page.clear();
    }
}

/// Cuts a line longer than a page into pages; returns its rest.
fn cut<'a>(mut line: &'a str, page: &mut String, pages: &mut Vec<String>) -> &'a str {
    while line.len() > MAX_PAGE {
        if !page.is_empty() {
            pages.push(std::mem::take(page));
        }
        let limit = line.floor_char_boundary(MAX_PAGE);
        let at = line[..limit]
            .rfind(' ')
            .filter(|&at| at > 0)
            .unwrap_or(limit);
        pages.push(line[..at].to_string());
        line = &line[at..];
    }
    line
}

/// Appends text with blanks run together and invisible characters left out.
fn append(to: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => {}
            c if c.is_whitespace() => {
                if !to.is_empty() && !to.ends_with([' ', '\n']) {
                    to.push(' ');
                }
            }
            c if c.is_control() => {}
            c => to.push(c),
        }
    }
}

/// One line of a row: figures whole, columns two spaces apart.
fn row_text(cells: &[String]) -> String {
    let mut out = String::new();
    // The last cell opens a figure: `$`, `(`, `$(`.
    let mut opened = false;
    for cell in cells {
        let cell = one_line(cell);
        let closes = cell.starts_with([')', '%']);
        if !(out.is_empty() || opened || closes) {
            out.push_str("  ");
        }
        opened = cell
            .chars()
            .all(|c| matches!(c, '$' | '€' | '£' | '¥' | '(' | ' '));
        out.push_str(&cell);
    }
    out
}

/// Pages of about [`MADE_UP_PAGE`] bytes, cut between lines.
fn make_pages(texts: &[String]) -> Vec<String> {
    let mut pages = Vec::new();
    for text in texts {
        let mut page = String::new();
        for line in text.split('\n') {
            if !page.is_empty() && page.len() + line.len() > MADE_UP_PAGE {
                pages.push(std::mem::take(&mut page));
            }
            if !page.is_empty() {
                page.push('\n');
            }
            page.push_str(line);
        }
        if !page.is_empty() {
            pages.push(page);
        }
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_put_figures_together() {
        for (cells, want) in [
            (
                &["Net sales", "$", "391,035", "$", "383,285"][..],
                "Net sales  $391,035  $383,285",
            ),
            (
                &["Other", "$", "(4,625", ")", "(334", ")"],
                "Other  $(4,625)  (334)",
            ),
            (&["Change", "2", "%", "(3", ")%"], "Change  2%  (3)%"),
            (&["A", "(", "12", ")"], "A  (12)"),
        ] {
            let cells: Vec<String> = cells.iter().map(|cell| cell.to_string()).collect();
            assert_eq!(row_text(&cells), want);
        }
    }
}
