//! Everything stays, for strategies that only make messages smaller (OpenCode's prune, Claude Code's
//! microcompaction, Anthropic's context editing).

use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::ParamDoc;
use crate::vocabulary::selection::Selection;
use crate::workpiece::sized_context::SizedContext;
use serde::{Deserialize, Serialize};

/// The choice, which has no parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeepAll {}

impl KeepAll {
    pub(super) const DOCS: &'static [ParamDoc] = &[];

    pub(super) fn select(&self, sized: &SizedContext<'_>) -> Selection {
        let start = sized.start();
        let mut selection = sized.with_fates(|_| Fate::Kept);
        selection.first_kept = sized.entries.get(start).map(|seen| seen.entry);
        selection
    }
}
