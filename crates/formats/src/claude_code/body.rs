//! The text of one record.

use super::attachment::{PROMPT_ROLE, TOOLS_ROLE, native_role};
use super::entry::SUBAGENT_REPORT;
use super::prompt::{Said, said};
use super::queue::TAKEN_BACK;
use crate::failure;
use crate::measure::head;
use crate::repair::replace_lone_surrogates;
use palimpsest_core::body::{LINK, QUEUED};
use palimpsest_core::joined::{ATTACHMENT, is_further_block};
use palimpsest_core::json::{stringify, utf16_len};
use palimpsest_core::{
    Block, Body, Entry, Message, Role, SubagentResult, ToolRef, Usage, context_tags,
};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::iter;

/// The messages a record stands for: tool results one by one, then what stands beside them.
pub(super) fn body(entry: &Entry, raw: &[u8]) -> Body {
    let text = palimpsest_core::stored::text(raw);
    // JavaScript writes half of a surrogate pair as an escape where it cut a text; a JSON parser
    // refuses that.
    let parsed =
        serde_json::from_str(&text).or_else(|error| match replace_lone_surrogates(&text) {
            Cow::Borrowed(_) => Err(error),
            Cow::Owned(fixed) => serde_json::from_str(&fixed),
        });
    let Ok(Value::Object(record)) = parsed else {
        return Body::default();
    };
    let empty = Map::new();
    let message = record.get("message").and_then(Value::as_object);
    let messages = match text_of(&record, "type") {
        "assistant" => vec![assistant(
            message.unwrap_or(&empty),
            // Errors of the API are shown to the user and not sent again.
            !flag(&record, "isApiErrorMessage"),
        )],
        "user" => user(entry, &record, message.unwrap_or(&empty)),
        "attachment" => attachment(&record),
        "system" if text_of(&record, "subtype") == "local_command" => {
            let text = text_of(&record, "content").to_owned();
            vec![plain("command_output", text)]
        }
        _ => Vec::new(),
    };
    Body {
        messages,
        beside: match text_of(&record, "type") {
            "progress" => report(entry, &record),
            "queue-operation" => queued(&record),
            "system" if text_of(&record, "subtype") == "api_error" => {
                failure::told(&failure_text(&record))
            }
            "pr-link" => link(&record),
            _ => Vec::new(),
        },
        usage: message
            .filter(|_| is_further_block(entry))
            .and_then(stated_usage),
        subagent: subagent_result(&record),
    }
}

/// A message that waits until the model is done.
fn queued(record: &Map<String, Value>) -> Vec<Message> {
    let text = text_of(record, "content");
    if text.trim().is_empty() {
        return Vec::new();
    }
    // One record repeats all prompts that are taken back.
    let is_first = text_of(record, "operation") == "enqueue";
    let role = if is_first { QUEUED } else { TAKEN_BACK };
    vec![Message {
        sent: false,
        ..plain(role, text.to_owned())
    }]
}

/// A pull request that was made: its number and address.
fn link(record: &Map<String, Value>) -> Vec<Message> {
    let number = record.get("prNumber").and_then(Value::as_u64);
    let number = number.map(|number| format!("#{number}"));
    let texts = [text_of(record, "prUrl"), text_of(record, "prRepository")];
    let texts = texts.into_iter().filter(|text| !text.is_empty());
    let words: Vec<String> = number.into_iter().chain(texts.map(str::to_owned)).collect();
    if words.is_empty() {
        return Vec::new();
    }
    vec![Message {
        sent: false,
        ..plain(LINK, words.join(" "))
    }]
}

/// What the API or the connection said of a failed request: its status, then the innermost words.
fn failure_text(record: &Map<String, Value>) -> String {
    let error = record.get("error");
    let status = error.and_then(|error| error.get("status")?.as_u64());
    let mut words: Vec<String> = status
        .map(|status| status.to_string())
        .into_iter()
        .collect();
    let mut inner = error;
    while let Some(level) = inner.and_then(Value::as_object) {
        for key in ["type", "code", "message"] {
            let text = text_of(level, key);
            if !text.is_empty() && text != "error" && !words.iter().any(|own| own == text) {
                words.push(text.to_owned());
            }
        }
        inner = level.get("error").or_else(|| level.get("cause"));
    }
    words.join(" ")
}

