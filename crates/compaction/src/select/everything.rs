//! The whole history is summarized (pi 0.18.3's study of strategies, Coder, Claude Code, Roo and
//! others).

use super::{Fate, KeepRecent, Scene, Selection};
use crate::params::ParamDoc;
use serde::{Deserialize, Serialize};

/// Parameters of the choice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Everything {
    /// Tokens of recent conversation kept verbatim nevertheless, by pi's cut; 0 keeps nothing
    /// (what the agents that summarize everything do).
    pub keep_recent_tokens: u64,
}

impl Everything {
    pub(super) const DOCS: &'static [ParamDoc] = &[ParamDoc::tokens(
        "keep_recent_tokens",
        "how much of the recent conversation stays as it is; 0 is nothing",
    )];

    pub(super) fn select(&self, scene: &Scene<'_>) -> Selection {
        match self.keep_recent_tokens {
            0 => scene.with_fates(|_| Fate::Summarized),
            keep_recent_tokens => {
                let tail = KeepRecent {
                    keep_recent_tokens,
                    ..KeepRecent::default()
                };
                tail.select(scene)
            }
        }
    }
}
