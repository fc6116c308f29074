//! Summaries of branches that are left: what is left behind, what of it fits, and the plan
//! (pi 1.5, `branch-summarization.js`).
//!
//! A branch is summarized by the same four stages as a context. Only what they work on differs:
//! the messages of the entries left behind, of which the newest that fit are chosen, beside the
//! context in which the summary will stand.

mod choose;
mod plan;

pub use choose::{BranchRules, Chosen, choose};
pub(crate) use plan::settled;
pub use plan::{BranchInput, BranchOutcome, BranchPart, NothingLeft, plan, preset_for};

use palimpsest_core::{Agent, EntryIx, EntryKind, Role, Session, Tree};
use serde::Serialize;

/// Context window assumed for a model whose window is not known (pi 1.5).
pub const DEFAULT_WINDOW: u64 = 128_000;

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
    let shared = common_ancestor.map_or(0, |ancestor| tree.depth(ancestor) as usize + 1);
    Branch {
        entries: path[shared..].to_vec(),
        common_ancestor,
    }
}

/// The entry under which the work goes on when `to` is gone to: of a prompt the entry before it,
/// as its text goes back to where prompts are written (pi 1.5, `navigateTree`; the others rewind
/// to before a prompt as well); of an extension's message likewise in pi. `None` stands before the
/// first entry.
pub fn new_leaf(session: &Session, tree: &Tree, to: EntryIx) -> Option<EntryIx> {
    match is_written_anew(session, to) {
        true => tree.parent(to),
        false => Some(to),
    }
}

/// Whether the text of `to` is written anew when it is gone to.
pub fn is_written_anew(session: &Session, to: EntryIx) -> bool {
    match session.entry(to).kind {
        EntryKind::Message(Role::User) => true,
        EntryKind::CustomMessage { .. } => session.meta.agent == Agent::PI,
        _ => false,
    }
}
