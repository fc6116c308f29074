//! A cut where the user wants it: what is before an entry is summarized, the rest stays.

use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sized_context::SizedContext;
use serde::{Deserialize, Serialize};

/// Parameters of the choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CutAt {
    /// Id of the first entry that stays. Where no cut may fall before it, because results would
    /// be parted from their calls, the nearest earlier place is taken. Empty keeps nothing; one
    /// that is not in the context leaves nothing to do.
    pub first_kept: String,
    /// Whether the beginning of a turn that the cut falls into is summarized by itself (pi 0.31
    /// and later), where the strategy can do so.
    pub split_turns: bool,
}

impl Default for CutAt {
    fn default() -> Self {
        CutAt {
            first_kept: String::new(),
            split_turns: true,
        }
    }
}

impl CutAt {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "first_kept",
            ParamType::Text,
            "id of the first kept entry; empty keeps nothing",
        ),
        ParamDoc::yes_no(
            "split_turns",
            "summarize the turn prefix separately, if the strategy supports it",
        ),
    ];

    pub(super) fn select(&self, sized: &SizedContext<'_>) -> Selection {
        let start = sized.start();
        if self.first_kept.is_empty() {
            return sized.tail(start, None, sized.len());
        }
        let Some(wanted) = sized.position_of(&self.first_kept) else {
            return sized.with_fates(|_| Fate::Kept);
        };
        let cut = sized.cut_at_or_before(wanted).max(start);
        let splits = self.split_turns && !sized.starts_turn(cut);
        let turn_start = if splits {
            (start..cut).rev().find(|&at| sized.starts_turn(at))
        } else {
            None
        };
        sized.tail(start, turn_start, cut)
    }
}
