use super::*;
use crate::library::{Form, PageText, TextSource};
use crate::question::{Tables, read};
use crate::search::Facet;

/// Name, company, form, year, quarter, event date, cover date.
type FilingLine = (
    &'static str,
    &'static str,
    Form,
    u16,
    u8,
    &'static str,
    &'static str,
);

const FILINGS: &[FilingLine] = &[
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
    library_of(dir, FILINGS)
}

fn library_of(dir: &std::path::Path, filings: &[FilingLine]) -> Library {
    for &(doc_name, company, form, year, quarter, event, cover) in filings {
        let mut filing: Filing = serde_json::from_value(serde_json::json!({
            "doc_name": doc_name, "company": company, "form": form, "fiscal_year": year,
            "pages": 0, "text_from": TextSource::Text, "text_sha256": "",
        }))
        .unwrap();
        filing.fiscal_year = filing.fiscal_year.filter(|year| *year > 0);
        filing.quarter = (quarter > 0).then_some(quarter);
        filing.event_date = event.parse().ok();
        filing.cover_date = cover.parse().ok();
        Library::put(dir, &mut filing, &[PageText::default()]).unwrap();
    }
    Library::refresh(dir).unwrap()
}

/// The filings a question of AMD's keeps, best first, and the scope as it is.
fn of_amd<'l>(library: &'l Library, question: &str, settings: &Settings) -> (Vec<&'l str>, Scope) {
    let reading = read(&Tables::builtin(), &["AMD".to_string()], question);
    let scope = scope(library, question, &reading, settings);
    let kept = scope.filings.iter();
    let names = kept.map(|f| library.filing(f.0).doc_name.as_str());
    (names.collect(), scope)
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
        // What happens before the annual report is filed stands in it.
        (
            "What did AMD buy in February 2022?",
            &["AMD_2021_10K", "AMD_2022_10K"],
        ),
        ("What did AMD buy in June 2022?", &["AMD_2022_10K"]),
        (
            "What capex does AMD plan for 2022?",
            &["AMD_2021_10K", "AMD_2022_10K"],
        ),
        // A year the library lacks: the nearest before.
        ("AMD revenue in 2025", &["AMD_2022_10K"]),
        // A figure without any period: the latest annual filing and later.
        ("AMD quick ratio", &["AMD_2022_10K"]),
        (
            "Nike inventories in the most recent quarter",
            &["NIKE_2023Q4_EARNINGS"],
        ),
        (
            "Nike's latest quarterly dividend",
            &["NIKE_2023Q4_EARNINGS"],
        ),
        // Without a filing of a quarter the latest annual one.
        ("AMD revenue of the latest quarter", &["AMD_2022_10K"]),
        (
            "Compare the 10-Ks of AMD 2021 and Nike 2023",
            &["AMD_2021_10K", "NIKE_2023_10K"],
        ),
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
        let scope = scope(&library, question, &reading, &Settings::default());
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
        scope(&library, question, &reading, settings).missing
    };
    let cases: &[(&str, &[&str])] = &[
        ("AMD revenue in FY2022", &[]),
        (
            "AMD revenue in 2025",
            &["the library has no filing of AMD for 2025: 2022 is searched, the nearest year"],
        ),
        (
            "AMD's 10-Q for Q1 2022",
            &["the library has no 10-Q of AMD for Q1 that fits: the nearest filings are searched"],
        ),
        ("Nike inventories in Q2 FY2023", &[]),
        (
            "AMD notes maturing in 2027 and 2029",
            &["2027, 2029: read as when something falls due, not as the fiscal year"],
        ),
        // With a year of their own nothing is to be said.
        ("AMD's 2022 notes due 2029", &[]),
        // Each company stands beside a year of its own.
        ("AMD 2022 and Nike 2023 revenue", &[]),
        (
            "AMD 2022 and Nike 2025 revenue",
            &["the library has no filing of Nike for 2025: 2023 is searched, the nearest year"],
        ),
        // No company is named, so none is blamed.
        (
            "revenue in 2031",
            &["the library has no filing for 2031: 2023 is searched, the nearest year"],
        ),
    ];
    for (question, wanted) in cases {
        let said = missing(question, &Settings::default());
        assert_eq!(said, *wanted, "{question}");
    }
    // Nothing stands in for a company whose filings are all out of the scope set by hand.
    let mut hand = Settings::default();
    hand.scope.forms = vec![Form::TenQ];
    let reading = read(&tables, &companies, "AMD revenue");
    let scope = scope(&library, "AMD revenue", &reading, &hand);
    assert!(scope.filings.is_empty());
    assert_eq!(
        scope.missing,
        ["no filing is in scope: widen what is set by hand"]
    );
}

