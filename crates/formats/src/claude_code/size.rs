//! The sizes of records as Claude Code estimates them (2.1.63), block by block.

use super::estimate::{MEDIA_TOKENS, size, tokens_of};
use super::record::{Block, MessageRecord};
use palimpsest_core::{Category, MessageSize, Outcome, Role};

/// The size of what the model said. Calls and reasoning are estimated like text; 2.1.63 leaves
/// them out where it estimates single messages.
pub(super) fn assistant_size(message: &MessageRecord<'_>, sent: bool) -> MessageSize {
    let (mut text, mut thinking, mut calls, mut media) = (0, 0, 0, 0);
    for block in &message.content.blocks {
        match block.type_name.as_deref() {
            Some("text") => text += block.text.tokens,
            Some("thinking") => thinking += tokens_of(block.thinking.units),
            Some("redacted_thinking") => thinking += tokens_of(block.data.units),
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => calls += call_tokens(block),
            Some("image" | "document") => media += MEDIA_TOKENS,
            _ => text += block.content.tokens + block.content.media * MEDIA_TOKENS,
        }
    }
    let tokens = vec![
        (Category::AssistantText, text),
        (Category::Thinking, thinking),
        (Category::ToolCalls, calls),
        (Category::Images, media),
    ];
    MessageSize {
        sent,
        ..size(Role::Assistant, "assistant", tokens)
    }
}

fn call_tokens(block: &Block<'_>) -> u64 {
    let name = block.name.as_deref().unwrap_or_default();
    tokens_of(palimpsest_core::json::utf16_len(name) + block.input.arguments.units)
}

/// How the call went whose result a block is.
pub(super) fn result_outcome(block: &Block<'_>) -> Outcome {
    match block.content.rejection {
        Some(_) => Outcome::Rejected,
        None if block.is_error.0 => Outcome::Failed,
        None => Outcome::Fine,
    }
}

/// The size of one tool result.
pub(super) fn result_size(block: &Block<'_>) -> MessageSize {
    let tokens = vec![
        (Category::ToolResults, block.content.tokens),
        (Category::Images, block.content.media * MEDIA_TOKENS),
    ];
    MessageSize {
        outcome: result_outcome(block),
        ..size(Role::Tool, "tool_result", tokens)
    }
}

/// The size of what stands beside tool results in a user's message, or of the whole message when
/// there are none.
pub(super) fn user_size(
    message: &MessageRecord<'_>,
    native_role: &'static str,
    category: Category,
) -> MessageSize {
    let (mut text, mut media) = (0, 0);
    for block in &message.content.blocks {
        match block.type_name.as_deref() {
            Some("tool_result") => {}
            Some("image" | "document") => media += MEDIA_TOKENS,
            _ => text += block.text.tokens,
        }
    }
    let tokens = vec![(category, text), (Category::Images, media)];
    size(Role::User, native_role, tokens)
}
