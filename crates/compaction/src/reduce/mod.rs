//! The second stage: what is made smaller without a model. The steps of a preset are taken in
//! order; each sees what the ones before left.

mod cap_tool_results;
mod clear_oldest_results;
mod clear_thinking;
mod clear_tool_results;
mod clear_tool_uses;
mod drop_repeated_reads;
mod keep_resulting_code;
mod mask_results;
mod prune_tool_results;
mod replace_images;
mod shorten_old_results;
mod trim_span;

pub use cap_tool_results::CapToolResults;
pub use clear_oldest_results::ClearOldestResults;
pub use clear_thinking::{ClearThinking, ThinkingTurns, ThinkingWord};
pub use clear_tool_results::ClearToolResults;
pub use clear_tool_uses::ClearToolUses;
pub use drop_repeated_reads::DropRepeatedReads;
pub(crate) use drop_repeated_reads::older_reads;
pub use keep_resulting_code::KeepResultingCode;
pub use mask_results::MaskResults;
pub use prune_tool_results::PruneToolResults;
pub use replace_images::ReplaceImages;
pub use shorten_old_results::ShortenOldResults;
pub use trim_span::TrimSpan;

use crate::params::ParamDoc;
use crate::plan::{Change, PlanInput};
use crate::select::{Fate, Selection};
use palimpsest_core::json::utf16_len;
use palimpsest_core::{Block, BodyError, Message};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reduce {
    /// Old tool results give way to a placeholder.
    ClearToolResults(ClearToolResults),
    /// Long tool results are cut.
    CapToolResults(CapToolResults),
    /// The oldest tool results give way to a placeholder until few enough are left.
    ClearOldestResults(ClearOldestResults),
    /// The reasoning of earlier turns goes.
    ClearThinking(ClearThinking),
    /// Old tool uses are cleared when the context is large.
    ClearToolUses(ClearToolUses),
    /// Tool results beyond a number of tokens give way to a placeholder.
    PruneToolResults(PruneToolResults),
    /// Images give way to a word.
    ReplaceImages(ReplaceImages),
    /// Tool results outside a window give way to a placeholder.
    MaskResults(MaskResults),
    /// Only the newest of what is summarized is shown.
    TrimSpan(TrimSpan),
    /// Of files that were read several times only the newest result stays.
    DropRepeatedReads(DropRepeatedReads),
    /// Edits keep the code they led to.
    KeepResultingCode(KeepResultingCode),
    /// Tool results beyond a number of tokens keep their ends.
    ShortenOldResults(ShortenOldResults),
}

/// To which items a step applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// What stays and what is summarized.
    #[default]
    All,
    /// What stays.
    Kept,
    /// What is summarized.
    Summarized,
}

impl Scope {
    /// The words of a parameter of this type.
    pub(crate) const WORDS: &'static [&'static str] = &["all", "kept", "summarized"];

    fn takes(self, fate: Fate) -> bool {
        match fate {
            Fate::Kept => self != Scope::Summarized,
            Fate::Summarized | Fate::TurnPrefix => self != Scope::Kept,
            Fate::System | Fate::Carried | Fate::Dropped => false,
        }
    }
}

/// An item on its way through the stages.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// What becomes of it.
    pub fate: Fate,
    /// Its estimated tokens, as it is now.
    pub tokens: u64,
    /// What stands in its place, with the step that put it there.
    changed: Option<(Changed, &'static str)>,
}

/// What stands in an item's place.
#[derive(Debug, Clone, PartialEq)]
enum Changed {
    /// Nothing.
    Gone,
    /// Another message.
    Message(Message),
    /// The same message with a text for all of its content. It is made when it is asked for:
    /// most of what is cleared lies in what no call shows.
    Cleared(Arc<str>),
}

/// The context between the stages.
pub struct Draft<'a> {
    /// What the plan is made from.
    pub input: &'a PlanInput<'a>,
    /// One for each item of the context.
    pub pieces: Vec<Piece>,
}

