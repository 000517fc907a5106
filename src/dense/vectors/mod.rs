//! Page vectors, one file a filing, and exact search over them.

mod compare;
mod file;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use thiserror::Error;

pub use compare::{MAX_DIMS, Quantised, Query};
pub use file::{Made, PageVectors, VectorFile, page_hash, vectors_path, write};

use super::ModelId;
use crate::library::verify::{Outcome, Problem};
use crate::library::{Filing, PageId};
use crate::words;

/// Where a library's vectors are.
pub fn folder(root: &Path) -> PathBuf {
    root.join("vectors")
}

/// What to do about vectors of another model.
pub const REPLACE: &str =
    "`tenleaf embed --replace` makes them anew, `tenleaf model fetch` may bring their model back";

/// Why vectors cannot be used.
#[derive(Debug, Error)]
pub enum VectorsError {
    /// The system's words.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
    /// Not what was written.
    #[error("{} is damaged ({what}): make it anew with `tenleaf embed`", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Made by another model: nothing here can be compared with this model's vectors.
    #[error(
        "vectors of another model: {REPLACE} (theirs {}, this one {})",
        theirs.short(), ours.short()
    )]
    OtherModel {
        /// What made them.
        theirs: ModelId,
        /// The model at hand.
        ours: ModelId,
    },
    /// Nothing embedded yet.
    #[error("no page is embedded yet: run `tenleaf embed`")]
    None,
}

/// Looks at every byte of the vector files; with `repair`, the damaged ones go, for `tenleaf embed` to make anew.
/// Returns how many there are, and what is wrong.
pub fn verify(root: &Path, filings: &[Filing], repair: bool) -> (usize, Vec<Problem>) {
    let dir = folder(root);
    if fs::symlink_metadata(&dir).is_ok() && !dir.is_dir() {
        let problem = Problem {
            file: "vectors".to_string(),
            problem: "it is no folder".to_string(),
            outcome: Outcome::Open,
            remedy: format!("remove {}; then {ANEW}", dir.display()),
        };
        return (0, vec![problem]);
    }
    let looked_at: Vec<Option<Problem>> = filings
        .par_iter()
        .filter_map(
            |filing| match VectorFile::open(&vectors_path(root, &filing.doc_name)) {
                Ok(_) => Some(None),
                Err(VectorsError::Io { source, .. })
                    if source.kind() == io::ErrorKind::NotFound =>
                {
                    None
                }
                Err(error) => Some(Some(problem(root, filing, error, repair))),
            },
        )
        .collect();
    let count = looked_at.len();
    (count, looked_at.into_iter().flatten().collect())
}

/// What mends a damaged vector file.
const ANEW: &str = "`tenleaf embed` makes it anew";

fn problem(root: &Path, filing: &Filing, error: VectorsError, repair: bool) -> Problem {
    let path = vectors_path(root, &filing.doc_name);
    let file = format!("vectors/{}.vectors", filing.doc_name);
    let problem = match error {
        VectorsError::Io { source, .. } => return Problem::unread(file, &source),
        VectorsError::Damaged { what, .. } => what.to_string(),
        other => other.to_string(),
    };
    let (outcome, remedy) = match (repair, path.is_dir()) {
        (_, true) => (
            Outcome::Open,
            format!("remove the folder yourself; then {ANEW}"),
        ),
        (true, _) if fs::remove_file(&path).is_ok() => {
            (Outcome::Removed, format!("removed: {ANEW}"))
        }
        _ => (Outcome::Open, ANEW.to_string()),
    };
    Problem {
        file,
        problem,
        outcome,
        remedy,
    }
}

/// How much of a library is embedded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Coverage {
    /// Filings with every page embedded.
    pub filings: usize,
    /// Of so many.
    pub filings_in_all: usize,
    /// Pages embedded.
    pub pages: usize,
    /// Of so many.
    pub pages_in_all: usize,
}

/// The vectors of a library, by filing.
#[derive(Debug)]
pub struct Vectors {
    files: Vec<Option<VectorFile>>,
    coverage: Coverage,
    of_another_model: usize,
    problems: Vec<String>,
}

impl Vectors {
    /// Opens what `model` embedded of the `filings` of the library in `root`.
    ///
    /// A damaged file, one of another text or one of another model is left out and told of in
    /// [`Vectors::problems`]; when nothing is left the error says why.
    pub fn open(root: &Path, filings: &[Filing], model: ModelId) -> Result<Vectors, VectorsError> {
        let mut files: Vec<Option<VectorFile>> = Vec::with_capacity(filings.len());
        let mut coverage = Coverage {
            filings_in_all: filings.len(),
            pages_in_all: filings.iter().map(|filing| filing.pages as usize).sum(),
            ..Coverage::default()
        };
        let mut problems = Vec::new();
        let (mut other_model, mut other_text) = (None, 0usize);
        let mut dims = None;
        for filing in filings {
            let path = vectors_path(root, &filing.doc_name);
            let file = match VectorFile::open(&path) {
                Err(VectorsError::Io { source, .. })
                    if source.kind() == io::ErrorKind::NotFound =>
                {
                    None
                }
                Err(error) => {
                    problems.push(error.to_string());
                    None
                }
                Ok(file) if file.model() != model => {
                    other_model = Some((file.model(), other_model.map_or(1, |(_, n)| n + 1)));
                    None
                }
                Ok(file) if !file.is_of(filing) => {
                    other_text += 1;
                    None
                }
                Ok(file) if *dims.get_or_insert(file.dims()) != file.dims() => {
                    problems.push(format!("{} has vectors of another length", path.display()));
                    None
                }
                Ok(file) => Some(file),
            };
            if let Some(file) = &file {
                let embedded = file.embedded();
                coverage.pages += embedded;
                coverage.filings += usize::from(embedded == file.pages());
            }
            files.push(file);
        }
        let of_another_model = other_model.map_or(0, |(_, count)| count);
        if let Some((theirs, count)) = other_model {
            if coverage.pages == 0 {
                return Err(VectorsError::OtherModel {
                    theirs,
                    ours: model,
                });
            }
            problems.push(format!(
                "{} with vectors of another model: {REPLACE}",
                words::count(count, "filing")
            ));
        }
        if other_text > 0 {
            problems.push(format!(
                "{other_text} filings changed since they were embedded: run `tenleaf embed`"
            ));
        }
        match dims {
            Some(_) => Ok(Vectors {
                files,
                coverage,
                of_another_model,
                problems,
            }),
            None if problems.is_empty() => Err(VectorsError::None),
            // Every file there is is damaged.
            None => Err(VectorsError::Damaged {
                path: folder(root),
                what: "no file in it can be used",
            }),
        }
    }

    /// How much is embedded.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// Filings whose vectors were made with another number of windows a page than this.
    pub fn of_other_windows(&self, windows: usize) -> usize {
        let files = self.files.iter().flatten();
        files.filter(|file| file.windows() != windows).count()
    }

    /// Filings left out, for their vectors are another model's: `tenleaf embed` refuses them, see [`REPLACE`].
    pub fn of_another_model(&self) -> usize {
        self.of_another_model
    }

    /// What was left out and why, one line each.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The similarity of one page, -1 to 1; `None` where it is not embedded or has no tokens.
    pub fn similarity(&self, query: &Query, page: PageId) -> Option<f32> {
        let file = self.files.get(page.filing as usize)?.as_ref()?;
        let at = page.page as usize;
        (at < file.pages()).then(|| file.similarity(query, at))?
    }
}
