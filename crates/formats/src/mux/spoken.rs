//! The messages that Mux makes of a row or of a run of its parts.

use super::attachments;
use super::output;
use super::row::{Kind, agent_of};
use super::steps::{is_done, runs};
use crate::json::{field, filled, text};
use crate::outcome::outcome_of;
use palimpsest_core::json::{stringify, utf16_len};
use palimpsest_core::{Block, Category, Message, MessageSize, Role, ToolRef};
use serde_json::Value;

/// The role name of Mux's notice that another agent mode answers from here on.
pub(super) const AGENT_SWITCH: &str = "agentSwitch";
/// The role name of what is sent again behind a compaction.
pub(super) const ATTACHMENTS: &str = "postCompaction";
/// The role name of a reply whose reasoning Anthropic did not sign, so that it is not sent there.
pub(super) const UNSIGNED: &str = "assistantUnsigned";
/// UTF-16 units of Mux's notice about the agent mode, without its list of tools.
const SWITCH_UNITS: u64 = 73;

/// Tokens by the rule of thumb that Mux's window uses where it does not count: units by four.
pub(super) fn tokens(units: u64) -> u64 {
    (units + 2) / 4
}

/// A message with its size by category.
#[derive(Debug)]
pub(super) struct Spoken {
    pub message: Message,
    pub units: Vec<(Category, u64)>,
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
        }
    }

    /// Adds what the model gets.
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
            outcome: outcome_of(&self.message),
            sent: self.message.sent,
        }
    }
}

/// The messages of a row with these parts, in the order sent.
pub(super) fn spoken(kind: Kind, parts: &[Value]) -> Vec<Spoken> {
    match kind {
        Kind::Prompt => user("user", Category::User, parts, true),
        Kind::Synthetic => user("synthetic", Category::Injected, parts, true),
        Kind::CompactionRequest => user("compactionRequest", Category::Injected, parts, true),
        // Questions beside the conversation are a fork of their own (0.28).
        Kind::SideQuestion => user("sideQuestion", Category::User, parts, false),
        Kind::SideAnswer => assistant("sideAnswer", Category::AssistantText, parts, false),
        Kind::Reply => assistant("assistant", Category::AssistantText, parts, true),
        Kind::Summary { .. } => assistant("summary", Category::Summaries, parts, true),
        Kind::Reset => Vec::new(),
        Kind::System => {
            let mut all = user("system", Category::System, parts, true);
            for spoken in &mut all {
                spoken.message.role = Role::System;
            }
            all
        }
        Kind::Unknown => user("unknown", Category::User, parts, false),
    }
}

fn user(native_role: &'static str, category: Category, parts: &[Value], sent: bool) -> Vec<Spoken> {
    let mut spoken = Spoken::new(Role::User, native_role);
    for part in parts {
        match text(part, "type") {
            "text" => {
                let words = text(part, "text");
                let block = Block::Text(words.to_owned());
                if words.trim().is_empty() {
                    spoken.message.blocks.push(block);
                } else {
                    spoken.say(block, category, utf16_len(words));
                }
            }
            "file" => spoken.say(file(part), Category::Images, 0),
            _ => spoken.keep(part),
        }
    }
    spoken.message.sent &= sent;
    vec![spoken]
}

/// A file that the user added; only data URLs hold it themselves.
fn file(part: &Value) -> Block {
    let url = text(part, "url");
    let data = url
        .strip_prefix("data:")
        .and_then(|url| url.split_once(','));
    Block::Image {
        mime: text(part, "mediaType").to_owned(),
        base64_len: data.map_or(0, |(_, data)| data.len() as u64),
    }
}

fn assistant(
    native_role: &'static str,
    says: Category,
    parts: &[Value],
    sent: bool,
) -> Vec<Spoken> {
    let mut all = Vec::new();
    for run in runs(parts) {
        let run = &parts[run];
        let mut reply = Spoken::new(Role::Assistant, native_role);
        let mut results = Vec::new();
        for part in run {
            match text(part, "type") {
                "text" => add_text(&mut reply, text(part, "text"), says),
                "reasoning" => add_reasoning(&mut reply, text(part, "text")),
                "dynamic-tool" if is_done(part) => {
                    let (block, units) = call(part);
                    reply.say(block, Category::ToolCalls, units);
                    results.push(result(part));
                }
                "dynamic-tool" => results.push(unfinished(part)),
                _ => reply.keep(part),
            }
        }
        let says_more = |block: &Block| match block {
            Block::Text(words) => !words.trim().is_empty(),
            Block::ToolCall { .. } => true,
            _ => false,
        };
        let is_signed = is_signed(run);
        // Reasoning alone is only sent where its provider can check it.
        reply.message.sent &= reply.message.blocks.iter().any(says_more) || is_signed;
        if !is_signed && has_reasoning(run) && native_role == "assistant" {
            reply.message.native_role = UNSIGNED;
        }
        if !reply.message.blocks.is_empty() || results.is_empty() {
            all.push(reply);
        }
        all.append(&mut results);
    }
    for spoken in &mut all {
        spoken.message.sent &= sent;
    }
    all
}

