//! The branches of an open session, and what one of them did.

use super::calls::results;
use crate::error::Result;
use crate::session::OpenSession;
use palimpsest_compaction::branch::left_by;
use palimpsest_core::layout::{self, SideBranch};
use palimpsest_core::{Block, Bodies as _, EntryIx, EntryKind, Outcome, Role};
use std::collections::HashSet;

/// The branches beside the active path, and the conversations with a root of their own.
pub fn branches(open: &OpenSession) -> Vec<SideBranch> {
    layout::branches(&open.session, &open.tree)
}

/// The branch summaries of a session with the entry that was left for each.
pub fn summaries(open: &OpenSession) -> Vec<(EntryIx, EntryIx)> {
    let entries = open.session.indices();
    let found = entries.filter_map(|ix| Some((ix, left_by(&open.session, &open.tree, ix)?)));
    found.collect()
}

/// The ids of the calls among `entries` whose results are failures.
pub fn failed_calls(open: &OpenSession, entries: &[EntryIx]) -> Result<HashSet<String>> {
    let mut failed = HashSet::new();
    for &ix in entries
        .iter()
        .filter(|ix| open.session.entry(**ix).has_failed_call())
    {
        let body = open.bodies.body(ix)?;
        let all = results(open.session.entry(ix), &body);
        let troubled = all.filter(|(_, _, outcome)| *outcome == Outcome::Failed);
        failed.extend(troubled.map(|(_, tool, _)| tool.call_id.clone()));
    }
    Ok(failed)
}

/// The last reply among `entries` that says something, and its text.
pub fn last_answer(open: &OpenSession, entries: &[EntryIx]) -> Result<Option<(EntryIx, String)>> {
    for &ix in entries.iter().rev() {
        if open.session.entry(ix).kind != EntryKind::Message(Role::Assistant) {
            continue;
        }
        let body = open.bodies.body(ix)?;
        let blocks = body.messages.iter().flat_map(|message| &message.blocks);
        let said: Vec<&str> = blocks
            .filter_map(|block| match block {
                Block::Text(text) if !text.trim().is_empty() => Some(text.as_str()),
                _ => None,
            })
            .collect();
        if !said.is_empty() {
            return Ok(Some((ix, said.join("\n\n"))));
        }
    }
    Ok(None)
}
