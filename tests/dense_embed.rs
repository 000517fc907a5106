//! Embedding without a model: the same job, with an encoder that counts letters.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use tenleaf::dense::job::{self, Plan, Summary};
use tenleaf::dense::vectors::{
    Query, REPLACE, VectorFile, Vectors, VectorsError, vectors_path, verify,
};
use tenleaf::dense::{Encode, ModelError, ModelId};
use tenleaf::library::job::Cancel;
use tenleaf::library::verify::Outcome;
use tenleaf::library::{Filing, Library, PageId, PageQuality, PageText};

const MODEL: ModelId = ModelId([1; 32]);
const OTHER: ModelId = ModelId([2; 32]);

/// Letters of the alphabet, counted; a window is 40 bytes.
struct Letters<'a> {
    calls: &'a AtomicUsize,
    fail_on: Option<&'a str>,
}

fn letters(text: &str) -> Vec<f32> {
    let mut counts = [0f32; 26];
    for byte in text.bytes().filter(u8::is_ascii_alphabetic) {
        counts[(byte.to_ascii_lowercase() - b'a') as usize] += 1.0;
    }
    let norm = counts.iter().map(|c| c * c).sum::<f32>().sqrt().max(1.0);
    counts.iter().map(|c| c / norm).collect()
}

impl Encode for Letters<'_> {
    fn dims(&self) -> usize {
        26
    }

    fn windows(&mut self, text: &str, windows: usize) -> Result<Vec<Vec<f32>>, ModelError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if self.fail_on.is_some_and(|word| text.contains(word)) {
            return Err(ModelError::Run("no letters".to_string()));
        }
        let bytes = text.as_bytes();
        Ok(bytes
            .chunks(40)
            .take(windows)
            .map(|window| letters(&String::from_utf8_lossy(window)))
            .collect())
    }
}

fn put(root: &Path, doc_name: &str, pages: &[&str]) {
    let record = serde_json::json!({
        "doc_name": doc_name, "company": "Acme", "form": "10-K", "fiscal_year": 2020,
        "pages": 0, "text_from": "text", "text_sha256": "",
    });
    let mut filing: Filing = serde_json::from_value(record).unwrap();
    let pages: Vec<PageText> = pages
        .iter()
        .map(|text| PageText {
            text: text.to_string(),
            quality: if text.is_empty() {
                PageQuality::Empty
            } else {
                PageQuality::Ok
            },
        })
        .collect();
    Library::put(root, &mut filing, &pages).unwrap();
}

fn all(library: &Library) -> Vec<u32> {
    (0..library.filings().len() as u32).collect()
}

/// An encoder that counts its calls here.
fn letters_counted(calls: &AtomicUsize) -> Result<Letters<'_>, ModelError> {
    Ok(Letters {
        calls,
        fail_on: None,
    })
}

/// Embeds everything; returns the summary and how many pages the encoder saw.
fn embed(library: &Library, model: ModelId, windows: usize, replace: bool) -> (Summary, usize) {
    let calls = AtomicUsize::new(0);
    let plan = Plan::new(library, model, windows, &all(library), replace).unwrap();
    let make = || letters_counted(&calls);
    let summary = plan.run(2, make, &Cancel::new(), |_| {}).unwrap();
    (summary, calls.into_inner())
}

fn library(dir: &Path) -> Library {
    put(
        dir,
        "ACME_2019_10K",
        &["abc abc", "", "zebra crossing", "abc abc"],
    );
    put(dir, "ACME_2020_10K", &["quick brown fox", "lazy dog"]);
    Library::refresh(dir).unwrap()
}

/// Whether the first page of each filing has a vector that is used.
fn embedded(vectors: &Vectors) -> [bool; 2] {
    let query = Query::of(&letters("any"));
    [0, 1].map(|filing| {
        let page = PageId { filing, page: 0 };
        vectors.similarity(&query, page).is_some()
    })
}

