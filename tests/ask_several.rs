//! Questions about several years and companies, and files of questions, as a script asks them.

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::{json, stderr};
use serde_json::Value;

const FILINGS: [&str; 5] = [
    "AMD_2020_10K",
    "AMD_2021_10K",
    "AMD_2022_10K",
    "INTEL_2022_10K",
    "3M_2018_10K",
];

/// Imports these filings of the corpus into the library `mine`.
fn import(shared: &Path, dir: &Path, filings: &[&str]) {
    let mirror = dir.join("mirror");
    let _ = fs::remove_dir_all(&mirror);
    fs::create_dir_all(mirror.join("pages")).unwrap();
    let manifest = fs::read_to_string(shared.join("financebench/manifest.jsonl")).unwrap();
    let row = |name: &&str| {
        let key = format!("\"{name}\"");
        manifest
            .lines()
            .find(|line| line.contains(&key))
            .unwrap()
            .to_string()
            + "\n"
    };
    fs::write(
        mirror.join("manifest.jsonl"),
        filings.iter().map(row).collect::<String>(),
    )
    .unwrap();
    for name in filings {
        let file = format!("{name}.jsonl.zst");
        fs::copy(
            shared.join("financebench/pages").join(&file),
            mirror.join("pages").join(&file),
        )
        .unwrap();
    }
    let done = tenleaf(dir, &["data", "import", mirror.to_str().unwrap()]);
    assert!(done.status.success(), "{}", stderr(&done));
}

