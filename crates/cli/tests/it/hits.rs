//! What a hit says of itself: why something failed, which call failed, what became of a prompt.

use crate::program::{Program, shown};
use palimpsest_testkit::session::{PiSession, Reply, SessionModel};
use serde_json::{Value, json};

/// Puts the session of pi into the index.
fn indexed(program: &Program, session: &PiSession) -> String {
    let path = shown(&program.home.add_pi_session(session).unwrap());
    assert_eq!(program.run(&["index", &path]).code, 0);
    path
}

/// The ids of the entries that a query finds, oldest first.
fn found(program: &Program, query: &str) -> Vec<String> {
    let page = program.json(&["search", query]);
    let hits = page["hits"].as_array().unwrap().iter();
    let mut ids: Vec<String> = hits
        .map(|hit| hit["entry_id"].as_str().unwrap().to_owned())
        .collect();
    ids.reverse();
    ids
}

fn tells(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "{word:?} is missing in {text}");
    }
}

#[test]
fn the_text_of_a_failed_request_is_found_and_shown() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("Move the queue.");
    let said = "400 {\"type\":\"invalid_request_error\",\"message\":\"no result for the call\"}";
    let failed = session.assistant(Reply::new().stopped("error", Some(said)));
    let broken = session.assistant(
        Reply::new()
            .text("I begin.")
            .stopped("error", Some("socket closed")),
    );
    let path = indexed(&program, &session);
    assert_eq!(
        found(&program, "kind:error invalid_request_error"),
        std::slice::from_ref(&failed)
    );
    assert_eq!(
        found(&program, "socket begin"),
        std::slice::from_ref(&broken)
    );
    tells(
        &program.run(&["search", "kind:error"]).stdout,
        &["400 {\"type\"", "socket closed"],
    );
    tells(
        &program.run(&["entry", &path, &failed]).stdout,
        &["[error]\n400 {"],
    );
    tells(
        &program.run(&["entry", &path, &broken]).stdout,
        &["I begin.", "[error]\nsocket closed"],
    );
    tells(
        &program.run(&["tree", &path]).stdout,
        &["400 {\"type\"", "socket closed"],
    );
    // The model does not get it.
    let context = program.json(&["context", &path]).to_string();
    assert!(!context.contains("socket closed"), "{context}");
}

#[test]
fn a_reply_that_the_user_stopped_is_no_failure() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("Move the queue.");
    let stopped = session.assistant(
        Reply::new()
            .text("I look.")
            .stopped("aborted", Some("Request was aborted.")),
    );
    let failed = session.assistant(Reply::new().stopped("error", Some("socket closed")));
    let path = indexed(&program, &session);
    assert_eq!(found(&program, "kind:error"), [failed]);
    assert_eq!(
        found(&program, "kind:aborted"),
        std::slice::from_ref(&stopped)
    );
    let hit = &program.json(&["search", "kind:aborted"])["hits"][0];
    assert_eq!(
        (&hit["aborted"], &hit["is_error"]),
        (&json!(true), &json!(false)),
        "{hit}"
    );
    for args in [&["search", "kind:aborted"][..], &["entry", &path, &stopped]] {
        let text = program.run(args).stdout;
        tells(&text, &["stopped by the user", "I look."]);
        assert!(!text.contains("failed"), "{text}");
    }
}

#[test]
fn a_failed_result_names_its_call() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("Build it.");
    let two = Reply::new()
        .call_with_id("c1", "bash", json!({"command": "make one"}))
        .call_with_id("c2", "bash", json!({"command": "make two"}));
    let call = session.assistant(two);
    session.tool_result("built");
    let failed = session.tool_error("Exit code 2");
    session.user("Again.");
    let path = indexed(&program, &session);
    tells(
        &program.run(&["search", "kind:error"]).stdout,
        &["make two \u{2192} Exit code 2"],
    );
    let id = program.json(&["sessions"])[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    tells(
        &program.run(&["find", &id, "kind:error"]).stdout,
        &["make two \u{2192} Exit code 2"],
    );
    tells(
        &program.run(&["entry", &path, &failed]).stdout,
        &["[result of bash: make two]"],
    );
    let hit = &program.json(&["search", "kind:error"])["hits"][0];
    assert_eq!(
        hit["call"],
        json!({"entry_id": call, "headline": "make two"})
    );
    // A result that went well is shown by its own words.
    assert_eq!(
        program.json(&["search", "built"])["hits"][0]["call"],
        Value::Null
    );
}

