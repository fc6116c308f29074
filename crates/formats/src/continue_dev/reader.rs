//! Lines into records, and records into entries: an item of the history is one entry, and the
//! summary that it carries another behind it.

use super::item::{function, is_summary_alone, messages, size, state_of, summary, text_in};
use super::places::folder;
use super::usage::{figures, of_session};
use crate::Reading;
use crate::blank_entry::blank_entry;
use crate::jsonl::{self, LineText, mended, plain};
use crate::measure::head;
use palimpsest_core::entry::{Compaction, FileAccess, ModelRef, ToolCallBrief, Trigger};
use palimpsest_core::title::title_of_prompt;
use palimpsest_core::{
    Block, Entry, EntryId, EntryIx, EntryKind, Message, MessageSize, Role, SourceSpan, Usage,
    Warning,
};
use serde_json::Value;

/// Titles of sessions that have none.
const UNNAMED: [&str; 2] = ["Untitled Session", "New Session"];

/// Reads the lines of `chunk` into `reading`; see [`crate::SessionFormat::read`].
pub(super) fn read(reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
    jsonl::read_lines(reading, chunk, at_end, take_line)
}

fn take_line(reading: &mut Reading, line: &[u8]) {
    let number = reading.state.line;
    let line = LineText::of(line, reading.state.offset, number);
    if line.lossy() {
        warn(reading, number, jsonl::NOT_UTF8);
    }
    if line.is_blank() {
        return;
    }
    if reading.state.open_line {
        return warn(
            reading,
            number,
            "text after a record on the same line is skipped",
        );
    }
    let parsed = serde_json::from_str::<Value>(&line.text);
    let parsed = parsed.or_else(|error| match mended(&line.text) {
        Some(text) => serde_json::from_str(&text),
        None => Err(error),
    });
    match parsed {
        Ok(record) if record.is_object() => take(reading, &record, line.span),
        Ok(_) => warn(reading, number, "a JSON value that is no item, skipped"),
        Err(error) => {
            let reason = format!("not a JSON record ({}), skipped", plain(&error));
            warn(reading, number, &reason);
        }
    }
}

fn take(reading: &mut Reading, record: &Value, source: SourceSpan) {
    reading.state.records += 1;
    match text_in(record, "type") {
        "torn" => {
            reading.session.headers.push(source.line);
            let reason = "the file ends within its history; what was written until there is shown";
            warn(reading, source.line, reason);
        }
        "totals" => {
            reading.session.headers.push(source.line);
            take_totals(reading, record, source);
        }
        _ if record.get("message").is_some() => take_item(reading, record, source),
        _ if record.get("sessionId").is_some() || reading.state.records == 1 => {
            take_header(reading, record, source.line);
        }
        _ => {
            let mut entry = entry(EntryKind::Opaque {
                type_name: Box::default(),
            });
            entry.preview = "(an item without a message)".into();
            let id = id(reading, "item");
            push(reading, entry, id, source);
        }
    }
}

fn take_header(reading: &mut Reading, record: &Value, line: u32) {
    reading.state.has_header = true;
    let session = &mut reading.session;
    session.headers.push(line);
    let meta = &mut session.meta;
    let filled = |key: &str| Some(text_in(record, key)).filter(|text| !text.is_empty());
    if let Some(id) = filled("sessionId") {
        meta.native_id = id.to_owned();
    }
    if let Some(title) = filled("title").filter(|title| !UNNAMED.contains(title)) {
        meta.title = Some(head(title).into());
    }
    meta.cwd = filled("workspaceDirectory").map(folder);
    meta.created_at_ms = match record.get("dateCreated") {
        Some(Value::String(text)) => text.parse().ok(),
        Some(number) => number.as_i64(),
        None => None,
    };
    if let Some(model) = filled("chatModelTitle") {
        reading.state.native = model.into();
    }
}

fn take_item(reading: &mut Reading, item: &Value, source: SourceSpan) {
    if !is_summary_alone(item) {
        let id = id(reading, "item");
        let entry = entry_of(reading, item);
        push(reading, entry, id, source);
    }
    if let Some(summary) = summary(item) {
        let alone = is_summary_alone(item);
        let kind = EntryKind::Compaction(Box::new(Compaction {
            // The editor compacts only on command; the command line does both.
            trigger: (!alone).then_some(Trigger::Manual),
            ..Compaction::default()
        }));
        let mut entry = entry(kind);
        entry.messages = vec![size(&summary)];
        entry.preview = head(&summary.text("\n"));
        let id = id(reading, "summary");
        push(reading, entry, id, source);
    }
}

fn entry_of(reading: &mut Reading, item: &Value) -> Entry {
    let said = messages(item);
    let role = said.first().map_or(Role::User, |message| message.role);
    let own = item.get("message").unwrap_or(&Value::Null);
    let mut entry = entry(EntryKind::Message(role));
    entry.messages = said.iter().map(size).collect::<Vec<MessageSize>>();
    entry.preview = preview(&said);
    if role == Role::Assistant {
        let calls = own.get("toolCalls").and_then(Value::as_array);
        let calls: Vec<&Value> = calls.into_iter().flatten().collect();
        entry.tool_calls = calls.iter().map(|call| brief(item, call)).collect();
        entry.usage = own.get("usage").and_then(figures);
        entry.usage_trusted = entry.usage.is_some_and(|usage| usage.context_tokens() > 0);
        entry.model = model(reading, item);
    }
    let title = &mut reading.session.meta.title;
    if role == Role::User && title.is_none() {
        *title = title_of_prompt(&entry.preview);
    }
    entry
}

