//! What a Coder server sends from a message (`chatloop`, 2026).

use super::parts::CLEARED;
use crate::context_item::{context_item, stored_message};
use palimpsest_core::context::ReportedSize;
use palimpsest_core::entry::ModelRef;
use palimpsest_core::{
    Block, Bodies, BodyError, Context, ContextItem, EntryIx, EntryKind, ItemKind, Message,
    MessageSize, Origin, Role, Session, Tree,
};

/// The context at `at`: the newest summary and what follows it, after the messages of the system.
pub(super) fn context(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Context {
    let path = at.map(|at| tree.path(at)).unwrap_or_default();
    let boundary = path.iter().rposition(|&ix| is_boundary(session, ix));
    let rest = &path[boundary.unwrap_or(0)..];
    let above = path[..boundary.unwrap_or(0)].iter().copied();
    let of_system = above.filter(|&ix| {
        let entry = session.entry(ix);
        let is_sent = entry.messages.iter().any(|own| own.sent);
        is_sent && entry.kind == EntryKind::Message(Role::System)
    });
    let selected: Vec<EntryIx> = of_system.chain(rest.iter().copied()).collect();
    let mut items: Vec<ContextItem> = Vec::new();
    for &ix in &selected {
        let messages = session.entry(ix).messages.iter().enumerate();
        items.extend(messages.map(|(index, size)| item(ix, index, size)));
    }
    let estimated = items.iter().map(|item| item.estimate).sum();
    let reported = reported(session, rest, &items);
    let summary = boundary.map(|at| path[at]);
    Context {
        at,
        model: model(session, &path),
        thinking_level: None,
        estimated,
        reported,
        projected: reported.map_or(estimated, |size| size.tokens),
        compaction: summary.filter(|&ix| is_summary(session, ix)),
        own_categories: Vec::new(),
        path,
        selected,
        items,
    }
}

fn is_summary(session: &Session, ix: EntryIx) -> bool {
    matches!(session.entry(ix).kind, EntryKind::Compaction(_))
}

fn is_boundary(session: &Session, ix: EntryIx) -> bool {
    match &session.entry(ix).kind {
        EntryKind::Compaction(_) => true,
        EntryKind::Custom { custom_type } => **custom_type == *CLEARED,
        _ => false,
    }
}

fn item(ix: EntryIx, message_index: usize, size: &MessageSize) -> ContextItem {
    let (kind, origin) = match size.native_role {
        "summary" => (ItemKind::CompactionSummary, Origin::Summary),
        _ => (ItemKind::Message, Origin::Verbatim),
    };
    context_item(ix, message_index, size, (kind, origin))
}

fn model(session: &Session, path: &[EntryIx]) -> Option<ModelRef> {
    let mut newest = path.iter().rev().map(|&ix| session.entry(ix));
    newest.find_map(|entry| entry.model.clone())
}

/// The size that the last reply reports, and the estimates of what came after it.
fn reported(session: &Session, since: &[EntryIx], items: &[ContextItem]) -> Option<ReportedSize> {
    let ix = *since.iter().rfind(|&&ix| session.entry(ix).usage_trusted)?;
    let usage_tokens = session.entry(ix).usage?.context_tokens();
    let of_reply = |item: &ContextItem| item.entries.first() == Some(&ix);
    let reply = items.iter().rposition(of_reply);
    let after = reply.map_or(&[][..], |position| &items[position + 1..]);
    let sent = after.iter().filter(|item| item.sent);
    let trailing_tokens = sent.map(|item| item.estimate).sum();
    Some(ReportedSize {
        tokens: usage_tokens + trailing_tokens,
        usage_tokens,
        trailing_tokens,
        entry: ix,
    })
}

/// The message of an item as the model gets it.
pub(super) fn item_message(item: &ContextItem, bodies: &dyn Bodies) -> Result<Message, BodyError> {
    let mut message = stored_message(item, bodies)?;
    message
        .blocks
        .retain(|block| !matches!(block, Block::Opaque { .. }));
    Ok(message)
}
