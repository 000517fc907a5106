//! How well a filing fits what is asked.

use jiff::civil::Date;

use super::asked::{Asked, Years};
use crate::library::{Filing, Form, Library};

/// Filings whose score is this far below the best are dropped.
pub const MARGIN: f64 = 2.6;

/// An annual report is filed at most about so many days after its period ends: 60 for large companies (Form 10-K, general
/// instruction A), and some are late.
const FILED_WITHIN: i32 = 75;

/// One filing and how well it fits.
pub(super) struct Fit {
    pub(super) ordinal: u32,
    pub(super) score: f64,
    pub(super) why: Vec<String>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Parts {
    Year,
    All,
}

impl Asked<'_> {
    /// Scores one filing; weights from notes on 200 tuning questions.
    pub(super) fn fit(
        &self,
        filing: &Filing,
        ordinal: u32,
        years: Option<Years>,
        parts: Parts,
    ) -> Fit {
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
                let apart = found.since(date).map_or(i32::MAX, |span| span.get_days());
                let same_month = (found.year(), found.month()) == (date.year(), date.month());
                let mut points = match day_known {
                    true if apart.abs() <= 1 => 6.0,
                    true if same_month => 1.5,
                    false if same_month => 3.0,
                    _ => continue,
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
        if self.forms.iter().any(|&form| filing.form.answers(form)) {
            add(3.5, format!("{} asked", filing.form));
        }
        Fit {
            ordinal,
            score,
            why,
        }
    }

    /// Whether a date asked for lies between the end of the filing's period and the day an annual report on it is
    /// filed: what happened then stands in that report.
    fn just_after(&self, filing: &Filing) -> bool {
        let Some(end) = filing.cover_date else {
            return false;
        };
        let days = |date: &Date| date.since(end).map_or(i32::MAX, |span| span.get_days());
        (self.dates.iter()).any(|(date, _)| (1..=FILED_WITHIN).contains(&days(date)))
    }

    fn year_fit(&self, filing: &Filing, years: Years) -> (f64, String) {
        let Years { asked, taken, .. } = years;
        let period = filing.fiscal_year;
        let instead = if asked == taken {
            self.year_asked(taken)
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
            && period == asked.checked_sub(1)
            && (annual || filing.quarter == Some(4))
        {
            (
                3.0,
                format!("the year before {asked}, which looks ahead to it"),
            )
        } else if annual && asked == taken && self.just_after(filing) {
            (3.0, format!("the year before {asked}, reported on then"))
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
        } else if points < 1.0
            && let Some(year) = period.filter(|&year| self.names_year_too(year))
        {
            // "As of FY2021, how much is expected in 2024?", where the library ends before that.
            let looks_ahead = asked != taken && self.outlook && annual && year < asked;
            points = if looks_ahead { 3.0 } else { 1.0 };
            words = format!("{year}, another year named");
        }
        (points, words)
    }
}

pub(super) fn within_margin(mut fits: Vec<Fit>) -> Vec<Fit> {
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

/// The quarter a filing is of.
pub(super) fn of_quarter(filing: &Filing) -> Option<(u16, u8)> {
    filing.fiscal_year.zip(filing.quarter)
}

/// The whole year a filing is of.
pub(super) fn of_year(filing: &Filing) -> Option<(u16, u8)> {
    let year = filing.fiscal_year.filter(|_| filing.form.is_annual());
    year.map(|year| (year, 0))
}

/// The filings of each company's latest period; none where no filing is of such a period.
pub(super) fn latest(
    library: &Library,
    fits: &[Fit],
    period: fn(&Filing) -> Option<(u16, u8)>,
) -> Vec<u32> {
    let filings = || {
        fits.iter()
            .map(|fit| (fit.ordinal, library.filing(fit.ordinal)))
    };
    let is_latest = |filing: &Filing| {
        let own = filings().filter(|(_, other)| other.company == filing.company);
        let latest = own.filter_map(|(_, other)| period(other)).max();
        latest.is_some() && period(filing) == latest
    };
    let latest = filings().filter(|(_, filing)| is_latest(filing));
    latest.map(|(ordinal, _)| ordinal).collect()
}

pub(super) fn latest_annual_and_later(library: &Library, fits: Vec<Fit>) -> Vec<Fit> {
    let period = |fit: &Fit| library.filing(fit.ordinal).year();
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
