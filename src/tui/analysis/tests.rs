//! The error analysis over the demo library with its real engine.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::eval::{Question, QuestionSet};
use crate::library::{Filing, PageId, PageText, demo};
use crate::question::Tables;
use crate::search::{About, Engine, Outcome, Pages, RankedPage, Retriever, Settings, Snippet};
use crate::tui::action::{ACTIONS, Action, Where};
use crate::tui::app::{Effect, Opened, Screen};
use crate::tui::finder::Finder;
use crate::tui::testing::{Bench, MODES};
use crate::tui::update::Message;
use crossterm::event::Event;
use proptest::prelude::*;

const SIZES: [(u16, u16); 5] = [(200, 60), (120, 40), (80, 24), (20, 5), (1, 1)];

/// The demo, opened once for all tests that write no notes.
fn engine() -> Arc<Engine> {
    static ENGINE: OnceLock<(Arc<Engine>, tempfile::TempDir)> = OnceLock::new();
    ENGINE.get_or_init(demo_of_its_own).0.clone()
}

/// A demo whose notes no other test sees; it goes with its folder.
fn demo_of_its_own() -> (Arc<Engine>, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a folder");
    demo::install(dir.path()).expect("the demo installs");
    let opened = Engine::open(dir.path(), Tables::builtin(), &|_, _| {});
    (Arc::new(opened.expect("the demo opens").0), dir)
}

fn questions() -> Vec<Question> {
    QuestionSet::load(&engine().library, &[]).questions
}

/// The screen, opened by its key.
fn bench(width: u16, height: u16) -> Bench {
    bench_over(engine(), width, height)
}

fn bench_over(engine: Arc<Engine>, width: u16, height: u16) -> Bench {
    let mut bench = Bench::over(engine, questions(), width, height);
    bench.press(&["esc", "E"]);
    assert!(bench.app.screen == Screen::Analysis);
    bench
}

#[test]
fn every_pane_at_every_size() {
    let mut looks = Vec::new();
    for (width, height) in SIZES {
        let states: [(&str, &[&str]); 9] = [
            ("list", &[]),
            ("filter", &["J", "tab"]),
            ("notes", &["tab", "tab"]),
            ("pages", &["enter"]),
            ("words", &["backtab"]),
            ("by BM25 alone", &["6", "backtab"]),
            ("sorted", &["s", "down", "down", "down", "enter"]),
            ("filters", &["f"]),
            ("left out", &["-", "enter"]),
        ];
        let pictures = states.map(|(name, keys)| {
            let mut bench = bench(width, height);
            bench.press(keys);
            let screen = bench.screen();
            for (mode, colours) in MODES {
                let of_mode = bench.looks(colours);
                looks.push(format!("{width}x{height} {name} {mode}: {of_mode}"));
            }
            format!("=== {name}\n{screen}")
        });
        insta::assert_snapshot!(format!("{width}x{height}"), pictures.join("\n"));
    }
    insta::assert_snapshot!("looks", looks.join("\n"));
}

#[test]
fn escape_goes_back_to_the_workbench() {
    let mut bench = bench(200, 60);
    bench.press(&["tab", "esc"]);
    assert!(bench.app.place() == Where::LIST);
    bench.press(&["esc"]);
    assert!(bench.app.screen == Screen::Bench);
    bench.press(&["q"]);
    assert!(matches!(bench.effects.last(), Some(Effect::Quit)));
}

fn id(bench: &Bench) -> String {
    let question = bench.app.analysis.question();
    question.map_or(String::new(), |q| q.id.clone())
}

#[test]
fn every_question_is_judged_and_misses_are_stepped_through() {
    let mut bench = bench(200, 60);
    let rows = &bench.app.analysis.rows;
    assert_eq!(rows.len(), questions().len());
    assert!(rows.iter().all(|row| row.judged.is_some()));
    // Without the company filter and by BM25 alone the demo misses some.
    bench.press(&["2", "3", "4", "5", "6", "R", "g"]);
    let analysis = &bench.app.analysis;
    let missed = |bench: &Bench| bench.app.analysis.row().and_then(|r| r.hit()) == Some(false);
    let all = analysis
        .rows
        .iter()
        .filter(|r| r.hit() == Some(false))
        .count();
    let mut seen = usize::from(missed(&bench));
    loop {
        let before = id(&bench);
        bench.press(&["n"]);
        if id(&bench) == before {
            break;
        }
        assert!(missed(&bench));
        seen += 1;
    }
    assert_eq!(seen, all);
    assert!(bench.screen().contains("no missed question further down"));
}

