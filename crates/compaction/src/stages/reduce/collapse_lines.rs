//! Equal lines that follow each other become one with their number (the Zed fork kask).

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::{Draft, Scope};
use crate::workpiece::edit::Edit;
use palimpsest_core::BodyError;
use serde::{Deserialize, Serialize};

/// Parameters of the step; the defaults are kask's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CollapseLines {
    /// Equal lines in a row from which on they become one.
    pub min_lines: u64,
    /// Where it applies.
    pub scope: Scope,
}

impl Default for CollapseLines {
    fn default() -> Self {
        CollapseLines {
            min_lines: 3,
            scope: Scope::Summarized,
        }
    }
}

impl CollapseLines {
    const NAME: &'static str = "collapse_lines";

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "min_lines",
            ParamType::Integer,
            "minimum number of identical consecutive lines to collapse",
        )
        .at_least(2.0)
        .unit("lines"),
        ParamDoc::word(
            "scope",
            Scope::WORDS,
            "the part of the context it applies to",
        ),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        let edit = Edit::Collapsed(self.min_lines);
        for at in draft.within(self.scope) {
            draft.edit(at, edit.clone(), Self::NAME)?;
        }
        Ok(())
    }
}
