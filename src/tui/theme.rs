//! How things look: roles, not colours, and the one place where colours meet the terminal.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use serde::{Deserialize, Serialize};

/// How many colours the terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// 24 bits.
    True,
    /// The 256 of xterm.
    Ansi256,
    /// The 16 of old.
    Ansi16,
    /// None: modifiers only.
    None,
}

impl Colours {
    /// Reads the environment: `NO_COLOR`, `COLORTERM`, `TERM`.
    pub fn from_env(var: impl Fn(&str) -> Option<String>) -> Colours {
        let set = |name: &str| var(name).filter(|v| !v.is_empty());
        let term = set("TERM").unwrap_or_default();
        if set("NO_COLOR").is_some() || term == "dumb" || term.starts_with("vt1") {
            return Colours::None;
        }
        // GNU screen passes COLORTERM on from the terminal outside but knows no 24 bits itself.
        let in_screen = term.starts_with("screen") && set("TMUX").is_none();
        let truecolor = set("COLORTERM").is_some_and(|v| v == "truecolor" || v == "24bit");
        if truecolor && !in_screen || term.contains("direct") {
            Colours::True
        } else if term.contains("256color") {
            Colours::Ansi256
        } else {
            Colours::Ansi16
        }
    }

    /// Brings a drawn frame down to what the terminal shows. Views draw in 24 bits and never ask.
    pub fn apply(self, buffer: &mut Buffer) {
        if self == Colours::True {
            return;
        }
        for cell in &mut buffer.content {
            cell.fg = self.convert(cell.fg);
            cell.bg = self.convert(cell.bg);
        }
    }

    fn convert(self, color: Color) -> Color {
        match (self, color) {
            (Colours::None, _) => Color::Reset,
            (Colours::Ansi256, Color::Rgb(r, g, b)) => Color::Indexed(nearest_256(r, g, b)),
            (Colours::Ansi16, Color::Rgb(r, g, b)) => nearest_16(r, g, b),
            (_, color) => color,
        }
    }
}

/// The nearest of the 6×6×6 cube and the greys.
fn nearest_256(r: u8, g: u8, b: u8) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let step = |v: u8| {
        (0..6u8)
            .min_by_key(|&i| STEPS[i as usize].abs_diff(v))
            .unwrap_or(0)
    };
    let (cr, cg, cb) = (step(r), step(g), step(b));
    let cube = (STEPS[cr as usize], STEPS[cg as usize], STEPS[cb as usize]);
    let mean = (u16::from(r) + u16::from(g) + u16::from(b)) / 3;
    let grey = (mean.saturating_sub(3) / 10).min(23) as u8;
    let level = 8 + 10 * grey;
    if distance((r, g, b), (level, level, level)) < distance((r, g, b), cube) {
        232 + grey
    } else {
        16 + 36 * cr + 6 * cg + cb
    }
}

fn nearest_16(r: u8, g: u8, b: u8) -> Color {
    const ANSI: [(Color, (u8, u8, u8)); 16] = [
        (Color::Black, (0, 0, 0)),
        (Color::Red, (205, 0, 0)),
        (Color::Green, (0, 205, 0)),
        (Color::Yellow, (205, 205, 0)),
        (Color::Blue, (0, 0, 238)),
        (Color::Magenta, (205, 0, 205)),
        (Color::Cyan, (0, 205, 205)),
        (Color::Gray, (229, 229, 229)),
        (Color::DarkGray, (127, 127, 127)),
        (Color::LightRed, (255, 0, 0)),
        (Color::LightGreen, (0, 255, 0)),
        (Color::LightYellow, (255, 255, 0)),
        (Color::LightBlue, (92, 92, 255)),
        (Color::LightMagenta, (255, 0, 255)),
        (Color::LightCyan, (0, 255, 255)),
        (Color::White, (255, 255, 255)),
    ];
    // A colour stays a colour: greys are unreadable on one background or the other.
    let coloured = r.max(g).max(b) - r.min(g).min(b) > 40;
    ANSI.iter()
        .filter(|(_, (r, g, b))| !coloured || r.max(g).max(b) != r.min(g).min(b))
        .min_by_key(|(_, of)| distance((r, g, b), *of))
        .map_or(Color::Reset, |(color, _)| *color)
}