#[test]
fn the_words_add_up_to_the_score() {
    let mut bench = bench(200, 60);
    for signals in [true, false] {
        if !signals {
            bench.press(&["6", "g"]);
        }
        for _ in 0..bench.app.analysis.rows.len() {
            let case = bench.app.analysis.case().expect("explained");
            let why = &case.why;
            let bm25: f64 = why.terms.iter().map(|t| t.first.contribution).sum();
            let pages = why.first.iter().chain(why.labelled.iter().flatten());
            for page in pages {
                let sum: f64 = page.reasons.iter().map(|r| r.contribution).sum();
                assert!(
                    (sum - page.score).abs() < 1e-6,
                    "{}: {sum} {}",
                    why.id,
                    page.score
                );
            }
            if let (false, Some(first)) = (signals, &why.first) {
                assert!(
                    (bm25 - first.score).abs() < 1e-6,
                    "{}: {bm25} {}",
                    why.id,
                    first.score
                );
            }
            bench.press(&["J"]);
        }
    }
}

#[test]
fn what_is_tried_moves_the_rank_and_is_taken_back() {
    let mut bench = bench(200, 60);
    let own = bench.app.analysis.text().to_string();
    let rank = |bench: &Bench| bench.app.analysis.case().unwrap().why.pages[0].rank;
    let before = rank(&bench);
    bench.press(&["i", "ctrl-u"]).type_text("zebra giraffe");
    assert_eq!(bench.app.analysis.text(), "zebra giraffe");
    assert_ne!(rank(&bench), before);
    assert!(bench.screen().contains("what if"), "{}", bench.screen());
    assert!(bench.screen().contains("the list 1"), "{}", bench.screen());
    // Esc takes it back, Enter keeps it.
    bench.press(&["esc"]);
    assert_eq!(
        (bench.app.analysis.text(), rank(&bench)),
        (own.as_str(), before)
    );
    bench.press(&["+"]).type_text("giraffe").press(&["enter"]);
    assert_eq!(bench.app.analysis.text(), format!("{own} giraffe"));
    bench.press(&["-", "enter"]);
    let out = bench.app.analysis.trial.settings.without_words.clone();
    assert_eq!(out.len(), 1);
    let case = bench.app.analysis.case().unwrap();
    assert!(case.why.terms.iter().all(|t| t.term != out[0]));
    bench.press(&["2", "r"]);
    assert_eq!(
        (bench.app.analysis.text(), rank(&bench)),
        (own.as_str(), before)
    );
    assert!(!bench.app.analysis.tries());
}

#[test]
fn the_list_is_filtered_searched_and_sorted() {
    let mut bench = bench(200, 60);
    let all = bench.app.analysis.rows.len();
    bench
        .press(&["f"])
        .type_text("company nike")
        .press(&["enter"]);
    let shown = |bench: &Bench| -> Vec<String> {
        let analysis = &bench.app.analysis;
        let rows = analysis
            .shown
            .iter()
            .map(|&ix| analysis.rows[ix].company.clone());
        rows.collect()
    };
    assert!(!shown(&bench).is_empty() && shown(&bench).len() < all);
    assert!(shown(&bench).iter().all(|company| company == "Nike"));
    assert!(bench.screen().contains("company = Nike"));
    bench.press(&["X", "/"]).type_text("netflix");
    assert!(bench.screen().contains("search netflix"));
    assert!(shown(&bench).contains(&"Netflix".to_string()) && shown(&bench).len() < all);
    bench
        .press(&["esc", "s"])
        .type_text("company")
        .press(&["enter"]);
    let rising = shown(&bench);
    assert!(rising.is_sorted() && rising.len() == all);
    bench.press(&["s"]).type_text("company").press(&["enter"]);
    assert!(shown(&bench).iter().rev().is_sorted());
    assert!(bench.screen().contains("sorted by company ↓"));
}

