//! The switches of a search as flags, the same for every command that searches.

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::{Context, Usage, errln};
use crate::search::{Engine, Retriever, Settings, Statistics};
use crate::words::with_causes;

/// Flags that change the settings of config.toml for one command.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Switches")]
pub struct Switches {
    /// Do not narrow to the companies named
    #[arg(long)]
    no_company: bool,
    /// Do not narrow to the period named: year, quarter, form, date
    #[arg(long)]
    no_period: bool,
    /// Do not put statement pages first
    #[arg(long)]
    no_routing: bool,
    /// Leave the companies' names in the query
    #[arg(long)]
    keep_names: bool,
    /// Rank by words alone, not by the sum of signals
    #[arg(long)]
    no_signals: bool,
    /// Lean neither to tables nor to prose, whatever is asked for
    #[arg(long)]
    no_lean: bool,
    /// Answer a question about several years or companies as one
    #[arg(long)]
    no_several: bool,
    /// What ranks the pages
    #[arg(long, value_name = "NAME", value_parser = retriever())]
    retriever: Option<Retriever>,
    /// Whose term statistics BM25 uses
    #[arg(long, value_name = "NAME", value_parser = statistics())]
    statistics: Option<Statistics>,
    /// Leave a word out of the query; may be given more than once
    #[arg(long, value_name = "WORD")]
    without: Vec<String>,
    /// How many pages to rank
    #[arg(short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    k: Option<u16>,
}

fn retriever() -> impl TypedValueParser<Value = Retriever> {
    PossibleValuesParser::new(["bm25", "dense", "hybrid"]).map(|name| match name.as_str() {
        "dense" => Retriever::Dense,
        "hybrid" => Retriever::Hybrid,
        _ => Retriever::Bm25,
    })
}

fn statistics() -> impl TypedValueParser<Value = Statistics> {
    PossibleValuesParser::new(["corpus", "scope"]).map(|name| match name.as_str() {
        "scope" => Statistics::Scope,
        _ => Statistics::Corpus,
    })
}

impl Switches {
    /// The settings in force with the flags given; an error when this library cannot answer so.
    pub fn settings(&self, context: &Context, engine: &Engine) -> Result<Settings> {
        let mut settings = self.apply(&context.config.search);
        let meaning = engine.meaning.as_ref();
        if settings.retriever != Retriever::Bm25
            && let Some(Err(error)) = meaning.map(|meaning| meaning.ready())
        {
            // Asked for here it is an error; as the config's wish it is no reason not to answer.
            if self.retriever.is_some() {
                return Err(Usage(with_causes(&error)).into());
            }
            errln!("tenleaf: ranked by words alone: {}", with_causes(&error));
            settings.retriever = Retriever::Bm25;
        }
        Ok(settings)
    }

    /// `settings` with the flags given.
    fn apply(&self, settings: &Settings) -> Settings {
        let mut settings = settings.clone();
        settings.company &= !self.no_company;
        settings.year &= !self.no_period;
        settings.form &= !self.no_period;
        settings.routing &= !self.no_routing;
        settings.strip_names &= !self.keep_names;
        settings.signals &= !self.no_signals;
        settings.lean &= !self.no_lean;
        settings.several &= !self.no_several;
        if let Some(retriever) = self.retriever {
            settings.retriever = retriever;
        }
        if let Some(statistics) = self.statistics {
            settings.statistics = statistics;
        }
        if let Some(k) = self.k {
            settings.k = k.into();
        }
        settings.without_words.extend(
            self.without
                .iter()
                .flat_map(|word| crate::text::terms(word)),
        );
        settings
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        switches: Switches,
    }

    fn settings(flags: &str) -> Settings {
        let line = Line::try_parse_from(format!("x {flags}").split_whitespace()).unwrap();
        line.switches.apply(&Settings::default())
    }

    #[test]
    fn each_flag_turns_its_switch() {
        let default = Settings::default();
        let table = [
            ("", default.clone()),
            (
                "--no-company",
                Settings {
                    company: false,
                    ..default.clone()
                },
            ),
            (
                "--no-period",
                Settings {
                    year: false,
                    form: false,
                    ..default.clone()
                },
            ),
            (
                "--no-routing",
                Settings {
                    routing: false,
                    ..default.clone()
                },
            ),
            (
                "--keep-names",
                Settings {
                    strip_names: false,
                    ..default.clone()
                },
            ),
            (
                "--no-signals",
                Settings {
                    signals: false,
                    ..default.clone()
                },
            ),
            (
                "--no-lean",
                Settings {
                    lean: false,
                    ..default.clone()
                },
            ),
            (
                "--no-several",
                Settings {
                    several: false,
                    ..default.clone()
                },
            ),
            (
                "--retriever dense",
                Settings {
                    retriever: Retriever::Dense,
                    ..default.clone()
                },
            ),
            (
                "--statistics scope",
                Settings {
                    statistics: Statistics::Scope,
                    ..default.clone()
                },
            ),
            (
                "-k 25",
                Settings {
                    k: 25,
                    ..default.clone()
                },
            ),
            (
                "--without margins --without Net",
                Settings {
                    without_words: vec!["margin".into(), "net".into()],
                    ..default.clone()
                },
            ),
        ];
        for (flags, wanted) in &table {
            assert_eq!(settings(flags), *wanted, "{flags}");
        }
        let command = <Line as clap::CommandFactory>::command();
        for argument in command.get_arguments() {
            let long = argument.get_long().map(|long| format!("--{long}"));
            let flag = long.or(argument.get_short().map(|short| format!("-{short}")));
            let flag = flag.expect("every switch is a flag");
            let tried = table.iter().any(|(flags, _)| flags.starts_with(&flag));
            assert!(tried, "{flag} is not tried");
        }
        assert!(Line::try_parse_from(["x", "-k", "0"]).is_err());
        assert!(Line::try_parse_from(["x", "--retriever", "magic"]).is_err());
    }
}
