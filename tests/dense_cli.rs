//! The program with the real model: embed, kill, resume, ask. Skipped with a message where the model files
//! (TENLEAF_SHARED) or the ONNX Runtime library (ORT_DYLIB_PATH) are not there.

mod common;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use tenleaf::dense::runtime;
use tenleaf::dense::vectors::{VectorFile, vectors_path};
use tenleaf::library::{Filing, Library, PageQuality, PageText};

fn models() -> Option<PathBuf> {
    common::shared("models/all-MiniLM-L6-v2")
}

/// A data folder with the model in it, or `None` with a message.
fn data_dir() -> Option<tempfile::TempDir> {
    if runtime::find(Path::new("no-such-folder")).is_err() {
        common::skipped("no ONNX Runtime library (set ORT_DYLIB_PATH)");
        return None;
    }
    let models = models()?;
    let data = tempfile::tempdir().unwrap();
    if !models.join("model_qint8.onnx").is_file() {
        common::skipped("no model_qint8.onnx");
        return None;
    }
    let fetched = tenleaf(
        data.path(),
        &[
            "model",
            "fetch",
            "--weights",
            "int8",
            "--from",
            models.to_str().unwrap(),
        ],
    );
    assert!(fetched.status.success(), "{}", text(&fetched.stderr));
    assert!(
        text(&fetched.stdout).contains("384 dimensions"),
        "{}",
        text(&fetched.stdout)
    );
    Some(data)
}

fn command(data: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tenleaf"));
    command.arg("--data-dir").arg(data).args(args);
    command
}

