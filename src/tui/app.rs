//! The state of the workbench: everything the views draw, and nothing of how.

use std::sync::Arc;

use ratatui::layout::Size;

use super::action::Where;
use super::analysis::{Analysis, CaseRequest, NoteEdit, RunRequest, Tried};
use super::chips::{self, Chip};
use super::export::Export;
use super::finder::{Finder, NoLibrary};
use super::keymap::Keymap;
use super::layout::Panes;
use super::line::Line;
use super::listed;
use super::memory::Memory;
use super::page_view::PageView;
use super::picker::{Picker, PickerKind};
use super::side::{Side, Task};
use super::theme::{Colours, Look, Theme};
use super::warm::WarmRequest;
use super::worker::{Answer, PageRequest, SearchRequest};
use crate::dense::Readiness;
use crate::eval::Question;
use crate::eval::rungs::Rung;
use crate::library::{Filing, PageId, find};
use crate::search::{Outcome, RankedPage, Settings};

/// A library, open.
pub struct Opened {
    /// Its name.
    pub name: String,
    /// Its engine.
    pub finder: Arc<dyn Finder>,
    /// Its labelled questions.
    pub questions: Vec<Question>,
    /// The ladder of evaluation, as far as the engine can climb it.
    pub rungs: Vec<Rung>,
    /// It is the built-in demo.
    pub demo: bool,
}

/// What the workbench starts with. Its library is opened after the first frame.
pub struct Start {
    /// The switches at the start.
    pub settings: Settings,
    /// The keys.
    pub keymap: Keymap,
    /// The theme at the start.
    pub look: Look,
    /// How many colours the terminal shows.
    pub colours: Colours,
    /// Question history and saved searches.
    pub memory: Memory,
    /// The library that the benchmark's filings are fetched into.
    pub benchmark: String,
    /// Where exports are written unless the user names another place.
    pub export_dir: std::path::PathBuf,
    /// The terminal reports the mouse from the start.
    pub mouse: bool,
    /// Something the user should know: history that could not be read, say.
    pub told: Option<String>,
}

/// The screens. Each has its own state, update and view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Screen {
    /// Question, funnel, ranking, page.
    #[default]
    Bench,
    /// Where each labelled question is lost, and why.
    Analysis,
}

/// The pane that has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// The question line.
    Question,
    /// What was read and set.
    Chips,
    /// The funnel.
    Funnel,
    /// The ranked pages.
    Ranking,
    /// The page.
    Page,
}

impl Focus {
    /// The panes in the order Tab visits them.
    pub const ORDER: [Focus; 5] = [
        Focus::Question,
        Focus::Chips,
        Focus::Funnel,
        Focus::Ranking,
        Focus::Page,
    ];

    /// The place of its keys.
    pub fn place(self) -> Where {
        match self {
            Focus::Question => Where::QUESTION,
            Focus::Chips => Where::CHIPS,
            Focus::Funnel => Where::FUNNEL,
            Focus::Ranking => Where::RANKING,
            Focus::Page => Where::PAGE,
        }
    }
}

/// What lies over the panes and has the keys.
pub enum Overlay {
    /// The keys.
    Help {
        /// First row shown.
        top: usize,
        /// Where the keys were when it was opened: its section comes first.
        place: Where,
        /// What it was opened over, and goes back to.
        under: Option<Box<Overlay>>,
    },
    /// What the score of the page under the cursor is made of.
    Why {
        /// First row shown.
        top: usize,
    },
    /// A list with a filter.
    Picker(Picker),
    /// A one-line question to the user.
    Prompt(Prompt),
}

/// A one-line prompt.
pub struct Prompt {
    /// What is asked.
    pub kind: PromptKind,
    /// What is typed.
    pub line: Line,
    /// What it tries out in the error analysis, as it was before.
    pub before: Tried,
}

/// The prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// Find in the page.
    Find,
    /// Go to a page of the filing.
    GoToPage,
    /// The name of a saved search.
    SaveSearch,
    /// Whether to fetch the benchmark's filings.
    Fetch,
    /// The file to write an export to.
    ExportTo,
    /// What to add: files, folders, tickers.
    AddFilings,
    /// What the work in the background asks.
    Answer,
    /// Words the questions of the list hold.
    SearchList,
    /// The question of the list in other words.
    WhatIf,
    /// Words to add to it.
    AddWord,
    /// A new note.
    WriteNote,
    /// A note in other words, by its number.
    ChangeNote(u64),
}

/// A line for the user, shown until the next key.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// The words.
    pub words: String,
    /// Something went wrong.
    pub error: bool,
}

impl Notice {
    /// Something to know.
    pub fn of(words: impl Into<String>) -> Notice {
        Notice {
            words: words.into(),
            error: false,
        }
    }

