//! Contents pages and cross-reference indexes: where they are and what pages they give.

use super::labels::Label;

/// Which pages list the Items instead of holding them.
pub(super) fn pages(pages: &[&str], labels: &[Vec<Label>]) -> Vec<bool> {
    let mut out: Vec<bool> = Vec::with_capacity(pages.len());
    for (page, labels) in labels.iter().enumerate() {
        let numbered: Vec<&Label> = labels.iter().filter(|label| label.numbered).collect();
        let mut distinct: Vec<usize> = numbered.iter().map(|label| label.item).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let with_page = numbered
            .iter()
            .filter(|label| page_number(&pages[page][label.at..label.end]).is_some())
            .count();
        let span = match (distinct.first(), distinct.last()) {
            (Some(first), Some(last)) => last - first,
            _ => 0,
        };
        // No page of a report runs through eight Items from the first on; a list does.
        let lists = distinct.len() >= 5 && (with_page >= 4 || (span >= 8 && distinct[0] < 6))
            || distinct.len() >= 10;
        // A contents page by titles alone.
        let mut bare: Vec<usize> = labels
            .iter()
            .filter(|l| !l.numbered)
            .map(|l| l.item)
            .collect();
        bare.sort_unstable();
        bare.dedup();
        let lists = lists || (bare.len() >= 4 && page < 10);
        let goes_on =
            page > 0 && out[page - 1] && distinct.len() >= 3 && with_page * 2 > distinct.len();
        out.push(lists || goes_on);
    }
    out
}

/// The page each Item begins on by the contents, where it gives a printed number that is found on a page.
pub(super) fn listed(
    pages: &[&str],
    labels: &[Vec<Label>],
    is_contents: &[bool],
    items: usize,
    printed: &[Option<String>],
) -> Vec<Option<usize>> {
    let mut out = vec![None; items];
    for (page, labels) in labels
        .iter()
        .enumerate()
        .filter(|(page, _)| is_contents[*page])
    {
        let text = pages[page];
        let mut labels = labels.iter().filter(|label| label.numbered).peekable();
        while let Some(label) = labels.next() {
            if out[label.item].is_some() {
                continue;
            }
            // The number stands on the line or on one of the two below, before the next Item.
            let end = labels
                .peek()
                .map_or(text.len(), |next| next.at)
                .max(label.end);
            let number = text[label.at..end]
                .split('\n')
                .take(3)
                .find_map(page_number);
            out[label.item] = number.and_then(|number| {
                let shown = number.to_string();
                printed
                    .iter()
                    .position(|printed| printed.as_deref() == Some(&shown))
            });
        }
    }
    out
}

/// The first page of the list a line of contents ends with: "23", "38-80, 90", "(a) 54–55".
fn page_number(line: &str) -> Option<u32> {
    let line = line.trim_end();
    let tail_start = line
        .char_indices()
        .rev()
        .take_while(|(_, c)| {
            c.is_ascii_digit() || matches!(c, ' ' | ',' | '-' | '–' | '—' | '.' | '\u{a0}')
        })
        .last()
        .map(|(at, _)| at)?;
    // "Item 7" itself is no page.
    let before = line[..tail_start].trim_end();
    let tail = &line[tail_start..];
    if before.to_ascii_lowercase().ends_with("item") {
        return None;
    }
    if !tail.starts_with([' ', '\u{a0}', '.']) && !before.is_empty() {
        return None;
    }
    let digits = tail
        .split(|c: char| !c.is_ascii_digit())
        .find(|part| !part.is_empty())?;
    let number: u32 = digits.parse().ok()?;
    (number < 1000).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::super::items::item_defs;
    use super::super::labels::page_labels;
    use super::*;
    use crate::library::Form;

    const CONTENTS: &str = "Item 1. Business 4\nItem 1A. Risk Factors ...... 10\nItem 2. Properties\n20\n\
        Item 7. Management's Discussion and Analysis 30-48, 60\nItem 8. Financial Statements 99";

    fn labels(texts: &[&str]) -> Vec<Vec<Label>> {
        let of_page = |text: &&str| page_labels(text, item_defs(Form::TenK));
        texts.iter().map(of_page).collect()
    }

    #[test]
    fn lists_of_items_are_told_from_pages_that_hold_them() {
        let goes_on = "Item 9A. Controls and Procedures 80\nItem 10. Directors 81\nItem 11. Executive Compensation 82";
        let small = "Item 3. Legal Proceedings\nNone.\nItem 4. Mine Safety Disclosures\nNone.";
        let titles = "Risk Factors\nProperties\nLegal Proceedings\nControls and Procedures";
        let part_three = "Item 10. Directors\nItem 11. Executive Compensation\nItem 12. Security Ownership\n\
            Item 13. Certain Relationships\nItem 14. Principal Accountant Fees";
        let mut late = vec![""; 10];
        late.push(titles);
        for (texts, want, why) in [
            (
                vec![CONTENTS, small],
                vec![true, false],
                "five Items with their pages",
            ),
            (vec![CONTENTS, goes_on], vec![true, true], "a list goes on"),
            (
                vec!["", goes_on],
                vec![false, false],
                "three Items are no list",
            ),
            (vec![titles], vec![true], "titles alone, at the front"),
            (late, vec![false; 11], "titles alone, further back"),
            (
                vec![part_three],
                vec![false],
                "five short Items of Part III on one page",
            ),
        ] {
            assert_eq!(pages(&texts, &labels(&texts)), want, "{why}");
        }
    }

    #[test]
    fn the_contents_say_where_an_item_begins() {
        let texts = [CONTENTS, "", "", "", "", ""];
        let printed = [None, Some("4"), Some("10"), None, Some("20"), Some("30")];
        let printed = printed.map(|number| number.map(String::from));
        let defs = item_defs(Form::TenK);
        let is_contents = [true, false, false, false, false, false];
        let found = listed(&texts, &labels(&texts), &is_contents, defs.len(), &printed);
        let found: Vec<(&str, usize)> = defs
            .iter()
            .zip(found)
            .filter_map(|(def, page)| Some((def.item.as_str(), page?)))
            .collect();
        // No page shows a 99.
        assert_eq!(found, [("1", 1), ("1A", 2), ("2", 4), ("7", 5)]);
    }

    #[test]
    fn page_numbers_at_the_end_of_a_line() {
        for (line, number) in [
            ("Business 4", Some(4)),
            ("Risk Factors ...... 10", Some(10)),
            ("Statements 38-80, 90", Some(38)),
            ("(a) 54–55", Some(54)),
            ("23", Some(23)),
            ("Item 7", None),
            ("Fiscal 2022", None),
            ("A23", None),
            ("Properties", None),
            ("", None),
        ] {
            assert_eq!(page_number(line), number, "{line:?}");
        }
    }
}
