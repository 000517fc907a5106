//! What outlives a session: the questions asked and the saved searches.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::library::store::write_atomic;
use crate::search::Settings;

/// Questions kept.
const HISTORY: usize = 1000;

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
}

impl Memory {
    /// Reads the file, which need not exist. One that cannot be read is set aside and named, so that
    /// nothing is lost.
    pub fn read(file: &Path) -> (Memory, Option<String>) {
        let empty = || Memory {
            file: Some(file.to_path_buf()),
            ..Memory::default()
        };
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return (empty(), None),
            Err(error) => {
                let words = format!("history not read: {}: {error}", file.display());
                return (Memory::default(), Some(words));
            }
        };
        match serde_json::from_str::<Memory>(&text) {
            Ok(memory) => (
                Memory {
                    file: Some(file.to_path_buf()),
                    ..memory
                },
                None,
            ),
            Err(error) => {
                let aside = file.with_extension("damaged.json");
                let words = match fs::rename(file, &aside) {
                    Ok(()) => format!("damaged history ({error}) kept as {}", aside.display()),
                    Err(e) => format!("damaged history {}: {error}; {e}", file.display()),
                };
                (empty(), Some(words))
            }
        }
    }

    /// Notes a question; asked again, it becomes the newest.
    pub fn note(&mut self, question: &str) {
        let question = question.trim();
        if question.is_empty() {
            return;
        }
        self.history.retain(|q| q != question);
        self.history.push(question.to_string());
        let over = self.history.len().saturating_sub(HISTORY);
        self.history.drain(..over);
    }

    /// Saves a search; one of the same name is replaced.
    pub fn save(&mut self, search: SavedSearch) {
        self.saved.retain(|s| s.name != search.name);
        self.saved.push(search);
        self.saved.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// Writes the file, whole or not at all. Questions another session asked meanwhile are kept.
    ///
    /// # Errors
    /// The file with the reason.
    pub fn write(&self) -> Result<(), String> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let mut merged = self.clone();
        if let Ok(text) = fs::read_to_string(file)
            && let Ok(other) = serde_json::from_str::<Memory>(&text)
        {
            merged.history = other.history;
            for question in &self.history {
                if merged.history.last() != Some(question) {
                    merged.note(question);
                }
            }
        }
        let write = || -> std::io::Result<()> {
            if let Some(dir) = file.parent() {
                fs::create_dir_all(dir)?;
            }
            write_atomic(file, &serde_json::to_vec_pretty(&merged)?)
        };
        write().map_err(|e| format!("history not written: {}: {e}", file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_and_saved_searches_outlive_the_session() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("state").join("workbench.json");
        let (mut memory, problem) = Memory::read(&file);
        assert_eq!(problem, None);
        for question in ["a", "b", " a ", ""] {
            memory.note(question);
        }
        memory.save(SavedSearch {
            name: "x".into(),
            question: "b".into(),
            settings: Settings {
                company: false,
                ..Settings::default()
            },
        });
        memory.write().unwrap();
        let (again, _) = Memory::read(&file);
        assert_eq!(again.history, ["b", "a"]);
        assert_eq!(again.saved, memory.saved);
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
    }

    #[test]
    fn a_damaged_file_is_kept_aside() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("workbench.json");
        fs::write(&file, "{\"history\": [\"a\",").unwrap();
        let (memory, problem) = Memory::read(&file);
        assert!(memory.history.is_empty());
        assert!(problem.unwrap().contains("workbench.damaged.json"));
        assert!(dir.path().join("workbench.damaged.json").exists());
    }
}
