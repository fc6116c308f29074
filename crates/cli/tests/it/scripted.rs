//! Sessions of agents written line by line, as their programs write them.

use serde_json::{Value, json};

/// Prompts of a session, each with its answer.
pub const TURNS: usize = 8;

/// A prompt that names what no other does.
pub fn asked(number: usize, turn: usize) -> String {
    format!(
        "Please look at src/s{number}/part{turn}.rs. Never touch port {}.",
        8000 + number * 10 + turn
    )
}

/// An answer long enough to be worth a summary.
pub fn answered() -> String {
    "I looked and fixed it. ".repeat(30)
}

/// A rollout of Codex.
pub fn codex(number: usize) -> String {
    let id = format!("019caa00-0000-7000-8000-00000000000{number:x}");
    let mut lines = vec![(
        "session_meta",
        json!({
            "id": id, "timestamp": "2026-03-01T10:00:00Z", "cwd": "/home/ada/mill",
            "originator": "codex_exec", "cli_version": "0.169.0", "source": "exec",
            "model_provider": "openai",
        }),
    )];
    let message = |role: &str, kind: &str, id: String, text: String| {
        let content = json!([{ "type": kind, "text": text }]);
        json!({ "type": "message", "id": id, "role": role, "content": content })
    };
    for turn in 0..TURNS {
        let context = json!({
            "turn_id": format!("t{turn}"), "cwd": "/home/ada/mill", "model": "gpt-5.5",
            "approval_policy": "never",
        });
        lines.push(("turn_context", context));
        let prompt = message(
            "user",
            "input_text",
            format!("u{turn}"),
            asked(number, turn),
        );
        lines.push(("response_item", prompt));
        let reply = message("assistant", "output_text", format!("a{turn}"), answered());
        lines.push(("response_item", reply));
    }
    let lines = lines.into_iter().enumerate().map(|(at, (kind, payload))| {
        let time = format!("2026-03-01T10:{:02}:{:02}.000Z", at / 60, at % 60);
        json!({ "timestamp": time, "ordinal": at, "type": kind, "payload": payload }).to_string()
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// An export of OpenCode.
pub fn opencode(number: usize) -> String {
    let session = format!("ses_{number:04}");
    let mut messages = Vec::new();
    let mut add = |role: &str, text: String| {
        let at = messages.len();
        let (id, time) = (
            format!("msg_{at:04}"),
            1_700_000_000_000 + at as u64 * 1_000,
        );
        let mut info = json!({
            "id": id, "sessionID": session, "role": role, "agent": "build",
            "time": { "created": time },
        });
        let own = match role {
            "user" => json!({ "model": { "providerID": "anthropic", "modelID": "sonnet" } }),
            _ => json!({
                "modelID": "sonnet", "providerID": "anthropic", "mode": "build",
                "parentID": format!("msg_{:04}", at - 1), "finish": "stop", "cost": 0,
                "path": { "cwd": "/home/ada/mill", "root": "/home/ada/mill" },
                "time": { "created": time, "completed": time + 500 },
                "tokens": {
                    "input": 900, "output": 20, "reasoning": 0,
                    "cache": { "read": 0, "write": 0 },
                },
            }),
        };
        merge(&mut info, own);
        let part = json!({
            "id": format!("prt_{at:04}"), "sessionID": session, "messageID": id,
            "type": "text", "text": text,
        });
        messages.push(json!({ "info": info, "parts": [part] }));
    };
    for turn in 0..TURNS {
        add("user", asked(number, turn));
        add("assistant", answered());
    }
    let info = json!({
        "id": session, "version": "1.1.65", "projectID": "global",
        "directory": "/home/ada/mill", "title": format!("Mill {number}"),
        "time": { "created": 1_700_000_000_000_u64, "updated": 1_700_000_060_000_u64 },
    });
    json!({ "info": info, "messages": messages }).to_string()
}

fn merge(into: &mut Value, more: Value) {
    if let (Some(into), Value::Object(more)) = (into.as_object_mut(), more) {
        into.extend(more);
    }
}
