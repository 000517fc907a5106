//! Years, quarters, dates, and questions about several.

use super::*;

/// Periods of a question in short: `2019f` is a fiscal year, `2019` any year, `Q2`, `2023-05-26` a day, `2023-05`
/// a month, `2018..2020` a range, `last3`.
fn periods_in(question: &str) -> String {
    let reading = reading(question);
    let mut out: Vec<String> = Vec::new();
    for year in &reading.years {
        out.push(format!(
            "{}{}",
            year.year,
            if year.fiscal { "f" } else { "" }
        ));
    }
    for range in &reading.ranges {
        out.push(format!("{}..{}", range.from, range.to));
    }
    for quarter in &reading.quarters {
        out.push(format!("Q{}", quarter.quarter));
    }
    for date in &reading.dates {
        let text = date.date.to_string();
        out.push(if date.day_known {
            text
        } else {
            text[..7].to_string()
        });
    }
    if let Some(last) = &reading.last_years {
        out.push(format!("last{}", last.count));
    }
    if let Some(since) = &reading.since {
        out.push(format!("since{}", since.year));
    }
    for span in &reading.unsure_years {
        out.push(format!("{}?", &question[span.clone()]));
    }
    out.join(" ")
}

#[test]
fn two_digits_beside_a_company_are_a_year_where_nothing_else_is_likely() {
    check_table(
        &[
            ("compare Coke 22 and Pepsi 22 revenue", "2022 2022"),
            ("inflation (PepsiCo, 22)", "2022"),
            ("Nike's 21 gross margin", "2021"),
            ("Nike 21", "2021"),
            ("Nike 21?", "2021"),
            ("Nike 21-23 revenue", "2021 2023 2021..2023"),
            ("Boeing 22 10-K", "2022"),
            // A number, or not to be told.
            ("Boeing 22 biggest customers", "22?"),
            ("Nike 15 stores", ""),
            ("Nike 21% margin", ""),
            ("Nike 21.5 margin", ""),
            ("Nike 10-K", ""),
            ("3M 10-K 2018", "2018"),
            ("Boeing 22 customers in 2019", "2019"),
            ("Boeing 37 deliveries", ""),
            ("iPhone 14 sales", ""),
        ],
        periods_in,
    );
}

#[test]
fn since_a_year_is_up_to_the_latest_there_is() {
    check_table(
        &[
            (
                "since 2019, how did Netflix memberships grow",
                "2019 since2019",
            ),
            ("growth since FY19", "2019f since2019"),
            (
                "growth since the beginning of fiscal 2019",
                "2019f since2019",
            ),
            ("growth since the merger in 2019", "2019"),
            ("growth in 2019", "2019"),
        ],
        periods_in,
    );
    let closed = |question: &str, latest| {
        let mut reading = reading(question);
        reading.close_since(latest);
        reading.asks_several_years(None)
    };
    assert_eq!(
        closed("growth since 2019", Some(2022)),
        [2019, 2020, 2021, 2022]
    );
    assert_eq!(
        closed("growth since 2019 to 2021", Some(2022)),
        [2019, 2020, 2021]
    );
    assert!(closed("growth since 2019", Some(2019)).is_empty());
    assert!(closed("growth since 2019", None).is_empty());
    assert!(closed("growth in 2019", Some(2022)).is_empty());
}

