//! What a ledger is built from.

use crate::by_model::ModelFact;
use crate::span::Span;

/// What a ledger is built from.
#[derive(Debug, Clone, Copy, Default)]
pub struct LedgerInput<'a> {
    /// The messages the summary replaces.
    pub span: Span<'a>,
    /// The span's size in tokens by the estimate of whoever made the context; `None` takes
    /// [`Span::estimate`], which does not know of messages that are left out of `span`.
    pub span_tokens: Option<u64>,
    /// The summary.
    pub summary: &'a str,
    /// The summary the summarizer was given to update.
    pub previous_summary: Option<&'a str>,
    /// The person's instructions to the summarizer.
    pub instructions: Option<&'a str>,
    /// The messages that stayed in the context beside the summary.
    pub kept_tail: Span<'a>,
    /// What came after the compaction, up to the next one.
    pub later: Span<'a>,
    /// Facts that a model found in entries of the span, or elsewhere in the session.
    pub by_model: &'a [ModelFact],
}
