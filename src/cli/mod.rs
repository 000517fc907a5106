//! The command line: one file a command.
//!
//! A command is a module with an `Args` (clap) and `Args::run(self, &Context) -> Result<()>`.
//! To add one: its `mod` line, its line in [`Command`], its line in [`Command::run`].
//! `--help` of every command ends with examples (`after_help`).

mod add;
mod ask;
mod audit;
mod bulk;
mod completions;
mod config_cmd;
mod data;
mod doctor;
mod embed;
mod eval;
mod eval_text;
mod explain;
mod faults;
mod fit;
mod index;
mod interrupt;
mod list;
mod man;
mod misses;
mod model;
mod notes;
mod out;
mod page;
mod remove;
mod switches;
mod typed;
mod workbench;

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use crate::config::{Config, ConfigError, SHIPPED};
use crate::dense::MiniLm;
use crate::index::{Progress, Synced};
use crate::library::{Library, demo};
use crate::logging;
use crate::paths::{self, DEMO, Paths};
use crate::question::Tables;
use crate::search::Engine;
use crate::words::{causes, printable, with_causes};
use interrupt::{stop_asked, stopped};
use out::{check_not_read, errln, outln, print, print_json, print_json_of, write_file};

/// Find the page of a company's filing that answers a question.
///
/// Without a command it opens the workbench.
#[derive(Debug, Parser)]
#[command(name = "tenleaf", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  tenleaf                              open the workbench
  tenleaf ask \"AMD quick ratio FY22\"   one question, answered here
  tenleaf doctor                       what is here, what is missing, what to do
  tenleaf config                       every setting, and where it comes from

Every command has its own examples: tenleaf COMMAND --help";

