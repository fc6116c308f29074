//! The wording of prompts in the files of installed agents, found by the form of these files.
//!
//! Everything here works on bytes; finding and reading the files is the host's work. No wording is
//! built in: constants are known by their names, prompts by their section names and places.

mod claude_code;
mod codex;
mod found;
mod frame;
mod js;
mod opencode;
mod pi;

pub use found::Wording;

/// An agent whose files hold prompts of a known form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PromptAgent {
    /// pi.
    Pi,
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// OpenCode.
    OpenCode,
}

impl PromptAgent {
    /// All of them.
    pub const ALL: [PromptAgent; 4] = [
        PromptAgent::Pi,
        PromptAgent::ClaudeCode,
        PromptAgent::Codex,
        PromptAgent::OpenCode,
    ];

    /// The name of the agent and of its strategy.
    pub fn name(self) -> &'static str {
        match self {
            PromptAgent::Pi => "pi",
            PromptAgent::ClaudeCode => "claude-code",
            PromptAgent::Codex => "codex",
            PromptAgent::OpenCode => "opencode",
        }
    }
}

/// Byte sequences near which the prompts of an agent lie.
pub fn anchors(agent: PromptAgent) -> &'static [&'static str] {
    match agent {
        PromptAgent::Pi => pi::ANCHORS,
        PromptAgent::ClaudeCode => claude_code::ANCHORS,
        PromptAgent::Codex => codex::ANCHORS,
        PromptAgent::OpenCode => opencode::ANCHORS,
    }
}

/// Bytes that are read before and behind an anchor.
pub const AROUND: usize = 48 << 10;

/// The prompts in pieces of the files of an installed agent, each once. A version decides which
/// strategy they fit; without one it is the newest.
pub fn wordings(agent: PromptAgent, version: Option<&str>, pieces: &[Vec<u8>]) -> Vec<Wording> {
    let raw = match agent {
        PromptAgent::Pi => pi::read(version, pieces),
        PromptAgent::ClaudeCode => claude_code::read(pieces),
        PromptAgent::Codex => codex::read(pieces),
        PromptAgent::OpenCode => opencode::read(pieces),
    };
    let mut found: Vec<Wording> = Vec::new();
    for own in raw.iter().filter_map(frame::framed) {
        let is_same =
            |other: &Wording| (&other.strategy, other.place) == (&own.strategy, own.place);
        // A file can hold a copy for another entry point; the first one counts.
        if !found.iter().any(is_same) {
            found.push(own);
        }
    }
    found
}

#[cfg(test)]
mod tests;
