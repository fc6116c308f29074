//! What a plan for a branch knows beyond one for a context.

use palimpsest_core::EntryIx;
use serde::Serialize;

/// Context window assumed for a model whose window is not known (pi 1.5).
pub const DEFAULT_WINDOW: u64 = 128_000;

/// What a plan for a branch knows beyond one for a context.
#[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
pub struct BranchPart {
    /// The entry that is left.
    pub from: EntryIx,
    /// The target entry.
    pub to: EntryIx,
    /// The entry under which the summary will stand; `None` before the first.
    pub new_leaf: Option<EntryIx>,
    /// The deepest entry on both paths.
    pub common_ancestor: Option<EntryIx>,
    /// All entries left behind, oldest first.
    pub entries: Vec<EntryIx>,
    /// Most tokens of the branch that are shown to the summarizer; 0 is no limit.
    pub budget_tokens: u64,
    /// Estimated tokens of what is taken.
    pub taken_tokens: u64,
    /// Entries whose messages do not fit the budget.
    pub over_budget: Vec<EntryIx>,
}
