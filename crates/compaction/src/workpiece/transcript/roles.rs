//! The form of pi's study of strategies (pi 0.18.3, `docs/compaction-strategies.ts`): user and
//! assistant messages under the speaker's name, separated by rules.

use crate::text::shorter::head;
use crate::vocabulary::params::ParamDoc;
use palimpsest_core::json::utf16_len;
use palimpsest_core::{Agent, Block, ContextItem, ItemKind, Message, Role, Session};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Units of a tool result shown inside a message (the study's number).
const RESULT_UNITS: u64 = 2_000;

/// Parameters of the form; the defaults are the study's.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RoleBlocks {
    /// Which tool calls and results are shown.
    pub tool_blocks: ToolBlocks,
}

/// Which tool calls and results are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolBlocks {
    /// Calls stored as Anthropic's API has them, so none of pi's own; the study looked for no
    /// others. Results that stand in messages of their own are left out.
    #[default]
    AnthropicOnly,
    /// All.
    All,
}

impl RoleBlocks {
    pub(crate) const SEPARATOR: &'static str = "\n\n---\n\n";

    pub(crate) const DOCS: &'static [ParamDoc] = &[ParamDoc::word(
        "tool_blocks",
        &["anthropic_only", "all"],
        "include all tool calls and results, or only calls in Anthropic's format as in the study",
    )];

    /// The speaker, and what the message says; empty for what the study skipped: other
    /// records than messages, tool results, and failed or aborted replies.
    pub(crate) fn text(
        &self,
        session: &Session,
        item: &ContextItem,
        message: &Message,
    ) -> (String, String) {
        let all = self.tool_blocks == ToolBlocks::All;
        let failed = item.entries.first().is_some_and(|&entry| {
            matches!(
                session.entry(entry).stop_reason.as_deref(),
                Some("aborted" | "error")
            )
        });
        let speaker = match message.role {
            Role::User if item.kind == ItemKind::Message || all => "USER",
            Role::Assistant if !failed => "ASSISTANT",
            Role::Tool if all => "TOOL",
            _ => return (String::new(), String::new()),
        };
        let shows_calls = all || session.meta.agent != Agent::PI;
        let parts: Vec<String> = message
            .blocks
            .iter()
            .filter_map(|block| block_text(block, message.role, shows_calls))
            .collect();
        (format!("{speaker}:\n"), parts.join("\n"))
    }
}

fn block_text(block: &Block, role: Role, shows_calls: bool) -> Option<String> {
    match block {
        Block::Text(text) if role == Role::Tool && utf16_len(text) > RESULT_UNITS => {
            Some(format!("{}...", head(text, RESULT_UNITS).0))
        }
        Block::Text(text) => Some(text.clone()),
        Block::Thinking { text, .. } => Some(format!("[Thinking]\n{text}")),
        Block::ToolCall {
            name, arguments, ..
        } if shows_calls => {
            let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
            let pretty = serde_json::to_string_pretty(&arguments).unwrap_or_default();
            Some(format!("[Tool: {name}]\n{pretty}"))
        }
        _ => None,
    }
}
