//! A file of questions answered: `tenleaf ask --questions FILE`.
//!
//! With `--out` the answers are gathered in `OUT.part`, one JSON object a line with the answer as it
//! will be written, and put in place when all are there: a stopped run goes on where it was and
//! comes to the same bytes. (Into a device or a pipe they are written in the end, from memory.)

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Exit, Usage, check_not_read, errln, progress, stop_asked, stopped, write_file};
use crate::eval::export::{Format, OfFile};
use crate::eval::metrics::{Means, Measure};
use crate::eval::report::corpus_hash;
use crate::eval::trec::topic;
use crate::eval::{QuestionSet, id_of};
use crate::library::checksum::sha256;
use crate::library::{output, store};
use crate::search::{Engine, Retriever, Settings, search};
use crate::words::{count, json_trouble};

/// What is done where writing fails.
const STDOUT: &str = "writing to stdout";
/// Questions answered before they are written.
const CHUNK: usize = 32;

/// A question of the file.
struct Line {
    line: usize,
    id: String,
    text: String,
    /// Hash of the whole line: of its labels too.
    row: String,
}

/// An answer, as it is gathered.
#[derive(Serialize, Deserialize)]
struct Answer {
    line: usize,
    /// Hash of the line and its place.
    key: String,
    /// The answer in the format wanted. Text, since a number that is parsed and written again may
    /// change in its last digit.
    text: String,
    /// Ranks of the labelled pages, where the line has labels of this library.
    #[serde(skip_serializing_if = "Option::is_none")]
    gold_ranks: Option<Vec<Option<usize>>>,
    /// Why it was ranked by words alone, where meaning was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_words: Option<String>,
}

/// Answers the questions of a file (`-` is standard input): JSON objects with `question` (and `id`), or plain lines.
/// A line that begins with `{` has to be an object; so has every line where the name of the file ends in `.jsonl`,
/// `.ndjson` or `.json`, or where its first line begins with `{`.
///
/// # Errors
///
/// If the file cannot be read or the answers not be written. A line that is no question is named and
/// the rest answered; then the exit code is 1.
pub fn run(
    engine: &Engine,
    settings: &Settings,
    file: &Path,
    format: Format,
    out: Option<&Path>,
) -> Result<()> {
    let source = Source::of(file)?;
    let (asked, bad) = source.questions()?;
    for (line, what) in &bad {
        errln!("{}:{line}: {what}", source.name);
    }
    if asked.is_empty() && bad.is_empty() {
        bail!(
            "{} holds no question: write one a line, or JSON objects with \"question\"",
            source.name
        );
    }
    let set = QuestionSet::read(&[source.path.to_path_buf()]);
    let gathered_in = out
        .filter(|out| !output::is_stream(out))
        .map(output::part_path);
    for written in out.iter().copied().chain(gathered_in.as_deref()) {
        check_not_read(written, [source.path.as_path()])?;
    }
    let part = gathered_in
        .as_deref()
        .map(|path| Part::open(path, format, settings, engine))
        .transpose()?;
    let (mut part, mut known) = match part {
        Some((part, known)) => (Some(part), known),
        None => (None, HashMap::new()),
    };
    let cancel = stop_asked();
    let bar = progress("answering");
    bar.set_length(asked.len() as u64);
    let mut answers: Vec<Answer> = Vec::with_capacity(asked.len());
    let mut stdout = io::stdout().lock();
    if out.is_none() {
        stdout.write_all(format.head().as_bytes()).context(STDOUT)?;
    }
    for chunk in asked.chunks(CHUNK) {
        if cancel.is_cancelled() {
            break;
        }
        let (done, new): (Vec<&Line>, Vec<&Line>) = chunk
            .iter()
            .partition(|asked| known.contains_key(&key(asked)));
        let mut found: Vec<Answer> = done
            .iter()
            .filter_map(|asked| known.remove(&key(asked)))
            .collect();
        let fresh: Vec<Answer> = new
            .par_iter()
            .map(|asked| answer(engine, settings, &set, format, asked))
            .collect();
        engine.check_index()?;
        if let Some(part) = &mut part {
            part.append(&fresh)?;
        }
        found.extend(fresh);
        found.sort_by_key(|answer| answer.line);
        if out.is_none() {
            for answer in &found {
                stdout.write_all(answer.text.as_bytes()).context(STDOUT)?;
            }
            stdout.flush().context(STDOUT)?;
        }
        answers.extend(found);
        bar.inc(chunk.len() as u64);
    }
    bar.finish_and_clear();
    if cancel.is_cancelled() {
        if let Some(path) = gathered_in {
            errln!(
                "stopped after {} of {}: the same command goes on ({})",
                answers.len(),
                asked.len(),
                path.display()
            );
        }
        return Err(stopped().into());
    }
    if let Some(out) = out {
        let mut text = format.head().to_string();
        for answer in &answers {
            text.push_str(&answer.text);
        }
        write_file(out, &text)?;
        if let Some(path) = gathered_in {
            let _ = fs::remove_file(path);
        }
        errln!(
            "{} answered: {}",
            count(answers.len(), "question"),
            out.display()
        );
    }
    report(&answers);
    match bad.is_empty() {
        true => Ok(()),
        false => Err(Exit(1).into()),
    }
}

