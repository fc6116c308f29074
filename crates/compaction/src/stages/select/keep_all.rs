//! Everything stays, for strategies that only make messages smaller (OpenCode's prune, Claude Code's
//! microcompaction, Anthropic's context editing).

use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::ParamDoc;
use crate::vocabulary::selection::Selection;
use crate::workpiece::scene::Scene;
use serde::{Deserialize, Serialize};

/// The choice, which has no parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeepAll {}

impl KeepAll {
    pub(super) const DOCS: &'static [ParamDoc] = &[];

    pub(super) fn select(&self, scene: &Scene<'_>) -> Selection {
        let start = scene.start();
        let mut selection = scene.with_fates(|_| Fate::Kept);
        selection.first_kept = scene.entries.get(start).map(|seen| seen.entry);
        selection
    }
}
