//! What Continue sends from an entry: the items behind the newest summary, which the editor puts
//! behind the system prompt and the command line sends in their place.

use super::item::SUMMARY;
use crate::context_item::{context_item, size_of_last_reply, stored_message};
use palimpsest_core::{
    Bodies, BodyError, Context, ContextItem, EntryIx, EntryKind, ItemKind, Message, MessageSize,
    Origin, Session, Tree,
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
    let reported = size_of_last_reply(session, &path[since..], &items);
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
    context_item(ix, message_index, size, (kind, origin))
}

/// The message of an item.
pub(super) fn item_message(item: &ContextItem, bodies: &dyn Bodies) -> Result<Message, BodyError> {
    stored_message(item, bodies)
}
