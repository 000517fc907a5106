//! Fetching from a server that does everything wrong.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tenleaf::library::catalog::ManifestRow;
use tenleaf::library::checksum::{git_blob_sha1, sha256};
use tenleaf::library::fetch::{self, FetchPlan};
use tenleaf::library::http::Patience;
use tenleaf::library::job::{Cancel, Event, Summary};
use tenleaf::library::{Library, TextSource};

use crate::common;
use crate::made::text_pdf;
use crate::server::{Act, Server};

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
        patience: Patience {
            connect_timeout: Duration::from_secs(5),
            stall_timeout: Duration::from_millis(1500),
            retries: 2,
            first_pause: Duration::from_millis(20),
        },
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
    plan.patience.stall_timeout = Duration::from_secs(30);
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

/// Files that fail, and how: pages to log in on among them.
fn failures(summary: &Summary) -> Vec<String> {
    let words = |f: &tenleaf::library::job::Failure| format!("{}: {}", f.what, f.error);
    summary.failed.iter().map(words).collect()
}

#[test]
fn a_server_that_answers_and_fails_is_given_up_after_a_few_files() {
    let (server, root) = (Server::start(), tempfile::tempdir().unwrap());
    let documents: Vec<(String, Vec<u8>)> = (0..20)
        .map(|ix| (format!("ACME_{}_10K", 2000 + ix), text_pdf(&["Net sales"])))
        .collect();
    let rows = serve(&server, &documents);
    let path = |ix: usize| format!("pdfs/{}.pdf", documents[ix].0);
    let mut plan = plan(&server, root.path(), rows);
    // The last ones are here before.
    plan.filings = plan.filings.split_off(17);
    let (summary, ..) = run(&plan);
    assert_eq!((summary.stored, summary.given_up), (3, None));
    server.requests();

    // One comes, and one is missing at the server; the others all fail, in tries and pauses of their own.
    plan.filings = serve(&server, &documents);
    server.always(&path(1), Act::Lost);
    for ix in 2..20 {
        server.always(&path(ix), Act::Fails);
    }
    let (summary, ..) = run(&plan);
    assert_eq!(
        summary.given_up.as_deref(),
        Some("3 files in a row failed alike: the server answers 500 Internal Server Error")
    );
    assert_eq!(
        summary.fetched(),
        "4 filings are fetched",
        "those after the end, too"
    );
    let failed = failures(&summary);
    assert!((3..=4).contains(&failed.len()), "{failed:?}");
    let asked = server.requests().len();
    let tries = 1 + plan.patience.retries as usize;
    assert!(
        asked <= 2 + (3 + plan.concurrency) * tries,
        "{asked} requests"
    );

    // The same goes on.
    for ix in 1..20 {
        server.always(&path(ix), Act::Drips);
    }
    let (summary, ..) = run(&plan);
    assert_eq!(
        (summary.stored, summary.kept),
        (16, 4),
        "{:?}",
        failures(&summary)
    );
    assert_eq!(summary.given_up, None);
}

#[test]
fn a_page_to_log_in_on_is_called_what_it_is_and_costs_nothing() {
    for act in [Act::Login, Act::Portal] {
        let (server, root) = (Server::start(), tempfile::tempdir().unwrap());
        let documents = documents();
        let rows = serve(&server, &documents);
        fs::create_dir_all(root.path().join("pdfs")).unwrap();
        let part = root
            .path()
            .join(format!("pdfs/{}.pdf.part", documents[0].0));
        fs::write(&part, &documents[0].1[..100]).unwrap();
        for (name, _) in &documents {
            server.always(&format!("pdfs/{name}.pdf"), act);
        }
        let mut plan = plan(&server, root.path(), rows);
        plan.concurrency = 1;
        let (summary, retries, counted) = run(&plan);
        let why = "not the file: an HTML page (a login or a proxy?)";
        let failed = failures(&summary);
        assert_eq!(failed.len(), 3, "{failed:?}");
        assert!(
            failed.iter().all(|failed| failed.ends_with(why)),
            "{failed:?}"
        );
        assert!(
            summary
                .given_up
                .is_some_and(|given_up| given_up.ends_with(why))
        );
        assert_eq!(server.requests().len(), 3, "{retries:?}");
        // Nothing of the page stays, and where its head says what it is, what was here of the file does.
        let kept = fs::read(&part).unwrap_or_default();
        let here = if act == Act::Login { 100 } else { 0 };
        assert!(
            kept == documents[0].1[..here],
            "{act:?}: {} bytes",
            kept.len()
        );
        assert_eq!(counted, 0);
        for (name, _) in &documents {
            server.always(&format!("pdfs/{name}.pdf"), Act::Drips);
        }
        let (summary, ..) = run(&plan);
        assert_eq!(summary.stored, documents.len(), "{:?}", failures(&summary));
    }
}
