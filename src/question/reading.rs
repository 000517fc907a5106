//! What was read from a question, each part with the bytes it was read from.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;
use serde::Serialize;

use crate::library::Form;

/// What may stand between a company and its year, in either order: "Boeing's FY2018", "3M (2019)", "2018 for Nike".
static BESIDE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:['\u{2019}]s?|\s|\(|in|for|of|at)*$").expect("a pattern")
});

/// Byte range in the question as typed.
pub type Span = Range<usize>;

/// A financial statement.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Statement {
    /// Income statement, statement of operations, of earnings.
    Income,
    /// Balance sheet, statement of financial position.
    Balance,
    /// Statement of cash flows.
    CashFlow,
}

impl Statement {
    /// All three, in the order of their numeric index.
    pub const ALL: [Statement; 3] = [Statement::Income, Statement::Balance, Statement::CashFlow];

    /// 0, 1, 2.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Name as shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Statement::Income => "income statement",
            Statement::Balance => "balance sheet",
            Statement::CashFlow => "cash flow statement",
        }
    }
}

/// What kind of page a question leans to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lean {
    /// A figure is asked for.
    Tables,
    /// Words are: why, what, who.
    Prose,
}

impl Lean {
    /// As shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Lean::Tables => "tables",
            Lean::Prose => "prose",
        }
    }
}

/// A company named in the question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CompanyMention {
    /// Catalog name.
    pub company: String,
    /// Where it was read.
    pub span: Span,
    /// Other companies the same words may mean; then none is preferred.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub or: Vec<String>,
    /// Read from a product or subsidiary: the words stay in the query.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub brand: bool,
    /// Read from a name written wrong ("Micorsoft").
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub misspelt: bool,
}

/// A fiscal or calendar year.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct YearMention {
    /// Four digits.
    pub year: u16,
    /// Where it was read.
    pub span: Span,
    /// Written as a fiscal year (`FY2022`, `fiscal 2022`).
    pub fiscal: bool,
}

/// A range of years: "FY2018 - FY2020", "between 2019 and 2021".
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct YearRange {
    /// First year.
    pub from: u16,
    /// Last year.
    pub to: u16,
    /// Where it was read, from the first year to the last.
    pub span: Span,
}

/// "The last three years".
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LastYears {
    /// How many, at least 2.
    pub count: u16,
    /// Where it was read.
    pub span: Span,
}

/// A date: a day, or a month when `day_known` is false.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DateMention {
    /// The date; the first of the month when only the month was named.
    pub date: Date,
    /// False for "May 2023".
    pub day_known: bool,
    /// Where it was read.
    pub span: Span,
}

/// A quarter 1-4 (or a half year: `H1` reads as quarter 2).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuarterMention {
    /// 1 to 4.
    pub quarter: u8,
    /// Where it was read.
    pub span: Span,
}

/// A word for a kind of filing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FormMention {
    /// The form asked for.
    pub form: Form,
    /// Where it was read.
    pub span: Span,
}

/// A statement named, or implied by a metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StatementMention {
    /// Which.
    pub statement: Statement,
    /// True when the question names it; false when a metric implies it.
    pub named: bool,
    /// Where it was read.
    pub span: Span,
}

/// A metric from the tables (`assets/metrics.toml`).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricMention {
    /// Its id in the table.
    pub metric: String,
    /// Where it was read.
    pub span: Span,
    /// Statements that hold its inputs.
    pub statements: Vec<Statement>,
}

/// A topic from the tables (`assets/topics.toml`).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TopicMention {
    /// Its id in the table.
    pub topic: String,
    /// Where its trigger stands; empty for a soft topic, which is near in meaning only.
    pub span: Span,
    /// 1 for a trigger, less for a soft topic.
    pub weight: f32,
}

impl TopicMention {
    /// Whether words of the question name it; else it is near to them in meaning only.
    pub fn is_triggered(&self) -> bool {
        !self.span.is_empty()
    }
}

/// Everything read from a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Reading {
    /// Companies, in order of appearance.
    pub companies: Vec<CompanyMention>,
    /// Companies that those deal with ("sell to Walmart"): words of the question like others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dealt_with: Vec<CompanyMention>,
    /// Years, in order of appearance; of a range its two ends, of a date its year.
    pub years: Vec<YearMention>,
    /// Years that say when something falls due ("debt maturing in 2023"), which are no period of a filing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub due: Vec<YearMention>,
    /// Ranges of years.
    pub ranges: Vec<YearRange>,
    /// "The last three years".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_years: Option<LastYears>,
    /// "Since 2019": from that year on, which is one of `years` too. [`Reading::close_since`] says up to which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<YearMention>,
    /// Two digits after a company that may be a year ("Boeing 22 deliveries") and are not read as one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsure_years: Vec<Span>,
    /// Quarters, in order of appearance.
    pub quarters: Vec<QuarterMention>,
    /// Dates and months.
    pub dates: Vec<DateMention>,
    /// Words for kinds of filings.
    pub forms: Vec<FormMention>,
    /// Words that look ahead (forecast, guidance, will), which lead to the filing before.
    pub outlook: Vec<Span>,
    /// Words that ask for reasons ("why", "what drove").
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<Span>,
    /// Words that ask for a sum of money ("how much", "what price").
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<Span>,
    /// Words that speak of quarters, of which number or of none ("quarterly", "weeks ended").
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quarterly: Vec<Span>,
    /// Words for the latest quarter ("most recent quarter").
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub latest_quarter: Vec<Span>,
    /// Words for the latest year ("last fiscal year").
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub latest_year: Vec<Span>,
    /// Words for years as companies count them ("fiscal").
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fiscal: Vec<Span>,
    /// Statements named or implied.
    pub statements: Vec<StatementMention>,
    /// Metrics.
    pub metrics: Vec<MetricMention>,
    /// Topics.
    pub topics: Vec<TopicMention>,
    /// Items of a 10-K/10-Q named ("Item 1A", "risk factors", "MD&A").
    pub items: Vec<ItemMention>,
    /// Instructions to the reader ("round to two decimal places"), which say nothing about the page.
    pub boilerplate: Vec<Span>,
}

