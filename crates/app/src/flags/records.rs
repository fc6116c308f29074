//! Flags that the records of a session show, without a ledger.

use super::flagged::Flagged;
use crate::error::Result;
use crate::session::OpenSession;
use crate::summary::{SummaryCut, incomplete, stored_cut, stored_summary};
use palimpsest_core::entry::Compaction;
use palimpsest_core::flag::Flag;
use palimpsest_core::{Block, Bodies as _, EntryIx, EntryKind, Role};
use palimpsest_formats::{MeasuredContext, SizeBasis};
use std::collections::HashSet;

/// Most replies between two compactions of a loop. Sessions at work have dozens.
const LOOP_REPLIES: usize = 3;

/// Fewest words of a summary.
const LEAST_WORDS: usize = 5;

/// Most entries of a kept tail that are read for calls and results.
const MOST_READ: usize = 400;

/// The flags of all compactions of a session.
pub fn of_records(open: &OpenSession) -> Result<Vec<Flagged>> {
    let mut found = Vec::new();
    for ix in open.session.indices() {
        found.extend(of_record(open, ix)?);
    }
    Ok(found)
}

/// The flags of one compaction; none of another entry. Where the contexts of its session are too
/// many to compute ([`OpenSession::sizes_summaries`]), only those that need none.
pub fn of_record(open: &OpenSession, ix: EntryIx) -> Result<Vec<Flagged>> {
    let mut found = Vec::new();
    let EntryKind::Compaction(info) = &open.session.entry(ix).kind else {
        return Ok(found);
    };
    found.extend(in_loop(open, ix));
    found.extend(of_summary_text(open, ix, info)?);
    if open.sizes_summaries() {
        let cut = stored_cut(open, ix)?;
        found.extend(grown(open, ix));
        found.extend(source(open, ix, &cut));
        found.extend(split_turn(open, ix, &cut));
        found.extend(parted_call(open, ix, &cut)?);
    }
    Ok(found)
}

fn of_summary_text(open: &OpenSession, ix: EntryIx, info: &Compaction) -> Result<Option<Flagged>> {
    if let Some(bytes) = info.opaque_bytes {
        let detail = format!("{bytes} bytes that only the provider can read.");
        return Ok(Some(Flagged::new(Flag::Opaque, ix, vec![ix], detail)));
    }
    let words = stored_summary(open, ix)?.split_whitespace().count();
    Ok((words < LEAST_WORDS).then(|| {
        let detail = match words {
            0 => "The summary is empty.".to_owned(),
            1 => "The summary is one word.".to_owned(),
            words => format!("The summary has {words} words."),
        };
        Flagged::new(Flag::Empty, ix, vec![ix], detail)
    }))
}

/// Replies between a compaction and the one before it on its path, with that one. Agents store the parts
/// of a reply as records of their own (Claude Code, Codex), which are one.
fn since_last(open: &OpenSession, ix: EntryIx) -> Option<(EntryIx, usize)> {
    let mut replies = 0;
    let mut is_part = false;
    let mut at = open.tree.parent(ix);
    while let Some(own) = at {
        let entry = open.session.entry(own);
        match &entry.kind {
            EntryKind::Compaction(_) => return Some((own, replies)),
            EntryKind::Message(Role::Assistant) if !entry.sidechain => {
                replies += usize::from(!is_part);
                is_part = true;
            }
            EntryKind::Message(_) => is_part = false,
            _ => {}
        }
        // Longer stretches are none of a loop.
        if replies > LOOP_REPLIES {
            return None;
        }
        at = open.tree.parent(own);
    }
    None
}

fn in_loop(open: &OpenSession, ix: EntryIx) -> Option<Flagged> {
    let (second, between) = since_last(open, ix)?;
    let (first, before) = since_last(open, second)?;
    let detail = format!("Replies between these three compactions: {before} and {between}.");
    Some(Flagged::new(
        Flag::Loop,
        ix,
        vec![first, second, ix],
        detail,
    ))
}

/// By what providers reported of both: an agent's own figure may leave out what it always sends.
fn grown(open: &OpenSession, ix: EntryIx) -> Option<Flagged> {
    let after = open.after_compaction(ix);
    if after.is_forecast {
        return None;
    }
    let before = before_compaction(open, ix);
    let is_grown = before.basis == SizeBasis::Reported && after.tokens >= before.tokens;
    let detail = format!("{} tokens before, {} after.", before.tokens, after.tokens);
    is_grown.then(|| Flagged::new(Flag::Grown, ix, vec![ix], detail))
}

