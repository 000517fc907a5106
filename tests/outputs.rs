//! What the program writes where the user says, and what it does when that cannot be written.

mod common;

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::stderr;
use tempfile::TempDir;

const QUESTIONS: &str = "{\"id\":\"a\",\"question\":\"Nike revenue 2023\"}\n\
    {\"id\":\"b\",\"question\":\"Costco membership fees\"}\n\
    {\"id\":\"c\",\"question\":\"inventory turnover\"}\n\
    {\"id\":\"d\",\"question\":\"effective tax rate\"}\n";

fn command(dir: &Path, args: &[&str]) -> Command {
    own_library(dir, &[&["--library", "demo"], args].concat())
}

/// The same without a library named.
fn own_library(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tenleaf"));
    command
        .args(["--data-dir", dir.join("data").to_str().unwrap()])
        .args(args)
        .env_remove("TENLEAF_CONFIG")
        .stdin(Stdio::null());
    command
}

fn run(dir: &Path, args: &[&str]) -> Output {
    command(dir, args).output().unwrap()
}

/// The text without the times the answers took, which differ from run to run.
fn without_times(text: &[u8]) -> String {
    let times = regex::Regex::new("\"micros\":[0-9]+").unwrap();
    times
        .replace_all(std::str::from_utf8(text).unwrap(), "")
        .into_owned()
}

fn with_questions() -> (TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("own.jsonl");
    fs::write(&file, QUESTIONS).unwrap();
    let name = file.to_str().unwrap().to_string();
    (dir, name)
}

#[test]
fn a_format_that_is_not_known_and_a_line_that_is_no_question_are_named() {
    let (dir, own) = with_questions();
    let dir = dir.path();
    let pdf = dir.join("x.pdf");
    let output = run(
        dir,
        &["ask", "--questions", &own, "--out", pdf.to_str().unwrap()],
    );
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("no answers are written as .pdf"),
        "{}",
        stderr(&output)
    );
    assert!(!pdf.exists());

    let mixed = dir.join("mixed.txt");
    fs::write(
        &mixed,
        "Costco membership fees\n{\"question\":\"Nike CEO\",\"id\":\"z\"}\n{bad json\n",
    )
    .unwrap();
    let output = run(
        dir,
        &[
            "ask",
            "--questions",
            mixed.to_str().unwrap(),
            "--format",
            "trec",
        ],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("mixed.txt:3: not JSON"),
        "{}",
        stderr(&output)
    );
    let run_file = String::from_utf8(output.stdout).unwrap();
    assert!(run_file.contains("\nz "), "{run_file}");
}

#[test]
fn the_librarys_own_questions_are_no_list_of_duplicates() {
    let (dir, own) = with_questions();
    let dir = dir.path();
    run(dir, &["list"]);
    let copy = dir.join("copy.jsonl");
    fs::copy(dir.join("data/demo/questions/demo.jsonl"), &copy).unwrap();
    let output = run(
        dir,
        &[
            "fit",
            "--questions",
            copy.to_str().unwrap(),
            "--questions",
            &own,
        ],
    );
    let said = stderr(&output);
    assert!(
        said.contains("copy.jsonl: the library's own, which are taken anyway"),
        "{said}"
    );
    assert!(!said.contains("duplicate id"), "{said}");
}

#[test]
fn questions_are_never_overwritten_by_their_answers() {
    let (dir, own) = with_questions();
    let dir = dir.path();
    let soft = dir.join("soft.jsonl");
    symlink(&own, &soft).unwrap();
    // The answers of a run to x are gathered in x.part.
    let part = dir.join("x.part");
    fs::hard_link(&own, &part).unwrap();
    let labelled = ["eval", "--questions", &own];
    let ask = ["ask", "--questions", &own];
    for (start, out, to) in [
        (&ask, "--out", own.as_str()),
        (&ask, "--out", soft.to_str().unwrap()),
        (&ask, "--out", dir.join("x").to_str().unwrap()),
        (&labelled, "--write", own.as_str()),
        (&labelled, "--record-gate", own.as_str()),
        (&["fit", "--questions", &own], "--write", own.as_str()),
    ] {
        let output = run(dir, &[&start[..], &[out, to]].concat());
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(
            stderr(&output).contains("would be overwritten"),
            "{}",
            stderr(&output)
        );
        assert_eq!(fs::read_to_string(&own).unwrap(), QUESTIONS);
    }
    // Nor is a file of somebody's own that is called like the place answers are gathered in.
    fs::remove_file(&part).unwrap();
    fs::write(&part, "my notes\n").unwrap();
    let output = run(
        dir,
        &[
            "ask",
            "--questions",
            &own,
            "--out",
            dir.join("x").to_str().unwrap(),
        ],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("move it away"),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read_to_string(&part).unwrap(), "my notes\n");
}

