//! Tables of questions and what is read from them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::library::Form;

fn catalog() -> Vec<String> {
    let tables = Tables::builtin();
    tables
        .companies
        .iter()
        .map(|company| company.name.clone())
        .collect()
}

fn reading(question: &str) -> Reading {
    read(&Tables::builtin(), &catalog(), question)
}

/// Companies of a question: `Apple`, `Delta|Delta Apparel` when they can't be told apart, `Block~` from a brand.
fn companies_in(catalog: &[String], question: &str) -> String {
    let reading = read(&Tables::builtin(), catalog, question);
    let mut out: Vec<String> = Vec::new();
    for mention in &reading.companies {
        let mut name = mention.company.clone();
        for other in &mention.or {
            name = format!("{name}|{other}");
        }
        if mention.brand {
            name.push('~');
        }
        if !out.contains(&name) {
            out.push(name);
        }
    }
    out.join(", ")
}

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
    out.join(" ")
}

/// Checks a table and reports every row that fails, not the first alone.
fn check_table(rows: &[(&str, &str)], read: impl Fn(&str) -> String) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(question, expected)| {
            let got = read(question);
            (got != *expected)
                .then(|| format!("{question}\n    expected {expected}\n    read     {got}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
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
fn companies_as_people_write_them() {
    let catalog = catalog();
    check_table(
        &[
            ("capex for 3M?", "3M"),
            ("3M's capex", "3M"),
            ("3m capex fy18", "3M"),
            ("MMM capex", "3M"),
            ("did Apple lose $3m", "Apple"),
            ("a charge of 3m at Boeing", "Boeing"),
            ("1.3M people", ""),
            ("AES 2016 gross margin", "AES Corporation"),
            ("AES Corporation", "AES Corporation"),
            ("caesar", ""),
            ("AMD vs Intel gross margin 2022", "AMD, Intel"),
            ("Advanced Micro Devices", "AMD"),
            ("what about amd's r&d", "AMD"),
            ("ATVI", "Activision Blizzard"),
            ("Activision", "Activision Blizzard"),
            (
                "would Microsoft owe Activision",
                "Microsoft, Activision Blizzard",
            ),
            ("ACTIVSIONBLIZZARD_2023Q2_10Q", "Activision Blizzard"),
            ("AMZN", "Amazon"),
            ("amazon.com, inc.", "Amazon"),
            ("AMCR asset turnover", "Amcor"),
            ("AMCOR's", "Amcor"),
            ("AMEX", "American Express"),
            ("Amex's airline", "American Express"),
            ("American Express", "American Express"),
            ("American Water's staff", "American Water Works"),
            ("AWK's 2018 EBITDA", "American Water Works"),
            ("American banks", ""),
            ("AAPL's bonds", "Apple"),
            ("apples gross margin", "Apple"),
            ("an apples to apples comparison", ""),
            ("BBY", "Best Buy"),
            ("BestBuy", "Best Buy"),
            ("best buy stores", "Best Buy"),
            ("Best Buy's", "Best Buy"),
            ("Block (formerly known as Square)", "Block"),
            ("Block (then called Square)", "Block"),
            ("square revenue", "Block"),
            ("block fy20 revenue", "Block"),
            ("how many square feet", ""),
            ("How many square feet does Ulta have", "Ulta Beauty"),
            ("did regulators block the deal", ""),
            ("did Pfizer block a bid", "Pfizer"),
            ("Cash App gross profit", "Block~"),
            ("How did Block's Cash App do", "Block"),
            ("Boeing's", "Boeing"),
            ("Boeings backlog", "Boeing"),
            ("CVS's drugstore segment", "CVS Health"),
            ("CVS Health", "CVS Health"),
            ("Coke's SG&A", "Coca-Cola"),
            ("Coca Cola", "Coca-Cola"),
            ("Coca-Cola", "Coca-Cola"),
            ("cocacola", "Coca-Cola"),
            ("did KO spend", "Coca-Cola"),
            ("ko'd by rivals", ""),
            ("Coca-Cola Consolidated", ""),
            ("Corning", "Corning"),
            ("Owens Corning", ""),
            ("at GLW", "Corning"),
            ("COST membership fees", "Costco"),
            ("cost of sales at Costco", "Costco"),
            ("cost of sales", ""),
            ("WHAT IS THE COST OF SALES OF NIKE", "Nike"),
            ("Costco Wholesale", "Costco"),
            ("FedEx", "FedEx"),
            ("Fed Ex", "FedEx"),
            ("Foot Locker", "Foot Locker"),
            ("Footlocker's CEO", "Foot Locker"),
            ("foot-locker", "Foot Locker"),
            ("Foot Locker's boss Richard Johnson", "Foot Locker"),
            ("General Mills's", "General Mills"),
            ("GIS dividends", "General Mills"),
            ("genmills", "General Mills"),
            ("INTC", "Intel"),
            ("intelligence", ""),
            ("JPM", "JPMorgan"),
            ("JPM's", "JPMorgan"),
            ("J.P. Morgan", "JPMorgan"),
            ("J. P. Morgan", "JPMorgan"),
            ("JP Morgan Chase & Co.", "JPMorgan"),
            ("JPMorgan Chase and Co", "JPMorgan"),
            ("Chase's deposits", "JPMorgan"),
            ("did Nike chase growth", "Nike"),
            ("JnJ's", "Johnson & Johnson"),
            ("JNJ", "Johnson & Johnson"),
            ("J&J", "Johnson & Johnson"),
            ("J & J", "Johnson & Johnson"),
            ("Johnson and Johnson", "Johnson & Johnson"),
            ("Johnson&Johnson's", "Johnson & Johnson"),
            ("Kraft-Heinz", "Kraft Heinz"),
            ("KHC", "Kraft Heinz"),
            ("Lockheed", "Lockheed Martin"),
            ("LMT", "Lockheed Martin"),
            ("mgm debt", "MGM Resorts"),
            ("MGM Resorts International", "MGM Resorts"),
            ("McDonald's", "McDonalds"),
            ("McDonald\u{2019}s", "McDonalds"),
            ("mcdonalds", "McDonalds"),
            ("McD's results", "McDonalds"),
            ("msft fy17", "Microsoft"),
            ("NFLX FCF", "Netflix"),
            ("NKE", "Nike"),
            ("nikes", "Nike"),
            ("ORCL", "Oracle"),
            ("PG&E's", "PG&E Corporation"),
            ("PG and E", "PG&E Corporation"),
            ("pcg operating margin", "PG&E Corporation"),
            ("Pacific Gas & Electric", "PG&E Corporation"),
            ("PG_E_2023Q3_10Q", "PG&E Corporation"),
            ("PayPal", "Paypal"),
            ("PYPL", "Paypal"),
            ("PEP earn", "PepsiCo"),
            ("pep talk", ""),
            ("Pepsico", "PepsiCo"),
            ("Pepsi's", "PepsiCo"),
            ("Pepsis", "PepsiCo"),
            ("PFE", "Pfizer"),
            ("CRM disclose", "Salesforce"),
            ("crm", ""),
            ("CRM software sales of Oracle", "Oracle"),
            ("Salesforce merger", "Salesforce"),
            ("its sales force", ""),
            ("ULTA", "Ulta Beauty"),
            ("consultants", ""),
            ("VZ's handset", "Verizon"),
            ("Wal-Mart's", "Walmart"),
            ("Wal Mart", "Walmart"),
            ("WMT", "Walmart"),
            ("eBay", "eBay"),
            ("EBAY", "eBay"),
            ("ebays", "eBay"),
            ("LinkedIn's revenue", "Microsoft~"),
            ("What is the revenue?", ""),
            // Misspelt
            ("Microsfot's revenue", "Microsoft"),
            ("microsof", "Microsoft"),
            ("Verzion and Nike", "Nike"),
            ("Pfzier", "Pfizer"),
            ("Wallmarts stores", "Walmart"),
            ("Lockhead Martin backlog", "Lockheed Martin"),
            ("Amerian Express", "American Express"),
            ("Jonson & Johnson", "Johnson & Johnson"),
            ("an amazing boxing match", ""),
            ("this morning", ""),
        ],
        |question| companies_in(&catalog, question),
    );
}

#[test]
fn companies_of_a_users_library() {
    let catalog: Vec<String> = [
        "ADOBE INC.",
        "Delta Air Lines, Inc.",
        "Delta Apparel Inc",
        "Tyson Foods, Inc. /DE/",
        "General Electric Co",
        "Target Corp",
        "Visa Inc.",
        "The Home Depot, Inc.",
        "Berkshire Hathaway Inc",
        "3M CO",
        "Entergy Corp",
        "Generac",
    ]
    .map(String::from)
    .to_vec();
    check_table(
        &[
            ("Adobe's capex", "ADOBE INC."),
            ("ADBE capex", "ADOBE INC."),
            ("3M's capex", "3M CO"),
            ("Delta Air Lines capex", "Delta Air Lines, Inc."),
            ("Delta Air's capex", "Delta Air Lines, Inc."),
            ("Delta's capex", "Delta Air Lines, Inc.|Delta Apparel Inc"),
            ("Delta Apparel: Delta's capex", "Delta Apparel Inc"),
            ("Tyson Foods", "Tyson Foods, Inc. /DE/"),
            ("Tyson's", "Tyson Foods, Inc. /DE/"),
            ("the general electric business", "General Electric Co"),
            ("general expenses", ""),
            ("Target's stores", "Target Corp"),
            ("target revenue 2022", "Target Corp"),
            ("What is Visa's margin target?", "Visa Inc."),
            ("Home Depot", "The Home Depot, Inc."),
            ("Berkshire", "Berkshire Hathaway Inc"),
            // In the table, but not in this library.
            ("Netflix", ""),
            // Words that are one letter off a name.
            ("Entregy revenue", "Entergy Corp"),
            ("energy revenue", ""),
            ("general expenses", ""),
            ("generous provisions", ""),
        ],
        |question| companies_in(&catalog, question),
    );
    let twins = ["Adobe".to_string(), "ADOBE INC.".to_string()];
    assert_eq!(companies_in(&twins, "ADBE capex"), "Adobe|ADOBE INC.");
    let reading = read(&Tables::builtin(), &twins, "ADBE capex");
    assert!(reading.asks_several_companies().is_empty());
    assert_eq!(reading.company_names(), ["Adobe", "ADOBE INC."]);
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
        ],
        due,
    );
}

#[test]
fn statements_named() {
    let named = |question: &str| {
        let reading = reading(question);
        let named: BTreeSet<&str> = reading
            .statements
            .iter()
            .filter(|mention| mention.named)
            .map(|mention| mention.statement.as_str())
            .collect();
        Vec::from_iter(named).join(", ")
    };
    check_table(
        &[
            ("from the income statement", "income statement"),
            ("from the P&L", "income statement"),
            ("from the P & L statement", "income statement"),
            ("statement of operations", "income statement"),
            ("consolidated statements of earnings", "income statement"),
            ("statement of consolidated income", "income statement"),
            ("profit and loss statement", "income statement"),
            ("profit & loss", "income statement"),
            ("the balance sheet", "balance sheet"),
            ("debt on balance sheet", "balance sheet"),
            ("statement of financial position", "balance sheet"),
            (
                "consolidated statement of financial condition",
                "balance sheet",
            ),
            ("cash flow statement", "cash flow statement"),
            ("statements of cash flows", "cash flow statement"),
            (
                "statement of consolidated cash flows",
                "cash flow statement",
            ),
            ("cashflow statement", "cash flow statement"),
            (
                "the P&L statement and the balance sheet",
                "balance sheet, income statement",
            ),
            ("the financial statements", ""),
            ("results of operations", ""),
            ("a statement", ""),
        ],
        named,
    );
}

#[test]
fn forms_items_and_outlook() {
    let forms = |question: &str| {
        let reading = reading(question);
        let mut out: Vec<String> = reading
            .forms
            .iter()
            .map(|read| read.form.to_string())
            .collect();
        out.dedup();
        out.extend(
            reading
                .items
                .iter()
                .map(|read| format!("Item {}", read.item)),
        );
        if !reading.outlook.is_empty() {
            out.push("outlook".into());
        }
        out.join(", ")
    };
    check_table(
        &[
            ("per the 10-K", "10-K"),
            ("per the 10K", "10-K"),
            ("per its form 10-K/A", "10-K"),
            ("the FY2022 annual report", "10-K"),
            ("10-Q", "10-Q"),
            ("its quarterly report", "10-Q"),
            ("the 10q", "10-Q"),
            ("the 8-K of May 2023", "8-K"),
            ("the 8K", "8-K"),
            ("At the AGM", "8-K"),
            ("At the annual meeting of shareholders", "8-K"),
            ("in its earnings release", "earnings release"),
            ("the press release", "earnings release"),
            ("Item 1A", "Item 1A"),
            ("in Item 7 of the 10-K", "10-K, Item 7"),
            ("the risk factors", "Item 1A"),
            ("from MD&A", "Item 7"),
            ("in the MD & A section", "Item 7"),
            ("management's discussion and analysis", "Item 7"),
            ("management\u{2019}s discussion", "Item 7"),
            ("line items", ""),
            ("the forecast for 2024", "outlook"),
            ("will it grow", "outlook"),
            ("what does it expect", "outlook"),
            ("full-year guidance", "earnings release, outlook"),
        ],
        forms,
    );
    assert_eq!(reading("8-K").forms[0].form, Form::EightK);
}

#[test]
fn metrics_and_topics() {
    for (question, metrics, topics) in [
        ("days sales outstanding", &["days_sales"][..], &[][..]),
        (
            "How does the effective tax rate compare?",
            &["effective_tax_rate"],
            &["income_taxes"],
        ),
        ("return on assets (ROA)", &["returns"], &[]),
        ("What happened to headcount?", &[], &["employees"]),
        ("ongoing legal battles", &[], &["legal_proceedings"]),
        (
            "which segment leans most on a handful of buyers",
            &[],
            &["segments", "customers"],
        ),
        ("what drove the fall", &[], &["drivers"]),
    ] {
        let reading = reading(question);
        for metric in metrics {
            assert!(
                reading.metrics.iter().any(|read| read.metric == *metric),
                "{question}: {metric}"
            );
        }
        for topic in topics {
            assert!(
                reading.topics.iter().any(|read| read.topic == *topic),
                "{question}: {topic}"
            );
        }
    }
    let roa = reading("return on assets");
    let implied: Vec<_> = roa.statements.iter().filter(|read| !read.named).collect();
    assert_eq!(implied.len(), 2);
}

#[test]
fn a_topic_is_near_where_none_is_triggered() {
    let soft = |question: &str| -> Vec<String> {
        let reading = reading(question);
        assert!(
            reading
                .topics
                .iter()
                .all(|topic| topic.weight < 1.0 && topic.span.is_empty())
        );
        reading
            .topics
            .into_iter()
            .map(|topic| topic.topic)
            .collect()
    };
    assert!(
        soft("What does the attorney of the family demand?")
            .contains(&"legal_proceedings".to_string())
    );
    assert!(soft("Who is the physician?").len() <= 10);
    assert!(soft("the 2022 of it").is_empty());
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

#[test]
fn spans_are_those_of_the_question() {
    let question =
        "Did Foot Locker\u{2019}s FY2022\u{2013}FY2023 gross margin – per the 10\u{2011}K – fall?";
    let reading = reading(question);
    let text = |span: &Span| &question[span.clone()];
    assert_eq!(text(&reading.companies[0].span), "Foot Locker");
    assert_eq!(text(&reading.years[0].span), "FY2022");
    assert_eq!(text(&reading.years[1].span), "FY2023");
    assert_eq!(text(&reading.ranges[0].span), "FY2022\u{2013}FY2023");
    assert_eq!(text(&reading.forms[0].span), "10\u{2011}K");
    assert_eq!(text(&reading.metrics[0].span), "gross margin");
    let rest = without_names(question, &reading);
    assert_eq!(rest.len(), question.len());
    assert_eq!(
        rest.trim_start().replace("Did", "").trim_start(),
        &question[question.find("FY2022").unwrap()..]
    );
}

#[test]
fn names_are_left_out_with_their_possessives() {
    for (question, rest) in [
        ("What is 3M's capex?", "What is capex?"),
        ("What is General Mills' capex?", "What is capex?"),
        ("Boeings backlog", "backlog"),
        ("LinkedIn's revenue", "LinkedIn's revenue"),
        ("Microsoft's LinkedIn revenue", "LinkedIn revenue"),
        ("JPMorgan Chase & Co. (JPM) deposits", ". ( ) deposits"),
    ] {
        let stripped = without_names(question, &reading(question));
        let words: Vec<&str> = stripped.split_whitespace().collect();
        assert_eq!(words.join(" "), rest);
    }
}

#[test]
fn boilerplate_is_left_out() {
    let question = "What is the FY2018 capital expenditure amount (in USD millions) for 3M? Round your answer to two \
                    decimal places.";
    let reading = reading(question);
    let rest = without_boilerplate(&without_names(question, &reading), &reading);
    assert!(
        !rest.contains("two") && !rest.contains("USD") && rest.contains("capital expenditure"),
        "{rest}"
    );
}

#[test]
fn instructions_ask_for_nothing() {
    let question = "What is 3M's quick ratio? If it is not a relevant metric, please state that and explain why.";
    let reading = reading(question);
    assert!(reading.topics.iter().all(|read| read.topic != "drivers"));
    assert!(
        reading
            .metrics
            .iter()
            .any(|read| read.metric == "liquidity_ratios")
    );
}

#[test]
fn a_finance_chief_is_no_cash_flow() {
    let metrics = |question: &str| reading(question).metrics.len();
    assert_eq!(metrics("Who is the new CFO?"), 0);
    assert!(metrics("CFO minus capex") > 0);
}

#[test]
fn triggers_can_be_listed_and_silenced() {
    let tables = Tables::builtin();
    let question = "What was the effective tax rate?";
    let fired = tables.fired(question);
    assert!(
        fired
            .iter()
            .any(|(kind, entry, _)| *kind == TableKind::Metric && entry == "effective_tax_rate")
    );
    let silent = tables.without_triggers(&fired);
    assert!(silent.fired(question).is_empty());
    let reading = read(&silent, &catalog(), question);
    assert!(reading.metrics.is_empty() && reading.topics.iter().all(|topic| topic.weight < 1.0));
    // The others still fire.
    assert!(!silent.fired("earnings per share").is_empty());
}

#[test]
fn user_tables_add_extend_and_replace() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write(
        "mine.toml",
        r#"
        [[company]]
        name = "Acme Widgets"
        names = ["Acme"]
        tickers = ["ACM"]

        [[company]]
        name = "Apple"
        names = ["Cupertino giant"]

        [[metric]]
        id = "churn"
        triggers = ['churn*']
        line_items = ["churn"]

        [[metric]]
        id = "ebitda"
        replace = true
        triggers = ['ebitda after leases']
        phrases = ["ebitdaal"]

        [words]
        stop = ["Kindly"]
        "#,
    );
    write("notes.txt", "not a table");
    let tables = Tables::load(Some(dir.path())).unwrap();
    let mut catalog = catalog();
    catalog.push("Acme Widgets".into());
    let companies = |question| {
        let reading = read(&tables, &catalog, question);
        reading.company_names().join(", ")
    };
    assert_eq!(companies("ACM's churn"), "Acme Widgets");
    assert_eq!(companies("the Cupertino giant and AAPL"), "Apple");
    assert!(tables.metric("churn").is_some());
    assert_eq!(
        tables.metric("ebitda").unwrap().triggers,
        ["ebitda after leases"]
    );
    assert!(tables.is_stop_word("kindly"));
    // A folder that is not there is an empty one.
    Tables::load(Some(&dir.path().join("none"))).unwrap();
}

#[test]
fn the_documented_table_can_be_loaded() {
    let text = include_str!("../../docs/TABLES.md");
    let example = text
        .split("```toml\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mine.toml"), example).unwrap();
    let tables = Tables::load(Some(dir.path())).unwrap();
    let catalog = ["Delta Air Lines".to_string()];
    let reading = read(&tables, &catalog, "What was DAL's load factor in 2022?");
    assert_eq!(reading.company_names(), ["Delta Air Lines"]);
    assert_eq!(reading.metrics[0].metric, "load_factor");
    let reading = read(
        &tables,
        &catalog,
        "How many frequent flyers does Delta have?",
    );
    assert_eq!(reading.topics[0].topic, "loyalty");
}

