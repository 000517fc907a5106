//! Companies, as people write them.

use super::*;

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
            ("Costko margin", "Costco"),
            ("Netflicks revenue", "Netflix"),
            ("Orakle debt", "Oracle"),
            // Typed as several words
            ("Net flix revenue", "Netflix"),
            ("net flix's revenue", "Netflix"),
            ("What did Boe ing earn?", "Boeing"),
            ("What did Wall Mart earn?", "Walmart"),
            ("General Mill's revenue", "General Mills"),
            ("e-Bay revenue", "eBay"),
            ("Cost co revenue", "Costco"),
            ("the general mill of the town", ""),
            ("The Sales Force of 2023", ""),
            ("the sales force of the company", ""),
            ("its net sales mix", ""),
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
fn another_company_of_a_longer_name_is_none_where_ordinary_words_follow() {
    let catalog = catalog();
    check_table(
        &[
            ("Coca-Cola bottling investments revenue 2022", "Coca-Cola"),
            ("Coca-Cola Bottling Investments revenue 2022", "Coca-Cola"),
            ("coca cola bottling investments revenue", "Coca-Cola"),
            ("Coca-Cola consolidated revenue 2022", "Coca-Cola"),
            ("Coca-Cola Bottling revenue 2022", ""),
            ("Coca-Cola Bottling Co. Consolidated revenue", ""),
            ("Coca-Cola Consolidated, Inc. revenue", ""),
            ("coca-cola hellenic revenue", ""),
            ("Owens Corning revenue", ""),
            ("owens corning revenue", ""),
            ("Dow corning revenue", ""),
            ("Times Square rents", ""),
        ],
        |question| companies_in(&catalog, question),
    );
}

#[test]
fn a_name_partly_written_wrong_is_read_whole() {
    let catalog = catalog();
    for (question, read, company) in [
        ("kraft hienz dividend 2019", "kraft hienz", "Kraft Heinz"),
        ("Krafft Heinz dividend", "Krafft Heinz", "Kraft Heinz"),
        (
            "10-K 2022 Ultta Beuty net sales",
            "Ultta Beuty",
            "Ulta Beauty",
        ),
        (
            "Amrican Expres revenue",
            "Amrican Expres",
            "American Express",
        ),
    ] {
        let reading = super::read(&Tables::builtin(), &catalog, question);
        let mentions = reading.companies.iter();
        let mentions =
            mentions.map(|m| (&question[m.span.clone()], m.company.as_str(), m.misspelt));
        assert_eq!(
            mentions.collect::<Vec<_>>(),
            [(read, company, true)],
            "{question}"
        );
    }
    for question in [
        "Kraft cheese sales",
        "Heinz ketchup",
        "kraft paper",
        "Boeing jets",
    ] {
        let reading = super::read(&Tables::builtin(), &catalog, question);
        assert!(reading.companies.iter().all(|m| !m.misspelt), "{question}");
    }
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
fn a_company_that_another_deals_with_is_not_asked_about() {
    let read = |question: &str| {
        let reading = read(&Tables::builtin(), &catalog(), question);
        let names = |list: &[CompanyMention]| -> Vec<String> {
            list.iter().map(|mention| mention.company.clone()).collect()
        };
        (names(&reading.companies), names(&reading.dealt_with))
    };
    for (question, asked, dealt_with) in [
        (
            "How much does Kraft Heinz sell to Walmart?",
            "Kraft Heinz",
            "Walmart",
        ),
        (
            "share of goods Foot Locker purchased from Nike in 2022",
            "Foot Locker",
            "Nike",
        ),
        (
            "What did Microsoft say about Activision Blizzard?",
            "Microsoft",
            "Activision Blizzard",
        ),
        ("Does AMD compete with Intel?", "AMD", "Intel"),
    ] {
        assert_eq!(
            read(question),
            (vec![asked.into()], vec![dealt_with.into()]),
            "{question}"
        );
    }
    // Without another company it is the one asked about; beside others it is one of them.
    assert_eq!(
        read("Who sells to Walmart?"),
        (vec!["Walmart".into()], vec![])
    );
    let both = read("Compare sales of Nike and Walmart");
    assert_eq!(both, (vec!["Nike".into(), "Walmart".into()], vec![]));
}
