//! Taking results away: citations, and files where the user says.

use std::path::{Path, PathBuf};

use super::app::{App, Effect, PromptKind};
use super::finder::Finder;
use crate::eval::export::Format;
use crate::library::{Filing, PageId};
use crate::search::{About, Outcome};

/// The formats a result is offered in: a run file is for questions with ids.
pub const FORMATS: [Format; 3] = [Format::Md, Format::Csv, Format::Jsonl];

/// What is to be written, until the user has named the place.
#[derive(Clone, Debug)]
pub struct Export {
    /// "Markdown".
    pub what: &'static str,
    /// Where it is written unless the user says otherwise.
    default: PathBuf,
    /// Its content.
    text: String,
    /// What is wrong with the place named last.
    pub problem: Option<String>,
}

/// Asks where to write a text; a name that is free is offered.
pub fn ask(app: &mut App, what: &'static str, stem: &str, extension: &str, text: String) {
    let default = free(&app.export_dir.join(format!("{stem}.{extension}")));
    app.prompt(PromptKind::ExportTo, &default.display().to_string());
    app.export = Some(Export {
        what,
        default,
        text,
        problem: None,
    });
}

/// The place is named: the text is written there, unless something is there already.
pub fn to(app: &mut App, typed: &str, effects: &mut Vec<Effect>) {
    let Some(export) = app.export.take() else {
        return;
    };
    if typed.is_empty() {
        return app.tell("nothing written");
    }
    let path = place(typed, &export.default, &app.export_dir);
    if !path.exists() {
        effects.push(Effect::Write {
            path,
            text: export.text,
        });
        return;
    }
    let problem = format!("{} is there already; this name is free", path.display());
    app.prompt(PromptKind::ExportTo, &free(&path).display().to_string());
    app.export = Some(Export {
        problem: Some(problem),
        ..export
    });
}

/// The file that was named: `~` is the home folder, a bare name goes to the export folder, a folder takes
/// the name offered, a name without an ending gets the one offered.
fn place(typed: &str, default: &Path, dir: &Path) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let path = match (typed.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => dir.join(typed),
    };
    if path.is_dir() || typed.ends_with('/') {
        return path.join(default.file_name().unwrap_or_default());
    }
    match (path.extension(), default.extension()) {
        (None, Some(extension)) => path.with_extension(extension),
        _ => path,
    }
}

/// This name, or where it is taken the same with a number.
pub fn free(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path
        .extension()
        .map(|e| format!(".{}", e.to_string_lossy()));
    let ending = ending.unwrap_or_default();
    let numbered = (2..1000).map(|n| path.with_file_name(format!("{stem}-{n}{ending}")));
    std::iter::once(path.to_path_buf())
        .chain(numbered)
        .find(|path| !path.exists())
        .unwrap_or_else(|| path.to_path_buf())
}

/// `3M_2018_10K  PDF p. 60 · printed 58 · 3M 10-K FY2018 · accession 0001558370-19-000470 · https://...`.
pub fn citation(filing: &Filing, page: PageId, about: &About) -> String {
    let mut parts = vec![
        filing.cite(page.page, about.printed_page.as_deref()),
        filing.title(),
    ];
    parts.extend(filing.accession.iter().map(|n| format!("accession {n}")));
    parts.extend(filing.link.clone());
    parts.join(" · ")
}

/// The answer in a format, as `ask` writes it.
pub fn results(finder: &dyn Finder, outcome: &Outcome, format: Format) -> String {
    format.head().to_string() + &format.body(None, finder, outcome)
}

/// A name for the file of a question: `what-were-acmes-net-sales`.
pub fn file_stem(question: &str) -> String {
    let stem: Vec<String> = question
        .to_lowercase()
        .replace(['\'', '’'], "")
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
        .take(8)
        .map(str::to_string)
        .collect();
    match stem.is_empty() {
        true => "tenleaf".into(),
        false => format!("tenleaf-{}", stem.join("-")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Group, Missing, Pages, RankedPage, Settings};
    use crate::tui::testing::Fake;

    fn asked() -> (Fake, Outcome) {
        let finder = Fake::new();
        let question = "net sales of Acme in 2022, income statement";
        let outcome = finder.search(question, &Settings::default());
        (finder, outcome)
    }

    #[test]
    fn a_citation_names_filing_page_and_source() {
        let (finder, outcome) = asked();
        let page = &outcome.ranked[0];
        let mut filing = finder.filings()[page.page.filing as usize].clone();
        filing.accession = Some("0001-22-3".into());
        assert_eq!(
            citation(&filing, page.page, &page.about),
            "ACME_2022_10K  PDF p. 3 · printed 2 · Acme 10-K FY2022 · accession 0001-22-3"
        );
        filing.text_from = crate::library::TextSource::Html;
        let cited = citation(&filing, page.page, &page.about);
        assert!(
            cited.contains("ACME_2022_10K  HTML p. 3 · printed 2 · "),
            "{cited}"
        );
    }

    #[test]
    fn results_in_three_formats() {
        let (finder, mut outcome) = asked();
        // A question about several: what the main ranking repeats is read once, and told a program.
        let group = |year: u16, ranked: Vec<RankedPage>| Group {
            label: year.to_string(),
            year: Some(year),
            company: None,
            missing: (ranked.is_empty()).then_some(Missing::NoFiling {
                company: None,
                years: Some((year, year)),
            }),
            ranked,
        };
        outcome.notes = vec!["no company of the library is named".into()];
        let ranked = outcome.ranked.clone();
        outcome.groups = vec![
            group(2019, vec![]),
            group(2020, vec![]),
            group(2022, ranked),
        ];
        let all = FORMATS.map(|format| results(&finder, &outcome, format));
        insta::assert_snapshot!(all.join("\n---\n"));
    }

    #[test]
    fn a_place_is_read_as_a_person_means_it_and_nothing_is_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let default = dir.path().join("tenleaf-x.csv");
        let place = |typed: &str| place(typed, &default, dir.path());
        assert_eq!(place("mine"), dir.path().join("mine.csv"));
        assert_eq!(place("mine.txt"), dir.path().join("mine.txt"));
        assert_eq!(place("."), dir.path().join("./tenleaf-x.csv"));
        assert_eq!(place("/nowhere/"), Path::new("/nowhere/tenleaf-x.csv"));
        let home = std::env::var("HOME").unwrap();
        assert_eq!(place("~/a.csv"), Path::new(&home).join("a.csv"));
        assert_eq!(free(&default), default);
        for taken in ["tenleaf-x.csv", "tenleaf-x-2.csv"] {
            std::fs::write(dir.path().join(taken), "").unwrap();
        }
        assert_eq!(free(&default), dir.path().join("tenleaf-x-3.csv"));
    }

    #[test]
    fn file_names_come_from_the_question() {
        assert_eq!(
            file_stem("What were 3M's net sales (FY2018)?"),
            "tenleaf-what-were-3ms-net-sales-fy2018"
        );
        assert_eq!(file_stem("../../日本"), "tenleaf");
    }
}
