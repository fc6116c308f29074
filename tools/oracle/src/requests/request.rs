//! A recorded request as it stands in its file.

use crate::{OracleError, read};
use serde::Deserialize;
use std::path::Path;

/// A recorded request.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// Number in its file, from 1.
    pub request: u32,
    /// `turn`, `summary` or `title`.
    pub kind: String,
    /// The agent's id of the last entry on the path when the request was sent.
    pub at: Option<String>,
    /// What was sent, without the leading system prompt.
    pub messages: Vec<SentMessage>,
    /// Fields that only some agents' records have.
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// A message of a request.
#[derive(Debug, Deserialize)]
pub struct SentMessage {
    /// Its role, in the provider's words.
    pub role: String,
    /// Its blocks, in order.
    pub blocks: Vec<SentBlock>,
    /// Fields that only some agents' records have.
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// A block of a message.
#[derive(Debug, Deserialize)]
pub struct SentBlock {
    /// `text`, `thinking`, `tool_call`, `tool_result`, `image` or `other`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its text, where it may be passed on.
    pub text: Option<String>,
    /// The tool called.
    pub tool_name: Option<String>,
    /// Fields that only some agents' records have.
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// The requests of a file, in the order sent.
pub fn read_requests(path: &Path) -> Result<Vec<Request>, OracleError> {
    read(path)?
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| {
            serde_json::from_slice(line).map_err(|source| OracleError::Malformed {
                path: path.to_owned(),
                source,
            })
        })
        .collect()
}