#[test]
fn table_errors_name_file_and_line() {
    for (text, line, says) in [
        ("[[company]]\nnames = [\"x\"]\n", 1, "missing field `name`"),
        ("[[company]]\nname = \"\"\n", 2, "without a name"),
        (
            "[[company]]\nname = \"A\"\n[[company]]\nname = \"a\"\n",
            4,
            "twice",
        ),
        (
            "[[company]]\nname = \"A\"\nnames = [\n  \"ok\",\n  \"--\",\n]\n",
            5,
            "empty text in `names`",
        ),
        (
            "[[metric]]\nid = \"m\"\ntriggers = ['(']\nphrases = [\"x\"]\n",
            3,
            "no valid pattern",
        ),
        (
            "[[metric]]\nid = \"m\"\ntriggers = ['x']\n",
            1,
            "needs `triggers` and",
        ),
        (
            "[[metric]]\nid = \"m\"\nstatements = [\"profit\"]\n",
            3,
            "unknown variant",
        ),
        (
            "\n[[topic]]\nid = \"t\"\ntrigers = ['x']\n",
            4,
            "unknown field `trigers`",
        ),
        ("[[item]]\nitem = \"seven\"\n", 2, "is no Item"),
        ("[words]\nstop = 3\n", 2, "invalid type"),
        ("[[company]\n", 1, ""),
    ] {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("bad.toml"), text).unwrap();
        let error = Tables::load(Some(dir.path())).err().unwrap();
        assert_eq!(error.line, Some(line), "{error}\n{text}");
        assert!(error.message.contains(says), "{error}");
        assert!(
            error.to_string().contains(&format!("bad.toml:{line}: ")),
            "{error}"
        );
    }
}

