//! Which entries a summary replaces, which were kept, and which follow.

use crate::error::{AppError, Result};
use crate::run::messages::SessionMessages;
use crate::session::OpenSession;
use palimpsest_compaction::branch;
use palimpsest_core::entry::Compaction;
use palimpsest_core::failure::{Input, NextStep};
use palimpsest_core::{Bodies as _, Body, Context, EntryIx, EntryKind, ItemKind, Message, Role};
use palimpsest_formats::SizeBasis;
use std::collections::{HashMap, HashSet};

/// Where a summary cuts a context.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SummaryCut {
    /// Entries the summary stands for, in order.
    pub summarized: Vec<EntryIx>,
    /// Estimated tokens of their items in the context, all that was sent included: also what the
    /// ledger takes no facts from. `None` where that was not kept.
    pub span_tokens: Option<u64>,
    /// Entries kept beside it, in order.
    pub kept: Vec<EntryIx>,
    /// The compaction whose summary this one built on.
    pub previous: Option<EntryIx>,
    /// First entry of the kept tail.
    pub first_kept: Option<EntryIx>,
    /// Entries after the summary up to the next compaction, in order.
    pub later: Vec<EntryIx>,
    /// Entries that the next request has neither whole nor summarized: dropped by the strategy, or
    /// cleared in the kept tail.
    pub dropped: Vec<EntryIx>,
    /// The entry whose context is cut; for a branch the start entry. `None` before the first entry.
    pub stands_on: Option<EntryIx>,
    /// The target entry, of a branch.
    pub left_for: Option<EntryIx>,
}

/// The cut of a summary that the session holds: of a compaction the context just before it, split
/// at the first kept entry; of a branch summary the entries that were left. System messages are
/// sent with every request and belong to neither side.
pub fn stored_cut(open: &OpenSession, summary: EntryIx) -> Result<SummaryCut> {
    let entry = open.session.entry(summary);
    match &entry.kind {
        EntryKind::Compaction(info) => Ok(compaction_cut(open, summary, info)),
        EntryKind::BranchSummary(_) => branch_cut(open, summary),
        _ => Err(AppError::bad_request(
            format!(
                "the entry {} is a {}, not a compaction or a branch summary",
                entry.id,
                entry.kind.name().replace('_', " ")
            ),
            NextStep::Give {
                what: Input::Compaction,
            },
        )),
    }
}

impl SummaryCut {
    /// Tokens of what is summarized as a share of what the provider reported of the context that is
    /// cut. `None` where it reported nothing, and in a session whose contexts would take too long. What
    /// the context behind `compaction` has beside the messages was never summarized: it is taken off
    /// where cleared results hide it before the cut.
    pub fn reported_size(&self, open: &OpenSession, compaction: Option<EntryIx>) -> Option<u64> {
        if !open.sizes_summaries() {
            return None;
        }
        let sized = open.measured_context(Some(self.stands_on?));
        let away: HashSet<EntryIx> = self.summarized.iter().copied().collect();
        let items = sized.context.items.iter().zip(&sized.items);
        let summarized = items.filter(|(item, _)| {
            item.kind != ItemKind::CompactionSummary
                && item.entries.iter().any(|ix| away.contains(ix))
        });
        let size: u64 = summarized.map(|(_, &size)| size).sum();
        let beside = compaction.map(|ix| open.measured_context(Some(ix)).prefix);
        let most = sized.tokens.saturating_sub(beside.unwrap_or_default());
        (sized.basis != SizeBasis::Estimated && size > 0).then_some(size.min(most))
    }
}

