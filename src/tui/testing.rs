//! The workbench without a terminal, for its tests.

mod fake;

pub use fake::Fake;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::action::Action;
use super::analysis::{self, NoteEdit};
use super::app::{App, Effect, Opened, Start};
use super::finder::Finder;
use super::keymap::Chord;
use super::memory::Memory;
use super::theme::{Colours, Look, Theme};
use super::update::{Message, act, update};
use super::view;
use super::worker::{Reply, answer, load};
use crate::config::Config;
use crate::eval::Question;
use crate::search::Settings;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Size;
use ratatui::style::{Color, Style};

/// The workbench over the fake library, with the engine at work in step: no thread, no terminal.
pub struct Bench {
    pub app: App,
    /// Effects the harness does not carry out itself.
    pub effects: Vec<Effect>,
    /// The engine's work is not done in step but left in `effects`.
    threaded: bool,
    colours: Colours,
}

impl Bench {
    pub fn new(width: u16, height: u16) -> Bench {
        Bench::with(width, height, Colours::True)
    }

    pub fn with(width: u16, height: u16, colours: Colours) -> Bench {
        let mut bench = Bench::closed(width, height, colours);
        bench.open(Arc::new(Fake::new()), Fake::questions());
        bench
    }

    /// The workbench over another library.
    pub fn over(
        finder: Arc<dyn Finder>,
        questions: Vec<Question>,
        width: u16,
        height: u16,
    ) -> Bench {
        let mut bench = Bench::closed(width, height, Colours::True);
        bench.open(finder, questions);
        bench
    }

    /// The workbench before its library is open.
    pub fn closed(width: u16, height: u16, colours: Colours) -> Bench {
        let start = Start {
            settings: Settings::default(),
            keymap: Config::shipped().keymap(),
            look: Look::Auto,
            colours,
            memory: Memory::default(),
            benchmark: "financebench".into(),
            export_dir: "exports".into(),
            mouse: false,
            told: None,
        };
        Bench {
            app: App::new(start, Size { width, height }),
            effects: Vec::new(),
            threaded: false,
            colours,
        }
    }

    /// Its library is open.
    pub fn open(&mut self, finder: Arc<dyn Finder>, questions: Vec<Question>) {
        self.message(Message::Opened(Opened {
            name: "demo".into(),
            finder,
            questions,
            rungs: Config::shipped().eval.ladder(),
            demo: true,
        }));
    }

    /// Leaves the engine's work to the test's own threads.
    pub fn threaded(mut self) -> Bench {
        self.threaded = true;
        self
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        if self.threaded {
            return self.effects.extend(effects);
        }
        for effect in effects {
            let finder = self.app.finder.clone();
            let replies = std::sync::Mutex::new(Vec::new());
            match effect {
                Effect::Search(request) => {
                    self.message(Message::Engine(Reply::Answer(Box::new(answer(
                        &*finder, *request,
                    )))));
                }
                Effect::Warm(request) => {
                    let done = finder.make_ready(&request.question, &request.settings);
                    self.message(Message::Warmed((request.generation, done)));
                }
                Effect::Page(request) => {
                    self.message(Message::Engine(Reply::Page(Box::new(load(
                        &*finder, request,
                    )))));
                }
                Effect::Evaluate(request) => {
                    analysis::run(&*finder, request, &|reply| {
                        replies.lock().expect("replies").push(reply)
                    });
                    for reply in replies
                        .lock()
                        .expect("replies")
                        .drain(..)
                        .collect::<Vec<_>>()
                    {
                        self.message(Message::Analysis(reply));
                    }
                }
                Effect::Explain(request) => {
                    let reply = analysis::explain(&*finder, *request);
                    self.message(Message::Analysis(reply));
                }
                // A made-up library has no folder with notes.
                Effect::Note(NoteEdit::Read) if finder.engine().is_none() => {}
                Effect::Note(edit) => {
                    let reply = analysis::note(&*finder, edit);
                    self.message(Message::Analysis(reply));
                }
                other => self.effects.push(other),
            }
        }
    }

