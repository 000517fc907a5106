//! `tenleaf add --ticker` against a local server that answers as EDGAR does, faults included.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

mod common;

use common::{filing, shared, stderr};

fn unpacked(name: &str) -> Option<Vec<u8>> {
    let path = shared(&format!("edgar/{name}.zst"))?;
    Some(zstd::decode_all(std::fs::File::open(path).unwrap()).unwrap())
}

/// Apple's 10-K of the year that ended on this day.
fn apple_10k(day: &str) -> String {
    filing(
        "Apple Inc.",
        "10-K",
        &format!("For the fiscal year ended {day}"),
    )
}

/// What goes wrong with an answer.
#[derive(Clone, Copy, Debug)]
enum Fault {
    TooMany,
    ThrottlePage,
    ServerError,
    BreaksOff,
    Refused,
    /// It comes, and never ends.
    Trickles,
}

#[derive(Default)]
struct Served {
    files: HashMap<String, Vec<u8>>,
    /// Faults of a path, used up one by one.
    faults: HashMap<String, Vec<Fault>>,
    log: Vec<(Instant, String, String)>,
}

#[derive(Clone)]
struct Edgar {
    served: Arc<Mutex<Served>>,
    address: String,
}

impl Edgar {
    fn start() -> Edgar {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let served = Arc::new(Mutex::new(Served::default()));
        let shared = served.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = shared.clone();
                std::thread::spawn(move || {
                    let _ = answer(stream, &shared);
                });
            }
        });
        Edgar { served, address }
    }

    fn put(&self, path: &str, body: impl Into<Vec<u8>>) {
        self.served
            .lock()
            .unwrap()
            .files
            .insert(path.to_string(), body.into());
    }

    fn fail(&self, path: &str, faults: &[Fault]) {
        self.served
            .lock()
            .unwrap()
            .faults
            .insert(path.to_string(), faults.to_vec());
    }

    fn requests(&self) -> Vec<String> {
        self.served
            .lock()
            .unwrap()
            .log
            .iter()
            .map(|(_, path, _)| path.clone())
            .collect()
    }
}

