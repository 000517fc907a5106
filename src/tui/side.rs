//! Work beside the workbench: filings fetched or added, another library opened. It runs on a thread of
//! its own, tells how far it is, and may ask.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use anyhow::Result;
use tokio::sync::mpsc::UnboundedSender;

use super::action::Action;
use super::app::{App, Effect, Focus, Job, Notice, Opened, Overlay, PromptKind, Screen};
use super::picker::PickerKind;
use super::update::Message;
use crate::add::NOTHING_THERE;
use crate::caught::guarded;
use crate::library::job::Cancel;
use crate::paths::{DEMO, check_library};
use crate::words::with_causes;

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Fetch the FinanceBench filings.
    Fetch,
    /// Add filings.
    Add {
        /// What the user typed, the words of `tenleaf add`.
        line: String,
        /// The library to add to, unless the line names one.
        library: String,
    },
    /// Open another library.
    Open(String),
}

impl Task {
    /// As the screen names it before there is more to say.
    fn words(&self) -> String {
        match self {
            Task::Fetch => "fetching filings".into(),
            Task::Add { .. } => "adding filings".into(),
            Task::Open(library) => format!("opening {library}"),
        }
    }

    /// What is said when it was stopped.
    fn stopped(&self) -> &'static str {
        match self {
            Task::Fetch => "stopped; what was fetched is kept, the same key goes on from there",
            Task::Add { .. } => "stopped; what was added is kept",
            Task::Open(_) => "stopped",
        }
    }
}

/// What the work talks to.
pub struct Desk<'a> {
    /// Takes how far it is.
    pub progress: &'a (dyn Fn(Job) + Sync),
    /// Asks the user; none when there is no answer to be had.
    pub ask: &'a (dyn Fn(String) -> Option<String> + Sync),
    /// Raised when the work is to stop.
    pub cancel: &'a Cancel,
}

/// What the work came to.
pub struct Done {
    /// The library to go on with, where it is another or has changed.
    pub opened: Option<Opened>,
    /// What to tell the user: "360 filings fetched", with what failed; an error where nothing came of it.
    pub notice: Notice,
    /// One line a file.
    pub report: Vec<Reported>,
}

/// What became of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    /// "added  Apple 10-K FY2024".
    pub words: String,
    /// "98 pages".
    pub note: String,
    /// The filing to open, by name.
    pub filing: Option<String>,
}

/// A library as the list of them shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Shelf {
    /// Its name.
    pub name: String,
    /// Its filings.
    pub filings: usize,
    /// Their pages.
    pub pages: usize,
    /// Every filing that can be fetched is in it.
    pub fetched: bool,
}

/// Does the work.
pub trait Background: Send + Sync {
    /// Opens the library; the screen is there already. Tells how far it is where that takes time.
    ///
    /// # Errors
    /// What went wrong: the workbench ends with it.
    fn open(&self, progress: &(dyn Fn(Job) + Sync)) -> Result<Opened>;

