//! Fetching from a server that does, on purpose, everything a server can do wrong.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tenleaf::library::catalog::ManifestRow;
use tenleaf::library::checksum::{git_blob_sha1, sha256};
use tenleaf::library::fetch::{self, FetchPlan};
use tenleaf::library::job::{Cancel, Event, Summary};
use tenleaf::library::{Library, TextSource};

use crate::common;
use crate::made::text_pdf;

/// What the server does with a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Act {
    /// 500.
    Fails,
    /// Half of what was asked for, then the connection ends.
    Cuts,
    /// All bytes, one of them wrong.
    Lies,
    /// Half of what was asked for, then nothing, for long.
    Stalls,
    /// 404.
    Lost,
    /// The bytes as asked for, in small pieces with pauses.
    Drips,
}

/// A server of files on a port of its own.
pub struct Server {
    pub base: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    files: HashMap<String, Vec<u8>>,
    /// Acts still to come, by path, last one first; served well after that.
    acts: HashMap<String, Vec<Act>>,
    /// Paths with an act for every request.
    always: HashMap<String, Act>,
    requests: Vec<(String, Option<u64>)>,
}

impl Server {
    pub fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || answer(connection, &state));
            }
        });
        Server { base, state }
    }

    pub fn serve(&self, path: &str, bytes: Vec<u8>) {
        self.state
            .lock()
            .unwrap()
            .files
            .insert(path.to_string(), bytes);
    }

    fn act(&self, path: &str, mut acts: Vec<Act>) {
        acts.reverse();
        self.state
            .lock()
            .unwrap()
            .acts
            .insert(path.to_string(), acts);
    }

    pub fn always(&self, path: &str, act: Act) {
        self.state
            .lock()
            .unwrap()
            .always
            .insert(path.to_string(), act);
    }

    /// What was asked for: path and the first byte where a range was.
    pub fn requests(&self) -> Vec<(String, Option<u64>)> {
        std::mem::take(&mut self.state.lock().unwrap().requests)
    }
}

fn answer(connection: TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(connection.try_clone().unwrap());
    let mut out = connection;
    loop {
        let mut request = String::new();
        if reader.read_line(&mut request).unwrap_or(0) == 0 {
            return;
        }
        let path = request
            .split(' ')
            .nth(1)
            .unwrap_or("/")
            .trim_start_matches('/')
            .to_string();
        let mut from = None;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(range) = line.strip_prefix("range: bytes=") {
                from = range.trim_end_matches('-').parse().ok();
            }
        }
        let (file, act) = {
            let mut state = state.lock().unwrap();
            state.requests.push((path.clone(), from));
            let always = state.always.get(&path).copied();
            let act = state.acts.get_mut(&path).and_then(Vec::pop).or(always);
            (state.files.get(&path).cloned(), act)
        };
        if !send(&mut out, file, from, act) {
            return;
        }
    }
}

/// Whether the connection goes on.
fn send(out: &mut TcpStream, file: Option<Vec<u8>>, from: Option<u64>, act: Option<Act>) -> bool {
    let simple = |status: &str| format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
    if act == Some(Act::Fails) {
        return out
            .write_all(simple("500 Internal Server Error").as_bytes())
            .is_ok();
    }
    let Some(mut bytes) = file.filter(|_| act != Some(Act::Lost)) else {
        return out.write_all(simple("404 Not Found").as_bytes()).is_ok();
    };
    if act == Some(Act::Lies) {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
    }
    let all = bytes.len();
    let from = from.unwrap_or(0) as usize;
    if from > 0 && from >= all {
        return out
            .write_all(simple("416 Range Not Satisfiable").as_bytes())
            .is_ok();
    }
    let body = &bytes[from..];
    let head = if from > 0 {
        format!(
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {from}-{}/{all}\r\n",
            all - 1
        )
    } else {
        "HTTP/1.1 200 OK\r\n".to_string()
    };
    let head = format!("{head}Content-Length: {}\r\n\r\n", body.len());
    if out.write_all(head.as_bytes()).is_err() {
        return false;
    }
    match act {
        Some(Act::Cuts) => {
            let _ = out.write_all(&body[..body.len() / 2]);
            false
        }
        Some(Act::Stalls) => {
            let _ = out.write_all(&body[..body.len() / 2]);
            std::thread::sleep(Duration::from_secs(20));
            false
        }
        Some(Act::Drips) => body.chunks(body.len() / 40 + 1).all(|piece| {
            std::thread::sleep(Duration::from_millis(20));
            out.write_all(piece).is_ok()
        }),
        _ => out.write_all(body).is_ok(),
    }
}

