//! Lines that name an Item of a form: headings, running heads, lines of a contents page.

use super::items::ItemDef;
use super::lines::{is_separator, letters, lines};

/// A line that names an Item.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Label {
    /// Byte where its line begins.
    pub at: usize,
    /// Byte where its line ends.
    pub end: usize,
    /// Index in the form's Items.
    pub item: usize,
    /// How much it looks like the heading; 0 when it only may stand on a contents page.
    pub weight: f32,
    /// It carries the number ("Item 7"), not the title alone.
    pub numbered: bool,
}

/// Every line of a page that names an Item, in order.
pub(super) fn page_labels(text: &str, defs: &[ItemDef]) -> Vec<Label> {
    let mut out = Vec::new();
    let mut previous = "";
    let mut filled = 0;
    for (range, raw) in lines(text) {
        let line = raw.trim();
        if line.is_empty() {
            continue;
        }
        filled += 1;
        let joined;
        let mut end = range.end;
        let line = match line.eq_ignore_ascii_case("item") {
            // The number is in the next cell.
            true => {
                let rest = &text[(range.end + 1).min(text.len())..];
                let number = rest.split('\n').next().unwrap_or_default();
                end += 1 + number.len();
                joined = format!("{line} {}", number.trim());
                joined.as_str()
            }
            false => line,
        };
        if let Some(heading) = numbered(line) {
            let after = &text[end.min(text.len())..];
            let found = read_numbered(&heading, after, defs);
            let in_sentence = refers(previous);
            for (item, mut weight) in found {
                if weight == HEADER && filled > 4 {
                    weight = 0.0;
                }
                if in_sentence {
                    weight = 0.0;
                }
                out.push(Label {
                    at: range.start,
                    end: range.end,
                    item,
                    weight,
                    numbered: true,
                });
            }
        } else if let Some((item, weight)) = bare(line, defs) {
            out.push(Label {
                at: range.start,
                end: range.end,
                item,
                weight,
                numbered: false,
            });
        }
        previous = raw.trim();
    }
    out
}

/// Weight of a heading with number and title.
pub(super) const HEADING: f32 = 10.0;
/// Weight of "Item 7" alone at the head of a page.
pub(super) const HEADER: f32 = 1.0;
/// Weight of a title without its number.
const BARE: f32 = 3.0;

/// "Item 7A" or "Items 1 and 2" at the start of a line.
struct Numbered<'a> {
    part: Option<&'a str>,
    /// What follows the word.
    rest: &'a str,
}

/// The word "Item" (or "I tem") at the start of a line, after an optional "Part II,".
fn numbered(line: &str) -> Option<Numbered<'_>> {
    let line = line.trim_start_matches(is_separator);
    let (part, line) = match line.get(..4) {
        Some(word) if word.eq_ignore_ascii_case("part") => {
            let rest = line[4..].trim_start();
            let end = rest
                .find(|c: char| !matches!(c, 'I' | 'V' | 'i' | 'v'))
                .unwrap_or(rest.len());
            (
                Some(&rest[..end]),
                rest[end..].trim_start_matches(is_separator),
            )
        }
        _ => (None, line),
    };
    let mut want = "item".chars().peekable();
    let mut rest = None;
    let mut blanks = 0;
    for (at, c) in line.char_indices() {
        match want.peek() {
            None => {
                rest = Some(&line[at..]);
                break;
            }
            Some(letter) if c.eq_ignore_ascii_case(letter) => {
                want.next();
                blanks = 0;
            }
            Some(_) if c == ' ' && at > 0 && blanks == 0 => blanks += 1,
            Some(_) => return None,
        }
    }
    let rest = rest?;
    let plural = rest.strip_prefix(['s', 'S']).unwrap_or(rest);
    let rest = plural.trim_start_matches(is_separator);
    rest.starts_with(|c: char| c.is_ascii_digit())
        .then_some(Numbered { part, rest })
}

/// The title after the numbers of a line that names an Item: "Leases" of "Part I, Item 2. Leases". The
/// numbers of an 8-K, "Item 2.02", are of another form.
pub fn item_title(line: &str) -> Option<&str> {
    let heading = numbered(line)?;
    let (_, mut rest) = numbers(heading.rest).into_iter().next()?;
    if rest
        .strip_prefix('.')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        return None;
    }
    while let (Some(_), after) = second_number(rest) {
        rest = after;
    }
    let title = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    title.starts_with(char::is_alphabetic).then_some(title)
}

