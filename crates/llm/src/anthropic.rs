//! Anthropic Messages: the request, and how its stream and its documents are read.

use crate::error::Fault;
use crate::messages;
use crate::reply::GrowingReply;
use crate::sse::SseEvent;
use crate::status::{excerpt, fault_of_error};
use palimpsest_core::call::{ModelRequest, StopReason};
use serde_json::{Value, json};

/// Path of the endpoint under the base URL.
pub(crate) const PATH: &str = "messages";
/// The version of the API, sent with every request; the only one there has been since 2023.
pub(crate) const VERSION: &str = "2023-06-01";

/// The request's body. The API demands an output limit: without one the model's own is used, as
/// far as it can be told from its name.
pub(crate) fn body(request: &ModelRequest) -> Value {
    let limit = request
        .max_output_tokens
        .unwrap_or_else(|| default_limit(&request.model));
    let mut body = json!({
        "model": request.model,
        "max_tokens": limit,
        "messages": messages::anthropic(request),
        "stream": true,
    });
    // The API refuses calls of tools that a request does not declare.
    let tools = messages::tools_called(request);
    if !tools.is_empty() {
        let declared = tools.iter().map(|name| {
            let schema = json!({ "type": "object" });
            json!({ "name": name, "input_schema": schema })
        });
        body["tools"] = declared.collect();
        body["tool_choice"] = json!({ "type": "none" });
    }
    if !request.system.is_empty() {
        body["system"] = json!(request.system);
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    body
}

/// Output limits in tokens from Anthropic's model overview: 4096 for Claude 3, 8192 for 3.5, and
/// at least 32,000 for everything after.
fn default_limit(model: &str) -> u64 {
    if ["claude-3-opus", "claude-3-sonnet", "claude-3-haiku"]
        .iter()
        .any(|old| model.contains(old))
    {
        4_096
    } else if model.contains("claude-3-5") {
        8_192
    } else {
        32_000
    }
}

/// Reads one event into the reply and returns the text it added.
pub(crate) fn read_event(event: &SseEvent, reply: &mut GrowingReply) -> Result<String, Fault> {
    let data: Value = serde_json::from_str(&event.data).map_err(|_| Fault::Malformed {
        detail: "an event of the stream is not JSON".to_owned(),
        excerpt: excerpt(&event.data),
    })?;
    let mut text = String::new();
    // `type` repeats the event's name in this API; either is enough.
    match data["type"].as_str().unwrap_or(&event.name) {
        "message_start" => {
            let message = &data["message"];
            reply.model = message["model"].as_str().map(str::to_owned);
            take_usage(&message["usage"], reply);
        }
        "content_block_start" => text = read_block(&data["content_block"], 0, reply),
        "content_block_delta" if data["delta"]["type"] == "text_delta" => {
            text = data["delta"]["text"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
        }
        "message_delta" => {
            take_stop(&data["delta"]["stop_reason"], reply);
            take_usage(&data["usage"], reply);
        }
        "message_stop" => reply.ended = true,
        "error" => return Err(fault_of_error(&data["error"])),
        // `ping`, `content_block_stop`, other deltas, and what the API may add: its reference
        // asks clients to ignore event types they do not know.
        _ => {}
    }
    reply.text.push_str(&text);
    Ok(text)
}

/// Reads a whole answer, from a server that does not stream.
pub(crate) fn read_document(document: &Value, reply: &mut GrowingReply) -> Result<String, Fault> {
    if let Some(error) = document.get("error").filter(|error| !error.is_null()) {
        return Err(fault_of_error(error));
    }
    let Some(blocks) = document["content"].as_array() else {
        return Err(Fault::Malformed {
            detail: "the field `content` of the message is missing".to_owned(),
            excerpt: excerpt(&document.to_string()),
        });
    };
    let mut text = String::new();
    for block in blocks {
        let read = read_block(block, text.len(), reply);
        text.push_str(&read);
    }
    reply.model = document["model"].as_str().map(str::to_owned);
    take_stop(&document["stop_reason"], reply);
    take_usage(&document["usage"], reply);
    reply.ended = true;
    reply.text.push_str(&text);
    Ok(text)
}

/// Notes a tool call, or where a text begins: behind `before` bytes that are not in the reply yet.
/// Returns the text the block begins with.
fn read_block(block: &Value, before: usize, reply: &mut GrowingReply) -> String {
    match block["type"].as_str() {
        Some("tool_use" | "server_tool_use") => {
            reply.called_tool = true;
            String::new()
        }
        Some("text") => {
            reply.begin_block(before);
            block["text"].as_str().unwrap_or_default().to_owned()
        }
        _ => String::new(),
    }
}

fn take_stop(reason: &Value, reply: &mut GrowingReply) {
    let Some(reason) = reason.as_str() else {
        return;
    };
    reply.stop = Some(match reason {
        "end_turn" | "stop_sequence" => StopReason::Stop,
        // Both cut the text, so both are refused as incomplete.
        "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
        "tool_use" => StopReason::ToolCall,
        "refusal" => StopReason::Refusal,
        other => StopReason::Other(other.to_owned()),
    });
}

/// Later figures replace earlier ones: `message_delta` counts from the start of the message.
fn take_usage(usage: &Value, reply: &mut GrowingReply) {
    let set = |target: &mut u64, name: &str| {
        if let Some(number) = usage[name].as_u64() {
            *target = number;
        }
    };
    set(&mut reply.usage.input, "input_tokens");
    set(&mut reply.usage.output, "output_tokens");
    set(&mut reply.usage.cache_read, "cache_read_input_tokens");
    set(&mut reply.usage.cache_write, "cache_creation_input_tokens");
}
