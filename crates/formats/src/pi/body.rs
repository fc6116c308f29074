//! The text of one record.

use crate::failure;
use crate::repair::replace_lone_surrogates;
use palimpsest_core::json::stringify;
use palimpsest_core::{Block, Body, Message, Role, ToolRef};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{
    Deserialize as _, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// The messages a record stands for. A context edit, which stands for none, gives what it puts in
/// its target's place as one message that is not sent.
pub(super) fn body(raw: &[u8], version: u32) -> Body {
    let text = palimpsest_core::stored::text(raw);
    let parsed = with_what_is_said(&text).or_else(|error| match replace_lone_surrogates(&text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(fixed) => with_what_is_said(&fixed),
    });
    let Ok(Value::Object(record)) = parsed else {
        return Body::default();
    };
    let mut messages = Vec::new();
    match text_of(&record, "type") {
        "message" => messages.extend(record.get("message").and_then(|m| message(m, version))),
        "custom_message" => messages.push(spoken(Role::User, "custom", &record)),
        "branch_summary" if !text_of(&record, "summary").is_empty() => {
            messages.push(summary("branchSummary", &record));
        }
        "compaction" => {
            messages.extend(
                record
                    .get("systemMessage")
                    .and_then(|m| message(m, version)),
            );
            messages.push(summary("compactionSummary", &record));
        }
        "context_edit" => {
            if let Some(Value::Object(replacement)) = record.get("replacement") {
                let message = spoken(Role::User, "contextEdit", replacement);
                messages.push(Message {
                    sent: false,
                    ..message
                });
            }
        }
        _ => {}
    }
    Body {
        messages,
        beside: record.get("message").map(failure_of).unwrap_or_default(),
        ..Body::default()
    }
}

/// Reads a record. What no message uses is skipped.
fn with_what_is_said(text: &str) -> Result<Value, serde_json::Error> {
    let mut from = serde_json::Deserializer::from_str(text);
    let record = Said.deserialize(&mut from)?;
    from.end()?;
    Ok(record)
}

/// Reads a JSON value. In the record and its messages, `usage` and `details` are skipped: a dozen keys
/// for each message, and mostly what the output says already.
struct Said;

impl<'de> DeserializeSeed<'de> for Said {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Said {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "usage" | "details" => {
                    map.next_value::<IgnoredAny>()?;
                }
                "message" | "systemMessage" => {
                    let message = map.next_value_seed(Said)?;
                    object.insert(key, message);
                }
                _ => {
                    let value = map.next_value()?;
                    object.insert(key, value);
                }
            }
        }
        Ok(Value::Object(object))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Value, A::Error> {
        Value::deserialize(SeqAccessDeserializer::new(seq))
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::from(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

/// Why a request failed. That the user stopped it says the stop reason.
fn failure_of(message: &Value) -> Vec<Message> {
    let text = |key: &str| message.get(key).and_then(Value::as_str);
    match text("stopReason") {
        Some("error") => failure::told(text("errorMessage").unwrap_or_default()),
        _ => Vec::new(),
    }
}

fn message(value: &Value, version: u32) -> Option<Message> {
    let message = value.as_object()?;
    Some(match text_of(message, "role") {
        "system" => system(message),
        "user" => spoken(Role::User, "user", message),
        "assistant" => spoken(Role::Assistant, "assistant", message),
        "toolResult" => Message {
            tool: Some(ToolRef {
                call_id: text_of(message, "toolCallId").to_owned(),
                name: text_of(message, "toolName").to_owned(),
                is_error: flag(message, "isError"),
            }),
            ..spoken(Role::Tool, "toolResult", message)
        },
        "bashExecution" => Message {
            sent: !flag(message, "excludeFromContext"),
            ..plain(Role::User, "bashExecution", shell_text(message))
        },
        "custom" => spoken(Role::User, "custom", message),
        // Version 3 renamed the role.
        "hookMessage" if version < 3 => spoken(Role::User, "custom", message),
        "branchSummary" => summary("branchSummary", message),
        "compactionSummary" => summary("compactionSummary", message),
        // A role of a later version: shown, but pi 1.5 does not send it.
        _ => Message {
            sent: false,
            ..spoken(Role::User, "unknown", message)
        },
    })
}

fn plain(role: Role, native_role: &'static str, text: String) -> Message {
    Message {
        role,
        native_role,
        blocks: vec![Block::Text(text)],
        tool: None,
        sent: true,
    }
}

fn summary(native_role: &'static str, record: &Map<String, Value>) -> Message {
    plain(
        Role::User,
        native_role,
        text_of(record, "summary").to_owned(),
    )
}

fn spoken(role: Role, native_role: &'static str, holder: &Map<String, Value>) -> Message {
    let blocks = match holder.get("content") {
        Some(Value::String(text)) => vec![Block::Text(text.clone())],
        Some(Value::Array(blocks)) => blocks.iter().map(block).collect(),
        _ => Vec::new(),
    };
    Message {
        role,
        native_role,
        blocks,
        tool: None,
        sent: true,
    }
}

fn system(message: &Map<String, Value>) -> Message {
    let mut spoken = spoken(Role::System, "system", message);
    if let Some(Value::Object(sections)) = message.get("sections") {
        spoken
            .blocks
            .extend(sections.iter().map(|(name, text)| Block::Section {
                name: name.clone(),
                text: text.as_str().map(str::to_owned),
            }));
    }
    if let Some(tools) = message.get("toolsAdded").filter(|tools| !tools.is_null()) {
        spoken.blocks.push(Block::ToolsAdded(stringify(tools)));
    }
    spoken
}

fn block(value: &Value) -> Block {
    let empty = Map::new();
    let block = value.as_object().unwrap_or(&empty);
    match text_of(block, "type") {
        "text" => Block::Text(text_of(block, "text").to_owned()),
        "thinking" => Block::Thinking {
            text: text_of(block, "thinking").to_owned(),
            redacted: flag(block, "redacted"),
        },
        "toolCall" => Block::ToolCall {
            id: text_of(block, "id").to_owned(),
            name: text_of(block, "name").to_owned(),
            arguments: block.get("arguments").map(stringify).unwrap_or_default(),
        },
        "image" => Block::Image {
            mime: text_of(block, "mimeType").to_owned(),
            base64_len: text_of(block, "data").len() as u64,
        },
        kind => Block::Opaque {
            kind: kind.to_owned(),
            json: stringify(value),
        },
    }
}

/// A user's shell run as pi 1.5 tells the model of it (`messages.js`, `bashExecutionToText`).
fn shell_text(message: &Map<String, Value>) -> String {
    let output = text_of(message, "output");
    let mut text = format!("Ran `{}`\n", text_of(message, "command"));
    if output.is_empty() {
        text.push_str("(no output)");
    } else {
        text.push_str(&format!("```\n{output}\n```"));
    }
    if flag(message, "cancelled") {
        text.push_str("\n\n(command cancelled)");
    } else if let Some(code) = message
        .get("exitCode")
        .filter(|code| code.as_f64() != Some(0.0))
        && !code.is_null()
    {
        text.push_str(&format!("\n\nCommand exited with code {}", stringify(code)));
    }
    let path = text_of(message, "fullOutputPath");
    if flag(message, "truncated") && !path.is_empty() {
        text.push_str(&format!("\n\n[Output truncated. Full output: {path}]"));
    }
    text
}

fn text_of<'a>(object: &'a Map<String, Value>, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn flag(object: &Map<String, Value>, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_read_beside_usage_and_details() {
        let said = |raw: &str| body(raw.as_bytes(), 3).messages;
        let bare = r#"{"type":"message","message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"ok"},{"type":"new","usage":1}],"isError":true}}"#;
        let full = r#"{"usage":[1],"type":"message","details":{"a":[{}]},"message":{"usage":{"input":1,"cost":{"total":0.1}},"role":"toolResult","toolCallId":"c","details":"long","toolName":"bash","content":[{"type":"text","text":"ok"},{"type":"new","usage":1}],"isError":true}}"#;
        assert_eq!(said(bare), said(full));
        let [message] = &*said(bare) else {
            panic!("one message")
        };
        assert!(message.tool.as_ref().is_some_and(|tool| tool.is_error));
        // A block that no version knows keeps what it has.
        let [Block::Text(_), Block::Opaque { json, .. }] = &*message.blocks else {
            panic!("{message:?}")
        };
        assert_eq!(json, r#"{"type":"new","usage":1}"#);
    }

    #[test]
    fn what_is_no_record_says_nothing() {
        for raw in [
            "",
            "null",
            "[{}]",
            "1",
            "\"a\"",
            r#"{"type":"message""#,
            r#"{"type":"message","message":{"role":"user","content":"x"}} x"#,
            r#"{"type":"message","message":[1]}"#,
            r#"{"type":"message","message":null}"#,
        ] {
            assert!(body(raw.as_bytes(), 3).messages.is_empty(), "{raw}");
        }
    }
}
