//! `tenleaf page`.

use std::ops::RangeInclusive;

use anyhow::{Context as _, Result};
use serde::Serialize;
use serde_json::json;

use super::{Context, Usage, errln, print, print_json_of};
use crate::config::nearest;
use crate::library::{Filing, PageId, PageQuality, TextSource};
use crate::question::Statement;
use crate::search::{About, Engine};
use crate::words::{count, printable};

/// Print pages of a filing, as they were read
///
/// A line says which page it is, what number is printed on it and what it is; then comes its text, columns two
/// spaces apart.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tenleaf page 3M_2018_10K 60              the page that `ask` cites as 3M_2018_10K PDF p. 60
  tenleaf page 3M_2018_10K 59-61           three pages
  tenleaf page 3M_2018_10K p58             the page with 58 printed on it
  tenleaf page 3M_2018_10K PDF p. 60 · printed 58
                                           a citation as it is printed, with or without quotes
  tenleaf page 3M_2018_10K 60 | less -S    wide tables whole
  tenleaf page --json 3M_2018_10K 60 | jq -r '.pages[].text'")]
pub struct Args {
    /// Name of the filing, as `ask` and `list` show it; or a whole citation
    #[arg(value_name = "DOC_NAME")]
    filing: String,
    /// Pages, counted from 1 as a viewer does: 60, 59-61; or by the number printed on one: p58
    #[arg(value_name = "N")]
    pages: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Pages asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    /// 1-based pages of the file.
    Pages(RangeInclusive<u32>),
    /// The number on the paper.
    Printed(String),
}

/// The name of a filing and the pages of it: `3M_2018_10K 59-61 p58`, or a citation, `3M_2018_10K  PDF p. 5, 8` or
/// `3M_2018_10K  HTML p. 60 · printed 58`.
fn read_request(text: &str) -> Result<(&str, Vec<Wanted>), String> {
    let text = text.trim();
    let (filing, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim_start();
    // What is printed on a cited page is known by the page.
    let cited = TextSource::CITED.iter().find_map(|source| {
        let head = rest.get(..source.len())?;
        let pages = rest[source.len()..].trim_start().strip_prefix("p.")?;
        head.eq_ignore_ascii_case(source).then_some(pages)
    });
    let pages = match cited {
        Some(cited) => cited.split('·').next().unwrap_or_default(),
        None => rest,
    };
    let mut wanted = Vec::new();
    let mut words = pages
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        wanted.push(match word {
            "p" | "P" | "p." | "P." if cited.is_none() => {
                page(&format!("p{}", words.next().unwrap_or_default()))?
            }
            _ => page(word)?,
        });
    }
    match wanted.is_empty() {
        true => Err(format!("which page? {HOW}")),
        false => Ok((filing, wanted)),
    }
}

/// How pages are written.
const HOW: &str = "Pages are counted from 1: write 60, 59-61, or p58 for the number printed";

/// `60`, `59-61`, `p58`.
fn page(text: &str) -> Result<Wanted, String> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|&page| page > 0);
    let source = TextSource::CITED
        .iter()
        .any(|source| text.eq_ignore_ascii_case(source));
    if let Some(printed) = text.strip_prefix(['p', 'P']).filter(|_| !source) {
        let printed = printed.trim_start_matches('.');
        if !printed.is_empty() {
            return Ok(Wanted::Printed(printed.to_string()));
        }
    }
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    match (number(from), number(to)) {
        (Some(from), Some(to)) if from <= to => Ok(Wanted::Pages(from..=to)),
        _ => Err(format!("{text:?} is no page. {HOW}")),
    }
}

/// A page, as `--json` gives it.
#[derive(Serialize)]
struct Page {
    /// 1-based page of the file.
    page: u32,
    printed_page: Option<String>,
    cited_as: String,
    statement: Option<Statement>,
    item: Option<String>,
    heading: Option<String>,
    kind: Option<String>,
    quality: PageQuality,
    text: String,
}

impl Args {
    /// Prints the pages.
    pub fn run(self, context: &Context) -> Result<()> {
        let request = format!("{} {}", self.filing, self.pages.join(" "));
        let (filing, wanted) = read_request(&request).map_err(Usage)?;
        let engine = context.engine()?;
        let at = find(&engine, context.library(), filing)?;
        let filing = engine.library.filing(at);
        let mut pages = Vec::new();
        for wanted in &wanted {
            for page in numbers(&engine, at, wanted)? {
                pages.push(read(&engine, filing, PageId { filing: at, page })?);
            }
        }
        if self.json {
            let report = json!({
                "doc_name": filing.doc_name,
                "title": filing.title(),
                "pages_in_all": filing.pages,
                "pages": pages.into_iter().map(|(page, _)| page).collect::<Vec<_>>(),
            });
            return print_json_of(context.library(), &report);
        }
        for (ix, (page, place)) in pages.iter().enumerate() {
            let gap = if ix > 0 { "\n" } else { "" };
            let head = format!("{gap}{}  {place}", page.cited_as);
            let text = printable(&page.text);
            print(&format!(
                "{}\n\n{}\n",
                printable(head.trim_end()),
                text.trim_end()
            ))?;
            match page.quality {
                PageQuality::Ok => {}
                PageQuality::Empty => {
                    errln!("p. {}: no text, or next to none: a picture, say", page.page)
                }
                PageQuality::Garbage => errln!("p. {}: its text cannot be trusted", page.page),
            }
        }
        Ok(())
    }
}

