//! Names of months.

/// The names, in lower case, January first.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The month (1 to 12) that a word in lower case is, or the beginning of from three letters on: `sep`,
/// `sept`, `september`.
pub fn month(word: &str) -> Option<i8> {
    let ix = MONTHS
        .iter()
        .position(|name| word.len() >= 3 && name.starts_with(word))?;
    Some(ix as i8 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_told_by_its_first_letters() {
        for (word, number) in [
            ("sept", Some(9)),
            ("dec", Some(12)),
            ("january", Some(1)),
            ("ja", None),
            ("maybe", None),
            ("marketing", None),
            ("decline", None),
            ("sept.", None),
            ("xyz", None),
            ("éé", None),
        ] {
            assert_eq!(month(word), number, "{word}");
        }
    }
}
