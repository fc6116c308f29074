//! The bytes of the APIs, one module each.
//!
//! Shapes are those of the public API references as of 2026; ids and times are constant because
//! nothing may depend on them.

mod anthropic;
mod gemini;
mod openai;
mod responses;

use super::script::{Ending, ErrorReply, RawReply, SeenRequest, TextReply};
use serde_json::{Value, json};

/// Which API a request speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Api {
    OpenAi,
    Responses,
    Anthropic,
    Gemini,
}

impl Api {
    /// Told by the path, and for lists of models by the header every Anthropic request has.
    pub(super) fn of(request: &SeenRequest, path: &str) -> Self {
        let anthropic = request.header("anthropic-version").is_some();
        let google = request.key_in == Some("x-goog-api-key");
        if google || path.contains("/v1beta/models") {
            Api::Gemini
        } else if path.ends_with("/messages") || (path.ends_with("/models") && anthropic) {
            Api::Anthropic
        } else if path.ends_with("/responses") {
            Api::Responses
        } else {
            Api::OpenAi
        }
    }

    /// Whether a call to a model goes to this path.
    pub(super) fn is_call(self, path: &str) -> bool {
        match self {
            Api::OpenAi => path.ends_with("/chat/completions"),
            Api::Responses => path.ends_with("/responses"),
            Api::Anthropic => path.ends_with("/messages"),
            Api::Gemini => path.ends_with("enerateContent"),
        }
    }

    /// Whether a request wants its answer in pieces.
    pub(super) fn wants_stream(self, request: &SeenRequest) -> bool {
        match self {
            Api::Gemini => request.path.ends_with(":streamGenerateContent?alt=sse"),
            _ => request.body["stream"] == true,
        }
    }

    /// The whole answer as one JSON document, for requests that do not stream.
    pub(super) fn document(self, model: &str, reply: &TextReply) -> Value {
        match self {
            Api::OpenAi => openai::document(model, reply),
            Api::Responses => responses::document(model, reply),
            Api::Anthropic => anthropic::document(model, reply),
            Api::Gemini => gemini::document(model, reply),
        }
    }

    /// Events before the first piece of text.
    pub(super) fn head(self, model: &str, reply: &TextReply) -> Vec<String> {
        match self {
            Api::OpenAi => openai::head(model),
            Api::Responses => responses::head(model),
            Api::Anthropic => anthropic::head(model, reply),
            Api::Gemini => Vec::new(),
        }
    }

    /// The event for one piece of text.
    pub(super) fn piece(self, model: &str, text: &str) -> String {
        match self {
            Api::OpenAi => openai::piece(model, text),
            Api::Responses => responses::piece(text),
            Api::Anthropic => anthropic::piece(text),
            Api::Gemini => gemini::piece(model, text),
        }
    }

    /// Events after the last piece of text, as far as the ending lets them come.
    pub(super) fn tail(self, model: &str, reply: &TextReply, include_usage: bool) -> Vec<String> {
        match &reply.ending {
            Ending::Complete => match self {
                Api::OpenAi => openai::tail(model, reply, include_usage),
                Api::Responses => responses::tail(model, reply),
                Api::Anthropic => anthropic::tail(reply),
                Api::Gemini => gemini::tail(model, reply),
            },
            Ending::Closed | Ending::Truncated | Ending::Stalled => Vec::new(),
            Ending::Malformed => vec!["data: {\"choices\": [{\"delta\":\n\n".to_owned()],
            Ending::Error { kind, message } => {
                let error = json!({ "type": kind, "code": kind, "message": message });
                vec![match self {
                    Api::OpenAi => format!("data: {}\n\n", json!({ "error": error })),
                    Api::Responses => responses::failed(kind, message),
                    Api::Anthropic => anthropic::event("error", json!({ "error": error })),
                    Api::Gemini => gemini::failed(kind, message),
                }]
            }
        }
    }

    /// An error in this API's shape.
    pub(super) fn error(self, reply: &ErrorReply) -> RawReply {
        if self == Api::Gemini {
            return gemini::raw(reply);
        }
        let body = json!({
            "type": "error",
            "error": { "type": reply.kind, "code": reply.kind, "message": reply.message },
        });
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        let wait = reply.retry_after.iter();
        headers.extend(wait.map(|wait| ("retry-after".to_owned(), wait.clone())));
        headers.extend(reply.headers.iter().cloned());
        RawReply {
            status: reply.status,
            headers,
            body: body.to_string(),
        }
    }

    /// The list of models.
    pub(super) fn models(self, names: &[&str]) -> Value {
        let data = names.iter().map(|name| match self {
            Api::OpenAi | Api::Responses => {
                json!({ "id": name, "object": "model", "owned_by": "scripted" })
            }
            Api::Anthropic => json!({ "id": name, "type": "model", "display_name": name }),
            Api::Gemini => json!({
                "name": format!("models/{name}"), "displayName": name, "inputTokenLimit": 8192,
                "supportedGenerationMethods": ["generateContent", "countTokens"],
            }),
        });
        let data: Vec<Value> = data.collect();
        if self == Api::Gemini {
            return json!({ "models": data });
        }
        json!({ "object": "list", "data": data, "has_more": false })
    }
}
