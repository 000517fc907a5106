//! The scope: which filings a question is about.
//!
//! Each filing of the companies named gets a score from what the question says of period, quarter,
//! form and date, and those within [`MARGIN`] of the best are kept. A filing that fits no hint is
//! not locked out by a rule of its own: it is only further from the best.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::{Facet, KeptFiling, Settings, Stage, StageKind};
use crate::library::{Filing, Form, Library};
use crate::question::Reading;

/// Filings whose score is this far below the best are dropped.
pub const MARGIN: f64 = 2.6;

/// At most this many kept filings are named in the funnel.
const NAMED: usize = 50;

/// The filings in scope and how they came to be.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The stages up to the filings: all, company, year, form.
    pub stages: Vec<Stage>,
    /// Ordinals of the filings kept with their score relative to the best (0, or below).
    pub filings: Vec<(u32, f64)>,
    /// The year whose filing is asked for: the latest named, or set by hand.
    pub year: Option<u16>,
    /// What was asked for and is not in the library, for a person.
    pub missing: Vec<String>,
}

/// Narrows the library to the filings the question is about.
///
/// `figure` says that a figure is asked for (a statement or metric was read): without any period
/// that means the latest annual filing.
pub fn scope(
    library: &Library,
    question: &str,
    reading: &Reading,
    settings: &Settings,
    figure: bool,
) -> Scope {
    let asked = Asked::new(question, reading, settings, figure);
    let all: Vec<u32> = (0..library.filings().len() as u32).collect();
    let mut stages = vec![stage(library, StageKind::All, &all, "every filing", true)];

    // Company
    let in_hand = hand_filter(library, settings, &all);
    let (named, why) = asked.companies(library, &in_hand);
    let active = named.len() < all.len();
    stages.push(stage(library, StageKind::Company, &named, &why, active));

    // Year
    let years = asked.years_of(library, &named);
    let scored: Vec<Fit> = named
        .iter()
        .map(|&n| asked.fit(library.filing(n), n, years, Parts::Year))
        .collect();
    let kept = within_margin(scored);
    let active = kept.len() < named.len();
    let words = asked.year_words(years, settings.year);
    stages.push(stage_of(library, StageKind::Year, &kept, &words, active));

    // Quarter, form, date: scored anew from all of the company's filings, since a date or a form
    // can outweigh a year ("the 8-K of January 2023" in a filing of fiscal 2022).
    let mut kept: Vec<Fit> = kept;
    let mut words = String::from("not asked");
    let before = kept.len();
    if settings.form || !settings.year {
        let scored = named
            .iter()
            .map(|&n| asked.fit(library.filing(n), n, years, Parts::All))
            .collect();
        kept = within_margin(scored);
        words = asked.form_words();
        if asked.latest_only() {
            kept = latest_annual_and_later(library, kept);
            words = "no period asked: the latest annual filing and later".to_string();
        }
    }
    let active = kept.len() != before;
    stages.push(stage_of(library, StageKind::Form, &kept, &words, active));
    let filings: Vec<(u32, f64)> = kept.iter().map(|fit| (fit.ordinal, fit.score)).collect();
    let kept: Vec<&Filing> = filings.iter().map(|f| library.filing(f.0)).collect();
    Scope {
        missing: asked.missing(years, &kept),
        stages,
        filings,
        year: asked.year,
    }
}

/// One filing and how well it fits.
struct Fit {
    ordinal: u32,
    score: f64,
    why: Vec<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Parts {
    Year,
    All,
}

/// Years of the filings at hand: the one asked for, and the one taken in its place when the
/// library lacks it.
#[derive(Clone, Copy)]
struct Years {
    asked: u16,
    taken: u16,
}

/// What the question (or the hand) asks of a filing.
struct Asked<'a> {
    reading: &'a Reading,
    settings: &'a Settings,
    year: Option<u16>,
    years: BTreeSet<u16>,
    fiscal: bool,
    /// The quarters named, each once.
    quarters: Vec<u8>,
    speaks_of_quarters: bool,
    outlook: bool,
    dates: Vec<(Date, bool)>,
    forms: Vec<Form>,
    figure: bool,
}

