//! One side of an entry is summarized and the other stays (Claude Code 2.1, "Summarize from here"
//! and "up to here").

use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sized_context::SizedContext;
use serde::{Deserialize, Serialize};

/// Parameters of the choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FromEntry {
    /// Id of the entry; empty is the last message of the user. One that is not in the context
    /// leaves nothing to do.
    pub entry_id: String,
    /// Which side is summarized.
    pub direction: Direction,
}

/// Which side of an entry is summarized.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The entry and what follows it.
    #[default]
    From,
    /// The entry and what comes before it.
    UpTo,
}

impl Default for FromEntry {
    fn default() -> Self {
        FromEntry {
            entry_id: String::new(),
            direction: Direction::From,
        }
    }
}

impl FromEntry {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "entry_id",
            ParamType::Text,
            "id of the entry; empty means the last user message",
        ),
        ParamDoc::word(
            "direction",
            &["from", "up_to"],
            "summarize from the entry or up to the entry",
        ),
    ];

    /// A tool result is on the side of its call.
    pub(super) fn select(&self, sized: &SizedContext<'_>) -> Selection {
        let start = sized.start();
        // What lies before the start was summarized already.
        let Some(at) = self.position(sized).filter(|&at| at >= start) else {
            return sized.with_fates(|_| Fate::Kept);
        };
        match self.direction {
            Direction::From => {
                let cut = sized.cut_at_or_before(at).max(start);
                sized.with_fates(|position| {
                    if position < cut {
                        Fate::Kept
                    } else {
                        Fate::Summarized
                    }
                })
            }
            Direction::UpTo => {
                let mut behind = at + 1..sized.len();
                let cut = behind.find(|&next| sized.may_cut_before(next));
                sized.tail(start, None, cut.unwrap_or(sized.len()))
            }
        }
    }

    fn position(&self, sized: &SizedContext<'_>) -> Option<usize> {
        match self.entry_id.as_str() {
            "" => (0..sized.len()).rev().find(|&at| sized.is_prompt(at)),
            id => sized.position_of(id),
        }
    }
}
