//! Old tool calls with their results are summarized, each pair by itself; all else stays (Goose,
//! behind a flag that is off).

use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sized_context::SizedContext;
use crate::workpiece::tool_groups::groups;
use serde::{Deserialize, Serialize};

/// Parameters of the choice; the defaults are those of Goose for a window of up to 125,000 tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OldToolPairs {
    /// Tool calls that stay, the newest (Goose, `GOOSE_TOOL_CALL_CUTOFF`: 10; in later versions one
    /// for each 10,000 tokens below the line of its compaction, within 10 and 500).
    pub keep_tool_uses: u64,
    /// Whether those since the user's last prompt stay beside them and are not counted (Goose).
    pub spare_turn: bool,
    /// Most tool calls that are summarized at once, the oldest; 0 is no limit. Goose, which looks
    /// again and again while it works, takes a fifth of those that stay, and at least three.
    pub most_tool_uses: u64,
}

impl Default for OldToolPairs {
    fn default() -> Self {
        OldToolPairs {
            keep_tool_uses: 10,
            spare_turn: true,
            most_tool_uses: 0,
        }
    }
}

impl OldToolPairs {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "keep_tool_uses",
            ParamType::Integer,
            "number of the newest tool uses to keep",
        )
        .unit("tool uses"),
        ParamDoc::yes_no(
            "spare_turn",
            "also keep the tool uses since the last prompt",
        ),
        ParamDoc::new(
            "most_tool_uses",
            ParamType::Integer,
            "number of the oldest tool uses to summarize; 0 means all",
        )
        .unit("tool uses"),
    ];

    /// Calls that were made together go together, with all their results, and only when the newest
    /// of them may go. A call without its result stays.
    pub(super) fn select(&self, sized: &SizedContext<'_>) -> Selection {
        let start = sized.start();
        let calls = |from: usize, to: usize| -> u64 {
            (from..to).map(|position| sized.tool_calls(position)).sum()
        };
        let prompt = (start..sized.len()).rev().find(|&at| sized.is_prompt(at));
        let spared = match prompt {
            Some(at) if self.spare_turn => calls(at, sized.len()),
            _ => 0,
        };
        let stay = spared.saturating_add(self.keep_tool_uses);
        let old = calls(start, sized.len()).saturating_sub(stay);
        let most = match self.most_tool_uses {
            0 => old,
            most => old.min(most),
        };
        let mut goes = vec![false; sized.len()];
        let mut seen = 0;
        for group in groups(sized, start) {
            seen += group.calls;
            if seen > most {
                break;
            }
            group.pairs(sized).for_each(|at| goes[at] = true);
        }
        sized.with_fates(|position| match (position < start, goes[position]) {
            (true, _) => Fate::Dropped,
            (false, true) => Fate::Summarized,
            (false, false) => Fate::Kept,
        })
    }
}
