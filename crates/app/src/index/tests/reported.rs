//! What subagents did inside the session that started them: Claude Code reports each of their messages
//! in a record of its own.

use super::{contents, found, found_by, index, write};
use palimpsest_core::{Agent, Bodies as _, EntryIx, Role};
use palimpsest_formats::{InMemory, format_of};
use palimpsest_store::IndexDb;
use palimpsest_store::index::{Field, SessionFilter, SessionSort};
use serde_json::{Value, json};

const SESSION: &str = "5b0d9f3e-2c41-4a86-9d7e-10f6c8a2b374";

fn record(kind: &str, id: &str, parent: Option<&str>, held: (&str, Value)) -> String {
    let mut record = json!({
        "parentUuid": parent, "isSidechain": false, "userType": "external",
        "cwd": "/home/dev/mill", "sessionId": SESSION, "version": "2.1.12", "type": kind,
        "uuid": id, "timestamp": "2026-10-05T10:00:00.250Z",
    });
    record[held.0] = held.1;
    record.to_string()
}

fn said(role: &str, content: Value) -> Value {
    json!({"role": role, "content": content, "model": "claude-haiku-4-5"})
}

fn reported(id: &str, parent: &str, role: &str, content: Value) -> String {
    let message = json!({"type": role, "message": said(role, content)});
    let data = json!({"type": "agent_progress", "agentId": "a7", "message": message});
    record("progress", id, Some(parent), ("data", data))
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!([{"type": "tool_use", "id": id, "name": name, "input": input}])
}

fn result(id: &str, text: &str, is_error: bool) -> Value {
    json!([{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error}])
}

fn lines() -> Vec<String> {
    let task = call(
        "t1",
        "Task",
        json!({"description": "grind", "prompt": "Grind."}),
    );
    vec![
        record(
            "user",
            "u1",
            None,
            ("message", said("user", json!("Bake bread."))),
        ),
        record(
            "assistant",
            "a1",
            Some("u1"),
            ("message", said("assistant", task)),
        ),
        reported(
            "p1",
            "a1",
            "user",
            json!([{"type": "text", "text": "Grind the spelt."}]),
        ),
        reported(
            "p2",
            "p1",
            "assistant",
            call(
                "c1",
                "Edit",
                json!({"file_path": "/home/dev/mill/stone.go"}),
            ),
        ),
        reported(
            "p3",
            "p2",
            "assistant",
            call("c2", "Bash", json!({"command": "go test ./stone"})),
        ),
        reported("p4", "p3", "user", result("c1", "edited", false)),
        reported(
            "p5",
            "p4",
            "user",
            result("c2", "the millstone cracked", true),
        ),
        record(
            "user",
            "r1",
            Some("a1"),
            ("message", said("user", result("t1", "It failed.", false))),
        ),
    ]
}

#[test]
fn what_a_subagent_did_inside_a_session_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir
        .path()
        .join("projects/-home-dev-mill")
        .join(format!("{SESSION}.jsonl"));
    write(&path, &lines());
    let db = IndexDb::init_in_memory().unwrap();
    assert_eq!(index(&db, dir.path()).failed, []);
    for (field, value, ids) in [
        // The result of the call as well.
        (Field::File, "stone.go", vec!["p2", "p4"]),
        (Field::Tool, "Edit", vec!["p2", "p4"]),
        (Field::Tool, "Bash", vec!["p3", "p5"]),
        (Field::Command, "go", vec!["p3", "p5"]),
        (Field::Kind, "error", vec!["p5"]),
        (Field::Kind, "call", vec!["a1", "p2", "p3"]),
        (Field::Kind, "result", vec!["p4", "p5", "r1"]),
        (
            Field::Kind,
            "subagent",
            vec!["a1", "p1", "p2", "p3", "p4", "p5", "r1"],
        ),
        // Prompts and replies are those of the session; a call without words is no reply.
        (Field::Kind, "user", vec!["u1"]),
        (Field::Kind, "assistant", vec![]),
        (Field::Kind, "subagentstart", vec!["a1"]),
    ] {
        assert_eq!(found_by(&db, field, value), ids, "{value}");
    }
    assert_eq!(found(&db, "millstone"), 1);
    assert_eq!(found(&db, "spelt"), 1);
    let reader = db.reader().unwrap();
    let filter = SessionFilter::default();
    let list = reader
        .sessions(&filter, SessionSort::Updated, 0, 9)
        .unwrap();
    // Its sums are those of the main conversation.
    assert_eq!(list.sessions[0].errors, 0);
    let files = reader.files(list.sessions[0].num).unwrap();
    assert_eq!(files.len(), 1);
}

#[test]
fn the_main_context_does_not_hold_what_a_subagent_did() {
    let mut text = lines().join("\n");
    text.push('\n');
    let path = format!("/home/dev/.claude/projects/-home-dev-mill/{SESSION}.jsonl");
    let format = format_of(Agent::named("claude-code")).unwrap();
    let session = InMemory::read(format, &path, text.into_bytes());
    let report = |at: usize| session.session.entries[at].subagent.as_ref().unwrap();
    assert_eq!(report(2).role(), Role::User);
    assert_eq!(report(3).role(), Role::Assistant);
    assert_eq!(&*report(6).results[0].tool, "Bash");
    let ix = EntryIx::new(6);
    let body = session.body(ix).unwrap();
    assert!(body.messages.is_empty());
    assert_eq!(body.beside[0].tool.as_ref().unwrap().name, "Bash");
}

#[test]
fn reports_that_come_later_are_read_as_those_of_a_whole_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir
        .path()
        .join("projects/-home-dev-mill")
        .join(format!("{SESSION}.jsonl"));
    let lines = lines();
    let db = IndexDb::init_in_memory().unwrap();
    for count in 1..=lines.len() {
        write(&path, &lines[..count]);
        assert_eq!(index(&db, dir.path()).failed, []);
    }
    assert_eq!(found_by(&db, Field::Tool, "Bash"), ["p3", "p5"]);
    let fresh = IndexDb::init_in_memory().unwrap();
    index(&fresh, dir.path());
    assert_eq!(contents(&db), contents(&fresh));
}
