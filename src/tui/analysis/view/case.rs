//! The panes about one question, as rows: what the filter did, notes, the two pages, the words.

use ratatui::text::{Line, Span};

use super::rank;
use crate::eval::explain::{PageSeen, Weight};
use crate::search::Reason;
use crate::tui::analysis::state::Pane;
use crate::tui::analysis::work::{Case, Sheet};
use crate::tui::app::App;
use crate::tui::laid_out::{LaidOut, Row};
use crate::tui::text;
use crate::words::count_in;

/// Columns of a weight: how often, and what it gives.
const TIMES: usize = 4;
const PART: usize = 9;

/// What stands beside the heading of a pane, in so many columns: where they are few the name of a page gives
/// way, its rank stays.
pub fn heading(app: &App, pane: Pane, room: usize) -> String {
    let analysis = &app.analysis;
    let Some(case) = analysis.case() else {
        return String::new();
    };
    let pair = case.pairs.get(analysis.labelled);
    match pane {
        Pane::Labelled => match (pair, labelled(app, case)) {
            (Some((sheet, _)), seen) => {
                let rank = match seen {
                    Some(page) => format!(" · rank {}", text::thousands(page.rank)),
                    None => " · no score".to_string(),
                };
                text::fit(&name(app, sheet), room.saturating_sub(text::width(&rank))) + &rank
            }
            _ => String::new(),
        },
        Pane::First => match pair {
            Some((sheet, Some(first))) if sheet.page == first.page => {
                "the labelled page itself".into()
            }
            Some((_, Some(first))) => name(app, first),
            _ => "no page is ranked".into(),
        },
        Pane::Notes => match analysis.notes_here().len() {
            0 => String::new(),
            n => n.to_string(),
        },
        Pane::Words => "* in both pages".into(),
        Pane::List | Pane::Filter => String::new(),
    }
}

fn name(app: &App, sheet: &Sheet) -> String {
    let filing = app.filing(sheet.page.filing);
    // What the page is says more here than the number on its paper.
    let title = filing.map_or_else(String::new, |f| f.page_title(sheet.page.page, None));
    let place = match sheet.about.place() {
        place if place.is_empty() => place,
        place => format!(" · {}", text::fit(&place, 28)),
    };
    title + &place
}

fn labelled<'a>(app: &App, case: &'a Case) -> Option<&'a PageSeen> {
    case.why.labelled.get(app.analysis.labelled)?.as_ref()
}

/// The rows of a pane, `width` columns wide.
pub fn rows(app: &App, pane: Pane, width: u16) -> Vec<Line<'_>> {
    let width = usize::from(width).max(1);
    if pane == Pane::Notes {
        return notes(app, width);
    }
    let Some(case) = app.analysis.case() else {
        return Vec::new();
    };
    let pair = case.pairs.get(app.analysis.labelled);
    match (pane, pair) {
        (Pane::Filter, _) => stages(app, case, width),
        (Pane::Labelled, Some((page, _))) | (Pane::First, Some((_, Some(page)))) => {
            sheet(app, page, width)
        }
        (Pane::Words, _) => words(app, case, width),
        _ => Vec::new(),
    }
}

/// What each stage left and dropped, and what became of the right filing.
fn stages<'a>(app: &App, case: &Case, width: usize) -> Vec<Line<'a>> {
    let theme = &app.theme;
    let mut rows = Vec::new();
    let mut lost = false;
    for stage in &case.why.stages {
        let name = stage.stage.name();
        let counts = format!(
            "{name:<8} {} {}  ",
            count_in(stage.filings, "filing", 4),
            count_in(stage.pages, "page", 7)
        );
        let loses = !stage.keeps_right_filing && !lost;
        let style = if loses { theme.error } else { theme.text };
        let room = width.saturating_sub(text::width(&counts));
        rows.push(Line::from(vec![
            Span::styled(counts, style),
            Span::styled(text::fit(&stage.kept, room), theme.read),
        ]));
        let mut under = |words: String, style| {
            for range in text::rows(&words, width.saturating_sub(2)) {
                rows.push(Line::styled(format!("  {}", &words[range]), style));
            }
        };
        if loses {
            under("the right filing is dropped here".into(), theme.error);
            lost = true;
        } else if let Some(why) = stage.why.as_ref().filter(|_| stage.dropped > 0) {
            under(format!("the right filing stays: {why}"), theme.dim);
        }
        if stage.dropped > 0 {
            // Names for two rows; the right filing is the first of them.
            let mut names = format!("drops {}: ", stage.dropped);
            let mut shown = 0;
            for name in &stage.dropped_names {
                if shown > 0 && text::width(&names) + text::width(name) + 12 > 2 * width {
                    break;
                }
                names += if shown > 0 { ", " } else { "" };
                names += name;
                shown += 1;
            }
            if shown < stage.dropped {
                names += ", …";
            }
            under(names, theme.dim);
        }
    }
    rows
}

