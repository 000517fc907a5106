//! What an evaluation runs under: the rungs of the ladder, as config.toml writes them and as searches take them.

use serde::{Deserialize, Serialize};

use crate::search::{Retriever, Settings};

/// `[eval]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EvalConfig {
    /// The rungs, in order.
    pub ladder: Vec<Step>,
    /// Bootstrap resamples.
    pub resamples: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Threads; 0 takes every core.
    pub jobs: usize,
}

impl EvalConfig {
    /// The rungs: each adds its switches to the last one that is not `alone`.
    pub fn ladder(&self) -> Vec<Rung> {
        let nothing = Settings {
            company: false,
            year: false,
            form: false,
            routing: false,
            strip_names: false,
            signals: false,
            lean: false,
            several: false,
            retriever: Retriever::Bm25,
            ..Settings::default()
        };
        let mut row = nothing.clone();
        let mut rungs = Vec::new();
        for step in &self.ladder {
            let mut settings = if step.alone { &nothing } else { &row }.clone();
            for switch in &step.on {
                switch.turn_on(&mut settings);
            }
            if let Some(retriever) = step.retriever {
                settings.retriever = retriever;
            }
            if !step.alone {
                row = settings.clone();
            }
            rungs.push(Rung {
                name: step.name.clone(),
                settings,
                alone: step.alone,
                over: step.over.clone(),
            });
        }
        rungs
    }
}

/// One rung of the ladder, as the file writes it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// As tables show it.
    pub name: String,
    /// Switches it adds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<Switch>,
    /// The retriever from here on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retriever: Option<Retriever>,
    /// Stands outside the row: starts from nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// The rung above that it is compared with, where that is not the last of the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
}

/// A switch of [`Settings`], by its key.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Switch {
    /// `company`
    Company,
    /// `year`
    Year,
    /// `form`
    Form,
    /// `routing`
    Routing,
    /// `strip_names`
    StripNames,
    /// `signals`
    Signals,
    /// `lean`
    Lean,
    /// `several`
    Several,
}

impl Switch {
    fn turn_on(self, settings: &mut Settings) {
        *match self {
            Switch::Company => &mut settings.company,
            Switch::Year => &mut settings.year,
            Switch::Form => &mut settings.form,
            Switch::Routing => &mut settings.routing,
            Switch::StripNames => &mut settings.strip_names,
            Switch::Signals => &mut settings.signals,
            Switch::Lean => &mut settings.lean,
            Switch::Several => &mut settings.several,
        } = true;
    }
}

/// One step of the ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    /// As tables show it.
    pub name: String,
    /// The switches.
    pub settings: Settings,
    /// Stands outside the row: the next rung goes on from the one before it.
    pub alone: bool,
    /// The rung it is compared with; without one, the last of the row before it.
    pub over: Option<String>,
}
