//! A list with a filter: questions, filings, commands, history, saved searches, the scope.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::action::{ACTIONS, Action, Info, Where};
use super::analysis;
use super::app::App;
use super::chips::{self, FACETS};
use super::export::{self, FORMATS};
use super::fuzzy::{self, Match};
use super::line::Line;
use super::side::Shelf;
use super::text;
use crate::eval::export::Format;
use crate::library::{Filing, Form};
use crate::paths::DEMO;
use crate::question::Statement;
use crate::search::Facet;
use crate::structure::item_defs;
use crate::words::count;
use crate::words::one_line;

/// An annual filing is newer than those of its quarters.
const ANNUAL: u8 = 5;

/// What is picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickerKind {
    /// A labelled question.
    Questions,
    /// Filings: one to open, or several for the scope.
    Filings,
    /// A library.
    Libraries,
    /// The library to add to.
    AddTo,
    /// What became of the files added.
    Report,
    /// A command.
    Palette,
    /// A question asked before.
    History,
    /// A saved search.
    Saved,
    /// What to add to the scope.
    Scope,
    /// How to export.
    Export,
    /// What to sort the question list by.
    SortList,
    /// What to filter it by.
    FilterList,
    /// Words of the query to leave out.
    ExcludeWord,
    /// Tags of the question.
    Tags,
    /// Notes on questions.
    Notes,
}

impl PickerKind {
    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            PickerKind::Questions => "Questions with known answers",
            PickerKind::Filings => "Filings",
            PickerKind::Libraries => "Libraries",
            PickerKind::AddTo => "Add to which library",
            PickerKind::Report => "Files added last",
            PickerKind::Palette => "Commands",
            PickerKind::History => "Questions asked",
            PickerKind::Saved => "Saved searches",
            PickerKind::Scope => "Add to the scope",
            PickerKind::Export => "Export the ranked pages",
            PickerKind::SortList => "Sort by",
            PickerKind::FilterList => "Show only",
            PickerKind::ExcludeWord => "Words of the query",
            PickerKind::Tags => "Tags",
            PickerKind::Notes => "Notes",
        }
    }
}

/// What a line stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A labelled question, by its position.
    Question(usize),
    /// A filing, by its position.
    Filing(usize),
    /// A library to go to.
    Library(String),
    /// A library to add to.
    AddTo(String),
    /// A file added, by its position in the report.
    Reported(usize),
    /// A command.
    Action(Action),
    /// A question asked before.
    Asked(String),
    /// A saved search, by name.
    Saved(String),
    /// A value of a facet.
    Scope(Facet, String),
    /// A format.
    Format(Format),
    /// What the list of questions is sorted by.
    Column(analysis::Column),
    /// What it is filtered by.
    Filter(analysis::Filter),
    /// A word of the query.
    Word(String),
    /// A tag.
    Tag(String),
    /// A note, by its number.
    Note(u64),
}

/// A line.
#[derive(Clone, Debug)]
pub struct Item {
    /// What is shown and matched.
    pub text: String,
    /// Shown at the right end.
    pub note: String,
    /// What it stands for.
    pub value: Value,
}

impl Item {
    /// A line with nothing at its end.
    pub fn of(text: String, value: Value) -> Item {
        Item {
            text,
            note: String::new(),
            value,
        }
    }

    /// The line with a note at its end.
    pub fn noted(self, note: impl Into<String>) -> Item {
        Item {
            note: note.into(),
            ..self
        }
    }
}

/// The list.
pub struct Picker {
    /// What is picked.
    pub kind: PickerKind,
    /// The filter.
    pub filter: Line,
    /// Every line.
    pub items: Vec<Item>,
    /// How many of them are there whatever is typed.
    own: usize,
    /// Those that match, best first.
    pub matches: Vec<Match>,
    /// Selected, among `matches`.
    pub selected: usize,
    /// Marked lines, as positions in `items`.
    pub marked: BTreeSet<usize>,
}

impl Picker {
    /// A list of this kind.
    pub fn of(kind: PickerKind, app: &App) -> Picker {
        let items = items(kind, app);
        let mut picker = Picker {
            kind,
            filter: Line::default(),
            own: items.len(),
            items,
            matches: Vec::new(),
            selected: 0,
            marked: BTreeSet::new(),
        };
        if kind == PickerKind::Filings {
            let filings = app.finder.filings();
            picker.marked = (0..filings.len())
                .filter(|&ix| app.settings.scope.filings.contains(&filings[ix].doc_name))
                .collect();
        }
        picker.refilter();
        picker
    }

