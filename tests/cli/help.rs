//! Help, manual pages, completions, and what is said of a wrong use.

use std::collections::HashMap;
use std::path::Path;

use crate::{Sandbox, stderr, stdout};

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

/// The commands a text shows: lines set in by four spaces, and `tenleaf ...` in a sentence.
fn commands_in(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| {
        let command = line.strip_prefix("    tenleaf ")?;
        // What it does stands behind it.
        let ends = [" # ", " | ", "  "].map(|mark| command.find(mark));
        let end = ends.into_iter().flatten().min();
        Some(command[..end.unwrap_or(command.len())].to_string())
    });
    let spans = text.split('`').skip(1).step_by(2);
    let inline = spans.filter_map(|span| span.strip_prefix("tenleaf ").map(str::to_string));
    lines.chain(inline).collect()
}

#[test]
fn every_command_and_flag_of_the_readme_and_docs_exists() {
    let sandbox = Sandbox::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = vec![root.join("README.md"), root.join("assets/demo/README.md")];
    let docs = std::fs::read_dir(root.join("docs")).unwrap();
    let docs = docs.map(|entry| entry.unwrap().path());
    texts.extend(docs.filter(|path| path.extension().is_some_and(|ext| ext == "md")));
    let mut helps: HashMap<String, String> = HashMap::new();
    let mut help = |command: &str| {
        let args: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let help = helps.entry(command.to_string());
        help.or_insert_with(|| stdout(&sandbox.run(&args))).clone()
    };
    let mut seen = [0; 2];
    for path in &texts {
        let text = std::fs::read_to_string(path).unwrap();
        for command in commands_in(&text) {
            let mut words: Vec<&str> = command.split_whitespace().collect();
            // Flags of the program itself, each with its value, may stand first.
            while words.first().is_some_and(|word| word.starts_with("--")) {
                words.drain(..2);
            }
            let lower = |word: &&&str| word.chars().all(|c| c.is_ascii_lowercase());
            let names = words.iter().take_while(lower).take(2).count();
            let at = format!("{}: tenleaf {command}", path.display());
            // The longest run of words that is a command: `data fetch`, but `add`.
            let help = (1..=names)
                .rev()
                .map(|n| help(&words[..n].join(" ")))
                .find(|help| !help.is_empty())
                .unwrap_or_else(|| panic!("{at}: there is no such command"));
            for flag in words.iter().filter(|word| word.starts_with("--")) {
                assert!(help.contains(flag), "{at}: there is no {flag}");
            }
            seen[usize::from(path.starts_with(root.join("docs")))] += 1;
        }
    }
    assert!(seen[0] > 20 && seen[1] > 10, "{seen:?} commands found");
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
