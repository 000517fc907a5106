//! The state of the error analysis.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use super::work::{Case, Saved};
use crate::eval::Question;
use crate::eval::ladder::Judged;
use crate::eval::metrics::DEPTH;
use crate::eval::misses::Loss;
use crate::eval::notes::{Filter as NoteFilter, Note, Notes};
use crate::eval::rungs::Rung;
use crate::search::Settings;
use crate::tui::action::Where;
use crate::tui::fuzzy;

/// The panes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The questions.
    #[default]
    List,
    /// What the filter dropped and why.
    Filter,
    /// The notes on the question.
    Notes,
    /// The labelled page.
    Labelled,
    /// The page ranked first.
    First,
    /// The weight of each word.
    Words,
}

impl Pane {
    /// In the order Tab visits them.
    pub const ORDER: [Pane; 6] = [
        Pane::List,
        Pane::Filter,
        Pane::Notes,
        Pane::Labelled,
        Pane::First,
        Pane::Words,
    ];

    /// The place of its keys.
    pub fn place(self) -> Where {
        match self {
            Pane::List => Where::LIST,
            _ => Where::CASE,
        }
    }

    /// As tabs show it.
    pub fn title(self) -> &'static str {
        match self {
            Pane::List => "Questions",
            Pane::Filter => "Filter",
            Pane::Notes => "Notes",
            Pane::Labelled => "Labelled page",
            Pane::First => "Ranked first",
            Pane::Words => "Words",
        }
    }
}

/// The columns of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Id of the question.
    Id,
    /// Its part of the split, or its file.
    Split,
    /// Its type.
    Type,
    /// The filing's company.
    Company,
    /// Hit or miss.
    Hit,
    /// Rank of the labelled page.
    Rank,
    /// Where it is lost.
    Stage,
    /// Tags of its notes.
    Tag,
}

impl Column {
    /// In the order they stand.
    pub const ALL: [Column; 8] = [
        Column::Id,
        Column::Split,
        Column::Type,
        Column::Company,
        Column::Hit,
        Column::Rank,
        Column::Stage,
        Column::Tag,
    ];

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Column::Id => "id",
            Column::Split => "split",
            Column::Type => "type",
            Column::Company => "company",
            Column::Hit => "hit",
            Column::Rank => "rank",
            Column::Stage => "stage of loss",
            Column::Tag => "tags",
        }
    }
}

/// A question of the list.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its id as shown.
    pub id: String,
    /// Its part of the split.
    pub split: String,
    /// Its type.
    pub kind: String,
    /// Its company.
    pub company: String,
    /// What the run found; none while it is not answered.
    pub judged: Option<Judged>,
    /// Rank in the saved run; none where it was not in it.
    pub saved: Option<Option<usize>>,
    /// Tags of its notes, and how many notes there are.
    pub tags: Vec<String>,
    /// Notes on it.
    pub notes: usize,
}

impl Row {
    /// Best rank of a labelled page.
    pub fn rank(&self) -> Option<usize> {
        self.judged.as_ref().and_then(Judged::rank)
    }

    /// Rank in the saved run, where it was another.
    pub fn was(&self) -> Option<Option<usize>> {
        let (saved, judged) = (self.saved?, self.judged.as_ref()?);
        (saved != judged.rank()).then_some(saved)
    }

    /// A labelled page is among the first ten; none while it is not answered.
    pub fn hit(&self) -> Option<bool> {
        let judged = self.judged.as_ref()?;
        Some(judged.rank().is_some_and(|rank| rank <= DEPTH))
    }

    /// Where it is lost.
    pub fn loss(&self) -> Option<Loss> {
        self.judged.as_ref()?.loss
    }

    /// What filters by this column compare; more than one for tags.
    pub fn values(&self, column: Column) -> Vec<String> {
        let one = |text: &str| vec![text.to_string()];
        match column {
            Column::Id => one(&self.id),
            Column::Split => one(&self.split),
            Column::Type => one(&self.kind),
            Column::Company => one(&self.company),
            Column::Hit => self
                .hit()
                .map_or(Vec::new(), |hit| one(if hit { "hit" } else { "miss" })),
            Column::Rank if self.judged.is_none() => Vec::new(),
            Column::Rank => one(match self.rank() {
                None => "not ranked",
                Some(1) => "1",
                Some(2..=3) => "2 to 3",
                Some(4..=10) => "4 to 10",
                Some(11..=50) => "11 to 50",
                Some(_) => "over 50",
            }),
            Column::Stage => self.loss().map_or(Vec::new(), |loss| one(loss.title())),
            Column::Tag if self.tags.is_empty() && self.notes > 0 => one("a note"),
            Column::Tag => self.tags.clone(),
        }
    }