#[test]
fn notes_are_on_the_disk_at_once_listed_tagged_and_exported() {
    let (engine, dir) = demo_of_its_own();
    let mut bench = Bench::over(engine, questions(), 200, 60);
    bench
        .press(&["esc", "E", "J", "a"])
        .type_text("page 3 answers too")
        .press(&["enter"]);
    let noted = id(&bench);
    let on_disk = || crate::eval::notes::Notes::open(dir.path()).unwrap();
    let list = |filter: crate::eval::notes::Filter<'_>| -> Vec<(String, Vec<String>)> {
        let notes = on_disk();
        let notes = notes.list(&filter).into_iter();
        notes.map(|n| (n.text.clone(), n.tags.clone())).collect()
    };
    let text = "page 3 answers too".to_string();
    assert_eq!(list(Default::default()), [(text.clone(), vec![])]);
    bench.press(&["t"]).type_text("debatable").press(&["enter"]);
    bench
        .press(&["t"])
        .type_text("my own tag")
        .press(&["enter"]);
    let tags = vec!["label debatable".to_string(), "my own tag".to_string()];
    assert_eq!(list(Default::default()), [(text.clone(), tags)]);
    assert!(
        bench.screen().contains("#label debatable #my own tag"),
        "{}",
        bench.screen()
    );
    bench.press(&["c"]).type_text("!").press(&["enter"]);
    assert_eq!(list(Default::default())[0].0, format!("{text}!"));
    // Found again from elsewhere, through filters that hide it.
    bench
        .press(&["G", "L"])
        .type_text("answers")
        .press(&["enter"]);
    assert_eq!(id(&bench), noted);
    bench.press(&["e", "enter"]);
    match bench.effects.last() {
        Some(Effect::Write {
            path,
            text: written,
        }) => {
            assert!(path.ends_with("notes.md"), "{path:?}");
            assert!(
                written.contains(&noted) && written.contains("*label debatable*"),
                "{written}"
            );
        }
        other => panic!("no file: {other:?}"),
    }
    bench.press(&["x"]);
    assert!(list(Default::default()).is_empty());
}

#[test]
fn an_answer_that_comes_late_is_not_shown() {
    use super::work::{CaseRequest, explain};
    let mut bench = bench(200, 60);
    let request = CaseRequest {
        generation: 0,
        question: questions()[0].clone(),
        text: "late".into(),
        settings: Default::default(),
        rungs: Vec::new().into(),
    };
    let late = explain(&*engine(), request);
    bench.message(Message::Analysis(late));
    assert_ne!(bench.app.analysis.case().unwrap().why.question, "late");
}

#[test]
fn a_loss_has_both_its_names_in_the_case() {
    use crate::eval::misses::Loss;
    let names = [
        "few shared words: page of prose with at most two words of the question",
        "label not routed: routed, but the labelled page is no such statement",
    ];
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        for (loss, names) in [Loss::FewSharedWords, Loss::NoSuchStatement]
            .into_iter()
            .zip(names)
        {
            let mut bench = bench(width, height);
            let case = bench.app.analysis.case.as_mut().unwrap();
            case.why.loss = Some(loss);
            let screen = bench.screen();
            assert!(screen.contains(names), "{screen}");
            assert!(screen.contains("+ signals 1"), "every rung, too: {screen}");
        }
    }
}

/// The demo, whose pages are not all embedded.
struct HalfEmbedded(Arc<Engine>);

impl Pages for HalfEmbedded {
    fn filings(&self) -> &[Filing] {
        self.0.filings()
    }
    fn page(&self, page: PageId) -> Result<PageText, String> {
        self.0.page(page)
    }
    fn snippet(&self, outcome: &Outcome, page: &RankedPage) -> Snippet {
        self.0.snippet(outcome, page)
    }
}

impl Finder for HalfEmbedded {
    fn search(&self, question: &str, settings: &Settings) -> Outcome {
        Finder::search(&*self.0, question, settings)
    }
    fn marks(&self, outcome: &Outcome, text: &str) -> Vec<Range<usize>> {
        self.0.marks(outcome, text)
    }
    fn about(&self, page: PageId) -> About {
        self.0.about(page)
    }
    fn retrievers(&self) -> Vec<Retriever> {
        vec![Retriever::Bm25, Retriever::Dense, Retriever::Hybrid]
    }
    fn is_measurable(&self, retriever: Retriever) -> bool {
        retriever == Retriever::Bm25
    }
    fn engine(&self) -> Option<&Engine> {
        self.0.engine()
    }
}

