//! The reasoning of earlier turns goes (Anthropic's API, `clear_thinking_20251015`).

use super::Draft;
use crate::params::{ParamDoc, ParamType};
use crate::select::Fate;
use palimpsest_core::{Block, BodyError, Category, ItemKind, Role};
use serde::{Deserialize, Serialize};

/// Parameters of the step; the default is that of the API.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClearThinking {
    /// Newest turns with reasoning that keep it.
    pub keep_thinking_turns: u64,
}

impl Default for ClearThinking {
    fn default() -> Self {
        ClearThinking {
            keep_thinking_turns: 1,
        }
    }
}

impl ClearThinking {
    const NAME: &'static str = "clear_thinking";

    pub(super) const DOCS: &'static [ParamDoc] = &[ParamDoc::new(
        "keep_thinking_turns",
        ParamType::Integer,
        "how many of the newest turns with reasoning keep it",
    )
    .unit("turns")];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        let items = &draft.input.context.items;
        let mut turns = 0;
        let mut turn_thinks = false;
        for at in (0..items.len()).rev() {
            let item = &items[at];
            if item.role == Role::User && item.kind == ItemKind::Message {
                turn_thinks = false;
            }
            let mut categories = item.by_category.iter();
            let thinks = categories.any(|(own, _)| *own == Category::Thinking);
            if item.role != Role::Assistant || !thinks || draft.pieces[at].fate != Fate::Kept {
                continue;
            }
            if !turn_thinks {
                turn_thinks = true;
                turns += 1;
            }
            if turns <= self.keep_thinking_turns {
                continue;
            }
            let mut message = draft.message(at)?;
            message
                .blocks
                .retain(|block| !matches!(block, Block::Thinking { .. }));
            draft.replace(at, message, Self::NAME);
        }
        Ok(())
    }
}
