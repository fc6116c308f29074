//! Sizes of messages by the bytes of their text, for agents that count with a tokenizer of their own.

use crate::outcome::outcome_of;
use palimpsest_core::{Block, Category, Message, MessageSize, Role};

/// The role name of what an agent puts in, in the user's place.
pub(crate) const INJECTED: &str = "injected";
/// The role name of a compaction's summary.
pub(crate) const SUMMARY: &str = "compactionSummary";
/// Bytes an image counts as: the 1,600 tokens of a large one (Anthropic, vision).
pub(crate) const IMAGE_BYTES: u64 = 6400;
/// Bytes for which a token is counted in texts.
// Copilot's tokenizer: results in recorded sessions (1.0.102) have 2.4 bytes a token, where they
// are columns of numbers, to 4.4.
const BYTES_PER_TOKEN: u64 = 4;

/// Tokens of so many bytes, rounded up.
pub(crate) fn tokens(units: &[(Category, u64)]) -> u64 {
    let bytes: u64 = units.iter().map(|(_, bytes)| bytes).sum();
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// The size of a message with these parts.
pub(crate) fn sized(message: &Message, mut units: Vec<(Category, u64)>) -> MessageSize {
    units.retain(|&(_, bytes)| bytes > 0);
    MessageSize {
        role: message.role,
        native_role: message.native_role,
        estimate: tokens(&units),
        units,
        tool_name: message.tool.as_ref().map(|tool| tool.name.as_str().into()),
        outcome: outcome_of(message),
        sent: message.sent,
    }
}

/// The parts of a message in bytes, each category once.
pub(crate) fn units(message: &Message) -> Vec<(Category, u64)> {
    let of_text = match message.role {
        Role::System => Category::System,
        Role::Tool => Category::ToolResults,
        Role::Assistant => Category::AssistantText,
        Role::User => match message.native_role {
            SUMMARY => Category::Summaries,
            INJECTED => Category::Injected,
            _ => Category::User,
        },
    };
    let mut units: Vec<(Category, u64)> = Vec::with_capacity(1);
    for block in &message.blocks {
        let (category, bytes) = match block {
            Block::Text(text) => (of_text, text.len() as u64),
            Block::Thinking { text, .. } => (Category::Thinking, text.len() as u64),
            Block::ToolCall {
                name, arguments, ..
            } => (Category::ToolCalls, (name.len() + arguments.len()) as u64),
            Block::Image { .. } => (Category::Images, IMAGE_BYTES),
            Block::Opaque { json, .. } => (of_text, json.len() as u64),
            Block::Section { .. } | Block::ToolsAdded(_) => continue,
        };
        match units.iter_mut().find(|(known, _)| *known == category) {
            Some((_, sum)) => *sum += bytes,
            None => units.push((category, bytes)),
        }
    }
    units
}
