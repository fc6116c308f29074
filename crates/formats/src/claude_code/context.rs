//! What Claude Code sends from an entry.
//!
//! The list is made from the newest compaction on: its summary, what was kept, what follows. Then,
//! as 2.1.63 does it (and the requests of 2.1.329 show): attachments move up to the last reply or
//! result before them, the blocks of one reply become one message again, and attachments behind a
//! result become part of its text.

use super::categories::own_categories;
use super::estimate::tokens_of;
use super::trail::BOUNDARY;
use palimpsest_core::context::ReportedSize;
use palimpsest_core::entry::{Clearing, ModelRef};
use palimpsest_core::joined::{
    ATTACHMENT, is_attachment, is_further_block, reply_before, result_before,
};
use palimpsest_core::{
    Block, Bodies, BodyError, Category, Context, ContextItem, Entry, EntryIx, EntryKind,
    ItemEntries, ItemKind, Message, MessageSize, Origin, Role, Session, Tree,
};
use std::collections::HashMap;

/// The context at `at`.
pub(super) fn context(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Context {
    let path = at.map(|at| tree.path(at)).unwrap_or_default();
    let lane = lane(session, &path);
    let compaction = newest_compaction(session, lane);
    let selected = select(session, lane, compaction);
    let cleared = cleared(session, lane);
    let items = items(session, &selected, &cleared);
    let estimated = items.iter().map(|item| item.estimate).sum();
    let summary = compaction.map(|found| lane[found.summary]);
    let reported = reported(session, &items, summary);
    let own_categories = own_categories(session, lane, &items);
    Context {
        at,
        model: model(session, lane),
        selected,
        thinking_level: None,
        estimated,
        projected: reported.map_or(estimated, |reported| reported.tokens),
        reported,
        compaction: summary,
        own_categories,
        items,
        path,
    }
}

/// The part of the path that the model standing on its end has seen: of a subagent's records only
/// those, and of a conversation taken up again from its file what the stored parents lead to.
fn lane<'p>(session: &Session, path: &'p [EntryIx]) -> &'p [EntryIx] {
    let is_side = |ix: &EntryIx| session.entry(*ix).sidechain;
    let ends_aside = path.last().is_some_and(is_side);
    // A subagent's conversation in its parent's file (1.x) was begun without the parent's
    // history.
    match path.iter().position(is_side) {
        Some(start) if ends_aside => &path[start..],
        _ => &path[after_restart(session, path)..],
    }
}

/// Position at which the history begins that the newest process has read: the nearest guessed
/// parent above the place where it took the conversation up.
fn after_restart(session: &Session, path: &[EntryIx]) -> usize {
    let restarts = &session.restarts;
    let is_restart = |ix: &EntryIx| restarts.binary_search(ix).is_ok();
    let Some(taken_up) = path.iter().rposition(is_restart) else {
        return 0;
    };
    let is_guessed = |ix: &EntryIx| session.entry(*ix).has_guessed_parent();
    path[..=taken_up].iter().rposition(is_guessed).unwrap_or(0)
}

/// The newest compaction in force.
#[derive(Clone, Copy)]
struct InForce {
    /// Position of its boundary.
    boundary: usize,
    /// Position of its summary.
    summary: usize,
}

/// The newest summary that stands behind a boundary, whatever stands between the two (2.1.329
/// writes attachments there); without a boundary the agent goes on sending what was before.
fn newest_compaction(session: &Session, lane: &[EntryIx]) -> Option<InForce> {
    let kind = |position: usize| &session.entry(lane[position]).kind;
    let is_boundary = |position: &usize| matches!(kind(*position), EntryKind::Custom { custom_type } if &**custom_type == BOUNDARY);
    let is_summary = |position: &usize| matches!(kind(*position), EntryKind::Compaction(_));
    (1..lane.len())
        // Only the newest compaction counts; its summary stands for the earlier ones.
        .rev()
        .filter(is_summary)
        .find_map(|summary| {
            let mut before = (0..summary).rev();
            let boundary = before.find(|at| is_boundary(at) || is_summary(at));
            let boundary = boundary.filter(is_boundary)?;
            Some(InForce { boundary, summary })
        })
}

