//! Of what is summarized only the newest is shown (LangChain's `trim_tokens_to_summarize`).

use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::{Draft, Scope};
use palimpsest_core::Role;
use serde::{Deserialize, Serialize};

/// Parameters of the step; the defaults are those of LangChain 1.5.0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrimSpan {
    /// Tokens of the newest summarized messages that the summarizer gets.
    pub max_span_tokens: u64,
    /// Messages it gets when not even one fits into that.
    pub fallback_messages: u64,
}

impl Default for TrimSpan {
    fn default() -> Self {
        TrimSpan {
            max_span_tokens: 4_000,
            fallback_messages: 15,
        }
    }
}

impl TrimSpan {
    const NAME: &'static str = "trim_span";

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens(
            "max_span_tokens",
            "tokens of the summarized span sent to the summarizer, newest first",
        ),
        ParamDoc::new(
            "fallback_messages",
            ParamType::Integer,
            "number of messages sent if none fits",
        )
        .unit("messages"),
    ];

    pub(super) fn apply(&self, draft: &mut Draft<'_>) {
        let span = draft.within(Scope::Summarized);
        let mut first = span.len();
        let mut sum = 0;
        while first > 0 && sum + draft.pieces[span[first - 1]].tokens <= self.max_span_tokens {
            first -= 1;
            sum += draft.pieces[span[first]].tokens;
        }
        let items = &draft.input.context.items;
        // A result is not shown without its call.
        while first < span.len() && items[span[first]].role == Role::Tool {
            first += 1;
        }
        if first == span.len() {
            first = span.len().saturating_sub(self.fallback_messages as usize);
        }
        for &at in &span[..first] {
            draft.remove(at, Self::NAME);
        }
    }
}