/// The usage as a record states it.
fn stated_usage(message: &Map<String, Value>) -> Option<Usage> {
    let usage = message.get("usage")?.as_object()?;
    let count = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or_default();
    Some(Usage {
        input: count("input_tokens"),
        output: count("output_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
        ..Usage::default()
    })
}

/// What a record with the result of a subagent says beside its text.
fn subagent_result(record: &Map<String, Value>) -> Option<SubagentResult> {
    let told = record.get("toolUseResult")?.as_object()?;
    let agent_id = told.get("agentId").and_then(Value::as_str)?;
    let count = |key: &str| told.get(key).and_then(Value::as_u64);
    Some(SubagentResult {
        agent_id: Some(agent_id.to_owned()),
        tokens: count("totalTokens"),
        duration_ms: count("totalDurationMs"),
        calls: count("totalToolUseCount"),
    })
}

/// A subagent's message inside a report; the main conversation does not have it.
fn report(entry: &Entry, record: &Map<String, Value>) -> Vec<Message> {
    let held = record
        .get("data")
        .filter(|data| data.get("type").and_then(Value::as_str) == Some(SUBAGENT_REPORT))
        .and_then(|data| data.get("message")?.as_object());
    let Some(held) = held else {
        return Vec::new();
    };
    let empty = Map::new();
    let message = held.get("message").and_then(Value::as_object);
    let message = message.unwrap_or(&empty);
    let mut messages = match text_of(held, "type") {
        "assistant" => vec![assistant(message, false)],
        _ => user(entry, held, message),
    };
    for message in &mut messages {
        message.sent = false;
        if message.role == Role::User {
            message.native_role = "user";
        }
    }
    messages
}

fn plain(native_role: &'static str, text: String) -> Message {
    Message {
        role: Role::User,
        native_role,
        blocks: vec![Block::Text(text)],
        tool: None,
        sent: true,
    }
}

fn assistant(message: &Map<String, Value>, sent: bool) -> Message {
    Message {
        role: Role::Assistant,
        native_role: "assistant",
        blocks: blocks(message.get("content")),
        tool: None,
        sent,
    }
}

fn user(entry: &Entry, record: &Map<String, Value>, message: &Map<String, Value>) -> Vec<Message> {
    let content = message.get("content");
    let is_result =
        |value: &&Value| value.get("type").and_then(Value::as_str) == Some("tool_result");
    // Several results in one record answer parallel calls; each is a message, since each has a
    // size and a tool.
    let results: Vec<&Value> = match content {
        Some(Value::Array(blocks)) => blocks.iter().filter(is_result).collect(),
        _ => Vec::new(),
    };
    let mut messages: Vec<Message> = results
        .iter()
        .filter_map(|value| value.as_object())
        .zip(tool_names(entry))
        .map(|(block, name)| result(block, name))
        .collect();
    let rest = match content {
        Some(Value::Array(all)) => {
            let rest = all.iter().filter(|value| !is_result(value));
            rest.map(block).collect()
        }
        other => blocks(other),
    };
    if messages.is_empty() || !rest.is_empty() {
        let texts = rest.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text.as_str()),
            _ => None,
        });
        // The user's words stand behind what the agent puts before them.
        let is_own = |text: &&str| !context_tags::is_context(text) && !text.trim().is_empty();
        let shows = rest.iter().any(|block| !matches!(block, Block::Text(_)));
        let first = match texts.clone().find(is_own) {
            Some(text) => Some(head(&text[context_tags::end(text)..])),
            // An image beside what the editor shows is the user's.
            None => texts
                .clone()
                .next()
                .filter(|text| !(shows && context_tags::is_context(text)))
                .map(head),
        };
        // Flags win over the beginning of the text, which any prompt may share.
        let said = match first.map_or(Said::Prompt, |text| said(&text)) {
            _ if flag(record, "isCompactSummary") => Said::Summary,
            _ if flag(record, "isMeta") => Said::Meta,
            said => said,
        };
        messages.push(Message {
            role: Role::User,
            native_role: said.native_role(),
            blocks: rest,
            tool: None,
            sent: true,
        });
    }
    messages
}

