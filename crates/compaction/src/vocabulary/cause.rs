//! Why a run failed, as far as a fallback asks.

use serde::{Deserialize, Serialize};

/// Why a run failed, as far as a fallback asks. A cancelled run has none: it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A call does not fit the model's window, or the limit of a call's input, and the rule for
    /// overflow has nothing more to leave out.
    Overflow,
    /// A call failed: the provider said no, or went silent.
    Failed,
    /// A reply is none: empty, cut off, refused, a tool call, of another form, too large.
    Unusable,
    /// The context would be larger with the summary than it was.
    Inflated,
    /// The summary and what stays beside it are together not below the limit that the choice of
    /// the preset has for them (aider), or the fallback itself (Claude Code's session memory).
    OverLimit,
}

impl Cause {
    /// The cause in words, after "when".
    pub fn words(self) -> &'static str {
        match self {
            Cause::Overflow => "a call does not fit",
            Cause::Failed => "a call fails",
            Cause::Unusable => "a reply cannot be used",
            Cause::Inflated => "the summary makes the context larger",
            Cause::OverLimit => "the summary and the kept tail exceed the limit",
        }
    }

    /// Several in words, joined.
    pub fn list(causes: &[Cause]) -> String {
        let words: Vec<&str> = causes.iter().map(|cause| cause.words()).collect();
        words.join(", or ")
    }
}
