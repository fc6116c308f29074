//! What Copilot Chat sends from an entry, as far as a chat holds it: after a summary that, what
//! followed the round it goes up to, and every later message
//! (`prompt/common/conversation.ts`, vscode-copilot-chat, 2026).

use crate::by_bytes::SUMMARY;
use crate::context_item::{context_item, stored_message};
use palimpsest_core::context::ReportedSize;
use palimpsest_core::entry::ModelRef;
use palimpsest_core::{
    Bodies, BodyError, Context, ContextItem, EntryIx, EntryKind, ItemKind, Message, Origin,
    Session, Tree,
};

/// The context at `at`.
pub(super) fn context(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Context {
    let path = at.map(|at| tree.path(at)).unwrap_or_default();
    let mut found = path.iter().enumerate().rev();
    let newest = found.find_map(|(position, &ix)| match &session.entry(ix).kind {
        EntryKind::Compaction(details) => Some((position, &**details)),
        _ => None,
    });
    let mut selected = Vec::new();
    let mut from = 0;
    if let Some((position, details)) = newest {
        selected.push(path[position]);
        selected.extend(&details.kept);
        from = position + 1;
    }
    let before = selected.len();
    selected.extend(&path[from..]);
    let items: Vec<ContextItem> = selected
        .iter()
        .flat_map(|&ix| items_of(session, ix))
        .collect();
    let estimated = items.iter().map(|item| item.estimate).sum();
    // A report from before the summary is of another context.
    let reported = reported(session, &selected[before..], &items);
    Context {
        at,
        model: model(session, &path),
        thinking_level: None,
        estimated,
        projected: reported.map_or(estimated, |reported| reported.tokens),
        reported,
        compaction: newest.map(|(position, _)| path[position]),
        own_categories: Vec::new(),
        items,
        selected,
        path,
    }
}

fn model(session: &Session, path: &[EntryIx]) -> Option<ModelRef> {
    let named = path.iter().rev().map(|&ix| &session.entry(ix).model);
    named.flatten().next().cloned()
}

fn items_of(session: &Session, ix: EntryIx) -> impl Iterator<Item = ContextItem> {
    let messages = session.entry(ix).messages.iter().enumerate();
    messages.map(move |(message_index, size)| {
        let (kind, origin) = match size.native_role {
            SUMMARY => (ItemKind::CompactionSummary, Origin::Summary),
            _ => (ItemKind::Message, Origin::Verbatim),
        };
        context_item(ix, message_index, size, (kind, origin))
    })
}

fn reported(session: &Session, later: &[EntryIx], items: &[ContextItem]) -> Option<ReportedSize> {
    let (entry, usage) = later.iter().rev().find_map(|&ix| {
        let entry = session.entry(ix);
        Some((ix, entry.usage.filter(|_| entry.usage_trusted)?))
    })?;
    let usage_tokens = usage.context_tokens();
    let answered = items
        .iter()
        .rposition(|item| item.entries.contains(&entry))?;
    let trailing_tokens = items[answered + 1..].iter().map(|item| item.estimate).sum();
    Some(ReportedSize {
        tokens: usage_tokens + trailing_tokens,
        usage_tokens,
        trailing_tokens,
        entry,
    })
}

/// The message of an item.
pub(super) fn item_message(item: &ContextItem, bodies: &dyn Bodies) -> Result<Message, BodyError> {
    stored_message(item, bodies)
}
