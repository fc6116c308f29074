//! What Droid sends from an entry, as the requests of 0.225.2 show it.
//!
//! Without a compaction all rows of the chain. Behind one its summary with a description of the
//! machine, then the standing reminders in an order of their own, then the rows that were kept and
//! those that follow, without the reminders already given.

use super::said::{CONTEXT_TYPE, REMINDER, SUMMARY, SYSTEM_INFO, TODO_TYPE};
use crate::context_item::{context_item, stored_message};
use palimpsest_core::context::ReportedSize;
use palimpsest_core::entry::{ModelRef, Trigger};
use palimpsest_core::{
    Block, Bodies, BodyError, Category, Context, ContextItem, Entry, EntryIx, EntryKind, ItemKind,
    LinkKind, Message, MessageSize, Origin, Role, Session, Tree,
};

/// The reminders of a session's first row that stand behind every summary, in the order sent: the
/// first, third, fourth and second (0.225.2, 21 recorded requests). What follows them there tells of
/// the machine, the day and the todos.
const STANDING: [usize; 4] = [0, 2, 3, 1];

/// The word for the role of a reminder that is sent again behind a summary.
const STANDING_ROLE: &str = "standing_reminder";

/// What the provider is called whose reasoning is left out in some requests.
const ANTHROPIC: &str = "anthropic";

