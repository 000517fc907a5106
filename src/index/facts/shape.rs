//! What a line looks like: words, figures, whether it heads what follows.

/// What one line looks like.
pub(super) struct LineShape {
    pub(super) words: u32,
    pub(super) alphabetic: u32,
    pub(super) long: u32,
    pub(super) long_capital: u32,
    pub(super) digits: u32,
    pub(super) figures: u32,
    pub(super) ends_in_figure: bool,
}

impl LineShape {
    pub(super) fn of(line: &str) -> LineShape {
        let mut shape = LineShape {
            words: 0,
            alphabetic: 0,
            long: 0,
            long_capital: 0,
            digits: line.bytes().filter(u8::is_ascii_digit).count() as u32,
            figures: 0,
            ends_in_figure: false,
        };
        let mut last = "";
        for word in line.split_whitespace() {
            shape.words += 1;
            last = word;
            let core = word.trim_matches(|c: char| !c.is_alphanumeric());
            if core.starts_with(|c: char| c.is_alphabetic()) {
                shape.alphabetic += 1;
                if core.chars().nth(3).is_some() {
                    shape.long += 1;
                    shape.long_capital += core.starts_with(char::is_uppercase) as u32;
                }
            } else if is_figure(core) {
                shape.figures += 1;
            }
        }
        let end = last.trim_end_matches([')', '%']);
        shape.ends_in_figure =
            end.ends_with(|c: char| c.is_ascii_digit()) && shape.alphabetic <= 14;
        shape
    }

    /// A short line, capitalised, without figures or a full stop.
    pub(super) fn is_heading(&self, line: &str) -> bool {
        let line = line.trim();
        if !(1..=14).contains(&self.alphabetic)
            || line.ends_with(['.', ',', ';'])
            || self.digits > 6
        {
            return false;
        }
        let capital = line.starts_with(char::is_uppercase);
        let titled = self.long > 0 && self.long_capital * 4 >= self.long * 3 && capital;
        let shouted = !line.chars().any(char::is_lowercase);
        let lower = line.to_lowercase();
        let numbered = ["item", "note"].iter().any(|word| {
            lower
                .strip_prefix(word)
                .is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
        });
        (titled || shouted || numbered)
            && lower != "table of contents"
            && !lower.ends_with("and subsidiaries")
    }
}

/// A number of three digits or more.
fn is_figure(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    digits >= 3
        && word.starts_with(|c: char| c.is_ascii_digit())
        && word
            .bytes()
            .all(|b| b.is_ascii_digit() || b == b',' || b == b'.')
}
