//! What Continue sends from an entry: the items behind the newest summary, which the editor puts
//! behind the system prompt and the command line sends in their place.

use super::item::SUMMARY;
use palimpsest_core::context::ReportedSize;
use palimpsest_core::{
    Bodies, BodyError, Context, ContextItem, EntryIx, EntryKind, ItemKind, Message, MessageSize,
    Origin, Role, Session, Tree,
};

/// The context at `at`.
pub(super) fn context(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Context {
    let path = at.map(|at| tree.path(at)).unwrap_or_default();
    let is_summary = |ix: &EntryIx| matches!(session.entry(*ix).kind, EntryKind::Compaction(_));
    let compaction = path.iter().rposition(is_summary);
    let selected = path[compaction.unwrap_or(0)..].to_vec();
    let items: Vec<ContextItem> = selected
        .iter()
        .flat_map(|&ix| {
            let messages = session.entry(ix).messages.iter().enumerate();
            messages.map(move |(index, size)| item(ix, index, size))
        })
        .collect();
    let estimated = items.iter().map(|item| item.estimate).sum();
    let since = compaction.map_or(0, |position| position + 1);
    let reported = reported(session, &path[since..], &items);
    let mut newest = path.iter().rev().map(|&ix| session.entry(ix));
    Context {
        at,
        model: newest.find_map(|entry| entry.model.clone()),
        thinking_level: None,
        estimated,
        projected: reported.map_or(estimated, |size| size.tokens),
        reported,
        compaction: compaction.map(|position| path[position]),
        own_categories: Vec::new(),
        path,
        selected,
        items,
    }
}

fn item(ix: EntryIx, message_index: usize, size: &MessageSize) -> ContextItem {
    let (kind, origin) = match size.native_role {
        SUMMARY => (ItemKind::CompactionSummary, Origin::Summary),
        _ => (ItemKind::Message, Origin::Verbatim),
    };
    ContextItem {
        role: size.role,
        native_role: size.native_role,
        kind,
        entries: vec![ix],
        message_index,
        edited_by: None,
        origin,
        estimate: size.estimate,
        by_category: crate::shares::shares(size),
        tool_name: size.tool_name.clone(),
        sent: size.sent,
    }
}

/// The size that the newest reply reports, and the estimates of what came after it.
fn reported(session: &Session, since: &[EntryIx], items: &[ContextItem]) -> Option<ReportedSize> {
    let ix = *since.iter().rfind(|&&ix| session.entry(ix).usage_trusted)?;
    let usage_tokens = session.entry(ix).usage?.context_tokens();
    let of_reply =
        |item: &ContextItem| item.entries.first() == Some(&ix) && item.role == Role::Assistant;
    let reply = items.iter().rposition(of_reply)?;
    let after = items[reply + 1..].iter().filter(|item| item.sent);
    let trailing_tokens = after.map(|item| item.estimate).sum();
    Some(ReportedSize {
        tokens: usage_tokens + trailing_tokens,
        usage_tokens,
        trailing_tokens,
        entry: ix,
    })
}

/// The message of an item.
pub(super) fn item_message(item: &ContextItem, bodies: &dyn Bodies) -> Result<Message, BodyError> {
    let stored = match item.entries.first() {
        Some(&ix) => bodies.body(ix)?.messages.get(item.message_index).cloned(),
        None => None,
    };
    Ok(stored.unwrap_or_else(|| Message {
        role: item.role,
        native_role: item.native_role,
        blocks: Vec::new(),
        tool: None,
        sent: item.sent,
    }))
}
