//! Names of months.

/// The names, in lower case, January first.
pub const MONTHS: [&str; 12] = [
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

/// The month (1 to 12) that a word in lower case begins like: `sep`, `sept`, `september`.
pub fn month(word: &str) -> Option<i8> {
    let begins = |name: &&str| word.get(..3) == Some(&name[..3]);
    let ix = MONTHS.iter().position(begins)?;
    Some(ix as i8 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_told_by_three_letters() {
        for (word, number) in [
            ("sept", Some(9)),
            ("dec", Some(12)),
            ("january", Some(1)),
            ("ja", None),
            ("xyz", None),
            ("éé", None),
        ] {
            assert_eq!(month(word), number, "{word}");
        }
    }
}
