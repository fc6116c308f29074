//! What hits say of subagents and thinking, which kinds these have, and which searches lead to them.

use super::told::{answering, both, calling, check, ids, record};
use super::*;
use serde_json::{Value, json};

/// A record of a subagent that Claude Code reports in the session that started it.
fn reported(id: u32, call: &str, mut inner: Value) -> Value {
    let role = inner["type"].clone();
    let message = inner["message"].take();
    inner["type"] = json!("progress");
    inner["toolUseID"] = json!("agent_m1");
    inner["parentToolUseID"] = json!(call);
    inner["data"] = json!({"type": "agent_progress", "agentId": "a1", "prompt": "Moor it.",
        "message": {"type": role, "uuid": format!("s{id}"), "message": message}});
    inner
}

fn updating(id: u32) -> Value {
    let done = json!({"taskId": "1", "status": "completed"});
    calling(id, "TaskUpdate", done)
}

fn with_subagent() -> Vec<Value> {
    let task = json!({"subject": "Moor the barge", "description": "Later."});
    let start = json!({"subagent_type": "Explore", "description": "Find the tide tables",
        "prompt": "Look where the tide tables are."});
    let mut done = answering(8, "They are in tide.rs.", false);
    done["message"]["content"][0]["tool_use_id"] = json!("c4");
    vec![
        record(1, "user", json!("Please go on.")),
        calling(2, "TaskCreate", task),
        answering(3, "Task #1 created successfully: x", false),
        calling(4, "Task", start),
        reported(
            5,
            "c4",
            calling(5, "Read", json!({"file_path": "/home/dev/s/tide.rs"})),
        ),
        reported(6, "c4", answering(6, "fn tide tables() {}", false)),
        reported(7, "c4", updating(7)),
        done,
    ]
}

#[test]
fn a_task_that_a_subagent_changes_is_found_by_its_name() {
    for first in [3, 6] {
        let (_dir, dbs) = both("s.jsonl", &with_subagent(), first);
        check(
            &dbs,
            &[
                ("kind:todo barge", &["e2", "e7"]),
                ("kind:todo \"moor the barge\" completed", &["e7"]),
                ("kind:todo explore completed", &["e7"]),
            ],
        );
        for db in &dbs {
            let page = search(db, None, "kind:todo completed", HitSort::Newest, 0, 5).unwrap();
            let shown = &page.hits[0].snippet;
            assert!(shown.starts_with("Explore, Moor the barge: "), "{shown}");
        }
    }
}

#[test]
fn a_hit_says_which_subagent_wrote_it_and_the_call_comes_first() {
    for first in [3, 6] {
        let (_dir, dbs) = both("s.jsonl", &with_subagent(), first);
        check(&dbs, &[("kind:subagent-start", &["e4"])]);
        for db in &dbs {
            let page = search(db, None, "kind:subagent tide", HitSort::Newest, 0, 9).unwrap();
            let told: Vec<(&str, Option<&str>)> = page
                .hits
                .iter()
                .map(|hit| (&*hit.entry_id, hit.subagent.as_deref()))
                .collect();
            let who = Some("Explore: Find the tide tables");
            let expected = [("e4", None), ("e8", None), ("e6", who), ("e5", who)];
            assert_eq!(told, expected);
            assert_eq!(page.total, Some(4));
            let next = search(db, None, "kind:subagent tide", HitSort::Newest, 1, 2).unwrap();
            let next: Vec<&str> = next.hits.iter().map(|hit| &*hit.entry_id).collect();
            assert_eq!(next, ["e8", "e6"]);
            assert_eq!(ids(db, "kind:subagent tide")[0], "e4");
        }
    }
}

