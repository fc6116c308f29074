//! What is done when a run fails: another way of summarizing, named beforehand, so that
//! the plan holds it and the user can see it (Copilot Chat's plain-text mode, Cline's list without
//! a model, Roo Code's sliding window).

use crate::vocabulary::cause::Cause;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Another way of summarizing and when it is taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fallback {
    /// What leads to it.
    #[serde(default = "any_failure")]
    pub on: Vec<Cause>,
    /// What is done then, in a few words.
    pub meaning: String,
    /// With [`Cause::OverLimit`]: tokens below which the summary and the messages that stay must
    /// be together (Claude Code's session memory: the threshold of automatic compaction); 0 is no
    /// limit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub limit_tokens: u64,
    /// The built-in preset that takes over; this one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// How it is set, by the names that settings have: stages as a whole, kinds, parameters and
    /// prompts. What the user set for this preset stays set where the preset is the same.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub set: Map<String, Value>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Whatever makes a run fail.
fn any_failure() -> Vec<Cause> {
    vec![
        Cause::Overflow,
        Cause::Failed,
        Cause::Unusable,
        Cause::Inflated,
    ]
}
