//! Question files read, and what is wrong in them told.

use super::*;
use crate::library::{Filing, Form, PageText, TextSource};

fn filing(doc_name: &str) -> Filing {
    Filing {
        fiscal_year: Some(2020),
        ..Filing::named(doc_name, "Acme", Form::TenK, TextSource::Demo)
    }
}

#[test]
fn bad_lines_are_named_and_the_rest_stands() {
    let dir = tempfile::tempdir().unwrap();
    let pages = vec![PageText::default(); 3];
    Library::put(dir.path(), &mut filing("ACME_2020_10K"), &pages).unwrap();
    let library = Library::refresh(dir.path()).unwrap();
    let file = dir.path().join("mine.jsonl");
    let lines = [
        r#"{"id":"a","question":"Q?","doc_name":"ACME_2020_10K","gold_pages":[2,0,2],"type":"narrative"}"#,
        r#"{"id":"a","question":"Again?","doc_name":"ACME_2020_10K","gold_pages":[1]}"#,
        r#"{"id":"b","question":"Q?","doc_name":"NOBODY_2020_10K","gold_pages":[1]}"#,
        "",
        r#"{"id":"c","question":"Q?","doc_name":"ACME_2020_10K","gold_pages":[3]}"#,
        "{nonsense",
        r#"{"id":"d","question":"Q?","doc_name":"ACME_2020_10K"}"#,
        r#"{"financebench_id":"financebench_id_00080","question":"Q?","doc_name":"ACME_2020_10K","question_type":"novel-generated","evidence":[{"evidence_text":"t","doc_name":"ACME_2020_10K","evidence_page_num":1,"evidence_text_full_page":"T"}]}"#,
    ];
    fs::write(&file, lines.join("\n")).unwrap();
    let missing = dir.path().join("missing.jsonl");
    let mut set = QuestionSet::load(&library, &[file, missing]);
    let ids: Vec<&str> = set.questions.iter().map(|q| q.id.as_str()).collect();
    assert_eq!(ids, ["a", "financebench_id_00080"]);
    assert_eq!(set.questions[0].gold_pages, [0, 2]);
    assert_eq!(set.questions[0].part(), "mine");
    assert_eq!(set.questions[1].split, Some(Split::Dev));
    assert_eq!(set.questions[1].kind, "novel-generated");
    let mut problems: Vec<String> = set.problems.iter().map(Problem::to_string).collect();
    problems.sort();
    for (problem, wanted) in problems.iter().zip([
        "mine.jsonl:2: duplicate id \"a\", first seen at ",
        "mine.jsonl:3: question \"b\": filing \"NOBODY_2020_10K\" is not in the library",
        "mine.jsonl:5: question \"c\": gold page 3 (0-based) does not exist, ACME_2020_10K has 3 pages",
        "mine.jsonl:6: not JSON: key must be a string at column 2; a line is {\"id\": \"q1\", ",
        "mine.jsonl:7: not a question: \"d\" has no page",
        "missing.jsonl: cannot be read",
    ]) {
        assert!(problem.contains(wanted), "{problem} lacks {wanted}");
    }
    assert_eq!(problems.len(), 6);
    // A set of questions that were read before is checked as well, and told without a line.
    let mut again = QuestionSet::from(set.questions.clone());
    again.questions[1].gold_pages = vec![7];
    again.check(&library);
    assert_eq!(again.questions.len(), 1);
    let told: Vec<String> = again.problems.iter().map(Problem::to_string).collect();
    assert_eq!(
        told,
        [
            "mine: question \"financebench_id_00080\": gold page 7 (0-based) does not exist, ACME_2020_10K has 3 pages"
        ]
    );
    set.keep_split(Split::Dev);
    assert_eq!(set.questions.len(), 1);
    assert!(set.find("00080").is_some() && set.find("a").is_none());
}

