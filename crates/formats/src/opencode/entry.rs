//! A stored message with its parts as an entry.

use super::parts::{
    ABORTED, Spoken, compaction_part, failure_text, has_error, input, is_summary, spoken,
};
use super::usage::usage;
use super::value::{filled, flag, text, time};
use crate::failure;
use crate::measure::{PREVIEW_CHARS, head};
use crate::outcome::any_rejected;
use palimpsest_core::entry::{Compaction, Entry, FileAccess, ModelRef, ToolCallBrief, Trigger};
use palimpsest_core::{Block, EntryKind, MessageSize, Role, SourceSpan};
use serde_json::Value;

/// The request that a summary answers, as far as the summary's entry repeats it.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Request {
    /// Id of the user message that holds it.
    pub id: String,
    /// True when the agent asked by itself.
    pub auto: bool,
    /// The first message kept verbatim.
    pub tail_start_id: Option<String>,
}

/// The request in a user message.
pub(super) fn request(info: &Value, parts: &[Value]) -> Option<Request> {
    let part = compaction_part(parts).filter(|_| text(info, "role") == "user")?;
    Some(Request {
        id: text(info, "id").to_owned(),
        auto: flag(part, "auto"),
        tail_start_id: filled(part, "tail_start_id").map(str::to_owned),
    })
}

/// The entry of a message, and its messages; parents and references are the reader's.
pub(super) fn entry_of(
    info: &Value,
    parts: &[Value],
    source: SourceSpan,
    request: Option<&Request>,
) -> Entry {
    let all = spoken(info, parts);
    let role = text(info, "role");
    let kind = if request_here(info, parts) {
        EntryKind::Custom {
            custom_type: "compaction".into(),
        }
    } else if role == "assistant" && is_summary(info) {
        EntryKind::Compaction(Box::new(compaction(info, request)))
    } else {
        match role {
            "user" => EntryKind::Message(Role::User),
            "assistant" => EntryKind::Message(Role::Assistant),
            other => EntryKind::Opaque {
                type_name: other.into(),
            },
        }
    };
    let failed = has_error(info);
    let messages: Vec<MessageSize> = all.iter().map(Spoken::size).collect();
    let spent = usage(info, parts).filter(|_| role == "assistant");
    let is_reply = matches!(kind, EntryKind::Message(Role::Assistant));
    let preview = failure::preview(&failure_text(info), &preview(info, parts, &all));
    Entry {
        id: text(info, "id").into(),
        parent: None,
        missing_parent: None,
        at_ms: time(info, "created"),
        source,
        rejected: any_rejected(messages.iter().map(|message| message.outcome)),
        messages,
        tool_calls: parts.iter().filter_map(brief).collect(),
        usage: spent,
        // A summary's usage is of the request that made it, not of the context it leaves.
        usage_trusted: is_reply && !failed && spent.is_some_and(|u| u.context_tokens() > 0),
        stop_reason: stop_reason(info).filter(|_| role == "assistant"),
        is_error: failed,
        model: model(info),
        preview,
        recovered: false,
        sidechain: false,
        subagent: None,
        side_agent: None,
        undone: false,
        kind,
    }
}

fn request_here(info: &Value, parts: &[Value]) -> bool {
    request(info, parts).is_some()
}

fn compaction(info: &Value, request: Option<&Request>) -> Compaction {
    let span = time(info, "created").zip(time(info, "completed"));
    Compaction {
        first_kept_id: request
            .and_then(|request| request.tail_start_id.as_deref())
            .map(Into::into),
        trigger: request.map(|request| {
            if request.auto {
                Trigger::Auto
            } else {
                Trigger::Manual
            }
        }),
        duration_ms: span.and_then(|(start, end)| u64::try_from(end.checked_sub(start)?).ok()),
        ..Compaction::default()
    }
}

fn stop_reason(info: &Value) -> Option<Box<str>> {
    let error = info.get("error").and_then(|error| filled(error, "name"));
    error.or_else(|| filled(info, "finish")).map(Into::into)
}