    /// Does a task. Stops soon after [`Desk::cancel`].
    ///
    /// # Errors
    /// What went wrong, in words for the user.
    fn work(&self, task: &Task, desk: &Desk<'_>) -> Result<Done>;

    /// The libraries there are.
    fn libraries(&self) -> Vec<Shelf>;
}

/// A question of the work to the user.
pub struct Inquiry {
    /// The question.
    pub words: String,
    /// Takes the answer; none leaves the file out.
    pub answer: Sender<Option<String>>,
}

/// What the work has told and asked so far.
#[derive(Default)]
pub struct Side {
    /// The libraries there are, as last listed.
    pub libraries: Vec<Shelf>,
    /// The question that waits for an answer.
    pub asked: Option<Inquiry>,
    /// What became of the files added last.
    pub report: Vec<Reported>,
    /// What was typed to add filings, until that is done.
    pub typed: String,
    /// There was nothing of that name: it is no good as it is.
    nothing_there: bool,
    /// The library to add to, where the user chose one.
    pub target: Option<String>,
    /// The libraries are listed to choose one to add to.
    choosing: bool,
    /// They are listed to go to one.
    going: bool,
    /// The newest search when the work began: by it one sees whether the user types meanwhile.
    search: u64,
    /// The work adds filings.
    adds: bool,
    /// The library it added to, where the reader stays in another.
    elsewhere: Option<String>,
}

/// The work as a thread runs it.
pub fn work(
    background: &dyn Background,
    task: &Task,
    cancel: &Cancel,
    send: &UnboundedSender<Message>,
) {
    let job = |job| {
        // The loop may have ended.
        let _ = send.send(Message::Job(Some(job), None));
    };
    job(Job {
        what: task.words(),
        words: "starting".into(),
        ..Job::default()
    });
    let ask = |words: String| {
        let (answer, answers) = channel();
        send.send(Message::Asked(Inquiry { words, answer })).ok()?;
        loop {
            match answers.recv_timeout(Duration::from_millis(100)) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) if !cancel.is_cancelled() => {}
                Err(_) => return None,
            }
        }
    };
    let desk = Desk {
        progress: &job,
        ask: &ask,
        cancel,
    };
    let ended = match guarded(|| background.work(task, &desk)) {
        Ok(done) => {
            if let Some(opened) = done.opened {
                let _ = send.send(Message::Opened(opened));
            }
            if !done.report.is_empty() {
                let _ = send.send(Message::Report(done.report));
            }
            done.notice
        }
        Err(_) if cancel.is_cancelled() => Notice::of(task.stopped()),
        Err(error) => {
            tracing::error!("{}: {error:#}", task.words());
            Notice::error(with_causes(&error))
        }
    };
    let _ = send.send(Message::Job(None, Some(ended)));
}

/// Starts a task, unless one runs already.
pub fn start(app: &mut App, task: Task, effects: &mut Vec<Effect>) {
    if let Some(job) = &app.job {
        let key = app.keymap.key(Action::Fetch, app.place());
        let words = format!("{} goes on: {key} stops it", job.what);
        return app.tell(words);
    }
    app.side.search = app.asked;
    app.side.adds = matches!(task, Task::Add { .. });
    effects.push(Effect::Work(task));
}

/// The action that fetches, or stops the work that goes on.
pub fn fetch(app: &mut App, effects: &mut Vec<Effect>) {
    if let Some(job) = &mut app.job {
        job.stopping = true;
        return effects.push(Effect::StopWork);
    }
    if !is_fetched(app) {
        return app.prompt(PromptKind::Fetch, "");
    }
    let key = app.keymap.key(Action::Libraries, app.focus.place());
    let go = match app.library == app.benchmark {
        true => String::new(),
        false => format!(": {key} goes there"),
    };
    app.tell(format!(
        "the 360 FinanceBench filings are here, in {}{go}; originals that are missing come by `tenleaf data fetch`",
        app.benchmark
    ));
}

/// The action that adds: answers what is asked, or asks what to add.
pub fn add(app: &mut App) {
    if app.side.asked.is_some() {
        return app.prompt(PromptKind::Answer, "");
    }
    let typed = app.side.typed.clone();
    app.prompt(PromptKind::AddFilings, &typed);
    if let (true, Some(Overlay::Prompt(prompt))) = (app.side.nothing_there, &mut app.overlay) {
        // Out of the way of another name; undo brings it back.
        prompt.line.set("");
    }
}

/// The libraries are to be listed, to go to one.
pub fn list(app: &mut App, effects: &mut Vec<Effect>) {
    app.side.going = true;
    effects.push(Effect::ListLibraries);
}

/// The libraries with filings besides the demo, as last listed.
pub fn others(app: &App) -> impl Iterator<Item = &Shelf> {
    let libraries = app.side.libraries.iter();
    libraries.filter(|library| library.name != DEMO && library.filings > 0)
}

/// True where every filing that can be fetched is in the benchmark's library.
pub fn is_fetched(app: &App) -> bool {
    others(app).any(|library| library.name == app.benchmark && library.fetched)
}