#[test]
fn periods_as_people_write_them() {
    check_table(
        &[
            // Years
            ("capex in FY2019", "2019f"),
            ("capex in FY19", "2019f"),
            ("capex in FY 2019", "2019f"),
            ("capex in FY 19?", "2019f"),
            ("capex in FY'19", "2019f"),
            ("capex in FY-2019", "2019f"),
            ("capex in fy19, in $m", "2019f"),
            ("capex in F2019", "2019f"),
            ("capex in fiscal 2019", "2019f"),
            ("capex in fiscal year 2019", "2019f"),
            ("capex in fiscal-2019", "2019f"),
            ("capex in Fiscal '19", "2019f"),
            ("capex in the 2019 fiscal year", "2019f"),
            ("capex in FYE 2019", "2019f"),
            ("capex in financial year 2019", "2019f"),
            ("capex in fiscal year ended 2019", "2019f"),
            ("capex in 2019", "2019"),
            ("capex in calendar 2019", "2019"),
            ("capex in calendar year 2019", "2019"),
            ("capex in CY19", "2019"),
            ("capex in CY2019", "2019"),
            ("capex in 2019?", "2019"),
            ("2019 capex", "2019"),
            ("capex(2019)", "2019"),
            ("capex in '19", "2019"),
            ("capex in \u{2019}19", "2019"),
            ("capex in 2023E", "2023"),
            ("capex in FY23E", "2023f"),
            ("3M_2018_10K", "2018"),
            ("year 2019", "2019"),
            ("year-end 2018", "2018f"),
            ("capex in 1998", "1998"),
            ("capex in FY98", "1998f"),
            ("capex in 2049", "2049"),
            // Several years and ranges
            ("FY2018 - FY2020", "2018f 2020f 2018..2020"),
            ("FY2018-FY2020", "2018f 2020f 2018..2020"),
            ("FY2018\u{2013}FY2020", "2018f 2020f 2018..2020"),
            ("FY2018-2020", "2018f 2020f 2018..2020"),
            ("FY2018-20", "2018f 2020f 2018..2020"),
            ("FY18-FY20", "2018f 2020f 2018..2020"),
            ("FY18-20", "2018f 2020f 2018..2020"),
            ("FY18 to FY20", "2018f 2020f 2018..2020"),
            ("FY18/19", "2018f 2019f 2018..2019"),
            ("FY2013 through FY2015", "2013f 2015f 2013..2015"),
            ("fiscal years 2018 to 2020", "2018f 2020f 2018..2020"),
            ("fiscal years 2018, 2019 and 2020", "2018f 2019f 2020f"),
            ("FY2023, FY2022 and FY2021", "2023f 2022f 2021f"),
            ("2018-2020", "2018 2020 2018..2020"),
            ("2018 - 20", "2018 2020 2018..2020"),
            ("2018/19", "2018 2019 2018..2019"),
            ("from 2018 to 2020", "2018 2020 2018..2020"),
            ("between FY2018 and FY2020", "2018f 2020f 2018..2020"),
            (
                "between 2022 and the 2021 fiscal period",
                "2022 2021f 2021..2022",
            ),
            ("2022 vs 2021", "2022 2021"),
            ("2022 vs. 2021", "2022 2021"),
            ("2022 versus 2021", "2022 2021"),
            ("compare 2022 and 2023", "2022 2023"),
            ("'18-'20", "2018 2020 2018..2020"),
            ("over the last three years", "last3"),
            ("over the past 5 years", "last5"),
            ("the last two fiscal years", "last2"),
            ("over the last three years to FY2017", "2017f last3"),
            (
                "over the last three years (FY2013-FY2015)",
                "2013f 2015f 2013..2015 last3",
            ),
            // Quarters
            ("Q2 of FY2023", "2023f Q2"),
            ("Q2 FY2023", "2023f Q2"),
            ("Q2 FY23", "2023f Q2"),
            ("Q2FY23", "2023f Q2"),
            ("Q2FY2023", "2023f Q2"),
            ("Q22023", "2023 Q2"),
            ("Q223", "2023 Q2"),
            ("Q2 2023", "2023 Q2"),
            ("Q2-2023", "2023 Q2"),
            ("Q2/23", "2023 Q2"),
            ("Q2'23", "2023 Q2"),
            ("Q2 '23", "2023 Q2"),
            ("Q2, 2023", "2023 Q2"),
            ("Q2 in 2023", "2023 Q2"),
            ("Q2 fiscal 2023", "2023f Q2"),
            ("q2 23", "2023 Q2"),
            ("2Q23", "2023 Q2"),
            ("2Q 2023", "2023 Q2"),
            ("2Q2023", "2023 Q2"),
            ("2Q FY23", "2023f Q2"),
            ("2QFY23", "2023f Q2"),
            ("2022 Q2", "2022 Q2"),
            ("2022Q2", "2022 Q2"),
            ("2022-Q2", "2022 Q2"),
            ("FY2023Q1", "2023f Q1"),
            ("FY23Q1", "2023f Q1"),
            ("FY23 Q1", "2023f Q1"),
            ("FY2023 Q1", "2023f Q1"),
            ("fiscal 2023 Q1", "2023f Q1"),
            ("ULTABEAUTY_2024Q1_EARNINGS", "2024 Q1"),
            ("second quarter of 2023", "2023 Q2"),
            ("second fiscal quarter of 2023", "2023 Q2"),
            ("fiscal second quarter 2023", "2023 Q2"),
            ("second-quarter 2023", "2023 Q2"),
            ("2nd quarter of FY23", "2023f Q2"),
            ("2nd qtr 2023", "2023 Q2"),
            ("2023 second quarter", "2023 Q2"),
            ("second 2023 quarter", "2023 Q2"),
            ("quarter two of 2023", "2023 Q2"),
            ("quarter 2, 2023", "2023 Q2"),
            ("fourth quarter", "Q4"),
            ("final quarter of 2022", "2022 Q4"),
            ("last quarter of 2022", "2022 Q4"),
            ("in Q3", "Q3"),
            ("first and second quarters of 2023", "2023 Q1 Q2"),
            ("Q1 and Q2 2023", "2023 Q1 Q2"),
            ("Q1-Q3 2023", "2023 Q1 Q3"),
            ("between Q2 of FY2024 and FY2023", "2024f 2023f Q2"),
            ("Q2 of FY2023 compared to Q2 of FY2022", "2023f 2022f Q2 Q2"),
            ("Q2 2023 versus Q2 2022", "2023 2022 Q2 Q2"),
            ("(Q3 FY23)", "2023f Q3"),
            // Halves and months
            ("H1 FY2023", "2023f Q2"),
            ("H1 2023", "2023 Q2"),
            ("1H23", "2023 Q2"),
            ("2H 2023", "2023 Q4"),
            ("H2'23", "2023 Q4"),
            ("2023 H1", "2023 Q2"),
            ("FY23H1", "2023f Q2"),
            ("first half of 2023", "2023 Q2"),
            ("second half of fiscal 2023", "2023f Q4"),
            ("six months ended June 30, 2023", "2023 Q2 2023-06-30"),
            ("first nine months of 2023", "2023 Q3"),
            ("39 weeks ended October 29, 2022", "2022 Q3 2022-10-29"),
            ("over the next six months", ""),
            // Dates
            ("as of May 26, 2023", "2023 2023-05-26"),
            ("as of May 26 2023", "2023 2023-05-26"),
            ("as of May 26th, 2023", "2023 2023-05-26"),
            ("as of 26 May 2023", "2023 2023-05-26"),
            ("as of the 26th of May, 2023", "2023 2023-05-26"),
            ("as of 2023-05-26", "2023 2023-05-26"),
            ("as of 5/26/2023", "2023 2023-05-26"),
            ("as of 26/5/2023", "2023 2023-05-26"),
            ("as of 05/26/23", "2023 2023-05-26"),
            ("Dec. 31, 2016", "2016 2016-12-31"),
            ("(Dec 31, 2016)", "2016 2016-12-31"),
            ("Sept. 30, 2022", "2022 2022-09-30"),
            ("year ended December 31, 2015", "2015f 2015-12-31"),
            ("fiscal year ended May 31, 2023", "2023f 2023-05-31"),
            ("fiscal year ended January 2015", "2015f 2015-01"),
            ("quarter ended October 29, 2022", "2022 2022-10-29"),
            ("twelve weeks ended March 25, 2023", "2023 2023-03-25"),
            ("in the March 2023 quarter", "2023 2023-03"),
            ("in the March quarter of 2023", "2023 2023-03"),
            ("in May 2023", "2023 2023-05"),
            ("in may 2023", "2023 2023-05"),
            ("in May of 2023", "2023 2023-05"),
            ("in September, 2023", "2023 2023-09"),
            ("in Mar-23", "2023 2023-03"),
            ("in Sept '23", "2023 2023-09"),
            ("8K dated 2023-01-06", "2023 2023-01-06"),
            ("MCDONALDS_8K_dated-2023-01-06", "2023 2023-01-06"),
            ("February 31, 2023", "2023"),
            // Not years
            ("2,019 units", ""),
            ("2019 units", ""),
            ("$2,020", ""),
            ("$2020", ""),
            ("2020.5 points", ""),
            ("12,2019", ""),
            ("120192", ""),
            ("2020%", ""),
            ("2020 bps", ""),
            ("1850", ""),
            ("2050", ""),
            ("3.75% notes due 2029", ""),
            ("senior notes maturing in 2027", ""),
            ("lease expiring 2031", ""),
            ("notes due in the second quarter of 2024", ""),
            ("notes due in the second quarter", "Q2"),
            ("notes due May 31, 2023, as of Q1 2022", "2022 Q1"),
            ("adoption of ASU 2016-13", ""),
            ("debt due by year as of FY2022", "2022f"),
            ("Q2 15 stores", "Q2"),
            ("q5 2020", "2020"),
            ("", ""),
        ],
        periods_in,
    );
}

