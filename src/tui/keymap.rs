//! Which key does what. The one keymap drives dispatch, the footer and the help.

use std::collections::BTreeMap;
use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use thiserror::Error;

use super::action::{ACTIONS, Action, Info, Where};

/// A key with its modifiers. Shift is part of a printable character (`G`, `?`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Chord {
    /// The chord of a key press.
    pub fn of(key: KeyEvent) -> Chord {
        let mut modifiers =
            key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let mut code = key.code;
        if let KeyCode::Char(c) = code {
            modifiers.remove(KeyModifiers::SHIFT);
            if modifiers.contains(KeyModifiers::CONTROL) {
                // Terminals send one byte for Ctrl-/, Ctrl-_ and Ctrl-7.
                let c = c.to_ascii_lowercase();
                code = KeyCode::Char(if matches!(c, '7' | '/') { '_' } else { c });
            }
        }
        if code == KeyCode::BackTab {
            modifiers.remove(KeyModifiers::SHIFT);
        }
        Chord { code, modifiers }
    }

    /// A press of it.
    #[cfg(test)]
    pub fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }

    /// The character typed, when this is text and no command.
    pub fn text(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }

    /// Reads `ctrl-p`, `alt-backspace`, `f2`, `G`, `space`, `-`.
    pub fn parse(text: &str) -> Option<Chord> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        loop {
            let (modifier, tail) = if let Some(tail) = rest.strip_prefix("ctrl-") {
                (KeyModifiers::CONTROL, tail)
            } else if let Some(tail) = rest.strip_prefix("alt-") {
                (KeyModifiers::ALT, tail)
            } else if let Some(tail) = rest.strip_prefix("shift-") {
                (KeyModifiers::SHIFT, tail)
            } else {
                break;
            };
            modifiers |= modifier;
            rest = tail;
        }
        let named = NAMED.iter().find(|(name, _)| *name == rest);
        let mut chars = rest.chars();
        let code = match (named, chars.next(), chars.next()) {
            (Some((_, code)), _, _) => *code,
            (None, Some(c), None) if !c.is_control() && !c.is_whitespace() => KeyCode::Char(c),
            (None, Some('f'), Some(_)) => match rest[1..].parse() {
                Ok(n @ 1..=24) => KeyCode::F(n),
                _ => return None,
            },
            _ => return None,
        };
        Some(Chord::of(KeyEvent::new(code, modifiers)))
    }
}

const NAMED: [(&str, KeyCode); 16] = [
    ("space", KeyCode::Char(' ')),
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backtab", KeyCode::BackTab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
];

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            f.write_str("Ctrl-")?;
        }
        if self.modifiers.contains(KeyModifiers::ALT) {
            f.write_str("Alt-")?;
        }
        if self.modifiers.contains(KeyModifiers::SHIFT) {
            f.write_str("Shift-")?;
        }
        match self.code {
            KeyCode::Char(' ') => f.write_str("Space"),
            KeyCode::Char(c) if self.modifiers.contains(KeyModifiers::CONTROL) => {
                write!(f, "{}", c.to_ascii_uppercase())
            }
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::F(n) => write!(f, "F{n}"),
            KeyCode::Up => f.write_str("↑"),
            KeyCode::Down => f.write_str("↓"),
            KeyCode::Left => f.write_str("←"),
            KeyCode::Right => f.write_str("→"),
            KeyCode::PageUp => f.write_str("PgUp"),
            KeyCode::PageDown => f.write_str("PgDn"),
            KeyCode::BackTab => f.write_str("Shift-Tab"),
            KeyCode::Backspace => f.write_str("Backspace"),
            KeyCode::Delete => f.write_str("Del"),
            code => write!(f, "{code:?}"),
        }
    }
}

/// What is wrong with the keys of an action.
#[derive(Debug, Error, PartialEq)]
#[error("`keys.{action}`: {what}")]
pub struct KeyError {
    /// Its name.
    pub action: String,
    /// In words.
    pub what: String,
}

struct Binding {
    chord: Chord,
    action: Action,
    /// Where the chord works: a printable one is text where text is typed.
    places: Where,
}

/// The keys in force.
pub struct Keymap {
    bindings: Vec<Binding>,
}

