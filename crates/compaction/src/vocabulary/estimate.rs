//! Estimates of sizes in tokens.

use palimpsest_core::json::utf16_len;
use palimpsest_core::{Block, Message};

/// Tokens of a text by pi's estimate.
pub fn estimate(text: &str) -> u64 {
    utf16_len(text).div_ceil(UNITS_PER_TOKEN)
}

/// UTF-16 units that pi's estimate takes for one token.
pub(crate) const UNITS_PER_TOKEN: u64 = 4;

/// Tokens a reply is taken to have while it is not written (our guess: what models write when
/// they are asked for a checkpoint).
pub const ASSUMED_REPLY_TOKENS: u64 = 2_000;

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
