//! What is printed of a library and its pages: for a person, and as JSON.

use std::process::{Command, Stdio};

use crate::{Sandbox, json, stderr, stdout};

#[test]
fn the_demo_is_installed_and_indexed_on_first_use() {
    let sandbox = Sandbox::new();
    let report = json(&sandbox.run(&["index", "--json"]));
    assert_eq!(report["library"], "demo");
    assert_eq!(report["filings"], 8);
    assert_eq!(report["added"], 8);
    let again = json(&sandbox.run(&["index", "--json"]));
    assert_eq!(again["added"], 0);
    let rebuilt = json(&sandbox.run(&["index", "--json", "--rebuild"]));
    assert_eq!(rebuilt["added"], 8);
}

#[test]
fn a_reader_that_leaves_ends_it_quietly() {
    let sandbox = Sandbox::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tenleaf"))
        .args(["completions", "bash"])
        .env("TENLEAF_DATA_DIR", sandbox.path().join("data"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tenleaf starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("tenleaf ends");
    assert!(!stderr(&output).contains("panic"), "{}", stderr(&output));
    assert!(
        !stderr(&output).contains("mistake of its own"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn what_can_find_nothing_says_why() {
    let sandbox = Sandbox::new();
    let ask = |question: &str| {
        let output = sandbox.run(&["ask", question]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let name = ask("nike");
    assert!(
        name.contains("a name alone tells no page from another"),
        "{name}"
    );
    assert!(
        name.contains("no page found") && !name.contains("why:"),
        "{name}"
    );
    assert!(
        name.contains("           NIKE_2022_10K\n"),
        "no colon without a reason: {name}"
    );

    let unknown = ask("asdf qwer");
    assert!(
        unknown.contains("no word of the question stands in any filing"),
        "{unknown}"
    );
    assert!(
        !unknown.contains("NIKE"),
        "no filing is left out, none is named: {unknown}"
    );

    // The name stands in the filings of Foot Locker alone.
    let elsewhere = ask("Nike Dillon");
    assert!(
        elsewhere.contains("no word of the question stands in the filings searched")
            && !elsewhere.contains("why:"),
        "{elsewhere}"
    );
}

#[test]
fn verify_looks_at_the_library_that_fetch_fills_and_names_it() {
    let sandbox = Sandbox::new();
    // A first fetch was cut off: no filing is there yet, and the demo stands in.
    let pages = sandbox.path().join("data/financebench/pages");
    std::fs::create_dir_all(&pages).unwrap();
    std::fs::write(pages.join(".tmpAbC123"), "half").unwrap();
    let output = sandbox.run(&["data", "verify", "--json"]);
    let report = json(&output);
    assert_eq!(report["library"], "financebench");
    assert_eq!(report["problems"][0]["file"], "pages/.tmpAbC123");
    assert_eq!(output.status.code(), Some(1));
    let told = stdout(&sandbox.run(&["data", "verify", "--repair"]));
    assert!(told.starts_with("financebench  "), "{told}");
    assert!(told.ends_with("1 mended\n"), "{told}");
    let told = stdout(&sandbox.run(&["data", "verify", "--library", "demo"]));
    assert!(told.starts_with("demo  "), "{told}");
}

#[test]
fn a_name_that_is_not_there_is_a_wrong_use_and_the_nearest_is_named() {
    let sandbox = Sandbox::new();
    let mine = sandbox.path().join("mine.jsonl");
    let row = r#"{"id": "a1", "question": "Nike inventories 2022", "doc_name": "NIKE_2022_10K", "gold_pages": [1]}"#;
    std::fs::write(&mine, row).unwrap();
    let mine = mine.to_str().unwrap();
    for (args, says) in [
        (&["config", "serch"][..], "did you mean \"search\"?"),
        (&["remove", "NOSUCH_2024_10K"], "no filing of demo"),
        (&["data", "fetch", "--only", "NOSUCH"], "no filing NOSUCH"),
        (&["notes", "add", "nosuch", "x"], "no question \"nosuch\""),
        (
            &["explain", "--id", "a2", "--questions", mine],
            "mine.jsonl",
        ),
        (
            &["page", "NIKE_2022_10Q", "1"],
            "did you mean NIKE_2022_10K?",
        ),
        (&["page", "NIKE_2022_10K", "900"], "NIKE_2022_10K has "),
        (
            &["page", "NIKE_2022_10K", "p999"],
            "no page of NIKE_2022_10K",
        ),
        (&["page", "NIKE_2022_10K", "0"], "counted from 1"),
        (&["page", "NIKE_2022_10K"], "which page?"),
    ] {
        let output = sandbox.run(args);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{args:?}: {}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains(says),
            "{args:?}: {}",
            stderr(&output)
        );
        assert_eq!(stdout(&output), "", "{args:?}");
    }
    for library in ["../x", "nosuch"] {
        let output = sandbox.run(&["doctor", "--json", "--library", library]);
        assert_eq!(output.status.code(), Some(1));
        let checks = json(&output);
        let check = checks["checks"]
            .as_array()
            .unwrap()
            .iter()
            .find(|check| check["name"] == "library");
        assert_eq!(check.unwrap()["state"], "bad", "{library}");
    }
}

#[test]
fn pages_are_printed_with_a_line_of_what_they_are() {
    let sandbox = Sandbox::new();
    let found = json(&sandbox.run(&["ask", "--json", "What was Nike's gross profit in FY2022?"]));
    let first = &found["ranked"][0];
    let (name, page) = (
        first["doc_name"].as_str().unwrap(),
        first["page"].as_u64().unwrap(),
    );
    let output = sandbox.run(&["page", &name.to_lowercase(), &page.to_string()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    let head = text.lines().next().unwrap();
    let cited = first["cited_as"].as_str().unwrap();
    assert_eq!(head, format!("{cited}  income statement"));
    assert!(text.contains("Gross profit"), "{text}");

    // As it is cited, in quotes or pasted as words.
    let words: Vec<&str> = cited.split_whitespace().collect();
    for pasted in [&["page", cited][..], &[&["page"], &words[..]].concat()] {
        assert_eq!(stdout(&sandbox.run(pasted)), text, "{pasted:?}");
    }

    let range = format!("{}-{}", page - 1, page);
    let printed = first["printed_page"].as_str().unwrap();
    let report = json(&sandbox.run(&["page", "--json", name, &range, &format!("p{printed}")]));
    assert_eq!(report["doc_name"], name);
    assert_eq!(report["library"], "demo");
    let pages = report["pages"].as_array().unwrap();
    let numbers: Vec<u64> = pages.iter().map(|p| p["page"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [page - 1, page, page]);
    assert!(pages.len() as u64 <= report["pages_in_all"].as_u64().unwrap());
    assert_eq!(pages[1]["cited_as"], cited);
    assert!(pages[1]["text"].as_str().unwrap().contains("Gross profit"));
    let several = stdout(&sandbox.run(&["page", name, &range]));
    assert_eq!(
        several
            .lines()
            .filter(|line| line.starts_with(name))
            .count(),
        2
    );
}

/// What `--json` prints is one object, and what is about a library names it.
#[test]
fn json_is_an_object_that_names_its_library() {
    let sandbox = Sandbox::new();
    let note = sandbox.path().join("note.txt");
    std::fs::write(&note, "Margins \u{85}rose.").unwrap();
    let note = note.to_str().unwrap();
    let label = ["--company", "Acme", "--form", "other", "--period", "2024"];
    for args in [
        &[
            "add",
            note,
            "--library",
            "mine",
            label[0],
            label[1],
            label[2],
            label[3],
            label[4],
            label[5],
        ][..],
        &["list", "--library", "mine"],
        &["page", "ACME_2024_OTHER", "1", "--library", "mine"],
        &["index", "--library", "mine"],
        &["data", "status", "--library", "mine"],
        &["data", "verify", "--library", "mine"],
        &["remove", "ACME_2024_OTHER", "--library", "mine"],
        &["misses", "--library", "demo"],
        &["audit", "--library", "demo"],
        &["explain", "--id", "demo-01", "--library", "demo"],
        &["notes", "list", "--library", "demo"],
        &["doctor", "--library", "demo"],
        &["ask", "Nike revenue", "--library", "demo"],
        &["eval", "--library", "demo"],
        &["fit", "--library", "demo"],
    ] {
        let output = sandbox.run(&[args, &["--json"]].concat());
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        let report = json(&output);
        let library = args.last().unwrap();
        let library = if args[0] == "add" { &"mine" } else { library };
        assert_eq!(report["library"], *library, "{args:?}");
    }
    // The demo is one whether it has been opened or not, and as large.
    for sandbox in [sandbox, Sandbox::new()] {
        let listed = json(&sandbox.run(&["list", "--libraries", "--json"]));
        let demo = &listed["libraries"][0];
        assert_eq!(demo["library"], "demo", "{listed}");
        assert_eq!((&demo["filings"], &demo["pages"]), (&8.into(), &66.into()));
    }
    let sandbox = Sandbox::new();
    // Control characters that JSON lets stand do not break it.
    let answer = json(&sandbox.run(&["ask", "--json", "Nike \u{85}\u{7f}revenue"]));
    assert_eq!(answer["question"], "Nike \u{85}\u{7f}revenue");
}
