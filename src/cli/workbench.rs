//! `tenleaf` without a command: the workbench.

use std::sync::Arc;

use anyhow::Result;

use super::Context;
use crate::config::Theme as Wanted;
use crate::eval::QuestionSet;
use crate::paths::DEMO;
use crate::tui::{Colours, Ground, Memory, Start, Theme, run};

/// Opens the workbench and returns when the user leaves it.
pub fn open(context: &Context) -> Result<()> {
    let engine = context.engine()?;
    let set = QuestionSet::load(&engine.library, &[]);
    for problem in &set.problems {
        tracing::warn!("{problem}");
    }
    let (memory, problem) = Memory::read(&context.paths.state().join("workbench.json"));
    if let Some(problem) = problem {
        tracing::warn!("{problem}");
    }
    let colours = match context.config.tui.theme {
        Wanted::Mono => Colours::None,
        _ => Colours::from_env(|name| std::env::var(name).ok()),
    };
    let ground = match context.config.tui.theme {
        Wanted::Dark => Ground::Dark,
        Wanted::Light => Ground::Light,
        Wanted::Auto | Wanted::Mono => Ground::Unknown,
    };
    let rungs = super::eval::rungs(context, &engine);
    let start = Start {
        rungs,
        finder: Arc::new(engine),
        questions: set.questions,
        settings: context.config.search.clone(),
        keymap: context.config.keymap(),
        theme: Theme::of(colours, ground),
        demo: context.library() == DEMO,
        can_fetch: false,
        memory,
        export_dir: std::env::current_dir().unwrap_or_else(|_| ".".into()),
        mouse: context.config.tui.mouse,
    };
    run(start, None, colours)
}