fn distance(a: (u8, u8, u8), b: (u8, u8, u8)) -> u32 {
    let d = |x: u8, y: u8| u32::from(x.abs_diff(y)).pow(2);
    d(a.0, b.0) + d(a.1, b.1) + d(a.2, b.2)
}

/// The styles of the roles. Text is the terminal's own colour on its own background, so that every
/// theme is readable; one accent, and one more colour for what is labelled.
#[derive(Clone, Copy, Debug)]
pub struct Theme {
    /// Plain text.
    pub text: Style,
    /// Less important text.
    pub dim: Style,
    /// What the eye should find first.
    pub accent: Style,
    /// The heading of the pane that has the keys.
    pub title: Style,
    /// The heading of another pane.
    pub title_idle: Style,
    /// The selected line.
    pub selected: Style,
    /// Words of the question found in a text.
    pub matched: Style,
    /// What was read from the question.
    pub read: Style,
    /// What was set by hand.
    pub set: Style,
    /// What the labels say: the page or passage that answers.
    pub label: Style,
    /// A find in the page.
    pub found: Style,
    /// The find the cursor is on.
    pub found_here: Style,
    /// Something went wrong.
    pub error: Style,
}

/// Which theme is wanted, by its name in `config.toml`.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Look {
    /// Colours that can be read on any background, as many as the terminal says it shows.
    Auto,
    /// For dark backgrounds.
    Dark,
    /// For light backgrounds.
    Light,
    /// No colours: bold, underline, reverse.
    Mono,
}

impl Look {
    /// The one after it; after the last the first.
    pub fn next(self) -> Look {
        match self {
            Look::Auto => Look::Dark,
            Look::Dark => Look::Light,
            Look::Light => Look::Mono,
            Look::Mono => Look::Auto,
        }
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Look::Auto => "auto",
            Look::Dark => "dark",
            Look::Light => "light",
            Look::Mono => "mono",
        }
    }
}

/// What the text stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ground {
    /// Not known: colours that can be read on either.
    Unknown,
    /// Dark.
    Dark,
    /// Light.
    Light,
}

impl Ground {
    fn accent(self) -> Color {
        match self {
            Ground::Unknown => Color::Rgb(0x1f, 0x8f, 0xc4),
            Ground::Dark => Color::Rgb(0x5f, 0xb7, 0xe5),
            Ground::Light => Color::Rgb(0x0b, 0x63, 0x93),
        }
    }

    fn label(self) -> Color {
        match self {
            Ground::Unknown => Color::Rgb(0xb5, 0x7f, 0x00),
            Ground::Dark => Color::Rgb(0xe3, 0xb3, 0x41),
            Ground::Light => Color::Rgb(0x85, 0x5b, 0x00),
        }
    }

    fn error(self) -> Color {
        match self {
            Ground::Unknown => Color::Rgb(0xd0, 0x3c, 0x3c),
            Ground::Dark => Color::Rgb(0xf0, 0x70, 0x70),
            Ground::Light => Color::Rgb(0xa8, 0x1c, 0x1c),
        }
    }
}

impl Theme {
    /// The theme wanted on a terminal that shows this many colours: with none, every role is told apart by modifiers.
    pub fn of(look: Look, colours: Colours) -> Theme {
        match look {
            Look::Auto => Theme::on(Ground::Unknown, colours),
            Look::Dark => Theme::on(Ground::Dark, colours),
            Look::Light => Theme::on(Ground::Light, colours),
            Look::Mono => Theme::on(Ground::Unknown, Colours::None),
        }
    }