/// The model of a reply, or the one the user chose for it.
fn model(info: &Value) -> Option<ModelRef> {
    let holder = info.get("model").filter(|model| model.is_object());
    let holder = holder.unwrap_or(info);
    Some(ModelRef {
        model: filled(holder, "modelID")?.into(),
        provider: text(holder, "providerID").into(),
    })
}

/// The file a call is about, by the arguments of the built-in tools.
fn path_of(arguments: &Value) -> Option<&str> {
    ["filePath", "file_path", "path"]
        .iter()
        .find_map(|key| filled(arguments, key))
}

/// A call with what it does to its file.
fn brief(part: &Value) -> Option<ToolCallBrief> {
    if text(part, "type") != "tool" {
        return None;
    }
    let name = text(part, "tool");
    let arguments = input(part);
    let patched = filled(arguments, "patchText").and_then(patched_file);
    let path = path_of(arguments).or(patched);
    let access = match name {
        "read" => Some(FileAccess::Read),
        "edit" | "multiedit" | "patch" | "apply_patch" => Some(FileAccess::Edit),
        "write" => Some(FileAccess::Write),
        _ => None,
    };
    Some(ToolCallBrief {
        name: name.into(),
        call_id: text(part, "callID").into(),
        path: path.map(Into::into),
        access: access.filter(|_| path.is_some()),
    })
}

/// The first file of a patch in the form that `patch` and `apply_patch` take.
fn patched_file(patch: &str) -> Option<&str> {
    patch.lines().find_map(|line| {
        let (action, path) = line.strip_prefix("*** ")?.split_once(" File: ")?;
        matches!(action, "Update" | "Add" | "Delete").then(|| path.trim())
    })
}

/// Arguments that tell what a call is about, the most telling first.
const TELLING: [&str; 8] = [
    "command",
    "pattern",
    "query",
    "url",
    "filePath",
    "path",
    "description",
    "prompt",
];

fn gist(part: &Value) -> String {
    let arguments = input(part);
    let telling = TELLING.iter().find_map(|key| filled(arguments, key));
    let line = telling
        .or_else(|| path_of(arguments))
        .and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
    match line {
        Some(line) => format!("{}: {}", text(part, "tool"), line.trim()),
        None => text(part, "tool").to_owned(),
    }
}

fn failed_by_user(info: &Value) -> bool {
    let error = info.get("error");
    error.is_some_and(|error| text(error, "name") == ABORTED)
}

/// The first words: of the user's own text, of the reply, of its calls, of its reasoning.
fn preview(info: &Value, parts: &[Value], all: &[Spoken]) -> Box<str> {
    let of_type = |kind: &'static str| parts.iter().filter(move |part| text(part, "type") == kind);
    if let Some(part) = compaction_part(parts) {
        return if flag(part, "auto") {
            "compaction, automatic".into()
        } else {
            "compaction, by the user".into()
        };
    }
    let spoken = |synthetic: bool| {
        of_type("text")
            .filter(move |part| flag(part, "synthetic") == synthetic)
            .map(|part| head(text(part, "text")))
            .find(|words| !words.is_empty())
    };
    if let Some(words) = spoken(false).or_else(|| spoken(true)) {
        return words;
    }
    let mut calls = String::new();
    for part in of_type("tool") {
        // More would be cut off.
        if calls.len() > PREVIEW_CHARS {
            break;
        }
        if !calls.is_empty() {
            calls.push_str("; ");
        }
        calls.push_str(&gist(part));
    }
    if !calls.is_empty() {
        return head(&calls);
    }
    if let Some(part) = of_type("subtask").next() {
        return head(&format!("subtask: {}", text(part, "description")));
    }
    let blocks = || all.iter().flat_map(|spoken| &spoken.message.blocks);
    let thinking = blocks().find_map(|block| match block {
        Block::Thinking { text, .. } if !text.is_empty() => Some(head(text)),
        _ => None,
    });
    if let Some(words) = thinking {
        return words;
    }
    if blocks().any(|block| matches!(block, Block::Image { .. })) {
        return "(file)".into();
    }
    if failed_by_user(info) {
        return "(aborted before the reply began)".into();
    }
    Box::default()
}
