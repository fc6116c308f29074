//! One entry, rendered and raw.

use super::names;
use crate::render::{block_view, utf16_len, utf16_slice};
use crate::wire::*;
use palimpsest_app::view::context::{count_message, entry_text as whole_text};
use palimpsest_app::{App, AppResult, OpenSession};
use palimpsest_core::entry::Trigger;
use palimpsest_core::{Bodies as _, EntryIx, EntryKind, Usage};

/// An entry, rendered.
pub(crate) fn entry(app: &App, request: EntryRequest) -> AppResult<EntryView> {
    let open = app.open(&request.session)?;
    let ix = open.resolve(&request.entry)?;
    let entry = open.session.entry(ix);
    let body = open.bodies.body(ix)?;
    let place = open.place(ix);
    // Looked up for calls only: each look-up may read texts.
    let result_id = |call_id: &str| result_of(&open, ix, call_id);
    let messages = body
        .messages
        .iter()
        .map(|message| MessageView {
            role: message.role,
            native_role: message.native_role.to_owned(),
            tool_name: message.tool.as_ref().map(|tool| tool.name.clone()),
            sent: message.sent,
            blocks: message
                .blocks
                .iter()
                .map(|block| block_view(block, message.role, result_id))
                .collect(),
        })
        .collect();
    Ok(EntryView {
        id: entry.id.to_string(),
        ix: ix.0,
        line: place.line,
        file: place.file.map(str::to_owned),
        offset: entry.source.offset,
        bytes: entry.source.len,
        kind: entry.kind.record(),
        role: entry.native_role().map(str::to_owned),
        timestamp: entry.at_ms,
        parent_id: open
            .tree
            .parent(ix)
            .map(|parent| names::id(&open.session, parent)),
        children_ids: names::ids(&open.session, open.tree.children(ix)),
        label: open.labels.get(&ix).map(ToString::to_string),
        model: entry
            .model
            .as_ref()
            .map(|model| format!("{}/{}", model.provider, model.model)),
        stop_reason: entry.stop_reason.as_ref().map(ToString::to_string),
        estimated: entry.estimate(),
        counted: body
            .messages
            .iter()
            .map(|message| count_message(message, app.encoding()))
            .sum(),
        usage: entry.usage.as_ref().map(usage_view),
        is_error: entry.is_error,
        recovered: entry.recovered,
        sidechain: entry.sidechain,
        links: super::sessions::links(app, &open, |link| link.at == Some(ix)),
        messages,
        details: details(&open, ix),
    })
}

/// Usage for showing.
pub(crate) fn usage_view(usage: &Usage) -> UsageView {
    UsageView {
        input: usage.input,
        output: usage.output,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
        total: usage.context_tokens(),
        cost_usd: usage.cost_usd,
    }
}

/// The entry that answers a call: among the descendants that follow without a branch.
fn result_of(open: &OpenSession, from: EntryIx, call_id: &str) -> Option<String> {
    const FARTHEST: usize = 64;
    let mut next = open.tree.children(from).to_vec();
    // Calls of one reply are answered by the entries right after it. Looking through the whole
    // session for a call without an answer would read all its texts.
    for _ in 0..FARTHEST {
        let ix = next.pop()?;
        let entry = open.session.entry(ix);
        // The kind first: only texts of results are read.
        if entry.kind == EntryKind::Message(palimpsest_core::Role::Tool)
            && let Ok(body) = open.bodies.body(ix)
            && body
                .messages
                .iter()
                .any(|m| m.tool.as_ref().is_some_and(|t| t.call_id == call_id))
        {
            return Some(entry.id.to_string());
        }
        next.extend(open.tree.children(ix));
    }
    None
}

