//! The entries of a context with the items they contribute.

use palimpsest_core::{
    Category, ContextItem, EntryIx, EntryKind, EntryPlaces, ItemKind, Role, Session,
};
use std::ops::Range;

/// An entry of a context as choices by size see it.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    /// The entry.
    pub entry: EntryIx,
    /// Its items in the context.
    pub items: Range<usize>,
    /// Estimated tokens of its items.
    pub tokens: u64,
    /// True for the summary of a compaction record, for the question before it (OpenCode), and for a
    /// record without messages here.
    pub is_compaction: bool,
    /// Whether a cut before it parts no result of a tool from its call.
    pub may_cut: bool,
    /// Whether it is something the user wrote.
    pub is_prompt: bool,
    /// Whether it is something the model wrote.
    pub is_reply: bool,
    /// Whether its last message is the model's.
    pub ends_with_reply: bool,
    /// Whether it is a reply by itself that calls no tool.
    pub is_last_word: bool,
    /// Tools it calls, as far as its messages are in the context.
    pub calls: u64,
    /// Its messages with text by the user or the model.
    pub texts: u64,
    /// Whether it begins a turn.
    pub starts_turn: bool,
    /// Whether pi cuts before entries of its role.
    pub pi_may_cut: bool,
    /// Whether it speaks with the user's role.
    pub as_user: bool,
}

impl Seen {
    /// Whether it has a message.
    pub fn is_visible(&self) -> bool {
        !self.items.is_empty()
    }
}

/// pi's roles at which a cut may fall: not tool results, whose call must be kept with them.
pub(crate) fn may_cut(native_role: &str) -> bool {
    matches!(native_role, "assistant") || starts_turn(native_role)
}

/// pi's roles that begin a turn, and what is the same in Claude Code: a slash command and a shell
/// command of the user's.
pub(crate) fn starts_turn(native_role: &str) -> bool {
    matches!(
        native_role,
        "user"
            | "bashExecution"
            | "custom"
            | "branchSummary"
            | "compactionSummary"
            | "command"
            | "shell"
    )
}

pub(crate) fn is_compaction(session: &Session, ix: EntryIx) -> bool {
    matches!(session.entry(ix).kind, EntryKind::Compaction(_))
}

/// The entries of a context with the items they contribute, in the items' order; entries that
/// contribute none stand where they are selected.
///
/// An agent may send items in another order than that of their entries (Claude Code's reminders
/// go before the prompt they were written after), or several entries as one item.
pub(crate) fn seen(session: &Session, selected: &[EntryIx], items: &[ContextItem]) -> Vec<Seen> {
    // Read once and side by side: each list of entries lies elsewhere in memory, and waiting for one
    // after the other in the loop below took 7 ms of a plan over 50,000 entries.
    let firsts = items.iter().map(|item| item.entries.first().copied());
    let firsts: Vec<Option<EntryIx>> = firsts.collect();
    let of_items = items.iter().flat_map(|item| item.entries.iter().copied());
    let with_items = EntryPlaces::of(session.entries.len(), of_items);
    let places = EntryPlaces::of(session.entries.len(), selected.iter().copied());
    let mut silent = selected
        .iter()
        .enumerate()
        .filter(|(_, entry)| !with_items.holds(**entry))
        .map(|(place, &entry)| (place, entry))
        .peekable();
    let mut list = Vec::with_capacity(selected.len());
    let one = |entry: EntryIx, range: Range<usize>| {
        let own = &items[range.clone()];
        // Beside its summary Codex stores what else the next request holds: instructions, the
        // environment, user messages. Those are said again and no summary.
        let is_summarized = own.is_empty() || own.iter().any(is_summary);
        let is_compaction =
            (is_compaction(session, entry) && is_summarized) || own.iter().any(is_question);
        let any = |test: fn(&str) -> bool| own.iter().any(|item| test(item.native_role));
        let is_role = |role: Role| own.iter().any(|item| item.role == role);
        let stored = session.entry(entry);
        let calls = stored.tool_calls.len() as u64;
        let said = |item: &&ContextItem| {
            let mut categories = item.by_category.iter();
            item.role == Role::User || categories.any(|(own, _)| *own == Category::AssistantText)
        };
        Seen {
            entry,
            items: range,
            tokens: own.iter().map(|item| item.estimate).sum(),
            is_compaction,
            // An entry may hold the results of its own calls (OpenCode).
            may_cut: own.first().is_none_or(|item| item.role != Role::Tool),
            is_prompt: own.iter().any(is_prompt),
            is_reply: is_role(Role::Assistant),
            ends_with_reply: own.last().is_some_and(|item| item.role == Role::Assistant),
            is_last_word: stored.kind == EntryKind::Message(Role::Assistant) && calls == 0,
            calls: if own.is_empty() { 0 } else { calls },
            texts: own.iter().filter(said).count() as u64,
            starts_turn: !is_compaction && any(starts_turn),
            pi_may_cut: !is_compaction && any(may_cut),
            as_user: is_role(Role::User),
        }
    };
    let mut next = 0;
    while let Some(item) = items.get(next) {
        let start = next;
        let first = firsts[start];
        while items.get(next).is_some_and(|other| {
            // A summary that is stored with other messages (Codex) is looked at by itself.
            firsts[next] == first && is_summary(other) == is_summary(item)
        }) {
            next += 1;
        }
        let Some(entry) = first else { continue };
        let place = places.get(entry);
        while let Some(earlier) = silent.next_if(|(at, _)| place.is_some_and(|here| *at < here)) {
            list.push(one(earlier.1, start..start));
        }
        list.push(one(entry, start..next));
    }
    list.extend(silent.map(|(_, entry)| one(entry, next..next)));
    await_results(session, items, &mut list);
    list
}

/// The native role of the question that OpenCode puts before a summary.
const QUESTION: &str = "compaction";

fn is_question(item: &ContextItem) -> bool {
    item.kind == ItemKind::Custom && item.native_role == QUESTION
}

pub(crate) fn is_summary(item: &ContextItem) -> bool {
    item.kind == ItemKind::CompactionSummary
}

/// Whether an item is something the user wrote.
fn is_prompt(item: &ContextItem) -> bool {
    item.role == Role::User && item.kind == ItemKind::Message
}

/// Forbids a cut while calls are still without their results: these stand behind their call, with
/// other calls between them where an agent stores each call by itself (Codex). What the user says
/// ends the wait, because results of interrupted calls never come.
fn await_results(session: &Session, items: &[ContextItem], list: &mut [Seen]) {
    let mut open = 0_usize;
    for seen in list {
        let own = &items[seen.items.clone()];
        if own.iter().any(is_prompt) {
            open = 0;
        }
        seen.may_cut &= open == 0;
        for item in own {
            match item.role {
                Role::Assistant => open += session.entry(seen.entry).tool_calls.len(),
                Role::Tool => open = open.saturating_sub(1),
                Role::User | Role::System => {}
            }
        }
    }
}
