//! Anthropic Messages.

use crate::llm_server::script::{ScriptedUsage, Stop, TextReply};
use serde_json::{Value, json};

pub(super) fn document(model: &str, reply: &TextReply) -> Value {
    let mut content = vec![json!({ "type": "text", "text": reply.chunks.concat() })];
    if reply.stop == Stop::ToolCall {
        content.push(tool_use());
    }
    json!({
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": model,
        "content": content, "stop_reason": stop(reply.stop), "stop_sequence": null,
        "usage": reply.usage.map(usage).unwrap_or_default(),
    })
}

pub(super) fn head(model: &str, reply: &TextReply) -> Vec<String> {
    let mut message = json!({
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": model,
        "content": [], "stop_reason": null, "stop_sequence": null,
    });
    if let Some(figures) = reply.usage {
        message["usage"] = usage(ScriptedUsage {
            output: 1,
            ..figures
        });
    }
    let block = json!({ "index": 0, "content_block": { "type": "text", "text": "" } });
    vec![
        event("message_start", json!({ "message": message })),
        event("content_block_start", block),
        event("ping", json!({})),
    ]
}

pub(super) fn piece(text: &str) -> String {
    let delta = json!({ "type": "text_delta", "text": text });
    event("content_block_delta", json!({ "index": 0, "delta": delta }))
}

pub(super) fn event(name: &str, mut data: Value) -> String {
    data["type"] = json!(name);
    format!("event: {name}\ndata: {data}\n\n")
}

pub(super) fn tail(reply: &TextReply) -> Vec<String> {
    let mut events = vec![event("content_block_stop", json!({ "index": 0 }))];
    if reply.stop == Stop::ToolCall {
        let start = json!({ "index": 1, "content_block": tool_use() });
        events.push(event("content_block_start", start));
        events.push(event("content_block_stop", json!({ "index": 1 })));
    }
    let mut delta = json!({
        "delta": { "stop_reason": stop(reply.stop), "stop_sequence": null },
    });
    if let Some(usage) = reply.usage {
        delta["usage"] = json!({ "output_tokens": usage.output });
    }
    events.push(event("message_delta", delta));
    events.push(event("message_stop", json!({})));
    events
}

pub(super) fn stop(stop: Stop) -> &'static str {
    match stop {
        Stop::Done => "end_turn",
        Stop::Length => "max_tokens",
        Stop::ToolCall => "tool_use",
        Stop::Refusal | Stop::ContentFilter => "refusal",
    }
}

pub(super) fn usage(usage: ScriptedUsage) -> Value {
    json!({
        "input_tokens": usage.input, "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cache_read, "cache_creation_input_tokens": 0,
    })
}

pub(super) fn tool_use() -> Value {
    json!({ "type": "tool_use", "id": "toolu_1", "name": "read", "input": { "path": "src/main.rs" } })
}
