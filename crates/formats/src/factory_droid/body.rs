//! The text of one record.

use super::said::{Facts, RESULT, SUMMARY, SYSTEM_INFO, Said, said, told_of_change};
use crate::repair::replace_lone_surrogates;
use palimpsest_core::json::{stringify, utf16_len};
use palimpsest_core::{Block, Body, Entry, Message, Role, ToolRef};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The messages a record stands for: results of tools one by one, then what stands beside them.
pub(super) fn body(entry: &Entry, raw: &[u8]) -> Body {
    let text = palimpsest_core::stored::text(raw);
    let parsed =
        serde_json::from_str(&text).or_else(|error| match replace_lone_surrogates(&text) {
            Cow::Borrowed(_) => Err(error),
            Cow::Owned(fixed) => serde_json::from_str(&fixed),
        });
    let Ok(Value::Object(record)) = parsed else {
        return Body::default();
    };
    let messages = match text_of(&record, "type") {
        "message" => {
            let empty = Map::new();
            let message = record.get("message").and_then(Value::as_object);
            row(entry, message.unwrap_or(&empty))
        }
        "compaction_state" => state(&record),
        _ => Vec::new(),
    };
    Body {
        messages,
        ..Body::default()
    }
}

/// A summary, and the description of the machine behind it.
fn state(record: &Map<String, Value>) -> Vec<Message> {
    let one = |native_role, key: &str| {
        let text = text_of(record, key).to_owned();
        message(Role::User, native_role, vec![Block::Text(text)])
    };
    let mut messages = vec![one(SUMMARY, "summaryText")];
    if !text_of(record, "systemInfoText").is_empty() {
        messages.push(one(SYSTEM_INFO, "systemInfoText"));
    }
    messages
}

fn row(entry: &Entry, own: &Map<String, Value>) -> Vec<Message> {
    let content: Cow<'_, [Value]> = match own.get("content") {
        Some(Value::Array(blocks)) => Cow::Borrowed(blocks),
        Some(Value::String(text)) => {
            Cow::Owned(vec![serde_json::json!({"type": "text", "text": text})])
        }
        _ => Cow::Borrowed(&[]),
    };
    let is_result = |block: &&Value| kind_of(block) == "tool_result";
    let visibility = text_of(own, "visibility");
    let said = said(&Facts {
        role: text_of(own, "role"),
        visibility,
        hook: text_of(own, "hookEventName"),
        has_results: content.iter().any(|block| is_result(&block)),
        has_content: !content.is_empty(),
    });
    let native = said.native_role();
    let whole = |role| vec![message(role, native, content.iter().map(block).collect())];
    let mut messages = match said {
        Said::Prompt | Said::Notice | Said::Unknown => whole(Role::User),
        Said::System => whole(Role::System),
        Said::Reply => whole(Role::Assistant),
        Said::Reminder => content
            .iter()
            .map(|own| message(Role::User, native, vec![block(own)]))
            .collect(),
        Said::Hook => Vec::new(),
        Said::Results => {
            let results = content.iter().filter(is_result);
            let mut messages: Vec<Message> = results
                .enumerate()
                .map(|(at, block)| result(block, tool_name(entry, at)))
                .collect();
            let rest = content.iter().filter(|block| !is_result(block));
            let rest: Vec<Block> = rest.map(block).collect();
            if !rest.is_empty() {
                messages.push(message(Role::User, native, rest));
            }
            messages
        }
    };
    if !said.is_sent(visibility) {
        for message in &mut messages {
            message.sent = false;
        }
    }
    messages
}

/// The tool whose result is the one at this place: only the calls name them, and the reader has
/// found the calls.
fn tool_name(entry: &Entry, at: usize) -> &str {
    let size = entry.messages.get(at);
    size.and_then(|size| size.tool_name.as_deref())
        .unwrap_or_default()
}

fn message(role: Role, native_role: &'static str, blocks: Vec<Block>) -> Message {
    Message {
        role,
        native_role,
        blocks,
        tool: None,
        sent: true,
    }
}

fn result(own: &Value, name: &str) -> Message {
    let blocks = match own.get("content") {
        Some(Value::String(stored)) => {
            let told = told_of_change(stored);
            vec![Block::Text(told.unwrap_or_else(|| stored.clone()))]
        }
        Some(Value::Array(blocks)) => blocks.iter().map(block).collect(),
        _ => Vec::new(),
    };
    let is_error = own.get("is_error").and_then(Value::as_bool);
    Message {
        tool: Some(ToolRef {
            call_id: text_in(own, "tool_use_id").to_owned(),
            name: name.to_owned(),
            is_error: is_error.unwrap_or_default(),
        }),
        ..message(Role::Tool, RESULT, blocks)
    }
}

fn block(own: &Value) -> Block {
    match kind_of(own) {
        "text" => Block::Text(text_in(own, "text").to_owned()),
        "thinking" => Block::Thinking {
            text: text_in(own, "thinking").to_owned(),
            redacted: false,
        },
        "redacted_thinking" => Block::Thinking {
            text: String::new(),
            redacted: true,
        },
        "tool_use" => Block::ToolCall {
            id: text_in(own, "id").to_owned(),
            name: text_in(own, "name").to_owned(),
            arguments: own.get("input").map(stringify).unwrap_or_default(),
        },
        "image" | "document" => attachment(own),
        kind => Block::Opaque {
            kind: kind.to_owned(),
            json: stringify(own),
        },
    }
}

/// An image, or a document: the text that was taken from it where there is one.
fn attachment(own: &Value) -> Block {
    let source = own.get("source").unwrap_or(&Value::Null);
    let text = match text_in(source, "type") {
        "text" => text_in(source, "data"),
        _ => text_in(source, "parsed_data"),
    };
    if kind_of(own) == "document" && !text.is_empty() {
        return Block::Text(text.to_owned());
    }
    let mime = ["media_type", "mediaType"].map(|key| text_in(source, key));
    let mime = mime.into_iter().find(|mime| !mime.is_empty());
    Block::Image {
        mime: mime.unwrap_or_default().to_owned(),
        base64_len: utf16_len(text_in(source, "data")),
    }
}

fn kind_of(block: &Value) -> &str {
    text_in(block, "type")
}

fn text_in<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn text_of<'v>(object: &'v Map<String, Value>, key: &str) -> &'v str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}