#[test]
fn rungs_by_meaning_are_left_out_where_most_pages_are_not_embedded() {
    let mut bench = Bench::over(Arc::new(HalfEmbedded(engine())), questions(), 200, 60);
    bench.press(&["esc", "E"]);
    let screen = bench.screen();
    assert!(screen.contains("+ signals 1"), "{screen}");
    assert!(!screen.contains("MiniLM, ") && !screen.contains("hybrid, "));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_actions_ends_badly(
        steps in prop::collection::vec((0..ACTIONS.len(), 0..9u8, "\\PC{0,4}"), 120),
        size in prop::sample::select(SIZES.to_vec()),
    ) {
        static ENGINE: OnceLock<(Arc<Engine>, tempfile::TempDir)> = OnceLock::new();
        let own: Vec<Action> = ACTIONS
            .iter()
            .filter(|i| i.places.meets(Where::ANALYSIS.or(Where::PICKER).or(Where::PROMPT)))
            .map(|i| i.action)
            .collect();
        let engine = ENGINE.get_or_init(demo_of_its_own).0.clone();
        let mut bench = bench_over(engine, size.0, size.1);
        for (action, other, text) in steps {
            match other {
                0 => { bench.type_text(&text); }
                1 => bench.message(Message::Input(Event::Paste(text))),
                2 => {
                    let (width, height) = SIZES[action % SIZES.len()];
                    bench.message(Message::Input(Event::Resize(width, height)));
                }
                3 => { bench.press(&["enter"]); }
                _ => {
                    let action = own[action % own.len()];
                    // Notes would grow from case to case.
                    let notes = matches!(action, Action::TagNote | Action::WriteNote);
                    if action.info().places.meets(bench.app.place()) && !notes {
                        bench.act(action);
                    }
                }
            }
            bench.buffer();
        }
        bench.press(&["esc", "esc", "esc", "esc"]);
        prop_assert!(bench.app.screen == Screen::Bench);
    }
}

#[test]
fn the_rank_is_shown_whatever_the_width() {
    for width in (40..=200).step_by(5) {
        let mut bench = bench(width, 30);
        // Any page of the library, before and now.
        let row = &mut bench.app.analysis.rows[0];
        row.judged.as_mut().unwrap().gold_ranks = vec![Some(53_361)];
        row.saved = Some(Some(12_345));
        let list = bench.screen();
        assert!(list.contains("53361 12345"), "{width} columns:\n{list}");
        let heads = list.lines().find(|row| row.starts_with("  id"));
        assert!(heads.is_some_and(|row| row.contains("rank")), "{list}");
        bench.press(&["tab", "tab", "tab"]);
        let page = bench.screen();
        let pane = page.lines().find(|row| row.starts_with("Labelled page"));
        let rank = pane.is_some_and(|row| row.contains("· rank ") || row.contains("· no score"));
        assert!(rank, "{width} columns:\n{page}");
    }
}

#[test]
fn a_filtered_list_names_the_key_that_shows_all() {
    let mut bench = bench(80, 24);
    let all = bench.app.analysis.rows.len();
    assert!(!bench.screen().contains("shows all"));
    bench.press(&["/"]).type_text("gross").press(&["enter"]);
    let shown = bench.app.analysis.shown.len();
    assert!(
        bench
            .screen()
            .contains(&format!("{shown} of {all} · X shows all"))
    );
    bench.press(&["X"]);
    assert_eq!(bench.app.analysis.shown.len(), all);
    // Esc takes back what is being typed.
    bench.press(&["/"]).type_text("gross").press(&["esc"]);
    assert_eq!(
        (bench.app.screen, bench.app.analysis.shown.len()),
        (Screen::Analysis, all)
    );
    // The search before it is in force again.
    bench.press(&["/"]).type_text("gross").press(&["enter"]);
    bench.press(&["/"]).type_text("zz").press(&["esc"]);
    assert_eq!(bench.app.analysis.search, "gross");
    assert_eq!(bench.app.analysis.shown.len(), shown);
}