#[test]
fn the_narrowing_names_every_year_asked() {
    let dir = tempfile::tempdir().unwrap();
    let library = library(dir.path());
    let companies = vec!["AMD".to_string(), "Nike".to_string()];
    let cases: &[(&str, &str, &str)] = &[
        ("AMD revenue 2022", "2022 asked", "fiscal year 2022 asked"),
        (
            "AMD revenue in 2020 and 2022",
            "2020 and 2022 asked, a ranking each; the main one: 2022",
            "fiscal year 2022, the latest of 2020 and 2022 asked",
        ),
        (
            "AMD revenue in 2016 and from 2018 to 2022",
            "2016 and 2018–2022 asked, a ranking each; the main one: 2022",
            "fiscal year 2022, the latest of 2016 and 2018–2022 asked",
        ),
        (
            "AMD revenue over the last three years to 2022",
            "2020–2022 asked, a ranking each; the main one: 2022",
            "fiscal year 2022, the latest of 2020–2022 asked",
        ),
        (
            "AMD revenue in 2017, 2019 and 2031",
            "2017, 2019 and 2031 asked; the nearest year to 2031 is 2022",
            "fiscal year 2022: the library lacks 2031",
        ),
        (
            "AMD revenue over the last three years",
            "the last 3 years asked: all stay",
            "",
        ),
        ("AMD revenue", "no year asked: all stay", ""),
        // Each company has a year of its own.
        (
            "AMD 2022 and Nike 2023 revenue",
            "AMD 2022 asked, Nike 2023 asked",
            "fiscal year 2022 asked",
        ),
    ];
    for (question, kept, why) in cases {
        let reading = read(&Tables::builtin(), &companies, question);
        let scope = scope(&library, question, &reading, &Settings::default());
        let year = &scope.stages[2];
        assert_eq!(
            (year.kept.as_str(), year.reasons[0].why.as_str()),
            (*kept, *why),
            "{question}"
        );
    }
    let mut hand = Settings::default();
    hand.scope.years = Some((2021, 2022));
    let reading = read(&Tables::builtin(), &companies, "AMD revenue");
    let scope = scope(&library, "AMD revenue", &reading, &hand);
    assert_eq!(
        scope.stages[2].kept,
        "2021 and 2022 asked, a ranking each; the main one: 2022"
    );
    // Of a range without end the latest years count.
    hand.scope.years = Some((1900, 2022));
    hand.several = false;
    let asked = super::scope(&library, "AMD revenue", &reading, &hand);
    assert_eq!(asked.year, Some(2022));
    hand.scope.years = Some((2021, 2022));
    // One ranking for all of them.
    let reading = read(&Tables::builtin(), &companies, "AMD revenue");
    assert_eq!(
        super::scope(&library, "AMD revenue", &reading, &hand).stages[2].kept,
        "2021 and 2022 asked; the latest is 2022"
    );
    for (question, company, form) in [
        (
            "AMD and Nike revenue",
            "AMD, Nike, a ranking each; the main one: all",
            "no period asked: the latest annual filing and later",
        ),
        (
            "AMD revenue over the last three years",
            "AMD",
            "the last 3 years asked, a ranking each; the main one: the latest annual filing and later",
        ),
        (
            "AMD revenue Q3",
            "AMD",
            "Q3 asked of no year: the latest annual filing and later",
        ),
    ] {
        let reading = read(&Tables::builtin(), &companies, question);
        let scope = super::scope(&library, question, &reading, &Settings::default());
        let kept = [1, 3].map(|stage: usize| scope.stages[stage].kept.as_str());
        assert_eq!(kept, [company, form], "{question}");
    }
}

