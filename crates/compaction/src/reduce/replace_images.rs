//! Images give way to a word in what is summarized (Claude Code 2.1: `[image]`, `[document]`).

use super::edit::Edit;
use super::{Draft, Scope};
use crate::params::{ParamDoc, ParamType};
use palimpsest_core::{BodyError, Category};
use serde::{Deserialize, Serialize};

/// Parameters of the step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReplaceImages {
    /// Where it applies.
    pub scope: Scope,
    /// What stands in an image's place.
    pub placeholder: String,
}

impl Default for ReplaceImages {
    fn default() -> Self {
        ReplaceImages {
            scope: Scope::Summarized,
            placeholder: "[image]".to_owned(),
        }
    }
}

impl ReplaceImages {
    const NAME: &'static str = "replace_images";

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::word(
            "scope",
            Scope::WORDS,
            "which part of the context it applies to",
        ),
        ParamDoc::new(
            "placeholder",
            ParamType::Text,
            "what stands in the place of an image",
        ),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        for at in draft.within(self.scope) {
            // Only messages that count as having images need be read.
            let categories = &draft.input.context.items[at].by_category;
            if !categories.iter().any(|(own, _)| *own == Category::Images) {
                continue;
            }
            let edit = Edit::NoImages(self.placeholder.as_str().into());
            draft.edit(at, edit, Self::NAME)?;
        }
        Ok(())
    }
}
