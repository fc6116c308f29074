//! A row, or a run of its parts, as an entry.

use super::row::{self, Asked, Kind, metadata, special, trigger};
use super::spoken::{Spoken, spoken};
use super::steps::is_done;
use super::usage::{before_last, last_step, usage};
use crate::blank_entry::blank_entry;
use crate::failure;
use crate::json::{field, filled, flag, items, text, time};
use crate::measure::{PREVIEW_CHARS, head};
use palimpsest_core::entry::{Compaction, Entry, FileAccess, ToolCallBrief, Trigger};
use palimpsest_core::{Block, EntryKind, Role, SourceSpan, Usage};
use serde_json::Value;

/// The kind of a request for a summary.
pub(super) const COMPACTION_REQUEST: &str = "compaction-request";
/// The kind of the row where the user cleared the context.
pub(super) const CONTEXT_RESET: &str = "context-reset";
/// The stop reason of an answer that is being streamed.
pub(super) const PARTIAL: &str = "partial";
/// Why an answer ended that was stored with what had arrived: the user stopped it, or Mux ended.
pub(super) const INTERRUPTED: &str = "interrupted";

/// The entry of the row `record`; parents, references and the id are the reader's.
pub(super) fn entry_of(record: &Value, source: SourceSpan, asked: Option<&Asked>) -> Entry {
    let parts = items(record, "parts");
    let kind = row::kind(record);
    let all = spoken(kind, parts);
    let mut entry = blank_entry(kind_of(record, kind, asked), source);
    entry.at_ms = time(metadata(record), "timestamp");
    entry.model = row::model(record);
    entry.messages = all.iter().map(Spoken::size).collect();
    entry.tool_calls = parts.iter().filter_map(brief).collect();
    entry.preview = preview(record, kind, parts, &all);
    end(&mut entry, record, kind);
    entry
}

/// Which run of a row an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The first one; `alone` when only the last run follows.
    First {
        alone: bool,
    },
    Between,
    Last,
}

/// The entry of a run of parts of a reply, of which the row has several. Why the answer ended is said
/// of the last one. Usage is stored for all steps and for the last step: the last run has the latter,
/// the first one the rest.
pub(super) fn entry_of_run(
    record: &Value,
    parts: &[Value],
    source: SourceSpan,
    place: Place,
) -> Entry {
    let all = spoken(Kind::Reply, parts);
    let mut entry = blank_entry(EntryKind::Message(Role::Assistant), source);
    let first = parts.iter().find_map(|part| time(part, "timestamp"));
    entry.at_ms = first.or_else(|| time(metadata(record), "timestamp"));
    entry.model = row::model(record);
    entry.messages = all.iter().map(Spoken::size).collect();
    entry.tool_calls = parts.iter().filter_map(brief).collect();
    entry.preview = preview(record, Kind::Reply, parts, &all);
    match (place, last_step(metadata(record))) {
        (Place::First { alone }, Some(last)) => {
            entry.usage = usage(metadata(record)).map(|all| before_last(&all, &last));
            // With one call it was one step, and what is left is that step's own report.
            let calls = parts.iter().filter(|part| is_done(part)).count();
            entry.usage_trusted = alone && calls == 1 && entry.usage.is_some();
        }
        (Place::Last, last) => {
            end(&mut entry, record, Kind::Reply);
            entry.usage = last.or(entry.usage);
        }
        _ => {}
    }
    entry
}

/// What the end of an answer tells: usage, why it ended, errors.
fn end(entry: &mut Entry, record: &Value, kind: Kind) {
    let metadata = metadata(record);
    if !matches!(kind, Kind::Reply | Kind::SideAnswer | Kind::Summary { .. }) {
        return;
    }
    let partial = flag(metadata, "partial");
    let error = filled(metadata, "errorType").or_else(|| filled(metadata, "error"));
    if error.is_none_or(|error| error != "aborted") {
        entry.preview = failure::preview(failure_text(record), &entry.preview);
    }
    entry.is_error = error.is_some();
    let stop = filled(metadata, "errorType").or(error.map(|_| "error"));
    let stop = stop.or(partial.then_some(PARTIAL));
    entry.stop_reason = stop
        .or_else(|| filled(metadata, "finishReason"))
        .map(Into::into);
    entry.usage = usage(metadata);
    if let (Kind::Summary { .. }, Some(usage)) = (kind, &mut entry.usage) {
        // The size stored there is Mux's estimate of what is left, and not of this request.
        usage.total = 0;
    }
    // The size is that of the last step; sums over several steps are no size. What stands for a
    // removed history, or answers beside it, tells of another context.
    entry.usage_trusted =
        kind == Kind::Reply && last_step(metadata).is_some() && entry.usage.is_some();
}

