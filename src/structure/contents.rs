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
