//! One entry, rendered and raw.

use super::names;
use super::queued::QueuedPrompts;
use crate::render::{Answer, Shown, block_view, file_diffs, pretty, utf16_len, utf16_slice};
use crate::wire::*;
use palimpsest_app::view::calls::{self, call_of, is_beside, outcome_in};
use palimpsest_app::view::context::{block_text, count_message, entry_text as whole_text};
use palimpsest_app::view::image::image_of;
use palimpsest_app::{App, AppResult, OpenSession};
use palimpsest_core::body::FAILURE;
use palimpsest_core::entry::{FileAccess, ToolCallBrief, Trigger};
use palimpsest_core::words::{noun, thousands};
use palimpsest_core::{Block, Bodies as _, EntryIx, EntryKind, Message, Outcome, Role, Usage};

/// An entry, rendered.
pub(crate) fn entry(app: &App, request: EntryRequest) -> AppResult<EntryView> {
    let open = app.open(&request.session)?;
    let ix = open.resolve(&request.entry)?;
    let entry = open.session.entry(ix);
    let body = open.bodies.body(ix)?;
    let place = open.place(ix);
    let mut messages: Vec<MessageView> = body
        .messages
        .iter()
        .chain(&body.beside)
        .map(|message| message_view(&open, ix, message))
        .collect();
    let blocks = messages.iter_mut().flat_map(|message| &mut message.blocks);
    let images = blocks.filter_map(|block| match block {
        BlockView::Image { number, .. } => Some(number),
        _ => None,
    });
    for (counted, number) in (0..).zip(images) {
        *number = counted;
    }
    let usage = body.usage.or(entry.usage);
    let model = entry.model.as_ref();
    let priced = |usage: &Usage| {
        let model = model.map(|model| (&*model.provider, &*model.model));
        super::spending::priced(app, model, usage)
    };
    Ok(EntryView {
        id: names::id(&open.session, ix),
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
        model_before: model_before(&open, ix),
        stop_reason: entry.stop_reason.as_ref().map(ToString::to_string),
        estimated: entry.estimate(),
        counted: body
            .messages
            .iter()
            .map(|message| count_message(message, app.encoding()))
            .sum(),
        usage: usage.as_ref().map(&priced),
        usage_share: entry
            .usage
            .filter(|_| body.usage.is_some())
            .as_ref()
            .map(&priced),
        is_error: entry.is_failure(),
        aborted: entry.is_aborted(),
        undone: entry.undone,
        queued: QueuedPrompts::of_session(&open).of(ix),
        recovered: entry.recovered,
        rejected: entry.rejected,
        sidechain: entry.sidechain,
        links: super::sessions::links(app, &open, |link| link.at == Some(ix)),
        subagents: super::subagents::of_entry(app, &open, ix),
        messages,
        details: details(&open, ix),
    })
}

/// A message, ready to be painted.
fn message_view(open: &OpenSession, ix: EntryIx, message: &Message) -> MessageView {
    let answered = message
        .tool
        .as_ref()
        .and_then(|tool| call_of(open, ix, &tool.call_id));
    let read = answered.as_ref().and_then(|(_, call)| {
        let is_read = call.access == Some(FileAccess::Read);
        call.path.as_deref().filter(|_| is_read)
    });
    let shown = Shown {
        role: message.role,
        calls: &open.session.entry(ix).tool_calls,
        file: read,
        answer: &|call_id| answer_of(open, ix, call_id),
    };
    MessageView {
        role: message.role,
        native_role: message.native_role.to_owned(),
        tool_name: message.tool.as_ref().map(|tool| tool.name.clone()),
        sent: message.sent,
        blocks: message
            .blocks
            .iter()
            .map(|block| block_view(block, &shown))
            .collect(),
        // In one record with the call the call itself is shown.
        answers: answers(open, ix, message),
    }
}

