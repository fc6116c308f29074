//! The messages that records stand for, and their sizes.
//!
//! The message is made first and measured afterwards, so that sizes and texts cannot differ.

use super::calls;
use crate::by_bytes::{self, IMAGE_BYTES};
pub(super) use crate::by_bytes::{INJECTED, SUMMARY};
use crate::json::{count, field, items, some_text, text};
use crate::measure::head;
use palimpsest_core::json::stringify;
use palimpsest_core::{Block, Category, Message, MessageSize, Role, ToolRef};
use serde_json::Value;

/// The message of a record; `None` for what the model does not get. `tool` is the name of the tool
/// whose result it is.
pub(super) fn message(kind: &str, data: &Value, tool: Option<&str>) -> Option<Message> {
    Some(match kind {
        "user.message" => prompt(data),
        "assistant.message" => reply(data),
        "tool.execution_complete" => result(data, tool.unwrap_or_default()),
        "system.message" => plain(Role::System, "system", text(data, "content")),
        "system.notification" => plain(Role::User, INJECTED, text(data, "content")),
        "session.compaction_complete" => plain(Role::User, SUMMARY, text(data, "summaryContent")),
        _ => return None,
    })
}

/// Who put a user message in, where that was not the user: a skill, a rollover of the session's
/// memory, autopilot. The prompt of a subagent is its own.
pub(super) fn injected_by(data: &Value) -> Option<&str> {
    let continued = data.get("isAutopilotContinuation").and_then(Value::as_bool) == Some(true);
    let source = some_text(data, "source").filter(|source| !is_person(source));
    source.or(continued.then_some("autopilot"))
}

fn is_person(source: &str) -> bool {
    source == "user" || source.starts_with("agent-")
}

/// The user's own words in a message, where it does not hold them verbatim: what was shown in
/// place of what was sent.
pub(super) fn words_beside(data: &Value) -> Option<Message> {
    let words = some_text(data, "content")?;
    let sent = some_text(data, "transformedContent")?;
    place_of(words, sent)
        .is_none()
        .then(|| plain(Role::User, "user", words))
}

/// The bytes of `words` in `sent`: by preference on lines of their own, because short words may
/// stand in what Copilot puts before them.
fn place_of(words: &str, sent: &str) -> Option<usize> {
    if words.is_empty() {
        return None;
    }
    let alone = |at: &usize| {
        let (before, behind) = (&sent[..*at], &sent[at + words.len()..]);
        (before.is_empty() || before.ends_with('\n'))
            && (behind.is_empty() || behind.starts_with(['\n', '\r']))
    };
    let places = || sent.match_indices(words).map(|(at, _)| at);
    places().find(alone).or_else(|| places().next())
}

fn plain(role: Role, native_role: &'static str, text: &str) -> Message {
    Message {
        role,
        native_role,
        blocks: vec![Block::Text(text.to_owned())],
        tool: None,
        sent: true,
    }
}

/// A user message as it is sent: with what Copilot puts round the user's words.
fn prompt(data: &Value) -> Message {
    let role = injected_by(data).map_or("user", |_| INJECTED);
    let sent = some_text(data, "transformedContent").unwrap_or_else(|| text(data, "content"));
    let mut message = plain(Role::User, role, sent);
    for attached in items(data, "attachments") {
        message.blocks.extend(image(attached, "byteLength"));
    }
    message
}

fn image(holder: &Value, bytes: &str) -> Option<Block> {
    let mime = text(holder, "mimeType");
    let inline = text(holder, "data").len() as u64;
    // Without its data it is kept once for all records that show it.
    let elsewhere = count(holder, bytes).unwrap_or(0).div_ceil(3) * 4;
    mime.starts_with("image/").then(|| Block::Image {
        mime: mime.to_owned(),
        base64_len: inline.max(elsewhere),
    })
}

fn reply(data: &Value) -> Message {
    let mut blocks = Vec::new();
    let thought = text(data, "reasoningText");
    let hidden = ["reasoningOpaque", "encryptedContent"]
        .iter()
        .any(|key| some_text(data, key).is_some());
    if !thought.is_empty() || hidden {
        blocks.push(Block::Thinking {
            text: thought.to_owned(),
            redacted: thought.is_empty(),
        });
    }
    if let Some(said) = some_text(data, "content") {
        blocks.push(Block::Text(said.to_owned()));
    }
    blocks.extend(items(data, "toolRequests").iter().map(call));
    Message {
        role: Role::Assistant,
        native_role: "assistant",
        blocks,
        tool: None,
        sent: true,
    }
}