impl<'a> Asked<'a> {
    fn new(question: &str, reading: &'a Reading, settings: &'a Settings, figure: bool) -> Self {
        let hand = &settings.scope;
        let ignored = |facet| hand.ignore.contains(&facet);
        let mut years: BTreeSet<u16> = match hand.years {
            Some((first, last)) => (first..=last.min(first.saturating_add(100))).collect(),
            None if ignored(Facet::Year) => BTreeSet::new(),
            None => reading.years.iter().map(|y| y.year).collect(),
        };
        if !settings.year {
            years.clear();
        }
        let form_on = settings.form;
        let quarters: BTreeSet<u8> = match hand.quarters.as_slice() {
            [] if ignored(Facet::Quarter) || !form_on => BTreeSet::new(),
            [] => reading.quarters.iter().map(|q| q.quarter).collect(),
            quarters => quarters.iter().copied().collect(),
        };
        let forms = if !hand.forms.is_empty() {
            hand.forms.clone()
        } else if ignored(Facet::Form) || !form_on {
            Vec::new()
        } else {
            reading.forms.iter().map(|f| f.form).collect()
        };
        let lower = question.to_lowercase();
        let spans = [
            "quarter",
            "weeks ended",
            "three months",
            "six months",
            "nine months",
        ];
        let year = years.iter().next_back().copied();
        Asked {
            fiscal: reading
                .years
                .iter()
                .any(|y| Some(y.year) == year && y.fiscal)
                || lower.contains("fiscal"),
            year,
            years,
            speaks_of_quarters: !quarters.is_empty() || spans.iter().any(|s| lower.contains(s)),
            quarters: quarters.into_iter().collect(),
            outlook: form_on && !reading.outlook.is_empty(),
            dates: if form_on && !ignored(Facet::Year) {
                reading
                    .dates
                    .iter()
                    .map(|d| (d.date, d.day_known))
                    .collect()
            } else {
                Vec::new()
            },
            forms,
            figure,
            reading,
            settings,
        }
    }

    fn companies(&self, library: &Library, from: &[u32]) -> (Vec<u32>, String) {
        let by_hand = !self.settings.scope.companies.is_empty();
        let ignored = self.settings.scope.ignore.contains(&Facet::Company);
        if !self.settings.company && !by_hand {
            return (from.to_vec(), "switched off".to_string());
        }
        let mut names: Vec<&str> = Vec::new();
        if by_hand {
            names.extend(self.settings.scope.companies.iter().map(String::as_str));
        } else if !ignored {
            for mention in &self.reading.companies {
                names.push(&mention.company);
                names.extend(mention.or.iter().map(String::as_str));
            }
        }
        if names.is_empty() {
            let why = "no company of the library is named: all filings stay";
            return (from.to_vec(), why.to_string());
        }
        names.sort_unstable();
        names.dedup();
        let kept: Vec<u32> = from
            .iter()
            .copied()
            .filter(|&n| names.contains(&library.filing(n).company.as_str()))
            .collect();
        let names = names.join(", ");
        match kept.is_empty() {
            // What is set by hand leaves none of the company's filings: none it is.
            true => (kept, format!("{names}: none in the scope set by hand")),
            false => (kept, names),
        }
    }

    /// What the filings kept do not have, though it was asked for: the year, the form or the quarter.
    fn missing(&self, years: Option<Years>, kept: &[&Filing]) -> Vec<String> {
        let mut missing = Vec::new();
        if kept.is_empty() {
            missing.push("no filing is in scope: widen what is set by hand".to_string());
            return missing;
        }
        let companies: BTreeSet<&str> = kept.iter().map(|f| f.company.as_str()).collect();
        let of = match companies.len() {
            1..=3 => format!(" of {}", Vec::from_iter(companies).join(" or ")),
            _ => String::new(),
        };
        if let Some(years) = years.filter(|years| years.asked != years.taken) {
            missing.push(format!(
                "the library has no filing{of} for {}: {} is searched, the nearest year",
                years.asked, years.taken
            ));
        }
        let has_form = |form: &Form| {
            let same = |f: &&Filing| {
                f.form == *form || *form == Form::TenK && f.form == Form::AnnualReport
            };
            kept.iter().any(same)
        };
        let has_quarter = |quarter: &u8| {
            let covers =
                |f: &&Filing| f.quarter == Some(*quarter) || *quarter == 4 && f.form.is_annual();
            kept.iter().any(covers)
        };
        let forms: Vec<&Form> = self.forms.iter().filter(|form| !has_form(form)).collect();
        let quarters: Vec<&u8> = self.quarters.iter().filter(|q| !has_quarter(q)).collect();
        if !forms.is_empty() || !quarters.is_empty() {
            let forms = BTreeSet::from_iter(forms.iter().map(|form| form.to_string()));
            let mut what = match forms.is_empty() {
                true => "filing".to_string(),
                false => Vec::from_iter(forms).join(" or "),
            };
            what += &of;
            if !quarters.is_empty() {
                let quarters: Vec<String> = quarters.iter().map(|q| format!("Q{q}")).collect();
                what += &format!(" for {}", quarters.join(" or "));
            }
            missing.push(format!(
                "the library has no {what} that fits: the nearest filings are searched"
            ));
        }
        missing
    }

