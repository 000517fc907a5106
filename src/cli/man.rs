//! `tenleaf man`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::CommandFactory;

/// Print the manual page
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf man | man -l -
  tenleaf man --dir ~/.local/share/man/man1")]
pub struct Args {
    /// Write a page for the program and one for each command into this folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Args {
    /// Writes the page to stdout, or all pages to the folder.
    pub fn run(self) -> Result<()> {
        match self.dir {
            Some(dir) => {
                fs::create_dir_all(&dir).with_context(|| format!("creating {}", dir.display()))?;
                clap_mangen::generate_to(super::Cli::command(), &dir)
                    .with_context(|| format!("writing manual pages to {}", dir.display()))
            }
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(super::Cli::command()).render(&mut page)?;
                super::print(&String::from_utf8(page)?)
            }
        }
    }
}
