//! What outlives a session: the questions asked and the saved searches.

use std::fs::{self, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::library::store::write_atomic;
use crate::search::Settings;

/// Questions kept.
const HISTORY: usize = 1000;
/// Characters kept of one: of a longer one the beginning.
const QUESTION: usize = 2000;
/// Bytes kept of all: the file is read and written whole, while the user waits.
const HISTORY_BYTES: usize = 256 * 1024;

/// How long another session may take to write.
const TURN: Duration = Duration::from_millis(500);

/// A search to call again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedSearch {
    /// Its name.
    pub name: String,
    /// The question.
    pub question: String,
    /// Switches and scope.
    pub settings: Settings,
}

/// History and saved searches, in one small JSON file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// Questions asked, oldest first.
    pub history: Vec<String>,
    /// Saved searches, by name.
    pub saved: Vec<SavedSearch>,
    #[serde(skip)]
    file: Option<PathBuf>,
    /// What this session changed and has not written yet.
    #[serde(skip)]
    changes: Vec<Change>,
}

/// What a session does to the memory it shares with others.
#[derive(Clone, Debug, PartialEq)]
enum Change {
    Asked(String),
    Saved(SavedSearch),
    Removed(String),
}

impl Memory {
    /// Reads the file, which need not exist. One that cannot be understood is set aside and named, so that
    /// nothing is lost.
    pub fn read(file: &Path) -> (Memory, Option<String>) {
        let (memory, told) = match load(file) {
            Ok(memory) => (memory.unwrap_or_default(), None),
            Err(Unread::Damaged(error)) => match set_aside(file, &error) {
                Ok(words) => (Memory::default(), Some(words)),
                Err(words) => return (Memory::default(), Some(words)),
            },
            Err(Unread::Unreadable(words)) => return (Memory::default(), Some(words)),
        };
        let file = Some(file.to_path_buf());
        (Memory { file, ..memory }, told)
    }

    /// Notes a question; asked again, it becomes the newest.
    pub fn note(&mut self, question: &str) {
        let question = question.trim();
        if !question.is_empty() {
            let end = question.char_indices().nth(QUESTION).map(|(at, _)| at);
            let kept = &question[..end.unwrap_or(question.len())];
            self.change(Change::Asked(kept.to_string()));
        }
    }

    /// Saves a search; one of the same name is replaced.
    pub fn save(&mut self, search: SavedSearch) {
        self.change(Change::Saved(search));
    }

    /// Forgets the saved search of this name.
    pub fn remove(&mut self, name: &str) {
        self.change(Change::Removed(name.to_string()));
    }

    fn change(&mut self, change: Change) {
        self.apply(&change);
        if self.file.is_some() {
            self.changes.push(change);
        }
    }

    fn apply(&mut self, change: &Change) {
        match change {
            Change::Asked(question) => {
                self.history.retain(|q| q != question);
                self.history.push(question.clone());
                self.bound();
            }
            Change::Saved(search) => {
                self.saved.retain(|s| s.name != search.name);
                self.saved.push(search.clone());
                self.saved.sort_by(|a, b| a.name.cmp(&b.name));
            }
            Change::Removed(name) => self.saved.retain(|s| s.name != *name),
        }
    }

    /// The newest questions, as many as are kept.
    fn bound(&mut self) {
        let mut bytes = 0;
        let newest = self.history.iter().rev().take(HISTORY);
        let kept = newest
            .take_while(|question| {
                bytes += question.len();
                bytes <= HISTORY_BYTES
            })
            .count();
        self.history.drain(..self.history.len() - kept);
    }

    /// Writes the file, whole or not at all. Only what this session changed is changed: what another
    /// wrote meanwhile stays, and is known here from now on.
    ///
    /// # Errors
    /// What the user should know: the file with the reason it was not written, or that a damaged one was
    /// set aside.
    pub fn write(&mut self) -> Result<(), String> {
        let Some(file) = self.file.clone() else {
            return Ok(());
        };
        let failed = |e: io::Error| format!("history not written: {}: {e}", file.display());
        let _turn = wait_for_turn(&file).map_err(failed)?;
        let (found, told) = match load(&file) {
            Ok(found) => (found, None),
            Err(Unread::Damaged(error)) => (None, Some(set_aside(&file, &error)?)),
            Err(Unread::Unreadable(words)) => return Err(words),
        };
        let mut now = match found {
            Some(mut now) => {
                self.changes.iter().for_each(|change| now.apply(change));
                now
            }
            None => self.clone(),
        };
        let bytes = serde_json::to_vec_pretty(&now).map_err(|e| failed(e.into()))?;
        write_atomic(&file, &bytes).map_err(failed)?;
        self.history = std::mem::take(&mut now.history);
        self.saved = now.saved;
        self.changes.clear();
        told.map_or(Ok(()), Err)
    }
}

