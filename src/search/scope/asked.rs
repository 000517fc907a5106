//! What a question, or the hand, asks of a filing, and what of it the library lacks.

use std::collections::BTreeSet;

use jiff::civil::Date;

use crate::library::{Filing, Form, Library};
use crate::question::Reading;
use crate::search::{Facet, Settings};

/// What the question (or the hand) asks of a filing.
pub(super) struct Asked<'a> {
    pub(super) reading: &'a Reading,
    pub(super) settings: &'a Settings,
    /// The companies asked for, sorted, each once: those set by hand, else those named. None where the filter is off.
    companies: Vec<&'a str>,
    pub(super) year: Option<u16>,
    years: BTreeSet<u16>,
    /// Every year asked for, in words, where they are several: `2019–2022`, `2018, 2020 and 2022`.
    several: Option<String>,
    /// Companies and the years they stand beside.
    pairs: Vec<(&'a str, u16)>,
    pub(super) fiscal: bool,
    /// The quarters named, each once.
    pub(super) quarters: Vec<u8>,
    pub(super) speaks_of_quarters: bool,
    pub(super) outlook: bool,
    pub(super) dates: Vec<(Date, bool)>,
    pub(super) forms: Vec<Form>,
}

/// Years of the filings at hand: the one asked for, and the one taken in its place when the
/// library lacks it.
#[derive(Clone, Copy)]
pub(super) struct Years {
    pub(super) asked: u16,
    pub(super) taken: u16,
    /// A nearer year has quarters or events alone.
    pub(super) annual: bool,
}

impl Years {
    /// `the nearest year`, as far as it is.
    fn nearest(&self) -> &'static str {
        match self.annual {
            true => "the nearest year with an annual filing",
            false => "the nearest year",
        }
    }
}

/// The years of the companies at hand.
pub(super) struct YearsOf<'a> {
    /// Of each company that stands beside a year of its own.
    own: Vec<(&'a str, Years)>,
    /// Of all others.
    all: Option<Years>,
}

impl YearsOf<'_> {
    pub(super) fn of(&self, filing: &Filing) -> Option<Years> {
        let own = self
            .own
            .iter()
            .find(|(company, _)| *company == filing.company);
        own.map(|(_, years)| *years).or(self.all)
    }
}

/// Companies and the years they stand beside, where both are taken as they are read.
pub fn pairs<'a>(question: &str, reading: &'a Reading, settings: &Settings) -> Vec<(&'a str, u16)> {
    let hand = &settings.scope;
    let by_hand = hand.years.is_some() || !hand.companies.is_empty();
    let ignored = [Facet::Company, Facet::Year]
        .iter()
        .any(|facet| hand.ignore.contains(facet));
    match settings.company && settings.year && !by_hand && !ignored {
        true => reading.pairs(question),
        false => Vec::new(),
    }
}

/// See [`Asked::companies`].
fn companies<'a>(reading: &'a Reading, settings: &'a Settings) -> Vec<&'a str> {
    let hand = &settings.scope;
    let mut names: Vec<&str> = if !hand.companies.is_empty() {
        hand.companies.iter().map(String::as_str).collect()
    } else if settings.company && !hand.ignore.contains(&Facet::Company) {
        reading.company_names()
    } else {
        Vec::new()
    };
    names.sort_unstable();
    names.dedup();
    names
}

impl<'a> Asked<'a> {
    pub(super) fn new(question: &str, reading: &'a Reading, settings: &'a Settings) -> Self {
        let hand = &settings.scope;
        let ignored = |facet| hand.ignore.contains(&facet);
        let years: BTreeSet<u16> = match hand.years {
            // A hundred of them at most: the latest.
            Some((first, last)) => (first.max(last.saturating_sub(99))..=last).collect(),
            None if ignored(Facet::Year) || !settings.year => BTreeSet::new(),
            None => reading.years.iter().map(|y| y.year).collect(),
        };
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
        let year = years.iter().next_back().copied();
        let every = match hand.years {
            Some(_) => Vec::from_iter(years.iter().copied()),
            None => reading.asks_several_years(None),
        };
        Asked {
            several: (year.is_some() && every.len() > 1).then(|| in_words(&every)),
            pairs: pairs(question, reading, settings),
            companies: companies(reading, settings),
            fiscal: reading
                .years
                .iter()
                .any(|y| Some(y.year) == year && y.fiscal)
                || !reading.fiscal.is_empty(),
            year,
            years,
            speaks_of_quarters: !quarters.is_empty() || !reading.quarterly.is_empty(),
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
            reading,
            settings,
        }
    }

