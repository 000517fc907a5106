//! The terminal: taken, given back on every way out, and written to in whole frames.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

use anyhow::{Context, Result};
use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::execute;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Rect, Size};

use super::app::App;
use super::theme::Colours;
use super::view;

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

/// Collects what is written until it is sent at once: a frame is one write.
#[derive(Clone, Default)]
struct Sheet(Rc<RefCell<Vec<u8>>>);

impl Write for Sheet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sheet {
    fn send(&self) -> io::Result<()> {
        let bytes = self.0.take();
        let mut out = io::stdout().lock();
        out.write_all(&bytes)?;
        out.flush()
    }
}

/// The terminal, taken.
pub struct Console {
    terminal: Terminal<CrosstermBackend<Sheet>>,
    sheet: Sheet,
    colours: Colours,
}

impl Console {
    /// Takes the terminal: raw mode, its other screen, pastes told from keys.
    ///
    /// # Errors
    /// When the terminal refuses.
    pub fn take(colours: Colours) -> Result<Console> {
        enter().context("taking the terminal")?;
        let sheet = Sheet::default();
        match Terminal::new(CrosstermBackend::new(sheet.clone())) {
            Ok(terminal) => Ok(Console {
                terminal,
                sheet,
                colours,
            }),
            Err(error) => {
                restore();
                Err(error).context("taking the terminal")
            }
        }
    }

    /// Columns and rows.
    ///
    /// # Errors
    /// When the terminal does not say.
    pub fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Draws a state as one synchronized update.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn draw(&mut self, app: &App) -> io::Result<()> {
        let colours = self.colours;
        crossterm::queue!(self.sheet, BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| {
            view::draw(app, frame);
            colours.apply(frame.buffer_mut());
        })?;
        crossterm::queue!(self.sheet, EndSynchronizedUpdate)?;
        self.sheet.send()
    }

    /// Forgets what is on the screen: the next frame is drawn whole.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn forget(&mut self) -> io::Result<()> {
        // `Terminal::clear` would ask the terminal where its cursor is and wait for the answer.
        let size = self.terminal.size()?;
        self.terminal
            .resize(Rect::new(0, 0, size.width, size.height))
    }

    /// Sends bytes that are not part of a frame.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sheet.write_all(bytes)?;
        self.sheet.send()
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
        self.mouse(mouse)?;
        self.forget()
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        restore();
    }
}

fn enter() -> io::Result<()> {
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
    let _ = execute!(
        io::stdout(),
        EndSynchronizedUpdate,
        DisableMouseCapture,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
}

/// On a panic of the drawing thread the terminal is given back before anything is printed; the
/// panic of another thread is logged and told on the screen, which stays.
pub fn restore_on_panic() {
    let drawing: ThreadId = thread::current().id();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if thread::current().id() == drawing {
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
