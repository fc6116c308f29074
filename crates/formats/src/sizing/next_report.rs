//! What is reported below an entry.

use super::measure::request;
use palimpsest_core::{EntryIx, EntryKind, Session, Tree};

/// The first reply below `at` and above the next compaction, with the size of its request.
pub(super) fn reply_below(session: &Session, tree: &Tree, at: EntryIx) -> Option<(EntryIx, u64)> {
    let mut waiting: Vec<EntryIx> = tree.children(at).iter().rev().copied().collect();
    while let Some(ix) = waiting.pop() {
        let entry = session.entry(ix);
        // A subagent's requests are of another context.
        if entry.sidechain || matches!(entry.kind, EntryKind::Compaction(_)) {
            continue;
        }
        if let Some(tokens) = request(entry) {
            return Some((ix, tokens));
        }
        waiting.extend(tree.children(ix).iter().rev());
    }
    None
}
