//! Filings, companies and years set by hand.

use crate::tui::app::{Focus, Overlay};
use crate::tui::testing::Bench;

#[test]
fn filings_are_opened_paged_and_set_as_scope() {
    let mut bench = Bench::new(120, 40);
    bench
        .press(&["esc", "F"])
        .type_text("bolt")
        .press(&["enter"]);
    assert!(
        bench
            .screen()
            .contains("Bolt & Nut 10-Q 2022 Q2  PDF p. 1 of 3")
    );
    bench.press(&["]", "]", "]"]);
    let screen = bench.screen();
    assert!(
        screen.contains("PDF p. 3 of 3") && screen.contains("this is the last page"),
        "{screen}"
    );
    assert!(screen.contains("this page has no text"));
    bench.press(&["p"]).type_text("p1").press(&["enter"]);
    assert!(bench.screen().contains("PDF p. 2 of 3 · printed 1"));
    bench.press(&["p"]).type_text("9").press(&["enter"]);
    assert!(
        bench
            .screen()
            .contains("error: no page 9: this filing has pages 1 to 3")
    );
    bench
        .press(&["F"])
        .type_text("2021")
        .press(&["tab", "enter"]);
    assert_eq!(bench.app.settings.scope.filings, ["ACME_2021_10K"]);
    assert!(bench.screen().contains("filing = ACME_2021_10K"));
    bench.press(&["X"]);
    assert!(bench.app.settings.scope.is_empty());
}

#[test]
fn when_the_period_ended_is_said_where_there_is_room() {
    let head = |width, filing: &str| {
        let mut bench = Bench::new(width, 40);
        bench.press(&["esc", "F"]).type_text(filing);
        let offered = bench.screen();
        bench.press(&["enter"]);
        let screen = bench.screen();
        let head = screen.lines().find(|row| row.contains(" p. 1"));
        (
            offered,
            head.unwrap_or_else(|| panic!("{screen}")).to_string(),
        )
    };
    let (offered, page) = head(200, "acme 2022");
    assert!(
        offered.contains("ended Dec 31, 2022 · 4 pages"),
        "{offered}"
    );
    assert!(
        page.contains("Acme 10-K FY2022 · ended Dec 31, 2022  PDF p. 1 of 4"),
        "{page}"
    );
    // In another year than the name says: told before all else that may be left out.
    let (_, page) = head(80, "acme 2021");
    assert!(
        page.contains("Acme 10-K FY2021 · ended Jan 1, 2022  PDF p. 1 of 2"),
        "{page}"
    );
    // Where nothing is known, nothing is said.
    let (offered, page) = head(200, "bolt");
    assert!(
        !page.contains("ended") && !offered.contains("ended"),
        "{page}"
    );
    let mut bench = Bench::new(200, 40);
    bench.type_text("net sales of Acme in 2021");
    assert!(
        bench
            .screen()
            .contains("Acme 10-K FY2021 · ended Jan 1, 2022 "),
        "{}",
        bench.screen()
    );
}

#[test]
fn chips_are_removed_pinned_and_added() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("net sales of Acme in 2022").press(&["tab"]);
    assert_eq!(bench.app.focus, Focus::Chips);
    bench.press(&["x"]);
    assert!(bench.screen().contains("company Acme ignored"));
    bench.press(&["x", "p"]);
    assert!(bench.screen().contains("company = Acme"));
    bench.press(&["a"]).type_text("balance").press(&["enter"]);
    assert!(bench.screen().contains("statement = balance sheet"));
    bench.press(&["a"]).type_text("2021-2022").press(&["enter"]);
    assert!(bench.screen().contains("year = FY2021–2022"));
    assert_eq!(bench.app.settings.scope.years, Some((2021, 2022)));
}

