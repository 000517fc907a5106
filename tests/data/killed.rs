//! The program killed (kill -9) in the middle of an import and of a fetch, and started again.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tenleaf::library::Library;

use crate::common;
use crate::import::write_mirror;
use crate::server::{Act, Server};

fn tenleaf(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tenleaf"));
    command
        .arg("--data-dir")
        .arg(data)
        .env_remove("TENLEAF_DATA_DIR");
    command
}

/// Starts `command` and kills it as soon as `when` holds; whether it was still running.
fn kill_when(command: &mut Command, when: impl Fn() -> bool) -> bool {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    loop {
        if let Some(_status) = child.try_wait().unwrap() {
            return false;
        }
        if when() {
            child.kill().unwrap();
            child.wait().unwrap();
            return true;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "it hangs");
        std::thread::sleep(Duration::from_micros(300));
    }
}

fn page_files(root: &Path) -> usize {
    let files = fs::read_dir(root.join("pages"))
        .into_iter()
        .flatten()
        .flatten();
    files
        .filter(|entry| entry.path().extension().is_some_and(|ext| ext == "pages"))
        .count()
}

fn json(command: &mut Command) -> serde_json::Value {
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{error}"))
}

#[test]
fn a_killed_import_loses_nothing() {
    const FILINGS: usize = 400;
    let (mirror, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_mirror(mirror.path(), FILINGS);
    let root = data.path().join("financebench");
    let import = || {
        let mut command = tenleaf(data.path());
        command.args(["data", "import"]).arg(mirror.path());
        command
    };
    let mut killed = 0;
    for aim in [1, 60, 150, 280] {
        killed += usize::from(kill_when(&mut import(), || page_files(&root) >= aim));
        let here = page_files(&root);
        let library = Library::open(&root).unwrap();
        assert_eq!(
            library.filings().len(),
            here,
            "every page file is whole and in the catalog"
        );
    }
    assert!(killed >= 1, "never killed in time");
    let here = page_files(&root);
    let summary = json(import().arg("--json"));
    assert_eq!(summary["kept"], here);
    assert_eq!(summary["stored"], FILINGS - here);
    let verified = tenleaf(data.path())
        .args(["data", "verify", "--repair", "--json"])
        .output()
        .unwrap();
    assert!(
        verified.status.success(),
        "{}",
        String::from_utf8_lossy(&verified.stdout)
    );
    assert_eq!(Library::open(&root).unwrap().filings().len(), FILINGS);
}

#[test]
fn a_killed_fetch_goes_on() {
    let names = [
        "PEPSICO_2023_8K_dated-2023-05-05",
        "ULTABEAUTY_2023Q4_EARNINGS",
        "AMCOR_2023Q4_EARNINGS",
    ];
    let Some(mirror) = common::shared("financebench") else {
        return;
    };
    let server = Server::start();
    for name in names {
        let path = format!("c/pdfs/{name}.pdf");
        server.serve(
            &path,
            fs::read(mirror.join(format!("pdfs/{name}.pdf"))).unwrap(),
        );
        server.always(&path, Act::Drips);
    }
    let questions = "financebench_open_source.jsonl";
    server.serve(
        &format!("c/data/{questions}"),
        fs::read(mirror.join(questions)).unwrap(),
    );
    let data = tempfile::tempdir().unwrap();
    let config = data.path().join("config.toml");
    fs::write(
        &config,
        format!(
            "[fetch]\nbase = \"{}\"\ncommit = \"c\"\nconcurrency = 2\n",
            server.base
        ),
    )
    .unwrap();
    let fetch = || {
        let mut command = tenleaf(data.path());
        command.arg("--config").arg(&config).args(["data", "fetch"]);
        for name in names {
            command.args(["--only", name]);
        }
        command
    };
    let root = data.path().join("financebench");
    let part = root.join(format!("pdfs/{}.pdf.part", names[1]));
    assert!(kill_when(&mut fetch(), || fs::metadata(&part)
        .is_ok_and(|part| part.len() > 20_000)));
    server.requests();
    let summary = json(fetch().arg("--json"));
    assert_eq!(summary["failed"], serde_json::json!([]));
    assert_eq!(Library::open(&root).unwrap().filings().len(), 3);
    assert!(root.join("questions").join(questions).exists());
    let resumed = server.requests();
    let path = format!("c/pdfs/{}.pdf", names[1]);
    assert!(
        resumed
            .iter()
            .any(|(asked, from)| *asked == path && from.is_some()),
        "{resumed:?}"
    );
    let status = json(tenleaf(data.path()).args(["data", "status", "--json"]));
    assert_eq!(status["filings"], 3);
    assert_eq!(status["missing"].as_array().unwrap().len(), 357);
}
