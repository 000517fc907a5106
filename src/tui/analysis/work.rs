//! What runs off the draw thread: the whole list, and one question in full.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Instant;

use crate::caught::logged;
use crate::eval::explain::{self as explaining, Explanation};
use crate::eval::ladder::{self, Judged, Options};
use crate::eval::notes::Notes;
use crate::eval::report::Report;
use crate::eval::rungs::Rung;
use crate::eval::{Evidence, Question};
use crate::library::PageId;
use crate::search::{About, Outcome, Settings};
use crate::tui::finder::Finder;
use crate::tui::worker::tables;
use crate::tui::{evidence, text};
use crate::words::with_causes;

/// Answer every question.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// Rises with each request.
    pub generation: u64,
    /// The list.
    pub questions: Arc<[Question]>,
    /// The switches.
    pub settings: Settings,
}

/// Explain one question.
#[derive(Clone, Debug)]
pub struct CaseRequest {
    /// Rises with each request.
    pub generation: u64,
    /// The question with its labels.
    pub question: Question,
    /// What is asked: its text, or an edit.
    pub text: String,
    /// The switches.
    pub settings: Settings,
    /// The ladder.
    pub rungs: Arc<[Rung]>,
}

/// A change of the notes.
#[derive(Clone, Debug)]
pub enum NoteEdit {
    /// None: read them.
    Read,
    /// A new one.
    Add {
        /// Id of the question.
        question: String,
        /// Its text.
        text: String,
        /// Its tags.
        tags: Vec<String>,
        /// Best rank of a labelled page now.
        rank: Option<usize>,
    },
    /// Another text and other tags.
    Change {
        /// Its number.
        number: u64,
        /// Its text.
        text: String,
        /// Its tags.
        tags: Vec<String>,
    },
    /// One less.
    Remove(u64),
}

/// The ranks kept by the last `tenleaf eval`.
#[derive(Clone, Debug, Default)]
pub struct Saved {
    /// Its date.
    pub date: String,
    /// Id and best rank of a labelled page.
    pub ranks: Vec<(String, Option<usize>)>,
}

/// A page compared.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The page.
    pub page: PageId,
    /// What is known of it.
    pub about: About,
    /// Its text, safe to show; the words of an error when it could not be read.
    pub text: Result<String, String>,
    /// Words of the query that stand in the other page too.
    pub shared: Vec<Range<usize>>,
    /// Words of the query that stand here alone.
    pub alone: Vec<Range<usize>>,
    /// Lines of the labelled passages.
    pub evidence: Vec<Range<usize>>,
    /// Its tables.
    pub tables: Vec<Range<usize>>,
}

/// A question explained, with the pages to compare.
#[derive(Clone, Debug)]
pub struct Case {
    /// Of the request.
    pub generation: u64,
    /// Why.
    pub why: Explanation,
    /// Each labelled page, and the one ranked first as it compares with it.
    pub pairs: Vec<(Sheet, Option<Sheet>)>,
}

/// What comes back.
#[derive(Debug)]
pub enum Reply {
    /// The run kept by the last `tenleaf eval`, where there is one.
    Saved(Option<Saved>),
    /// So many of so many questions are answered.
    Progress(u64, usize, usize),
    /// All are answered.
    Run(u64, Settings, Vec<Judged>),
    /// A question is explained.
    Case(Box<Case>),
    /// The notes as they are now, with words for the user.
    Notes(Box<Notes>, String),
    /// The list could not be answered, in words.
    RunFailed(String),
    /// Something else failed, in words.
    Failed(String),
}

/// The threads of the error analysis: one for the list, one for the question chosen.
pub struct Analyst {
    runs: Sender<(Arc<dyn Finder>, RunRequest)>,
    cases: Sender<(Arc<dyn Finder>, CaseRequest)>,
}

