//! The oldest share of the messages goes (Letta's sliding window; Roo Code's and Cline's
//! truncation, which keep the beginning).

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sizes::Sizes;
use serde::{Deserialize, Serialize};

/// Parameters of the choice; the defaults are those of Letta's sliding window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DropShare {
    /// Share of the messages that goes, 0 to 1 (Letta 0.3; Roo 0.5; Cline 0.5, or 0.75 when the
    /// context is more than twice its limit).
    pub drop_share: f64,
    /// Messages at the beginning that stay (Roo 1, Cline 2).
    pub keep_first_messages: u64,
    /// Whether an even number goes, so that the speakers still alternate (Roo, Cline).
    pub even_count: bool,
}

impl Default for DropShare {
    fn default() -> Self {
        DropShare {
            drop_share: 0.3,
            keep_first_messages: 0,
            even_count: false,
        }
    }
}

impl DropShare {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "drop_share",
            ParamType::Number,
            "share of the messages to drop, oldest first",
        )
        .within(0.0, 1.0)
        .unit("share"),
        ParamDoc::new(
            "keep_first_messages",
            ParamType::Integer,
            "number of messages to keep at the beginning",
        )
        .unit("messages"),
        ParamDoc::yes_no("even_count", "drop an even number of messages"),
    ];

    pub(super) fn select(&self, sizes: &Sizes) -> Selection {
        let messages = sizes.messages();
        let head = (self.keep_first_messages as usize).min(messages.len());
        let rest = messages.len() - head;
        let mut count = (rest as f64 * self.drop_share.clamp(0.0, 1.0)).floor() as usize;
        if self.even_count {
            count -= count % 2;
        }
        sizes.without_middle(&messages, head, head + count)
    }
}