#[test]
fn embeds_once_and_finds_the_page() {
    let dir = tempfile::tempdir().unwrap();
    let lib = library(dir.path());
    let (summary, calls) = embed(&lib, MODEL, 1, false);
    assert_eq!(
        (summary.embedded, summary.stopped, calls),
        (6, false, 5),
        "an empty page needs no model"
    );
    assert_eq!(
        embed(&lib, MODEL, 1, false),
        (
            Summary {
                embedded: 0,
                stopped: false,
                problems: vec![]
            },
            0
        )
    );

    let vectors = Vectors::open(lib.root(), lib.filings(), MODEL).unwrap();
    assert_eq!(
        (vectors.coverage().pages, vectors.coverage().filings),
        (6, 2)
    );
    assert!(vectors.problems().is_empty());
    let query = Query::of(&letters("zebras crossing"));
    let mut pages: Vec<(PageId, f32)> = (0..2)
        .flat_map(|filing| (0..10).map(move |page| PageId { filing, page }))
        .filter_map(|page| Some((page, vectors.similarity(&query, page)?)))
        .collect();
    pages.sort_by(|a, b| b.1.total_cmp(&a.1));
    assert_eq!(pages.len(), 5, "the empty page has no similarity");
    assert_eq!(pages[0].0, PageId { filing: 0, page: 2 });
    assert_eq!(
        vectors.similarity(&query, PageId { filing: 0, page: 1 }),
        None
    );
    assert_eq!(
        vectors.similarity(&query, PageId { filing: 0, page: 9 }),
        None
    );
    assert_eq!(
        vectors.similarity(&query, PageId { filing: 9, page: 0 }),
        None
    );
}

#[test]
fn the_best_window_wins() {
    let dir = tempfile::tempdir().unwrap();
    put(
        dir.path(),
        "LONG",
        &["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaazzzz", "aaaz"],
    );
    let lib = Library::refresh(dir.path()).unwrap();
    let similar = |windows| {
        embed(&lib, MODEL, windows, false);
        let vectors = Vectors::open(lib.root(), lib.filings(), MODEL).unwrap();
        assert_eq!(vectors.of_other_windows(windows), 0);
        assert_eq!(vectors.of_other_windows(windows + 1), 1);
        vectors
            .similarity(&Query::of(&letters("z")), PageId { filing: 0, page: 0 })
            .unwrap()
    };
    assert!(similar(1) < 0.01);
    assert!(similar(2) > 0.99);
}

#[test]
fn only_changed_pages_are_embedded_again() {
    let dir = tempfile::tempdir().unwrap();
    let lib = library(dir.path());
    embed(&lib, MODEL, 1, false);
    put(
        dir.path(),
        "ACME_2019_10K",
        &[
            "a new first page",
            "abc abc",
            "",
            "zebra crossing",
            "changed",
        ],
    );
    let lib = Library::refresh(dir.path()).unwrap();
    let vectors = Vectors::open(lib.root(), lib.filings(), MODEL).unwrap();
    assert_eq!(
        vectors.coverage().filings,
        1,
        "vectors of the old text are not used"
    );
    assert!(vectors.problems()[0].contains("tenleaf embed"));
    assert_eq!(embed(&lib, MODEL, 1, false).1, 2);
    assert_eq!(
        Vectors::open(lib.root(), lib.filings(), MODEL)
            .unwrap()
            .coverage()
            .pages,
        7
    );
}

#[test]
fn a_removed_filing_leaves_no_vectors() {
    let dir = tempfile::tempdir().unwrap();
    let lib = library(dir.path());
    embed(&lib, MODEL, 1, false);
    Library::remove(dir.path(), "ACME_2020_10K").unwrap();
    let lib = Library::refresh(dir.path()).unwrap();
    assert_eq!(job::remove_orphans(&lib).unwrap(), 1);
    assert!(!vectors_path(dir.path(), "ACME_2020_10K").exists());
    assert!(vectors_path(dir.path(), "ACME_2019_10K").exists());
}

