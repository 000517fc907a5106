//! The clipboard: of this machine, or by OSC 52 of the terminal at the other end of SSH.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// How a text gets to the clipboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The system's clipboard.
    System,
    /// An escape sequence the terminal acts on.
    Osc52 {
        /// What stands between us and the terminal.
        through: Through,
    },
}

/// A multiplexer that passes sequences on only when they are wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    /// Nothing.
    Nothing,
    /// tmux.
    Tmux,
    /// GNU screen.
    Screen,
}

/// Most bytes of text sent by OSC 52: terminals drop longer sequences.
pub const OSC52_LIMIT: usize = 74_994;
/// GNU screen takes strings of at most 768 bytes.
const SCREEN_CHUNK: usize = 700;

impl Route {
    /// Over SSH the clipboard of this machine is not the user's.
    pub fn from_env(var: impl Fn(&str) -> Option<String>) -> Route {
        let set = |name: &str| var(name).is_some_and(|v| !v.is_empty());
        if set("SSH_TTY") || set("SSH_CONNECTION") {
            Route::by_terminal(var)
        } else {
            Route::System
        }
    }

    /// By the terminal, whatever else there is.
    pub fn by_terminal(var: impl Fn(&str) -> Option<String>) -> Route {
        let through = if var("TMUX").is_some_and(|v| !v.is_empty()) {
            Through::Tmux
        } else if var("TERM").is_some_and(|v| v.starts_with("screen")) {
            Through::Screen
        } else {
            Through::Nothing
        };
        Route::Osc52 { through }
    }
}

/// What tmux needs before it takes what programs copy: set so it is not from the start.
pub const TMUX_NEEDS: &str = "`set -g set-clipboard on` in ~/.tmux.conf";

/// Said when a text was sent: no terminal tells whether it took it.
pub fn sent(what: &str, through: Through) -> String {
    let sent = format!("{what} copied by the terminal (OSC 52)");
    match through {
        Through::Tmux => format!("{sent}, if tmux lets it: {TMUX_NEEDS}"),
        Through::Nothing | Through::Screen => sent,
    }
}

/// The sequence that puts a text on the terminal's clipboard.
pub fn osc52(text: &str, through: Through) -> String {
    let sequence = format!("\x1b]52;c;{}\x07", STANDARD.encode(text));
    match through {
        Through::Nothing => sequence,
        // tmux acts on the plain one with `set-clipboard on`, and passes the wrapped one on with
        // `allow-passthrough on`.
        Through::Tmux => format!(
            "{sequence}\x1bPtmux;{}\x1b\\",
            sequence.replace('\x1b', "\x1b\x1b")
        ),
        Through::Screen => {
            let bytes: Vec<char> = sequence.chars().collect();
            bytes
                .chunks(SCREEN_CHUNK)
                .map(|chunk| format!("\x1bP{}\x1b\\", chunk.iter().collect::<String>()))
                .collect()
        }
    }
}

/// Puts a text on the system's clipboard.
///
/// # Errors
/// When there is none (no display), in its own words.
pub fn system(clipboard: &mut Option<arboard::Clipboard>, text: &str) -> Result<(), String> {
    // Kept open: on X11 the text is gone with its owner.
    if clipboard.is_none() {
        *clipboard = Some(arboard::Clipboard::new().map_err(|e| e.to_string())?);
    }
    match clipboard {
        Some(clipboard) => clipboard.set_text(text).map_err(|e| e.to_string()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(pairs: &[(&str, &str)]) -> Route {
        Route::from_env(|name| {
            pairs
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| v.to_string())
        })
    }

    #[test]
    fn over_ssh_the_terminal_holds_the_clipboard() {
        let osc = |through| Route::Osc52 { through };
        assert_eq!(route(&[]), Route::System);
        assert_eq!(route(&[("SSH_TTY", "/dev/pts/3")]), osc(Through::Nothing));
        assert_eq!(
            route(&[("SSH_TTY", "x"), ("TMUX", "y")]),
            osc(Through::Tmux)
        );
        assert_eq!(
            route(&[("SSH_CONNECTION", "x"), ("TERM", "screen.xterm")]),
            osc(Through::Screen)
        );
    }

    #[test]
    fn inside_tmux_what_it_needs_is_said() {
        let tmux = sent("citation", Through::Tmux);
        assert_eq!(
            tmux,
            "citation copied by the terminal (OSC 52), if tmux lets it: `set -g set-clipboard on` in ~/.tmux.conf"
        );
        for through in [Through::Nothing, Through::Screen] {
            assert_eq!(
                sent("citation", through),
                "citation copied by the terminal (OSC 52)"
            );
        }
    }

    #[test]
    fn the_sequence_carries_the_text_whole() {
        let plain = osc52("3M, p. 60 日", Through::Nothing);
        let encoded = plain
            .strip_prefix("\x1b]52;c;")
            .unwrap()
            .strip_suffix('\x07')
            .unwrap();
        assert_eq!(STANDARD.decode(encoded).unwrap(), "3M, p. 60 日".as_bytes());
        let wrapped = osc52(&"x".repeat(2000), Through::Screen);
        let inner: String = wrapped
            .split("\x1bP")
            .map(|s| s.trim_end_matches("\x1b\\"))
            .collect();
        assert_eq!(inner, osc52(&"x".repeat(2000), Through::Nothing));
        assert!(osc52("a", Through::Tmux).contains("\x1bPtmux;\x1b\x1b]52;c;YQ=="));
    }
}
