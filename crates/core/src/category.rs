//! What the tokens of a context are spent on.

use serde::{Deserialize, Serialize};

/// What the tokens of a context are spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// System prompt and its patches, as far as the session holds them.
    System,
    /// The user's own words.
    User,
    /// Text by the model.
    AssistantText,
    /// Reasoning by the model.
    Thinking,
    /// Tool calls: names and arguments.
    ToolCalls,
    /// Results of tools.
    ToolResults,
    /// Compaction and branch summaries.
    Summaries,
    /// Images.
    Images,
    /// What extensions and user shell commands put in.
    Injected,
    /// What was sent but is not in the session (system prompt, tool schemas).
    NotRecorded,
    /// What the agent sends again after a compaction and does not record (files it had in view).
    GivenAgain,
}