/// What is sent, the agent's records between boundary and summary included.
fn select(session: &Session, lane: &[EntryIx], compaction: Option<InForce>) -> Vec<EntryIx> {
    let Some(InForce { boundary, summary }) = compaction else {
        return lane.to_vec();
    };
    let kept = match &session.entry(lane[summary]).kind {
        EntryKind::Compaction(told) => told.kept.as_slice(),
        _ => &[],
    };
    // Summary first, then what was kept, as 2.1.329 sends it; the kept messages stay at their old
    // place in the file.
    let mut selected = lane[boundary + 1..=summary].to_vec();
    selected.extend(kept);
    selected.extend(&lane[summary + 1..]);
    selected
}

/// Cleared results with the record that says so.
fn cleared(session: &Session, lane: &[EntryIx]) -> HashMap<EntryIx, EntryIx> {
    let mut cleared = HashMap::new();
    for &ix in lane {
        if let EntryKind::Clearing(told) = &session.entry(ix).kind {
            cleared.extend(told.results.iter().map(|&result| (result, ix)));
        }
    }
    cleared
}

fn model(session: &Session, lane: &[EntryIx]) -> Option<ModelRef> {
    let mut entries = lane.iter().rev().map(|&ix| session.entry(ix));
    entries.find_map(|entry| entry.model.clone())
}

/// Attachments go up to the newest reply or result before them; what the user said meanwhile
/// follows.
fn in_order(session: &Session, selected: &[EntryIx]) -> Vec<EntryIx> {
    let mut backwards = Vec::with_capacity(selected.len());
    // Read backwards, so that attachments wait for the reply or result above them.
    let mut waiting = Vec::new();
    for &ix in selected.iter().rev() {
        let entry = session.entry(ix);
        let stops = matches!(entry.kind, EntryKind::Message(Role::Assistant | Role::Tool));
        if is_attachment(entry) {
            waiting.push(ix);
        } else {
            if stops {
                backwards.append(&mut waiting);
            }
            backwards.push(ix);
        }
    }
    backwards.append(&mut waiting);
    backwards.reverse();
    backwards
}

fn items(
    session: &Session,
    selected: &[EntryIx],
    cleared: &HashMap<EntryIx, EntryIx>,
) -> Vec<ContextItem> {
    let mut items: Vec<ContextItem> = Vec::new();
    for ix in in_order(session, selected) {
        let entry = session.entry(ix);
        let sent = |(_, size): &(usize, &MessageSize)| size.sent;
        for (index, size) in entry.messages.iter().enumerate().filter(sent) {
            let earlier = match size.role {
                Role::Assistant if is_further_block(entry) => reply_before(&mut items),
                Role::User if size.native_role == ATTACHMENT => result_before(&mut items),
                _ => None,
            };
            match earlier {
                Some(earlier) => join(earlier, ix, size),
                None => {
                    let clearing = cleared.get(&ix).filter(|_| size.role == Role::Tool);
                    items.push(item(entry, ix, index, size, clearing.copied()));
                }
            }
        }
    }
    items
}

fn join(item: &mut ContextItem, ix: EntryIx, size: &MessageSize) {
    if item.entries.last() != Some(&ix) {
        item.entries.push(ix);
    }
    item.estimate += size.estimate;
    for &(category, tokens) in &size.units {
        match item
            .by_category
            .iter_mut()
            .find(|(same, _)| *same == category)
        {
            Some((_, sum)) => *sum += tokens,
            None => item.by_category.push((category, tokens)),
        }
    }
}