/// Why there is nothing to go on from.
enum Unread {
    Damaged(String),
    Unreadable(String),
}

/// What the file holds; none where there is none.
fn load(file: &Path) -> Result<Option<Memory>, Unread> {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let words = format!("history not read: {}: {error}", file.display());
            return Err(Unread::Unreadable(words));
        }
    };
    let mut memory: Memory =
        serde_json::from_slice(&bytes).map_err(|error| Unread::Damaged(error.to_string()))?;
    memory.bound();
    Ok(Some(memory))
}

/// Keeps a damaged file under a name that nothing has yet; says which, or why it could not.
fn set_aside(file: &Path, error: &str) -> Result<String, String> {
    let aside = (1..)
        .map(|n| match n {
            1 => file.with_extension("damaged.json"),
            n => file.with_extension(format!("damaged-{n}.json")),
        })
        .find(|aside| fs::symlink_metadata(aside).is_err())
        .unwrap_or_default();
    match fs::rename(file, &aside) {
        Ok(()) => Ok(format!(
            "damaged history ({error}) kept as {}",
            aside.display()
        )),
        Err(e) => Err(format!("damaged history {}: {error}; {e}", file.display())),
    }
}

/// Waits until no other session is between reading and writing the file, a moment's work; ours until it
/// is dropped. One that was stopped there does not hold up the others for long.
fn wait_for_turn(file: &Path) -> io::Result<fs::File> {
    if let Some(dir) = file.parent() {
        fs::create_dir_all(dir)?;
    }
    let turn = fs::File::create(file.with_extension("lock"))?;
    let start = Instant::now();
    while start.elapsed() < TURN {
        match turn.try_lock() {
            Err(TryLockError::WouldBlock) => sleep(Duration::from_millis(5)),
            // Ours; or a file system without locks, where one session alone loses nothing.
            Ok(()) | Err(TryLockError::Error(_)) => break,
        }
    }
    Ok(turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(name: &str) -> SavedSearch {
        SavedSearch {
            name: name.into(),
            question: "b".into(),
            settings: Settings {
                company: false,
                ..Settings::default()
            },
        }
    }

    fn names(memory: &Memory) -> Vec<&str> {
        memory.saved.iter().map(|s| s.name.as_str()).collect()
    }

    #[test]
    fn history_and_saved_searches_outlive_the_session() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("state").join("workbench.json");
        let (mut memory, problem) = Memory::read(&file);
        assert_eq!(problem, None);
        for question in ["a", "b", " a ", ""] {
            memory.note(question);
        }
        memory.save(search("x"));
        memory.write().unwrap();
        let (again, _) = Memory::read(&file);
        assert_eq!(again.history, ["b", "a"]);
        assert_eq!(again.saved, [search("x")]);
    }

    #[test]
    fn two_sessions_do_not_lose_each_others_questions() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("workbench.json");
        let (mut one, mut two) = (Memory::read(&file).0, Memory::read(&file).0);
        one.note("from one");
        one.write().unwrap();
        two.note("from two");
        two.write().unwrap();
        assert_eq!(Memory::read(&file).0.history, ["from one", "from two"]);
        assert_eq!(two.history, ["from one", "from two"]);
    }

    #[test]
    fn two_sessions_do_not_undo_what_the_other_saved_or_removed() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("workbench.json");
        let mut one = Memory::read(&file).0;
        one.save(search("old"));
        one.write().unwrap();
        let mut two = Memory::read(&file).0;
        one.save(search("from one"));
        one.write().unwrap();
        two.note("asked");
        two.write().unwrap();
        assert_eq!(names(&Memory::read(&file).0), ["from one", "old"]);
        one.remove("old");
        one.write().unwrap();
        two.save(search("from two"));
        two.write().unwrap();
        assert_eq!(names(&Memory::read(&file).0), ["from one", "from two"]);
        // What was written once is not written again.
        two.remove("from one");
        two.write().unwrap();
        one.note("asked");
        one.write().unwrap();
        assert_eq!(names(&Memory::read(&file).0), ["from two"]);
    }

    #[test]
    fn sessions_that_write_at_the_same_moment_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("workbench.json");
        std::thread::scope(|scope| {
            for session in 0..4 {
                let file = &file;
                scope.spawn(move || {
                    let mut memory = Memory::read(file).0;
                    for n in 0..8 {
                        memory.save(search(&format!("{session}-{n}")));
                        memory.write().unwrap();
                    }
                });
            }
        });
        assert_eq!(Memory::read(&file).0.saved.len(), 32);
    }

    #[test]
    fn a_session_stopped_while_it_writes_does_not_hold_up_another() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("workbench.json");
        let _stopped = wait_for_turn(&file).unwrap();
        let mut memory = Memory::read(&file).0;
        memory.note("a");
        memory.write().unwrap();
        assert_eq!(Memory::read(&file).0.history, ["a"]);
    }

    #[test]
    fn a_change_that_could_not_be_written_is_written_with_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("state").join("workbench.json");
        let mut memory = Memory::read(&file).0;
        fs::write(dir.path().join("state"), "in the way").unwrap();
        memory.save(search("x"));
        assert!(memory.write().unwrap_err().contains("not written"));
        fs::remove_file(dir.path().join("state")).unwrap();
        memory.note("a");
        memory.write().unwrap();
        let again = Memory::read(&file).0;
        assert_eq!((names(&again), again.history.len()), (vec!["x"], 1));
    }

    #[test]
    fn history_is_bounded_in_number_and_length() {
        let mut memory = Memory::default();
        for n in 0..HISTORY + 5 {
            memory.note(&format!("question {n}"));
        }
        assert_eq!(memory.history.len(), HISTORY);
        assert_eq!(memory.history[0], "question 5");
        for n in 0..500 {
            memory.note(&format!("{n} {}", "é".repeat(100_000)));
        }
        let newest = memory.history.last().unwrap();
        assert!(newest.starts_with("499 é"));
        assert_eq!(newest.chars().count(), QUESTION);
        let bytes: usize = memory.history.iter().map(String::len).sum();
        assert!(
            bytes <= HISTORY_BYTES && bytes > HISTORY_BYTES / 2,
            "{bytes}"
        );
    }

    #[test]
    fn damaged_files_are_kept_aside_each_under_its_own_name() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("workbench.json");
        let damages: [(&[u8], &str); 4] = [
            (b"{\"history\": [\"a\",", "workbench.damaged.json"),
            (b"", "workbench.damaged-2.json"),
            (b"\xff\xfe\x00{", "workbench.damaged-3.json"),
            (b"{\"history\": [\"\xff\"]}", "workbench.damaged-4.json"),
        ];
        for (bytes, aside) in damages {
            fs::write(&file, bytes).unwrap();
            let (mut memory, problem) = Memory::read(&file);
            assert!(memory.history.is_empty());
            assert!(problem.unwrap().contains(aside));
            // It starts anew, and says so once.
            memory.note("b");
            memory.write().unwrap();
            let (again, problem) = Memory::read(&file);
            assert_eq!((again.history, problem), (vec!["b".to_string()], None));
        }
        for (bytes, aside) in damages {
            assert_eq!(fs::read(dir.path().join(aside)).unwrap(), bytes);
        }
    }

    #[test]
    fn a_file_damaged_while_it_is_in_use_is_kept_aside_too() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("workbench.json");
        let mut memory = Memory::read(&file).0;
        memory.note("a");
        memory.write().unwrap();
        fs::write(&file, b"\xff").unwrap();
        memory.note("b");
        let words = memory.write().unwrap_err();
        assert!(words.contains("workbench.damaged.json"), "{words}");
        assert_eq!(Memory::read(&file).0.history, ["a", "b"]);
    }
}
