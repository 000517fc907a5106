//! `tenleaf doctor`.

use std::env;

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use serde_json::json;

use super::{Context, Exit, Globals, Usage, outln, print_json};
use crate::config::ConfigError;
use crate::dense::Model;
use crate::dense::vectors::{REPLACE, Vectors};
use crate::index::Index;
use crate::library::fetch::ABOUT;
use crate::library::{Library, status::status};
use crate::paths::{self, DEMO, Paths};
use crate::tui::{Colours, Route, TMUX_NEEDS, Through, check_terminal};
use crate::words::{count, with_causes};

/// Check terminal, colours, settings, data, index and model: what is wrong and what to do
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf doctor
  tenleaf doctor --json | jq '.checks[] | select(.state != \"ok\")'

The exit code is 1 when something keeps tenleaf from working, 0 otherwise.")]
pub struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// Works.
    Ok,
    /// Works, with something missing.
    Note,
    /// Does not work.
    Bad,
}

/// One thing looked at.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    state: State,
    found: String,
    /// What to do about it.
    #[serde(rename = "do", skip_serializing_if = "Option::is_none")]
    todo: Option<String>,
}

impl Check {
    fn ok(name: &'static str, found: impl Into<String>) -> Check {
        Check {
            name,
            state: State::Ok,
            found: found.into(),
            todo: None,
        }
    }

    fn note(name: &'static str, found: impl Into<String>, todo: impl Into<String>) -> Check {
        Check {
            name,
            state: State::Note,
            found: found.into(),
            todo: Some(todo.into()),
        }
    }

    fn bad(name: &'static str, found: impl Into<String>, todo: impl Into<String>) -> Check {
        Check {
            name,
            state: State::Bad,
            found: found.into(),
            todo: Some(todo.into()),
        }
    }
}

impl Args {
    /// Looks at everything and prints what it found. Takes the flags, not a context: a broken
    /// config is one of the things to find.
    pub fn run(self, globals: &Globals) -> Result<()> {
        let context = Context::load(globals);
        let checks = look(globals, &context);
        let bad = checks.iter().any(|check| check.state == State::Bad);
        if self.json {
            let library = context.as_ref().ok().map(Context::library);
            print_json(&json!({ "library": library, "checks": checks }))?;
        } else {
            print_text(&checks)?;
        }
        if bad { Err(Exit(1).into()) } else { Ok(()) }
    }
}

fn look(globals: &Globals, context: &Result<Context>) -> Vec<Check> {
    let mut checks = vec![terminal(), colours(var), locale(), clipboard(var)];
    match super::load_config(globals) {
        Ok(config) => checks.push(match (config.file(), paths::config_file()) {
            (Some(file), _) => Check::ok("config", file.display().to_string()),
            (None, Some(file)) => Check::ok(
                "config",
                format!("defaults; yours would be {}", file.display()),
            ),
            (None, None) => Check::ok("config", "defaults; no home folder to look in"),
        }),
        Err(error) => {
            let todo = match error {
                ConfigError::Read { .. } => "name another with --config, or see to this one",
                ConfigError::Wrong(_) => {
                    "correct the line; `tenleaf config --default` prints every setting"
                }
            };
            checks.push(Check::bad("config", with_causes(&error.into()), todo));
        }
    }
    match Paths::new(globals.data_dir.as_deref()) {
        Ok(paths) => {
            checks.push(data_folder(&paths));
            checks.extend(log(&paths));
        }
        Err(error) => checks.push(Check::bad(
            "data folder",
            error.to_string(),
            "--data-dir DIR",
        )),
    }
    match context {
        Ok(context) => {
            checks.push(library(context));
            checks.push(index(context));
            checks.push(model(context));
        }
        Err(error) if error.is::<Usage>() => checks.push(Check::bad(
            "library",
            error.to_string(),
            "name one that `tenleaf list --libraries` shows",
        )),
        // Told above: of the config, or of the data folder.
        Err(_) => {}
    }
    checks
}

fn var(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn terminal() -> Check {
    const NAME: &str = "terminal";
    let term = var("TERM").unwrap_or_else(|| "TERM is not set".to_string());
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return Check::note(
            NAME,
            "input or output is no terminal",
            "the workbench needs one; `tenleaf ask` does not",
        );
    }
    if let Err(error) = check_terminal() {
        let todo = "set TERM to your terminal's name (xterm-256color), or use `tenleaf ask`";
        return Check::bad(NAME, error.to_string(), todo);
    }
    let (columns, rows) = crossterm::terminal::size().unwrap_or((0, 0));
    let inside = [
        ("TMUX", "in tmux"),
        ("STY", "in screen"),
        ("SSH_TTY", "over SSH"),
    ]
    .into_iter()
    .filter(|(name, _)| var(name).is_some())
    .map(|(_, words)| format!(", {words}"))
    .collect::<String>();
    let found = format!("{term}, {columns}x{rows}{inside}");
    if columns < 80 || rows < 24 {
        return Check::note(NAME, found, "80x24 or more shows whole panes");
    }
    Check::ok(NAME, found)
}