    fn compare(&self, other: &Row, by: Column) -> Ordering {
        let rank = |row: &Row| row.rank().unwrap_or(usize::MAX);
        match by {
            Column::Hit | Column::Rank => rank(self).cmp(&rank(other)),
            Column::Stage => {
                let stage = |row: &Row| row.loss().map_or(usize::MAX, |loss| loss as usize);
                stage(self).cmp(&stage(other))
            }
            // Those with notes first.
            Column::Tag => (other.notes.min(1), &self.tags).cmp(&(self.notes.min(1), &other.tags)),
            by => self.values(by).cmp(&other.values(by)),
        }
    }
}

/// Only rows with this value; filters of one column widen each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// The column.
    pub column: Column,
    /// Its value.
    pub value: String,
}

/// What a prompt changes as it is typed: where it is left, all is as before.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// What is searched for in the texts.
    pub search: String,
    /// The question tried.
    pub trial: Trial,
}

/// The question in other words, under other switches.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// The edited text; none as long as it is the question's own.
    pub text: Option<String>,
    /// The switches.
    pub settings: Settings,
}

/// The error analysis.
pub struct Analysis {
    /// The ladder.
    pub rungs: Arc<[Rung]>,
    /// The questions.
    pub questions: Arc<[Question]>,
    /// One for each question.
    pub rows: Vec<Row>,
    /// Positions of the rows shown, in their order.
    pub shown: Vec<usize>,
    /// Selected, among `shown`.
    pub selected: usize,
    /// The column sorted by; none for the order of the files.
    pub sort: Option<(Column, bool)>,
    /// What is filtered by.
    pub filters: Vec<Filter>,
    /// What is searched for in the texts.
    pub search: String,
    /// What is tried.
    pub trial: Trial,
    /// The pane that has the keys.
    pub pane: Pane,
    /// First row of each pane, in the order of [`Pane::ORDER`].
    pub tops: [usize; 6],
    /// Which labelled page is compared.
    pub labelled: usize,
    /// Which note of the question is selected.
    pub note: usize,
    /// The library and the question that the note being written, changed or tagged is about.
    pub noting: Option<(String, String)>,
    /// Generation of the newest explanation asked for.
    pub asked: u64,
    /// The newest explanation.
    pub case: Option<Box<Case>>,
    /// Generation of the newest run asked for.
    pub run: u64,
    /// Done and all, while it runs.
    pub progress: Option<(usize, usize)>,
    /// The switches of the ranks in the list.
    pub settings: Option<Settings>,
    /// The run kept by the last evaluation.
    pub saved: Option<Saved>,
    /// The notes.
    pub notes: Option<Notes>,
}

impl Analysis {
    /// Before it is opened.
    pub fn new(rungs: Vec<Rung>) -> Analysis {
        Analysis {
            rungs: rungs.into(),
            questions: Vec::new().into(),
            rows: Vec::new(),
            shown: Vec::new(),
            selected: 0,
            sort: None,
            filters: Vec::new(),
            search: String::new(),
            trial: Trial::default(),
            pane: Pane::List,
            tops: [0; 6],
            labelled: 0,
            note: usize::MAX,
            noting: None,
            asked: 0,
            case: None,
            run: 0,
            progress: None,
            settings: None,
            saved: None,
            notes: None,
        }
    }

    /// Over other questions: what was asked for before is told from what is asked now, and a note being
    /// written is still about its question.
    pub fn anew(&self, rungs: Vec<Rung>) -> Analysis {
        Analysis {
            run: self.run,
            asked: self.asked,
            noting: self.noting.clone(),
            ..Analysis::new(rungs)
        }
    }

    /// The selected row.
    pub fn row(&self) -> Option<&Row> {
        self.rows.get(self.at()?)
    }

    /// The selected question.
    pub fn question(&self) -> Option<&Question> {
        self.questions.get(self.at()?)
    }

    /// Position of the selected question.
    pub fn at(&self) -> Option<usize> {
        self.shown.get(self.selected).copied()
    }