#[test]
fn another_period_than_the_one_asked_is_told() {
    let dir = tempfile::tempdir().unwrap();
    const QUARTER: FilingLine = (
        "AMD_2023Q1_10Q",
        "AMD",
        Form::TenQ,
        2023,
        1,
        "",
        "2023-04-01",
    );
    let library = library_of(dir.path(), &[FILINGS, &[QUARTER]].concat());
    let companies = vec!["AMD".to_string(), "Nike".to_string()];
    let cases: &[(&str, &[&str])] = &[
        ("AMD revenue 2022", &[]),
        ("AMD quarterly dividend 2022", &[]),
        ("Nike Q4 2023 revenue", &[]),
        ("AMD revenue Q1 2023", &[]),
        (
            "AMD revenue 2023",
            &[
                "the library has no annual filing of AMD for 2023: filings of quarters and events are searched",
            ],
        ),
        (
            "AMD and Nike revenue 2023",
            &[
                "the library has no annual filing of AMD for 2023: filings of quarters and events are searched",
            ],
        ),
        (
            "AMD Q4 2022 revenue",
            &["the library has no filing of AMD for Q4 that fits: the whole year is searched"],
        ),
        (
            "AMD sales in the December 2022 quarter",
            &[
                "the library has no filing of AMD for a quarter that fits: the whole year is searched",
            ],
        ),
        (
            "What does Nike forecast for 2024?",
            &[
                "the library has no filing of Nike for 2024: 2023 is searched, the year before, which looks ahead to it",
            ],
        ),
    ];
    for (question, notes) in cases {
        let reading = read(&Tables::builtin(), &companies, question);
        let scope = scope(&library, question, &reading, &Settings::default());
        assert_eq!(scope.missing, *notes, "{question}");
    }
    // The year before the one taken looks ahead to that one, and not to the one asked.
    let question = "What does Nike forecast for 2024?";
    let reading = read(&Tables::builtin(), &companies, question);
    let scope = scope(&library, question, &reading, &Settings::default());
    let kept = scope
        .filings
        .iter()
        .map(|&(filing, _)| library.filing(filing).year());
    assert!({ kept }.all(|year| year == Some(2023)));
    // But a year that is named stays, though another stands in for the one asked.
    let question = "As of FY2021, what does AMD expect to pay in 2025?";
    let reading = read(&Tables::builtin(), &companies, question);
    let scope = super::scope(&library, question, &reading, &Settings::default());
    let kept = scope
        .filings
        .iter()
        .map(|&(filing, _)| library.filing(filing).doc_name.as_str());
    assert!({ kept }.any(|name| name == "AMD_2021_10K"));
}

#[test]
fn the_nearest_year_is_one_before_unless_the_next_two_hold_it() {
    let dir = tempfile::tempdir().unwrap();
    let annual = |name, year| (name, "AMD", Form::TenK, year, 0, "", "");
    let filings = [
        annual("AMD_1999_10K", 1999),
        annual("AMD_2010_10K", 2010),
        annual("AMD_2014_10K", 2014),
        (
            "AMD_2019Q1_10Q",
            "AMD",
            Form::TenQ,
            2019,
            1,
            "",
            "2019-03-30",
        ),
    ];
    let library = library_of(dir.path(), &filings);
    for (asked, kept) in [
        (1995, "AMD_1999_10K"),
        (2007, "AMD_1999_10K"),
        (2008, "AMD_2010_10K"),
        (2009, "AMD_2010_10K"),
        (2011, "AMD_2010_10K"),
        (2012, "AMD_2010_10K"),
        (2013, "AMD_2014_10K"),
        // The latest annual filing is too old to stand in.
        (2031, "AMD_2019Q1_10Q"),
    ] {
        let question = format!("AMD revenue {asked}");
        let (names, _) = of_amd(&library, &question, &Settings::default());
        assert_eq!(names, [kept], "{question}");
    }
}

