//! Labelled questions: FinanceBench's own file, and our JSONL form.
//!
//! ```text
//! {"id": "q1", "question": "...", "doc_name": "3M_2018_10K", "gold_pages": [59],      // 0-based PDF pages
//!  "type": "narrative", "company": "3M", "answer": "...", "split": "dev"}             // these are optional
//! ```
//!
//! A line that cannot be used is named with its file and line; the rest of the set stands.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::trec::topic;
use crate::library::{Filing, Library, PageId, find, store};
use crate::words::json_trouble;

/// Prefix of every FinanceBench id; people leave it out.
const FINANCEBENCH_PREFIX: &str = "financebench_id_";

/// SHA-256, in hex, of the last dev id when FinanceBench's 150 ids are ordered by it: the first 50
/// are dev, and any subset of the questions keeps the split of the whole.
const LAST_DEV_HASH: &str = "446dcb2ce2515dc82bca7a44bdd3133ee9d188ccf045cc78c784c2016cf47cb2";

/// Which half of the split a question belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// May be tuned on.
    Dev,
    /// For reporting alone.
    Test,
}

impl Split {
    /// The split of a question id, by the rule: FinanceBench's ids in the order of their hex
    /// SHA-256, the first 50 of 150 are dev. Other ids have no split of their own.
    pub fn of(id: &str) -> Option<Split> {
        id.starts_with(FINANCEBENCH_PREFIX).then(|| {
            if store::hex(&Sha256::digest(id.as_bytes())).as_str() <= LAST_DEV_HASH {
                Split::Dev
            } else {
                Split::Test
            }
        })
    }

    /// `dev` or `test`.
    pub fn as_str(self) -> &'static str {
        match self {
            Split::Dev => "dev",
            Split::Test => "test",
        }
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The text a label points to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// 0-based PDF page.
    pub page: u32,
    /// The passage that answers.
    pub text: String,
    /// The whole page as the label's makers extracted it; empty where unknown.
    pub full_page_text: String,
}

/// One labelled question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Question {
    /// Unique id.
    pub id: String,
    /// The question as a person types it.
    pub text: String,
    /// The filing that answers it.
    pub doc_name: String,
    /// 0-based PDF pages of the filing that answer it: sorted, distinct, at least one.
    pub gold_pages: Vec<u32>,
    /// dev or test, where it has one.
    pub split: Option<Split>,
    /// Its type (`metrics-generated`, `narrative`), empty where unknown.
    pub kind: String,
    /// Company, empty where unknown.
    pub company: String,
    /// The answer, empty where unknown.
    pub answer: String,
    /// The labelled passages, where the set has them.
    pub evidence: Vec<Evidence>,
    /// Name of the set: the file's name without its extension; that of a file by the name of a split says so.
    pub set: String,
}

impl Question {
    /// The id without FinanceBench's prefix: `00517`.
    pub fn short_id(&self) -> &str {
        self.id
            .strip_prefix(FINANCEBENCH_PREFIX)
            .unwrap_or(&self.id)
    }

    /// The group reports put it in: its split, or else the name of its set.
    pub fn part(&self) -> &str {
        self.split.map_or(self.set.as_str(), |split| split.as_str())
    }

    /// The labelled pages among the filings of a library; empty when it lacks the filing.
    pub fn gold(&self, filings: &[Filing]) -> Vec<PageId> {
        let Some(filing) = find(filings, &self.doc_name) else {
            return Vec::new();
        };
        self.gold_pages
            .iter()
            .map(|&page| PageId { filing, page })
            .collect()
    }
}

/// Why a line of a question file cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{}: {what}", file.display(), line.map(|n| format!(":{n}")).unwrap_or_default())]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// 1-based line, where one is to blame.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: Fault,
}

/// What can be wrong with a labelled question.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Fault {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The line is no JSON.
    #[error(
        "not JSON: {0}; a line is {{\"id\": \"q1\", \"question\": \"...\", \"doc_name\": \"3M_2018_10K\", \"gold_pages\": [59]}}"
    )]
    NotJson(String),
    /// The line is no question of either form.
    #[error("not a question: {0}")]
    NotAQuestion(String),
    /// An id seen before.
    #[error("duplicate id {id:?}, first seen at {first}")]
    DuplicateId {
        /// The id.
        id: String,
        /// `file:line` of the first.
        first: String,
    },
    /// Labels in several filings.
    #[error("question {id:?} has evidence in {other:?}, not in its filing {doc_name:?}")]
    OtherFiling {
        /// The question.
        id: String,
        /// Its filing.
        doc_name: String,
        /// The evidence's filing.
        other: String,
    },
    /// No such filing.
    #[error("question {id:?}: filing {doc_name:?} is not in the library")]
    UnknownFiling {
        /// The question.
        id: String,
        /// The filing.
        doc_name: String,
    },
    /// No such page.
    #[error(
        "question {id:?}: gold page {page} (0-based) does not exist, {doc_name} has {pages} pages"
    )]
    NoSuchPage {
        /// The question.
        id: String,
        /// The filing.
        doc_name: String,
        /// 0-based page.
        page: u32,
        /// How many there are.
        pages: u32,
    },
}