/// The tools whose results an entry holds: only the calls name them.
fn tool_names(entry: &Entry) -> impl Iterator<Item = &str> {
    // The reader has found the names; a record read alone does not know its calls.
    let sizes = entry.messages.iter();
    let names = sizes.map(|size| size.tool_name.as_deref().unwrap_or_default());
    let reported = entry.subagent.iter().flat_map(|report| &report.results);
    let reported = reported.map(|result| &*result.tool);
    names.chain(reported).chain(iter::repeat(""))
}

fn result(block: &Map<String, Value>, name: &str) -> Message {
    Message {
        role: Role::Tool,
        native_role: "tool_result",
        blocks: blocks(block.get("content")),
        tool: Some(ToolRef {
            call_id: text_of(block, "tool_use_id").to_owned(),
            name: name.to_owned(),
            is_error: flag(block, "is_error"),
        }),
        sent: true,
    }
}

fn attachment(record: &Map<String, Value>) -> Vec<Message> {
    let empty = Map::new();
    let attachment = record.get("attachment").and_then(Value::as_object);
    let attachment = attachment.unwrap_or(&empty);
    let rendered = match record.get("rendered") {
        Some(Value::Array(texts)) => texts.as_slice(),
        _ => &[],
    };
    let role = native_role(record.get("renderedRole").and_then(Value::as_str));
    match text_of(attachment, "type") {
        "prompt_snapshot" => snapshot(attachment),
        "queued_command" if rendered.is_empty() => {
            vec![plain(ATTACHMENT, text_of(attachment, "prompt").to_owned())]
        }
        _ => rendered
            .iter()
            .map(|text| {
                let text = text.get("content").and_then(Value::as_str);
                plain(role, text.unwrap_or_default().to_owned())
            })
            .collect(),
    }
}

fn snapshot(attachment: &Map<String, Value>) -> Vec<Message> {
    let unsent = |native_role: &'static str, blocks: Vec<Block>| Message {
        role: Role::System,
        native_role,
        blocks,
        tool: None,
        sent: false,
    };
    let texts = attachment.get("systemPrompt").and_then(Value::as_array);
    let texts = texts.into_iter().flatten().filter_map(Value::as_str);
    let prompt = texts.map(|text| Block::Text(text.to_owned())).collect();
    let mut messages = vec![unsent(PROMPT_ROLE, prompt)];
    if let Some(tools) = attachment.get("tools").filter(|tools| !tools.is_null()) {
        let tools = vec![Block::ToolsAdded(stringify(tools))];
        messages.push(unsent(TOOLS_ROLE, tools));
    }
    messages
}

fn blocks(content: Option<&Value>) -> Vec<Block> {
    match content {
        Some(Value::String(text)) => vec![Block::Text(text.clone())],
        Some(Value::Array(blocks)) => blocks.iter().map(block).collect(),
        _ => Vec::new(),
    }
}

fn block(value: &Value) -> Block {
    let empty = Map::new();
    let block = value.as_object().unwrap_or(&empty);
    match text_of(block, "type") {
        "text" => Block::Text(text_of(block, "text").to_owned()),
        "thinking" => Block::Thinking {
            text: text_of(block, "thinking").to_owned(),
            redacted: false,
        },
        "redacted_thinking" => Block::Thinking {
            text: String::new(),
            redacted: true,
        },
        "tool_use" => Block::ToolCall {
            id: text_of(block, "id").to_owned(),
            name: text_of(block, "name").to_owned(),
            arguments: block.get("input").map(stringify).unwrap_or_default(),
        },
        "image" => {
            let source = block.get("source").and_then(Value::as_object);
            let source = source.unwrap_or(&empty);
            Block::Image {
                mime: text_of(source, "media_type").to_owned(),
                base64_len: utf16_len(text_of(source, "data")),
            }
        }
        kind => Block::Opaque {
            kind: kind.to_owned(),
            json: stringify(value),
        },
    }
}

fn text_of<'a>(object: &'a Map<String, Value>, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn flag(object: &Map<String, Value>, key: &str) -> bool {
    match object.get(key) {
        Some(Value::Bool(flag)) => *flag,
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(Value::String(text)) => !text.is_empty(),
        _ => false,
    }
}