#[test]
fn a_table_that_cannot_be_read_is_named_with_its_first_bad_line_if_it_has_one() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("bad.toml");
    std::fs::write(&file, b"[words]\nstop = [\"caf\xe9\"]\n").unwrap();
    let error = Tables::load(Some(dir.path())).err().unwrap().to_string();
    assert!(error.contains("bad.toml:2: not UTF-8"), "{error}");

    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let error = Tables::load(Some(dir.path())).err().unwrap().to_string();
    assert!(error.contains("bad.toml: cannot be read"), "{error}");
}

/// Every span of a reading, for checks that hold for all of them.
fn all_spans(reading: &Reading) -> Vec<Span> {
    let mut copy = reading.clone();
    let mut spans: Vec<Span> = spans_of(&mut copy).map(|span| span.clone()).collect();
    spans.extend(reading.companies.iter().map(|mention| mention.span.clone()));
    spans
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_string_is_read(question in r"(?s)(\PC|[ ,.'’–&$Q0-9]|FY|20[12]\d|Apple|J&J|q2|May|est|十|🍎|é){0,60}") {
        let reading = reading(&question);
        for span in all_spans(&reading) {
            prop_assert!(question.get(span.clone()).is_some(), "{span:?} of {question:?}");
        }
        let rest = without_names(&question, &reading);
        prop_assert_eq!(rest.len(), question.len());
        prop_assert_eq!(without_boilerplate(&rest, &reading).len(), question.len());
        prop_assert_eq!(plain(&question).len(), question.len());
    }
}

