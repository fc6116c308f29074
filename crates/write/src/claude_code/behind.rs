//! What Claude Code sends behind a new summary.
//!
//! The rules are those of 2.1.63 and 2.1.329, over the entries that stay: attachments go up to the
//! newest reply or result before them, the blocks of one reply are one message, and attachments
//! behind a result become part of its text. An entry can stand behind another one than in the
//! original, so the items of the original cannot be taken as they are.

use crate::expected::ExpectedItem;
use crate::request::NewCompaction;
use palimpsest_core::context::Origin;
use palimpsest_core::joined::{
    ATTACHMENT, is_attachment, is_further_block, reply_before, result_before,
};
use palimpsest_core::{
    Context, ContextItem, EntryIx, EntryKind, ItemEntries, ItemKind, MessageSize, Role, Session,
};

/// `summary`, then the items of `kept` and `later`, in the order sent.
pub(super) fn behind(
    session: &Session,
    context: &Context,
    new: &NewCompaction,
    summary: ExpectedItem,
    entries: impl Iterator<Item = EntryIx> + Clone,
) -> Vec<ExpectedItem> {
    let (first, rest) = in_order(session, entries);
    let made = |entries: &[EntryIx]| {
        let mut items: Vec<ContextItem> = Vec::new();
        for &ix in entries {
            let entry = session.entry(ix);
            let sent = |(_, size): &(usize, &MessageSize)| size.sent;
            for (index, size) in entry.messages.iter().enumerate().filter(sent) {
                let earlier = match size.role {
                    Role::Assistant if is_further_block(entry) => reply_before(&mut items),
                    Role::User if size.native_role == ATTACHMENT => result_before(&mut items),
                    _ => None,
                };
                match earlier {
                    Some(earlier) => {
                        earlier.estimate += size.estimate;
                        if earlier.entries.last() != Some(&ix) {
                            earlier.entries.push(ix);
                        }
                    }
                    None => items.push(item(context, new, ix, index, size)),
                }
            }
        }
        items.into_iter().map(ExpectedItem::Original)
    };
    made(&first).chain([summary]).chain(made(&rest)).collect()
}

/// The attachments without a reply or result before them, and all the others.
fn in_order(
    session: &Session,
    entries: impl Iterator<Item = EntryIx>,
) -> (Vec<EntryIx>, Vec<EntryIx>) {
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    // Where the next attachment goes: behind the newest reply or result and its attachments.
    let mut place = None;
    for ix in entries {
        let entry = session.entry(ix);
        let attached = is_attachment(entry);
        match &mut place {
            None if attached => first.push(ix),
            Some(place) if attached => {
                rest.insert(*place, ix);
                *place += 1;
            }
            _ => {
                rest.push(ix);
                if matches!(entry.kind, EntryKind::Message(Role::Assistant | Role::Tool)) {
                    place = Some(rest.len());
                }
            }
        }
    }
    (first, rest)
}

/// The item that one message of an entry begins, as in the original where that has one.
fn item(
    context: &Context,
    new: &NewCompaction,
    ix: EntryIx,
    message_index: usize,
    size: &MessageSize,
) -> ContextItem {
    let begins = |item: &&ContextItem| {
        item.entries.first() == Some(&ix) && item.message_index == message_index
    };
    let mut known = context.items.iter().chain(&new.context.items);
    match known.find(begins) {
        Some(item) => {
            let mut item = item.clone();
            item.entries.truncate(1);
            // A cleared result keeps the size of its placeholder.
            if item.edited_by.is_none() {
                item.estimate = size.estimate;
            }
            item
        }
        None => ContextItem {
            role: size.role,
            native_role: size.native_role,
            kind: ItemKind::Custom,
            entries: ItemEntries::from_slice(&[ix]),
            message_index,
            edited_by: None,
            origin: Origin::Injected,
            estimate: size.estimate,
            by_category: size.units.clone(),
            tool_name: size.tool_name.clone(),
            sent: true,
        },
    }
}