#[test]
fn years_in_which_something_falls_due() {
    let due = |question: &str| {
        let reading = reading(question);
        let said = |years: &[YearMention]| {
            let years = years.iter().map(|y| question[y.span.clone()].to_string());
            years.collect::<Vec<_>>().join(" ")
        };
        format!("{}|{}", said(&reading.due), said(&reading.years))
    };
    check_table(
        &[
            ("debt maturing in 2023", "2023|"),
            ("notes due 2029 and 2031", "2029 2031|"),
            ("debt maturing in 2023 through 2027", "2023 2027|"),
            ("2019 debt due in 2024", "2024|2019"),
            ("leases expiring by 2025, revenue in 2022", "2025|2022"),
            ("in 2022 and due 2029", "2029|2022"),
            ("debt due by year as of FY2022", "|FY2022"),
            // By when something is to happen, as told in another year.
            ("coal cut by 2030, per the 2019 report", "2030|2019"),
            ("FY2022 plan by the end of 2025", "2025|FY2022"),
            ("lease payments after 2026, FY2021", "2026|FY2021"),
            ("goodwill in 2024, as stated in its 2021 10-K", "2024|2021"),
            (
                "debt in 2024, according to the 2021 annual report",
                "2024|2021",
            ),
            ("the 2021 10-K and 2022", "|2021 2022"),
            ("capex in 2019 as reported in the 2021 10-K", "|2019 2021"),
            ("stores open by 2023", "|2023"),
            ("sales by 2019 and 2022", "|2019 2022"),
            ("notes due after 2023", "2023|"),
            ("debt due through 2025", "2025|"),
            ("bonds due between 2023 and 2025", "2023 2025|"),
            ("notes that mature by the end of 2023", "2023|"),
            // However the period is written.
            ("notes due May 31, 2023", "May 31, 2023|"),
            ("notes due on 5/31/2023", "5/31/2023|"),
            ("bonds maturing 31 May 2023", "31 May 2023|"),
            ("leases expiring in May 2025", "May 2025|"),
            ("debt due in fiscal year 2024", "fiscal year 2024|"),
            ("debt due in the fiscal year 2024", "fiscal year 2024|"),
            ("debt due in the year 2024", "2024|"),
            (
                "debt due in the fiscal year ending May 31, 2024",
                "May 31, 2024|",
            ),
            ("debt maturing in fiscal 2025", "fiscal 2025|"),
            ("debt due FY2024 and FY2025", "FY2024 FY2025|"),
            ("debt due in FY24, FY25 and FY26", "FY24 FY25 FY26|"),
            ("debt due in FY24-26", "FY24|"),
            (
                "notes due May 31, 2023 and June 1, 2025",
                "May 31, 2023 June 1, 2025|",
            ),
            ("notes due May 31, 2023 and 2025", "May 31, 2023 2025|"),
            ("debt due in Q2 2024", "Q2 2024|"),
            (
                "debt due in the second quarter of 2024",
                "second quarter of 2024|",
            ),
            (
                "fiscal 2022 debt due in fiscal 2024",
                "fiscal 2024|fiscal 2022",
            ),
            (
                "debt due in fiscal 2024 as of May 31, 2023",
                "fiscal 2024|2023",
            ),
            // An earlier year is the filing's.
            (
                "notes due fiscal 2023, FY2018 revenue",
                "fiscal 2023|FY2018",
            ),
            ("notes due 2023, 2018 and 2020 revenue", "2023|2018 2020"),
            ("notes due 2023, 2018 annual report", "2023|2018"),
            ("notes due 2023 and 2018 revenue", "2023|2018"),
            // A reason, no date.
            ("Was growth largely due in 2022 to prices?", "|2022"),
            (
                "Was growth largely due in fiscal 2022 to prices?",
                "|fiscal 2022",
            ),
            // Something else falls in the year.
            ("due to higher prices in fiscal 2022", "|fiscal 2022"),
            ("amounts due as of May 31, 2023", "|2023"),
        ],
        due,
    );
}

