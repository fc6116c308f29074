//! What Copilot sends from an entry (1.0.102): the system prompt in force, after a compaction all
//! prompts and the summary in one message, and every later message, results in the order of calls.

use super::calls::sent_id;
use super::message::{INJECTED, SUMMARY, words_at};
use crate::by_bytes::tokens;
use crate::context_item::{blank_message, context_item};
use palimpsest_core::context::{RESENT_PROMPT as PROMPT, ReportedSize};
use palimpsest_core::entry::{Compaction, ModelRef};
use palimpsest_core::{
    Block, Bodies, BodyError, Category, Context, ContextItem, Entry, EntryIx, EntryKind, ItemKind,
    Message, MessageSize, Origin, Role, Session, Tree,
};
use std::collections::HashSet;

/// The context at `at`.
pub(super) fn context(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Context {
    let path = at.map(|at| path_to(session, tree, at)).unwrap_or_default();
    let lane = lane(session, &path);
    let (model, thinking_level) = settings(session, lane);
    let newest = newest_compaction(session, lane);
    let items = items(session, lane);
    let mut selected = Vec::new();
    let mut from = 0;
    if let Some((position, details)) = newest {
        selected.push(lane[position]);
        selected.extend(&details.kept);
        from = position + 1;
    }
    selected.extend(&lane[from..]);
    let estimated = items.iter().map(|item| item.estimate).sum();
    let later = &lane[from..];
    let reported = reported(session, later, &items);
    let projected = match (reported, newest) {
        (Some(reported), _) => reported.tokens,
        (None, Some((_, details))) => match details.tokens_after {
            // Copilot's own figure, with the system prompt and the tools.
            Some(after) => after + of_entries(&items, later),
            None => estimated,
        },
        (None, None) => estimated,
    };
    Context {
        at,
        selected,
        model,
        thinking_level,
        estimated,
        reported,
        projected,
        compaction: newest.map(|(position, _)| lane[position]),
        own_categories: Vec::new(),
        items,
        path,
    }
}

/// The path without records that Copilot itself has not read.
fn path_to(session: &Session, tree: &Tree, at: EntryIx) -> Vec<EntryIx> {
    let mut path = tree.path(at);
    path.retain(|&ix| ix == at || !session.entry(ix).recovered);
    path
}

/// The part of a path that the model at its end has seen: a subagent begins without the history of
/// the one that started it.
pub(super) fn lane<'p>(session: &Session, path: &'p [EntryIx]) -> &'p [EntryIx] {
    let is_side = |ix: EntryIx| session.entry(ix).sidechain;
    if !path.last().is_some_and(|&ix| is_side(ix)) {
        return path;
    }
    let begins = |&ix: &EntryIx| {
        let kind = &session.entry(ix).kind;
        matches!(kind, EntryKind::Custom { custom_type } if &**custom_type == "subagent.started")
    };
    let first = path.iter().position(|&ix| is_side(ix)).unwrap_or(0);
    // A subagent of a subagent begins below a call of the first.
    let start = path.iter().rposition(begins).filter(|&at| at >= first);
    &path[start.unwrap_or(first)..]
}

/// Position of the newest compaction, whose summary stands for all earlier ones.
fn newest_compaction<'s>(
    session: &'s Session,
    lane: &[EntryIx],
) -> Option<(usize, &'s Compaction)> {
    let mut found = lane.iter().enumerate().rev();
    found.find_map(|(position, &ix)| match &session.entry(ix).kind {
        EntryKind::Compaction(details) => Some((position, &**details)),
        _ => None,
    })
}

/// Model and reasoning level in force.
fn settings(session: &Session, lane: &[EntryIx]) -> (Option<ModelRef>, Option<Box<str>>) {
    let (mut model, mut level) = (None, None);
    for entry in lane.iter().map(|&ix| session.entry(ix)) {
        if let EntryKind::ThinkingChange { level: changed } = &entry.kind {
            level = Some(changed.clone());
        }
        // The model of a compaction's own request is not the conversation's.
        if let Some(named) = &entry.model
            && !matches!(entry.kind, EntryKind::Compaction(_))
        {
            model = Some(named.clone());
        }
    }
    (model, level)
}

/// The entries whose messages were cut away on a path.
pub(super) fn dropped(session: &Session, path: &[EntryIx]) -> HashSet<EntryIx> {
    let mut dropped = HashSet::new();
    for &ix in path {
        if let EntryKind::Clearing(details) = &session.entry(ix).kind {
            dropped.extend(&details.results);
        }
    }
    dropped
}

/// What is sent at the end of a conversation.
pub(super) fn items(session: &Session, lane: &[EntryIx]) -> Vec<ContextItem> {
    let dropped = dropped(session, lane);
    let mut items = Vec::new();
    let is_system = |ix: EntryIx| session.entry(ix).kind == EntryKind::Message(Role::System);
    // Only the newest system prompt is sent.
    if let Some(&ix) = lane.iter().rev().find(|&&ix| is_system(ix)) {
        items.extend(items_of(session, ix));
    }
    let mut later = lane;
    if let Some((position, details)) = newest_compaction(session, lane) {
        after_compaction(session, lane[position], details, &dropped, &mut items);
        later = &lane[position + 1..];
    }
    for &ix in later {
        if is_system(ix) || dropped.contains(&ix) {
            continue;
        }
        for item in items_of(session, ix) {
            place(session, &mut items, item);
        }
    }
    items
}

