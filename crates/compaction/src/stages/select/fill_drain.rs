//! Nothing goes until the context reaches a fill line; then everything above a drain line does
//! (Factory's Droid, its article on compressing context).

use crate::vocabulary::params::ParamDoc;
use crate::vocabulary::selection::Selection;
use crate::workpiece::sizes::Sizes;
use serde::{Deserialize, Serialize};

/// Parameters of the choice. Factory gives no numbers; the defaults are ours, for a window of
/// 200,000 tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FillDrain {
    /// Tokens of the context at which it is made smaller (Factory's `T_max`); 0 is always.
    pub fill_tokens: u64,
    /// Tokens of recent conversation that stay then (`T_retained`). Close to the fill line it is
    /// made smaller often, far from it much is lost at once.
    pub drain_tokens: u64,
}

impl Default for FillDrain {
    fn default() -> Self {
        FillDrain {
            fill_tokens: 120_000,
            drain_tokens: 40_000,
        }
    }
}

impl FillDrain {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens("fill_tokens", "minimum size of the context; 0 means any"),
        ParamDoc::tokens("drain_tokens", "tokens of the recent conversation to keep"),
    ];

    /// What was summarized before is not summarized again: the span begins where the previous
    /// summary ends.
    pub(super) fn select(&self, sizes: &Sizes) -> Selection {
        let start = sizes.start();
        if sizes.context_tokens < self.fill_tokens {
            return sizes.tail(start, None, start);
        }
        let mut first_kept = sizes.len();
        let mut sum = 0;
        while first_kept > start && sum + sizes.tokens(first_kept - 1) <= self.drain_tokens {
            first_kept -= 1;
            sum += sizes.tokens(first_kept);
        }
        // A result whose call is beyond the line goes with it, so that the line holds.
        while first_kept < sizes.len() && !sizes.may_cut_before(first_kept) {
            first_kept += 1;
        }
        sizes.tail(start, None, first_kept)
    }
}
