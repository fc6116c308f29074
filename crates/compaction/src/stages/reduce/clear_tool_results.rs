//! Old tool results are replaced with a placeholder (Anthropic's `clear_tool_uses_20250919`; with
//! other numbers Claude Code's microcompaction and OpenCode's prune).

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::{Draft, Scope};
use palimpsest_core::{BodyError, Role};
use serde::{Deserialize, Serialize};

/// Parameters of the step; the defaults are those of Anthropic's context editing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClearToolResults {
    /// Newest results that stay.
    pub keep_results: u64,
    /// Tokens of the newest results that stay (OpenCode 40,000, Claude Code 2.0.53 40,000).
    pub protect_tokens: u64,
    /// Nothing is cleared when less than this would be saved, in tokens.
    pub minimum_gain_tokens: u64,
    /// Tools whose results are never cleared.
    pub protected_tools: Vec<String>,
    /// Where it applies.
    pub scope: Scope,
    /// What stands there afterwards.
    pub placeholder: String,
}

impl Default for ClearToolResults {
    fn default() -> Self {
        ClearToolResults {
            keep_results: 3,
            protect_tokens: 0,
            minimum_gain_tokens: 0,
            protected_tools: Vec::new(),
            scope: Scope::All,
            placeholder: "[Old tool result content cleared]".to_owned(),
        }
    }
}

impl ClearToolResults {
    const NAME: &'static str = "clear_tool_results";

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "keep_results",
            ParamType::Integer,
            "number of the newest tool results to keep",
        )
        .unit("results"),
        ParamDoc::tokens(
            "protect_tokens",
            "tokens of the newest tool results to keep",
        ),
        ParamDoc::tokens(
            "minimum_gain_tokens",
            "minimum saving; otherwise nothing is cleared",
        ),
        ParamDoc::new(
            "protected_tools",
            ParamType::Texts,
            "tools whose results are never cleared",
        ),
        ParamDoc::word(
            "scope",
            Scope::WORDS,
            "the part of the context it applies to",
        ),
        ParamDoc::new(
            "placeholder",
            ParamType::Text,
            "placeholder for a cleared result",
        ),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        let items = &draft.input.context.items;
        let mut seen_results = 0;
        let mut seen_tokens = 0;
        let mut clear = Vec::new();
        for at in draft.within(self.scope).into_iter().rev() {
            let item = &items[at];
            let name = item.tool_name.as_deref().unwrap_or_default();
            if item.role != Role::Tool || self.protected_tools.iter().any(|own| own == name) {
                continue;
            }
            seen_results += 1;
            seen_tokens += draft.pieces[at].tokens;
            if seen_results > self.keep_results && seen_tokens > self.protect_tokens {
                clear.push(at);
            }
        }
        let placeholder = crate::vocabulary::estimate::estimate(&self.placeholder);
        let gains = clear
            .iter()
            .map(|&at| draft.pieces[at].tokens.saturating_sub(placeholder));
        // A placeholder may be as large as what it replaces.
        if gains.sum::<u64>() < self.minimum_gain_tokens.max(1) {
            return Ok(());
        }
        draft.clear(clear, &self.placeholder, Self::NAME);
        Ok(())
    }
}
