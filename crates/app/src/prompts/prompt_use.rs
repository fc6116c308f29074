//! A prompt of a plan: its place, its hash, and the saved prompt it is.

use serde::{Deserialize, Serialize};

/// A prompt of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptUse {
    /// Which of the strategy's prompts, `instructions`, or `request` where those replace it.
    pub place: String,
    /// Its hash.
    pub hash: String,
    /// Whose it is.
    pub by: UsedBy,
    /// The name under which it is saved.
    pub name: Option<String>,
    /// The version of that name.
    pub version: Option<u32>,
    /// The label of that version, as it is now; not stored.
    #[serde(skip)]
    pub label: Option<String>,
}

/// Whose prompt it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UsedBy {
    /// One of the strategy.
    Strategy,
    /// The user's.
    User,
}
