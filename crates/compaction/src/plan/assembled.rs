//! The summary that replies make, and the calls with replies in their places.

use crate::plan::planned::Plan;
use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::error::{AssembleError, FormError};
use crate::vocabulary::estimate::estimate;
use crate::vocabulary::fill::Replies;
use crate::vocabulary::slot::ReplySlot;
use crate::vocabulary::summary::SummaryPart;

impl Plan {
    /// The summary that `replies`, one per call and in their order, make.
    pub fn assemble(&self, replies: &[&str]) -> Result<String, AssembleError> {
        if replies.len() != self.calls.len() {
            let (calls, replies) = (self.calls.len(), replies.len());
            return Err(AssembleError::Count { calls, replies });
        }
        let mut summary = String::new();
        for part in &self.summary {
            match part {
                SummaryPart::Text(_) | SummaryPart::ByTail { .. } => {
                    summary.push_str(part.known().unwrap_or_default());
                }
                SummaryPart::Reply(call) => {
                    let reply = replies.get(*call).copied().unwrap_or_default();
                    let text = self.read_reply(*call, reply);
                    summary.push_str(&text.map_err(|reason| AssembleError::Form {
                        call: self.calls[*call].label(),
                        reason,
                    })?);
                }
                SummaryPart::Filled(_, fill) => {
                    let cleaned = |call: usize| Some(self.replies.cleaned(replies.get(call)?));
                    let text = self.derived.text(*fill, &cleaned);
                    summary.push_str(&text.unwrap_or_default());
                }
            }
        }
        Ok(summary)
    }

    /// The call with this number as it is sent: replies, and what follows from them, in the places
    /// kept for them. Places with missing replies stay marked.
    pub fn sent(&self, number: usize, reply: &Replies<'_>) -> PlannedCall {
        let mut call = self.calls[number].filled(reply);
        // From the last, so that the ranges before it stay right.
        for at in (0..call.slots.len()).rev() {
            let ReplySlot { range, fill, .. } = call.slots[at].clone();
            if let Some(text) = self.derived.text(fill, reply) {
                call.fill(range, text);
                call.slots.remove(at);
            }
        }
        call
    }

    /// What the reply of the call with this number says: cleaned, and taken out of its form.
    pub fn read_reply(&self, call: usize, reply: &str) -> Result<String, FormError> {
        let cleaned = self.replies.cleaned(reply);
        match self.calls.get(call) {
            Some(planned) => planned.form.read(planned, &cleaned),
            None => Ok(cleaned),
        }
    }

    /// Whether the reply of the call with this number stands in the summary as it is.
    pub fn is_in_summary(&self, call: usize) -> bool {
        self.summary.contains(&SummaryPart::Reply(call))
    }

    /// Estimated tokens of the context with `summary` in place.
    pub fn tokens_after(&self, summary: &str) -> u64 {
        self.kept_tokens + estimate(summary)
    }
}
