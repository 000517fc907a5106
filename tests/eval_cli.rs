//! Evaluation as a script sees it, on the demo library.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::stderr;
use serde_json::Value;
use tempfile::TempDir;

struct Sandbox(TempDir);

impl Sandbox {
    fn new() -> Sandbox {
        Sandbox(TempDir::new().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_tenleaf"))
            .args(args)
            .env("HOME", self.path())
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env("TENLEAF_DATA_DIR", self.path().join("data"))
            .env("TENLEAF_LIBRARY", "demo")
            .env_remove("TENLEAF_CONFIG")
            .current_dir(self.path())
            .stdin(Stdio::null())
            .output()
            .expect("tenleaf starts")
    }

    /// Stdout of a run that must succeed.
    fn text(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.text(args)).unwrap()
    }
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn the_json_keeps_its_contract_whatever_the_number_of_jobs() {
    let sandbox = Sandbox::new();
    let report = sandbox.json(&["eval", "--json", "--jobs", "1"]);
    let questions = number(&report["questions"]);
    assert!(questions >= 10.0);
    for name in [
        "hit@1",
        "hit@3",
        "hit@5",
        "hit@10",
        "mrr@10",
        "recall@10",
        "ndcg@10",
    ] {
        let value = number(&report[name]);
        assert!((0.0..=1.0).contains(&value), "{name} is {value}");
        assert!(number(&report["intervals"][name][0]) <= value);
        assert!(number(&report["intervals"][name][1]) >= value);
    }
    assert!(number(&report["hit@1"]) <= number(&report["hit@10"]));
    assert!(
        number(&report["hit@10"]) >= 0.9,
        "the demo finds its own pages"
    );
    let ladder = report["ladder"].as_array().unwrap();
    assert_eq!(ladder[0]["name"], "all pages");
    for row in ladder {
        for name in ["hit@10", "mrr@10", "p50_ms", "p95_ms"] {
            number(&row[name]);
        }
        assert!(number(&row["p50_ms"]) <= number(&row["p95_ms"]));
    }
    let bare = |jobs: &str| {
        let mut report = sandbox.json(&["eval", "--json", "--no-timing", "--jobs", jobs]);
        report["about"] = Value::Null;
        report
    };
    assert_eq!(bare("1"), bare("3"));
}

#[test]
fn switches_change_the_settings_evaluated() {
    let sandbox = Sandbox::new();
    let off = sandbox.json(&[
        "eval",
        "--json",
        "--no-timing",
        "--no-company",
        "--no-period",
        "--no-routing",
        "--keep-names",
        "--no-signals",
    ]);
    let on = sandbox.json(&["eval", "--json", "--no-timing"]);
    assert_eq!(off["settings"]["company"], false);
    assert_eq!(
        off["hit@10"], on["ladder"][0]["hit@10"],
        "everything off is the first rung"
    );
    assert!(number(&off["mrr@10"]) < number(&on["mrr@10"]));
}

#[test]
fn unusable_lines_are_named_and_the_rest_runs() {
    let sandbox = Sandbox::new();
    let lines = "\
{\"id\": \"a\", \"question\": \"Inventory of Nike at the end of fiscal 2023?\", \"doc_name\": \"NIKE_2023_10K\", \"gold_pages\": [7], \"type\": \"mine\"}
{\"id\": \"a\", \"question\": \"Again?\", \"doc_name\": \"NIKE_2023_10K\", \"gold_pages\": [7]}
{\"id\": \"b\", \"question\": \"Nobody?\", \"doc_name\": \"NOBODY_2023_10K\", \"gold_pages\": [7]}
{\"id\": \"c\", \"question\": \"Where?\", \"doc_name\": \"NIKE_2023_10K\", \"gold_pages\": [7000]}
not json
";
    fs::write(sandbox.path().join("mine.jsonl"), lines).unwrap();
    let output = sandbox.run(&["eval", "--questions", "mine.jsonl", "--json", "--no-timing"]);
    assert!(output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["questions"], 1);
    assert_eq!(report["parts"][0]["name"], "mine");
    assert_eq!(report["problems"].as_array().unwrap().len(), 4);
    let said = stderr(&output);
    for wanted in [
        "mine.jsonl:2: duplicate id \"a\"",
        "mine.jsonl:3: question \"b\": filing \"NOBODY_2023_10K\" is not in the library",
        "mine.jsonl:4: question \"c\": gold page 7000 (0-based) does not exist",
        "mine.jsonl:5: not JSON: expected ident at column 2",
    ] {
        assert!(said.contains(wanted), "{said}\nlacks {wanted}");
    }
    let none = sandbox.run(&["eval", "--questions", "missing.jsonl"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(stderr(&none).contains("missing.jsonl: cannot be read"));
    let unsplit = sandbox.run(&["eval", "--questions", "mine.jsonl", "--split", "dev"]);
    assert!(stderr(&unsplit).contains("none of the 1 questions is in dev"));
}

#[test]
fn files_are_written_and_two_reports_compared() {
    let sandbox = Sandbox::new();
    // A repository of somebody else's: its commit is not the program's.
    for args in [
        &["init", "-q"][..],
        &[
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@example.com",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        ],
    ] {
        let git = Command::new("git")
            .args(args)
            .current_dir(sandbox.path())
            .status();
        assert!(git.unwrap().success());
    }
    sandbox.text(&[
        "eval",
        "--no-timing",
        "--write",
        "RESULTS.md",
        "--run",
        "run",
        "--qrels",
        "qrels",
    ]);
    let results = fs::read_to_string(sandbox.path().join("RESULTS.md")).unwrap();
    for wanted in [
        "# Results",
        "| command | `tenleaf eval",
        "## Where it loses",
        "| all pages |",
        "SHA-256 `",
    ] {
        assert!(results.contains(wanted), "{wanted} is missing");
    }
    sandbox.text(&[
        "eval",
        "--no-timing",
        "--no-signals",
        "--no-company",
        "--write",
        "OFF.md",
    ]);
    let comparison = sandbox.json(&["eval", "--compare", "RESULTS.json", "OFF.json", "--json"]);
    let all = &comparison["parts"][0];
    assert!(number(&all["after"]["mrr@10"]) < number(&all["before"]["mrr@10"]));
    assert!(number(&all["change"]["mrr@10"]["mean"]) < 0.0);
    assert!(!comparison["moved"].as_array().unwrap().is_empty());
    let text = sandbox.text(&["eval", "--compare", "RESULTS.json", "OFF.json"]);
    assert!(text.contains("MRR@10") && text.contains("moved"));

    let run = fs::read_to_string(sandbox.path().join("run")).unwrap();
    assert!(run.lines().all(|line| line.split(' ').count() == 6));
    let qrels = fs::read_to_string(sandbox.path().join("qrels")).unwrap();
    assert!(
        qrels
            .lines()
            .any(|line| line == "demo-01 0 NIKE_2022_10K/p7 1"),
        "{qrels}"
    );

    for (args, says) in [
        (
            &["--compare", "RESULTS.json", "OFF.json", "--write", "X.md"][..],
            "--compare",
        ),
        (
            &["--compare", "RESULTS.json", "OFF.json", "--no-company"],
            "--compare",
        ),
        (
            &["--compare", "RESULTS.json", "OFF.json", "--split", "dev"],
            "--compare",
        ),
        (&["--gate", "gate.json", "--write", "X.md"], "--gate"),
        (&["--write", "RESULTS.json"], "RESULTS.md"),
        // The demo's questions have no split.
        (&["--record-gate", "X.json"], "no question is in dev"),
    ] {
        let refused = sandbox.run(&[&["eval"], args].concat());
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
        assert!(
            stderr(&refused).contains(says),
            "{args:?}: {}",
            stderr(&refused)
        );
    }
    assert!(!sandbox.path().join("X.json").exists());
    let report: Value =
        serde_json::from_slice(&fs::read(sandbox.path().join("RESULTS.json")).unwrap()).unwrap();
    assert_eq!(report["about"]["commit"], "", "of no repository of ours");

    let nowhere = sandbox.run(&["eval", "--write", "no/such/folder/R.md"]);
    assert_eq!(nowhere.status.code(), Some(2));
    let wrong = sandbox.run(&["eval", "--compare", "run", "OFF.json"]);
    assert!(stderr(&wrong).contains("not a report"));
}

#[test]
fn the_gate_names_what_was_lost() {
    let sandbox = Sandbox::new();
    // The demo's questions have no split of their own.
    let demo = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/questions.jsonl"),
    )
    .unwrap();
    let mut dev = String::new();
    for line in demo.lines() {
        let mut question: Value = serde_json::from_str(line).unwrap();
        question["split"] = "dev".into();
        dev.push_str(&format!("{question}\n"));
    }
    fs::write(sandbox.path().join("dev.jsonl"), dev).unwrap();
    let missing = sandbox.run(&["eval", "--questions", "dev.jsonl", "--gate", "gate.json"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("--record-gate"));
    sandbox.text(&[
        "eval",
        "--questions",
        "dev.jsonl",
        "--no-timing",
        "--record-gate",
        "gate.json",
    ]);
    let passed = sandbox.text(&["eval", "--questions", "dev.jsonl", "--gate", "gate.json"]);
    assert!(passed.contains("passed"));
    // Two questions that cannot be found, recorded as if they had been.
    let path = sandbox.path().join("gate.json");
    let mut gate: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    for id in ["x", "y"] {
        gate["questions"].as_array_mut().unwrap().push(id.into());
        gate["hits"].as_array_mut().unwrap().push(id.into());
    }
    fs::write(&path, gate.to_string()).unwrap();
    let lost = "\
{\"id\": \"x\", \"split\": \"dev\", \"question\": \"Nike balance sheet 2023\", \"doc_name\": \"COSTCO_2022_10K\", \"gold_pages\": [0]}
{\"id\": \"y\", \"split\": \"dev\", \"question\": \"Nike cash flow statement 2023\", \"doc_name\": \"COSTCO_2022_10K\", \"gold_pages\": [0]}
";
    fs::write(sandbox.path().join("lost.jsonl"), lost).unwrap();
    let failed = sandbox.run(&[
        "eval",
        "--questions",
        "dev.jsonl",
        "--questions",
        "lost.jsonl",
        "--gate",
        "gate.json",
    ]);
    assert_eq!(failed.status.code(), Some(1));
    let said = String::from_utf8_lossy(&failed.stdout).into_owned();
    assert!(
        said.contains("FAILED") && said.contains("lost: x") && said.contains("lost: y"),
        "{said}"
    );
}

#[test]
fn misses_are_filed_under_a_stage() {
    let sandbox = Sandbox::new();
    let questions = "\
{\"id\": \"none\", \"question\": \"Which company makes vacuum tubes?\", \"doc_name\": \"NIKE_2023_10K\", \"gold_pages\": [0]}
{\"id\": \"other\", \"question\": \"What did Nike report for fiscal 2022?\", \"doc_name\": \"COSTCO_2022_10K\", \"gold_pages\": [1]}
{\"id\": \"year\", \"question\": \"What did Nike report for fiscal 2022?\", \"doc_name\": \"NIKE_2023_10K\", \"gold_pages\": [1]}
";
    fs::write(sandbox.path().join("q.jsonl"), questions).unwrap();
    let misses = sandbox.json(&["misses", "--questions", "q.jsonl", "--json"]);
    let stage = |id: &str| {
        let missed = misses["missed"].as_array().unwrap();
        missed
            .iter()
            .find(|m| m["id"] == id)
            .map(|m| m["loss"].as_str().unwrap().to_string())
    };
    assert_eq!(stage("none").as_deref(), Some("company_not_found"));
    assert_eq!(stage("other").as_deref(), Some("dropped_by_company"));
    assert_eq!(stage("year").as_deref(), Some("dropped_by_year"));
    let text = sandbox.text(&[
        "misses",
        "--questions",
        "q.jsonl",
        "--stage",
        "dropped_by_year",
    ]);
    assert!(
        text.contains("right filing dropped by year") && text.contains("NIKE_2023_10K  PDF p. 2")
    );
    assert!(!text.contains("vacuum"));
}

/// The labelled page of demo-01 stands in no Item 7.
const IN_ITEM_7: [&str; 6] = [
    "--no-signals",
    "--no-routing",
    "--statistics",
    "scope",
    "--ask",
    "What was Nike's gross profit in FY2022, in Item 7?",
];

#[test]
fn an_explanation_adds_up() {
    let sandbox = Sandbox::new();
    for (switches, plain) in [
        (&[][..], false),
        (&["--no-signals", "--no-routing"][..], true),
        // The pages of an Item alone are in scope: what is counted, is counted there.
        (&IN_ITEM_7[..], true),
    ] {
        let mut args = vec!["explain", "--id", "demo-01", "--json"];
        args.extend(switches);
        let e = sandbox.json(&args);
        assert_eq!(e["pages"][0]["page"], 7);
        let rungs = e["pages"][0]["rungs"].as_array().unwrap();
        assert_eq!(rungs[0][0], "all pages");
        assert_eq!(e["stages"][0]["filings"], 8);
        let year = e["stages"]
            .as_array()
            .unwrap()
            .iter()
            .find(|s| s["stage"] == "year")
            .unwrap();
        assert_eq!(year["keeps_right_filing"], true);
        let pages = [(&e["first"], "first"), (&e["labelled"][0], "labelled")];
        for (page, which) in pages.into_iter().filter(|(page, _)| page.is_object()) {
            let parts = page["reasons"].as_array().unwrap().iter();
            let sum: f64 = parts.map(|r| number(&r["contribution"])).sum();
            assert!(
                (sum - number(&page["score"])).abs() < 1e-6,
                "{which}: {sum} of {}",
                page["score"]
            );
            let weight = |term: &Value| match which {
                "first" => number(&term["first"]["contribution"]),
                _ => number(&term["labelled"][0]["contribution"]),
            };
            let words: f64 = e["terms"].as_array().unwrap().iter().map(weight).sum();
            assert!((words - number(&page["bm25"])).abs() < 1e-9);
            if plain {
                assert!(
                    (words - number(&page["score"])).abs() < 1e-6,
                    "{which}: BM25 alone is the score"
                );
            }
        }
    }
    let text = sandbox.text(&[
        "explain",
        "--id",
        "demo-01",
        "--ask",
        "Nike gross profit in fiscal 2022",
    ]);
    assert!(text.contains("Nike gross profit in fiscal 2022") && text.contains("The words (BM25)"));
    let unknown = sandbox.run(&["explain", "--id", "nothing"]);
    assert!(stderr(&unknown).contains("no question \"nothing\""));
}

#[test]
fn notes_are_written_listed_and_exported() {
    let sandbox = Sandbox::new();
    sandbox.text(&[
        "notes",
        "add",
        "demo-01",
        "label debatable?",
        "--tag",
        "needs synonym",
    ]);
    sandbox.text(&["notes", "add", "demo-02", "second", "--tag", "other"]);
    let unknown = sandbox.run(&["notes", "add", "demo-99", "x"]);
    assert_eq!(unknown.status.code(), Some(2));
    let listed = sandbox.json(&["notes", "list", "--tag", "NEEDS synonym", "--json"]);
    let notes = listed["notes"].as_array().unwrap();
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0]["question"], "demo-01");
    assert!(number(&notes[0]["rank"]) >= 1.0);
    sandbox.text(&[
        "notes",
        "edit",
        "1",
        "page 6 of the other filing",
        "--tag",
        "label debatable",
    ]);
    sandbox.text(&["notes", "remove", "2"]);
    // Alone, the command lists.
    let alone = sandbox.text(&["notes"]);
    assert_eq!(alone, sandbox.text(&["notes", "list"]));
    assert!(alone.contains("page 6 of the other filing"), "{alone}");
    let markdown = sandbox.text(&["notes", "export"]);
    for wanted in [
        "## demo-01",
        "> What was Nike's gross profit in FY2022?",
        "NIKE_2022_10K  PDF p. 7",
        "page 6 of the other filing",
        "*label debatable*",
        "- rank now: ",
    ] {
        assert!(markdown.contains(wanted), "{markdown}\nlacks {wanted}");
    }
    assert!(!markdown.contains("demo-02"));
}

#[test]
fn the_audit_fails_below_its_thresholds() {
    let sandbox = Sandbox::new();
    let audit = sandbox.json(&[
        "audit",
        "--json",
        "--limit-bytes",
        "600",
        "--prefix-bytes",
        "100",
    ]);
    let pages = number(&audit["pages"]);
    assert!(pages > 30.0);
    let limit = &audit["limit"];
    assert_eq!(limit["text_bytes"], 500);
    let over = limit["over"].as_array().unwrap();
    assert!(!over.is_empty() && (over.len() as f64) < pages);
    assert!(
        over.iter()
            .all(|page| number(&page[2]) > 500.0 && number(&page[3]) <= 500.0)
    );
    let kept = number(&limit["terms_kept"]);
    assert!(kept > 0.1 && kept < 1.0);
    let shut = sandbox.run(&["audit", "--limit-bytes", "600", "--min-terms-kept", "0.999"]);
    assert_eq!(shut.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&shut.stdout).contains("FAILED: share of words kept"));
    sandbox.text(&["audit", "--max-bad-share", "0.5"]);
    let senseless = sandbox.run(&["audit", "--limit-bytes", "100", "--prefix-bytes", "100"]);
    assert_eq!(senseless.status.code(), Some(2));
}

#[test]
fn a_damaged_index_is_mended_by_the_command_the_log_names() {
    let sandbox = Sandbox::new();
    let before = sandbox.json(&["eval", "--json", "--no-timing"]);
    let analysis = sandbox
        .path()
        .join("data/demo/index/filings/NIKE_2022_10K.terms");
    fs::write(&analysis, b"not an analysis").unwrap();
    let damaged = sandbox.run(&["eval", "--json", "--no-timing"]);
    assert_eq!(damaged.status.code(), Some(1));
    let said = stderr(&damaged);
    assert!(
        said.contains("NIKE_2022_10K") && said.contains("`tenleaf index`"),
        "{said}"
    );
    let mended = sandbox.json(&["index", "--json"]);
    assert_eq!(mended["added"], 1);
    let after = sandbox.json(&["eval", "--json", "--no-timing"]);
    assert_eq!(after["hit@10"], before["hit@10"]);
    assert_eq!(after["results"], before["results"]);
    // A part that is gone is made again without a word.
    fs::remove_file(&analysis).unwrap();
    let after = sandbox.json(&["eval", "--json", "--no-timing"]);
    assert_eq!(after["results"], before["results"]);
}