#[test]
fn chips_that_do_not_fit_are_counted() {
    for (width, height) in [(40, 24), (80, 24), (200, 60)] {
        let mut bench = Bench::new(width, height);
        bench.type_text("net sales of Acme in 2022");
        for facet in ["quarter 2", "form 10q", "statement cash", "item 7a"] {
            bench
                .press(&["esc", "a"])
                .type_text(facet)
                .press(&["enter"]);
        }
        let chips = bench.app.chips();
        let row = |bench: &mut Bench| {
            let screen = bench.screen();
            let row = screen
                .lines()
                .find(|row| row.contains("company Acme") || row.contains("+"));
            row.unwrap_or_else(|| panic!("no chips: {screen}"))
                .trim()
                .to_string()
        };
        let seen = |row: &str| {
            let whole = chips.iter().filter(|c| row.contains(&c.value)).count();
            let more = row
                .split_whitespace()
                .filter_map(|w| w.strip_prefix('+')?.parse::<usize>().ok());
            whole + more.sum::<usize>()
        };
        let first = row(&mut bench);
        assert!(first.contains("company"), "{first}");
        assert_eq!(seen(&first), chips.len(), "{first}");
        assert_eq!(first.contains('+'), width < 200, "{first}");
        bench.app.focus = Focus::Chips;
        bench.app.chip = chips.len() - 1;
        let last = row(&mut bench);
        assert_eq!(seen(&last), chips.len(), "{last}");
        assert!(last.contains(&chips[chips.len() - 1].value), "{last}");
    }
}

#[test]
fn every_facet_is_added_by_a_fuzzy_pick_and_removed() {
    for (typed, chip) in [
        ("company bolt", "company = Bolt & Nut"),
        ("year 2021", "year = FY2021"),
        ("quarter 2", "quarter = Q2"),
        ("form 10q", "form = 10-Q"),
        ("filing acme 2021", "filing = ACME_2021_10K"),
        ("statement cash", "statement = cash flow statement"),
        ("item 7a", "item = Item 7A"),
    ] {
        let mut bench = Bench::new(120, 40);
        bench.type_text("net sales").press(&["esc", "a"]);
        bench.type_text(typed).press(&["enter"]);
        assert!(bench.screen().contains(chip), "{typed}: {}", bench.screen());
        bench.press(&["backtab", "backtab", "x"]);
        assert!(bench.app.settings.scope.is_empty(), "{typed}");
    }
}

#[test]
fn filings_of_the_companies_asked_about_are_offered_first_the_newest_before() {
    let offered = |question: &str, filter: &str| -> Vec<String> {
        let mut bench = Bench::new(120, 40);
        bench
            .type_text(question)
            .press(&["esc", "a"])
            .type_text(filter);
        let Some(Overlay::Picker(picker)) = &bench.app.overlay else {
            panic!("no list");
        };
        let text = |m: &crate::tui::fuzzy::Match| picker.items[m.index].text.clone();
        let words = picker.matches.iter().map(text);
        words
            .map(|text| text.split_whitespace().last().unwrap().to_string())
            .collect()
    };
    let (acme, bolt) = (["ACME_2022_10K", "ACME_2021_10K"], "BOLT_2022Q2_10Q");
    assert_eq!(offered("sales of Acme", "filing"), [acme[0], acme[1], bolt]);
    assert_eq!(
        offered("sales of Bolt & Nut", "filing"),
        [bolt, "ACME_2021_10K", "ACME_2022_10K"]
    );
    // The year typed comes before filings of that year.
    assert_eq!(
        offered("sales of Bolt & Nut", "2022"),
        ["FY2022", bolt, acme[0]]
    );
}

#[test]
fn what_the_selected_stage_kept_is_said_whole() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut bench = Bench::new(width, height);
        bench.type_text("net sales").press(&["esc", "backtab", "j"]);
        if bench.app.focus != Focus::Funnel {
            bench.press(&["tab"]);
        }
        let mut answer = bench.app.answer.clone().unwrap();
        let mut outcome = (*answer.outcome).clone();
        let words = "no company of the library is named: all filings";
        bench.app.stage = 1;
        outcome.funnel[1].kept = words.into();
        answer.outcome = std::sync::Arc::new(outcome);
        bench.app.answer = Some(answer);
        let screen = bench.screen();
        assert!(screen.contains(&format!("Kept: {words}")), "{screen}");
    }
}
