//! What a preset clears where it summarizes nothing: the rules of its reduce stage, by sizes.

use crate::engine::preset::data::Preset;
use crate::policy::growth::{Step, StepKind};
use crate::stages::reduce::Reduce;
use crate::stages::reduce::clear_oldest_results::ClearOldestResults;
use crate::stages::reduce::clear_tool_uses::ClearToolUses;
use crate::stages::reduce::prune_tool_results::PruneToolResults;
use crate::vocabulary::estimate::estimate;
use crate::workpiece::results::{Met, ToolResult};
use std::convert::Infallible;

/// A step of a preset that gives placeholders for old tool results.
pub(crate) enum Clearing {
    Uses(ClearToolUses),
    Oldest(ClearOldestResults),
    Prune(PruneToolResults),
}

impl Clearing {
    /// The first such step of `preset`.
    pub fn of(preset: &Preset) -> Option<Clearing> {
        preset.reduce.iter().find_map(|step| match step {
            Reduce::ClearToolUses(own) => Some(Clearing::Uses(own.clone())),
            Reduce::ClearOldestResults(own) => Some(Clearing::Oldest(own.clone())),
            Reduce::PruneToolResults(own) => Some(Clearing::Prune(own.clone())),
            _ => None,
        })
    }

    /// Clears what the rule says of `results`, positions of steps whose results are whole, oldest
    /// first, and takes it out of them. Number of steps and tokens saved; `None` when nothing is.
    pub fn clear(&self, steps: &[Step<'_>], results: &mut Vec<usize>) -> Option<(usize, u64)> {
        let whole = results.as_slice();
        let listed = || -> Vec<ToolResult<'_>> {
            let listed = whole.iter().map(|&at| result(steps, at, false));
            listed.collect()
        };
        let (goes, placeholder) = match self {
            Clearing::Uses(own) => (own.goes(&listed()), &own.placeholder),
            Clearing::Oldest(own) => (own.goes(&listed()), &own.placeholder),
            Clearing::Prune(own) => {
                let met = (0..steps.len()).rev().map(|at| met(steps, at, whole));
                // The rule may fail in a plan, where it reads texts, but not here.
                let failed = |at: usize| Ok::<bool, Infallible>(steps[at].failed);
                let Ok(mut goes) = own.goes(met, failed);
                // `binary_search` below needs them ascending.
                goes.reverse();
                (goes, &own.placeholder)
            }
        };
        let placeholder = estimate(placeholder);
        let tokens = |at: &usize| result(steps, *at, false).tokens;
        let saved = goes
            .iter()
            .map(|at| tokens(at).saturating_sub(placeholder))
            .sum();
        // A placeholder may be as large as what it replaces.
        if saved == 0 {
            return None;
        }
        results.retain(|at| goes.binary_search(at).is_err());
        Some((goes.len(), saved))
    }
}

/// The results of a step.
fn result<'a>(steps: &'a [Step<'_>], at: usize, is_cleared: bool) -> ToolResult<'a> {
    let step = &steps[at];
    ToolResult {
        at,
        tokens: match step.kind {
            // OpenCode stores results with the reply that called.
            StepKind::Reply => step.behind_reply,
            _ => step.size,
        },
        tool: step.tool.unwrap_or_default(),
        is_cleared,
    }
}

/// What is met at a step on the way back; `whole` are the steps whose results are not cleared.
fn met<'a>(steps: &'a [Step<'_>], at: usize, whole: &[usize]) -> Met<'a> {
    let step = &steps[at];
    match step.kind {
        StepKind::Prompt => Met::Prompt,
        StepKind::Reply if step.behind_reply == 0 => Met::Other,
        StepKind::Injected => Met::Other,
        StepKind::Reply | StepKind::Result => {
            Met::Result(result(steps, at, whole.binary_search(&at).is_err()))
        }
    }
}
