//! The rows above the panes of a case: where the labelled page stands, and why.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{list, rank};
use crate::eval::explain::LabelledRanks;
use crate::eval::misses::Loss;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::text;
use crate::tui::view::put;

/// Where the labelled page stands, and where it stood; under it its rank under every rung.
pub fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.theme;
    let analysis = &app.analysis;
    let Some(case) = analysis.case() else {
        let words = match analysis.question() {
            Some(_) => "working out where it is ranked …",
            None => "",
        };
        return put(buf, area, 0, Line::styled(words, theme.dim));
    };
    let Some(page) = case.why.pages.get(analysis.labelled) else {
        let words = "the labelled filing is not in this library";
        return put(buf, area, 0, Line::styled(words, theme.error));
    };
    let n = case.why.pages.len();
    let short = area.width < 40;
    let which = match n {
        _ if short => format!("p. {}", page.page),
        1 => format!("labelled p. {}", page.page),
        n => format!(
            "labelled p. {} ({} of {n})",
            page.page,
            analysis.labelled + 1
        ),
    };
    let mut line = vec![
        Span::styled(format!("{which}  rank "), theme.dim),
        Span::styled(rank(page.rank), theme.label),
    ];
    let best = case.why.pages.iter().filter_map(|p| p.rank).min();
    if n > 1 && best != page.rank {
        line.push(Span::styled(format!(" (best {})", rank(best)), theme.dim));
    }
    let before = analysis.rank_before();
    if best != before {
        let run = match analysis.row().and_then(|row| row.saved) {
            Some(_) => "saved run",
            None => "the list",
        };
        line.push(Span::styled(
            format!("  {}  ", moved(before, best)),
            theme.set,
        ));
        line.push(Span::styled(format!("{run} {}", rank(before)), theme.dim));
    }
    // By both its names: the list has the short one, the filter and the commands the other.
    let mut below = None;
    if let Some(loss) = loss(app) {
        let (few, title) = (list::few_words(loss), loss.title());
        let words = format!("{few}: {title}");
        let used: usize = line.iter().map(Span::width).sum();
        let beside = used + 2 + text::width(&words) <= usize::from(area.width);
        if beside {
            line.push(Span::styled(format!("  {words}"), theme.error));
        } else if area.height > 2 {
            below = Some(Line::styled(words, theme.error));
        } else {
            line.push(Span::styled(format!("  {title}"), theme.error));
        }
    }
    if analysis.tries() {
        let words = format!(
            "   {} back",
            app.keymap.key(Action::ResetWhatIf, app.pane_place())
        );
        line.push(Span::styled(words, theme.dim));
    }
    put(buf, area, 0, Line::from(line));
    let rungs = rungs(app, page, area.width);
    for (ix, line) in below.into_iter().chain(rungs).enumerate() {
        put(buf, area, ix as u16 + 1, line);
    }
}

/// Its rank under every rung, as many whole ones in a row as fit.
fn rungs<'a>(app: &App, page: &'a LabelledRanks, width: u16) -> Vec<Line<'a>> {
    let theme = &app.theme;
    let mut lines: Vec<Line> = vec![Line::default()];
    for (name, found) in &page.rungs {
        let part = [
            Span::styled(format!("{name} "), theme.dim),
            Span::styled(rank(*found), theme.selected),
        ];
        let wide: usize = part.iter().map(Span::width).sum();
        let last = lines.len() - 1;
        let line = match lines[last].width() {
            0 => &mut lines[last],
            used if used + wide + 3 <= usize::from(width) => {
                lines[last].push_span(Span::styled(" · ", theme.dim));
                &mut lines[last]
            }
            _ => {
                lines.push(Line::default());
                &mut lines[last + 1]
            }
        };
        line.extend(part);
    }
    lines
}

/// Where the question of the case is lost.
pub fn loss(app: &App) -> Option<Loss> {
    app.analysis.case()?.why.loss
}

/// `↑33`: better; `↓2`: worse; `in`, `out`.
fn moved(before: Option<usize>, now: Option<usize>) -> String {
    match (before, now) {
        (Some(before), Some(now)) if now < before => format!("↑{}", before - now),
        (Some(before), Some(now)) => format!("↓{}", now - before),
        (None, Some(_)) => "now in".into(),
        (_, None) => "now out".into(),
    }
}