fn branch_cut(open: &OpenSession, summary: EntryIx) -> Result<SummaryCut> {
    let session = &open.session;
    let there = open
        .format
        .context(session, &open.tree, open.tree.parent(summary));
    let Some(from) = branch::left_by(session, &open.tree, summary) else {
        return Ok(SummaryCut {
            kept: there.selected,
            ..SummaryCut::default()
        });
    };
    let left = branch::collect(&open.tree, Some(from), summary);
    let messages = SessionMessages(open);
    // As pi chooses, without its limit: the window of the model that summarized is not recorded.
    let chosen = branch::choose(
        session,
        &left.entries,
        0,
        branch::BranchRules::default(),
        &messages,
    )?;
    let mut summarized: Vec<EntryIx> = Vec::new();
    for item in chosen.taken() {
        summarized.extend(&item.entries);
    }
    // Messages of one entry follow each other.
    summarized.dedup();
    let cut = SummaryCut::of_branch(open, (from, summary), summarized, &there.selected);
    Ok(SummaryCut {
        span_tokens: Some(chosen.total_tokens),
        ..cut
    })
}

fn compaction_cut(open: &OpenSession, compaction: EntryIx, info: &Compaction) -> SummaryCut {
    let session = &open.session;
    let before = open
        .format
        .context(session, &open.tree, open.tree.parent(compaction));
    // What the agent wrote between the boundary and the summary is in the next context as well
    // (Claude Code's attachments).
    let after = open
        .format
        .context(session, &open.tree, Some(compaction))
        .selected;
    let still_there: HashSet<EntryIx> = after.into_iter().collect();
    let positions: HashMap<EntryIx, usize> = (before.path.iter().copied().zip(0..)).collect();
    let position_of = |ix: EntryIx| positions.get(&ix).copied();
    // An unknown first kept entry keeps nothing (pi 1.5).
    let cut_at = info
        .first_kept
        .and_then(position_of)
        .unwrap_or(before.path.len());
    let mut cut = SummaryCut {
        previous: before.compaction,
        first_kept: info.first_kept.filter(|&ix| position_of(ix).is_some()),
        later: later_entries(open, compaction),
        stands_on: open.tree.parent(compaction),
        ..SummaryCut::default()
    };
    let mut told = HashSet::new();
    let mut away = vec![false; before.items.len()];
    for (position, item) in before.items.iter().enumerate() {
        if item.kind == ItemKind::CompactionSummary || item.role == Role::System {
            continue;
        }
        // A reply stored block by block is one item of several entries; and what an earlier
        // compaction's record repeats of the conversation is not that record's own.
        for &ix in &item.entries {
            if matches!(session.entry(ix).kind, EntryKind::Compaction(_)) {
                continue;
            }
            // Calls and their results may be several items of one entry (OpenCode).
            let is_first = told.insert(ix);
            // Some agents name what they keep entry by entry (Claude Code), which need not be a
            // tail.
            let stays = if info.kept.is_empty() {
                position_of(ix).is_some_and(|position| position >= cut_at)
            } else {
                info.kept.contains(&ix)
            };
            let is_away = !stays && !still_there.contains(&ix);
            away[position] |= is_away;
            if is_first && stays {
                cut.kept.push(ix);
            } else if is_first && is_away {
                cut.summarized.push(ix);
            }
        }
    }
    cut.span_tokens = Some(span_tokens(&before, |position| away[position]));
    cut
}

/// Estimated tokens of the items of a context that a summary stands for, told by their positions.
pub(crate) fn span_tokens(context: &Context, summarized: impl Fn(usize) -> bool) -> u64 {
    let items = context.items.iter().enumerate();
    items
        .filter(|&(position, _)| summarized(position))
        .map(|(_, item)| item.estimate)
        .sum()
}

/// What followed `from` on the way the session went on: towards the active leaf where that is
/// below, else along the newest children; up to and without the next compaction. Where `from` is
/// the state just before a compaction, that compaction is stepped over: it did the same cut.
pub fn later_entries(open: &OpenSession, from: EntryIx) -> Vec<EntryIx> {
    let is_compaction =
        |ix: EntryIx| matches!(open.session.entry(ix).kind, EntryKind::Compaction(_));
    let mut later = Vec::new();
    let mut at = from;
    loop {
        let children = open.tree.children(at);
        let active = children
            .iter()
            .copied()
            .find(|ix| open.on_active_path[ix.get()]);
        let Some(next) = active.or_else(|| children.last().copied()) else {
            return later;
        };
        if !is_compaction(next) {
            later.push(next);
        } else if at != from || is_compaction(from) {
            return later;
        }
        at = next;
    }
}

