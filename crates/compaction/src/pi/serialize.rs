//! The conversation as text for a summarizer (pi 1.5, `utils.js`, `serializeConversation`).

use crate::params::PiParams;
use palimpsest_core::json::{stringify, utf16_len};
use palimpsest_core::{Block, ItemKind, Message, Role};
use serde_json::Value;

/// Words before a compaction's summary where it is sent as user text. pi's sentence is its own;
/// this one says the same.
pub const COMPACTION_INTRO: &str =
    "Earlier parts of this conversation were replaced by the summary that follows:";
/// Words before a branch's summary where it is sent as user text.
pub const BRANCH_INTRO: &str =
    "This conversation returned from another branch, summarized as follows:";

/// The messages as text, one block each, separated by a blank line.
pub fn serialize<'a>(
    messages: impl IntoIterator<Item = (ItemKind, &'a Message)>,
    params: &PiParams,
) -> String {
    let mut blocks: Vec<String> = Vec::new();
    for (kind, message) in messages.into_iter().filter(|(_, message)| message.sent) {
        match message.role {
            Role::System => {}
            Role::User => {
                let text = user_text(kind, message);
                if !text.is_empty() {
                    blocks.push(format!("[User]: {text}"));
                }
            }
            Role::Assistant => assistant(message, params, &mut blocks),
            Role::Tool => {
                let text = message.text("");
                if !text.is_empty() {
                    blocks.push(format!("[Tool result]: {}", shortened(text, params)));
                }
            }
        }
    }
    blocks.join("\n\n")
}

fn user_text(kind: ItemKind, message: &Message) -> String {
    let text = message.text("");
    match kind {
        ItemKind::CompactionSummary => {
            format!("{COMPACTION_INTRO}\n\n<summary>\n{text}\n</summary>")
        }
        // Without a line end before the closing tag, as pi has it.
        ItemKind::BranchSummary => format!("{BRANCH_INTRO}\n\n<summary>\n{text}</summary>"),
        _ => text,
    }
}

fn assistant(message: &Message, params: &PiParams, blocks: &mut Vec<String>) {
    let mut thinking = Vec::new();
    let mut calls = Vec::new();
    let mut has_text = false;
    for block in &message.blocks {
        match block {
            Block::Thinking { text, .. } => thinking.push(text.as_str()),
            Block::ToolCall {
                name, arguments, ..
            } => {
                calls.push(format!("{name}({})", named_arguments(arguments)));
            }
            Block::Text(_) => has_text = true,
            _ => {}
        }
    }
    if params.include_thinking && !thinking.is_empty() {
        blocks.push(format!("[Assistant thinking]: {}", thinking.join("\n")));
    }
    if has_text {
        blocks.push(format!("[Assistant]: {}", message.text("\n")));
    }
    if !calls.is_empty() {
        blocks.push(format!("[Assistant tool calls]: {}", calls.join("; ")));
    }
}

/// `name=value` for each argument, values as compact JSON.
fn named_arguments(arguments: &str) -> String {
    let named = |(name, value): (String, &Value)| format!("{name}={}", stringify(value));
    let parts: Vec<String> = match serde_json::from_str(arguments) {
        Ok(Value::Object(map)) => map
            .iter()
            .map(|(name, value)| named((name.clone(), value)))
            .collect(),
        Ok(Value::Array(items)) => items
            .iter()
            .enumerate()
            .map(|(i, value)| named((i.to_string(), value)))
            .collect(),
        _ => Vec::new(),
    };
    parts.join(", ")
}

/// A tool result cut to the allowed number of UTF-16 units, with a note of what is missing.
fn shortened(text: String, params: &PiParams) -> String {
    let limit = params.tool_result_max_chars;
    let length = utf16_len(&text);
    if length <= limit {
        return text;
    }
    let mut units = 0;
    let mut kept = String::new();
    for c in text.chars() {
        let width = c.len_utf16() as u64;
        if units + width > limit {
            // One unit of two would fit: half a character, shown as U+FFFD.
            if units < limit && params.split_surrogates {
                kept.push('\u{fffd}');
            }
            break;
        }
        kept.push(c);
        units += width;
    }
    format!(
        "{kept}\n\n[... {} more characters truncated]",
        length - limit
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: Role, blocks: Vec<Block>) -> Message {
        Message {
            role,
            native_role: "x",
            blocks,
            tool: None,
            sent: true,
        }
    }

    fn one(role: Role, blocks: Vec<Block>, params: &PiParams) -> String {
        serialize([(ItemKind::Message, &message(role, blocks))], params)
    }

    #[test]
    fn only_tool_results_are_cut() {
        let params = PiParams::default();
        let long = "x".repeat(5000);
        let result = one(Role::Tool, vec![Block::Text(long.clone())], &params);
        assert!(result.ends_with("\n\n[... 3000 more characters truncated]"));
        assert_eq!(result.matches('x').count(), 2000);
        for role in [Role::User, Role::Assistant] {
            assert_eq!(
                one(role, vec![Block::Text(long.clone())], &params)
                    .matches('x')
                    .count(),
                5000
            );
        }
    }

    #[test]
    fn a_cut_inside_a_pair() {
        let text = "ab𝄞cd".to_owned();
        let whole = PiParams {
            tool_result_max_chars: 3,
            ..PiParams::default()
        };
        let half = PiParams {
            split_surrogates: true,
            ..whole.clone()
        };
        assert_eq!(
            shortened(text.clone(), &whole),
            "ab\n\n[... 3 more characters truncated]"
        );
        assert_eq!(
            shortened(text, &half),
            "ab\u{fffd}\n\n[... 3 more characters truncated]"
        );
    }

    #[test]
    fn an_assistant_message_has_up_to_three_blocks() {
        let blocks = vec![
            Block::Thinking {
                text: "hm".into(),
                redacted: false,
            },
            Block::Text("one".into()),
            Block::Text("two".into()),
            Block::ToolCall {
                id: "c".into(),
                name: "read".into(),
                arguments: r#"{"path":"a","n":1}"#.into(),
            },
        ];
        let params = PiParams {
            include_thinking: true,
            ..PiParams::default()
        };
        assert_eq!(
            one(Role::Assistant, blocks, &params),
            "[Assistant thinking]: hm\n\n[Assistant]: one\ntwo\n\n[Assistant tool calls]: \
             read(path=\"a\", n=1)"
        );
    }
}