/// The prompts, the summary, and what was said while it was made.
fn after_compaction(
    session: &Session,
    ix: EntryIx,
    details: &Compaction,
    dropped: &HashSet<EntryIx>,
    items: &mut Vec<ContextItem>,
) {
    let kept = || details.kept.iter().zip(&details.kept_after);
    for (&prompt, _) in kept().filter(|&(_, &after)| after == 0) {
        let sizes = session.entry(prompt).messages.iter().enumerate();
        items.extend(sizes.map(|(index, size)| bare(prompt, index, size)));
    }
    items.extend(items_of(session, ix));
    // What stays may have been cut away since.
    let said = kept().filter(|&(said, &after)| after > 0 && !dropped.contains(said));
    for (&said, _) in said {
        for item in items_of(session, said) {
            place(session, items, item);
        }
    }
}

/// Adds an item; of several results of one reply, where its call stands among the calls.
fn place(session: &Session, items: &mut Vec<ContextItem>, item: ContextItem) {
    let places = &session.answer_places;
    let place = |item: &ContextItem| {
        let ix = *item.entries.first()?;
        let at = places.binary_search_by_key(&ix, |own| own.at).ok()?;
        Some(places[at].place)
    };
    let mut at = items.len();
    if let Some(own) = place(&item) {
        while at > 0 && items[at - 1].role == Role::Tool && place(&items[at - 1]) > Some(own) {
            at -= 1;
        }
    }
    items.insert(at, item);
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

/// A prompt without what Copilot had put round the user's words.
fn bare(ix: EntryIx, message_index: usize, size: &MessageSize) -> ContextItem {
    let own = size.units.iter().filter(|(own, _)| *own == Category::User);
    let own: Vec<(Category, u64)> = own.copied().collect();
    let estimate = tokens(&own);
    ContextItem {
        native_role: PROMPT,
        estimate,
        by_category: vec![(Category::User, estimate)],
        ..item(ix, message_index, size)
    }
}

/// The newest usage behind the newest compaction, and the estimates of what follows its reply.
fn reported(session: &Session, later: &[EntryIx], items: &[ContextItem]) -> Option<ReportedSize> {
    let usage_of = |ix: EntryIx| {
        let entry: &Entry = session.entry(ix);
        entry.usage.filter(|_| entry.usage_trusted)
    };
    let position = later.iter().rposition(|&ix| usage_of(ix).is_some())?;
    let entry = later[position];
    let usage_tokens = usage_of(entry)?.context_tokens();
    let behind: HashSet<EntryIx> = later[position + 1..].iter().copied().collect();
    let is_behind = |item: &&ContextItem| item.entries.iter().all(|ix| behind.contains(ix));
    // A reply may be stored in several parts; its usage is that of all.
    let trailing = items
        .iter()
        .filter(is_behind)
        .skip_while(|item| item.role == Role::Assistant)
        .filter(|item| item.role != Role::System);
    let trailing_tokens = trailing.map(|item| item.estimate).sum();
    Some(ReportedSize {
        tokens: usage_tokens + trailing_tokens,
        usage_tokens,
        trailing_tokens,
        entry,
    })
}

/// Estimates of the items of some entries, system prompts excepted.
fn of_entries(items: &[ContextItem], entries: &[EntryIx]) -> u64 {
    let entries: HashSet<EntryIx> = entries.iter().copied().collect();
    let is_one = |item: &&ContextItem| {
        item.role != Role::System && item.entries.iter().all(|ix| entries.contains(ix))
    };
    items.iter().filter(is_one).map(|item| item.estimate).sum()
}

/// The message of an item.
pub(super) fn item_message(
    session: &Session,
    item: &ContextItem,
    bodies: &dyn Bodies,
) -> Result<Message, BodyError> {
    let Some(&ix) = item.entries.first() else {
        return Ok(blank_message(item));
    };
    let body = bodies.body(ix)?;
    let message = body.messages.get(item.message_index).cloned();
    let mut message = message.unwrap_or_else(|| blank_message(item));
    if item.native_role == PROMPT {
        message.native_role = PROMPT;
        if let Some(shown) = body.beside.first() {
            message.blocks = shown.blocks.clone();
        } else if let Some(size) = session.entry(ix).messages.get(item.message_index) {
            cut_to_words(&mut message, size);
        }
    }
    with_sent_ids(&mut message);
    Ok(message)
}

fn cut_to_words(message: &mut Message, size: &MessageSize) {
    let at = words_at(size);
    message.blocks.truncate(1);
    if let (Some(Block::Text(text)), Some(at)) = (message.blocks.first_mut(), at)
        && let Some(words) = text.get(at)
    {
        *text = words.to_owned();
    }
}

/// Calls by the ids that the provider gave them.
fn with_sent_ids(message: &mut Message) {
    if let Some(tool) = &mut message.tool {
        tool.call_id = sent_id(&tool.call_id).to_owned();
    }
    for block in &mut message.blocks {
        if let Block::ToolCall { id, .. } = block {
            *id = sent_id(id).to_owned();
        }
    }
}
