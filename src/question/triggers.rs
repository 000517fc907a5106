//! Triggers: the small patterns of the tables, compiled once and matched all at once.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::Span;

/// Compiled triggers. Which of them fire is found in one pass; where, one by one.
#[derive(Debug)]
pub(super) struct TriggerSet {
    /// Compiled at the first question: the first frame of the workbench does not wait for it.
    set: OnceLock<RegexSet>,
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

    fn set(&self) -> &RegexSet {
        self.set.get_or_init(|| {
            RegexSetBuilder::new(&self.patterns)
                .unicode(false)
                .size_limit(64 << 20)
                .dfa_size_limit(16 << 20)
                .build()
                .expect("every trigger was checked")
        })
    }

    /// The triggers that fire on a plain text, in order.
    pub(super) fn fired(&self, plain: &str) -> impl Iterator<Item = usize> {
        self.set().matches(plain.as_bytes()).into_iter()
    }

    /// Where a trigger matches, in order.
    pub(super) fn spans(&self, trigger: usize, plain: &str) -> Vec<Span> {
        self.each[trigger]
            .get_or_init(|| compile(&self.patterns[trigger]).expect("every trigger was checked"))
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
    let regex = compile(&pattern(trigger))
        .map_err(|error| format!("trigger '{trigger}' is no valid pattern: {error}"))?;
    if regex.is_match(b"") {
        return Err(format!("trigger '{trigger}' matches nothing at all"));
    }
    Ok(())
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
        let fired = set.fired(text).next().is_some();
        assert_eq!(fired, !set.spans(0, text).is_empty());
        fired
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
            ("a?", "matches nothing"),
        ] {
            let error = check(trigger).unwrap_err();
            assert!(error.contains(says), "{trigger}: {error}");
        }
    }
}