    /// Matches anew, after the filter changed.
    pub fn refilter(&mut self) {
        self.items.truncate(self.own);
        let lines: Vec<Cow<'_, str>> = self.items.iter().map(matched).collect();
        self.matches = fuzzy::filter(self.filter.text(), lines.iter().map(Cow::as_ref));
        for found in &mut self.matches {
            let shown = self.items[found.index].text.len();
            found.at.retain(|&at| at < shown);
        }
        self.selected = 0;
        match self.kind {
            PickerKind::Scope => self.offer_range(),
            PickerKind::AddTo => self.offer_new(Value::AddTo, "", "a new library"),
            PickerKind::Tags => self.offer_new(Value::Tag, "new tag: ", ""),
            _ => {}
        }
    }

    /// What is typed and not in the list is offered last, for a new one.
    fn offer_new(&mut self, value: fn(String) -> Value, before: &str, note: &str) {
        let name = self.filter.text().trim().to_string();
        let text = format!("{before}{name}");
        let value = value(name.clone());
        if !name.is_empty() && !self.items.iter().any(|item| item.value == value) {
            let item = Item::of(text, value).noted(note);
            self.offer(item, self.matches.len());
        }
    }

    /// Years typed as a range are offered first: `2016-2018`.
    fn offer_range(&mut self) {
        if let Some((first, last)) = chips::year_range(self.filter.text()) {
            self.offer(scope_item(Facet::Year, format!("FY{first}–{last}")), 0);
        }
    }

    /// Offers what the filter itself says at this place of the matches, until the filter changes.
    fn offer(&mut self, item: Item, at: usize) {
        let found = Match {
            index: self.items.len(),
            at: Vec::new(),
        };
        self.items.push(item);
        self.matches.insert(at, found);
    }

    /// Moves the selection.
    pub fn step(&mut self, by: isize) {
        self.selected = self
            .selected
            .saturating_add_signed(by)
            .min(self.matches.len().saturating_sub(1));
    }

    /// The selected line.
    pub fn current(&self) -> Option<&Item> {
        self.matches
            .get(self.selected)
            .and_then(|m| self.items.get(m.index))
    }

    /// Marks or unmarks the selected line and goes to the next.
    pub fn mark(&mut self) {
        if let Some(m) = self.matches.get(self.selected) {
            if !self.marked.remove(&m.index) {
                self.marked.insert(m.index);
            }
            self.step(1);
        }
    }
}

fn items(kind: PickerKind, app: &App) -> Vec<Item> {
    let libraries = app.side.libraries.iter();
    match kind {
        PickerKind::Questions => questions(app),
        PickerKind::Filings => filings(app),
        PickerKind::Libraries => {
            let name = widest(libraries.clone().map(|l| l.name.as_str()), 40);
            let item = |library: &Shelf| {
                let used = library.name == app.library;
                let name = text::left(&library.name, name);
                let words = format!("{name}  {}", if used { "in use" } else { "" });
                Item::of(words, Value::Library(library.name.clone())).noted(shelf_words(library))
            };
            libraries.map(item).collect()
        }
        PickerKind::AddTo => libraries
            .filter(|l| l.name != DEMO)
            .map(|l| Item::of(l.name.clone(), Value::AddTo(l.name.clone())).noted(shelf_words(l)))
            .collect(),
        PickerKind::Report => {
            let report = app.side.report.iter().enumerate();
            report
                .map(|(ix, l)| Item::of(l.words.clone(), Value::Reported(ix)).noted(&*l.note))
                .collect()
        }
        PickerKind::Palette => commands(app),
        PickerKind::History => {
            let history = app.memory.history.iter().rev();
            history
                .map(|q| Item::of(q.clone(), Value::Asked(q.clone())))
                .collect()
        }
        PickerKind::Saved => {
            let saved = app.memory.saved.iter();
            saved
                .map(|s| {
                    let words = format!("{}  {}", s.name, s.question);
                    Item::of(words, Value::Saved(s.name.clone()))
                })
                .collect()
        }
        PickerKind::Scope => scope_items(app),
        PickerKind::SortList
        | PickerKind::FilterList
        | PickerKind::ExcludeWord
        | PickerKind::Tags
        | PickerKind::Notes => analysis::items(kind, app),
        PickerKind::Export => FORMATS
            .iter()
            .map(|f| Item::of(f.title().into(), Value::Format(*f)).noted(file_name(app, *f)))
            .collect(),
    }
}

fn questions(app: &App) -> Vec<Item> {
    let part = widest(app.questions.iter().map(|q| q.part()), 10);
    let id = widest(app.questions.iter().map(|q| q.short_id()), 16);
    let questions = app.questions.iter().enumerate();
    questions
        .map(|(ix, q)| {
            let words = format!(
                "{}  {}  {}",
                text::left(q.part(), part),
                text::left(q.short_id(), id),
                one_line(&q.text)
            );
            Item::of(words, Value::Question(ix))
        })
        .collect()
}

