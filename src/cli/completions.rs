//! `tenleaf completions SHELL`.

use anyhow::Result;
use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::Shell;

/// Print a shell's completion script
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf completions bash > ~/.local/share/bash-completion/completions/tenleaf
  tenleaf completions zsh > ~/.zfunc/_tenleaf
  tenleaf completions fish > ~/.config/fish/completions/tenleaf.fish")]
pub struct Args {
    /// The shell
    shell: Shell,
}

impl Args {
    /// Writes the script to stdout.
    pub fn run(self) -> Result<()> {
        // Into memory first: the generator panics on a write error.
        let mut script = Vec::new();
        let mut command = names_are_no_files(super::Cli::command());
        clap_complete::generate(self.shell, &mut command, "tenleaf", &mut script);
        super::print(&String::from_utf8(script)?)
    }
}

/// A shell offers files where it is told nothing: only for what is a path it should.
fn names_are_no_files(command: Command) -> Command {
    let hint = |arg: Arg| match arg.get_value_hint() {
        ValueHint::Unknown if arg.get_action().takes_values() => arg.value_hint(ValueHint::Other),
        _ => arg,
    };
    command.mut_args(hint).mut_subcommands(names_are_no_files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_offered_for_paths_alone() {
        let mut script = Vec::new();
        let mut command = names_are_no_files(super::super::Cli::command());
        clap_complete::generate(Shell::Bash, &mut command, "tenleaf", &mut script);
        let script = String::from_utf8(script).unwrap();
        let offered = |option: &str| {
            let at = script.find(&format!("                {option})")).unwrap();
            script[at..]
                .lines()
                .find(|line| line.contains("COMPREPLY"))
                .unwrap()
        };
        assert!(
            !offered("--library").contains("compgen"),
            "{}",
            offered("--library")
        );
        assert!(offered("--data-dir").contains("compgen -f"));
        assert!(offered("--format").contains("jsonl csv md trec"));
    }
}