/// The call that a message answers, unless it is in the same entry.
fn answers(open: &OpenSession, ix: EntryIx, message: &Message) -> Option<AnsweredCall> {
    let tool = message.tool.as_ref()?;
    let call = calls::answered_call(open, ix, &tool.call_id)?;
    Some(AnsweredCall {
        entry_id: call.entry_id,
        headline: call.headline,
    })
}

/// What became of a call: the answer is in the same record or among the descendants that follow
/// without a branch.
fn answer_of(open: &OpenSession, from: EntryIx, call_id: &str) -> Option<Answer> {
    const FARTHEST: usize = 64;
    /// Claude Code chains the records of a subagent's progress between a call and its result.
    const MOST_BESIDE: usize = 20_000;
    let of_subagent = open.session.entry(from).subagent.is_some();
    let (mut far, mut beside) = (0, 0);
    let mut next = vec![from];
    // Calls of one reply are answered by the entries right after it. Looking through the whole
    // session for a call without an answer would read all its texts.
    while far < FARTHEST && beside < MOST_BESIDE {
        let ix = next.pop()?;
        let entry = open.session.entry(ix);
        if is_beside(entry) {
            beside += 1;
        } else {
            far += 1;
        }
        // The roles first: only texts of results are read.
        let may_answer = (of_subagent && entry.subagent.is_some())
            || entry
                .messages
                .iter()
                .any(|message| message.role == Role::Tool);
        if may_answer
            && let Ok(body) = open.bodies.body(ix)
            && let Some(outcome) = outcome_in(entry, &body, call_id)
        {
            return Some(Answer {
                entry_id: names::id(&open.session, ix),
                outcome: call_outcome(outcome),
            });
        }
        next.extend(open.tree.children(ix).iter().rev());
    }
    None
}