/// As the workbench sees it.
fn colours(var: impl Fn(&str) -> Option<String>) -> Check {
    let found = match Colours::from_env(&var) {
        Colours::True => "truecolor",
        Colours::Ansi256 => "256; set COLORTERM=truecolor if your terminal has more",
        Colours::Ansi16 => "16; set TERM to a name with 256color if your terminal has more",
        Colours::None if var("NO_COLOR").is_some() => {
            "none, as NO_COLOR asks: bold, underline and marks instead"
        }
        Colours::None => "none, as TERM says: bold, underline and marks instead",
    };
    Check::ok("colours", found)
}

fn locale() -> Check {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(var);
    match locale {
        Some(name) if name.to_lowercase().replace('-', "").contains("utf8") => {
            Check::ok("locale", name)
        }
        other => Check::note(
            "locale",
            other.unwrap_or_else(|| "not set".into()),
            "if lines and marks look broken, set LANG to a UTF-8 locale (C.UTF-8)",
        ),
    }
}

/// By the variables that say what the terminal is.
fn clipboard(var: impl Fn(&str) -> Option<String>) -> Check {
    const NAME: &str = "clipboard";
    let desktop =
        cfg!(target_os = "macos") || var("WAYLAND_DISPLAY").is_some() || var("DISPLAY").is_some();
    let (route, since) = match Route::from_env(&var) {
        Route::System if desktop => return Check::ok(NAME, "the system's"),
        Route::System => (Route::by_terminal(&var), "there is no display"),
        by_terminal => (by_terminal, "this is SSH"),
    };
    let found = format!("by the terminal (OSC 52), since {since}");
    match route {
        Route::Osc52 {
            through: Through::Tmux,
        } => Check::note(
            NAME,
            format!("{found}; tmux takes nothing from programs as it is set from the start"),
            TMUX_NEEDS,
        ),
        _ => Check::ok(NAME, found),
    }
}

fn data_folder(paths: &Paths) -> Check {
    const NAME: &str = "data folder";
    let dir = paths.data();
    let shown = dir.display();
    if dir.exists() && !dir.is_dir() {
        return Check::bad(
            NAME,
            format!("{shown} is no folder"),
            "name another with --data-dir",
        );
    }
    // The folder, or the nearest one above it that exists, must take a file.
    let place = dir.ancestors().find(|place| place.is_dir());
    match place.map(takes_a_file) {
        Some(Ok(())) if dir.is_dir() => Check::ok(NAME, shown.to_string()),
        Some(Ok(())) => Check::ok(NAME, format!("{shown} (made when first needed)")),
        Some(Err(error)) => Check::bad(
            NAME,
            format!("{shown}: {error}"),
            "make room in it or make it writable, or name another with --data-dir",
        ),
        None => Check::bad(
            NAME,
            format!("{shown}: no such place"),
            "name another with --data-dir",
        ),
    }
}

/// Writes a little, since a full disk takes an empty file.
fn takes_a_file(dir: &Path) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(&[b'.'; 16 << 10])?;
    file.as_file().sync_all()
}

/// Where nothing can be logged; a log that can be written is nothing to tell.
fn log(paths: &Paths) -> Option<Check> {
    let dir = paths.logs();
    let place = dir.ancestors().find(|place| place.is_dir())?;
    let error = takes_a_file(place).err()?;
    Some(Check::note(
        "log",
        format!("{}: it cannot be written: {error}", dir.display()),
        "nothing is logged until it can",
    ))
}

fn library(context: &Context) -> Check {
    const NAME: &str = "library";
    let name = context.library();
    let root = context.paths.library(name);
    if context.named.is_some() && name != DEMO && !root.is_dir() {
        return Check::bad(
            NAME,
            format!("there is no library {name:?}"),
            "name one that `tenleaf list --libraries` shows",
        );
    }
    let others = context.paths.libraries().len();
    let status = match status(&root) {
        Ok(status) => status,
        Err(error) => {
            let todo = format!("check the permissions of {}", root.display());
            return Check::bad(NAME, with_causes(&error), todo);
        }
    };
    let found = format!(
        "{name}: {}, {} (1 of {others} libraries)",
        count(status.filings, "filing"),
        count(status.pages, "page"),
    );
    let todo = "`tenleaf data status` says more";
    if let Some(first) = status.damaged.first() {
        let damaged = format!("{found}; {} damaged, first {first}", status.damaged.len());
        let todo = "`tenleaf data verify` says what to do about each";
        return Check::bad(NAME, damaged, todo);
    }
    match (status.filings, name) {
        (0, DEMO) => Check::note(
            NAME,
            "the demo (written when first opened)",
            format!("`tenleaf data fetch` brings FinanceBench's 360 filings ({ABOUT})"),
        ),
        (0, _) => Check::note(
            NAME,
            format!("{name} holds no filing"),
            "`tenleaf add FILE...` or `tenleaf data fetch` fills it",
        ),
        _ if status.missing.is_empty() => Check::ok(NAME, found),
        _ => Check::note(
            NAME,
            format!("{found}; {} missing", status.missing.len()),
            todo,
        ),
    }
}