impl Keymap {
    /// The keys of the `[keys]` table: action names with their keys. `changed` says which of them the
    /// user set: a conflict is told of those.
    ///
    /// # Errors
    /// Everything that is wrong, each with the action it is wrong of.
    pub fn new(
        keys: &BTreeMap<String, Vec<String>>,
        changed: impl Fn(&str) -> bool,
    ) -> Result<Keymap, Vec<KeyError>> {
        let mut errors = Vec::new();
        let mut error = |action: &str, what: String| {
            errors.push(KeyError {
                action: action.to_string(),
                what,
            });
        };
        for name in keys.keys().filter(|name| Action::by_name(name).is_none()) {
            error(name, "no action of this name".into());
        }
        let mut bindings: Vec<Binding> = Vec::new();
        let (own, theirs): (Vec<&Info>, Vec<&Info>) =
            ACTIONS.iter().partition(|info| !changed(info.name));
        for info in own.into_iter().chain(theirs) {
            for key in keys.get(info.name).into_iter().flatten() {
                let Some(chord) = Chord::parse(key) else {
                    let like = "write `ctrl-p`, `alt-x`, `f2`, `G`, `enter`, `space`";
                    error(info.name, format!("{key:?} is no key: {like}"));
                    continue;
                };
                let places = match chord.text() {
                    Some(_) => info.places.without(Where::TEXT),
                    None => info.places,
                };
                let taken = bindings
                    .iter()
                    .find(|b| b.chord == chord && b.places.meets(places));
                match taken {
                    Some(other) if other.action != info.action => {
                        let other = other.action.info().name;
                        error(
                            info.name,
                            format!("{key:?} is the key of `{other}` already"),
                        );
                    }
                    Some(_) => {}
                    None => bindings.push(Binding {
                        chord,
                        action: info.action,
                        places,
                    }),
                }
            }
        }
        bindings.sort_by_key(|b| b.action);
        match errors.is_empty() {
            true => Ok(Keymap { bindings }),
            false => Err(errors),
        }
    }

    /// What this key does here.
    pub fn action(&self, chord: Chord, place: Where) -> Option<Action> {
        self.bindings
            .iter()
            .find(|b| b.chord == chord && b.places.meets(place))
            .map(|b| b.action)
    }

