//! Statements and kinds of page, on pages made for it.

use super::*;

const BALANCE_ITEMS: [&str; 14] = [
    "Cash and cash equivalents  2,853  3,053",
    "Accounts receivable  5,020  4,911",
    "Total current assets  13,709  14,277",
    "Property, plant and equipment  24,873  24,914",
    "Goodwill  10,051  10,513",
    "Total assets  36,500  37,987",
    "Accounts payable  2,266  1,945",
    "Total current liabilities  7,244  7,687",
    "Long-term debt  13,411  12,096",
    "Total liabilities  26,652  26,365",
    "Retained earnings  43,636  39,115",
    "Treasury stock  29,626  25,887",
    "Total equity  9,848  11,622",
    "Total liabilities and equity  36,500  37,987",
];

fn facts(pages: &[String]) -> Vec<PageFacts> {
    let texts: Vec<&str> = pages.iter().map(String::as_str).collect();
    read(&texts).iter().map(Page::facts).collect()
}

const INCOME: &str = "Consolidated Statement of Income\nYears ended December 31  2018  2017\n\
    Net sales  32,765  31,657\nCost of sales  16,682  16,055\nGross profit  16,083  15,602\n\
    Selling, general and administrative  7,602  6,626\nOperating income  7,207  7,692\n\
    Interest expense  350  322\nIncome before income taxes  7,000  7,548\n\
    Provision for income taxes  1,637  2,679\nNet income  5,349  4,858\n\
    Basic earnings per share  9.09  8.13\nDiluted  8.89  7.93\n";

const CASH_FLOW: &str = "Consolidated Statement of Cash Flows\nYears ended December 31  2018  2017\n\
    Net income  5,349  4,858\nDepreciation and amortization  1,488  1,544\n\
    Deferred income taxes  (57)  107\nAccounts receivable  (305)  (245)\nInventories  (509)  (387)\n\
    Net cash provided by operating activities  6,439  6,240\nCapital expenditures  (1,577)  (1,373)\n\
    Purchases of marketable securities  (1,828)  (2,152)\n\
    Net cash used in investing activities  222  (3,086)\nRepayment of debt  (1,034)  (962)\n\
    Purchases of treasury stock  (4,870)  (2,068)\nDividends paid  (3,193)  (2,803)\n\
    Net cash used in financing activities  (6,701)  (2,655)\n\
    Cash and cash equivalents at end of year  2,853  3,053\n";

fn balance(title: &str) -> String {
    format!(
        "{title}\nDecember 31 (Millions)  2018  2017\n{}\n",
        BALANCE_ITEMS.join("\n")
    )
}

#[test]
fn a_statement_is_told_by_title_and_line_items() {
    for title in [
        "Consolidated Balance Sheet",
        "Consolidated Balance Shee t",
        "CONSOLIDATED STATEMENTS OF FINANCIAL POSITION",
        "Statements of Financial Condition",
    ] {
        assert_eq!(
            facts(&[balance(title)])[0].is_statement(),
            Some(Statement::Balance),
            "{title}"
        );
    }
}

#[test]
fn what_only_looks_like_a_statement_is_none() {
    let prose = "The consolidated balance sheet is described in the notes, and total assets and \
        total liabilities are discussed with management below in long sentences without figures.";
    let contents = "INDEX TO CONSOLIDATED FINANCIAL STATEMENTS\nConsolidated Statement of Income  55\n\
        Consolidated Balance Sheet  57\nConsolidated Statement of Cash Flows  59\n";
    for (text, why) in [
        (prose.to_string(), "prose"),
        (contents.to_string(), "a contents page"),
        (
            balance("Schedule I\nParent Company\nCondensed Balance Sheets"),
            "a parent-only copy",
        ),
        (String::new(), "an empty page"),
    ] {
        assert_eq!(facts(&[text])[0].is_statement(), None, "{why}");
    }
}