    fn on(ground: Ground, colours: Colours) -> Theme {
        let (accent, label, error) = (ground.accent(), ground.label(), ground.error());
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        let with = |style: Style, color: Color| match colours {
            Colours::None => style,
            _ => style.fg(color),
        };
        let underlined_without_colour = |style: Style| match colours {
            Colours::None => style.add_modifier(Modifier::UNDERLINED),
            _ => style,
        };
        Theme {
            text: plain,
            dim: plain.add_modifier(Modifier::DIM),
            accent: with(bold, accent),
            title: with(bold, accent),
            title_idle: bold,
            selected: bold,
            // What is labelled or matched stands out of less important text too.
            matched: underlined_without_colour(with(bold, accent)).remove_modifier(Modifier::DIM),
            read: with(plain.add_modifier(Modifier::UNDERLINED), accent),
            set: with(bold, accent),
            label: with(bold, label).remove_modifier(Modifier::DIM),
            found: plain.add_modifier(Modifier::REVERSED),
            found_here: with(bold.add_modifier(Modifier::REVERSED), accent),
            error: with(bold, error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;

    fn env(pairs: &'static [(&str, &str)]) -> Colours {
        Colours::from_env(|name| {
            pairs
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| v.to_string())
        })
    }

    #[test]
    fn the_environment_tells_how_many_colours() {
        for (pairs, expected) in [
            (
                &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")][..],
                Colours::True,
            ),
            (&[("TERM", "xterm-256color")], Colours::Ansi256),
            (&[("TERM", "xterm")], Colours::Ansi16),
            (&[("TERM", "linux")], Colours::Ansi16),
            (&[("TERM", "vt100")], Colours::None),
            (&[("TERM", "dumb")], Colours::None),
            (
                &[
                    ("TERM", "xterm-256color"),
                    ("NO_COLOR", "1"),
                    ("COLORTERM", "truecolor"),
                ],
                Colours::None,
            ),
            (
                &[("TERM", "xterm-256color"), ("NO_COLOR", "")],
                Colours::Ansi256,
            ),
            (
                &[
                    ("TERM", "screen.xterm-256color"),
                    ("COLORTERM", "truecolor"),
                ],
                Colours::Ansi256,
            ),
            (
                &[
                    ("TERM", "screen-256color"),
                    ("COLORTERM", "truecolor"),
                    ("TMUX", "x"),
                ],
                Colours::True,
            ),
            (&[], Colours::Ansi16),
        ] {
            assert_eq!(env(pairs), expected, "{pairs:?}");
        }
    }

    #[test]
    fn a_frame_is_brought_down_to_what_the_terminal_shows() {
        let drawn = |colours: Colours| {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
            buffer[(0, 0)]
                .set_fg(Ground::Unknown.accent())
                .set_bg(Color::Rgb(0, 0, 0));
            colours.apply(&mut buffer);
            (buffer[(0, 0)].fg, buffer[(0, 0)].bg)
        };
        assert_eq!(drawn(Colours::True).0, Ground::Unknown.accent());
        assert_eq!(
            drawn(Colours::Ansi256),
            (Color::Indexed(32), Color::Indexed(16))
        );
        assert_eq!(drawn(Colours::Ansi16), (Color::Cyan, Color::Black));
        assert_eq!(drawn(Colours::None), (Color::Reset, Color::Reset));
        assert_eq!(nearest_16(0xb5, 0x7f, 0x00), Color::Yellow);
        assert_eq!(nearest_16(0xd0, 0x3c, 0x3c), Color::Red);
    }

    #[test]
    fn without_colours_no_role_has_one_and_marks_still_differ_from_text() {
        for (look, colours) in [(Look::Dark, Colours::None), (Look::Mono, Colours::True)] {
            without_colours(Theme::of(look, colours));
        }
    }

    fn without_colours(theme: Theme) {
        let roles = [
            theme.text,
            theme.dim,
            theme.accent,
            theme.title,
            theme.title_idle,
            theme.selected,
            theme.matched,
            theme.read,
            theme.set,
            theme.label,
            theme.found,
            theme.found_here,
            theme.error,
        ];
        assert!(roles.iter().all(|s| s.fg.is_none() && s.bg.is_none()));
        for marked in [theme.matched, theme.read, theme.found, theme.label] {
            assert_ne!(marked, theme.text);
        }
    }

    #[test]
    fn no_role_sets_a_background_or_a_grey() {
        for look in [Look::Auto, Look::Dark, Look::Light] {
            let theme = Theme::of(look, Colours::True);
            for style in [
                theme.text,
                theme.dim,
                theme.accent,
                theme.title,
                theme.matched,
                theme.label,
                theme.error,
            ] {
                assert_eq!(style.bg, None);
                assert!(!matches!(
                    style.fg,
                    Some(Color::DarkGray | Color::Gray | Color::White | Color::Black)
                ));
            }
        }
    }
}
