//! What an entry is and does, besides its words.

use super::*;
use crate::search::in_session::failed_tests;
use palimpsest_store::index::SessionNum;

/// A session whose model calls a tool, and the tool's result.
fn with_calls() -> (tempfile::TempDir, IndexDb) {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let call = |id: u32, tool: &str, arguments: serde_json::Value| {
        serde_json::json!({
            "type": "message", "id": format!("e{id}"), "parentId": format!("e{}", id - 1),
            "timestamp": format!("2026-10-0{id}T10:00:00.000Z"),
            "message": {"role": "assistant", "provider": "anthropic", "model": "claude-opus-4-5",
                "timestamp": 1, "content": [{"type": "toolCall", "id": format!("c{id}"),
                "name": tool, "arguments": arguments}]},
        })
    };
    let mut all = concat!(
        r#"{"type":"session","version":3,"id":"calls","timestamp":"2026-10-01T10:00:00.000Z","#,
        r#""cwd":"/home/dev/calls"}"#,
        "\n"
    )
    .to_owned();
    all += &line(1, 0, "user", "please run the tests");
    let bash = call(
        2,
        "bash",
        serde_json::json!({"command": "cd /tmp && pytest -q"}),
    );
    let edit = call(
        3,
        "edit",
        serde_json::json!({"path": "src/parse/date.rs", "oldText": "a"}),
    );
    all += &format!("{bash}\n{edit}\n");
    all += &line(4, 3, "toolResult", "2 passed");
    let path = dir.path().join("calls.jsonl");
    fs::write(&path, all).unwrap();
    run(&db, &[path], &Control::QUIET).unwrap();
    (dir, db)
}

#[test]
fn entries_are_found_by_tool_command_file_and_kind() {
    let (_dir, db) = with_calls();
    for (query, expected) in [
        ("tool:bash", &["calls e4", "calls e2"][..]),
        ("tool:bash kind:call", &["calls e2"]),
        ("tool:edit tool:bash kind:call", &["calls e3", "calls e2"]),
        ("cmd:pytest", &["calls e2"]),
        ("cmd:\"pytest -q\" -tool:edit", &["calls e2"]),
        ("cmd:passed", &[]),
        ("cmd:\"pytest cd\"", &[]),
        ("file:date.rs", &["calls e3"]),
        ("file:src/parse", &["calls e3"]),
        ("kind:user", &["calls e1"]),
        ("kind:error passed", &["calls e4"]),
        ("kind:call after:2026-10-03", &["calls e3"]),
        ("kind:call before:2026-10-03", &["calls e2"]),
        ("file:date.rs tool:edit", &["calls e3"]),
        ("file:date.rs tool:bash", &[]),
        ("tests -kind:user", &[]),
        ("please model:opus", &["calls e1"]),
        ("please model:gpt", &[]),
    ] {
        assert_eq!(hits(&db, query), expected, "{query}");
    }
    for (query, total) in [
        ("tool:bash", 1),
        ("tool:ba*", 1),
        ("tool:write", 0),
        ("-tool:write", 1),
        ("-tool:bash", 0),
        ("cmd:pytest", 1),
        ("-cmd:pytest", 0),
        ("file:date.rs", 1),
        ("file:date.rs tool:edit", 1),
        // The session has both, and no one entry has.
        ("file:date.rs tool:bash", 0),
        ("rejected:0", 1),
        ("rejected:>0", 0),
        ("kind:call", 1),
        ("kind:compaction", 0),
        ("model:opus", 1),
        ("model:gpt model:opus", 1),
        ("-model:opus", 0),
        ("project:/home/dev", 1),
        ("project:/home/de", 0),
        ("entries:4", 1),
        ("entries:>4", 0),
        ("compactions:0", 1),
        ("cost:>1", 0),
        ("-title:please", 0),
        ("-title:mails", 1),
    ] {
        let page = listed(&db, query, SessionSort::Updated);
        assert!(
            page.not_understood.is_empty(),
            "{query}: {:?}",
            page.not_understood
        );
        assert_eq!(page.total, total, "{query}");
    }
}

