//! What pi sends from an entry (pi 1.5, `session-manager.js`, `buildSessionProjection`).

use palimpsest_core::context::ReportedSize;
use palimpsest_core::entry::ModelRef;
use palimpsest_core::estimate::tokens_of_units;
use palimpsest_core::{
    Bodies, BodyError, Category, Context, ContextItem, Entry, EntryIx, EntryKind, ItemEntries,
    ItemKind, Message, MessageSize, Origin, Role, Session, Tree,
};
use std::collections::HashMap;

/// An entry selected for the context, with the items it contributes after edits.
struct Projected {
    entry: EntryIx,
    items: Vec<ContextItem>,
}

/// The context at `at`.
pub(super) fn context(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Context {
    let path = at.map(|at| path_to(session, tree, at)).unwrap_or_default();
    let (model, thinking_level) = settings(session, &path);
    let compaction = newest_compaction(session, &path).map(|position| path[position]);
    let projection = project(session, &path);
    let selected = projection.iter().map(|projected| projected.entry).collect();
    let items: Vec<ContextItem> = projection
        .into_iter()
        .flat_map(|projected| projected.items)
        .collect();
    let estimated = items.iter().map(|item| item.estimate).sum();
    let reported = reported(session, &items);
    let projected = projected(session, &path, &items, reported);
    Context {
        at,
        path,
        selected,
        items,
        model,
        thinking_level: Some(thinking_level),
        estimated,
        reported,
        projected,
        compaction,
        own_categories: Vec::new(),
    }
}

/// The path as pi sees it: it stops below a recovered record, which pi has not read.
fn path_to(session: &Session, tree: &Tree, at: EntryIx) -> Vec<EntryIx> {
    let path = tree.path(at);
    let above = &path[..path.len().saturating_sub(1)];
    match above.iter().rposition(|&ix| session.entry(ix).recovered) {
        Some(position) => path[position + 1..].to_vec(),
        None => path,
    }
}

/// Model and reasoning level in force, over the whole path, a summarized beginning included.
fn settings(session: &Session, path: &[EntryIx]) -> (Option<ModelRef>, Box<str>) {
    let mut model = None;
    let mut level: Box<str> = "off".into();
    for entry in path.iter().map(|&ix| session.entry(ix)) {
        match &entry.kind {
            EntryKind::ThinkingChange { level: changed } => level = changed.clone(),
            EntryKind::ModelChange | EntryKind::Message(Role::Assistant) => {
                // The newest record wins, even one that names no model.
                model = entry.model.clone();
            }
            _ => {}
        }
    }
    (model, level)
}

fn is_compaction(session: &Session, ix: EntryIx) -> bool {
    matches!(session.entry(ix).kind, EntryKind::Compaction(_))
}

/// Position in `path` of the compaction that counts.
fn newest_compaction(session: &Session, path: &[EntryIx]) -> Option<usize> {
    path.iter().rposition(|&ix| is_compaction(session, ix))
}

/// The entries whose messages may stand in the context: the newest compaction, its kept tail
/// without system messages, and what follows it.
fn select(session: &Session, path: &[EntryIx]) -> Vec<EntryIx> {
    let Some(position) = newest_compaction(session, path) else {
        return path.to_vec();
    };
    let compaction = path[position];
    let EntryKind::Compaction(details) = &session.entry(compaction).kind else {
        return path.to_vec();
    };
    let before = &path[..position];
    // A first kept entry that is not above the compaction keeps nothing (pi 1.5).
    let kept = details
        .first_kept
        .and_then(|first| before.iter().position(|&ix| ix == first))
        .map_or(&[][..], |first| &before[first..]);
    let is_system = |ix: &EntryIx| session.entry(*ix).kind == EntryKind::Message(Role::System);
    std::iter::once(compaction)
        .chain(kept.iter().copied().filter(|ix| !is_system(ix)))
        .chain(path[position + 1..].iter().copied())
        .collect()
}

/// The selected entries with what they contribute, edits applied.
fn project(session: &Session, path: &[EntryIx]) -> Vec<Projected> {
    let selected = select(session, path);
    let mut edits: HashMap<EntryIx, EntryIx> = HashMap::new();
    for &ix in &selected {
        if let EntryKind::ContextEdit {
            target: Some(target),
            ..
        } = session.entry(ix).kind
        {
            // The latest edit on the path wins.
            edits.insert(target, ix);
        }
    }
    selected
        .into_iter()
        .enumerate()
        .map(|(position, ix)| {
            // An older compaction inside the kept tail says nothing.
            let silent = position > 0 && is_compaction(session, ix);
            let items = if silent {
                Vec::new()
            } else {
                items_of(session, ix, edits.get(&ix).copied())
            };
            Projected { entry: ix, items }
        })
        .collect()
}

fn items_of(session: &Session, ix: EntryIx, edit: Option<EntryIx>) -> Vec<ContextItem> {
    let entry = session.entry(ix);
    let edit = edit.map(|edit| (edit, &session.entry(edit).kind));
    if let Some((_, EntryKind::ContextEdit { omit: true, .. })) = edit {
        return Vec::new();
    }
    let replaced = edit.and_then(|(edit, kind)| match kind {
        EntryKind::ContextEdit { estimate, .. } => Some((edit, *estimate)),
        _ => None,
    });
    entry
        .messages
        .iter()
        .enumerate()
        .map(|(index, size)| {
            // pi replaces no content of other roles.
            let editable = matches!(
                size.native_role,
                "user" | "assistant" | "toolResult" | "custom"
            );
            item(entry, ix, index, size, replaced.filter(|_| editable))
        })
        .collect()
}

fn item(
    entry: &Entry,
    ix: EntryIx,
    message_index: usize,
    size: &MessageSize,
    replaced: Option<(EntryIx, u64)>,
) -> ContextItem {
    let (kind, origin) = match size.native_role {
        "compactionSummary" => (ItemKind::CompactionSummary, Origin::Summary),
        "branchSummary" => (ItemKind::BranchSummary, Origin::Summary),
        "custom" => (ItemKind::Custom, Origin::Injected),
        "bashExecution" => (ItemKind::UserShell, Origin::Verbatim),
        _ => (ItemKind::Message, Origin::Verbatim),
    };
    debug_assert!(message_index < entry.messages.len());
    let (estimate, by_category) = match replaced {
        Some((_, estimate)) => (estimate, vec![(main_category(size), estimate)]),
        None => (size.estimate, shares(size)),
    };
    ContextItem {
        role: size.role,
        native_role: size.native_role,
        kind,
        entries: ItemEntries::from_slice(&[ix]),
        message_index,
        edited_by: replaced.map(|(edit, _)| edit),
        origin: if replaced.is_some() {
            Origin::Cleared
        } else {
            origin
        },
        estimate,
        by_category,
        tool_name: size.tool_name.clone(),
        sent: size.sent,
    }
}

fn main_category(size: &MessageSize) -> Category {
    match size.role {
        Role::System => Category::System,
        Role::Assistant => Category::AssistantText,
        Role::Tool => Category::ToolResults,
        Role::User if size.native_role == "custom" => Category::Injected,
        Role::User => Category::User,
    }
}

/// The estimate shared out over the categories by their units; what rounding leaves over goes to
/// the categories with the largest remainders.
fn shares(size: &MessageSize) -> Vec<(Category, u64)> {
    let total: u64 = size.units.iter().map(|(_, units)| units).sum();
    if total == 0 {
        return Vec::new();
    }
    let scaled = |units: u64| u128::from(units) * u128::from(size.estimate);
    let mut shares: Vec<(Category, u64)> = size
        .units
        .iter()
        .map(|&(category, units)| (category, (scaled(units) / u128::from(total)) as u64))
        .collect();
    let given: u64 = shares.iter().map(|(_, share)| share).sum();
    let mut by_remainder: Vec<usize> = (0..shares.len()).collect();
    // By the largest remainder, so that the shares add up to the estimate exactly.
    by_remainder.sort_by_key(|&i| std::cmp::Reverse(scaled(size.units[i].1) % u128::from(total)));
    for &i in by_remainder.iter().take((size.estimate - given) as usize) {
        shares[i].1 += 1;
    }
    shares
}

/// The newest usage that can be trusted, and the estimates of what follows it.
fn reported(session: &Session, items: &[ContextItem]) -> Option<ReportedSize> {
    let entry_of = |item: &ContextItem| item.entries.first().map(|&ix| (ix, session.entry(ix)));
    let (position, ix, usage) = items
        .iter()
        .enumerate()
        .rev()
        .find_map(|(position, item)| {
            let (ix, entry) = entry_of(item)?;
            let usage = entry.usage.filter(|_| entry.usage_trusted)?;
            Some((position, ix, usage))
        })?;
    let usage_tokens = usage.context_tokens();
    let trailing_tokens = items[position + 1..].iter().map(|item| item.estimate).sum();
    let tokens = usage_tokens + trailing_tokens;
    Some(ReportedSize {
        tokens,
        usage_tokens,
        trailing_tokens,
        entry: ix,
    })
}

/// pi's "tokens before": a usage older than the newest compaction or edit is not trusted
/// (`estimateProjectedContextTokens`, pi 0.87 and later).
fn projected(
    session: &Session,
    path: &[EntryIx],
    items: &[ContextItem],
    reported: Option<ReportedSize>,
) -> u64 {
    let place = |wanted: EntryIx| path.iter().position(|&ix| ix == wanted);
    let invalidated = path.iter().rposition(|&ix| {
        let kind = &session.entry(ix).kind;
        matches!(
            kind,
            EntryKind::Compaction(_) | EntryKind::ContextEdit { .. }
        )
    });
    if let Some(reported) = reported
        && place(reported.entry) > invalidated
    {
        return reported.tokens;
    }
    let (system, others): (Vec<&ContextItem>, Vec<&ContextItem>) =
        items.iter().partition(|item| item.role == Role::System);
    current_system(session, &system) + others.iter().map(|item| item.estimate).sum::<u64>()
}

/// The system prompt in force counts once. Its patches are counted at their own size: which
/// section a patch replaces is not part of the skeleton.
fn current_system(session: &Session, items: &[&ContextItem]) -> u64 {
    let units = items.iter().filter_map(|item| {
        let ix = item.entries.first()?;
        let size = session.entry(*ix).messages.get(item.message_index)?;
        Some(size.units.iter().map(|(_, units)| units).sum::<u64>())
    });
    tokens_of_units(units.sum())
}

/// The message of an item, edits applied.
pub(super) fn item_message(item: &ContextItem, bodies: &dyn Bodies) -> Result<Message, BodyError> {
    let Some(&ix) = item.entries.first() else {
        return Ok(Message {
            role: item.role,
            native_role: item.native_role,
            blocks: Vec::new(),
            tool: None,
            sent: item.sent,
        });
    };
    let body = bodies.body(ix)?;
    let mut message = body
        .messages
        .get(item.message_index)
        .cloned()
        .unwrap_or_else(|| Message {
            role: item.role,
            native_role: item.native_role,
            blocks: Vec::new(),
            tool: None,
            sent: item.sent,
        });
    if let Some(edit) = item.edited_by {
        let replacement = bodies.body(edit)?;
        message.blocks = replacement
            .messages
            .first()
            .map(|message| message.blocks.clone())
            .unwrap_or_default();
    }
    Ok(message)
}
