//! What Codex sends from an entry (0.139 to 0.169): after a compaction its replacement history,
//! then every later item of the conversation as stored.

use super::item::{INJECTED, SUMMARY};
use crate::context_item::{context_item, stored_message};
use palimpsest_core::context::ReportedSize;
use palimpsest_core::entry::{Compaction, ModelRef};
use palimpsest_core::{
    Bodies, BodyError, Context, ContextItem, Entry, EntryIx, EntryKind, ItemKind, Message,
    MessageSize, Origin, Role, Session, Tree,
};
use std::collections::HashMap;

/// Records of usage, which stay opaque where they are copies of another session's.
const USAGE: [&str; 2] = ["token_usage_record", "token_count"];

/// The context at `at`.
pub(super) fn context(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Context {
    let path = at.map(|at| path_to(session, tree, at)).unwrap_or_default();
    let (model, thinking_level) = settings(session, &path);
    // Only the newest counts: its replacement history is the whole context.
    let newest = path.iter().enumerate().rev().find_map(|(position, &ix)| {
        let details = compaction_of(session.entry(ix))?;
        Some((position, ix, details))
    });
    let mut selected = Vec::new();
    let mut items = Vec::new();
    let mut from = 0;
    if let Some((position, ix, details)) = newest {
        selected.push(ix);
        selected.extend(&details.kept);
        items = replacement(session, ix, details);
        from = position + 1;
    }
    let to = summary_reply(session, tree, &path, from).unwrap_or(path.len());
    for &ix in &path[from..] {
        selected.push(ix);
    }
    for &ix in &path[from..to] {
        items.extend(items_of(session, ix));
    }
    let estimated = items.iter().map(|item| item.estimate).sum();
    let reported = reported(session, &path[from..], &items);
    let projected = match (reported, newest) {
        (Some(reported), _) => reported.tokens,
        (None, Some((_, compaction, details))) => match details.tokens_after {
            // Codex's own figure, which includes what the session does not hold.
            Some(after) => after + later(&items, compaction, &details.kept),
            None => estimated,
        },
        (None, None) => estimated,
    };
    Context {
        at,
        path,
        selected,
        items,
        model,
        thinking_level,
        estimated,
        reported,
        projected,
        compaction: newest.map(|(_, ix, _)| ix),
        own_categories: Vec::new(),
    }
}

/// The path without records that Codex itself has not read.
fn path_to(session: &Session, tree: &Tree, at: EntryIx) -> Vec<EntryIx> {
    let mut path = tree.path(at);
    path.retain(|&ix| ix == at || !session.entry(ix).recovered);
    path
}

fn compaction_of(entry: &Entry) -> Option<&Compaction> {
    match &entry.kind {
        EntryKind::Compaction(details) => Some(details),
        _ => None,
    }
}

/// Model and reasoning level in force.
fn settings(session: &Session, path: &[EntryIx]) -> (Option<ModelRef>, Option<Box<str>>) {
    let (mut model, mut level) = (None, None);
    for entry in path.iter().map(|&ix| session.entry(ix)) {
        if let EntryKind::ThinkingChange { level: changed } = &entry.kind {
            level = Some(changed.clone());
        }
        if let Some(named) = &entry.model {
            model = Some(named.clone());
        }
    }
    (model, level)
}

/// The items of a replacement history: earlier entries and messages of the record, mixed as they
/// were stored.
fn replacement(session: &Session, ix: EntryIx, details: &Compaction) -> Vec<ContextItem> {
    let entry = session.entry(ix);
    let mut items = Vec::new();
    let mut kept = details.kept.iter().zip(&details.kept_after).peekable();
    for (index, size) in entry.messages.iter().enumerate() {
        while let Some((&earlier, _)) = kept.next_if(|&(_, &after)| after as usize <= index) {
            items.extend(items_of(session, earlier));
        }
        items.push(item(ix, index, size));
    }
    for (&earlier, _) in kept {
        items.extend(items_of(session, earlier));
    }
    items
}

fn items_of(session: &Session, ix: EntryIx) -> impl Iterator<Item = ContextItem> {
    let messages = session.entry(ix).messages.iter().enumerate();
    messages.map(move |(index, size)| item(ix, index, size))
}

fn item(ix: EntryIx, message_index: usize, size: &MessageSize) -> ContextItem {
    let (kind, origin) = match (size.native_role, size.role) {
        (SUMMARY, _) => (ItemKind::CompactionSummary, Origin::Summary),
        (INJECTED, _) => (ItemKind::Custom, Origin::Injected),
        (_, Role::System) => (ItemKind::Message, Origin::Injected),
        _ => (ItemKind::Message, Origin::Verbatim),
    };
    context_item(ix, message_index, size, (kind, origin))
}

/// Where in `path` the reply begins that became the summary of the compaction which follows: it
/// was asked for beside the conversation and never part of it.
fn summary_reply(session: &Session, tree: &Tree, path: &[EntryIx], from: usize) -> Option<usize> {
    let is_said = |ix: EntryIx| {
        let entry = session.entry(ix);
        entry.kind == EntryKind::Message(Role::Assistant) && entry.tool_calls.is_empty()
    };
    let is_beside = |ix: EntryIx| {
        matches!(
            session.entry(ix).kind,
            EntryKind::UsageRecord { .. } | EntryKind::Custom { .. }
        )
    };
    // A response ends with its usage: what the model says after that answers another request.
    let ends_response = |ix: EntryIx| match &session.entry(ix).kind {
        EntryKind::UsageRecord { .. } => true,
        EntryKind::Custom { custom_type } => USAGE.contains(&&**custom_type),
        _ => false,
    };
    let mut end = path.len();
    let mut is_whole = false;
    while end > from && is_beside(path[end - 1]) {
        end -= 1;
        is_whole |= ends_response(path[end]);
    }
    let mut start = end;
    while start > from && is_said(path[start - 1]) {
        start -= 1;
    }
    let mut reply = path[start..end].last().copied()?;
    // Down to the compaction, past the rest of the reply and its usage.
    let mut at = *path.last()?;
    loop {
        let &[next] = tree.children(at) else {
            return None;
        };
        if let Some(details) = compaction_of(session.entry(next)) {
            // The reply is the summary if it begins like it; the record has no link to its reply.
            let same = session.entry(next).preview == session.entry(reply).preview;
            let is_local = details.opaque_bytes.is_none();
            return (same && is_local).then_some(start);
        }
        if is_said(next) && !is_whole {
            reply = next;
        } else if !is_beside(next) {
            return None;
        }
        is_whole |= ends_response(next);
        at = next;
    }
}

/// The newest usage, and the estimates of what follows the response it is for
/// (`get_total_token_usage`, codex-rs context manager). `path` begins after the newest compaction.
fn reported(session: &Session, path: &[EntryIx], items: &[ContextItem]) -> Option<ReportedSize> {
    let positions: HashMap<EntryIx, usize> = path.iter().copied().zip(0..).collect();
    let (position, usage) = path.iter().enumerate().rev().find_map(|(position, &ix)| {
        let entry = session.entry(ix);
        let usage = entry.usage.filter(|_| entry.usage_trusted)?;
        Some((position, usage))
    })?;
    let place = |item: &ContextItem| positions.get(item.entries.first()?).copied();
    let answered = items.iter().rposition(|item| {
        item.role == Role::Assistant && place(item).is_some_and(|place| place < position)
    });
    let entry = match answered {
        Some(at) => *items[at].entries.first()?,
        None => path[position],
    };
    let trailing = match answered {
        Some(at) => &items[at + 1..],
        None => items,
    };
    let usage_tokens = usage.context_tokens();
    let trailing_tokens = match answered {
        Some(_) => trailing.iter().map(|item| item.estimate).sum(),
        None => 0,
    };
    Some(ReportedSize {
        tokens: usage_tokens + trailing_tokens,
        usage_tokens,
        trailing_tokens,
        entry,
    })
}

/// Estimates of the items after a compaction's own.
fn later(items: &[ContextItem], compaction: EntryIx, kept: &[EntryIx]) -> u64 {
    let is_later = |item: &&ContextItem| {
        let first = item.entries.first();
        first.is_some_and(|ix| *ix != compaction && !kept.contains(ix))
    };
    items
        .iter()
        .filter(is_later)
        .map(|item| item.estimate)
        .sum()
}

/// The message of an item.
pub(super) fn item_message(item: &ContextItem, bodies: &dyn Bodies) -> Result<Message, BodyError> {
    stored_message(item, bodies)
}