/// The filing of this name, whatever its case.
fn find(engine: &Engine, library: &str, name: &str) -> Result<u32> {
    let filings = engine.library.filings();
    let same = |filing: &Filing| filing.doc_name.eq_ignore_ascii_case(name);
    if let Some(at) = filings.iter().position(same) {
        return Ok(at as u32);
    }
    let upper = name.to_uppercase();
    let meant = match nearest(
        &upper,
        filings.iter().map(|filing| filing.doc_name.as_str()),
    ) {
        Some(near) => format!("did you mean {near}?"),
        None => "`tenleaf list` shows what there is".to_string(),
    };
    Err(Usage(format!("no filing of {library} is {name:?}; {meant}")).into())
}

/// The 0-based pages asked for.
fn numbers(engine: &Engine, at: u32, wanted: &Wanted) -> Result<RangeInclusive<u32>> {
    let filing = engine.library.filing(at);
    let all = count(filing.pages as usize, "page");
    match wanted {
        Wanted::Pages(range) if *range.end() <= filing.pages => {
            Ok(range.start() - 1..=range.end() - 1)
        }
        Wanted::Pages(range) => Err(Usage(format!(
            "{} has {all}: there is no page {}",
            filing.doc_name,
            range.end()
        ))
        .into()),
        Wanted::Printed(number) => {
            let page = |page| PageId { filing: at, page };
            let printed = |n: &u32| engine.about(page(*n)).printed_page.as_ref() == Some(number);
            let found = (0..filing.pages).find(printed).ok_or_else(|| {
                Usage(format!(
                    "no page of {} is known to have {number} printed on it; it has {all}, counted from 1",
                    filing.doc_name
                ))
            })?;
            Ok(found..=found)
        }
    }
}

/// A page, and what it is in words.
fn read(engine: &Engine, filing: &Filing, id: PageId) -> Result<(Page, String)> {
    let text = engine.library.page(id);
    let text = text.with_context(|| format!("reading {} p. {}", filing.doc_name, id.page + 1))?;
    let about = engine.about(id);
    let place = about.place();
    let About {
        printed_page,
        statement,
        item,
        heading,
        kind,
    } = about;
    let page = Page {
        page: id.page + 1,
        cited_as: filing.cite(id.page, printed_page.as_deref()),
        printed_page,
        statement,
        item,
        heading,
        kind,
        quality: text.quality,
        text: text.text,
    };
    Ok((page, place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Form;

    #[test]
    fn pages_as_people_write_them() {
        let pages = |pages| Wanted::Pages(pages);
        let printed = |number: &str| Wanted::Printed(number.into());
        for (text, wanted) in [
            ("60", vec![pages(60..=60)]),
            ("59-61 3", vec![pages(59..=61), pages(3..=3)]),
            ("p58", vec![printed("58")]),
            ("p. 58 60", vec![printed("58"), pages(60..=60)]),
            ("p.F-12", vec![printed("F-12")]),
            ("PDF p. 54 · printed 51", vec![pages(54..=54)]),
            ("pdf p. 54", vec![pages(54..=54)]),
            ("PDF p.54", vec![pages(54..=54)]),
            ("HTML p. 61 · printed F-2", vec![pages(61..=61)]),
            ("text p. 3", vec![pages(3..=3)]),
            ("PDF p. 5, 8", vec![pages(5..=5), pages(8..=8)]),
        ] {
            for gap in [" ", "  "] {
                let text = format!("AMD_2022_10K{gap}{text}");
                let read = read_request(&text);
                assert_eq!(read, Ok(("AMD_2022_10K", wanted.clone())), "{text}");
            }
        }
        for text in [
            "", "0", "61-59", "0-3", "p", "p.", "x", "1-2-3", "-5", "PDF", "PDF p.", "PDF p. x",
        ] {
            let text = format!("AMD_2022_10K {text}");
            let said = read_request(&text).unwrap_err();
            assert!(said.contains("counted from 1"), "{text}: {said}");
        }
    }

    #[test]
    fn every_citation_can_be_pasted_back() {
        for source in [
            TextSource::Pdf,
            TextSource::Html,
            TextSource::Plain,
            TextSource::Demo,
        ] {
            let filing = Filing::named("3M_2018_10K", "3M", Form::TenK, source);
            for printed in [None, Some("58"), Some("F-12"), Some("iv")] {
                let cited = filing.cite(59, printed);
                let read = read_request(&cited);
                assert_eq!(
                    read,
                    Ok(("3M_2018_10K", vec![Wanted::Pages(60..=60)])),
                    "{cited}"
                );
            }
        }
    }
}
