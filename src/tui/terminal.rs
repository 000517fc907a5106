//! The terminal: taken, given back on every way out, and written to in whole frames.

use std::convert::Infallible;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::thread::{self, ThreadId};

use anyhow::{Context, Result};
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::execute;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use ratatui::Terminal;
use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

use super::app::App;
use super::paint::Painter;
use super::theme::Colours;
use super::view;
use crate::caught;

/// Set while the terminal is ours.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// What a terminal must be for the workbench.
///
/// # Errors
/// In words for the user, with what to do instead.
pub fn check() -> Result<()> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        anyhow::bail!(
            "the workbench needs a terminal to read keys from and draw on; \
             in a script or a pipe use `tenleaf ask \"...\"`"
        );
    }
    if std::env::var("TERM").is_ok_and(|term| term == "dumb") {
        anyhow::bail!(
            "TERM=dumb: this terminal cannot place text; use `tenleaf ask \"...\"`, \
             or set TERM to what the terminal is (xterm-256color, say)"
        );
    }
    Ok(())
}

/// The terminal, taken.
pub struct Console {
    terminal: Terminal<Stage>,
    painter: Painter,
    /// Where the cursor was put last; none while it is hidden, the outer none when not known.
    cursor: Option<Option<Position>>,
    colours: Colours,
}

impl Console {
    /// Takes the terminal: raw mode, its other screen, pastes told from keys.
    ///
    /// # Errors
    /// When the terminal refuses.
    pub fn take(colours: Colours) -> Result<Console> {
        enter().context("taking the terminal")?;
        let stage = Stage {
            size: Size::new(1, 1),
            cursor: None,
        };
        let Ok(terminal) = Terminal::new(stage);
        Ok(Console {
            terminal,
            painter: Painter::default(),
            cursor: None,
            colours,
        })
    }

    /// Columns and rows.
    ///
    /// # Errors
    /// When the terminal does not say.
    pub fn size(&self) -> io::Result<Size> {
        let (width, height) = crossterm::terminal::size()?;
        Ok(Size { width, height })
    }

    /// Draws a state as one synchronized update, written at once.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn draw(&mut self, app: &App) -> io::Result<()> {
        self.terminal.backend_mut().size = self.size()?;
        let colours = self.colours;
        let Ok(frame) = self.terminal.draw(|frame| {
            view::draw(app, frame);
            colours.apply(frame.buffer_mut());
        });
        let changes = self.painter.paint(frame.buffer);
        let cursor = self.terminal.backend().cursor;
        let moved = Some(cursor) != self.cursor || !changes.is_empty();
        if changes.is_empty() && !moved {
            return Ok(());
        }
        let mut out = Vec::with_capacity(changes.len() + 64);
        crossterm::queue!(out, BeginSynchronizedUpdate)?;
        if !matches!(self.cursor, Some(None)) && cursor.is_none() {
            crossterm::queue!(out, Hide)?;
        }
        out.extend(changes);
        if let Some(at) = cursor {
            crossterm::queue!(out, MoveTo(at.x, at.y))?;
            if !matches!(self.cursor, Some(Some(_))) {
                crossterm::queue!(out, Show)?;
            }
        }
        crossterm::queue!(out, EndSynchronizedUpdate)?;
        self.cursor = Some(cursor);
        self.send(&out)
    }

    /// Forgets what is on the screen: the next frame is drawn whole.
    pub fn forget(&mut self) {
        self.painter.forget();
        self.cursor = None;
    }

    /// Sends bytes that are not part of a frame.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }

    /// Reports the mouse or not.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn mouse(&mut self, on: bool) -> io::Result<()> {
        match on {
            true => execute!(io::stdout(), EnableMouseCapture),
            false => execute!(io::stdout(), DisableMouseCapture),
        }
    }

    /// Gives the terminal back for a while.
    pub fn leave(&mut self) {
        restore();
    }

    /// Takes it again after [`Console::leave`]; the next frame is drawn whole.
    ///
    /// # Errors
    /// When the terminal refuses.
    pub fn retake(&mut self, mouse: bool) -> io::Result<()> {
        enter()?;
        self.forget();
        self.mouse(mouse)
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        restore();
    }
}

/// What ratatui draws on: it keeps size and cursor, the painter writes the rest.
struct Stage {
    size: Size,
    cursor: Option<Position>,
}

