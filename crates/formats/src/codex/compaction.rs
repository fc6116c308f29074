//! `compacted` records: a context's replacement, partly earlier entries, partly new.

use super::item;
use super::json::{field, some_text, text};
use super::state::Index;
use crate::measure::head;
use palimpsest_core::entry::Compaction;
use palimpsest_core::{Block, Entry, EntryIx, EntryKind, Message, MessageSize, Role};
use serde_json::Value;
use std::collections::HashSet;

/// Tokens of user messages that stay beside a summary without a replacement history
/// (`COMPACT_USER_MESSAGE_MAX_TOKENS`, codex-rs, 2025).
const KEPT_USER_TOKENS: u64 = 20_000;

/// The items that replace what came before; `None` in the records of 2025, which hold the summary
/// alone.
fn replacement(payload: &Value) -> Option<&[Value]> {
    payload
        .get("replacement_history")?
        .as_array()
        .map(Vec::as_slice)
}

/// The summary of a record without a replacement history.
fn bare_summary(payload: &Value) -> Message {
    Message {
        role: Role::User,
        native_role: item::SUMMARY,
        blocks: vec![Block::Text(text(payload, "message").to_owned())],
        tool: None,
        sent: true,
    }
}

/// The message of an item of a replacement history. The summary is the user message that repeats
/// the record's own text.
fn message(item: &Value, summary: &str) -> Option<Message> {
    let mut message = item::message(item, None)?;
    if message.role == Role::User
        && !summary.is_empty()
        && matches!(message.blocks.as_slice(), [Block::Text(text)] if text == summary)
    {
        message.native_role = item::SUMMARY;
    }
    Some(message)
}

/// What a record says, with the sizes of the messages that only it holds and its first words.
/// `path` are the entries above the record, oldest first.
pub(super) fn read(
    payload: &Value,
    index: &Index,
    entries: &[Entry],
    path: &[EntryIx],
) -> (Compaction, Vec<MessageSize>, Box<str>) {
    let preview = summary_preview(payload);
    let mut compaction = Compaction::default();
    let mut own: Vec<MessageSize> = Vec::new();
    let Some(replacement) = replacement(payload) else {
        compaction.kept = kept_users(entries, path);
        compaction.kept_after = vec![0; compaction.kept.len()];
        own.push(item::size_of_text(&bare_summary(payload)));
        return (compaction, own, preview);
    };
    let on_path: HashSet<EntryIx> = path.iter().copied().collect();
    for item in replacement {
        let Some(message) = message(item, text(payload, "message")) else {
            continue;
        };
        let size = item::size(item, &message);
        if item::is_opaque_summary(item) {
            let bytes = compaction.opaque_bytes.unwrap_or(0);
            compaction.opaque_bytes = Some(bytes + item::encrypted_bytes(item));
        }
        let last = compaction.kept.last().copied();
        let same = same(item, &message, &size, index, entries, last);
        // An alike entry of a branch that was rolled back was not kept.
        match same.filter(|ix| on_path.contains(ix)) {
            Some(ix) => {
                compaction.kept.push(ix);
                compaction.kept_after.push(own.len() as u32);
            }
            None => own.push(size),
        }
    }
    (compaction, own, preview)
}

/// The newest user messages that fit, as Codex rebuilds a history from a record that holds the
/// summary alone. It also keeps the end and beginning of the first that does not fit.
fn kept_users(entries: &[Entry], path: &[EntryIx]) -> Vec<EntryIx> {
    let mut left = KEPT_USER_TOKENS;
    let mut kept = Vec::new();
    // Newest first, as Codex fills its budget.
    for &ix in path.iter().rev() {
        let entry = &entries[ix.get()];
        if entry.kind == EntryKind::Message(Role::User) {
            let Some(rest) = left.checked_sub(entry.estimate()) else {
                break;
            };
            left = rest;
            kept.push(ix);
        }
    }
    kept.reverse();
    kept
}

/// The earlier entry that says what an item says, by its id (0.16x), else by role, size and
/// beginning: the first such one after `last`.
fn same(
    item: &Value,
    message: &Message,
    size: &MessageSize,
    index: &Index,
    entries: &[Entry],
    last: Option<EntryIx>,
) -> Option<EntryIx> {
    // A summary repeats no entry, although an earlier one can begin alike.
    if message.native_role == item::SUMMARY {
        return None;
    }
    let bytes = size.units.iter().map(|(_, bytes)| bytes).sum();
    let calls = super::calls::briefs(item);
    let preview = item::preview(message, &calls);
    if let Some(ix) = some_text(item, "id").and_then(|id| index.by_id(id)) {
        // A long message is cut short and keeps its id.
        let entry = &entries[ix.get()];
        let alike = |known: &MessageSize| known.role == size.role && known.units == size.units;
        let whole = entry.preview == preview && entry.messages.first().is_some_and(alike);
        return whole.then_some(ix);
    }
    let alike = index.alike(size.role, bytes, &preview);
    // In order, so that of two equal messages each is taken once.
    let later = alike.partition_point(|&ix| Some(ix) <= last);
    alike.get(later).copied()
}

/// The first words of a summary: those after the sentence that leads in, which is a line of its
/// own and always the same.
fn summary_preview(payload: &Value) -> Box<str> {
    let summary = text(payload, "message");
    let (lead, rest) = summary.split_once('\n').unwrap_or(("", summary));
    if lead.trim_end().ends_with(':') && !rest.trim().is_empty() {
        head(rest)
    } else {
        head(summary)
    }
}

/// The messages that only the record holds: those of its items that are not among the kept.
pub(super) fn own_messages(payload: &Value, entry: &Entry) -> Vec<Message> {
    let EntryKind::Compaction(compaction) = &entry.kind else {
        return Vec::new();
    };
    let Some(replacement) = replacement(payload) else {
        return vec![bare_summary(payload)];
    };
    let mut kept = compaction.kept_after.iter().peekable();
    let mut own: Vec<Message> = Vec::new();
    for item in replacement {
        let Some(message) = message(item, text(payload, "message")) else {
            continue;
        };
        if kept
            .peek()
            .is_some_and(|&&after| after as usize == own.len())
        {
            kept.next();
        } else {
            own.push(message);
        }
    }
    own
}

/// How long a compaction took, by the event that tells of its end.
pub(super) fn duration_ms(event: &Value) -> Option<u64> {
    let time = |key| field(event, key).as_u64();
    time("completed_at_ms")?.checked_sub(time("started_at_ms")?)
}