#[test]
fn a_file_by_the_name_of_a_split_is_no_split() {
    let dir = tempfile::tempdir().unwrap();
    let read = |name: &str, line: &str| {
        let file = dir.path().join(name);
        fs::write(&file, line).unwrap();
        QuestionSet::read(&[file]).questions.remove(0)
    };
    let plain = r#"{"id":"a","question":"Q?","doc_name":"D","gold_pages":[1]}"#;
    let split = r#"{"id":"a","question":"Q?","doc_name":"D","gold_pages":[1],"split":"dev"}"#;
    assert_eq!(read("dev.jsonl", plain).part(), "dev (file)");
    assert_eq!(read("test", plain).part(), "test (file)");
    assert_eq!(read("tune.jsonl", plain).part(), "tune");
    assert_eq!(read("tune.jsonl", split).part(), "dev");
}

#[test]
fn an_empty_list_of_pages_leaves_them_to_the_evidence() {
    let line = |pages: &str, evidence: &str| {
        let line = format!(
            r#"{{"id":"a","question":"Q?","doc_name":"D","gold_pages":{pages},"evidence":{evidence}}}"#
        );
        parse(line.as_bytes(), "s").map(|question| question.gold_pages)
    };
    let evidence = r#"[{"evidence_page_num":7}]"#;
    assert_eq!(line("[]", evidence), Ok(vec![7]));
    assert_eq!(line("[3]", evidence), Ok(vec![3]));
    assert!(
        line("[]", "[]")
            .unwrap_err()
            .to_string()
            .contains("no page")
    );
}

#[test]
fn questions_that_cannot_be_read_are_not_no_questions() {
    let dir = tempfile::tempdir().unwrap();
    let library = Library::open(dir.path()).unwrap();
    assert_eq!(QuestionSet::files_of(&library), Ok(Vec::new()));
    fs::write(dir.path().join("questions"), "no folder").unwrap();
    let set = QuestionSet::load(&library, &[]);
    assert_eq!(set.problems.len(), 1);
    let told = set.problems[0].to_string();
    assert!(told.contains("questions: cannot be read: "), "{told}");
}

#[test]
fn ids_are_asked_for_whole_or_without_financebenchs_prefix() {
    for (whole, asked, is_it) in [
        ("financebench_id_00517", "financebench_id_00517", true),
        ("financebench_id_00517", "00517", true),
        ("financebench_id_00517", "0517", false),
        ("financebench_id_00517", "id_00517", false),
        ("tune_1", "tune_1", true),
        ("tune_1", "1", false),
    ] {
        assert_eq!(is_id(whole, asked), is_it, "{whole} {asked}");
    }
}

#[test]
fn the_split_is_that_of_split_json() {
    let Some(mirror) = crate::common::shared("financebench") else {
        return;
    };
    let text = fs::read_to_string(mirror.join("split.json")).unwrap();
    let split: HashMap<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
    let set = QuestionSet::read(&[mirror.join("financebench_open_source.jsonl")]);
    assert_eq!(set.problems, []);
    assert_eq!(set.questions.len(), 150);
    for question in &set.questions {
        let listed = split[question.split.unwrap().as_str()].as_array().unwrap();
        assert!(
            listed.iter().any(|id| id == question.id.as_str()),
            "{}",
            question.id
        );
    }
    assert_eq!(
        set.questions
            .iter()
            .map(|q| q.evidence.len())
            .sum::<usize>(),
        189
    );
}

#[test]
fn an_id_is_a_text_or_a_number() {
    let read = |id: &str| {
        let line =
            format!(r#"{{"id":{id},"question":"Q?","doc_name":"ACME_2020_10K","gold_pages":[1]}}"#);
        parse(line.as_bytes(), "mine").map(|question| question.id)
    };
    assert_eq!(read("7"), Ok("7".to_string()));
    assert_eq!(read("\" q1\\n\""), Ok("q1".to_string()));
    for id in ["[]", "null", "\" \""] {
        assert!(read(id).is_err(), "{id}");
    }
}
