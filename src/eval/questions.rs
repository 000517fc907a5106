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

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::trec::topic;
use crate::library::{Library, PageId, store};
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

    /// The labelled pages in this library; empty when it lacks the filing.
    pub fn gold(&self, library: &Library) -> Vec<PageId> {
        let Some(filing) = library.find(&self.doc_name) else {
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
    #[serde(alias = "financebench_id")]
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
mod tests {
    use super::*;
    use crate::library::{Filing, Form, PageText, TextSource};

    fn filing(doc_name: &str) -> Filing {
        Filing {
            doc_name: doc_name.into(),
            company: "Acme".into(),
            sector: None,
            form: Form::TenK,
            amended: false,
            fiscal_year: Some(2020),
            quarter: None,
            event_date: None,
            cover_date: None,
            pages: 0,
            text_from: TextSource::Demo,
            text_sha256: String::new(),
            made_from: None,
            source_sha256: None,
            link: None,
            accession: None,
            path: None,
            page_numbers_uncertain_from: None,
            added: None,
            note: None,
        }
    }

    #[test]
    fn bad_lines_are_named_and_the_rest_stands() {
        let dir = tempfile::tempdir().unwrap();
        let pages = vec![PageText::default(); 3];
        Library::put(dir.path(), &mut filing("ACME_2020_10K"), &pages).unwrap();
        let library = Library::refresh(dir.path()).unwrap();
        let file = dir.path().join("mine.jsonl");
        let lines = [
            r#"{"id":"a","question":"Q?","doc_name":"ACME_2020_10K","gold_pages":[2,0,2],"type":"narrative"}"#,
            r#"{"id":"a","question":"Again?","doc_name":"ACME_2020_10K","gold_pages":[1]}"#,
            r#"{"id":"b","question":"Q?","doc_name":"NOBODY_2020_10K","gold_pages":[1]}"#,
            "",
            r#"{"id":"c","question":"Q?","doc_name":"ACME_2020_10K","gold_pages":[3]}"#,
            "{nonsense",
            r#"{"id":"d","question":"Q?","doc_name":"ACME_2020_10K"}"#,
            r#"{"financebench_id":"financebench_id_00080","question":"Q?","doc_name":"ACME_2020_10K","question_type":"novel-generated","evidence":[{"evidence_text":"t","doc_name":"ACME_2020_10K","evidence_page_num":1,"evidence_text_full_page":"T"}]}"#,
        ];
        fs::write(&file, lines.join("\n")).unwrap();
        let missing = dir.path().join("missing.jsonl");
        let mut set = QuestionSet::load(&library, &[file, missing]);
        let ids: Vec<&str> = set.questions.iter().map(|q| q.id.as_str()).collect();
        assert_eq!(ids, ["a", "financebench_id_00080"]);
        assert_eq!(set.questions[0].gold_pages, [0, 2]);
        assert_eq!(set.questions[0].part(), "mine");
        assert_eq!(set.questions[1].split, Some(Split::Dev));
        assert_eq!(set.questions[1].kind, "novel-generated");
        let mut problems: Vec<String> = set.problems.iter().map(Problem::to_string).collect();
        problems.sort();
        for (problem, wanted) in problems.iter().zip([
            "mine.jsonl:2: duplicate id \"a\", first seen at ",
            "mine.jsonl:3: question \"b\": filing \"NOBODY_2020_10K\" is not in the library",
            "mine.jsonl:5: question \"c\": gold page 3 (0-based) does not exist, ACME_2020_10K has 3 pages",
            "mine.jsonl:6: not JSON: key must be a string at column 2; a line is {\"id\": \"q1\", ",
            "mine.jsonl:7: not a question: \"d\" has no page",
            "missing.jsonl: cannot be read",
        ]) {
            assert!(problem.contains(wanted), "{problem} lacks {wanted}");
        }
        assert_eq!(problems.len(), 6);
        // A set of questions that were read before is checked as well, and told without a line.
        let mut again = QuestionSet::from(set.questions.clone());
        again.questions[1].gold_pages = vec![7];
        again.check(&library);
        assert_eq!(again.questions.len(), 1);
        let told: Vec<String> = again.problems.iter().map(Problem::to_string).collect();
        assert_eq!(
            told,
            [
                "mine: question \"financebench_id_00080\": gold page 7 (0-based) does not exist, ACME_2020_10K has 3 pages"
            ]
        );
        set.keep_split(Split::Dev);
        assert_eq!(set.questions.len(), 1);
        assert!(set.find("00080").is_some() && set.find("a").is_none());
    }

    #[test]
    fn a_file_by_the_name_of_a_split_is_no_split() {
        let dir = tempfile::tempdir().unwrap();
        let read = |name: &str, line: &str| {
            let file = dir.path().join(name);
            fs::write(&file, line).unwrap();
            QuestionSet::read(&[file]).questions.remove(0)
        };
        let plain = r#"{"id":"a","question":"Q?","doc_name":"D","gold_pages":[1]}"#;
        let split = r#"{"id":"a","question":"Q?","doc_name":"D","gold_pages":[1],"split":"dev"}"#;
        assert_eq!(read("dev.jsonl", plain).part(), "dev (file)");
        assert_eq!(read("test", plain).part(), "test (file)");
        assert_eq!(read("tune.jsonl", plain).part(), "tune");
        assert_eq!(read("tune.jsonl", split).part(), "dev");
    }

    #[test]
    fn an_empty_list_of_pages_leaves_them_to_the_evidence() {
        let line = |pages: &str, evidence: &str| {
            let line = format!(
                r#"{{"id":"a","question":"Q?","doc_name":"D","gold_pages":{pages},"evidence":{evidence}}}"#
            );
            parse(line.as_bytes(), "s").map(|question| question.gold_pages)
        };
        let evidence = r#"[{"evidence_page_num":7}]"#;
        assert_eq!(line("[]", evidence), Ok(vec![7]));
        assert_eq!(line("[3]", evidence), Ok(vec![3]));
        assert!(
            line("[]", "[]")
                .unwrap_err()
                .to_string()
                .contains("no page")
        );
    }

    #[test]
    fn questions_that_cannot_be_read_are_not_no_questions() {
        let dir = tempfile::tempdir().unwrap();
        let library = Library::open(dir.path()).unwrap();
        assert_eq!(QuestionSet::files_of(&library), Ok(Vec::new()));
        fs::write(dir.path().join("questions"), "no folder").unwrap();
        let set = QuestionSet::load(&library, &[]);
        assert_eq!(set.problems.len(), 1);
        let told = set.problems[0].to_string();
        assert!(told.contains("questions: cannot be read: "), "{told}");
    }

    #[test]
    fn ids_are_asked_for_whole_or_without_financebenchs_prefix() {
        for (whole, asked, is_it) in [
            ("financebench_id_00517", "financebench_id_00517", true),
            ("financebench_id_00517", "00517", true),
            ("financebench_id_00517", "0517", false),
            ("financebench_id_00517", "id_00517", false),
            ("tune_1", "tune_1", true),
            ("tune_1", "1", false),
        ] {
            assert_eq!(is_id(whole, asked), is_it, "{whole} {asked}");
        }
    }

    #[test]
    fn the_split_is_that_of_split_json() {
        let Some(mirror) = crate::common::shared("financebench") else {
            return;
        };
        let text = fs::read_to_string(mirror.join("split.json")).unwrap();
        let split: HashMap<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
        let set = QuestionSet::read(&[mirror.join("financebench_open_source.jsonl")]);
        assert_eq!(set.problems, []);
        assert_eq!(set.questions.len(), 150);
        for question in &set.questions {
            let listed = split[question.split.unwrap().as_str()].as_array().unwrap();
            assert!(
                listed.iter().any(|id| id == question.id.as_str()),
                "{}",
                question.id
            );
        }
        assert_eq!(
            set.questions
                .iter()
                .map(|q| q.evidence.len())
                .sum::<usize>(),
            189
        );
    }
}