#[test]
fn answers_go_where_the_name_leads() {
    let (dir, own) = with_questions();
    let dir = dir.path();
    let answer = |out: &Path| {
        let output = run(
            dir,
            &["ask", "--questions", &own, "--out", out.to_str().unwrap()],
        );
        assert!(output.status.success(), "{}", stderr(&output));
        output.stdout
    };
    // Through a link, and the file keeps its mode.
    let (real, link) = (dir.join("real.jsonl"), dir.join("link.jsonl"));
    fs::write(&real, "old").unwrap();
    fs::set_permissions(&real, Permissions::from_mode(0o644)).unwrap();
    symlink(&real, &link).unwrap();
    answer(&link);
    assert!(link.is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().mode() & 0o777, 0o644);
    let answers = fs::read(&real).unwrap();
    assert_eq!(answers.iter().filter(|&&byte| byte == b'\n').count(), 4);
    // Into a device: stdout gets the very bytes, and nothing is left beside it.
    let stdout = dir.join("stdout");
    symlink("/dev/stdout", &stdout).unwrap();
    for out in [&*stdout, Path::new("/dev/stdout")] {
        let printed = answer(out);
        assert!(without_times(&printed) == without_times(&answers));
    }
    assert!(stdout.is_symlink());
    assert!(!dir.join("stdout.part").exists());
    answer(Path::new("/dev/null"));
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

/// Whatever the format, a run that goes on comes to the bytes of one that was never stopped.
#[test]
fn a_resumed_run_writes_the_same_bytes() {
    let (dir, own) = with_questions();
    let dir = dir.path();
    for format in ["jsonl", "csv", "md", "trec"] {
        let ask = |out: &Path| {
            let out = out.to_str().unwrap();
            run(
                dir,
                &["ask", "--questions", &own, "--format", format, "--out", out],
            )
        };
        let (whole, resumed) = (
            dir.join(format!("whole.{format}")),
            dir.join(format!("resumed.{format}")),
        );
        assert!(ask(&whole).status.success());
        // The last write fails, since a folder is in its place: what was gathered stays, and is cut.
        fs::create_dir(&resumed).unwrap();
        assert_eq!(ask(&resumed).status.code(), Some(1));
        fs::remove_dir(&resumed).unwrap();
        let part = dir.join(format!("resumed.{format}.part"));
        let gathered = fs::read_to_string(&part).unwrap();
        let lines: Vec<&str> = gathered.split_inclusive('\n').collect();
        assert_eq!(lines.len(), 5);
        fs::write(&part, lines[..4].concat() + &lines[4][..20]).unwrap();
        let output = ask(&resumed);
        assert!(output.status.success(), "{}", stderr(&output));
        let [whole, resumed] = [whole, resumed].map(|file| without_times(&fs::read(file).unwrap()));
        assert!(whole == resumed, "{format}");
    }
}

/// Answers of another table or for other labels are none of this run's.
#[test]
fn a_run_goes_on_only_from_answers_it_would_give() {
    let (dir, _) = with_questions();
    let dir = dir.path();
    let labelled = dir.join("labelled.jsonl");
    let question = |page: usize| {
        format!(
            "{{\"id\":\"a\",\"question\":\"Nike gross profit FY2022\",\"doc_name\":\"NIKE_2022_10K\",\
             \"gold_pages\":[{page}]}}\n"
        )
    };
    let out = dir.join("out.jsonl");
    let [file, to] = [&labelled, &out].map(|path| path.to_str().unwrap());
    let ask = || run(dir, &["ask", "--questions", file, "--out", to]);
    // Stopped before its end, what it gathered stays.
    let part = || {
        fs::write(&labelled, question(6)).unwrap();
        let _ = fs::remove_file(&out);
        fs::create_dir(&out).unwrap();
        assert_eq!(ask().status.code(), Some(1));
        fs::remove_dir(&out).unwrap();
        fs::read_to_string(dir.join("out.jsonl.part")).unwrap()
    };
    let gathered = part();
    assert!(gathered.contains("\"gold_ranks\":[1]"), "{gathered}");
    // Another label.
    fs::write(&labelled, question(0)).unwrap();
    let said = stderr(&ask());
    assert!(said.contains("labelled:  Hit@1 0.000"), "{said}");
    // A table of the user's.
    part();
    let tables = dir.join("data/tables");
    fs::create_dir_all(&tables).unwrap();
    let table = "[[company]]\nname = \"Costco\"\nnames = [\"Nike gross profit\"]\n";
    fs::write(tables.join("mine.toml"), table).unwrap();
    assert_ne!(part().lines().next(), gathered.lines().next());
}

/// A pipe can be read once, and is.
#[test]
fn questions_may_come_by_a_named_pipe() {
    let (dir, _) = with_questions();
    let dir = dir.path();
    let pipe = dir.join("pipe.jsonl");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let line = "{\"id\":\"a\",\"question\":\"Nike gross profit FY2022\",\"doc_name\":\"NIKE_2022_10K\",\
                \"gold_pages\":[6]}\n";
    let to = pipe.clone();
    let writer = std::thread::spawn(move || fs::write(to, line));
    let output = run(dir, &["ask", "--questions", pipe.to_str().unwrap()]);
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("1 of 1 labelled:  Hit@1 1.000"), "{said}");
}