    fn years_of(&self, library: &Library, filings: &[u32]) -> Option<Years> {
        let asked = self.year?;
        let mut available = BTreeSet::new();
        for &n in filings {
            let filing = library.filing(n);
            available.extend(filing.fiscal_year);
            available.extend(filing.event_date.map(|d| d.year() as u16));
        }
        let lower = available.range(..=asked).next_back();
        let taken = lower.or(available.iter().next()).copied().unwrap_or(asked);
        Some(Years { asked, taken })
    }

    /// Scores one filing; weights from notes on 200 tuning questions.
    fn fit(&self, filing: &Filing, ordinal: u32, years: Option<Years>, parts: Parts) -> Fit {
        let mut score = 0.0;
        let mut why = Vec::new();
        let mut add = |points: f64, words: String| {
            if points != 0.0 {
                score += points;
                why.push(words);
            }
        };
        let annual = filing.form.is_annual();
        let quarterly = matches!(filing.form, Form::TenQ | Form::Earnings);
        let mut year_points = 0.0;
        if let Some(years) = years {
            let (points, words) = self.year_fit(filing, years);
            year_points = points;
            add(points, words);
        }
        if parts == Parts::Year {
            return Fit {
                ordinal,
                score,
                why,
            };
        }
        match (self.quarters.as_slice(), filing.quarter) {
            (asked, Some(has)) if asked.contains(&has) => {
                // The right quarter of the wrong year is no better than any other.
                let points = if year_points >= 2.5 || years.is_none() {
                    3.0
                } else {
                    0.0
                };
                add(points, format!("Q{has} asked"));
            }
            ([_, ..], Some(has)) => {
                add(-2.0, format!("Q{has}, not {}", self.quarter_words()));
            }
            ([_, ..], None) if filing.form == Form::EightK => {
                add(-0.5, "an 8-K, no quarter".into())
            }
            ([], _) if self.year.is_some() && self.settings.form => {
                // The right form of the wrong year is no better than any other.
                if annual && year_points > 0.0 {
                    add(0.8, format!("{}, since no quarter is asked", filing.form));
                } else if filing.quarter == Some(4) {
                    add(0.4, "fourth quarter: covers the year".into());
                } else if filing.quarter.is_some() && !self.speaks_of_quarters {
                    add(-0.6, "a quarter, and none is asked".into());
                }
            }
            _ => {}
        }
        let mut best_date = (0.0, String::new());
        for &(date, day_known) in &self.dates {
            let covers =
                annual || quarterly || filing.quarter.is_some() || filing.form == Form::EightK;
            let candidates = [filing.cover_date.filter(|_| covers), filing.event_date];
            for found in candidates.into_iter().flatten() {
                if (found.year(), found.month()) != (date.year(), date.month()) {
                    continue;
                }
                let mut points = match day_known {
                    false => 3.0,
                    true if (found.day() - date.day()).abs() <= 1 => 6.0,
                    true => 1.5,
                };
                if filing.form == Form::EightK && self.speaks_of_quarters {
                    points *= 0.5;
                }
                if points > best_date.0 {
                    best_date = (points, format!("dated {found}"));
                }
            }
        }
        add(best_date.0, best_date.1);
        let form_asked = self.forms.iter().any(|&form| {
            form == filing.form || form == Form::TenK && filing.form == Form::AnnualReport
        });
        if form_asked {
            add(2.0, format!("{} asked", filing.form));
        }
        Fit {
            ordinal,
            score,
            why,
        }
    }