/// The context at `at`.
pub(super) fn context(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Context {
    let path = at.map(|at| tree.path(at)).unwrap_or_default();
    let compaction = path.iter().rposition(|&ix| is_compaction(session, ix));
    let selected = select(session, &path, compaction);
    let mut items = items(session, &path, &selected, compaction);
    leave_reasoning_out(session, &mut items);
    let estimated = items.iter().map(|item| item.estimate).sum();
    let since = compaction.map_or(&path[..], |position| &path[position + 1..]);
    let reported = reported(session, since, &items);
    let newest = |of: &dyn Fn(&Entry) -> Option<ModelRef>| {
        path.iter().rev().find_map(|&ix| of(session.entry(ix)))
    };
    Context {
        at,
        model: newest(&|entry| entry.model.clone()),
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

fn is_compaction(session: &Session, ix: EntryIx) -> bool {
    matches!(session.entry(ix).kind, EntryKind::Compaction(_))
}

/// The newest compaction, what it kept, and what follows it.
fn select(session: &Session, path: &[EntryIx], compaction: Option<usize>) -> Vec<EntryIx> {
    let Some(position) = compaction else {
        return path.to_vec();
    };
    let (before, rest) = path.split_at(position);
    let first_kept = match &session.entry(path[position]).kind {
        EntryKind::Compaction(told) => told.first_kept,
        _ => None,
    };
    let kept = first_kept.and_then(|first| before.iter().position(|&ix| ix == first));
    let kept = kept.map_or(&[][..], |first| &before[first..]);
    // An earlier summary inside the kept tail is part of the newer one.
    let kept = kept.iter().filter(|&&ix| !is_compaction(session, ix));
    let mut selected = vec![rest[0]];
    selected.extend(kept);
    selected.extend(&rest[1..]);
    selected
}

fn items(
    session: &Session,
    path: &[EntryIx],
    selected: &[EntryIx],
    compaction: Option<usize>,
) -> Vec<ContextItem> {
    let mut items = Vec::new();
    let standing = match compaction {
        Some(position) => standing(session, path, position),
        None => Vec::new(),
    };
    let copied = copied(session, path);
    for (at, &ix) in selected.iter().enumerate() {
        let entry = session.entry(ix);
        let custom_type = match &entry.kind {
            EntryKind::CustomMessage { custom_type, .. } => &**custom_type,
            _ => "",
        };
        if custom_type == TODO_TYPE && copied.contains(&ix) {
            continue;
        }
        let given = match custom_type {
            CONTEXT_TYPE => given(session, entry, &standing),
            _ => 0,
        };
        for (index, size) in entry.messages.iter().enumerate().skip(given) {
            items.push(item(entry, ix, index, size));
        }
        if at == 0 {
            let again = standing.iter().map(|&(from, index)| {
                let entry = session.entry(from);
                let item = item(entry, from, index, &entry.messages[index]);
                ContextItem {
                    native_role: STANDING_ROLE,
                    ..item
                }
            });
            items.extend(again);
        }
    }
    items
}

/// How many reminders a row begins with that stand behind the summary already. They are compared by
/// size, as no text is read here; the first other one ends them.
fn given(session: &Session, row: &Entry, standing: &[(EntryIx, usize)]) -> usize {
    let is_given = |(index, size): &(usize, &MessageSize)| {
        let mut above = standing.iter().filter(|(_, at)| at == index);
        above.any(|&(from, at)| session.entry(from).messages[at].units == size.units)
    };
    row.messages.iter().enumerate().take_while(is_given).count()
}

/// The rows of a fork that it was begun with. Of these a reminder of the todo list is in the file
/// and not sent (0.225.2).
fn copied<'p>(session: &Session, path: &'p [EntryIx]) -> &'p [EntryIx] {
    let mut forks = session.links.iter();
    let fork = forks.find(|link| link.kind == LinkKind::ForkedFrom);
    let end = fork
        .and_then(|fork| fork.at)
        .and_then(|at| path.iter().position(|&ix| ix == at));
    end.map_or(&[], |end| &path[..=end])
}

/// The standing reminders behind the compaction at `position`: those of the first row of the file
/// that the process began with.
fn standing(session: &Session, path: &[EntryIx], position: usize) -> Vec<(EntryIx, usize)> {
    let is_context = |ix: &&EntryIx| {
        matches!(&session.entry(**ix).kind, EntryKind::CustomMessage { custom_type, .. }
            if &**custom_type == CONTEXT_TYPE)
    };
    // A manual compaction begins a file, whose first row has all reminders again.
    let begins_file = |ix: &EntryIx| match &session.entry(*ix).kind {
        EntryKind::Compaction(told) => told.trigger == Some(Trigger::Manual),
        _ => false,
    };
    let start = path[..=position].iter().rposition(begins_file).unwrap_or(0);
    let row = path[start..].iter().find(is_context);
    let Some(&row) = row.or_else(|| path.iter().find(is_context)) else {
        return Vec::new();
    };
    let count = session.entry(row).messages.len();
    let there = STANDING.into_iter().filter(|&index| index < count);
    there.map(|index| (row, index)).collect()
}

fn item(entry: &Entry, ix: EntryIx, message_index: usize, size: &MessageSize) -> ContextItem {
    let (kind, origin) = match size.native_role {
        SUMMARY => (ItemKind::CompactionSummary, Origin::Summary),
        SYSTEM_INFO | REMINDER => (ItemKind::Custom, Origin::Injected),
        _ if matches!(entry.kind, EntryKind::CustomMessage { .. }) => {
            (ItemKind::Custom, Origin::Injected)
        }
        _ => (ItemKind::Message, Origin::Verbatim),
    };
    context_item(ix, message_index, size, (kind, origin))
}

/// Anthropic refuses a request with reasoning whose last answer begins without any, so that Droid
/// then sends none at all: where the first reply since the user's side last spoke has none (0.225.2).
fn leave_reasoning_out(session: &Session, items: &mut [ContextItem]) {
    let newest = items.iter().rev().filter(|item| item.sent);
    let newest = newest.take_while(|item| item.role != Role::User);
    let first = newest.filter(|item| item.role == Role::Assistant).last();
    if first.is_none_or(thinks) {
        return;
    }
    let of_anthropic = |item: &ContextItem| {
        let mut entries = item.entries.iter().map(|&ix| session.entry(ix));
        entries.any(|entry| {
            let model = entry.model.as_ref();
            model.is_some_and(|model| model.provider.contains(ANTHROPIC))
        })
    };
    for item in items.iter_mut() {
        if item.role == Role::Assistant && thinks(item) && of_anthropic(item) {
            item.origin = Origin::Cleared;
            item.by_category
                .retain(|(category, _)| *category != Category::Thinking);
            item.estimate = item.by_category.iter().map(|(_, share)| share).sum();
        }
    }
}

fn thinks(item: &ContextItem) -> bool {
    let mut categories = item.by_category.iter();
    categories.any(|(own, _)| *own == Category::Thinking)
}

/// The size that the last call reports, and the estimates of what came after its reply. `since`
/// begins after the newest compaction.
fn reported(session: &Session, since: &[EntryIx], items: &[ContextItem]) -> Option<ReportedSize> {
    let position = since
        .iter()
        .rposition(|&ix| session.entry(ix).usage_trusted)?;
    let usage_tokens = session.entry(since[position]).usage?.context_tokens();
    let is_reply = |ix: &&EntryIx| session.entry(**ix).kind == EntryKind::Message(Role::Assistant);
    let entry = *since[..position].iter().rfind(is_reply)?;
    let of_reply = |item: &ContextItem| item.entries.first() == Some(&entry);
    let reply = items.iter().rposition(of_reply)?;
    let after = items[reply + 1..].iter().filter(|item| item.sent);
    let trailing_tokens = after.map(|item| item.estimate).sum();
    Some(ReportedSize {
        tokens: usage_tokens + trailing_tokens,
        usage_tokens,
        trailing_tokens,
        entry,
    })
}

/// The message of an item.
pub(super) fn item_message(item: &ContextItem, bodies: &dyn Bodies) -> Result<Message, BodyError> {
    let mut message = stored_message(item, bodies)?;
    if item.origin == Origin::Cleared {
        message
            .blocks
            .retain(|block| !matches!(block, Block::Thinking { .. }));
    }
    Ok(message)
}
