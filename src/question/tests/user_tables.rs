//! The tables: triggers, the user's own, and what is wrong with them.

use super::*;

#[test]
fn triggers_can_be_listed_and_silenced() {
    let tables = Tables::builtin();
    let question = "What was the effective tax rate?";
    let fired = tables.fired(question);
    assert!(
        fired
            .iter()
            .any(|(kind, entry, _)| *kind == TableKind::Metric && entry == "effective_tax_rate")
    );
    let silent = tables.without_triggers(&fired);
    assert!(silent.fired(question).is_empty());
    let reading = read(&silent, &catalog(), question);
    assert!(reading.metrics.is_empty() && reading.topics.iter().all(|topic| !topic.is_triggered()));
    // The others still fire.
    assert!(!silent.fired("earnings per share").is_empty());
}

#[test]
fn user_tables_add_extend_and_replace() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write(
        "mine.toml",
        r#"
        [[company]]
        name = "Acme Widgets"
        names = ["Acme"]
        tickers = ["ACM"]

        [[company]]
        name = "Apple"
        names = ["Cupertino giant"]

        [[metric]]
        id = "churn"
        triggers = ['churn*']
        line_items = ["churn"]

        [[metric]]
        id = "ebitda"
        replace = true
        triggers = ['ebitda after leases']
        phrases = ["ebitdaal"]

        [words]
        stop = ["Kindly"]
        "#,
    );
    write("notes.txt", "not a table");
    let tables = Tables::load(Some(dir.path())).unwrap();
    let mut catalog = catalog();
    catalog.push("Acme Widgets".into());
    let companies = |question| {
        let reading = read(&tables, &catalog, question);
        reading.company_names().join(", ")
    };
    assert_eq!(companies("ACM's churn"), "Acme Widgets");
    assert_eq!(companies("the Cupertino giant and AAPL"), "Apple");
    let metric = |id: &str| {
        tables
            .metrics
            .iter()
            .find(|metric| metric.id == id)
            .unwrap()
    };
    assert_eq!(metric("churn").id, "churn");
    assert_eq!(metric("ebitda").triggers, ["ebitda after leases"]);
    assert!(tables.is_stop_word("kindly"));
    // A folder that is not there is an empty one.
    Tables::load(Some(&dir.path().join("none"))).unwrap();
}

#[test]
fn the_documented_table_can_be_loaded() {
    let text = include_str!("../../../docs/TABLES.md");
    let example = text
        .split("```toml\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mine.toml"), example).unwrap();
    let tables = Tables::load(Some(dir.path())).unwrap();
    let catalog = ["Delta Air Lines".to_string()];
    let reading = read(&tables, &catalog, "What was DAL's load factor in 2022?");
    assert_eq!(reading.company_names(), ["Delta Air Lines"]);
    assert_eq!(reading.metrics[0].metric, "load_factor");
    let reading = read(
        &tables,
        &catalog,
        "How many frequent flyers does Delta have?",
    );
    assert_eq!(reading.topics[0].topic, "loyalty");
}

#[test]
fn table_errors_name_file_and_line() {
    for (text, line, says) in [
        ("[[company]]\nnames = [\"x\"]\n", 1, "missing field `name`"),
        ("[[company]]\nname = \"\"\n", 2, "without a name"),
        (
            "[[company]]\nname = \"A\"\n[[company]]\nname = \"a\"\n",
            4,
            "twice",
        ),
        (
            "[[company]]\nname = \"A\"\nnames = [\n  \"ok\",\n  \"--\",\n]\n",
            5,
            "empty text in `names`",
        ),
        (
            "[[metric]]\nid = \"m\"\ntriggers = ['(']\nphrases = [\"x\"]\n",
            3,
            "no valid pattern",
        ),
        (
            "[[metric]]\nid = \"m\"\ntriggers = ['x']\n",
            1,
            "needs `triggers` and",
        ),
        (
            "[[metric]]\nid = \"m\"\nstatements = [\"profit\"]\n",
            3,
            "unknown variant",
        ),
        (
            "\n[[topic]]\nid = \"t\"\ntrigers = ['x']\n",
            4,
            "unknown field `trigers`",
        ),
        ("[[item]]\nitem = \"seven\"\n", 2, "is no Item"),
        ("[words]\nstop = 3\n", 2, "invalid type"),
        ("[[company]\n", 1, ""),
    ] {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("bad.toml"), text).unwrap();
        let error = Tables::load(Some(dir.path())).err().unwrap();
        assert_eq!(error.line, Some(line), "{error}\n{text}");
        assert!(error.message.contains(says), "{error}");
        assert!(
            error.to_string().contains(&format!("bad.toml:{line}: ")),
            "{error}"
        );
    }
}

#[test]
fn a_table_that_cannot_be_read_is_named_with_its_first_bad_line_if_it_has_one() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("bad.toml");
    std::fs::write(&file, b"[words]\nstop = [\"caf\xe9\"]\n").unwrap();
    let error = Tables::load(Some(dir.path())).err().unwrap().to_string();
    assert!(error.contains("bad.toml:2: not UTF-8"), "{error}");

    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let error = Tables::load(Some(dir.path())).err().unwrap().to_string();
    assert!(error.contains("bad.toml: cannot be read"), "{error}");
}

#[test]
fn every_built_in_trigger_is_a_pattern() {
    let tables = Tables::builtin();
    let mut count = 0;
    for trigger in tables.trigger_lists().flat_map(|(_, _, list)| list) {
        super::triggers::check(trigger).unwrap_or_else(|error| panic!("{trigger}: {error}"));
        count += 1;
    }
    assert!(count > 1000);
}