    fn year_fit(&self, filing: &Filing, years: Years) -> (f64, String) {
        let Years { asked, taken } = years;
        let period = filing.fiscal_year;
        let instead = if asked == taken {
            format!("fiscal year {taken} asked")
        } else {
            format!("fiscal year {taken}: the library lacks {asked}")
        };
        let dated = filing.event_date.map(|d| d.year() as u16);
        let covers = filing.cover_date.map(|d| d.year() as u16);
        let annual = filing.form.is_annual();
        let release = matches!(filing.form, Form::TenQ | Form::Earnings);
        let (mut points, mut words) = if period == Some(taken) {
            (4.0, instead)
        } else if dated == Some(taken) {
            (3.5, format!("dated in {taken}"))
        } else if self.outlook
            && period == taken.checked_sub(1)
            && (annual || filing.quarter == Some(4))
        {
            (
                3.0,
                format!("the year before {taken}, which looks ahead to it"),
            )
        } else if covers == Some(taken) && release && !self.fiscal {
            (2.5, format!("its period ends in {taken}"))
        } else {
            (0.0, String::new())
        };
        if asked != taken
            && self.outlook
            && period == Some(taken)
            && (annual || filing.form == Form::Earnings)
        {
            points += 0.5;
        } else if points < 1.0 && period.is_some_and(|year| self.years.contains(&year)) {
            points = 1.0;
            words = "an earlier year named".to_string();
        }
        (points, words)
    }

    /// A figure with no period at all is asked of the latest annual filing.
    fn latest_only(&self) -> bool {
        self.settings.form
            && self.figure
            && self.year.is_none()
            && self.dates.is_empty()
            && self.settings.company
            && !self.reading.companies.is_empty()
    }

    fn year_words(&self, years: Option<Years>, on: bool) -> String {
        match years {
            _ if !on && self.settings.scope.years.is_none() => "switched off".to_string(),
            None => "no year asked: all stay".to_string(),
            Some(y) if y.asked == y.taken => format!("{} asked", y.asked),
            Some(y) => format!("{} asked; nearest in the library is {}", y.asked, y.taken),
        }
    }

    /// `Q2`, `Q2 or Q3`.
    fn quarter_words(&self) -> String {
        let words: Vec<String> = self.quarters.iter().map(|q| format!("Q{q}")).collect();
        words.join(" or ")
    }

    fn form_words(&self) -> String {
        if !self.settings.form {
            return "switched off".to_string();
        }
        let mut parts = Vec::new();
        if !self.quarters.is_empty() {
            parts.push(self.quarter_words());
        }
        parts.extend(self.forms.iter().map(|f| f.to_string()));
        parts.extend(self.dates.iter().map(|(date, day_known)| match day_known {
            true => date.to_string(),
            false => date.strftime("%B %Y").to_string(),
        }));
        if self.outlook {
            parts.push("looks ahead".to_string());
        }
        parts.dedup();
        if parts.is_empty() {
            match self.year {
                Some(_) => "no quarter asked: annual filings first".to_string(),
                None => "no quarter, form or date asked".to_string(),
            }
        } else {
            parts.join(" · ")
        }
    }
}

/// Hard limits set by hand: filings, forms, quarters, years.
fn hand_filter(library: &Library, settings: &Settings, all: &[u32]) -> Vec<u32> {
    let hand = &settings.scope;
    all.iter()
        .copied()
        .filter(|&n| {
            let filing = library.filing(n);
            (hand.filings.is_empty() || hand.filings.contains(&filing.doc_name))
                && (hand.forms.is_empty() || hand.forms.contains(&filing.form))
                && (hand.quarters.is_empty()
                    || filing.quarter.is_some_and(|q| hand.quarters.contains(&q)))
                && hand.years.is_none_or(|(first, last)| {
                    filing
                        .fiscal_year
                        .is_some_and(|y| (first..=last).contains(&y))
                })
        })
        .collect()
}

fn within_margin(mut fits: Vec<Fit>) -> Vec<Fit> {
    let best = fits
        .iter()
        .map(|f| f.score)
        .fold(f64::NEG_INFINITY, f64::max);
    fits.retain(|fit| fit.score >= best - MARGIN);
    for fit in &mut fits {
        fit.score -= best;
    }
    fits
}