/// Flags every command takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Globals {
    /// Folder for filings, indexes and logs [env: TENLEAF_DATA_DIR]
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Library to use [default: the one config names; the demo while that is empty] [env: TENLEAF_LIBRARY]
    #[arg(long, global = true, value_name = "NAME")]
    library: Option<String>,
    /// Config file to read in place of your own [env: TENLEAF_CONFIG]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Globals {
    /// What the environment says, where the flags do not. (Left to clap, a flag that the environment
    /// gives looks required in the usage it prints.)
    fn or_env(self) -> Globals {
        let var = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let text = |value: OsString| value.to_string_lossy().into_owned();
        Globals {
            data_dir: self
                .data_dir
                .or_else(|| var("TENLEAF_DATA_DIR").map(PathBuf::from)),
            library: self.library.or_else(|| var("TENLEAF_LIBRARY").map(text)),
            config: self
                .config
                .or_else(|| var("TENLEAF_CONFIG").map(PathBuf::from)),
        }
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    Ask(ask::Args),
    Page(page::Args),
    Data(data::Args),
    Add(add::Args),
    List(list::Args),
    Remove(remove::Args),
    Index(index::Args),
    Model(model::Args),
    Embed(embed::Args),
    Eval(eval::Args),
    Misses(misses::Args),
    Explain(explain::Args),
    Notes(notes::Args),
    Audit(audit::Args),
    Fit(fit::Args),
    Doctor(doctor::Args),
    Config(config_cmd::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    fn run(self, globals: &Globals) -> Result<()> {
        // These work with a broken config and without a data folder.
        let command = match self {
            Command::Completions(args) => return args.run(),
            Command::Man(args) => return args.run(),
            Command::Doctor(args) => return args.run(globals),
            Command::Config(args) if args.default => return print(SHIPPED),
            command => command,
        };
        let context = Context::load(globals)?;
        match command {
            Command::Ask(args) => args.run(&context),
            Command::Page(args) => args.run(&context),
            Command::Eval(args) => args.run(&context),
            Command::Misses(args) => args.run(&context),
            Command::Explain(args) => args.run(&context),
            Command::Notes(args) => args.run(&context),
            Command::Audit(args) => args.run(&context),
            Command::Add(args) => args.run(&context),
            Command::Remove(args) => args.run(&context),
            Command::List(args) => args.run(&context),
            Command::Data(args) => args.run(&context),
            Command::Index(args) => args.run(&context),
            Command::Fit(args) => args.run(&context),
            Command::Config(args) => args.run(&context),
            Command::Embed(args) => args.run(&context),
            Command::Model(args) => args.run(&context),
            Command::Completions(_) | Command::Man(_) | Command::Doctor(_) => unreachable!(),
        }
    }
}

/// What every command works with.
#[derive(Clone, Debug)]
pub struct Context {
    /// The settings in force.
    pub config: Config,
    /// The data folder.
    pub paths: Paths,
    named: Option<String>,
}

impl Context {
    /// Reads the config and finds the data folder.
    pub fn load(globals: &Globals) -> Result<Context> {
        if let Some(name) = &globals.library {
            paths::check_library(name).map_err(|error| Usage(error.to_string()))?;
        }
        Ok(Context {
            config: load_config(globals)?,
            paths: Paths::new(globals.data_dir.as_deref())?,
            named: globals.library.clone(),
        })
    }

    /// Name of the library commands read from: the one named; else the one config names, or the
    /// demo while that holds no filing.
    pub fn library(&self) -> &str {
        let default = self.config.library.default.as_str();
        match &self.named {
            Some(name) => name,
            None if self.paths.has_filings(default) => default,
            None => DEMO,
        }
    }

    /// Name of the library commands add to: the one named, else the one config names.
    pub fn library_to_fill(&self) -> &str {
        self.named
            .as_deref()
            .unwrap_or(&self.config.library.default)
    }

    /// Folder of [`Context::library`]; the demo is written there first, where it is the demo.
    pub fn root(&self) -> Result<PathBuf> {
        let root = self.paths.library(self.library());
        if let Some(name) = self.named.as_deref().filter(|name| *name != DEMO)
            && !root.is_dir()
        {
            return Err(Usage(format!(
                "there is no library {name:?}; `tenleaf list --libraries` shows those there are"
            ))
            .into());
        }
        if self.library() == DEMO {
            demo::install(&root)?;
        }
        Ok(root)
    }

    /// The search engine over [`Context::root`]; the index is brought in line first, with a
    /// progress bar on stderr when that is a terminal.
    pub fn engine(&self) -> Result<Engine> {
        let (engine, synced) = self.engine_of(&self.root()?)?;
        if let Some(version) = synced.wiped {
            errln!("the index was of another version ({version}) and has been made again");
        }
        if synced.mended {
            errln!("the index was damaged and has been made again");
        }
        Ok(engine)
    }

    /// The tables questions are read with: the built-in ones, and the user's merged over them.
    pub fn tables(&self) -> Result<Arc<Tables>> {
        let dir = self.paths.tables();
        if dir.is_dir() {
            Ok(Arc::new(Tables::load(Some(&dir))?))
        } else {
            Ok(Tables::builtin())
        }
    }

    fn engine_of(&self, root: &Path) -> Result<(Engine, Synced)> {
        let bar = progress("indexing filings");
        let opened = self.engine_with(root, &|done, all| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        opened
    }

    /// The engine over the library in `root`, with MiniLM where it is there; `progress` is told of
    /// each filing indexed.
    fn engine_with(&self, root: &Path, progress: Progress<'_>) -> Result<(Engine, Synced)> {
        let opened = Engine::open(root, self.tables()?, progress);
        let (mut engine, synced) =
            opened.with_context(|| format!("opening the library in {}", root.display()))?;
        let minilm = MiniLm::new(&self.paths.models(), &engine.library);
        engine.meaning = Some(Arc::new(minilm));
        Ok((engine, synced))
    }

    /// Folder of [`Context::library_to_fill`].
    pub fn root_to_fill(&self) -> PathBuf {
        self.paths.library(self.library_to_fill())
    }
}

/// Filings and pages of a library; of a demo that is not written yet, those it will have.
fn size(name: &str, library: &Library) -> (usize, usize) {
    match (library.filings().len(), library.page_count()) {
        (0, _) if name == DEMO => demo::size(),
        size => size,
    }
}

fn load_config(globals: &Globals) -> Result<Config, ConfigError> {
    match (&globals.config, paths::config_file()) {
        (Some(file), _) => Config::load(file, true),
        (None, Some(file)) => Config::load(&file, false),
        (None, None) => Ok(Config::shipped()),
    }
}

/// A wrong use of the command line: exit code 2, as clap's own.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Everything has been said; only the exit code is left (`audit` below its thresholds, say).
#[derive(Debug)]
pub struct Exit(pub u8);

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit code {}", self.0)
    }
}

