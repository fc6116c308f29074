//! What the ledger of a compaction that the session holds is made from.

use super::Bench;
use crate::summary::Material;
use palimpsest_core::ledger::FactKind;
use palimpsest_llm::ProviderKind;
use serde_json::{Value, json};

/// A session of Claude Code with a compaction at a recorded size.
pub(super) fn compacted(recorded: u64, queue: &[Value]) -> String {
    let mut text = String::new();
    let mut above = Value::Null;
    let mut line = |rest: Value| {
        let id = format!("00000000-0000-4000-8000-{:012}", text.lines().count());
        let mut record = json!({
            "uuid": id, "parentUuid": above, "sessionId": "s", "cwd": "/w", "version": "2.1.0",
            "isSidechain": false, "timestamp": "2026-01-01T00:00:00.000Z",
        });
        let object = record.as_object_mut().unwrap();
        object.extend(rest.as_object().unwrap().clone());
        if rest["type"] == "queue-operation" {
            object.remove("uuid");
            object.remove("parentUuid");
        } else {
            above = json!(id);
        }
        text += &format!("{record}\n");
    };
    line(
        json!({"type": "user", "message": {"role": "user", "content": "Please fix src/part.rs."}}),
    );
    for operation in queue {
        line(operation.clone());
    }
    let reply = json!([{"type": "text", "text": "It is fixed in src/part.rs."}]);
    line(
        json!({"type": "assistant", "message": {"id": "m", "role": "assistant", "content": reply}}),
    );
    line(json!({
        "type": "system", "subtype": "compact_boundary", "content": "Conversation compacted",
        "compactMetadata": {"trigger": "auto", "preTokens": recorded},
    }));
    line(json!({
        "type": "user", "isCompactSummary": true,
        "message": {"role": "user", "content": "A part was fixed."},
    }));
    text
}

fn material(text: &str) -> Material {
    let bench = Bench::new(ProviderKind::OpenAi);
    let path = bench.home.add_file("s.jsonl", text.as_bytes()).unwrap();
    let open = bench.app.open(&path.display().to_string()).unwrap();
    Material::of_compaction(&open, None).unwrap()
}

#[test]
fn a_source_far_smaller_than_recorded_has_no_retention() {
    let material_of = |recorded| material(&compacted(recorded, &[]));
    let whole = material_of(20_000);
    assert_eq!(whole.incomplete, None);
    assert!(whole.ledger().totals.retention.is_some());
    let part = material_of(160_000);
    assert_eq!(part.incomplete, Some(160_000));
    assert_eq!(part.ledger().totals.retention, None);
    assert!(part.title.contains("not in the file"), "{}", part.title);
}

#[test]
fn a_prompt_passed_on_while_the_agent_worked_is_the_users() {
    let operation = |name: &str, content: &str| json!({"type": "queue-operation", "operation": name, "content": content});
    let queue = [
        operation("enqueue", "Never touch src/other.rs."),
        operation("remove", ""),
        operation("enqueue", "Always ask me first."),
        operation("popAll", "Always ask me first."),
    ];
    let ledger = material(&compacted(20_000, &queue)).ledger();
    let limits = ledger
        .facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Constraint);
    let texts: Vec<&str> = limits.map(|fact| fact.text.as_str()).collect();
    assert_eq!(texts, ["Never touch src/other.rs."]);
}

/// A session of OpenCode, in which one message holds a call and its result.
fn compacted_opencode(output: &str) -> String {
    let message = |id: &str, role: &str, mut parts: Value, more: Value| {
        for part in parts.as_array_mut().unwrap() {
            part["sessionID"] = json!("ses_1");
            part["messageID"] = json!(id);
        }
        let mut info = json!({
            "id": id, "sessionID": "ses_1", "role": role, "time": {"created": 1}, "agent": "build",
            "modelID": "m", "providerID": "p",
        });
        let own = info.as_object_mut().unwrap();
        own.extend(more.as_object().unwrap().clone());
        json!({"info": info, "parts": parts})
    };
    let text = |said: &str| json!({"id": said, "type": "text", "text": said});
    let call = json!({
        "id": "prt_c", "type": "tool", "callID": "c", "tool": "bash",
        "state": {"status": "completed", "input": {"command": "ls"}, "output": output, "title": "ls"},
    });
    let step = json!({"id": "prt_s", "type": "step-start"});
    let session = json!({
        "info": {"id": "ses_1", "title": "t", "version": "1.18.33", "time": {"created": 1}},
        "messages": [
            message("msg_1", "user", json!([text("Look at the files.")]), json!({})),
            message("msg_2", "assistant", json!([step, text("I look."), call]), json!({"parentID": "msg_1"})),
            message("msg_3", "user", json!([{"id": "prt_k", "type": "compaction", "auto": false}]), json!({})),
            message("msg_4", "assistant", json!([text("Looked at the files.")]), json!({"parentID": "msg_3", "summary": true, "mode": "compaction", "agent": "compaction", "finish": "stop"})),
        ],
    });
    session.to_string()
}

#[test]
fn the_size_of_a_span_has_every_item_of_an_entry() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let size = |name: &str, output: &str| {
        let text = compacted_opencode(output);
        let path = bench.home.add_file(name, text.as_bytes()).unwrap();
        let open = bench.app.open(&path.display().to_string()).unwrap();
        Material::of_compaction(&open, None).unwrap().span_tokens()
    };
    let short = size("a.export.json", "one");
    let long = size("b.export.json", &"src/part.rs ".repeat(1_000));
    // Four characters are about a token.
    assert!(long > short + 2_500, "{short} and {long}");
}
