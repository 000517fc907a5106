//! Statements, forms, metrics, topics, and instructions that are none of them.

use std::collections::BTreeSet;

use super::*;
use crate::library::Form;

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
            ("Item 7, Item 1A and Item 7", "Item 7, Item 1A"),
            ("in Item 7 of the 10-K", "10-K, Item 7"),
            ("the risk factors", "Item 1A"),
            ("from MD&A", "Item 7"),
            ("in the MD & A section", "Item 7"),
            ("management's discussion and analysis", "Item 7"),
            ("management\u{2019}s discussion", "Item 7"),
            ("Items 7 and 7A", "Item 7, Item 7A"),
            ("items 1, 1A and 3", "Item 1, Item 1A, Item 3"),
            // Of an 8-K.
            ("Item 5.02 of its filings", ""),
            ("Items 5.02 and 9.01", ""),
            ("Item 17", ""),
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
fn everyday_words_for_a_metric_read_as_the_metric() {
    let metrics = |question: &str| {
        let metrics = reading(question).metrics.into_iter();
        let shown = metrics.map(|read| format!("{} [{}]", read.metric, &question[read.span]));
        shown.collect::<Vec<_>>().join(", ")
    };
    check_table(
        &[
            ("R&D spend", "research_and_development [R&D spend]"),
            (
                "R & D spending",
                "research_and_development [R & D spending]",
            ),
            (
                "research and development spend",
                "research_and_development [research and development spend]",
            ),
            ("R&D expenses", "research_and_development [R&D expenses]"),
            ("D&A expense", "depreciation [D&A expense]"),
            ("capex spend", "capital_expenditures [capex spend]"),
            ("cap ex", "capital_expenditures [cap ex]"),
            ("cap-ex outlays", "capital_expenditures [cap-ex outlays]"),
            ("SG&A spend", "selling_general_administrative [SG&A spend]"),
            ("opex spend", "operating_expenses [opex spend]"),
            ("op ex", "operating_expenses [op ex]"),
            ("S&M", "operating_expenses [S&M]"),
            ("topline growth", "revenue [topline]"),
            ("top-line growth", "revenue [top-line]"),
            ("total net sales", "revenue [total net sales]"),
            ("rev growth", "revenue [rev]"),
            ("bottomline", "net_income [bottomline]"),
            ("profit after tax", "net_income [profit after tax]"),
            ("PBT", "pretax_and_other_income [PBT]"),
            ("COGS", "gross_margin [COGS]"),
            (
                "costs of revenue",
                "gross_margin [costs of revenue], revenue [revenue]",
            ),
            ("op margin", "operating_income [op margin]"),
            ("EBIT margin", "operating_income [EBIT margin]"),
            ("D&A", "depreciation [D&A]"),
            ("FCF", "free_cash_flow [FCF]"),
            ("CFFO", "cash_flows [CFFO]"),
            ("share buybacks", "share_repurchases [share buybacks]"),
            ("stock repurchases", "share_repurchases [stock repurchases]"),
            ("buyback spend", "share_repurchases [buyback spend]"),
            ("dividend payments", "dividends [dividend payments]"),
            ("EPS diluted", "earnings_per_share [EPS diluted]"),
            ("SBC expense", "stock_compensation [SBC expense]"),
            ("net debt", "debt [net debt]"),
            ("LT debt", "debt [LT debt]"),
            ("debt outstanding", "debt [debt outstanding]"),
            ("D/E", "debt [D/E]"),
            ("A/R", "receivables_payables_inventories [A/R]"),
            ("AP", "receivables_payables_inventories [AP]"),
            ("interest payments", "interest_expense [interest payments]"),
            ("net worth", "balance_totals [net worth]"),
            ("working cap", "liquidity_ratios [working cap]"),
            // Not the metric.
            ("the top of the line", ""),
            ("spending by the state", ""),
            ("a map of the area", ""),
            ("the Ltd in its name", ""),
        ],
        metrics,
    );
    for words in ["headcount", "head count", "employee count", "FTEs"] {
        let topics = reading(words).topics;
        assert!(
            topics.iter().any(|read| read.topic == "employees"),
            "{words}"
        );
    }
}

#[test]
fn a_topic_is_near_where_none_is_triggered() {
    let soft = |question: &str| -> Vec<String> {
        let reading = reading(question);
        assert!(
            reading
                .topics
                .iter()
                .all(|topic| topic.weight < 1.0 && !topic.is_triggered())
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