fn details(open: &OpenSession, ix: EntryIx) -> Vec<Detail> {
    let session = &open.session;
    let entry = session.entry(ix);
    let mut list = Vec::new();
    let mut add = |name: &str, value: String, entry_id: Option<String>| {
        list.push(Detail {
            name: name.to_owned(),
            value,
            entry_id,
        });
    };
    let link = |target: &Option<EntryIx>| target.map(|ix| names::id(session, ix));
    if let Some(missing) = &entry.missing_parent {
        let shown = if entry.has_guessed_parent() {
            "the previous record is used as its parent (guessed)"
        } else {
            "this entry is shown as a root"
        };
        add(
            "missing parent",
            format!("{missing} is not in the file; {shown}"),
            None,
        );
    }
    match &entry.kind {
        EntryKind::Compaction(compaction) => {
            if let Some(tokens) = compaction.tokens_before {
                add("tokens before", tokens.to_string(), None);
            }
            // By the same rule for every agent; what the agent stored stands beside it.
            let after = open.format.context(session, &open.tree, Some(ix)).estimated;
            add("tokens after", format!("{after} (estimated)"), None);
            match (&compaction.first_kept_id, compaction.first_kept) {
                // pi writes its own id where it keeps nothing (since 0.87).
                (_, Some(kept)) if kept == ix => add("kept tail", "nothing".into(), None),
                (Some(id), Some(kept)) => {
                    add("first kept", id.to_string(), Some(names::id(session, kept)));
                }
                // The file may be cut short, or copied without its beginning.
                (Some(id), None) => add("first kept", format!("{id} (not in the file)"), None),
                (None, _) => add("kept tail", "not stored".into(), None),
            }
            if !compaction.kept.is_empty() {
                add(
                    "kept verbatim",
                    format!("{} entries", compaction.kept.len()),
                    None,
                );
            }
            if let Some(bytes) = compaction.opaque_bytes {
                let text = format!("{bytes} encrypted bytes");
                add("summary", text, None);
            }
            if let Some(trigger) = compaction.trigger {
                add("started by", trigger_text(trigger).to_owned(), None);
            }
            if let Some(tokens) = compaction.tokens_after {
                add("tokens after, as stored", tokens.to_string(), None);
            }
            if let Some(ms) = compaction.duration_ms {
                add("took", format!("{:.1} s", ms as f64 / 1000.0), None);
            }
            if let Some(instructions) = &compaction.instructions {
                add("instructions", instructions.to_string(), None);
            }
            files(&mut add, &compaction.read_files, &compaction.modified_files);
            add("written by", author(compaction.from_hook), None);
        }
        EntryKind::BranchSummary(branch) => {
            if let Some(from) = &branch.from_id {
                add("left behind", from.to_string(), link(&branch.from));
            }
            files(&mut add, &branch.read_files, &branch.modified_files);
            add("written by", author(branch.from_hook), None);
        }
        EntryKind::Clearing(clearing) => {
            let results = format!("{} tool results", clearing.call_ids.len());
            add("cleared", results, None);
            if let Some(tokens) = clearing.tokens_before {
                add("tokens before", tokens.to_string(), None);
            }
            if let Some(tokens) = clearing.tokens_saved {
                add("tokens saved", tokens.to_string(), None);
            }
        }
        EntryKind::ContextEdit {
            target_id,
            target,
            omit,
            ..
        } => {
            add("edits", target_id.to_string(), link(target));
            let effect = if *omit {
                "removes it from the context"
            } else {
                "replaces its content"
            };
            add("effect", effect.into(), None);
        }
        EntryKind::Label {
            target_id,
            target,
            text,
        } => {
            add("labels", target_id.to_string(), link(target));
            add(
                "label",
                text.as_deref().unwrap_or("(cleared)").to_owned(),
                None,
            );
        }
        EntryKind::ThinkingChange { level } => add("level", level.to_string(), None),
        EntryKind::SessionInfo { name } => {
            add(
                "name",
                name.as_deref().unwrap_or("(cleared)").to_owned(),
                None,
            );
        }
        EntryKind::CustomMessage {
            custom_type,
            display,
        } => {
            add("extension", custom_type.to_string(), None);
            add(
                "shown by the agent",
                if *display { "yes" } else { "no" }.into(),
                None,
            );
        }
        EntryKind::Custom { custom_type } => add("extension", custom_type.to_string(), None),
        EntryKind::UsageRecord { purpose } => add("purpose", purpose.to_string(), None),
        EntryKind::Opaque { type_name } => {
            add("type", format!("{type_name} (unknown type)"), None);
        }
        EntryKind::Message(_) | EntryKind::UserShell | EntryKind::ModelChange => {}
    }
    list
}

fn files(
    add: &mut impl FnMut(&str, String, Option<String>),
    read: &[Box<str>],
    modified: &[Box<str>],
) {
    for (name, list) in [("files read", read), ("files modified", modified)] {
        if !list.is_empty() {
            add(name, list.join("\n"), None);
        }
    }
}

fn trigger_text(trigger: Trigger) -> &'static str {
    match trigger {
        Trigger::Auto => "the agent, at the threshold",
        Trigger::Manual => "the user",
    }
}

fn author(from_hook: bool) -> String {
    if from_hook {
        "an extension"
    } else {
        "the agent"
    }
    .to_owned()
}

/// Part of the source record, indented when it is one JSON document.
pub(crate) fn entry_raw(app: &App, request: RawRequest) -> AppResult<TextPage> {
    /// Indenting makes a record larger; beyond this it is shown as stored.
    const MOST_INDENTED_BYTES: usize = 2 << 20;
    let open = app.open(&request.session)?;
    let ix = open.resolve(&request.entry)?;
    // Bytes that are no UTF-8 must not hide the record.
    let raw = String::from_utf8_lossy(&open.bodies.raw(ix)?).into_owned();
    let indented = (raw.len() <= MOST_INDENTED_BYTES)
        .then(|| serde_json::from_str::<serde_json::Value>(&raw).ok())
        .flatten()
        .and_then(|value| serde_json::to_string_pretty(&value).ok());
    // A record that is not one JSON document is shown as stored.
    Ok(page(&indented.unwrap_or(raw), &request))
}

/// Part of the entry's whole text.
pub(crate) fn entry_text(app: &App, request: RawRequest) -> AppResult<TextPage> {
    let open = app.open(&request.session)?;
    let ix = open.resolve(&request.entry)?;
    Ok(page(&whole_text(&open, ix)?, &request))
}

fn page(text: &str, request: &RawRequest) -> TextPage {
    TextPage {
        text: utf16_slice(text, request.offset, request.limit).to_owned(),
        offset: request.offset,
        total: utf16_len(text),
    }
}