/// The Items a numbered line names, each with its weight.
fn read_numbered(heading: &Numbered, after: &str, defs: &[ItemDef]) -> Vec<(usize, f32)> {
    for (number, rest) in numbers(heading.rest) {
        let mut rest = rest;
        let mut others = Vec::new();
        while let (Some(other), after) = second_number(rest) {
            others.push(other);
            rest = after;
        }
        let title = rest.trim_start_matches(|c: char| {
            is_separator(c) || matches!(c, '(' | '[' | ')' | '"' | '“')
        });
        let mut title_letters = letters(head(title, 120));
        let alone = title_letters.is_empty();
        if alone {
            // The title stands below, or in the next cell: on the first line, or a little further
            // down where columns were read one by one.
            let below = after
                .split('\n')
                .map(str::trim)
                .filter(|line| !line.is_empty());
            let mut below = below.take(3).map(|line| letters(head(line, 120)));
            let titled = |line: &String| {
                defs.iter()
                    .any(|def| def.item == number && def.titled(line))
            };
            title_letters = below.find(titled).unwrap_or_default();
        }
        let of_number = |number: &str| -> Vec<usize> {
            (0..defs.len())
                .filter(|&ix| defs[ix].item == number)
                .collect()
        };
        let numbered = of_number(&number);
        if let Some(&item) = numbered.iter().find(|&&ix| defs[ix].titled(&title_letters)) {
            let weight = if alone || !continues(title) {
                HEADING
            } else {
                0.0
            };
            let mut found = vec![(item, weight)];
            for other in others {
                let last = found[found.len() - 1].0;
                let next = of_number(&other).into_iter().find(|&ix| ix > last);
                found.extend(next.map(|ix| (ix, weight)));
            }
            return found;
        }
        if alone {
            let part = heading.part.map(str::to_ascii_uppercase);
            return numbered
                .into_iter()
                .filter(|&ix| part.as_deref().is_none_or(|part| defs[ix].part == part))
                .map(|ix| (ix, HEADER))
                .collect();
        }
    }
    Vec::new()
}

/// The ways to read a number at the start of `text`, with what follows: "1 A description" may be 1 or 1A.
fn numbers(text: &str) -> Vec<(String, &str)> {
    let end = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(end);
    let mut out = Vec::new();
    let gap = rest.trim_start_matches([' ', '(', '.']);
    let mut after = gap.chars();
    if let Some(letter @ ('A'..='C' | 'a'..='c')) = after.next() {
        let tail = after.as_str();
        if !tail.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            out.push((format!("{digits}{}", letter.to_ascii_uppercase()), tail));
        }
    }
    // "Item 1 0."
    if let Some(second) = rest.strip_prefix(' ')
        && digits == "1"
        && second.starts_with(|c: char| ('0'..='6').contains(&c))
    {
        let tail = &second[1..];
        if !tail.starts_with(|c: char| c.is_ascii_digit()) {
            out.push((format!("1{}", &second[..1]), tail));
        }
    }
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        out.push((digits.to_string(), rest));
    }
    out
}

/// "and 7A" of "Items 7 and 7A".
fn second_number(rest: &str) -> (Option<String>, &str) {
    let text = rest.trim_start_matches(|c: char| is_separator(c) || c == '&' || c == '/');
    let text = match text.get(..3) {
        Some(and) if and.eq_ignore_ascii_case("and") => text[3..].trim_start(),
        _ => text,
    };
    let text = match text.get(..4) {
        Some(item) if item.eq_ignore_ascii_case("item") => {
            text[4..].trim_start_matches(|c: char| is_separator(c) || c == 's')
        }
        _ => text,
    };
    match numbers(text).into_iter().next() {
        Some((number, tail)) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            (Some(number), tail)
        }
        _ => (None, rest),
    }
}

