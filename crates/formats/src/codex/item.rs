//! One item of the conversation, as `response_item` records and replacement histories hold it.
//!
//! The message is made first and measured afterwards, so that sizes and texts cannot differ.

use super::calls;
use super::json::{items, text};
use crate::measure::head;
use crate::outcome::outcome_of;
use palimpsest_core::entry::ToolCallBrief;
use palimpsest_core::json::stringify;
use palimpsest_core::{Block, Category, Message, MessageSize, Role, ToolRef};
use serde_json::Value;

/// The role name of what the agent puts in, in the person's place.
pub(super) const INJECTED: &str = "custom";
/// The role name of a compaction's summary.
pub(super) const SUMMARY: &str = "compactionSummary";
/// The role name of the model's reasoning.
pub(super) const REASONING: &str = "reasoning";
/// Bytes an image counts as (`RESIZED_IMAGE_BYTES_ESTIMATE`, codex-rs context manager, 2026).
const IMAGE_BYTES: u64 = 7373;

/// Beginnings of user messages that the program wrote, for versions before 0.16x, which do not say
/// so beside the message.
const WRAPPERS: [&str; 9] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<skill>",
    "<permissions instructions>",
    "<environments>",
];

/// The message of an item; `None` for what the model does not get. `tool_name` is the name of the
/// tool whose result it is.
pub(super) fn message(item: &Value, tool_name: Option<&str>) -> Option<Message> {
    Some(match text(item, "type") {
        "message" => spoken(item),
        "reasoning" => plain(Role::Assistant, REASONING, reasoning(item)),
        "function_call" => call(item, text(item, "name"), text(item, "arguments").to_owned()),
        "custom_tool_call" => call(item, text(item, "name"), printed(item.get("input"))),
        "local_shell_call" => call(item, "local_shell", printed(item.get("action"))),
        "web_search_call" => call(item, "web_search", printed(item.get("action"))),
        "tool_search_call" => call(item, "tool_search", printed(item.get("arguments"))),
        "image_generation_call" => {
            let mut message = call(item, "image_generation", "{}".to_owned());
            let base64_len = text(item, "result").len() as u64;
            if base64_len > 0 {
                message.blocks.push(Block::Image {
                    mime: "image/png".to_owned(),
                    base64_len,
                });
            }
            message
        }
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
            result(item, tool_name, output(item.get("output")))
        }
        "tool_search_output" => {
            let found = printed(item.get("tools"));
            result(item, tool_name, vec![Block::Text(found)])
        }
        // What one agent says to another.
        "agent_message" => Message {
            blocks: content(item),
            ..plain(Role::User, INJECTED, Block::Text(String::new()))
        },
        "compaction" | "compaction_summary" | "context_compaction" => {
            plain(Role::User, SUMMARY, opaque_summary(item))
        }
        _ => return None,
    })
}

/// True for an item that only the provider can read in place of what it summarizes.
pub(super) fn is_opaque_summary(item: &Value) -> bool {
    matches!(
        text(item, "type"),
        "compaction" | "compaction_summary" | "context_compaction"
    )
}

/// Bytes of an item's encrypted part.
pub(super) fn encrypted_bytes(item: &Value) -> u64 {
    text(item, "encrypted_content").len() as u64
}

/// True for a user message that the program wrote: by what 0.16x stores beside it
/// (`content_item_kinds`), else by how it begins.
pub(super) fn is_injected(item: &Value) -> bool {
    let beside = item.get("internal_chat_message_metadata_passthrough");
    match beside.and_then(|beside| beside.get("content_item_kinds")) {
        Some(Value::Array(kinds)) if !kinds.is_empty() => !kinds
            .iter()
            .filter_map(Value::as_str)
            .any(|kind| kind.starts_with("user.")),
        _ => {
            let mut texts = items(item, "content").iter().map(|part| text(part, "text"));
            let first = texts.find(|text| !text.is_empty()).unwrap_or_default();
            let first = first.trim_start();
            WRAPPERS.iter().any(|wrapper| first.starts_with(wrapper))
        }
    }
}

