//! The newest messages stay as long as they fit a budget, without regard to turns (OpenCode's
//! second engine, in 1.18).

use super::{Scene, Selection};
use crate::params::ParamDoc;
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
        "most that the newest messages which stay may have",
    )];

    pub(super) fn select(&self, scene: &Scene<'_>) -> Selection {
        let start = scene.start();
        let mut sum = 0;
        let mut first_kept = scene.len();
        for at in (start..scene.len()).rev() {
            sum += scene.tokens(at);
            if sum > self.fitting_tokens {
                break;
            }
            if scene.may_cut_before(at) {
                first_kept = at;
            }
        }
        scene.tail(start, None, first_kept)
    }
}
