//! The sizes of stored messages by pi's estimate ([`palimpsest_core::estimate`]).

use super::record::{Content, MessageRecord};
use palimpsest_core::estimate::{IMAGE_UNITS, tokens_of_units};
use palimpsest_core::{Category, MessageSize, Outcome, Role};

/// The size of a stored message. Roles pi does not know count nothing and are not sent.
pub(super) fn message_size(message: &MessageRecord<'_>, version: u32) -> MessageSize {
    let content = &message.content;
    match message.role.as_deref() {
        Some("system") => {
            let tools = if message.tools_added.present {
                message.tools_added.units
            } else {
                0
            };
            let units = content.text + message.sections.units + tools;
            size(Role::System, "system", vec![(Category::System, units)])
        }
        Some("user") => size(Role::User, "user", with_images(Category::User, content)),
        Some("assistant") => size(
            Role::Assistant,
            "assistant",
            vec![
                (Category::AssistantText, content.text),
                (Category::Thinking, content.thinking),
                (Category::ToolCalls, content.calls_units),
            ],
        ),
        Some("toolResult") => {
            let parts = with_images(Category::ToolResults, content);
            let tool_name = message.tool_name.boxed();
            MessageSize {
                tool_name,
                ..size(Role::Tool, "toolResult", parts)
            }
        }
        Some("bashExecution") => {
            let units = message.command.units + message.output.units;
            let sent = !message.excluded.0;
            let parts = vec![(Category::Injected, units)];
            MessageSize {
                sent,
                ..size(Role::User, "bashExecution", parts)
            }
        }
        Some("custom") => custom_size(content),
        Some("hookMessage") if version < 3 => custom_size(content),
        Some("branchSummary") => summary_size("branchSummary", message.summary.units),
        Some("compactionSummary") => summary_size("compactionSummary", message.summary.units),
        _ => MessageSize {
            sent: false,
            ..size(Role::User, "unknown", Vec::new())
        },
    }
}

/// The size of a message by an extension.
pub(super) fn custom_size(content: &Content<'_>) -> MessageSize {
    size(
        Role::User,
        "custom",
        with_images(Category::Injected, content),
    )
}

/// The size of a summary, which is sent as user text.
pub(super) fn summary_size(native_role: &'static str, units: u64) -> MessageSize {
    size(Role::User, native_role, vec![(Category::Summaries, units)])
}

/// Tokens of a context edit's replacement, as if it stood in a message.
pub(super) fn replacement_tokens(content: &Content<'_>) -> u64 {
    tokens_of_units(
        content.text + content.thinking + content.calls_units + content.images * IMAGE_UNITS,
    )
}

fn with_images(category: Category, content: &Content<'_>) -> Vec<(Category, u64)> {
    vec![
        (category, content.text),
        (Category::Images, content.images * IMAGE_UNITS),
    ]
}

fn size(role: Role, native_role: &'static str, mut units: Vec<(Category, u64)>) -> MessageSize {
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
