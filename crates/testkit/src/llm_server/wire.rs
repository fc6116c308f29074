//! The bytes of both APIs: OpenAI Chat Completions and Anthropic Messages.
//!
//! Shapes are those of the two public API references as of 2026; `id` and `created` are constant
//! because nothing may depend on them.

use super::script::{Ending, ScriptedUsage, Stop, TextReply};
use serde_json::{Value, json};

/// Which API a request speaks, told by the end of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Api {
    OpenAi,
    Anthropic,
}

impl Api {
    /// The whole answer as one JSON document, for requests that do not stream.
    pub(super) fn document(self, model: &str, reply: &TextReply) -> Value {
        let text = reply.chunks.concat();
        match self {
            Api::OpenAi => {
                let mut message = json!({ "role": "assistant", "content": text });
                if reply.stop == Stop::ToolCall {
                    message["tool_calls"] = json!([openai_tool_call()]);
                }
                let mut document = json!({
                    "id": "chatcmpl-scripted", "object": "chat.completion", "created": 0,
                    "model": model,
                    "choices": [{
                        "index": 0, "message": message, "finish_reason": openai_stop(reply.stop),
                    }],
                });
                if let Some(usage) = reply.usage {
                    document["usage"] = openai_usage(usage);
                }
                document
            }
            Api::Anthropic => {
                let mut content = vec![json!({ "type": "text", "text": text })];
                if reply.stop == Stop::ToolCall {
                    content.push(anthropic_tool_use());
                }
                json!({
                    "id": "msg_scripted", "type": "message", "role": "assistant", "model": model,
                    "content": content, "stop_reason": anthropic_stop(reply.stop),
                    "stop_sequence": null,
                    "usage": reply.usage.map(anthropic_usage).unwrap_or_default(),
                })
            }
        }
    }

    /// Events before the first piece of text.
    pub(super) fn head(self, model: &str, reply: &TextReply) -> Vec<String> {
        match self {
            Api::OpenAi => vec![openai_chunk(
                model,
                json!([{ "index": 0, "delta": { "role": "assistant", "content": "" },
                    "finish_reason": null }]),
            )],
            Api::Anthropic => {
                let mut message = json!({
                    "id": "msg_scripted", "type": "message", "role": "assistant", "model": model,
                    "content": [], "stop_reason": null, "stop_sequence": null,
                });
                if let Some(usage) = reply.usage {
                    message["usage"] = anthropic_usage(ScriptedUsage { output: 1, ..usage });
                }
                vec![
                    anthropic_event("message_start", json!({ "message": message })),
                    anthropic_event(
                        "content_block_start",
                        json!({ "index": 0, "content_block": { "type": "text", "text": "" } }),
                    ),
                    anthropic_event("ping", json!({})),
                ]
            }
        }
    }

    /// The event for one piece of text.
    pub(super) fn piece(self, model: &str, text: &str) -> String {
        match self {
            Api::OpenAi => openai_chunk(
                model,
                json!([{ "index": 0, "delta": { "content": text }, "finish_reason": null }]),
            ),
            Api::Anthropic => anthropic_event(
                "content_block_delta",
                json!({ "index": 0, "delta": { "type": "text_delta", "text": text } }),
            ),
        }
    }

    /// Events after the last piece of text, as far as the ending lets them come.
    pub(super) fn tail(self, model: &str, reply: &TextReply, include_usage: bool) -> Vec<String> {
        match &reply.ending {
            Ending::Complete => match self {
                Api::OpenAi => openai_tail(model, reply, include_usage),
                Api::Anthropic => anthropic_tail(reply),
            },
            Ending::Closed | Ending::Truncated | Ending::Stalled => Vec::new(),
            Ending::Malformed => vec!["data: {\"choices\": [{\"delta\":\n\n".to_owned()],
            Ending::Error { kind, message } => {
                let error = json!({ "type": kind, "code": kind, "message": message });
                match self {
                    Api::OpenAi => vec![format!("data: {}\n\n", json!({ "error": error }))],
                    Api::Anthropic => vec![anthropic_event("error", json!({ "error": error }))],
                }
            }
        }
    }