impl Analyst {
    /// Starts the threads; they end with this value. `send` is called on them with each reply.
    pub fn start(send: impl Fn(Reply) + Clone + Send + Sync + 'static) -> Analyst {
        let (failed, answer) = (send.clone(), send.clone());
        let evaluate = move |(finder, request): (Arc<dyn Finder>, _)| run(&*finder, request, &send);
        let tell = answer.clone();
        let explain = move |(finder, request): (Arc<dyn Finder>, _)| {
            answer(explain(&*finder, request));
        };
        Analyst {
            runs: newest(
                "evaluation",
                move |words| failed(Reply::RunFailed(words)),
                evaluate,
            ),
            cases: newest(
                "explanation",
                move |words| tell(Reply::Failed(words)),
                explain,
            ),
        }
    }

    /// Answers every question; a request that waits is forgotten.
    pub fn run(&self, finder: &Arc<dyn Finder>, request: RunRequest) {
        let _ = self.runs.send((finder.clone(), request));
    }

    /// Explains a question; a request that waits is forgotten.
    pub fn explain(&self, finder: &Arc<dyn Finder>, request: CaseRequest) {
        let _ = self.cases.send((finder.clone(), request));
    }
}

/// A thread that does the newest job it was given, and tells when it fails.
fn newest<T: Send + 'static>(
    name: &str,
    failed: impl Fn(String) + Send + 'static,
    work: impl Fn(T) + Send + 'static,
) -> Sender<T> {
    let (jobs, waiting) = channel();
    let spawned = thread::Builder::new().name(name.into()).spawn(move || {
        while let Ok(mut job) = waiting.recv() {
            while let Ok(newer) = waiting.try_recv() {
                job = newer;
            }
            if let Err(words) = logged(|| work(job)) {
                failed(format!("the engine failed: {words} (see the log)"));
            }
        }
    });
    spawned.expect("the system has a thread for us");
    jobs
}

/// Answers every question of the list; tells the saved run first, then how far it is.
pub fn run(finder: &dyn Finder, request: RunRequest, send: &(impl Fn(Reply) + Sync)) {
    let Some(engine) = finder.engine() else {
        return send(Reply::RunFailed("there is no engine to evaluate".into()));
    };
    let saved = Report::last(engine.library.root()).map(|report| Saved {
        date: report.about.date.clone(),
        ranks: report
            .results
            .iter()
            .map(|r| (r.id.clone(), r.rank()))
            .collect(),
    });
    send(Reply::Saved(saved));
    let RunRequest {
        generation,
        questions,
        settings,
    } = request;
    // Here, and not where it would hold up the screen: the model may have to be loaded.
    if let Err(words) = finder.make_ready("", &settings) {
        return send(Reply::RunFailed(words));
    }
    let rung = Rung {
        name: String::new(),
        settings: settings.clone(),
        alone: false,
        over: None,
    };
    let told = AtomicUsize::new(0);
    let progress = |done: usize, total: usize| {
        // Twenty steps are enough for the eye.
        let step = done * 20 / total.max(1);
        if told.fetch_max(step, Ordering::Relaxed) < step {
            send(Reply::Progress(generation, done, total));
        }
    };
    let options = Options {
        jobs: 0,
        timing: false,
        progress: &progress,
    };
    let ran = ladder::run(engine, &questions, &[rung], options);
    // What was measured on a part of the index is no measure.
    match ran.and_then(|runs| engine.check_index().map(|()| runs)) {
        Ok(mut runs) => {
            let judged = runs.pop().map(|run| run.judged).unwrap_or_default();
            send(Reply::Run(generation, settings, judged));
        }
        Err(error) => send(Reply::RunFailed(with_causes(&error))),
    }
}

