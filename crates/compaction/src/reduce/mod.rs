//! The second stage: what is made smaller without a model. The steps of a preset are taken in
//! order; each sees what the ones before left.

mod cap_tool_results;
mod clear_oldest_results;
mod clear_thinking;
mod clear_tool_results;
mod clear_tool_uses;
mod collapse_lines;
mod drop_repeated_reads;
mod edit;
mod elide_tool_results;
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
pub use collapse_lines::CollapseLines;
pub use drop_repeated_reads::DropRepeatedReads;
pub(crate) use drop_repeated_reads::older_reads;
pub(crate) use edit::without_middle;
pub use elide_tool_results::ElideToolResults;
pub use keep_resulting_code::KeepResultingCode;
pub use mask_results::MaskResults;
pub use prune_tool_results::PruneToolResults;
pub use replace_images::ReplaceImages;
pub use shorten_old_results::ShortenOldResults;
pub use trim_span::TrimSpan;

use crate::params::ParamDoc;
use crate::plan::{Change, FactKey, PlanInput, Weight, item_subject, kept, question};
use crate::select::{Fate, Selection};
use edit::Edit;
use palimpsest_core::json::utf16_len;
use palimpsest_core::{Block, BodyError, Message};
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, LazyLock};

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
    /// Equal lines in a row become one.
    CollapseLines(CollapseLines),
    /// Long tool results keep their ends.
    ElideToolResults(ElideToolResults),
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
    /// What was done to it, step by step. A message is changed when it is asked for: most of
    /// what is cleared lies in what no call shows.
    edits: Vec<Edit>,
    /// True when nothing stands in its place.
    is_gone: bool,
    /// The step that changed it last.
    by: Option<&'static str>,
}

/// The context between the stages.
pub struct Draft<'a> {
    /// What the plan is made from.
    pub input: &'a PlanInput<'a>,
    /// One for each item of the context.
    pub pieces: Vec<Piece>,
    /// True when the conversations of calls are counted and not written out.
    pub only_counts: bool,
    /// Most bytes of the conversation in a call, where the method has such a limit.
    pub call_budget_bytes: Option<u64>,
}

impl<'a> Draft<'a> {
    /// The context as it is, with the fates that were chosen.
    pub fn new(input: &'a PlanInput<'a>, selection: &Selection) -> Draft<'a> {
        let items = input.context.items.iter().zip(&selection.fates);
        let pieces = items
            .map(|(item, &fate)| Piece {
                fate,
                tokens: item.estimate,
                edits: Vec::new(),
                is_gone: false,
                by: None,
            })
            .collect();
        Draft {
            input,
            pieces,
            only_counts: input.messages.only_counts(),
            call_budget_bytes: None,
        }
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

    fn is_gone(&self, at: usize) -> bool {
        self.pieces[at].is_gone
    }

    /// The message of the item at this position, as it is now.
    pub fn message(&self, at: usize) -> Result<Message, BodyError> {
        let mut message = self.input.messages.message(&self.input.context.items[at])?;
        for edit in &self.pieces[at].edits {
            if let Some(changed) = edit.apply(message.clone()) {
                message = changed;
            }
        }
        Ok(message)
    }

    /// What `answer` makes of the message of the item at this position, as it is now. `question`
    /// stands for what is asked, with all its parameters: the answer is kept for the next plan.
    pub(crate) fn fact<T: Weight + Send + Sync + 'static>(
        &self,
        at: usize,
        question: u64,
        answer: impl Fn(&Message) -> T,
    ) -> Result<Arc<T>, BodyError> {
        let key = FactKey {
            question,
            subject: self.subject(at, None),
            place: Some(at),
        };
        kept(self.input.messages, key, || {
            self.message(at).map(|message| answer(&message))
        })
    }

    /// A number that stands for the item at this position as it is now, and after one more change.
    pub(crate) fn subject(&self, at: usize, more: Option<&Edit>) -> u64 {
        let own = item_subject(&self.input.context.items[at]);
        let edits = &self.pieces[at].edits;
        if edits.is_empty() && more.is_none() {
            return own;
        }
        let mut hasher = DefaultHasher::new();
        own.hash(&mut hasher);
        for edit in edits.iter().chain(more) {
            edit.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Estimated tokens of the item at this position after one more change; `None` when there is
    /// nothing to change.
    fn tokens_after(&self, at: usize, edit: &Edit) -> Result<Option<u64>, BodyError> {
        static QUESTION: LazyLock<u64> = LazyLock::new(|| question("tokens after edits", &()));
        let key = FactKey {
            question: *QUESTION,
            subject: self.subject(at, Some(edit)),
            place: Some(at),
        };
        let tokens = kept(self.input.messages, key, || {
            let changed = edit.apply(self.message(at)?);
            Ok(changed.map(|message| estimate_message(&message)))
        })?;
        Ok(*tokens)
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
            self.put(at, Edit::Cleared(Arc::clone(&placeholder)), tokens, by);
        }
    }

    /// Changes the item at this position, where that makes it smaller.
    fn edit(&mut self, at: usize, edit: Edit, by: &'static str) -> Result<(), BodyError> {
        if let Some(tokens) = self.tokens_after(at, &edit)? {
            self.put(at, edit, tokens, by);
        }
        Ok(())
    }

    /// The same where the tokens that are left are known.
    fn put(&mut self, at: usize, edit: Edit, tokens: u64, by: &'static str) {
        let piece = &mut self.pieces[at];
        if tokens < piece.tokens {
            // What goes before has no part in a cleared message.
            if matches!(edit, Edit::Cleared(_)) {
                piece.edits.clear();
            }
            piece.tokens = tokens;
            piece.edits.push(edit);
            piece.by = Some(by);
        }
    }

    /// Takes the item at this position out. A step that takes out a tool call must take out its
    /// results as well.
    pub fn remove(&mut self, at: usize, by: &'static str) {
        let piece = &mut self.pieces[at];
        piece.tokens = 0;
        piece.edits.clear();
        piece.is_gone = true;
        piece.by = Some(by);
    }

    /// What was changed.
    pub fn changes(&self) -> Vec<Change> {
        let items = self.input.context.items.iter().zip(&self.pieces);
        items
            .enumerate()
            .filter_map(|(at, (item, piece))| {
                let by = piece.by?;
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
            Reduce::CollapseLines(own) => own.apply(draft),
            Reduce::ElideToolResults(own) => own.apply(draft),
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
            Reduce::CollapseLines(_) => CollapseLines::DOCS,
            Reduce::ElideToolResults(_) => ElideToolResults::DOCS,
        }
    }
}
