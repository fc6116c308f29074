//! The newest share of the conversation stays, by the characters of its messages (Gemini CLI
//! 0.61.0, `chatCompressionService`, the split of the history).

use super::{Fate, Scene, Selection};
use crate::params::{ParamDoc, ParamType};
use palimpsest_core::{EntryKind, Role};
use serde::{Deserialize, Serialize};

/// Parameters of the choice; the defaults are those of Gemini CLI 0.61.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeepShare {
    /// Share of the conversation that stays, 0 to 1. The agent measures the JSON of each message;
    /// here it is the estimate of its tokens, as both grow with the characters.
    pub keep_share: f64,
}

impl Default for KeepShare {
    fn default() -> Self {
        KeepShare { keep_share: 0.3 }
    }
}

impl KeepShare {
    pub(super) const DOCS: &'static [ParamDoc] = &[ParamDoc::new(
        "keep_share",
        ParamType::Number,
        "how much of the conversation stays as it is",
    )
    .within(0.0, 1.0)
    .unit("share")];

    /// The split is the first prompt of the user before which the share to summarize is reached.
    /// Without one everything goes when the model has had the last word, else all before the last
    /// prompt.
    pub(super) fn select(&self, scene: &Scene<'_>) -> Selection {
        let start = scene.start();
        let sizes: Vec<u64> = (start..scene.len())
            .map(|position| scene.tokens(position))
            .collect();
        let enough = sizes.iter().sum::<u64>() as f64 * (1.0 - self.keep_share);
        let mut before = 0;
        let mut split = start;
        for (offset, size) in sizes.iter().enumerate() {
            if scene.is_prompt(start + offset) {
                if before as f64 >= enough && before > 0 {
                    return scene.tail(start, None, start + offset);
                }
                split = start + offset;
            }
            before += size;
        }
        match has_last_word(scene) {
            true => scene.with_fates(|_| Fate::Summarized),
            false => scene.tail(start, None, split),
        }
    }
}

/// True when the newest message is the model's and calls no tool.
fn has_last_word(scene: &Scene<'_>) -> bool {
    let newest = (0..scene.len()).rev().find(|&at| scene.tokens(at) > 0);
    newest.is_some_and(|at| {
        let entry = scene.input.session.entry(scene.entries[at].entry);
        entry.kind == EntryKind::Message(Role::Assistant) && entry.tool_calls.is_empty()
    })
}
