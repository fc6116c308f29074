//! What is left out of a call that is too large, attempt by attempt. The same rule serves when a
//! plan has a limit for its input and when a provider says that a call does not fit.

use crate::params::ParamDoc;
use crate::plan::PlannedCall;
use serde::{Deserialize, Serialize};

/// A rule for calls that are too large.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Overflow {
    /// Nothing: the run fails (pi).
    #[default]
    Fail,
    /// The oldest message goes, with its tool results (Codex); it is lost.
    DropOldest,
    /// The newest goes (Continue's command line); it is lost.
    DropNewest,
    /// The newest goes over to what is kept (Claude Code 2.1.197).
    KeepMore,
    /// Tool results go from the middle outwards: a tenth, a fifth, half, all (Goose).
    MiddleOutToolResults,
}

/// Shares of the tool results that Goose leaves out, in percent.
const MIDDLE_OUT: [usize; 4] = [10, 20, 50, 100];

impl Overflow {
    /// The parameters, of which there are none.
    pub fn docs(&self) -> &'static [ParamDoc] {
        &[]
    }

    /// True when what is left out is kept instead of lost.
    pub fn keeps(&self) -> bool {
        *self == Overflow::KeepMore
    }

    /// Most attempts that make sense for `call`.
    pub fn attempts(&self, call: &PlannedCall) -> usize {
        let others = units(call).len().saturating_sub(1);
        match self {
            Overflow::Fail => 0,
            Overflow::DropOldest | Overflow::DropNewest | Overflow::KeepMore => others,
            Overflow::MiddleOutToolResults if results(call).is_empty() => 0,
            Overflow::MiddleOutToolResults => MIDDLE_OUT.len(),
        }
    }

    /// Positions of the items left out of `call` at this attempt, counted from 1. Each attempt
    /// leaves out what the one before did and more.
    pub fn leaves_out(&self, call: &PlannedCall, attempt: usize) -> Vec<usize> {
        let units = units(call);
        let of_units = |units: &[usize]| -> Vec<usize> {
            let parts = call.parts.iter();
            parts
                .filter(|part| units.contains(&part.unit))
                .map(|part| part.item)
                .collect()
        };
        let count = attempt.min(units.len());
        match self {
            Overflow::Fail => Vec::new(),
            Overflow::DropOldest => of_units(&units[..count]),
            Overflow::DropNewest | Overflow::KeepMore => of_units(&units[units.len() - count..]),
            Overflow::MiddleOutToolResults => {
                let results = results(call);
                let percent = MIDDLE_OUT[attempt.clamp(1, MIDDLE_OUT.len()) - 1];
                let count = (results.len() * percent).div_ceil(100);
                middle_out(&results, count)
            }
        }
    }
}

fn units(call: &PlannedCall) -> Vec<usize> {
    let mut units: Vec<usize> = call.parts.iter().map(|part| part.unit).collect();
    units.dedup();
    units
}

fn results(call: &PlannedCall) -> Vec<usize> {
    let results = call.parts.iter().filter(|part| part.is_tool_result);
    results.map(|part| part.item).collect()
}

/// `count` of `list`, beginning in its middle and going to both sides by turns.
fn middle_out(list: &[usize], count: usize) -> Vec<usize> {
    let middle = list.len() / 2;
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by_key(|&at| (at.abs_diff(middle), at));
    let mut chosen: Vec<usize> = order.into_iter().take(count).map(|at| list[at]).collect();
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::PromptPart;

    /// A call about items 0 to 6: user, call with two results, user, call with a result.
    fn call() -> PlannedCall {
        let units = [1, 2, 2, 2, 3, 4, 4];
        let parts = units.iter().enumerate().map(|(item, &unit)| PromptPart {
            range: item..item + 1,
            item,
            unit,
            is_tool_result: item > 0 && units[item - 1] == unit,
        });
        PlannedCall {
            prompt: "abcdefg".into(),
            parts: parts.collect(),
            items: (0..7).collect(),
            ..PlannedCall::default()
        }
    }

    #[test]
    fn a_call_goes_with_its_results() {
        let call = call();
        assert_eq!(Overflow::DropOldest.attempts(&call), 3);
        assert_eq!(Overflow::DropOldest.leaves_out(&call, 2), [0, 1, 2, 3]);
        assert_eq!(Overflow::KeepMore.leaves_out(&call, 1), [5, 6]);
        assert_eq!(Overflow::Fail.attempts(&call), 0);
    }

    #[test]
    fn results_go_from_the_middle() {
        let call = call();
        let rule = Overflow::MiddleOutToolResults;
        assert_eq!(rule.leaves_out(&call, 1), [3]);
        assert_eq!(rule.leaves_out(&call, 3), [2, 3]);
        assert_eq!(rule.leaves_out(&call, 4), [2, 3, 6]);
    }

    #[test]
    fn what_is_left_out_is_gone_from_the_prompt() {
        let call = call();
        let left = call.without(&|item| [1, 2, 3].contains(&item));
        assert_eq!(left.prompt, "aefg");
        let ranges: Vec<_> = left.parts.iter().map(|part| part.range.clone()).collect();
        assert_eq!(ranges, [0..1, 1..2, 2..3, 3..4]);
    }
}
