//! Triggers: the small patterns of the tables, compiled once and matched all at once.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::Span;

/// Compiled triggers. Which of them fire is found in one pass; where, one by one.
#[derive(Debug, Default)]
pub(super) struct TriggerSet {
    /// Compiled at the first question: the first frame of the workbench does not wait for it. None where there are so
    /// many that they do not fit into one: then each is tried.
    set: OnceLock<Option<RegexSet>>,
    patterns: Vec<String>,
    each: Vec<OnceLock<Regex>>,
}

impl TriggerSet {
    /// Compiles triggers that [`check`] has accepted.
    pub(super) fn new<'a>(triggers: impl IntoIterator<Item = &'a str>) -> TriggerSet {
        let patterns: Vec<String> = triggers.into_iter().map(pattern).collect();
        let each = patterns.iter().map(|_| OnceLock::new()).collect();
        TriggerSet {
            set: OnceLock::new(),
            patterns,
            each,
        }
    }

    fn set(&self) -> Option<&RegexSet> {
        let set = self.set.get_or_init(|| {
            RegexSetBuilder::new(&self.patterns)
                .unicode(false)
                .size_limit(64 << 20)
                .dfa_size_limit(16 << 20)
                .build()
                .ok()
        });
        set.as_ref()
    }

    fn one(&self, trigger: usize) -> &Regex {
        self.each[trigger]
            .get_or_init(|| compile(&self.patterns[trigger]).expect("every trigger was checked"))
    }

    /// The triggers that fire on a plain text, in order.
    pub(super) fn fired(&self, plain: &str) -> Vec<usize> {
        let plain = plain.as_bytes();
        match self.set() {
            Some(set) => set.matches(plain).into_iter().collect(),
            None => (0..self.patterns.len())
                .filter(|&trigger| self.one(trigger).is_match(plain))
                .collect(),
        }
    }

    /// Where a trigger matches, in order.
    pub(super) fn spans(&self, trigger: usize, plain: &str) -> Vec<Span> {
        self.one(trigger)
            .find_iter(plain.as_bytes())
            .map(|found| trim(plain, found.range()))
            .filter(|span| !span.is_empty())
            .collect()
    }
}

/// Says what is wrong with a trigger.
pub(super) fn check(trigger: &str) -> Result<(), String> {
    if trigger.trim().is_empty() {
        return Err("an empty trigger matches everything".into());
    }
    if trigger.chars().any(|c| c.is_ascii_uppercase()) {
        return Err(format!(
            "trigger '{trigger}' has upper-case letters: triggers see the question in lower case"
        ));
    }
    if let Some(c) = trigger.chars().find(|c| !c.is_ascii()) {
        return Err(format!(
            "trigger '{trigger}' has '{c}': triggers see the question in plain letters, accents as x, dashes as - and \
             quotes as '"
        ));
    }
    let regex = compile(&pattern(trigger))
        .map_err(|error| format!("trigger '{trigger}' is no valid pattern: {}", fault(&error)))?;
    if regex.is_match(b"") {
        return Err(format!("trigger '{trigger}' matches the empty text"));
    }
    Ok(())
}

/// What is wrong with a pattern, without the pattern itself, which is ours.
fn fault(error: &regex::Error) -> String {
    let words = error.to_string();
    let last = words.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_string()
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .unicode(false)
        .size_limit(1 << 20)
        .build()
}

/// A trigger as a regular expression: whole words, free spacing, a star for any ending.
fn pattern(trigger: &str) -> String {
    let mut out = String::from(r"\b{start-half}(?:");
    let (mut escaped, mut class, mut last) = (false, false, ' ');
    for c in trigger.chars() {
        match c {
            _ if escaped => out.push(c),
            ' ' if !class => out.push_str(r"(?:[\s-]+)"),
            '*' if !class && (last.is_ascii_alphanumeric() || last == ')') => out.push_str(r"\w*"),
            _ => out.push(c),
        }
        class = !escaped && (c == '[' || class && c != ']');
        // An escaped letter (`\w`, `\d`) is a class of its own: its star is the ordinary one.
        last = if escaped { ' ' } else { c };
        escaped = !escaped && c == '\\';
    }
    out.push_str(r")\b{end-half}");
    out
}

fn trim(plain: &str, span: Span) -> Span {
    let text = &plain[span.clone()];
    let start = span.start + (text.len() - text.trim_start().len());
    start..start + text.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(trigger: &str, text: &str) -> bool {
        check(trigger).unwrap();
        let set = TriggerSet::new([trigger]);
        let fired = !set.fired(text).is_empty();
        assert_eq!(fired, !set.spans(0, text).is_empty());
        fired
    }

    #[test]
    fn triggers_too_many_for_one_set_fire_all_the_same() {
        let heavy: Vec<String> = (0..150)
            .map(|n| format!("zq{n} [a-z ]{{0,5000}}x"))
            .collect();
        heavy.iter().for_each(|trigger| check(trigger).unwrap());
        let set = TriggerSet::new(heavy.iter().map(String::as_str));
        assert!(set.set().is_none(), "they fit: the test needs more");
        assert_eq!(set.fired("of zq7 and x"), [7]);
    }

    #[test]
    fn triggers_match_whole_words_with_free_spacing_and_endings() {
        for (trigger, text, expected) in [
            ("eps", "the eps of 2022", true),
            ("eps", "steps taken", false),
            ("eps", "what is eps?", true),
            ("long term debt", "its long-term  debt", true),
            ("amorti*", "amortization", true),
            ("amorti*", "unamortized", false),
            ("cost of (goods|sales)*", "cost of goodsold", true),
            ("r ?& ?d", "r&d and r & d", true),
            ("10%", "above 10% of sales", true),
            ("10%", "above 110% of sales", false),
            (r"\d+ stores", "has 12 stores", true),
            (r"\d* stores", "has 12 stores", true),
            (r"a\w*b", "ab", true),
            ("which .*list*", "which bonds are listed", true),
            ("[a b]c", "c d ac", true),
        ] {
            assert_eq!(hits(trigger, text), expected, "{trigger} on {text}");
        }
    }

    #[test]
    fn bad_triggers_are_refused_in_words() {
        for (trigger, says) in [
            ("", "empty"),
            ("  ", "empty"),
            ("EPS", "upper-case"),
            ("(", "no valid pattern"),
            ("a?", "matches the empty text"),
            ("café*", "'é'"),
            ("debt–free", "'–'"),
            ("o’neill", "'’'"),
        ] {
            let error = check(trigger).unwrap_err();
            assert!(error.contains(says), "{trigger}: {error}");
        }
    }
}
