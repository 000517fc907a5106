//! Which key does what. The one keymap drives dispatch, the footer and the help.

use std::collections::BTreeMap;
use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use thiserror::Error;
use toml::Spanned;

use super::action::{ACTIONS, Action, Where};

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

/// What is wrong with a `[keys]` table.
#[derive(Debug, Error, PartialEq)]
pub enum KeyError {
    /// No action of this name.
    #[error("line {line}: no action is named `{name}`{hint}")]
    UnknownAction {
        /// 1-based line.
        line: usize,
        /// As written.
        name: String,
        /// `; did you mean ...`
        hint: String,
    },
    /// Not a key.
    #[error("line {line}: `{key}` is no key: write `ctrl-p`, `alt-x`, `f2`, `G`, `enter`, `space`")]
    UnknownKey {
        /// 1-based line.
        line: usize,
        /// As written.
        key: String,
    },
    /// Two actions on one key in one place.
    #[error("line {line}: `{key}` is given to `{name}` but does `{other}` there already")]
    Conflict {
        /// 1-based line.
        line: usize,
        /// The key.
        key: String,
        /// The action it is given to.
        name: String,
        /// The action that has it.
        other: String,
    },
    /// Not a table of names and keys.
    #[error("{0}")]
    Toml(String),
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

impl Default for Keymap {
    fn default() -> Self {
        Keymap::from_config("").unwrap_or_else(|errors| panic!("{errors:?}"))
    }
}

/// As in `config.toml`: one key or several.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Keys {
    One(String),
    Several(Vec<String>),
}

#[derive(serde::Deserialize)]
struct File {
    #[serde(default)]
    keys: BTreeMap<Spanned<String>, Spanned<Keys>>,
}

impl Keymap {
    /// The keys of the table [`ACTIONS`] with those of the `[keys]` table of a configuration file
    /// in their place: `quit = "ctrl-q"`, `down = ["j", "ctrl-n"]`. `[]` leaves an action to the palette.
    ///
    /// # Errors
    /// Everything that is wrong, each with its line.
    pub fn from_config(text: &str) -> Result<Keymap, Vec<KeyError>> {
        let file: File = toml::from_str(text).map_err(|e| vec![KeyError::Toml(e.to_string())])?;
        let line_of = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
        let mut errors = Vec::new();
        let mut given: BTreeMap<Action, (usize, Vec<Chord>)> = BTreeMap::new();
        for (name, keys) in &file.keys {
            let line = line_of(name.span().start);
            let Some(action) = Action::by_name(name.get_ref()) else {
                errors.push(KeyError::UnknownAction {
                    line,
                    name: name.get_ref().clone(),
                    hint: nearest(name.get_ref()),
                });
                continue;
            };
            let keys = match keys.get_ref() {
                Keys::One(key) => std::slice::from_ref(key),
                Keys::Several(keys) => keys,
            };
            let mut chords = Vec::new();
            for key in keys {
                match Chord::parse(key) {
                    Some(chord) => chords.push(chord),
                    None => errors.push(KeyError::UnknownKey {
                        line,
                        key: key.clone(),
                    }),
                }
            }
            given.insert(action, (line, chords));
        }
        let mut bindings: Vec<Binding> = Vec::new();
        // Those given come last, so that a conflict names the line of the file.
        let (own, file): (Vec<_>, Vec<_>) =
            ACTIONS.iter().partition(|i| !given.contains_key(&i.action));
        for info in own.into_iter().chain(file) {
            let (line, chords) = match given.get(&info.action) {
                Some((line, chords)) => (*line, chords.clone()),
                None => (
                    0,
                    info.keys.iter().filter_map(|k| Chord::parse(k)).collect(),
                ),
            };
            for chord in chords {
                let places = match chord.text() {
                    Some(_) => info.places.without(Where::TEXT),
                    None => info.places,
                };
                let taken = bindings
                    .iter()
                    .find(|b| b.chord == chord && b.places.meets(places));
                match taken {
                    Some(other) if other.action != info.action => errors.push(KeyError::Conflict {
                        line,
                        key: chord.to_string(),
                        name: info.name.to_string(),
                        other: other.action.info().name.to_string(),
                    }),
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

fn nearest(name: &str) -> String {
    ACTIONS
        .iter()
        .map(|i| (strsim::damerau_levenshtein(i.name, name), i.name))
        .min()
        .filter(|(distance, _)| *distance <= 3)
        .map(|(_, near)| format!("; did you mean `{near}`?"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chord(text: &str) -> Chord {
        Chord::parse(text).unwrap_or_else(|| panic!("{text} is no key"))
    }

    #[test]
    fn every_key_of_the_table_is_a_key_and_none_conflicts() {
        for info in ACTIONS {
            for key in info.keys {
                assert!(Chord::parse(key).is_some(), "{key} of {}", info.name);
            }
        }
        Keymap::default();
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
        let keys = Keymap::default();
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
        let keys =
            Keymap::from_config("[keys]\nquit = [\"ctrl-q\"]\nwrap = \"W\"\nmouse = []\n").unwrap();
        assert_eq!(
            keys.action(chord("ctrl-q"), Where::PAGE),
            Some(Action::Quit)
        );
        assert_eq!(keys.action(chord("ctrl-c"), Where::PAGE), None);
        assert_eq!(keys.action(chord("W"), Where::PAGE), Some(Action::Wrap));
        assert!(keys.keys(Action::Mouse, Where::ANY).is_empty());
    }

    #[test]
    fn errors_name_the_line_and_the_nearest_name() {
        let errors = |text: &str| match Keymap::from_config(text) {
            Ok(_) => Vec::new(),
            Err(errors) => errors.iter().map(|e| e.to_string()).collect::<Vec<_>>(),
        };
        assert_eq!(
            errors("[keys]\n\nqiut = \"x\"\n"),
            ["line 3: no action is named `qiut`; did you mean `quit`?"]
        );
        assert_eq!(
            errors("[keys]\nquit = \"ctrlq\"\n"),
            ["line 2: `ctrlq` is no key: write `ctrl-p`, `alt-x`, `f2`, `G`, `enter`, `space`"]
        );
        assert_eq!(
            errors("# mine\n[keys]\nwrap = \"n\"\n"),
            ["line 3: `n` is given to `wrap` but does `next-match` there already"]
        );
        assert_eq!(errors("[keys]\nquit = 3\n").len(), 1);
    }
}