fn kind_of(record: &Value, kind: Kind, asked: Option<&Asked>) -> EntryKind {
    let custom = |name: &str| EntryKind::Custom {
        custom_type: name.into(),
    };
    match kind {
        Kind::Prompt | Kind::Synthetic => EntryKind::Message(Role::User),
        Kind::Reply => EntryKind::Message(Role::Assistant),
        Kind::System => EntryKind::Message(Role::System),
        Kind::CompactionRequest => custom(COMPACTION_REQUEST),
        Kind::SideQuestion => custom("side-question"),
        Kind::SideAnswer => custom("side-question-answer"),
        Kind::Reset => custom(CONTEXT_RESET),
        Kind::Summary { .. } => {
            let metadata = metadata(record);
            EntryKind::Compaction(Box::new(Compaction {
                trigger: trigger(record, asked),
                // What Mux expects: the system prompt and the summary.
                tokens_after: last_step(metadata).map(|size| size.context_tokens()),
                duration_ms: crate::json::count(metadata, "duration"),
                ..Compaction::default()
            }))
        }
        Kind::Unknown => EntryKind::Opaque {
            type_name: text(record, "role").into(),
        },
    }
}

/// The usage of a model that a tool of the row called.
pub(super) fn tool_usages(record: &Value) -> Vec<(String, Option<&str>, Usage)> {
    let all = items(metadata(record), "toolModelUsages").iter();
    let told = all.filter_map(|own| {
        let purpose = filled(own, "toolName").or_else(|| filled(own, "source"));
        let purpose = purpose.unwrap_or("tool").to_owned();
        Some((purpose, filled(own, "model"), usage(own)?))
    });
    told.collect()
}

/// A call with what it does to its file.
fn brief(part: &Value) -> Option<ToolCallBrief> {
    if text(part, "type") != "dynamic-tool" {
        return None;
    }
    let name = text(part, "toolName");
    let path = path_of(field(part, "input"));
    let access = match name {
        "file_read" => Some(FileAccess::Read),
        "file_write" => Some(FileAccess::Write),
        name if name.starts_with("file_edit_") => Some(FileAccess::Edit),
        _ => None,
    };
    Some(ToolCallBrief {
        name: name.into(),
        call_id: text(part, "toolCallId").into(),
        path: path.map(Into::into),
        access: access.filter(|_| path.is_some()),
    })
}

/// The file a call is about; versions before 2026 had other names for it.
fn path_of(input: &Value) -> Option<&str> {
    let names = ["path", "file_path", "filePath"];
    names.iter().find_map(|name| filled(input, name))
}

/// Arguments that tell what a call is about, the most telling first.
const TELLING: [&str; 8] = [
    "script",
    "command",
    "query",
    "url",
    "path",
    "title",
    "prompt",
    "reportMarkdown",
];

fn gist(part: &Value) -> String {
    let input = field(part, "input");
    let telling = TELLING.iter().find_map(|key| filled(input, key));
    let line = telling
        .or_else(|| path_of(input))
        .and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
    match line {
        Some(line) => format!("{}: {}", text(part, "toolName"), line.trim()),
        None => text(part, "toolName").to_owned(),
    }
}

/// The first words: of the text, of the calls, of the reasoning.
fn preview(record: &Value, kind: Kind, parts: &[Value], all: &[Spoken]) -> Box<str> {
    match kind {
        Kind::CompactionRequest if Asked::by(record).trigger != Some(Trigger::Manual) => {
            return "compaction, automatic".into();
        }
        Kind::CompactionRequest => {
            // Mux's own prompt says nothing; what the user typed does.
            let typed = filled(special(record), "rawCommand");
            return head(typed.unwrap_or("compaction, by the user"));
        }
        Kind::Reset => return "context cleared".into(),
        _ => {}
    }
    let blocks = || all.iter().flat_map(|spoken| &spoken.message.blocks);
    let own = all.iter().filter(|spoken| spoken.message.tool.is_none());
    let mut texts = own.flat_map(|spoken| &spoken.message.blocks);
    let words = texts.find_map(|block| match block {
        Block::Text(text) if !text.trim().is_empty() => Some(head(text)),
        _ => None,
    });
    if let Some(words) = words {
        return words;
    }
    let mut calls = String::new();
    for part in parts
        .iter()
        .filter(|part| text(part, "type") == "dynamic-tool")
    {
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
    let thinking = blocks().find_map(|block| match block {
        Block::Thinking { text, .. } if !text.trim().is_empty() => Some(head(text)),
        _ => None,
    });
    if let Some(words) = thinking {
        return words;
    }
    if blocks().any(|block| matches!(block, Block::Image { .. })) {
        return "(file)".into();
    }
    Box::default()
}

/// Why an answer failed, in words.
pub(super) fn failure_text(record: &Value) -> &str {
    let metadata = metadata(record);
    let told = filled(metadata, "error").or_else(|| filled(metadata, "errorType"));
    told.filter(|_| filled(metadata, "errorType") != Some("aborted"))
        .unwrap_or_default()
}
