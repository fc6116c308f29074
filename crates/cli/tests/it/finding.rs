//! What an id leads to, and what the list says of sessions.

use crate::program::{Program, shown};
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use serde_json::{Value, json};

/// A session and the path of its file.
fn indexed(program: &Program) -> (String, String) {
    let mut session = PiSession::new();
    for turn in 0..6 {
        session.user(&format!(
            "Please look at part {turn} of the ledger importer."
        ));
        session.assistant(Reply::new().text(&"The part reads rows and sums amounts. ".repeat(40)));
    }
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    program.json(&["index"]);
    let listed = program.json(&["sessions"]);
    (listed[0]["id"].as_str().unwrap().to_owned(), path)
}

fn kinds(found: &Value) -> Vec<&str> {
    let named = found["named"].as_array().unwrap().iter();
    named.map(|one| one["kind"].as_str().unwrap()).collect()
}

#[test]
fn every_id_leads_to_what_it_names() {
    let program = Program::new();
    let (session, path) = indexed(&program);
    let ran = program.json(&["compact", &path, "--set", "keep_recent_tokens=200"]);
    let run = ran["run_id"].as_str().unwrap();
    let prompt = program.file("brief.md", b"Keep every file path.");
    let saved = program.json(&["prompts", "save", "brief7", "--file", &prompt]);
    let cases = [
        (session.as_str(), "session", session.as_str()),
        (&session[..8], "session", session.as_str()),
        (run, "run", run),
        ("brief7", "prompt", "brief7@1"),
        ("brief7@1", "prompt", "brief7@1"),
        (saved["hash"].as_str().unwrap(), "prompt", "brief7@1"),
    ];
    for (typed, kind, id) in cases {
        let found = program.json(&["search", typed]);
        let is_it = |one: &&Value| one["kind"] == kind;
        let one = found["named"].as_array().unwrap().iter().find(is_it);
        let one = one.unwrap_or_else(|| panic!("{typed} names no {kind}: {found}"));
        assert_eq!(one["id"], json!(id), "{typed}");
    }
    let found = program.json(&["search", run]);
    assert_eq!(found["named"][0]["session"], json!(session));
    assert_eq!(found["named"][0]["has_summary"], true);
    let said = program.run(&["search", run]).stdout;
    assert!(
        said.contains(&format!(
            "`palimpsest ledger {session} --run {run}` shows it"
        )),
        "{said}"
    );
    program.json(&["ledger", &session, "--run", run]);
}

#[test]
fn words_and_filters_name_nothing() {
    let program = Program::new();
    let (session, _) = indexed(&program);
    for typed in [
        "ledger".to_owned(),
        format!("{session} importer"),
        format!("agent:pi {session}"),
        "brief7@2".to_owned(),
    ] {
        let found = program.json(&["search", &typed]);
        assert!(kinds(&found).is_empty(), "{typed}: {found}");
    }
}

/// A session that reads a file before and after a compaction and runs tests that fail.
fn troubled(program: &Program) -> String {
    let mut session = PiSession::new();
    session.user("Please look at the ledger importer.");
    session.assistant(Reply::new().call("read", json!({"path": "src/importer.rs"})));
    session.tool_result("fn import() {}");
    session.assistant(Reply::new().text("It imports rows."));
    session.compact(CompactionSpec::new("The importer was read.").keep_nothing());
    session.assistant(Reply::new().call("read", json!({"path": "src/importer.rs"})));
    session.tool_result("fn import() {}");
    session.assistant(Reply::new().call("bash", json!({"command": "cargo test 2>&1 | tail -3"})));
    session.tool_result("running 1 test\ntest result: FAILED. 0 passed; 1 failed");
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    program.json(&["index"]);
    path
}

