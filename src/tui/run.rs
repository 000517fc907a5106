//! The loop: one biased `select!` over signals, replies and input. Nothing ticks; a frame is drawn
//! only after a change, and while more pours in than can be handled at once, every [`FRAME`].

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use crossterm::event::Event;
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::action::Action;
use super::analysis::{self, Analyst};
use super::app::{App, Effect, Job, Notice, Start};
use super::clipboard::{self, Route};
use super::finder::NoLibrary;
use super::input::Input;
use super::side::{self, Background, Task};
use super::signals::{Happened, Signals, Stoppable, Stopped, ended_by, is_gone};
use super::terminal::{self, Console};
use super::update::{Message, update};
use super::viewer;
use super::warm::Warmer;
use super::worker::Worker;
use crate::caught::guarded;
use crate::library::job::Cancel;
use crate::library::store::write_beside;

/// Opens the workbench and returns when the user leaves it.
///
/// # Errors
/// When the terminal is none, or is lost.
pub fn run(start: Start, background: Arc<dyn Background>) -> Result<()> {
    terminal::check()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("starting the event loop")?;
    terminal::restore_on_panic();
    let ended = runtime.block_on(async {
        // Signals are caught before the terminal is changed.
        let signals = Signals::catch()?;
        let screen = Console::take(start.colours)?;
        Loop::new(start, background, screen, signals)?.run().await
    })?;
    match ended {
        // The terminal is the user's again.
        Some(signal) => std::process::exit(ended_by(signal)),
        None => Ok(()),
    }
}

/// How long what waits is handled before a frame shows what became of it.
const FRAME: Duration = Duration::from_millis(40);

struct Loop {
    app: App,
    screen: Console,
    signals: Signals,
    input: Input,
    worker: Worker,
    warmer: Warmer,
    analyst: Analyst,
    background: Arc<dyn Background>,
    cancel: Arc<Cancel>,
    send: UnboundedSender<Message>,
    messages: UnboundedReceiver<Message>,
    route: Route,
    clipboard: Option<arboard::Clipboard>,
    effects: Vec<Effect>,
    /// History or saved searches are to be written.
    remember: bool,
    leaving: bool,
    /// The signal that ends it.
    ended: Option<i32>,
    /// Why the library could not be opened.
    failures: UnboundedReceiver<anyhow::Error>,
    send_failure: UnboundedSender<anyhow::Error>,
}

impl Loop {
    fn new(
        start: Start,
        background: Arc<dyn Background>,
        screen: Console,
        signals: Signals,
    ) -> Result<Loop> {
        let (send, messages) = unbounded_channel();
        let to_loop = send.clone();
        let worker = Worker::start(Arc::new(NoLibrary), move |reply| {
            // The loop may have ended.
            let _ = to_loop.send(Message::Engine(reply));
        });
        let to_loop = send.clone();
        let warmer = Warmer::start(move |warmed| {
            let _ = to_loop.send(Message::Warmed(warmed));
        });
        let to_loop = send.clone();
        let analyst = Analyst::start(move |reply| {
            let _ = to_loop.send(Message::Analysis(reply));
        });
        let app = App::new(start, screen.size()?);
        let (send_failure, failures) = unbounded_channel();
        Ok(Loop {
            app,
            screen,
            signals,
            input: Input::start(),
            worker,
            warmer,
            analyst,
            background,
            cancel: Arc::new(Cancel::new()),
            send,
            messages,
            route: Route::from_env(|name| std::env::var(name).ok()),
            clipboard: None,
            effects: Vec::new(),
            remember: false,
            leaving: false,
            ended: None,
            failures,
            send_failure,
        })
    }

    /// Runs until it is time to leave; the signal that said so, if one did.
    async fn run(mut self) -> Result<Option<i32>> {
        match self.serve().await {
            // Who draws on a terminal that is gone may notice before its signal comes.
            Err(_) if is_gone() => {
                self.lost();
                self.remember();
            }
            served => served?,
        }
        self.worker.stop();
        self.warmer.stop();
        self.cancel.cancel();
        match self.failures.try_recv() {
            Ok(error) => Err(error),
            Err(_) => Ok(self.ended),
        }
    }

    async fn serve(&mut self) -> Result<()> {
        if self.app.mouse {
            self.screen.mouse(true)?;
        }
        self.screen.draw(&self.app)?;
        self.open();
        while !self.leaving {
            let mut changed = false;
            if let Some(message) = self.next().await {
                changed |= self.handle(message).await?;
            }
            // What is already waiting is handled first: only the last state of a batch is drawn. A batch
            // ends in time for signals and a frame, however fast input pours in.
            let due = Instant::now() + FRAME;
            while !self.leaving && Instant::now() < due {
                tokio::task::yield_now().await;
                let Some(message) = self.waiting() else { break };
                changed |= self.handle(message).await?;
            }
            self.remember();
            if changed && !self.leaving {
                self.screen.draw(&self.app)?;
            }
        }
        Ok(())
    }

