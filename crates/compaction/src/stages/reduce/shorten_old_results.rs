//! Tool results beyond a number of tokens, from the newest back, are cut to their beginning and
//! their end (Gemini CLI 0.61.0: before it compresses, and its masking of tool output).

use crate::vocabulary::fate::Fate;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::{Draft, Scope};
use crate::workpiece::edit::Edit;
use palimpsest_core::{BodyError, ItemKind, Role};
use serde::{Deserialize, Serialize};

/// Parameters of the step; the defaults are those of the compression. The masking leaves the
/// latest turn alone and acts only when 30,000 tokens can be freed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShortenOldResults {
    /// Turns of the user that are not touched, the newest.
    pub untouched_turns: u64,
    /// Tokens of the newest results that stay whole.
    pub protect_tokens: u64,
    /// Nothing is cut when less would be saved, in tokens.
    pub minimum_gain_tokens: u64,
    /// What is summarized stays whole while it has no more tokens than this; 0 is never.
    pub whole_span_tokens: u64,
    /// Characters at the beginning of a result that stay.
    pub head_chars: u64,
    /// Characters at its end that stay.
    pub tail_chars: u64,
    /// Tools whose results are never cut, nor counted.
    pub protected_tools: Vec<String>,
}

impl Default for ShortenOldResults {
    fn default() -> Self {
        ShortenOldResults {
            untouched_turns: 0,
            protect_tokens: 50_000,
            minimum_gain_tokens: 0,
            whole_span_tokens: 1_048_576,
            head_chars: 250,
            tail_chars: 250,
            protected_tools: Vec::new(),
        }
    }
}

impl ShortenOldResults {
    const NAME: &'static str = "shorten_old_results";

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "untouched_turns",
            ParamType::Integer,
            "number of the newest turns to skip",
        )
        .unit("turns"),
        ParamDoc::tokens(
            "protect_tokens",
            "tokens of the newest results kept complete",
        ),
        ParamDoc::tokens(
            "minimum_gain_tokens",
            "minimum saving; otherwise nothing is truncated",
        ),
        ParamDoc::tokens(
            "whole_span_tokens",
            "size up to which the summarized span is not truncated; 0 means always truncate",
        ),
        ParamDoc::new(
            "head_chars",
            ParamType::Integer,
            "length of the kept beginning of a result",
        )
        .unit("characters"),
        ParamDoc::new(
            "tail_chars",
            ParamType::Integer,
            "length of the kept end of a result",
        )
        .unit("characters"),
        ParamDoc::new(
            "protected_tools",
            ParamType::Texts,
            "tools whose results are never truncated",
        ),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) -> Result<(), BodyError> {
        let items = &draft.input.context.items;
        let span = draft.within(Scope::Summarized);
        let span_tokens: u64 = span.iter().map(|&at| draft.pieces[at].tokens).sum();
        // Gemini CLI gives its summarizer the whole span where that fits; what stays is cut all
        // the same.
        let scope = if span_tokens <= self.whole_span_tokens {
            Scope::Kept
        } else {
            Scope::All
        };
        let cut_here = draft.within(scope);
        let edit = Edit::Ends {
            head: self.head_chars as usize,
            tail: self.tail_chars as usize,
        };
        let (mut turns, mut total, mut gain) = (0, 0, 0);
        let mut cuts = Vec::new();
        for at in (0..items.len()).rev() {
            let item = &items[at];
            if item.role == Role::User && item.kind == ItemKind::Message {
                turns += 1;
            }
            let name = item.tool_name.as_deref().unwrap_or_default();
            // What is lost stands in no request.
            let counts = item.role == Role::Tool && draft.pieces[at].fate != Fate::Dropped;
            if !counts || self.protected_tools.iter().any(|own| own == name) {
                continue;
            }
            total += draft.pieces[at].tokens;
            let old = total > self.protect_tokens && turns >= self.untouched_turns;
            if !old || cut_here.binary_search(&at).is_err() {
                continue;
            }
            let Some(left) = draft.tokens_after(at, &edit)? else {
                continue;
            };
            gain += draft.pieces[at].tokens.saturating_sub(left);
            cuts.push((at, left));
        }
        if gain < self.minimum_gain_tokens {
            return Ok(());
        }
        for (at, left) in cuts {
            draft.put(at, edit.clone(), left, Self::NAME);
        }
        Ok(())
    }
}
