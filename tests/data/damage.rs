//! What someone, or a bad disk, may do to a library: it opens, names what is wrong, and is mended.

use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use tenleaf::index::Index;
use tenleaf::library::verify::Outcome;
use tenleaf::library::{Library, PageText, page_path};
use tenleaf::question::Tables;
use tenleaf::search::{Engine, Settings, search};

use crate::import::{import, write_mirror};
use crate::verify::verify;

/// A library of three filings.
fn library() -> tempfile::TempDir {
    let (mirror, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_mirror(mirror.path(), 3);
    import(mirror.path(), root.path());
    root
}

fn names(library: &Library) -> Vec<&str> {
    let filings = library.filings().iter();
    filings.map(|filing| filing.doc_name.as_str()).collect()
}

fn notes(root: &Path) -> String {
    let (engine, _) = Engine::open(root, Tables::builtin(), &|_, _| {}).unwrap();
    search(&engine, "Acme fiscal 2001", &Settings::default())
        .notes
        .join("\n")
}

#[test]
fn a_damaged_catalog_is_made_again_from_the_page_files() {
    let root = library();
    let catalog = root.path().join("catalog.jsonl");
    let whole = fs::read(&catalog).unwrap();
    let replace = |with: &dyn Fn()| {
        fs::remove_file(&catalog).unwrap();
        with();
    };
    let with_byte = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        fs::write(&catalog, bytes).unwrap();
    };
    type Damage<'a> = (&'a str, Box<dyn Fn() + 'a>);
    let mut table: Vec<Damage> = vec![
        ("no UTF-8", Box::new(|| with_byte(40, 0xff))),
        ("no JSON", Box::new(|| with_byte(0, b'x'))),
        (
            "cut",
            Box::new(|| fs::write(&catalog, &whole[..150]).unwrap()),
        ),
        (
            "a folder",
            Box::new(|| replace(&|| fs::create_dir(&catalog).unwrap())),
        ),
        (
            "a folder with something in it",
            Box::new(|| replace(&|| fs::create_dir_all(catalog.join("mine")).unwrap())),
        ),
    ];
    table.push((
        "a link to itself",
        Box::new(|| replace(&|| std::os::unix::fs::symlink(&catalog, &catalog).unwrap())),
    ));
    for (what, damage) in table {
        damage();
        let found = verify(root.path(), false);
        assert_eq!(found.open(), 1, "{what}: {:?}", found.problems);
        assert_eq!(found.problems[0].file, "catalog.jsonl");
        let told = notes(root.path());
        assert!(
            told.contains("made again from the page files"),
            "{what}: {told}"
        );
        assert_eq!(fs::read(&catalog).unwrap(), whole, "{what}");
        assert!(!notes(root.path()).contains("catalog"), "{what}: told once");

        damage();
        assert_eq!(verify(root.path(), true).open(), 0, "{what}");
        assert_eq!(fs::read(&catalog).unwrap(), whole, "{what}");
    }
    assert!(
        root.path().join("catalog.jsonl.2/mine").is_dir(),
        "nothing is lost"
    );
}

#[test]
fn a_page_file_put_back_with_its_old_time_is_read_again() {
    let root = library();
    let path = page_path(root.path(), "ACME_2001_10K");
    let backup = root.path().join("backup");
    let old = fs::read(&path).unwrap();
    let written = fs::metadata(&path).unwrap().modified().unwrap();
    let library = Library::open(root.path()).unwrap();
    let mut filing = library.filing(1).clone();
    let page = PageText {
        text: "Sandals".to_string(),
        ..PageText::default()
    };
    Library::put(root.path(), &mut filing, &[page]).unwrap();
    let pages = || {
        let library = Library::open(root.path()).unwrap();
        (
            library.filing(1).pages,
            library.filing(1).text_sha256.clone(),
        )
    };
    assert_eq!(pages(), (1, filing.text_sha256.clone()));
    // `cp -p`, `rsync -a`: with the time it had, long before the catalog was written.
    fs::write(&backup, old).unwrap();
    File::options()
        .write(true)
        .open(&backup)
        .unwrap()
        .set_modified(written - Duration::from_secs(60 * 60))
        .unwrap();
    fs::rename(&backup, &path).unwrap();
    let after = library.filing(1);
    assert_eq!(pages(), (2, after.text_sha256.clone()));
    let catalog = fs::read_to_string(root.path().join("catalog.jsonl")).unwrap();
    assert!(catalog.contains(&after.text_sha256), "{catalog}");
}

#[test]
fn a_page_file_of_another_filing_is_left_out_by_name() {
    let root = library();
    let stray = page_path(root.path(), "ACME_2001_10K-old");
    fs::copy(page_path(root.path(), "ACME_2001_10K"), &stray).unwrap();
    let told = notes(root.path());
    assert!(
        told.contains("pages/ACME_2001_10K-old.pages") && told.contains("`tenleaf data verify`"),
        "{told}"
    );
    let library = Library::open(root.path()).unwrap();
    assert_eq!(names(&library).len(), 3);
    assert_eq!(library.damaged(), ["ACME_2001_10K-old"]);
    let status = tenleaf::library::status::status(root.path()).unwrap();
    assert_eq!((status.filings, status.damaged.len()), (3, 1));

    // The filing itself is there: the copy goes. It alone is there: it gets its name back.
    assert_eq!(verify(root.path(), true).open(), 0);
    assert!(!stray.exists());
    fs::rename(page_path(root.path(), "ACME_2001_10K"), &stray).unwrap();
    assert_eq!(names(&Library::open(root.path()).unwrap()).len(), 2);
    let repaired = verify(root.path(), true);
    assert_eq!(
        repaired.problems[0].remedy,
        "renamed to pages/ACME_2001_10K.pages"
    );
    assert_eq!(names(&Library::open(root.path()).unwrap()).len(), 3);
    assert_eq!(verify(root.path(), false).problems, vec![]);
}

