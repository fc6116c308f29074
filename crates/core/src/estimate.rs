//! pi's estimate of tokens, which every agent's sessions are also measured by: UTF-16 code units
//! through four, rounded up (pi 0.18 to 1.5, `estimateTokens` of `compaction.js`).

use crate::body::{Block, Message};
use crate::json::utf16_len;

/// UTF-16 code units that are taken for one token.
pub const UNITS_PER_TOKEN: u64 = 4;

/// UTF-16 code units an image counts as: 1,200 tokens.
pub const IMAGE_UNITS: u64 = 4_800;

/// Tokens of a number of UTF-16 code units.
pub fn tokens_of_units(units: u64) -> u64 {
    units.div_ceil(UNITS_PER_TOKEN)
}

/// Tokens of a text.
pub fn text_tokens(text: &str) -> u64 {
    tokens_of_units(utf16_len(text))
}

/// Tokens of a message: its texts, calls and reasoning, and its images; what is not understood
/// counts nothing.
pub fn message_tokens(message: &Message) -> u64 {
    let units = |block: &Block| match block {
        Block::Text(text) | Block::ToolsAdded(text) | Block::Thinking { text, .. } => {
            utf16_len(text)
        }
        Block::ToolCall {
            // pi adds the length of the name and of `JSON.stringify(arguments)`, with nothing
            // between them.
            name,
            arguments,
            ..
        } => utf16_len(name) + utf16_len(arguments),
        Block::Image { .. } => IMAGE_UNITS,
        Block::Section { text, .. } => text.as_deref().map_or(0, utf16_len),
        // pi's estimate adds only for the block types it knows.
        Block::Opaque { .. } => 0,
    };
    tokens_of_units(message.blocks.iter().map(units).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_units_count_and_not_bytes_or_characters() {
        for (text, tokens) in [
            ("", 0),
            ("abcd", 1),
            ("abcde", 2),
            ("😀😀", 1),
            ("😀😀x", 2),
        ] {
            assert_eq!(text_tokens(text), tokens, "{text:?}");
        }
    }
}
