//! How the program says that it failed: in words on standard error, as a document with `--json`.

use crate::program::{Program, Ran, shown};
use palimpsest_testkit::llm_server::LlmServer;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::Value;

/// The one document a failure prints.
fn document(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout)
        .unwrap_or_else(|error| panic!("no document ({error}): {}", ran.stdout))
}

fn session(program: &Program) -> String {
    let mut session = PiSession::new();
    for turn in 0..12 {
        session.user(&format!("Please do step {turn}."));
        session.assistant(Reply::new().text(&"Working on it. ".repeat(400)));
    }
    shown(&program.home.add_pi_session(&session).unwrap())
}

#[test]
fn an_error_is_a_document_with_its_message_and_hint_apart() {
    let program = Program::new();
    let path = shown(&program.home.path().join("nowhere.jsonl"));
    let ran = program.run(&["tree", &path, "--json"]);
    assert_eq!(ran.code, 1);
    let error = &document(&ran)["error"];
    assert_eq!(error["code"], "io");
    let message = error["message"].as_str().unwrap();
    assert!(message.ends_with(&path), "the path is not last: {message}");
    assert_eq!(
        error["hint"],
        "Check the path, and that you can read what is there."
    );
    assert_eq!(error["next"]["kind"], "check_file");
    // Whoever reads only the document still sees the reason on the terminal.
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
}

#[test]
fn wrong_words_are_a_document_as_well() {
    let program = Program::new();
    for (args, words) in [
        (&["tree", "--json"][..], "required"),
        (&["--json", "no-such-command"], "no-such-command"),
        (&["sessions", "--nonsense", "--json"], "--nonsense"),
    ] {
        let ran = program.run(args);
        assert_eq!(ran.code, 2, "{args:?}");
        let error = &document(&ran)["error"];
        assert_eq!(error["code"], "usage", "{args:?}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(words), "{args:?}: {message}");
        assert!(!error["hint"].as_str().unwrap().is_empty(), "{args:?}");
    }
    let help = program.run(&["--json", "--help"]);
    assert_eq!(help.code, 0);
    assert!(help.stdout.contains("Usage:"), "{}", help.stdout);
}

#[test]
fn a_failed_run_is_one_document_with_its_error() {
    let program = Program::new();
    let path = session(&program);
    let server = LlmServer::start().unwrap();
    let url = server.url();
    let ran = program.run(&[
        "compact",
        &path,
        "--json",
        "--set",
        "keep_recent_tokens=100",
        "--provider",
        "openai",
        "--model",
        "scripted-unauthorized",
        "--base-url",
        &url,
    ]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let answer = document(&ran);
    assert_eq!(answer["row"]["status"], "failed");
    let error = &answer["error"];
    assert_eq!(error["code"], "provider");
    assert_eq!(error["message"], answer["row"]["error"]);
    assert_eq!(error["next"]["kind"], "set_key", "{error}");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("OPENAI_API_KEY"), "{hint}");
    let message = error["message"].as_str().unwrap();
    assert!(!message.contains("OPENAI_API_KEY"), "{message}");
}

#[test]
fn a_damaged_index_is_made_again_before_it_is_searched() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("the needle in the haystack");
    session.assistant(Reply::new().text("found"));
    let file = program.home.add_pi_session(&session).unwrap();
    // One that only its name leads to: no settings name its folder.
    let elsewhere = program.home.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::copy(&file, elsewhere.join("copy.jsonl")).unwrap();
    program.run(&["index"]);
    program.run(&["index", &shown(&elsewhere)]);
    let index = program.data_dir().join("index.db");
    let whole = std::fs::read(&index).unwrap();
    let found = |what: &str| {
        let sessions = program.run(&["sessions"]);
        let hits = program.run(&["search", "needle"]);
        assert_eq!(
            (sessions.code, hits.code),
            (0, 0),
            "{what}: {}",
            hits.stderr
        );
        assert!(
            sessions.stdout.contains("2 sessions"),
            "{what}: {}",
            sessions.stdout
        );
        assert!(hits.stdout.contains("haystack"), "{what}: {}", hits.stdout);
        sessions.stderr + &hits.stderr
    };
    assert_eq!(found("whole"), "");
    let page = 4096;
    let damages: [(&str, Vec<u8>); 3] = [
        (
            "no database",
            b"not a database at all, but text".repeat(400),
        ),
        (
            "cut in half",
            whole[..whole.len() / 2 / page * page].to_vec(),
        ),
        ("pages of zeros", {
            let mut damaged = whole.clone();
            damaged[page..].fill(0);
            damaged
        }),
    ];
    for (what, bytes) in damages {
        std::fs::write(&index, bytes).unwrap();
        for beside in ["index.db-wal", "index.db-shm"] {
            let _ = std::fs::remove_file(program.data_dir().join(beside));
        }
        let said = found(what);
        assert!(
            said.contains("damaged") || said.contains("rebuilt"),
            "{what}: {said}"
        );
    }
}
