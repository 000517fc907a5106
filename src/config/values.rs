//! The settings themselves: a field for each line of the shipped file. A section is described where it is used.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::dense::ModelConfig;
use crate::edgar::client::EdgarConfig;
use crate::eval::rungs::EvalConfig;
use crate::library::fetch::FetchConfig;
use crate::search::Settings;
use crate::tui::Look;

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

/// `[tui]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TuiConfig {
    /// Colours.
    pub theme: Look,
    /// Take the mouse from the start.
    pub mouse: bool,
}
