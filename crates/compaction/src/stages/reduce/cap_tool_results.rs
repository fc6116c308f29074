//! Long tool results are cut to a number of characters (2,000 in most agents' serialized
//! conversations; 10,000 in OpenHands and mini-swe-agent).

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::{Draft, Scope};
use crate::workpiece::edit::Edit;
use palimpsest_core::{BodyError, Role};
use serde::{Deserialize, Serialize};

/// Parameters of the step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CapToolResults {
    /// UTF-16 units of a result's text that stay.
    pub max_chars: u64,
    /// Where it applies.
    pub scope: Scope,
}

impl Default for CapToolResults {
    fn default() -> Self {
        CapToolResults {
            max_chars: 10_000,
            scope: Scope::All,
        }
    }
}

impl CapToolResults {
    const NAME: &'static str = "cap_tool_results";

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "max_chars",
            ParamType::Integer,
            "length at which a tool result is truncated",
        )
        .at_least(1.0)
        .unit("UTF-16 units"),
        ParamDoc::word(
            "scope",
            Scope::WORDS,
            "the part of the context it applies to",
        ),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        for at in draft.within(self.scope) {
            let is_result = draft.input.context.items[at].role == Role::Tool;
            // Four units are one token, so a shorter result need not be read.
            if !is_result || draft.pieces[at].tokens * 4 <= self.max_chars {
                continue;
            }
            draft.edit(at, Edit::Capped(self.max_chars), Self::NAME)?;
        }
        Ok(())
    }
}
