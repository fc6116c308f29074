//! What an extractive summary is made from.

use crate::vocabulary::call::Purpose;
use palimpsest_ledger::Span;

/// What an extractive summary is made from.
#[derive(Debug, Clone, Copy)]
pub struct ExtractiveInput<'a> {
    /// What the summary is for, which decides its headings.
    pub purpose: Purpose,
    /// The messages to summarize.
    pub span: Span<'a>,
    /// The summary to update.
    pub previous_summary: Option<&'a str>,
    /// What the summary should mind especially.
    pub instructions: Option<&'a str>,
    /// Files that were read and not changed.
    pub files_read: &'a [String],
    /// Files that were changed.
    pub files_modified: &'a [String],
    /// Most tokens the summary may have, by pi's estimate (UTF-16 units / 4, rounded up). From 64
    /// tokens on all headings are there.
    pub budget_tokens: u64,
}
