//! The conversation as text for a summarizer (pi 1.5, `utils.js`, `serializeConversation`).

use crate::text::shorter::head;
use crate::vocabulary::params::{ParamDoc, ParamType};
use palimpsest_core::json::{stringify, utf16_len};
use palimpsest_core::{Block, ItemKind, Message, Role};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Words before a compaction's summary where it is sent as user text. pi's sentence is its own;
/// this one says the same.
pub const COMPACTION_INTRO: &str =
    "Earlier parts of this conversation were replaced by the summary that follows:";
/// Words before a branch's summary where it is sent as user text.
pub const BRANCH_INTRO: &str =
    "This conversation returned from another branch, summarized as follows:";

/// Parameters of the form; the defaults are those of pi 1.5.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PiTranscript {
    /// Whether the model's reasoning is included (pi before 1.2).
    pub include_thinking: bool,
    /// UTF-16 units after which a tool result is cut (pi 0.56.3 and later).
    pub tool_result_max_chars: u64,
    /// Whether that cut may fall inside a surrogate pair (pi before 1.5.1); each half then
    /// becomes U+FFFD.
    pub split_surrogates: bool,
}

impl Default for PiTranscript {
    fn default() -> Self {
        PiTranscript {
            include_thinking: false,
            tool_result_max_chars: 2_000,
            split_surrogates: false,
        }
    }
}

impl PiTranscript {
    pub(crate) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::yes_no("include_thinking", "include reasoning in the transcript"),
        ParamDoc::new(
            "tool_result_max_chars",
            ParamType::Integer,
            "length at which a tool result is truncated in the transcript",
        )
        .unit("UTF-16 units"),
        ParamDoc::yes_no(
            "split_surrogates",
            "allow the truncation to split a surrogate pair, as old releases do",
        ),
    ];

    /// One message as text: up to three blocks with a blank line between them; empty when there
    /// is nothing to say.
    pub(crate) fn text(&self, kind: ItemKind, message: &Message) -> String {
        let mut blocks: Vec<String> = Vec::new();
        match message.role {
            // Such as the output of a `!!` command, which pi keeps from the model.
            _ if !message.sent => {}
            Role::System => {}
            Role::User => {
                let text = user_text(kind, message);
                if !text.is_empty() {
                    blocks.push(format!("[User]: {text}"));
                }
            }
            Role::Assistant => assistant(message, self, &mut blocks),
            Role::Tool => {
                // pi puts the texts of results and of the user together without a separator.
                let text = message.text("");
                if !text.is_empty() {
                    blocks.push(format!("[Tool result]: {}", shortened(text, self)));
                }
            }
        }
        blocks.join("\n\n")
    }
}

/// The messages as text, separated by a blank line.
pub fn serialize<'a>(
    messages: impl IntoIterator<Item = (ItemKind, &'a Message)>,
    params: &PiTranscript,
) -> String {
    let texts: Vec<String> = messages
        .into_iter()
        .map(|(kind, message)| params.text(kind, message))
        .filter(|text| !text.is_empty())
        .collect();
    texts.join("\n\n")
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

fn assistant(message: &Message, params: &PiTranscript, blocks: &mut Vec<String>) {
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
        // As JavaScript names the elements of a list.
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
fn shortened(text: String, params: &PiTranscript) -> String {
    let limit = params.tool_result_max_chars;
    let length = utf16_len(&text);
    if length <= limit {
        return text;
    }
    let (kept, splits) = head(&text, limit);
    // One unit of two would fit: half a character, shown as U+FFFD.
    let half = if splits && params.split_surrogates {
        "\u{fffd}"
    } else {
        ""
    };
    format!(
        "{kept}{half}\n\n[... {} more characters truncated]",
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

    fn one(role: Role, blocks: Vec<Block>, params: &PiTranscript) -> String {
        serialize([(ItemKind::Message, &message(role, blocks))], params)
    }

    #[test]
    fn only_tool_results_are_cut() {
        let params = PiTranscript::default();
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
        let whole = PiTranscript {
            tool_result_max_chars: 3,
            ..PiTranscript::default()
        };
        let half = PiTranscript {
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
        let params = PiTranscript {
            include_thinking: true,
            ..PiTranscript::default()
        };
        assert_eq!(
            one(Role::Assistant, blocks, &params),
            "[Assistant thinking]: hm\n\n[Assistant]: one\ntwo\n\n[Assistant tool calls]: \
             read(path=\"a\", n=1)"
        );
    }
}