#[test]
fn stopped_and_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..200)
        .map(|n| format!("page {n} of many {}", "x".repeat(n)))
        .collect();
    put(
        dir.path(),
        "BIG",
        &texts.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let lib = Library::refresh(dir.path()).unwrap();
    let calls = AtomicUsize::new(0);
    let stop = Cancel::new();
    let plan = Plan::new(&lib, MODEL, 1, &[0], false).unwrap();
    let make = || letters_counted(&calls);
    let summary = plan
        .run(1, make, &stop, |progress| {
            assert_eq!(progress.pages, 200);
            if progress.embedded == 150 {
                stop.cancel();
            }
        })
        .unwrap();
    assert!(summary.stopped);
    assert_eq!(summary.embedded, 150);
    let file = VectorFile::open(&vectors_path(dir.path(), "BIG")).unwrap();
    assert_eq!((file.embedded(), file.pages()), (150, 200));

    let plan = Plan::new(&lib, MODEL, 1, &[0], false).unwrap();
    assert_eq!((plan.pages, plan.kept), (50, 150));
    let (summary, calls) = embed(&lib, MODEL, 1, false);
    assert_eq!((summary.embedded, summary.stopped, calls), (50, false, 50));

    // The same bytes as in one go.
    let resumed = std::fs::read(vectors_path(dir.path(), "BIG")).unwrap();
    std::fs::remove_file(vectors_path(dir.path(), "BIG")).unwrap();
    embed(&lib, MODEL, 1, false);
    assert_eq!(
        resumed,
        std::fs::read(vectors_path(dir.path(), "BIG")).unwrap()
    );
}

#[test]
fn another_models_vectors_are_refused_with_the_command_that_mends_it() {
    let dir = tempfile::tempdir().unwrap();
    let lib = library(dir.path());
    assert!(matches!(
        Vectors::open(lib.root(), lib.filings(), MODEL),
        Err(VectorsError::None)
    ));
    embed(&lib, MODEL, 1, false);
    let refusals = [
        Vectors::open(lib.root(), lib.filings(), OTHER)
            .err()
            .unwrap(),
        Plan::new(&lib, OTHER, 1, &all(&lib), false).err().unwrap(),
    ];
    for error in refusals {
        let text = error.to_string();
        assert!(
            text.contains("another model") && text.contains("tenleaf embed --replace"),
            "{text}"
        );
        assert!(!text.contains('\n'));
    }
    assert_eq!(embed(&lib, OTHER, 1, true).1, 5);
    assert!(Vectors::open(lib.root(), lib.filings(), OTHER).is_ok());
}

#[test]
fn a_half_replaced_library_is_used_as_far_as_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let lib = library(dir.path());
    embed(&lib, MODEL, 1, false);
    let calls = AtomicUsize::new(0);
    let make = || letters_counted(&calls);
    let plan = Plan::new(&lib, OTHER, 1, &[1], true).unwrap();
    plan.run(1, make, &Cancel::new(), |_| {}).unwrap();
    let vectors = Vectors::open(lib.root(), lib.filings(), OTHER).unwrap();
    assert_eq!(embedded(&vectors), [false, true]);
    // `doctor` says the same of it as `embed` does, which refuses.
    assert_eq!(vectors.of_another_model(), 1);
    let refused = Plan::new(&lib, OTHER, 1, &all(&lib), false).err().unwrap();
    for said in [&vectors.problems()[0], &refused.to_string()] {
        assert!(said.contains(REPLACE), "{said}");
    }
}

