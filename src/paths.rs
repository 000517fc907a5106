//! Where things are: one data folder with a folder for each library.
//!
//! ```text
//! DATA/financebench/     a library (see `library`)
//! DATA/demo/             the built-in demo
//! DATA/models/           the embedding model and its runtime
//! DATA/tables/           the user's own companies, synonyms, topics
//! DATA/state/            history and saved searches of the workbench
//! DATA/cache/            downloads that can be made again
//! DATA/logs/             what the program says of its work
//! ```

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use directories::ProjectDirs;

use crate::library::check_name;

/// Name of the built-in demo library.
pub const DEMO: &str = "demo";
/// Folders of the data folder that are no libraries.
const RESERVED: [&str; 5] = ["cache", "logs", "models", "state", "tables"];

/// The data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    data: PathBuf,
}

impl Paths {
    /// `data_dir` where given, else the platform's folder for a user's data.
    pub fn new(data_dir: Option<&Path>) -> Result<Paths> {
        let data = match data_dir {
            Some(dir) => dir.to_path_buf(),
            None => project_dirs()
                .context("no home folder: name a data folder with --data-dir or TENLEAF_DATA_DIR")?
                .data_dir()
                .to_path_buf(),
        };
        Ok(Paths { data })
    }

    /// The data folder itself.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The folder of the library of this name; [`check_library`] first.
    pub fn library(&self, name: &str) -> PathBuf {
        self.data.join(name)
    }

    /// The embedding model and its runtime.
    pub fn models(&self) -> PathBuf {
        self.data.join("models")
    }

    /// Downloads that can be made again.
    pub fn cache(&self) -> PathBuf {
        self.data.join("cache")
    }

    /// What the program says of its work.
    pub fn logs(&self) -> PathBuf {
        self.data.join("logs")
    }

    /// The user's own reading tables (`*.toml`), merged over the built-in ones.
    pub fn tables(&self) -> PathBuf {
        self.data.join("tables")
    }

    /// The workbench's own: history, saved searches.
    pub fn state(&self) -> PathBuf {
        self.data.join("state")
    }

    /// Names of the libraries, sorted: those that hold at least one filing, and the demo, which is written when it is
    /// first opened.
    pub fn libraries(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.data).into_iter().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| *name != DEMO && check_library(name).is_ok() && self.has_filings(name))
            .chain([DEMO.to_string()])
            .collect();
        names.sort();
        names
    }

    /// True when the library of this name holds at least one filing.
    pub fn has_filings(&self, name: &str) -> bool {
        std::fs::read_dir(self.library(name).join("pages")).is_ok_and(|entries| {
            entries
                .flatten()
                .any(|entry| entry.path().extension().is_some_and(|ext| ext == "pages"))
        })
    }
}

/// The user's config file where no other is named; `None` without a home folder.
pub fn config_file() -> Option<PathBuf> {
    Some(project_dirs()?.config_dir().join("config.toml"))
}

fn project_dirs() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "tenleaf")
}

/// A library's name becomes a folder's: as for filings, and none of the data folder's own.
pub fn check_library(name: &str) -> Result<()> {
    if RESERVED.contains(&name) {
        bail!("{name:?} cannot name a library: the data folder uses it for something else");
    }
    check_name(name).map_err(|_| {
        anyhow::anyhow!("{name:?} cannot name a library: use letters, digits, '_', '-', '.', '&'")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_names_stay_inside_the_data_folder() {
        for good in ["financebench", "demo", "my-filings_2024", "R&D"] {
            assert!(check_library(good).is_ok(), "{good}");
        }
        for bad in ["", "..", ".hidden", "a/b", "logs", "models", "c:\\x"] {
            assert!(check_library(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn folders_with_filings_and_the_demo_are_libraries() {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::new(Some(dir.path())).unwrap();
        assert_eq!(paths.libraries(), [DEMO]);
        std::fs::create_dir_all(dir.path().join("logs/pages")).unwrap();
        std::fs::create_dir_all(dir.path().join("empty/pages")).unwrap();
        std::fs::create_dir_all(dir.path().join("mine/pages")).unwrap();
        std::fs::write(dir.path().join("mine/pages/A.pages"), b"").unwrap();
        std::fs::write(dir.path().join("logs/pages/A.pages"), b"").unwrap();
        assert_eq!(paths.libraries(), [DEMO, "mine"]);
    }
}
