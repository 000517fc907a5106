//! Glyphs to text: rows from top to bottom, words and columns by the gaps between glyphs.

/// One glyph as drawn: its text and where it stands, in a frame where x runs along the text and
/// y falls from row to row. Lengths are in points.
#[derive(Clone, Debug)]
pub struct Glyph {
    /// Start of the baseline.
    pub x: f32,
    /// Height of the baseline; larger is higher on the page.
    pub y: f32,
    /// Width up to the next glyph.
    pub advance: f32,
    /// Font size.
    pub em: f32,
    /// What it says: one character, several for a ligature, spaces for a space.
    pub text: GlyphText,
}

/// The text of a glyph, without an allocation for the usual single character.
#[derive(Clone, Debug)]
pub enum GlyphText {
    /// One character.
    Char(char),
    /// Several.
    Str(Box<str>),
}

impl GlyphText {
    fn is_space(&self) -> bool {
        match self {
            GlyphText::Char(c) => c.is_whitespace(),
            GlyphText::Str(s) => s.chars().all(char::is_whitespace),
        }
    }

    fn push_to(&self, out: &mut String) {
        match self {
            GlyphText::Char(c) => out.push(*c),
            GlyphText::Str(s) => out.push_str(s),
        }
    }

    fn same(&self, other: &GlyphText) -> bool {
        match (self, other) {
            (GlyphText::Char(a), GlyphText::Char(b)) => a == b,
            (GlyphText::Str(a), GlyphText::Str(b)) => a == b,
            _ => false,
        }
    }
}

/// A glyph belongs to a row whose baseline is this near, in em.
const SAME_ROW: f32 = 0.35;
/// A gap this wide is a space, in em ...
const WORD_GAP: f32 = 0.15;
/// ... and this wide where the document drew a space character. The characters themselves are
/// not trusted: some producers put them inside numbers.
const WORD_GAP_AT_SPACE: f32 = 0.08;
/// A gap this wide parts columns and becomes two spaces, in em.
const COLUMN_GAP: f32 = 1.5;
/// The same character this near is the same glyph drawn twice (a poor man's bold), in em.
const OVERPRINT: f32 = 0.08;

struct Row {
    y: f32,
    glyphs: Vec<Glyph>,
}

/// The text of one page: a line a row, no empty lines. The order of `glyphs` does not matter but
/// for glyphs on the very same spot.
pub fn layout(glyphs: Vec<Glyph>) -> String {
    let mut rows = rows(glyphs);
    rows.sort_by(|a, b| b.y.total_cmp(&a.y));
    let mut out = String::new();
    for row in &mut rows {
        row.glyphs.sort_by(|a, b| a.x.total_cmp(&b.x));
        let start = out.len();
        write_row(&row.glyphs, &mut out);
        if out.len() > start {
            out.push('\n');
        }
    }
    out.pop();
    out
}

fn rows(glyphs: Vec<Glyph>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut last = 0;
    let finite = |g: &Glyph| [g.x, g.y, g.advance, g.em].iter().all(|v| v.is_finite());
    for glyph in glyphs.into_iter().filter(finite) {
        let near = |row: &Row| (row.y - glyph.y).abs() <= SAME_ROW * glyph.em;
        // The next glyph is nearly always on the row of the last.
        let at = if rows.get(last).is_some_and(near) {
            Some(last)
        } else {
            let distance = |ix: &usize| (rows[*ix].y - glyph.y).abs();
            (0..rows.len())
                .filter(|&ix| near(&rows[ix]))
                .min_by(|a, b| distance(a).total_cmp(&distance(b)))
        };
        last = at.unwrap_or(rows.len());
        match at {
            Some(ix) => rows[ix].glyphs.push(glyph),
            // A space alone starts no row.
            None if glyph.text.is_space() => last = 0,
            None => rows.push(Row {
                y: glyph.y,
                glyphs: vec![glyph],
            }),
        }
    }
    rows
}

