//! Periods as people write them: years, ranges of years, quarters, halves, dates.
//!
//! Patterns run in order over the plain question (lower case, ASCII); what one has read is taken, and the next
//! ones see only the rest.

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use super::{DateMention, LastYears, QuarterMention, Reading, Span, YearMention, YearRange};
use crate::text::months;

const MONTH: &str = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const Y4: &str = r"(?:199[3-9]|20[0-4]\d)";
const Y2: &str = r"(?:9[3-9]|[0-4]\d)";
/// "FY", "fiscal year", "calendar year" ... before a year.
const FISCAL: &str = r"(?:fye?|fiscal(?:[\s-]+years?)?(?:[\s-]+end(?:ed|ing)?)?(?:\s+(?:in|of))?|financial[\s-]+years?|cye?|calendar(?:[\s-]+years?)?|ye)";
const ORDINAL: &str = r"(?:first|second|third|fourth|1st|2nd|3rd|4th|final)";

macro_rules! pattern {
    ($($text:tt)*) => {
        LazyLock::new(|| Regex::new(&format!($($text)*)).expect("a pattern of this module"))
    };
}

// Below the macro, which they use too.
mod beside;
mod due;

static MONTH_DAY_YEAR: LazyLock<Regex> =
    pattern!(r"\b({MONTH})\.?\s*(\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s*(?:of\s+)?({Y4})\b");
static DAY_MONTH_YEAR: LazyLock<Regex> =
    pattern!(r"\b(\d{{1,2}})(?:st|nd|rd|th)?[\s-]+(?:of\s+)?({MONTH})\.?[\s-]*,?\s*({Y4})\b");
static ISO_DATE: LazyLock<Regex> = pattern!(r"\b({Y4})([-/.])(\d{{1,2}})[-/.](\d{{1,2}})\b");
static SLASH_DATE: LazyLock<Regex> = pattern!(r"\b(\d{{1,2}})/(\d{{1,2}})/({Y4}|{Y2})\b");
/// Month and year: "May 2023", "the March 2023 quarter", "March quarter of 2023", "Mar-23", "Sept '22".
static MONTH_YEAR: LazyLock<Regex> = pattern!(
    r"\b({MONTH})\.?(?:\s*,?\s*(?:of\s+)?(?:quarter\s+(?:of\s+)?)?(?:fiscal\s+|fy\s*)?({Y4})\b|\s*-\s*({Y4}|{Y2})\b|\s*'\s*({Y2})\b)"
);

/// Quarter then year: "Q2 2023", "Q22023", "Q2'23", "Q2 FY23", "Q2FY2023".
static Q_YEAR: LazyLock<Regex> =
    pattern!(r"\bq\s?([1-4])[\s/,-]*((?:{FISCAL})?\s*'?\s*({Y4}|{Y2}))\b");
/// "2Q23", "2Q 2023", "2QFY23".
static YEAR_Q_DIGIT: LazyLock<Regex> =
    pattern!(r"\b([1-4])q[\s/-]*((?:{FISCAL})?\s*'?\s*({Y4}|{Y2}))\b");
/// Year then quarter: "2022 Q2", "FY2023Q1", "FY23 Q1", "2023-2Q".
static YEAR_Q: LazyLock<Regex> = pattern!(
    r"\b((?:{FISCAL})?\s*'?\s*({Y4})|(?:fye?\s*'?|fiscal\s+'?)({Y2}))[\s/_,-]*(?:q\s?([1-4])|([1-4])q)\b"
);
/// "H1 FY2023", "H1'23".
static H_YEAR: LazyLock<Regex> = pattern!(r"\bh([12])[\s/,-]*((?:{FISCAL})?\s*'?\s*({Y4}|{Y2}))\b");
/// "1H23", "2H 2023".
static YEAR_H_DIGIT: LazyLock<Regex> =
    pattern!(r"\b([12])h[\s/-]*((?:{FISCAL})?\s*'?\s*({Y4}|{Y2}))\b");
/// "2023 H1", "FY23H1".
static YEAR_H: LazyLock<Regex> = pattern!(
    r"\b((?:{FISCAL})?\s*'?\s*({Y4})|(?:fye?\s*'?|fiscal\s+'?)({Y2}))[\s/_,-]*(?:h([12])|([12])h)\b"
);