fn shared() -> Option<PathBuf> {
    let root = std::env::var_os("TENLEAF_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let found = root.join("financebench").is_dir();
    if !found {
        eprintln!(
            "skipped: {} has no financebench folder (set TENLEAF_SHARED)",
            root.display()
        );
    }
    found.then_some(root)
}

fn json_lines(path: PathBuf) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn the_company_of_the_shared_questions_is_found() {
    let Some(root) = shared() else { return };
    let filings = json_lines(root.join("financebench/manifest.jsonl"));
    let company_of = |doc: &str| {
        let filing = filings
            .iter()
            .find(|filing| filing["doc_name"] == doc)
            .unwrap();
        filing["company"].as_str().unwrap().to_string()
    };
    let catalog: BTreeSet<String> = filings
        .iter()
        .map(|filing| filing["company"].as_str().unwrap().to_string())
        .collect();
    let catalog: Vec<String> = catalog.into_iter().collect();
    let tables = Tables::builtin();
    // Every company of the catalog is in the table under its own name.
    for company in &catalog {
        assert!(
            tables.companies.iter().any(|entry| entry.name == *company),
            "{company}"
        );
    }
    let split: Value = serde_json::from_str(
        &std::fs::read_to_string(root.join("financebench/split.json")).unwrap(),
    )
    .unwrap();
    let is_test = |id: &Value| split["test"].as_array().unwrap().contains(id);
    for (file, id, at_least_found, at_most_wrong) in [
        (
            "financebench/financebench_open_source.jsonl",
            "financebench_id",
            147,
            0,
        ),
        ("questions/tune.jsonl", "id", 149, 1),
    ] {
        let (mut found, mut wrong) = (0, 0);
        for line in json_lines(root.join(file)) {
            let question = line["question"].as_str().unwrap();
            let company = company_of(line["doc_name"].as_str().unwrap());
            let reading = read(&tables, &catalog, question);
            let names = reading.company_names();
            if names.contains(&company.as_str()) {
                found += 1;
            } else {
                wrong += usize::from(!names.is_empty());
                // The test questions are counted, not looked at.
                if !is_test(&line[id]) {
                    println!("{}: {company} not in {names:?}: {question}", line[id]);
                }
            }
        }
        println!("{file}: company found for {found}, another one for {wrong}");
        assert!(
            found >= at_least_found && wrong <= at_most_wrong,
            "{file}: {found} found, {wrong} wrong"
        );
    }
}

/// `cargo test --release --lib question::tests::speed -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn speed() {
    let Some(root) = shared() else { return };
    let (tables, catalog) = (Tables::builtin(), catalog());
    let questions: Vec<String> =
        json_lines(root.join("financebench/financebench_open_source.jsonl"))
            .iter()
            .map(|line| line["question"].as_str().unwrap().to_string())
            .collect();
    let mut times = Vec::new();
    for _ in 0..5 {
        times.clear();
        for question in &questions {
            let start = std::time::Instant::now();
            std::hint::black_box(read(&tables, &catalog, question));
            times.push(start.elapsed().as_micros());
        }
    }
    times.sort();
    println!(
        "read: p50 {} us, p95 {} us, max {} us",
        times[75], times[142], times[149]
    );
}

#[test]
fn every_built_in_trigger_is_a_pattern() {
    let tables = Tables::builtin();
    let lists = (tables.statements.iter().map(|e| &e.triggers))
        .chain(tables.metrics.iter().map(|e| &e.triggers))
        .chain(tables.topics.iter().map(|e| &e.triggers))
        .chain(tables.items.iter().map(|e| &e.triggers))
        .chain(tables.forms.iter().map(|e| &e.triggers))
        .chain([
            &tables.words.outlook,
            &tables.words.boilerplate,
            &tables.words.why,
            &tables.words.sums,
        ]);
    let mut count = 0;
    for trigger in lists.flatten() {
        super::triggers::check(trigger).unwrap_or_else(|error| panic!("{trigger}: {error}"));
        count += 1;
    }
    assert!(count > 1000);
}
