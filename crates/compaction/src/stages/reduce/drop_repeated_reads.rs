//! Of files that were read several times only the newest result stays (Cline before its SDK, the
//! first thing it does when the context is full).

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::{Draft, Scope};
use crate::workpiece::repeated_reads::older_reads;
use palimpsest_core::BodyError;
use serde::{Deserialize, Serialize};

/// Parameters of the step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DropRepeatedReads {
    /// Nothing is dropped when less than this share of the tokens would be saved, 0 to 1.
    pub minimum_saving: f64,
    /// Where it applies.
    pub scope: Scope,
    /// What stands there afterwards.
    pub placeholder: String,
}

impl Default for DropRepeatedReads {
    fn default() -> Self {
        DropRepeatedReads {
            minimum_saving: 0.0,
            scope: Scope::All,
            placeholder: "[This file was read again later; see there.]".to_owned(),
        }
    }
}

impl DropRepeatedReads {
    const NAME: &'static str = "drop_repeated_reads";

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "minimum_saving",
            ParamType::Number,
            "minimum saving; otherwise nothing is dropped",
        )
        .within(0.0, 1.0)
        .unit("share"),
        ParamDoc::word(
            "scope",
            Scope::WORDS,
            "the part of the context it applies to",
        ),
        ParamDoc::new(
            "placeholder",
            ParamType::Text,
            "placeholder for a dropped result",
        ),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        let within = draft.within(self.scope);
        let older = older_reads(draft.input, &within)?;
        let tokens =
            |list: &[usize]| -> u64 { list.iter().map(|&at| draft.pieces[at].tokens).sum() };
        let (saved, all) = (tokens(&older), tokens(&within));
        if saved as f64 >= self.minimum_saving * all as f64 {
            draft.clear(older, &self.placeholder, Self::NAME);
        }
        Ok(())
    }
}