static Q_ALONE: LazyLock<Regex> = pattern!(r"\bq[\s-]?([1-4])\b|\b([1-4])q\b");
static H_ALONE: LazyLock<Regex> = pattern!(r"\bh([12])\b|\b([12])h\b");
/// "second quarter", "second fiscal quarter", "first and second quarters", "Q2" in words.
static WORD_QUARTER: LazyLock<Regex> = pattern!(
    r"\b({ORDINAL})(?:\s*(?:,|and|or|to|through|versus|vs\.?|&|-)\s*(?:the\s+)?({ORDINAL}))?[\s-]+(?:fiscal[\s-]+|calendar[\s-]+|{Y4}[\s-]+)?(?:quarters?|qtrs?)\b"
);
static LAST_QUARTER: LazyLock<Regex> = pattern!(
    r"\blast\s+(?:fiscal\s+)?quarter\s+(?:of|in)\s+(?:the\s+)?(?:fiscal|fy|year|calendar|{Y4})"
);
static QUARTER_NUMBER: LazyLock<Regex> = pattern!(r"\bquarter\s+(one|two|three|four|[1-4])\b");
static WORD_HALF: LazyLock<Regex> = pattern!(r"\b(first|1st|second|2nd)[\s-]+(?:fiscal\s+)?half\b");
/// "Six months ended", "first nine months of", "39 weeks ended".
static MONTHS: LazyLock<Regex> = pattern!(
    r"\b(?:first\s+)?(six|6|nine|9)[\s-]+months?\s+end(?:ed|ing)\b|\bfirst\s+(six|6|nine|9)[\s-]+months?\b|\b(24|26|36|39|twenty[\s-]?four|twenty[\s-]?six|thirty[\s-]?six|thirty[\s-]?nine)[\s-]+weeks?\s+end(?:ed|ing)\b"
);

/// "FY19", "fiscal 2019", "F2019", "fiscal year ended 2019", "CY22".
static FISCAL_YEAR: LazyLock<Regex> =
    pattern!(r"\b(?:({FISCAL})[\s-]*'?\s*({Y4}|{Y2})|f({Y4}|{Y2}))[ae]?\b");
/// A bare year: "2019", "2023E".
static BARE_YEAR: LazyLock<Regex> = pattern!(r"\b({Y4})[ae]?\b");
/// "'22".
static SHORT_YEAR: LazyLock<Regex> = pattern!(r"'\s*({Y2})\b");
/// What may follow a year: another one, after a dash, a word or a comma.
static NEXT_YEAR: LazyLock<Regex> = pattern!(
    r"^(\s*(?:-|/|to|through|thru|until|till|and|or|&|,(?:\s*and)?|vs\.?|versus)\s*)(?:the\s+)?((?:{FISCAL}|f)?)[\s-]*('?)\s*({Y4}|{Y2})[ae]?\b"
);
static LAST_YEARS: LazyLock<Regex> = pattern!(
    r"\b(?:last|past|previous|prior|preceding|recent|trailing)\s+(?:most\s+recent\s+)?(two|three|four|five|six|seven|eight|nine|ten|[2-9]|10)\s+(?:full\s+|reported\s+)?(?:fiscal\s+|financial\s+|calendar\s+)?(?:years|fys)\b"
);

/// Words before a number that make it no year at all: "ASU 2016-13".
static NOT_A_YEAR_BEFORE: LazyLock<Regex> = pattern!(
    r"(?:\b(?:asu|asc|sab|ifrs|section|rule|no\.?|number|page|usd|eur|gbp|vision|agenda)(?:\s+(?:in|on|by|of))?\s*|[$#]\s*)$"
);
/// Words after a number that make it a count.
static UNIT_AFTER: LazyLock<Regex> = pattern!(
    r"^\s*(?:%|(?:percent|per\s?cent|pct|bps|basis\s+points?|points?|units?|shares|stores|employees|people|million|billion|thousand|mm|mn|bn|usd|dollars|days|weeks|months|hours|sq|square)\b)"
);
/// Words before a year that make it the first of all up to now.
static SINCE: LazyLock<Regex> =
    pattern!(r"\bsince(?:\s+the)?(?:\s+(?:start|beginning)\s+of)?(?:\s+years?)?\s+$");