    /// The terminal is gone: it ends as by SIGHUP, whether that was seen first or not.
    fn lost(&mut self) {
        self.leaving = true;
        self.ended.get_or_insert(libc::SIGHUP);
    }

    /// Waits for what happens next; `None` when it is to leave or nothing came of it.
    async fn next(&mut self) -> Option<Message> {
        tokio::select! {
            biased;
            happened = self.signals.next() => match happened {
                Happened::End(signal) => {
                    self.leaving = true;
                    self.ended = Some(signal);
                    None
                }
                Happened::Stop => {
                    if self.suspend(Stopped::Ourselves).await.is_err() {
                        self.lost();
                    }
                    None
                }
                Happened::Resumed => {
                    // The shell had the terminal meanwhile; or it is gone, which the system tells by SIGCONT, too.
                    self.screen.leave();
                    if self.screen.retake(self.app.mouse).is_err() {
                        self.lost();
                    }
                    let size = self.screen.size().ok()?;
                    Some(Message::Input(Event::Resize(size.width, size.height)))
                }
            },
            message = self.messages.recv() => message,
            event = self.input.next() => self.input(event),
        }
    }

    /// What waits already.
    fn waiting(&mut self) -> Option<Message> {
        if let Ok(message) = self.messages.try_recv() {
            return Some(message);
        }
        let event = self.input.waiting();
        event.and_then(|event| self.input(event))
    }

    /// Input as a message; where there is none any more it is time to leave.
    fn input(&mut self, event: io::Result<Event>) -> Option<Message> {
        match event {
            Ok(event) => Some(self.input.message(event, &self.app)),
            Err(error) => {
                tracing::error!("reading the terminal: {error}");
                self.lost();
                None
            }
        }
    }

    async fn handle(&mut self, message: Message) -> Result<bool> {
        match &message {
            Message::Leave => self.leaving = true,
            Message::Opened(_) => self.list_libraries(),
            // The terminal may have moved what it shows.
            Message::Input(Event::Resize(..)) => self.screen.forget(),
            _ => {}
        }
        let finder = self.app.finder.clone();
        let changed = update(&mut self.app, message, &mut self.effects);
        if !Arc::ptr_eq(&finder, &self.app.finder) {
            self.worker.replace(self.app.finder.clone());
        }
        self.perform().await?;
        Ok(changed)
    }

    async fn perform(&mut self) -> Result<()> {
        for effect in std::mem::take(&mut self.effects) {
            match effect {
                Effect::Search(request) => self.worker.search(*request),
                Effect::Warm(request) => self.warmer.ask(&self.app.finder, *request),
                Effect::Page(request) => self.worker.page(request),
                Effect::Copy { what, text } => self.copy(&what, &text)?,
                Effect::Write { path, text } => {
                    self.tell(match write_new(&path, &text) {
                        Ok(()) => Notice::of(format!("written: {}", path.display())),
                        Err(error) => Notice::error(format!("not written: {error:#}")),
                    });
                }
                Effect::Remember => self.remember = true,
                Effect::Child {
                    variable,
                    name,
                    text,
                } => self.child(variable, &name, &text).await?,
                Effect::OpenOriginal { target, page } => {
                    // The system takes its time to say which viewer is its own.
                    let (send, instead) = (self.send.clone(), self.instead());
                    thread::spawn(move || {
                        let opened = viewer::open(&target, page, &instead);
                        let notice = opened.map_or_else(Notice::error, Notice::of);
                        send.send(Message::Tell(notice))
                    });
                }
                Effect::Evaluate(request) => self.analyst.run(&self.app.finder, request),
                Effect::Explain(request) => self.analyst.explain(&self.app.finder, *request),
                Effect::Note(edit) => {
                    // In step, before anything else: a note given is a note kept.
                    let reply = analysis::note(&*self.app.finder, edit);
                    let _ = self.send.send(Message::Analysis(reply));
                }
                Effect::Work(task) => self.work(task),
                Effect::StopWork => self.cancel.cancel(),
                Effect::ListLibraries => self.list_libraries(),
                Effect::Mouse(on) => self.screen.mouse(on)?,
                Effect::Redraw => self.screen.forget(),
                Effect::Suspend => self.suspend(Stopped::Job).await?,
                Effect::Quit => self.leaving = true,
            }
        }
        Ok(())
    }

    /// Writes history and saved searches, once for all that a batch changed.
    fn remember(&mut self) {
        if std::mem::take(&mut self.remember)
            && let Err(words) = self.app.memory.write()
        {
            self.tell(Notice::error(words));
        }
    }

    fn tell(&self, notice: Notice) {
        // The receiver lives as long as the loop.
        let _ = self.send.send(Message::Tell(notice));
    }

    /// What to do where the original cannot be opened.
    fn instead(&self) -> String {
        let key = |action| self.app.keymap.key(action, self.app.focus.place());
        format!(
            "{} reads the text of the page, {} copies its citation",
            key(Action::ViewInPager),
            key(Action::CopyCitation)
        )
    }

