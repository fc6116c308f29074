//! Where pi cuts (pi 1.5, `compaction.js`, `findCutPoint` and its variant for projections).

use crate::workpiece::seen::{Seen, is_compaction, may_cut, starts_turn};
use crate::workpiece::sizes::Sizes;
use palimpsest_core::{EntryIx, EntryKind, Role, Session};

/// A cut as positions in the list that was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The first entry kept.
    pub first_kept: usize,
    /// The entry that starts the turn which is split.
    pub turn_start: Option<usize>,
}

/// The cut over a whole path, without regard to compactions and edits on it: pi's plain rule.
pub fn plain_cut(session: &Session, path: &[EntryIx], keep_recent_tokens: u64) -> Cut {
    let list: Vec<Seen> = path.iter().map(|&entry| whole(session, entry)).collect();
    let (cut, _) = by_budget(&list, 0, keep_recent_tokens);
    match cut {
        Some(cut) => settle(&list, 0, cut),
        None => Cut {
            first_kept: 0,
            turn_start: None,
        },
    }
}

/// An entry with all its messages, as a cut sees it.
fn whole(session: &Session, entry: EntryIx) -> Seen {
    let stored = session.entry(entry);
    let messages = &stored.messages;
    let is_compaction = is_compaction(session, entry);
    let any = |test: fn(&str) -> bool| messages.iter().any(|size| test(size.native_role));
    let is_role = |role: Role| messages.iter().any(|size| size.role == role);
    Seen {
        entry,
        items: 0..messages.len(),
        tokens: messages.iter().map(|size| size.estimate).sum(),
        is_compaction,
        may_cut: !is_role(Role::Tool),
        is_prompt: stored.kind == EntryKind::Message(Role::User),
        is_reply: is_role(Role::Assistant),
        ends_with_reply: messages
            .last()
            .is_some_and(|own| own.role == Role::Assistant),
        // pi's rule does not look at this, nor at `texts`.
        is_last_word: false,
        calls: stored.tool_calls.len() as u64,
        texts: 0,
        starts_turn: !is_compaction && any(starts_turn),
        pi_may_cut: !is_compaction && any(may_cut),
        as_user: is_role(Role::User),
    }
}

/// The cut over a context's entries from `start` on.
pub(crate) fn context_cut(sizes: &Sizes, start: usize, keep_recent_tokens: u64) -> Cut {
    let list = &sizes.entries;
    let (cut, exceeded) = by_budget(list, start, keep_recent_tokens);
    let Some(mut cut) = cut else {
        return Cut {
            first_kept: start,
            turn_start: None,
        };
    };
    // An input that was too large to be answered would stay at the head of the kept tail, and the
    // next request would fail as the last one did.
    if exceeded && sizes.failed_from.contains(&(cut + 1)) {
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
    let allowed: Vec<usize> = (start..list.len())
        .filter(|&i| list[i].pi_may_cut)
        .collect();
    let (Some(&first), Some(&last)) = (allowed.first(), allowed.last()) else {
        return (None, false);
    };
    let mut sum = 0;
    for i in (start..list.len()).rev() {
        // As pi does. With a budget of 0 the walk would otherwise end at the newest setting.
        if list[i].tokens == 0 {
            continue;
        }
        sum += list[i].tokens;
        // At the budget as well, as pi does.
        if sum >= keep_recent_tokens {
            let from_here = allowed[allowed.partition_point(|&at| at < i)..].first();
            return (Some(*from_here.unwrap_or(&last)), true);
        }
    }
    // Else a session that fits would be summarized nevertheless.
    let notes_first = list[start..first]
        .iter()
        .any(|seen| seen.as_user && !seen.is_compaction);
    (Some(if notes_first { start } else { first }), false)
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