    /// Something went wrong.
    pub fn error(words: impl Into<String>) -> Notice {
        Notice {
            words: words.into(),
            error: true,
        }
    }
}

/// Work in the background, as the screen shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// "fetching filings".
    pub what: String,
    /// Done and all, in the job's unit.
    pub done: u64,
    /// All of it; 0 when not known.
    pub total: u64,
    /// "128 of 575 MB · 3.1 MB/s · 1:37 left".
    pub words: String,
    /// It was asked to stop.
    pub stopping: bool,
}

/// A search by meaning that MiniLM is made ready for.
pub struct Awaited {
    /// The search.
    pub request: SearchRequest,
    /// What it waits for.
    pub readiness: Readiness,
}

/// The workbench.
pub struct App {
    /// Which screen is shown.
    pub screen: Screen,
    /// The engine, for what is known without searching.
    pub finder: Arc<dyn Finder>,
    /// The library is not open yet.
    pub opening: bool,
    /// Labelled questions.
    pub questions: Vec<Question>,
    /// The keys.
    pub keymap: Keymap,
    /// Which theme is shown.
    pub look: Look,
    /// How many colours the terminal shows.
    pub colours: Colours,
    /// The styles of that theme.
    pub theme: Theme,
    /// Name of the library.
    pub library: String,
    /// The library is the built-in demo.
    pub demo: bool,
    /// The library that the benchmark's filings are fetched into.
    pub benchmark: String,
    /// Where exports are written unless the user names another place.
    pub export_dir: std::path::PathBuf,
    /// What is written once its place is named.
    pub export: Option<Export>,
    /// Columns and rows of the terminal.
    pub size: Size,
    /// The pane that has the keys.
    pub focus: Focus,
    /// The question.
    pub line: Line,
    /// Question history and saved searches.
    pub memory: Memory,
    /// Position in the history while walking it, and the question typed before.
    pub walking: Option<(usize, String)>,
    /// The switches.
    pub settings: Settings,
    /// The labelled question that fills the line.
    pub labels: Option<Question>,
    /// Generation of the newest search asked for.
    pub asked: u64,
    /// The newest answer.
    pub answer: Option<Answer>,
    /// Generation of the search whose answer leaves the reader where they are: it is asked again of the
    /// library opened again.
    pub staying: Option<u64>,
    /// The search that answers once MiniLM is ready for it.
    pub awaited: Option<Awaited>,
    /// Selected ranked page, 0-based.
    pub selected: usize,
    /// Selected stage of the funnel.
    pub stage: usize,
    /// Selected chip.
    pub chip: usize,
    /// The page pane.
    pub page: PageView,
    /// What lies over the panes.
    pub overlay: Option<Overlay>,
    /// A line for the user.
    pub notice: Option<Notice>,
    /// Work in the background.
    pub job: Option<Job>,
    /// What it has told and asked.
    pub side: Side,
    /// The terminal reports the mouse.
    pub mouse: bool,
    /// The error analysis.
    pub analysis: Analysis,
}

/// What the loop is to do after an update.
#[derive(Debug)]
pub enum Effect {
    /// Answer a question.
    Search(Box<SearchRequest>),
    /// Get MiniLM ready for a search.
    Warm(Box<WarmRequest>),
    /// Read a page.
    Page(PageRequest),
    /// Put a text on the clipboard; the words say what it is.
    Copy {
        /// "citation".
        what: String,
        /// The text.
        text: String,
    },
    /// Write a file that is not there yet.
    Write {
        /// Where.
        path: std::path::PathBuf,
        /// Its content.
        text: String,
    },
    /// Write history and saved searches.
    Remember,
    /// Show a text in `$PAGER` or `$EDITOR`.
    Child {
        /// `PAGER` or `EDITOR`.
        variable: &'static str,
        /// Name of the file it is given.
        name: String,
        /// Its text.
        text: String,
    },
    /// Open a file or link in the system viewer, at a 1-based page.
    OpenOriginal {
        /// Path or link.
        target: String,
        /// 1-based page.
        page: u32,
    },
    /// Answer every labelled question.
    Evaluate(RunRequest),
    /// Explain one of them.
    Explain(Box<CaseRequest>),
    /// Read or change the notes.
    Note(NoteEdit),
    /// Start work in the background.
    Work(Task),
    /// Stop it.
    StopWork,
    /// List the libraries there are.
    ListLibraries,
    /// Report the mouse or not.
    Mouse(bool),
    /// Draw everything again.
    Redraw,
    /// Go to the shell.
    Suspend,
    /// Leave.
    Quit,
}

