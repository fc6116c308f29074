//! What a run would do with a call that does not fit, before it is made.

use crate::plan::overflow::smaller::Smaller;
use crate::plan::planned::Plan;
use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::next::NextItem;
use crate::vocabulary::summary::SummaryPart;
use serde::{Deserialize, Serialize};

/// A call as it would be made again, when a provider says that it does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// Which attempt of the rule for overflow, from 1. Where a provider says how much too large a
    /// call is, a run may pass attempts over.
    pub attempt: u64,
    /// Messages that are left out.
    pub left_out: u64,
    /// UTF-16 units that no message may go beyond, where messages are cut.
    pub max_chars: Option<u64>,
    /// Tokens sent, by the same estimate as those of the call.
    pub input_tokens: u64,
}

impl Plan {
    /// The first attempts at most this many, and the last there is, with which the call of this
    /// number would be made smaller; none where the rule is to fail.
    pub fn retries(&self, call: usize, most: usize) -> Vec<Retry> {
        let Some(planned) = self.calls.get(call) else {
            return Vec::new();
        };
        let attempts = self.overflow.attempts(planned);
        let last = (attempts > most).then_some(attempts);
        let shown = (1..=attempts.min(most)).chain(last);
        let retry = |attempt: usize| {
            let smaller = self.overflow.smaller(planned, attempt);
            Retry {
                attempt: attempt as u64,
                left_out: smaller.leave_out.len() as u64,
                max_chars: smaller.max_chars,
                input_tokens: smaller.tokens(planned),
            }
        };
        shown.map(retry).collect()
    }

    /// Most requests that are sent for the call of this number after the first does not fit, where no
    /// provider states its limit; 0 where the rule is to fail.
    pub fn most_smaller(&self, call: usize) -> usize {
        let planned = self.calls.get(call);
        planned.map_or(0, |planned| self.overflow.most_attempts(planned))
    }

    /// Makes the call with this number as small as `smaller` says, from what it was `planned` as.
    /// Items that are left out are lost, or kept where the plan's rule for overflow says so.
    pub(crate) fn make_smaller(&mut self, call: usize, planned: &PlannedCall, smaller: &Smaller) {
        // Of a branch nothing can stay.
        let keeps = self.overflow.keeps() && self.branch.is_none();
        // The chosen model may have been asked instead of the weaker one already.
        let now = std::mem::take(&mut self.calls[call]);
        self.calls[call] = PlannedCall {
            worker: now.worker,
            model: now.model,
            ..smaller.of(planned)
        };
        // What another call still asks about is not lost.
        let mut is_out = vec![false; self.items.len()];
        smaller
            .leave_out
            .iter()
            .for_each(|&item| is_out[item] = true);
        for &item in self.calls.iter().flat_map(|other| &other.items) {
            is_out[item] = false;
        }
        let mut kept_here: Vec<(usize, u64)> = Vec::new();
        for &at in &smaller.leave_out {
            // An attempt before may have let it stay already.
            if !is_out[at] || self.items[at].fate == Fate::Kept {
                continue;
            }
            let item = &mut self.items[at];
            item.fate = if keeps { Fate::Kept } else { Fate::Dropped };
            if keeps && let Some(entry) = item.entry {
                self.kept.push(entry);
                // These stand before the tail, so the tail now begins with them.
                self.first_kept = Some(self.first_kept.map_or(entry, |first| first.min(entry)));
                kept_here.push((at, item.tokens));
            }
        }
        if !kept_here.is_empty() {
            // On a path a later entry has the larger position.
            self.kept.sort_unstable();
            self.kept.dedup();
            kept_here.sort_unstable();
            self.keep_next(&kept_here);
            let next = self
                .next
                .iter_mut()
                .filter_map(NextItem::summary_parts)
                .flatten();
            // Some texts mention the tail, which there is now.
            for part in self.summary.iter_mut().chain(next) {
                if let SummaryPart::ByTail { stays, .. } = part {
                    *stays = true;
                }
            }
        }
        self.count();
    }

    /// Puts items, with their tokens, among those that stay in the next request.
    fn keep_next(&mut self, items: &[(usize, u64)]) {
        let mut items = items.iter().copied().peekable();
        let kept = |(item, tokens)| NextItem::Kept { item, tokens };
        let mut next = Vec::with_capacity(self.next.len() + items.len());
        for own in std::mem::take(&mut self.next) {
            if let NextItem::Kept { item, .. } = own {
                while let Some(earlier) = items.next_if(|(at, _)| *at < item) {
                    next.push(kept(earlier));
                }
            }
            next.push(own);
        }
        next.extend(items.map(kept));
        self.next = next;
    }
}
