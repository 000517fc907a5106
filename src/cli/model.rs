//! `tenleaf model fetch` and `tenleaf model status`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;

use super::{Context, Exit, bar, errln, outln, print_json, stop_asked, stopped};
use crate::dense::Weights;
use crate::dense::fetch;
use crate::dense::install::{FileState, Installer, Placed, Status};
use crate::library::job::Event;

/// The embedding model and the library that runs it: fetch them, look at them
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Fetch(FetchArgs),
    Status(StatusArgs),
}

/// Fetch model, tokenizer and ONNX Runtime library, each checked against its SHA-256
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf model fetch                     from the addresses in config.toml
  tenleaf model fetch --weights int8      a quarter of the size, twice as fast, vectors a little off
  tenleaf model fetch --from ~/minilm     from a folder with *.onnx, tokenizer.json and, if there,
                                          the library or the Python wheel that holds it

Files that are there and right are kept. Where the library's address does not
answer, or the folder has none, it comes by pip.")]
struct FetchArgs {
    /// Folder to take the files from
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// Which weights [default: as config says]
    #[arg(long, value_enum)]
    weights: Option<Weights>,
}

/// Show which model, tokenizer and library are there, and whether they work
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf model status
  tenleaf model status --json

The exit code is 1 when ranking by meaning would not work.")]
struct StatusArgs {
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Runs the command.
    pub fn run(self, context: &Context) -> Result<()> {
        let dir = context.paths.models();
        let installer = Installer {
            dir: &dir,
            config: &context.config.model,
        };
        match self.command {
            Command::Fetch(args) => args.run(context, &installer),
            Command::Status(args) => args.run(&installer),
        }
    }
}

impl FetchArgs {
    fn run(self, context: &Context, installer: &Installer<'_>) -> Result<()> {
        let weights = self.weights.unwrap_or(installer.config.weights);
        let placed = match &self.from {
            Some(from) => installer.from_folder(from, weights)?,
            None => download(context, installer, weights)?,
        };
        placed.iter().for_each(say);
        if self.from.is_some() && matches!(installer.status().runtime, FileState::Missing) {
            errln!("no ONNX Runtime library there: asking pip for it");
            say(&installer.runtime_from_pip()?);
        }
        let status = installer.status();
        print_status(&status)?;
        works(&status)
    }
}

fn download(context: &Context, installer: &Installer<'_>, weights: Weights) -> Result<Vec<Placed>> {
    let bar = bar("{bytes} received · {bytes_per_sec}");
    let tell = |event: &Event| match event {
        Event::Received(bytes) => bar.inc(*bytes),
        Event::Retry { what, error, after } => {
            bar.suspend(|| errln!("{what}: {error}; again in {:.0} s", after.as_secs_f64()));
        }
        _ => {}
    };
    let cancel = stop_asked();
    let placed = fetch::fetch(
        installer,
        weights,
        context.config.fetch.patience(),
        &tell,
        cancel,
    );
    bar.finish_and_clear();
    let placed = placed?;
    if cancel.is_cancelled() {
        errln!("stopped: `tenleaf model fetch` goes on from here");
        return Err(stopped().into());
    }
    Ok(placed)
}

fn say(placed: &Placed) {
    errln!("{}: {}", placed.file, placed.what);
    if let Some(warning) = &placed.warning {
        errln!("  warning: {warning}");
    }
}

impl StatusArgs {
    fn run(self, installer: &Installer<'_>) -> Result<()> {
        let status = installer.status();
        match self.json {
            true => print_json(&status)?,
            false => print_status(&status)?,
        }
        works(&status)
    }
}

/// The exit code says what the status does.
fn works(status: &Status) -> Result<()> {
    match status.problem {
        Some(_) => Err(Exit(1).into()),
        None => Ok(()),
    }
}

fn print_status(status: &Status) -> Result<()> {
    let line = |name: &str, words: String| -> Result<()> {
        outln!("{name:<10} {words}");
        Ok(())
    };
    line("folder", status.dir.display().to_string())?;
    for (name, state) in [("model", &status.model), ("tokenizer", &status.tokenizer)] {
        line(name, words(state))?;
    }
    let version = status.runtime_version.as_deref();
    line(
        "runtime",
        match (&status.runtime, version) {
            (FileState::Missing, _) | (_, None) => "not there".into(),
            (FileState::Known { .. }, Some(version)) => {
                format!("ONNX Runtime {version}, as pinned")
            }
            (FileState::Unknown { .. }, Some(version)) => {
                format!("ONNX Runtime {version}, not the pinned file")
            }
        },
    )?;
    match &status.problem {
        None => line(
            "works",
            format!(
                "{} dimensions, {:.1} ms a question",
                status.dims.unwrap_or(0),
                status.question_ms.unwrap_or(0.0)
            ),
        ),
        Some(problem) => line("fails", problem.clone()),
    }
}

/// What `model fetch` brings; other files that config.toml names come from a folder alone.
const PINNED: [&str; 3] = ["float", "int8", "tokenizer"];

fn words(state: &FileState) -> String {
    match state {
        FileState::Missing => "not there".to_string(),
        FileState::Known { name } if PINNED.contains(&name.as_str()) => {
            format!("{name}, as pinned")
        }
        FileState::Known { name } => {
            format!("{name} weights, right by the SHA-256 that config.toml has")
        }
        FileState::Unknown { sha256 } => {
            format!("none that config.toml knows (SHA-256 {})", &sha256[..12])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_said_to_be_right_and_by_what() {
        let known = |name: &str| words(&FileState::Known { name: name.into() });
        assert_eq!(known("float"), "float, as pinned");
        assert_eq!(
            known("float_w8"),
            "float_w8 weights, right by the SHA-256 that config.toml has"
        );
    }
}
