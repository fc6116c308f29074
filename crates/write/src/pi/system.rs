//! The system message in force, which pi stores with a compaction (pi 0.86 and later).
//!
//! `getCurrentSystemMessage` of pi 0.87 (`pi-ai`, `utils/transcript.js`): later contents are
//! appended, sections and tools are patched by name.

use crate::members::value;
use crate::refusal::Refusal;
use crate::request::Request;
use palimpsest_core::{Block, Context, Message, Role, json::stringify};
use serde_json::{Map, Value, json};

/// The message as JSON; nothing in sessions without system messages.
pub(super) fn current(request: &Request<'_>, context: &Context) -> Result<Option<String>, Refusal> {
    let folded = folded(request, context)?;
    Ok(folded.map(|message| stringify(&Value::Object(message))))
}

/// The same as the model gets it.
pub(super) fn message(
    request: &Request<'_>,
    context: &Context,
) -> Result<Option<Message>, Refusal> {
    let Some(folded) = folded(request, context)? else {
        return Ok(None);
    };
    let content = folded.get("content").and_then(Value::as_str);
    let mut blocks = vec![Block::Text(content.unwrap_or_default().to_owned())];
    let sections = folded.get("sections").and_then(Value::as_object);
    blocks.extend(
        sections
            .into_iter()
            .flatten()
            .map(|(name, text)| Block::Section {
                name: name.clone(),
                text: text.as_str().map(str::to_owned),
            }),
    );
    if let Some(tools) = folded.get("toolsAdded") {
        blocks.push(Block::ToolsAdded(stringify(tools)));
    }
    Ok(Some(Message {
        role: Role::System,
        native_role: "system",
        blocks,
        tool: None,
        sent: true,
    }))
}

fn folded(request: &Request<'_>, context: &Context) -> Result<Option<Map<String, Value>>, Refusal> {
    let mut contents: Vec<String> = Vec::new();
    let mut sections = Map::new();
    let mut tools: Vec<Value> = Vec::new();
    let mut any = false;
    for item in &context.items {
        let (Role::System, Some(&ix)) = (item.role, item.entries.first()) else {
            continue;
        };
        let raw = request.records.record(ix)?;
        // A compaction holds its message under another name than a message record.
        let stored = value(&raw, "message").or_else(|| value(&raw, "systemMessage"));
        let Some(Ok(Value::Object(message))) = stored.map(serde_json::from_slice) else {
            let line = request.session.entry(ix).source.line;
            let reason = "its system message cannot be read".to_owned();
            return Err(Refusal::Record { line, reason });
        };
        any = true;
        let text = text_of(message.get("content"));
        if !text.is_empty() {
            contents.push(text);
        }
        let patches = message.get("sections").and_then(Value::as_object);
        for (name, text) in patches.into_iter().flatten() {
            if text.is_null() {
                sections.shift_remove(name);
            } else {
                sections.insert(name.clone(), text.clone());
            }
        }
        let list = |key: &str| message.get(key).and_then(Value::as_array).cloned();
        let name_of = |tool: &Value| tool.get("name").cloned();
        for removed in list("toolsRemoved").unwrap_or_default() {
            tools.retain(|tool| name_of(tool) != name_of(&removed));
        }
        for added in list("toolsAdded").unwrap_or_default() {
            tools.retain(|tool| name_of(tool) != name_of(&added));
            tools.push(added);
        }
    }
    if !any {
        return Ok(None);
    }
    let mut message = Map::new();
    message.insert("role".into(), json!("system"));
    message.insert("content".into(), json!(contents.join("\n\n")));
    if !sections.is_empty() {
        message.insert("sections".into(), Value::Object(sections));
    }
    if !tools.is_empty() {
        message.insert("toolsAdded".into(), Value::Array(tools));
    }
    message.insert("timestamp".into(), json!(request.fresh.now_ms));
    Ok(Some(message))
}

fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts = blocks
                .iter()
                .filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
