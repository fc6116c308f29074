//! What an item of the history says, as Continue makes messages of it (`constructMessages`, editor;
//! the command line stores the same items).

use crate::outcome::outcome_of;
use palimpsest_core::estimate::{IMAGE_UNITS, tokens_of_units};
use palimpsest_core::json::utf16_len;
use palimpsest_core::{Block, Category, Message, MessageSize, Role, ToolRef};
use serde_json::Value;

/// The result of a call that the user stopped.
const CANCELLED: &str = "The user cancelled this tool call.";
/// The result of a call without output.
const NO_OUTPUT: &str = "No tool output";
/// The word for the role of a summary.
pub(super) const SUMMARY: &str = "summary";

/// The messages of an item: a reply with the results of its calls, which are stored beside it.
pub(super) fn messages(item: &Value) -> Vec<Message> {
    let own = item.get("message").unwrap_or(&Value::Null);
    let content = blocks(own.get("content"));
    match text_in(own, "role") {
        "user" => {
            let mut all = context_items(item.get("contextItems"));
            let is_empty = all.is_empty() && is_blank(&content);
            all.extend(content);
            vec![Message {
                sent: !is_empty,
                ..message(Role::User, "user", all)
            }]
        }
        "assistant" => reply(item, own, content),
        "thinking" => vec![message(
            Role::Assistant,
            "thinking",
            vec![Block::Thinking {
                text: text_in(own, "content").to_owned(),
                redacted: own.get("redactedThinking").is_some_and(Value::is_string),
            }],
        )],
        // Results are put in again from the states of the calls, and the system prompt is made for
        // each request.
        "tool" => vec![Message {
            sent: false,
            tool: Some(ToolRef {
                call_id: text_in(own, "toolCallId").to_owned(),
                name: String::new(),
                is_error: false,
            }),
            ..message(Role::Tool, "tool", content)
        }],
        "system" => vec![Message {
            sent: false,
            ..message(Role::System, "system", content)
        }],
        _ => vec![Message {
            sent: false,
            ..message(Role::User, "unknown", content)
        }],
    }
}

/// The summary that an item carries, as a message: the editor puts it behind the system prompt, the
/// command line sends it as the reply that it stores.
pub(super) fn summary(item: &Value) -> Option<Message> {
    let text = text_in(item, "conversationSummary");
    if text.is_empty() {
        return None;
    }
    let role = if is_summary_alone(item) {
        Role::Assistant
    } else {
        Role::System
    };
    Some(message(role, SUMMARY, vec![Block::Text(text.to_owned())]))
}

/// True for an item that is nothing but its summary: the command line replaces the history by it.
pub(super) fn is_summary_alone(item: &Value) -> bool {
    let own = item.get("message").unwrap_or(&Value::Null);
    let summary = text_in(item, "conversationSummary");
    !summary.is_empty() && text_in(own, "content") == summary
}

fn reply(item: &Value, own: &Value, content: Vec<Block>) -> Vec<Message> {
    let calls = own.get("toolCalls").and_then(Value::as_array);
    let calls: Vec<&Value> = calls.into_iter().flatten().collect();
    let is_empty = calls.is_empty() && is_blank(&content);
    let mut all = content;
    all.extend(calls.iter().map(|call| Block::ToolCall {
        id: text_in(call, "id").to_owned(),
        name: text_in(function(call), "name").to_owned(),
        arguments: text_in(function(call), "arguments").to_owned(),
    }));
    let mut messages = vec![Message {
        sent: !is_empty,
        ..message(Role::Assistant, "assistant", all)
    }];
    for call in calls {
        let id = text_in(call, "id");
        let state = state_of(item, id);
        let status = state.map_or("", |state| text_in(state, "status"));
        let output = state.and_then(|state| state.get("output")?.as_array());
        let text = match output {
            _ if status == "canceled" => CANCELLED.to_owned(),
            Some(output) => {
                let texts = output.iter().map(|own| text_in(own, "content"));
                texts.collect::<Vec<_>>().join("\n\n")
            }
            None => NO_OUTPUT.to_owned(),
        };
        messages.push(Message {
            tool: Some(ToolRef {
                call_id: id.to_owned(),
                name: text_in(function(call), "name").to_owned(),
                is_error: status == "errored",
            }),
            ..message(Role::Tool, "tool", vec![Block::Text(text)])
        });
    }
    messages
}