/// Small PDFs by name: FinanceBench's own where they are at hand, and some made here.
fn documents() -> Vec<(String, Vec<u8>)> {
    let mut documents: Vec<(String, Vec<u8>)> = (0..6)
        .map(|ix| {
            let text = format!(
                "For the fiscal year ended December 31, {}\nNet sales 36,500",
                2015 + ix
            );
            (
                format!("ACME_{}_10K", 2015 + ix),
                text_pdf(&[&text, "Total assets"]),
            )
        })
        .collect();
    for name in [
        "ULTABEAUTY_2023Q4_EARNINGS",
        "PEPSICO_2023_8K_dated-2023-05-05",
    ] {
        if let Some(path) = common::shared(&format!("financebench/pdfs/{name}.pdf")) {
            documents.push((name.to_string(), fs::read(path).unwrap()));
        }
    }
    documents
}

fn serve(server: &Server, documents: &[(String, Vec<u8>)]) -> Vec<ManifestRow> {
    let row = |(ix, (name, bytes)): (usize, &(String, Vec<u8>))| {
        server.serve(&format!("pdfs/{name}.pdf"), bytes.clone());
        ManifestRow {
            doc_name: name.clone(),
            company: "Acme".to_string(),
            doc_type: "10k".to_string(),
            pdf_git_blob_sha1: Some(git_blob_sha1(bytes)),
            // Upstream gives some files their blob hash alone.
            pdf_sha256: (ix % 2 == 0).then(|| sha256(bytes)),
            pdf_bytes: (ix % 2 == 0).then_some(bytes.len() as u64),
            ..ManifestRow::default()
        }
    };
    documents.iter().enumerate().map(row).collect()
}

fn plan(server: &Server, root: &Path, filings: Vec<ManifestRow>) -> FetchPlan {
    tenleaf::library::worker::use_program(PathBuf::from(env!("CARGO_BIN_EXE_tenleaf")));
    FetchPlan {
        root: root.to_path_buf(),
        base: server.base.clone(),
        filings,
        questions: false,
        concurrency: 3,
        connect_timeout: Duration::from_secs(5),
        stall_timeout: Duration::from_millis(1500),
        retries: 2,
        first_pause: Duration::from_millis(20),
    }
}

fn run(plan: &FetchPlan) -> (Summary, Vec<String>, i64) {
    let retries = Mutex::new(Vec::new());
    let counted = Mutex::new(0_i64);
    let summary = fetch::run(
        plan,
        &|event| match event {
            Event::Retry { what, error, .. } => {
                retries.lock().unwrap().push(format!("{what}: {error}"))
            }
            Event::Received(bytes) => *counted.lock().unwrap() += *bytes as i64,
            Event::Corrected(by) => *counted.lock().unwrap() += by,
            _ => {}
        },
        &Cancel::new(),
    );
    let retries = retries.into_inner().unwrap();
    let counted = counted.into_inner().unwrap();
    (summary.unwrap(), retries, counted)
}

/// A file that takes nothing stands for the full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_fetch_and_says_what_is_safe() {
    let (server, root) = (Server::start(), tempfile::tempdir().unwrap());
    let documents = documents();
    let rows = serve(&server, &documents);
    let mut plan = plan(&server, root.path(), rows);
    plan.concurrency = 1;
    let part = root
        .path()
        .join(format!("pdfs/{}.pdf.part", documents[2].0));
    fs::create_dir_all(root.path().join("pdfs")).unwrap();
    std::os::unix::fs::symlink("/dev/full", &part).unwrap();
    let error = fetch::run(&plan, &|_| {}, &Cancel::new())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("the disk is full: 2 of "), "{error}");
    assert!(error.contains("the same command goes on"), "{error}");
    assert_eq!(
        server.requests().len(),
        3,
        "nothing is asked for after that"
    );
    fs::remove_file(&part).unwrap();
    let (summary, ..) = run(&plan);
    assert_eq!((summary.kept, summary.failed.len()), (2, 0));
    assert_eq!(summary.stored + summary.kept, documents.len());
}

