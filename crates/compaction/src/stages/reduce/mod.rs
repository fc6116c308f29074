//! The second stage: what is made smaller without a model. The steps of a preset are taken in
//! order; each sees what the ones before left.

mod cap_tool_results;
pub(crate) mod clear_oldest_results;
mod clear_thinking;
mod clear_tool_results;
pub(crate) mod clear_tool_uses;
mod collapse_lines;
mod drop_repeated_reads;
mod elide_tool_results;
mod keep_resulting_code;
mod mask_results;
pub(crate) mod prune_tool_results;
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
pub use elide_tool_results::ElideToolResults;
pub use keep_resulting_code::KeepResultingCode;
pub use mask_results::MaskResults;
pub use prune_tool_results::PruneToolResults;
pub use replace_images::ReplaceImages;
pub use shorten_old_results::ShortenOldResults;
pub use trim_span::TrimSpan;

pub use crate::vocabulary::estimate::estimate_message;
pub use crate::workpiece::draft::{Draft, Piece, Scope};

use crate::vocabulary::params::ParamDoc;
use palimpsest_core::BodyError;
use serde::{Deserialize, Serialize};

/// A step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reduce {
    /// Old tool results are replaced with a placeholder.
    ClearToolResults(ClearToolResults),
    /// Long tool results are cut.
    CapToolResults(CapToolResults),
    /// The oldest tool results are replaced with a placeholder until few enough are left.
    ClearOldestResults(ClearOldestResults),
    /// The reasoning of earlier turns goes.
    ClearThinking(ClearThinking),
    /// Old tool uses are cleared when the context is large.
    ClearToolUses(ClearToolUses),
    /// Tool results beyond a number of tokens are replaced with a placeholder.
    PruneToolResults(PruneToolResults),
    /// Images are replaced with a word.
    ReplaceImages(ReplaceImages),
    /// Tool results outside a window are replaced with a placeholder.
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