/// The context in front of a compaction, as the last request of the conversation had it. Where the session
/// holds the call for the summary as well (Codex), its report is another one's: no tools were sent.
pub(crate) fn before_compaction(open: &OpenSession, ix: EntryIx) -> MeasuredContext {
    let own = own_reply(open, ix).unwrap_or(ix);
    open.measured_context(open.tree.parent(own))
}

/// The reply just in front of a compaction that its summary repeats.
fn own_reply(open: &OpenSession, ix: EntryIx) -> Option<EntryIx> {
    let mut at = open.tree.parent(ix);
    for _ in 0..MOST_BETWEEN {
        let own = at?;
        match &open.session.entry(own).kind {
            EntryKind::Message(Role::Assistant) => {
                let body = open.bodies.body(own).ok()?;
                let said = body.messages.iter().map(|message| message.text("\n"));
                let said = said.collect::<Vec<_>>().join("\n");
                let said = said.trim();
                let summary = stored_summary(open, ix).ok()?;
                if said.is_empty() {
                    at = open.tree.parent(own);
                    continue;
                }
                return summary.contains(said).then_some(own);
            }
            EntryKind::Message(_) | EntryKind::Compaction(_) => return None,
            _ => at = open.tree.parent(own),
        }
    }
    None
}

/// Most records between the reply that is the summary and the compaction.
const MOST_BETWEEN: usize = 12;

fn source(open: &OpenSession, ix: EntryIx, cut: &SummaryCut) -> Option<Flagged> {
    let recorded = incomplete(open, ix, cut)?;
    let detail = format!("The agent recorded {recorded} tokens, and the file holds far fewer.");
    Some(Flagged::new(Flag::Incomplete, ix, vec![ix], detail))
}

/// The kept entries that are part of the conversation.
fn kept_messages<'a>(
    open: &'a OpenSession,
    cut: &'a SummaryCut,
) -> impl Iterator<Item = EntryIx> + 'a {
    let is_message = |ix: &EntryIx| {
        let entry = open.session.entry(*ix);
        matches!(entry.kind, EntryKind::Message(_)) && !entry.sidechain
    };
    cut.kept.iter().copied().filter(is_message)
}

fn split_turn(open: &OpenSession, ix: EntryIx, cut: &SummaryCut) -> Option<Flagged> {
    let first = kept_messages(open, cut).next()?;
    let role = open.session.entry(first).role()?;
    let what = match role {
        Role::Assistant if only_calls(open, first) => "a call",
        Role::Assistant => "a reply",
        Role::Tool => "the result of a call",
        Role::User | Role::System => return None,
    };
    let detail = format!("The kept tail begins with {what}.");
    Some(Flagged::new(Flag::SplitTurn, ix, vec![first], detail))
}

/// True for a reply without a text: its calls are all that is shown of it.
fn only_calls(open: &OpenSession, reply: EntryIx) -> bool {
    let Ok(body) = open.bodies.body(reply) else {
        return false;
    };
    let mut blocks = body.messages.iter().flat_map(|message| &message.blocks);
    let calls = |block: &Block| matches!(block, Block::ToolCall { .. });
    blocks.clone().any(calls)
        && !blocks.any(|block| matches!(block, Block::Text(text) if !text.trim().is_empty()))
}

/// Calls and results that are kept without each other. Records beside the conversation are not
/// looked at, and neither is a call that was never answered.
fn parted_call(open: &OpenSession, ix: EntryIx, cut: &SummaryCut) -> Result<Option<Flagged>> {
    let mut calls: HashSet<String> = HashSet::new();
    let mut results: Vec<(EntryIx, String)> = Vec::new();
    for own in kept_messages(open, cut).take(MOST_READ) {
        let body = open.bodies.body(own)?;
        for message in &body.messages {
            for block in &message.blocks {
                if let Block::ToolCall { id, .. } = block {
                    calls.insert(id.clone());
                }
            }
            if let Some(tool) = &message.tool {
                results.push((own, tool.call_id.clone()));
            }
        }
    }
    let summarized: HashSet<&str> = cut
        .summarized
        .iter()
        .flat_map(|own| &open.session.entry(*own).tool_calls)
        .map(|call| &*call.call_id)
        .collect();
    let parted: Vec<EntryIx> = results
        .iter()
        .filter(|(_, id)| !calls.contains(id) && summarized.contains(id.as_str()))
        .map(|(own, _)| *own)
        .collect();
    Ok((!parted.is_empty()).then(|| {
        let detail = match parted.len() {
            1 => "The result of a summarized call is kept.".to_owned(),
            count => format!("The results of {count} summarized calls are kept."),
        };
        Flagged::new(Flag::PartedCall, ix, parted, detail)
    }))
}
