//! What an entry is found by that other records tell: calls, files of commands, things to do,
//! neighbours, subagents.

use super::kinds::{calls, header, result};
use super::*;
use serde_json::{Value, json};

/// An index over one file, written and read in two parts and once more as a whole.
pub(super) fn both(name: &str, lines: &[Value], first: usize) -> (tempfile::TempDir, [IndexDb; 2]) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let grown = IndexDb::init_in_memory().unwrap();
    for count in [first, lines.len()] {
        let lines: Vec<String> = lines[..count].iter().map(Value::to_string).collect();
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        run(&grown, std::slice::from_ref(&path), &Control::QUIET).unwrap();
    }
    let fresh = IndexDb::init_in_memory().unwrap();
    run(&fresh, &[path], &Control::QUIET).unwrap();
    (dir, [grown, fresh])
}

pub(super) fn ids(db: &IndexDb, query: &str) -> Vec<String> {
    let page = search(db, None, query, HitSort::Oldest, 0, 50).unwrap();
    assert_eq!(page.not_understood, Vec::<String>::new(), "{query}");
    page.hits.into_iter().map(|hit| hit.entry_id).collect()
}

pub(super) fn check(dbs: &[IndexDb], cases: &[(&str, &[&str])]) {
    for (query, expected) in cases {
        for db in dbs {
            assert_eq!(ids(db, query), *expected, "{query}");
        }
    }
}

pub(super) fn total(db: &IndexDb, query: &str) -> u64 {
    let page = listed(db, query, SessionSort::Updated);
    assert_eq!(page.not_understood, Vec::<String>::new(), "{query}");
    page.total
}

/// A record of Claude Code.
pub(super) fn record(id: u32, role: &str, content: Value) -> Value {
    json!({"type": role, "uuid": format!("e{id}"), "sessionId": "s", "cwd": "/home/dev/s",
        "parentUuid": (id > 1).then(|| format!("e{}", id - 1)), "version": "2.1.20",
        "timestamp": format!("2026-10-05T10:00:{id:02}.000Z"),
        "message": {"role": role, "content": content, "id": format!("m{id}"),
            "model": "claude-opus-4-5"}})
}

pub(super) fn calling(id: u32, tool: &str, input: Value) -> Value {
    let call = json!([{"type": "tool_use", "id": format!("c{id}"), "name": tool, "input": input}]);
    record(id, "assistant", call)
}

pub(super) fn answering(id: u32, text: &str, failed: bool) -> Value {
    let result = json!([{"type": "tool_result", "tool_use_id": format!("c{}", id - 1),
        "content": text, "is_error": failed}]);
    record(id, "user", result)
}

