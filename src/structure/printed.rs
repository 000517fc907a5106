//! Page numbers printed on the pages.

use super::lines::lines;

/// A page number as printed: `60`, `F-12`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Number<'a> {
    /// What stands before the number, without the hyphen: `F` of `F-12`.
    prefix: &'a str,
    number: i64,
}

/// The page number printed at the foot or head of each page (`60`, `Page 60`, `60 of 120`, `- 60 -`, `F-12`), where its neighbours bear it out: a number counts when
/// another page within six has one the same distance from its place in the document.
pub fn printed_pages(pages: &[&str]) -> Vec<Option<String>> {
    let found: Vec<Vec<Number>> = pages.iter().map(|text| candidates(text)).collect();
    // Years head the columns of tables, the same ones on page after page: no filing counts so far.
    let most = 2 * pages.len() as i64 + 100;
    let found: Vec<Vec<Number>> = found
        .into_iter()
        .map(|of_page| of_page.into_iter().filter(|n| n.number <= most).collect())
        .collect();
    let offset = |page: usize, n: &Number| page as i64 - n.number;
    let agreeing = |page: usize, n: &Number| {
        let near = page.saturating_sub(6)..(page + 7).min(pages.len());
        near.filter(|&other| other != page)
            .filter(|&other| {
                found[other]
                    .iter()
                    .any(|m| offset(other, m) == offset(page, n) && m.prefix == n.prefix)
            })
            .count()
    };
    (0..pages.len())
        .map(|page| {
            // The first of the best: the foot of the page comes first.
            let mut best: Option<(usize, &Number)> = None;
            for n in &found[page] {
                let votes = agreeing(page, n);
                if votes > best.map_or(0, |(most, _)| most) {
                    best = Some((votes, n));
                }
            }
            best.map(|(_, n)| show(n))
        })
        .collect()
}

fn show(n: &Number) -> String {
    match n.prefix {
        "" => n.number.to_string(),
        prefix => format!("{prefix}-{}", n.number),
    }
}

/// Page numbers in the last and first lines, likeliest first.
fn candidates(text: &str) -> Vec<Number<'_>> {
    let mut out: Vec<Number> = Vec::new();
    let filled = |line: &&str| !line.trim().is_empty();
    let foot = text.rsplit('\n').filter(filled).take(4);
    let head = lines(text).map(|(_, line)| line).filter(filled).take(3);
    for line in foot.chain(head) {
        let line = line.trim();
        for n in in_line(line).into_iter().flatten() {
            if !out.contains(&n) {
                out.push(n);
            }
        }
    }
    out
}

/// The number a line consists of, or begins or ends with ("60  3M Company", "Form 10-K  60").
fn in_line(line: &str) -> [Option<Number<'_>>; 3] {
    // A running header or footer is short.
    if line.len() > 160 {
        return [None, None, None];
    }
    let whole =
        line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—' | '|' | '•'));
    let whole = match whole.get(..4) {
        Some(page) if page.eq_ignore_ascii_case("page") => whole[4..].trim(),
        _ => whole,
    };
    // "60 of 120"
    let whole = whole.split_once(" of ").map_or(whole, |(n, _)| n.trim());
    if let Some(n) = number(whole) {
        return [Some(n), None, None];
    }
    let last = line
        .split(|c: char| c.is_whitespace() || c == '|')
        .next_back();
    let first = line.split(|c: char| c.is_whitespace() || c == '|').next();
    [None, last.and_then(number), first.and_then(number)]
}

/// `60`, `F-12`, `A-3`: at most four digits, no sign, no decimals.
fn number(word: &str) -> Option<Number<'_>> {
    let (prefix, digits) = match word.split_once(['-', '–']) {
        Some((prefix, digits)) => (prefix, digits),
        None => ("", word),
    };
    let prefix_ok = prefix.len() <= 2 && prefix.bytes().all(|b| b.is_ascii_uppercase());
    let digits_ok = (1..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    if !prefix_ok || !digits_ok || (word.len() > digits.len() && prefix.is_empty()) {
        return None;
    }
    let number = digits.parse().ok()?;
    (number > 0).then_some(Number { prefix, number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_page() {
        for (text, want) in [
            ("Some text\n60", Some("60")),
            ("Some text\nPage 60", Some("60")),
            ("Some text\n- 60 -\n", Some("60")),
            ("Some text\nF-12", Some("F-12")),
            ("Some text\n60 of 120", Some("60")),
            ("Some text\n60  3M Company", Some("60")),
            ("17\nSome text", Some("17")),
            ("Total assets  1,234", None),
            ("Some text\n(60)", None),
            ("", None),
        ] {
            let first: Option<String> = candidates(text).first().map(show);
            assert_eq!(first.as_deref(), want, "{text:?}");
        }
    }

    #[test]
    fn years_above_tables_are_no_page_numbers() {
        let pages: Vec<String> = (0..12)
            .map(|n| format!("2018  2017\nTotal assets 9,1{n}1\nNotes follow"))
            .collect();
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        let rising: Vec<String> = (0..12).map(|n| format!("Notes\n{}", 2010 + n)).collect();
        let rising: Vec<&str> = rising.iter().map(String::as_str).collect();
        for pages in [pages, rising] {
            assert!(printed_pages(&pages).iter().all(Option::is_none));
        }
    }

    #[test]
    fn neighbours_decide() {
        let pages = [
            "Cover\n2023",
            "Text of page one\n1",
            "Balance\n12 months\nTotal 7\n2",
            "1999\nA year heads this page\n3",
            "no number",
            "Notes\nF-1",
            "Notes\nF-2",
        ];
        let got = printed_pages(&pages);
        let got: Vec<Option<&str>> = got.iter().map(|p| p.as_deref()).collect();
        assert_eq!(
            got,
            [
                None,
                Some("1"),
                Some("2"),
                Some("3"),
                None,
                Some("F-1"),
                Some("F-2")
            ]
        );
    }
}
