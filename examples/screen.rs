//! Draws the workbench as an SVG: starts it in a pty, types, waits until it rests, and writes what
//! stands on the screen. The README's picture is made by `make screen`.
//!
//! ```text
//! screen PROGRAM OUT.svg COLUMNSxROWS "what to type"
//! ```
//!
//! `\n`, `\t` and `\e` in what to type are Enter, Tab and Escape.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use vt100::{Cell, Color, Parser};

/// The screen rests when nothing has come for this long: generous, for a busy machine.
const REST: Duration = Duration::from_secs(3);
/// Every frame ends so: a synchronized update.
const FRAME_END: &[u8] = b"\x1b[?2026l";
/// And after this long at the latest.
const PATIENCE: Duration = Duration::from_secs(30);

const CELL_WIDTH: f64 = 8.4;
const CELL_HEIGHT: f64 = 18.0;
const MARGIN: f64 = 12.0;
const BACKGROUND: &str = "#14171c";
const FOREGROUND: &str = "#d6d9de";

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [program, out, size, typed] = args.as_slice() else {
        bail!("usage: screen PROGRAM OUT.svg COLUMNSxROWS \"what to type\"");
    };
    let (columns, rows) = size
        .split_once('x')
        .and_then(|(columns, rows)| Some((columns.parse().ok()?, rows.parse().ok()?)))
        .context("the size is COLUMNSxROWS, 120x36 say")?;
    let parser = run(program, columns, rows, &unescape(typed))?;
    std::fs::write(out, svg(&parser, columns, rows)).with_context(|| format!("writing {out}"))
}

fn unescape(typed: &str) -> String {
    typed
        .replace("\\n", "\r")
        .replace("\\t", "\t")
        .replace("\\e", "\x1b")
}

/// Runs the program, types, and gives back the terminal with what it shows at rest.
fn run(program: &str, columns: u16, rows: u16, typed: &str) -> Result<Parser> {
    let pty = native_pty_system().openpty(PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    })?;
    let mut command = CommandBuilder::new(program);
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    command.env_remove("NO_COLOR");
    command.cwd(std::env::current_dir()?);
    let mut child = pty.slave.spawn_command(command)?;
    drop(pty.slave);
    let mut reader = pty.master.try_clone_reader()?;
    let mut writer = pty.master.take_writer()?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = [0; 64 * 1024];
        while let Ok(n @ 1..) = reader.read(&mut buffer) {
            if sender.send(buffer[..n].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut parser = Parser::new(rows, columns, 0);
    let mut settle = || -> Result<()> {
        let start = Instant::now();
        let mut drawn = false;
        while start.elapsed() < PATIENCE {
            match receiver.recv_timeout(REST) {
                Ok(bytes) => {
                    drawn |= bytes.windows(FRAME_END.len()).any(|part| part == FRAME_END);
                    parser.process(&bytes);
                }
                Err(RecvTimeoutError::Timeout) if drawn => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => bail!("the program ended on its own"),
            }
        }
        Ok(())
    };
    settle()?;
    // A key at a time, as a person types: a burst might be taken for a paste.
    for key in typed.chars() {
        writer.write_all(key.to_string().as_bytes())?;
        writer.flush()?;
        thread::sleep(Duration::from_millis(15));
    }
    settle()?;
    child.kill()?;
    child.wait()?;
    Ok(parser)
}

fn svg(parser: &Parser, columns: u16, rows: u16) -> String {
    let width = f64::from(columns) * CELL_WIDTH + 2.0 * MARGIN;
    let height = f64::from(rows) * CELL_HEIGHT + 2.0 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"ui-monospace, 'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n"
    );
    let screen = parser.screen();
    for row in 0..rows {
        let cells: Vec<(u16, &Cell)> = (0..columns)
            .filter_map(|column| Some((column, screen.cell(row, column)?)))
            .filter(|(_, cell)| !cell.is_wide_continuation())
            .collect();
        for run in cells.chunk_by(|(_, a), (_, b)| Look::of(a) == Look::of(b)) {
            draw(&mut out, row, run);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// One run of cells that look the same.
fn draw(out: &mut String, row: u16, run: &[(u16, &Cell)]) {
    let (column, first) = run[0];
    let look = Look::of(first);
    let cells: u16 = run
        .iter()
        .map(|(_, c)| if c.is_wide() { 2 } else { 1 })
        .sum();
    let x = MARGIN + f64::from(column) * CELL_WIDTH;
    let y = MARGIN + f64::from(row) * CELL_HEIGHT;
    let width = f64::from(cells) * CELL_WIDTH;
    if look.background != BACKGROUND {
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{CELL_HEIGHT}\" fill=\"{}\"/>",
            look.background
        );
    }
    let text: String = run
        .iter()
        .map(|(_, cell)| {
            if cell.has_contents() {
                cell.contents()
            } else {
                " "
            }
        })
        .collect();
    if text.trim().is_empty() {
        return;
    }
    let mut style = String::new();
    if look.bold {
        style.push_str(" font-weight=\"bold\"");
    }
    if look.italic {
        style.push_str(" font-style=\"italic\"");
    }
    if look.underline {
        style.push_str(" text-decoration=\"underline\"");
    }
    if look.dim {
        style.push_str(" opacity=\"0.6\"");
    }
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{:.1}\" textLength=\"{width:.1}\" xml:space=\"preserve\" fill=\"{}\"{style}>{text}</text>",
        y + 13.5,
        look.foreground
    );
}

#[derive(PartialEq)]
struct Look {
    foreground: String,
    background: String,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
}

impl Look {
    fn of(cell: &Cell) -> Look {
        let mut foreground = colour(cell.fgcolor(), FOREGROUND);
        let mut background = colour(cell.bgcolor(), BACKGROUND);
        if cell.inverse() {
            std::mem::swap(&mut foreground, &mut background);
        }
        Look {
            foreground,
            background,
            bold: cell.bold(),
            dim: cell.dim(),
            italic: cell.italic(),
            underline: cell.underline(),
        }
    }
}

fn colour(colour: Color, default: &str) -> String {
    const NAMED: [&str; 16] = [
        "#3b4048", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf",
        "#5c6370", "#ef7a83", "#a5d189", "#f0cd88", "#74bcf7", "#d28ae8", "#66c6d2", "#ffffff",
    ];
    match colour {
        Color::Default => default.to_string(),
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Idx(n @ 0..16) => NAMED[usize::from(n)].to_string(),
        Color::Idx(n @ 16..232) => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = n - 16;
            format!(
                "#{:02x}{:02x}{:02x}",
                level(n / 36),
                level(n / 6 % 6),
                level(n % 6)
            )
        }
        Color::Idx(n) => {
            let grey = 8 + 10 * (n - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}