static BETWEEN_OR_FROM: LazyLock<Regex> =
    pattern!(r"\b(?:between|from)\s+(?:the\s+)?(?:years?\s+)?$");
static YEAR_ENDED: LazyLock<Regex> = pattern!(
    r"\b(?:year|fy|52\s+weeks|53\s+weeks)[\s-]*end(?:ed|ing)?(?:\s+(?:on|in))?(?:\s+the)?\s*$"
);
static FISCAL_AFTER: LazyLock<Regex> = pattern!(r"^\s+(?:fiscal|financial)\b");

/// Reads every period of a plain question into the reading.
pub(super) fn read(plain: &str, reading: &mut Reading) {
    let mut scan = Scan {
        plain,
        taken: vec![false; plain.len()],
        reading,
    };
    if !plain.bytes().any(|byte| byte.is_ascii_digit()) {
        // Without a digit only quarters in words and "the last three years" are left.
        scan.word_quarters();
        scan.last_years();
        return;
    }
    scan.dates();
    scan.quarters_with_year();
    scan.last_years();
    scan.word_quarters();
    scan.quarters_alone();
    scan.years();
    scan.years_beside_companies();
    scan.years_aimed_at();
    due::settle(scan.reading);
    scan.reading.years.sort_by_key(|year| year.span.start);
    scan.reading.dates.sort_by_key(|date| date.span.start);
    scan.reading
        .quarters
        .sort_by_key(|quarter| quarter.span.start);
    scan.reading.ranges.sort_by_key(|range| range.span.start);
}

struct Scan<'a> {
    plain: &'a str,
    taken: Vec<bool>,
    reading: &'a mut Reading,
}

/// Two digits or four as a year.
fn year(digits: &str) -> Option<u16> {
    let number: u16 = digits.parse().ok()?;
    Some(match number {
        0..=49 => 2000 + number,
        93..=99 => 1900 + number,
        _ => number,
    })
}

fn month(name: &str) -> i8 {
    months::month(name).expect("the pattern names months")
}

fn quarter_word(word: &str) -> u8 {
    match word {
        "first" | "1st" | "one" | "1" => 1,
        "second" | "2nd" | "two" | "2" => 2,
        "third" | "3rd" | "three" | "3" => 3,
        _ => 4,
    }
}

