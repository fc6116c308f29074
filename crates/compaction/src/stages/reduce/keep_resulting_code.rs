//! Edits keep the code they led to: what was replaced goes, and so do edits that only took
//! something away (PR-Agent's rule for diffs, additions over deletions, on the calls of a session).

use crate::vocabulary::params::ParamDoc;
use crate::workpiece::draft::{Draft, Scope};
use crate::workpiece::edit::Edit;
use palimpsest_core::entry::FileAccess;
use palimpsest_core::{BodyError, Role};
use serde::{Deserialize, Serialize};

/// Parameters of the step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeepResultingCode {
    /// Where it applies.
    pub scope: Scope,
}

impl KeepResultingCode {
    const NAME: &'static str = "keep_resulting_code";

    pub(super) const DOCS: &'static [ParamDoc] = &[ParamDoc::word(
        "scope",
        Scope::WORDS,
        "the part of the context it applies to",
    )];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        for at in draft.within(self.scope) {
            let item = &draft.input.context.items[at];
            // By what is recorded of the calls, so that no other message is read.
            let mut entries = item.entries.iter();
            let edits = entries.any(|&entry| {
                let mut calls = draft.input.session.entry(entry).tool_calls.iter();
                calls.any(|call| call.access == Some(FileAccess::Edit))
            });
            if item.role != Role::Assistant || !edits {
                continue;
            }
            draft.edit(at, Edit::ResultingCode, Self::NAME)?;
        }
        Ok(())
    }
}
