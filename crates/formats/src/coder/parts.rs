//! The messages that the model gets of a stored message, from its parts.

use crate::json::{field, filled, flag, items, text};
use crate::outcome::{outcome_of, says_failed};
use palimpsest_core::json::{stringify, utf16_len};
use palimpsest_core::{Block, Category, Message, MessageSize, Outcome, Role, ToolRef};
use serde_json::Value;
use std::borrow::Cow;

/// The tool whose call and result stand for a compaction.
pub(super) const SUMMARIZED: &str = "chat_summarized";
/// The tool whose call stands for a context that the user cleared.
pub(super) const CLEARED: &str = "chat_cleared";

/// Tokens by the rule of thumb: UTF-16 units by four.
fn tokens(units: u64) -> u64 {
    (units + 2) / 4
}

/// A message with its size by category.
#[derive(Debug)]
pub(super) struct Spoken {
    pub message: Message,
    units: Vec<(Category, u64)>,
    outcome: Outcome,
}

impl Spoken {
    fn new(role: Role, native_role: &'static str) -> Spoken {
        Spoken {
            message: Message {
                role,
                native_role,
                blocks: Vec::new(),
                tool: None,
                sent: false,
            },
            units: Vec::new(),
            outcome: Outcome::Fine,
        }
    }

    fn say(&mut self, block: Block, category: Category, units: u64) {
        self.message.blocks.push(block);
        self.message.sent = true;
        match self.units.iter_mut().find(|(known, _)| *known == category) {
            Some((_, sum)) => *sum = sum.saturating_add(units),
            None if units > 0 => self.units.push((category, units)),
            None => {}
        }
    }

    /// Adds what is kept and not sent.
    fn keep(&mut self, part: &Value) {
        self.message.blocks.push(Block::Opaque {
            kind: text(part, "type").to_owned(),
            json: stringify(part),
        });
    }

    /// The size of the message.
    pub fn size(&self) -> MessageSize {
        let units = self.units.iter().map(|(_, units)| *units);
        MessageSize {
            role: self.message.role,
            native_role: self.message.native_role,
            estimate: tokens(units.fold(0, u64::saturating_add)),
            units: self.units.clone(),
            tool_name: self.message.tool.as_ref().map(|tool| (*tool.name).into()),
            outcome: self.outcome,
            sent: self.message.sent,
        }
    }
}

/// The parts of a message. The oldest rows have them in another layout, in which a text stands alone.
pub(super) fn parts(record: &Value) -> Cow<'_, [Value]> {
    match field(record, "content") {
        Value::Array(parts) => Cow::Borrowed(parts),
        Value::String(words) => {
            let mut part = serde_json::Map::new();
            part.insert("type".to_owned(), "text".into());
            part.insert("text".to_owned(), words.as_str().into());
            Cow::Owned(vec![Value::Object(part)])
        }
        _ => Cow::Borrowed(&[]),
    }
}

/// The part of a message that ends a compaction: the result with the summary.
pub(super) fn summary(parts: &[Value]) -> Option<&Value> {
    let mut results = parts.iter().filter(|part| {
        text(part, "type") == "tool-result" && text(part, "tool_name") == SUMMARIZED
    });
    let result = field(results.next()?, "result");
    result.is_object().then_some(result)
}

/// True for a message of calls or results that stand for what the server did.
pub(super) fn is_marker(parts: &[Value], tool: &str) -> bool {
    let mut named = parts
        .iter()
        .filter(|part| text(part, "type").starts_with("tool-"));
    named.clone().next().is_some() && named.all(|part| text(part, "tool_name") == tool)
}

/// True for a row of the server's database that the model does not get as it is: one that only the
/// user sees, and the hidden summary, whose text the result beside it holds as well.
fn is_beside(record: &Value) -> bool {
    match text(record, "visibility") {
        "user" => true,
        "model" => flag(record, "compressed"),
        _ => false,
    }
}

/// True for a row that the user took back by editing a prompt; the API does not show it.
pub(super) fn is_deleted(record: &Value) -> bool {
    flag(record, "deleted")
}