    /// Whether each of the companies asked for has a ranking of its own.
    fn several_companies(&self) -> bool {
        let by_hand = !self.settings.scope.companies.is_empty();
        self.settings.several
            && self.companies.len() > 1
            && (by_hand || !self.reading.asks_several_companies().is_empty())
    }

    pub(super) fn companies(&self, library: &Library, from: &[u32]) -> (Vec<u32>, String) {
        if self.companies.is_empty() {
            let why = match self.settings.company {
                true if from.len() < library.filings().len() => {
                    "no company of the library is named"
                }
                true => "no company of the library is named: all filings stay",
                false => "switched off",
            };
            return (from.to_vec(), why.to_string());
        }
        let kept: Vec<u32> = from
            .iter()
            .copied()
            .filter(|&n| self.companies.contains(&library.filing(n).company.as_str()))
            .collect();
        let names = self.companies.join(", ");
        match kept.is_empty() {
            // What is set by hand leaves none of the company's filings: none it is.
            true => (kept, format!("{names}: none in the scope set by hand")),
            false if self.several_companies() => {
                (kept, format!("{names}, a ranking each; the main one: all"))
            }
            false => (kept, names),
        }
    }

    /// A year that ends in January or February is counted as that year here, and by some companies as the one before:
    /// which filing is the other.
    fn years_that_end_early(&self, library: &Library, kept: &[&Filing]) -> Vec<String> {
        if self.companies.is_empty() {
            return Vec::new();
        }
        let early = |filing: &Filing, year: u16| {
            let ends = filing.cover_date;
            filing.form.is_annual()
                && filing.fiscal_year == Some(year)
                && ends.is_some_and(|ends| ends.year() == year as i16 && ends.month() <= 2)
        };
        let mut notes = Vec::new();
        for filing in kept {
            let Some(year) = self.year.filter(|&year| early(filing, year)) else {
                continue;
            };
            let mut filings = library.filings().iter();
            let next = filings.find(|next| next.company == filing.company && early(next, year + 1));
            if let (None, Some(ends), Some(next)) = (&self.several, filing.cover_date, next) {
                notes.push(format!(
                    "fiscal {year} of {} here ended {}; the year after is {}",
                    filing.company,
                    ends.strftime("%B %-d, %Y"),
                    next.doc_name
                ));
            }
        }
        notes.dedup();
        notes
    }

