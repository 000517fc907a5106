//! The settings in force, and what `doctor` says of them and of the data folder.

use serde_json::Value;

use crate::{Sandbox, json, stderr, stdout};

#[test]
fn config_prints_what_is_in_force_and_from_where() {
    let sandbox = Sandbox::new();
    let file = sandbox.write_config("# mine\n[search]\nk = 25\n");
    let output = sandbox.run(&["config", "--config", &file]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    let line = |key: &str| {
        text.lines()
            .find(|line| line.starts_with(key))
            .unwrap_or_else(|| panic!("no {key} in {text}"))
    };
    assert!(line("search.k = 25").ends_with(&format!("{file}:3")));
    assert!(line("search.company = true").ends_with("default"));
    assert!(line("data folder").contains(&*sandbox.path().join("data").to_string_lossy()));

    let report = json(&sandbox.run_with(&["config", "--json"], &[("TENLEAF_CONFIG", &file)]));
    let settings = report["settings"].as_array().expect("settings");
    let k = settings
        .iter()
        .find(|s| s["key"] == "search.k")
        .expect("search.k");
    assert_eq!(k["value"], 25);
    assert_eq!(k["line"], 3);
    assert_eq!(k["file"], file);

    let changed = json(&sandbox.run(&["config", "--config", &file, "--changed", "--json"]));
    assert_eq!(changed["settings"].as_array().map(Vec::len), Some(1));
}

#[test]
fn the_default_config_is_the_shipped_file() {
    let sandbox = Sandbox::new();
    let shipped = stdout(&sandbox.run(&["config", "--default"]));
    assert_eq!(shipped, include_str!("../../config.toml"));
    // As a user's own file it changes nothing.
    let file = sandbox.write_config(&shipped);
    let ours = json(&sandbox.run(&["config", "--json", "--config", &file]));
    let theirs = json(&sandbox.run(&["config", "--json"]));
    let values = |report: &Value| -> Vec<Value> {
        report["settings"]
            .as_array()
            .expect("settings")
            .iter()
            .map(|setting| setting["value"].clone())
            .collect()
    };
    assert_eq!(values(&ours), values(&theirs));
}

#[test]
fn a_mistake_in_the_config_names_file_line_and_nearest_key() {
    let sandbox = Sandbox::new();
    let file =
        sandbox.write_config("[search]\nretreiver = \"bm25\"\n\n[fetch]\nconcurrency = 99\n");
    for args in [["config", "--config", &file], ["index", "--config", &file]] {
        let output = sandbox.run(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let text = stderr(&output);
        assert!(
            text.contains(&format!(
                "{file}:2: unknown setting `search.retreiver`; did you mean `search.retriever`?"
            )),
            "{text}"
        );
        assert!(text.contains(&format!("{file}:5: ")), "{text}");
        assert!(text.contains("1 to 32"), "{text}");
    }
    let output = sandbox.run(&["config", "--config", "no/such.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("no/such.toml"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn doctor_says_why_a_config_file_cannot_be_read() {
    let sandbox = Sandbox::new();
    let text = stdout(&sandbox.run(&["doctor", "--config", "/no/such.toml"]));
    let cause = "cannot read the config file /no/such.toml: No such file";
    assert!(text.contains(cause) && text.contains("--config"), "{text}");
    let file = sandbox.write_config("[search]\nk = \"ten\"\n");
    let text = stdout(&sandbox.run(&["doctor", "--config", &file]));
    assert!(text.contains("correct the line"), "{text}");
}

#[test]
fn doctor_runs_on_an_empty_data_folder() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["doctor"]);
    assert!(
        output.status.success(),
        "{}{}",
        stdout(&output),
        stderr(&output)
    );
    assert!(
        stdout(&output).contains("tenleaf data fetch"),
        "{}",
        stdout(&output)
    );
    let checks = json(&sandbox.run(&["doctor", "--json"]));
    for name in [
        "terminal",
        "colours",
        "config",
        "data folder",
        "library",
        "index",
        "model",
    ] {
        let check = checks["checks"]
            .as_array()
            .and_then(|checks| checks.iter().find(|check| check["name"] == name))
            .unwrap_or_else(|| panic!("no {name} in {checks}"));
        assert_ne!(check["state"], "bad", "{check}");
        assert_ne!(check["found"], "", "{check}");
    }
}

#[test]
fn doctor_finds_what_is_wrong_and_says_what_to_do() {
    let sandbox = Sandbox::new();
    let file = sandbox.write_config("[serach]\nk = 1\n");
    let output = sandbox.run(&["doctor", "--config", &file]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains(&format!("{file}:1: unknown section `serach`")));

    // The data folder is a file.
    let output = sandbox.run(&["doctor", "--json", "--data-dir", &file]);
    assert_eq!(output.status.code(), Some(1));
    let checks = json(&output);
    let check = checks["checks"]
        .as_array()
        .and_then(|checks| checks.iter().find(|check| check["name"] == "data folder"))
        .expect("a check of the data folder");
    assert_eq!(check["state"], "bad");
    assert!(
        check["do"]
            .as_str()
            .is_some_and(|todo| todo.contains("--data-dir"))
    );

    // A damaged page file.
    assert!(sandbox.run(&["index"]).status.success());
    let pages = sandbox.path().join("data/demo/pages/NIKE_2022_10K.pages");
    std::fs::write(&pages, b"TLPAGES1 cut").expect("the page file is there");
    let output = sandbox.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(
        stdout(&output).contains("tenleaf data verify"),
        "{}",
        stdout(&output)
    );
    assert!(
        stdout(&output).contains("NIKE_2022_10K"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn what_is_advised_of_a_broken_config_runs_with_it() {
    let sandbox = Sandbox::new();
    let file = sandbox.write_config("[search]\nk = 0\n[zzzzz]\n");
    let doctor = json(&sandbox.run(&["--config", &file, "doctor", "--json"]));
    let check = doctor["checks"].as_array().unwrap().iter();
    let check = check
        .clone()
        .find(|check| check["name"] == "config")
        .unwrap();
    let todo = check["do"].as_str().unwrap();
    let advised = todo.split('`').nth(1).unwrap();
    assert_eq!(advised, "tenleaf config --default");
    let output = sandbox.run(&["--config", &file, "config", "--default"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("[search]"));
    let other = sandbox.run(&["--config", &file, "config"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(
        stderr(&other).contains("`tenleaf config --default` lists"),
        "{}",
        stderr(&other)
    );
}
