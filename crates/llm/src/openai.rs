//! OpenAI Chat Completions: the request, and how its stream and its documents are read.
//!
//! Many servers imitate this API, each with its omissions; what is optional here was missing in
//! one of them. Reasoning text (`reasoning_content`, `reasoning`) is not part of a reply.

use crate::error::Fault;
use crate::messages;
use crate::reply::GrowingReply;
use crate::sse::SseEvent;
use crate::status::{excerpt, fault_of_error};
use palimpsest_core::Usage;
use palimpsest_core::call::{ModelRequest, StopReason};
use serde_json::{Value, json};

/// Path of the endpoint under the base URL.
pub(crate) const PATH: &str = "chat/completions";

/// The request's body. `at_openai` chooses OpenAI's own name for the output limit, which its
/// reasoning models insist on and most imitations do not know.
pub(crate) fn body(request: &ModelRequest, at_openai: bool) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    messages.extend(messages::chat(request));
    let mut body = json!({
        "model": request.model,
        "messages": messages,
        "stream": true,
        // Without it OpenAI sends no usage in a stream.
        "stream_options": { "include_usage": true },
    });
    if let Some(limit) = request.max_output_tokens {
        let field = if at_openai {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        body[field] = json!(limit);
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
        reply.ended = true;
        return Ok(String::new());
    }
    let chunk: Value = serde_json::from_str(data).map_err(|_| Fault::Malformed {
        detail: "an event of the stream is not JSON".to_owned(),
        excerpt: excerpt(data),
    })?;
    read_chunk(&chunk, "delta", reply)
}

/// Reads a whole answer, from a server that does not stream.
pub(crate) fn read_document(document: &Value, reply: &mut GrowingReply) -> Result<String, Fault> {
    // Before the check of `choices`: an error document has none and says more.
    let text = read_chunk(document, "message", reply)?;
    if document
        .get("choices")
        .and_then(Value::as_array)
        .is_none_or(Vec::is_empty)
    {
        return Err(Fault::Malformed {
            detail: "the field `choices` of the chat completion is missing".to_owned(),
            excerpt: excerpt(&document.to_string()),
        });
    }
    reply.ended = true;
    Ok(text)
}

fn read_chunk(chunk: &Value, part: &str, reply: &mut GrowingReply) -> Result<String, Fault> {
    if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
        return Err(fault_of_error(error));
    }
    if reply.model.is_none() {
        reply.model = chunk["model"]
            .as_str()
            .filter(|name| !name.is_empty())
            .map(str::to_owned);
    }
    // With `include_usage` the last chunk has the usage and no choices.
    if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
        reply.usage = usage_of(usage);
    }
    let choice = &chunk["choices"][0];
    let message = &choice[part];
    if message["tool_calls"]
        .as_array()
        .is_some_and(|calls| !calls.is_empty())
        || message["function_call"].is_object()
    {
        reply.called_tool = true;
    }
    if message["refusal"]
        .as_str()
        .is_some_and(|text| !text.is_empty())
    {
        reply.refused = true;
    }
    if let Some(reason) = choice["finish_reason"].as_str() {
        reply.stop = Some(match reason {
            "stop" => StopReason::Stop,
            "length" => StopReason::Length,
            "tool_calls" | "function_call" => StopReason::ToolCall,
            "content_filter" => StopReason::Refusal,
            other => StopReason::Other(other.to_owned()),
        });
    }
    let text = message["content"].as_str().unwrap_or_default().to_owned();
    reply.text.push_str(&text);
    Ok(text)
}

/// `prompt_tokens` includes the cached ones; ours does not. `cost` is OpenRouter's.
fn usage_of(usage: &Value) -> Usage {
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let cache_read = number(&usage["prompt_tokens_details"]["cached_tokens"]);
    Usage {
        input: number(&usage["prompt_tokens"]).saturating_sub(cache_read),
        output: number(&usage["completion_tokens"]),
        cache_read,
        cache_write: 0,
        cache_write_hour: 0,
        reasoning: usage["completion_tokens_details"]["reasoning_tokens"].as_u64(),
        total: number(&usage["total_tokens"]),
        cost_usd: usage["cost"].as_f64(),
    }
}