/// What an injected message is, for lists.
pub(super) fn injected_kind(item: &Value) -> &str {
    let beside = item.get("internal_chat_message_metadata_passthrough");
    let kinds = beside.map(|beside| items(beside, "content_item_kinds"));
    if let Some(kind) = kinds
        .and_then(|kinds| kinds.first())
        .and_then(Value::as_str)
    {
        return kind.rsplit('.').next().unwrap_or(kind);
    }
    let first = items(item, "content").first();
    let first = first.map(|part| text(part, "text")).unwrap_or_default();
    let first = first.trim_start();
    if first.starts_with("# AGENTS.md") {
        return "AGENTS.md";
    }
    if text(item, "type") == "agent_message" {
        return "agent_message";
    }
    let tag = first.strip_prefix('<').unwrap_or_default();
    match tag.split_once('>') {
        Some((name, _)) if name.len() <= 40 => name,
        _ => "injected",
    }
}

/// The size of an item's message: UTF-8 bytes over four, rounded up, over what of it the model
/// reads. Codex counts the serialized item; encrypted parts count as it estimates their text, three
/// quarters of the length less 650 bytes (`estimate_reasoning_length`, codex-rs context manager).
pub(super) fn size(item: &Value, message: &Message) -> MessageSize {
    let encrypted = encrypted_bytes(item);
    // Encrypted reasoning is sent back to the provider and counts, although nobody here can read
    // it.
    let units = if encrypted > 0 && message.tool.is_none() {
        let category = if is_opaque_summary(item) {
            Category::Summaries
        } else {
            Category::Thinking
        };
        vec![(category, (encrypted * 3 / 4).saturating_sub(650))]
    } else {
        message_units(message)
    };
    sized(message, units)
}

/// The size of a message that is not an item by itself.
pub(super) fn size_of_text(message: &Message) -> MessageSize {
    sized(message, message_units(message))
}

fn sized(message: &Message, mut units: Vec<(Category, u64)>) -> MessageSize {
    units.retain(|&(_, bytes)| bytes > 0);
    let bytes: u64 = units.iter().map(|(_, bytes)| bytes).sum();
    MessageSize {
        role: message.role,
        native_role: message.native_role,
        estimate: bytes.div_ceil(4),
        units,
        tool_name: message.tool.as_ref().map(|tool| tool.name.as_str().into()),
        outcome: outcome_of(message),
        sent: message.sent,
    }
}

fn message_units(message: &Message) -> Vec<(Category, u64)> {
    let of_text = match message.role {
        Role::System => Category::Injected,
        Role::Tool => Category::ToolResults,
        Role::Assistant => Category::AssistantText,
        Role::User => match message.native_role {
            SUMMARY => Category::Summaries,
            INJECTED => Category::Injected,
            _ => Category::User,
        },
    };
    let mut units: Vec<(Category, u64)> = Vec::with_capacity(1);
    for block in &message.blocks {
        let (category, bytes) = match block {
            Block::Text(text) => (of_text, text.len() as u64),
            Block::Thinking { text, .. } => (Category::Thinking, text.len() as u64),
            Block::ToolCall {
                name, arguments, ..
            } => (Category::ToolCalls, (name.len() + arguments.len()) as u64),
            Block::Image { .. } => (Category::Images, IMAGE_BYTES),
            Block::Opaque { json, .. } => (of_text, json.len() as u64),
            Block::Section { .. } | Block::ToolsAdded(_) => continue,
        };
        match units.iter_mut().find(|(known, _)| *known == category) {
            Some((_, sum)) => *sum += bytes,
            None => units.push((category, bytes)),
        }
    }
    units
}

/// The first words of a message.
pub(super) fn preview(message: &Message, calls: &[ToolCallBrief]) -> Box<str> {
    for block in &message.blocks {
        match block {
            Block::Text(text) if message.role == Role::Tool => return calls::output_preview(text),
            Block::Text(text) if !text.trim().is_empty() => return head(text),
            Block::Thinking { text, redacted } => {
                return if *redacted {
                    "(encrypted reasoning)".into()
                } else {
                    head(text)
                };
            }
            Block::ToolCall {
                name, arguments, ..
            } => return calls::preview(name, arguments, calls),
            Block::Image { .. } => return "(image)".into(),
            _ => {}
        }
    }
    Box::default()
}

