//! What is painted is what a terminal shows, whatever was there before.

use ratatui::layout::Rect;

use super::*;
use proptest::prelude::*;
use ratatui::style::Style;

const COLUMNS: u16 = 40;
const ROWS: u16 = 8;

/// A family, a flag, a heart with a variation selector, a vowel sign: terminals differ on their
/// widths.
const UNSURE: [&str; 4] = ["👨\u{200d}👩\u{200d}👧", "🇯🇵", "❤\u{fe0f}", "कि"];

fn buffer(rows: &[(String, u8)]) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, COLUMNS, ROWS));
    for (y, (text, look)) in rows.iter().enumerate().take(usize::from(ROWS)) {
        let style = match look % 6 {
            0 => Style::new(),
            1 => Style::new().bold().fg(Color::Rgb(1, 2, 3)),
            2 => Style::new().fg(Color::Indexed(99)).underlined(),
            3 => Style::new().reversed().dim(),
            4 => Style::new().bg(Color::Red).italic(),
            _ => Style::new().dim(),
        };
        let x = u16::from(*look) % 30;
        buffer.set_stringn(x, y as u16, text, usize::from(COLUMNS - x), style);
    }
    buffer
}

/// Says where the terminal shows something else than the buffer.
fn shows(terminal: &vt100::Parser, buffer: &Buffer) -> Result<(), String> {
    for (y, row) in rows(buffer, &[]).iter().enumerate() {
        for (x, wanted) in row.iter().enumerate() {
            let start = &row[glyph(row, x).start];
            if wanted.cell.is_none() || UNSURE.contains(&start.text()) {
                continue;
            }
            let cell = terminal.screen().cell(y as u16, x as u16).unwrap();
            let text = match cell.contents() {
                "" => " ",
                text => text,
            };
            let of = |color: Color| match color {
                Color::Reset => vt100::Color::Default,
                Color::Red => vt100::Color::Idx(1),
                Color::Indexed(n) => vt100::Color::Idx(n),
                Color::Rgb(r, g, b) => vt100::Color::Rgb(r, g, b),
                other => panic!("{other:?} is not drawn here"),
            };
            let is = |modifier| wanted.look.modifier.contains(modifier);
            // Colour and weight of a blank are not seen.
            let seen = text != " " || wanted.look.modifier.intersects(SEEN_ON_BLANKS);
            let same = text == wanted.text()
                && cell.bgcolor() == of(wanted.look.bg)
                && cell.underline() == is(Modifier::UNDERLINED)
                && cell.inverse() == is(Modifier::REVERSED)
                && (!seen
                    || cell.fgcolor() == of(wanted.look.fg)
                        && cell.bold() == is(Modifier::BOLD)
                        && cell.dim() == is(Modifier::DIM)
                        && cell.italic() == is(Modifier::ITALIC));
            if !same {
                return Err(format!("({x}, {y}): {text:?} for {wanted:?}"));
            }
        }
    }
    Ok(())
}

fn text() -> impl Strategy<Value = String> {
    let plain = "[a-c 日é]{0,30}( {14})?[x-z ]{0,8}";
    let pieces = prop::collection::vec(
        prop_oneof![
            Just("日本".to_string()),
            Just("e\u{301}".to_string()),
            Just("👍".to_string()),
            prop::sample::select(UNSURE.to_vec()).prop_map(str::to_string),
            "[a-d ]{1,4}".prop_map(String::from),
        ],
        0..9,
    );
    prop_oneof![
        plain.prop_map(String::from),
        pieces.prop_map(|p| p.concat())
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// Whatever is drawn after whatever, the terminal shows what was meant.
    #[test]
    fn the_terminal_shows_what_was_drawn(
        frames in prop::collection::vec(
            (prop::collection::vec((text(), any::<u8>()), 0..9), -3..4isize),
            1..8,
        )
    ) {
        let mut painter = Painter::default();
        let mut terminal = vt100::Parser::new(ROWS, COLUMNS, 0);
        let mut rows: Vec<(String, u8)> = Vec::new();
        for (fresh, moved) in frames {
            // Some frames move what was there, most bring something new.
            match moved {
                0 => rows = fresh,
                by => {
                    rows.resize(usize::from(ROWS), (String::new(), 0));
                    rows.rotate_left(by.rem_euclid(8) as usize);
                    rows.splice(0..fresh.len().min(2), fresh.into_iter().take(2));
                }
            }
            let frame = buffer(&rows);
            terminal.process(&painter.paint(&frame));
            prop_assert_eq!(shows(&terminal, &frame), Ok(()));
        }
    }

    /// A change of look, from any to any, is what the terminal then writes with.
    #[test]
    fn looks_change_by_their_difference(from in any::<u16>(), to in any::<u16>()) {
        let look = |bits: u16| Look {
            fg: if bits & 0x400 != 0 { Color::Indexed((bits % 200) as u8 + 16) } else { Color::Reset },
            bg: if bits & 0x800 != 0 { Color::Rgb(9, 9, (bits % 251) as u8) } else { Color::Reset },
            modifier: Modifier::from_bits_truncate(bits)
                & (Modifier::BOLD | Modifier::DIM | Modifier::ITALIC | Modifier::UNDERLINED | Modifier::REVERSED),
        };
        let (from, to) = (look(from), look(to));
        prop_assume!(from != to && from != PLAIN);
        let written = |changes: &[String]| {
            let mut terminal = vt100::Parser::new(1, 4, 0);
            terminal.process(changes.concat().as_bytes());
            terminal.process(b"x");
            terminal.screen().cell(0, 0).unwrap().clone()
        };
        let (direct, stepped) = (written(&[change(PLAIN, to)]), written(&[change(PLAIN, from), change(from, to)]));
        prop_assert_eq!(direct, stepped);
    }
}

fn painted(frames: &[&str]) -> Vec<String> {
    let mut painter = Painter::default();
    frames
        .iter()
        .map(|text| {
            let rows: Vec<(String, u8)> = text.lines().map(|l| (l.to_string(), 0)).collect();
            String::from_utf8(painter.paint(&buffer(&rows))).unwrap()
        })
        .collect()
}

#[test]
fn short_gaps_are_written_again_and_long_ones_jumped() {
    let bytes = painted(&[
        "abc def ghi jkl mno pqr stu vwx",
        "Abc Def ghi jkl mno pqr stu vwX",
        "Abc",
        "Abc",
    ]);
    assert_eq!(bytes[1], "\x1b[1;1HAbc D\x1b[25CX");
    assert_eq!(bytes[2], "\x1b[1;5H\x1b[K");
    assert_eq!(bytes[3], "");
}

#[test]
fn rows_that_moved_are_scrolled() {
    let rows: Vec<String> = (0..12)
        .map(|n| format!("{n} row of a text that is {n} long"))
        .collect();
    let bytes = painted(&[
        &rows[0..8].join("\n"),
        &rows[1..9].join("\n"),
        &rows[0..8].join("\n"),
    ]);
    assert_eq!(
        bytes[1],
        "\x1b[1;8r\x1b[8;1H\n\x1b[r\x1b[8;1H8 row of a text that is 8 long"
    );
    assert_eq!(
        bytes[2],
        "\x1b[1;8r\x1b[1;1H\x1bM\x1b[r\x1b[1;1H0 row of a text that is 0 long"
    );
}
