//! One parsed record as an entry; its references are resolved by the reader.

use super::record::{Call, Content, MessageRecord, Record, UsageRecord};
use super::size::{custom_size, message_size, replacement_tokens, summary_size};
use crate::failure;
use crate::measure::{PREVIEW_CHARS, head};
use palimpsest_core::entry::{
    BranchSummary, Compaction, Entry, FileAccess, ModelRef, ToolCallBrief,
};
use palimpsest_core::{EntryId, EntryKind, MessageSize, Outcome, Role, SourceSpan, Usage};

/// The entry of `record`; `Err` is an entry nevertheless, with what is odd about it.
pub(super) fn entry_of(
    record: &Record<'_>,
    id: EntryId,
    source: SourceSpan,
    version: u32,
) -> (Entry, Option<String>) {
    let message = &record.message;
    let mut odd = None;
    let mut entry = Entry {
        id,
        parent: None,
        missing_parent: None,
        kind: EntryKind::ModelChange,
        at_ms: record.timestamp.0.or(message.timestamp.0),
        source,
        messages: Vec::new(),
        tool_calls: Vec::new(),
        usage: usage(&record.usage),
        usage_trusted: false,
        stop_reason: None,
        is_error: false,
        model: None,
        preview: Box::default(),
        recovered: false,
        sidechain: false,
        subagent: None,
        side_agent: None,
        rejected: false,
        undone: false,
    };
    match record.type_name.as_deref().unwrap_or_default() {
        "message" if message.is_object => fill_message(&mut entry, message, version),
        "message" => {
            entry.kind = EntryKind::Message(Role::User);
            odd = Some("a message record without a message, kept as an empty entry".to_owned());
        }
        "custom_message" => {
            entry.kind = EntryKind::CustomMessage {
                custom_type: record.custom_type.boxed_or_empty(),
                display: record.display.0,
            };
            entry.messages = vec![custom_size(&record.content)];
            entry.preview = record.content.head.clone();
        }
        "compaction" => fill_compaction(&mut entry, record, version),
        "branch_summary" => {
            let is_empty = record.summary.units == 0;
            entry.kind = EntryKind::BranchSummary(Box::new(BranchSummary {
                from_id: record.from_id.as_deref().map(Into::into),
                from: None,
                read_files: record.details.read_files.0.clone(),
                modified_files: record.details.modified_files.0.clone(),
                from_hook: record.from_hook.0,
                is_empty,
            }));
            if !is_empty {
                entry.messages = vec![summary_size("branchSummary", record.summary.units)];
            }
            entry.preview = record.summary.head.clone();
        }
        "context_edit" => {
            let omit = !record.replacement.is_object;
            let content = &record.replacement.content;
            entry.kind = EntryKind::ContextEdit {
                target_id: record.target_id.as_deref().unwrap_or_default().into(),
                target: None,
                omit,
                estimate: if omit { 0 } else { replacement_tokens(content) },
            };
            entry.preview = edit_preview(omit, content);
        }
        "label" => {
            let text = record.label.boxed().filter(|text| !text.is_empty());
            entry.preview = head(text.as_deref().unwrap_or_default());
            entry.kind = EntryKind::Label {
                target_id: record.target_id.as_deref().unwrap_or_default().into(),
                target: None,
                text,
            };
        }
        "model_change" => {
            let provider = record.provider.boxed_or_empty();
            let model = record.model_id.boxed_or_empty();
            entry.preview = head(&format!("{provider}/{model}"));
            entry.model = Some(ModelRef { provider, model });
        }
        "thinking_level_change" => {
            let level = record.thinking_level.boxed_or_empty();
            entry.preview = head(&level);
            entry.kind = EntryKind::ThinkingChange { level };
        }
        "session_info" => {
            let name = record.name.boxed().filter(|name| !name.trim().is_empty());
            entry.preview = head(name.as_deref().unwrap_or_default());
            entry.kind = EntryKind::SessionInfo { name };
        }
        "custom" => {
            let custom_type = record.custom_type.boxed_or_empty();
            entry.preview = head(&custom_type);
            entry.kind = EntryKind::Custom { custom_type };
        }
        "usage" => {
            let purpose = record.harness_kind.boxed_or_empty();
            entry.preview = head(&purpose);
            entry.kind = EntryKind::UsageRecord { purpose };
            entry.model = model_ref(record.provider.as_deref(), record.model.as_deref());
        }
        other => {
            entry.preview = head(other);
            entry.kind = EntryKind::Opaque {
                type_name: other.into(),
            };
        }
    }
    (entry, odd)
}

