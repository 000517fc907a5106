//! Names in a question that say nothing to this library, so that it can say so.

use std::sync::LazyLock;

use regex::Regex;

use super::{Reading, Span, Tables};
use crate::text::{self, months};

/// A word with a capital ("AT & T" is one), and its possessive.
static CAPITALISED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(\p{Lu}[\p{L}\p{N}&-]*(?: & \p{Lu}[\p{L}\p{N}&-]*)*)(['’]s?\b)?")
        .expect("a pattern")
});

/// What follows a company, and what stands before one, in a comparison. A name may have several words with capitals.
static COMPARED_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:['’]s?)?,?\s+(?P<by>(?i:vs\.?|versus|and|or|with|against|to))\s+(?P<name>[\p{L}&]{2,}(?:[ .-]\p{Lu}[\p{L}&]*)*)",
    )
    .expect("a pattern")
});
static COMPARED_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?P<name>(?:\p{Lu}[\p{L}&]*[ .-])*[\p{L}&]{2,}),?\s+(?P<by>(?i:vs\.?|versus|and|or|with|against|to))\s+$",
    )
    .expect("a pattern")
});

/// Names in a question that are no company of the library, nothing else that was read and no month: "Tesla" in
/// "Tesla's margin". A word is taken for a name when it has a possessive, or is capitalised inside the question.
/// One that begins it or has capitals alone has to be no word of filings, and what is asked of it to follow at once:
/// "Disney revenue".
pub fn unknown_names(tables: &Tables, reading: &Reading, question: &str) -> Vec<String> {
    let read = read_as_something(reading);
    let topics: Vec<&Span> = reading.topics.iter().map(|m| &m.span).collect();
    let mut names: Vec<String> = Vec::new();
    // Where the last name ended: the next word may go on with it.
    let mut last = None;
    // Where the last word that was read ended.
    let mut ended = None;
    for caps in CAPITALISED.captures_iter(question) {
        let word = caps.get(1).expect("the word");
        let possessive = caps.get(2).is_some();
        let within = |spans: &[&Span]| {
            let mut spans = spans.iter();
            spans.any(|span| span.start < word.end() && word.start() < span.end)
        };
        let goes_on = last == Some(word.start());
        // "Electric" is a topic, but not in "General Electric"; "Rate" no name after "Effective Tax".
        let known = within(&read) || !goes_on && within(&topics) || ended == Some(word.start());
        ended = (known && question[word.end()..].starts_with(' ')).then_some(word.end() + 1);
        // "Q5" is no name either.
        let shouted = (word.as_str().chars()).all(|c| c.is_uppercase() || c.is_numeric());
        let inside = question[..word.start()]
            .trim_end()
            .ends_with(|c: char| c.is_alphanumeric() || c == ',');
        let leads = || {
            let asked = |at: usize| read.iter().any(|span| span.start == at);
            let next = next_word(question, word.end());
            let after = next.and_then(|at| next_word(question, at + word_at(question, at)));
            let between = next.map_or("", |at| &question[at..at + word_at(question, at)]);
            let near = next.is_some_and(asked)
                || !inside && after.is_some_and(asked) && !is_common(tables, between);
            let letters = word.as_str().chars().filter(|c| c.is_alphabetic());
            near && letters.count() > 1 && tables.may_be_company(word.as_str())
        };
        let is_name = possessive || inside && !shouted || leads();
        if known || !is_name || is_common(tables, word.as_str()) {
            continue;
        }
        match names.last_mut() {
            Some(name) if goes_on => *name = format!("{name} {}", word.as_str()),
            _ => {
                let start = start_of_name(tables, &read, question, word.start());
                names.push(question[start..word.end()].to_string());
            }
        }
        last = question[word.end()..]
            .starts_with(' ')
            .then_some(word.end() + 1);
    }
    names.dedup();
    names
}