/// The library that filings are added to: the one chosen, or else the one in use. The demo stays as it
/// is: the library that takes its place gets them.
pub fn target(app: &App) -> &str {
    match &app.side.target {
        Some(chosen) => chosen,
        None if app.demo => &app.benchmark,
        None => &app.library,
    }
}

/// True where what is added changes what an evaluation finds.
pub fn is_evaluated(app: &App) -> bool {
    let labelled = !app.demo && !app.questions.is_empty();
    target(app) == app.benchmark || labelled && target(app) == app.library
}

/// Another library to add to is asked for: what is typed stays.
pub fn choose(app: &mut App, effects: &mut Vec<Effect>) {
    if let Some(prompt) = app.prompted()
        && prompt.kind == PromptKind::AddFilings
    {
        app.side.typed = prompt.line.text().to_string();
        app.side.choosing = true;
        effects.push(Effect::ListLibraries);
    }
}

/// A library to add to was chosen, or named anew.
pub fn chosen(app: &mut App, name: &str) {
    let wrong = match name == DEMO {
        true => Some("the demo stays as it is: name another library".to_string()),
        false => check_library(name).err().map(|error| format!("{error:#}")),
    };
    match wrong {
        Some(words) => app.tell_error(words),
        None => {
            app.side.target = Some(name.to_string());
            add(app);
        }
    }
}

/// A question came: it is put at once, unless the user is at something else.
pub fn asked(app: &mut App, asked: Inquiry) {
    app.side.asked = Some(asked);
    let types = app.focus == Focus::Question && app.asked != app.side.search;
    if app.overlay.is_none() && !types {
        app.prompt(PromptKind::Answer, "");
    }
}

/// Gives the answer typed; none leaves the file out.
pub fn answer(app: &mut App, typed: &str) {
    if let Some(asked) = app.side.asked.take() {
        let answer = (!typed.is_empty()).then(|| typed.to_string());
        // The work may have been stopped meanwhile.
        let _ = asked.answer.send(answer);
    }
}

/// True where the library that filings were added to is not gone to: it is another, and who reads is not
/// taken away from what is read.
pub fn stays(app: &mut App, opened: &Opened) -> bool {
    let at_nothing = app.screen == Screen::Bench
        && app.focus == Focus::Question
        && app.overlay.is_none()
        && app.line.text().trim().is_empty();
    if !app.side.adds || opened.name == app.library || at_nothing {
        return false;
    }
    app.side.elsewhere = Some(opened.name.clone());
    true
}

/// The work ended, with words for the user: what it asked is asked no more.
pub fn ended(app: &mut App, told: Option<Notice>) {
    app.side.asked = None;
    app.side.adds = false;
    let elsewhere = app.side.elsewhere.take();
    let key = app.keymap.key(Action::Libraries, app.pane_place());
    match told {
        Some(notice) if notice.error => {
            app.side.nothing_there = notice.words.contains(NOTHING_THERE);
            app.notice = Some(notice);
        }
        told => {
            app.side.nothing_there = false;
            app.side.typed.clear();
            let gone_on = elsewhere.map(|library| format!("added to {library}: {key} goes there"));
            let words: Vec<String> = told
                .map(|notice| notice.words)
                .into_iter()
                .chain(gone_on)
                .collect();
            if !words.is_empty() {
                app.tell(words.join(" · "));
            }
        }
    }
    if app.is_at(PromptKind::Answer) {
        app.overlay = None;
    }
}

/// The libraries were listed: where the user asked for that one is picked.
pub fn listed(app: &mut App, libraries: Vec<Shelf>) {
    app.side.libraries = libraries;
    if std::mem::take(&mut app.side.choosing) {
        if app.is_at(PromptKind::AddFilings) {
            app.pick_from(PickerKind::AddTo);
        }
        return;
    }
    if std::mem::take(&mut app.side.going) && app.overlay.is_none() {
        app.pick_from(PickerKind::Libraries);
    }
}