fn filings(app: &App) -> Vec<Item> {
    let filings = app.finder.filings();
    let company = widest(filings.iter().map(|f| f.company.as_str()), 28);
    let form = widest(filings.iter().map(|f| f.form.as_str()), 16);
    let item = |(ix, f): (usize, &Filing)| {
        let words = format!(
            "{}  {}  {}",
            text::left(&f.company, company),
            text::left(f.form.as_str(), form),
            text::left(&f.period(), 10),
        );
        let pages = count(f.pages as usize, "page");
        let note = match f.ended() {
            Some(end) => format!("{end} · {pages}"),
            None => pages,
        };
        Item::of(words, Value::Filing(ix)).noted(note)
    };
    filings.iter().enumerate().map(item).collect()
}

/// Every command: its word of the footer, and what it does. What can be done here comes first, leaving last.
fn commands(app: &App) -> Vec<Item> {
    let (here, screen) = (app.pane_place(), app.places());
    let lists = Where::PICKER.or(Where::PROMPT);
    let mut commands: Vec<&Info> = ACTIONS
        .iter()
        .filter(|i| i.places == Where::ANY || i.places.meets(screen) && !i.places.meets(lists))
        .filter(|i| i.action != Action::Palette && i.action != Action::Back)
        .collect();
    let sections = here.sections();
    commands.sort_by_key(|i| {
        let leaves = matches!(i.action, Action::Leave | Action::Quit);
        let section = sections.iter().position(|name| *name == i.section);
        let section = section.unwrap_or(sections.len());
        (leaves, !i.places.meets(here), section)
    });
    let short = widest(commands.iter().map(|i| i.short), 16);
    let item = |i: &Info| {
        let words = format!("{}  {}", text::left(i.short, short), i.words);
        let keys = app.keymap.keys(i.action, screen).join(" ");
        Item::of(words, Value::Action(i.action)).noted(keys)
    };
    commands.into_iter().map(item).collect()
}

/// What of a line is matched: a command is found by its name in `config.toml` too.
fn matched(item: &Item) -> Cow<'_, str> {
    match item.value {
        Value::Action(action) => {
            let name = action.info().name.replace('-', " ");
            Cow::Owned(format!("{}  {name}", item.text))
        }
        _ => Cow::Borrowed(&item.text),
    }
}

fn shelf_words(library: &Shelf) -> String {
    format!(
        "{} · {}",
        count(library.filings, "filing"),
        count(library.pages, "page")
    )
}

fn scope_item(facet: Facet, value: String) -> Item {
    let words = format!("{}  {value}", text::left(chips::label(facet), 9));
    Item::of(words, Value::Scope(facet, value))
}

/// Every value of every facet that the library has.
fn scope_items(app: &App) -> Vec<Item> {
    let filings = app.finder.filings();
    let reading = app.outcome().map(|outcome| &outcome.reading);
    let asked = reading.map_or(Vec::new(), |reading| reading.company_names());
    let companies: BTreeSet<&str> = filings.iter().map(|f| f.company.as_str()).collect();
    let years: BTreeSet<u16> = filings.iter().filter_map(|f| f.fiscal_year).collect();
    let values = |facet: Facet| -> Vec<String> {
        match facet {
            Facet::Company => companies.iter().map(|c| c.to_string()).collect(),
            Facet::Year => years.iter().rev().map(|y| format!("FY{y}")).collect(),
            Facet::Quarter => (1..=4).map(|q| format!("Q{q}")).collect(),
            Facet::Form => Form::ALL
                .iter()
                .filter(|form| filings.iter().any(|f| f.form == **form))
                .map(Form::to_string)
                .collect(),
            Facet::Filing => {
                let mut filings: Vec<&Filing> = filings.iter().collect();
                // Those of the companies asked about first, newest first; the others by name.
                filings.sort_by_key(|f| {
                    let asked = asked.contains(&f.company.as_str());
                    let period = (f.fiscal_year, f.quarter.unwrap_or(ANNUAL));
                    (!asked, Reverse(asked.then_some(period)))
                });
                filings.into_iter().map(|f| f.doc_name.clone()).collect()
            }
            Facet::Statement => Statement::ALL
                .iter()
                .map(|s| s.as_str().to_string())
                .collect(),
            Facet::Item => item_defs(Form::TenK)
                .iter()
                .map(|def| format!("Item {}", def.item))
                .collect(),
        }
    };
    FACETS
        .into_iter()
        .flat_map(|facet| values(facet).into_iter().map(move |value| (facet, value)))
        .map(|(facet, value)| scope_item(facet, value))
        .collect()
}

/// The file that an export in this format offers to write.
fn file_name(app: &App, format: Format) -> String {
    let question = app.outcome().map_or("", |o| o.question.as_str());
    let name = format!("{}.{}", export::file_stem(question), format.name());
    let path = export::free(&app.export_dir.join(name));
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn widest<'a>(texts: impl Iterator<Item = &'a str>, most: usize) -> usize {
    texts.map(text::width).max().unwrap_or(0).min(most)
}
