//! Results of tools outside a window of messages are masked (OpenHands V0, the condensers
//! `observation_masking` and `browser_output_masking`).

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::{Draft, Scope};
use palimpsest_core::{BodyError, Role};
use serde::{Deserialize, Serialize};

/// Parameters of the step; the defaults are those of `observation_masking`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MaskResults {
    /// Messages at the end in which nothing is masked, results or not (100).
    pub attention_window_messages: u64,
    /// Newest results of those concerned that stay (`browser_output_masking`: 1).
    pub keep_matching_results: u64,
    /// Tools whose results are masked; none named is all of them.
    pub only_tools: Vec<String>,
    /// What stands there afterwards.
    pub placeholder: String,
}

impl Default for MaskResults {
    fn default() -> Self {
        MaskResults {
            attention_window_messages: 100,
            keep_matching_results: 0,
            only_tools: Vec::new(),
            placeholder: "<MASKED>".to_owned(),
        }
    }
}

impl MaskResults {
    const NAME: &'static str = "mask_results";

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "attention_window_messages",
            ParamType::Integer,
            "number of the last messages to skip",
        )
        .unit("messages"),
        ParamDoc::new(
            "keep_matching_results",
            ParamType::Integer,
            "number of the newest matching results to keep",
        )
        .unit("results"),
        ParamDoc::new(
            "only_tools",
            ParamType::Texts,
            "tools whose results are masked; empty means all",
        ),
        ParamDoc::new(
            "placeholder",
            ParamType::Text,
            "placeholder for a masked result",
        ),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        let seen = draft.within(Scope::All);
        let behind = seen
            .len()
            .saturating_sub(self.attention_window_messages as usize);
        let items = &draft.input.context.items;
        let concerned = |at: &&usize| {
            let item = &items[**at];
            let name = item.tool_name.as_deref().unwrap_or_default();
            let named = self.only_tools.is_empty() || self.only_tools.iter().any(|own| own == name);
            item.role == Role::Tool && named
        };
        let results: Vec<usize> = seen.iter().filter(concerned).copied().collect();
        let old = results
            .len()
            .saturating_sub(self.keep_matching_results as usize);
        let window: &[usize] = &seen[behind..];
        // Without a window everything is outside.
        let outside = |at: &usize| window.first().is_none_or(|first| at < first);
        let masked = results[..old].iter().copied().take_while(outside);
        draft.clear(masked, &self.placeholder, Self::NAME);
        Ok(())
    }
}
