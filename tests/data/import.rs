//! A mirror folder into the library: whole, damaged, stopped and started again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common;
use tenleaf::library::import::{self, ImportPlan};
use tenleaf::library::job::{Cancel, Event, Summary};
use tenleaf::library::{Library, PageId, PageQuality};

pub fn write_mirror(dir: &Path, filings: usize) {
    fs::create_dir_all(dir.join("pages")).unwrap();
    let mut manifest = String::new();
    for ix in 0..filings {
        let name = format!("ACME_{}_10K", 2000 + ix);
        manifest += &format!(
            "{{\"doc_name\":\"{name}\",\"company\":\"Acme\",\"doc_type\":\"10k\",\"doc_period\":{},\"pages\":2}}\n",
            2000 + ix
        );
        write_pages(
            dir,
            &name,
            &format!(
                "For the fiscal year ended December 31, {}\u{a0}by Acme",
                2000 + ix
            ),
        );
    }
    fs::write(dir.join("manifest.jsonl"), manifest).unwrap();
    fs::write(dir.join("financebench_open_source.jsonl"), "").unwrap();
}

fn write_pages(dir: &Path, name: &str, first: &str) {
    let lines = format!(
        "{}\n{}\n",
        serde_json::json!({"page": 1, "text": first}),
        serde_json::json!({"page": 2, "text": ""})
    );
    let packed = zstd::encode_all(lines.as_bytes(), 3).unwrap();
    fs::write(dir.join("pages").join(format!("{name}.jsonl.zst")), packed).unwrap();
}

pub fn import(from: &Path, root: &Path) -> Summary {
    let plan = ImportPlan {
        from: from.to_path_buf(),
        root: root.to_path_buf(),
        with_pdfs: false,
        questions: Vec::new(),
    };
    import::run(&plan, &|_| {}, &Cancel::new()).unwrap()
}

