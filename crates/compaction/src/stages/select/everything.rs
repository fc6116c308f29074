//! The whole history is summarized (pi 0.18.3's study of strategies, Coder, Claude Code, Roo and
//! others).

use crate::stages::select::keep_recent::KeepRecent;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sizes::Sizes;
use serde::{Deserialize, Serialize};

/// Parameters of the choice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Everything {
    /// Tokens of recent conversation kept verbatim nevertheless, by pi's cut; 0 keeps nothing
    /// (what the agents that summarize everything do).
    pub keep_recent_tokens: u64,
    /// Whether the user's last prompt stays when nothing has followed it (Zed and Goose, when they
    /// compact by themselves).
    pub keep_last_prompt: bool,
    /// With fewer messages since the compaction before, or since the beginning, nothing is done
    /// (Roo Code: "not enough messages", "condensed recently").
    pub min_messages: u64,
}

impl Everything {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens(
            "keep_recent_tokens",
            "tokens of the recent conversation to keep; 0 keeps nothing",
        ),
        ParamDoc::yes_no(
            "keep_last_prompt",
            "keep the last prompt if it is unanswered",
        ),
        ParamDoc::new(
            "min_messages",
            ParamType::Integer,
            "minimum number of messages since the previous compaction",
        )
        .unit("messages"),
    ];

    pub(super) fn select(&self, sizes: &Sizes) -> Selection {
        let start = sizes.start();
        if (sizes.messages().len() as u64) < self.min_messages {
            // A tail from the start on, so nothing goes.
            return sizes.tail(start, None, start);
        }
        let newest = (start..sizes.len()).rev().find(|&at| sizes.is_visible(at));
        let waiting = newest.filter(|&at| self.keep_last_prompt && sizes.is_prompt(at));
        match self.keep_recent_tokens {
            0 if waiting.is_some() => sizes.tail(start, None, waiting.unwrap_or(start)),
            0 => sizes.with_fates(|_| Fate::Summarized),
            keep_recent_tokens => {
                let tail = KeepRecent {
                    keep_recent_tokens,
                    ..KeepRecent::default()
                };
                tail.select(sizes)
            }
        }
    }
}
