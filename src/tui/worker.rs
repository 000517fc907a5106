//! Engine work off the draw thread. One slot for a search and one for a page: a newer request takes
//! the place of one that waits, so that typing never queues up.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use super::finder::Finder;
use super::{evidence, listed, text};
use crate::caught::logged;
use crate::library::{PageId, PageQuality};
use crate::search::{About, Outcome, Settings, Snippet, carried, same_text};
use crate::structure::{BlockKind, Carried, blocks};

/// A question to answer.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// Rises with each request.
    pub generation: u64,
    /// The question.
    pub question: String,
    /// The switches.
    pub settings: Settings,
    /// Labelled pages, to be told their rank.
    pub labelled: Vec<PageId>,
    /// The answer before, and what was switched: to tell what moved.
    pub compare: Option<(Arc<Outcome>, String)>,
}

/// A page to read.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// Rises with each request.
    pub generation: u64,
    /// The page.
    pub page: PageId,
    /// The answer whose words are marked.
    pub outcome: Option<Arc<Outcome>>,
    /// What the labels quote, when they name this page.
    pub passages: Vec<String>,
    /// It is opened at its best passage, for it was ranked; or else at its top.
    pub at_best: bool,
}

/// An answer with all that the ranking shows.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Of the request.
    pub generation: u64,
    /// What was found.
    pub outcome: Arc<Outcome>,
    /// One for each ranked page.
    pub snippets: Vec<Snippet>,
    /// One for each ranked page: the rank of one above it with nearly the same text.
    pub same_text: Vec<Option<usize>>,
    /// The labelled pages with their ranks; none when out of scope or without a matching word.
    pub labelled: Vec<(PageId, Option<usize>)>,
    /// What moved against the answer before.
    pub moved: Option<Moved>,
    /// The library has changed on disk since it was opened.
    pub stale: bool,
}

/// What a switch did to the ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// "routing off: labelled page from rank 1 to 34".
    pub words: String,
    /// Former rank of each ranked page; none when it had none.
    pub was: HashMap<PageId, Option<usize>>,
}

/// A page with what is marked on it.
#[derive(Clone, Debug)]
pub struct LoadedPage {
    /// Of the request.
    pub generation: u64,
    /// The page.
    pub page: PageId,
    /// Its text, safe to show; the words of an error when it could not be read.
    pub text: Result<String, String>,
    /// Whether the text can be trusted.
    pub quality: PageQuality,
    /// Words of the question.
    pub marks: Vec<Range<usize>>,
    /// Lines of the labelled passages.
    pub evidence: Vec<Range<usize>>,
    /// The passage it is opened at, unless it is its top.
    pub opening: Option<Range<usize>>,
    /// What is known of it.
    pub about: About,
    /// Its tables.
    pub tables: Vec<Range<usize>>,
    /// Title, scale and columns of the table that goes on here from the page before.
    pub carried: Option<Carried>,
}

/// What the worker sends.
#[derive(Debug)]
pub enum Reply {
    /// A question was answered.
    Answer(Box<Answer>),
    /// A page was read.
    Page(Box<LoadedPage>),
    /// The engine failed: a bug, told to the user and logged; the worker goes on.
    Failed(String),
}

#[derive(Default)]
struct Slots {
    search: Option<SearchRequest>,
    page: Option<PageRequest>,
    finder: Option<Arc<dyn Finder>>,
    stop: bool,
}

/// The worker thread's mailbox.
#[derive(Clone, Default)]
pub struct Worker {
    shared: Arc<(Mutex<Slots>, Condvar)>,
}

impl Worker {
    /// Starts the thread; `send` is called on it with each reply.
    pub fn start(finder: Arc<dyn Finder>, send: impl Fn(Reply) + Send + 'static) -> Worker {
        let worker = Worker::default();
        let shared = worker.shared.clone();
        thread::Builder::new()
            .name("engine".into())
            .spawn(move || work(&shared, finder, send))
            .expect("the system has a thread for us");
        worker
    }

    /// Asks; a search that waits is forgotten.
    pub fn search(&self, request: SearchRequest) {
        self.put(|slots| slots.search = Some(request));
    }

    /// Asks for a page; one that waits is forgotten.
    pub fn page(&self, request: PageRequest) {
        self.put(|slots| slots.page = Some(request));
    }

    /// Works on another library from the next request on.
    pub fn replace(&self, finder: Arc<dyn Finder>) {
        self.put(|slots| {
            slots.search = None;
            slots.page = None;
            slots.finder = Some(finder);
        });
    }

    /// Ends the thread after what it is doing.
    pub fn stop(&self) {
        self.put(|slots| slots.stop = true);
    }

    fn put(&self, change: impl FnOnce(&mut Slots)) {
        let (slots, wake) = &*self.shared;
        change(&mut slots.lock().unwrap_or_else(PoisonError::into_inner));
        wake.notify_one();
    }
}