fn notes(app: &App, width: usize) -> Vec<Line<'_>> {
    let theme = &app.theme;
    let notes = app.analysis.notes_here();
    if notes.is_empty() {
        let key = |action| app.keymap.key(action, app.pane_place());
        let words = format!(
            "none yet: {} writes one, {} tags",
            key(crate::tui::action::Action::WriteNote),
            key(crate::tui::action::Action::TagNote)
        );
        return vec![Line::styled(words, theme.dim)];
    }
    let here = app.analysis.note_here().map(|note| note.note);
    let mut rows = Vec::new();
    for note in notes {
        let selected = here == Some(note.note);
        let mark = if selected { "▸ " } else { "  " };
        let mut head = vec![Span::styled(mark, theme.accent)];
        for tag in &note.tags {
            head.push(Span::styled(format!("#{tag} "), theme.label));
        }
        let mut then = note.at.chars().take(10).collect::<String>();
        if let Some(at) = note.rank {
            then += &format!(" · rank {at} then");
        }
        head.push(Span::styled(then, theme.dim));
        rows.push(Line::from(head));
        let style = if selected { theme.selected } else { theme.text };
        for range in text::rows(&note.text, width.saturating_sub(2)) {
            rows.push(Line::styled(format!("  {}", &note.text[range]), style));
        }
    }
    rows
}

/// The row a page is shown from at first: a little above its labelled passage, or else above the
/// first word the pages share.
pub fn first_top(app: &App, pane: Pane, width: u16) -> usize {
    let pair = app
        .analysis
        .case()
        .and_then(|case| case.pairs.get(app.analysis.labelled));
    let sheet = match (pane, pair) {
        (Pane::Labelled, Some((page, _))) | (Pane::First, Some((_, Some(page)))) => page,
        _ => return 0,
    };
    let (Ok(shown), Some(mark)) = (&sheet.text, sheet.evidence.first().or(sheet.shared.first()))
    else {
        return 0;
    };
    let laid_out = LaidOut::wrapped(shown, &sheet.tables, columns(usize::from(width)));
    laid_out.row_of(mark.start).saturating_sub(3)
}

/// Columns of a page behind the marks beside its rows.
fn columns(width: usize) -> usize {
    width.saturating_sub(2).max(1)
}

/// A page: the labelled passage marked at its side, words in both pages strong.
fn sheet<'a>(app: &App, sheet: &'a Sheet, width: usize) -> Vec<Line<'a>> {
    let theme = &app.theme;
    let shown = match &sheet.text {
        Ok(shown) => shown,
        Err(words) => return vec![Line::styled(words.as_str(), theme.error)],
    };
    if shown.trim().is_empty() {
        return vec![Line::styled("this page has no text", theme.dim)];
    }
    let layers = [
        (sheet.alone.as_slice(), theme.read),
        (sheet.shared.as_slice(), theme.matched),
    ];
    let laid_out = LaidOut::wrapped(shown, &sheet.tables, columns(width));
    let line = |row: &Row| {
        let mut line = vec![match sheet.evidence.iter().any(|e| row.touches(e)) {
            true => Span::styled("▌ ", theme.label),
            false => Span::raw("  "),
        }];
        let spans = laid_out.spans(row, 0, theme.text, &layers).into_iter();
        line.extend(spans.map(|span| Span::styled(span.content.into_owned(), span.style)));
        Line::from(line)
    };
    laid_out.rows().iter().map(line).collect()
}