/// Explains a question and reads the pages to compare.
pub fn explain(finder: &dyn Finder, request: CaseRequest) -> Reply {
    let Some(engine) = finder.engine() else {
        return Reply::Failed("there is no engine to explain it".into());
    };
    let started = Instant::now();
    let CaseRequest {
        generation,
        question,
        text,
        settings,
        rungs,
    } = request;
    let can_be_had = |rung: &&Rung| {
        finder.is_measurable(rung.settings.retriever)
            && finder.make_ready(&text, &rung.settings).is_ok()
    };
    // What is left out by hand is left out on every rung.
    let rungs: Vec<Rung> = rungs
        .iter()
        .filter(can_be_had)
        .cloned()
        .map(|mut rung| {
            rung.settings.without_words = settings.without_words.clone();
            rung
        })
        .collect();
    let why = explaining::explain(engine, &question, &text, &settings, &rungs);
    let outcome = finder.search(&text, &settings);
    let first = outcome.ranked.first().map(|page| page.page);
    let pairs = question
        .gold(engine.library.filings())
        .into_iter()
        .map(|gold| {
            let (labelled, other) = (finder.page(gold), first.map(|page| finder.page(page)));
            let sheet = |page, own: &_, other: Option<&_>| {
                sheet(finder, &outcome, page, own, other, &question.evidence, gold)
            };
            let beside = match (first, &other) {
                (Some(page), Some(own)) => Some(sheet(page, own, Some(&labelled))),
                _ => None,
            };
            (sheet(gold, &labelled, other.as_ref()), beside)
        })
        .collect();
    let ms = started.elapsed().as_secs_f64() * 1000.0;
    tracing::debug!("question {} explained in {ms:.1} ms", question.id);
    Reply::Case(Box::new(Case {
        generation,
        why,
        pairs,
    }))
}

type Read = Result<crate::library::PageText, String>;

fn sheet(
    finder: &dyn Finder,
    outcome: &Outcome,
    page: PageId,
    own: &Read,
    other: Option<&Read>,
    labels: &[Evidence],
    gold: PageId,
) -> Sheet {
    let text = own
        .as_ref()
        .map(|page| text::printable(&page.text))
        .map_err(Clone::clone);
    let shown = text.as_deref().unwrap_or_default();
    let theirs: HashSet<String> = match other {
        Some(Ok(other)) => crate::text::terms(&other.text).into_iter().collect(),
        _ => HashSet::new(),
    };
    let in_both = |mark: &Range<usize>| {
        let terms = crate::text::terms(&shown[mark.clone()]);
        terms.iter().any(|term| theirs.contains(term))
    };
    let (shared, alone) = finder.marks(outcome, shown).into_iter().partition(in_both);
    let passages: Vec<String> = labels
        .iter()
        .filter(|e| page == gold && e.page == page.page)
        .map(|e| e.text.clone())
        .collect();
    Sheet {
        page,
        about: finder.about(page),
        shared,
        alone,
        evidence: evidence::find(shown, &passages),
        tables: tables(shown),
        text,
    }
}

/// Changes the notes beside the data. They are on the disk when this returns.
pub fn note(finder: &dyn Finder, edit: NoteEdit) -> Reply {
    let Some(engine) = finder.engine() else {
        return Reply::Failed("there is no library to keep notes in".into());
    };
    let done = Notes::open(engine.library.root()).and_then(|mut notes| {
        let words = match edit {
            NoteEdit::Read => match notes.damaged() {
                [] => String::new(),
                lines => format!(
                    "{}: {} damaged lines left as they are",
                    notes.path().display(),
                    lines.len()
                ),
            },
            NoteEdit::Add {
                question,
                text,
                tags,
                rank,
            } => {
                let note = notes.add(&question, &text, &tags, rank)?;
                format!("note {} kept", note.note)
            }
            NoteEdit::Change { number, text, tags } => {
                notes.edit(number, &text, &tags)?;
                format!("note {number} changed")
            }
            NoteEdit::Remove(number) => {
                notes.remove(number)?;
                format!("note {number} removed")
            }
        };
        Ok((notes, words))
    });
    match done {
        Ok((notes, words)) => Reply::Notes(Box::new(notes), words),
        Err(error) => Reply::Failed(with_causes(&error)),
    }
}