/// The messages of a record, in the order sent.
pub(super) fn spoken(record: &Value) -> Vec<Spoken> {
    let parts = parts(record);
    if let Some(result) = summary(&parts) {
        let words = filled(result, "summary").unwrap_or_default();
        let mut spoken = Spoken::new(Role::User, "summary");
        spoken.say(
            Block::Text(words.to_owned()),
            Category::Summaries,
            utf16_len(words),
        );
        return vec![spoken];
    }
    let is_marker = is_marker(&parts, SUMMARIZED) || is_marker(&parts, CLEARED);
    let is_hidden = is_marker || is_beside(record);
    let mut all = match text(record, "role") {
        "user" => one(Role::User, "user", Category::User, &parts),
        "system" => one(Role::System, "system", Category::System, &parts),
        "assistant" => one(
            Role::Assistant,
            "assistant",
            Category::AssistantText,
            &parts,
        ),
        "tool" => results(&parts),
        _ => one(Role::User, "unknown", Category::User, &parts),
    };
    // Calls that the provider itself answered hold their results as well.
    if text(record, "role") == "assistant" {
        all.extend(
            results(&parts)
                .into_iter()
                .filter(|own| own.message.tool.is_some()),
        );
    }
    let is_known = all
        .first()
        .is_none_or(|own| own.message.native_role != "unknown");
    for spoken in &mut all {
        spoken.message.sent &= is_known && !is_hidden;
    }
    all
}

fn one(role: Role, native_role: &'static str, category: Category, parts: &[Value]) -> Vec<Spoken> {
    let mut spoken = Spoken::new(role, native_role);
    for part in parts {
        let words = text(part, "text");
        match text(part, "type") {
            "text" if words.is_empty() => spoken.message.blocks.push(Block::Text(String::new())),
            "text" => spoken.say(Block::Text(words.to_owned()), category, utf16_len(words)),
            "reasoning" => {
                let block = Block::Thinking {
                    text: words.to_owned(),
                    redacted: words.is_empty(),
                };
                spoken.say(block, Category::Thinking, utf16_len(words));
            }
            "tool-call" => {
                let (block, units) = call(part);
                spoken.say(block, Category::ToolCalls, units);
            }
            "tool-result" => {}
            "file" => {
                let data = text(part, "data");
                let block = Block::Image {
                    mime: text(part, "media_type").to_owned(),
                    base64_len: data.len() as u64,
                };
                spoken.say(block, Category::Images, 0);
            }
            // A piece of a file that the user pointed at.
            "file-reference" => {
                let name = text(part, "file_name");
                let told = format!("{name}\n{}", text(part, "content"));
                let units = utf16_len(&told);
                spoken.say(Block::Text(told), Category::Injected, units);
            }
            _ => spoken.keep(part),
        }
    }
    vec![spoken]
}

fn call(part: &Value) -> (Block, u64) {
    let name = text(part, "tool_name");
    let arguments = match field(part, "args") {
        Value::Null => String::new(),
        Value::String(args) => args.clone(),
        args => stringify(args),
    };
    let units = utf16_len(name) + utf16_len(&arguments);
    let call = Block::ToolCall {
        id: text(part, "tool_call_id").to_owned(),
        name: name.to_owned(),
        arguments,
    };
    (call, units)
}

fn results(parts: &[Value]) -> Vec<Spoken> {
    let of_tools = parts
        .iter()
        .filter(|part| text(part, "type") == "tool-result");
    let mut all: Vec<Spoken> = of_tools.map(result).collect();
    let others: Vec<Value> = parts
        .iter()
        .filter(|part| text(part, "type") != "tool-result")
        .cloned()
        .collect();
    if all.is_empty() {
        all = one(Role::Tool, "toolResult", Category::ToolResults, &others);
    }
    all
}

fn result(part: &Value) -> Spoken {
    let output = match field(part, "result") {
        Value::String(output) => output.clone(),
        Value::Null => String::new(),
        other => stringify(other),
    };
    let mut spoken = Spoken::new(Role::Tool, "toolResult");
    let units = utf16_len(&output);
    spoken.say(Block::Text(output), Category::ToolResults, units);
    spoken.message.tool = Some(ToolRef {
        call_id: text(part, "tool_call_id").to_owned(),
        name: text(part, "tool_name").to_owned(),
        is_error: field(part, "is_error").as_bool().unwrap_or_default(),
    });
    spoken.outcome = match outcome_of(&spoken.message) {
        // The status of a command is in the result, which is no error for the server.
        Outcome::Fine if says_failed(field(part, "result")) => Outcome::Failed,
        told => told,
    };
    spoken
}

/// The subagents that a chat names.
pub(super) fn children(chat: &Value) -> Vec<(String, Option<String>)> {
    let all = items(chat, "children").iter();
    let named = all.filter_map(|child| {
        let id = filled(child, "id").or_else(|| child.as_str())?;
        Some((id.to_owned(), filled(child, "title").map(str::to_owned)))
    });
    named.collect()
}
