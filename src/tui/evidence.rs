//! Where a labelled passage stands on a page. Labels come from another extractor: spaces, line
//! breaks and currency signs differ, so lines are compared by their words.

use std::collections::HashSet;
use std::ops::Range;

use super::text;

/// Byte ranges of the lines of `page` that hold a labelled passage.
pub fn find(page: &str, passages: &[String]) -> Vec<Range<usize>> {
    let mut pairs = HashSet::new();
    let mut alone = HashSet::new();
    for passage in passages {
        let words: Vec<String> = words(passage).into_iter().map(|(word, _)| word).collect();
        pairs.extend(words.windows(2).map(|w| (w[0].clone(), w[1].clone())));
        if let [word] = &words[..] {
            alone.insert(word.clone());
        }
    }
    if pairs.is_empty() && alone.is_empty() {
        return Vec::new();
    }
    let on_page = words(page);
    let mut found = vec![false; on_page.len()];
    for (ix, pair) in on_page.windows(2).enumerate() {
        // A window borrows two words; the set owns its pairs, so a lookup needs owned ones.
        if pairs.contains(&(pair[0].0.clone(), pair[1].0.clone())) {
            found[ix] = true;
            found[ix + 1] = true;
        }
    }
    for (ix, (word, _)) in on_page.iter().enumerate() {
        found[ix] |= alone.contains(word);
    }
    let mut next = 0;
    text::lines(page, 0..page.len())
        .filter_map(|line| {
            let first = next;
            next += on_page[first..].partition_point(|(_, word)| word.start < line.end);
            let all = next - first;
            let hits = found[first..next].iter().filter(|&&f| f).count();
            let words = &page[line.clone()];
            let start = line.end - words.trim_start().len();
            let end = line.start + words.trim_end().len();
            (all > 0 && hits * 5 >= all * 3).then_some(start..end)
        })
        .collect()
}

/// Runs of letters and digits in lower case, a number with its commas and points as one.
fn words(text: &str) -> Vec<(String, Range<usize>)> {
    let mut words = Vec::new();
    let mut start = None;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let is_word = |ix: usize| -> bool {
        let (_, c) = chars[ix];
        c.is_alphanumeric()
            || matches!(c, ',' | '.')
                && ix > 0
                && chars[ix - 1].1.is_ascii_digit()
                && chars.get(ix + 1).is_some_and(|(_, c)| c.is_ascii_digit())
    };
    for ix in 0..=chars.len() {
        let inside = ix < chars.len() && is_word(ix);
        match (start, inside) {
            (None, true) => start = Some(chars[ix].0),
            (Some(from), false) => {
                let to = chars.get(ix).map_or(text.len(), |(at, _)| *at);
                words.push((text[from..to].to_lowercase(), from..to));
                start = None;
            }
            _ => {}
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_table_is_found_whatever_the_breaks_and_signs() {
        let page =
            "Consolidated Statement of Income\nNet sales   $ 32,765  $ 31,657\nSomething else 12\n";
        let passages = ["Net sales \n$\n32,765 \n$\n31,657".to_string()];
        let found = find(page, &passages);
        assert_eq!(found.len(), 1);
        assert_eq!(&page[found[0].clone()], "Net sales   $ 32,765  $ 31,657");
    }

    #[test]
    fn nothing_labelled_nothing_found() {
        assert!(find("Net sales 12\n", &[]).is_empty());
        assert!(find("", &["Net sales".to_string()]).is_empty());
        assert!(find("of the year\n", &["the quick brown fox".to_string()]).is_empty());
    }
}