#[test]
fn every_fault_is_outlived_or_named() {
    let (server, root) = (Server::start(), tempfile::tempdir().unwrap());
    let documents = documents();
    let rows = serve(&server, &documents);
    let path = |ix: usize| format!("pdfs/{}.pdf", documents[ix].0);
    server.act(&path(0), vec![Act::Fails]);
    server.act(&path(1), vec![Act::Cuts]);
    server.act(&path(2), vec![Act::Lies]);
    server.act(&path(3), vec![Act::Stalls, Act::Fails]);
    server.always(&path(4), Act::Lost);
    server.always(&path(5), Act::Lies);

    let plan = plan(&server, root.path(), rows);
    let (summary, retries, counted) = run(&plan);
    let retried = |ix: usize, error: &str| {
        let what = format!("{}: ", path(ix));
        retries
            .iter()
            .any(|retry| retry.starts_with(&what) && retry.contains(error))
    };
    assert!(retried(0, "500"), "{retries:?}");
    assert!(
        retried(1, "broke off") || retried(1, "cut off"),
        "{retries:?}"
    );
    assert!(retried(2, "hash"), "{retries:?}");
    assert!(retried(3, "nothing came"), "{retries:?}");
    let mut failed: Vec<String> = summary
        .failed
        .iter()
        .map(|f| format!("{}: {}", f.what, f.error))
        .collect();
    failed.sort();
    assert_eq!(failed.len(), 2, "{failed:?}");
    assert!(
        failed[0].starts_with(&path(4)) && failed[0].contains("404"),
        "{failed:?}"
    );
    assert!(
        failed[1].starts_with(&path(5)) && failed[1].contains("hash"),
        "{failed:?}"
    );

    // The rest is here, whole and read.
    assert_eq!(summary.stored, documents.len() - 2);
    let mut bytes_here = 0;
    for (ix, (name, bytes)) in documents.iter().enumerate() {
        let kept = root.path().join(format!("pdfs/{name}.pdf"));
        if ix == 4 || ix == 5 {
            assert!(!kept.exists());
        } else {
            assert!(fs::read(kept).unwrap() == *bytes, "{name}");
            bytes_here += bytes.len() as i64;
        }
    }
    assert_eq!(counted, bytes_here, "the progress adds up to what is here");
    let library = Library::open(root.path()).unwrap();
    let filing = library.filing(library.find("ACME_2015_10K").unwrap());
    assert_eq!((filing.pages, filing.text_from), (2, TextSource::Pdf));
    assert_eq!(filing.cover_date.unwrap().to_string(), "2015-12-31");

    // What was cut, and what stalled, went on from the middle.
    let requests = server.requests();
    for ix in [1, 3] {
        let half = documents[ix].1.len() as u64 / 2;
        assert!(requests.contains(&(path(ix), Some(half))), "{requests:?}");
    }

    // Again: only what is missing is asked for.
    server.always(&path(4), Act::Drips);
    let (summary, _, _) = run(&plan);
    assert_eq!((summary.stored, summary.kept), (1, documents.len() - 2));
    let asked: Vec<String> = server
        .requests()
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert!(
        asked
            .iter()
            .all(|asked| *asked == path(4) || *asked == path(5)),
        "{asked:?}"
    );
}

