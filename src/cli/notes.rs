//! `tenleaf notes`.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use super::eval::Chosen;
use super::{Context, Usage, errln, print, print_json_of, write_file};
use crate::eval::ladder::Judged;
use crate::eval::notes::{Filter, Note, Notes};
use crate::eval::{Question, QuestionSet};
use crate::library::Library;
use crate::search::{Engine, Settings, search};

/// List, write and export notes on questions
///
/// Without a command of its own it lists the notes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf notes                        list them
  tenleaf notes add 00517 \"page 35 answers it as well\"
  tenleaf notes export > notes.md

Every one of these commands has its own examples: tenleaf notes COMMAND --help")]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(List),
    Add(Add),
    Edit(Edit),
    Remove(Remove),
    Export(Export),
}

/// Write a note on a question; its rank now is kept with it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf notes add 00517 \"page 35 answers it as well\" --tag \"label debatable\"
  tenleaf notes add tune_C_001 --tag \"needs synonym\"")]
struct Add {
    /// Id of the question; FinanceBench's prefix may be left out
    id: String,
    /// The note
    #[arg(default_value = "")]
    text: String,
    /// A tag; may be given more than once
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
}

/// List the notes
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf notes list
  tenleaf notes list --tag \"label debatable\"
  tenleaf notes list --question 00517 --json")]
struct List {
    #[command(flatten)]
    filter: FilterArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Change text and tags of a note
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf notes edit 3 \"page 35 and page 36 answer it\" --tag \"label debatable\"")]
struct Edit {
    /// Number of the note, as `notes list` shows it
    note: u64,
    /// The new text
    #[arg(default_value = "")]
    text: String,
    /// A tag; the ones it had go
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
}

/// Remove a note
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf notes remove 3")]
struct Remove {
    /// Number of the note, as `notes list` shows it
    note: u64,
}

/// Write the notes as Markdown, with question, labelled pages and ranks
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf notes export > notes.md
  tenleaf notes export --tag \"needs synonym\" --out synonyms.md")]
struct Export {
    #[command(flatten)]
    filter: FilterArgs,
    /// File to write [default: stdout]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Default, clap::Args)]
struct FilterArgs {
    /// Only notes on this question
    #[arg(long, value_name = "ID")]
    question: Option<String>,
    /// Only notes with this tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// Only notes whose text has these words
    #[arg(long, value_name = "WORDS")]
    text: Option<String>,
}

impl FilterArgs {
    fn filter(&self) -> Filter<'_> {
        Filter {
            question: self.question.as_deref(),
            tag: self.tag.as_deref(),
            text: self.text.as_deref(),
        }
    }
}

impl Args {
    /// Runs the command.
    pub fn run(self, context: &Context) -> Result<()> {
        let root = context.root()?;
        let mut notes = Notes::open(&root)?;
        for line in notes.damaged() {
            errln!(
                "tenleaf: {}:{line}: no record (cut by a crash?); left as it is",
                notes.path().display()
            );
        }
        match self.action.unwrap_or(Action::List(List::default())) {
            Action::List(list) => list.run(context, &notes),
            Action::Add(add) => add.run(context, &mut notes),
            Action::Edit(edit) => notes.edit(edit.note, &edit.text, &edit.tag),
            Action::Remove(remove) => notes.remove(remove.note),
            Action::Export(export) => export.run(context, &notes),
        }
    }
}

impl Add {
    fn run(self, context: &Context, notes: &mut Notes) -> Result<()> {
        let engine = context.engine()?;
        let set = QuestionSet::load(&engine.library, &[]);
        let Some(question) = set.find(&self.id) else {
            return Err(no_such_question(&self.id, &engine.library, &[]).into());
        };
        let rank = rank(&engine, question, &context.config.search);
        let note = notes.add(&question.id, &self.text, &self.tag, rank)?;
        print(&format!("note {} on {}\n", note.note, note.question))
    }
}

/// What to say of an id that is in none of these question files, or in none of the library's own.
pub(super) fn no_such_question(id: &str, library: &Library, files: &[PathBuf]) -> Usage {
    let places = match files {
        [] => library.root().join("questions").display().to_string(),
        files => {
            let names: Vec<String> = files
                .iter()
                .map(|file| file.display().to_string())
                .collect();
            names.join(", ")
        }
    };
    Usage(format!(
        "no question {id:?} in {places}: an id is the field \"id\" (or \"financebench_id\") of a line there"
    ))
}

fn rank(engine: &Engine, question: &Question, settings: &Settings) -> Option<usize> {
    Judged::of(engine, question, &search(engine, &question.text, settings)).rank()
}

impl List {
    fn run(self, context: &Context, notes: &Notes) -> Result<()> {
        let listed = notes.list(&self.filter.filter());
        if self.json {
            return print_json_of(context.library(), &json!({ "notes": listed }));
        }
        let mut out = String::new();
        for note in &listed {
            let _ = writeln!(out, "{}", line(note));
        }
        if listed.is_empty() {
            out.push_str("no notes\n");
        }
        print(&out)
    }
}

fn line(note: &Note) -> String {
    let mut line = format!("{:>4}  {}  {}", note.note, note.at, note.question);
    for tag in &note.tags {
        let _ = write!(line, "  [{tag}]");
    }
    for text in note.text.lines() {
        let _ = write!(line, "\n      {text}");
    }
    line
}

impl Export {
    fn run(self, context: &Context, notes: &Notes) -> Result<()> {
        let engine = context.engine()?;
        let set = Chosen::default().load(&engine.library)?;
        let listed = notes.list(&self.filter.filter());
        let text = Notes::markdown(&listed, &set, engine.library.filings(), |id| {
            let question = set.find(id)?;
            Some(rank(&engine, question, &context.config.search))
        });
        match &self.out {
            Some(file) => write_file(file, &text),
            None => print(&text),
        }
    }
}