#[test]
fn for_a_year_after_everything_the_latest_annual_filing_stands_in() {
    let dir = tempfile::tempdir().unwrap();
    let amd = |name, form, year, quarter, cover| (name, "AMD", form, year, quarter, "", cover);
    let library = library_of(
        dir.path(),
        &[
            amd("AMD_2021_10K", Form::TenK, 2021, 0, "2021-12-25"),
            amd("AMD_2022_10K", Form::TenK, 2022, 0, "2022-12-31"),
            amd("AMD_2023Q2_10Q", Form::TenQ, 2023, 2, "2023-07-01"),
        ],
    );
    let nearest = "the library has no filing of AMD for 2031: 2023 is searched, the nearest year";
    let annual = "the library has no filing of AMD for 2031: 2022 is searched, the nearest year with an annual filing";
    for (question, kept, said) in [
        ("AMD capex FY2031", "AMD_2022_10K", annual),
        ("AMD's 10-Q of 2031", "AMD_2023Q2_10Q", nearest),
        ("AMD capex in Q2 2031", "AMD_2023Q2_10Q", nearest),
        ("AMD's quarterly capex in 2031", "AMD_2023Q2_10Q", nearest),
        ("AMD headquarters 2031", "AMD_2022_10K", annual),
    ] {
        let (names, scope) = of_amd(&library, question, &Settings::default());
        assert_eq!(names, [kept], "{question}");
        assert_eq!(scope.missing, [said], "{question}");
    }
}

