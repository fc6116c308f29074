//! What readers whose contexts are made of stored messages have in common: an item for a message, the
//! message of an item, and the size that the last reply reports.

use crate::shares::shares;
use palimpsest_core::context::ReportedSize;
use palimpsest_core::{
    Bodies, BodyError, ContextItem, EntryIx, ItemEntries, ItemKind, Message, MessageSize, Origin,
    Role, Session,
};

/// The item for message `message_index` of an entry, with its size.
pub(crate) fn context_item(
    ix: EntryIx,
    message_index: usize,
    size: &MessageSize,
    (kind, origin): (ItemKind, Origin),
) -> ContextItem {
    ContextItem {
        role: size.role,
        native_role: size.native_role,
        kind,
        entries: ItemEntries::from_slice(&[ix]),
        message_index,
        edited_by: None,
        origin,
        estimate: size.estimate,
        by_category: shares(size),
        tool_name: size.tool_name.clone(),
        sent: size.sent,
    }
}

/// A message without content, for an item that no stored message stands for.
pub(crate) fn blank_message(item: &ContextItem) -> Message {
    Message {
        role: item.role,
        native_role: item.native_role,
        blocks: Vec::new(),
        tool: None,
        sent: item.sent,
    }
}

/// The message of an item as it is stored; a blank one where there is none.
///
/// Errors: those of reading the entry.
pub(crate) fn stored_message(
    item: &ContextItem,
    bodies: &dyn Bodies,
) -> Result<Message, BodyError> {
    let stored = match item.entries.first() {
        Some(&ix) => bodies.body(ix)?.messages.get(item.message_index).cloned(),
        None => None,
    };
    Ok(stored.unwrap_or_else(|| blank_message(item)))
}

/// The size that the last reply among `since` reports, in tokens, and the estimates of the items that
/// came after it. `since` begins behind the newest compaction, as earlier replies tell of another
/// context.
pub(crate) fn size_of_last_reply(
    session: &Session,
    since: &[EntryIx],
    items: &[ContextItem],
) -> Option<ReportedSize> {
    let ix = *since.iter().rfind(|&&ix| session.entry(ix).usage_trusted)?;
    let usage_tokens = session.entry(ix).usage?.context_tokens();
    let of_reply =
        |item: &ContextItem| item.entries.first() == Some(&ix) && item.role == Role::Assistant;
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