    pub fn message(&mut self, message: Message) {
        let mut effects = Vec::new();
        update(&mut self.app, message, &mut effects);
        self.perform(effects);
    }

    pub fn act(&mut self, action: Action) -> &mut Bench {
        let mut effects = Vec::new();
        act(&mut self.app, action, &mut effects);
        self.perform(effects);
        // Layout follows every message, as in the loop.
        let Size { width, height } = self.app.size;
        self.message(Message::Input(Event::Resize(width, height)));
        self
    }

    /// Presses keys by name: `"tab"`, `"ctrl-p"`.
    pub fn press(&mut self, keys: &[&str]) -> &mut Bench {
        for key in keys {
            let key = Chord::parse(key)
                .unwrap_or_else(|| panic!("{key} is no key"))
                .event();
            self.message(Message::Input(Event::Key(key)));
        }
        self
    }

    /// Types a text.
    pub fn type_text(&mut self, text: &str) -> &mut Bench {
        for c in text.chars() {
            let key = KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
            self.message(Message::Input(Event::Key(key)));
        }
        self
    }

    pub fn buffer(&self) -> Buffer {
        let Size { width, height } = self.app.size;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a test terminal");
        let drawn = terminal
            .draw(|frame| {
                view::draw(&self.app, frame);
                self.colours.apply(frame.buffer_mut());
            })
            .expect("a frame");
        drawn.buffer.clone()
    }

    /// The screen as text, without blanks at the ends of rows.
    pub fn screen(&self) -> String {
        let buffer = self.buffer();
        let mut out = String::new();
        for y in 0..buffer.area.height {
            let mut row = String::new();
            let mut x = 0;
            while x < buffer.area.width {
                let symbol = buffer[(x, y)].symbol();
                row.push_str(symbol);
                // A wide character takes the next cell too.
                x += super::text::width(symbol).max(1) as u16;
            }
            out.push_str(row.trim_end());
            out.push('\n');
        }
        out
    }

    /// The text drawn in a style that `is` tells, runs joined by `|`.
    pub fn styled(&self, is: impl Fn(Style) -> bool) -> String {
        let buffer = self.buffer();
        let mut runs: Vec<String> = Vec::new();
        let mut inside = false;
        for cell in &buffer.content {
            let hit = is(cell.style());
            match (hit, inside) {
                (true, true) => runs.last_mut().expect("a run").push_str(cell.symbol()),
                (true, false) => runs.push(cell.symbol().to_string()),
                _ => {}
            }
            inside = hit;
        }
        runs.join("|")
    }

    /// The looks on the screen in a colour mode, each with the number of its cells. In no mode is there
    /// a colour the terminal lacks.
    pub fn looks(&mut self, colours: Colours) -> String {
        self.app.theme = Theme::of(Look::Auto, colours);
        self.colours = colours;
        let mut looks = BTreeMap::new();
        for cell in &self.buffer().content {
            for color in [cell.fg, cell.bg] {
                let has = match (color, colours) {
                    (Color::Reset, _) | (Color::Rgb(..), Colours::True) => true,
                    (Color::Indexed(_), mode) => mode == Colours::Ansi256,
                    (Color::Rgb(..), _) => false,
                    (_, mode) => mode == Colours::Ansi16,
                };
                assert!(has, "{color:?} in {colours:?}");
            }
            let look = match (cell.fg, cell.modifier) {
                (Color::Reset, modifier) => format!("{modifier:?}"),
                (color, modifier) => format!("{color} {modifier:?}"),
            };
            *looks.entry(look).or_insert(0) += 1;
        }
        let looks: Vec<String> = looks
            .into_iter()
            .map(|(l, n)| format!("{l} ×{n}"))
            .collect();
        looks.join(", ")
    }
}

/// The modes of colour, by name.
pub const MODES: [(&str, Colours); 4] = [
    ("true", Colours::True),
    ("256", Colours::Ansi256),
    ("16", Colours::Ansi16),
    ("none", Colours::None),
];
