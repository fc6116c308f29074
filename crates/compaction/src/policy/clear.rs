//! What a preset clears where it summarizes nothing, from sizes alone.

use super::growth::{Step, StepKind};
use crate::plan::estimate;
use crate::preset::Preset;
use crate::reduce::{ClearOldestResults, ClearToolUses, PruneToolResults, Reduce};

/// A step of a preset that gives placeholders for old tool results. Names of tools are compared
/// without regard to case, because each agent spells its own.
pub(super) enum Clearing {
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
        let (goes, placeholder, least) = match self {
            Clearing::Uses(own) => {
                let last = results.len().saturating_sub(own.keep_tool_uses as usize);
                let goes = results[..last].iter().copied();
                let goes: Vec<usize> = goes
                    .filter(|&at| !named(&steps[at], &own.exclude_tools))
                    .collect();
                (goes, &own.placeholder, own.clear_at_least_tokens.max(1))
            }
            Clearing::Oldest(own) => {
                let may = results.iter().copied();
                let may: Vec<usize> = may
                    .filter(|&at| named(&steps[at], &own.clearable_tools))
                    .collect();
                let mut left: u64 = may.iter().map(|&at| tokens(&steps[at])).sum();
                let last = may.len().saturating_sub(own.keep_results as usize);
                let mut goes = Vec::new();
                for &at in &may[..last] {
                    if left <= own.until_tokens {
                        break;
                    }
                    left -= tokens(&steps[at]);
                    goes.push(at);
                }
                (goes, &own.placeholder, own.minimum_gain_tokens.max(1))
            }
            Clearing::Prune(own) => (
                pruned(own, steps, results),
                &own.placeholder,
                own.more_than_tokens + 1,
            ),
        };
        let whole: u64 = goes.iter().map(|&at| tokens(&steps[at])).sum();
        let placeholder = estimate(placeholder);
        let saved = goes
            .iter()
            .map(|&at| tokens(&steps[at]).saturating_sub(placeholder))
            .sum();
        if goes.is_empty() || whole < least || saved == 0 {
            return None;
        }
        results.retain(|at| goes.binary_search(at).is_err());
        Some((goes.len(), saved))
    }
}

/// What OpenCode's pruning takes: results beyond the protected tokens, without the last turns and
/// those of tools that failed. It ends at a result that is cleared, behind which `results` has none
/// left that it would take, and at a summary, of which a walk that only clears never makes one.
fn pruned(own: &PruneToolResults, steps: &[Step<'_>], results: &[usize]) -> Vec<usize> {
    let prompts = (0..steps.len()).rev();
    let mut prompts = prompts.filter(|&at| steps[at].kind == StepKind::Prompt);
    let untouched = (own.untouched_turns as usize).checked_sub(1);
    let from = match untouched {
        Some(nth) => prompts.nth(nth).unwrap_or(0),
        None => steps.len(),
    };
    let mut seen = 0;
    let mut goes = Vec::new();
    for &at in results.iter().rev().filter(|&&at| at < from) {
        if steps[at].failed || named(&steps[at], &own.protected_tools) {
            continue;
        }
        seen += tokens(&steps[at]);
        if seen > own.protect_tokens {
            goes.push(at);
        }
    }
    goes.reverse();
    goes
}

fn tokens(step: &Step<'_>) -> u64 {
    match step.kind {
        StepKind::Reply => step.behind_reply,
        _ => step.size,
    }
}

fn named(step: &Step<'_>, tools: &[String]) -> bool {
    let own = step.tool.unwrap_or_default();
    tools.iter().any(|tool| tool.eq_ignore_ascii_case(own))
}
