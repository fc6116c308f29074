//! What is left behind when one entry is left for another.

use palimpsest_core::{Agent, EntryIx, EntryKind, Role, Session, Tree};
use serde::Serialize;
use std::collections::HashSet;

/// What is left behind when one entry is left for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Branch {
    /// The entries, oldest first.
    pub entries: Vec<EntryIx>,
    /// The deepest entry on both paths.
    pub common_ancestor: Option<EntryIx>,
}

/// The entries from `from` back to, and without, its common ancestor with `to`. Compactions on
/// the way do not stop it.
pub fn collect(tree: &Tree, from: Option<EntryIx>, to: EntryIx) -> Branch {
    let Some(from) = from else {
        return Branch {
            entries: Vec::new(),
            common_ancestor: None,
        };
    };
    let common_ancestor = tree.common_ancestor(from, to);
    let path = tree.path(from);
    // Depths count from 0.
    let shared = common_ancestor.map_or(0, |ancestor| tree.depth(ancestor) as usize + 1);
    Branch {
        entries: path[shared..].to_vec(),
        common_ancestor,
    }
}

/// The entry under which the work goes on when `to` is the target entry: of a prompt the entry before it,
/// as its text goes back to where prompts are written (pi 1.5, `navigateTree`; the others rewind
/// to before a prompt as well); of an extension's message likewise in pi. `None` stands before the
/// first entry.
pub fn new_leaf(session: &Session, tree: &Tree, to: EntryIx) -> Option<EntryIx> {
    if is_written_anew(session, to) {
        tree.parent(to)
    } else {
        Some(to)
    }
}

/// The entry that was left when a branch summary was written: the one its record names, else the
/// newest entry of the file before it that is not on its path. Until pi 0.84.2 the record names the
/// destination, and the entry left is nearly always the last one written. `None` for other entries,
/// and where nothing was left.
pub fn left_by(session: &Session, tree: &Tree, summary: EntryIx) -> Option<EntryIx> {
    let EntryKind::BranchSummary(told) = &session.entry(summary).kind else {
        return None;
    };
    told.from.or_else(|| {
        let path: HashSet<EntryIx> = tree.path(summary).into_iter().collect();
        let mut before = (0..summary.get()).rev().map(EntryIx::new);
        before.find(|ix| !path.contains(ix))
    })
}

/// Whether the text of `to` is written again when it is the target entry.
pub fn is_written_anew(session: &Session, to: EntryIx) -> bool {
    match session.entry(to).kind {
        EntryKind::Message(Role::User) => true,
        EntryKind::CustomMessage { .. } => session.meta.agent == Agent::PI,
        _ => false,
    }
}
