//! A recorded request as it stands in its file.

use crate::{OracleError, read, sha256};
use serde::Deserialize;
use serde_json::Value;
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

/// Begins a text of which only the hash is recorded.
const HASH: &str = "\u{0}sha256:";

impl SentBlock {
    /// Its text; where only the hash is recorded, a text that stands for every text with it.
    pub fn shown(&self) -> String {
        if let Some(text) = &self.text {
            return text.clone();
        }
        let hash = |key: &str| self.more.get(key).and_then(|hash| hash.as_str());
        let hash = hash("stripped_sha256").or_else(|| hash("sha256"));
        hash.map(|hash| format!("{HASH}{hash}")).unwrap_or_default()
    }
}

/// True for what [`SentBlock::shown`] gives where only the hash is recorded.
pub fn is_hash(theirs: &str) -> bool {
    theirs.starts_with(HASH)
}

/// Our text, or what stands for theirs where that has only a hash and ours has the same.
pub fn as_shown(ours: String, theirs: &str) -> String {
    match theirs.strip_prefix(HASH) {
        Some(hash) if sha256(ours.as_bytes()) == hash => theirs.to_owned(),
        _ => ours,
    }
}

/// The same for a JSON value, which a record may have as it was sent or compactly.
pub fn value_as_shown(ours: &str, theirs: &Value) -> Value {
    let json: Value = serde_json::from_str(ours).unwrap_or_default();
    let Some(hash) = theirs.as_str().filter(|text| is_hash(text)) else {
        return json;
    };
    let forms = [ours.to_owned(), json.to_string()];
    let mut found = forms.into_iter().map(|form| as_shown(form, hash));
    match found.find(|form| form == hash) {
        Some(hash) => Value::String(hash),
        None => json,
    }
}

/// The arguments of a sent call: as JSON, or what stands for them.
pub fn shown_value(block: &SentBlock) -> Value {
    let text = block.shown();
    if is_hash(&text) {
        return Value::String(text);
    }
    serde_json::from_str(&text).unwrap_or_default()
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
