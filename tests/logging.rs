//! What a panic leaves behind: a sentence on stderr and the whole story in the log.

use std::process::Command;

use tenleaf::logging;

const CHILD: &str = "TENLEAF_TEST_LOGS";

/// Not a test of its own: the process that panics, when the test below starts it.
#[test]
#[ignore = "started by the test below"]
fn child() {
    let Ok(dir) = std::env::var(CHILD) else {
        return;
    };
    let dir = std::path::PathBuf::from(dir);
    logging::start(&dir);
    logging::catch_panics(&dir);
    tracing::info!(target: "tenleaf", "about to divide");
    let zero = std::hint::black_box(0);
    println!("{}", 1 / zero);
}

#[test]
fn a_panic_names_the_log_and_is_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let logs = dir.path().join("logs");
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["child", "--exact", "--ignored", "--nocapture"])
        .env(CHILD, &logs)
        .output()
        .unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("tenleaf: stopped by a mistake of its own"),
        "{said}"
    );
    assert!(said.contains("attempt to divide by zero"), "{said}");
    assert!(said.contains(&*logs.to_string_lossy()), "{said}");
    let files: Vec<_> = std::fs::read_dir(&logs).unwrap().flatten().collect();
    assert_eq!(files.len(), 1);
    let log = std::fs::read_to_string(files[0].path()).unwrap();
    assert!(log.contains("about to divide"), "{log}");
    assert!(log.contains("attempt to divide by zero"), "{log}");
    assert!(
        log.matches("tests/logging.rs:").count() >= 2,
        "a backtrace: {log}"
    );
}
