//! OpenAI Chat Completions.

use crate::llm_server::script::{ScriptedUsage, Stop, TextReply};
use serde_json::{Value, json};

pub(super) fn document(model: &str, reply: &TextReply) -> Value {
    let mut message = json!({ "role": "assistant", "content": reply.chunks.concat() });
    if reply.stop == Stop::ToolCall {
        message["tool_calls"] = json!([tool_call()]);
    }
    let mut document = json!({
        "id": "chatcmpl-scripted", "object": "chat.completion", "created": 0, "model": model,
        "choices": [{ "index": 0, "message": message, "finish_reason": stop(reply.stop) }],
    });
    if let Some(figures) = reply.usage {
        document["usage"] = usage(figures);
    }
    document
}

pub(super) fn head(model: &str) -> Vec<String> {
    let delta = json!({ "role": "assistant", "content": "" });
    vec![chunk(
        model,
        json!([{ "index": 0, "delta": delta, "finish_reason": null }]),
    )]
}

pub(super) fn piece(model: &str, text: &str) -> String {
    chunk(
        model,
        json!([{ "index": 0, "delta": { "content": text }, "finish_reason": null }]),
    )
}

pub(super) fn chunk(model: &str, choices: Value) -> String {
    let last = json!({
        "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 0,
        "model": model, "choices": choices,
    });
    format!("data: {last}\n\n")
}

pub(super) fn tail(model: &str, reply: &TextReply, include_usage: bool) -> Vec<String> {
    let mut events = Vec::new();
    if reply.stop == Stop::ToolCall {
        let delta = json!({ "tool_calls": [tool_call()] });
        let choice = json!([{ "index": 0, "delta": delta, "finish_reason": null }]);
        events.push(chunk(model, choice));
    }
    if reply.stop == Stop::Refusal {
        let delta = json!({ "refusal": "I can't help with that." });
        let choice = json!([{ "index": 0, "delta": delta, "finish_reason": null }]);
        events.push(chunk(model, choice));
    }
    let finish = json!([{ "index": 0, "delta": {}, "finish_reason": stop(reply.stop) }]);
    events.push(chunk(model, finish));
    if let (Some(figures), true) = (reply.usage, include_usage) {
        let last = json!({
            "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 0,
            "model": model, "choices": [], "usage": usage(figures),
        });
        events.push(format!("data: {last}\n\n"));
    }
    events.push("data: [DONE]\n\n".to_owned());
    events
}

pub(super) fn stop(stop: Stop) -> &'static str {
    match stop {
        // OpenAI reports a refusal in the message, with an ordinary finish reason.
        Stop::Done | Stop::Refusal => "stop",
        Stop::Length => "length",
        Stop::ToolCall => "tool_calls",
        Stop::ContentFilter => "content_filter",
    }
}

/// OpenAI counts cached tokens inside `prompt_tokens`.
pub(super) fn usage(usage: ScriptedUsage) -> Value {
    let prompt = usage.input + usage.cache_read;
    json!({
        "prompt_tokens": prompt, "completion_tokens": usage.output,
        "total_tokens": prompt + usage.output,
        "prompt_tokens_details": { "cached_tokens": usage.cache_read },
        "completion_tokens_details": { "reasoning_tokens": 0 },
    })
}

pub(super) fn tool_call() -> Value {
    json!({ "index": 0, "id": "call_1", "type": "function",
        "function": { "name": "read", "arguments": "{\"path\":\"src/main.rs\"}" } })
}
