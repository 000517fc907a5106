//! Damage is found, named, and put right where that can be done.

use std::fs;

use tenleaf::library::catalog::pinned;
use tenleaf::library::import::{self, ImportPlan, pdf_path};
use tenleaf::library::job::Cancel;
use tenleaf::library::status;
use tenleaf::library::verify::{self, Outcome, Verified};
use tenleaf::library::{Library, page_path};

use crate::common;
use crate::import::{import, write_mirror};

pub fn verify(root: &std::path::Path, repair: bool) -> Verified {
    verify::verify(root, repair, &|_| {}, &Cancel::new()).unwrap()
}

#[test]
fn damage_is_named_and_removed() {
    let (mirror, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_mirror(mirror.path(), 4);
    import(mirror.path(), root.path());
    assert_eq!(verify(root.path(), false).problems, vec![]);

    let flipped = page_path(root.path(), "ACME_2000_10K");
    let mut bytes = fs::read(&flipped).unwrap();
    let at = bytes.len() - 40;
    bytes[at] ^= 1;
    fs::write(&flipped, bytes).unwrap();
    let cut = page_path(root.path(), "ACME_2001_10K");
    let bytes = fs::read(&cut).unwrap();
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    fs::copy(
        page_path(root.path(), "ACME_2002_10K"),
        page_path(root.path(), "OTHER_2002_10K"),
    )
    .unwrap();
    fs::write(root.path().join("pages/.tmpAbC123"), b"half").unwrap();

    let found = verify(root.path(), false);
    let files: Vec<&str> = found
        .problems
        .iter()
        .map(|problem| problem.file.as_str())
        .collect();
    assert_eq!(
        files,
        [
            "pages/.tmpAbC123",
            "pages/ACME_2000_10K.pages",
            "pages/ACME_2001_10K.pages",
            "pages/OTHER_2002_10K.pages"
        ]
    );
    assert_eq!(found.open(), 4);
    assert!(found.problems[1].remedy.contains("--repair"));
    assert_eq!(
        status::status(root.path()).unwrap().damaged,
        ["ACME_2001_10K", "OTHER_2002_10K"]
    );

    // Set aside and named until it is had again; the copy and what a write left are gone for good.
    let done = verify(root.path(), true);
    assert_eq!((done.open(), done.come_to(Outcome::Mended)), (2, 2));
    for (problem, outcome) in done.problems.iter().zip([
        Outcome::Mended,
        Outcome::Removed,
        Outcome::Removed,
        Outcome::Mended,
    ]) {
        assert_eq!(problem.outcome, outcome, "{problem:?}");
    }
    assert!(
        done.problems[1]
            .remedy
            .contains("set aside as pages/ACME_2000_10K.pages.damaged")
    );
    assert!(
        root.path()
            .join("pages/ACME_2000_10K.pages.damaged")
            .is_file()
    );
    let status = status::status(root.path()).unwrap();
    assert_eq!(status.set_aside, ["ACME_2000_10K", "ACME_2001_10K"]);
    assert!(
        status.todo[0].contains("ACME_2001_10K"),
        "{:?}",
        status.todo
    );
    assert_eq!(verify(root.path(), false).problems, vec![]);
    assert_eq!(Library::open(root.path()).unwrap().filings().len(), 2);
    assert_eq!(import(mirror.path(), root.path()).stored, 2);
    assert!(status::status(root.path()).unwrap().set_aside.is_empty());
}

#[test]
fn a_rewritten_filing_is_read_again_into_the_catalog() {
    let (mirror, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_mirror(mirror.path(), 2);
    import(mirror.path(), root.path());
    let library = Library::open(root.path()).unwrap();
    let mut filing = library.filing(0).clone();
    let pages = library.page_file(0).unwrap().all().unwrap();
    filing.company = "Acme renamed".to_string();
    // What a killed import leaves: the page file is new, the catalog is not.
    Library::put(root.path(), &mut filing, &pages[..1]).unwrap();
    let library = Library::open(root.path()).unwrap();
    assert_eq!(
        (library.filing(0).company.as_str(), library.filing(0).pages),
        ("Acme renamed", 1)
    );
}

#[test]
fn a_filing_is_read_again_from_its_pdf() {
    let Some(mirror) = common::shared("financebench") else {
        return;
    };
    const NAME: &str = "ULTABEAUTY_2023Q4_EARNINGS";
    let (from, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let row = serde_json::to_string(&pinned()[NAME]).unwrap();
    fs::write(from.path().join("manifest.jsonl"), row).unwrap();
    for (dir, ending) in [("pages", ".jsonl.zst"), ("pdfs", ".pdf")] {
        fs::create_dir_all(from.path().join(dir)).unwrap();
        let file = format!("{dir}/{NAME}{ending}");
        fs::copy(mirror.join(&file), from.path().join(&file)).unwrap();
    }
    let plan = ImportPlan {
        from: from.path().to_path_buf(),
        root: root.path().to_path_buf(),
        with_pdfs: true,
        questions: Vec::new(),
    };
    let summary = import::run(&plan, &|_| {}, &Cancel::new()).unwrap();
    assert_eq!((summary.stored, summary.failed.len()), (1, 0));
    let before = Library::open(root.path())
        .unwrap()
        .page_file(0)
        .unwrap()
        .all()
        .unwrap();

    fs::write(page_path(root.path(), NAME), b"nonsense").unwrap();
    let repaired = verify(root.path(), true);
    assert_eq!(repaired.problems[0].remedy, "read again from its PDF");
    let after = Library::open(root.path())
        .unwrap()
        .page_file(0)
        .unwrap()
        .all()
        .unwrap();
    assert_eq!(before.len(), after.len());
    assert!(
        before
            .iter()
            .zip(&after)
            .all(|(a, b)| a.text.lines().next() == b.text.lines().next())
    );

    fs::write(pdf_path(root.path(), NAME), b"%PDF-nonsense").unwrap();
    let found = verify(root.path(), false);
    assert_eq!(found.problems.len(), 1);
    assert!(
        found.problems[0].remedy.contains("data fetch"),
        "{:?}",
        found.problems
    );
}

/// A link to itself stands for a file that cannot be read for a reason of the system's.
#[test]
fn what_cannot_be_read_is_named_and_stays() {
    let (mirror, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_mirror(mirror.path(), 2);
    import(mirror.path(), root.path());
    let pages = page_path(root.path(), "ACME_2000_10K");
    fs::remove_file(&pages).unwrap();
    std::os::unix::fs::symlink(&pages, &pages).unwrap();
    let found = verify(root.path(), true);
    assert_eq!((found.problems.len(), found.open()), (1, 1), "{found:?}");
    assert!(found.problems[0].problem.contains("cannot be read"));
    assert!(fs::symlink_metadata(&pages).is_ok(), "it was not removed");
}