#[test]
fn one_form_of_answers_is_asked_for() {
    let (dir, own) = with_questions();
    let dir = dir.path();
    let both = run(
        dir,
        &["ask", "--json", "--questions", &own, "--format", "csv"],
    );
    assert_eq!(both.status.code(), Some(2), "{}", stderr(&both));
    let out = dir.join("answers.txt");
    let to = out.to_str().unwrap();
    let output = run(dir, &["ask", "--json", "--questions", &own, "--out", to]);
    assert!(output.status.success(), "{}", stderr(&output));
    let answers = fs::read_to_string(&out).unwrap();
    for line in answers.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}

/// A full disk behind stdout is one line of error; nobody reading is none.
#[cfg(target_os = "linux")]
#[test]
fn stdout_that_cannot_be_written_is_an_error_and_no_panic() {
    let (dir, own) = with_questions();
    let dir = dir.path();
    assert!(run(dir, &["index"]).status.success());
    for args in [
        &["data", "status"][..],
        &["data", "verify"],
        &["index"],
        &["index", "--json"],
        &["list"],
        &["list", "--libraries"],
        &["config"],
        &["doctor"],
        &["completions", "bash"],
        &["man"],
        &["ask", "Nike revenue"],
        &["ask", "--questions", &own],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = command(dir, args).stdout(full).output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(
            said.contains("tenleaf: writing to stdout\n"),
            "{args:?}: {said}"
        );
        assert!(!said.contains("mistake of its own"), "{args:?}: {said}");
        // Nor does a stderr that is full.
        let full = || File::options().write(true).open("/dev/full").unwrap();
        let code = command(dir, args)
            .stdout(full())
            .stderr(full())
            .status()
            .unwrap()
            .code();
        assert_eq!(code, Some(1), "{args:?}");
    }
    // What was asked for is done all the same.
    let note = dir.join("note.txt");
    fs::write(&note, "Margins rose.").unwrap();
    let mut add = vec!["add", note.to_str().unwrap(), "--library", "mine"];
    add.extend(["--company", "Acme", "--form", "other", "--period", "2024"]);
    assert!(own_library(dir, &add).status().unwrap().success());
    let full = File::options().write(true).open("/dev/full").unwrap();
    let args = ["remove", "ACME_2024_OTHER", "--library", "mine"];
    let output = own_library(dir, &args).stdout(full).output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("tenleaf: writing to stdout\n"), "{said}");
    assert!(!dir.join("data/mine/pages/ACME_2024_OTHER.pages").exists());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command(dir, &["list"]).stdout(writer).output().unwrap();
    assert_eq!(stderr(&output), "");
}