    /// What the filings kept do not have, though it was asked for: the year, the form or the quarter.
    pub(super) fn missing(
        &self,
        library: &Library,
        years: &YearsOf<'_>,
        kept: &[&Filing],
    ) -> Vec<String> {
        let mut missing = Vec::new();
        if kept.is_empty() {
            missing.push("no filing is in scope: widen what is set by hand".to_string());
            return missing;
        }
        if self.settings.year && self.year.is_none() && !self.reading.due.is_empty() {
            let due = BTreeSet::from_iter(self.reading.due.iter().map(|y| y.year.to_string()));
            missing.push(format!(
                "{}: read as when something falls due, not as the fiscal year",
                Vec::from_iter(due).join(", ")
            ));
        }
        let companies: BTreeSet<&str> = match self.companies.is_empty() {
            true => BTreeSet::new(),
            false => kept.iter().map(|f| f.company.as_str()).collect(),
        };
        let of = match companies.len() {
            1..=3 => format!(" of {}", Vec::from_iter(companies).join(" or ")),
            _ => String::new(),
        };
        let own = years
            .own
            .iter()
            .map(|(company, years)| (format!(" of {company}"), *years));
        let all = years.all.filter(|_| years.own.is_empty());
        for (of, years) in own.chain(all.map(|years| (of.clone(), years))) {
            if years.asked != years.taken {
                let why = match self.outlook && years.taken + 1 == years.asked {
                    true => "the year before, which looks ahead to it",
                    false => years.nearest(),
                };
                missing.push(format!(
                    "the library has no filing{of} for {}: {} is searched, {why}",
                    years.asked, years.taken,
                ));
            }
        }
        missing.extend(self.no_annual(years, kept));
        missing.extend(self.years_that_end_early(library, kept));
        let has_form = |form: &Form| kept.iter().any(|f| f.form.answers(*form));
        let has_quarter = |quarter: &u8| {
            let covers =
                |f: &&Filing| f.quarter == Some(*quarter) || *quarter == 4 && f.form.is_annual();
            kept.iter().any(covers)
        };
        if kept.iter().all(|f| f.quarter.is_none()) && !of.is_empty() {
            let any = self.quarters.is_empty()
                && self.speaks_of_quarters
                && (self.year.is_none() || !self.dates.is_empty());
            let quarter = match self.quarters.as_slice() {
                [4] => Some("Q4"),
                _ if any => Some("a quarter"),
                _ => None,
            };
            let annual = kept.iter().any(|f| f.form.is_annual());
            missing.extend(quarter.filter(|_| annual && self.in_library()).map(|quarter| {
                format!("the library has no filing{of} for {quarter} that fits: the whole year is searched")
            }));
        }
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

    /// What the filings kept lack, the library lacks: none of them is set by hand.
    fn in_library(&self) -> bool {
        let hand = &self.settings.scope;
        hand.filings.is_empty() && hand.forms.is_empty() && hand.quarters.is_empty()
    }

    /// A year is asked for as a whole: neither quarter nor form nor date.
    fn whole_year(&self) -> bool {
        !self.speaks_of_quarters && self.forms.is_empty() && self.dates.is_empty()
    }

    /// The companies for whose whole year quarters and events alone are kept.
    fn no_annual(&self, years: &YearsOf<'_>, kept: &[&Filing]) -> Option<String> {
        let on = self.settings.form && self.settings.year && self.in_library();
        if !on || !self.whole_year() || self.outlook || self.companies.is_empty() {
            return None;
        }
        let mut lacking: BTreeSet<(&str, u16)> = BTreeSet::new();
        let mut whole = BTreeSet::new();
        for filing in kept {
            let Some(years) = years.of(filing).filter(|y| y.asked == y.taken) else {
                continue;
            };
            let of = (filing.company.as_str(), years.asked);
            let covers = filing.form.is_annual() || filing.quarter == Some(4);
            match covers && filing.fiscal_year == Some(years.asked) {
                true => whole.insert(of),
                false => lacking.insert(of),
            };
        }
        let lacking = lacking.difference(&whole);
        let lacking: Vec<String> = lacking
            .map(|(of, year)| format!("{of} for {year}"))
            .collect();
        (1..=3).contains(&lacking.len()).then(|| {
            format!(
                "the library has no annual filing of {}: filings of quarters and events are searched",
                lacking.join(" or ")
            )
        })
    }

    /// The year asked for, and the year taken for it; of each company its own, where each stands beside one.
    pub(super) fn years_of(&self, library: &Library, filings: &[u32]) -> YearsOf<'a> {
        let own = self.pairs.iter().map(|&(company, year)| {
            let own = filings.iter().map(|&n| library.filing(n));
            let own = own.filter(|filing| filing.company == company);
            (company, self.nearest(year, own))
        });
        let all = filings.iter().map(|&n| library.filing(n));
        YearsOf {
            own: own.collect(),
            all: self.year.map(|year| self.nearest(year, all)),
        }
    }