#[test]
fn plans_other_models_and_records_by_the_agents_own_name_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let reply = |id: u32, model: &str, tool: &str| {
        serde_json::json!({
            "type": "message", "id": format!("reply-{id}"), "timestamp": "2026-10-05T10:00:00.000Z",
            "message": {"role": "assistant", "provider": "anthropic", "model": model, "timestamp": 1,
                "content": [{"type": "toolCall", "id": format!("c{id}"), "name": tool,
                    "arguments": {"plan": "Build it."}}]},
        })
    };
    let custom = serde_json::json!({
        "type": "custom", "id": "own-1", "timestamp": "2026-10-05T10:00:00.000Z",
        "customType": "session.context_cleared", "data": {},
    });
    let records = [
        serde_json::json!({"type": "session", "version": 3, "id": "models", "cwd": "/home/dev/models",
            "timestamp": "2026-10-05T10:00:00.000Z"}),
        reply(1, "claude-opus-4-5", "read"),
        reply(2, "claude-opus-4-5", "ExitPlanMode"),
        serde_json::json!({"type": "model_change", "id": "chosen-1", "provider": "openai",
            "modelId": "gpt-5", "timestamp": "2026-10-05T10:00:00.000Z"}),
        reply(3, "claude-haiku-4-5", "read"),
        reply(4, "claude-haiku-4-5", "read"),
        custom,
    ];
    let path = dir.path().join("models.jsonl");
    // Written and read in two parts: the model before is known from the first.
    for count in [4, records.len()] {
        let lines: Vec<String> = records[..count].iter().map(ToString::to_string).collect();
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        run(&db, std::slice::from_ref(&path), &Control::QUIET).unwrap();
    }
    for (query, expected) in [
        ("kind:plan", &["models reply-2"][..]),
        // The record of a choice, and the reply for which there is none.
        ("kind:model-change", &["models reply-3", "models chosen-1"]),
        ("kind:context_cleared", &["models own-1"]),
        ("kind:session.context-cleared", &["models own-1"]),
        ("kind:no_such_record", &[]),
        // Copied from a list.
        ("reply-4", &["models reply-4"]),
        ("own-1", &["models own-1"]),
    ] {
        assert_eq!(hits(&db, query), expected, "{query}");
    }
    for (query, total) in [
        ("model:haiku", 1),
        ("model:gpt", 0),
        ("kind:model-change", 1),
    ] {
        assert_eq!(
            listed(&db, query, SessionSort::Updated).total,
            total,
            "{query}"
        );
    }
    let page = search(&db, None, "kind:call", HitSort::Newest, 0, 2).unwrap();
    assert_eq!((page.hits.len(), page.more, page.total), (2, true, Some(4)));
    let page = search(&db, None, "kind:call", HitSort::Newest, 2, 2).unwrap();
    assert_eq!(
        (page.hits.len(), page.more, page.total),
        (2, false, Some(4))
    );
}

#[test]
fn a_failed_command_is_found_by_its_result() {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let at = "2026-10-05T10:00:00.000Z";
    let call = |id: &str, command: &str| {
        serde_json::json!({"type": "message", "id": id, "timestamp": at, "message": {
            "role": "assistant", "provider": "anthropic", "model": "claude-opus-4-5", "timestamp": 1,
            "content": [{"type": "toolCall", "id": format!("call-{id}"), "name": "bash",
                "arguments": {"command": command}}]}})
    };
    let result = |id: &str, of: &str, failed: bool| {
        serde_json::json!({"type": "message", "id": id, "timestamp": at, "message": {
            "role": "toolResult", "timestamp": 1, "toolCallId": format!("call-{of}"),
            "toolName": "bash", "isError": failed,
            "content": [{"type": "text", "text": "exit code of it"}]}})
    };
    let records = [
        serde_json::json!({"type": "session", "version": 3, "id": "lints", "cwd": "/home/dev/lints",
            "timestamp": at}),
        call("one", "mise run lint"),
        call("two", "cargo test"),
        result("failed", "one", true),
        result("passed", "two", false),
        serde_json::json!({"type": "compaction", "id": "sum", "timestamp": at, "tokensBefore": 9,
            "summary": "The exit code of lint was fixed.", "firstKeptEntryId": "passed"}),
        serde_json::json!({"type": "message", "id": "asked", "timestamp": at, "message":
            {"role": "user", "timestamp": 1, "content": "which exit code?"}}),
    ];
    let path = dir.path().join("lints.jsonl");
    // In two parts: the results come after what was read of their calls.
    for count in [3, records.len()] {
        let lines: Vec<String> = records[..count].iter().map(ToString::to_string).collect();
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        run(&db, std::slice::from_ref(&path), &Control::QUIET).unwrap();
    }
    for (query, expected) in [
        ("cmd:\"mise run lint\"", &["lints failed", "lints one"][..]),
        ("cmd:\"mise run lint\" kind:error", &["lints failed"]),
        ("cmd:lint kind:result", &["lints failed"]),
        ("cmd:lint kind:call", &["lints one"]),
        ("cmd:cargo kind:error", &[]),
        ("cmd:cargo kind:result code", &["lints passed"]),
        // A summary is no prompt, although agents store it as one.
        ("exit kind:user", &["lints asked"]),
        ("exit kind:summary", &["lints sum"]),
    ] {
        assert_eq!(hits(&db, query), expected, "{query}");
    }
    for (query, total) in [("cmd:lint kind:error", 1), ("cmd:cargo kind:error", 0)] {
        let page = listed(&db, query, SessionSort::Updated);
        assert_eq!(page.total, total, "{query}");
    }
}

