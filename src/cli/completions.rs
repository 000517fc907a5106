//! `tenleaf completions SHELL`.

use anyhow::Result;
use clap::CommandFactory;
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
        clap_complete::generate(
            self.shell,
            &mut super::Cli::command(),
            "tenleaf",
            &mut script,
        );
        super::print(&String::from_utf8(script)?)
    }
}