fn write_row(glyphs: &[Glyph], out: &mut String) {
    let mut before: Option<&Glyph> = None;
    let mut space_drawn = false;
    for glyph in glyphs {
        if glyph.text.is_space() {
            space_drawn = true;
            continue;
        }
        if let Some(prev) = before {
            let em = glyph.em.min(prev.em).max(f32::MIN_POSITIVE);
            if glyph.text.same(&prev.text) && (glyph.x - prev.x).abs() < OVERPRINT * em {
                continue;
            }
            let gap = (glyph.x - (prev.x + prev.advance)) / em;
            let word = if space_drawn {
                WORD_GAP_AT_SPACE
            } else {
                WORD_GAP
            };
            if gap > COLUMN_GAP {
                out.push_str("  ");
            } else if gap > word {
                out.push(' ');
            }
        }
        glyph.text.push_to(out);
        before = Some(glyph);
        space_drawn = false;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Glyphs of `text` from `x` on, each half an em wide, size 10.
    fn run(x: f32, y: f32, text: &str) -> Vec<Glyph> {
        let glyph = |(ix, c): (usize, char)| Glyph {
            x: x + ix as f32 * 5.0,
            y,
            advance: 5.0,
            em: 10.0,
            text: GlyphText::Char(c),
        };
        text.chars().enumerate().map(glyph).collect()
    }

    #[test]
    fn rows_columns_and_words() {
        let mut glyphs = run(300.0, 700.2, "4,020");
        glyphs.extend(run(50.0, 680.0, "Total"));
        glyphs.extend(run(50.0, 700.0, "Net sales"));
        assert_eq!(layout(glyphs), "Net sales  4,020\nTotal");
    }

    #[test]
    fn a_space_inside_a_number_is_dropped() {
        // The space is drawn, but the digits stand as close as ever.
        let mut glyphs = run(50.0, 700.0, "2");
        glyphs.extend(run(55.1, 700.0, " "));
        glyphs.extend(run(55.2, 700.0, "4,020"));
        assert_eq!(layout(glyphs), "24,020");
    }

    #[test]
    fn overprinted_glyphs_count_once() {
        let mut glyphs = run(50.0, 700.0, "Assets");
        glyphs.extend(run(50.3, 700.0, "Assets"));
        assert_eq!(layout(glyphs), "Assets");
        assert_eq!(layout(run(50.0, 700.0, "11,133")), "11,133");
    }

    #[test]
    fn nonsense_coordinates_are_left_out() {
        let mut glyphs = run(50.0, 700.0, "a");
        glyphs.extend(run(f32::NAN, 700.0, "b"));
        glyphs.extend(run(50.0, f32::INFINITY, "c"));
        assert_eq!(layout(glyphs), "a");
    }

    proptest! {
        /// Words set with clear gaps come back as they were set, in whatever order they are drawn.
        #[test]
        fn words_survive_any_drawing_order(
            lines in prop::collection::vec(prop::collection::vec("[A-Za-z0-9$,.()%-]{1,9}", 1..7), 1..12),
            order in any::<u64>(),
        ) {
            let mut runs = Vec::new();
            let mut want = Vec::new();
            for (row, words) in lines.iter().enumerate() {
                let mut x = 40.0;
                for word in words {
                    runs.push(run(x, 760.0 - row as f32 * 12.0, word));
                    x += word.len() as f32 * 5.0 + 3.0;
                }
                want.push(words.join(" "));
            }
            let mut seed = order;
            for ix in (1..runs.len()).rev() {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                runs.swap(ix, (seed >> 33) as usize % (ix + 1));
            }
            prop_assert_eq!(layout(runs.concat()), want.join("\n"));
        }

        /// No glyphs, however wild, make it panic; no character is invented but spaces and line ends.
        #[test]
        fn any_glyphs(
            glyphs in prop::collection::vec((any::<f32>(), any::<f32>(), any::<f32>(), any::<f32>(), any::<char>()), 0..80),
        ) {
            let drawn: Vec<char> = glyphs.iter().map(|g| g.4).collect();
            let text = layout(glyphs.into_iter().map(|(x, y, advance, em, c)| Glyph {
                x, y, advance, em, text: GlyphText::Char(c),
            }).collect());
            prop_assert!(text.chars().all(|c| c == ' ' || c == '\n' || drawn.contains(&c)));
        }
    }
}