#[test]
fn a_damaged_vector_file_is_told_of_and_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let lib = library(dir.path());
    embed(&lib, MODEL, 1, false);
    let path = vectors_path(dir.path(), "ACME_2019_10K");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 10]).unwrap();
    let vectors = Vectors::open(lib.root(), lib.filings(), MODEL).unwrap();
    assert_eq!(embedded(&vectors), [false, true]);
    assert!(
        vectors.problems()[0].contains("damaged"),
        "{:?}",
        vectors.problems()
    );
    let (seen, found) = verify(lib.root(), lib.filings(), false);
    assert_eq!((seen, found.len()), (2, 1));
    assert_eq!(found[0].file, "vectors/ACME_2019_10K.vectors");
    assert!(found[0].outcome == Outcome::Open && found[0].remedy.contains("tenleaf embed"));
    assert_eq!(embed(&lib, MODEL, 1, false).1, 3);
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(verify(lib.root(), lib.filings(), false), (2, vec![]));
}

#[test]
fn vectors_serve_until_those_of_another_number_of_windows_are_all_there() {
    let dir = tempfile::tempdir().unwrap();
    let lib = library(dir.path());
    embed(&lib, MODEL, 1, false);
    let path = vectors_path(dir.path(), "ACME_2019_10K");
    let before = std::fs::read(&path).unwrap();
    // Stopped after two of the first filing's three pages.
    let cancel = Cancel::new();
    let calls = AtomicUsize::new(0);
    let plan = Plan::new(&lib, MODEL, 2, &all(&lib), false).unwrap();
    assert_eq!((plan.kept, plan.pages), (0, 6));
    let make = || letters_counted(&calls);
    let stop_after_two = |progress: job::Progress| {
        if progress.embedded == 2 {
            cancel.cancel();
        }
    };
    let summary = plan.run(1, make, &cancel, stop_after_two).unwrap();
    assert!(summary.stopped && summary.embedded == 2, "{summary:?}");
    assert_eq!(
        std::fs::read(&path).unwrap(),
        before,
        "all of them serve on"
    );
    assert_eq!(job::remove_orphans(&lib).unwrap(), 0);
    // The next run goes on from there, and takes their place.
    let plan = Plan::new(&lib, MODEL, 2, &all(&lib), false).unwrap();
    assert_eq!((plan.kept, plan.pages), (2, 4));
    embed(&lib, MODEL, 2, false);
    let vectors = Vectors::open(lib.root(), lib.filings(), MODEL).unwrap();
    assert_eq!(
        (vectors.coverage().pages, vectors.of_other_windows(2)),
        (6, 0)
    );
    let left = std::fs::read_dir(dir.path().join("vectors"))
        .unwrap()
        .count();
    assert_eq!(left, 2, "nothing is left beside");
}

/// A link to itself stands for a file that cannot be read for a reason of the system's.
#[test]
fn repair_leaves_what_it_cannot_read() {
    let dir = tempfile::tempdir().unwrap();
    let lib = library(dir.path());
    embed(&lib, MODEL, 1, false);
    let path = vectors_path(dir.path(), "ACME_2019_10K");
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&path, &path).unwrap();
    let (_, found) = verify(lib.root(), lib.filings(), true);
    assert!(
        found.len() == 1 && found[0].outcome == Outcome::Open,
        "{found:?}"
    );
    assert!(found[0].problem.contains("cannot be read"), "{found:?}");
    assert!(std::fs::symlink_metadata(&path).is_ok());
}

#[test]
fn vectors_of_a_filing_whose_pages_are_damaged_stay() {
    let dir = tempfile::tempdir().unwrap();
    embed(&library(dir.path()), MODEL, 1, false);
    std::fs::write(dir.path().join("pages/ACME_2019_10K.pages"), b"zzzz").unwrap();
    let lib = Library::open(dir.path()).unwrap();
    assert_eq!(lib.filings().len(), 1);
    assert_eq!(job::remove_orphans(&lib).unwrap(), 0);
    assert!(vectors_path(dir.path(), "ACME_2019_10K").exists());
}