    /// What is asked: the question's text, or the edit.
    pub fn text(&self) -> &str {
        let own = || self.question().map_or("", |q| q.text.as_str());
        self.trial.text.as_deref().unwrap_or_else(own)
    }

    /// The explanation of the selected question; none while it is being made.
    pub fn case(&self) -> Option<&Case> {
        let question = self.question()?;
        self.case
            .as_deref()
            .filter(|case| case.why.id == question.id)
    }

    /// The notes on a question, oldest first.
    pub fn notes_on(&self, id: &str) -> Vec<&Note> {
        let of = NoteFilter {
            question: Some(id),
            ..NoteFilter::default()
        };
        self.notes.as_ref().map_or(Vec::new(), |n| n.list(&of))
    }

    /// The notes on the selected question, oldest first.
    pub fn notes_here(&self) -> Vec<&Note> {
        self.question().map_or(Vec::new(), |q| self.notes_on(&q.id))
    }

    /// The selected note on the selected question: the newest, unless another was chosen.
    pub fn note_here(&self) -> Option<&Note> {
        let notes = self.notes_here();
        notes.get(self.note).or(notes.last()).copied()
    }

    /// Rank to compare with: the saved run's, or else the list's.
    pub fn rank_before(&self) -> Option<usize> {
        let row = self.row()?;
        row.saved.unwrap_or_else(|| row.rank())
    }

    /// Some rank of the list is another than in the saved run.
    pub fn differs(&self) -> bool {
        self.rows.iter().any(|row| row.was().is_some())
    }

    /// Something is tried that the list does not know.
    pub fn tries(&self) -> bool {
        let settings = self.settings.as_ref();
        self.trial.text.is_some() || settings.is_some_and(|s| *s != self.trial.settings)
    }

    /// Puts what is known beside the data into the rows.
    pub fn fill(&mut self) {
        let saved: HashMap<&str, Option<usize>> = match &self.saved {
            Some(saved) => saved
                .ranks
                .iter()
                .map(|(id, r)| (id.as_str(), *r))
                .collect(),
            None => HashMap::new(),
        };
        for (row, question) in self.rows.iter_mut().zip(self.questions.iter()) {
            row.saved = saved.get(question.id.as_str()).copied();
            row.notes = 0;
            row.tags.clear();
        }
        let Some(notes) = &self.notes else { return };
        let at: HashMap<&str, usize> = self
            .questions
            .iter()
            .enumerate()
            .map(|(ix, q)| (q.id.as_str(), ix))
            .collect();
        for note in notes.list(&NoteFilter::default()) {
            if let Some(&ix) = at.get(note.question.as_str()) {
                let row = &mut self.rows[ix];
                row.notes += 1;
                row.tags.extend(note.tags.iter().cloned());
                row.tags.sort();
                row.tags.dedup();
            }
        }
    }

    /// What a prompt may change, as it is now.
    pub fn tried(&self) -> Tried {
        Tried {
            search: self.search.clone(),
            trial: self.trial.clone(),
        }
    }

    /// Filters, searches and sorts anew; the selected question stays selected where it can.
    pub fn arrange(&mut self) {
        let selected = self.at();
        let passes = |row: &Row| {
            Column::ALL.iter().all(|&column| {
                let mut wanted = self
                    .filters
                    .iter()
                    .filter(|f| f.column == column)
                    .peekable();
                let values = row.values(column);
                wanted.peek().is_none() || wanted.any(|f| values.contains(&f.value))
            })
        };
        let lines = self.rows.iter().zip(self.questions.iter());
        let lines: Vec<String> = lines
            .map(|(row, q)| format!("{} {} {}", row.id, row.company, q.text))
            .collect();
        let found = fuzzy::filter(&self.search, lines.iter().map(String::as_str));
        let mut shown: Vec<usize> = found.into_iter().map(|m| m.index).collect();
        shown.retain(|&ix| passes(&self.rows[ix]));
        if let Some((column, reversed)) = self.sort {
            let rows = &self.rows;
            shown.sort_by(|&a, &b| match reversed {
                true => rows[b].compare(&rows[a], column),
                false => rows[a].compare(&rows[b], column),
            });
        }
        self.shown = shown;
        self.selected = selected
            .and_then(|at| self.shown.iter().position(|&ix| ix == at))
            .unwrap_or(self.selected.min(self.shown.len().saturating_sub(1)));
    }
}