#[test]
fn a_change_of_the_model_names_both_and_a_first_choice_is_none() {
    let program = Program::new();
    let model = |id: &str| SessionModel::new("anthropic", id, "anthropic-messages");
    let mut session = PiSession::new();
    session.model_change(model("claude-opus-4-5"));
    session.user("Move the queue.");
    session.assistant(
        Reply::new()
            .text("Moved.")
            .from_model(model("claude-opus-4-5")),
    );
    let change = session.model_change(model("claude-sonnet-4-5"));
    session.assistant(
        Reply::new()
            .text("Tested.")
            .from_model(model("claude-sonnet-4-5")),
    );
    let path = indexed(&program, &session);
    assert_eq!(found(&program, "kind:model-change"), [change]);
    let both = "claude-opus-4-5 \u{2192} claude-sonnet-4-5";
    tells(
        &program.run(&["search", "kind:model-change"]).stdout,
        &[both],
    );
    tells(
        &program.run(&["find", &path, "kind:model-change"]).stdout,
        &[both],
    );
}

/// A session of Claude Code with prompts that waited and a pull request.
fn queue() -> String {
    let said = |uuid: &str, parent: Option<&str>, text: &str| {
        json!({"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "q",
            "cwd": "/home/dev/queue", "version": "2.1.20", "timestamp": "2026-10-05T10:00:00.000Z",
            "message": {"role": "user", "content": text}})
    };
    let operation = |name: &str, content: Option<&str>| {
        let mut record = json!({"type": "queue-operation", "operation": name, "sessionId": "q",
            "timestamp": "2026-10-05T10:00:01.000Z"});
        if let Some(content) = content {
            record["content"] = json!(content);
        }
        record
    };
    let records = [
        said("u1", None, "Write the page."),
        operation("enqueue", Some("use british spelling")),
        operation("popAll", Some("use british spelling")),
        operation("enqueue", Some("use plain words")),
        operation("dequeue", None),
        said("u2", Some("u1"), "use plain words"),
        operation("enqueue", Some("also in the title")),
        operation("remove", None),
        operation("enqueue", Some("then push it")),
        json!({"type": "pr-link", "sessionId": "q", "prNumber": 342, "prRepository": "dev/queue",
            "prUrl": "https://example.com/dev/queue/pull/342",
            "timestamp": "2026-10-05T10:00:02.000Z"}),
        json!({"type": "system", "subtype": "api_error", "uuid": "s1", "parentUuid": "u2",
            "sessionId": "q", "timestamp": "2026-10-05T10:00:03.000Z", "version": "2.1.20",
            "error": {"status": 529, "error": {"type": "error",
                "error": {"type": "overloaded_error", "message": "Overloaded"}}}}),
    ];
    records.iter().map(|record| format!("{record}\n")).collect()
}

#[test]
fn a_queued_prompt_says_what_became_of_it() {
    let program = Program::new();
    let path = program.file("queue.jsonl", queue().as_bytes());
    program.run(&["index", &path]);
    let page = program.json(&["search", "kind:queued"]);
    let told: Vec<(&str, &str, &Value)> = page["hits"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|hit| {
            let text = |value: &'static str| hit[value].as_str().unwrap();
            let queued = &hit["queued"];
            (
                text("snippet"),
                queued["fate"].as_str().unwrap(),
                &queued["entry_id"],
            )
        })
        .collect();
    let none = Value::Null;
    let sent = json!("u2");
    assert_eq!(
        told,
        [
            ("use british spelling", "taken_back", &none),
            ("use plain words", "sent", &sent),
            ("also in the title", "passed", &none),
            ("then push it", "never_sent", &none),
        ]
    );
    let all = [
        "taken back",
        "sent as entry u2",
        "sent with the next result",
        "never sent",
    ];
    tells(&program.run(&["search", "kind:queued"]).stdout, &all);
    tells(&program.run(&["find", &path, "kind:queued"]).stdout, &all);
    let entry = program.run(&["entry", &path, "line:3"]).stdout;
    tells(&entry, &["use plain words", "sent as entry u2"]);
    assert!(!entry.contains("not sent"), "{entry}");
}