    /// The keys of an action in a place, as shown, the preferred one first.
    pub fn keys(&self, action: Action, place: Where) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        for b in &self.bindings {
            if b.action == action && b.places.meets(place) {
                let key = b.chord.to_string();
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        keys
    }

    /// The first key of an action in a place; empty when it has none there.
    pub fn key(&self, action: Action, place: Where) -> String {
        self.keys(action, place)
            .into_iter()
            .next()
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, SHIPPED};

    fn chord(text: &str) -> Chord {
        Chord::parse(text).unwrap_or_else(|| panic!("{text} is no key"))
    }

    fn shipped() -> BTreeMap<String, Vec<String>> {
        Config::shipped().keys.clone()
    }

    fn with(name: &str, keys: &[&str]) -> Result<Keymap, Vec<String>> {
        let mut all = shipped();
        all.insert(name.into(), keys.iter().map(|k| k.to_string()).collect());
        Keymap::new(&all, |changed| changed == name)
            .map_err(|errors| errors.iter().map(KeyError::to_string).collect())
    }

    #[test]
    fn every_action_has_keys_in_the_shipped_file_and_none_conflict() {
        let keys = shipped();
        for info in ACTIONS {
            assert!(keys.contains_key(info.name), "{} has no keys", info.name);
        }
        assert_eq!(keys.len(), ACTIONS.len());
        let (_, lines) = SHIPPED.split_once("\n[keys]").expect("a table of keys");
        for info in ACTIONS {
            let own = format!("{} = ", info.name);
            let line = lines.lines().find(|line| line.starts_with(&own));
            let comment = line
                .and_then(|line| line.split_once(" # "))
                .map(|(_, words)| words);
            assert_eq!(comment, Some(info.words), "{}", info.name);
        }
        Keymap::new(&keys, |_| false).unwrap();
    }

    #[test]
    fn keys_are_read_and_shown() {
        for (text, shown) in [
            ("ctrl-p", "Ctrl-P"),
            ("alt-backspace", "Alt-Backspace"),
            ("f12", "F12"),
            ("G", "G"),
            ("?", "?"),
            ("ctrl-/", "Ctrl-_"),
            ("-", "-"),
            ("backtab", "Shift-Tab"),
            ("pagedown", "PgDn"),
        ] {
            assert_eq!(chord(text).to_string(), shown);
        }
        for bad in ["", "ctrl-", "hyper-x", "f25", "fx", "enterr", "ctrl-\u{7}"] {
            assert_eq!(Chord::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn printable_keys_are_text_in_the_question_and_commands_outside() {
        let keys = Keymap::new(&shipped(), |_| false).unwrap();
        assert_eq!(keys.action(chord("q"), Where::QUESTION), None);
        assert_eq!(keys.action(chord("q"), Where::RANKING), Some(Action::Leave));
        assert_eq!(
            keys.action(chord("ctrl-c"), Where::QUESTION),
            Some(Action::Quit)
        );
        assert_eq!(
            keys.action(chord("ctrl-d"), Where::QUESTION),
            Some(Action::DeleteForward)
        );
        assert_eq!(
            keys.action(chord("ctrl-d"), Where::PAGE),
            Some(Action::HalfDown)
        );
        let typed = KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT);
        assert_eq!(
            keys.action(Chord::of(typed), Where::PAGE),
            Some(Action::Last)
        );
    }

    #[test]
    fn keys_can_be_given_anew() {
        let keys = with("quit", &["ctrl-q"]).unwrap();
        assert_eq!(
            keys.action(chord("ctrl-q"), Where::PAGE),
            Some(Action::Quit)
        );
        assert_eq!(keys.action(chord("ctrl-c"), Where::PAGE), None);
        let keys = with("mouse", &[]).unwrap();
        assert!(keys.keys(Action::Mouse, Where::ANY).is_empty());
    }

    #[test]
    fn the_readme_names_keys_as_they_are_shown_and_as_they_work() {
        let keys = Keymap::new(&shipped(), |_| false).unwrap();
        let readme = include_str!("../../README.md");
        let pair = regex::Regex::new(r"`(.)`,? \(?while typing ([\w-]+)").unwrap();
        let mut pairs = 0;
        for found in pair.captures_iter(&readme.replace('\n', " ")) {
            let (key, typing) = (&found[1], &found[2]);
            let does = keys.action(chord(key), Where::RANKING);
            let action = does.unwrap_or_else(|| panic!("{key} does nothing"));
            // Leaving has an action of its own while typing.
            let action = match action {
                Action::Leave => Action::Quit,
                action => action,
            };
            let shown = keys.keys(action, Where::QUESTION);
            assert!(shown.iter().any(|key| key == typing), "{typing}: {shown:?}");
            pairs += 1;
        }
        assert_eq!(pairs, 8, "the pairs of the README");
        for (key, place, action) in [
            ("f12", Where::BENCH, Action::Fetch),
            ("f7", Where::BENCH, Action::SwitchRetriever),
            ("i", Where::RANKING, Action::FocusQuestion),
            ("tab", Where::PROMPT, Action::OtherLibrary),
            ("enter", Where::QUESTION, Action::Submit),
            ("enter", Where::RANKING, Action::Open),
            ("esc", Where::ANY, Action::Back),
        ] {
            assert_eq!(keys.action(chord(key), place), Some(action), "{key}");
        }
    }

    #[test]
    fn errors_name_the_action() {
        let errors = |name, keys: &[&str]| with(name, keys).err().unwrap_or_default();
        assert_eq!(
            errors("quit", &["ctrlq"]),
            [
                "`keys.quit`: \"ctrlq\" is no key: write `ctrl-p`, `alt-x`, `f2`, `G`, `enter`, `space`"
            ]
        );
        assert_eq!(
            errors("wrap", &["n"]),
            ["`keys.wrap`: \"n\" is the key of `next-match` already"]
        );
        assert_eq!(
            errors("qiut", &["x"]),
            ["`keys.qiut`: no action of this name"]
        );
    }
}
