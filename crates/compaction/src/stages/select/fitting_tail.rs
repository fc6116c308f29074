//! The newest messages stay as long as they fit a budget, without regard to turns (OpenCode's
//! second engine, in 1.18).

use crate::vocabulary::params::ParamDoc;
use crate::vocabulary::selection::Selection;
use crate::workpiece::sizes::Sizes;
use serde::{Deserialize, Serialize};

/// Parameters of the choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FittingTail {
    /// Most tokens of the newest messages that stay (OpenCode's `keep.tokens`); a call and its
    /// results stay together, so it may be less.
    pub fitting_tokens: u64,
}

impl Default for FittingTail {
    fn default() -> Self {
        FittingTail {
            fitting_tokens: 8_000,
        }
    }
}

impl FittingTail {
    pub(super) const DOCS: &'static [ParamDoc] = &[ParamDoc::tokens(
        "fitting_tokens",
        "token limit for the newest kept messages",
    )];

    pub(super) fn select(&self, sizes: &Sizes) -> Selection {
        let start = sizes.start();
        let mut sum = 0;
        let mut first_kept = sizes.len();
        for at in (start..sizes.len()).rev() {
            sum += sizes.tokens(at);
            if sum > self.fitting_tokens {
                break;
            }
            if sizes.may_cut_before(at) {
                first_kept = at;
            }
        }
        sizes.tail(start, None, first_kept)
    }
}
