//! `tenleaf add`, `list` and `remove` as a person runs them, on real filings and on damaged ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use common::{filing, json, shared, stderr};

mod common;

fn html(name: &str) -> Option<Vec<u8>> {
    let path = shared(&format!("edgar/html/{name}.html.zst"))?;
    Some(zstd::decode_all(fs::File::open(path).unwrap()).unwrap())
}

fn tenleaf(data: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tenleaf"))
        .args(["--data-dir", data.to_str().unwrap(), "--library", "mine"])
        .args(args)
        .env_remove("TENLEAF_CONFIG")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn what_cannot_be_added_is_named_for_what_it_is_and_a_short_text_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let file = |name: &str, bytes: &[u8]| -> String {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let bad = [
        (
            file("fake.pdf", b"hello"),
            "not a PDF, though its name ends in .pdf",
        ),
        (file("saved.pdf", b"<html>404"), "it holds HTML"),
        (
            file("report.docx", b"PK\x03\x04..."),
            "unsupported type .docx",
        ),
        (file("blank.txt", b" \n \n"), "it has no text"),
        (
            file("program.exe", &[0, 1, 2, 3, 4, 5, 6, 7, 8]),
            "neither PDF, HTML nor text",
        ),
    ];
    let note = file("note.txt", b"hello");
    let mut args = vec![
        "add",
        "--company",
        "Acme",
        "--form",
        "other",
        "--period",
        "2024",
    ];
    args.extend(bad.iter().map(|(path, _)| path.as_str()));
    args.push(&note);
    let output = tenleaf(&data, &args);
    let told = stderr(&output);
    println!("{told}");
    for (path, says) in &bad {
        let line = told.lines().find(|line| line.contains(path.as_str()));
        assert!(
            line.is_some_and(|line| line.contains(says)),
            "{path}: {told}"
        );
    }
    assert!(told.starts_with("adding to the library mine\n"), "{told}");
    assert!(!told.contains("labelled questions"), "{told}");
    assert_eq!(output.status.code(), Some(1));
    let filings = &json(&tenleaf(&data, &["list", "--json"]))["filings"];
    assert_eq!(filings.as_array().unwrap().len(), 1, "{filings}");
    assert_eq!(filings[0]["text_from"], "plain");

    // A library that is measured with says so.
    let questions = data.join("mine/questions");
    fs::create_dir_all(&questions).unwrap();
    fs::write(questions.join("q.jsonl"), "").unwrap();
    let told = stderr(&tenleaf(&data, &["add", &note]));
    assert!(told.contains("mine has labelled questions"), "{told}");
}

#[test]
fn a_folder_is_added_listed_and_removed() {
    let apple = filing(
        "Apple Inc.",
        "10-K",
        "For the fiscal year ended September 28, 2024",
    );
    let coke = filing(
        "COCA COLA CO",
        "10-Q",
        "For the quarterly period ended June 27, 2025",
    ) + &"<p>Six months ended June 27, 2025".repeat(3);
    let dir = tempfile::tempdir().unwrap();
    let files = dir.path().join("files/deep");
    fs::create_dir_all(&files).unwrap();
    fs::write(files.join("a.htm"), &apple).unwrap();
    fs::write(files.join("k.txt"), &coke).unwrap();
    fs::write(files.join("notes.txt"), "not a filing").unwrap();
    fs::write(files.join("deck.pptx"), "not read").unwrap();
    fs::write(files.join("bad.pdf"), "%PDF-1.7 and then nothing").unwrap();
    fs::write(files.join("empty.html"), "<html><img></html>").unwrap();
    fs::write(files.join("archive.htm"), b"PK\x03\x04 and so on").unwrap();
    let data = dir.path().join("data");
    let added = tenleaf(
        &data,
        &["add", "--json", dir.path().join("files").to_str().unwrap()],
    );
    let report = json(&added);
    println!("{report:#}\n{}", stderr(&added));
    assert_eq!(report["library"], "mine");
    assert_eq!(
        report["added"],
        serde_json::json!(["APPLE_2024_10K", "COCACOLA_2025Q2_10Q"])
    );
    let failed: Vec<&str> = report["failed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["what"].as_str().unwrap())
        .collect();
    assert_eq!(failed.len(), 4);
    for name in ["bad.pdf", "empty.html", "archive.htm", "notes.txt"] {
        assert!(failed.iter().any(|what| what.ends_with(name)), "{name}");
    }
    assert_eq!(report["skipped"].as_array().unwrap().len(), 1);
    let told = stderr(&added);
    assert!(
        told.contains("left out 1 file (.pptx): PDF, HTML and text are read"),
        "{told}"
    );
    assert_eq!(added.status.code(), Some(1), "something failed");

    let list = json(&tenleaf(&data, &["list", "--json"]));
    let apple_row = &list["filings"][0];
    // As the tables name it, not as the cover writes it.
    assert_eq!(apple_row["company"], "Apple");
    assert_eq!(apple_row["form"], "10-K");
    assert_eq!(apple_row["fiscal_year"], 2024);
    assert_eq!(apple_row["cover_date"], "2024-09-28");
    assert_eq!(apple_row["pages"], 2);
    let coke_row = &list["filings"][1];
    assert_eq!(
        (&coke_row["quarter"], &coke_row["fiscal_year"]),
        (&2.into(), &2025.into())
    );

    // Once more: nothing new. Changed: replaced.
    let again = json(&tenleaf(
        &data,
        &["add", "--json", files.join("a.htm").to_str().unwrap()],
    ));
    assert_eq!(again["kept"], serde_json::json!(["APPLE_2024_10K"]));
    assert_eq!(again["added"], serde_json::json!([]));
    fs::write(files.join("a.htm"), apple.clone() + "<p>One line more").unwrap();
    let again = json(&tenleaf(
        &data,
        &["add", "--json", files.join("a.htm").to_str().unwrap()],
    ));
    assert_eq!(again["replaced"], serde_json::json!(["APPLE_2024_10K"]));

    // A word picks filings; several only with --yes.
    let refused = tenleaf(&data, &["remove", "20"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("--yes"), "{}", stderr(&refused));
    let removed = tenleaf(&data, &["remove", "APPLE_2024_10K"]);
    assert!(removed.status.success(), "{}", stderr(&removed));
    let list = json(&tenleaf(&data, &["list", "--json"]));
    assert_eq!(list["filings"].as_array().unwrap().len(), 1);
    let gone = tenleaf(&data, &["remove", "--yes", "APPLE"]);
    assert!(stderr(&gone).contains("no filing"), "{}", stderr(&gone));
}

#[test]
fn of_a_users_own_files_nothing_is_advised_that_does_not_help() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let file = dir.path().join("memo.html");
    fs::write(&file, "<p>Margins rose since costs fell.".repeat(300)).unwrap();
    let labels = ["--company", "Acme", "--form", "other", "--period", "2024"];
    let mut args = vec!["add", file.to_str().unwrap()];
    args.extend(labels);
    assert!(tenleaf(&data, &args).status.success());
    let status = json(&tenleaf(&data, &["data", "status", "--json"]));
    let todo = status["todo"].to_string();
    assert!(!todo.contains("data fetch"), "{todo}");
    assert!(todo.contains("quote the words"), "{todo}");

    // Damaged, it is not called mended: its page file stays, with where the original is.
    let pages = data.join("mine/pages/ACME_2024_OTHER.pages");
    let mut bytes = fs::read(&pages).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&pages, bytes).unwrap();
    let repaired = tenleaf(&data, &["data", "verify", "--repair", "--json"]);
    assert_eq!(repaired.status.code(), Some(1));
    let report = json(&repaired);
    assert_eq!(report["library"], "mine");
    let problem = &report["problems"][0];
    assert_eq!(problem["outcome"], "removed");
    let remedy = problem["remedy"].as_str().unwrap();
    assert!(remedy.contains("memo.html"), "{remedy}");
    assert!(pages.with_extension("pages.damaged").is_file());
    let status = json(&tenleaf(&data, &["data", "status", "--json"]));
    assert_eq!(status["set_aside"], serde_json::json!(["ACME_2024_OTHER"]));
    assert!(tenleaf(&data, &args).status.success());
    let status = json(&tenleaf(&data, &["data", "status", "--json"]));
    assert_eq!(status["set_aside"], serde_json::json!([]));
}

#[test]
fn only_another_text_of_the_same_filing_replaces_one() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let write = |name: &str, text: &str| -> String {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let add = |file: &str, form: &str, period: &str| {
        let args = [
            "add",
            "--json",
            file,
            "--company",
            "Acme",
            "--form",
            form,
            "--period",
            period,
        ];
        let report = json(&tenleaf(&data, &args));
        let names = |field: &str| report[field].as_array().unwrap().clone();
        assert_eq!(names("failed"), [] as [serde_json::Value; 0]);
        (names("added"), names("replaced"), names("kept"))
    };
    let none: Vec<serde_json::Value> = Vec::new();
    let proxy = write("proxy.txt", "The board asks for your vote.");
    let deck = write("deck.txt", "Margins of the segments, by year.");
    let (first, second) = ("ACME_2024_OTHER", "ACME_2024_OTHER_2");
    assert_eq!(add(&proxy, "other", "2024").0, [first]);
    // Of one name, and another document.
    assert_eq!(
        add(&deck, "other", "2024"),
        (vec![second.into()], none.clone(), none.clone())
    );
    // The deck as it is now takes the place of the deck.
    write("deck.txt", "Margins of the segments, by quarter.");
    assert_eq!(
        add(&deck, "other", "2024"),
        (vec![second.into()], vec![second.into()], none.clone())
    );
    assert_eq!(add(&proxy, "other", "2024").2, [first]);
    let list = json(&tenleaf(&data, &["list", "--json"]));
    let paths: Vec<&str> = list["filings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|filing| filing["path"].as_str().unwrap())
        .collect();
    assert!(paths[0].ends_with("proxy.txt") && paths[1].ends_with("deck.txt"));

    // A company files one 10-K a year: wherever the text comes from, it is that one.
    let early = write("draft.txt", "Annual report, as printed.");
    let late = write("final.txt", "Annual report, as filed.");
    assert_eq!(add(&early, "10-K", "2024").0, ["ACME_2024_10K"]);
    assert_eq!(add(&late, "10-K", "2024").1, ["ACME_2024_10K"]);
    // Copies of one file in one run are one filing.
    let copy = write("copy.txt", "The same text.");
    fs::create_dir(dir.path().join("twice")).unwrap();
    fs::copy(&copy, dir.path().join("twice/a.txt")).unwrap();
    fs::copy(&copy, dir.path().join("twice/b.txt")).unwrap();
    let twice = dir.path().join("twice").display().to_string();
    let name = "ACME_2024_8K_dated-2024-11-14";
    assert_eq!(
        add(&twice, "8-K", "2024-11-14"),
        (vec![name.into()], none.clone(), vec![name.into()])
    );

    // A name given twice is one filing.
    let removed = tenleaf(&data, &["remove", "--json", first, first]);
    assert_eq!(json(&removed)["removed"], serde_json::json!([first]));
    let list = json(&tenleaf(&data, &["list", "--json"]));
    assert_eq!(list["filings"].as_array().unwrap().len(), 3);
}

#[test]
fn a_company_has_one_name_and_a_release_its_period_in_the_headline() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let cover = dir.path().join("cover.htm");
    let period = "For the fiscal year ended October 31, 2024";
    fs::write(&cover, filing("Acme Rockets, Inc.", "10-K", period)).unwrap();
    let release = dir.path().join("release.txt");
    let text = "Acme Rockets Reports Second Quarter Fiscal 2025 Results\n\nApril 30, 2025\n\nRevenue rose by 12 percent.";
    fs::write(&release, text).unwrap();
    let deck = dir.path().join("deck.txt");
    fs::write(&deck, "Rockets by the year.").unwrap();
    let [cover, release, deck] = [&cover, &release, &deck].map(|path| path.to_str().unwrap());
    let added = json(&tenleaf(&data, &["add", "--json", cover]));
    assert_eq!(added["added"], serde_json::json!(["ACMEROCKETS_2024_10K"]));
    let added = json(&tenleaf(&data, &["add", "--json", release]));
    let name = "ACMEROCKETS_2025Q2_EARNINGS";
    assert_eq!(added["added"], serde_json::json!([name]), "{added:#}");
    let labels = [
        "--company",
        "ACME ROCKETS",
        "--form",
        "other",
        "--period",
        "2024",
    ];
    let args = [&["add", "--json", deck], &labels[..]].concat();
    let name = serde_json::json!(["ACMEROCKETS_2024_OTHER"]);
    assert_eq!(json(&tenleaf(&data, &args))["added"], name);
    assert_eq!(json(&tenleaf(&data, &args))["kept"], name);
    let list = json(&tenleaf(&data, &["list", "--json"]));
    for filing in list["filings"].as_array().unwrap() {
        assert_eq!(filing["company"], "Acme Rockets, Inc.");
    }
}

#[test]
fn the_quarter_of_a_10q_is_told_or_counted_from_a_year_of_its_company() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let file = |name: &str, form: &str, period: &str| {
        let path = dir.path().join(name);
        fs::write(&path, filing("Acme Rockets, Inc.", form, period)).unwrap();
        path.to_str().unwrap().to_string()
    };
    let quarter = file(
        "q.htm",
        "10-Q",
        "For the quarterly period ended November 30, 2023",
    );
    let year = file("y.htm", "10-K", "For the fiscal year ended May 31, 2023");
    let refused = tenleaf(&data, &["add", "--json", &quarter]);
    assert!(!refused.status.success());
    let said = stderr(&refused);
    assert!(
        said.contains("its period cannot be read from it; say it with --period"),
        "{said}"
    );
    let added = json(&tenleaf(&data, &["add", "--json", &year, &quarter]));
    let names = serde_json::json!(["ACMEROCKETS_2023_10K", "ACMEROCKETS_2024Q2_10Q"]);
    assert_eq!(added["added"], names, "{added:#}");
    let told = json(&tenleaf(
        &data,
        &["add", "--json", "--period", "2024Q3", &quarter],
    ));
    assert_eq!(told["added"], serde_json::json!(["ACMEROCKETS_2024Q3_10Q"]));
}

