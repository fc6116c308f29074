//! A form whose labels the preset gives, for agents that differ in little else.

use crate::text::shorter::head;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::draft::Draft;
use crate::workpiece::transcript::written::Written;
use palimpsest_core::json::utf16_len;
use palimpsest_core::{Block, ItemKind, Message, Role};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Labels and limits of the form. An empty label leaves that kind of text out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Labelled {
    /// Before what the user said.
    pub user: String,
    /// Before what the agent put in the user's place, such as notes and reminders; empty takes
    /// the label of the user (OpenCode's second engine has its own).
    pub synthetic: String,
    /// Before a shell command of the user and what came of it; empty takes the label of the user
    /// (OpenCode's second engine has its own).
    pub shell: String,
    /// What stands for a file attached to what the user said, on a line of its own, with `{mime}`
    /// where its type goes; empty leaves it out (OpenCode `[Attached mime: name]`).
    pub attachment: String,
    /// Before what the assistant said.
    pub assistant: String,
    /// Before its reasoning.
    pub thinking: String,
    /// Before a tool call, `name(arguments as JSON)`.
    pub tool_call: String,
    /// Before a tool's result.
    pub tool_result: String,
    /// Before the result of a tool that failed.
    pub tool_error: String,
    /// What stands for the result of a call that was never answered; empty leaves it out (Roo
    /// Code puts such a result in).
    pub orphan_result: String,
    /// Between two messages, and between the parts of one.
    pub separator: String,
    /// Between the parts of one message, with each result right behind its call (OpenCode: a line
    /// end); empty separates parts as messages, with results behind all calls.
    pub part_separator: String,
    /// UTF-16 units after which a tool result is cut; 0 is no limit.
    pub tool_result_max_chars: u64,
    /// UTF-16 units after which reasoning is cut; 0 is no limit (Cline 2,000).
    pub thinking_max_chars: u64,
    /// UTF-16 units after which a call's arguments are cut; 0 is no limit (Cline 2,000, as they
    /// hold the contents of files).
    pub tool_call_max_chars: u64,
    /// UTF-16 units after which all of a message is cut, labels and calls included; 0 is no limit
    /// (OpenHands V0 `max_event_length` 10,000).
    pub message_max_chars: u64,
    /// What marks the cut.
    pub truncated: String,
}

/// A part of a message with its label.
pub(crate) struct Part {
    /// The text.
    pub text: String,
    /// The call it is, or whose result it is.
    pub call: Option<String>,
}

/// The formats' words for messages in the user's place that the agent wrote: OpenCode's synthetic
/// texts, Claude Code's notes and its news of tasks, Codex' injected context.
const BY_AGENT: [&str; 4] = ["synthetic", "meta", "task_notification", "injected"];

impl Default for Labelled {
    fn default() -> Self {
        Labelled {
            user: "[User]: ".to_owned(),
            synthetic: String::new(),
            shell: String::new(),
            attachment: String::new(),
            assistant: "[Assistant]: ".to_owned(),
            thinking: String::new(),
            tool_call: "[Assistant tool call]: ".to_owned(),
            tool_result: "[Tool result]: ".to_owned(),
            tool_error: "[Tool error]: ".to_owned(),
            orphan_result: String::new(),
            separator: "\n\n".to_owned(),
            part_separator: String::new(),
            tool_result_max_chars: 2_000,
            thinking_max_chars: 0,
            tool_call_max_chars: 0,
            message_max_chars: 0,
            truncated: "\n[truncated]".to_owned(),
        }
    }
}

