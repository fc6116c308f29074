//! Google Gemini: the request, and how its stream and its documents are read.
//!
//! Field names and reasons to stop are those of the public reference of `generateContent` as of
//! 2026. Parts marked as thoughts are not part of a reply.

use crate::error::Fault;
use crate::messages;
use crate::reply::GrowingReply;
use crate::sse::SseEvent;
use crate::status::{excerpt, fault_of_error};
use palimpsest_core::Usage;
use palimpsest_core::call::{ModelRequest, StopReason};
use reqwest::Url;
use serde_json::{Value, json};

/// Path of the models under the base URL; calls go to one of them.
pub(crate) const PATH: &str = "models";
/// The version of the API that is asked for when the base URL names none.
pub(crate) const VERSION: &str = "v1beta";
/// The header of the key.
pub(crate) const KEY_HEADER: &str = "x-goog-api-key";

/// The URL of a streamed call to a model, given the URL of all models. `models/NAME`, as the
/// list of models spells it, is the model NAME.
pub(crate) fn call_url(models: &Url, model: &str) -> Url {
    let mut url = models.clone();
    let name = model.strip_prefix("models/").unwrap_or(model);
    // Fails only for URLs that have no path, and this one has.
    if let Ok(mut path) = url.path_segments_mut() {
        path.push(&format!("{name}:streamGenerateContent"));
    }
    url.set_query(Some("alt=sse"));
    url
}

/// The request's body.
pub(crate) fn body(request: &ModelRequest) -> Value {
    let mut body = json!({
        "contents": messages::gemini(request),
    });
    if !request.system.is_empty() {
        body["systemInstruction"] = json!({ "parts": [{ "text": request.system }] });
    }
    if let Some(limit) = request.max_output_tokens {
        body["generationConfig"]["maxOutputTokens"] = json!(limit);
    }
    if let Some(temperature) = request.temperature {
        body["generationConfig"]["temperature"] = json!(temperature);
    }
    body
}

/// Reads one event into the reply and returns the text it added.
pub(crate) fn read_event(event: &SseEvent, reply: &mut GrowingReply) -> Result<String, Fault> {
    let chunk: Value = serde_json::from_str(&event.data).map_err(|_| Fault::Malformed {
        detail: "an event of the stream is not JSON".to_owned(),
        excerpt: excerpt(&event.data),
    })?;
    read_chunk(&chunk, reply)
}

/// Reads a whole answer, from a server that does not stream: one chunk, or a list of them (what
/// the API itself sends when it is not asked for events).
pub(crate) fn read_document(document: &Value, reply: &mut GrowingReply) -> Result<String, Fault> {
    let mut text = String::new();
    match document.as_array() {
        Some(chunks) => {
            for chunk in chunks {
                text.push_str(&read_chunk(chunk, reply)?);
            }
        }
        None => text = read_chunk(document, reply)?,
    }
    if reply.stop.is_none() {
        return Err(Fault::Malformed {
            detail: "the reply has no `candidates` with a `finishReason`".to_owned(),
            excerpt: excerpt(&document.to_string()),
        });
    }
    reply.ended = true;
    Ok(text)
}

fn read_chunk(chunk: &Value, reply: &mut GrowingReply) -> Result<String, Fault> {
    if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
        return Err(fault_of_error(error));
    }
    if let Some(model) = chunk["modelVersion"].as_str() {
        // Every chunk repeats the model, and the usage so far; the last one counts.
        reply.model = Some(model.to_owned());
    }
    if chunk["usageMetadata"].is_object() {
        reply.usage = usage_of(&chunk["usageMetadata"]);
    }
    // A prompt that was blocked has no candidates.
    if chunk["promptFeedback"]["blockReason"].is_string() {
        reply.stop = Some(StopReason::Refusal);
    }
    let candidate = &chunk["candidates"][0];
    let mut text = String::new();
    for part in candidate["content"]["parts"]
        .as_array()
        .into_iter()
        .flatten()
    {
        // The API ends a tool call with `STOP`, so the call itself is the sign.
        reply.called_tool |= part["functionCall"].is_object();
        if part["thought"] != true {
            text.push_str(part["text"].as_str().unwrap_or_default());
        }
    }
    if let Some(reason) = candidate["finishReason"].as_str() {
        reply.stop = Some(stop_of(reason));
    }
    reply.text.push_str(&text);
    Ok(text)
}

fn stop_of(reason: &str) -> StopReason {
    match reason {
        "STOP" => StopReason::Stop,
        "MAX_TOKENS" => StopReason::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE"
        | "IMAGE_SAFETY" => StopReason::Refusal,
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" => {
            StopReason::ToolCall
        }
        other => StopReason::Other(other.to_owned()),
    }
}

/// `promptTokenCount` includes the cached ones, ours does not; `candidatesTokenCount` does not
/// include the thoughts, which are billed as output.
fn usage_of(usage: &Value) -> Usage {
    let number = |name: &str| usage[name].as_u64().unwrap_or(0);
    let (cache_read, thoughts) = (
        number("cachedContentTokenCount"),
        number("thoughtsTokenCount"),
    );
    Usage {
        input: number("promptTokenCount").saturating_sub(cache_read),
        output: number("candidatesTokenCount") + thoughts,
        cache_read,
        cache_write: 0,
        cache_write_hour: 0,
        reasoning: usage["thoughtsTokenCount"].as_u64(),
        total: number("totalTokenCount"),
        cost_usd: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_goes_to_its_model() {
        let models = Url::parse("https://h/v1beta/models").unwrap();
        for name in ["gemini-3-pro", "models/gemini-3-pro"] {
            assert_eq!(
                call_url(&models, name).as_str(),
                "https://h/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"
            );
        }
        let odd = call_url(&models, "a/../b?c");
        assert_eq!(
            odd.as_str(),
            "https://h/v1beta/models/a%2F..%2Fb%3Fc:streamGenerateContent?alt=sse"
        );
    }

    #[test]
    fn thoughts_are_no_text_and_count_as_output() {
        let mut reply = GrowingReply::default();
        let chunk = json!({
            "candidates": [{ "content": { "parts": [
                { "text": "hm", "thought": true }, { "text": "so" },
            ] }, "finishReason": "STOP" }],
            "usageMetadata": { "promptTokenCount": 10, "cachedContentTokenCount": 4,
                "candidatesTokenCount": 2, "thoughtsTokenCount": 3, "totalTokenCount": 15 },
        });
        assert_eq!(read_chunk(&chunk, &mut reply).unwrap(), "so");
        let usage = reply.usage;
        assert_eq!(
            (usage.input, usage.cache_read, usage.output),
            (6, 4, 5),
            "{usage:?}"
        );
    }

    #[test]
    fn every_way_to_decline_is_one() {
        for reason in [
            "SAFETY",
            "RECITATION",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
        ] {
            assert_eq!(stop_of(reason), StopReason::Refusal, "{reason}");
        }
        assert_eq!(stop_of("MALFORMED_FUNCTION_CALL"), StopReason::ToolCall);
        assert_eq!(stop_of("NEW"), StopReason::Other("NEW".to_owned()));
    }
}