fn fill_message(entry: &mut Entry, message: &MessageRecord<'_>, version: u32) {
    let mut size = message_size(message, version);
    let content = &message.content;
    let native_role = size.native_role;
    entry.kind = match native_role {
        "bashExecution" => EntryKind::UserShell,
        "custom" => EntryKind::CustomMessage {
            custom_type: message.custom_type.boxed_or_empty(),
            display: message.display.0,
        },
        _ => EntryKind::Message(size.role),
    };
    entry.tool_calls = match native_role {
        "assistant" => content.calls.iter().map(brief).collect(),
        "toolResult" => message.nested_calls.calls.0.iter().map(brief).collect(),
        _ => Vec::new(),
    };
    entry.preview = preview(message, &size);
    if let Some(reported) = usage(&message.usage) {
        entry.usage = Some(reported);
    }
    if native_role == "assistant" {
        let stop = message.stop_reason.as_deref().unwrap_or_default();
        let failed = matches!(stop, "error" | "aborted");
        entry.usage_trusted =
            !failed && entry.usage.is_some_and(|usage| usage.context_tokens() > 0);
        entry.is_error = failed;
        entry.stop_reason = message.stop_reason.boxed();
        if stop == "error" {
            entry.preview = failure::preview(&message.error_message.head, &entry.preview);
        }
        // A request that was stopped before the model said a word.
        if failed && entry.preview.is_empty() && entry.tool_calls.is_empty() {
            entry.preview = format!("({stop} before the reply began)").into();
        }
        entry.model = model_ref(message.provider.as_deref(), message.model.as_deref());
    } else {
        entry.is_error = message.is_error.0;
        if size.role == Role::Tool && entry.is_error {
            size.outcome = Outcome::Failed;
        }
    }
    entry.messages = vec![size];
}

fn fill_compaction(entry: &mut Entry, record: &Record<'_>, version: u32) {
    let has_system_message = record.system_message.is_object;
    entry.kind = EntryKind::Compaction(Box::new(Compaction {
        first_kept_id: record.first_kept_id.as_deref().map(Into::into),
        first_kept: None,
        tokens_before: record.tokens_before.0.map(|tokens| tokens as u64),
        read_files: record.details.read_files.0.clone(),
        modified_files: record.details.modified_files.0.clone(),
        from_hook: record.from_hook.0,
        has_system_message,
        ..Compaction::default()
    }));
    if has_system_message {
        entry
            .messages
            .push(message_size(&record.system_message, version));
    }
    entry
        .messages
        .push(summary_size("compactionSummary", record.summary.units));
    entry.preview = record.summary.head.clone();
}

fn preview(message: &MessageRecord<'_>, size: &MessageSize) -> Box<str> {
    let content = &message.content;
    match size.native_role {
        "bashExecution" => head(&format!("$ {}", message.command.head)),
        "branchSummary" | "compactionSummary" => message.summary.head.clone(),
        _ if !content.head.is_empty() => content.head.clone(),
        "assistant" if !content.calls.is_empty() => calls_preview(&content.calls),
        "assistant" => content.thinking_head.clone(),
        "system" => system_preview(message),
        _ if content.images > 0 => "(image)".into(),
        _ => Box::default(),
    }
}

/// Tools with what they are called for: `bash: cargo test; read: src/lib.rs`.
fn calls_preview(calls: &[Call]) -> Box<str> {
    let mut text = String::new();
    for call in calls {
        if text.len() > PREVIEW_CHARS {
            break;
        }
        if !text.is_empty() {
            text.push_str("; ");
        }
        text.push_str(&call.name);
        if !call.gist.is_empty() {
            text.push_str(": ");
            text.push_str(&call.gist);
        }
    }
    head(&text)
}

/// The sections of a system message (pi 0.87): the first that is set, else what it takes away or
/// brings.
fn system_preview(message: &MessageRecord<'_>) -> Box<str> {
    let sections = &message.sections;
    if !sections.head.is_empty() {
        sections.head.clone()
    } else if !sections.removed.is_empty() {
        head(&format!("{}: removed", sections.removed))
    } else if message.tools_added.present {
        "tools added".into()
    } else {
        Box::default()
    }
}

/// What a context edit leaves of its target.
fn edit_preview(omit: bool, content: &Content<'_>) -> Box<str> {
    match (omit, &*content.head) {
        (true, _) => "omits the entry".into(),
        (false, "") if content.images > 0 => "(image)".into(),
        (false, "") => "empties the entry".into(),
        (false, _) => content.head.clone(),
    }
}

/// A call with what it does to its file: pi 1.5 knows the tools `read`, `write` and `edit` and
/// skips an empty path.
fn brief(call: &Call) -> ToolCallBrief {
    let path = call.path.clone().filter(|path| !path.is_empty());
    let access = match &*call.name {
        "read" => Some(FileAccess::Read),
        "write" => Some(FileAccess::Write),
        "edit" => Some(FileAccess::Edit),
        _ => None,
    };
    let access = access.filter(|_| path.is_some());
    ToolCallBrief {
        name: call.name.clone(),
        call_id: call.call_id.clone(),
        path,
        access,
    }
}

fn model_ref(provider: Option<&str>, model: Option<&str>) -> Option<ModelRef> {
    let model = model?.into();
    Some(ModelRef {
        provider: provider.unwrap_or_default().into(),
        model,
    })
}

fn usage(record: &UsageRecord<'_>) -> Option<Usage> {
    record.is_object.then(|| Usage {
        input: record.input.count(),
        output: record.output.count(),
        cache_read: record.cache_read.count(),
        cache_write: record.cache_write.count(),
        cache_write_hour: 0,
        reasoning: record.reasoning.0.map(|tokens| tokens as u64),
        total: record.total.count(),
        cost_usd: record.cost.total.0,
    })
}