#[test]
fn what_the_user_queued_or_stopped_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let said = |uuid: &str, parent: Option<&str>, text: &str| {
        serde_json::json!({"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "q",
            "cwd": "/home/dev/queue", "version": "2.1.20", "timestamp": "2026-10-05T10:00:00.000Z",
            "message": {"role": "user", "content": text}})
    };
    let records = [
        said("u1", None, "Write the page."),
        serde_json::json!({"type": "queue-operation", "operation": "enqueue", "sessionId": "q",
            "timestamp": "2026-10-05T10:00:01.000Z", "content": "use british spelling"}),
        said("u2", Some("u1"), "[Request interrupted by user]"),
    ];
    let path = dir.path().join("queue.jsonl");
    let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    run(&db, &[path], &Control::QUIET).unwrap();
    let queued = hits(&db, "british spelling");
    assert_eq!(queued.len(), 1);
    for query in ["kind:queued", "kind:queue", "kind:queue-operation"] {
        assert_eq!(hits(&db, query), queued, "{query}");
    }
    for query in ["kind:aborted", "kind:interrupted"] {
        assert_eq!(hits(&db, query), ["queue u2"], "{query}");
    }
    let page = listed(&db, "kind:queued kind:aborted", SessionSort::Updated);
    assert_eq!(page.total, 1);
}

/// A message of a session, the next one behind `parent`.
fn message(id: u32, content: serde_json::Value, more: &serde_json::Value) -> serde_json::Value {
    let mut message = serde_json::json!({"content": content, "timestamp": 1});
    if let (Some(own), Some(more)) = (message.as_object_mut(), more.as_object()) {
        own.extend(more.clone());
    }
    serde_json::json!({
        "type": "message", "id": format!("e{id}"), "parentId": format!("e{}", id - 1),
        "timestamp": format!("2026-10-05T10:00:{id:02}.000Z"), "message": message,
    })
}

pub(super) fn calls(id: u32, tool: &str, arguments: serde_json::Value) -> String {
    let call = serde_json::json!([{
        "type": "toolCall", "id": format!("c{id}"), "name": tool, "arguments": arguments,
    }]);
    let own = serde_json::json!({
        "role": "assistant", "provider": "anthropic", "model": "claude-opus-4-5",
    });
    format!("{}\n", message(id, call, &own))
}

pub(super) fn result(id: u32, tool: &str, text: &str) -> String {
    let said = serde_json::json!([{"type": "text", "text": text}]);
    let own = serde_json::json!({
        "role": "toolResult", "toolCallId": format!("c{}", id - 1), "toolName": tool,
        "isError": false,
    });
    format!("{}\n", message(id, said, &own))
}

pub(super) fn header(name: &str) -> String {
    format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"{name}\",\
         \"timestamp\":\"2026-10-05T10:00:00.000Z\",\"cwd\":\"/home/dev/{name}\"}}\n"
    )
}

