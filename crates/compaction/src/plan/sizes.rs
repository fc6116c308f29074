//! The assumed size of a summary before it is written.

use crate::plan::planned::Plan;
use crate::vocabulary::estimate::{ASSUMED_REPLY_TOKENS, estimate};
use crate::vocabulary::fate::Fate;
use crate::vocabulary::form::ReplyForm;
use crate::vocabulary::next::NextItem;
use crate::vocabulary::summary::{PlannedItem, SummaryPart};
use palimpsest_core::EntryIx;
use std::collections::HashSet;

impl Plan {
    /// Works out the spans and sizes that follow from the items' fates.
    pub(crate) fn count(&mut self) {
        let entries = |fate: Fate| {
            let items = self.items.iter().filter(|item| item.fate == fate);
            let mut entries: Vec<EntryIx> = Vec::new();
            let mut has_further = false;
            for item in items {
                entries.extend(item.entries());
                has_further |= !item.further.is_empty();
            }
            // An entry may have several messages.
            entries.dedup();
            if has_further {
                let mut seen: HashSet<EntryIx> = HashSet::with_capacity(entries.len());
                entries.retain(|&entry| seen.insert(entry));
            }
            entries
        };
        self.summarized = entries(Fate::Summarized);
        self.turn_prefix = entries(Fate::TurnPrefix);
        self.dropped = entries(Fate::Dropped);
        self.keep_further();
        // System text stays beside the summary; texts that are added are sent as well. What stays
        // only as part of such a text is counted there.
        let mut is_sent = vec![false; self.items.len()];
        for next in &self.next {
            if let NextItem::Kept { item, .. } = next {
                is_sent[*item] = true;
            }
        }
        let stays = |at: usize, item: &PlannedItem| match item.fate {
            Fate::System => true,
            Fate::Kept => is_sent[at],
            _ => false,
        };
        let items = self.items.iter().enumerate();
        let items = items.filter(|(at, item)| stays(*at, item));
        let items: u64 = items.map(|(_, item)| item.tokens).sum();
        let texts = self.next.iter().map(|item| match item {
            NextItem::Text { tokens, .. } => *tokens,
            NextItem::Summary { again_tokens, .. } => *again_tokens,
            NextItem::Kept { .. } => 0,
        });
        self.kept_tokens = items + texts.sum::<u64>();
        self.estimated_tokens_after = self.kept_tokens + self.guessed_summary_tokens();
        // By estimates on both sides: what a provider reported also holds the system prompt.
        self.may_grow = match &self.branch {
            Some(part) => self.guessed_summary_tokens() > part.taken_tokens,
            None => self.estimated_tokens_after > self.estimated_tokens_before,
        };
    }

    /// Keeps every block of a reply that is kept.
    fn keep_further(&mut self) {
        let kept = self.items.iter().filter(|item| item.fate == Fate::Kept);
        let further: Vec<EntryIx> = kept.flat_map(|item| item.further.iter().copied()).collect();
        if !further.is_empty() {
            self.kept.extend(further);
            // On a path a later entry has the larger position.
            self.kept.sort_unstable();
            self.kept.dedup();
        }
    }

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
                    // Without a limit only the assumed length counts.
                    let most = call.max_output_tokens.unwrap_or(u64::MAX);
                    if let ReplyForm::Chosen { most } = call.form {
                        // The chosen messages are assumed to be as long as the others.
                        let shown = (call.parts.len() as u64).max(1);
                        guess += call.input_tokens * most.min(shown) / shown;
                        continue;
                    }
                    guess += (call.input_tokens / 8)
                        .clamp(200, ASSUMED_REPLY_TOKENS)
                        .min(most);
                }
                SummaryPart::Filled(_, fill) => {
                    let limits = self.calls.iter().filter_map(|call| call.max_output_tokens);
                    guess += self.derived.expected_in_summary(*fill, limits.sum());
                }
            }
        }
        guess + estimate(&text)
    }
}