/// An Item of a 10-K or 10-Q named in the question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ItemMention {
    /// `1A`, `7`, ...
    pub item: String,
    /// Where it was read.
    pub span: Span,
}

impl Reading {
    /// The latest year named: the year whose filing is asked for.
    pub fn latest_year(&self) -> Option<u16> {
        self.years.iter().map(|y| y.year).max()
    }

    /// Makes a range of "since 2019": up to the latest year named, else up to `latest`, the library's.
    pub fn close_since(&mut self, latest: Option<u16>) {
        let Some(since) = self.since.clone() else {
            return;
        };
        let named = self.latest_year().filter(|&year| year > since.year);
        let Some(to) = named.or(latest.filter(|&year| year > since.year)) else {
            return;
        };
        if named.is_none() {
            self.years.push(YearMention {
                year: to,
                ..since.clone()
            });
        }
        self.ranges.push(YearRange {
            from: since.year,
            to,
            span: since.span,
        });
    }

    /// A figure is asked for: a statement or a metric was read.
    pub fn asks_figure(&self) -> bool {
        !self.statements.is_empty() || !self.metrics.is_empty()
    }

    /// The statements that count: those named or, where none is, those a metric implies.
    pub fn statements_asked(&self) -> Vec<&StatementMention> {
        let named = self.statements.iter().any(|s| s.named);
        let counts = self.statements.iter().filter(|s| s.named == named);
        counts.collect()
    }

    /// The companies named, each once, in order of appearance, those that can't be told apart included.
    pub fn company_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for mention in &self.companies {
            for name in std::iter::once(&mention.company).chain(&mention.or) {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// The years a question about several asks for, ascending: every year of its ranges, each year it names, the
    /// years of "the last three years" up to the latest named, or up to `latest` (the library's) where none is.
    /// Empty when it asks about at most one.
    pub fn asks_several_years(&self, latest: Option<u16>) -> Vec<u16> {
        let mut years: BTreeSet<u16> = self.years.iter().map(|y| y.year).collect();
        for range in &self.ranges {
            years.extend(range.from..=range.to);
        }
        if let (Some(last), Some(to)) = (&self.last_years, self.latest_year().or(latest)) {
            years.extend((to + 1).saturating_sub(last.count)..=to);
        }
        if years.len() > 1 {
            years.into_iter().collect()
        } else {
            Vec::new()
        }
    }

    /// Companies and years of a question in which each company stands beside a year of its own ("Boeing 2018 and 3M
    /// 2019"), in order of appearance; empty where they stand in any other way.
    pub fn pairs(&self, question: &str) -> Vec<(&str, u16)> {
        let several = !self.asks_several_companies().is_empty();
        let clear = self.ranges.is_empty() && self.last_years.is_none();
        let one_each = self.companies.len() == self.years.len()
            && self.companies.iter().all(|company| company.or.is_empty());
        if !(several && clear && one_each) {
            return Vec::new();
        }
        let beside = |first: &Span, second: &Span| {
            let between = question.get(first.end..second.start);
            between.is_some_and(|between| BESIDE.is_match(between))
        };
        let pairs = || self.companies.iter().zip(&self.years);
        let in_order = |(first, second): (&Span, &Span)| first.end <= second.start;
        let company_first = pairs().all(|(c, y)| beside(&c.span, &y.span))
            && (self.years.iter().zip(&self.companies[1..]))
                .all(|(y, c)| in_order((&y.span, &c.span)));
        let year_first = pairs().all(|(c, y)| beside(&y.span, &c.span))
            && (self.companies.iter().zip(&self.years[1..]))
                .all(|(c, y)| in_order((&c.span, &y.span)));
        if company_first || year_first {
            pairs().map(|(c, y)| (c.company.as_str(), y.year)).collect()
        } else {
            Vec::new()
        }
    }

    /// The companies a question about several asks for ("AMD vs Intel"), in order of appearance; empty when it asks
    /// about at most one. Companies that can't be told apart are not several.
    pub fn asks_several_companies(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for mention in self
            .companies
            .iter()
            .filter(|mention| mention.or.is_empty())
        {
            if !names.contains(&mention.company.as_str()) {
                names.push(&mention.company);
            }
        }
        if names.len() > 1 { names } else { Vec::new() }
    }
}