#[test]
fn a_pull_request_and_an_error_of_the_api_have_words() {
    let program = Program::new();
    let path = program.file("queue.jsonl", queue().as_bytes());
    program.run(&["index", &path]);
    for query in ["kind:pr-link", "kind:pr-link 342", "pull/342"] {
        let text = program.run(&["search", query]).stdout;
        tells(&text, &["#342", "https://example.com/dev/queue/pull/342"]);
    }
    for query in ["kind:error", "overloaded_error"] {
        tells(
            &program.run(&["search", query]).stdout,
            &["529 overloaded_error Overloaded"],
        );
    }
    tells(&program.run(&["tree", &path]).stdout, &["529 Overloaded"]);
    let id = program.json(&["search", "kind:error"])["hits"][0]["entry_id"].clone();
    let entry = program.run(&["entry", &path, id.as_str().unwrap()]).stdout;
    tells(&entry, &["[error]\n529 overloaded_error Overloaded"]);
}

#[test]
fn labels_and_ids_are_counted_beside_the_entries() {
    let program = Program::new();
    let mut session = PiSession::new();
    let prompt = session.user("Move the queue.");
    session.label(&prompt, Some("flaky"));
    indexed(&program, &session);
    tells(
        &program.run(&["search", "label:flaky"]).stdout,
        &["1 label, 0 entries in"],
    );
    let id = program.json(&["sessions"])[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    tells(
        &program.run(&["search", &id]).stdout,
        &["1 session, 0 entries in"],
    );
    tells(&program.run(&["search", "queue"]).stdout, &["1 hit in"]);
}

#[test]
fn a_list_has_a_column_for_what_it_is_filtered_by() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("Build it.");
    session.assistant(Reply::new().call("bash", json!({"command": "make"})));
    session.tool_error("Exit code 2");
    indexed(&program, &session);
    for (query, head) in [
        ("tokens:<1m", "context"),
        ("errors:>0", "errors"),
        ("has:error", "errors"),
        ("rejected:<2", "rejected"),
    ] {
        let text = program.run(&["sessions", query]).stdout;
        let heads = text.lines().next().unwrap_or_default();
        assert!(heads.contains(head), "{query}: {text}");
    }
    let text = program
        .run(&["sessions", "errors:>0", "--sort", "errors"])
        .stdout;
    assert_eq!(text.matches("errors").count(), 1, "{text}");
}