#[test]
fn what_is_cut_short_is_said() {
    let (dir, own) = with_questions();
    let dir = dir.path();
    // More threads than there is work for are not started.
    let labelled = dir.join("labelled.jsonl");
    let line =
        r#"{"id":"a","question":"Nike revenue 2023","doc_name":"NIKE_2023_10K","gold_pages":[6]}"#;
    fs::write(&labelled, line).unwrap();
    let labelled = labelled.to_str().unwrap();
    let eval = [
        "eval",
        "--questions",
        labelled,
        "--jobs",
        "1000000",
        "--no-timing",
    ];
    let output = run(dir, &eval);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("1 threads, not 1000000"),
        "{}",
        stderr(&output)
    );
    // A flag that the environment gives is not one that has to be given.
    let output = Command::new(env!("CARGO_BIN_EXE_tenleaf"))
        .args(["ask", "--out", &own])
        .env("TENLEAF_DATA_DIR", dir.join("data"))
        .output()
        .unwrap();
    let said = stderr(&output);
    assert!(
        said.contains("Usage: tenleaf ask") && !said.contains("--data-dir"),
        "{said}"
    );
    let output = Command::new(env!("CARGO_BIN_EXE_tenleaf"))
        .args(["list", "--json"])
        .env("TENLEAF_DATA_DIR", dir.join("data"))
        .env("TENLEAF_LIBRARY", "demo")
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("NIKE_2023_10K"));
}

/// Every year of a question about several is written, in each format for those who read it.
#[test]
fn answers_about_several_years_hold_each_year() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let file = dir.join("q.jsonl");
    let line =
        r#"{"id":"a","question":"Compare Nike's gross profit in 2019, 2020, 2022 and 2023"}"#;
    fs::write(&file, line).unwrap();
    let file = file.to_str().unwrap();
    let written = |name: &str| {
        let out = dir.join(name);
        let output = run(
            dir,
            &["ask", "--questions", file, "--out", out.to_str().unwrap()],
        );
        assert!(output.status.success(), "{}", stderr(&output));
        fs::read_to_string(out).unwrap()
    };
    let csv = written("a.csv");
    assert!(csv.lines().next().unwrap().ends_with(",group"), "{csv}");
    for (group, filing) in [("", "NIKE"), ("2022", "NIKE_2022"), ("2023", "NIKE_2023")] {
        let row = |line: &&str| line.ends_with(&format!(",{group}")) && line.contains(filing);
        assert!(csv.lines().any(|line| row(&line)), "{group}: {csv}");
    }
    let md = written("a.md");
    for section in [
        "\n### 2019–2020\n\nno filing of Nike for 2019–2020",
        "\n### 2022\n",
        "\n### 2023\n",
    ] {
        assert!(md.contains(section), "{md}");
    }
    let json: serde_json::Value = serde_json::from_str(&written("a.jsonl")).unwrap();
    assert_eq!(json["groups"].as_array().map(Vec::len), Some(4));
    let trec = written("a.trec");
    assert_eq!(
        trec.lines().count(),
        json["ranked"].as_array().unwrap().len()
    );

    // What is printed holds no page twice, and a run of years that are not there is one line.
    let output = run(
        dir,
        &[
            "ask",
            "Compare Nike's gross profit in 2019, 2020, 2022 and 2023",
        ],
    );
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.matches("no filing of Nike for").count(), 1, "{said}");
    let pages: Vec<&str> = said
        .lines()
        .filter(|line| line.contains(". NIKE_"))
        .collect();
    let mut once = pages.clone();
    once.dedup();
    once.sort_unstable();
    once.dedup();
    assert!(!pages.is_empty() && once.len() == pages.len(), "{said}");
    // A note belongs to what is read.
    fs::write(
        file,
        r#"{"id":"a","question":"inventory turnover of Zzyzx"}"#,
    )
    .unwrap();
    let note = written("b.md");
    assert!(note.contains("Note: "), "{note}");
}

#[test]
fn a_name_of_another_format_is_refused_and_kept() {
    let (dir, own) = with_questions();
    let dir = dir.path();
    let csv = dir.join("a.csv");
    fs::write(&csv, "mine").unwrap();
    let out = csv.to_str().unwrap();
    let ask = ["ask", "--questions", &own, "--format", "md", "--out", out];
    let output = run(dir, &ask);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("named as csv"),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read_to_string(&csv).unwrap(), "mine");
}

#[test]
fn the_demo_keeps_its_filings() {
    let dir = tempfile::tempdir().unwrap();
    for words in [&["NIKE_2022_10K"][..], &["--yes", "nike"]] {
        let output = run(dir.path(), &[&["remove"], words].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(
            stderr(&output).contains("built into the demo"),
            "{}",
            stderr(&output)
        );
        assert!(output.stdout.is_empty());
    }
}