#[test]
fn nothing_recognised_locks_nothing_out_and_switches_switch() {
    let dir = tempfile::tempdir().unwrap();
    let library = library(dir.path());
    let companies = vec!["AMD".to_string(), "Nike".to_string()];
    let tables = Tables::builtin();
    let kept = |question: &str, settings: &Settings| {
        let reading = read(&tables, &companies, question);
        scope(&library, question, &reading, settings).filings.len()
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

#[test]
fn what_widens_by_hand_never_narrows_to_the_latest_year() {
    let dir = tempfile::tempdir().unwrap();
    let library = library(dir.path());
    let companies = vec!["AMD".to_string(), "Nike".to_string()];
    let with = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        settings
    };
    let year_off = with(|s| s.year = false);
    let year_ignored = with(|s| s.scope.ignore = vec![Facet::Year]);
    let years_by_hand = with(|s| {
        s.year = false;
        s.scope.years = Some((2021, 2021));
    });
    let nike_pinned = with(|s| s.scope.companies = vec!["Nike".to_string()]);
    let company_ignored = with(|s| s.scope.ignore = vec![Facet::Company]);
    let nike: &[&str] = &[
        "NIKE_2022_10K",
        "NIKE_2023Q1_10Q",
        "NIKE_2023Q2_10Q",
        "NIKE_2023Q4_EARNINGS",
        "NIKE_2023_10K",
        "NIKE_2023_8K_dated-2023-03-01",
    ];
    let latest = &nike[1..];
    let all: Vec<&str> = ["AMD_2021_10K", "AMD_2022_10K"]
        .into_iter()
        .chain(nike.iter().copied())
        .collect();
    let cases: &[(&str, &Settings, &[&str])] = &[
        ("Nike gross profit in FY2022", &year_off, nike),
        ("Nike gross profit in FY2022", &year_ignored, nike),
        ("Nike gross profit", &year_off, nike),
        ("gross profit in FY2022", &years_by_hand, &["AMD_2021_10K"]),
        ("capital expenditure", &nike_pinned, latest),
        ("AMD capital expenditure", &company_ignored, &all),
    ];
    for (question, settings, wanted) in cases {
        let reading = read(&Tables::builtin(), &companies, question);
        let scope = scope(&library, question, &reading, settings);
        let mut kept: Vec<&str> = (scope.filings.iter())
            .map(|f| library.filing(f.0).doc_name.as_str())
            .collect();
        kept.sort_unstable();
        assert_eq!(kept, *wanted, "{question}: {:#?}", scope.stages);
    }
    // The year set by hand is in force, and said.
    let question = "gross profit in FY2022";
    let reading = read(&Tables::builtin(), &companies, question);
    let scope = scope(&library, question, &reading, &years_by_hand);
    assert_eq!(scope.year, Some(2021));
    assert_eq!(scope.stages[2].kept, "2021 asked");
}

#[test]
fn a_day_off_is_the_date_asked_for_at_the_end_of_a_month_too() {
    let dir = tempfile::tempdir().unwrap();
    let quarter = |name, cover| (name, "AMD", Form::TenQ, 2022, 0, "", cover);
    let library = library_of(
        dir.path(),
        &[
            quarter("AMD_A_10Q", "2021-12-31"),
            quarter("AMD_B_10Q", "2022-01-29"),
            quarter("AMD_C_10Q", "2022-03-26"),
        ],
    );
    for (question, kept) in [
        (
            "AMD's 10-Q for the period ended January 1, 2022",
            "AMD_A_10Q",
        ),
        (
            "AMD's 10-Q for the period ended January 28, 2022",
            "AMD_B_10Q",
        ),
        (
            "AMD's 10-Q for the period ended March 27, 2022",
            "AMD_C_10Q",
        ),
    ] {
        let (names, _) = of_amd(&library, question, &Settings::default());
        assert_eq!(names, [kept], "{question}");
    }
}

#[test]
fn a_filing_without_a_fiscal_year_is_of_the_year_of_its_dates() {
    let dir = tempfile::tempdir().unwrap();
    let library = library_of(
        dir.path(),
        &[
            ("AMD_A_10K", "AMD", Form::TenK, 2020, 0, "", "2020-12-26"),
            ("AMD_B_10K", "AMD", Form::TenK, 0, 0, "", "2021-12-25"),
            ("AMD_C_8K", "AMD", Form::EightK, 0, 0, "2022-03-01", ""),
            ("AMD_D", "AMD", Form::Other, 0, 0, "", ""),
        ],
    );
    for (question, years, wanted) in [
        ("AMD revenue", Some((2020, 2020)), vec!["AMD_A_10K"]),
        ("AMD revenue", Some((2021, 2021)), vec!["AMD_B_10K"]),
        ("AMD revenue", Some((2022, 2022)), vec!["AMD_C_8K"]),
        ("AMD revenue", Some((2023, 2023)), vec![]),
        // The latest annual filing and later.
        ("AMD revenue", None, vec!["AMD_B_10K", "AMD_C_8K"]),
    ] {
        let mut settings = Settings::default();
        settings.scope.years = years;
        let (names, _) = of_amd(&library, question, &settings);
        assert_eq!(names, wanted, "{question} {years:?}");
    }
}

#[test]
fn an_annual_report_answers_for_a_10_k_read_or_set_by_hand() {
    let dir = tempfile::tempdir().unwrap();
    let amd = |name, form| (name, "AMD", form, 2022, 0, "", "2022-12-31");
    let library = library_of(
        dir.path(),
        &[
            amd("AMD_2022_10K", Form::TenK),
            amd("AMD_2022_10Q", Form::TenQ),
            amd("AMD_2022_annualreport", Form::AnnualReport),
        ],
    );
    let by_hand = |form| {
        let mut settings = Settings::default();
        settings.scope.forms = vec![form];
        settings
    };
    let both: &[&str] = &["AMD_2022_10K", "AMD_2022_annualreport"];
    for (question, settings, kept) in [
        ("AMD's 10-K of 2022", Settings::default(), both),
        ("AMD in 2022", by_hand(Form::TenK), both),
        ("AMD in 2022", by_hand(Form::AnnualReport), &both[1..]),
    ] {
        let (names, scope) = of_amd(&library, question, &settings);
        assert_eq!(names, kept, "{question}");
        assert!(scope.missing.is_empty(), "{question}: {:?}", scope.missing);
    }
}

#[test]
fn the_year_of_another_company_is_no_year_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let annual = |name, company, year| (name, company, Form::TenK, year, 0, "", "");
    let library = library_of(
        dir.path(),
        &[
            annual("AMD_2021_10K", "AMD", 2021),
            annual("AMD_2022_10K", "AMD", 2022),
            annual("NIKE_2021_10K", "Nike", 2021),
        ],
    );
    let companies = vec!["AMD".to_string(), "Nike".to_string()];
    for (question, score, why) in [
        ("AMD 2022 and Nike 2021 revenue", 0.0, ""),
        (
            "AMD revenue in 2022 and 2021",
            1.0,
            "2021, another year named",
        ),
    ] {
        let reading = read(&Tables::builtin(), &companies, question);
        let settings = Settings::default();
        let asked = Asked::new(question, &reading, &settings);
        let filing = library.find("AMD_2021_10K").unwrap();
        let years = asked.years_of(&library, &[0, 1, 2]);
        let fit = asked.fit(
            library.filing(filing),
            filing,
            years.of(library.filing(filing)),
            Parts::Year,
        );
        assert_eq!(
            (fit.score, fit.why.concat()),
            (score, why.to_string()),
            "{question}"
        );
    }
}