/// The model of a reply: by its usage, the log of its prompt, or the session's choice.
fn model(reading: &Reading, item: &Value) -> Option<ModelRef> {
    let usage = item.pointer("/message/usage/model").and_then(Value::as_str);
    let log = item.pointer("/promptLogs/0").unwrap_or(&Value::Null);
    let of_log = Some(text_in(log, "modelTitle")).filter(|name| !name.is_empty());
    let provider = Some(text_in(log, "modelProvider")).filter(|name| !name.is_empty());
    let chosen = reading.state.native.as_str();
    Some(ModelRef {
        provider: provider.unwrap_or("continue").into(),
        model: usage.or(of_log).or(chosen)?.into(),
    })
}

/// A call with what it does to its file: Continue's tools for files, editor and command line.
fn brief(item: &Value, call: &Value) -> ToolCallBrief {
    let id = text_in(call, "id");
    let name = text_in(function(call), "name");
    let parsed = state_of(item, id).and_then(|state| state.get("parsedArgs").cloned());
    let arguments = parsed
        .or_else(|| serde_json::from_str(text_in(function(call), "arguments")).ok())
        .unwrap_or_default();
    let keys = ["filepath", "file_path", "path"].map(|key| text_in(&arguments, key));
    let path = keys.into_iter().find(|path| !path.is_empty());
    let access = match name {
        "builtin_read_file" | "read_file" | "Read" => Some(FileAccess::Read),
        "builtin_create_new_file" | "create_new_file" | "Write" => Some(FileAccess::Write),
        "builtin_edit_existing_file"
        | "edit_existing_file"
        | "builtin_multi_edit"
        | "builtin_single_find_and_replace"
        | "multi_edit"
        | "single_find_and_replace"
        | "Edit"
        | "MultiEdit" => Some(FileAccess::Edit),
        _ => None,
    };
    ToolCallBrief {
        name: name.into(),
        call_id: id.into(),
        access: access.filter(|_| path.is_some()),
        path: path.map(Into::into),
    }
}

fn preview(said: &[Message]) -> Box<str> {
    let Some(first) = said.first() else {
        return Box::default();
    };
    // What the user wrote stands behind what the editor added.
    let mut texts = first.blocks.iter().rev().filter_map(|block| match block {
        Block::Text(text) | Block::Thinking { text, .. } if !text.trim().is_empty() => {
            Some(text.as_str())
        }
        _ => None,
    });
    if let Some(text) = texts.next() {
        return head(text);
    }
    let calls = first.blocks.iter().filter_map(|block| match block {
        Block::ToolCall {
            name, arguments, ..
        } => Some(format!("{name} {arguments}")),
        Block::Image { .. } => Some("(image)".to_owned()),
        _ => None,
    });
    head(&calls.collect::<Vec<_>>().join(", "))
}

/// What the session spent beside the replies that are left in it: a compaction takes items out of
/// the file, and requests for summaries are in none.
fn take_totals(reading: &mut Reading, record: &Value, source: SourceSpan) {
    let Some(total) = record.get("usage").and_then(of_session) else {
        return;
    };
    let mut known = Usage::default();
    let entries = reading.session.entries.iter();
    for usage in entries.filter_map(|entry| entry.usage) {
        known.add(&usage);
    }
    let rest = Usage {
        input: total.input.saturating_sub(known.input),
        output: total.output.saturating_sub(known.output),
        cache_read: total.cache_read.saturating_sub(known.cache_read),
        cache_write: total.cache_write.saturating_sub(known.cache_write),
        cost_usd: total
            .cost_usd
            .map(|cost| (cost - known.cost_usd.unwrap_or(0.0)).max(0.0)),
        ..Usage::default()
    };
    if rest.context_tokens() == 0 {
        return;
    }
    let mut entry = entry(EntryKind::UsageRecord {
        purpose: "other calls".into(),
    });
    entry.preview = head(&format!("{} tokens", rest.context_tokens()));
    entry.usage = Some(rest);
    let mut entries = reading.session.entries.iter().rev();
    entry.model = entries.find_map(|entry| entry.model.clone());
    push(reading, entry, "totals".into(), source);
}

fn entry(kind: EntryKind) -> Entry {
    blank_entry(kind, SourceSpan::default())
}

/// An id by the place in the history: items have none.
fn id(reading: &Reading, what: &str) -> EntryId {
    format!("{what}:{}", reading.state.records).into()
}

fn push(reading: &mut Reading, mut entry: Entry, id: EntryId, source: SourceSpan) {
    let session = &mut reading.session;
    let ix = EntryIx::new(session.entries.len());
    entry.id = id;
    entry.source = source;
    entry.parent = session.active_leaf;
    session.active_leaf = Some(ix);
    reading.state.last_entry_id = Some(entry.id.as_str().to_owned());
    session.entries.push(entry);
}

fn warn(reading: &mut Reading, line: u32, reason: &str) {
    reading.session.warnings.push(Warning {
        line: Some(line),
        reason: reason.to_owned(),
    });
}
