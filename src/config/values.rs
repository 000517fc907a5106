//! The settings themselves: a field for each line of the shipped file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::eval::ladder::Rung;
use crate::search::{Retriever, Settings};

/// Every setting in force.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Values {
    /// Which library opens.
    pub library: LibraryConfig,
    /// The switches a session starts with.
    pub search: Settings,
    /// Fetching FinanceBench.
    pub fetch: FetchConfig,
    /// Evaluation.
    pub eval: EvalConfig,
    /// The workbench.
    pub tui: TuiConfig,
    /// The embedding model.
    pub model: ModelConfig,
    /// EDGAR.
    pub edgar: EdgarConfig,
    /// Keys of the workbench, by action.
    pub keys: BTreeMap<String, Vec<String>>,
}

/// `[library]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryConfig {
    /// Name of the library used when none is named.
    pub default: String,
}

/// `[fetch]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FetchConfig {
    /// Address of the upstream repository's raw files, without the commit.
    pub base: String,
    /// Commit the hashes were taken at.
    pub commit: String,
    /// Files at once.
    pub concurrency: usize,
    /// Seconds to connect in.
    pub connect_timeout_s: u64,
    /// Seconds without a byte after which a transfer is cut.
    pub stall_timeout_s: u64,
    /// Tries after the first, for each file.
    pub retries: u32,
}

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

/// `[tui]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TuiConfig {
    /// Colours.
    pub theme: Theme,
    /// Take the mouse from the start.
    pub mouse: bool,
}

/// Which colours the workbench uses.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// What the terminal says of itself decides.
    Auto,
    /// For dark backgrounds.
    Dark,
    /// For light backgrounds.
    Light,
    /// No colours: bold, underline, reverse.
    Mono,
}

/// `[model]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Which weights `model fetch` brings.
    pub weights: Weights,
    /// Windows embedded a page, at most.
    pub windows: u32,
    /// Address of the folder of the model's files.
    pub base: String,
    /// Address of the folder of Python wheels.
    pub runtime_base: String,
    /// Version of the package `onnxruntime`.
    pub runtime_version: String,
    /// Weights as published.
    pub float: Pin,
    /// Weights and arithmetic in bytes.
    pub int8: Pin,
    /// The tokenizer.
    pub tokenizer: Pin,
    /// The wheel that holds the runtime library, by platform: `linux-x86_64`.
    pub runtime: BTreeMap<String, RuntimePin>,
    /// SHA-256 of other files of the same weights, by name.
    pub known: BTreeMap<String, String>,
}

/// Weights of the model.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Weights {
    /// As published.
    Float,
    /// Weights and arithmetic in bytes.
    Int8,
}

/// A file to fetch, and what it must be.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Its place below the base address.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hex.
    pub sha256: String,
}

/// A wheel to fetch, and the library in it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RuntimePin {
    /// Its place below the base address.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hex.
    pub sha256: String,
    /// SHA-256 of the library in it, in hex.
    pub library_sha256: String,
}

/// `[edgar]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EdgarConfig {
    /// Contact for the User-Agent; empty until the user sets it.
    pub contact: String,
    /// Host of the submissions API.
    pub data_base: String,
    /// Host of the documents and of the ticker table.
    pub archive_base: String,
    /// Requests a second, at most.
    pub requests_per_second: u32,
}
