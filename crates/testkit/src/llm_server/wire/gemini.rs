//! Google Gemini, `generateContent` and `streamGenerateContent`.

use crate::llm_server::script::{ErrorReply, RawReply, ScriptedUsage, Stop, TextReply};
use serde_json::{Value, json};

/// One chunk with everything: the unstreamed answer.
pub(super) fn document(model: &str, reply: &TextReply) -> Value {
    let mut chunk = last(model, reply);
    if chunk["candidates"].is_array() && !reply.chunks.is_empty() {
        let parts = chunk["candidates"][0]["content"]["parts"].as_array_mut();
        if let Some(parts) = parts {
            parts.insert(0, json!({ "text": reply.chunks.concat() }));
        }
    }
    chunk
}

pub(super) fn piece(model: &str, text: &str) -> String {
    let candidate = json!({
        "content": { "role": "model", "parts": [{ "text": text }] }, "index": 0,
    });
    event(&json!({ "candidates": [candidate], "modelVersion": model }))
}

pub(super) fn tail(model: &str, reply: &TextReply) -> Vec<String> {
    vec![event(&last(model, reply))]
}

/// The failure of an answer in the middle of its stream.
pub(super) fn failed(kind: &str, message: &str) -> String {
    let status = match kind {
        "overloaded_error" => 503,
        _ => 400,
    };
    event(&error(&ErrorReply::new(status, kind, message)))
}

/// An error as this API tells it: the wait it asks for is in the body.
pub(super) fn raw(reply: &ErrorReply) -> RawReply {
    let mut headers = vec![(
        "content-type".to_owned(),
        "application/json; charset=UTF-8".to_owned(),
    )];
    headers.extend(reply.headers.iter().cloned());
    RawReply {
        status: reply.status,
        headers,
        body: error(reply).to_string(),
    }
}

/// The words are Gemini's own where clients tell cases apart by them.
fn error(reply: &ErrorReply) -> Value {
    let message = match reply.kind.as_str() {
        "context_length_exceeded" => {
            "The input token count (9001) exceeds the maximum number of tokens allowed (8192)."
        }
        "model_not_found" => "models/scripted is not found for API version v1beta.",
        _ => &reply.message,
    };
    let status = match reply.status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        500 => "INTERNAL",
        503 => "UNAVAILABLE",
        _ => "UNKNOWN",
    };
    let mut error = json!({ "code": reply.status, "message": message, "status": status });
    if let Some(wait) = reply.retry_after.as_deref() {
        let kind = "type.googleapis.com/google.rpc.RetryInfo";
        error["details"] = json!([{ "@type": kind, "retryDelay": format!("{wait}s") }]);
    }
    json!({ "error": error })
}

fn last(model: &str, reply: &TextReply) -> Value {
    let mut chunk = json!({ "modelVersion": model });
    match reply.stop {
        // A prompt that is refused has no candidates.
        Stop::Refusal => {
            chunk["promptFeedback"] = json!({ "blockReason": "PROHIBITED_CONTENT" });
        }
        stop => {
            let parts = match stop {
                Stop::ToolCall => json!([{
                    "functionCall": { "name": "read", "args": { "path": "src/main.rs" } },
                }]),
                _ => json!([]),
            };
            let reason = match stop {
                Stop::Length => "MAX_TOKENS",
                Stop::ContentFilter => "SAFETY",
                Stop::Done | Stop::ToolCall | Stop::Refusal => "STOP",
            };
            chunk["candidates"] = json!([{
                "content": { "role": "model", "parts": parts }, "finishReason": reason, "index": 0,
            }]);
        }
    }
    if let Some(figures) = reply.usage {
        chunk["usageMetadata"] = usage(figures);
    }
    chunk
}

/// Gemini counts cached tokens inside `promptTokenCount`.
fn usage(figures: ScriptedUsage) -> Value {
    let prompt = figures.input + figures.cache_read;
    json!({
        "promptTokenCount": prompt, "candidatesTokenCount": figures.output,
        "cachedContentTokenCount": figures.cache_read, "totalTokenCount": prompt + figures.output,
    })
}

fn event(data: &Value) -> String {
    format!("data: {data}\r\n\r\n")
}