/// The state of a call in an item.
pub(super) fn state_of<'i>(item: &'i Value, call: &str) -> Option<&'i Value> {
    let mut states = item.get("toolCallStates")?.as_array()?.iter();
    states.find(|state| text_in(state, "toolCallId") == call)
}

/// The part of a call that names its tool and arguments.
pub(super) fn function(call: &Value) -> &Value {
    call.get("function").unwrap_or(&Value::Null)
}

/// What the editor adds to a prompt: files, selections and the like.
fn context_items(items: Option<&Value>) -> Vec<Block> {
    let items = items.and_then(Value::as_array).into_iter().flatten();
    let texts = items.map(|item| text_in(item, "content"));
    texts
        .filter(|text| !text.trim().is_empty())
        .map(|text| Block::Text(format!("{text}\n")))
        .collect()
}

fn blocks(content: Option<&Value>) -> Vec<Block> {
    match content {
        Some(Value::String(text)) => vec![Block::Text(text.clone())],
        Some(Value::Array(parts)) => parts.iter().map(part).collect(),
        _ => Vec::new(),
    }
}

fn part(part: &Value) -> Block {
    match text_in(part, "type") {
        "text" => Block::Text(text_in(part, "text").to_owned()),
        "imageUrl" => {
            let url = text_in(part.get("imageUrl").unwrap_or(&Value::Null), "url");
            let (head, data) = url.split_once(',').unwrap_or((url, ""));
            let mime = head.trim_start_matches("data:").split(';').next();
            Block::Image {
                mime: mime.unwrap_or_default().to_owned(),
                base64_len: data.len() as u64,
            }
        }
        kind => Block::Opaque {
            kind: kind.to_owned(),
            json: part.to_string(),
        },
    }
}

fn is_blank(blocks: &[Block]) -> bool {
    blocks.iter().all(|block| match block {
        Block::Text(text) => text.trim().is_empty(),
        _ => false,
    })
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

/// A text of an object; empty where there is none.
pub(super) fn text_in<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The size of a message by the estimate that all sessions are measured by
/// ([`palimpsest_core::estimate`]).
pub(super) fn size(message: &Message) -> MessageSize {
    let said = match message.role {
        _ if message.native_role == SUMMARY => Category::Summaries,
        Role::User => Category::User,
        Role::Assistant => Category::AssistantText,
        Role::Tool => Category::ToolResults,
        Role::System => Category::System,
    };
    let mut units: Vec<(Category, u64)> = Vec::new();
    let mut add = |category: Category, more: u64| {
        if more == 0 {
            return;
        }
        match units.iter_mut().find(|(own, _)| *own == category) {
            Some((_, sum)) => *sum += more,
            None => units.push((category, more)),
        }
    };
    for block in &message.blocks {
        match block {
            Block::Text(text) => add(said, utf16_len(text)),
            Block::Thinking { text, .. } => add(Category::Thinking, utf16_len(text)),
            Block::ToolCall {
                name, arguments, ..
            } => add(Category::ToolCalls, utf16_len(name) + utf16_len(arguments)),
            Block::Image { .. } => add(Category::Images, IMAGE_UNITS),
            _ => {}
        }
    }
    let tool = message.tool.as_ref().map(|tool| tool.name.as_str());
    MessageSize {
        role: message.role,
        native_role: message.native_role,
        estimate: tokens_of_units(units.iter().map(|(_, units)| units).sum()),
        units,
        tool_name: tool.filter(|name| !name.is_empty()).map(Into::into),
        outcome: outcome_of(message),
        sent: message.sent,
    }
}
