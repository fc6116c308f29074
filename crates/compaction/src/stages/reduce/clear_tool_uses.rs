//! Old tool uses are cleared when the context has become large (Anthropic's API,
//! `clear_tool_uses_20250919`).

use crate::vocabulary::estimate::estimate;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::Draft;
use crate::workpiece::edit::Edit;
use crate::workpiece::results::ToolResult;
use palimpsest_core::{BodyError, Role};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Parameters of the step; the defaults are those of the API.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClearToolUses {
    /// Tokens of the context from which on it clears; 0 does not look at them. Anthropic says
    /// "input tokens": the system prompt and the tools are among them.
    pub trigger_input_tokens: u64,
    /// Whether it takes more tokens than these, and only those of the messages (LangChain 1.5.0,
    /// which counts neither the system prompt nor the tools unless the model does).
    pub above_in_messages: bool,
    /// Tool uses from which on it clears; 0 does not look at them.
    pub trigger_tool_uses: u64,
    /// Newest tool uses that stay.
    pub keep_tool_uses: u64,
    /// Nothing is cleared when less would be saved, in tokens.
    pub clear_at_least_tokens: u64,
    /// Tools whose uses are never cleared.
    pub exclude_tools: Vec<String>,
    /// Whether the arguments of the cleared calls go as well.
    pub clear_tool_inputs: ToolInputs,
    /// What stands in the place of a result.
    pub placeholder: String,
}

/// Of which cleared calls the arguments go as well: yes or no for all of them, or those of the
/// tools named (`clear_tool_uses_20250919` takes either).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ToolInputs {
    /// Of all or of none.
    All(bool),
    /// Of the calls of these tools.
    Of(Vec<String>),
}

impl ToolInputs {
    fn holds(&self, tool: &str) -> bool {
        match self {
            ToolInputs::All(all) => *all,
            ToolInputs::Of(tools) => tools.iter().any(|own| own == tool),
        }
    }
}

impl Default for ClearToolUses {
    fn default() -> Self {
        ClearToolUses {
            trigger_input_tokens: 100_000,
            above_in_messages: false,
            trigger_tool_uses: 0,
            keep_tool_uses: 3,
            clear_at_least_tokens: 0,
            exclude_tools: Vec::new(),
            clear_tool_inputs: ToolInputs::All(false),
            placeholder: "[tool result cleared]".to_owned(),
        }
    }
}

impl ClearToolUses {
    const NAME: &'static str = "clear_tool_uses";

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens(
            "trigger_input_tokens",
            "minimum size of the context; 0 means any",
        ),
        ParamDoc::yes_no(
            "above_in_messages",
            "clear only above that size, counting messages only",
        ),
        ParamDoc::new(
            "trigger_tool_uses",
            ParamType::Integer,
            "minimum number of tool uses; 0 means any",
        )
        .unit("tool uses"),
        ParamDoc::new(
            "keep_tool_uses",
            ParamType::Integer,
            "number of the newest tool uses to keep",
        )
        .unit("tool uses"),
        ParamDoc::tokens(
            "clear_at_least_tokens",
            "minimum saving; otherwise nothing is cleared",
        ),
        ParamDoc::new(
            "exclude_tools",
            ParamType::Texts,
            "tools whose uses are never cleared",
        ),
        ParamDoc::yes_no(
            "clear_tool_inputs",
            "also clear the arguments of calls; a JSON list limits this to the named tools",
        ),
        ParamDoc::new("placeholder", ParamType::Text, "placeholder for a result"),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        let items = &draft.input.context.items;
        // What goes into a summary is not sent as it is.
        let kept = |at: &usize| draft.pieces[*at].fate == Fate::Kept;
        let results: Vec<ToolResult<'_>> = (0..items.len())
            .filter(|at| items[*at].role == Role::Tool && kept(at))
            .map(|at| draft.result(at))
            .collect();
        if !self.is_large(draft) || (results.len() as u64) < self.trigger_tool_uses {
            return Ok(());
        }
        let results = self.goes(&results);
        let mut calls = BTreeSet::new();
        for &at in &results {
            let name = items[at].tool_name.as_deref().unwrap_or_default();
            if self.clear_tool_inputs.holds(name) {
                let answered = draft.input.answered(at)?;
                calls.extend(answered.as_ref().as_ref().map(|tool| tool.call_id.clone()));
            }
        }
        draft.clear(results, &self.placeholder, Self::NAME);
        clear_inputs(draft, &calls)
    }
}

impl ClearToolUses {
    /// Which of these results are cleared, oldest first as they are given; none where that saves
    /// too little.
    pub(crate) fn goes(&self, results: &[ToolResult<'_>]) -> Vec<usize> {
        let old = results.len().saturating_sub(self.keep_tool_uses as usize);
        let is_spared = |own: &ToolResult<'_>| {
            own.is_cleared || self.exclude_tools.iter().any(|name| name == own.tool)
        };
        let goes = results[..old].iter().filter(|own| !is_spared(own));
        let placeholder = estimate(&self.placeholder);
        let gains = goes
            .clone()
            .map(|own| own.tokens.saturating_sub(placeholder));
        if gains.sum::<u64>() < self.clear_at_least_tokens {
            Vec::new()
        } else {
            goes.map(|own| own.at).collect()
        }
    }

    fn is_large(&self, draft: &Draft<'_>) -> bool {
        let context = &draft.input.context;
        if !self.above_in_messages {
            return context.projected >= self.trigger_input_tokens;
        }
        let items = context.items.iter();
        let messages = items.filter(|item| item.role != Role::System);
        let tokens: u64 = messages.map(|item| item.estimate).sum();
        self.trigger_input_tokens == 0 || tokens > self.trigger_input_tokens
    }
}

/// Empties the arguments of the calls with these ids.
fn clear_inputs(draft: &mut Draft<'_>, calls: &BTreeSet<String>) -> Result<(), BodyError> {
    if calls.is_empty() {
        return Ok(());
    }
    let session = draft.input.session;
    for at in 0..draft.pieces.len() {
        let item = &draft.input.context.items[at];
        let entries = item.entries.iter();
        let named = entries.flat_map(|&entry| &session.entry(entry).tool_calls);
        let own: Vec<Box<str>> = named
            .filter(|call| calls.contains(call.call_id.as_ref()))
            .map(|call| call.call_id.as_ref().into())
            .collect();
        if item.role != Role::Assistant || own.is_empty() {
            continue;
        }
        // An edit of the message may have put other calls into it.
        let cleared: Arc<[Box<str>]> = match item.edited_by {
            None => own.into(),
            Some(_) => calls.iter().map(|id| id.as_str().into()).collect(),
        };
        draft.edit(at, Edit::NoArguments(cleared), ClearToolUses::NAME)?;
    }
    Ok(())
}
