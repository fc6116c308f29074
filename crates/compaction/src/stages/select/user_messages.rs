//! Keeps the user messages verbatim; summarizes the rest.

use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::ParamDoc;
use crate::vocabulary::selection::Selection;
use crate::workpiece::sized_context::SizedContext;
use serde::{Deserialize, Serialize};

/// Parameters of the choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UserMessages {
    /// Tokens of the newest messages of the user that stay (Codex: 20,000); older ones are
    /// summarized. 0 is no limit.
    pub max_user_tokens: u64,
}

impl Default for UserMessages {
    fn default() -> Self {
        UserMessages {
            max_user_tokens: 20_000,
        }
    }
}

impl UserMessages {
    pub(super) const DOCS: &'static [ParamDoc] = &[ParamDoc::tokens(
        "max_user_tokens",
        "tokens of user messages to keep, newest first; 0 means no limit",
    )];

    pub(super) fn select(&self, sized: &SizedContext<'_>) -> Selection {
        let start = sized.start();
        let mut stays = vec![false; sized.len()];
        let mut sum = 0;
        for position in (start..sized.len()).rev() {
            if !sized.is_prompt(position) {
                continue;
            }
            sum += sized.tokens(position);
            if self.max_user_tokens > 0 && sum > self.max_user_tokens {
                break;
            }
            stays[position] = true;
        }
        sized.with_fates(|position| match (position < start, stays[position]) {
            (true, _) => Fate::Dropped,
            (false, true) => Fate::Kept,
            (false, false) => Fate::Summarized,
        })
    }
}
