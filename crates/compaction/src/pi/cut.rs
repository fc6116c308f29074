//! Where pi cuts (pi 1.5, `compaction.js`, `findCutPoint` and its variant for projections).

use palimpsest_core::{ContextItem, EntryIx, EntryKind, MessageSize, Places, Role, Session};
use std::ops::Range;

/// A cut as positions in the list that was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The first entry kept.
    pub first_kept: usize,
    /// The entry that starts the turn which is split.
    pub turn_start: Option<usize>,
}

/// An entry as the cut sees it.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    /// The entry.
    pub entry: EntryIx,
    /// Its items in the context.
    pub items: Range<usize>,
    tokens: u64,
    /// Whether it speaks with the user's role.
    as_user: bool,
    /// True for a compaction record.
    pub is_compaction: bool,
    may_cut: bool,
    /// Whether it begins a turn.
    pub starts_turn: bool,
}

impl Seen {
    fn is_visible(&self) -> bool {
        !self.items.is_empty()
    }
}

/// pi's roles at which a cut may fall: not tool results, whose call must be kept with them.
fn may_cut(native_role: &str) -> bool {
    matches!(native_role, "assistant") || starts_turn(native_role)
}

/// pi's roles that begin a turn, and what is the same in Claude Code: a slash command and a shell
/// command of the user's.
fn starts_turn(native_role: &str) -> bool {
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

fn is_compaction(session: &Session, ix: EntryIx) -> bool {
    matches!(session.entry(ix).kind, EntryKind::Compaction(_))
}

/// The entries of a context with the items they contribute, in the items' order; entries that
/// contribute none stand where they are selected.
///
/// An agent may send items in another order than that of their entries (Claude Code's reminders
/// go before the prompt they were written after), or several entries as one item.
pub(crate) fn seen(session: &Session, selected: &[EntryIx], items: &[ContextItem]) -> Vec<Seen> {
    let of_items = items.iter().flat_map(|item| item.entries.iter().copied());
    let with_items = Places::of(session.entries.len(), of_items);
    let places = Places::of(session.entries.len(), selected.iter().copied());
    let mut silent = selected
        .iter()
        .enumerate()
        .filter(|(_, entry)| !with_items.holds(**entry))
        .map(|(place, &entry)| (place, entry))
        .peekable();
    let mut list = Vec::with_capacity(selected.len());
    let one = |entry: EntryIx, range: Range<usize>| {
        let own = &items[range.clone()];
        let is_compaction = is_compaction(session, entry);
        let any = |test: fn(&str) -> bool| own.iter().any(|item| test(item.native_role));
        Seen {
            entry,
            items: range,
            tokens: own.iter().map(|item| item.estimate).sum(),
            as_user: own.iter().any(|item| item.role == Role::User),
            is_compaction,
            may_cut: !is_compaction && any(may_cut),
            starts_turn: !is_compaction && any(starts_turn),
        }
    };
    let mut next = 0;
    while let Some(item) = items.get(next) {
        let start = next;
        let first = item.entries.first();
        while items
            .get(next)
            .is_some_and(|item| item.entries.first() == first)
        {
            next += 1;
        }
        let Some(&entry) = first else { continue };
        let place = places.get(entry);
        while let Some(earlier) = silent.next_if(|(at, _)| place.is_some_and(|here| *at < here)) {
            list.push(one(earlier.1, start..start));
        }
        list.push(one(entry, start..next));
    }
    list.extend(silent.map(|(_, entry)| one(entry, next..next)));
    list
}

/// The cut over a whole path, without regard to compactions and edits on it: pi's plain rule.
pub fn plain_cut(session: &Session, path: &[EntryIx], keep_recent_tokens: u64) -> Cut {
    let list: Vec<Seen> = path
        .iter()
        .map(|&entry| {
            let messages = &session.entry(entry).messages;
            let is_compaction = is_compaction(session, entry);
            let any = |test: fn(&str) -> bool| messages.iter().any(|size| test(size.native_role));
            Seen {
                entry,
                items: 0..messages.len(),
                tokens: messages
                    .iter()
                    .map(|size: &MessageSize| size.estimate)
                    .sum(),
                as_user: messages.iter().any(|size| size.role == Role::User),
                is_compaction,
                may_cut: !is_compaction && any(may_cut),
                starts_turn: !is_compaction && any(starts_turn),
            }
        })
        .collect();
    let (cut, _) = by_budget(&list, 0, keep_recent_tokens);
    match cut {
        Some(cut) => settle(&list, 0, cut),
        None => Cut {
            first_kept: 0,
            turn_start: None,
        },
    }
}

/// The cut over a context's entries from `start` on.
pub(crate) fn context_cut(
    session: &Session,
    list: &[Seen],
    start: usize,
    keep_recent_tokens: u64,
) -> Cut {
    let (cut, exceeded) = by_budget(list, start, keep_recent_tokens);
    let Some(mut cut) = cut else {
        return Cut {
            first_kept: start,
            turn_start: None,
        };
    };
    if exceeded && only_failed_attempt_follows(session, &list[cut + 1..]) {
        cut += 1;
    }
    settle(list, start, cut)
}

/// Walks back until `keep_recent_tokens` are seen; the cut is the nearest allowed entry from there
/// on, else the last allowed one (pi 0.86), and whether the budget was used up. `None` when no
/// entry may be cut at.
///
/// Where all fits, that is the first allowed entry. Other agents write to the model in the user's
/// place (Claude Code's notes, Codex's environment) where pi has no such role; before the first
/// allowed entry these are no reason to summarize, so the cut is at the start.
fn by_budget(list: &[Seen], start: usize, keep_recent_tokens: u64) -> (Option<usize>, bool) {
    let allowed: Vec<usize> = (start..list.len()).filter(|&i| list[i].may_cut).collect();
    let (Some(&first), Some(&last)) = (allowed.first(), allowed.last()) else {
        return (None, false);
    };
    let mut sum = 0;
    for i in (start..list.len()).rev() {
        if list[i].tokens == 0 {
            continue;
        }
        sum += list[i].tokens;
        if sum >= keep_recent_tokens {
            let from_here = allowed[allowed.partition_point(|&at| at < i)..].first();
            return (Some(*from_here.unwrap_or(&last)), true);
        }
    }
    let notes_first = list[start..first]
        .iter()
        .any(|seen| seen.as_user && !seen.is_compaction);
    (Some(if notes_first { start } else { first }), false)
}

/// True when everything in `suffix` is invisible and it holds an omitted reply of the model and no
/// edit of anything outside: an input too large to be answered, which may then be summarized.
fn only_failed_attempt_follows(session: &Session, suffix: &[Seen]) -> bool {
    let kind = |seen: &Seen| &session.entry(seen.entry).kind;
    let stands_for_messages = |seen: &Seen| {
        !matches!(kind(seen), EntryKind::ContextEdit { .. })
            && !session.entry(seen.entry).messages.is_empty()
    };
    let is_omitted = |seen: &Seen| stands_for_messages(seen) && !seen.is_visible();
    let edits_outside = suffix.iter().any(|seen| match kind(seen) {
        EntryKind::ContextEdit {
            omit: false,
            target,
            ..
        } => !suffix
            .iter()
            .any(|other| Some(other.entry) == *target && is_omitted(other)),
        _ => false,
    });
    let has_attempt = suffix
        .iter()
        .any(|seen| *kind(seen) == EntryKind::Message(Role::Assistant) && is_omitted(seen));
    let all_hidden = suffix
        .iter()
        .all(|seen| !seen.is_compaction && (!stands_for_messages(seen) || is_omitted(seen)));
    has_attempt && all_hidden && !edits_outside
}

/// Pulls the cut back over entries without messages, then looks whether it splits a turn. The cut
/// may come to rest on such an entry, which starts no turn itself: pi then reports the turn before
/// it as split, and so do we.
fn settle(list: &[Seen], start: usize, mut cut: usize) -> Cut {
    while cut > start {
        let previous = &list[cut - 1];
        if previous.is_compaction || previous.is_visible() {
            break;
        }
        cut -= 1;
    }
    let splits = list.get(cut).is_some_and(|seen| !seen.starts_turn);
    let turn_start = splits
        .then(|| (start..=cut).rev().find(|&i| list[i].starts_turn))
        .flatten();
    Cut {
        first_kept: cut,
        turn_start,
    }
}
