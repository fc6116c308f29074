//! The oldest tool results are cleared until few enough tokens of results are left (Claude Code's
//! microcompaction).

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::{Draft, Scope};
use crate::workpiece::results::ToolResult;
use palimpsest_core::{BodyError, Role};
use serde::{Deserialize, Serialize};

/// Parameters of the step; the defaults are those of Claude Code 2.0.53. With `until_tokens` 0 it
/// is the one of 2.1.197, which clears all but the newest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClearOldestResults {
    /// Tools whose results may be cleared, upper and lower case alike; none is all of them.
    pub clearable_tools: Vec<String>,
    /// Newest results of these tools that stay.
    pub keep_results: u64,
    /// Clearing ends when no more than this many tokens of these results are left.
    pub until_tokens: u64,
    /// Nothing is cleared when the cleared results have fewer tokens than this.
    pub minimum_gain_tokens: u64,
    /// Nothing is cleared in a context of fewer tokens than this; 0 is any. 2.0.53 by itself acts
    /// from its warning level on, 147,000 in a window of 200,000 (`minimum_gain_tokens` 20,000);
    /// with a budget given by hand it skips both tests (both 0). 2.1.197 has only that of the gain.
    pub above_context_tokens: u64,
    /// Where it applies.
    pub scope: Scope,
    /// What stands there afterwards.
    pub placeholder: String,
}

impl Default for ClearOldestResults {
    fn default() -> Self {
        let tools = [
            "Read",
            "Bash",
            "Grep",
            "Glob",
            "WebSearch",
            "WebFetch",
            "Edit",
            "Write",
        ];
        ClearOldestResults {
            clearable_tools: tools.map(str::to_owned).to_vec(),
            keep_results: 3,
            until_tokens: 40_000,
            minimum_gain_tokens: 20_000,
            above_context_tokens: 0,
            scope: Scope::All,
            placeholder: "[Old tool result content cleared]".to_owned(),
        }
    }
}

impl ClearOldestResults {
    const NAME: &'static str = "clear_oldest_results";

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "clearable_tools",
            ParamType::Texts,
            "tools whose results may be cleared; empty means all",
        ),
        ParamDoc::new(
            "keep_results",
            ParamType::Integer,
            "number of the newest of these results to keep",
        )
        .unit("results"),
        ParamDoc::tokens(
            "until_tokens",
            "clear the oldest results until at most this many tokens of them remain",
        ),
        ParamDoc::tokens(
            "minimum_gain_tokens",
            "minimum saving; otherwise nothing is cleared",
        ),
        ParamDoc::tokens(
            "above_context_tokens",
            "minimum size of the context; 0 means any",
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
        if draft.input.context.projected < self.above_context_tokens {
            return Ok(());
        }
        let items = &draft.input.context.items;
        let results: Vec<ToolResult<'_>> = draft
            .within(self.scope)
            .into_iter()
            .filter(|&at| items[at].role == Role::Tool)
            .map(|at| draft.result(at))
            .collect();
        draft.clear(self.goes(&results), &self.placeholder, Self::NAME);
        Ok(())
    }

    /// Which of these results are cleared, oldest first as they are given; none where that saves
    /// too little.
    pub(crate) fn goes(&self, results: &[ToolResult<'_>]) -> Vec<usize> {
        let clearable = |own: &&ToolResult<'_>| {
            let mut tools = self.clearable_tools.iter();
            let is_one = self.clearable_tools.is_empty()
                || tools.any(|name| name.eq_ignore_ascii_case(own.tool));
            is_one && !own.is_cleared
        };
        let results: Vec<&ToolResult<'_>> = results.iter().filter(clearable).collect();
        // The newest count too, although they stay.
        let mut left: u64 = results.iter().map(|own| own.tokens).sum();
        let old = results.len().saturating_sub(self.keep_results as usize);
        let mut gain = 0;
        let mut goes = Vec::new();
        for own in &results[..old] {
            if left <= self.until_tokens {
                break;
            }
            left -= own.tokens;
            gain += own.tokens;
            goes.push(own.at);
        }
        if gain < self.minimum_gain_tokens {
            goes.clear();
        }
        goes
    }
}
