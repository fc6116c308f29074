//! Reorientation (D18): what an agent does after a compaction until it edits a file again.

use super::cut::SummaryCut;
use super::material::BY_AGENT;
use crate::session::OpenSession;
use palimpsest_core::entry::FileAccess;
use palimpsest_core::{Entry, EntryIx, EntryKind, Role};
use palimpsest_ledger::span::ToolAction;

/// The calls between a compaction and the first edit after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reorientation {
    /// Calls before the edit.
    pub calls: u64,
    /// Those of them that read, search or list.
    pub looks: u64,
    /// Prompts of the user before the edit: with new tasks, the calls are no cost of the compaction.
    pub prompts: u64,
    /// Estimated tokens of the calls, their results and what is said between them.
    pub tokens: u64,
    /// Time from the compaction to the edit in milliseconds, where both have one.
    pub elapsed_ms: Option<i64>,
    /// The entry that edits.
    pub edit: EntryIx,
    /// Median of the calls between two edits before the compaction; `None` for fewer than three
    /// edits.
    pub usual: Option<u64>,
}

/// What followed a compaction until the first edit; `None` where no edit follows before the next
/// compaction.
pub fn reorientation(
    open: &OpenSession,
    compaction: EntryIx,
    cut: &SummaryCut,
) -> Option<Reorientation> {
    let (mut calls, mut looks, mut prompts, mut tokens) = (0, 0, 0, 0);
    let begun = open.session.entry(compaction).at_ms;
    for &ix in &cut.later {
        let entry = open.session.entry(ix);
        if !matches!(entry.kind, EntryKind::Message(_)) || entry.sidechain {
            continue;
        }
        tokens += entry.estimate();
        let is_prompt = entry.kind == EntryKind::Message(Role::User);
        prompts += u64::from(is_prompt && entry.native_role() != Some(BY_AGENT));
        for call in &entry.tool_calls {
            if edits(call) {
                let elapsed = |end: i64| Some(end.saturating_sub(begun?));
                return Some(Reorientation {
                    calls,
                    looks,
                    prompts,
                    tokens,
                    elapsed_ms: entry.at_ms.and_then(elapsed),
                    edit: ix,
                    usual: usual(open, &cut.summarized),
                });
            }
            calls += 1;
            looks += u64::from(only_looks(call));
        }
    }
    None
}

type Call = palimpsest_core::entry::ToolCallBrief;

fn edits(call: &Call) -> bool {
    let by_name = matches!(
        ToolAction::of(&call.name),
        ToolAction::Edit | ToolAction::Write
    );
    by_name || matches!(call.access, Some(FileAccess::Edit | FileAccess::Write))
}

fn only_looks(call: &Call) -> bool {
    let by_name = matches!(
        ToolAction::of(&call.name),
        ToolAction::Read | ToolAction::Search
    );
    by_name || call.access == Some(FileAccess::Read)
}

/// Median of the calls between two edits.
fn usual(open: &OpenSession, entries: &[EntryIx]) -> Option<u64> {
    let mut gaps: Vec<u64> = Vec::new();
    let mut since: Option<u64> = None;
    let all = entries.iter().map(|&ix| open.session.entry(ix));
    for call in all.flat_map(|entry: &Entry| &entry.tool_calls) {
        if edits(call) {
            gaps.extend(since);
            since = Some(0);
        } else {
            since = since.map(|calls| calls + 1);
        }
    }
    gaps.sort_unstable();
    // Two gaps are three edits.
    (gaps.len() >= 2).then(|| gaps[gaps.len() / 2])
}
