//! Identities: agents, and entries by position and by name.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The coding agent that wrote a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agent {
    /// pi, and programs that reuse its session file.
    Pi,
    /// Anthropic's Claude Code.
    ClaudeCode,
    /// OpenAI's Codex CLI.
    Codex,
    /// OpenCode.
    Opencode,
}

impl Agent {
    /// The name used on the wire, on the command line and in queries.
    pub fn name(self) -> &'static str {
        match self {
            Agent::Pi => "pi",
            Agent::ClaudeCode => "claude-code",
            Agent::Codex => "codex",
            Agent::Opencode => "opencode",
        }
    }

    /// The agent called `name`, if there is one.
    pub fn from_name(name: &str) -> Option<Agent> {
        [Agent::Pi, Agent::ClaudeCode, Agent::Codex, Agent::Opencode]
            .into_iter()
            .find(|agent| agent.name() == name)
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The position of an entry in [`crate::Session::entries`], which is file order.
///
/// Stable while a file is only appended to; not stable across a rewrite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryIx(pub u32);

impl EntryIx {
    /// The position as an index into a slice.
    pub fn get(self) -> usize {
        self.0 as usize
    }

    /// The entry at `index`; sessions of more than 2^32 entries do not exist.
    pub fn new(index: usize) -> EntryIx {
        EntryIx(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// An entry's id as the agent wrote it, or one made up where the format has none
/// (`line:N` for version 1 of pi, which identifies records by position only).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryId(pub Box<str>);

impl EntryId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for EntryId {
    fn from(text: &str) -> Self {
        EntryId(text.into())
    }
}

impl From<String> for EntryId {
    fn from(text: String) -> Self {
        EntryId(text.into_boxed_str())
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