fn work(shared: &(Mutex<Slots>, Condvar), mut finder: Arc<dyn Finder>, send: impl Fn(Reply)) {
    let (slots, wake) = shared;
    loop {
        let (search, page) = {
            let mut slots = slots.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                if slots.stop {
                    return;
                }
                if let Some(newer) = slots.finder.take() {
                    finder = newer;
                }
                // The search first: the page to read may change with it.
                match (slots.search.take(), slots.page.is_some()) {
                    (Some(search), _) => break (Some(search), None),
                    (None, true) => break (None, slots.page.take()),
                    (None, false) => {}
                }
                slots = wake.wait(slots).unwrap_or_else(PoisonError::into_inner);
            }
        };
        let done = logged(|| {
            if let Some(request) = search {
                send(Reply::Answer(Box::new(answer(&*finder, request))));
            }
            if let Some(request) = page {
                send(Reply::Page(Box::new(load(&*finder, request))));
            }
        });
        if let Err(words) = done {
            send(Reply::Failed(words));
        }
    }
}

/// Answers a request.
pub fn answer(finder: &dyn Finder, request: SearchRequest) -> Answer {
    let mut outcome = finder.search(&request.question, &request.settings);
    if request.question.trim().is_empty() {
        // Nothing was asked: no page is better than another.
        outcome.ranked.clear();
    }
    let outcome = Arc::new(outcome);
    let snippets = outcome
        .ranked
        .iter()
        .map(|page| finder.snippet(&outcome, page))
        .collect();
    let labelled: Vec<(PageId, Option<usize>)> = request
        .labelled
        .iter()
        .map(|&page| (page, outcome.rank_of(page)))
        .collect();
    let moved = request
        .compare
        .map(|(before, switch)| moved(&before, &outcome, &labelled, &switch));
    Answer {
        generation: request.generation,
        same_text: same_text(finder, &outcome.ranked),
        outcome,
        snippets,
        labelled,
        moved,
        stale: finder.has_changed(),
    }
}

fn moved(
    before: &Outcome,
    now: &Outcome,
    labelled: &[(PageId, Option<usize>)],
    switch: &str,
) -> Moved {
    let was: HashMap<PageId, Option<usize>> = now
        .ranked
        .iter()
        .map(|page| (page.page, before.rank_of(page.page)))
        .collect();
    let best = |ranks: &mut dyn Iterator<Item = Option<usize>>| ranks.flatten().min();
    let what = if labelled.is_empty() {
        let changed = now
            .ranked
            .iter()
            .filter(|p| was.get(&p.page) != Some(&Some(p.rank)))
            .count();
        let top = now.ranked.first().and_then(|p| was.get(&p.page).copied());
        match (changed, top) {
            (0, _) => "nothing moved".to_string(),
            (n, Some(Some(1))) => format!("first page stays, {n} of {} moved", now.ranked.len()),
            (n, Some(Some(rank))) => {
                format!(
                    "first page from rank {rank}, {n} of {} moved",
                    now.ranked.len()
                )
            }
            (n, Some(None)) => format!("first page is new, {n} of {} moved", now.ranked.len()),
            (_, None) => "no pages".to_string(),
        }
    } else {
        let then = best(&mut labelled.iter().map(|(page, _)| before.rank_of(*page)));
        let now = best(&mut labelled.iter().map(|(_, rank)| *rank));
        match (then, now) {
            (Some(then), Some(now)) if then == now => format!("labelled page stays at rank {now}"),
            (Some(then), Some(now)) => format!("labelled page from rank {then} to {now}"),
            (None, Some(now)) => format!("labelled page back in at rank {now}"),
            (Some(then), None) => format!("labelled page out of scope, was rank {then}"),
            (None, None) => "labelled page still out of scope".to_string(),
        }
    };
    // The lines of a question about several years or companies come and go with a switch.
    let lined = |outcome| !listed::groups(outcome).is_empty();
    let what = match (lined(before), lined(now), what.as_str()) {
        (true, false, "nothing moved") => "lines by year and company are gone".to_string(),
        (false, true, "nothing moved") => "lines by year and company below".to_string(),
        (true, false, what) => format!("{what}; lines by year and company are gone"),
        (false, true, what) => format!("{what}; lines by year and company below"),
        _ => what,
    };
    Moved {
        words: format!("{switch}: {what}"),
        was,
    }
}

