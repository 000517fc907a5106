//! `tenleaf add --ticker` against a local server that answers as EDGAR does, faults included.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

fn shared() -> Option<PathBuf> {
    let root = std::env::var_os("TENLEAF_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    if !root.is_dir() {
        println!("skipped: {} is not there", root.display());
        return None;
    }
    Some(root)
}

fn unpacked(shared: &Path, name: &str) -> Vec<u8> {
    let path = shared.join("edgar").join(format!("{name}.zst"));
    zstd::decode_all(std::fs::File::open(path).unwrap()).unwrap()
}

/// What goes wrong with an answer.
#[derive(Clone, Copy, Debug)]
enum Fault {
    TooMany,
    ThrottlePage,
    ServerError,
    BreaksOff,
    Refused,
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

/// EDGAR with Apple's and Nike's last 10-K, and the whole table of tickers.
fn edgar(shared: &Path) -> Edgar {
    let edgar = Edgar::start();
    edgar.put(
        "/files/company_tickers.json",
        unpacked(shared, "company_tickers.json"),
    );
    edgar.put(
        "/submissions/CIK0001318605.json",
        unpacked(shared, "company_submission.json"),
    );
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
    edgar.put(
        APPLE_10K,
        unpacked(shared, "html/AAPL_10-K_2024-11-01.html"),
    );
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
    edgar.put(NIKE_10K, unpacked(shared, "html/NKE_10-K_2025-07-17.html"));
    edgar
}

fn tenleaf(dir: &Path, edgar: &Edgar, contact: &str, args: &[&str]) -> Output {
    let config = dir.join("config.toml");
    let text = format!(
        "[edgar]\ncontact = \"{contact}\"\ndata_base = \"{0}\"\narchive_base = \"{0}\"\nrequests_per_second = 8\n",
        edgar.address
    );
    std::fs::write(&config, text).unwrap();
    Command::new(env!("CARGO_BIN_EXE_tenleaf"))
        .args([
            "--data-dir",
            dir.join("data").to_str().unwrap(),
            "--library",
            "mine",
        ])
        .args(["--config", config.to_str().unwrap()])
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", stderr(output)))
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const CONTACT: &str = "Jane Doe jane@example.com";

#[test]
fn two_tickers_through_every_fault_then_from_the_cache() {
    let Some(shared) = shared() else { return };
    let edgar = edgar(&shared);
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
    let Some(shared) = shared() else { return };
    let edgar = edgar(&shared);
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
    let older = String::from_utf8(unpacked(&shared, "html/AAPL_10-K_2024-11-01.html")).unwrap();
    let older = older
        .replace(">2024<", ">2023<")
        .replace("September 28, 2024", "September 30, 2023");
    edgar.put(
        "/Archives/edgar/data/320193/000032019323000106/aapl-20230930.htm",
        older,
    );
    let second = report(&tenleaf(dir.path(), &edgar, CONTACT, &args));
    assert_eq!(second["added"], json!(["APPLE_2023_10K"]));
    assert_eq!(second["kept"], json!(["APPLE_2024_10K"]));
    // An amendment stands beside the original.
    let amended = String::from_utf8(unpacked(&shared, "html/AAPL_10-K_2024-11-01.html")).unwrap()
        + "<p>Amended";
    edgar.put(
        "/Archives/edgar/data/320193/000032019324000124/aapl-20240928a.htm",
        amended,
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
    let Some(shared) = shared() else { return };
    let edgar = edgar(&shared);
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
        unpacked(&shared, "html/BKE_8-K.html"),
    );
    edgar.put(
        &format!("{folder}/ex991.htm"),
        unpacked(&shared, "html/BKE_8-K_EX99.1.html"),
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
    assert_eq!(added["pages"], 8, "four of the 8-K, four of the release");
    let again = report(&tenleaf(dir.path(), &edgar, CONTACT, &args));
    assert_eq!(again["kept"], added["added"]);
    let answer = report(&tenleaf(
        dir.path(),
        &edgar,
        CONTACT,
        &["ask", "--json", "Buckle net income third quarter"],
    ));
    assert!(
        answer["ranked"][0]["page"].as_u64().unwrap() > 4,
        "{answer:#}"
    );
}

#[test]
fn without_a_contact_nothing_is_asked() {
    let Some(shared) = shared() else { return };
    let edgar = edgar(&shared);
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

#[test]
fn a_real_list_of_filings() {
    let Some(shared) = shared() else { return };
    let edgar = edgar(&shared);
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