/// Questions of any number of files, and what was wrong with the others.
#[derive(Clone, Debug, Default)]
pub struct QuestionSet {
    /// The questions, in the order of the files.
    pub questions: Vec<Question>,
    /// Lines left out, with the reason.
    pub problems: Vec<Problem>,
    /// File and line of the questions read from files, by id, for later problems.
    origins: HashMap<String, (PathBuf, usize)>,
}

impl From<Vec<Question>> for QuestionSet {
    /// A set of questions read and checked before.
    fn from(questions: Vec<Question>) -> QuestionSet {
        QuestionSet {
            questions,
            ..QuestionSet::default()
        }
    }
}

impl QuestionSet {
    /// Reads the files in order. Never fails: what cannot be used is in `problems`.
    pub fn read(files: &[PathBuf]) -> QuestionSet {
        let mut set = QuestionSet::default();
        // In TREC files questions of one topic would be one question, so ids are compared as they stand there.
        let mut seen: HashMap<String, (PathBuf, usize)> = HashMap::new();
        for file in files {
            let bytes = match fs::read(file) {
                Ok(bytes) => bytes,
                Err(error) => {
                    set.problem(file, None, Fault::Unreadable(error.to_string()));
                    continue;
                }
            };
            let name = set_name(file);
            for (ix, line) in bytes.split(|&b| b == b'\n').enumerate() {
                let line_no = ix + 1;
                if line.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                match parse(line, &name) {
                    Err(what) => set.problem(file, Some(line_no), what),
                    Ok(question) => match seen.get(&topic(&question.id)) {
                        Some((first_file, first_line)) => {
                            let first = format!("{}:{first_line}", first_file.display());
                            let id = question.id;
                            set.problem(file, Some(line_no), Fault::DuplicateId { id, first });
                        }
                        None => {
                            let origin = (file.clone(), line_no);
                            seen.insert(topic(&question.id), origin.clone());
                            set.origins.insert(question.id.clone(), origin);
                            set.questions.push(question);
                        }
                    },
                }
            }
        }
        set
    }

    /// The question files of a library: `questions/*.jsonl` by name; none where there is no such folder.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read: what is not read is not to pass for no questions.
    pub fn files_of(library: &Library) -> Result<Vec<PathBuf>, Problem> {
        let folder = library.root().join("questions");
        let mut files = store::files(&folder).map_err(|error| Problem {
            file: folder,
            line: None,
            what: Fault::Unreadable(error.to_string()),
        })?;
        files.retain(|path| path.extension().is_some_and(|ext| ext == "jsonl"));
        files.sort();
        Ok(files)
    }

    /// The questions of these files, or of the library's own where none are given, checked
    /// against the library.
    pub fn load(library: &Library, files: &[PathBuf]) -> QuestionSet {
        let mut set = match files {
            [] => match QuestionSet::files_of(library) {
                Ok(own) => QuestionSet::read(&own),
                Err(problem) => QuestionSet {
                    problems: vec![problem],
                    ..QuestionSet::default()
                },
            },
            files => QuestionSet::read(files),
        };
        set.check(library);
        set
    }

    /// Leaves out, as problems, the questions whose filing or pages the library does not have.
    pub fn check(&mut self, library: &Library) {
        let (problems, origins) = (&mut self.problems, &self.origins);
        self.questions.retain(|question| {
            let Some(what) = fault_in(question, library) else {
                return true;
            };
            let (file, line) = match origins.get(&question.id) {
                Some((file, line)) => (file.clone(), Some(*line)),
                None => (PathBuf::from(&question.set), None),
            };
            problems.push(Problem { file, line, what });
            false
        });
    }

    /// Number of questions that came from this file.
    pub fn count_of(&self, file: &Path) -> usize {
        let of_file = |q: &&Question| self.origins.get(&q.id).is_some_and(|(of, _)| of == file);
        self.questions.iter().filter(of_file).count()
    }

    /// Keeps the questions of one split.
    pub fn keep_split(&mut self, split: Split) {
        self.questions.retain(|q| q.split == Some(split));
    }

