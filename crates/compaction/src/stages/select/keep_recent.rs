//! pi's choice: a tail of a given size stays, found from the newest back (pi 1.5,
//! `compaction.js`, `prepareCompaction`).

use crate::stages::select::pi_cut::context_cut;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sizes::Sizes;
use serde::{Deserialize, Serialize};

/// Parameters of the choice; the defaults are those of pi 1.5.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeepRecent {
    /// Tokens of recent conversation kept verbatim (pi's default since 0.31).
    pub keep_recent_tokens: u64,
    /// Where the summarized range begins when there was a compaction before.
    pub range_start: RangeStart,
}

/// Where the summarized range begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RangeStart {
    /// At what the compaction before kept (pi 0.63.1 and later).
    KeptBoundary,
    /// After the compaction before; what it kept is lost (pi before 0.63.1).
    AfterCompaction,
}

impl Default for KeepRecent {
    fn default() -> Self {
        KeepRecent {
            keep_recent_tokens: 20_000,
            range_start: RangeStart::KeptBoundary,
        }
    }
}

impl KeepRecent {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens(
            "keep_recent_tokens",
            "tokens of the recent conversation to keep",
        ),
        ParamDoc::new(
            "range_start",
            ParamType::Word,
            "summarize the tail that the previous compaction kept, or lose it as old releases do",
        )
        .words(&["kept_boundary", "after_compaction"]),
    ];

    pub(super) fn select(&self, sizes: &Sizes) -> Selection {
        let mut start = sizes.start();
        if self.range_start == RangeStart::AfterCompaction {
            start = start.max(sizes.after_previous);
        }
        let cut = context_cut(sizes, start, self.keep_recent_tokens);
        sizes.tail(start, cut.turn_start, cut.first_kept)
    }
}
