//! What the scripted server can be told to say, and what it writes down about each request.

use serde_json::Value;
use std::time::Duration;

/// One reply in a script.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A model's answer, in the shape the requested API has.
    Text(TextReply),
    /// An error, in the shape the requested API has.
    Error(ErrorReply),
    /// An HTTP answer given byte for byte: HTML pages, broken JSON.
    Raw(RawReply),
    /// The request is read and nothing is ever answered.
    Silence,
    /// The connection is closed before any byte of an answer.
    Hangup,
}

/// A model's answer.
#[derive(Debug, Clone)]
pub struct TextReply {
    /// The text in the pieces it is streamed in.
    pub chunks: Vec<String>,
    /// Pause before each piece.
    pub delay: Duration,
    /// Token counts to report; `None` reports nothing.
    pub usage: Option<ScriptedUsage>,
    /// Why the model stops.
    pub stop: Stop,
    /// How the stream ends.
    pub ending: Ending,
    /// Writes the stream in pieces of this many bytes, so that events, lines and UTF-8 sequences
    /// are cut anywhere; 0 writes event by event.
    pub split_bytes: usize,
}

/// Token counts as a provider reports them, before any client's arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScriptedUsage {
    /// Tokens of the prompt that were not cached.
    pub input: u64,
    /// Tokens of the prompt read from a cache.
    pub cache_read: u64,
    /// Tokens of the reply.
    pub output: u64,
}

/// Why the scripted model stops, in no provider's spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It is done.
    Done,
    /// The output limit was reached.
    Length,
    /// It calls a tool named `read`.
    ToolCall,
    /// It declines (`refusal`).
    Refusal,
    /// The provider's filter cut it (`content_filter`; Anthropic has only `refusal`).
    ContentFilter,
}

/// How a stream ends after its last text chunk.
#[derive(Debug, Clone)]
pub enum Ending {
    /// With everything the protocol asks for.
    Complete,
    /// The connection is closed with the body unfinished.
    Closed,
    /// The body ends properly, but the protocol's last events never came.
    Truncated,
    /// Nothing more is sent and the connection stays open.
    Stalled,
    /// An event whose data is not JSON.
    Malformed,
    /// An error event of this type and message, as providers send when overloaded mid-stream.
    Error {
        /// The provider's name for the error, like `overloaded_error`.
        kind: String,
        /// The provider's sentence about it.
        message: String,
    },
}

/// An error of a provider.
#[derive(Debug, Clone)]
pub struct ErrorReply {
    /// Status code.
    pub status: u16,
    /// The provider's name for the error, as OpenAI or Anthropic spell it.
    pub kind: String,
    /// The provider's sentence.
    pub message: String,
    /// The wait asked for, in seconds: a header, or a field of the body where the API has one.
    pub retry_after: Option<String>,
    /// Further headers.
    pub headers: Vec<(String, String)>,
}

impl ErrorReply {
    pub(super) fn new(status: u16, kind: &str, message: &str) -> Self {
        Self {
            status,
            kind: kind.to_owned(),
            message: message.to_owned(),
            retry_after: None,
            headers: Vec::new(),
        }
    }
}

/// An HTTP answer given as it stands.
#[derive(Debug, Clone)]
pub struct RawReply {
    /// Status code.
    pub status: u16,
    /// Headers besides length and connection.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: String,
}

/// A request as the server saw it. Keys are not kept: only how one was sent.
#[derive(Debug, Clone)]
pub struct SeenRequest {
    /// `GET` or `POST`.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Headers with lower-case names, those that carry a key left out.
    pub headers: Vec<(String, String)>,
    /// Where a key was found: `bearer`, `x-api-key`, `x-goog-api-key`, or nothing.
    pub key_in: Option<&'static str>,
    /// The JSON body; null when there was none.
    pub body: Value,
    /// Whether the client went away before the answer was complete.
    pub client_left: bool,
}