impl Scan<'_> {
    fn free(&self, span: &Span) -> bool {
        !self.taken[span.clone()].iter().any(|&taken| taken)
    }

    fn take(&mut self, span: Span) {
        self.taken[span].fill(true);
    }

    fn add_year(&mut self, year: u16, span: Span, fiscal: bool) {
        self.take(span.clone());
        self.reading.years.push(YearMention { year, span, fiscal });
    }

    fn add_quarter(&mut self, quarter: u8, span: Span) {
        self.take(span.clone());
        self.reading.quarters.push(QuarterMention { quarter, span });
    }

    /// True when "year ended" stands before this place.
    fn year_ended_before(&self, at: usize) -> bool {
        YEAR_ENDED.is_match(&self.plain[..at])
    }

    fn add_date(&mut self, ymd: (i16, i8, i8), day_known: bool, span: Span, year_span: Span) {
        let Ok(date) = Date::new(ymd.0, ymd.1, ymd.2) else {
            return;
        };
        if !self.free(&span) {
            return;
        }
        let year = ymd.0 as u16;
        if self.read_due(year, &span) {
            return;
        }
        let fiscal = self.year_ended_before(span.start);
        self.add_year(year, year_span, fiscal);
        self.take(span.clone());
        self.reading.dates.push(DateMention {
            date,
            day_known,
            span,
        });
    }

    fn dates(&mut self) {
        let plain = self.plain;
        let number = |text: &str| text.parse::<i8>().unwrap_or(0);
        let full = |text: &str| year(text).unwrap_or(0) as i16;
        for caps in ISO_DATE.captures_iter(plain) {
            let [y, m, d] = [1, 3, 4].map(|ix| caps.get(ix).expect("in the pattern"));
            self.add_date(
                (full(y.as_str()), number(m.as_str()), number(d.as_str())),
                true,
                y.start()..d.end(),
                y.range(),
            );
        }
        for caps in SLASH_DATE.captures_iter(plain) {
            let [m, d, y] = [1, 2, 3].map(|ix| caps.get(ix).expect("in the pattern"));
            let (mut m_, mut d_) = (number(m.as_str()), number(d.as_str()));
            if m_ > 12 {
                std::mem::swap(&mut m_, &mut d_);
            }
            self.add_date(
                (full(y.as_str()), m_, d_),
                true,
                m.start()..y.end(),
                y.range(),
            );
        }
        for caps in MONTH_DAY_YEAR.captures_iter(plain) {
            let [m, d, y] = [1, 2, 3].map(|ix| caps.get(ix).expect("in the pattern"));
            self.add_date(
                (full(y.as_str()), month(m.as_str()), number(d.as_str())),
                true,
                m.start()..y.end(),
                y.range(),
            );
        }
        for caps in DAY_MONTH_YEAR.captures_iter(plain) {
            let [d, m, y] = [1, 2, 3].map(|ix| caps.get(ix).expect("in the pattern"));
            self.add_date(
                (full(y.as_str()), month(m.as_str()), number(d.as_str())),
                true,
                d.start()..y.end(),
                y.range(),
            );
        }
        for caps in MONTH_YEAR.captures_iter(plain) {
            let m = caps.get(1).expect("in the pattern");
            let y = (2..=4).find_map(|ix| caps.get(ix)).expect("in the pattern");
            self.add_date(
                (full(y.as_str()), month(m.as_str()), 1),
                false,
                m.start()..y.end(),
                y.range(),
            );
        }
    }

    /// Quarters and halves written together with their year.
    fn quarters_with_year(&mut self) {
        let plain = self.plain;
        for (pattern, half) in [
            (&Q_YEAR, false),
            (&YEAR_Q_DIGIT, false),
            (&H_YEAR, true),
            (&YEAR_H_DIGIT, true),
        ] {
            for caps in pattern.captures_iter(plain) {
                let [number, whole, digits] =
                    [1, 2, 3].map(|ix| caps.get(ix).expect("in the pattern"));
                let bare_two = digits.len() == 2 && whole.len() == 2;
                // "Q2 15 stores": two digits alone are a year only when no unit follows and a year is likely.
                let unlikely = bare_two
                    && (UNIT_AFTER.is_match(&plain[digits.end()..])
                        || plain[digits.end()..].starts_with(['.', ','])
                            && plain[digits.end() + 1..].starts_with(|c: char| c.is_ascii_digit()));
                let span = caps.get(0).expect("the match").range();
                if unlikely || !self.free(&span) {
                    continue;
                }
                let quarter: u8 = number.as_str().parse().expect("one digit");
                // "2q" or "q2".
                let digit_first = number.start() == span.start;
                let end = number.end() + usize::from(digit_first);
                let fiscal = is_fiscal(whole.as_str());
                let year_start = whole.start() + (whole.len() - whole.as_str().trim_start().len());
                let Some(year) = year(digits.as_str()) else {
                    continue;
                };
                if self.read_due(year, &span) {
                    continue;
                }
                self.add_quarter(if half { quarter * 2 } else { quarter }, span.start..end);
                self.add_year(year, year_start..whole.end(), fiscal);
                self.more_years(digits.len() == 4, year, year_start..whole.end(), fiscal);
            }
        }
        for (pattern, half) in [(&YEAR_Q, false), (&YEAR_H, true)] {
            for caps in pattern.captures_iter(plain) {
                let whole = caps.get(1).expect("in the pattern");
                let digits = caps.get(2).or(caps.get(3)).expect("in the pattern");
                let number = caps.get(4).or(caps.get(5)).expect("in the pattern");
                let span = caps.get(0).expect("the match").range();
                if !self.free(&span) {
                    continue;
                }
                let Some(year) = year(digits.as_str()) else {
                    continue;
                };
                if self.read_due(year, &span) {
                    continue;
                }
                let quarter: u8 = number.as_str().parse().expect("one digit");
                let start = if caps.get(4).is_some() {
                    plain[..number.start()]
                        .rfind(['q', 'h'])
                        .expect("in the pattern")
                } else {
                    number.start()
                };
                self.add_year(year, whole.range(), is_fiscal(whole.as_str()));
                self.add_quarter(if half { quarter * 2 } else { quarter }, start..span.end);
            }
        }
    }

    fn word_quarters(&mut self) {
        let plain = self.plain;
        for caps in WORD_QUARTER.captures_iter(plain) {
            let span = caps.get(0).expect("the match").range();
            let first = caps.get(1).expect("in the pattern");
            // A year inside ("second 2023 quarter") is left for the years.
            match caps.get(2) {
                Some(second) => {
                    self.add_quarter(quarter_word(first.as_str()), first.range());
                    self.add_quarter(quarter_word(second.as_str()), second.start()..span.end);
                }
                None => self.reading.quarters.push(QuarterMention {
                    quarter: quarter_word(first.as_str()),
                    span,
                }),
            }
        }
        for found in LAST_QUARTER.find_iter(plain) {
            let end = found.start()
                + found.as_str().find("quarter").expect("in the pattern")
                + "quarter".len();
            self.add_quarter(4, found.start()..end);
        }
        for caps in QUARTER_NUMBER.captures_iter(plain) {
            let span = caps.get(0).expect("the match").range();
            if self.free(&span) {
                self.add_quarter(quarter_word(&caps[1]), span);
            }
        }
        for caps in WORD_HALF.captures_iter(plain) {
            let span = caps.get(0).expect("the match").range();
            self.add_quarter(2 * quarter_word(&caps[1]), span);
        }
        for caps in MONTHS.captures_iter(plain) {
            let span = caps.get(0).expect("the match").range();
            let text = (1..=3)
                .find_map(|ix| caps.get(ix))
                .expect("in the pattern")
                .as_str();
            let three = text.starts_with("nine")
                || text == "9"
                || text.starts_with('3')
                || text.starts_with("thirty");
            self.add_quarter(if three { 3 } else { 2 }, span);
        }
    }

    fn quarters_alone(&mut self) {
        let plain = self.plain;
        for (pattern, half) in [(&Q_ALONE, false), (&H_ALONE, true)] {
            for caps in pattern.captures_iter(plain) {
                let span = caps.get(0).expect("the match").range();
                if !self.free(&span) {
                    continue;
                }
                let number = caps.get(1).or(caps.get(2)).expect("in the pattern");
                let number: u8 = number.as_str().parse().expect("one digit");
                self.add_quarter(if half { number * 2 } else { number }, span);
            }
        }
    }

    fn last_years(&mut self) {
        const COUNTS: [&str; 9] = [
            "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        ];
        if let Some(caps) = LAST_YEARS.captures(self.plain) {
            let count = match COUNTS.iter().position(|count| *count == &caps[1]) {
                Some(ix) => ix as u16 + 2,
                None => caps[1].parse().expect("a number"),
            };
            let span = caps.get(0).expect("the match").range();
            self.take(span.clone());
            self.reading.last_years = Some(LastYears { count, span });
        }
    }

    fn years(&mut self) {
        let plain = self.plain;
        for caps in FISCAL_YEAR.captures_iter(plain) {
            let span = caps.get(0).expect("the match").range();
            let digits = caps.get(2).or(caps.get(3)).expect("in the pattern");
            let word = caps.get(1).map_or("f", |word| word.as_str());
            if !self.free(&span) || digits.len() == 2 && UNIT_AFTER.is_match(&plain[span.end..]) {
                continue;
            }
            let Some(year) = year(digits.as_str()) else {
                continue;
            };
            if self.read_due(year, &span) {
                continue;
            }
            let fiscal = is_fiscal(word);
            self.add_year(year, span.clone(), fiscal);
            self.read_since(year, &span, fiscal);
            self.more_years(digits.len() == 4, year, span, fiscal);
        }
        for caps in BARE_YEAR.captures_iter(plain) {
            let span = caps.get(0).expect("the match").range();
            let Some(year) = year(&caps[1]) else { continue };
            if !self.free(&span) || !self.may_be_year(&span) {
                continue;
            }
            if self.read_due(year, &span) {
                continue;
            }
            let fiscal =
                FISCAL_AFTER.is_match(&plain[span.end..]) || self.year_ended_before(span.start);
            self.add_year(year, span.clone(), fiscal);
            self.read_since(year, &span, fiscal);
            self.more_years(true, year, span, fiscal);
        }
        for caps in SHORT_YEAR.captures_iter(plain) {
            let span = caps.get(0).expect("the match").range();
            let before = plain[..span.start].bytes().next_back();
            if !self.free(&span)
                || before.is_some_and(|byte| byte.is_ascii_alphanumeric())
                || UNIT_AFTER.is_match(&plain[span.end..])
            {
                continue;
            }
            let Some(year) = year(&caps[1]) else { continue };
            if self.read_due(year, &span) {
                continue;
            }
            self.add_year(year, span.clone(), false);
            self.more_years(false, year, span, false);
        }
    }

    /// Notes the first year that "since" stands before.
    fn read_since(&mut self, year: u16, span: &Span, fiscal: bool) {
        if self.reading.since.is_none() && SINCE.is_match(&self.plain[..span.start]) {
            self.reading.since = Some(YearMention {
                year,
                span: span.clone(),
                fiscal,
            });
        }
    }

    /// Years that follow this one: "FY2018 - FY2020", "2018-20", "2021, 2022 and 2023", "FY18 to 20".
    fn more_years(&mut self, mut four: bool, mut previous: u16, mut span: Span, fiscal: bool) {
        let plain = self.plain;
        let first = (previous, span.start);
        let mut ranged = false;
        while let Some(caps) = NEXT_YEAR.captures(&plain[span.end..]) {
            let at = |ix: usize| {
                caps.get(ix)
                    .map(|found| span.end + found.start()..span.end + found.end())
            };
            let (Some(separator), Some(word), Some(quote), Some(digits)) =
                (at(1), at(2), at(3), at(4))
            else {
                break;
            };
            let separator = plain[separator].trim();
            let dash = matches!(separator, "-" | "/");
            let marked = !word.is_empty() || !quote.is_empty();
            let whole = if !word.is_empty() {
                word.start
            } else {
                quote.start
            }..digits.end;
            let Some(year) = year(&plain[digits.clone()]) else {
                break;
            };
            let two = digits.len() == 2;
            // Two bare digits are a year after a dash, or after a year of two digits.
            let ok = match (two, marked) {
                (false, false) => self.may_be_year(&whole),
                (_, true) => true,
                (true, false) => {
                    (dash || !four && separator != ",")
                        && year > previous
                        && year - previous <= 15
                        && !UNIT_AFTER.is_match(&plain[digits.end..])
                        // "2023-03" would be a month.
                        && (!four || year % 100 > 12 || separator == "/" || year == previous + 1)
                }
            };
            if !ok || !self.free(&whole) || self.due_from(year, &whole).is_some() {
                break;
            }
            let is_range = matches!(
                separator,
                "-" | "to" | "through" | "thru" | "until" | "till"
            ) || separator == "/" && two
                || separator == "and" && BETWEEN_OR_FROM.is_match(&plain[..first.1]);
            let fiscal =
                fiscal || is_fiscal(&plain[word]) || FISCAL_AFTER.is_match(&plain[whole.end..]);
            self.add_year(year, whole.clone(), fiscal);
            if is_range && year != previous && !ranged {
                self.reading.ranges.push(YearRange {
                    from: previous.min(year),
                    to: previous.max(year),
                    span: span.start..whole.end,
                });
                ranged = true;
            }
            four = !two;
            previous = year;
            span = whole;
        }
    }

    /// False for "2,019", "$2020", "2020.5", "2019 units", "ASU 2016-13".
    fn may_be_year(&self, span: &Span) -> bool {
        let before = &self.plain[..span.start];
        let after = &self.plain[span.end..];
        let digit_next = |text: &str| text.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if before.ends_with(['.', ','])
            && before
                .bytes()
                .rev()
                .nth(1)
                .is_some_and(|b| b.is_ascii_digit())
        {
            // "2,2019" is no year, but "May 3,2023" and "10-K.2022" are dates and titles.
            return false;
        }
        if after.starts_with(['.', ',']) && digit_next(after) && !after.starts_with(",20") {
            return false;
        }
        !NOT_A_YEAR_BEFORE.is_match(before) && !UNIT_AFTER.is_match(after)
    }
}

/// True for "FY", "fiscal year"; false for "calendar", "CY" and nothing.
fn is_fiscal(word: &str) -> bool {
    let word = word.trim();
    word.starts_with('f') || word.starts_with("ye")
}