#[test]
fn output_with_failed_tests_is_found_though_no_agent_marked_it() {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let output = "running 2 tests\ntest dates ... FAILED\ntest result: FAILED. 1 passed; 1 failed";
    let all = header("tests")
        + &line(1, 0, "user", "run the tests")
        + &calls(
            2,
            "bash",
            serde_json::json!({"command": "cargo test | tail"}),
        )
        + &result(3, "bash", output)
        + &calls(4, "read", serde_json::json!({"path": "log.txt"}))
        + &result(5, "read", output)
        + &calls(
            6,
            "bash",
            serde_json::json!({"command": "cargo test | tail"}),
        )
        + &result(7, "bash", "test result: ok. 2 passed; 0 failed");
    let path = dir.path().join("tests.jsonl");
    fs::write(&path, all).unwrap();
    run(&db, &[path], &Control::QUIET).unwrap();
    assert!(hits(&db, "kind:error").is_empty());
    assert_eq!(hits(&db, "kind:failed-test"), ["tests e3"]);
    // The same result is marked in the outline of its session.
    let reader = db.reader().unwrap();
    let id = &listed(&db, "", SessionSort::Updated).sessions[0].id;
    let marked = failed_tests(&reader, id).unwrap();
    assert_eq!(marked.len(), 1);
    let entry = &reader.entries(SessionNum(1), marked[0], 1).unwrap()[0];
    assert_eq!(entry.entry_id, "e3");
    assert_eq!(
        hits(&db, "kind:failed-tests cmd:\"cargo test\""),
        ["tests e3"]
    );
    assert_eq!(
        listed(&db, "has:failed-test", SessionSort::Updated).total,
        1
    );
    assert_eq!(
        listed(&db, "-has:failed-test", SessionSort::Updated).total,
        0
    );
    // The line that tells of it is shown, and not the beginning of the output.
    let page = search(&db, None, "kind:failed-test", HitSort::Newest, 0, 10).unwrap();
    assert!(
        page.hits[0].snippet.starts_with("test dates ... FAILED"),
        "{}",
        page.hits[0].snippet
    );
    // A search for what agents marked offers the other kind.
    let page = search(&db, None, "kind:error", HitSort::Newest, 0, 10).unwrap();
    let change = &page.wider.changes[0];
    assert_eq!(
        (&*change.query, change.total),
        ("kind:failed-test", Some(1))
    );
}

#[test]
fn a_file_that_is_read_again_after_a_compaction_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let path = dir.path().join("again.jsonl");
    let read = |id: u32, path: &str| calls(id, "read", serde_json::json!({"path": path}));
    let compaction = |id: u32| {
        let record = serde_json::json!({
            "type": "compaction", "id": format!("e{id}"), "parentId": format!("e{}", id - 1),
            "timestamp": format!("2026-10-05T10:00:{id:02}.000Z"), "summary": "They read files.",
            "firstKeptEntryId": format!("e{}", id - 1), "tokensBefore": 900,
        });
        format!("{record}\n")
    };
    let mut all = header("again") + &line(1, 0, "user", "look") + &read(2, "a.rs");
    all += &result(3, "read", "fn a() {}");
    all += &calls(
        4,
        "edit",
        serde_json::json!({"path": "b.rs", "oldText": "x", "newText": "y"}),
    );
    all += &(result(5, "edit", "done") + &compaction(6));
    fs::write(&path, &all).unwrap();
    run(&db, std::slice::from_ref(&path), &Control::QUIET).unwrap();
    assert!(hits(&db, "kind:reread").is_empty());
    // What was read before is remembered when the file grows.
    all += &(read(7, "a.rs") + &result(8, "read", "fn a() {}"));
    all += &(read(9, "a.rs") + &read(10, "new.rs") + &read(11, "b.rs"));
    fs::write(&path, &all).unwrap();
    run(&db, std::slice::from_ref(&path), &Control::QUIET).unwrap();
    let grown = ["again e11", "again e7"];
    assert_eq!(hits(&db, "kind:reread"), grown);
    assert_eq!(hits(&db, "kind:reread file:a.rs"), ["again e7"]);
    assert_eq!(listed(&db, "has:reread", SessionSort::Updated).total, 1);
    let fresh = IndexDb::init_in_memory().unwrap();
    run(&fresh, &[path], &Control::QUIET).unwrap();
    assert_eq!(hits(&fresh, "kind:reread"), grown);
}