const REFUSED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected \
    (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing \
    and wait for the user to tell you how to proceed.";

#[test]
fn a_failed_or_rejected_result_is_found_by_the_call_shown_before_it() {
    let edit = json!({"file_path": "/home/dev/s/scripts/migrate.sh", "old_string": "a",
        "new_string": "b"});
    let records = [
        record(1, "user", json!("Please go on.")),
        calling(2, "Edit", edit.clone()),
        answering(3, REFUSED, true),
        calling(
            4,
            "ExitPlanMode",
            json!({"plan": "# Plan: one barge\n\nBuild it."}),
        ),
        answering(5, REFUSED, true),
        calling(
            6,
            "Bash",
            json!({"command": "agent --dangerously-fast && true", "description": "x"}),
        ),
        answering(7, REFUSED, true),
        calling(8, "Edit", edit),
        answering(9, "String to replace not found.", true),
        calling(10, "Grep", json!({"pattern": "quay", "path": "src"})),
        answering(11, "No files", false),
    ];
    let (_dir, dbs) = both("s.jsonl", &records, 4);
    check(
        &dbs,
        &[
            ("kind:rejected file:migrate.sh", &["e3"]),
            ("kind:rejected file:migrate.sh tool:Edit", &["e3"]),
            ("kind:rejected plan", &["e5"]),
            ("kind:rejected \"plan: one barge\"", &["e5"]),
            ("kind:rejected \"one plan\"", &[]),
            ("kind:rejected dangerously", &["e7"]),
            ("kind:rejected -dangerously -plan", &["e3"]),
            ("kind:rejected cmd:\"dangerously-fast\"", &["e7"]),
            ("kind:error tool:edit file:migrate.sh", &["e9"]),
            ("kind:error migrate", &["e9"]),
            ("kind:plan", &["e4", "e5"]),
            // What went well is shown by its own words.
            ("kind:result quay", &[]),
        ],
    );
}

#[test]
fn the_first_reading_after_a_compaction_is_found_whatever_came_between() {
    let compaction = |id: u32| {
        json!({"type": "compaction", "id": format!("e{id}"), "parentId": format!("e{}", id - 1),
            "timestamp": format!("2026-10-05T10:00:{id:02}.000Z"), "summary": "They read files.",
            "firstKeptEntryId": format!("e{}", id - 1), "tokensBefore": 900})
    };
    let shell = |id: u32, command: &str| calls(id, "bash", json!({"command": command}));
    let read = |id: u32, path: &str| calls(id, "read", json!({"path": path}));
    let edit = |id: u32| {
        calls(
            id,
            "edit",
            json!({"path": "a.rs", "oldText": "x", "newText": "y"}),
        )
    };
    let text = header("again")
        + &line(1, 0, "user", "look")
        + &read(2, "a.rs")
        + &shell(3, "cat docs/b.md && grep -n x src/c.rs")
        + &format!("{}\n", compaction(4))
        + &edit(5)
        + &read(6, "a.rs")
        + &read(7, "a.rs")
        + &shell(8, "sed -n '1,20p' ./docs/b.md | head -3")
        + &shell(9, "cat src/c.rs")
        + &shell(10, "cat docs/b.md")
        + &format!("{}\n", compaction(11))
        + &shell(12, "cd /home/dev/again && tail -5 docs/b.md")
        + &read(13, "/home/dev/again/a.rs");
    let records: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (_dir, dbs) = both("again.jsonl", &records, 6);
    check(&dbs, &[("kind:reread", &["e6", "e8", "e12", "e13"])]);
}

#[test]
fn files_of_shell_commands_are_found_with_their_results() {
    let shell = |id: u32, command: &str| calls(id, "bash", json!({"command": command}));
    let text = header("shell")
        + &line(1, 0, "user", "look at tally.py")
        + &shell(2, "cat tally.py")
        + &result(3, "bash", "import sys")
        + &shell(
            4,
            "cat > check.py <<'EOF'\nopen('README.md')\nEOF\npython3 tally.py",
        )
        + &result(5, "bash", "done")
        + &shell(6, "sed -i 's/a.txt/b.txt/' src/count.py")
        + &result(7, "bash", "done");
    let records: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (_dir, dbs) = both("shell.jsonl", &records, 3);
    check(
        &dbs,
        &[
            ("file:tally.py", &["e2", "e3"]),
            ("file:tally.py kind:result", &["e3"]),
            ("file:check.py kind:call", &["e4"]),
            ("file:src/count.py kind:call", &["e6"]),
            ("file:README.md", &[]),
            ("file:a.txt", &[]),
        ],
    );
    for db in &dbs {
        assert_eq!(total(db, "file:src/count.py"), 1);
        assert_eq!(total(db, "path:check.py"), 1);
        assert_eq!(total(db, "path:README"), 0);
    }
}

#[test]
fn a_result_is_of_the_file_and_command_of_its_call() {
    let edit = |id: u32, path: &str| {
        calling(
            id,
            "Edit",
            json!({"file_path": path, "old_string": "a", "new_string": "b"}),
        )
    };
    let records = [
        record(1, "user", json!("Please go on.")),
        edit(2, "/home/dev/s/explain_test.go"),
        answering(3, "It has been updated.", false),
        edit(4, "/home/dev/s/explain.go"),
        answering(5, "It has been updated.", false),
        calling(
            6,
            "Bash",
            json!({"command": "git commit -F - <<'EOF'\ncargo test passes\nEOF"}),
        ),
        answering(7, "[main 1a2b3c4]", false),
        calling(8, "Bash", json!({"command": "cargo test"})),
        answering(9, "ok", false),
    ];
    let (_dir, dbs) = both("s.jsonl", &records, 4);
    check(
        &dbs,
        &[
            ("file:explain.go", &["e4", "e5"]),
            ("file:explain_test.go", &["e2", "e3"]),
            ("cmd:test", &["e8", "e9"]),
            ("cmd:\"cargo test\"", &["e8", "e9"]),
            ("cmd:\"git commit\"", &["e6", "e7"]),
        ],
    );
}

#[test]
fn the_last_list_that_leaves_something_open_is_found() {
    let list = |states: [&str; 2]| {
        json!({"todos": [
            {"content": "Moor the barge", "status": states[0], "activeForm": "Mooring"},
            {"content": "Paint the quay", "status": states[1], "activeForm": "Painting"}]})
    };
    let records = [
        record(1, "user", json!("Please go on.")),
        calling(2, "TodoWrite", list(["in_progress", "pending"])),
        answering(3, "Todos have been modified", false),
        calling(4, "TodoWrite", list(["completed", "pending"])),
        answering(5, "Todos have been modified", false),
        calling(6, "TodoWrite", list(["completed", "completed"])),
    ];
    let open = [
        "kind:open-todo",
        "kind:open-todo paint",
        "kind:open-todo kind:todo kind:call",
    ];
    for (count, expected) in [(3, &["e2"][..]), (5, &["e4"]), (6, &[])] {
        let (_dir, dbs) = both("s.jsonl", &records[..count], 3);
        check(&dbs, &[(open[0], expected), (open[1], expected)]);
        for db in &dbs {
            assert_eq!(total(db, "has:open-todo"), expected.len() as u64, "{count}");
            assert_eq!(
                total(db, "-has:open-todo"),
                1 - expected.len() as u64,
                "{count}"
            );
            assert_eq!(
                total(db, "kind:open-todo"),
                expected.len() as u64,
                "{count}"
            );
        }
    }
    let (_dir, dbs) = both("s.jsonl", &records[..5], 3);
    check(
        &dbs,
        &[
            ("kind:todo -kind:open-todo", &["e2"]),
            ("kind:open-todo kind:user", &["e1", "e4"]),
        ],
    );
}

#[test]
fn a_task_that_is_changed_by_its_number_is_found_by_its_name() {
    let records = [
        record(1, "user", json!("Please go on.")),
        calling(
            2,
            "TaskCreate",
            json!({"subject": "Moor the barge", "description": "At [once]."}),
        ),
        answering(3, "Task #1 created successfully: Moor the barge", false),
        calling(
            4,
            "TaskCreate",
            json!({"subject": "Paint the quay", "description": "Later."}),
        ),
        answering(5, "Task #2 created successfully: Paint the quay", false),
        calling(
            6,
            "TaskUpdate",
            json!({"taskId": "1", "status": "in_progress"}),
        ),
        answering(7, "Updated task #1 status", false),
        calling(
            8,
            "TaskUpdate",
            json!({"taskId": "1", "status": "completed"}),
        ),
        answering(9, "Updated task #1 status", false),
    ];
    let (_dir, dbs) = both("s.jsonl", &records, 5);
    check(
        &dbs,
        &[
            ("kind:todo barge", &["e2", "e6", "e8"]),
            ("kind:todo \"moor the barge\" completed", &["e8"]),
            ("kind:open-todo", &["e4"]),
        ],
    );
    let page = search(&dbs[0], None, "kind:todo completed", HitSort::Newest, 0, 5).unwrap();
    let shown = &page.hits[0].snippet;
    assert!(
        shown.contains("completed") && shown.contains("Moor the barge"),
        "{shown}"
    );
}

#[test]
fn a_subagent_and_a_list_of_all_close_tasks_too() {
    let create = |id: u32, subject: &str| {
        calling(
            id,
            "TaskCreate",
            json!({"subject": subject, "description": "Later."}),
        )
    };
    let made = |id: u32, number: u32| {
        answering(
            id,
            &format!("Task #{number} created successfully: x"),
            false,
        )
    };
    let mut records = vec![
        record(1, "user", json!("Please go on.")),
        create(2, "Moor the barge"),
        made(3, 1),
        create(4, "Paint the quay"),
        made(5, 2),
        create(6, "Sweep the deck"),
        made(7, 3),
    ];
    let open = |records: &[Value], expected: &[&str]| {
        let (_dir, dbs) = both("s.jsonl", records, 4);
        check(&dbs, &[("kind:open-todo", expected)]);
    };
    open(&records, &["e2", "e4", "e6"]);
    let mut reported = calling(
        8,
        "TaskUpdate",
        json!({"taskId": "1", "status": "completed"}),
    );
    let message = reported["message"].take();
    reported["type"] = json!("progress");
    reported["toolUseID"] = json!("agent_m1");
    reported["parentToolUseID"] = json!("c7");
    reported["data"] = json!({"type": "agent_progress", "agentId": "a1", "prompt": "Moor it.",
        "message": {"type": "assistant", "uuid": "s8", "message": message}});
    records.push(reported);
    open(&records, &["e4", "e6"]);
    records.push(calling(9, "TaskList", json!({})));
    let listed =
        "#1 [completed] Moor the barge\n#2 [completed] Paint the quay\n#3 [pending] Sweep the deck";
    records.push(answering(10, listed, false));
    open(&records, &["e6"]);
}

#[test]
fn an_entry_without_a_time_has_that_of_its_neighbour() {
    let say = |id: u32, second: u32, role: &str, text: &str| {
        json!({"type": "message", "id": format!("e{id}"), "parentId": null,
            "timestamp": format!("2026-10-05T10:00:{second:02}.000Z"),
            "message": {"role": role, "content": [{"type": "text", "text": text}]}})
    };
    let outcome = |turn: &str, reason: &str| json!({"type": "agent_turn_outcome", "turnId": turn, "reason": reason, "resultKind": "text"});
    let records = [
        json!({"type": "session_start", "id": "0a1b2c3d-0000-4000-8000-000000000001",
            "title": "barge", "owner": "dev", "version": 2, "cwd": "/home/dev/barge"}),
        outcome("t0", "cancelled"),
        say(1, 10, "user", "Tell of a barge."),
        outcome("t1", "cancelled"),
        say(2, 20, "user", "Request interrupted by user"),
        outcome("t2", "cancelled"),
        say(3, 30, "user", "Go on."),
    ];
    let (_dir, dbs) = both("0a1b2c3d-0000-4000-8000-000000000001.jsonl", &records, 4);
    let base = 1_791_194_400_000_i64;
    for db in &dbs {
        let page = search(db, None, "kind:aborted", HitSort::Newest, 0, 9).unwrap();
        let seconds: Vec<i64> = page
            .hits
            .iter()
            .map(|hit| (hit.at_ms.unwrap() - base) / 1_000)
            .collect();
        assert_eq!(seconds, [20, 20, 10, 10]);
        assert!(page.hits.iter().any(|hit| hit.entry_id == "e2"));
        assert_eq!(
            ids(db, "kind:aborted after:2026-10-06"),
            Vec::<String>::new()
        );
    }
}

#[test]
fn what_a_subagent_wrote_is_found_by_its_name() {
    let event = |id: u32, kind: &str, agent: &str, data: Value| {
        let mut event = json!({"type": kind, "id": format!("e{id}"), "data": data,
            "parentId": format!("e{}", id - 1),
            "timestamp": format!("2026-10-05T10:00:{id:02}.000Z")});
        if !agent.is_empty() {
            event["agentId"] = agent.into();
        }
        event
    };
    let task = |call: &str, name: &str| {
        json!({"toolCallId": call, "name": "task", "type": "function",
            "arguments": {"prompt": "Look.", "name": name, "agent_type": "explore"}})
    };
    let started = |call: &str, name: &str| json!({"toolCallId": call, "agentName": "explore", "agentDisplayName": name});
    let said = |text: &str| json!({"content": text, "toolRequests": []});
    let done = |call: &str, text: &str| json!({"toolCallId": call, "success": true, "result": {"content": text}});
    let records = [
        event(
            1,
            "session.start",
            "",
            json!({"sessionId": "sub", "version": 1,
            "copilotVersion": "1.0.102", "context": {"cwd": "/home/dev/sub"}}),
        ),
        event(2, "user.message", "", json!({"content": "Survey it."})),
        event(
            3,
            "assistant.message",
            "",
            json!({"content": "Two look.",
            "toolRequests": [task("c1", "scout"), task("c2", "pilot")]}),
        ),
        event(4, "subagent.started", "a1", started("c1", "scout")),
        event(5, "subagent.started", "a2", started("c2", "pilot")),
        event(6, "assistant.turn_start", "a1", json!({"turnId": "0"})),
        event(7, "assistant.message", "a1", said("It counts words.")),
        event(8, "assistant.message", "a2", said("It counts lines.")),
        event(
            9,
            "tool.execution_complete",
            "",
            done("c1", "Words, says the first."),
        ),
        event(
            10,
            "assistant.message",
            "",
            said("It counts words and lines."),
        ),
    ];
    let (_dir, dbs) = both("sub/events.jsonl", &records, 5);
    check(
        &dbs,
        &[
            ("scout counts words", &["e7"]),
            ("pilot counts", &["e8"]),
            ("kind:subagent counts", &["e7", "e8"]),
            ("kind:subagent kind:user counts", &["e7", "e8"]),
            ("kind:subagent scout kind:call", &["e3", "e4", "e7", "e9"]),
            ("kind:subagent turn", &[]),
        ],
    );
    for db in &dbs {
        assert_eq!(
            (total(db, "has:subagent"), total(db, "-has:subagent")),
            (1, 0)
        );
    }
}

#[test]
fn a_short_word_and_the_value_of_a_filter_are_found_near_their_spelling() {
    let records = [
        record(
            1,
            "user",
            json!("This is the wrong chunk, and the wrong file."),
        ),
        record(2, "assistant", json!("A wrung towel.")),
        record(3, "user", json!("Still wrong.")),
        calling(
            4,
            "Bash",
            json!({"command": "pytest -q; cat condensation_test.py"}),
        ),
        calling(5, "Bash", json!({"command": "python3 -m unittest"})),
    ];
    let (_dir, dbs) = both("a.jsonl", &records, 2);
    for (query, expected) in [
        ("chnk", &["chunk"][..]),
        // What most entries have comes first.
        ("wrnng", &["wrong", "wrung"]),
        ("tool:bsh", &["tool:bash"]),
        ("cmd:pytst", &["cmd:pytest"]),
        ("cmd:test python3", &["cmd:unittest python3"]),
        ("file:condensaton_test.py", &["file:condensation_test.py"]),
        ("-tool:bsh nothing", &[]),
    ] {
        for db in &dbs {
            let page = search(db, None, query, HitSort::Newest, 0, 50).unwrap();
            let changed = page
                .wider
                .changes
                .iter()
                .filter(|own| own.instead.is_some());
            let queries: Vec<&str> = changed.map(|own| &*own.query).collect();
            assert_eq!(queries, expected, "{query}");
        }
    }
}