/// Texts that follow each other are chunks of one. A chunk of white space alone is not sent, so it
/// stays by itself.
fn add_text(reply: &mut Spoken, words: &str, says: Category) {
    if words.trim().is_empty() {
        reply.message.blocks.push(Block::Text(words.to_owned()));
        return;
    }
    let units = utf16_len(words);
    match reply.message.blocks.last_mut() {
        Some(Block::Text(last)) if !last.trim().is_empty() => {
            last.push_str(words);
            count(reply, says, units);
        }
        _ => reply.say(Block::Text(words.to_owned()), says, units),
    }
}

fn add_reasoning(reply: &mut Spoken, words: &str) {
    let units = utf16_len(words);
    match reply.message.blocks.last_mut() {
        Some(Block::Thinking { text, redacted }) => {
            text.push_str(words);
            *redacted = text.is_empty();
            count(reply, Category::Thinking, units);
        }
        _ => {
            let block = Block::Thinking {
                text: words.to_owned(),
                redacted: words.is_empty(),
            };
            reply.say(block, Category::Thinking, units);
        }
    }
}

fn count(reply: &mut Spoken, category: Category, units: u64) {
    // The block is there already.
    match reply.units.iter_mut().find(|(known, _)| *known == category) {
        Some((_, sum)) => *sum = sum.saturating_add(units),
        None => reply.units.push((category, units)),
    }
}

fn has_reasoning(parts: &[Value]) -> bool {
    parts.iter().any(|part| text(part, "type") == "reasoning")
}

/// True when Anthropic signed the reasoning among these parts; the signature comes with the last
/// chunk of it.
fn is_signed(parts: &[Value]) -> bool {
    parts.iter().any(|part| {
        let anthropic = field(field(part, "providerOptions"), "anthropic");
        text(part, "type") == "reasoning"
            && (filled(part, "signature").is_some()
                || filled(anthropic, "signature").is_some()
                || filled(anthropic, "redactedData").is_some())
    })
}

fn call(part: &Value) -> (Block, u64) {
    let name = text(part, "toolName");
    let arguments = match field(part, "input") {
        Value::Null => String::new(),
        Value::String(input) => input.clone(),
        input => stringify(input),
    };
    let units = utf16_len(name) + utf16_len(&arguments);
    let call = Block::ToolCall {
        id: text(part, "toolCallId").to_owned(),
        name: name.to_owned(),
        arguments,
    };
    (call, units)
}

/// A call without a result: the model does not get it.
fn unfinished(part: &Value) -> Spoken {
    let mut spoken = Spoken::new(Role::Assistant, "unfinishedCall");
    spoken.message.blocks.push(call(part).0);
    spoken
}

fn result(part: &Value) -> Spoken {
    let name = text(part, "toolName");
    let stored = field(part, "output");
    let mut spoken = Spoken::new(Role::Tool, "toolResult");
    let later = output::later(name, stored);
    let sent = output::blocks(later.as_ref().unwrap_or(stored));
    for block in &sent {
        let (category, units) = match block {
            Block::Text(text) => (Category::ToolResults, utf16_len(text)),
            _ => (Category::Images, 0),
        };
        spoken.say(block.clone(), category, units);
    }
    // Shown as stored: with what only the window gets.
    spoken.message.blocks = output::blocks(stored);
    spoken.message.tool = Some(ToolRef {
        call_id: text(part, "toolCallId").to_owned(),
        name: name.to_owned(),
        is_error: output::failed(stored),
    });
    spoken
}

/// Our note for Mux's notice that the row's agent mode is another one than that of the last answer.
pub(super) fn agent_switch(row: &Value) -> Spoken {
    let mut spoken = Spoken::new(Role::User, AGENT_SWITCH);
    let agent = agent_of(row).unwrap_or_default();
    let note = Block::Text(format!("(the agent mode changed to {agent})"));
    spoken.say(note, Category::Injected, SWITCH_UNITS);
    spoken
}

/// What was sent with a request beside the rows.
pub(super) fn request(record: &Value) -> Vec<Spoken> {
    let mut all = Vec::new();
    if let Some(prompt) = filled(record, "systemPrompt") {
        let mut system = Spoken::new(Role::System, "system");
        let block = Block::Text(prompt.to_owned());
        system.say(block, Category::System, utf16_len(prompt));
        all.push(system);
    }
    let attached = field(record, "attachments");
    if !attached.is_null() {
        let mut spoken = Spoken::new(Role::User, ATTACHMENTS);
        let told = attachments::told(attached);
        let units = utf16_len(&told);
        spoken.say(Block::Text(told), Category::Injected, units);
        all.push(spoken);
    }
    all
}