    /// The list of models.
    pub(super) fn models(self, names: &[&str]) -> Value {
        let data = names.iter().map(|name| match self {
            Api::OpenAi => json!({ "id": name, "object": "model", "owned_by": "scripted" }),
            Api::Anthropic => json!({ "id": name, "type": "model", "display_name": name }),
        });
        json!({ "object": "list", "data": data.collect::<Vec<_>>(), "has_more": false })
    }
}

fn openai_chunk(model: &str, choices: Value) -> String {
    let chunk = json!({
        "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 0,
        "model": model, "choices": choices,
    });
    format!("data: {chunk}\n\n")
}

fn openai_tail(model: &str, reply: &TextReply, include_usage: bool) -> Vec<String> {
    let mut events = Vec::new();
    if reply.stop == Stop::ToolCall {
        let delta = json!({ "tool_calls": [openai_tool_call()] });
        let choice = json!([{ "index": 0, "delta": delta, "finish_reason": null }]);
        events.push(openai_chunk(model, choice));
    }
    if reply.stop == Stop::Refusal {
        let delta = json!({ "refusal": "I can't help with that." });
        let choice = json!([{ "index": 0, "delta": delta, "finish_reason": null }]);
        events.push(openai_chunk(model, choice));
    }
    let finish = json!([{ "index": 0, "delta": {}, "finish_reason": openai_stop(reply.stop) }]);
    events.push(openai_chunk(model, finish));
    if let (Some(usage), true) = (reply.usage, include_usage) {
        let chunk = json!({
            "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 0,
            "model": model, "choices": [], "usage": openai_usage(usage),
        });
        events.push(format!("data: {chunk}\n\n"));
    }
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn openai_stop(stop: Stop) -> &'static str {
    match stop {
        // OpenAI reports a refusal in the message, with an ordinary finish reason.
        Stop::Done | Stop::Refusal => "stop",
        Stop::Length => "length",
        Stop::ToolCall => "tool_calls",
        Stop::ContentFilter => "content_filter",
    }
}

/// OpenAI counts cached tokens inside `prompt_tokens`.
fn openai_usage(usage: ScriptedUsage) -> Value {
    let prompt = usage.input + usage.cache_read;
    json!({
        "prompt_tokens": prompt, "completion_tokens": usage.output,
        "total_tokens": prompt + usage.output,
        "prompt_tokens_details": { "cached_tokens": usage.cache_read },
        "completion_tokens_details": { "reasoning_tokens": 0 },
    })
}

fn openai_tool_call() -> Value {
    json!({ "index": 0, "id": "call_1", "type": "function",
        "function": { "name": "read", "arguments": "{\"path\":\"src/main.rs\"}" } })
}

fn anthropic_event(name: &str, mut data: Value) -> String {
    data["type"] = json!(name);
    format!("event: {name}\ndata: {data}\n\n")
}

fn anthropic_tail(reply: &TextReply) -> Vec<String> {
    let mut events = vec![anthropic_event("content_block_stop", json!({ "index": 0 }))];
    if reply.stop == Stop::ToolCall {
        let start = json!({ "index": 1, "content_block": anthropic_tool_use() });
        events.push(anthropic_event("content_block_start", start));
        events.push(anthropic_event("content_block_stop", json!({ "index": 1 })));
    }
    let mut delta = json!({
        "delta": { "stop_reason": anthropic_stop(reply.stop), "stop_sequence": null },
    });
    if let Some(usage) = reply.usage {
        delta["usage"] = json!({ "output_tokens": usage.output });
    }
    events.push(anthropic_event("message_delta", delta));
    events.push(anthropic_event("message_stop", json!({})));
    events
}

fn anthropic_stop(stop: Stop) -> &'static str {
    match stop {
        Stop::Done => "end_turn",
        Stop::Length => "max_tokens",
        Stop::ToolCall => "tool_use",
        Stop::Refusal | Stop::ContentFilter => "refusal",
    }
}

fn anthropic_usage(usage: ScriptedUsage) -> Value {
    json!({
        "input_tokens": usage.input, "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cache_read, "cache_creation_input_tokens": 0,
    })
}

fn anthropic_tool_use() -> Value {
    json!({ "type": "tool_use", "id": "toolu_1", "name": "read", "input": { "path": "src/main.rs" } })
}
