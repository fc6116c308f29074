//! A number of tool uses stays, the newest, with all that was said since the first of them.

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sized_context::SizedContext;
use serde::{Deserialize, Serialize};

/// Parameters of the choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LastToolUses {
    /// Tool uses that stay, each with its result (Anthropic's context editing keeps 3).
    pub tool_uses: u64,
}

impl Default for LastToolUses {
    fn default() -> Self {
        LastToolUses { tool_uses: 3 }
    }
}

impl LastToolUses {
    pub(super) const DOCS: &'static [ParamDoc] = &[ParamDoc::new(
        "tool_uses",
        ParamType::Integer,
        "number of the newest tool uses to keep, with everything after the first of them",
    )
    .unit("tool uses")];

    /// Calls made together stay together, so that more can stay than asked for.
    pub(super) fn select(&self, sized: &SizedContext<'_>) -> Selection {
        let start = sized.start();
        let mut seen = 0;
        let mut first_kept = sized.len();
        for position in (start..sized.len()).rev() {
            if seen >= self.tool_uses {
                break;
            }
            let calls = sized.tool_calls(position);
            if calls > 0 {
                seen += calls;
                first_kept = position;
            }
        }
        // With fewer uses than asked for there is nothing older to part with.
        if seen < self.tool_uses {
            first_kept = start;
        }
        let first_kept = if first_kept < sized.len() {
            sized.cut_at_or_before(first_kept).max(start)
        } else {
            first_kept
        };
        sized.tail(start, None, first_kept)
    }
}
