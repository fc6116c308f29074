//! The sizes of messages. Droid stores no estimate of its own, so they are measured by the one that
//! all sessions are measured by ([`palimpsest_core::estimate`]).

use super::record::Block;
use palimpsest_core::estimate::{IMAGE_UNITS, tokens_of_units};
use palimpsest_core::{Category, MessageSize, Outcome, Role};

/// The size of what the blocks say, with calls and reasoning, in the category of their speaker.
pub(super) fn said_size<'b, 'de: 'b>(
    role: Role,
    native_role: &'static str,
    category: Category,
    blocks: impl IntoIterator<Item = &'b Block<'de>>,
) -> MessageSize {
    let (mut text, mut thinking, mut calls, mut media) = (0, 0, 0, 0);
    for block in blocks {
        match block.type_name.as_deref() {
            Some("text") => text += block.text.units,
            Some("thinking") => thinking += block.thinking.units,
            Some("redacted_thinking") => thinking += block.data.units,
            Some("tool_use") => calls += block.call_units(),
            Some("image" | "document") if block.is_media() => media += IMAGE_UNITS,
            Some("document") => text += block.document_units(),
            _ => {}
        }
    }
    let units = vec![
        (category, text),
        (Category::Thinking, thinking),
        (Category::ToolCalls, calls),
        (Category::Images, media),
    ];
    size(role, native_role, units)
}

/// The size of one result.
pub(super) fn result_size(native_role: &'static str, block: &Block<'_>) -> MessageSize {
    let units = vec![
        (Category::ToolResults, block.content.units),
        (Category::Images, block.content.media * IMAGE_UNITS),
    ];
    MessageSize {
        outcome: match block.content.rejection {
            Some(_) => Outcome::Rejected,
            None if block.is_error.0 => Outcome::Failed,
            None => Outcome::Fine,
        },
        ..size(Role::Tool, native_role, units)
    }
}

/// A size from UTF-16 units by category.
pub(super) fn size(
    role: Role,
    native_role: &'static str,
    mut units: Vec<(Category, u64)>,
) -> MessageSize {
    let estimate = tokens_of_units(units.iter().map(|(_, units)| units).sum());
    units.retain(|&(_, units)| units > 0);
    units.shrink_to_fit();
    MessageSize {
        role,
        native_role,
        estimate,
        units,
        tool_name: None,
        outcome: Outcome::Fine,
        sent: true,
    }
}
