//! What becomes of an item of the context.

use serde::{Deserialize, Serialize};

/// What becomes of an item of the context. Every item has one fate, so that the spans of a plan
/// always part the context among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// A system prompt, which always stays.
    System,
    /// The summary of an earlier compaction, which the new one takes the place of.
    Carried,
    /// Goes into the summary of history.
    Summarized,
    /// Goes into the summary of the split turn's beginning.
    TurnPrefix,
    /// Stays as it is.
    Kept,
    /// Neither stays nor is summarized.
    Dropped,
}