fn call(request: &Value) -> Block {
    let arguments = request.get("arguments");
    Block::ToolCall {
        id: text(request, "toolCallId").to_owned(),
        name: text(request, "name").to_owned(),
        arguments: arguments.map_or_else(|| "{}".to_owned(), stringify),
    }
}

fn result(data: &Value, tool: &str) -> Message {
    let result = field(data, "result");
    let said = some_text(result, "content").or_else(|| some_text(field(data, "error"), "message"));
    let images = items(result, "binaryResultsForLlm");
    let blocks = [Block::Text(said.unwrap_or_default().to_owned())]
        .into_iter()
        .chain(images.iter().filter_map(|own| image(own, "byteLength")));
    // What the user runs beside the model answers no call of it.
    let asked_by_user = data.get("isUserRequested").and_then(Value::as_bool) == Some(true);
    Message {
        role: Role::Tool,
        native_role: "tool",
        blocks: blocks.collect(),
        tool: Some(ToolRef {
            call_id: text(data, "toolCallId").to_owned(),
            name: tool.to_owned(),
            is_error: calls::is_failure(data),
        }),
        sent: !asked_by_user,
    }
}

/// The size of a record's message.
pub(super) fn size(message: &Message, data: &Value) -> MessageSize {
    let units = if message.role == Role::User && message.native_role == "user" {
        units_of_prompt(message, data)
    } else {
        by_bytes::units(message)
    };
    by_bytes::sized(message, units)
}

/// In the order of the text, so that the user's words can be found in it again.
fn units_of_prompt(message: &Message, data: &Value) -> Vec<(Category, u64)> {
    let Some(Block::Text(sent)) = message.blocks.first() else {
        return by_bytes::units(message);
    };
    let words = text(data, "content");
    let Some(at) = place_of(words, sent) else {
        return by_bytes::units(message);
    };
    let (before, own) = (at as u64, words.len() as u64);
    let mut all = vec![
        (Category::Injected, before),
        (Category::User, own),
        (Category::Injected, sent.len() as u64 - before - own),
    ];
    let images = message.blocks.len() as u64 - 1;
    all.push((Category::Images, images * IMAGE_BYTES));
    all
}

/// Where the user's words stand in a message of that size, in bytes.
pub(super) fn words_at(size: &MessageSize) -> Option<std::ops::Range<usize>> {
    let before = size
        .units
        .iter()
        .take_while(|(own, _)| *own != Category::User);
    let start: u64 = before.map(|(_, bytes)| bytes).sum();
    let (_, own) = size.units.iter().find(|(own, _)| *own == Category::User)?;
    Some(usize::try_from(start).ok()?..usize::try_from(start + own).ok()?)
}

/// The first words of a record with a message.
pub(super) fn preview(message: &Message, data: &Value) -> Box<str> {
    // The user's words, not the time that stands before them.
    if message.role == Role::User
        && let Some(words) = some_text(data, "content")
    {
        return head(words);
    }
    let said = message.blocks.iter().find_map(|block| match block {
        Block::Text(text) if !text.trim().is_empty() => Some(summarized(text)),
        _ => None,
    });
    if let Some(said) = said {
        return said;
    }
    if let [request, ..] = items(data, "toolRequests") {
        let briefs = calls::briefs(data);
        let paths: Vec<&str> = briefs
            .iter()
            .filter_map(|own| own.path.as_deref())
            .collect();
        return calls::preview(text(request, "name"), field(request, "arguments"), &paths);
    }
    match message.blocks.first() {
        Some(Block::Thinking { redacted: true, .. }) => "(encrypted reasoning)".into(),
        Some(Block::Thinking { text, .. }) => head(text),
        Some(Block::Image { .. }) => "(image)".into(),
        _ => Box::default(),
    }
}

/// The first words of a text; of a summary those of its first section.
fn summarized(text: &str) -> Box<str> {
    let section = text
        .strip_prefix("<overview>")
        .and_then(|rest| rest.split("</overview>").next());
    head(section.unwrap_or(text))
}