#[test]
fn the_figure_of_a_year_is_in_reports_on_periods() {
    let dir = tempfile::tempdir().unwrap();
    let ended = "2023-01-31";
    let filings: [FilingLine; 4] = [
        (
            "CRM_2021_8K",
            "Salesforce",
            Form::EightK,
            2021,
            0,
            "2022-01-04",
            "",
        ),
        ("CRM_2023_10K", "Salesforce", Form::TenK, 2023, 0, "", ended),
        (
            "CRM_2023Q3_10Q",
            "Salesforce",
            Form::TenQ,
            2023,
            3,
            "",
            "2022-10-31",
        ),
        (
            "CRM_2024Q1_10Q",
            "Salesforce",
            Form::TenQ,
            2024,
            1,
            "",
            "2023-04-30",
        ),
    ];
    let library = library_of(dir.path(), &filings);
    let kept = |question: &str| {
        let reading = read(&Tables::builtin(), &["Salesforce".to_string()], question);
        let scope = scope(&library, question, &reading, &Settings::default());
        let names = scope.filings.iter();
        let names = names.map(|f| library.filing(f.0).doc_name.clone());
        (names.collect::<Vec<_>>(), scope.stages[3].kept.clone())
    };
    // The annual report of the year after next has the figure of 2021 and 2022; the 8-K tells of an event.
    for question in ["Salesforce revenue FY2022", "Salesforce revenue FY2021"] {
        let (kept, _) = kept(question);
        assert!(
            kept.contains(&"CRM_2023_10K".to_string()),
            "{question}: {kept:?}"
        );
        assert!(
            !kept.contains(&"CRM_2021_8K".to_string()),
            "{question}: {kept:?}"
        );
    }
    let (of_event, _) = kept("What did Salesforce tell its staff in January 2022?");
    assert!(
        of_event.contains(&"CRM_2021_8K".to_string()),
        "{of_event:?}"
    );
    // The latest year is that of an annual filing, whatever quarters follow.
    let (latest, why) = kept("Salesforce revenue last fiscal year");
    assert_eq!(latest, ["CRM_2023_10K"]);
    assert_eq!(why, "the latest year asked");
}
