//! How messages are written out for a summarizer.

mod interleaved;
mod labelled;
pub(crate) mod messages;
pub(crate) mod pi;
mod roles;
mod speakers;
pub(crate) mod written;

pub use labelled::Labelled;
pub use pi::{BRANCH_INTRO, COMPACTION_INTRO, PiTranscript, serialize};
pub use roles::{RoleBlocks, ToolBlocks};
pub use speakers::Speakers;
pub use written::Written;

use crate::vocabulary::estimate::UNITS_PER_TOKEN;
use crate::vocabulary::memo::{Weight, question};
use crate::vocabulary::params::ParamDoc;
use crate::vocabulary::prompt::Conversation;
use crate::vocabulary::slot::PromptPart;
use crate::workpiece::draft::Draft;
use palimpsest_core::json::utf16_len;
use palimpsest_core::{BodyError, ContextItem, Message, Role, Session};
use serde::{Deserialize, Serialize};
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
    Labelled(Box<Labelled>),
    /// Droid's: rows under their speakers.
    Speakers(Speakers),
}

impl Default for Transcript {
    fn default() -> Self {
        Transcript::Pi(PiTranscript::default())
    }
}

/// An item of a context written out for a summarizer.
struct ItemText {
    /// The text, with the speaker; empty when there is nothing to say.
    text: Arc<String>,
    size: Size,
}

/// How long an item is as a summarizer gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    /// UTF-16 units of the text, with the speaker; 0 when there is nothing to say.
    units: u64,
    /// Estimated tokens of what was said, without the speaker.
    tokens: u64,
    /// Bytes of the text, with the speaker.
    bytes: u64,
}

impl Weight for ItemText {
    fn bytes(&self) -> usize {
        self.text.len()
    }
}

impl Weight for Size {}

