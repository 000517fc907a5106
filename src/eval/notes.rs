//! Notes and tags people leave on questions, kept beside the data in `notes.jsonl`.
//!
//! The file is only ever appended to: one record a line, synced before the call returns, so a
//! crash loses at most the record being written. The last record of a number counts. A line that
//! does not parse (the cut end of a crash) is left where it is and reported.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::questions::{QuestionSet, is_id};
use crate::library::{Filing, cite_pages};
use crate::words::{now, one_line};

/// A note on a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Its number, counted from 1 and never used again.
    pub note: u64,
    /// When it was written or last changed, RFC 3339, UTC.
    pub at: String,
    /// Id of the question; its words where it was asked in the workbench and has no labels.
    pub question: String,
    /// The text; may be empty when there are tags.
    pub text: String,
    /// Tags: "label debatable", "needs synonym".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Best rank of a labelled page when the note was written, where it was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Record {
    Note(Note),
    Removed {
        note: u64,
        at: String,
        removed: bool,
    },
}

/// Which notes to list. What is `None` does not restrict.
#[derive(Clone, Debug, Default)]
pub struct Filter<'a> {
    /// Id of the question, with or without FinanceBench's prefix.
    pub question: Option<&'a str>,
    /// A tag, whole, in any case.
    pub tag: Option<&'a str>,
    /// Words of the text, in any case.
    pub text: Option<&'a str>,
}

/// The notes of a library.
#[derive(Clone, Debug)]
pub struct Notes {
    path: PathBuf,
    notes: BTreeMap<u64, Note>,
    last: u64,
    /// 1-based lines that do not parse.
    damaged: Vec<usize>,
}