#[test]
fn several_years_and_companies() {
    let years = |question: &str| reading(question).asks_several_years(Some(2023));
    assert_eq!(years("revenue FY2019 to FY2021"), [2019, 2020, 2021]);
    assert_eq!(years("compare 2022 and 2023"), [2022, 2023]);
    assert_eq!(years("over the last three years"), [2021, 2022, 2023]);
    assert_eq!(
        years("over the last three years to FY2017"),
        [2015, 2016, 2017]
    );
    assert_eq!(years("revenue in 2022"), [0u16; 0]);
    assert_eq!(years("revenue"), [0u16; 0]);
    assert!(
        reading("the last 3 years")
            .asks_several_years(None)
            .is_empty()
    );
    assert_eq!(
        reading("AMD vs Intel gross margin 2022").asks_several_companies(),
        ["AMD", "Intel"]
    );
    assert!(
        reading("AMD's margin, AMD's sales")
            .asks_several_companies()
            .is_empty()
    );
}

#[test]
fn companies_beside_years_of_their_own() {
    let pairs = |question: &str| {
        let reading = reading(question);
        let pairs = reading.pairs(question).into_iter();
        let pairs: Vec<String> = pairs.map(|(company, y)| format!("{company} {y}")).collect();
        pairs.join(", ")
    };
    check_table(
        &[
            (
                "Compare Boeing 2018 and 3M 2019 revenue",
                "Boeing 2018, 3M 2019",
            ),
            (
                "Nike's FY2022 margin, Adobe in 2019 and AMD (2020)",
                "Nike 2022, Adobe 2019, AMD 2020",
            ),
            ("2018 Boeing vs. 2019 3M", "Boeing 2018, 3M 2019"),
            // Every company and every year.
            ("Boeing and 3M revenue 2018 and 2019", ""),
            ("Boeing 2018, 2019 and 3M 2019", ""),
            ("Boeing revenue 2018 and 3M revenue 2019", ""),
            ("Boeing 2018 to 3M 2019 and Nike", ""),
            ("Boeing 2018 - 2019 and 3M", ""),
            ("Boeing 2018 and 2019", ""),
            ("Boeing and 3M", ""),
        ],
        pairs,
    );
}