    /// The nearest year of these filings: the year itself, else one before, else one after. The figure of a whole year
    /// stands in reports on periods; 8-Ks count where there is none.
    fn nearest<'f>(&self, asked: u16, filings: impl Iterator<Item = &'f Filing>) -> Years {
        let (mut of_events, mut of_periods) = (BTreeSet::new(), BTreeSet::new());
        let mut annual = BTreeSet::new();
        for filing in filings {
            let years = match filing.form {
                Form::EightK => &mut of_events,
                _ => &mut of_periods,
            };
            years.extend(filing.fiscal_year);
            years.extend(filing.event_date.map(|d| d.year() as u16));
            if filing.form.is_annual() {
                annual.extend(filing.fiscal_year);
            }
        }
        let figure = self.whole_year() && self.reading.asks_figure();
        let available = match figure && !of_periods.is_empty() {
            true => of_periods,
            false => &of_periods | &of_events,
        };
        let before = available.range(..=asked).next_back().copied();
        let after = available.range(asked..).next().copied();
        let nearest = match (before, after) {
            // Statements of the two years after still hold the year.
            (Some(before), Some(after)) if after - asked <= 2 && after - asked < asked - before => {
                after
            }
            _ => before.or(after).unwrap_or(asked),
        };
        // For a year after everything there is the latest annual filing stands in, unless it is old or another
        // kind is asked.
        let taken = match annual.last() {
            Some(&latest) if after.is_none() && self.whole_year() && latest + 1 >= nearest => {
                latest
            }
            _ => nearest,
        };
        Years {
            asked,
            taken,
            annual: taken != nearest,
        }
    }

    /// The latest quarter of a company, and no period, is asked for.
    pub(super) fn latest_quarter(&self) -> bool {
        let period = self.year.is_some() || !self.quarters.is_empty() || !self.dates.is_empty();
        let asked = !self.reading.latest_quarter.is_empty();
        self.settings.form && asked && !period && !self.companies.is_empty()
    }

    /// The latest year of a company, and no period, is asked for.
    pub(super) fn latest_year(&self) -> bool {
        self.latest_only() && !self.reading.latest_year.is_empty() && self.quarters.is_empty()
    }

    /// A figure of a company with no period at all is asked of its latest annual filing. A period that is named, though
    /// it is ignored or its switch is off, is one all the same: what widens must not lock the right filing out.
    pub(super) fn latest_only(&self) -> bool {
        let period =
            self.year.is_some() || !self.reading.years.is_empty() || !self.reading.dates.is_empty();
        self.settings.form
            && self.settings.year
            && self.reading.asks_figure()
            && !period
            && !self.companies.is_empty()
    }

    pub(super) fn year_words(&self, years: &YearsOf<'_>, on: bool) -> String {
        if !on && self.settings.scope.years.is_none() {
            return "switched off".to_string();
        }
        let words = |of: &str, years: &Years| match years.asked == years.taken {
            true => format!("{of}{} asked", years.asked),
            false => format!(
                "{of}{} asked; {} is {}",
                years.asked,
                years.nearest(),
                years.taken
            ),
        };
        match (&years.all, years.own.is_empty()) {
            (None, _) => match &self.reading.last_years {
                Some(last) if on => format!("the last {} years asked: all stay", last.count),
                _ => "no year asked: all stay".to_string(),
            },
            (Some(years), true) => match &self.several {
                Some(several) if years.asked == years.taken && self.settings.several => {
                    format!(
                        "{several} asked, a ranking each; the main one: {}",
                        years.asked
                    )
                }
                Some(several) if years.asked == years.taken => {
                    format!("{several} asked; the latest is {}", years.asked)
                }
                Some(several) => format!(
                    "{several} asked; {} to {} is {}",
                    years.nearest(),
                    years.asked,
                    years.taken
                ),
                None => words("", years),
            },
            (Some(_), false) => {
                let own = years.own.iter();
                let own: Vec<String> = own
                    .map(|(company, y)| words(&format!("{company} "), y))
                    .collect();
                own.join(", ")
            }
        }
    }

    /// Whether a year is named, if not as the one whose filing is asked for. Of companies that each stand beside a year
    /// of their own none is asked for the year of another.
    pub(super) fn names_year_too(&self, year: u16) -> bool {
        self.pairs.is_empty() && self.years.contains(&year)
    }

    /// Why a filing of the year asked for is kept.
    pub(super) fn year_asked(&self, year: u16) -> String {
        match &self.several {
            Some(several) if self.pairs.is_empty() => {
                format!("fiscal year {year}, the latest of {several} asked")
            }
            _ => format!("fiscal year {year} asked"),
        }
    }

    /// `Q2`, `Q2 or Q3`.
    pub(super) fn quarter_words(&self) -> String {
        let words: Vec<String> = self.quarters.iter().map(|q| format!("Q{q}")).collect();
        words.join(" or ")
    }

    pub(super) fn form_words(&self) -> String {
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

/// Years in ascending order, runs of three and more by their ends: `2018, 2020 and 2022`, `2015 and 2019–2022`.
fn in_words(years: &[u16]) -> String {
    let runs = years.chunk_by(|a, b| a + 1 == *b);
    let words: Vec<String> = runs
        .flat_map(|run| match run {
            [first, _, .., last] => vec![format!("{first}–{last}")],
            few => few.iter().map(u16::to_string).collect(),
        })
        .collect();
    match words.as_slice() {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => words.concat(),
    }
}