impl Notes {
    /// Opens the notes of the library in `root`; none when there is no file yet.
    pub fn open(root: &Path) -> Result<Notes> {
        let path = root.join("notes.jsonl");
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
        };
        let mut notes = Notes {
            path,
            notes: BTreeMap::new(),
            last: 0,
            damaged: Vec::new(),
        };
        notes.take(&bytes);
        Ok(notes)
    }

    /// Replaces what is known by the records in the file's bytes.
    fn take(&mut self, bytes: &[u8]) {
        self.notes.clear();
        self.damaged.clear();
        self.last = 0;
        for (ix, line) in bytes.split(|&b| b == b'\n').enumerate() {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match serde_json::from_slice(line) {
                Ok(Record::Note(note)) => {
                    self.last = self.last.max(note.note);
                    self.notes.insert(note.note, note);
                }
                Ok(Record::Removed { note, .. }) => {
                    self.last = self.last.max(note);
                    self.notes.remove(&note);
                }
                Err(_) => self.damaged.push(ix + 1),
            }
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// 1-based lines of the file that do not parse; they are kept in it.
    pub fn damaged(&self) -> &[usize] {
        &self.damaged
    }

    /// The notes that pass the filter, oldest first.
    pub fn list(&self, filter: &Filter<'_>) -> Vec<&Note> {
        let lower = |text: &str| text.to_lowercase();
        let passes = |note: &&Note| {
            (filter.question).is_none_or(|id| is_id(&note.question, id))
                && filter
                    .tag
                    .is_none_or(|tag| note.tags.iter().any(|t| lower(t) == lower(tag)))
                && filter
                    .text
                    .is_none_or(|text| lower(&note.text).contains(&lower(text)))
        };
        self.notes.values().filter(passes).collect()
    }

    /// Every tag in use with the number of its notes, in alphabetical order.
    pub fn tags(&self) -> BTreeMap<&str, usize> {
        let mut tags = BTreeMap::new();
        for tag in self.notes.values().flat_map(|note| &note.tags) {
            *tags.entry(tag.as_str()).or_default() += 1;
        }
        tags
    }

    /// Writes a note. `text` and `tags` must not both be empty.
    pub fn add(
        &mut self,
        question: &str,
        text: &str,
        tags: &[String],
        rank: Option<usize>,
    ) -> Result<Note> {
        let (text, tags) = clean(text, tags)?;
        self.append(|notes| {
            let note = notes.last.checked_add(1).with_context(|| {
                format!(
                    "there is no number after {}: mend the record with it in {}",
                    notes.last,
                    notes.path.display()
                )
            })?;
            Ok(Record::Note(Note {
                note,
                at: now(),
                question: question.to_string(),
                text,
                tags,
                rank,
            }))
        })?;
        Ok(self.notes[&self.last].clone())
    }

    /// Replaces text and tags of a note.
    pub fn edit(&mut self, number: u64, text: &str, tags: &[String]) -> Result<()> {
        let (text, tags) = clean(text, tags)?;
        self.append(|notes| {
            Ok(Record::Note(Note {
                at: now(),
                text,
                tags,
                ..notes.get(number)?.clone()
            }))
        })
    }

    /// Removes a note: the file keeps its text, lists no longer show it.
    pub fn remove(&mut self, number: u64) -> Result<()> {
        self.append(|notes| {
            notes.get(number)?;
            Ok(Record::Removed {
                note: number,
                at: now(),
                removed: true,
            })
        })
    }

    /// The note of this number.
    pub fn get(&self, number: u64) -> Result<&Note> {
        self.notes
            .get(&number)
            .with_context(|| format!("there is no note {number}; `tenleaf notes list` shows them"))
    }

    /// Appends what `record` makes of the notes as they are in the file now: another tenleaf may
    /// have written since it was read.
    fn append(&mut self, record: impl FnOnce(&Notes) -> Result<Record>) -> Result<()> {
        let path = self.path.clone();
        let failed = || format!("writing {}", path.display());
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .with_context(failed)?;
        file.lock().with_context(failed)?;
        let mut bytes = read_all(&mut file).with_context(failed)?;
        self.take(&bytes);
        let mut line = serde_json::to_vec(&record(self)?)?;
        line.push(b'\n');
        if bytes.last().is_some_and(|&b| b != b'\n') {
            // A record cut by a crash must not swallow this one.
            line.insert(0, b'\n');
        }
        let whole = bytes.len() as u64;
        if let Err(error) = file.write_all(&line).and_then(|()| file.sync_all()) {
            // What a full disk took of it is no record.
            let _ = file.set_len(whole);
            return Err(error).with_context(failed);
        }
        if bytes.is_empty() {
            sync_folder(&path);
        }
        bytes.extend_from_slice(&line);
        self.take(&bytes);
        Ok(())
    }

    /// The notes given as Markdown, grouped by question: question, labelled pages, rank when the
    /// note was written and, where `rank_now` knows it, today's.
    pub fn markdown(
        notes: &[&Note],
        questions: &QuestionSet,
        filings: &[Filing],
        rank_now: impl Fn(&str) -> Option<Option<usize>>,
    ) -> String {
        let mut by_question: BTreeMap<&str, Vec<&Note>> = BTreeMap::new();
        for note in notes {
            by_question.entry(&note.question).or_default().push(note);
        }
        let mut out = String::from("# Notes\n");
        for (id, notes) in by_question {
            let _ = writeln!(out, "\n## {id}\n");
            match questions.find(id) {
                Some(question) => {
                    let pages: Vec<String> = question
                        .gold_pages
                        .iter()
                        .map(|page| (page + 1).to_string())
                        .collect();
                    let _ = writeln!(out, "> {}\n", one_line(&question.text));
                    let cited = cite_pages(filings, &question.doc_name, pages.join(", "));
                    let _ = writeln!(out, "- labelled: {cited}");
                    if !question.answer.is_empty() {
                        let _ = writeln!(out, "- answer: {}", one_line(&question.answer));
                    }
                }
                None if id.contains(' ') => {}
                None => out.push_str("> (this question is not in the library)\n\n"),
            }
            if let Some(rank) = rank_now(id) {
                let _ = writeln!(out, "- rank now: {}", shown(rank));
            }
            for note in notes {
                let mut head = format!("{} · note {}", note.at, note.note);
                if let Some(rank) = note.rank {
                    let _ = write!(head, " · rank {rank} then");
                }
                for tag in &note.tags {
                    let _ = write!(head, " · *{tag}*");
                }
                let _ = writeln!(out, "\n{head}\n");
                if !note.text.is_empty() {
                    let _ = writeln!(out, "{}", note.text);
                }
            }
        }
        out
    }
}

fn shown(rank: Option<usize>) -> String {
    rank.map_or("not ranked".to_string(), |rank| rank.to_string())
}

fn clean(text: &str, tags: &[String]) -> Result<(String, Vec<String>)> {
    let mut tags: Vec<String> = tags.iter().map(|tag| one_line(tag)).collect();
    tags.retain(|tag| !tag.is_empty());
    tags.sort();
    tags.dedup();
    let text = text.trim().to_string();
    if text.is_empty() && tags.is_empty() {
        bail!("a note needs a text or a tag");
    }
    Ok((text, tags))
}

fn read_all(file: &mut File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Makes a new file's name survive a crash; not every system can, and none needs to.
fn sync_folder(path: &Path) {
    if let Some(Ok(folder)) = path.parent().map(File::open) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(tags: &[&str]) -> Vec<String> {
        tags.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn written_listed_changed_removed_and_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let mut notes = Notes::open(dir.path()).unwrap();
        let first = notes
            .add(
                "financebench_id_00517",
                "  page 35 answers too ",
                &tags(&["Label  debatable"]),
                Some(14),
            )
            .unwrap();
        assert_eq!(
            (first.note, first.text.as_str()),
            (1, "page 35 answers too")
        );
        notes
            .add("tune_1", "headcount", &tags(&["needs synonym"]), None)
            .unwrap();
        notes
            .add(
                "tune_1",
                "",
                &tags(&["needs synonym", "needs synonym"]),
                None,
            )
            .unwrap();
        assert!(notes.add("tune_1", " ", &[], None).is_err());
        notes.edit(2, "headcount -> employees", &[]).unwrap();
        notes.remove(3).unwrap();
        assert!(notes.remove(3).is_err());
        assert!(notes.edit(77, "x", &[]).is_err());
        let notes = Notes::open(dir.path()).unwrap();
        let numbers = |filter| -> Vec<u64> { notes.list(&filter).iter().map(|n| n.note).collect() };
        assert_eq!(numbers(Filter::default()), [1, 2]);
        assert_eq!(
            numbers(Filter {
                question: Some("00517"),
                ..Filter::default()
            }),
            [1]
        );
        assert_eq!(
            numbers(Filter {
                question: Some("0517"),
                ..Filter::default()
            }),
            [0u64; 0]
        );
        assert_eq!(
            numbers(Filter {
                tag: Some("label debatable"),
                ..Filter::default()
            }),
            [1]
        );
        assert_eq!(
            numbers(Filter {
                text: Some("EMPLOY"),
                ..Filter::default()
            }),
            [2]
        );
        assert_eq!(notes.tags(), BTreeMap::from([("Label debatable", 1)]));
    }

    #[test]
    fn a_cut_record_loses_itself_alone() {
        let dir = tempfile::tempdir().unwrap();
        let mut notes = Notes::open(dir.path()).unwrap();
        notes.add("q", "kept", &[], None).unwrap();
        notes.add("q", "will be cut", &[], None).unwrap();
        let path = dir.path().join("notes.jsonl");
        let bytes = fs::read(&path).unwrap();
        for cut in 1..20 {
            fs::write(&path, &bytes[..bytes.len() - cut]).unwrap();
            let mut notes = Notes::open(dir.path()).unwrap();
            let second = notes.add("q", "after the crash", &[], None).unwrap();
            let notes = Notes::open(dir.path()).unwrap();
            let texts: Vec<&str> = notes
                .list(&Filter::default())
                .iter()
                .map(|n| n.text.as_str())
                .collect();
            // Without its newline alone the record is whole.
            let wanted: &[&str] = if cut == 1 {
                &["kept", "will be cut", "after the crash"]
            } else {
                &["kept", "after the crash"]
            };
            assert_eq!(texts, wanted, "cut by {cut}");
            assert_eq!(second.note, wanted.len() as u64);
            assert_eq!(notes.damaged().len(), usize::from(cut > 1));
        }
    }

    #[test]
    fn after_the_last_number_there_is_an_error_and_no_note_0() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notes.jsonl");
        let mut notes = Notes::open(dir.path()).unwrap();
        notes.add("q", "by hand", &[], None).unwrap();
        let line = fs::read_to_string(&path).unwrap();
        let last = line.replace("\"note\":1,", &format!("\"note\":{},", u64::MAX));
        assert_ne!(last, line);
        fs::write(&path, &last).unwrap();
        let error = notes.add("q", "one more", &[], None).unwrap_err();
        assert!(error.to_string().contains("no number after"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), last);
    }

    #[test]
    fn two_writers_do_not_share_numbers() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                scope.spawn(move || {
                    let mut notes = Notes::open(root).unwrap();
                    for n in 0..10 {
                        notes.add("q", &format!("{writer}/{n}"), &[], None).unwrap();
                    }
                });
            }
        });
        let notes = Notes::open(root).unwrap();
        assert_eq!(notes.list(&Filter::default()).len(), 40);
        assert!(notes.damaged().is_empty());
    }

    #[test]
    fn markdown_has_question_pages_and_ranks() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("q.jsonl");
        fs::write(&file, r#"{"id":"q1","question":"What\nis it?","doc_name":"ACME_2020_10K","gold_pages":[4,7],"answer":"42"}"#).unwrap();
        let questions = QuestionSet::read(&[file]);
        let mut notes = Notes::open(dir.path()).unwrap();
        notes
            .add("q1", "odd label", &tags(&["label debatable"]), Some(34))
            .unwrap();
        notes.add("q9", "unknown", &[], None).unwrap();
        notes.add("Who audits?", "asked", &[], None).unwrap();
        let text = Notes::markdown(&notes.list(&Filter::default()), &questions, &[], |id| {
            (id == "q1").then_some(Some(2))
        });
        for wanted in [
            "## q1\n\n> What is it?\n\n- labelled: ACME_2020_10K  PDF p. 5, 8\n- answer: 42\n- rank now: 2\n",
            " · note 1 · rank 34 then · *label debatable*\n\nodd label\n",
            "## q9\n\n> (this question is not in the library)\n",
            "## Who audits?\n\n\n",
        ] {
            assert!(text.contains(wanted), "{text}\nlacks\n{wanted}");
        }
    }
}
