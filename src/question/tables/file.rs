//! The form of a file of tables, as written.

use serde::Deserialize;
use toml::Spanned;

use crate::library::Form;
use crate::question::Statement;

/// A file as written.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct TableFile {
    pub(super) company: Vec<Spanned<RawCompany>>,
    pub(super) statement: Vec<Spanned<RawStatement>>,
    pub(super) metric: Vec<Spanned<RawMetric>>,
    pub(super) topic: Vec<Spanned<RawTopic>>,
    pub(super) item: Vec<Spanned<RawItem>>,
    pub(super) form: Vec<Spanned<RawForm>>,
    pub(super) words: RawWords,
}

pub(super) type Texts = Vec<Spanned<String>>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCompany {
    pub(super) name: Spanned<String>,
    #[serde(default)]
    pub(super) names: Texts,
    #[serde(default)]
    pub(super) tickers: Texts,
    #[serde(default)]
    pub(super) words: Texts,
    #[serde(default)]
    pub(super) brands: Texts,
    #[serde(default)]
    pub(super) traps: Texts,
    #[serde(default)]
    pub(super) replace: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStatement {
    pub(super) statement: Statement,
    #[serde(default)]
    pub(super) triggers: Texts,
    #[serde(default)]
    pub(super) replace: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawMetric {
    pub(super) id: Spanned<String>,
    #[serde(default)]
    pub(super) triggers: Texts,
    #[serde(default)]
    pub(super) statements: Vec<Statement>,
    #[serde(default)]
    pub(super) line_items: Texts,
    #[serde(default)]
    pub(super) phrases: Texts,
    #[serde(default)]
    pub(super) replace: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTopic {
    pub(super) id: Spanned<String>,
    #[serde(default)]
    pub(super) triggers: Texts,
    #[serde(default)]
    pub(super) phrases: Texts,
    #[serde(default)]
    pub(super) headings: Texts,
    #[serde(default)]
    pub(super) replace: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawItem {
    pub(super) item: Spanned<String>,
    #[serde(default)]
    pub(super) triggers: Texts,
    #[serde(default)]
    pub(super) replace: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawForm {
    pub(super) form: Form,
    #[serde(default)]
    pub(super) triggers: Texts,
    #[serde(default)]
    pub(super) replace: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RawWords {
    pub(super) stop: Texts,
    pub(super) boilerplate: Texts,
    pub(super) outlook: Texts,
    pub(super) why: Texts,
    pub(super) sums: Texts,
    pub(super) quarters: Texts,
    pub(super) latest_quarter: Texts,
    pub(super) latest_year: Texts,
    pub(super) dealt_with: Texts,
    pub(super) fiscal: Texts,
    pub(super) weak_names: Texts,
    pub(super) suffixes: Texts,
    pub(super) strong_names: Texts,
    pub(super) spoken: Texts,
    pub(super) no_part: Texts,
}