/// The library opens: again after an add, or another by its name.
fn opened(bench: &mut Bench, name: &str, engine: &Arc<Engine>, questions: Vec<Question>) {
    bench.message(Message::Opened(Opened {
        name: name.into(),
        finder: engine.clone(),
        questions,
        rungs: Vec::new(),
        demo: name == "demo",
    }));
}

#[test]
fn a_note_is_on_the_question_it_was_begun_on_whatever_opens_meanwhile() {
    let (engine, dir) = demo_of_its_own();
    let noted = || -> Vec<(String, String, Vec<String>)> {
        let notes = crate::eval::notes::Notes::open(dir.path()).unwrap();
        let notes = notes.list(&Default::default()).into_iter();
        notes
            .map(|n| (n.question.clone(), n.text.clone(), n.tags.clone()))
            .collect()
    };
    let mut bench = Bench::over(engine.clone(), questions(), 200, 60);
    bench.press(&["esc", "E", "J", "J", "J", "a"]);
    let begun = id(&bench);
    bench.type_text("mine");
    opened(&mut bench, "demo", &engine, questions());
    assert_eq!(id(&bench), begun, "the selection stays");
    // A list that is sorted, or hides the question, is no other question to the note.
    bench.app.analysis.selected = 0;
    bench.press(&["enter"]);
    let mine = (begun.clone(), "mine".to_string(), vec![]);
    assert_eq!(noted(), std::slice::from_ref(&mine));
    assert_eq!(id(&bench), begun);
    // Another library: nothing is written there, and what was typed is still in the line.
    for key in ["c", "a"] {
        bench.press(&[key, "ctrl-u"]).type_text("changed");
        opened(&mut bench, "other", &engine, questions());
        bench.press(&["enter"]);
        assert_eq!(noted(), std::slice::from_ref(&mine), "{key}");
        let screen = bench.screen();
        assert!(screen.contains("note is on a question of demo"), "{screen}");
        assert!(screen.contains("changed"), "{screen}");
        // Where there are no questions the screen is the workbench, and it is the same.
        opened(&mut bench, "bare", &engine, Vec::new());
        bench.press(&["enter"]);
        assert!(bench.screen().contains("changed"));
        opened(&mut bench, "demo", &engine, questions());
        bench.press(&["esc", "esc", "E"]);
        bench.app.analysis.selected = 3;
    }
    // Back in its library it is kept.
    bench.press(&["c", "ctrl-u"]).type_text("changed");
    opened(&mut bench, "other", &engine, questions());
    bench.press(&["enter"]);
    opened(&mut bench, "demo", &engine, questions());
    bench.press(&["enter"]);
    assert_eq!(noted(), [(begun, "changed".to_string(), vec![])]);
}

#[test]
fn words_left_out_do_not_go_along_to_the_workbench() {
    let mut bench = bench(200, 60);
    bench.press(&["-", "enter"]);
    let out = bench.app.analysis.trial.settings.without_words[0].clone();
    bench.press(&["o"]);
    assert!(bench.app.screen == Screen::Bench);
    assert!(bench.app.settings.without_words.is_empty());
    assert!(
        bench
            .app
            .outcome()
            .unwrap()
            .settings
            .without_words
            .is_empty()
    );
    let told = format!("searched again: {out}");
    assert!(bench.screen().contains(&told), "{}", bench.screen());
}

#[test]
fn what_is_picked_is_what_was_shown_though_the_list_is_answered_meanwhile() {
    use super::work::Reply;
    let mut bench = bench(200, 60);
    let run = bench.app.analysis.run;
    let judged: Vec<_> = bench
        .app
        .analysis
        .rows
        .iter_mut()
        .map(|row| row.judged.take().unwrap())
        .collect();
    bench.press(&["f"]).type_text("company nike");
    let settings = Settings::default();
    bench.message(Message::Analysis(Reply::Run(run, settings, judged)));
    bench.press(&["enter"]);
    let filters = &bench.app.analysis.filters;
    let filters: Vec<_> = filters.iter().map(|f| f.value.as_str()).collect();
    assert_eq!(filters, ["Nike"]);
    // A word: the question is explained in other words while the list is open.
    bench.press(&["-", "down"]);
    let Some(crate::tui::app::Overlay::Picker(picker)) = &bench.app.overlay else {
        panic!("no list");
    };
    let word = picker.current().unwrap().text.clone();
    bench
        .app
        .analysis
        .case
        .as_mut()
        .unwrap()
        .why
        .terms
        .remove(0);
    bench.press(&["enter"]);
    assert_eq!(bench.app.analysis.trial.settings.without_words, [word]);
}