#[test]
fn a_statement_runs_on_to_the_next_page() {
    let (first, rest) = BALANCE_ITEMS.split_at(6);
    let head = "Consolidated Balance Sheet\nDecember 31 (Millions)  2018  2017\n";
    let pages = [
        format!(
            "{head}{}\n{}\n",
            first.join("\n"),
            "Inventories  4,366  4,034\nOther assets  1,000  1,100\nOperating lease assets  858  800\nInvestments  348  300"
        ),
        format!("{}\n", rest.join("\n")),
    ];
    let found = facts(&pages);
    assert!(
        found[1].statement[1] > facts(&pages[1..])[0].statement[1],
        "{found:?}"
    );
    assert_eq!(
        found[1].is_statement(),
        Some(Statement::Balance),
        "{found:?}"
    );
}

#[test]
fn a_statement_of_two_titled_pages_is_both() {
    let title = "Consolidated Balance Sheet\nDecember 31 (Millions)  2018  2017";
    let (assets, liabilities) = BALANCE_ITEMS.split_at(6);
    let more = "Inventories  4,366  4,034\nOther assets  1,000  1,100\nLease assets  858  800";
    let pages = [
        format!("{title}\n{}\n{more}\n", assets.join("\n")),
        format!("{title}\n{}\n", liabilities.join("\n")),
    ];
    for (page, facts) in facts(&pages).iter().enumerate() {
        assert_eq!(facts.is_statement(), Some(Statement::Balance), "{page}");
    }
}

#[test]
fn a_statement_without_a_title_is_found_beside_the_others() {
    let untitled = balance("");
    let alone = facts(std::slice::from_ref(&untitled));
    assert_eq!(alone[0].is_statement(), None, "no other statement is near");
    let beside = facts(&[INCOME.into(), untitled.clone()]);
    assert_eq!(beside[1].is_statement(), Some(Statement::Balance));
    let titled = balance("Consolidated Balance Sheet");
    let copied = facts(&[titled, INCOME.into(), untitled]);
    assert_eq!(copied[2].is_statement(), None, "the filing has one");
}

#[test]
fn statements_far_behind_the_filings_own_are_copies() {
    let own = || {
        [
            INCOME.to_string(),
            balance("Balance Sheet"),
            CASH_FLOW.to_string(),
        ]
    };
    let notes = |pages: usize| vec!["Notes to the statements".to_string(); pages];
    let found = |pages: &[Vec<String>]| -> Vec<Option<Statement>> {
        let facts = facts(&pages.concat());
        facts
            .iter()
            .filter_map(|f| f.is_statement())
            .map(Some)
            .collect()
    };
    let all = [Statement::Income, Statement::Balance, Statement::CashFlow].map(Some);
    let later = vec![balance("Affiliate Corporation\nBalance Sheets")];
    assert_eq!(found(&[own().to_vec(), notes(10), later.clone()]).len(), 4);
    assert_eq!(found(&[own().to_vec(), notes(11), later.clone()]), all);
    // Where one of the three is nowhere near, nothing tells which the filing's own are.
    let two = own()[..2].to_vec();
    assert_eq!(found(&[two, notes(30), later]).len(), 3);
}

#[test]
fn kinds_of_page() {
    let cover = "UNITED STATES\nSECURITIES AND EXCHANGE COMMISSION\nForm 10-K\nCommission file number 1-3285\n";
    assert!(facts(&[cover.repeat(4)])[0].is(flag::COVER));
    assert!(!facts(&[String::new(), String::new(), cover.repeat(4)])[2].is(flag::COVER));
    let contents = format!(
        "TABLE OF CONTENTS\n{}",
        (1..=9)
            .map(|n| format!("Item {n}. A title ...... {n}\n"))
            .collect::<String>()
    );
    assert!(facts(&[contents])[0].is(flag::CONTENTS));
}

proptest::proptest! {
    #[test]
    fn any_pages_can_be_read(pages in proptest::collection::vec("\\PC{0,200}(\n[A-Za-z ]{0,30} [0-9,.()]{0,9}){0,6}", 0..4)) {
        for facts in facts(&pages) {
            assert!(facts.statement.iter().all(|s| s.is_finite() && *s >= 0.0));
        }
    }
}
