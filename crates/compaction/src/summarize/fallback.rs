//! What is done when a run comes to nothing: another way of summarizing, named beforehand, so that
//! the plan holds it and the user can see it (Copilot Chat's plain-text mode, Cline's list without
//! a model, Roo Code's sliding window).

use crate::params::ParamError;
use crate::plan::PlanError;
use crate::preset::Preset;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Why a run came to nothing, as far as a fallback asks. A cancelled run has none: it ends.
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
            Cause::OverLimit => "the summary and what stays are over the limit",
        }
    }

    /// Several in words, joined.
    pub fn list(causes: &[Cause]) -> String {
        let words: Vec<&str> = causes.iter().map(|cause| cause.words()).collect();
        words.join(", or ")
    }
}

/// Another way of summarizing and when it is taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fallback {
    /// What leads to it.
    #[serde(default = "any_failure")]
    pub on: Vec<Cause>,
    /// What is done then, in a few words.
    pub meaning: String,
    /// With [`Cause::OverLimit`]: tokens below which the summary and the messages that stay must
    /// be together (Claude Code's session memory: the threshold of automatic compaction); 0 is no
    /// limit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub limit_tokens: u64,
    /// The built-in preset that takes over; this one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// How it is set, by the names that settings have: stages as a whole, kinds, parameters and
    /// prompts. What the user set for this preset stays set where the preset is the same.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub set: Map<String, Value>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Whatever makes a run come to nothing.
fn any_failure() -> Vec<Cause> {
    vec![
        Cause::Overflow,
        Cause::Failed,
        Cause::Unusable,
        Cause::Inflated,
    ]
}

impl Fallback {
    /// The preset that takes over from `preset`; its own fallbacks are `rest`, those that come
    /// after this one. Fails when it is not there or cannot be set like that.
    pub(crate) fn preset(&self, preset: &Preset, rest: &[Fallback]) -> Result<Preset, PlanError> {
        let mut other = match &self.strategy {
            Some(name) => Preset::known(name)?.clone(),
            None => preset.clone(),
        };
        other.summarize.fallbacks = Vec::new();
        let mut other =
            other
                .with(&self.set)
                .map_err(|reason: ParamError| PlanError::Fallback {
                    preset: preset.name.clone(),
                    meaning: self.meaning.clone(),
                    reason,
                })?;
        other.summarize.fallbacks = rest.to_vec();
        Ok(other)
    }
}