/// Names beside a company that is read, as one of a comparison: "Adidas" in "Nike vs Adidas". Without a capital only
/// after "vs".
pub fn compared_names(tables: &Tables, reading: &Reading, question: &str) -> Vec<String> {
    let read = read_as_something(reading);
    let mut names = Vec::new();
    for mention in &reading.companies {
        let after = COMPARED_AFTER.captures(&question[mention.span.end..]);
        let before = COMPARED_BEFORE.captures(&question[..mention.span.start]);
        let after = after.map(|caps| (caps, mention.span.end));
        for (caps, offset) in after.into_iter().chain(before.map(|caps| (caps, 0))) {
            let (name, by) = (caps.name("name"), caps.name("by"));
            let (Some(name), Some(by)) = (name, by) else {
                continue;
            };
            // Of "Merck R&D" the name ends where something else is read.
            let mut start = offset + name.start();
            // "Is Unilever or Nike larger?" begins with no name.
            if start == 0
                && let Some((word, _)) = name.as_str().split_once(' ')
                && is_common(tables, word)
            {
                start += word.len() + 1;
            }
            let ends = read.iter().map(|read| read.start).filter(|&at| at > start);
            let end = ends.fold(offset + name.end(), usize::min);
            let name = question[start..end].trim_end();
            let known = read.iter().any(|read| read.contains(&start));
            let capital = name.starts_with(char::is_uppercase);
            let versus = by.as_str().to_lowercase().starts_with('v');
            // "General Electric": ordinary words, but with capitals within the question.
            let mut words = name.split([' ', '.', '-']);
            let several = start > 0
                && name.contains(' ')
                && words.all(|word| word.starts_with(char::is_uppercase));
            if !known && (capital || versus) && (several || tables.may_be_company(name)) {
                names.push(name.to_string());
            }
        }
    }
    names.dedup();
    names
}

/// Where a name begins whose first telling word stands at `at`: words that alone name no company go before it,
/// "United Parcel Service", "Bank of America".
fn start_of_name(tables: &Tables, read: &[&Span], question: &str, at: usize) -> usize {
    let before = question[..at].strip_suffix(' ');
    let before = before.map(|before| before.strip_suffix(" of").unwrap_or(before));
    let word = before.and_then(|before| before.rsplit([' ', '(']).next());
    let (Some(before), Some(word)) = (before, word) else {
        return at;
    };
    let start = before.len() - word.len();
    let known = read
        .iter()
        .any(|span| span.start < before.len() && start < span.end);
    let weak = word.starts_with(char::is_uppercase) && tables.is_weak_name(&word.to_lowercase());
    match weak && !known {
        true => start_of_name(tables, read, question, start),
        false => at,
    }
}

/// Where the next word begins, when nothing but spaces and a comma, a colon or a dash lies before it.
fn next_word(question: &str, from: usize) -> Option<usize> {
    let rest = &question[from..];
    let next = rest.trim_start_matches([' ', ',', ':', '-', '\u{2013}', '\u{2014}']);
    let begins = next.starts_with(char::is_alphanumeric) && next.len() < rest.len();
    begins.then_some(question.len() - next.len())
}

/// Length of the word at this place.
fn word_at(question: &str, at: usize) -> usize {
    let rest = &question[at..];
    rest.find(|c: char| !c.is_alphanumeric())
        .unwrap_or(rest.len())
}

/// Words of a question that are near to names of the library, as typed, with the companies they may mean: "Bording"
/// for Boeing. `is_common` knows the stems that many pages have, which are no names written wrong.
pub fn near_names(
    tables: &Tables,
    catalog_companies: &[String],
    reading: &Reading,
    question: &str,
    is_common: &dyn Fn(&str) -> bool,
) -> Vec<(String, Vec<String>)> {
    let is_word = |word: &str| {
        tables.is_ordinary(word) || text::terms(word).iter().any(|term| is_common(term))
    };
    let names = tables.names(catalog_companies);
    let near = names.near(question, &read_as_something(reading), &is_word);
    near.into_iter()
        .map(|(span, companies)| {
            let companies = companies.into_iter().map(str::to_string).collect();
            (question[span].to_string(), companies)
        })
        .collect()
}

/// The words that were read as a name, a figure, a form or a period.
fn read_as_something(reading: &Reading) -> Vec<&Span> {
    (reading
        .companies
        .iter()
        .chain(&reading.dealt_with)
        .map(|m| &m.span))
    .chain(reading.metrics.iter().map(|m| &m.span))
    .chain(reading.statements.iter().map(|m| &m.span))
    .chain(reading.forms.iter().map(|m| &m.span))
    .chain(reading.quarters.iter().map(|m| &m.span))
    .chain(reading.years.iter().map(|m| &m.span))
    .chain(reading.dates.iter().map(|m| &m.span))
    .chain(reading.items.iter().map(|m| &m.span))
    .collect()
}