#[test]
fn flags_say_what_a_file_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("memo.html");
    fs::write(
        &file,
        "<p>Margins rose since costs fell. Cash is 12 million dollars at the end of the year.",
    )
    .unwrap();
    let data = dir.path().join("data");
    let asked = tenleaf(&data, &["add", file.to_str().unwrap()]);
    assert!(
        stderr(&asked).contains("say it with --company"),
        "{}",
        stderr(&asked)
    );
    assert_eq!(asked.status.code(), Some(1));
    let labelled = |period: &str| {
        let args = [
            "add",
            "--json",
            file.to_str().unwrap(),
            "--company",
            "Acme & Sons",
            "--form",
            "release",
            "--period",
            period,
        ];
        json(&tenleaf(&data, &args))
    };
    assert_eq!(
        labelled("2024Q3")["added"],
        serde_json::json!(["ACME_SONS_2024Q3_EARNINGS"])
    );
    // The same file under another label is the same filing.
    assert_eq!(
        labelled("2024Q2")["replaced"],
        serde_json::json!(["ACME_SONS_2024Q2_EARNINGS"])
    );
    let list = json(&tenleaf(&data, &["list", "--json"]));
    assert_eq!(list["filings"].as_array().unwrap().len(), 1);
    let wrong = tenleaf(&data, &["add", file.to_str().unwrap(), "--form", "11-K"]);
    assert!(stderr(&wrong).contains("is no form"), "{}", stderr(&wrong));
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn through_a_pipe_and_what_is_not_there() {
    let Some(oracle) = html("ORCL_8-K") else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut child = Command::new(env!("CARGO_BIN_EXE_tenleaf"))
        .args([
            "--data-dir",
            data.to_str().unwrap(),
            "--library",
            "mine",
            "add",
            "--json",
            "-",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    use std::io::Write;
    child.stdin.take().unwrap().write_all(&oracle).unwrap();
    let report = json(&child.wait_with_output().unwrap());
    assert_eq!(
        report["added"],
        serde_json::json!(["ORACLE_2024_8K_dated-2024-11-14"])
    );
    let missing = tenleaf(&data, &["add", "no/such/file.pdf"]);
    assert!(
        stderr(&missing).contains("no/such/file.pdf: there is no such file"),
        "{}",
        stderr(&missing)
    );
}

#[test]
fn a_pdf_is_read_by_its_cover() {
    let Some(pdfs) = shared("financebench/pdfs") else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("x.pdf");
    let pdfs = fs::read_dir(pdfs).unwrap();
    let mut names: Vec<PathBuf> = pdfs.map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let Some(from) = names
        .iter()
        .find(|path| path.to_string_lossy().contains("NETFLIX_2017_10K"))
        .or(names
            .iter()
            .find(|path| path.to_string_lossy().ends_with("_10K.pdf")))
    else {
        return;
    };
    fs::copy(from, &file).unwrap();
    let added = tenleaf(
        &dir.path().join("data"),
        &["add", "--json", file.to_str().unwrap()],
    );
    let report = json(&added);
    let name = report["added"][0].as_str().unwrap();
    println!("{} -> {name}", from.display());
    let want = from.file_stem().unwrap().to_str().unwrap();
    let year = want.split('_').rev().nth(1).unwrap();
    assert!(name.ends_with(&format!("_{year}_10K")), "{name}");

    // Half of it is not taken for the whole.
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let cut = tenleaf(&dir.path().join("cut"), &["add", file.to_str().unwrap()]);
    let said = stderr(&cut);
    assert!(!cut.status.success() && said.contains("cut off"), "{said}");
}

/// `add` names filings as FinanceBench does: of 40 companies' filings the names meet.
#[test]
fn a_filing_of_ones_own_is_not_financebenchs_for_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let file = dir.path().join("memo.html");
    fs::write(&file, "<p>Sandals rose since boots fell.".repeat(300)).unwrap();
    let labels = ["--company", "Nike", "--form", "10-K", "--period", "2022"];
    let add = [&["add", "--json", file.to_str().unwrap()], &labels[..]].concat();
    let name = serde_json::json!(["NIKE_2022_10K"]);
    assert_eq!(json(&tenleaf(&data, &add))["added"], name);
    let status = || json(&tenleaf(&data, &["data", "status", "--json"]));
    assert_eq!(status()["missing"], serde_json::json!([]));
    let todo = status()["todo"].to_string();
    assert!(
        !todo.contains("data fetch") && todo.contains("quote the words"),
        "{todo}"
    );

    // What is imported under its name does not take its place.
    let mirror = dir.path().join("mirror");
    fs::create_dir_all(mirror.join("pages")).unwrap();
    let page = br#"{"page":1,"text":"For the fiscal year ended May 31, 2022"}"#;
    let packed = zstd::encode_all(&page[..], 3).unwrap();
    let mut rows = String::new();
    for name in ["NIKE_2022_10K", "NIKE_2021_10K"] {
        rows += &format!(r#"{{"doc_name":"{name}","company":"Nike","doc_type":"10k"}}"#);
        rows.push('\n');
        fs::write(mirror.join(format!("pages/{name}.jsonl.zst")), &packed).unwrap();
    }
    fs::write(mirror.join("manifest.jsonl"), rows).unwrap();
    let import = ["data", "import", mirror.to_str().unwrap()];
    let pages = data.join("mine/pages/NIKE_2022_10K.pages");
    let before = fs::read(&pages).unwrap();
    let refused = tenleaf(&data, &import);
    let told = stderr(&refused);
    assert!(told.contains("`tenleaf remove NIKE_2022_10K`"), "{told}");
    assert_eq!(refused.status.code(), Some(1));
    assert!(fs::read(&pages).unwrap() == before);
    assert_eq!(status()["missing"].as_array().unwrap().len(), 358);
    assert_eq!(status()["in_the_way"], name);
    let todo = status()["todo"].to_string();
    assert!(todo.contains("`tenleaf remove NIKE_2022_10K`"), "{todo}");

    // Damaged, it is set aside, with the way to its original as far as there is one.
    let aside = pages.with_extension("pages.damaged");
    let flipped = |mut bytes: Vec<u8>| {
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        bytes
    };
    let cut = |bytes: Vec<u8>| bytes[..bytes.len() / 2].to_vec();
    let damages: [(&dyn Fn(Vec<u8>) -> Vec<u8>, &str); 2] = [
        (&flipped, "memo.html"),
        (&cut, "if it is FinanceBench's, `tenleaf data fetch`"),
    ];
    for (damage, says) in damages {
        fs::write(&pages, damage(before.clone())).unwrap();
        let repaired = json(&tenleaf(&data, &["data", "verify", "--repair", "--json"]));
        let remedy = repaired["problems"][0]["remedy"].as_str().unwrap();
        assert!(
            remedy.starts_with("set aside as") && remedy.contains(says),
            "{remedy}"
        );
        assert!(aside.is_file() && !pages.exists());
        assert_eq!(status()["set_aside"], name);
        assert_eq!(json(&tenleaf(&data, &add))["added"], name);
        assert!(!aside.exists());
    }
}

#[cfg(target_os = "linux")]
/// Starts a command, asks it to stop once it listens to signals, and gives what it came to.
fn stopped_by(signal: i32, command: &mut Command) -> Output {
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    common::signal(&child, signal);
    // Its pipe stays open: it must not be waited for.
    let mut child = child;
    let pipe = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(pipe);
    output
}

#[cfg(target_os = "linux")]
#[test]
fn who_waits_for_it_knows_by_which_signal_it_was_stopped() {
    let dir = tempfile::tempdir().unwrap();
    // A server that takes connections and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let config = dir.path().join("config.toml");
    let base = format!(
        "[fetch]\nbase = \"http://{}\"\n",
        silent.local_addr().unwrap()
    );
    fs::write(&config, base).unwrap();
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        for args in [&["add", "-"][..], &["data", "fetch"]] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_tenleaf"));
            command
                .args(["--data-dir", dir.path().join("data").to_str().unwrap()])
                .args(args)
                .env("TENLEAF_CONFIG", &config);
            let output = stopped_by(signal, &mut command);
            let said = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(128 + signal), "{args:?}: {said}");
            assert_eq!(
                said.contains("stopped: nothing was added"),
                args[0] == "add",
                "{said}"
            );
            assert_eq!(
                said.contains("goes on from here"),
                args[0] == "data",
                "{said}"
            );
        }
    }
}

#[test]
fn a_filing_read_by_an_older_reader_is_read_again() {
    use tenleaf::library::Library;

    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let file = dir.path().join("note.txt");
    fs::write(&file, "Margins rose.").unwrap();
    let labels = ["--company", "Acme", "--form", "other", "--period", "2024"];
    let args = [&["add", "--json", file.to_str().unwrap()], &labels[..]].concat();
    let name = serde_json::json!(["ACME_2024_OTHER"]);
    assert_eq!(json(&tenleaf(&data, &args))["added"], name);
    assert_eq!(json(&tenleaf(&data, &args))["kept"], name);
    let root = data.join("mine");
    let library = Library::open(&root).unwrap();
    let mut filing = library.filing(0).clone();
    let pages = library.page_file(0).unwrap().all().unwrap();
    // Before ligatures were mended.
    filing.made_from = Some(format!("add1:{}", filing.source_sha256.as_ref().unwrap()));
    Library::put(&root, &mut filing, &pages).unwrap();
    Library::refresh(&root).unwrap();
    assert_eq!(json(&tenleaf(&data, &args))["replaced"], name);
}