impl Transcript {
    /// Its parameters.
    pub fn docs(&self) -> &'static [ParamDoc] {
        match self {
            Transcript::Pi(_) => PiTranscript::DOCS,
            Transcript::RoleBlocks(_) => RoleBlocks::DOCS,
            Transcript::Labelled(_) => Labelled::DOCS,
            Transcript::Speakers(_) => Speakers::DOCS,
        }
    }

    /// What stands between two messages.
    pub fn separator(&self) -> &str {
        match self {
            Transcript::Pi(_) => "\n\n",
            Transcript::RoleBlocks(_) => RoleBlocks::SEPARATOR,
            Transcript::Labelled(own) => &own.separator,
            Transcript::Speakers(_) => Speakers::SEPARATOR,
        }
    }

    /// The items at `positions` as text; those that say nothing are left out. Where the plan only
    /// counts they are measured, and their texts are empty.
    pub fn write(&self, draft: &Draft<'_>, positions: &[usize]) -> Result<Vec<Written>, BodyError> {
        if let Transcript::Labelled(own) = self
            && !own.part_separator.is_empty()
        {
            return own.write_interleaved(draft, positions, draft.only_counts);
        }
        if !draft.only_counts {
            return self.write_out(draft, positions);
        }
        let sizes = question("size in a transcript", self);
        let none = Arc::new(String::new());
        self.each(draft, positions, &|at| {
            let item = &draft.input.context.items[at];
            let size = draft.memo(at, sizes, |message| {
                self.item_text(draft.input.session, item, message).size
            })?;
            Ok((*size, Arc::clone(&none)))
        })
    }

    /// The items at `positions` as text, also where the plan only counts.
    pub(crate) fn write_out(
        &self,
        draft: &Draft<'_>,
        positions: &[usize],
    ) -> Result<Vec<Written>, BodyError> {
        if let Transcript::Labelled(own) = self
            && !own.part_separator.is_empty()
        {
            return own.write_interleaved(draft, positions, false);
        }
        let texts = question("text in a transcript", self);
        self.each(draft, positions, &|at| {
            let item = &draft.input.context.items[at];
            let own = draft.memo(at, texts, |message| {
                self.item_text(draft.input.session, item, message)
            })?;
            Ok((own.size, Arc::clone(&own.text)))
        })
    }

    /// The items at `positions`, with the size and the text that `text` gives by position.
    fn each(
        &self,
        draft: &Draft<'_>,
        positions: &[usize],
        text: &dyn Fn(usize) -> Result<(Size, Arc<String>), BodyError>,
    ) -> Result<Vec<Written>, BodyError> {
        let items = &draft.input.context.items;
        let mut written = Vec::with_capacity(positions.len());
        let mut unit = 0;
        for &at in positions {
            let item = &items[at];
            let is_tool_result = item.role == Role::Tool;
            // Results have the number of the message they follow.
            if !is_tool_result {
                unit += 1;
            }
            let (size, text) = text(at)?;
            if size.units == 0 {
                continue;
            }
            written.push(Written {
                item: at,
                tokens: size.tokens,
                units: size.units,
                bytes: size.bytes,
                text,
                unit,
                is_tool_result,
                starts_turn: item.role == Role::User,
                is_tight: false,
            });
        }
        if let Transcript::Labelled(own) = self
            && !own.orphan_result.is_empty()
        {
            own.answer_orphans(draft, positions, &mut written);
        }
        if matches!(self, Transcript::Speakers(_)) {
            Speakers::introduce(draft, &mut written);
        }
        Ok(written)
    }

    fn item_text(&self, session: &Session, item: &ContextItem, message: &Message) -> ItemText {
        let (speaker, text) = match self {
            Transcript::Pi(own) => (String::new(), own.text(item.kind, message)),
            Transcript::RoleBlocks(own) => own.text(session, item, message),
            Transcript::Labelled(own) => (String::new(), own.text(item.kind, message)),
            Transcript::Speakers(own) => (String::new(), own.text(item, message)),
        };
        let said = utf16_len(&text);
        // A speaker who says nothing is left out.
        let (text, units) = if text.is_empty() {
            (text, 0)
        } else {
            let units = utf16_len(&speaker) + said;
            (speaker + &text, units)
        };
        ItemText {
            size: Size {
                bytes: text.len() as u64,
                units,
                tokens: said.div_ceil(UNITS_PER_TOKEN),
            },
            text: Arc::new(text),
        }
    }

    /// Messages that were written out as one text.
    pub fn join(&self, written: &[Written]) -> Conversation {
        let between = utf16_len(self.separator());
        let tight = match self {
            Transcript::Labelled(own) => own.part_separator.as_str(),
            Transcript::Speakers(_) => Speakers::TIGHT,
            Transcript::Pi(_) | Transcript::RoleBlocks(_) => "",
        };
        let between_parts = utf16_len(tight);
        let mut conversation = Conversation {
            separator: self.separator().to_owned(),
            tight_separator: tight.to_owned(),
            tight: Vec::new(),
            texts: Vec::with_capacity(written.len()),
            parts: Vec::with_capacity(written.len()),
            len: 0,
            units: 0,
            messages: Vec::new(),
        };
        for (at, own) in written.iter().enumerate() {
            let is_last = at + 1 == written.len();
            let start = conversation.len;
            // What is only counted has no place in the prompt.
            if !own.text.is_empty() {
                conversation.len += own.text.len();
                if !is_last {
                    conversation.len += if own.is_tight {
                        conversation.tight_separator.len()
                    } else {
                        conversation.separator.len()
                    };
                }
                conversation.texts.push(Arc::clone(&own.text));
                conversation.tight.push(own.is_tight);
            }
            let behind = if own.is_tight { between_parts } else { between };
            let units = own.units + if is_last { 0 } else { behind };
            conversation.units += units;
            conversation.parts.push(PromptPart {
                range: start..conversation.len,
                item: own.item,
                unit: own.unit,
                is_tool_result: own.is_tool_result,
                units,
            });
        }
        conversation
    }
}
