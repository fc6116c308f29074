//! A call as it will be sent.

use serde::{Deserialize, Serialize};

/// One request to the judging model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// What it asks, in a few words.
    pub label: String,
    /// The system prompt.
    pub system: String,
    /// The prompt.
    pub prompt: String,
    /// Most tokens of the reply.
    pub max_output_tokens: u64,
    /// Estimated tokens of the request.
    pub input_tokens: u64,
    /// Tokens that the reply is assumed to have.
    pub output_tokens: u64,
    /// The texts of the session in the prompt that a reply may cite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<Cite>,
}

/// A text of the session in a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cite {
    /// The entry's name in the prompt.
    pub label: String,
    /// The entry's name in the session.
    pub entry: String,
    /// True for words of the user.
    pub by_user: bool,
    /// Where the text begins in the prompt, in bytes.
    pub start: usize,
    /// One past its end.
    pub end: usize,
}

impl Call {
    /// The text that a citation names; empty for a range that is none.
    pub fn text(&self, cite: &Cite) -> &str {
        self.prompt.get(cite.start..cite.end).unwrap_or_default()
    }
}
