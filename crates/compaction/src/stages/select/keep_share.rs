//! The newest share of the conversation stays, by the characters of its messages (Gemini CLI
//! 0.61.0, `chatCompressionService`, the split of the history).

use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sizes::Sizes;
use serde::{Deserialize, Serialize};

/// Parameters of the choice; the defaults are those of Gemini CLI 0.61.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeepShare {
    /// Share of the conversation that stays, 0 to 1. The agent measures the JSON of each message;
    /// here it is the estimate of its tokens, as both grow with the characters.
    pub keep_share: f64,
}

impl Default for KeepShare {
    fn default() -> Self {
        KeepShare { keep_share: 0.3 }
    }
}

impl KeepShare {
    pub(super) const DOCS: &'static [ParamDoc] = &[ParamDoc::new(
        "keep_share",
        ParamType::Number,
        "share of the conversation to keep",
    )
    .within(0.0, 1.0)
    .unit("share")];

    /// The split is the first prompt of the user before which the share to summarize is reached.
    /// Without one everything goes when the model has had the last word, else all before the last
    /// prompt.
    pub(super) fn select(&self, sizes: &Sizes) -> Selection {
        let start = sizes.start();
        let tokens: Vec<u64> = (start..sizes.len())
            .map(|position| sizes.tokens(position))
            .collect();
        let enough = tokens.iter().sum::<u64>() as f64 * (1.0 - self.keep_share);
        let mut before = 0;
        let mut split = start;
        for (offset, size) in tokens.iter().enumerate() {
            if sizes.is_prompt(start + offset) {
                // Before the first prompt there may be nothing to summarize.
                if before as f64 >= enough && before > 0 {
                    return sizes.tail(start, None, start + offset);
                }
                split = start + offset;
            }
            before += size;
        }
        if has_last_word(sizes) {
            sizes.with_fates(|_| Fate::Summarized)
        } else {
            sizes.tail(start, None, split)
        }
    }
}

/// True when the newest message is the model's and calls no tool.
fn has_last_word(sizes: &Sizes) -> bool {
    let newest = (0..sizes.len()).rev().find(|&at| sizes.tokens(at) > 0);
    newest.is_some_and(|at| sizes.entries[at].is_last_word)
}
