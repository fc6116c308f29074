//! What is left out of a call that is too large, attempt by attempt. The same rule serves when a
//! plan has a limit for its input and when a provider says that a call does not fit.

mod cut_middle;
mod keep_more;
mod limit;
mod shorten;
pub(crate) mod smaller;
mod units;

pub use cut_middle::CutMiddle;
pub use keep_more::KeepMore;
pub use shorten::ShortenMessages;
pub use smaller::Smaller;

use crate::plan::overflow::units::items_of;
use crate::plan::overflow::units::units;
use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::params::ParamDoc;
use serde::{Deserialize, Serialize};

/// A rule for calls that are too large.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    KeepMore(KeepMore),
    /// Tool results go from the middle outwards: a tenth, a fifth, half, all (Goose).
    MiddleOutToolResults,
    /// The middle of the conversation goes (LangChain); it is lost.
    CutMiddle(CutMiddle),
    /// Every long message is cut shorter and shorter (OpenHands' hard reset).
    ShortenMessages(ShortenMessages),
}

/// Shares of the tool results that Goose leaves out, in percent.
const MIDDLE_OUT: [usize; 4] = [10, 20, 50, 100];

/// Attempts that leave out one message more each, before the steps double.
const SINGLE_STEPS: usize = 4;

impl Overflow {
    /// The parameters.
    pub fn docs(&self) -> &'static [ParamDoc] {
        match self {
            Overflow::KeepMore(_) => KeepMore::DOCS,
            Overflow::CutMiddle(_) => CutMiddle::DOCS,
            Overflow::ShortenMessages(_) => ShortenMessages::DOCS,
            Overflow::Fail
            | Overflow::DropOldest
            | Overflow::DropNewest
            | Overflow::MiddleOutToolResults => &[],
        }
    }

    /// True when it looks at the texts of a call, so that these must be there to count it.
    pub(crate) fn reads_texts(&self) -> bool {
        matches!(self, Overflow::CutMiddle(_) | Overflow::ShortenMessages(_))
    }

    /// True when what is left out is kept instead of lost.
    pub fn keeps(&self) -> bool {
        matches!(self, Overflow::KeepMore(_))
    }

    /// Most attempts that make sense for `call`.
    pub fn attempts(&self, call: &PlannedCall) -> usize {
        // One message has to be left to summarize.
        let others = units(call).len().saturating_sub(1);
        match self {
            Overflow::Fail => 0,
            Overflow::DropOldest | Overflow::DropNewest | Overflow::KeepMore(_) => others,
            Overflow::MiddleOutToolResults if results(call).is_empty() => 0,
            Overflow::MiddleOutToolResults => MIDDLE_OUT.len(),
            Overflow::CutMiddle(own) => own.attempts(call),
            Overflow::ShortenMessages(own) => own.attempts(call),
        }
    }

    /// The attempt after `attempt` of which a provider said `message`. Mostly the next; more are
    /// skipped where the message says how much too large the call is and the rule goes by
    /// that.
    pub fn next_attempt(&self, call: &PlannedCall, attempt: usize, message: &str) -> usize {
        match self {
            Overflow::KeepMore(own) => own.next_attempt(call, attempt, message),
            _ => attempt + 1,
        }
    }

    /// The attempt after `attempt`, when the call did not fit `tried` times before this one and a
    /// provider said `message`: the first that fits the limit which the message states. Without a
    /// limit the steps double from [`SINGLE_STEPS`] on, so that no call is sent hundreds of times.
    pub fn next_fitting(
        &self,
        call: &PlannedCall,
        attempt: usize,
        tried: usize,
        message: &str,
    ) -> usize {
        let next = self.next_attempt(call, attempt, message);
        // These have rules of their own for a stated gap, or few attempts.
        if !matches!(self, Overflow::DropOldest | Overflow::DropNewest) {
            return next;
        }
        let most = self.attempts(call);
        if let Some(limit) = limit::stated(message, call.input_tokens) {
            // Each attempt leaves out more than the one before.
            let (mut low, mut high) = (next, most);
            while low < high {
                let middle = usize::midpoint(low, high);
                if self.smaller(call, middle).tokens(call) <= limit {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            return high;
        }
        attempt + step(tried)
    }

    /// Most requests that [`Overflow::next_fitting`] leads to after the first, where no message states a
    /// limit.
    pub fn most_attempts(&self, call: &PlannedCall) -> usize {
        let most = self.attempts(call);
        if !matches!(self, Overflow::DropOldest | Overflow::DropNewest) {
            return most;
        }
        let (mut attempt, mut tried) = (0, 0);
        while attempt < most {
            attempt = (attempt + step(tried)).min(most);
            tried += 1;
        }
        tried
    }

    /// How `call` is made smaller at this attempt, counted from 1. Each attempt leaves out what
    /// the one before did and more.
    pub fn smaller(&self, call: &PlannedCall, attempt: usize) -> Smaller {
        let units = units(call);
        let count = attempt.min(units.len());
        let leave_out = match self {
            Overflow::Fail => Vec::new(),
            Overflow::DropOldest => items_of(call, &units[..count]),
            Overflow::DropNewest | Overflow::KeepMore(_) => {
                items_of(call, &units[units.len() - count..])
            }
            Overflow::MiddleOutToolResults => {
                let results = results(call);
                let percent = MIDDLE_OUT[attempt.clamp(1, MIDDLE_OUT.len()) - 1];
                // Rounded up, so that each attempt leaves out a result.
                let count = (results.len() * percent).div_ceil(100);
                middle_out(&results, count)
            }
            Overflow::CutMiddle(own) => return own.smaller(call, attempt),
            Overflow::ShortenMessages(own) => return own.smaller(call, attempt),
        };
        Smaller {
            leave_out,
            max_chars: None,
        }
    }
}

/// How many messages more the request leaves out that follows `tried` ones without a stated limit.
fn step(tried: usize) -> usize {
    match tried.checked_sub(SINGLE_STEPS) {
        None => 1,
        Some(beyond) => 2 << beyond.min(16),
    }
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
mod tests;