fn latest_annual_and_later(library: &Library, fits: Vec<Fit>) -> Vec<Fit> {
    let period = |fit: &Fit| library.filing(fit.ordinal).fiscal_year;
    let latest = fits
        .iter()
        .filter(|fit| library.filing(fit.ordinal).form.is_annual())
        .filter_map(&period)
        .max();
    match latest {
        None => fits,
        Some(_) => fits
            .into_iter()
            .filter(|fit| period(fit) >= latest)
            .collect(),
    }
}

fn stage(library: &Library, kind: StageKind, ordinals: &[u32], kept: &str, active: bool) -> Stage {
    Stage {
        stage: kind,
        filings: ordinals.len(),
        pages: ordinals
            .iter()
            .map(|&n| library.filing(n).pages as usize)
            .sum(),
        kept: kept.to_string(),
        active,
        reasons: Vec::new(),
        ordinals: ordinals.to_vec(),
    }
}

fn stage_of(library: &Library, kind: StageKind, fits: &[Fit], kept: &str, active: bool) -> Stage {
    let ordinals: Vec<u32> = fits.iter().map(|fit| fit.ordinal).collect();
    let mut order: Vec<&Fit> = fits.iter().collect();
    order.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.ordinal.cmp(&b.ordinal)));
    let reasons = order
        .iter()
        .take(NAMED)
        .map(|fit| KeptFiling {
            doc_name: library.filing(fit.ordinal).doc_name.clone(),
            score: fit.score,
            why: fit.why.join(" · "),
        })
        .collect();
    Stage {
        reasons,
        ..stage(library, kind, &ordinals, kept, active)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::{PageText, TextSource};
    use crate::question::{Tables, read};

    /// Filings as one line each: name, company, form, year, quarter, event date, cover date.
    const FILINGS: &[(&str, &str, Form, u16, u8, &str, &str)] = &[
        ("AMD_2021_10K", "AMD", Form::TenK, 2021, 0, "", "2021-12-25"),
        ("AMD_2022_10K", "AMD", Form::TenK, 2022, 0, "", "2022-12-31"),
        (
            "NIKE_2022_10K",
            "Nike",
            Form::TenK,
            2022,
            0,
            "",
            "2022-05-31",
        ),
        (
            "NIKE_2023Q1_10Q",
            "Nike",
            Form::TenQ,
            2023,
            1,
            "",
            "2022-08-31",
        ),
        (
            "NIKE_2023Q2_10Q",
            "Nike",
            Form::TenQ,
            2023,
            2,
            "",
            "2022-11-30",
        ),
        (
            "NIKE_2023Q4_EARNINGS",
            "Nike",
            Form::Earnings,
            2023,
            4,
            "",
            "2023-05-31",
        ),
        (
            "NIKE_2023_8K_dated-2023-03-01",
            "Nike",
            Form::EightK,
            2023,
            0,
            "2023-03-01",
            "",
        ),
        (
            "NIKE_2023_10K",
            "Nike",
            Form::TenK,
            2023,
            0,
            "",
            "2023-05-31",
        ),
    ];

    fn library(dir: &std::path::Path) -> Library {
        for &(doc_name, company, form, year, quarter, event, cover) in FILINGS {
            let mut filing: Filing = serde_json::from_value(serde_json::json!({
                "doc_name": doc_name, "company": company, "form": form, "fiscal_year": year,
                "pages": 0, "text_from": TextSource::Text, "text_sha256": "",
            }))
            .unwrap();
            filing.quarter = (quarter > 0).then_some(quarter);
            filing.event_date = event.parse().ok();
            filing.cover_date = cover.parse().ok();
            Library::put(dir, &mut filing, &[PageText::default()]).unwrap();
        }
        Library::refresh(dir).unwrap()
    }

    #[test]
    fn questions_keep_the_filings_they_are_about() {
        let dir = tempfile::tempdir().unwrap();
        let library = library(dir.path());
        let companies = vec!["AMD".to_string(), "Nike".to_string()];
        let tables = Tables::builtin();
        let cases: &[(&str, &[&str])] = &[
            ("AMD revenue in FY2022", &["AMD_2022_10K"]),
            ("AMD revenue from 2021 to 2022", &["AMD_2022_10K"]),
            // A year the library lacks: the nearest before.
            ("AMD revenue in 2025", &["AMD_2022_10K"]),
            // A figure without any period: the latest annual filing and later.
            ("AMD quick ratio", &["AMD_2022_10K"]),
            ("Nike inventories in Q2 FY2023", &["NIKE_2023Q2_10Q"]),
            (
                "Nike inventories in the second quarter of fiscal 2023",
                &["NIKE_2023Q2_10Q"],
            ),
            (
                "Nike's 10-Q for the quarter ended August 31, 2022",
                &["NIKE_2023Q1_10Q"],
            ),
            (
                "What did Nike's 8-K of March 1, 2023 announce?",
                &["NIKE_2023_8K_dated-2023-03-01"],
            ),
        ];
        for (question, wanted) in cases {
            let reading = read(&tables, &companies, question);
            let figure = !reading.statements.is_empty();
            let scope = scope(&library, question, &reading, &Settings::default(), figure);
            let kept: Vec<&str> = scope
                .filings
                .iter()
                .map(|f| library.filing(f.0).doc_name.as_str())
                .collect();
            assert_eq!(kept, *wanted, "{question}: {:#?}", scope.stages);
            let last = scope.stages.last().unwrap();
            assert!(
                last.reasons
                    .iter()
                    .all(|r| last.reasons.len() < 2 || !r.why.is_empty())
            );
        }
    }

    #[test]
    fn what_the_library_lacks_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let library = library(dir.path());
        let companies = vec!["AMD".to_string(), "Nike".to_string()];
        let tables = Tables::builtin();
        let missing = |question: &str, settings: &Settings| {
            let reading = read(&tables, &companies, question);
            scope(&library, question, &reading, settings, false).missing
        };
        let cases: &[(&str, &[&str])] = &[
            ("AMD revenue in FY2022", &[]),
            (
                "AMD revenue in 2025",
                &["the library has no filing of AMD for 2025: 2022 is searched, the nearest year"],
            ),
            (
                "AMD's 10-Q for Q1 2022",
                &[
                    "the library has no 10-Q of AMD for Q1 that fits: the nearest filings are searched",
                ],
            ),
            ("Nike inventories in Q2 FY2023", &[]),
            ("AMD's Q4 2022 revenue", &[]),
        ];
        for (question, wanted) in cases {
            let said = missing(question, &Settings::default());
            assert_eq!(said, *wanted, "{question}");
        }
        // Nothing stands in for a company whose filings are all out of the scope set by hand.
        let mut hand = Settings::default();
        hand.scope.forms = vec![Form::TenQ];
        let reading = read(&tables, &companies, "AMD revenue");
        let scope = scope(&library, "AMD revenue", &reading, &hand, false);
        assert!(scope.filings.is_empty());
        assert_eq!(
            scope.missing,
            ["no filing is in scope: widen what is set by hand"]
        );
    }

    #[test]
    fn nothing_recognised_locks_nothing_out_and_switches_switch() {
        let dir = tempfile::tempdir().unwrap();
        let library = library(dir.path());
        let companies = vec!["AMD".to_string(), "Nike".to_string()];
        let tables = Tables::builtin();
        let kept = |question: &str, settings: &Settings| {
            let reading = read(&tables, &companies, question);
            scope(&library, question, &reading, settings, false)
                .filings
                .len()
        };
        let all = Settings::default();
        assert_eq!(kept("what is the weather", &all), FILINGS.len());
        let off = Settings {
            company: false,
            year: false,
            form: false,
            ..all.clone()
        };
        assert_eq!(kept("AMD revenue in FY2022", &off), FILINGS.len());
        let company_only = Settings {
            year: false,
            form: false,
            ..all.clone()
        };
        assert_eq!(kept("AMD revenue in FY2022", &company_only), 2);
        // By hand: a facet that is set replaces what was read.
        let mut hand = all.clone();
        hand.scope.companies = vec!["Nike".into()];
        hand.scope.years = Some((2023, 2023));
        hand.scope.forms = vec![Form::TenQ];
        assert_eq!(kept("AMD revenue in FY2022", &hand), 2);
        let mut one = all.clone();
        one.scope.filings = vec!["NIKE_2022_10K".into()];
        assert_eq!(kept("revenue", &one), 1);
        let mut ignore = all;
        ignore.scope.ignore = vec![Facet::Company];
        assert!(kept("AMD revenue", &ignore) > 2);
    }
}