fn call_outcome(outcome: Outcome) -> CallOutcome {
    match outcome {
        Outcome::Rejected => CallOutcome::Rejected,
        Outcome::Failed => CallOutcome::Failed,
        Outcome::Fine => CallOutcome::Done,
    }
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
                add("tokens before", thousands(tokens), None);
            }
            // By the same rule for every agent; what the agent stored stands beside it.
            let after = open.format.context(session, &open.tree, Some(ix)).estimated;
            add(
                "tokens after",
                format!("{} (estimated)", thousands(after)),
                None,
            );
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
                    counted(compaction.kept.len(), "entry", "entries"),
                    None,
                );
            }
            if let Some(bytes) = compaction.opaque_bytes {
                let text = format!("{} encrypted bytes", thousands(bytes));
                add("summary", text, None);
            }
            if let Some(trigger) = compaction.trigger {
                add("started by", trigger_text(trigger).to_owned(), None);
            }
            if let Some(tokens) = compaction.tokens_after {
                add("tokens after, as stored", thousands(tokens), None);
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
            let results = counted(clearing.call_ids.len(), "tool result", "tool results");
            add("cleared", results, None);
            if let Some(tokens) = clearing.tokens_before {
                add("tokens before", thousands(tokens), None);
            }
            if let Some(tokens) = clearing.tokens_saved {
                add("tokens saved", thousands(tokens), None);
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

fn counted(count: usize, one: &str, more: &str) -> String {
    let count = count as u64;
    format!("{} {}", thousands(count), noun(count, one, more))
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

/// An entry as plain text, whole.
pub(crate) fn entry_whole(app: &App, request: EntryRequest) -> AppResult<EntryTextView> {
    let open = app.open(&request.session)?;
    let ix = open.resolve(&request.entry)?;
    Ok(EntryTextView {
        subagents: super::subagents::of_entry(app, &open, ix),
        ..whole(&open, ix)?
    })
}

/// The model of the nearest reply above an entry, where the entry names another.
fn model_before(open: &OpenSession, ix: EntryIx) -> Option<String> {
    let own = open.session.entry(ix).model.as_ref()?;
    let mut at = open.tree.parent(ix);
    while let Some(above) = at {
        let entry = open.session.entry(above);
        if let Some(model) = entry.model.as_ref().filter(|_| !entry.sidechain) {
            let is_other = model.model != own.model;
            return is_other.then(|| format!("{}/{}", model.provider, model.model));
        }
        at = open.tree.parent(above);
    }
    None
}

/// An entry of an open session as plain text, whole, without its subagents: these are looked for in
/// the whole session.
pub(crate) fn whole(open: &OpenSession, ix: EntryIx) -> AppResult<EntryTextView> {
    let entry = open.session.entry(ix);
    let body = open.bodies.body(ix)?;
    let mut parts = Vec::new();
    for message in body.messages.iter().chain(&body.beside) {
        let blocks = message.blocks.iter();
        let call = answers(open, ix, message);
        let tool = message.tool.as_ref();
        let outcome = tool.and_then(|tool| outcome_in(entry, &body, &tool.call_id));
        parts.extend(blocks.map(|block| EntryPart {
            call: call.clone(),
            outcome: outcome.map(call_outcome),
            ..part(message, &entry.tool_calls, block)
        }));
    }
    let model = entry.model.as_ref();
    Ok(EntryTextView {
        id: names::id(&open.session, ix),
        line: open.place(ix).line,
        kind: entry.kind.record(),
        role: entry.role(),
        native_role: entry.native_role().map(str::to_owned),
        timestamp: entry.at_ms,
        parent_id: open
            .tree
            .parent(ix)
            .map(|parent| names::id(&open.session, parent)),
        label: open.labels.get(&ix).map(ToString::to_string),
        model: model.map(|model| format!("{}/{}", model.provider, model.model)),
        model_before: model_before(open, ix),
        tokens: entry.estimate(),
        tools: entry.tools().into_iter().map(str::to_owned).collect(),
        is_error: entry.is_failure(),
        aborted: entry.is_aborted(),
        undone: entry.undone,
        queued: QueuedPrompts::of_session(open).of(ix),
        rejected: entry.rejected,
        record: entry.kind.own_name().map(str::to_owned),
        on_active_path: open.on_active_path[ix.get()],
        parts,
        details: details(open, ix),
        subagents: Vec::new(),
    })
}

fn part(message: &Message, calls: &[ToolCallBrief], block: &Block) -> EntryPart {
    let answered = message.tool.as_ref().map(|tool| tool.name.clone());
    let (kind, tool) = match block {
        Block::Text(_) if message.role == Role::Tool => (PartKind::Result, answered),
        Block::Text(_) if message.native_role == FAILURE => (PartKind::Failure, None),
        Block::Text(_) => (PartKind::Text, answered),
        Block::Thinking { .. } => (PartKind::Thinking, None),
        Block::ToolCall { name, .. } => (PartKind::Call, Some(name.clone())),
        Block::Image { .. } => (PartKind::Image, answered),
        Block::Section { .. } | Block::ToolsAdded(_) | Block::Opaque { .. } => {
            (PartKind::Other, None)
        }
    };
    EntryPart {
        kind,
        role: message.role,
        tool,
        call: None,
        outcome: None,
        kept: !message.sent,
        files: match block {
            Block::ToolCall { id, arguments, .. } => {
                let own = calls.iter().filter(|call| *call.call_id == **id);
                file_diffs(arguments, &own.collect::<Vec<_>>())
            }
            _ => Vec::new(),
        },
        text: match block {
            Block::ToolCall { arguments, .. } => pretty(arguments),
            Block::Opaque { json, .. } => pretty(json),
            Block::ToolsAdded(json) => pretty(json),
            other => block_text(other),
        },
    }
}

/// An image of an entry.
pub(crate) fn entry_image(app: &App, request: ImageRequest) -> AppResult<ImageView> {
    let open = app.open(&request.session)?;
    let ix = open.resolve(&request.entry)?;
    let image = image_of(&open, ix, request.number as usize)?;
    Ok(ImageView {
        mime: image.mime.to_owned(),
        base64: image.base64,
    })
}

fn page(text: &str, request: &RawRequest) -> TextPage {
    TextPage {
        text: utf16_slice(text, request.offset, request.limit).to_owned(),
        offset: request.offset,
        total: utf16_len(text),
    }
}