fn key(asked: &Line) -> String {
    sha256(format!("{}\n{}\n{}", asked.line, asked.id, asked.row).as_bytes())
}

/// Where the questions are.
struct Source {
    /// As messages name it.
    name: String,
    path: PathBuf,
    /// What came through a pipe, kept until the end: it is read twice.
    _piped: Option<tempfile::NamedTempFile>,
}

impl Source {
    fn of(file: &Path) -> Result<Source> {
        let ending = file.extension().and_then(|ext| ext.to_str());
        if let Some(table @ ("csv" | "tsv" | "xlsx")) = ending {
            return Err(Usage(format!(
                "{}: questions are read from a line each, or from JSON lines, not from .{table}",
                file.display()
            ))
            .into());
        }
        let (name, mut pipe): (String, Box<dyn Read>) = match file.as_os_str() == "-" {
            true => ("standard input".into(), Box::new(io::stdin().lock())),
            false => {
                let name = file.display().to_string();
                let opened = File::open(file).with_context(|| format!("reading {name}"))?;
                if opened.metadata()?.is_file() {
                    return Ok(Source {
                        name,
                        path: file.to_path_buf(),
                        _piped: None,
                    });
                }
                (name, Box::new(opened))
            }
        };
        let ending = ending.map_or(String::new(), |ext| format!(".{ext}"));
        let mut piped = tempfile::Builder::new().suffix(&ending).tempfile()?;
        io::copy(&mut pipe, &mut piped).with_context(|| format!("reading {name}"))?;
        Ok(Source {
            name,
            path: piped.path().to_path_buf(),
            _piped: Some(piped),
        })
    }

    /// The questions, and the lines that are none.
    fn questions(&self) -> Result<(Vec<Line>, Vec<(usize, String)>)> {
        let bytes = fs::read(&self.path).with_context(|| format!("reading {}", self.name))?;
        let extension = self.path.extension().and_then(|ext| ext.to_str());
        Ok(questions(&bytes, extension))
    }
}

fn questions(bytes: &[u8], extension: Option<&str>) -> (Vec<Line>, Vec<(usize, String)>) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let json = matches!(extension, Some("jsonl" | "ndjson" | "json"))
        || bytes.trim_ascii_start().starts_with(b"{");
    let (mut asked, mut bad) = (Vec::new(), Vec::new());
    // In a run file questions of one id would be one question, so ids are compared as they stand there.
    let mut lines: HashMap<String, usize> = HashMap::new();
    let mut unnamed: Vec<usize> = Vec::new();
    for (ix, line) in bytes.split(|&b| b == b'\n').enumerate() {
        let number = ix + 1;
        let Ok(line) = std::str::from_utf8(line) else {
            bad.push((number, "not UTF-8".to_string()));
            continue;
        };
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        // A question in words begins with no brace: among lines of text too this is an object, or a broken one.
        let read = match json || line.starts_with('{') {
            true => question(line),
            false => Ok((None, line.to_string())),
        };
        match read {
            Ok((id, text)) => {
                match id.as_deref().map(|id| (id, lines.entry(topic(id)))) {
                    None => unnamed.push(asked.len()),
                    Some((_, Entry::Vacant(free))) => {
                        free.insert(number);
                    }
                    Some((id, Entry::Occupied(first))) => {
                        let first = first.get();
                        bad.push((number, format!("its id {id:?} is that of line {first}")));
                        continue;
                    }
                }
                asked.push(Line {
                    line: number,
                    id: id.unwrap_or_default(),
                    text,
                    row: sha256(line.as_bytes()),
                });
            }
            Err(what) => bad.push((number, what)),
        }
    }
    for at in unnamed {
        let mut id = format!("line{}", asked[at].line);
        while lines.contains_key(&id) {
            id.push('_');
        }
        asked[at].id = id;
    }
    (asked, bad)
}