#[test]
fn what_was_taken_back_says_so() {
    let program = Program::new();
    let message = |id: &str, role: &str, text: &str| {
        json!({"info": {"id": id, "sessionID": "ses_1", "role": role, "time": {"created": 1}},
            "parts": [{"id": format!("prt_{id}"), "messageID": id, "sessionID": "ses_1",
                "type": "text", "text": text}]})
    };
    let export = json!({
        "info": {"id": "ses_1", "version": "1.18.33", "directory": "/home/dev/queue",
            "title": "Queue", "time": {"created": 1, "updated": 2},
            "revert": {"messageID": "msg_3"}},
        "messages": [
            message("msg_1", "user", "Write the page."),
            message("msg_2", "assistant", "Written."),
            message("msg_3", "user", "Try another way."),
            message("msg_4", "assistant", "Tried."),
        ],
    });
    let path = program.file("queue.export.json", export.to_string().as_bytes());
    let path = path.as_str();
    program.run(&["index", path]);
    let undone = found(&program, "kind:undone");
    assert_eq!(undone, ["msg_3", "msg_4"]);
    let tree = program.json(&["tree", path]);
    let told: Vec<String> = tree["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|node| node["undone"] == true)
        .map(|node| node["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(told, undone);
    let text = program.run(&["tree", path]).stdout;
    assert_eq!(text.matches("(taken back)").count(), undone.len(), "{text}");
    tells(
        &program.run(&["entry", path, &undone[0]]).stdout,
        &["taken back by the user"],
    );
    assert_eq!(
        program
            .json(&["sessions", "has:undone"])
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        program
            .json(&["sessions", "--", "-has:undone"])
            .as_array()
            .unwrap()
            .len(),
        0
    );
}

/// An export of OpenCode with a reply that went well and holds two calls, of which one failed.
fn export_with_a_failed_call(program: &Program) -> String {
    let tool = |id: &str, tool: &str, state: Value| {
        json!({"id": format!("prt_{id}"), "messageID": "msg_2", "sessionID": "ses_1",
            "type": "tool", "callID": id, "tool": tool, "state": state})
    };
    let time = json!({"start": 1, "end": 2});
    let parts = json!([
        {"id": "prt_0", "messageID": "msg_2", "sessionID": "ses_1", "type": "text",
            "text": "I look at the bells."},
        tool("c1", "bash", json!({"status": "completed", "input": {"command": "ls bells"},
            "output": "large\nsmall", "metadata": {"exit": 0}, "time": time})),
        tool("c2", "bash", json!({"status": "completed", "input": {"command": "make chime"},
            "output": "No rule to make target", "metadata": {"exit": 2}, "time": time})),
        tool("c3", "edit", json!({"status": "error", "input": {"filePath": "bells.txt"},
            "error": "Could not find oldString", "time": time})),
        tool("c4", "bash", json!({"status": "error", "input": {"command": "make all"},
            "error": "Tool execution aborted", "time": time})),
    ]);
    let export = json!({
        "info": {"id": "ses_1", "version": "1.18.33", "directory": "/home/dev/bells",
            "title": "Bells", "time": {"created": 1, "updated": 2}},
        "messages": [
            {"info": {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1}},
                "parts": [{"id": "prt_1", "messageID": "msg_1", "sessionID": "ses_1",
                    "type": "text", "text": "Ring the bells."}]},
            {"info": {"id": "msg_2", "sessionID": "ses_1", "role": "assistant", "parentID": "msg_1",
                "time": {"created": 1, "completed": 2}, "finish": "stop"}, "parts": parts},
        ],
    });
    program.file("bells.export.json", export.to_string().as_bytes())
}

#[test]
fn a_failed_call_inside_a_reply_is_found_and_named() {
    let program = Program::new();
    let path = export_with_a_failed_call(&program);
    program.run(&["index", &path]);
    assert_eq!(found(&program, "kind:error"), ["msg_2"]);
    let hit = &program.json(&["search", "kind:error"])["hits"][0];
    assert_eq!(
        hit["call"],
        json!({"entry_id": "msg_2", "headline": "make chime"})
    );
    assert_eq!(hit["snippet"], "No rule to make target");
    // Words choose the call, and words beside it the text around them.
    let hit = &program.json(&["search", "kind:error oldstring"])["hits"][0];
    assert_eq!(hit["call"]["headline"], "bells.txt");
    let hit = &program.json(&["search", "kind:error small"])["hits"][0];
    assert_eq!(hit["call"], Value::Null);
    let inside = program.run(&["find", &path, "kind:error"]).stdout;
    tells(&inside, &["make chime \u{2192} No rule to make target"]);
    let entry = program.run(&["entry", &path, "msg_2"]).stdout;
    tells(
        &entry,
        &[
            "[result of bash, failed]",
            "[result of edit, failed]",
            "[result of bash]",
        ],
    );
    let rows = program.json(&["sessions", "has:error"]);
    assert_eq!(rows.as_array().unwrap().len(), 1, "{rows}");
}

#[test]
fn failures_are_counted_by_tool_command_and_project() {
    let program = Program::new();
    let path = export_with_a_failed_call(&program);
    program.run(&["index", &path]);
    let mut session = PiSession::new();
    session.user("Build it.");
    for command in [
        "cd out && make all",
        "make all 2>&1 | tail",
        "cargo test -q",
    ] {
        session.assistant(Reply::new().call("bash", json!({"command": command})));
        session.tool_error("Exit code 2");
    }
    indexed(&program, &session);
    let counted = |by: &str, query: &str| {
        let view = program.json(&["search", query, "--by", by]);
        let rows = view["rows"].as_array().unwrap().iter();
        let rows: Vec<(String, u64, u64)> = rows
            .map(|row| {
                let number = |key: &str| row[key].as_u64().unwrap();
                let name = row["name"].as_str().unwrap().to_owned();
                (name, number("count"), number("sessions"))
            })
            .collect();
        rows
    };
    let named = |name: &str, count: u64, sessions: u64| (name.to_owned(), count, sessions);
    assert_eq!(
        counted("tool", "kind:error"),
        [named("bash", 4, 2), named("edit", 1, 1)]
    );
    assert_eq!(
        counted("command", "kind:error"),
        [
            named("make all", 2, 1),
            named("cargo test", 1, 1),
            named("make chime", 1, 1)
        ]
    );
    assert_eq!(counted("command", "kind:error agent:opencode").len(), 1);
    assert_eq!(
        counted("agent", "kind:error"),
        [named("pi", 3, 1), named("opencode", 1, 1)]
    );
    let text = program
        .run(&["search", "kind:error", "--by", "command"])
        .stdout;
    tells(
        &text,
        &[
            "2  make all",
            "in 1 session",
            "`palimpsest search 'kind:error cmd:\"make all\"'`",
            "4 calls of 4 entries",
        ],
    );
    // The query of a row finds its hits.
    let view = program.json(&["search", "kind:error", "--by", "command"]);
    let query = view["rows"][1]["query"].as_str().unwrap();
    assert_eq!(query, "kind:error cmd:\"cargo test\"");
    assert_eq!(found(&program, query).len(), 1);
    // A filter of sessions alone names no entries.
    let refused = program.json(&["search", "agent:pi", "--by", "tool"]);
    assert_eq!(refused["nothing_asked"], true, "{refused}");
}

#[test]
fn turns_of_codex_that_were_rolled_back_are_marked() {
    let program = Program::new();
    let event = |payload: Value| json!({"timestamp": "2026-10-05T10:00:00.000Z", "type": "event_msg", "payload": payload});
    let said = |id: &str, role: &str, text: &str| {
        let kind = if role == "user" {
            "input_text"
        } else {
            "output_text"
        };
        json!({"timestamp": "2026-10-05T10:00:00.000Z", "type": "response_item", "payload":
            {"type": "message", "id": id, "role": role, "content": [{"type": kind, "text": text}]}})
    };
    let header = json!({"timestamp": "2026-10-05T10:00:00.000Z", "type": "session_meta", "payload":
        {"id": "019caa00-0000-7000-8000-00000000000a", "cwd": "/home/dev/mill",
            "cli_version": "0.139.0"}});
    let begin = [
        header,
        said("u1", "user", "Grind the wheat."),
        said("a1", "assistant", "Ground."),
        said("u2", "user", "Bake a stone."),
        said("a2", "assistant", "Baked."),
    ];
    let lines = |records: &[Value]| -> String {
        records.iter().map(|record| format!("{record}\n")).collect()
    };
    let name = "rollout-2026-10-05T10-00-00-019caa00-0000-7000-8000-00000000000a.jsonl";
    let mut text = lines(&begin);
    let path = program.file(name, text.as_bytes());
    program.run(&["index", &path]);
    assert!(found(&program, "kind:undone").is_empty());
    // The record comes after the turn was indexed.
    text += &lines(&[
        event(json!({"type": "thread_rolled_back", "num_turns": 1})),
        said("u3", "user", "Bake bread."),
    ]);
    let path = program.file(name, text.as_bytes());
    program.run(&["index", &path]);
    assert_eq!(found(&program, "kind:undone"), ["u2", "a2"]);
    let tree = program.run(&["tree", &path]).stdout;
    assert_eq!(tree.matches("(taken back)").count(), 2, "{tree}");
    tells(
        &program.run(&["entry", &path, "a2"]).stdout,
        &["taken back by the user"],
    );
    let context = program.json(&["context", &path]).to_string();
    assert!(
        !context.contains("stone") && context.contains("bread"),
        "{context}"
    );
}