fn is_common(tables: &Tables, word: &str) -> bool {
    let lower = word.to_lowercase();
    tables.is_stop_word(&lower) || months::month(&lower).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_library_does_not_know() {
        let tables = Tables::builtin();
        let cases: &[(&str, &[&str])] = &[
            ("What is Tesla's gross margin in 2022?", &["Tesla"]),
            ("Tesla’s margin", &["Tesla"]),
            (
                "How much did General Electric pay in March 2020?",
                &["General Electric"],
            ),
            ("Compare Tesla, Rivian and AMD", &["Tesla", "Rivian"]),
            ("What is AMD's EBITDA by US GAAP?", &[]),
            ("What was the Effective Tax Rate?", &[]),
            ("IBM's Balance Sheet", &["IBM"]),
            ("gross margin", &[]),
            ("Gross margin of Tesla", &["Tesla"]),
            // At the beginning, where what is asked of it follows.
            ("Disney revenue FY2021", &["Disney"]),
            ("United Parcel Service revenue", &["United Parcel Service"]),
            ("Bank of America net income", &["Bank of America"]),
            ("Ford capex 2019", &["Ford"]),
            ("Ford Motor capex 2019", &["Ford Motor"]),
            ("Goldman Sachs net income 2019", &["Goldman Sachs"]),
            ("IBM revenue 2019", &["IBM"]),
            ("AT&T revenue 2019", &["AT&T"]),
            ("AT & T revenue 2019", &["AT & T"]),
            ("What was AT & T revenue in 2019?", &["AT & T"]),
            ("Uber 2021", &["Uber"]),
            ("Tesla, gross margin 2021", &["Tesla"]),
            ("Tesla: 2021 revenue", &["Tesla"]),
            ("Tesla - revenue", &["Tesla"]),
            ("Tesla 10-K 2021", &["Tesla"]),
            ("Disney streaming revenue", &["Disney"]),
            ("Google revenue 2021", &["Google"]),
            // In the table, but not in this library.
            ("Netflix revenue 2021", &["Netflix"]),
            ("What was IBM revenue in 2019?", &["IBM"]),
            ("Compare 2019 and 2020. Tesla revenue?", &["Tesla"]),
            // No name, or nothing is asked of it.
            ("Disney", &[]),
            ("Was revenue up in US GAAP terms?", &[]),
            ("Total revenue 2021", &[]),
            ("Q5 2020 revenue", &[]),
            ("R & D 2020", &[]),
            ("", &[]),
        ];
        for (question, names) in cases {
            let reading = crate::question::read(&tables, &["AMD".to_string()], question);
            assert_eq!(
                unknown_names(&tables, &reading, question),
                *names,
                "{question}"
            );
        }
    }

    #[test]
    fn names_compared_with_a_company() {
        let tables = Tables::builtin();
        let catalog = ["Nike", "Walmart", "Pfizer", "Microsoft", "Coca-Cola"].map(String::from);
        let cases: &[(&str, &[&str])] = &[
            ("Nike vs Adidas revenue 2022", &["Adidas"]),
            ("nike vs adidas", &["adidas"]),
            ("Compare Pfizer with Merck R&D 2021", &["Merck"]),
            ("Adidas and Nike margins", &["Adidas"]),
            ("Nike vs. Under Armour", &["Under Armour"]),
            (
                "What did General Electric and Nike spend?",
                &["General Electric"],
            ),
            ("Is Unilever or Coca-Cola larger?", &["Unilever"]),
            ("Nike's and Lululemon's revenue", &["Lululemon"]),
            // In the library, or no name.
            ("Nike vs Walmart", &[]),
            ("Nike and its competitors", &[]),
            ("Pfizer revenue and net income", &[]),
            ("Nike and Footwear revenue", &[]),
            ("Microsoft and revenue growth", &[]),
            ("Nike with the highest margin", &[]),
            ("", &[]),
        ];
        for (question, names) in cases {
            let reading = crate::question::read(&tables, &catalog, question);
            assert_eq!(
                compared_names(&tables, &reading, question),
                *names,
                "{question}"
            );
        }
    }

    #[test]
    fn words_that_begin_questions_are_no_names() {
        let tables = Tables::builtin();
        let begin = "Adjusted Aggregate All Analyze Annual Annualized Any Approximate APAC Assess Average Basic Best \
            Biggest Break CAGR Calculate CEO CFO Chart Check Combined Company Comparable Compare Compute Confirm \
            Consolidated Core Corporate COVID Cumulative Current Debt Deferred Define Derive Describe Determine Did \
            Diluted Discuss Display Domestic EMEA Employee ESG Estimate EU Europe Evaluate Explain Extract Fetch Final \
            Find Foreign Full GAAP Get Give Global Graph Gross Group Headline Highest Historical How I Identify IFRS \
            International Interpret Is Largest Last Latest LATAM Levered Like-for-like List Locate Long Look Lookup \
            Lowest LTM Main Management Mean Median Monthly MRQ Name Need Net Non-GAAP Normalized Organic Other Outline \
            Overall Please Plot Print Prior Product Pro Provide Pull QoQ Quantify Quarterly Quick Ratio Recent \
            Recurring Report Reported Restated Retrieve Return Review Revised Same Search See Segment Segments Short \
            Show Since Standalone State Stated Subscription Summarise Summarize Tabulate Tell Total Trace Track \
            Trailing Trend TTM Typical UK Unadjusted Underlying Unlevered Update US USA Verify Weighted Worldwide \
            Yearly YoY YTD Visualise Visualize Tally Quote Cite Double-check Sketch Contrast Rank Sort Enumerate Itemize \
            Itemise Specify Clarify Elaborate Infer Hi Hello Hey Thanks Covid Pandemic Christmas Holiday Winter Summer \
            Spring Autumn Fall Maintenance Growth Peak Lifetime Noncontrolling Hardware Software Cloud Digital Wholesale \
            Retail Bottom Top Half Mid Post Pre Pretax Aftertax Unaudited Audited Simple Exact Precise Actual Budgeted \
            Forecasted Projected Expected Guided Implied Incremental Sequential Yesterday Today Finance Ok Okay Yes No \
            Whats Hows Wheres Can Could Would Should May Will Let Read Open Print Pick Choose Select Walk Help Teach \
            Ballpark Roughly Circa Approx Avg Max Min Sum Mean Std Stdev Variance Percent Percentage Pct Dollar \
            Euro Yen USD EUR GBP NYSE NASDAQ SEC EDGAR XBRL FASB ASC IRS OEM B2B SaaS AI IoT R&D M&A IPO ESPP RSU PSU";
        let questions = begin
            .split_whitespace()
            .flat_map(|word| [format!("{word} revenue 2021"), format!("{word} the EBITDA")]);
        let told: Vec<String> = questions
            .filter(|question| {
                let reading = crate::question::read(&tables, &["AMD".to_string()], question);
                !unknown_names(&tables, &reading, question).is_empty()
            })
            .collect();
        assert!(told.is_empty(), "{told:?}");
    }

    #[test]
    fn names_written_wrong_are_asked_about_and_words_are_not() {
        let tables = Tables::builtin();
        let catalog = [
            "3M",
            "American Express",
            "Apple",
            "Block",
            "Boeing",
            "Entergy",
            "Generac",
            "Intel",
            "Johnson & Johnson",
            "Microsoft",
            "Nike",
            "Target",
            "Verizon",
            "Visa",
        ]
        .map(String::from);
        let cases: &[(&str, &[&str])] = &[
            ("Bording 2018 revenue", &["Bording: Boeing"]),
            ("bording 2018 revenue", &["bording: Boeing"]),
            ("What is Nkie's margin?", &["Nkie: Nike"]),
            ("Aple margin", &["Aple: Apple"]),
            // Typed as several words, or as heard.
            ("Ni ke margin", &["Ni ke: Nike"]),
            ("Nyke margin", &["Nyke: Nike"]),
            ("Aplle margin", &["Aplle: Apple"]),
            ("Am Ex margin", &["Am Ex: American Express"]),
            ("Tar Get margin", &[]),
            ("Compare Boeing and Veri zon", &["Veri zon: Verizon"]),
            // Beside a company that is named.
            ("Compare Boeing and Micorsfot", &["Micorsfot: Microsoft"]),
            ("Intel and Verzion", &["Verzion: Verizon"]),
            // Read as the name, which is said elsewhere.
            ("Micorsoft revenue", &[]),
            ("Amrican Expres revenue", &[]),
            ("Jonson & Johnson sales", &[]),
            // Words.
            ("Apply the target tax rate to the blocks of shares", &[]),
            ("What is a nice, boring, viable energy business?", &[]),
            ("general and administrative expenses until 2022", &[]),
            ("", &[]),
        ];
        for (question, wanted) in cases {
            let reading = crate::question::read(&tables, &catalog, question);
            let near = near_names(&tables, &catalog, &reading, question, &|_| false);
            let near = near
                .into_iter()
                .map(|(words, companies)| format!("{words}: {}", companies.join(", ")));
            assert_eq!(near.collect::<Vec<_>>(), *wanted, "{question}");
        }
        // A word of this library's filings is none either.
        let reading = crate::question::read(&tables, &catalog, "bording costs");
        let is_common = |term: &str| term == "bord";
        assert!(near_names(&tables, &catalog, &reading, "bording costs", &is_common).is_empty());
    }
}