impl App {
    /// The first state.
    pub fn new(start: Start, size: Size) -> App {
        App {
            screen: Screen::Bench,
            finder: Arc::new(NoLibrary),
            opening: true,
            questions: Vec::new(),
            keymap: start.keymap,
            look: start.look,
            colours: start.colours,
            theme: Theme::of(start.look, start.colours),
            library: String::new(),
            demo: false,
            benchmark: start.benchmark,
            export_dir: start.export_dir,
            export: None,
            size,
            focus: Focus::Question,
            line: Line::default(),
            memory: start.memory,
            walking: None,
            settings: start.settings,
            labels: None,
            asked: 0,
            answer: None,
            awaited: None,
            staying: None,
            selected: 0,
            stage: 0,
            chip: 0,
            page: PageView::default(),
            overlay: None,
            notice: start.told.map(Notice::error),
            job: None,
            side: Side::default(),
            mouse: start.mouse,
            analysis: Analysis::new(Vec::new()),
        }
    }

    /// Where keys are pressed now.
    pub fn place(&self) -> Where {
        match &self.overlay {
            Some(Overlay::Help { .. }) => Where::HELP,
            Some(Overlay::Why { .. }) => Where::WHY,
            Some(Overlay::Picker(_)) => Where::PICKER,
            Some(Overlay::Prompt(_)) => Where::PROMPT,
            None => self.pane_place(),
        }
    }

    /// The places of the screen.
    pub fn places(&self) -> Where {
        match self.screen {
            Screen::Bench => Where::BENCH,
            Screen::Analysis => Where::ANALYSIS,
        }
    }

    /// Where keys are pressed when nothing lies over the panes.
    pub fn pane_place(&self) -> Where {
        match self.screen {
            Screen::Bench => self.focus.place(),
            Screen::Analysis => self.analysis.pane.place(),
        }
    }

    /// Where the panes are.
    pub fn panes(&self) -> Panes {
        Panes::of(self)
    }

    /// The newest outcome.
    pub fn outcome(&self) -> Option<&Arc<Outcome>> {
        self.answer.as_ref().map(|a| &a.outcome)
    }

    /// The listed page under the cursor: the one selected, or the one that is read; none when that is
    /// not listed.
    pub fn listed_here(&self) -> Option<&RankedPage> {
        let outcome = self.outcome()?;
        let selected = listed::at(outcome, self.selected);
        match (self.focus, self.page.wanted) {
            (Focus::Page, Some(page)) => selected
                .filter(|listed| listed.page == page)
                .or_else(|| listed::pages(outcome).find(|listed| listed.page == page)),
            _ => selected,
        }
    }

    /// What was read and set, as chips.
    pub fn chips(&self) -> Vec<Chip> {
        let outcome = self.outcome();
        let mut chips = chips::chips(outcome.map(|o| &o.reading), &self.settings.scope);
        let lean = outcome.filter(|o| !o.question.trim().is_empty());
        chips.extend(lean.and_then(|o| o.lean).map(chips::of_lean));
        chips
    }

    /// The filing of this ordinal.
    pub fn filing(&self, ordinal: u32) -> Option<&Filing> {
        self.finder.filings().get(ordinal as usize)
    }

    /// The ordinal of the filing of this name.
    pub fn find_filing(&self, doc_name: &str) -> Option<u32> {
        find(self.finder.filings(), doc_name)
    }

    /// The labelled pages of the question in the line, as far as the library has them.
    pub fn labelled_pages(&self) -> Vec<PageId> {
        let labels = self.labels.iter();
        labels
            .flat_map(|of| of.gold(self.finder.filings()))
            .collect()
    }

    /// True when the labels say this page answers.
    pub fn is_labelled(&self, page: PageId) -> bool {
        self.labels.as_ref().is_some_and(|labels| {
            labels.gold_pages.contains(&page.page)
                && self
                    .filing(page.filing)
                    .is_some_and(|f| f.doc_name == labels.doc_name)
        })
    }

    /// Opens a list.
    pub fn pick_from(&mut self, kind: PickerKind) {
        self.overlay = Some(Overlay::Picker(Picker::of(kind, self)));
    }

    /// Opens a prompt with a text to begin with.
    pub fn prompt(&mut self, kind: PromptKind, text: &str) {
        let mut line = Line::default();
        line.set(text);
        let before = self.analysis.tried();
        self.overlay = Some(Overlay::Prompt(Prompt { kind, line, before }));
    }

    /// The prompt that is open, on top.
    pub fn prompted(&self) -> Option<&Prompt> {
        match &self.overlay {
            Some(Overlay::Prompt(prompt)) => Some(prompt),
            _ => None,
        }
    }

    /// True where that is what the prompt on top asks.
    pub fn is_at(&self, kind: PromptKind) -> bool {
        self.prompted().is_some_and(|prompt| prompt.kind == kind)
    }

    /// Tells the user something.
    pub fn tell(&mut self, words: impl Into<String>) {
        self.notice = Some(Notice::of(words));
    }

    /// Tells the user that something went wrong.
    pub fn tell_error(&mut self, words: impl Into<String>) {
        self.notice = Some(Notice::error(words));
    }
}
