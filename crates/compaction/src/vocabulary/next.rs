//! An item of the next request.

use crate::vocabulary::summary::SummaryPart;
use palimpsest_core::Role;
use serde::Serialize;

/// An item of the next request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NextItem {
    /// An item of the context, as the reduce stage left it.
    Kept {
        /// Position in the context's items.
        item: usize,
        /// Estimated tokens.
        tokens: u64,
    },
    /// The summary, with words around it.
    Summary {
        /// Under which role it is sent.
        role: Role,
        /// Texts and replies.
        parts: Vec<SummaryPart>,
        /// Of the texts, estimated tokens of messages that are sent again in it.
        #[serde(skip_serializing_if = "is_zero")]
        again_tokens: u64,
    },
    /// A text.
    Text {
        /// Who says it.
        role: Role,
        /// The text.
        text: String,
        /// Estimated tokens.
        tokens: u64,
    },
}

fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

impl NextItem {
    /// The parts of a summary, to be changed.
    pub(crate) fn summary_parts(&mut self) -> Option<&mut Vec<SummaryPart>> {
        match self {
            NextItem::Summary { parts, .. } => Some(parts),
            NextItem::Kept { .. } | NextItem::Text { .. } => None,
        }
    }

    /// A text with its size.
    pub(crate) fn text(role: Role, text: &str) -> NextItem {
        NextItem::Text {
            role,
            tokens: crate::vocabulary::estimate::estimate(text),
            text: text.to_owned(),
        }
    }
}
