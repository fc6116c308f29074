//! The messages that the lines of a chat stand for.

use crate::by_bytes::SUMMARY;
use crate::json::{field, items, parse, some_text, text};
use crate::measure::head;
use crate::patch;
use palimpsest_core::entry::{FileAccess, ToolCallBrief};
use palimpsest_core::json::stringify;
use palimpsest_core::{Block, Message, Role, ToolRef};
use serde_json::Value;

/// The type of a text in the tree that a tool's result can be (`@vscode/prompt-tsx`).
const TEXT_NODE: u64 = 2;

/// The message of a line; `None` for what the model does not get.
pub(super) fn message(line: &Value) -> Option<Message> {
    Some(match text(line, "type") {
        "prompt" => prompt(line),
        "round" => round(line),
        "result" => result(line),
        "summary" => spoken(
            Role::User,
            SUMMARY,
            vec![Block::Text(text(line, "text").to_owned())],
        ),
        _ => return None,
    })
}

fn spoken(role: Role, native_role: &'static str, blocks: Vec<Block>) -> Message {
    Message {
        role,
        native_role,
        blocks,
        tool: None,
        sent: true,
    }
}

fn prompt(line: &Value) -> Message {
    let mut blocks = vec![Block::Text(text(line, "text").to_owned())];
    for variable in items(line, "variables") {
        let mime = text(variable, "mimeType");
        if mime.starts_with("image/") {
            blocks.push(Block::Image {
                mime: mime.to_owned(),
                base64_len: text(variable, "value").len() as u64,
            });
        }
    }
    spoken(Role::User, "user", blocks)
}

fn round(line: &Value) -> Message {
    let mut blocks = Vec::new();
    if let Some(thought) = some_text(line, "thinking") {
        blocks.push(Block::Thinking {
            text: thought.to_owned(),
            redacted: false,
        });
    }
    if let Some(said) = some_text(line, "text") {
        blocks.push(Block::Text(said.to_owned()));
    }
    blocks.extend(items(line, "calls").iter().map(|call| Block::ToolCall {
        id: text(call, "id").to_owned(),
        name: text(call, "name").to_owned(),
        arguments: stringify(&arguments(call)),
    }));
    spoken(Role::Assistant, "assistant", blocks)
}

/// The arguments of a call, which are JSON within a text.
fn arguments(call: &Value) -> Value {
    match field(call, "arguments") {
        Value::String(text) => parse(text).unwrap_or_else(|_| Value::String(text.clone())),
        other => other.clone(),
    }
}

fn result(line: &Value) -> Message {
    let mut said = String::new();
    let mut images = Vec::new();
    let content = field(line, "content");
    for part in content.as_array().into_iter().flatten() {
        let value = field(part, "value");
        let mime = text(part, "mimeType");
        match value {
            _ if mime.starts_with("image/") => images.push(Block::Image {
                mime: mime.to_owned(),
                base64_len: text(part, "data").len() as u64,
            }),
            Value::String(text) => said.push_str(text),
            Value::Object(_) => gather(field(value, "node"), &mut said),
            _ => {}
        }
    }
    if let Some(whole) = content.as_str() {
        said.push_str(whole);
    }
    let mut blocks = vec![Block::Text(said)];
    blocks.extend(images);
    Message {
        tool: Some(ToolRef {
            call_id: text(line, "call").to_owned(),
            name: text(line, "tool").to_owned(),
            is_error: false,
        }),
        ..spoken(Role::Tool, "tool", blocks)
    }
}

/// The texts of a tree, each on a line of its own where it says so.
fn gather(node: &Value, out: &mut String) {
    if field(node, "type").as_u64() == Some(TEXT_NODE) {
        let breaks = field(node, "lineBreakBefore");
        if !out.is_empty() && !matches!(breaks, Value::Null | Value::Bool(false)) {
            out.push('\n');
        }
        out.push_str(text(node, "text"));
    }
    for child in items(node, "children") {
        gather(child, out);
    }
}

/// The calls of a round: one for each, or one for each file of a patch.
pub(super) fn briefs(line: &Value) -> Vec<ToolCallBrief> {
    items(line, "calls").iter().flat_map(brief).collect()
}

fn brief(call: &Value) -> Vec<ToolCallBrief> {
    let name = text(call, "name");
    let arguments = arguments(call);
    let one = |path: Option<&str>, access| ToolCallBrief {
        name: name.into(),
        call_id: text(call, "id").into(),
        path: path.map(Into::into),
        access,
    };
    let files = patch::files(text(&arguments, "input"));
    if !files.is_empty() {
        let files = files.iter();
        return files
            .map(|(path, access)| one(Some(path), Some(*access)))
            .collect();
    }
    let path = ["filePath", "path"]
        .iter()
        .find_map(|key| some_text(&arguments, key));
    let access = path.and(match name {
        "read_file" | "copilot_readFile" => Some(FileAccess::Read),
        "replace_string_in_file" | "insert_edit_into_file" | "edit_file" => Some(FileAccess::Edit),
        "create_file" => Some(FileAccess::Write),
        _ => None,
    });
    vec![one(path, access)]
}

/// The first words of a line with a message.
pub(super) fn preview(message: &Message, briefs: &[ToolCallBrief]) -> Box<str> {
    for block in &message.blocks {
        match block {
            Block::Text(text) if !text.trim().is_empty() => return head(text),
            Block::ToolCall {
                name, arguments, ..
            } => {
                let path = briefs.first().and_then(|own| own.path.as_deref());
                let parsed = parse(arguments).unwrap_or_default();
                let telling = ["command", "query", "pattern", "explanation", "url"];
                let gist = path.or_else(|| telling.iter().find_map(|key| some_text(&parsed, key)));
                return match gist {
                    Some(gist) => head(&format!("{name}: {gist}")),
                    None => head(name),
                };
            }
            Block::Image { .. } => return "(image)".into(),
            _ => {}
        }
    }
    match message.blocks.first() {
        Some(Block::Thinking { text, .. }) => head(text),
        _ => Box::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_result_may_be_a_tree_of_texts() {
        let node = json!({"type": 1, "children": [
            {"type": 2, "text": "one"},
            {"type": 1, "children": [{"type": 2, "text": "two", "lineBreakBefore": true}]},
            {"type": 3, "text": "not this"},
        ]});
        let line = json!({"type": "result", "call": "c", "tool": "t",
            "content": [{"value": {"node": node}}, {"value": "!"}]});
        assert_eq!(
            message(&line).map(|own| own.text("")).as_deref(),
            Some("one\ntwo!")
        );
    }
}