impl SeenRequest {
    /// The model asked for, in the body or (Gemini) in the path; empty when none is named.
    pub fn model(&self) -> &str {
        let in_path = || {
            let (_, after) = self.path.split_once("/models/")?;
            Some(after.split_once(':')?.0)
        };
        let in_body = self.body.get("model").and_then(Value::as_str);
        in_body.or_else(in_path).unwrap_or_default()
    }

    /// The text of the last user message.
    pub fn prompt(&self) -> String {
        // Chat and Messages, Responses, Gemini.
        let list = ["messages", "input", "contents"]
            .iter()
            .find_map(|name| self.body.get(name));
        let last = match list {
            Some(Value::Array(list)) => list.iter().rfind(|message| message["role"] == "user"),
            other => other,
        };
        let content = match last {
            Some(Value::Object(message)) => message.get("content").or(message.get("parts")),
            other => other,
        };
        match content {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(blocks)) => blocks
                .iter()
                .filter_map(|block| block["text"].as_str())
                .collect(),
            _ => String::new(),
        }
    }

    /// The value of a header, by lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

impl TextReply {
    /// A complete answer of these pieces, with usage of 100 tokens in and one out per piece.
    pub fn new(chunks: &[&str]) -> Self {
        Self {
            chunks: chunks.iter().map(|&chunk| chunk.to_owned()).collect(),
            delay: Duration::ZERO,
            usage: Some(ScriptedUsage {
                input: 100,
                cache_read: 0,
                output: chunks.len() as u64,
            }),
            stop: Stop::Done,
            ending: Ending::Complete,
            split_bytes: 0,
        }
    }

    /// The same, stopping for another reason.
    pub fn stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// The same, ending in another way.
    pub fn ending(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }

    /// The same, with a pause before each piece.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The same, with other token counts or none.
    pub fn usage(mut self, usage: Option<ScriptedUsage>) -> Self {
        self.usage = usage;
        self
    }

    /// The same, written in pieces of `bytes` bytes.
    pub fn split_bytes(mut self, bytes: usize) -> Self {
        self.split_bytes = bytes;
        self
    }
}

impl From<TextReply> for Reply {
    fn from(reply: TextReply) -> Self {
        Reply::Text(reply)
    }
}

impl Reply {
    /// A complete answer of these pieces.
    pub fn text(chunks: &[&str]) -> Self {
        TextReply::new(chunks).into()
    }

    /// An answer with this status, content type and body.
    pub fn raw(status: u16, content_type: &str, body: impl Into<String>) -> Self {
        Reply::Raw(RawReply {
            status,
            headers: vec![("content-type".to_owned(), content_type.to_owned())],
            body: body.into(),
        })
    }

    /// An error of this kind, spelled as OpenAI or Anthropic do, in the requested API's shape.
    pub fn error(status: u16, kind: &str, message: &str) -> Self {
        Reply::Error(ErrorReply::new(status, kind, message))
    }

    /// 429 that asks to wait: so many seconds, in a `Retry-After` header or in the body where the
    /// API (Gemini's) has a field for it, or until an HTTP date, always in the header.
    pub fn rate_limited(wait: &str) -> Self {
        let reply = ErrorReply::new(429, "rate_limit_error", "Too many requests.");
        if wait.parse::<f64>().is_err() {
            return Reply::Error(reply).header("retry-after", wait);
        }
        Reply::Error(ErrorReply {
            retry_after: Some(wait.to_owned()),
            ..reply
        })
    }

    /// A web page where an API was expected.
    pub fn html() -> Self {
        Self::raw(
            200,
            "text/html; charset=utf-8",
            "<!doctype html><title>Sign in</title>",
        )
    }

    /// The same with one more header; other replies than errors and raw ones stay as they are.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let header = (name.to_owned(), value.to_owned());
        match &mut self {
            Reply::Raw(raw) => raw.headers.push(header),
            Reply::Error(error) => error.headers.push(header),
            Reply::Text(_) | Reply::Silence | Reply::Hangup => {}
        }
        self
    }
}
