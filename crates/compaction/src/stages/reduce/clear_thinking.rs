//! The reasoning of earlier turns goes (Anthropic's API, `clear_thinking_20251015`).

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::{Draft, Scope};
use crate::workpiece::edit::Edit;
use palimpsest_core::{BodyError, Category, ItemKind, Role};
use serde::{Deserialize, Serialize};

/// Parameters of the step; the default is that of the API.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClearThinking {
    /// Newest turns with reasoning that keep it, or all of them: a turn is what follows one message
    /// of the user. They are counted over the whole context.
    pub keep_thinking_turns: ThinkingTurns,
    /// Where it applies. Where there is a summary, what goes into it loses its reasoning as well.
    pub scope: Scope,
}

/// How many turns keep their reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ThinkingTurns {
    /// So many.
    Turns(u64),
    /// By a word.
    Word(ThinkingWord),
}

/// A word for a number of turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingWord {
    /// All of them.
    All,
}

impl Default for ClearThinking {
    fn default() -> Self {
        ClearThinking {
            keep_thinking_turns: ThinkingTurns::Turns(1),
            scope: Scope::All,
        }
    }
}

impl ClearThinking {
    const NAME: &'static str = "clear_thinking";

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "keep_thinking_turns",
            ParamType::IntegerOrWord,
            "number of the newest turns that keep their reasoning, or 'all'",
        )
        .unit("turns")
        .words(&["all"]),
        ParamDoc::word(
            "scope",
            Scope::WORDS,
            "the part of the context it applies to",
        ),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        let ThinkingTurns::Turns(keep) = self.keep_thinking_turns else {
            return Ok(());
        };
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
            if item.role != Role::Assistant || !thinks {
                continue;
            }
            if !turn_thinks {
                turn_thinks = true;
                turns += 1;
            }
            if turns <= keep || !self.scope.takes(draft.pieces[at].fate) {
                continue;
            }
            draft.edit(at, Edit::NoThinking, Self::NAME)?;
        }
        Ok(())
    }
}