    /// The question of this id; FinanceBench's prefix may be left out.
    pub fn find(&self, id: &str) -> Option<&Question> {
        self.questions
            .iter()
            .find(|q| q.id == id)
            .or_else(|| self.questions.iter().find(|q| is_id(&q.id, id)))
    }

    fn problem(&mut self, file: &Path, line: Option<usize>, what: Fault) {
        self.problems.push(Problem {
            file: file.to_path_buf(),
            line,
            what,
        });
    }
}

/// True where a question's whole id is asked for; FinanceBench's prefix may be left out.
pub fn is_id(whole: &str, asked: &str) -> bool {
    whole == asked || whole.strip_prefix(FINANCEBENCH_PREFIX) == Some(asked)
}

fn set_name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or("questions".as_ref());
    match stem.to_string_lossy() {
        // Its questions are of no split, and must not pass for those that are.
        name if [Split::Dev, Split::Test]
            .map(Split::as_str)
            .contains(&&*name) =>
        {
            format!("{name} (file)")
        }
        name => name.into_owned(),
    }
}

fn fault_in(question: &Question, library: &Library) -> Option<Fault> {
    let id = question.id.clone();
    let doc_name = question.doc_name.clone();
    let Some(filing) = library.find(&question.doc_name) else {
        return Some(Fault::UnknownFiling { id, doc_name });
    };
    let pages = library.filing(filing).pages;
    let page = *question.gold_pages.iter().find(|&&page| page >= pages)?;
    Some(Fault::NoSuchPage {
        id,
        doc_name,
        page,
        pages,
    })
}

/// Both forms in one: the fields that are not there stay empty.
#[derive(Deserialize)]
struct Line {
    #[serde(alias = "financebench_id", deserialize_with = "id")]
    id: String,
    question: String,
    doc_name: String,
    gold_pages: Option<Vec<u32>>,
    evidence: Option<Vec<EvidenceLine>>,
    split: Option<Split>,
    #[serde(rename = "type", alias = "question_type", alias = "kind")]
    kind: Option<String>,
    company: Option<String>,
    answer: Option<serde_json::Value>,
}

fn id<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    id_of(&value)
        .ok_or_else(|| D::Error::custom(format!("the id {value} is no text and no number")))
}

/// The id of a question in a file: a text, trimmed and without control characters, or a number.
pub fn id_of(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(id) => Some(id.replace(char::is_control, " ").trim().to_string()),
        serde_json::Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

#[derive(Deserialize)]
struct EvidenceLine {
    doc_name: Option<String>,
    evidence_page_num: u32,
    #[serde(default)]
    evidence_text: String,
    #[serde(default)]
    evidence_text_full_page: String,
}

fn parse(line: &[u8], set: &str) -> Result<Question, Fault> {
    let bad = |what: String| Fault::NotAQuestion(what);
    // A byte order mark at the head of a file is no part of its first line.
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let line: Line = serde_json::from_slice(line).map_err(|error| match error.is_data() {
        true => bad(json_trouble(&error)),
        false => Fault::NotJson(json_trouble(&error)),
    })?;
    for (field, value) in [
        ("id", &line.id),
        ("question", &line.question),
        ("doc_name", &line.doc_name),
    ] {
        if value.trim().is_empty() {
            return Err(bad(format!("field {field:?} is empty")));
        }
    }
    let mut evidence = Vec::new();
    for part in line.evidence.unwrap_or_default() {
        if let Some(other) = part.doc_name.filter(|name| *name != line.doc_name) {
            return Err(Fault::OtherFiling {
                id: line.id,
                doc_name: line.doc_name,
                other,
            });
        }
        evidence.push(Evidence {
            page: part.evidence_page_num,
            text: part.evidence_text,
            full_page_text: part.evidence_text_full_page,
        });
    }
    // An empty list is no label: the evidence then says the pages.
    let labelled = line.gold_pages.filter(|pages| !pages.is_empty());
    let mut gold_pages = labelled.unwrap_or_else(|| evidence.iter().map(|e| e.page).collect());
    gold_pages.sort_unstable();
    gold_pages.dedup();
    if gold_pages.is_empty() {
        return Err(bad(format!(
            "{:?} has no page under \"gold_pages\" or \"evidence\"",
            line.id
        )));
    }
    Ok(Question {
        split: line.split.or_else(|| Split::of(&line.id)),
        id: line.id,
        text: line.question,
        doc_name: line.doc_name,
        gold_pages,
        kind: line.kind.unwrap_or_default(),
        company: line.company.unwrap_or_default(),
        answer: match line.answer {
            None | Some(serde_json::Value::Null) => String::new(),
            Some(serde_json::Value::String(text)) => text,
            Some(other) => other.to_string(),
        },
        evidence,
        set: set.to_string(),
    })
}

#[cfg(test)]
mod tests;