#[test]
fn a_file_read_again_names_the_compaction_before_it() {
    let program = Program::new();
    let path = troubled(&program);
    let tree = program.json(&["tree", &path]);
    let nodes = tree["nodes"].as_array().unwrap().iter();
    let mut compactions = nodes.filter(|node| node["kind"] == "compaction");
    let compaction = compactions.next().unwrap()["id"].as_str().unwrap();
    let found = program.json(&["search", "kind:reread", "file:importer.rs"]);
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
    assert_eq!(
        found["hits"][0]["after_compaction"]["entry_id"],
        json!(compaction)
    );
    let words = format!("read again after the compaction {compaction}");
    for command in [
        &["search", "kind:reread"][..],
        &["find", &path, "kind:reread"],
    ] {
        let said = program.run(command).stdout;
        assert!(said.contains(&words), "{said}");
    }
}

#[test]
fn failed_tests_are_found_in_a_session_and_over_all() {
    let program = Program::new();
    let path = troubled(&program);
    for command in [
        &["search", "kind:failed-test"][..],
        &["find", &path, "kind:failed-test"],
    ] {
        let said = program.run(command).stdout;
        assert!(
            said.contains("\n    test result: FAILED. 0 passed"),
            "{said}"
        );
    }
    assert_eq!(
        program
            .json(&["sessions", "has:failed-test"])
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn an_empty_answer_says_what_to_change() {
    let program = Program::new();
    let path = troubled(&program);
    let said = program.run(&["search", "importer", "tool:edit"]).stdout;
    assert!(said.contains("Without tool:edit: "), "{said}");
    assert!(
        said.contains("`palimpsest search 'importer'` lists"),
        "{said}"
    );
    let said = program.run(&["search", "kind:error"]).stdout;
    assert!(
        said.contains("With kind:failed-test in place of kind:error: 1 entry"),
        "{said}"
    );
    let said = program
        .run(&["sessions", "agent:codex", "has:compaction"])
        .stdout;
    assert!(said.contains("Without agent:codex: 1 session"), "{said}");
    let said = program.run(&["find", &path, "imports", "kind:user"]).stdout;
    assert!(said.contains("Without kind:user: 1 hit"), "{said}");
    let said = program.run(&["search", "zebra", "gnu"]).stdout;
    assert!(said.contains("No entry has zebra or gnu."), "{said}");
}

#[test]
fn a_line_for_people_counts_from_1_and_the_name_of_an_entry_from_0() {
    let program = Program::new();
    let path = troubled(&program);
    let tree = program.json(&["tree", &path]);
    let first = &tree["nodes"][0];
    let line = first["line"].as_u64().unwrap();
    let name = format!("line:{line}");
    let said = program.run(&["entry", &path, &name]).stdout;
    assert!(
        said.contains(&format!("line {} (`{name}`)", line + 1)),
        "{said}"
    );
    // What is printed leads back to the entry.
    let shown = program.json(&["entry", &path, &name]);
    assert_eq!(shown["id"], first["id"]);
    program.fails(
        &["entry", &path, "line:99"],
        &["line:99", "line 100 of the file"],
    );
}

#[test]
fn two_files_of_one_session_are_told_apart_in_the_list() {
    let program = Program::new();
    let path = troubled(&program);
    let copy = program.file("backup.jsonl", &std::fs::read(&path).unwrap());
    program.json(&["index", &copy]);
    let rows = program.json(&["sessions"]);
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for (row, other) in [(&rows[0], &rows[1]), (&rows[1], &rows[0])] {
        assert_eq!(row["copy"], other["id"]);
    }
    let said = program.run(&["sessions"]).stdout;
    assert_eq!(said.matches("(same session as ").count(), 2, "{said}");
}

#[test]
fn a_file_names_its_session_in_commands_and_in_searches() {
    let program = Program::new();
    let (session, path) = indexed(&program);
    let stem = path.rsplit('/').next().unwrap().trim_end_matches(".jsonl");
    let file = format!("{stem}.jsonl");
    let shown_id = program.json(&["sessions"])[0]["shown_id"].clone();
    let shown_id = shown_id.as_str().unwrap();
    let tree = program.json(&["tree", &session]);
    // A part without the time, which all sessions of a day have in common.
    let part = stem.rsplit('_').next().unwrap();
    for name in [stem, file.as_str(), part, shown_id] {
        assert_eq!(program.json(&["tree", name]), tree, "{name}");
        let found = program.json(&["search", name]);
        assert!(kinds(&found).contains(&"session"), "{name}: {found}");
    }
    let said = program.run(&["tree", "nothing-of-the-kind.jsonl"]);
    assert_ne!(said.code, 0);
}

#[test]
fn filters_of_sessions_alone_list_the_sessions() {
    let program = Program::new();
    let (session, _) = indexed(&program);
    let query = format!("session:{}", &session[..9]);
    let said = program.run(&["search", &query]).stdout;
    let shown_id = program.json(&["sessions"])[0]["shown_id"].clone();
    assert!(said.contains(shown_id.as_str().unwrap()), "{said}");
    assert!(said.contains("1 session"), "{said}");
    let found = program.json(&["search", &query]);
    assert_eq!(found["sessions"][0]["id"], json!(session), "{found}");
    assert_eq!(found["nothing_asked"], true);
}

#[test]
fn a_misspelled_word_is_answered_with_the_one_of_the_index() {
    let program = Program::new();
    indexed(&program);
    let said = program.run(&["search", "imporrter"]).stdout;
    assert!(
        said.contains("With importer in place of imporrter: 6 entries"),
        "{said}"
    );
}

/// Claude Code stores a plan as a call, whose result tells the answer.
#[test]
fn a_plan_says_how_it_was_answered() {
    let program = Program::new();
    let record = |id: &str, parent: Value, kind: &str, content: Value| {
        json!({
            "type": kind, "uuid": id, "parentUuid": parent, "sessionId": "70d782f7-9b1d-4a6e",
            "timestamp": format!("2026-10-05T10:00:0{id}.000Z"), "cwd": "/home/dev/tides",
            "version": "2.1.0", "message": {"role": kind, "content": content},
        })
    };
    let plan = |id: &str, parent: Value| {
        let call = json!([{"type": "tool_use", "id": format!("t{id}"), "name": "ExitPlanMode",
            "input": {"plan": "# Plan: count the tides"}}]);
        record(id, parent, "assistant", call)
    };
    let answer = |id: &str, call: &str, said: &str, failed: bool| {
        let result = json!([{"type": "tool_result", "tool_use_id": format!("t{call}"),
            "content": said, "is_error": failed}]);
        record(id, json!(call), "user", result)
    };
    let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected \
                   (eg. if it was a file edit, the new_string was NOT written to the file). To tell you \
                   how to proceed, the user said:\nsmaller";
    let lines = [
        record("1", Value::Null, "user", json!("Plan it.")),
        plan("2", json!("1")),
        answer("3", "2", refused, true),
        plan("4", json!("3")),
        answer(
            "5",
            "4",
            "User has approved your plan. You can now start coding.",
            false,
        ),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let path = program.file("70d782f7-9b1d-4a6e.jsonl", text.as_bytes());
    assert_eq!(program.run(&["index", &path]).code, 0);
    let found = program.json(&["search", "kind:plan"]);
    let hits = found["hits"].as_array().unwrap().iter();
    let answers: Vec<(&Value, &Value)> = hits.map(|hit| (&hit["entry_id"], &hit["plan"])).collect();
    assert_eq!(
        answers,
        [
            (&json!("4"), &json!("approved")),
            // The result with what the user said instead, which `is:rejected` finds.
            (&json!("3"), &Value::Null),
            (&json!("2"), &json!("rejected"))
        ]
    );
    let said = program.run(&["search", "kind:plan"]).stdout;
    assert!(said.contains("call ExitPlanMode, rejected"), "{said}");
}
