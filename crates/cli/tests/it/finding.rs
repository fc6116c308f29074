//! What an id leads to, and what the list says of sessions.

use crate::program::{Program, shown};
use palimpsest_testkit::session::{PiSession, Reply};
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
