//! Every long message is cut, shorter with each attempt (OpenHands V1, its hard reset).

use crate::plan::overflow::smaller::Smaller;
use crate::plan::overflow::units::longest;
use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::params::{ParamDoc, ParamType};
use serde::{Deserialize, Serialize};

/// Parameters of the rule; the defaults are those of OpenHands V1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShortenMessages {
    /// What the length of the longest message is multiplied with at each attempt; no message may
    /// be longer than that.
    pub shorten_factor: f64,
    /// How often messages are cut shorter.
    pub shorten_attempts: u64,
}

impl Default for ShortenMessages {
    fn default() -> Self {
        ShortenMessages {
            shorten_factor: 0.8,
            shorten_attempts: 5,
        }
    }
}

impl ShortenMessages {
    pub(crate) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "shorten_factor",
            ParamType::Number,
            "factor applied to the longest message at each attempt; the result is the length \
             limit of messages",
        )
        .within(0.01, 0.99)
        .unit("factor"),
        ParamDoc::new(
            "shorten_attempts",
            ParamType::Integer,
            "maximum number of attempts that truncate messages",
        )
        .unit("attempts"),
    ];

    pub(crate) fn attempts(&self, call: &PlannedCall) -> usize {
        if call.parts.is_empty() || self.shorten_factor >= 1.0 {
            0
        } else {
            self.shorten_attempts as usize
        }
    }

    pub(crate) fn smaller(&self, call: &PlannedCall, attempt: usize) -> Smaller {
        let factor = self.shorten_factor.clamp(0.0, 1.0);
        let mut most = longest(call);
        // Rounded down at each attempt, as in OpenHands.
        for _ in 0..attempt {
            most = (most as f64 * factor) as u64;
        }
        Smaller {
            leave_out: Vec::new(),
            max_chars: Some(most.max(1)),
        }
    }
}