fn tenleaf(data: &Path, args: &[&str]) -> Output {
    command(data, args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn put_many_pages(root: &Path, pages: usize) {
    let record = serde_json::json!({
        "doc_name": "MANY", "company": "Acme", "form": "10-K", "fiscal_year": 2020,
        "pages": 0, "text_from": "text", "text_sha256": "",
    });
    let mut filing: Filing = serde_json::from_value(record).unwrap();
    let pages: Vec<PageText> = (0..pages)
        .map(|n| PageText {
            text: format!("Page {n}. Net sales rose by {n} percent on volume and price."),
            quality: PageQuality::Ok,
        })
        .collect();
    Library::put(root, &mut filing, &pages).unwrap();
    Library::refresh(root).unwrap();
}

const EMBED: [&str; 6] = ["--library", "mine", "embed", "--json", "--workers", "1"];

/// Starts to embed and returns when some pages are on the disk.
fn at_its_first_checkpoint(data: &Path, path: &Path) -> Child {
    let mut child = command(data, &EMBED)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !path.exists() {
        assert!(Instant::now() < deadline, "no checkpoint within a minute");
        assert!(
            child.try_wait().unwrap().is_none(),
            "it ended before its first checkpoint"
        );
        thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn asked_to_stop_it_writes_what_it_has() {
    let Some(data) = data_dir() else { return };
    let root = data.path().join("mine");
    put_many_pages(&root, 1500);
    let path = vectors_path(&root, "MANY");
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        let _ = fs::remove_file(&path);
        let child = at_its_first_checkpoint(data.path(), &path);
        // SAFETY: it only sends a signal, to a child that is not waited for yet.
        assert_eq!(0, unsafe { libc::kill(child.id() as i32, signal) });
        let output = child.wait_with_output().unwrap();
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(128 + signal), "{signal}: {told}");
        assert!(told.contains("stopping"), "{signal}: {told}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["stopped"], true);
        // Not the last checkpoint, but the last page.
        let on_disk = VectorFile::open(&path).unwrap().embedded();
        assert_eq!(report["pages_embedded"], on_disk, "{signal}");
    }
}

#[test]
fn killed_and_resumed() {
    let Some(data) = data_dir() else { return };
    let root = data.path().join("mine");
    put_many_pages(&root, 1500);
    let path = vectors_path(&root, "MANY");
    let mut child = at_its_first_checkpoint(data.path(), &path);
    child.kill().unwrap();
    child.wait().unwrap();
    let done = VectorFile::open(&path).unwrap().embedded();
    assert!((64..1500).contains(&done), "{done}");

    let resumed = tenleaf(data.path(), &EMBED);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    let report: serde_json::Value = serde_json::from_slice(&resumed.stdout).unwrap();
    assert_eq!(report["pages_kept"], done);
    assert_eq!(report["pages_embedded"], 1500 - done);
    let after = fs::read(&path).unwrap();

    // The same bytes as without a kill.
    fs::remove_file(&path).unwrap();
    assert!(tenleaf(data.path(), &EMBED).status.success());
    assert_eq!(after, fs::read(&path).unwrap());
}

#[test]
fn ask_by_meaning_and_what_is_said_when_something_is_missing() {
    let Some(data) = data_dir() else { return };
    let ask = |retriever| {
        tenleaf(
            data.path(),
            &[
                "--library",
                "demo",
                "eval",
                "--json",
                "--no-timing",
                "--retriever",
                retriever,
            ],
        )
    };
    let before = ask("dense");
    assert_eq!(before.status.code(), Some(2));
    assert!(
        text(&before.stderr).contains("tenleaf embed"),
        "{}",
        text(&before.stderr)
    );
    assert!(
        tenleaf(data.path(), &["--library", "demo", "embed"])
            .status
            .success()
    );
    for retriever in ["dense", "hybrid"] {
        let after = ask(retriever);
        assert!(after.status.success(), "{}", text(&after.stderr));
        let report: serde_json::Value = serde_json::from_slice(&after.stdout).unwrap();
        assert_eq!(report["settings"]["retriever"], retriever);
        assert!(
            report["hit@10"].as_f64().unwrap() > 0.5,
            "{}",
            report["hit@10"]
        );
        let rungs = report["ladder"].as_array().unwrap();
        assert!(rungs.iter().any(|rung| rung["name"] == "MiniLM, all pages"));
    }

    let model = data.path().join("models/model.onnx");
    let whole = fs::read(&model).unwrap();

    // A model cut short: told as what it is.
    fs::write(&model, &whole[..whole.len() / 2]).unwrap();
    let cut = ask("dense");
    assert_eq!(cut.status.code(), Some(2));
    let told = text(&cut.stderr);
    assert!(told.contains("model.onnx cannot be used"), "{told}");
    assert!(told.contains("tenleaf model fetch"), "{told}");

    // Another model: refused with the command that mends it, and BM25 goes on.
    fs::copy(
        models().expect("looked for above").join("model_f32w8.onnx"),
        &model,
    )
    .unwrap();
    let refused = ask("dense");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("tenleaf embed --replace"),
        "{}",
        text(&refused.stderr)
    );
    assert!(ask("bm25").status.success());
    let refused = tenleaf(data.path(), &["--library", "demo", "embed"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = text(&refused.stderr);
    assert!(said.contains("tenleaf embed --replace"), "{said}");
}

/// A `python3` that does what `script` says with the arguments of `pip download`.
fn python(script: &str) -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("python3");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

#[test]
fn the_library_comes_out_of_the_wheel_that_pip_brings() {
    let from = tempfile::tempdir().unwrap();
    fs::write(from.path().join("tokenizer.json"), b"{}").unwrap();
    let fetch = |python: &Path| {
        let data = tempfile::tempdir().unwrap();
        let args = ["model", "fetch", "--from", from.path().to_str().unwrap()];
        let path = format!("{}:/usr/bin:/bin", python.display());
        let output = command(data.path(), &args)
            .env("PATH", path)
            .env_remove(runtime::PATH_VARIABLE)
            .output()
            .unwrap();
        (data, text(&output.stderr))
    };
    let offline = python("echo 'ERROR: No matching distribution found' >&2; exit 1");
    let (_, told) = fetch(offline.path());
    assert!(
        told.contains("could not be had by pip: ERROR: No matching distribution found"),
        "{told}"
    );

    let Some(library) = std::env::var_os(runtime::PATH_VARIABLE) else {
        common::skipped("the second half: ORT_DYLIB_PATH is not set");
        return;
    };
    let wheel = from.path().join("wheel.zip");
    let mut zip = zip::ZipWriter::new(fs::File::create(&wheel).unwrap());
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    zip.start_file(
        format!("onnxruntime/capi/{}.1.99.0", runtime::FILE_NAME),
        stored,
    )
    .unwrap();
    zip.write_all(&fs::read(library).unwrap()).unwrap();
    zip.finish().unwrap();
    // The last argument is the package, --dest comes before it.
    let pip = python(&format!(
        "while [ \"$1\" != --dest ]; do shift; done\ncp {} \"$2/onnxruntime-1.99.0-cp311-cp311-linux.whl\"",
        wheel.display()
    ));
    let (data, told) = fetch(pip.path());
    assert!(told.contains("asking pip"), "{told}");
    assert!(
        told.contains(&format!("{}: ONNX Runtime 1.", runtime::FILE_NAME)),
        "{told}"
    );
    assert!(
        data.path()
            .join("models")
            .join(runtime::FILE_NAME)
            .is_file()
    );
}
