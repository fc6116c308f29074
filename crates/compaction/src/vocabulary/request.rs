//! In which form a call gives a conversation to a model: as a transcript in one user message, or as
//! the messages themselves with the request behind them.

use palimpsest_core::Role;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// In which form a call gives the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestForm {
    /// Written out as one text.
    #[default]
    Transcript,
    /// The session's own request: its messages, and the request as one more message (Claude Code,
    /// Codex and Gemini CLI by the requests that they sent).
    Conversation,
}

impl RequestForm {
    /// The words of a parameter of this type.
    pub(crate) const WORDS: &'static [&'static str] = &["transcript", "conversation"];

    /// True for the form of a transcript.
    pub fn is_transcript(&self) -> bool {
        *self == RequestForm::Transcript
    }
}

/// A message of a call in the form of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestMessage {
    /// Who says it.
    pub role: Role,
    /// Position in the context's items; `None` for the request and for a quoted reply.
    pub item: Option<usize>,
    /// Its blocks, in order.
    pub blocks: Vec<RequestBlock>,
}

/// A block of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestBlock {
    /// What it is.
    #[serde(flatten)]
    pub kind: BlockKind,
    /// Its text, in bytes of the prompt.
    pub range: Range<usize>,
}

/// What a block is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BlockKind {
    /// Text.
    Text,
    /// Reasoning.
    Thinking,
    /// A tool call; its text is the arguments as JSON.
    ToolCall {
        /// The id that its result names.
        id: String,
        /// The tool.
        name: String,
    },
    /// The result of a tool call.
    ToolResult {
        /// The id of the call.
        id: String,
        /// True when the tool failed.
        is_error: bool,
    },
    /// An image, which is not sent.
    Image {
        /// Its type.
        mime: String,
    },
}

impl RequestMessage {
    /// A message of the user with one text.
    pub(crate) fn of_user(range: Range<usize>) -> RequestMessage {
        RequestMessage::of_text(Role::User, range)
    }

    /// A message with one text that no item of the context holds.
    pub(crate) fn of_text(role: Role, range: Range<usize>) -> RequestMessage {
        let kind = BlockKind::Text;
        RequestMessage {
            role,
            item: None,
            blocks: vec![RequestBlock { kind, range }],
        }
    }

    /// The message with its ranges where `moved` puts them.
    pub(crate) fn at(&self, moved: impl Fn(&Range<usize>) -> Range<usize>) -> RequestMessage {
        RequestMessage::of_blocks((self.role, self.item), &self.blocks, moved)
    }

    /// The message of an item with these blocks, at other places.
    pub(crate) fn of_blocks(
        (role, item): (Role, Option<usize>),
        blocks: &[RequestBlock],
        moved: impl Fn(&Range<usize>) -> Range<usize>,
    ) -> RequestMessage {
        let blocks = blocks.iter().map(|block| RequestBlock {
            kind: block.kind.clone(),
            range: moved(&block.range),
        });
        RequestMessage {
            role,
            item,
            blocks: blocks.collect(),
        }
    }

    /// The message as one block over `range`, for a text that is cut as a whole. A single block
    /// stays what it is.
    pub(crate) fn whole(&self, range: Range<usize>) -> RequestMessage {
        let kind = match self.blocks.as_slice() {
            [only] => only.kind.clone(),
            _ => BlockKind::Text,
        };
        RequestMessage {
            blocks: vec![RequestBlock { kind, range }],
            ..self.clone()
        }
    }
}