fn answer(stream: TcpStream, served: &Mutex<Served>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_string();
    let mut agent = String::new();
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("user-agent: ") {
            agent = value.to_string();
        }
    }
    let (body, fault) = {
        let mut served = served.lock().unwrap();
        served
            .log
            .push((Instant::now(), path.clone(), agent.clone()));
        let fault = served
            .faults
            .get_mut(&path)
            .filter(|faults| !faults.is_empty())
            .map(|faults| faults.remove(0));
        (served.files.get(&path).cloned(), fault)
    };
    // EDGAR answers nobody who does not say who he is.
    let fault = if agent.contains('@') {
        fault
    } else {
        Some(Fault::Refused)
    };
    let mut out = stream;
    let mut send = |status: &str, more: &str, body: &[u8], length: usize| {
        out.write_all(
            format!(
                "HTTP/1.1 {status}\r\n{more}Connection: close\r\nContent-Length: {length}\r\n\r\n"
            )
            .as_bytes(),
        )?;
        out.write_all(body)
    };
    let throttle =
        b"<html><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head></html>";
    let refused =
        b"<html><h1>Your Request Originates from an Undeclared Automated Tool</h1></html>";
    match (fault, body) {
        (Some(Fault::TooMany), _) => send("429 Too Many Requests", "Retry-After: 1\r\n", b"", 0),
        (Some(Fault::ThrottlePage), _) => send("403 Forbidden", "", throttle, throttle.len()),
        (Some(Fault::ServerError), _) => send("503 Service Unavailable", "", b"busy", 4),
        (Some(Fault::Refused), _) => send("403 Forbidden", "", refused, refused.len()),
        (Some(Fault::BreaksOff), Some(body)) => {
            send("200 OK", "", &body[..body.len() / 2], body.len())
        }
        (Some(Fault::Trickles), _) => {
            send("200 OK", "", b"", 1 << 30)?;
            loop {
                out.write_all(b" ")?;
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        (_, Some(body)) => send("200 OK", "", &body, body.len()),
        (_, None) => send("404 Not Found", "", b"", 0),
    }
}

/// A company's list in EDGAR's own form.
fn submissions(name: &str, filings: &[(&str, &str, &str, &str, &str)], files: Value) -> Vec<u8> {
    let column = |pick: fn(&(&str, &str, &str, &str, &str)) -> String| {
        filings.iter().map(pick).collect::<Vec<_>>()
    };
    let value = json!({
        "cik": "0", "name": name,
        "filings": {
            "recent": {
                "accessionNumber": column(|f| f.0.into()), "form": column(|f| f.1.into()),
                "filingDate": column(|f| f.2.into()), "reportDate": column(|f| f.3.into()),
                "primaryDocument": column(|f| f.4.into()),
            },
            "files": files,
        },
    });
    serde_json::to_vec(&value).unwrap()
}

const APPLE: &str = "/submissions/CIK0000320193.json";
const APPLE_10K: &str = "/Archives/edgar/data/320193/000032019324000123/aapl-20240928.htm";
const NIKE_10K: &str = "/Archives/edgar/data/320187/000032018725000047/nke-20250531.htm";

/// EDGAR with Apple's and Nike's last 10-K, and a table of their tickers.
fn edgar() -> Edgar {
    let edgar = Edgar::start();
    let tickers = json!({
        "0": { "cik_str": 320193, "ticker": "AAPL", "title": "Apple Inc." },
        "1": { "cik_str": 320187, "ticker": "NKE", "title": "NIKE, Inc." },
    });
    edgar.put("/files/company_tickers.json", tickers.to_string());
    let apple = [
        (
            "0000320193-25-000001",
            "4",
            "2025-01-10",
            "2025-01-08",
            "xslF345X05/form4.xml",
        ),
        (
            "0000320193-24-000124",
            "10-K/A",
            "2024-11-20",
            "2024-09-28",
            "aapl-20240928a.htm",
        ),
        (
            "0000320193-24-000123",
            "10-K",
            "2024-11-01",
            "2024-09-28",
            "aapl-20240928.htm",
        ),
        (
            "0000320193-23-000106",
            "10-K",
            "2023-11-03",
            "2023-09-30",
            "aapl-20230930.htm",
        ),
    ];
    edgar.put(APPLE, submissions("Apple Inc.", &apple, json!([])));
    edgar.put(APPLE_10K, apple_10k("September 28, 2024"));
    // Nike's is in an older file of its list.
    let older = json!([{ "name": "CIK0000320187-submissions-001.json", "filingCount": 1, "filingFrom": "2020-01-01", "filingTo": "2025-08-01" }]);
    edgar.put(
        "/submissions/CIK0000320187.json",
        submissions("NIKE, Inc.", &[], older),
    );
    edgar.put(
        "/submissions/CIK0000320187-submissions-001.json",
        serde_json::to_vec(&json!({
            "accessionNumber": ["0000320187-25-000047"], "form": ["10-K"], "filingDate": ["2025-07-17"],
            "reportDate": ["2025-05-31"], "primaryDocument": ["nke-20250531.htm"],
        }))
        .unwrap(),
    );
    edgar.put(
        NIKE_10K,
        filing(
            "NIKE, Inc.",
            "10-K",
            "For the fiscal year ended May 31, 2025",
        ),
    );
    edgar
}

fn tenleaf(dir: &Path, edgar: &Edgar, contact: &str, args: &[&str]) -> Output {
    command(dir, edgar, contact, args).output().unwrap()
}

fn command(dir: &Path, edgar: &Edgar, contact: &str, args: &[&str]) -> Command {
    let config = dir.join("config.toml");
    let text = format!(
        "[edgar]\ncontact = \"{contact}\"\ndata_base = \"{0}\"\narchive_base = \"{0}\"\nrequests_per_second = 8\n",
        edgar.address
    );
    std::fs::write(&config, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tenleaf"));
    command
        .args([
            "--data-dir",
            dir.join("data").to_str().unwrap(),
            "--library",
            "mine",
        ])
        .args(["--config", config.to_str().unwrap()])
        .args(args)
        .stdin(Stdio::null());
    command
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", stderr(output)))
}

const CONTACT: &str = "Jane Doe jane@example.com";

#[test]
fn two_tickers_through_every_fault_then_from_the_cache() {
    let edgar = edgar();
    edgar.fail("/files/company_tickers.json", &[Fault::ServerError]);
    edgar.fail(APPLE, &[Fault::TooMany, Fault::ThrottlePage]);
    edgar.fail(APPLE_10K, &[Fault::BreaksOff]);
    let dir = tempfile::tempdir().unwrap();
    let args = ["add", "--json", "--ticker", "aapl,NKE", "--form", "10-K"];
    let output = tenleaf(dir.path(), &edgar, CONTACT, &args);
    let first = report(&output);
    println!("{first:#}\n{}", stderr(&output));
    assert_eq!(first["added"], json!(["APPLE_2024_10K", "NIKE_2025_10K"]));
    assert!(output.status.success());
    let list = report(&tenleaf(dir.path(), &edgar, CONTACT, &["list", "--json"]));
    assert_eq!(list["filings"][0]["accession"], "0000320193-24-000123");
    assert_eq!(
        list["filings"][0]["link"],
        format!("{}{APPLE_10K}", edgar.address)
    );
    let asked = edgar.requests().len();
    let second = report(&tenleaf(dir.path(), &edgar, CONTACT, &args));
    assert_eq!(second["kept"], json!(["APPLE_2024_10K", "NIKE_2025_10K"]));
    assert_eq!(edgar.requests().len(), asked, "everything was in the cache");
    // The rate holds: never more than 10 in any second.
    let log: Vec<Instant> = edgar
        .served
        .lock()
        .unwrap()
        .log
        .iter()
        .map(|(at, ..)| *at)
        .collect();
    for (ix, at) in log.iter().enumerate() {
        let within = log[ix..]
            .iter()
            .filter(|later| **later - *at < Duration::from_millis(990))
            .count();
        assert!(within <= 10, "{within} requests in a second");
    }
}

#[test]
fn one_that_fails_does_not_stop_the_rest_and_the_next_run_goes_on() {
    let edgar = edgar();
    let dir = tempfile::tempdir().unwrap();
    // The older 10-K is listed but not there.
    let args = [
        "add",
        "--json",
        "--ticker",
        "AAPL,NOSUCH",
        "--form",
        "10-K",
        "--limit",
        "5",
    ];
    let output = tenleaf(dir.path(), &edgar, CONTACT, &args);
    let first = report(&output);
    assert_eq!(first["added"], json!(["APPLE_2024_10K"]));
    assert_eq!(output.status.code(), Some(1));
    let failed: Vec<&str> = first["failed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["error"].as_str().unwrap())
        .collect();
    assert!(
        failed
            .iter()
            .any(|error| error.contains("EDGAR has no ticker NOSUCH")),
        "{failed:?}"
    );
    assert!(
        failed
            .iter()
            .any(|error| error.contains("aapl-20230930.htm")),
        "{failed:?}"
    );
    edgar.put(
        "/Archives/edgar/data/320193/000032019323000106/aapl-20230930.htm",
        apple_10k("September 30, 2023"),
    );
    let second = report(&tenleaf(dir.path(), &edgar, CONTACT, &args));
    assert_eq!(second["added"], json!(["APPLE_2023_10K"]));
    assert_eq!(second["kept"], json!(["APPLE_2024_10K"]));
    // An amendment stands beside the original.
    edgar.put(
        "/Archives/edgar/data/320193/000032019324000124/aapl-20240928a.htm",
        apple_10k("September 28, 2024") + "<p>Amended",
    );
    let third = report(&tenleaf(
        dir.path(),
        &edgar,
        CONTACT,
        &[
            "add",
            "--json",
            "--cik",
            "320193",
            "--amended",
            "--since",
            "2024-11-10",
        ],
    ));
    assert_eq!(third["added"], json!(["APPLE_2024_10K_A"]));
    let list = report(&tenleaf(dir.path(), &edgar, CONTACT, &["list", "--json"]));
    assert_eq!(list["filings"].as_array().unwrap().len(), 3);
}

#[test]
fn an_8k_comes_with_its_press_release() {
    let edgar = edgar();
    let folder = "/Archives/edgar/data/885245/000088524524000123";
    let filings = [(
        "0000885245-24-000123",
        "8-K",
        "2024-11-22",
        "2024-11-22",
        "bke-20241122.htm",
    )];
    edgar.put(
        "/submissions/CIK0000885245.json",
        submissions("BUCKLE INC", &filings, json!([])),
    );
    edgar.put(
        &format!("{folder}/bke-20241122.htm"),
        filing(
            "THE BUCKLE, INC.",
            "8-K",
            "Date of Report (Date of earliest event reported): November 22, 2024",
        ),
    );
    edgar.put(
        &format!("{folder}/ex991.htm"),
        "<p>THE BUCKLE, INC. REPORTS THIRD QUARTER NET INCOME\
         <p>KEARNEY, November 22, 2024 - The Buckle, Inc. announced results.<hr style=\"page-break-after:always\">\
         <p>Net income for the third quarter was 44.2 million dollars, or 88 cents a share.",
    );
    let names = [
        "bke-20241122.htm",
        "bke-20241122.xsd",
        "ex991.htm",
        "logo.jpg",
    ]
    .map(|name| json!({ "name": name }));
    edgar.put(
        &format!("{folder}/index.json"),
        json!({ "directory": { "item": names } }).to_string(),
    );
    let dir = tempfile::tempdir().unwrap();
    let args = ["add", "--json", "--cik", "885245", "--form", "8-K"];
    let added = report(&tenleaf(dir.path(), &edgar, CONTACT, &args));
    assert_eq!(
        added["added"],
        json!(["BUCKLE_2024_8K_dated-2024-11-22"]),
        "{added:#}"
    );
    assert_eq!(added["pages"], 4, "two of the 8-K, two of the release");
    let again = report(&tenleaf(dir.path(), &edgar, CONTACT, &args));
    assert_eq!(again["kept"], added["added"]);
    let answer = report(&tenleaf(
        dir.path(),
        &edgar,
        CONTACT,
        &["ask", "--json", "Buckle net income third quarter"],
    ));
    assert!(
        answer["ranked"][0]["page"].as_u64().unwrap() > 2,
        "{answer:#}"
    );
}

#[test]
fn without_a_contact_nothing_is_asked() {
    let edgar = edgar();
    let dir = tempfile::tempdir().unwrap();
    for contact in ["", "no address"] {
        let output = tenleaf(dir.path(), &edgar, contact, &["add", "--ticker", "AAPL"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("[edgar]"), "{}", stderr(&output));
    }
    assert!(edgar.requests().is_empty());
    edgar.fail("/files/company_tickers.json", &[Fault::Refused]);
    let output = tenleaf(dir.path(), &edgar, CONTACT, &["add", "--ticker", "AAPL"]);
    assert!(stderr(&output).contains("refuses"), "{}", stderr(&output));
    assert_eq!(edgar.requests().len(), 1, "a refusal is not asked again");
}

/// Ctrl-C ends it while a document comes in, and what was there before stays.
#[test]
fn it_is_stopped_while_a_document_comes_in() {
    let edgar = edgar();
    edgar.fail(APPLE_10K, &[Fault::Trickles]);
    let dir = tempfile::tempdir().unwrap();
    let mut child = command(dir.path(), &edgar, CONTACT, &["add", "--ticker", "AAPL"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let patience = Instant::now() + Duration::from_secs(60);
    let wait = || {
        assert!(Instant::now() < patience, "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    };
    while !edgar.requests().iter().any(|path| path == APPLE_10K) {
        wait();
    }
    // SAFETY: sends a signal to a child that has not been waited for.
    assert_eq!(0, unsafe { libc::kill(child.id() as i32, libc::SIGINT) });
    let code = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None => wait(),
        }
    };
    assert_eq!(code, Some(130));
}

#[test]
fn a_real_list_of_filings() {
    let (Some(tickers), Some(list)) = (
        unpacked("company_tickers.json"),
        unpacked("company_submission.json"),
    ) else {
        return;
    };
    let edgar = Edgar::start();
    edgar.put("/files/company_tickers.json", tickers);
    edgar.put("/submissions/CIK0001318605.json", list);
    let dir = tempfile::tempdir().unwrap();
    // None of the documents is there; the list says which they are.
    let output = tenleaf(
        dir.path(),
        &edgar,
        CONTACT,
        &[
            "add",
            "--json",
            "--ticker",
            "TSLA",
            "--form",
            "10-K,10-Q",
            "--limit",
            "2",
        ],
    );
    let failed = report(&output)["failed"].clone();
    assert_eq!(failed.as_array().unwrap().len(), 4, "{failed:#}");
    let asked = edgar.requests();
    let documents: Vec<&String> = asked
        .iter()
        .filter(|path| path.starts_with("/Archives/edgar/data/1318605/"))
        .collect();
    println!("{documents:#?}");
    assert_eq!(documents.len(), 4);
    assert!(documents.iter().all(|path| path.ends_with(".htm")));
}
