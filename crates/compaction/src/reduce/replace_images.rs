//! Images give way to a word in what is summarized (Claude Code 2.1: `[image]`, `[document]`).

use super::edit::Edit;
use super::{Draft, Scope};
use crate::params::{ParamDoc, ParamType};
use palimpsest_core::{BodyError, Category, ContextItem, ItemKind, Role};
use serde::{Deserialize, Serialize};

/// Parameters of the step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReplaceImages {
    /// Where it applies.
    pub scope: Scope,
    /// What stands in an image's place.
    pub placeholder: String,
    /// Whether the images of the user's newest message stay (Cline's basic way).
    pub keep_newest: bool,
}

impl Default for ReplaceImages {
    fn default() -> Self {
        ReplaceImages {
            scope: Scope::Summarized,
            placeholder: "[image]".to_owned(),
            keep_newest: false,
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
        ParamDoc::yes_no(
            "keep_newest",
            "leave the images of the user's newest message where they are",
        ),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        let said = |item: &ContextItem| item.role == Role::User && item.kind == ItemKind::Message;
        let newest = draft.input.context.items.iter().rposition(said);
        for at in draft.within(self.scope) {
            if self.keep_newest && newest == Some(at) {
                continue;
            }
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
