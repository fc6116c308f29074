//! What OpenCode sends from an entry (`MessageV2.filterCompacted`, 1.0 to 1.18; `Session.chat`,
//! 0.x).

use super::parts::{PRUNED, tokens};
use crate::context_item::{size_of_last_reply, stored_message};
use crate::shares::shares;
use palimpsest_core::entry::{Clearing, ModelRef};
use palimpsest_core::json::utf16_len;
use palimpsest_core::{
    Block, Bodies, BodyError, Category, Context, ContextItem, EntryIx, EntryKind, ItemEntries,
    ItemKind, Message, MessageSize, Origin, Role, Session, Tree,
};

/// A reply by another model than the one in force, whose reasoning that one gets as plain text
/// (1.18; earlier versions send it as reasoning all the same).
const OF_OTHER_MODEL: &str = "assistantOfOtherModel";

/// The context at `at`.
pub(super) fn context(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Context {
    let path = at.map(|at| tree.path(at)).unwrap_or_default();
    let summary = path.iter().rposition(|&ix| is_summary(session, ix));
    let selected = match summary {
        Some(position) => after_summary(session, &path, position),
        None => path.clone(),
    };
    let mut items: Vec<ContextItem> = Vec::new();
    items.extend(system_prompt(session, &path));
    let model = model(session, &path);
    for &ix in &selected {
        items.extend(items_of(session, ix, model.as_ref()));
    }
    let estimated = items.iter().map(|item| item.estimate).sum();
    let since = summary.map_or(&path[..], |position| &path[position + 1..]);
    let reported = size_of_last_reply(session, since, &items);
    Context {
        at,
        model,
        thinking_level: None,
        estimated,
        reported,
        projected: reported.map_or(estimated, |size| size.tokens),
        compaction: summary.map(|position| path[position]),
        own_categories: Vec::new(),
        path,
        selected,
        items,
    }
}

fn is_summary(session: &Session, ix: EntryIx) -> bool {
    matches!(session.entry(ix).kind, EntryKind::Compaction(_))
}

fn is_request(session: &Session, ix: EntryIx) -> bool {
    matches!(&session.entry(ix).kind, EntryKind::Custom { custom_type } if &**custom_type == "compaction")
}

/// The entries sent after the summary at `position` of the path.
fn after_summary(session: &Session, path: &[EntryIx], position: usize) -> Vec<EntryIx> {
    let summary = path[position];
    let after = &path[position + 1..];
    let before = &path[..position];
    let request = before.iter().rposition(|&ix| is_request(session, ix));
    let answered = request.filter(|&at| {
        // Another summary in between has answered it.
        !before[at..].iter().any(|&ix| is_summary(session, ix))
    });
    let Some(request) = answered else {
        // 0.x compares ids, so that a prompt whose id was given out before the summary was made
        // is not sent, though it comes after it (0.5.29; its recorded usage shows the same).
        let id = &session.entry(summary).id;
        let later = after.iter().filter(|&&ix| session.entry(ix).id >= *id);
        return std::iter::once(summary).chain(later.copied()).collect();
    };
    let EntryKind::Compaction(details) = &session.entry(summary).kind else {
        return path.to_vec();
    };
    let pair = &path[request..=position];
    let kept = match details.first_kept {
        _ if details.first_kept_id.is_none() => &[][..],
        first => match before[..request].iter().position(|&ix| Some(ix) == first) {
            Some(first) => &before[first..request],
            // If it is not found, the agent sends everything from the beginning on.
            None => return path.to_vec(),
        },
    };
    // The request and its summary come first, then what was kept of the time before them, older
    // pairs included.
    [pair, kept, after].concat()
}

/// The system prompt in force, where the session holds one (0.x).
fn system_prompt(session: &Session, path: &[EntryIx]) -> Option<ContextItem> {
    let ix = *path.iter().rfind(|&&ix| {
        let first = session.entry(ix).messages.first();
        first.is_some_and(|size| size.role == Role::System)
    })?;
    let size = session.entry(ix).messages.first()?;
    Some(item(ix, 0, size))
}

fn items_of(session: &Session, ix: EntryIx, model: Option<&ModelRef>) -> Vec<ContextItem> {
    let entry = session.entry(ix);
    let of_other_model = entry.model.is_some() && entry.model.as_ref() != model;
    entry
        .messages
        .iter()
        .enumerate()
        // 0.x stores the system prompt with every reply; it is sent once, before the messages.
        .filter(|(_, size)| size.role != Role::System)
        .map(|(index, size)| {
            let mut item = item(ix, index, size);
            if of_other_model && item.native_role == "assistant" {
                item.native_role = OF_OTHER_MODEL;
            }
            item
        })
        .collect()
}

fn item(ix: EntryIx, message_index: usize, size: &MessageSize) -> ContextItem {
    let (kind, origin) = match size.native_role {
        "summary" => (ItemKind::CompactionSummary, Origin::Summary),
        "compaction" | "synthetic" | "todo" => (ItemKind::Custom, Origin::Injected),
        PRUNED => (ItemKind::Message, Origin::Cleared),
        _ => (ItemKind::Message, Origin::Verbatim),
    };
    let (estimate, by_category) = match origin {
        Origin::Cleared => {
            let estimate = tokens(utf16_len(Clearing::PLACEHOLDER));
            (estimate, vec![(Category::ToolResults, estimate)])
        }
        _ => (size.estimate, shares(size)),
    };
    ContextItem {
        role: size.role,
        native_role: size.native_role,
        kind,
        entries: ItemEntries::from_slice(&[ix]),
        message_index,
        edited_by: None,
        origin,
        estimate,
        by_category,
        tool_name: size.tool_name.clone(),
        sent: size.sent,
    }
}

/// The model in force: of the newest entry that names one.
fn model(session: &Session, path: &[EntryIx]) -> Option<ModelRef> {
    let mut newest = path.iter().rev().map(|&ix| session.entry(ix));
    newest.find_map(|entry| entry.model.clone())
}

/// The message of an item, a pruned result as the model gets it.
pub(super) fn item_message(item: &ContextItem, bodies: &dyn Bodies) -> Result<Message, BodyError> {
    let mut message = stored_message(item, bodies)?;
    if item.origin == Origin::Cleared {
        message.blocks = vec![Block::Text(Clearing::PLACEHOLDER.to_owned())];
    }
    if item.native_role == OF_OTHER_MODEL {
        for block in &mut message.blocks {
            if let Block::Thinking { text, .. } = block
                && !text.trim().is_empty()
            {
                *block = Block::Text(std::mem::take(text));
            }
        }
    }
    // Steps, snapshots and the like are OpenCode's own and not sent.
    message
        .blocks
        .retain(|block| !matches!(block, Block::Opaque { .. }));
    Ok(message)
}