/// Id and question of a line of JSON.
fn question(line: &str) -> Result<(Option<String>, String), String> {
    let row: Value = serde_json::from_str(line).map_err(|error| {
        let what = json_trouble(&error);
        format!("not JSON: {what}; a line is {{\"id\": \"q1\", \"question\": \"...\"}}")
    })?;
    let text = match &row["question"] {
        _ if !row.is_object() => return Err("no JSON object with a \"question\"".into()),
        Value::Null => return Err("it has no \"question\"".into()),
        Value::String(text) if text.trim().is_empty() => {
            return Err("its \"question\" is empty".into());
        }
        Value::String(text) => text.trim().to_string(),
        _ => return Err("its \"question\" is no text".into()),
    };
    let id = ["id", "financebench_id"]
        .iter()
        .find_map(|key| id_of(&row[key]));
    Ok((id.filter(|id| !id.is_empty()), text))
}

fn answer(
    engine: &Engine,
    settings: &Settings,
    set: &QuestionSet,
    format: Format,
    asked: &Line,
) -> Answer {
    let outcome = search(engine, &asked.text, settings);
    let gold = set
        .find(&asked.id)
        .map(|question| question.gold(engine.library.filings()))
        .unwrap_or_default();
    let gold_ranks =
        (!gold.is_empty()).then(|| gold.iter().map(|&page| outcome.rank_of(page)).collect());
    let of = OfFile {
        line: asked.line,
        id: &asked.id,
    };
    Answer {
        line: asked.line,
        key: key(asked),
        text: format.body(Some(of), engine, &outcome),
        gold_ranks,
        by_words: outcome.by_words_alone,
    }
}

/// Measures over the labelled questions, on stderr.
fn report(answers: &[Answer]) {
    let mut by_words = answers
        .iter()
        .filter_map(|answer| answer.by_words.as_deref());
    if let Some(first) = by_words.next() {
        errln!(
            "tenleaf: {} of {} ranked by words alone; the first: {first}",
            by_words.count() + 1,
            count(answers.len(), "question"),
        );
    }
    let ranks: Vec<&[Option<usize>]> = answers
        .iter()
        .filter_map(|answer| answer.gold_ranks.as_deref())
        .collect();
    if ranks.is_empty() {
        return;
    }
    let means = Means::of(ranks.iter().copied());
    let mut line = format!("{} of {} labelled:", ranks.len(), answers.len());
    for measure in Measure::ALL {
        let _ = write!(line, "  {} {:.3}", measure.title(), means.get(measure));
    }
    errln!("{line}");
}

/// The answers gathered so far.
struct Part {
    file: File,
    path: PathBuf,
}

