//! Tokens of a text and sizes of a message as Claude Code estimates them (2.1.63): characters
//! divided by four and rounded, and a fixed number for images and documents.

use palimpsest_core::{Category, MessageSize, Outcome, Role};

/// Tokens an image or a document counts as.
pub(super) const MEDIA_TOKENS: u64 = 2000;

/// Tokens for a number of UTF-16 units: a fourth, halves rounded up as `Math.round` does.
pub(super) fn tokens_of(units: u64) -> u64 {
    (units + 2) / 4
}

/// A size from tokens by category.
pub(super) fn size(
    role: Role,
    native_role: &'static str,
    mut tokens: Vec<(Category, u64)>,
) -> MessageSize {
    tokens.retain(|&(_, tokens)| tokens > 0);
    tokens.shrink_to_fit();
    MessageSize {
        role,
        native_role,
        estimate: tokens.iter().map(|(_, tokens)| tokens).sum(),
        units: tokens,
        tool_name: None,
        outcome: Outcome::Fine,
        sent: true,
    }
}
