//! The program as a script sees it: help, errors, settings, exit codes.

mod help;
mod library;
mod settings;

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
