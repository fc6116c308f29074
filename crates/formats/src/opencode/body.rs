//! The text of an entry, from the lines of its message and parts.

use super::parts::{failure_text, spoken};
use super::value::{filled, items, parse, text};
use crate::failure;
use palimpsest_core::{Block, Body, Entry, Message, Role};
use serde_json::Value;

/// The body of the entry whose lines are `raw`.
pub(super) fn body(entry: &Entry, raw: &[u8]) -> Body {
    let mut records = raw
        .split(|&byte| byte == b'\n')
        .filter_map(|line| parse(palimpsest_core::stored::text(line).trim()).ok());
    let Some(first) = records.next() else {
        return Body::default();
    };
    if filled(&first, "role").is_none() {
        return aside(&first);
    }
    let id = text(&first, "id");
    let parts: Vec<Value> = records
        .filter(|record| text(record, "messageID") == id)
        .collect();
    let mut messages: Vec<Message> = spoken(&first, &parts)
        .into_iter()
        .map(|spoken| spoken.message)
        .collect();
    // A system prompt that is the same as before is not told again.
    let is_system = |role: Option<Role>| role == Some(Role::System);
    if is_system(messages.first().map(|message| message.role))
        && !is_system(entry.messages.first().map(|size| size.role))
    {
        messages.remove(0);
    }
    Body {
        messages,
        beside: failure::told(&failure_text(&first)),
        ..Body::default()
    }
}

/// A list of things to do, in our own form; other records have no text.
fn aside(record: &Value) -> Body {
    if record.get("todos").is_none() {
        return Body::default();
    }
    let lines: Vec<String> = items(record, "todos")
        .iter()
        .map(|todo| format!("- {} [{}]", text(todo, "content"), text(todo, "status")))
        .collect();
    let message = Message {
        role: Role::User,
        native_role: "todo",
        blocks: vec![Block::Text(lines.join("\n"))],
        tool: None,
        sent: false,
    };
    Body {
        messages: vec![message],
        ..Body::default()
    }
}