/// The first `max` bytes, cut at a character.
fn head(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// True when a title runs on as a sentence that refers to the Item.
fn continues(title: &str) -> bool {
    const WORDS: [&str; 16] = [
        " of this ",
        " in this ",
        " of our ",
        " to this ",
        " of the company's annual",
        " and elsewhere",
        " elsewhere",
        " herein",
        " above",
        " below",
        " for a ",
        " for further",
        " for additional",
        " for more",
        " which ",
        " contained in",
    ];
    let lower = title.to_lowercase();
    if lower.contains("incorporated") {
        return false;
    }
    // A quotation closed: “Item 1A. Risk Factors” ...
    let closes = title
        .find(['”', '"'])
        .is_some_and(|at| !title[..at].contains(['“', '"']));
    closes || WORDS.iter().any(|word| lower.contains(word)) || lower.ends_with(',')
}

/// True when a line ends so that the next one goes on with it.
fn refers(line: &str) -> bool {
    const ENDS: [&str; 18] = [
        "in", "see", "under", "and", "of", "to", "the", "with", "also", "our", "or", "from", "by",
        "at", "refer", "both", "this", "for",
    ];
    let line = line.trim_end();
    if line.ends_with(['“', '"', '(', '‘']) {
        return true;
    }
    if line.ends_with(',') {
        // "Part I," or the end of a clause.
        return true;
    }
    let last = line.rsplit(char::is_whitespace).next().unwrap_or_default();
    ENDS.contains(&last) && line.contains(char::is_whitespace)
}

/// A line that is the title of an Item, without its number.
fn bare(line: &str, defs: &[ItemDef]) -> Option<(usize, f32)> {
    if line.len() > 140 || !line.starts_with(|c: char| c.is_uppercase()) {
        return None;
    }
    let first = line.as_bytes()[0].to_ascii_lowercase();
    let may = |def: &ItemDef| def.bare.iter().any(|bare| bare.as_bytes()[0] == first);
    if !defs.iter().any(may) {
        return None;
    }
    let whole = letters(line);
    let whole = whole.strip_suffix("continued").unwrap_or(&whole);
    let whole = whole.trim_end_matches(|c: char| c.is_ascii_digit());
    let item = defs.iter().position(|def| def.is_bare(whole))?;
    // One common word is weaker evidence than a phrase.
    let weight = if whole.len() < 12 { BARE / 2.0 } else { BARE };
    Some((item, weight))
}

#[cfg(test)]
mod tests {
    use super::super::items::item_defs;
    use super::*;
    use crate::library::Form;

    const BARE_WORD: f32 = BARE / 2.0;

    /// The Items named on a page of a 10-K: number, weight, and whether the number stands there.
    fn labels(text: &str) -> Vec<(&'static str, f32, bool)> {
        let defs = item_defs(Form::TenK);
        page_labels(text, defs)
            .into_iter()
            .map(|label| (defs[label.item].item.as_str(), label.weight, label.numbered))
            .collect()
    }

    #[test]
    fn headings_in_every_style() {
        let cases: &[(&str, &[(&str, f32, bool)])] = &[
            (
                "Item 7. Management's Discussion and Analysis",
                &[("7", HEADING, true)],
            ),
            ("ITEM 1A – RISK FACTORS", &[("1A", HEADING, true)]),
            ("Item 1 A. Risk Factors", &[("1A", HEADING, true)]),
            ("Item 1(a). Risk Factors", &[("1A", HEADING, true)]),
            (
                "Item 1 0. Directors and Executive Officers",
                &[("10", HEADING, true)],
            ),
            ("I tem 8. Financial Statements", &[("8", HEADING, true)]),
            (
                "Part II, Item 7A. Quantitative Disclosures",
                &[("7A", HEADING, true)],
            ),
            (
                "Items 7 and 7A. Management's Discussion and Analysis; Market Risk",
                &[("7", HEADING, true), ("7A", HEADING, true)],
            ),
            (
                "Items 1, 1A and 2. Business, Risk Factors and Properties",
                &[
                    ("1", HEADING, true),
                    ("1A", HEADING, true),
                    ("2", HEADING, true),
                ],
            ),
            // The number, or the title, in the next cell.
            (
                "ITEM\n3.\nLegal Proceedings",
                &[("3", HEADING, true), ("3", BARE, false)],
            ),
            (
                "Item 3.\nLegal Proceedings",
                &[("3", HEADING, true), ("3", BARE, false)],
            ),
            // A running header: near the top alone.
            ("Item 7", &[("7", HEADER, true)]),
            ("Acme\n10-K\n2024\nAnnual\nItem 7", &[("7", 0.0, true)]),
            ("Part II Item 5", &[("5", HEADER, true)]),
            ("Part I Item 5", &[]),
            // Titles without numbers; one word says less.
            ("Legal Proceedings (continued)", &[("3", BARE, false)]),
            ("Risk Factors", &[("1A", BARE_WORD, false)]),
            ("Legal proceedings are described in Note 9", &[]),
        ];
        for (text, want) in cases {
            assert_eq!(labels(text), *want, "{text:?}");
        }
    }

    #[test]
    fn what_refers_to_an_item_does_not_begin_it() {
        for text in [
            "as described in\nItem 7. Management's Discussion and Analysis",
            "Part I,\nItem 1A. Risk Factors",
            "Item 1A. Risk Factors of this report describes what may happen",
            "Item 1A. Risk Factors” and Note 9",
            "Item 3. Legal Proceedings,",
        ] {
            let found = labels(text);
            assert!(
                found.iter().all(|(_, weight, _)| *weight == 0.0),
                "{text:?}: {found:?}"
            );
            assert_eq!(found.len(), 1, "{text:?}");
        }
        for text in [
            "Items sold",
            "Item 405 of Regulation S-K",
            "Itemised 7. Management",
            "",
        ] {
            assert_eq!(labels(text), [], "{text:?}");
        }
    }

    #[test]
    fn the_title_of_an_item_follows_its_numbers() {
        for (line, title) in [
            (
                "Items 7 and 7A. Management’s Discussion",
                Some("Management’s Discussion"),
            ),
            ("Items 1, 1A & 2. Business", Some("Business")),
            ("Part I, Item 2 – Properties", Some("Properties")),
            (
                "I tem 8: Financial Statements",
                Some("Financial Statements"),
            ),
            ("ITEM 1A RISK FACTORS", Some("RISK FACTORS")),
            ("Item 2.02 Results of Operations", None),
            ("Item 7", None),
            ("Items 7 and 7A.", None),
            ("Note 3. Leases", None),
            ("Items of note", None),
        ] {
            assert_eq!(item_title(line), title, "{line}");
        }
    }
}