#[test]
fn repair_takes_a_damaged_vector_file_away_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let lib = library(dir.path());
    embed(&lib, MODEL, 1, false);
    let path = vectors_path(dir.path(), "ACME_2019_10K");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let (_, repaired) = verify(lib.root(), lib.filings(), true);
    assert!(
        repaired.len() == 1 && repaired[0].outcome == Outcome::Removed,
        "{repaired:?}"
    );
    assert!(!path.exists());
    assert_eq!(verify(lib.root(), lib.filings(), true), (1, vec![]));
    let vectors = Vectors::open(lib.root(), lib.filings(), MODEL).unwrap();
    assert_eq!(embedded(&vectors), [false, true]);
}

#[test]
fn a_folder_in_the_place_of_a_vector_file_is_named_and_the_rest_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let lib = library(dir.path());
    let path = vectors_path(dir.path(), "ACME_2019_10K");
    std::fs::create_dir_all(&path).unwrap();
    std::fs::create_dir_all(vectors_path(dir.path(), "GONE_2019_10K")).unwrap();
    let (summary, _) = embed(&lib, MODEL, 1, false);
    assert_eq!((summary.embedded, summary.stopped), (2, false));
    assert_eq!(summary.problems.len(), 1);
    assert!(
        summary.problems[0].contains("ACME_2019_10K.vectors is a folder"),
        "{:?}",
        summary.problems
    );
    let vectors = Vectors::open(lib.root(), lib.filings(), MODEL).unwrap();
    assert_eq!(embedded(&vectors), [false, true]);
    assert!(vectors.problems()[0].contains("no regular file"));
    assert_eq!(job::remove_orphans(&lib).unwrap(), 0);
}

#[test]
fn a_filing_that_fails_is_named_and_the_rest_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let lib = library(dir.path());
    put(dir.path(), "AAA_DAMAGED", &["text"]);
    let calls = AtomicUsize::new(0);
    let plan = Plan::new(&lib, MODEL, 1, &all(&lib), false).unwrap();
    let make = || {
        Ok(Letters {
            calls: &calls,
            fail_on: Some("zebra"),
        })
    };
    let last = std::sync::Mutex::new(None);
    let summary = plan
        .run(1, make, &Cancel::new(), |progress| {
            *last.lock().unwrap() = Some(progress)
        })
        .unwrap();
    assert_eq!(summary.problems.len(), 1);
    assert!(
        summary.problems[0].starts_with("ACME_2019_10K: page 3: "),
        "{:?}",
        summary.problems
    );
    let last = last.into_inner().unwrap().unwrap();
    assert_eq!((last.embedded, last.pages, last.filings), (4, 4, 1));
    // The pages before it are kept.
    assert_eq!(
        VectorFile::open(&vectors_path(dir.path(), "ACME_2019_10K"))
            .unwrap()
            .embedded(),
        2
    );

    // A page file that cannot be read.
    let lib = Library::refresh(dir.path()).unwrap();
    std::fs::write(
        tenleaf::library::page_path(dir.path(), "AAA_DAMAGED"),
        b"no page file",
    )
    .unwrap();
    let (summary, _) = embed(&lib, MODEL, 1, false);
    assert_eq!(summary.problems.len(), 1);
    assert!(
        summary.problems[0].starts_with("AAA_DAMAGED: "),
        "{:?}",
        summary.problems
    );
    // Of the two pages left one has the text of a page before it.
    assert_eq!(summary.embedded, 1);
}

#[test]
fn an_encoder_that_cannot_be_made_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let lib = library(dir.path());
    let plan = Plan::new(&lib, MODEL, 1, &all(&lib), false).unwrap();
    let error = ModelError::Run("none".to_string());
    let result = plan.run(
        1,
        || Err::<Letters, _>(error.clone()),
        &Cancel::new(),
        |_| {},
    );
    assert_eq!(result.unwrap_err().downcast::<ModelError>().unwrap(), error);
}
