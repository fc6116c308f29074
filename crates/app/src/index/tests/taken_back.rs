//! Turns that a record further on takes back, however far that is.

use super::{found_by, index, write};
use palimpsest_store::IndexDb;
use palimpsest_store::index::Field;
use serde_json::{Value, json};

const THREAD: &str = "019caa00-0000-7000-8000-00000000000a";

fn record(kind: &str, payload: Value) -> String {
    json!({"timestamp": "2026-10-05T10:00:00.250Z", "type": kind, "payload": payload}).to_string()
}

fn said(id: &str, role: &str, text: &str) -> String {
    let kind = if role == "user" {
        "input_text"
    } else {
        "output_text"
    };
    let content = json!([{"type": kind, "text": text}]);
    record(
        "response_item",
        json!({"type": "message", "id": id, "role": role, "content": content}),
    )
}

#[test]
fn turns_are_marked_that_were_written_chunks_before() {
    let dir = tempfile::tempdir().unwrap();
    let name = format!("rollout-2026-10-05T10-00-00-{THREAD}.jsonl");
    let path = dir.path().join("sessions").join(name);
    // Longer than what is read at once.
    let long = "stone ".repeat(500_000);
    let rollback = |turns: u32| {
        let payload = json!({"type": "thread_rolled_back", "num_turns": turns});
        record("event_msg", payload)
    };
    let mut lines = vec![
        record(
            "session_meta",
            json!({"id": THREAD, "cwd": "/home/dev/mill", "cli_version": "0.139.0"}),
        ),
        said("u1", "user", "Grind the wheat."),
        said("a1", "assistant", "Ground."),
        said("u2", "user", "Bake a stone."),
        said("a2", "assistant", &long),
        said("a3", "assistant", &long),
        rollback(1),
        said("u3", "user", "Bake bread."),
    ];
    write(&path, &lines);
    let db = IndexDb::init_in_memory().unwrap();
    assert_eq!(index(&db, dir.path()).failed, []);
    let undone = |db: &IndexDb| found_by(db, Field::Kind, "undone");
    assert_eq!(undone(&db), ["u2", "a2", "a3"]);
    // What grew is the same as what is read at once.
    lines.push(said("a4", "assistant", "Baked."));
    lines.push(rollback(2));
    write(&path, &lines);
    assert_eq!(index(&db, dir.path()).failed, []);
    let all = ["u1", "a1", "u2", "a2", "a3", "u3", "a4"];
    assert_eq!(undone(&db), all);
    let fresh = IndexDb::init_in_memory().unwrap();
    index(&fresh, dir.path());
    assert_eq!(undone(&fresh), all);
    assert_eq!(index(&db, dir.path()).unchanged, 1);
}