impl Backend for Stage {
    type Error = Infallible;

    fn draw<'a, I>(&mut self, _: I) -> Result<(), Infallible>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        Ok(())
    }

    fn hide_cursor(&mut self) -> Result<(), Infallible> {
        self.cursor = None;
        Ok(())
    }

    fn show_cursor(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn get_cursor_position(&mut self) -> Result<Position, Infallible> {
        Ok(self.cursor.unwrap_or_default())
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), Infallible> {
        self.cursor = Some(position.into());
        Ok(())
    }

    fn clear(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn clear_region(&mut self, _: ClearType) -> Result<(), Infallible> {
        Ok(())
    }

    fn size(&self) -> Result<Size, Infallible> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> Result<WindowSize, Infallible> {
        Ok(WindowSize {
            columns_rows: self.size,
            pixels: Size::default(),
        })
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

fn enter() -> io::Result<()> {
    remember_mode();
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let entered = execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste);
    if entered.is_err() {
        restore();
    }
    entered
}

/// Gives the terminal back as it was. Nothing happens when it is not ours.
pub fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // A terminal that is gone takes nothing back; there is no one to tell.
    let mut out = io::stdout();
    let _ = out
        .write_all(GIVEN_BACK.as_bytes())
        .and_then(|()| out.flush());
    let _ = disable_raw_mode();
}

/// [`restore`] for the handler of a signal that ends us: no lock, no memory from the heap.
pub fn give_back_at_once() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mode = MODE.load(Ordering::SeqCst);
    // SAFETY: the bytes live as long as the program; descriptors touch no memory of ours; `mode` is null or what
    // `remember_mode` left for good.
    unsafe {
        // Another thread may be drawing: what it writes from now on goes nowhere.
        let terminal = libc::dup(libc::STDOUT_FILENO);
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        let out = match terminal >= 0 && nowhere >= 0 {
            true => {
                libc::dup2(nowhere, libc::STDOUT_FILENO);
                terminal
            }
            false => libc::STDOUT_FILENO,
        };
        libc::write(out, GIVEN_BACK.as_ptr().cast(), GIVEN_BACK.len());
        if !mode.is_null() {
            libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, mode);
        }
    }
}

/// Ends a frame, the mouse's reports and the marks around pastes, leaves the other screen, shows the cursor.
const GIVEN_BACK: &str = "\x1b[?2026l\x1b[?1006l\x1b[?1015l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?2004l\
    \x1b[?1049l\x1b[?25h";

/// The terminal's line mode before it was taken, for [`give_back_at_once`]; crossterm keeps its own behind a lock.
static MODE: AtomicPtr<libc::termios> = AtomicPtr::new(std::ptr::null_mut());

fn remember_mode() {
    // SAFETY: an all-zero termios is a valid value, and the pointer is to it.
    let mode = unsafe {
        let mut mode: libc::termios = std::mem::zeroed();
        match libc::tcgetattr(libc::STDIN_FILENO, &raw mut mode) {
            0 => mode,
            _ => return,
        }
    };
    // Never freed: a signal may be reading the one before. It is a few bytes each time the terminal is taken.
    MODE.store(Box::leak(Box::new(mode)), Ordering::SeqCst);
}

/// On a panic of the drawing thread the terminal is given back before anything is printed; the
/// panic of another thread is logged and told on the screen, which stays.
pub fn restore_on_panic() {
    let drawing: ThreadId = thread::current().id();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if caught::is_quiet() {
            // It is caught, and told as an error.
        } else if thread::current().id() == drawing {
            restore();
            before(info);
        } else if TAKEN.load(Ordering::SeqCst) {
            let backtrace = std::backtrace::Backtrace::force_capture();
            tracing::error!("{info}\n{backtrace}");
        } else {
            before(info);
        }
    }));
}

#[cfg(test)]
mod tests {
    use crossterm::event::DisableBracketedPaste;
    use crossterm::terminal::LeaveAlternateScreen;

    use super::*;

    #[test]
    fn what_was_switched_on_is_switched_off() {
        let mut off = Vec::new();
        crossterm::queue!(
            off,
            EndSynchronizedUpdate,
            DisableMouseCapture,
            DisableBracketedPaste,
            LeaveAlternateScreen,
            Show
        )
        .unwrap();
        assert_eq!(String::from_utf8(off).unwrap(), GIVEN_BACK);
    }
}
