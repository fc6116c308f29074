//! Blocks of messages as the interface shows them.

use super::{markdown, utf16_len, utf16_slice};
use crate::wire::BlockView;
use palimpsest_core::{Block, Role};
use serde_json::Value;

/// Longest text sent with an entry, in UTF-16 units; the rest is fetched page by page.
const MOST_SHOWN: u64 = 24_000;
/// Arguments that tell most about a call, in the order tried.
const HEADLINE_KEYS: [&str; 9] = [
    "command",
    "path",
    "file_path",
    "filePath",
    "pattern",
    "query",
    "url",
    "prompt",
    "name",
];

/// A block of a message spoken by `role`; `result_id` finds the entry that answers a call.
pub fn block_view(
    block: &Block,
    role: Role,
    result_id: impl Fn(&str) -> Option<String>,
) -> BlockView {
    match block {
        Block::Text(text) => text_view(text, role),
        Block::Thinking { text, redacted } => BlockView::Thinking {
            text: utf16_slice(text, 0, MOST_SHOWN).to_owned(),
            redacted: *redacted,
        },
        Block::ToolCall {
            id,
            name,
            arguments,
        } => {
            let value = serde_json::from_str::<Value>(arguments).ok();
            BlockView::ToolCall {
                call_id: id.clone(),
                name: name.clone(),
                headline: value.as_ref().map(headline).unwrap_or_default(),
                // Arguments that are no JSON (a call that was cut) are shown as stored.
                arguments: value
                    .and_then(|value| serde_json::to_string_pretty(&value).ok())
                    .map(|pretty| utf16_slice(&pretty, 0, MOST_SHOWN).to_owned())
                    .unwrap_or_else(|| arguments.clone()),
                result_id: result_id(id),
            }
        }
        Block::Image { mime, base64_len } => BlockView::Image {
            mime: mime.clone(),
            // Four characters of base64 are three bytes; padding is not subtracted.
            bytes: base64_len / 4 * 3,
        },
        Block::Section { name, text } => BlockView::Section {
            name: name.clone(),
            text: text.clone(),
        },
        Block::ToolsAdded(json) => BlockView::Section {
            name: "tools added".to_owned(),
            text: Some(pretty(json)),
        },
        Block::Opaque { kind, json } => BlockView::Opaque {
            kind: kind.clone(),
            json: pretty(json),
        },
    }
}

fn text_view(text: &str, role: Role) -> BlockView {
    let total_chars = utf16_len(text);
    let shown = utf16_slice(text, 0, MOST_SHOWN);
    let cut = total_chars > MOST_SHOWN;
    match role {
        // What tools print is not markdown: asterisks and indentation mean themselves.
        Role::Tool => BlockView::Plain {
            text: shown.to_owned(),
            total_chars,
            cut,
        },
        Role::System | Role::User | Role::Assistant => BlockView::Markdown {
            blocks: markdown(shown),
            total_chars,
            cut,
        },
    }
}

fn pretty(json: &str) -> String {
    serde_json::from_str::<Value>(json)
        .ok()
        .and_then(|value| serde_json::to_string_pretty(&value).ok())
        .unwrap_or_else(|| json.to_owned())
}

fn headline(arguments: &Value) -> String {
    let named = HEADLINE_KEYS
        .iter()
        .find_map(|key| arguments.get(key)?.as_str());
    // An unknown tool is named by its first text.
    let first = || arguments.as_object()?.values().find_map(Value::as_str);
    let line = named
        .or_else(first)
        .unwrap_or("")
        .lines()
        .next()
        .unwrap_or("");
    // The page shows one line of it.
    line.chars().take(200).collect()
}
