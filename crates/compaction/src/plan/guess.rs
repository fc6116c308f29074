//! What a summary is taken to be before it is written.

use super::{ASSUMED_REPLY_TOKENS, Plan, SummaryPart, estimate};
use crate::assemble::NextItem;
use crate::reflect::Fill;
use crate::summarize::ReplyForm;

impl Plan {
    /// Tokens the summary is taken to have before it is written.
    pub(crate) fn guessed_summary_tokens(&self) -> u64 {
        self.guessed_tokens(&self.summary)
    }

    /// For each summary of the next request, in order, its tokens before it is written: where the
    /// summary stands in several places its own share each, all together what
    /// `estimated_tokens_after` has beside what stays.
    pub fn next_summary_tokens(&self) -> Vec<u64> {
        let total = self.estimated_tokens_after.saturating_sub(self.kept_tokens);
        let sizes = self.next.iter().filter_map(|item| match item {
            NextItem::Summary { parts, .. } => Some(self.guessed_tokens(parts)),
            NextItem::Kept { .. } | NextItem::Text { .. } => None,
        });
        let sizes: Vec<u64> = sizes.collect();
        let sum = sizes.iter().sum::<u64>().max(1);
        let mut before = 0;
        // By the sums so far, so that what rounding takes from one the next one gets.
        let up_to = |size: u64| (u128::from(total) * u128::from(size) / u128::from(sum)) as u64;
        let share = |size: &u64| {
            let from = up_to(before);
            before += size;
            up_to(before) - from
        };
        sizes.iter().map(share).collect()
    }

    fn guessed_tokens(&self, parts: &[SummaryPart]) -> u64 {
        let mut text = String::new();
        let mut guess = 0;
        for part in parts {
            match part {
                SummaryPart::Text(_) | SummaryPart::ByTail { .. } => {
                    text.push_str(part.known().unwrap_or_default());
                }
                SummaryPart::Reply(call) => {
                    let call = &self.calls[*call];
                    let most = call.max_output_tokens.unwrap_or(u64::MAX);
                    if let ReplyForm::Chosen { most } = call.form {
                        // The chosen messages are taken to be as long as the others.
                        let shown = (call.parts.len() as u64).max(1);
                        guess += call.input_tokens * most.min(shown) / shown;
                        continue;
                    }
                    guess += (call.input_tokens / 8)
                        .clamp(200, ASSUMED_REPLY_TOKENS)
                        .min(most);
                }
                SummaryPart::Filled(_, Fill::Memories) => {
                    let memories = self.memories.as_ref();
                    guess += memories.map_or(0, |own| own.expected_tokens());
                }
                SummaryPart::Filled(..) => {
                    let replies = self.calls.iter().filter_map(|call| call.max_output_tokens);
                    guess += replies.sum::<u64>() / 4;
                }
            }
        }
        guess + estimate(&text)
    }
}
