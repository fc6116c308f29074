//! A stored message as an entry, and its text.

use super::parts::{CLEARED, SUMMARIZED, Spoken, is_marker, parts, spoken, summary};
use crate::json::{count, field, filled, parse, text};
use crate::measure::{PREVIEW_CHARS, head};
use crate::outcome::any_rejected;
use crate::time::parse_iso;
use palimpsest_core::entry::{Compaction, Entry, FileAccess, ModelRef, ToolCallBrief, Trigger};
use palimpsest_core::{Block, Body, EntryKind, MessageSize, Outcome, Role, SourceSpan, Usage};
use serde_json::Value;

/// The body of the entry whose line is `raw`.
pub(super) fn body(entry: &Entry, raw: &[u8]) -> Body {
    let text_of_line = palimpsest_core::stored::text(raw);
    let all = match parse(text_of_line.trim()) {
        Ok(record) if !entry.messages.is_empty() => spoken(&record),
        _ => Vec::new(),
    };
    Body {
        messages: all.into_iter().map(|spoken| spoken.message).collect(),
        ..Body::default()
    }
}

/// The entry of a message; parents and the id are the reader's.
pub(super) fn entry_of(record: &Value, source: SourceSpan) -> Entry {
    let parts = parts(record);
    let all = spoken(record);
    let kind = kind_of(record, &parts);
    let usage = usage(field(record, "usage"));
    let is_reply = kind == EntryKind::Message(Role::Assistant);
    let messages: Vec<MessageSize> = all.iter().map(Spoken::size).collect();
    Entry {
        id: String::new().into(),
        parent: None,
        missing_parent: None,
        at_ms: filled(record, "created_at").and_then(parse_iso),
        source,
        tool_calls: parts.iter().filter_map(brief).collect(),
        usage,
        usage_trusted: is_reply && usage.is_some_and(|usage| usage.context_tokens() > 0),
        stop_reason: None,
        is_error: kind == EntryKind::Message(Role::Tool)
            && messages
                .iter()
                .any(|message| message.outcome == Outcome::Failed),
        rejected: any_rejected(messages.iter().map(|message| message.outcome)),
        messages,
        undone: false,
        model: model(record),
        preview: preview(&kind, &parts, &all),
        recovered: false,
        sidechain: false,
        subagent: None,
        side_agent: None,
        kind,
    }
}

fn kind_of(record: &Value, parts: &[Value]) -> EntryKind {
    if let Some(result) = summary(parts) {
        let trigger = match text(result, "source") {
            "automatic" => Some(Trigger::Auto),
            "manual" => Some(Trigger::Manual),
            _ => None,
        };
        return EntryKind::Compaction(Box::new(Compaction {
            trigger,
            tokens_before: count(result, "context_tokens"),
            tokens_after: count(result, "estimated_context_tokens"),
            ..Compaction::default()
        }));
    }
    for marker in [SUMMARIZED, CLEARED] {
        if is_marker(parts, marker) {
            return EntryKind::Custom {
                custom_type: marker.into(),
            };
        }
    }
    match text(record, "role") {
        "user" => EntryKind::Message(Role::User),
        "assistant" => EntryKind::Message(Role::Assistant),
        "tool" => EntryKind::Message(Role::Tool),
        "system" => EntryKind::Message(Role::System),
        other => EntryKind::Opaque {
            type_name: other.into(),
        },
    }
}

/// Only ids of models are stored with messages; a name is there where the file was put together with
/// the server's list.
fn model(record: &Value) -> Option<ModelRef> {
    let config = field(record, "model_config");
    let named = filled(record, "model").or_else(|| filled(config, "model"));
    Some(ModelRef {
        provider: text(config, "provider").into(),
        model: named.or_else(|| filled(record, "model_config_id"))?.into(),
    })
}

/// The usage of the request for a message: input excludes what the cache gave and took.
fn usage(stored: &Value) -> Option<Usage> {
    let (input, output) = (
        count(stored, "input_tokens"),
        count(stored, "output_tokens"),
    );
    input.or(output)?;
    let of = |key: &str| count(stored, key).unwrap_or_default();
    Some(Usage {
        input: input.unwrap_or_default(),
        output: output.unwrap_or_default(),
        cache_read: of("cache_read_tokens"),
        cache_write: of("cache_creation_tokens"),
        cache_write_hour: 0,
        reasoning: count(stored, "reasoning_tokens"),
        // The server's total leaves the cache out.
        total: 0,
        cost_usd: None,
    })
}

fn brief(part: &Value) -> Option<ToolCallBrief> {
    if text(part, "type") != "tool-call" {
        return None;
    }
    let (name, args) = (text(part, "tool_name"), field(part, "args"));
    let path = ["path", "file_path", "file_name"];
    let path = path.iter().find_map(|key| filled(args, key));
    let access = match name {
        "read_file" => Some(FileAccess::Read),
        "write_file" => Some(FileAccess::Write),
        "edit_files" | "edit_file" => Some(FileAccess::Edit),
        _ => None,
    };
    Some(ToolCallBrief {
        name: name.into(),
        call_id: text(part, "tool_call_id").into(),
        path: path.map(Into::into),
        access: access.filter(|_| path.is_some()),
    })
}

/// Arguments that tell what a call is about, the most telling first.
const TELLING: [&str; 6] = ["command", "path", "query", "url", "title", "prompt"];

fn preview(kind: &EntryKind, parts: &[Value], all: &[Spoken]) -> Box<str> {
    match kind {
        EntryKind::Custom { custom_type } if **custom_type == *CLEARED => {
            return "context cleared".into();
        }
        EntryKind::Custom { .. } => return "compaction".into(),
        _ => {}
    }
    let blocks = || all.iter().flat_map(|spoken| &spoken.message.blocks);
    let words = blocks().find_map(|block| match block {
        Block::Text(text) if !text.trim().is_empty() => Some(head(text)),
        _ => None,
    });
    if let Some(words) = words {
        return words;
    }
    let mut calls = String::new();
    for part in parts
        .iter()
        .filter(|part| text(part, "type") == "tool-call")
    {
        // More would be cut off.
        if calls.len() > PREVIEW_CHARS {
            break;
        }
        if !calls.is_empty() {
            calls.push_str("; ");
        }
        calls.push_str(text(part, "tool_name"));
        let args = field(part, "args");
        if let Some(telling) = TELLING.iter().find_map(|key| filled(args, key)) {
            calls.push_str(": ");
            calls.push_str(telling.lines().next().unwrap_or_default());
        }
    }
    if !calls.is_empty() {
        return head(&calls);
    }
    let thinking = blocks().find_map(|block| match block {
        Block::Thinking { text, .. } if !text.trim().is_empty() => Some(head(text)),
        _ => None,
    });
    thinking.unwrap_or_default()
}
