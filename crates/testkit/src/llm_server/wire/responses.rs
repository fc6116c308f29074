//! OpenAI Responses.

use crate::llm_server::script::{ScriptedUsage, Stop, TextReply};
use serde_json::{Value, json};

/// The response as the last event and the unstreamed answer carry it.
pub(super) fn document(model: &str, reply: &TextReply) -> Value {
    let (status, details) = match reply.stop {
        Stop::Length => ("incomplete", json!({ "reason": "max_output_tokens" })),
        Stop::ContentFilter => ("incomplete", json!({ "reason": "content_filter" })),
        Stop::Done | Stop::ToolCall | Stop::Refusal => ("completed", Value::Null),
    };
    let part = match reply.stop {
        Stop::Refusal => json!({ "type": "refusal", "refusal": "I can't help with that." }),
        _ => json!({ "type": "output_text", "text": reply.chunks.concat(), "annotations": [] }),
    };
    let mut output = vec![json!({ "id": "rs_scripted", "type": "reasoning", "summary": [] })];
    output.push(json!({
        "id": "msg_scripted", "type": "message", "role": "assistant", "status": status,
        "content": [part],
    }));
    if reply.stop == Stop::ToolCall {
        output.push(tool_call());
    }
    let mut response = json!({
        "id": "resp_scripted", "object": "response", "created_at": 0, "status": status,
        "error": null, "incomplete_details": details, "model": model, "output": output,
    });
    if let Some(figures) = reply.usage {
        response["usage"] = usage(figures);
    }
    response
}

pub(super) fn head(model: &str) -> Vec<String> {
    let response = json!({
        "id": "resp_scripted", "object": "response", "status": "in_progress", "error": null,
        "model": model, "output": [],
    });
    let item = json!({ "id": "msg_scripted", "type": "message", "role": "assistant" });
    vec![
        event("response.created", json!({ "response": response })),
        event("response.in_progress", json!({ "response": response })),
        event(
            "response.output_item.added",
            json!({ "output_index": 1, "item": item }),
        ),
        event(
            "response.content_part.added",
            json!({ "output_index": 1, "part": { "type": "output_text", "text": "" } }),
        ),
    ]
}

pub(super) fn piece(text: &str) -> String {
    event(
        "response.output_text.delta",
        json!({ "output_index": 1, "content_index": 0, "delta": text }),
    )
}

pub(super) fn tail(model: &str, reply: &TextReply) -> Vec<String> {
    let mut events = Vec::new();
    match reply.stop {
        Stop::Refusal => events.push(event(
            "response.refusal.delta",
            json!({ "output_index": 1, "delta": "I can't help with that." }),
        )),
        Stop::ToolCall => events.push(event(
            "response.output_item.added",
            json!({ "output_index": 2, "item": tool_call() }),
        )),
        _ => events.push(event(
            "response.output_text.done",
            json!({ "output_index": 1, "text": reply.chunks.concat() }),
        )),
    }
    let response = document(model, reply);
    let name = match reply.stop {
        Stop::Length | Stop::ContentFilter => "response.incomplete",
        Stop::Done | Stop::ToolCall | Stop::Refusal => "response.completed",
    };
    events.push(event(name, json!({ "response": response })));
    events
}

/// The failure of a response in the middle of its stream.
pub(super) fn failed(kind: &str, message: &str) -> String {
    let response = json!({
        "id": "resp_scripted", "object": "response", "status": "failed", "output": [],
        "error": { "code": kind, "message": message },
    });
    event("response.failed", json!({ "response": response }))
}

fn event(name: &str, mut data: Value) -> String {
    data["type"] = json!(name);
    format!("event: {name}\ndata: {data}\n\n")
}

/// OpenAI counts cached tokens inside `input_tokens`.
fn usage(figures: ScriptedUsage) -> Value {
    let input = figures.input + figures.cache_read;
    json!({
        "input_tokens": input, "output_tokens": figures.output,
        "total_tokens": input + figures.output,
        "input_tokens_details": { "cached_tokens": figures.cache_read },
        "output_tokens_details": { "reasoning_tokens": 0 },
    })
}

fn tool_call() -> Value {
    json!({ "id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "read",
        "arguments": "{\"path\":\"src/main.rs\"}" })
}
