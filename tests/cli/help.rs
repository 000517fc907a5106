//! Help, manual pages, completions, and what is said of a wrong use.

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

#[test]
fn every_command_and_flag_of_the_readme_exists() {
    let sandbox = Sandbox::new();
    let readme = include_str!("../../README.md");
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