#[test]
fn pipes_and_folders_are_not_waited_for() {
    let root = library();
    let pipe = page_path(root.path(), "PIPE_2001_10K");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let folder = page_path(root.path(), "FOLDER_2001_10K");
    fs::create_dir(&folder).unwrap();
    let library = Library::open(root.path()).unwrap();
    assert_eq!(names(&library).len(), 3);
    assert_eq!(library.damaged(), ["FOLDER_2001_10K", "PIPE_2001_10K"]);
    let found = verify(root.path(), false);
    assert_eq!(found.problems.len(), 2);
    assert!(
        found
            .problems
            .iter()
            .all(|one| one.problem == "it is no regular file")
    );
    assert_eq!(verify(root.path(), true).open(), 2);
    assert!(!pipe.exists() && !folder.exists());
    assert_eq!(verify(root.path(), false).problems, vec![]);
}

#[test]
fn a_changed_byte_of_the_index_is_found_and_its_part_made_again() {
    let root = library();
    let index = root.path().join("index");
    let never = AtomicBool::new(false);
    let found = |repair| {
        let library = Library::open(root.path()).unwrap();
        Index::verify(&library, repair, &never).unwrap()
    };
    let mut tried = 0;
    for place in [0, 1, 2, 3] {
        notes(root.path());
        assert_eq!(found(false), vec![]);
        for ending in ["term", "idx", "fast", "store", "terms"] {
            let dir = index.join(if ending == "terms" {
                "filings"
            } else {
                "words"
            });
            let file = fs::read_dir(dir)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .find(|path| path.extension().is_some_and(|ext| ext == ending))
                .unwrap();
            let mut bytes = fs::read(&file).unwrap();
            let at = (bytes.len() - 1) * place / 3;
            bytes[at] ^= 0x80;
            fs::write(&file, bytes).unwrap();
            let problems = found(false);
            assert_eq!(problems.len(), 1, "{} at {at}", file.display());
            assert!(problems[0].remedy.contains("--repair"));
            if place % 2 == 0 && ending != "terms" {
                let (_, synced) = Engine::open(root.path(), Tables::builtin(), &|_, _| {}).unwrap();
                assert!(synced.mended, "{} at {at}", file.display());
            } else {
                assert_eq!(found(true)[0].outcome, Outcome::Mended);
            }
            assert_eq!(found(false), vec![]);
            tried += 1;
        }
    }
    assert_eq!(tried, 20);
}

#[test]
fn whatever_stands_where_the_index_should_be_makes_room() {
    let root = library();
    let index = root.path().join("index");
    for part in [
        "",
        "words",
        "filings",
        "version",
        "words/meta.json",
        "filings/ACME_2001_10K.terms",
    ] {
        notes(root.path());
        let path = match part {
            "" => index.clone(),
            part => index.join(part),
        };
        let was_file = path.is_file();
        if was_file {
            fs::remove_file(&path).unwrap();
            fs::create_dir_all(path.join("in it")).unwrap();
        } else {
            fs::remove_dir_all(&path).unwrap();
            fs::write(&path, "in the way").unwrap();
        }
        let library = Library::open(root.path()).unwrap();
        Index::sync(&library, &|_, _| {}, &AtomicBool::new(false)).unwrap();
        assert_eq!(path.is_file(), was_file, "{part}");
        let opened = Index::open(&library).unwrap().expect(part);
        assert!(opened.analysis(1).is_some(), "{part}");
    }
}

#[test]
fn what_killed_writes_left_goes_with_the_next_write_once_it_is_old() {
    let root = library();
    let left = |dir: &str, name: &str, hours: u64| {
        let path = root.path().join(dir).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = File::create(&path).unwrap();
        let age = Duration::from_secs(hours * 60 * 60);
        file.set_modified(SystemTime::now() - age).unwrap();
        path
    };
    let old: Vec<_> = ["", "pages", "pdfs", "questions", "vectors"]
        .map(|dir| left(dir, ".tmpAbC123", 25))
        .into();
    let kept = [left("pages", ".tmpNow", 1), left("pages", "mine", 25)];
    Library::open(root.path()).unwrap();
    assert!(old.iter().all(|path| path.exists()), "nothing was written");
    Library::refresh(root.path()).unwrap();
    assert!(!old.iter().any(|path| path.exists()));
    assert!(kept.iter().all(|path| path.exists()));
}

/// `tenleaf index --rebuild` under an open library, say: while a part is gone that is told, and once it is there again
/// it is read.
#[test]
fn a_part_of_the_index_that_is_gone_for_a_while_is_read_again() {
    let root = library();
    drop(Engine::open(root.path(), Tables::builtin(), &|_, _| {}).unwrap());
    let (engine, _) = Engine::open(root.path(), Tables::builtin(), &|_, _| {}).unwrap();
    let part = root.path().join("index/filings/ACME_2001_10K.terms");
    let aside = root.path().join("aside");
    let ask = || search(&engine, "Acme fiscal 2001", &Settings::default());
    fs::rename(&part, &aside).unwrap();
    let told = ask().notes.join("\n");
    assert!(told.contains("ACME_2001_10K: left out"), "{told}");
    let error = engine.check_index().unwrap_err().to_string();
    assert!(error.contains("damaged for ACME_2001_10K"), "{error}");
    fs::rename(&aside, &part).unwrap();
    let outcome = ask();
    assert!(outcome.notes.iter().all(|note| !note.contains("left out")));
    assert_eq!(outcome.ranked[0].doc_name, "ACME_2001_10K");
    engine.check_index().unwrap();
}