impl Labelled {
    pub(crate) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new("user", ParamType::Text, "label of user messages"),
        ParamDoc::new(
            "synthetic",
            ParamType::Text,
            "label of messages the agent added as user; empty means the label of user messages",
        ),
        ParamDoc::new(
            "shell",
            ParamType::Text,
            "label of shell commands of the user; empty means the label of user messages",
        ),
        ParamDoc::new(
            "attachment",
            ParamType::Text,
            "placeholder for an attached file, with {mime} for its type; empty omits it",
        ),
        ParamDoc::new("assistant", ParamType::Text, "label of assistant messages"),
        ParamDoc::new(
            "thinking",
            ParamType::Text,
            "label of reasoning; empty omits it",
        ),
        ParamDoc::new(
            "tool_call",
            ParamType::Text,
            "label of tool calls; empty omits them",
        ),
        ParamDoc::new(
            "tool_result",
            ParamType::Text,
            "label of tool results; empty omits them",
        ),
        ParamDoc::new(
            "tool_error",
            ParamType::Text,
            "label of failed tool results",
        ),
        ParamDoc::new(
            "orphan_result",
            ParamType::Text,
            "placeholder for a missing tool result; empty omits it",
        ),
        ParamDoc::new("separator", ParamType::Text, "separator between messages"),
        ParamDoc::new(
            "part_separator",
            ParamType::Text,
            "separator between the parts of a message, each tool result after its call; empty \
             means that of messages, results after all calls",
        ),
        ParamDoc::new(
            "tool_result_max_chars",
            ParamType::Integer,
            "length at which a tool result is truncated in the transcript; 0 means no limit",
        )
        .unit("UTF-16 units"),
        ParamDoc::new(
            "thinking_max_chars",
            ParamType::Integer,
            "length at which reasoning is truncated; 0 means no limit",
        )
        .unit("UTF-16 units"),
        ParamDoc::new(
            "tool_call_max_chars",
            ParamType::Integer,
            "length at which call arguments are truncated; 0 means no limit",
        )
        .unit("UTF-16 units"),
        ParamDoc::new(
            "message_max_chars",
            ParamType::Integer,
            "length at which any message is truncated; 0 means no limit",
        )
        .unit("UTF-16 units"),
        ParamDoc::new("truncated", ParamType::Text, "truncation mark"),
    ];

    pub(crate) fn text(&self, kind: ItemKind, message: &Message) -> String {
        let parts: Vec<String> = self
            .parts(kind, message)
            .into_iter()
            .map(|part| part.text)
            .collect();
        self.shortened(parts.join(&self.separator), self.message_max_chars)
    }

    /// The parts of a message with their labels.
    pub(crate) fn parts(&self, kind: ItemKind, message: &Message) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        let mut add = |label: &str, text: &str, call: Option<&str>| {
            if !label.is_empty() && !text.is_empty() {
                parts.push(Part {
                    text: format!("{label}{text}"),
                    call: call.map(str::to_owned),
                });
            }
        };
        match message.role {
            // The model did not get it, so the summarizer does not either.
            _ if !message.sent => {}
            Role::System => {}
            Role::User => add(self.label(kind, message), &self.said(message), None),
            Role::Assistant => {
                for block in &message.blocks {
                    match block {
                        Block::Thinking { text, .. } => add(
                            &self.thinking,
                            &self.shortened(text.clone(), self.thinking_max_chars),
                            None,
                        ),
                        Block::Text(text) => add(&self.assistant, text, None),
                        Block::ToolCall {
                            id,
                            name,
                            arguments,
                        } => add(
                            &self.tool_call,
                            &format!(
                                "{name}({})",
                                self.shortened(arguments.clone(), self.tool_call_max_chars)
                            ),
                            Some(id),
                        ),
                        _ => {}
                    }
                }
            }
            Role::Tool => {
                let failed = message.tool.as_ref().is_some_and(|tool| tool.is_error);
                let label = if failed && !self.tool_error.is_empty() {
                    &self.tool_error
                } else {
                    &self.tool_result
                };
                add(
                    label,
                    &self.shortened(message.text("\n"), self.tool_result_max_chars),
                    message.tool.as_ref().map(|tool| tool.call_id.as_str()),
                );
            }
        }
        parts
    }

    /// The label of a message in the user's place.
    fn label(&self, kind: ItemKind, message: &Message) -> &str {
        let own = match kind {
            ItemKind::UserShell => &self.shell,
            ItemKind::Custom => &self.synthetic,
            _ if BY_AGENT.contains(&message.native_role) => &self.synthetic,
            _ => &self.user,
        };
        if own.is_empty() { &self.user } else { own }
    }

    /// The texts of a message in the user's place, and a line for each file attached to it.
    fn said(&self, message: &Message) -> String {
        let mut text = message.text("\n");
        if self.attachment.is_empty() {
            return text;
        }
        for block in &message.blocks {
            if let Block::Image { mime, .. } = block {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&self.attachment.replace("{mime}", mime));
            }
        }
        text
    }

    /// Writes `orphan_result` behind the last message before the user speaks again, or the end,
    /// once for each call without a result.
    pub(crate) fn answer_orphans(
        &self,
        draft: &Draft<'_>,
        positions: &[usize],
        written: &mut [Written],
    ) {
        let input = draft.input;
        let mut open = 0_usize;
        let mut answered: Vec<(usize, usize)> = Vec::new();
        for &at in positions {
            let item = &input.context.items[at];
            match item.role {
                Role::Assistant => {
                    let calls = |&entry| input.session.entry(entry).tool_calls.len();
                    open += item.entries.iter().map(calls).sum::<usize>();
                }
                Role::Tool => open = open.saturating_sub(1),
                Role::User if open > 0 => {
                    answered.push((at, open));
                    open = 0;
                }
                Role::User | Role::System => {}
            }
        }
        if open > 0 {
            answered.push((usize::MAX, open));
        }
        for (before, count) in answered {
            // By halving, as messages are written in their order: going through them made a plan
            // over 50,000 entries with many interrupted calls take 180 ms instead of 84.
            let behind = written.partition_point(|own| own.item < before);
            if let Some(last) = behind.checked_sub(1).and_then(|at| written.get_mut(at)) {
                let missing = format!("{}{}", self.separator, self.orphan_result).repeat(count);
                last.tokens += crate::vocabulary::estimate::estimate(&missing);
                last.units += utf16_len(&missing);
                // Where texts are only counted there is none to put it behind.
                if !last.text.is_empty() {
                    last.text = Arc::new(format!("{}{missing}", last.text));
                }
            }
        }
    }

    fn shortened(&self, text: String, most: u64) -> String {
        if most == 0 || utf16_len(&text) <= most {
            return text;
        }
        let (kept, _) = head(&text, most);
        format!("{kept}{}", self.truncated)
    }
}