fn item(
    entry: &Entry,
    ix: EntryIx,
    message_index: usize,
    size: &MessageSize,
    clearing: Option<EntryIx>,
) -> ContextItem {
    let (kind, origin) = match (&entry.kind, size.native_role) {
        (EntryKind::Compaction(_), _) => (ItemKind::CompactionSummary, Origin::Summary),
        (EntryKind::UserShell, _) => (ItemKind::UserShell, Origin::Verbatim),
        (_, "user" | "assistant" | "tool_result") => (ItemKind::Message, Origin::Verbatim),
        (_, "command" | "command_output" | "shell_output" | "interrupt") => {
            (ItemKind::Custom, Origin::Verbatim)
        }
        _ => (ItemKind::Custom, Origin::Injected),
    };
    let placeholder = tokens_of(Clearing::PLACEHOLDER.len() as u64);
    let (origin, estimate, by_category) = match clearing {
        Some(_) => (
            Origin::Cleared,
            placeholder,
            vec![(Category::ToolResults, placeholder)],
        ),
        // A size's units are tokens here.
        None => (origin, size.estimate, size.units.clone()),
    };
    ContextItem {
        role: size.role,
        native_role: size.native_role,
        kind,
        entries: ItemEntries::from_slice(&[ix]),
        message_index,
        edited_by: clearing,
        origin,
        estimate,
        by_category,
        tool_name: size.tool_name.clone(),
        sent: true,
    }
}

/// The usage of the newest reply, all its blocks together, and the estimates of what follows it.
/// What a reply kept by a compaction was asked with is no longer there.
fn reported(
    session: &Session,
    items: &[ContextItem],
    summary: Option<EntryIx>,
) -> Option<ReportedSize> {
    let (position, entry, usage_tokens) =
        items
            .iter()
            .enumerate()
            .rev()
            .find_map(|(position, item)| {
                let &first = item.entries.first()?;
                // A kept reply lies before the summary in the file, and its usage was that of the
                // longer context.
                let counts = session.entry(first).usage_trusted && Some(first) > summary;
                counts.then_some(())?;
                let blocks = item.entries.iter().map(|&ix| session.entry(ix));
                let usage = blocks.filter_map(|entry| entry.usage);
                Some((
                    position,
                    first,
                    usage.map(|usage| usage.context_tokens()).sum::<u64>(),
                ))
            })?;
    let trailing_tokens = items[position + 1..].iter().map(|item| item.estimate).sum();
    Some(ReportedSize {
        tokens: usage_tokens + trailing_tokens,
        usage_tokens,
        trailing_tokens,
        entry,
    })
}

/// The message of an item as the model gets it.
pub(super) fn item_message(item: &ContextItem, bodies: &dyn Bodies) -> Result<Message, BodyError> {
    let mut message = Message {
        role: item.role,
        native_role: item.native_role,
        blocks: Vec::new(),
        tool: None,
        sent: item.sent,
    };
    let Some((&first, further)) = item.entries.split_first() else {
        return Ok(message);
    };
    if let Some(stored) = bodies.body(first)?.messages.get(item.message_index) {
        message = stored.clone();
    }
    // Before the attachments are added: those are still sent.
    if item.edited_by.is_some() {
        message.blocks = vec![Block::Text(Clearing::PLACEHOLDER.to_owned())];
    }
    let mut added = Vec::new();
    for &ix in further {
        let body = bodies.body(ix)?;
        let sent = body.messages.iter().filter(|message| message.sent);
        added.extend(sent.flat_map(|message| message.blocks.iter().cloned()));
    }
    match item.role {
        Role::Tool => add_to_result(&mut message.blocks, added),
        _ => message.blocks.extend(added),
    }
    Ok(message)
}

/// Attachments behind a result become part of its text: each trimmed, a blank line between
/// (2.1.63, 2.1.329).
fn add_to_result(blocks: &mut Vec<Block>, added: Vec<Block>) {
    let all_text = |blocks: &[Block]| blocks.iter().all(|block| matches!(block, Block::Text(_)));
    if added.is_empty() {
        return;
    }
    if blocks.len() > 1 || !all_text(blocks) || !all_text(&added) {
        blocks.extend(added);
        return;
    }
    let texts: Vec<String> = blocks
        .drain(..)
        .chain(added)
        .filter_map(|block| match block {
            Block::Text(text) => Some(text.trim().to_owned()),
            _ => None,
        })
        .filter(|text| !text.is_empty())
        .collect();
    blocks.push(Block::Text(texts.join("\n\n")));
}