impl std::error::Error for Exit {}

/// The program: parses, logs, runs, reports. 0 is success, 2 a wrong use, 1 everything else.
pub fn main() -> ExitCode {
    faults::catch();
    let cli = Cli::parse();
    let globals = cli.globals.or_env();
    if let Ok(paths) = Paths::new(globals.data_dir.as_deref()) {
        logging::start(&paths.logs());
        logging::catch_panics(&paths.logs());
    }
    let result = match cli.command {
        Some(command) => {
            end_quietly_when_the_reader_leaves();
            command.run(&globals)
        }
        None => workbench(&globals),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&error),
    }
}

fn workbench(globals: &Globals) -> Result<()> {
    crate::tui::check_terminal().map_err(|error| Usage(error.to_string()))?;
    workbench::open(&Context::load(globals)?)
}

/// Prints `tenleaf: message` and the causes below it, and gives the exit code.
fn report(error: &anyhow::Error) -> ExitCode {
    if let Some(Exit(code)) = error.downcast_ref() {
        return ExitCode::from(*code);
    }
    let misused = error.is::<Usage>() || error.is::<ConfigError>();
    if !misused {
        tracing::error!("{}", with_causes(error));
    }
    let text = format!("tenleaf: {}\n", causes(error).join("\n  because: "));
    let _ = io::stderr().write_all(printable(&text).as_bytes());
    ExitCode::from(if misused { 2 } else { 1 })
}

/// A bar with count, rate and time left on stderr; hidden where stderr is no terminal.
pub fn progress(what: &'static str) -> ProgressBar {
    bar("{msg} {bar:30} {pos}/{len}  {per_sec:.0}  {eta} left").with_message(what)
}

/// A bar that looks like this.
fn bar(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(0).with_style(style.expect("the template is right: it never changes"))
}

/// `tenleaf ask ... | head` ends at head's end, without an error.
fn end_quietly_when_the_reader_leaves() {
    // SAFETY: setting a signal back to its default disposition touches no memory of ours; no
    // other thread runs yet.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples() {
        fn check(command: &clap::Command, path: &str) {
            let path = format!("{path} {}", command.get_name());
            if command.get_subcommands().next().is_none() {
                let help = command.get_after_help().map(ToString::to_string);
                // A longer line is broken where it happens to end.
                let help = help.unwrap_or_default();
                let most = |line: &str| if line.starts_with(' ') { 100 } else { 80 };
                let long = help.lines().find(|line| line.chars().count() > most(line));
                assert_eq!(long, None, "of `{}`", path.trim());
                assert!(
                    help.contains("Examples:\n  tenleaf "),
                    "`{}` has no examples",
                    path.trim()
                );
            }
            for inner in command.get_subcommands() {
                check(inner, &path);
            }
        }
        check(&Cli::command(), "");
    }

    #[test]
    fn the_demo_stands_in_for_an_empty_library() {
        let dir = tempfile::tempdir().unwrap();
        let mut context = Context {
            config: Config::shipped(),
            paths: Paths::new(Some(dir.path())).unwrap(),
            named: None,
        };
        assert_eq!(context.library(), "demo");
        assert_eq!(context.library_to_fill(), "financebench");
        std::fs::create_dir_all(dir.path().join("financebench/pages")).unwrap();
        std::fs::write(dir.path().join("financebench/pages/A.pages"), b"").unwrap();
        assert_eq!(context.library(), "financebench");
        context.named = Some("mine".into());
        assert_eq!(context.library(), "mine");
        assert_eq!(context.root_to_fill(), dir.path().join("mine"));
    }
}
