//! The middle of the conversation goes (LangChain 1.5.0, which tries again that way when its
//! summarizer's window overflows).

use crate::plan::overflow::smaller::Smaller;
use crate::plan::overflow::units::{items_of, longest, unit_tokens, units};
use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::params::{ParamDoc, ParamType};
use serde::{Deserialize, Serialize};

/// Parameters of the rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CutMiddle {
    /// Share of the conversation that an attempt leaves of what the one before had, in percent:
    /// half of it the oldest messages, half the newest. How much LangChain cuts out cannot be told
    /// from outside; half of all is our assumption.
    pub kept_percent: u64,
    /// How often the middle is cut out (LangChain 1).
    pub cut_attempts: u64,
}

impl Default for CutMiddle {
    fn default() -> Self {
        CutMiddle {
            kept_percent: 50,
            cut_attempts: 1,
        }
    }
}

impl CutMiddle {
    pub(crate) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "kept_percent",
            ParamType::Integer,
            "share of the conversation kept when its middle is dropped, half at each end",
        )
        .within(1.0, 99.0)
        .unit("percent"),
        ParamDoc::new(
            "cut_attempts",
            ParamType::Integer,
            "maximum number of attempts that drop the middle",
        )
        .unit("attempts"),
    ];

    pub(crate) fn attempts(&self, call: &PlannedCall) -> usize {
        if call.parts.is_empty() || self.kept_percent >= 100 {
            0
        } else {
            self.cut_attempts as usize
        }
    }

    /// Whole messages of the middle go, each with its tool results. Where there are too few of them
    /// to have a middle, that of each long message goes.
    pub(crate) fn smaller(&self, call: &PlannedCall, attempt: usize) -> Smaller {
        let share = (self.kept_percent.min(100) as f64 / 100.0).powi(attempt.max(1) as i32);
        let (units, sizes) = (units(call), unit_tokens(call));
        let half = sizes.iter().sum::<u64>() as f64 * share / 2.0;
        // The first and the last message stay, however large they are.
        let fits = |sizes: &mut dyn Iterator<Item = u64>| {
            let mut sum = 0;
            let within = sizes.take_while(|size| {
                sum += size;
                sum as f64 <= half
            });
            within.count().max(1)
        };
        let head = fits(&mut sizes.iter().copied());
        let tail = fits(&mut sizes.iter().rev().copied());
        if head + tail >= units.len() {
            let max_chars = (longest(call) as f64 * share) as u64;
            return Smaller {
                leave_out: Vec::new(),
                max_chars: Some(max_chars.max(1)),
            };
        }
        Smaller {
            leave_out: items_of(call, &units[head..units.len() - tail]),
            max_chars: None,
        }
    }
}
