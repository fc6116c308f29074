//! What an entry says: messages and their blocks, loaded from the source when asked for.

use crate::failure::{Failure, NextStep};
use crate::ids::EntryIx;
use crate::usage::Usage;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Who speaks in a message, in the field's common terms.
///
/// An agent's own role name is kept beside it as [`Message::native_role`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions that are not the user's: the system prompt and its patches.
    System,
    /// The person, and everything an agent sends in the person's place.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 4] = [Role::System, Role::User, Role::Assistant, Role::Tool];

    /// The name on the wire and in the index.
    pub fn name(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }
    }

    /// The role called `name`.
    pub fn from_name(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// The native role of what was said of a failure ([`Message::failure`]).
pub const FAILURE: &str = "error";
/// The native role of what the user wrote while the model was at work.
pub const QUEUED: &str = "queued";
/// The native role of a link that the agent noted, such as the one of a pull request.
pub const LINK: &str = "link";

/// The text of one entry.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Body {
    /// The messages the entry stands for: mostly one, none for labels and the like, two for a
    /// pi compaction that stores a system message as well.
    pub messages: Vec<Message>,
    /// Messages that the record holds for showing only: they are no part of the conversation, such
    /// as those of a subagent, or what the user wrote while the model was at work.
    pub beside: Vec<Message>,
    /// The usage as the record states it, where [`crate::Entry::usage`] is a share of it: a reply
    /// stored in several records states the same usage in each.
    pub usage: Option<Usage>,
    /// What the record says about the subagent whose result it holds.
    pub subagent: Option<SubagentResult>,
}

/// What a finished subagent reports beside its text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SubagentResult {
    /// The agent's id of the subagent.
    pub agent_id: Option<String>,
    /// Size of its last context with the reply, in tokens.
    pub tokens: Option<u64>,
    /// How long it worked, in milliseconds.
    pub duration_ms: Option<u64>,
    /// How many tools it called.
    pub calls: Option<u64>,
}

/// One message, in the order and with the blocks the agent stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The common role.
    pub role: Role,
    /// The agent's own word for the role, e.g. pi's `bashExecution` or `compactionSummary`.
    pub native_role: &'static str,
    /// The parts of the message.
    pub blocks: Vec<Block>,
    /// Which call a tool result answers.
    pub tool: Option<ToolRef>,
    /// False for what the agent keeps in the session but does not send to the model.
    pub sent: bool,
}

/// The call that a tool result answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRef {
    /// The provider's id of the call.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// True when the tool reported failure.
    pub is_error: bool,
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Plain text or markdown.
    Text(String),
    /// The model's reasoning; empty text with `redacted` where the provider hid it.
    Thinking {
        /// The readable reasoning.
        text: String,
        /// True when only an encrypted form is stored.
        redacted: bool,
    },
    /// A tool call.
    ToolCall {
        /// The provider's id of the call.
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments as compact JSON in stored key order (see [`crate::json::stringify`]).
        arguments: String,
    },
    /// An image; its data stays in the source.
    Image {
        /// MIME type.
        mime: String,
        /// Length of the base64 text.
        base64_len: u64,
    },
    /// A named section of a system message (pi 0.86 and later); `None` removes the section.
    Section {
        /// The section's name.
        name: String,
        /// Its new text.
        text: Option<String>,
    },
    /// Tool declarations added by a system message, as compact JSON.
    ToolsAdded(String),
    /// A block of a type we do not know, as compact JSON.
    Opaque {
        /// The `type` it carries.
        kind: String,
        /// The block as compact JSON.
        json: String,
    },
}

impl Message {
    /// What the provider or the agent said of a failure: stored with the reply, and not sent.
    pub fn failure(text: String) -> Message {
        Message {
            role: Role::Assistant,
            native_role: FAILURE,
            blocks: vec![Block::Text(text)],
            tool: None,
            sent: false,
        }
    }

    /// True for what the user can search for though it is no part of the conversation
    /// ([`Body::beside`]). The messages of a subagent are searched as well, by what their entry says
    /// ([`crate::Entry::subagent`]); others repeat what an entry of its own says.
    pub fn is_searched_beside(&self) -> bool {
        [FAILURE, QUEUED, LINK].contains(&self.native_role)
    }

    /// All text blocks joined by `separator`.
    pub fn text(&self, separator: &str) -> String {
        let mut out = String::new();
        let mut first = true;
        for block in &self.blocks {
            if let Block::Text(text) = block {
                if !first {
                    out.push_str(separator);
                }
                out.push_str(text);
                first = false;
            }
        }
        out
    }
}

/// Why an entry's text could not be had.
#[derive(Debug, Clone, thiserror::Error)]
pub enum BodyError {
    /// The source can no longer be read.
    #[error("the session's file cannot be read ({reason}): {path}")]
    Unreadable {
        /// The source file.
        path: String,
        /// The operating system's message.
        reason: String,
    },
    /// The source is not what it was when the entry was read.
    #[error("line {} has changed since the session was opened: {path}", line + 1)]
    Changed {
        /// 0-based physical line.
        line: u32,
        /// The source file.
        path: String,
    },
}

impl Failure for BodyError {
    fn next(&self) -> Option<NextStep> {
        Some(match self {
            BodyError::Unreadable { .. } => NextStep::CheckFile,
            BodyError::Changed { .. } => NextStep::OpenAgain,
        })
    }
}

/// Gives the text of entries of one session.
///
/// Implementations read from the source file, from memory, or from a cache in front of either.
pub trait Bodies: Send + Sync {
    /// The text of the entry at `ix`.
    fn body(&self, ix: EntryIx) -> Result<Arc<Body>, BodyError>;
}