impl<'a> Draft<'a> {
    /// The context as it is, with the fates that were chosen.
    pub fn new(input: &'a PlanInput<'a>, selection: &Selection) -> Draft<'a> {
        let items = input.context.items.iter().zip(&selection.fates);
        let pieces = items
            .map(|(item, &fate)| Piece {
                fate,
                tokens: item.estimate,
                changed: None,
            })
            .collect();
        Draft { input, pieces }
    }

    /// Positions of the pieces with this fate that are still there, in order.
    pub fn items(&self, fate: Fate) -> Vec<usize> {
        (0..self.pieces.len())
            .filter(|&at| self.pieces[at].fate == fate && !self.is_gone(at))
            .collect()
    }

    /// Positions of the pieces to which a step of this scope applies, in order.
    pub fn within(&self, scope: Scope) -> Vec<usize> {
        (0..self.pieces.len())
            .filter(|&at| scope.takes(self.pieces[at].fate) && !self.is_gone(at))
            .collect()
    }

    /// Whether a step changed the item at this position.
    pub fn is_changed(&self, at: usize) -> bool {
        self.pieces[at].changed.is_some()
    }

    fn is_gone(&self, at: usize) -> bool {
        matches!(&self.pieces[at].changed, Some((Changed::Gone, _)))
    }

    /// The message of the item at this position, as it is now.
    pub fn message(&self, at: usize) -> Result<Message, BodyError> {
        let own = || self.input.messages.message(&self.input.context.items[at]);
        match &self.pieces[at].changed {
            Some((Changed::Message(message), _)) => Ok(message.clone()),
            Some((Changed::Cleared(placeholder), _)) => {
                let blocks = vec![Block::Text(placeholder.to_string())];
                own().map(|message| Message { blocks, ..message })
            }
            Some((Changed::Gone, _)) | None => own(),
        }
    }

    /// Puts `placeholder` in the place of all that the items at these positions say, where that
    /// is smaller.
    pub fn clear(
        &mut self,
        positions: impl IntoIterator<Item = usize>,
        placeholder: &str,
        by: &'static str,
    ) {
        let tokens = crate::plan::estimate(placeholder);
        let placeholder: Arc<str> = placeholder.into();
        for at in positions {
            let piece = &mut self.pieces[at];
            if tokens < piece.tokens {
                piece.tokens = tokens;
                piece.changed = Some((Changed::Cleared(Arc::clone(&placeholder)), by));
            }
        }
    }

    /// Puts `message` in the place of the item at this position. A message that is not smaller
    /// changes nothing.
    pub fn replace(&mut self, at: usize, message: Message, by: &'static str) {
        let tokens = estimate_message(&message);
        let piece = &mut self.pieces[at];
        if tokens < piece.tokens {
            piece.tokens = tokens;
            piece.changed = Some((Changed::Message(message), by));
        }
    }

    /// Takes the item at this position out. A step that takes out a tool call must take out its
    /// results as well.
    pub fn remove(&mut self, at: usize, by: &'static str) {
        let piece = &mut self.pieces[at];
        piece.tokens = 0;
        piece.changed = Some((Changed::Gone, by));
    }

    /// What was changed.
    pub fn changes(&self) -> Vec<Change> {
        let items = self.input.context.items.iter().zip(&self.pieces);
        items
            .enumerate()
            .filter_map(|(at, (item, piece))| {
                let (_, by) = piece.changed.as_ref()?;
                Some(Change {
                    item: at,
                    entry: item.entries.first().copied(),
                    by,
                    tokens_before: item.estimate,
                    tokens_after: piece.tokens,
                })
            })
            .collect()
    }
}

/// Estimated tokens of a message: UTF-16 units of its texts, calls and reasoning through four,
/// 4,800 units for an image (pi 1.5, `estimateTokens`).
pub fn estimate_message(message: &Message) -> u64 {
    const IMAGE_UNITS: u64 = 4_800;
    let units = |block: &Block| match block {
        Block::Text(text) | Block::ToolsAdded(text) => utf16_len(text),
        Block::Thinking { text, .. } => utf16_len(text),
        Block::ToolCall {
            name, arguments, ..
        } => utf16_len(name) + utf16_len(arguments),
        Block::Image { .. } => IMAGE_UNITS,
        Block::Section { text, .. } => text.as_deref().map_or(0, utf16_len),
        Block::Opaque { .. } => 0,
    };
    message.blocks.iter().map(units).sum::<u64>().div_ceil(4)
}

impl Reduce {
    /// Takes the step.
    pub fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        match self {
            Reduce::ClearToolResults(own) => own.apply(draft),
            Reduce::CapToolResults(own) => own.apply(draft),
            Reduce::ClearOldestResults(own) => own.apply(draft),
            Reduce::ClearThinking(own) => own.apply(draft),
            Reduce::ClearToolUses(own) => own.apply(draft),
            Reduce::PruneToolResults(own) => own.apply(draft),
            Reduce::ReplaceImages(own) => own.apply(draft),
            Reduce::MaskResults(own) => own.apply(draft),
            Reduce::DropRepeatedReads(own) => own.apply(draft),
            Reduce::KeepResultingCode(own) => own.apply(draft),
            Reduce::ShortenOldResults(own) => own.apply(draft),
            Reduce::TrimSpan(own) => {
                own.apply(draft);
                Ok(())
            }
        }
    }

    /// Its parameters.
    pub fn docs(&self) -> &'static [ParamDoc] {
        match self {
            Reduce::ClearToolResults(_) => ClearToolResults::DOCS,
            Reduce::CapToolResults(_) => CapToolResults::DOCS,
            Reduce::ClearOldestResults(_) => ClearOldestResults::DOCS,
            Reduce::ClearThinking(_) => ClearThinking::DOCS,
            Reduce::ClearToolUses(_) => ClearToolUses::DOCS,
            Reduce::PruneToolResults(_) => PruneToolResults::DOCS,
            Reduce::ReplaceImages(_) => ReplaceImages::DOCS,
            Reduce::MaskResults(_) => MaskResults::DOCS,
            Reduce::TrimSpan(_) => TrimSpan::DOCS,
            Reduce::DropRepeatedReads(_) => DropRepeatedReads::DOCS,
            Reduce::KeepResultingCode(_) => KeepResultingCode::DOCS,
            Reduce::ShortenOldResults(_) => ShortenOldResults::DOCS,
        }
    }
}