fn plain(role: Role, native_role: &'static str, block: Block) -> Message {
    Message {
        role,
        native_role,
        blocks: vec![block],
        tool: None,
        sent: true,
    }
}

fn spoken(item: &Value) -> Message {
    let (role, native_role) = match text(item, "role") {
        "assistant" => (Role::Assistant, "assistant"),
        "developer" => (Role::System, "developer"),
        "system" => (Role::System, "system"),
        _ if is_injected(item) => (Role::User, INJECTED),
        _ => (Role::User, "user"),
    };
    Message {
        role,
        native_role,
        blocks: content(item),
        tool: None,
        sent: true,
    }
}

fn content(item: &Value) -> Vec<Block> {
    match item.get("content") {
        Some(Value::String(text)) => vec![Block::Text(text.clone())],
        Some(Value::Array(parts)) => parts.iter().map(part).collect(),
        _ => Vec::new(),
    }
}

fn part(part: &Value) -> Block {
    match text(part, "type") {
        "input_text" | "output_text" | "text" => Block::Text(text(part, "text").to_owned()),
        "input_image" => image(text(part, "image_url")),
        kind => Block::Opaque {
            kind: kind.to_owned(),
            json: stringify(part),
        },
    }
}

fn image(url: &str) -> Block {
    let data = url
        // An image by address is not in the file.
        .strip_prefix("data:")
        .and_then(|data| data.split_once(','));
    match data {
        Some((mime, base64)) => Block::Image {
            mime: mime.split(';').next().unwrap_or_default().to_owned(),
            base64_len: base64.len() as u64,
        },
        None => Block::Image {
            mime: String::new(),
            base64_len: 0,
        },
    }
}

/// The readable reasoning: the summary's parts and what content is stored in the clear, one below
/// the other.
fn reasoning(item: &Value) -> Block {
    let parts = items(item, "summary").iter().chain(items(item, "content"));
    let texts: Vec<&str> = parts.map(|part| text(part, "text")).collect();
    let text = texts.join("\n");
    Block::Thinking {
        redacted: text.is_empty() && encrypted_bytes(item) > 0,
        text,
    }
}

fn call(item: &Value, name: &str, arguments: String) -> Message {
    let block = Block::ToolCall {
        id: calls::call_id(item).to_owned(),
        name: name.to_owned(),
        arguments,
    };
    plain(Role::Assistant, "assistant", block)
}

fn result(item: &Value, tool_name: Option<&str>, blocks: Vec<Block>) -> Message {
    Message {
        role: Role::Tool,
        native_role: "tool",
        tool: Some(ToolRef {
            call_id: text(item, "call_id").to_owned(),
            name: tool_name.unwrap_or_default().to_owned(),
            is_error: calls::is_failure(item),
        }),
        blocks,
        sent: true,
    }
}

/// A result is a text, a list of parts, or (2025) an object with the text in it.
fn output(output: Option<&Value>) -> Vec<Block> {
    match output {
        Some(Value::String(text)) => vec![Block::Text(text.clone())],
        Some(Value::Array(parts)) => parts.iter().map(part).collect(),
        Some(object @ Value::Object(_)) => match object.get("content") {
            Some(Value::String(text)) => vec![Block::Text(text.clone())],
            Some(Value::Array(parts)) => parts.iter().map(part).collect(),
            _ => vec![Block::Text(stringify(object))],
        },
        _ => Vec::new(),
    }
}

fn opaque_summary(item: &Value) -> Block {
    Block::Text(format!("opaque summary, {} bytes", encrypted_bytes(item)))
}

/// A value as compact JSON; nothing as an empty object.
fn printed(value: Option<&Value>) -> String {
    value.map_or_else(|| "{}".to_owned(), stringify)
}