/// Reads a page.
pub fn load(finder: &dyn Finder, request: PageRequest) -> LoadedPage {
    let (text, quality) = match finder.page(request.page) {
        Ok(page) => (Ok(text::printable(&page.text)), page.quality),
        Err(words) => (Err(words), PageQuality::Ok),
    };
    let shown = text.as_deref().unwrap_or_default();
    let evidence = evidence::find(shown, &request.passages);
    let best = match &request.outcome {
        Some(outcome) if request.at_best => finder.best_passage(outcome, shown),
        _ => None,
    };
    LoadedPage {
        generation: request.generation,
        page: request.page,
        quality,
        marks: match &request.outcome {
            Some(outcome) => finder.marks(outcome, shown),
            None => Vec::new(),
        },
        opening: opening(best, &evidence),
        evidence,
        about: finder.about(request.page),
        tables: tables(shown),
        carried: carried(finder, request.page),
        text,
    }
}

/// The labelled passage, at the best of it where that is labelled too; or else the best passage.
fn opening(best: Option<Range<usize>>, evidence: &[Range<usize>]) -> Option<Range<usize>> {
    let labelled = |best: &Range<usize>| evidence.iter().any(|e| e.contains(&best.start));
    best.filter(|best| evidence.is_empty() || labelled(best))
        .or_else(|| evidence.first().cloned())
}

/// The tables of a page.
pub fn tables(text: &str) -> Vec<Range<usize>> {
    blocks(text)
        .into_iter()
        .filter(|block| block.kind == BlockKind::Table)
        .map(|block| block.range)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::testing::Fake;
    use std::sync::mpsc;
    use std::time::Duration;

    fn request(generation: u64, question: &str) -> SearchRequest {
        SearchRequest {
            generation,
            question: question.into(),
            settings: Settings::default(),
            labelled: Vec::new(),
            compare: None,
        }
    }

    #[test]
    fn the_newest_question_wins() {
        let (send, replies) = mpsc::channel();
        let slow = Arc::new(Fake::new().slow(Duration::from_millis(30)));
        let worker = Worker::start(slow, move |reply| send.send(reply).unwrap());
        for generation in 1..=50 {
            worker.search(request(generation, "net sales"));
        }
        let mut seen = Vec::new();
        while seen.last() != Some(&50) {
            match replies.recv_timeout(Duration::from_secs(5)).unwrap() {
                Reply::Answer(answer) => seen.push(answer.generation),
                other => panic!("{other:?}"),
            }
        }
        assert!(seen.len() <= 3, "answered {seen:?}");
        worker.stop();
    }

    #[test]
    fn lines_by_year_and_company_that_come_or_go_with_a_switch_are_told() {
        let one = answer(&Fake::new(), request(1, "Acme net sales 2022"));
        let one = (*one.outcome).clone();
        let group = crate::search::Group {
            label: "2022".into(),
            year: None,
            company: None,
            ranked: one.ranked.clone(),
            missing: None,
        };
        let several = Outcome {
            groups: vec![group],
            ..one.clone()
        };
        let first = (one.ranked[0].page, Some(1));
        for (before, now, labelled, words) in [
            (
                &several,
                &one,
                &[][..],
                "lines by year and company are gone",
            ),
            (&one, &several, &[], "lines by year and company below"),
            (
                &several,
                &one,
                &[first],
                "labelled page stays at rank 1; lines by year and company are gone",
            ),
            (&one, &one, &[], "nothing moved"),
            (&several, &several, &[], "nothing moved"),
        ] {
            let told = moved(before, now, labelled, "several").words;
            assert_eq!(told, format!("several: {words}"));
        }
    }

    #[test]
    fn a_failing_engine_is_told_and_the_worker_goes_on() {
        let (send, replies) = mpsc::channel();
        let worker = Worker::start(Arc::new(Fake::new()), move |reply| {
            send.send(reply).unwrap();
        });
        worker.search(request(1, "panic, please"));
        assert!(matches!(
            replies.recv_timeout(Duration::from_secs(5)),
            Ok(Reply::Failed(words)) if words.contains("asked to")
        ));
        worker.search(request(2, "net sales"));
        assert!(matches!(
            replies.recv_timeout(Duration::from_secs(5)),
            Ok(Reply::Answer(answer)) if answer.generation == 2
        ));
        worker.stop();
    }

    #[test]
    fn what_moved_is_told_for_the_labelled_page() {
        let finder = Fake::new();
        let on = answer(
            &finder,
            request(1, "net sales of Acme FY2022 income statement"),
        );
        let top = on.outcome.ranked[0].page;
        let mut off = request(2, "net sales of Acme FY2022 income statement");
        off.settings.company = false;
        off.labelled = vec![top];
        off.compare = Some((on.outcome.clone(), "company off".into()));
        let off = answer(&finder, off);
        let rank = off.labelled[0].1.unwrap();
        let expected = match rank {
            1 => "company off: labelled page stays at rank 1".to_string(),
            n => format!("company off: labelled page from rank 1 to {n}"),
        };
        assert_eq!(off.moved.unwrap().words, expected);
    }
}
