//! A tail that never begins after the user's last prompt (Cline's SDK, August 2026).

use super::{Scene, Selection};
use crate::params::ParamDoc;
use serde::{Deserialize, Serialize};

/// Parameters of the choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PromptTail {
    /// Tokens of recent conversation that stay, and whatever more lies behind the last prompt
    /// (Cline 20,000).
    pub keep_recent_tokens: u64,
}

impl Default for PromptTail {
    fn default() -> Self {
        PromptTail {
            keep_recent_tokens: 20_000,
        }
    }
}

impl PromptTail {
    pub(super) const DOCS: &'static [ParamDoc] = &[ParamDoc::tokens(
        "keep_recent_tokens",
        "how much of the recent conversation stays as it is, from the last prompt on in any case",
    )];

    /// The boundary is a reply or a prompt, never a tool result.
    pub(super) fn select(&self, scene: &Scene<'_>) -> Selection {
        let start = scene.start();
        let mut sum = 0;
        let mut first_kept = scene.len();
        while first_kept > start && sum < self.keep_recent_tokens {
            first_kept -= 1;
            sum += scene.tokens(first_kept);
        }
        let prompt = (start..scene.len()).rev().find(|&at| scene.is_prompt(at));
        let first_kept = first_kept.min(prompt.unwrap_or(first_kept));
        let first_kept = match first_kept < scene.len() {
            true => scene.cut_at_or_before(first_kept).max(start),
            false => first_kept,
        };
        scene.tail(start, None, first_kept)
    }
}
