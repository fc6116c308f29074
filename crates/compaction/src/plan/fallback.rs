//! The plans that take over when a run fails, made beforehand.

use crate::plan::planned::{Plan, PlannedFallback};
use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::cause::Cause;
use crate::vocabulary::estimate::estimate;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::next::NextItem;
use crate::vocabulary::summary::SummaryPart;

/// What stands in prompts until the summary of the plan before is there.
pub const SUMMARY_BEFORE: &str = "{{summary of the attempt before}}";

impl PlannedFallback {
    /// When it is taken and what is done, as a sentence without its end.
    pub fn words(&self) -> String {
        format!("when {}: {}", Cause::list(&self.on), self.meaning)
    }

    /// The plan as it takes over after `summary` came of the plan before.
    pub fn taking_over(&self, summary: Option<&str>) -> Plan {
        let mut plan = (*self.plan).clone();
        if let Some(summary) = summary.filter(|_| self.takes_summary) {
            plan.carry_on(summary);
        }
        plan
    }
}

impl Plan {
    /// The fallback that is taken after this cause, by its number.
    pub fn fallback_on(&self, cause: Cause) -> Option<usize> {
        let takes = |own: &PlannedFallback| own.on.contains(&cause);
        self.fallbacks.iter().position(takes)
    }

    /// Whether `summary` with the messages that stay is so large that a fallback says to go on.
    pub fn is_over_limit(&self, summary: &str) -> bool {
        // 0 is no limit.
        let limit = self
            .fallback_on(Cause::OverLimit)
            .map_or(0, |at| self.fallbacks[at].limit_tokens);
        let stays = self.items.iter().filter(|item| item.fate == Fate::Kept);
        let tokens = stays.map(|item| item.tokens).sum::<u64>() + estimate(summary);
        limit > 0 && tokens >= limit
    }

    /// Puts `summary` in the place kept for that of the plan before.
    fn carry_on(&mut self, summary: &str) {
        self.previous_summary = Some(summary.to_owned());
        for call in &mut self.calls {
            fill(call, summary);
        }
        // Only the first: what the conversation says stands behind it and may hold the same
        // words.
        let put = |text: &mut String| *text = text.replacen(SUMMARY_BEFORE, summary, 1);
        for part in self.summary.iter_mut().chain(
            self.next
                .iter_mut()
                .filter_map(NextItem::summary_parts)
                .flatten(),
        ) {
            match part {
                SummaryPart::Text(text) => put(text),
                SummaryPart::ByTail { with, without, .. } => {
                    put(with);
                    put(without);
                }
                SummaryPart::Reply(_) | SummaryPart::Filled(..) => {}
            }
        }
        self.fixed_history.iter_mut().for_each(put);
        // Sizes after the run were estimated without this summary.
        self.count();
    }
}

/// Fills the places outside the conversation, which may well speak of such marks.
fn fill(call: &mut PlannedCall, summary: &str) {
    let mut from = 0;
    while let Some(found) = call
        .prompt
        .get(from..)
        .and_then(|rest| rest.find(SUMMARY_BEFORE))
    {
        let start = from + found;
        let end = start + SUMMARY_BEFORE.len();
        if call.conversation.contains(&start) {
            from = end;
            continue;
        }
        call.fill(start..end, summary.to_owned());
        call.input_tokens =
            (call.input_tokens + estimate(summary)).saturating_sub(estimate(SUMMARY_BEFORE));
        from = start + summary.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_goes_where_its_mark_is_and_not_into_the_conversation() {
        let said = format!("they spoke of {SUMMARY_BEFORE}");
        let prompt = format!("{SUMMARY_BEFORE}|{said}|end");
        let start = SUMMARY_BEFORE.len() + 1;
        let mut call = PlannedCall {
            conversation: start..start + said.len(),
            input_tokens: estimate(&prompt),
            prompt,
            ..PlannedCall::default()
        };
        fill(&mut call, "S");
        assert_eq!(call.prompt, format!("S|{said}|end"));
        assert_eq!(call.conversation(), said);
        assert!(call.input_tokens.abs_diff(estimate(&call.prompt)) <= 1);
    }
}
