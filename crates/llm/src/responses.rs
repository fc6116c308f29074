//! OpenAI Responses: the request, and how its stream and its documents are read.
//!
//! Event and field names are those of OpenAI's API reference as of 2026. Nothing is kept at the
//! provider (`store`), and reasoning items are not part of a reply.

use crate::error::Fault;
use crate::messages;
use crate::reply::GrowingReply;
use crate::sse::SseEvent;
use crate::status::{excerpt, fault_of_error};
use palimpsest_core::Usage;
use palimpsest_core::call::{ModelRequest, StopReason};
use serde_json::{Value, json};

/// Path of the endpoint under the base URL.
pub(crate) const PATH: &str = "responses";

/// The request's body.
pub(crate) fn body(request: &ModelRequest) -> Value {
    let mut body = json!({
        "model": request.model,
        "input": messages::responses(request),
        "stream": true,
        "store": false,
    });
    if !request.system.is_empty() {
        body["instructions"] = json!(request.system);
    }
    if let Some(limit) = request.max_output_tokens {
        body["max_output_tokens"] = json!(limit);
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    body
}

/// Reads one event into the reply and returns the text it added.
pub(crate) fn read_event(event: &SseEvent, reply: &mut GrowingReply) -> Result<String, Fault> {
    let data = event.data.trim();
    if data == "[DONE]" {
        // Not of this API, but some imitations end with it.
        reply.ended = reply.stop.is_some();
        return Ok(String::new());
    }
    let data: Value = serde_json::from_str(data).map_err(|_| Fault::Malformed {
        detail: "an event of the stream is not JSON".to_owned(),
        excerpt: excerpt(data),
    })?;
    let mut text = String::new();
    match data["type"].as_str().unwrap_or(&event.name) {
        "response.created" | "response.in_progress" => take_model(&data["response"], reply),
        "response.output_item.added" | "response.output_item.done" => {
            note_tool_call(&data["item"], reply);
        }
        "response.content_part.added" if data["part"]["type"] == "output_text" => {
            reply.begin_block(0);
        }
        "response.output_text.delta" => {
            text = data["delta"].as_str().unwrap_or_default().to_owned();
        }
        "response.refusal.delta" | "response.refusal.done" => reply.refused = true,
        "response.completed" | "response.incomplete" | "response.failed" => {
            text = read_end(&data["response"], reply)?;
        }
        "error" => return Err(fault_of_error(data.get("error").unwrap_or(&data))),
        // An imitation may send its error under a type that is not of this API.
        _ => {
            if let Some(error) = data.get("error").filter(|error| error.is_object()) {
                return Err(fault_of_error(error));
            }
        }
    }
    reply.text.push_str(&text);
    Ok(text)
}

/// Reads a whole answer, from a server that does not stream.
pub(crate) fn read_document(document: &Value, reply: &mut GrowingReply) -> Result<String, Fault> {
    if let Some(error) = document.get("error").filter(|error| !error.is_null()) {
        return Err(fault_of_error(error));
    }
    if !document["output"].is_array() {
        return Err(Fault::Malformed {
            detail: "a response has `output`".to_owned(),
            excerpt: excerpt(&document.to_string()),
        });
    }
    let text = read_end(document, reply)?;
    reply.text.push_str(&text);
    Ok(text)
}

/// Reads the whole response that the last event carries, and returns its text where none was
/// streamed.
fn read_end(response: &Value, reply: &mut GrowingReply) -> Result<String, Fault> {
    take_model(response, reply);
    if response["usage"].is_object() {
        reply.usage = usage_of(&response["usage"]);
    }
    // The last event repeats the whole text; a server that streams nothing gives it only here.
    let is_streamed = !reply.text.is_empty();
    let mut text = String::new();
    for item in response["output"].as_array().into_iter().flatten() {
        note_tool_call(item, reply);
        for part in item["content"].as_array().into_iter().flatten() {
            match part["type"].as_str() {
                Some("output_text") => {
                    if !is_streamed {
                        reply.begin_block(text.len());
                    }
                    text.push_str(part["text"].as_str().unwrap_or_default());
                }
                Some("refusal") => reply.refused = true,
                _ => {}
            }
        }
    }
    // After usage and text, so that a failed response still reports what it used.
    match response["status"].as_str() {
        Some("failed") => return Err(fault_of_error(&response["error"])),
        Some("incomplete") => {
            reply.stop = Some(match response["incomplete_details"]["reason"].as_str() {
                Some("max_output_tokens") => StopReason::Length,
                Some("content_filter") => StopReason::Refusal,
                other => StopReason::Other(other.unwrap_or("incomplete").to_owned()),
            });
        }
        Some("completed") | None => reply.stop = Some(StopReason::Stop),
        Some(other) => reply.stop = Some(StopReason::Other(other.to_owned())),
    }
    reply.ended = true;
    Ok(if is_streamed { String::new() } else { text })
}

fn take_model(response: &Value, reply: &mut GrowingReply) {
    if let Some(model) = response["model"].as_str().filter(|name| !name.is_empty()) {
        reply.model = Some(model.to_owned());
    }
}

/// `function_call`, `custom_tool_call`, `web_search_call`...: every call of a tool is an item
/// whose type ends like that.
fn note_tool_call(item: &Value, reply: &mut GrowingReply) {
    reply.called_tool |= item["type"]
        .as_str()
        .is_some_and(|kind| kind.ends_with("_call"));
}

/// `input_tokens` includes the cached ones; ours does not.
fn usage_of(usage: &Value) -> Usage {
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let cache_read = number(&usage["input_tokens_details"]["cached_tokens"]);
    Usage {
        input: number(&usage["input_tokens"]).saturating_sub(cache_read),
        output: number(&usage["output_tokens"]),
        cache_read,
        cache_write: 0,
        cache_write_hour: 0,
        reasoning: usage["output_tokens_details"]["reasoning_tokens"].as_u64(),
        total: number(&usage["total_tokens"]),
        cost_usd: None,
    }
}
