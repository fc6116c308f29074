//! A tail beside running notes: it grows backwards until it has enough tokens and enough messages
//! with text, but not beyond a limit (Claude Code 2.1, session memory).

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sizes::Sizes;
use serde::{Deserialize, Serialize};

/// Parameters of the choice; the defaults are those of Claude Code 2.1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NotesTail {
    /// Least tokens that stay.
    pub tail_min_tokens: u64,
    /// Least messages with text, by the user or the model, that stay.
    pub tail_min_text_messages: u64,
    /// Tokens at which it stops, whatever is missing.
    pub tail_max_tokens: u64,
}

impl Default for NotesTail {
    fn default() -> Self {
        NotesTail {
            tail_min_tokens: 10_000,
            tail_min_text_messages: 5,
            tail_max_tokens: 40_000,
        }
    }
}

impl NotesTail {
    pub(super) fn clash(&self) -> Option<String> {
        let (least, most) = (self.tail_min_tokens, self.tail_max_tokens);
        (least > most).then(|| {
            format!("tail_min_tokens is {least} and must not exceed tail_max_tokens, {most}")
        })
    }

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens("tail_min_tokens", "minimum size of the kept tail"),
        ParamDoc::new(
            "tail_min_text_messages",
            ParamType::Integer,
            "minimum number of kept messages with text",
        )
        .unit("messages"),
        ParamDoc::tokens("tail_max_tokens", "maximum size of the kept tail"),
    ];

    pub(super) fn select(&self, sizes: &Sizes) -> Selection {
        let start = sizes.start();
        let (mut tokens, mut texts) = (0, 0);
        let mut first_kept = sizes.len();
        for at in (start..sizes.len()).rev() {
            let enough = tokens >= self.tail_min_tokens && texts >= self.tail_min_text_messages;
            if enough || tokens >= self.tail_max_tokens {
                break;
            }
            tokens += sizes.tokens(at);
            texts += sizes.entries[at].texts;
            first_kept = at;
        }
        if first_kept < sizes.len() {
            first_kept = sizes.cut_at_or_before(first_kept).max(start);
        }
        sizes.tail(start, None, first_kept)
    }
}
