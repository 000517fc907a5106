//! The program as a script sees it: help, errors, settings, exit codes.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// tenleaf with a data folder, a config folder and an environment of its own.
struct Sandbox {
    dir: TempDir,
}

impl Sandbox {
    fn new() -> Sandbox {
        Sandbox {
            dir: TempDir::new().expect("a temporary folder"),
        }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn run(&self, args: &[&str]) -> Output {
        self.run_with(args, &[])
    }

    fn run_with(&self, args: &[&str], env: &[(&str, &str)]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_tenleaf"))
            .args(args)
            .env_clear()
            .env("HOME", self.path())
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env("TENLEAF_DATA_DIR", self.path().join("data"))
            .env("TERM", "xterm-256color")
            .envs(env.iter().copied())
            .stdin(Stdio::null())
            .output()
            .expect("tenleaf starts")
    }

    fn write_config(&self, text: &str) -> String {
        let path = self.path().join("my.toml");
        std::fs::write(&path, text).expect("the config is written");
        path.display().to_string()
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {:?}{:?}", stdout(output), stderr(output)))
}

/// Names of the commands `tenleaf ARGS --help` lists.
fn commands(sandbox: &Sandbox, path: &[String]) -> Vec<String> {
    let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
    args.push("--help");
    let help = stdout(&sandbox.run(&args));
    let Some((_, rest)) = help.split_once("Commands:\n") else {
        return Vec::new();
    };
    rest.lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_string))
        .collect()
}

#[test]
fn help_of_every_command_ends_with_examples() {
    let sandbox = Sandbox::new();
    let mut paths: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(path) = paths.pop() {
        let inner = commands(&sandbox, &path);
        if inner.is_empty() {
            let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
            args.push("--help");
            let output = sandbox.run(&args);
            assert!(output.status.success(), "{path:?}");
            assert!(
                stdout(&output).contains("Examples:\n  tenleaf "),
                "{path:?}"
            );
            seen += 1;
        }
        for name in inner {
            let mut path = path.clone();
            path.push(name);
            paths.push(path);
        }
    }
    assert!(seen >= 5, "only {seen} commands found");
    assert!(stdout(&sandbox.run(&["--help"])).contains("Examples:\n  tenleaf "));
}

#[test]
fn every_command_and_flag_of_the_readme_exists() {
    let sandbox = Sandbox::new();
    let readme = include_str!("../README.md");
    let mut seen = 0;
    for line in readme.lines() {
        let Some(command) = line.strip_prefix("    tenleaf ") else {
            continue;
        };
        let command = command.split(" # ").next().unwrap_or_default();
        let command = command.split(" | ").next().unwrap_or_default();
        let words: Vec<&str> = command
            .split_whitespace()
            .take_while(|word| word.chars().all(|c| c.is_ascii_lowercase()))
            .collect();
        // The longest run of words that is a command: `data fetch`, but `add`.
        let help = (1..=words.len().min(2))
            .rev()
            .map(|n| {
                let mut args = words[..n].to_vec();
                args.push("--help");
                sandbox.run(&args)
            })
            .find(|output| output.status.success())
            .unwrap_or_else(|| panic!("no such command: {line}"));
        for flag in command
            .split_whitespace()
            .filter(|word| word.starts_with("--"))
        {
            assert!(stdout(&help).contains(flag), "{line}: no {flag}");
        }
        seen += 1;
    }
    assert!(seen > 10, "only {seen} commands found in the README");
}

#[test]
fn without_a_terminal_the_workbench_names_ask() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output), "");
    assert!(
        stderr(&output).starts_with("tenleaf: "),
        "{}",
        stderr(&output)
    );
    assert!(
        stderr(&output).contains("tenleaf ask"),
        "{}",
        stderr(&output)
    );
    assert!(!sandbox.path().join("data").exists(), "nothing was written");
}

#[test]
fn a_wrong_use_is_exit_code_2_and_says_what_is_right() {
    let sandbox = Sandbox::new();
    let cases: [(&[&str], &str); 4] = [
        (&["doctr"], "doctor"),
        (&["config", "--jsn"], "--json"),
        (&["completions", "tcsh"], "bash"),
        (&["--library", "../etc", "config"], "cannot name a library"),
    ];
    for (args, message) in cases {
        let output = sandbox.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            stderr(&output).contains(message),
            "{args:?}: {}",
            stderr(&output)
        );
    }
}

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
    assert_eq!(shipped, include_str!("../config.toml"));
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
fn completions_and_manual_pages_name_every_command() {
    let sandbox = Sandbox::new();
    let names = commands(&sandbox, &[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = sandbox.run(&["completions", shell]);
        assert!(output.status.success(), "{shell}: {}", stderr(&output));
        for name in &names {
            assert!(stdout(&output).contains(name.as_str()), "{shell}: {name}");
        }
    }
    let page = stdout(&sandbox.run(&["man"]));
    assert!(page.contains(".TH tenleaf 1"), "{page}");
    let dir = sandbox.path().join("man1");
    let output = sandbox.run(&["man", "--dir", &dir.display().to_string()]);
    assert!(output.status.success(), "{}", stderr(&output));
    for name in &names {
        assert!(dir.join(format!("tenleaf-{name}.1")).is_file(), "{name}");
    }
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
        &["notes", "list", "--library", "demo"],
        &["doctor", "--library", "demo"],
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