#[test]
fn a_note_that_fails_leaves_the_list_running() {
    use super::work::Reply;
    let mut bench = bench(200, 60);
    let run = bench.app.analysis.run;
    bench.message(Message::Analysis(Reply::Progress(run, 1, 8)));
    bench.message(Message::Analysis(Reply::Failed("no room".into())));
    assert_eq!(bench.app.analysis.progress, Some((1, 8)));
    assert!(bench.screen().contains("no room"));
    bench.message(Message::Analysis(Reply::RunFailed("no engine".into())));
    assert_eq!(bench.app.analysis.progress, None);
}

#[test]
fn a_tag_is_made_of_the_very_words_typed() {
    let (engine, dir) = demo_of_its_own();
    let mut bench = Bench::over(engine, questions(), 80, 24);
    bench.press(&["esc", "E", "t"]).type_text("label");
    let screen = bench.screen();
    assert!(screen.contains("▸ label debatable"), "{screen}");
    assert!(screen.contains("  new tag: label"), "{screen}");
    bench.press(&["down", "enter"]);
    let notes = crate::eval::notes::Notes::open(dir.path()).unwrap();
    assert_eq!(notes.list(&Default::default())[0].tags, ["label"]);
    // One that is there is not offered anew.
    bench.press(&["t"]).type_text("label");
    assert!(!bench.screen().contains("new tag"));
}

#[test]
fn a_note_is_kept_on_any_question_asked_in_the_workbench() {
    let (engine, dir) = demo_of_its_own();
    let mut bench = Bench::over(engine, questions(), 120, 40);
    let asked = "how many people work for Netflix";
    bench.press(&["c", "backspace", "alt-c"]);
    assert!(bench.screen().contains("no question is asked"));
    bench.type_text(asked).press(&["esc", "c"]);
    bench.type_text("ask the company").press(&["enter"]);
    assert!(bench.screen().contains("note 1 kept"), "{}", bench.screen());
    // A labelled question is noted by its id, as in the error analysis, with its rank.
    let labelled = questions()[0].clone();
    bench.press(&["Q"]).type_text(&labelled.text);
    bench.press(&["enter", "alt-c"]);
    bench.type_text("wrong year").press(&["enter"]);
    let notes = crate::eval::notes::Notes::open(dir.path()).unwrap();
    let notes = notes.list(&Default::default()).into_iter().cloned();
    let notes: Vec<_> = notes.collect();
    let of: Vec<&str> = notes.iter().map(|note| note.question.as_str()).collect();
    assert_eq!(of, [asked, &labelled.id]);
    assert_eq!((notes[0].rank, notes[1].rank.is_some()), (None, true));
    // From the list of notes the question is asked again.
    bench.press(&["esc", "E", "L"]).type_text("ask the company");
    bench.press(&["enter"]);
    assert!(bench.app.screen == Screen::Bench);
    assert_eq!(bench.app.line.text(), asked);
    // Its note stands below the pages; the key that kept it changes it, and emptied it is gone.
    assert!(bench.screen().contains("your note: ask the company"));
    bench.press(&["alt-c", "ctrl-u"]).type_text("see the 10-K");
    bench.press(&["enter"]);
    let screen = bench.screen();
    assert!(screen.contains("your note: see the 10-K"), "{screen}");
    assert!(screen.contains("note 1 changed"), "{screen}");
    bench.press(&["alt-c", "ctrl-u", "enter"]);
    let screen = bench.screen();
    assert!(screen.contains("note 1 removed"), "{screen}");
    assert!(!screen.contains("your note"), "{screen}");
    // Where the library opens again, its notes are read again.
    let before = Bench::over(
        std::sync::Arc::clone(&bench.app.finder),
        questions(),
        120,
        40,
    );
    assert_eq!(before.app.analysis.notes_on(&labelled.id).len(), 1);
}
