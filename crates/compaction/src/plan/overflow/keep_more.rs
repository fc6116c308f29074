//! What is newest is kept instead of summarized (Claude Code 2.1.197, its reactive compaction).

use crate::plan::overflow::units::unit_tokens;
use crate::plan::overflow::units::units;
use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::params::ParamDoc;
use serde::{Deserialize, Serialize};

/// Parameters of the rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeepMore {
    /// Whether an attempt keeps as many more messages as the provider says that there are tokens
    /// too many, instead of one (Claude Code 2.1.197). Where that would keep nearly all of them it
    /// is half, and one where the provider does not say.
    pub step_by_gap: bool,
}

impl Default for KeepMore {
    fn default() -> Self {
        KeepMore { step_by_gap: true }
    }
}

impl KeepMore {
    pub(crate) const DOCS: &'static [ParamDoc] = &[ParamDoc::yes_no(
        "step_by_gap",
        "keep as many more tokens as the provider reports in excess, instead of one message",
    )];

    pub(crate) fn next_attempt(&self, call: &PlannedCall, attempt: usize, message: &str) -> usize {
        let units = units(call).len();
        // The first attempt keeps one group whatever the gap is, as Claude Code does: it begins with
        // the last group kept and reads the gap from the refusal after that.
        let gap = token_gap(message).filter(|_| self.step_by_gap && attempt > 0);
        let Some(gap) = gap else {
            return attempt + 1;
        };
        // What is still summarized, from its end.
        let left = units.saturating_sub(attempt);
        let sizes = unit_tokens(call);
        let mut sum = 0;
        let below = sizes[..left].iter().rev().take_while(|size| {
            let needed = sum < gap;
            sum += **size;
            needed
        });
        let step = match below.count() {
            nearly_all if nearly_all + 1 >= left => left / 2,
            step => step,
        };
        attempt + step.max(1)
    }
}

/// How many tokens too many a provider says there are: the difference of the two numbers of at
/// least 1,000 that its message names, as `208310 tokens > 200000 maximum`. `None` when it does not
/// name two.
fn token_gap(message: &str) -> Option<u64> {
    let mut numbers: Vec<u64> = message
        // The comma as in `200,000`.
        .split(|c: char| !c.is_ascii_digit() && c != ',')
        .filter_map(|word| word.replace(',', "").parse().ok())
        .filter(|number| *number >= 1_000)
        .collect();
    // The same number twice in a row is no gap.
    numbers.dedup();
    match numbers[..] {
        [one, other] if one != other => Some(one.abs_diff(other)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_providers_name_the_gap() {
        for (message, gap) in [
            (
                "prompt is too long: 208310 tokens > 200000 maximum",
                Some(8_310),
            ),
            (
                "the limit is 8,192 tokens; your messages have 9,000",
                Some(808),
            ),
            ("the context window is exceeded (400)", None),
            ("at most 200000 tokens", None),
        ] {
            assert_eq!(token_gap(message), gap, "{message}");
        }
    }
}
