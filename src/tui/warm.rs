//! MiniLM off the engine's thread: the model is loaded and the question embedded once typing rests, so that
//! neither the screen nor the search by words ever waits for it. A newer request takes the place of one
//! that waits.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::finder::Finder;
use crate::caught::logged;
use crate::search::Settings;

/// How long typing has to rest before the question is embedded.
pub const REST: Duration = Duration::from_millis(150);

/// A question to get ready for.
#[derive(Clone, Debug)]
pub struct WarmRequest {
    /// Of the search that waits for it.
    pub generation: u64,
    /// The question.
    pub question: String,
    /// The switches.
    pub settings: Settings,
    /// Wait so long for a newer request first.
    pub rest: Duration,
}

/// A search by meaning need not wait any more, or cannot be had: why, in words for the user.
pub type Warmed = (u64, Result<(), String>);

#[derive(Default)]
struct Slot {
    request: Option<(Instant, Arc<dyn Finder>, WarmRequest)>,
    stop: bool,
}

/// The thread's mailbox.
#[derive(Clone, Default)]
pub struct Warmer {
    shared: Arc<(Mutex<Slot>, Condvar)>,
}

impl Warmer {
    /// Starts the thread; `send` is called on it.
    pub fn start(send: impl Fn(Warmed) + Send + 'static) -> Warmer {
        let warmer = Warmer::default();
        let shared = warmer.shared.clone();
        thread::Builder::new()
            .name("minilm".into())
            .spawn(move || work(&shared, send))
            .expect("the system has a thread for us");
        warmer
    }

    /// Asks; a request that waits is forgotten.
    pub fn ask(&self, finder: &Arc<dyn Finder>, request: WarmRequest) {
        let due = Instant::now() + request.rest;
        self.put(|slot| slot.request = Some((due, finder.clone(), request)));
    }

    /// Ends the thread after what it is doing.
    pub fn stop(&self) {
        self.put(|slot| slot.stop = true);
    }

    fn put(&self, change: impl FnOnce(&mut Slot)) {
        let (slot, wake) = &*self.shared;
        change(&mut slot.lock().unwrap_or_else(PoisonError::into_inner));
        wake.notify_one();
    }
}

fn work(shared: &(Mutex<Slot>, Condvar), send: impl Fn(Warmed)) {
    while let Some((finder, request)) = next(shared) {
        let done = logged(|| finder.make_ready(&request.question, &request.settings));
        let done =
            done.unwrap_or_else(|words| Err(format!("MiniLM failed: {words} (see the log)")));
        send((request.generation, done));
    }
}