fn tenleaf(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tenleaf"))
        .args([
            "--data-dir",
            dir.join("data").to_str().unwrap(),
            "--library",
            "mine",
        ])
        .args(args)
        .env_remove("TENLEAF_CONFIG")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn ask(dir: &Path, question: &str, more: &[&str]) -> Value {
    let mut args = vec!["ask", "--json"];
    args.extend(more);
    args.push(question);
    json(&tenleaf(dir, &args))
}

/// Label, first filing and what is missing of each group.
fn groups(answer: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let groups = answer["groups"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    groups
        .iter()
        .map(|group| {
            (
                text(&group["label"]),
                text(&group["ranked"][0]["doc_name"]),
                text(&group["missing"]),
            )
        })
        .collect()
}

#[test]
fn several_years_companies_and_files_of_questions() {
    let Some(shared) = common::shared("") else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    import(&shared, dir, &FILINGS);

    // One retrieval a year, in the order of years; what is not there is said.
    let group =
        |label: &str, doc_name: &str| (label.to_string(), doc_name.to_string(), String::new());
    let range = ask(
        dir,
        "How did AMD's revenue develop from FY2020 to FY2022?",
        &[],
    );
    let want = [
        group("2020", "AMD_2020_10K"),
        group("2021", "AMD_2021_10K"),
        group("2022", "AMD_2022_10K"),
    ];
    assert_eq!(groups(&range), want);
    let last = ask(
        dir,
        "How did AMD's net income develop over the last three years?",
        &[],
    );
    assert_eq!(groups(&last), want);
    let gap = groups(&ask(
        dir,
        "Compare AMD's gross margin in 2019 and 2020",
        &[],
    ));
    assert_eq!(gap[0].0, "2019");
    assert!(gap[0].2.contains("no filing"), "{gap:?}");
    assert_eq!(gap[1], group("2020", "AMD_2020_10K"));
    let companies = ask(dir, "AMD vs Intel gross margin 2022", &[]);
    assert_eq!(
        groups(&companies)
            .iter()
            .map(|group| group.1.as_str())
            .collect::<Vec<_>>(),
        ["AMD_2022_10K", "INTEL_2022_10K"]
    );
    // Each group says what it is of, and nothing of what the groups share.
    let of = |answer: &Value| {
        let groups = answer["groups"].as_array().unwrap().iter();
        let of = groups.map(|group| (group["company"].clone(), group["fiscal_year"].clone()));
        of.collect::<Vec<_>>()
    };
    let (amd, intel) = (Value::from("AMD"), Value::from("Intel"));
    assert_eq!(of(&companies), [(amd, Value::Null), (intel, Value::Null)]);
    let years = [2020, 2021, 2022].map(|year| (Value::Null, Value::from(year)));
    assert_eq!(of(&range), years);

    // Off, the pages stay what they are; a question about one year has no groups.
    let off = ask(
        dir,
        "How did AMD's revenue develop from FY2020 to FY2022?",
        &["--no-several"],
    );
    assert!(off.get("groups").is_none());
    assert_eq!(off["ranked"], range["ranked"]);
    assert!(
        ask(dir, "What was AMD's revenue in FY2022?", &[])
            .get("groups")
            .is_none()
    );

    bulk(dir);
    added_later(&shared, dir);
}

/// A file with a bad line, in every format; stopped and gone on with.
fn bulk(dir: &Path) {
    let file = dir.join("questions.jsonl");
    let lines = "{\"question\": \"What was AMD's revenue in FY2022?\"}\n\
        {\"id\": \"b\", \"question\": \"What drove Intel's revenue in FY2022?\"}\n\
        {\"id\": \"c\", \"question\": \n\
        \n\
        {\"id\": \"d\", \"question\": \"What is 3M's capital expenditure in FY2018?\", \"doc_name\": \"3M_2018_10K\", \"gold_pages\": [59]}\n";
    fs::write(&file, lines).unwrap();
    let path = file.to_str().unwrap();
    let run = |more: &[&str]| {
        let mut args = vec!["ask", "--questions", path];
        args.extend(more);
        let output = tenleaf(dir, &args);
        assert_eq!(output.status.code(), Some(1), "a line was bad");
        assert!(
            stderr(&output).contains("questions.jsonl:3: not JSON"),
            "{}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains("1 of 3 labelled:"),
            "{}",
            stderr(&output)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let jsonl = run(&[]);
    let ids: Vec<String> = jsonl
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["id"]
                .as_str()
                .unwrap()
                .to_string()
        })
        .collect();
    assert_eq!(ids, ["line1", "b", "d"]);
    let csv = run(&["--format", "csv", "-k", "3"]);
    assert_eq!(csv.lines().count(), 1 + 3 * 3, "{csv}");
    assert!(csv.starts_with("id,question,rank,"));
    let trec = run(&["--format", "trec"]);
    assert!(
        trec.lines().all(|line| line.split(' ').count() == 6),
        "{trec}"
    );
    assert!(trec.contains("d Q0 3M_2018_10K/p"));
    assert!(run(&["--format", "md"]).contains("## d: What is 3M's capital expenditure in FY2018?"));

    // The last write fails, since a folder is in its place: what was gathered stays.
    let out = dir.join("answers.jsonl");
    fs::create_dir(&out).unwrap();
    let failed = tenleaf(
        dir,
        &["ask", "--questions", path, "--out", out.to_str().unwrap()],
    );
    assert!(stderr(&failed).contains("writing"), "{}", stderr(&failed));
    fs::remove_dir(&out).unwrap();
    let part = dir.join("answers.jsonl.part");
    let gathered = fs::read_to_string(&part).unwrap();
    // Marked, to see that it is not asked again; the last line is cut off.
    let marked = gathered.replacen(
        r#"\"question\":\"What was AMD's"#,
        r#"\"question\":\"KEPT What was AMD's"#,
        1,
    );
    fs::write(&part, &marked[..marked.len() - 100]).unwrap();
    run(&["--out", out.to_str().unwrap()]);
    let answers = fs::read_to_string(&out).unwrap();
    assert_eq!(answers.lines().count(), 3);
    assert!(answers.lines().next().unwrap().contains("KEPT"));
    assert!(!part.exists());
    // With other settings nothing old is used.
    fs::write(&part, &marked).unwrap();
    run(&["--out", out.to_str().unwrap(), "-k", "5"]);
    assert!(!fs::read_to_string(&out).unwrap().contains("KEPT"));
}

/// A file without a question says so; a dash is standard input.
#[test]
fn questions_come_from_files_and_pipes() {
    let dir = tempfile::tempdir().unwrap();
    let demo = |questions: &str, piped: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tenleaf"))
            .args(["--data-dir", dir.path().to_str().unwrap()])
            .args(["--library", "demo", "ask", "--questions", questions])
            .env_remove("TENLEAF_CONFIG")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A child that does not read it closes the pipe.
        let _ = child.stdin.take().unwrap().write_all(piped.as_bytes());
        child.wait_with_output().unwrap()
    };
    let empty = demo("/dev/null", "");
    assert_eq!(empty.status.code(), Some(1));
    assert!(stderr(&empty).contains("/dev/null holds no question"));
    let nothing = demo("-", "\n");
    assert_eq!(nothing.status.code(), Some(1));
    assert!(stderr(&nothing).contains("standard input holds no question"));
    let plain = demo("-", "Nike revenue 2023\nCostco membership fees\n");
    assert_eq!(plain.status.code(), Some(0), "{}", stderr(&plain));
    assert_eq!(plain.stdout.iter().filter(|&&b| b == b'\n').count(), 2);
    let mixed = demo("-", "{\"question\": \"Nike revenue 2023\"}\nplain\n");
    assert_eq!(mixed.status.code(), Some(1));
    assert!(stderr(&mixed).contains("standard input:2: not JSON"));
}

/// A filing added later gives the very scores of an index made in one go.
fn added_later(shared: &Path, dir: &Path) {
    let other = tempfile::tempdir().unwrap();
    import(shared, other.path(), &FILINGS[1..4]);
    assert!(tenleaf(other.path(), &["index"]).status.success());
    import(shared, other.path(), &FILINGS);
    let file = dir.join("q.txt");
    let questions = "AMD revenue 2022\nWhat drove Intel's gross margin in FY2022?\nWho audits 3M?\nAMD vs Intel inventory 2022\ndebt maturities\n";
    fs::write(&file, questions).unwrap();
    let scores = |dir: &Path| -> Vec<Value> {
        let output = tenleaf(dir, &["ask", "--questions", file.to_str().unwrap()]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text.lines().count(), 5, "{}", stderr(&output));
        let ranked = |line: &str| serde_json::from_str::<Value>(line).unwrap()["ranked"].clone();
        text.lines().map(ranked).collect()
    };
    let want = scores(dir);
    assert_eq!(scores(other.path()), want, "added later");
    // And away again, and back.
    assert!(
        tenleaf(other.path(), &["remove", "3M_2018_10K"])
            .status
            .success()
    );
    assert_ne!(scores(other.path()), want);
    import(shared, other.path(), &FILINGS);
    assert_eq!(scores(other.path()), want, "removed and added");
}
