//! A number of messages stays, the newest (LangChain's `keep: ("messages", n)`).

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sizes::Sizes;
use serde::{Deserialize, Serialize};

/// Parameters of the choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LastMessages {
    /// Messages that stay, tool results included; more when the oldest of them are results, so
    /// that their call stays with them. LangChain 1.5.0 keeps 20.
    pub count: u64,
    /// Tokens of the newest messages that stay, as many whole ones as fit, instead of a number of
    /// messages (LangChain's `keep: ("tokens", n)`; its `("fraction", f)` is that share of the
    /// window). 0 goes by `count`.
    pub suffix_tokens: u64,
    /// When the oldest of them are results, whether these go with their call instead (LangChain,
    /// which moves its cut past them).
    pub past_results: bool,
}

impl Default for LastMessages {
    fn default() -> Self {
        LastMessages {
            count: 20,
            suffix_tokens: 0,
            past_results: false,
        }
    }
}

impl LastMessages {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "count",
            ParamType::Integer,
            "number of the newest messages to keep",
        )
        .unit("messages"),
        ParamDoc::tokens(
            "suffix_tokens",
            "tokens of the newest messages to keep instead; 0 uses the number",
        ),
        ParamDoc::yes_no(
            "past_results",
            "drop results together with a dropped call, instead of keeping the call",
        ),
    ];

    pub(super) fn select(&self, sizes: &Sizes) -> Selection {
        let start = sizes.start();
        let by_tokens = self.suffix_tokens > 0;
        let mut left = if by_tokens {
            self.suffix_tokens
        } else {
            self.count
        };
        let mut first_kept = sizes.len();
        for position in (start..sizes.len()).rev() {
            let size = if by_tokens {
                sizes.tokens(position)
            } else {
                sizes.entries[position].items.len() as u64
            };
            if size > left {
                break;
            }
            left -= size;
            first_kept = position;
        }
        while self.past_results && first_kept < sizes.len() && !sizes.may_cut_before(first_kept) {
            first_kept += 1;
        }
        let first_kept = if first_kept < sizes.len() {
            sizes.cut_at_or_before(first_kept).max(start)
        } else {
            first_kept
        };
        sizes.tail(start, None, first_kept)
    }
}