/// Waits for a request that has rested; `None` when it is time to end.
fn next(shared: &(Mutex<Slot>, Condvar)) -> Option<(Arc<dyn Finder>, WarmRequest)> {
    let (slot, wake) = shared;
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if slot.stop {
            return None;
        }
        let left = slot
            .request
            .as_ref()
            .map(|(due, ..)| due.saturating_duration_since(Instant::now()));
        slot = match left {
            None => wake.wait(slot).unwrap_or_else(PoisonError::into_inner),
            Some(Duration::ZERO) => {
                let (_, finder, request) = slot.request.take()?;
                return Some((finder, request));
            }
            Some(left) => {
                wake.wait_timeout(slot, left)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::ops::Range;
    use std::sync::mpsc::{Receiver, channel};

    use super::*;
    use crate::dense::Readiness;
    use crate::library::{Filing, PageId, PageText};
    use crate::search::About;
    use crate::search::{Outcome, Pages, RankedPage, Retriever, Snippet};
    use crate::tui::app::Effect;
    use crate::tui::testing::{Bench, Fake};
    use crate::tui::update::Message;
    use crate::tui::worker::{Reply, Worker};

    /// A library whose model loads and embeds only when the test lets it.
    struct Slow {
        fake: Fake,
        /// Requests begun, and how many may end.
        gate: Mutex<(Vec<String>, usize)>,
        moved: Condvar,
        known: Mutex<HashSet<String>>,
        broken: bool,
    }

    impl Slow {
        fn new(broken: bool) -> Arc<Slow> {
            Arc::new(Slow {
                fake: Fake::new(),
                gate: Mutex::default(),
                moved: Condvar::new(),
                known: Mutex::default(),
                broken,
            })
        }

        fn let_one_end(&self) {
            self.gate.lock().unwrap().1 += 1;
            self.moved.notify_all();
        }

        fn wait_for_begun(&self, count: usize) {
            let gate = self.gate.lock().unwrap();
            let (gate, timed) = self
                .moved
                .wait_timeout_while(gate, Duration::from_secs(20), |gate| gate.0.len() < count)
                .unwrap();
            assert!(!timed.timed_out(), "{:?}", gate.0);
        }

        fn begun(&self) -> Vec<String> {
            self.gate.lock().unwrap().0.clone()
        }
    }

    impl Pages for Slow {
        fn filings(&self) -> &[Filing] {
            self.fake.filings()
        }

        fn page(&self, page: PageId) -> Result<PageText, String> {
            self.fake.page(page)
        }

        fn snippet(&self, outcome: &Outcome, page: &RankedPage) -> Snippet {
            self.fake.snippet(outcome, page)
        }
    }

    impl Finder for Slow {
        fn search(&self, question: &str, settings: &Settings) -> Outcome {
            let by_words = settings.retriever == Retriever::Bm25;
            assert!(
                by_words || self.known.lock().unwrap().contains(question),
                "the engine would wait for MiniLM"
            );
            self.fake.search(question, settings)
        }

        fn marks(&self, outcome: &Outcome, text: &str) -> Vec<Range<usize>> {
            self.fake.marks(outcome, text)
        }

        fn about(&self, page: PageId) -> About {
            self.fake.about(page)
        }

        fn retrievers(&self) -> Vec<Retriever> {
            vec![Retriever::Bm25, Retriever::Dense, Retriever::Hybrid]
        }

        fn readiness(&self, question: &str, settings: &Settings) -> Readiness {
            let known = self.known.lock().unwrap();
            match settings.retriever == Retriever::Bm25 || known.contains(question) {
                true => Readiness::Ready,
                false if known.is_empty() => Readiness::Unloaded,
                false => Readiness::Unread,
            }
        }

        fn make_ready(&self, question: &str, _: &Settings) -> Result<(), String> {
            let mut gate = self.gate.lock().unwrap();
            gate.0.push(question.to_string());
            let mine = gate.0.len();
            self.moved.notify_all();
            let _open = self
                .moved
                .wait_while(gate, |gate| gate.1 < mine)
                .expect("not poisoned");
            if self.broken {
                return Err("no MiniLM here: `tenleaf model fetch` brings it".into());
            }
            self.known.lock().unwrap().insert(question.to_string());
            Ok(())
        }
    }

    /// The workbench with its threads, as the loop runs it.
    struct Live {
        bench: Bench,
        worker: Worker,
        warmer: Warmer,
        messages: Receiver<Message>,
    }

    impl Live {
        fn over(slow: &Arc<Slow>) -> Live {
            let (send, messages) = channel();
            let to_test = send.clone();
            let worker = Worker::start(slow.clone(), move |reply| {
                let _ = to_test.send(Message::Engine(reply));
            });
            let warmer = Warmer::start(move |warmed| {
                let _ = send.send(Message::Warmed(warmed));
            });
            let bench = Bench::over(slow.clone(), Fake::questions(), 120, 40).threaded();
            Live {
                bench,
                worker,
                warmer,
                messages,
            }
        }

        fn perform(&mut self) {
            let finder = self.bench.app.finder.clone();
            for effect in std::mem::take(&mut self.bench.effects) {
                match effect {
                    Effect::Search(request) => self.worker.search(*request),
                    Effect::Page(request) => self.worker.page(request),
                    Effect::Warm(request) => self.warmer.ask(&finder, *request),
                    _ => {}
                }
            }
        }

        fn press(&mut self, key: &str) {
            self.bench.press(&[key]);
            self.perform();
        }

        /// Types a character at a time and waits for each to be answered.
        fn type_and_see(&mut self, text: &str) {
            for c in text.chars() {
                self.bench.type_text(&c.to_string());
                self.perform();
                self.until(|bench| {
                    let outcome = bench.app.outcome();
                    outcome.is_some_and(|o| o.question == bench.app.line.text())
                });
            }
        }

        fn until(&mut self, done: impl Fn(&Bench) -> bool) {
            while !done(&self.bench) {
                let message = self
                    .messages
                    .recv_timeout(Duration::from_secs(20))
                    .expect("it goes on");
                if let Message::Engine(Reply::Failed(words)) = &message {
                    panic!("{words}");
                }
                self.bench.message(message);
                self.perform();
            }
        }

        fn ranked_by(&self) -> Retriever {
            self.bench
                .app
                .outcome()
                .expect("an answer")
                .settings
                .retriever
        }
    }

    impl Drop for Live {
        fn drop(&mut self) {
            self.worker.stop();
            self.warmer.stop();
        }
    }

    #[test]
    fn the_screen_stays_live_while_the_model_loads_and_the_question_is_embedded() {
        let slow = Slow::new(false);
        let mut live = Live::over(&slow);
        live.perform();
        live.type_and_see("Acme net sales");

        live.press("f7");
        slow.wait_for_begun(1);
        let screen = live.bench.screen();
        assert!(screen.contains("loading MiniLM"), "{screen}");
        // The model is held up, and every key is answered all the same, by words.
        live.type_and_see(" in 2022");
        assert_eq!(live.ranked_by(), Retriever::Bm25);
        let screen = live.bench.screen();
        assert!(screen.contains("loading MiniLM"), "{screen}");
        assert!(screen.contains("by BM25 until then"), "{screen}");
        assert_eq!(slow.begun(), ["Acme net sales"]);

        // Loaded: what was asked for since is embedded once typing rests, nothing in between.
        slow.let_one_end();
        slow.wait_for_begun(2);
        assert_eq!(slow.begun(), ["Acme net sales", "Acme net sales in 2022"]);
        live.type_and_see(" and 2021");
        slow.let_one_end();
        slow.wait_for_begun(3);
        slow.let_one_end();
        live.until(|bench| bench.app.awaited.is_none());
        live.until(|bench| {
            bench
                .app
                .outcome()
                .is_some_and(|o| o.settings.retriever == Retriever::Dense)
        });
        assert_eq!(
            slow.begun().last().unwrap(),
            "Acme net sales in 2022 and 2021"
        );
        let screen = live.bench.screen();
        assert!(!screen.contains("MiniLM"), "{screen}");

        // A question whose vector is there is ranked at once.
        live.press("f2");
        live.until(|bench| bench.app.outcome().is_some_and(|o| !o.settings.company));
        assert_eq!(live.ranked_by(), Retriever::Dense);
        assert_eq!(slow.begun().len(), 3);
    }

    #[test]
    fn a_model_that_cannot_be_had_is_told_of_and_words_go_on() {
        let slow = Slow::new(true);
        let mut live = Live::over(&slow);
        live.perform();
        live.type_and_see("Acme net sales");
        live.press("f7");
        slow.let_one_end();
        live.until(|bench| bench.app.awaited.is_none());
        let screen = live.bench.screen();
        assert!(
            screen.contains("error: no MiniLM here: `tenleaf model fetch`"),
            "{screen}"
        );
        assert_eq!(live.bench.app.settings.retriever, Retriever::Bm25);
        live.type_and_see(" in 2022");
        assert_eq!(live.ranked_by(), Retriever::Bm25);
    }

    #[test]
    fn switching_back_while_it_loads_forgets_it() {
        let slow = Slow::new(false);
        let mut live = Live::over(&slow);
        live.perform();
        live.type_and_see("Acme net sales");
        live.press("f7");
        slow.wait_for_begun(1);
        // Meaning, both, and round to words.
        live.press("f7");
        live.press("f7");
        assert!(live.bench.app.awaited.is_none());
        slow.let_one_end();
        live.type_and_see(" in 2022");
        assert_eq!(live.ranked_by(), Retriever::Bm25);
        assert!(!live.bench.screen().contains("MiniLM"));
    }
}
