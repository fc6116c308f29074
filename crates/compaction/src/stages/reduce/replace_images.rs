//! Images and documents in the summarized span are replaced with a word (Claude Code 2.1:
//! `[image]`, `[document]`).

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::{Draft, Scope};
use crate::workpiece::edit::Edit;
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
    /// What stands in a document's place, such as that of a PDF file.
    pub document_placeholder: String,
    /// Whether the images and documents of the user's newest message stay (Cline's basic way).
    pub keep_newest: bool,
}

impl Default for ReplaceImages {
    fn default() -> Self {
        ReplaceImages {
            scope: Scope::Summarized,
            placeholder: "[image]".to_owned(),
            document_placeholder: "[document]".to_owned(),
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
            "the part of the context it applies to",
        ),
        ParamDoc::new("placeholder", ParamType::Text, "placeholder for an image"),
        ParamDoc::new(
            "document_placeholder",
            ParamType::Text,
            "placeholder for a document",
        ),
        ParamDoc::yes_no(
            "keep_newest",
            "keep the images and documents of the newest user message",
        ),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        let said = |item: &ContextItem| item.role == Role::User && item.kind == ItemKind::Message;
        let newest = draft.input.context.items.iter().rposition(said);
        for at in draft.within(self.scope) {
            if self.keep_newest && newest == Some(at) {
                continue;
            }
            // Only messages that count as having images need be read; documents count as such.
            let categories = &draft.input.context.items[at].by_category;
            if !categories.iter().any(|(own, _)| *own == Category::Images) {
                continue;
            }
            let edit = Edit::NoImages {
                image: self.placeholder.as_str().into(),
                document: self.document_placeholder.as_str().into(),
            };
            draft.edit(at, edit, Self::NAME)?;
        }
        Ok(())
    }
}