impl SummaryCut {
    /// The cut of a branch summary: `summarized` are its entries, `kept` is the context at the
    /// target entry. Facts are compared as of the time of navigation: later entries may have needed
    /// them, but could not keep them.
    pub(crate) fn of_branch(
        open: &OpenSession,
        (from, to): (EntryIx, EntryIx),
        summarized: Vec<EntryIx>,
        kept: &[EntryIx],
    ) -> SummaryCut {
        let later = entries_after_leaving(open, from, to);
        let since: HashSet<EntryIx> = later.iter().copied().collect();
        let there = kept.iter().copied().filter(|ix| !since.contains(ix));
        SummaryCut {
            summarized,
            kept: there.collect(),
            later,
            stands_on: Some(from),
            left_for: Some(to),
            ..SummaryCut::default()
        }
    }
}

/// What was written after `from` was left, on the way to `to` and on from there: the entries that
/// a summary of the branch could have served. What stood on that side before the branch was left
/// could not have needed it, and what goes on below `from` is the branch itself.
fn entries_after_leaving(open: &OpenSession, from: EntryIx, to: EntryIx) -> Vec<EntryIx> {
    let left = branch::collect(&open.tree, Some(from), to);
    let Some(&newest) = left.entries.iter().max() else {
        return Vec::new();
    };
    let shared = left
        .common_ancestor
        .map_or(0, |ancestor| open.tree.depth(ancestor) as usize + 1);
    let mut later = open.tree.path(to).split_off(shared);
    let on_branch: HashSet<EntryIx> = left.entries.iter().copied().collect();
    let mut at = to;
    loop {
        let onward = || {
            let children = open.tree.children(at).iter().copied();
            children.filter(|child| !on_branch.contains(child))
        };
        let active = onward().find(|ix| open.on_active_path[ix.get()]);
        let Some(next) = active.or_else(|| onward().next_back()) else {
            break;
        };
        if matches!(open.session.entry(next).kind, EntryKind::Compaction(_)) {
            break;
        }
        later.push(next);
        at = next;
    }
    // A summary of the branch that is written again needed nothing of it.
    let is_summary = matches!(open.session.entry(to).kind, EntryKind::BranchSummary(_));
    // Entries are numbered in file order, so a larger number was written later.
    later.retain(|&ix| ix > newest && !(is_summary && ix == to));
    later
}

/// The summary that an entry of the session holds.
pub(crate) fn stored_summary(open: &OpenSession, ix: EntryIx) -> Result<String> {
    let body = open.bodies.body(ix)?;
    let message = summary_message(open, ix, &body).and_then(|at| body.messages.get(at));
    Ok(message
        .map(|message| message.text("\n"))
        .unwrap_or_default())
}

/// Which message of an entry is its summary. A compaction may store a system message in front of it
/// (pi) and records of the agent behind it (Factory Droid).
pub(super) fn summary_message(open: &OpenSession, ix: EntryIx, body: &Body) -> Option<usize> {
    let is_own = |message: &Message| message.role != Role::System;
    let last = body.messages.iter().rposition(is_own)?;
    if body.messages.iter().filter(|own| is_own(own)).count() == 1 {
        return Some(last);
    }
    let context = open.format.context(&open.session, &open.tree, Some(ix));
    let mut items = context.items.iter();
    let item =
        items.rfind(|item| item.kind == ItemKind::CompactionSummary && item.entries.contains(&ix));
    Some(item.map_or(last, |item| item.message_index))
}