#[test]
fn pages_questions_and_covers_arrive() {
    let (mirror, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_mirror(mirror.path(), 3);
    let summary = import(mirror.path(), root.path());
    assert_eq!((summary.stored, summary.kept, summary.pages), (3, 0, 6));
    let library = Library::open(root.path()).unwrap();
    assert_eq!(
        library.filings()[1].cover_date.unwrap().to_string(),
        "2001-12-31"
    );
    let page = library.page(PageId { filing: 1, page: 0 }).unwrap();
    assert_eq!(
        page.text,
        "For the fiscal year ended December 31, 2001 by Acme"
    );
    assert_eq!(
        library.page(PageId { filing: 1, page: 1 }).unwrap().quality,
        PageQuality::Empty
    );
    assert!(
        root.path()
            .join("questions/financebench_open_source.jsonl")
            .exists()
    );

    let again = import(mirror.path(), root.path());
    assert_eq!((again.stored, again.kept), (0, 3));
    write_pages(mirror.path(), "ACME_2002_10K", "changed");
    let again = import(mirror.path(), root.path());
    assert_eq!((again.stored, again.kept), (1, 2));
}

#[test]
fn an_original_of_the_right_length_is_put_right_all_the_same() {
    let (mirror, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_mirror(mirror.path(), 1);
    let original = crate::made::text_pdf(&["Acme"]);
    fs::create_dir(mirror.path().join("pdfs")).unwrap();
    fs::write(mirror.path().join("pdfs/ACME_2000_10K.pdf"), &original).unwrap();
    let plan = ImportPlan {
        from: mirror.path().to_path_buf(),
        root: root.path().to_path_buf(),
        with_pdfs: true,
        questions: Vec::new(),
    };
    import::run(&plan, &|_| {}, &Cancel::new()).unwrap();
    let kept = import::pdf_path(root.path(), "ACME_2000_10K");
    let mut flipped = original.clone();
    flipped[20] ^= 1;
    fs::write(&kept, flipped).unwrap();
    import::run(&plan, &|_| {}, &Cancel::new()).unwrap();
    assert!(fs::read(&kept).unwrap() == original);
}

#[test]
fn a_questions_folder_that_cannot_be_read_is_named() {
    let (mirror, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_mirror(mirror.path(), 1);
    fs::write(mirror.path().join("questions"), "no folder").unwrap();
    let summary = import(mirror.path(), root.path());
    assert_eq!((summary.stored, summary.failed.len()), (1, 1));
    assert!(summary.failed[0].what.ends_with("questions"));
}

#[test]
fn bad_files_are_named_and_the_rest_arrives() {
    let (mirror, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_mirror(mirror.path(), 5);
    let pages = mirror.path().join("pages");
    fs::write(pages.join("ACME_2000_10K.jsonl.zst"), b"no zstd").unwrap();
    fs::remove_file(pages.join("ACME_2001_10K.jsonl.zst")).unwrap();
    let packed = zstd::encode_all(&b"{\"page\": 2, \"text\": \"x\"}\n"[..], 3).unwrap();
    fs::write(pages.join("ACME_2002_10K.jsonl.zst"), packed).unwrap();
    let whole = fs::read(pages.join("ACME_2003_10K.jsonl.zst")).unwrap();
    fs::write(
        pages.join("ACME_2003_10K.jsonl.zst"),
        &whole[..whole.len() / 2],
    )
    .unwrap();
    let manifest = mirror.path().join("manifest.jsonl");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text + "{broken\n").unwrap();

    let mut summary = import(mirror.path(), root.path());
    summary.failed.sort_by(|a, b| a.what.cmp(&b.what));
    let failed: Vec<String> = summary
        .failed
        .iter()
        .map(|f| format!("{}: {}", f.what, f.error))
        .collect();
    assert_eq!(failed.len(), 5, "{failed:?}");
    for (failed, want) in failed.iter().zip([
        "ACME_2000",
        "ACME_2001",
        "ACME_2002",
        "ACME_2003",
        "manifest.jsonl: line 6",
    ]) {
        assert!(failed.starts_with(want), "{failed}");
    }
    assert!(
        failed[2].contains("line 1: page 2 out of order"),
        "{}",
        failed[2]
    );
    assert_eq!(Library::open(root.path()).unwrap().filings().len(), 1);
}

#[test]
fn no_mirror_is_said_plainly() {
    let (mirror, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let plan = ImportPlan {
        from: mirror.path().to_path_buf(),
        root: root.path().to_path_buf(),
        with_pdfs: false,
        questions: Vec::new(),
    };
    let error = import::run(&plan, &|_| {}, &Cancel::new()).unwrap_err();
    assert!(format!("{error:#}").contains("manifest.jsonl"), "{error:#}");
}

#[test]
fn a_stopped_import_keeps_what_it_has_and_goes_on() {
    let (mirror, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_mirror(mirror.path(), 40);
    let cancel = Cancel::new();
    let plan = ImportPlan {
        from: mirror.path().to_path_buf(),
        root: root.path().to_path_buf(),
        with_pdfs: false,
        questions: Vec::new(),
    };
    let stop = |event: &Event| {
        if matches!(event, Event::Stored { .. }) {
            cancel.cancel();
        }
    };
    let first = import::run(&plan, &stop, &cancel).unwrap();
    assert!(
        first.cancelled && first.stored >= 1 && first.stored < 40,
        "{first:?}"
    );
    assert_eq!(
        Library::open(root.path()).unwrap().filings().len(),
        first.stored
    );
    let second = import(mirror.path(), root.path());
    assert_eq!(
        (second.stored, second.kept),
        (40 - first.stored, first.stored)
    );
}

/// All 360 filings: what their covers say, against the table.
#[test]
fn real_covers() {
    let Some(mirror) = common::shared("financebench/manifest.jsonl") else {
        return;
    };
    let root = tempfile::tempdir().unwrap();
    let summary = import(mirror.parent().unwrap(), root.path());
    assert_eq!(
        (summary.stored, summary.pages),
        (360, 53_361),
        "{:?}",
        summary.failed
    );
    println!("53,361 pages in {:.1} s", summary.seconds);
    let table: BTreeMap<&str, &str> = include_str!("../fixtures/financebench_catalog.tsv")
        .lines()
        .skip(1)
        .map(|line| {
            (
                line.split('\t').next().unwrap(),
                line.rsplit('\t').next().unwrap(),
            )
        })
        .collect();
    let library = Library::open(root.path()).unwrap();
    for filing in library.filings() {
        let cover = filing
            .cover_date
            .map(|date| date.to_string())
            .unwrap_or_default();
        assert_eq!(
            cover,
            table[filing.doc_name.as_str()],
            "{}",
            filing.doc_name
        );
    }
    assert!(
        root.path()
            .join("questions/financebench_open_source.jsonl")
            .exists()
    );
}