    fn copy(&mut self, what: &str, text: &str) -> io::Result<()> {
        let route = match self.route {
            Route::System => match clipboard::system(&mut self.clipboard, text) {
                Ok(()) => {
                    self.tell(Notice::of(format!("{what} copied")));
                    return Ok(());
                }
                Err(error) => {
                    tracing::info!("no system clipboard ({error}): copying by the terminal");
                    Route::by_terminal(|name| std::env::var(name).ok())
                }
            },
            route => route,
        };
        let Route::Osc52 { through } = route else {
            return Ok(());
        };
        if text.len() > clipboard::OSC52_LIMIT {
            let words = format!("{what} is too long for the terminal's clipboard");
            self.tell(Notice::error(words));
            return Ok(());
        }
        self.screen
            .send(clipboard::osc52(text, through).as_bytes())?;
        self.tell(Notice::of(clipboard::sent(what, through)));
        Ok(())
    }

    /// Runs `$PAGER` or `$EDITOR` on a text. The child has the terminal and its keys alone.
    async fn child(&mut self, variable: &str, name: &str, text: &str) -> Result<()> {
        let program = std::env::var(variable)
            .ok()
            .filter(|p| !p.trim().is_empty())
            .unwrap_or_else(|| if variable == "PAGER" { "less" } else { "vi" }.into());
        // The folder goes when the child has ended.
        let (_dir, file) = match page_file(name, text) {
            Ok(made) => made,
            Err(error) => {
                self.tell(Notice::error(format!("{error:#}")));
                return Ok(());
            }
        };
        self.input.stop().await;
        self.screen.leave();
        // Ctrl-Z in the child stops the two of us, as any job.
        let stoppable = Stoppable::new();
        // A pager's value may hold arguments (`less -R`): the shell takes it apart.
        let status = Command::new("sh")
            .arg("-c")
            .arg(format!("{program} \"$1\""))
            .arg("sh")
            .arg(&file)
            .status();
        drop(stoppable);
        self.screen.retake(self.app.mouse)?;
        self.signals.forget_interrupts();
        self.input.resume();
        self.resized()?;
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => self.tell(Notice::error(format!("`{program}` ended with {status}"))),
            Err(error) => self.tell(Notice::error(format!("`{program}` did not start: {error}"))),
        }
        Ok(())
    }

    /// The shell has the terminal until `fg`.
    async fn suspend(&mut self, stopped: Stopped) -> Result<()> {
        self.remember();
        self.input.stop().await;
        self.screen.leave();
        self.signals.stop(stopped).await;
        self.screen.retake(self.app.mouse)?;
        self.input.resume();
        self.resized()
    }

    /// The terminal may have another size by now.
    fn resized(&mut self) -> Result<()> {
        let size = self.screen.size()?;
        let event = Event::Resize(size.width, size.height);
        let _ = self.send.send(Message::Input(event));
        Ok(())
    }

    /// Opens the library on a thread of its own.
    fn open(&self) {
        let (background, send, failed) = (
            self.background.clone(),
            self.send.clone(),
            self.send_failure.clone(),
        );
        thread::spawn(move || {
            let progress = |job: Job| {
                let _ = send.send(Message::Job(Some(job), None));
            };
            match guarded(|| background.open(&progress)) {
                Ok(library) => {
                    let _ = send.send(Message::Job(None, None));
                    let _ = send.send(Message::Opened(library));
                }
                Err(error) => {
                    let _ = failed.send(error);
                    let _ = send.send(Message::Leave);
                }
            }
        });
    }

    fn work(&mut self, task: Task) {
        let background = self.background.clone();
        self.cancel = Arc::new(Cancel::new());
        let (cancel, send) = (self.cancel.clone(), self.send.clone());
        thread::spawn(move || side::work(&*background, &task, &cancel, &send));
    }

    fn list_libraries(&self) {
        let (background, send) = (self.background.clone(), self.send.clone());
        thread::spawn(move || send.send(Message::Libraries(background.libraries())));
    }
}

/// The text of a page in a file of its own, for another program to read.
fn page_file(name: &str, text: &str) -> Result<(TempDir, PathBuf)> {
    let dir = tempfile::tempdir().context("making a folder for the page text")?;
    let file = dir.path().join(name);
    std::fs::write(&file, text).with_context(|| format!("writing {}", file.display()))?;
    Ok((dir, file))
}

/// Writes a whole file that is not there yet.
fn write_new(path: &Path, text: &str) -> Result<()> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    if let Some(dir) = dir.filter(|dir| !dir.is_dir()) {
        anyhow::bail!("there is no folder {}", dir.display());
    }
    let file = write_beside(path, text.as_bytes());
    let file = file.with_context(|| format!("writing {}", path.display()))?;
    file.persist_noclobber(path)
        .map_err(|error| error.error)
        .with_context(|| format!("writing {}", path.display()))?;
    Ok(())
}

/// How long a lost terminal may hold the loop before the process ends without it.
pub const PATIENCE: Duration = Duration::from_millis(500);