#[test]
fn thinking_replies_and_calls_are_told_apart() {
    let thought = json!([{"type": "thinking", "thinking": "Perhaps the quay.", "signature": "x"}]);
    let said = json!([{"type": "text", "text": "It is the quay."}]);
    let both_parts = json!([{"type": "thinking", "thinking": "Sure of the quay.", "signature": "x"},
        {"type": "text", "text": "The quay it is."}]);
    let records = [
        record(1, "user", json!("Where is the quay?")),
        record(2, "assistant", thought),
        calling(3, "Bash", json!({"command": "ls quay"})),
        answering(4, "quay", false),
        record(5, "assistant", said),
        record(6, "assistant", both_parts),
    ];
    let (_dir, dbs) = both("s.jsonl", &records, 3);
    check(
        &dbs,
        &[
            ("kind:thinking quay", &["e2", "e6"]),
            ("kind:reply quay", &["e5", "e6"]),
            ("kind:assistant", &["e5", "e6"]),
            ("kind:call quay", &["e3"]),
        ],
    );
    for db in &dbs {
        let page = search(db, None, "quay", HitSort::Oldest, 0, 9).unwrap();
        let thinking: Vec<bool> = page.hits.iter().map(|hit| hit.is_thinking).collect();
        assert_eq!(thinking, [false, true, false, false, false, false]);
    }
}

#[test]
fn a_session_that_a_process_took_up_again_is_found() {
    let mut hook = record(3, "user", json!("x"));
    hook["type"] = json!("progress");
    hook["data"] = json!({"type": "hook_progress", "hookEvent": "SessionStart",
        "hookName": "SessionStart:resume", "command": "notify"});
    let records = [
        record(1, "user", json!("Please go on.")),
        record(2, "assistant", json!([{"type": "text", "text": "Done."}])),
        hook,
        record(4, "user", json!("We resumed it. Go on.")),
    ];
    let (_dir, dbs) = both("s.jsonl", &records, 2);
    check(&dbs, &[("kind:resume", &["e3"]), ("kind:resumed", &["e3"])]);
    let event = |id: u32, kind: &str, data: Value| {
        json!({"type": kind, "id": format!("e{id}"), "data": data,
            "parentId": format!("e{}", id - 1),
            "timestamp": format!("2026-10-05T10:00:{id:02}.000Z")})
    };
    let copilot = [
        event(
            1,
            "session.start",
            json!({"sessionId": "sub", "version": 1,
            "copilotVersion": "1.0.102", "context": {"cwd": "/home/dev/sub"}}),
        ),
        event(2, "user.message", json!({"content": "Survey it."})),
        event(
            3,
            "session.resume",
            json!({"resumeTime": "2026-10-05T10:00:03.000Z"}),
        ),
    ];
    let (_dir, others) = both("sub/events.jsonl", &copilot, 2);
    check(&others, &[("kind:resume", &["e3"])]);
    // A word that names the kind leads to it, also where texts have the word.
    let page = search(&dbs[0], None, "resumed", HitSort::Newest, 0, 9).unwrap();
    assert_eq!(page.hits.len(), 1);
    let meant: Vec<&str> = page.wider.changes.iter().map(|own| &*own.query).collect();
    assert_eq!(meant, ["kind:resume"]);
}

#[test]
fn the_first_session_of_a_chain_names_the_next_one() {
    let id = |n: u32| format!("0a1b2c3d-0000-4000-8000-00000000000{n}");
    let of = |n: u32| {
        let mut start = json!({"type": "session_start", "id": id(n), "title": "barge",
            "owner": "dev", "version": 2, "cwd": "/home/dev/barge"});
        if n > 1 {
            start["parent"] = id(n - 1).into();
        }
        let said = json!({"type": "message", "id": format!("e{n}"), "parentId": null,
            "timestamp": format!("2026-10-05T10:00:{n:02}.000Z"),
            "message": {"role": "user", "content": [{"type": "text", "text": "Go on."}]}});
        format!("{start}\n{said}\n")
    };
    for order in [[1, 2, 3], [3, 1, 2]] {
        let dir = tempfile::tempdir().unwrap();
        let db = IndexDb::init_in_memory().unwrap();
        for n in order {
            let path = dir.path().join(format!("{}.jsonl", id(n)));
            fs::write(&path, of(n)).unwrap();
            run(&db, &[path], &Control::QUIET).unwrap();
        }
        let page = listed(&db, "", SessionSort::Created);
        let next = |n: u32| {
            let row = page.sessions.iter().find(|row| row.native_id == id(n));
            let name = page.continued.get(&row?.num)?;
            page.sessions
                .iter()
                .find(|row| row.id == name.session_id)
                .map(|row| row.native_id.clone())
        };
        assert_eq!(
            [next(1), next(2), next(3)],
            [Some(id(2)), Some(id(3)), None]
        );
    }
}