impl Part {
    /// Opens the part file, with the answers in it that were made by this program with these settings and tables, in
    /// this format, from this library.
    fn open(
        path: &Path,
        format: Format,
        settings: &Settings,
        engine: &Engine,
    ) -> Result<(Part, HashMap<String, Answer>)> {
        let head = json!({
            "tenleaf answers": format!("{format:?}"),
            "version": env!("CARGO_PKG_VERSION"),
            "tables": engine.tables.fingerprint,
            "columns": format.head(),
            "settings": settings,
            "library": corpus_hash(&engine.library),
            "vectors": match settings.retriever {
                Retriever::Bm25 => None,
                _ => engine.meaning.as_ref().and_then(|meaning| meaning.vectors().ok()),
            },
        });
        let old = match store::read_file(path) {
            Ok(old) => old,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => bail!(
                "{}: {error}: move it away, or name another --out",
                path.display()
            ),
        };
        let ours = |line: &[u8]| {
            let head = serde_json::from_slice::<Value>(line).unwrap_or_default();
            head["settings"].is_object() && head["library"].is_string()
        };
        let mut lines = old.split_inclusive(|&byte| byte == b'\n');
        let mut known = HashMap::new();
        let mut kept = format!("{head}\n").into_bytes();
        match lines.next() {
            Some(line) if line == kept => {
                for line in lines {
                    // The last one may have been cut off.
                    let Ok(answer) = serde_json::from_slice::<Answer>(line) else {
                        break;
                    };
                    if !line.ends_with(b"\n") {
                        break;
                    }
                    kept.extend_from_slice(line);
                    known.insert(answer.key.clone(), answer);
                }
            }
            Some(line) if !ours(line) => bail!(
                "{} is there and holds no answers of a stopped run: move it away, or name another --out",
                path.display()
            ),
            _ => {}
        }
        output::write(path, &kept).with_context(|| format!("writing {}", path.display()))?;
        let file = OpenOptions::new()
            .append(true)
            .open(path)
            .with_context(|| path.display().to_string())?;
        let path = path.to_path_buf();
        Ok((Part { file, path }, known))
    }

    fn append(&mut self, answers: &[Answer]) -> Result<()> {
        let mut lines = Vec::new();
        for answer in answers {
            serde_json::to_writer(&mut lines, answer)?;
            lines.push(b'\n');
        }
        self.file
            .write_all(&lines)
            .with_context(|| format!("writing {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_kind() {
        let id = |text: &str| Some(text.to_string());
        assert_eq!(
            question(r#"{"id": 7, "question": " x "}"#),
            Ok((id("7"), "x".into()))
        );
        assert_eq!(
            question(r#"{"financebench_id": "f", "question": "x"}"#),
            Ok((id("f"), "x".into()))
        );
        for (line, want) in [
            (r#"{"id": 7}"#, "no \"question\""),
            (r#"{"question": " "}"#, "is empty"),
            (r#"{"question": 7}"#, "is no text"),
            ("[1]", "no JSON object"),
            ("{", "not JSON"),
            ("AMD quick ratio?", "not JSON"),
        ] {
            assert!(question(line).unwrap_err().contains(want), "{line}");
        }
    }

    #[test]
    fn a_file_is_json_or_plain_and_a_brace_begins_an_object() {
        let read = |text: &str, extension| {
            let (asked, bad) = questions(text.as_bytes(), extension);
            let asked: Vec<String> = asked.into_iter().map(|asked| asked.text).collect();
            (asked, bad.into_iter().map(|bad| bad.0).collect::<Vec<_>>())
        };
        let mixed = "{\"question\": \"a\"}\nplain\n";
        assert_eq!(read(mixed, Some("jsonl")), (vec!["a".into()], vec![2]));
        assert_eq!(read(mixed, None), (vec!["a".into()], vec![2]));
        let plain = "\u{feff}one\r\n\n{two}\n[3] {\"question\": \"x\"}\n{\"question\": \"b\"}\n";
        assert_eq!(
            read(plain, Some("txt")),
            (
                vec!["one".into(), "[3] {\"question\": \"x\"}".into(), "b".into()],
                vec![3]
            )
        );
        assert_eq!(
            read(plain, Some("jsonl")),
            (vec!["b".into()], vec![1, 3, 4])
        );
        assert_eq!(read("\n \n", None), (vec![], vec![]));
        let twice = "{\"id\": 1, \"question\": \"a\"}\n{\"id\": 1, \"question\": \"b\"}\n";
        assert_eq!(read(twice, None), (vec!["a".into()], vec![2]));
        let ids = "{\"id\": \"a b\", \"question\": \"x\"}\n{\"id\": \"a_b\", \"question\": \"x\"}\n\
                   {\"question\": \"x\"}\n{\"id\": \"line3\", \"question\": \"x\"}\n{\"id\": \" \", \"question\": \"x\"}\n";
        let (asked, bad) = questions(ids.as_bytes(), None);
        let asked: Vec<&str> = asked.iter().map(|asked| asked.id.as_str()).collect();
        assert_eq!(
            (asked, bad[0].0),
            (vec!["a b", "line3_", "line3", "line5"], 2)
        );
    }
}
