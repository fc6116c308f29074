//! A call to a model, as data: what a plan asks for and what came back.

use crate::Role;
use crate::usage::Usage;
use serde::{Deserialize, Serialize};

/// One request to a model: a system prompt and one user message, or the messages of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// Model id as the provider spells it.
    pub model: String,
    /// System prompt; may be empty.
    pub system: String,
    /// The user message; with `messages` the same as one text, for programs that take only that.
    pub prompt: String,
    /// The messages of a conversation, oldest first; empty where there is only `prompt`. Neighbours
    /// have different roles, each result stands in the message behind its call, and each call
    /// has its result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<ModelMessage>,
    /// Most tokens the reply may have; `None` leaves it to the provider.
    pub max_output_tokens: Option<u64>,
    /// How freely words are drawn: 0 is the likeliest, APIs go up to 1 or 2; `None` leaves it to the
    /// provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
}

/// A message of a conversation as it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelMessage {
    /// Who says it: the user, with results of tools, the model, or whoever set the agent up.
    pub role: Role,
    /// What is said, in order.
    pub blocks: Vec<ModelBlock>,
}

/// A block of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ModelBlock {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A tool call.
    ToolCall {
        /// The id that its result names.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments as JSON.
        arguments: String,
    },
    /// The result of a tool call.
    ToolResult {
        /// The id of the call.
        id: String,
        /// The tool.
        name: String,
        /// The result.
        text: String,
        /// True when the tool failed.
        is_error: bool,
    },
}

/// A whole reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    /// The text, all its blocks one after the other.
    pub text: String,
    /// Where in the text a block begins, in bytes, but for the first; empty where an API gives a
    /// reply as one text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub block_starts: Vec<usize>,
    /// Why the model stopped.
    pub stop: StopReason,
    /// Usage, as far as the provider reported it.
    pub usage: Usage,
    /// The model that answered, where the provider names it.
    pub model: Option<String>,
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It was done.
    Stop,
    /// It ran into the output limit.
    Length,
    /// It wanted to call a tool.
    ToolCall,
    /// The provider or the model refused.
    Refusal,
    /// Another reason, as the provider spells it.
    Other(String),
}
