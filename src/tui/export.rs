//! Taking results away: citations, Markdown, CSV, JSONL.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::app::{App, Effect, PromptKind};
use super::finder::{About, Finder};
use super::side;
use super::worker::{Answer, carried};
use crate::library::{Filing, PageId};
use crate::search::RankedPage;
use crate::words::{count, csv_cell, one_line};

/// The forms a result is exported in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A table for a document.
    Markdown,
    /// A table for a spreadsheet.
    Csv,
    /// One object a page.
    Jsonl,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 3] = [Format::Markdown, Format::Csv, Format::Jsonl];

    /// Its name, as listed.
    pub fn name(self) -> &'static str {
        match self {
            Format::Markdown => "Markdown",
            Format::Csv => "CSV",
            Format::Jsonl => "JSONL",
        }
    }

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Markdown => "md",
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
        }
    }
}

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
    side::prompt(app, PromptKind::ExportTo, &default.display().to_string());
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
    side::prompt(
        app,
        PromptKind::ExportTo,
        &free(&path).display().to_string(),
    );
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

/// The ranked pages in a format.
pub fn results(answer: &Answer, finder: &dyn Finder, format: Format) -> String {
    let filings = finder.filings();
    let heads = |page| carried(finder, page).map(|carried| carried.one_line());
    let outcome = &answer.outcome;
    let passage = |page: &RankedPage| finder.snippet(outcome, page).text;
    let ranked = || {
        let rankings = outcome.rankings();
        rankings.flat_map(|(group, ranked)| ranked.iter().map(move |page| (group, page)))
    };
    let filing = |page: PageId| filings.get(page.filing as usize);
    let mut out = String::new();
    match format {
        Format::Markdown => {
            out += &format!("# {}\n\n", one_line(&outcome.question));
            let steps: Vec<String> = outcome
                .funnel
                .iter()
                .filter(|s| s.active)
                .map(|s| match s.kept.is_empty() {
                    true => count(s.filings, "filing"),
                    false => format!("{} ({})", s.filings, one_line(&s.kept)),
                })
                .collect();
            out += &format!("{}\n\n", steps.join(" → "));
            for note in &outcome.notes {
                out += &format!("Note: {}\n\n", one_line(note));
            }
            for block in outcome.blocks() {
                if !block.label.is_empty() {
                    out += &format!("## {}\n\n", one_line(&block.label));
                }
                if let Some(missing) = &block.missing {
                    out += &format!("{}\n\n", one_line(&missing.to_string()));
                    continue;
                }
                out +=
                    "| # | filing | page | where | score | passage |\n|--:|---|---|---|--:|---|\n";
                for page in block.ranked {
                    let cell = |text: &str| one_line(text).replace('|', "\\|");
                    let title =
                        filing(page.page).map_or_else(|| page.doc_name.clone(), Filing::title);
                    out += &format!(
                        "| {} | {} | {} | {} | {:.2} | {} |\n",
                        page.rank,
                        cell(&title),
                        filing(page.page).map_or_else(String::new, |f| {
                            f.page_words(page.page.page, page.printed_page.as_deref())
                        }),
                        cell(&About::from(page).place()),
                        page.score,
                        cell(&match heads(page.page) {
                            Some(heads) => format!("({heads}) {}", passage(page)),
                            None => passage(page),
                        }),
                    );
                }
                out.push('\n');
            }
            // The last table ends the file.
            out.truncate(out.trim_end().len());
            out.push('\n');
        }
        Format::Csv => {
            out += "rank,doc_name,company,form,period,pdf_page,printed_page,place,kind,score,table_heads,passage,group\r\n";
            for (group, page) in ranked() {
                let filing = filing(page.page);
                let cells = [
                    page.rank.to_string(),
                    page.doc_name.clone(),
                    filing.map_or(String::new(), |f| f.company.clone()),
                    filing.map_or(String::new(), |f| f.form.to_string()),
                    filing.map_or(String::new(), Filing::period),
                    (page.page.page + 1).to_string(),
                    page.printed_page.clone().unwrap_or_default(),
                    About::from(page).place(),
                    page.kind.clone().unwrap_or_default(),
                    page.score.to_string(),
                    heads(page.page).unwrap_or_default(),
                    one_line(&passage(page)),
                    group.to_string(),
                ];
                let cells: Vec<String> = cells.iter().map(|c| csv_cell(c)).collect();
                out += &(cells.join(",") + "\r\n");
            }
        }
        Format::Jsonl => {
            for (group, page) in ranked() {
                let filing = filing(page.page);
                let row = json!({
                    "question": outcome.question,
                    "group": Some(group).filter(|group| !group.is_empty()),
                    "rank": page.rank,
                    "doc_name": page.doc_name,
                    "company": filing.map(|f| &f.company),
                    "form": filing.map(|f| f.form.as_str()),
                    "period": filing.map(Filing::period),
                    "page": page.page.page + 1,
                    "printed_page": page.printed_page,
                    "statement": page.statement,
                    "item": page.item,
                    "kind": page.kind,
                    "carried": carried(finder, page.page),
                    "score": page.score,
                    "snippet": passage(page),
                    "reasons": page.reasons,
                });
                out += &(row.to_string() + "\n");
            }
        }
    }
    out
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
    use crate::search::{Group, Missing, Settings};
    use crate::tui::finder::Finder;
    use crate::tui::testing::Fake;
    use crate::tui::worker::{SearchRequest, answer};

    fn asked() -> (Fake, Answer) {
        let finder = Fake::new();
        let request = SearchRequest {
            generation: 1,
            question: "net sales of Acme in 2022, income statement".into(),
            settings: Settings::default(),
            labelled: Vec::new(),
            compare: None,
        };
        let answer = answer(&finder, request);
        (finder, answer)
    }

    #[test]
    fn a_citation_names_filing_page_and_source() {
        let (finder, answer) = asked();
        let page = &answer.outcome.ranked[0];
        let mut filing = finder.filings()[page.page.filing as usize].clone();
        filing.accession = Some("0001-22-3".into());
        assert_eq!(
            citation(&filing, page.page, &About::from(page)),
            "ACME_2022_10K  PDF p. 3 · printed 2 · Acme 10-K FY2022 · accession 0001-22-3"
        );
        filing.text_from = crate::library::TextSource::Html;
        let cited = citation(&filing, page.page, &About::from(page));
        assert!(
            cited.contains("ACME_2022_10K  HTML p. 3 · printed 2 · "),
            "{cited}"
        );
    }

    #[test]
    fn results_in_three_formats() {
        let (finder, mut answer) = asked();
        // A question about several: what the main ranking repeats is read once, and told a program.
        let mut outcome = (*answer.outcome).clone();
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
        answer.outcome = std::sync::Arc::new(outcome);
        let all: Vec<String> = Format::ALL
            .iter()
            .map(|f| results(&answer, &finder, *f))
            .collect();
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
