//! What a run would do with a call that does not fit, before it is made.

use super::Plan;
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
}