/// The weight of each word in both pages, then each signal's: both add up to what is shown below.
fn words<'a>(app: &App, case: &Case, width: usize) -> Vec<Line<'a>> {
    let theme = &app.theme;
    let why = &case.why;
    let pair = 2 * (TIMES + PART);
    let name = width.saturating_sub(pair + 15).max(6);
    let at = app.analysis.labelled;
    let page = why.pages.get(at).map_or(0, |p| p.page);
    let wide = TIMES + PART;
    let mut rows = vec![Line::styled(
        format!(
            "{} {:>5} {:>6} {:>wide$} {:>wide$}",
            text::left("word", name),
            "df",
            "idf",
            "first",
            format!("p. {page}")
        ),
        theme.title_idle,
    )];
    let weight = |w: Weight| match w.tf {
        0 => format!("{:>wide$}", "–"),
        tf => format!("{:>TIMES$}{:>PART$.4}", format!("×{tf}"), w.contribution),
    };
    let (mut first, mut other) = (0.0, 0.0);
    for term in &why.terms {
        let here = term.labelled.get(at).copied().unwrap_or_default();
        first += term.first.contribution;
        other += here.contribution;
        let both = term.first.tf > 0 && here.tf > 0;
        let mark = if both { "*" } else { " " };
        let style = match (both, term.first.tf + here.tf) {
            (true, _) => theme.matched,
            (false, 0) => theme.dim,
            _ => theme.text,
        };
        rows.push(Line::from(vec![
            Span::styled(text::left(&format!("{mark}{}", term.term), name), style),
            Span::styled(
                format!(
                    " {:>5} {:>6.3} {} {}",
                    term.df,
                    term.idf,
                    weight(term.first),
                    weight(here)
                ),
                theme.text,
            ),
        ]));
    }
    rows.extend(score_rows(app, case, name + 13, first, other));
    rows
}

/// The sums of the words in both pages, then each signal that the scores are made of.
fn score_rows<'a>(app: &App, case: &Case, label: usize, first: f64, other: f64) -> Vec<Line<'a>> {
    let theme = &app.theme;
    let why = &case.why;
    let wide = TIMES + PART;
    let number =
        |n: Option<f64>| n.map_or(format!("{:>wide$}", "–"), |n| format!("{n:>wide$.4}"));
    let row = |words: &str, first: &str, other: &str, style| {
        let words = text::left(words, label);
        Line::styled(format!("{words} {first:>wide$} {other:>wide$}"), style)
    };
    let sum = |words: &str, first: Option<f64>, other: Option<f64>, style| {
        row(words, &number(first), &number(other), style)
    };
    let (top, here) = (why.first.as_ref(), labelled(app, case));
    let reasons = |page: Option<&PageSeen>| page.map_or(Vec::new(), |p| p.reasons.clone());
    let (top_reasons, here_reasons) = (reasons(top), reasons(here));
    let is_word = |reason: &Reason| why.terms.iter().any(|t| t.term == reason.signal);
    let part = |reasons: &[Reason], signal: &str| {
        let found = reasons.iter().find(|r| r.signal == signal);
        found.map(|r| r.contribution)
    };
    let mut seen: Vec<&str> = Vec::new();
    let mut signals = Vec::new();
    for reason in top_reasons.iter().chain(&here_reasons) {
        let signal = reason.signal.as_str();
        if is_word(reason) || seen.contains(&signal) {
            continue;
        }
        seen.push(signal);
        let (first, other) = (part(&top_reasons, signal), part(&here_reasons, signal));
        signals.push(sum(&format!(" {}", reason.words), first, other, theme.text));
    }
    let words = "BM25: the sum of the words";
    let mut rows = vec![
        sum(words, Some(first), Some(other), theme.selected),
        match signals.is_empty() {
            true => Line::default(),
            false => Line::styled("what the score is made of", theme.title_idle),
        },
    ];
    rows.append(&mut signals);
    let score = |page: Option<&PageSeen>| page.map(|p| p.score);
    rows.push(sum("score", score(top), score(here), theme.selected));
    let ranked = |page: Option<&PageSeen>| rank(page.map(|p| p.rank));
    rows.push(row("rank", &ranked(top), &ranked(here), theme.selected));
    rows
}
