//! How messages are written out for a summarizer.

mod labelled;
mod pi;
mod roles;

pub use labelled::Labelled;
pub use pi::{BRANCH_INTRO, COMPACTION_INTRO, PiTranscript, serialize};
pub use roles::{RoleBlocks, ToolBlocks};

use crate::params::ParamDoc;
use crate::plan::{ItemText, PromptPart};
use crate::preset::template::Conversation;
use crate::reduce::Draft;
use palimpsest_core::{BodyError, ContextItem, Message, Role, Session};
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

/// A form of writing messages out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Transcript {
    /// pi's, with its labels in brackets.
    Pi(PiTranscript),
    /// That of pi's study of strategies: the speaker's name above each message.
    RoleBlocks(RoleBlocks),
    /// Labels that the preset gives.
    Labelled(Labelled),
}

impl Default for Transcript {
    fn default() -> Self {
        Transcript::Pi(PiTranscript::default())
    }
}

/// A message written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Position in the context's items.
    pub item: usize,
    /// The text, with the speaker.
    pub text: Arc<String>,
    /// Estimated tokens of what was said, without the speaker.
    pub tokens: u64,
    /// Messages of the same unit belong together: a call and its results.
    pub unit: usize,
    /// True for the result of a tool.
    pub is_tool_result: bool,
    /// True when a turn begins here.
    pub starts_turn: bool,
}

impl Transcript {
    /// Its parameters.
    pub fn docs(&self) -> &'static [ParamDoc] {
        match self {
            Transcript::Pi(_) => PiTranscript::DOCS,
            Transcript::RoleBlocks(_) => RoleBlocks::DOCS,
            Transcript::Labelled(_) => Labelled::DOCS,
        }
    }

    /// What stands between two messages.
    pub fn separator(&self) -> &str {
        match self {
            Transcript::Pi(_) => "\n\n",
            Transcript::RoleBlocks(_) => RoleBlocks::SEPARATOR,
            Transcript::Labelled(own) => &own.separator,
        }
    }

    /// The items at `positions` as text; those that say nothing are left out.
    pub fn write(&self, draft: &Draft<'_>, positions: &[usize]) -> Result<Vec<Written>, BodyError> {
        let items = &draft.input.context.items;
        let form = self.number();
        let mut written = Vec::with_capacity(positions.len());
        let mut unit = 0;
        for &at in positions {
            let item = &items[at];
            let is_tool_result = item.role == Role::Tool;
            if !is_tool_result {
                unit += 1;
            }
            let mut make = || {
                draft
                    .message(at)
                    .map(|message| self.item_text(draft.input.session, item, &message))
            };
            let text = match draft.is_changed(at) {
                true => make(),
                false => draft.input.messages.written(item, form, &mut make),
            }?;
            if text.text.is_empty() {
                continue;
            }
            written.push(Written {
                item: at,
                tokens: text.tokens,
                text: text.text,
                unit,
                is_tool_result,
                starts_turn: item.role == Role::User,
            });
        }
        Ok(written)
    }

    fn item_text(&self, session: &Session, item: &ContextItem, message: &Message) -> ItemText {
        let (speaker, text) = match self {
            Transcript::Pi(own) => (String::new(), own.text(item.kind, message)),
            Transcript::RoleBlocks(own) => own.text(session, item, message),
            Transcript::Labelled(own) => (String::new(), own.text(item.kind, message)),
        };
        let tokens = crate::plan::estimate(&text);
        let text = match text.is_empty() {
            true => text,
            false => speaker + &text,
        };
        ItemText {
            text: Arc::new(text),
            tokens,
        }
    }

    /// A number that this form has and no other: a hash over its parameters.
    fn number(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        serde_json::to_string(self)
            .unwrap_or_default()
            .hash(&mut hasher);
        hasher.finish()
    }

    /// Messages that were written out as one text.
    pub fn join(&self, written: &[Written]) -> Conversation {
        let separator = self.separator();
        let bytes = written.iter().map(|own| own.text.len() + separator.len());
        let mut conversation = Conversation {
            text: String::with_capacity(bytes.sum()),
            parts: Vec::with_capacity(written.len()),
        };
        for (at, own) in written.iter().enumerate() {
            let start = conversation.text.len();
            conversation.text.push_str(&own.text);
            if at + 1 < written.len() {
                conversation.text.push_str(separator);
            }
            conversation.parts.push(PromptPart {
                range: start..conversation.text.len(),
                item: own.item,
                unit: own.unit,
                is_tool_result: own.is_tool_result,
            });
        }
        conversation
    }
}

/// The longest beginning of `text` that has at most `units` UTF-16 units, and whether half of a
/// character would fit behind it.
pub(crate) fn head(text: &str, units: u64) -> (&str, bool) {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        let width = c.len_utf16() as u64;
        if used + width > units {
            return (&text[..at], used < units);
        }
        used += width;
    }
    (text, false)
}