#[test]
fn a_part_from_before_goes_on_and_a_foreign_one_is_thrown_away() {
    let (server, root) = (Server::start(), tempfile::tempdir().unwrap());
    let documents = documents();
    let rows = serve(&server, &documents);
    fs::create_dir_all(root.path().join("pdfs")).unwrap();
    let part = |ix: usize| {
        root.path()
            .join(format!("pdfs/{}.pdf.part", documents[ix].0))
    };
    fs::write(part(0), &documents[0].1[..100]).unwrap();
    fs::write(part(1), b"something else altogether").unwrap();
    fs::write(part(3), vec![b'x'; documents[3].1.len() + 500]).unwrap();
    let (summary, _, _) = run(&plan(&server, root.path(), rows));
    assert_eq!(summary.failed, vec![]);
    assert_eq!(summary.stored, documents.len());
    assert!(
        server
            .requests()
            .contains(&(format!("pdfs/{}.pdf", documents[0].0), Some(100)))
    );
}

#[test]
fn it_stops_when_asked_and_goes_on_later() {
    let (server, root) = (Server::start(), tempfile::tempdir().unwrap());
    let documents = documents();
    let rows = serve(&server, &documents);
    for (name, _) in &documents[2..] {
        server.act(&format!("pdfs/{name}.pdf"), vec![Act::Stalls]);
    }
    let mut plan = plan(&server, root.path(), rows);
    plan.stall_timeout = Duration::from_secs(30);
    let cancel = Cancel::new();
    let started = Instant::now();
    let summary = fetch::run(
        &plan,
        &|event| {
            if matches!(event, Event::Stored { .. }) {
                cancel.cancel();
            }
        },
        &cancel,
    )
    .unwrap();
    assert!(summary.cancelled && summary.stored >= 1);
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "{:?}",
        started.elapsed()
    );
    let before = Library::open(root.path()).unwrap().filings().len();
    assert_eq!(before, summary.stored);
    let (summary, _, _) = run(&plan);
    assert_eq!(
        summary.stored + summary.kept,
        documents.len(),
        "{:?}",
        summary.failed
    );
}

#[test]
fn it_stops_in_the_middle_of_a_file_that_keeps_coming() {
    let (server, root) = (Server::start(), tempfile::tempdir().unwrap());
    let documents = documents();
    let rows = serve(&server, &documents);
    server.always(&format!("pdfs/{}.pdf", documents[0].0), Act::Drips);
    let mut plan = plan(&server, root.path(), rows);
    plan.filings.truncate(1);
    let cancel = Cancel::new();
    let summary = fetch::run(
        &plan,
        &|event| {
            if matches!(event, Event::Received(_)) {
                cancel.cancel();
            }
        },
        &cancel,
    )
    .unwrap();
    assert!(summary.cancelled && summary.stored == 0, "{summary:?}");
    let part = root
        .path()
        .join(format!("pdfs/{}.pdf.part", documents[0].0));
    let kept = fs::metadata(part).unwrap().len() as usize;
    assert!(kept > 0 && kept < documents[0].1.len() / 2, "{kept}");
}

#[test]
fn no_server_is_said_once() {
    let (server, root) = (Server::start(), tempfile::tempdir().unwrap());
    let rows = serve(&server, &documents());
    let mut plan = plan(&server, root.path(), rows);
    // A port that was free a moment ago.
    plan.base = format!(
        "http://{}",
        TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
    );
    let (summary, _, _) = run(&plan);
    assert_eq!(summary.failed.len(), 1, "{:?}", summary.failed);
    assert!(
        summary.failed[0].error.contains("[fetch]"),
        "{:?}",
        summary.failed
    );
}

#[test]
fn a_file_that_is_right_but_no_pdf_is_named() {
    let (server, root) = (Server::start(), tempfile::tempdir().unwrap());
    let documents = vec![
        ("ACME_2020_10K".to_string(), b"<html>moved</html>".to_vec()),
        (
            "ACME_2021_10K".to_string(),
            text_pdf(&["Net sales increased"]),
        ),
    ];
    let rows = serve(&server, &documents);
    let (summary, _, _) = run(&plan(&server, root.path(), rows));
    assert_eq!(summary.stored, 1);
    assert_eq!(summary.failed.len(), 1);
    assert_eq!(summary.failed[0].what, "ACME_2020_10K");
    assert!(
        summary.failed[0].error.contains("HTML"),
        "{:?}",
        summary.failed
    );
}