fn index(context: &Context) -> Check {
    const NAME: &str = "index";
    let dir = context.paths.library(context.library()).join("index");
    let todo = "it is brought in line when next needed; `tenleaf index` does it now";
    let library = match Library::open(&context.paths.library(context.library())) {
        Ok(library) if library.filings().is_empty() => {
            return Check::ok(NAME, "none, and nothing to index yet");
        }
        Ok(library) => library,
        Err(_) => return Check::note(NAME, "not looked at", "mend the library first"),
    };
    match Index::open(&library) {
        Ok(Some(_)) => Check::ok(
            NAME,
            format!("in line with {}", count(library.filings().len(), "filing")),
        ),
        Ok(None) if dir.exists() => Check::note(
            NAME,
            "out of line with the filings, or of another version",
            todo,
        ),
        Ok(None) => Check::note(NAME, "not made yet", todo),
        Err(error) => Check::bad(
            NAME,
            with_causes(&error),
            "`tenleaf index --rebuild` makes it anew",
        ),
    }
}

fn model(context: &Context) -> Check {
    const NAME: &str = "model";
    let optional = "only ranking by meaning (`dense`, `hybrid`) needs it";
    let id = match Model::open(&context.paths.models()) {
        Ok(model) => model.id(),
        Err(error) => return Check::note(NAME, error.to_string(), optional),
    };
    let vectors = Library::open(&context.paths.library(context.library()))
        .ok()
        .map(|library| Vectors::open(library.root(), library.filings(), id));
    match vectors {
        Some(Ok(vectors)) => {
            let coverage = vectors.coverage();
            let found = format!(
                "{}; {} of {} pages embedded",
                id.short(),
                coverage.pages,
                coverage.pages_in_all
            );
            let windows = context.config.model.windows;
            let others = vectors.of_other_windows(windows as usize);
            let of_another_model = vectors.of_another_model();
            if of_another_model > 0 {
                let filings = count(of_another_model, "filing");
                Check::note(
                    NAME,
                    format!("{found}; {filings} with vectors of another model"),
                    REPLACE,
                )
            } else if others > 0 {
                let found = format!(
                    "{found}, {} not with up to {windows} windows a page as the config says",
                    count(others, "filing")
                );
                Check::note(NAME, found, "`tenleaf embed` makes those anew")
            } else if coverage.pages < coverage.pages_in_all {
                Check::note(NAME, found, "`tenleaf embed` does the rest")
            } else {
                Check::ok(NAME, found)
            }
        }
        Some(Err(error)) => Check::note(NAME, format!("{}; {error}", id.short()), optional),
        None => Check::note(NAME, id.short(), "mend the library first"),
    }
}

fn print_text(checks: &[Check]) -> Result<()> {
    for check in checks {
        let mark = match check.state {
            State::Ok => "ok  ",
            State::Note => "note",
            State::Bad => "BAD ",
        };
        let found = check.found.replace('\n', "\n                   ");
        outln!("{mark}  {:<12} {found}", check.name);
        if let Some(todo) = &check.todo {
            outln!("                   -> {todo}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_tmux_the_clipboard_is_a_note_unless_the_system_has_one() {
        let check = |set: &[&str]| clipboard(|name| set.contains(&name).then(|| "x".to_string()));
        for set in [&["SSH_TTY"][..], &["SSH_CONNECTION", "DISPLAY"]] {
            assert_eq!(check(set).state, State::Ok, "{set:?}");
            let inside = check(&[set, &["TMUX"]].concat());
            assert_eq!(inside.state, State::Note, "{set:?}");
            assert!(inside.todo.unwrap().contains("set -g set-clipboard on"));
        }
        let bare = check(&["TMUX"]);
        assert_eq!(bare.state, State::Note, "no display");
        let inside = check(&["DISPLAY", "TMUX"]);
        assert_eq!((inside.state, &*inside.found), (State::Ok, "the system's"));
    }
    #[test]
    fn colours_are_those_the_workbench_takes() {
        let found = |set: &[(&str, &str)]| {
            let var = |name: &str| {
                let (_, value) = set.iter().find(|(known, _)| *known == name)?;
                Some(value.to_string())
            };
            colours(var).found
        };
        let (term, truecolor) = ("TERM", ("COLORTERM", "truecolor"));
        for (set, begins) in [
            (&[(term, "xterm-256color"), truecolor][..], "truecolor"),
            // GNU screen passes the variable on and shows 256.
            (&[(term, "screen.xterm-256color"), truecolor], "256"),
            (&[(term, "vt100")], "none, as TERM says"),
            (
                &[(term, "xterm"), ("NO_COLOR", "1")],
                "none, as NO_COLOR asks",
            ),
            (&[(term, "linux")], "16"),
        ] {
            assert!(found(set).starts_with(begins), "{set:?}: {}", found(set));
        }
    }
}
