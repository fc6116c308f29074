//! The oldest share of the messages goes (Letta's sliding window; Roo Code's and Cline's
//! truncation, which keep the beginning).

use super::{Fate, Scene, Selection};
use crate::params::{ParamDoc, ParamType};
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
            "how much of the messages goes, the oldest first",
        )
        .within(0.0, 1.0)
        .unit("share"),
        ParamDoc::new(
            "keep_first_messages",
            ParamType::Integer,
            "how many messages stay at the beginning",
        )
        .unit("messages"),
        ParamDoc::yes_no("even_count", "let an even number of messages go"),
    ];

    pub(super) fn select(&self, scene: &Scene<'_>) -> Selection {
        let messages = scene.messages();
        let head = (self.keep_first_messages as usize).min(messages.len());
        let rest = messages.len() - head;
        let mut count = (rest as f64 * self.drop_share.clamp(0.0, 1.0)).floor() as usize;
        if self.even_count {
            count -= count % 2;
        }
        scene.without_middle(&messages, head, head + count)
    }
}

impl Scene<'_> {
    /// Positions of the entries with a message, from the previous compaction on.
    pub(super) fn messages(&self) -> Vec<usize> {
        let own = self.start()..self.len();
        own.filter(|&at| !self.entries[at].items.is_empty())
            .collect()
    }

    /// The selection that keeps the first `head` of `messages` and those from `tail` on. Results
    /// stay with their call, so the beginning may keep more, and so may the end.
    pub(super) fn without_middle(&self, messages: &[usize], head: usize, tail: usize) -> Selection {
        let begins = |at: &usize| {
            messages
                .get(*at)
                .is_none_or(|&own| self.may_cut_before(own))
        };
        let head = match head {
            0 => 0,
            some => (some..=messages.len()).find(begins).unwrap_or(some),
        };
        let tail = (head..=tail.max(head)).rev().find(begins).unwrap_or(head);
        let position = |at: usize| messages.get(at).copied().unwrap_or(self.len());
        let (from, to) = (position(head), position(tail));
        let start = self.start();
        let mut selection = self.with_fates(|at| match at {
            _ if at < start => Fate::Dropped,
            _ if (from..to).contains(&at) => Fate::Summarized,
            _ => Fate::Kept,
        });
        selection.first_kept = self.entries.get(to).map(|seen| seen.entry);
        selection
    }
}
