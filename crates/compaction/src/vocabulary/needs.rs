//! What a strategy needs to run, and which prompts its stages need.

use serde::{Deserialize, Serialize};

/// What a strategy needs to run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Needs {
    /// A model, or the offline summarizer in its place.
    #[default]
    Summarizer,
    /// Nothing but this machine.
    Nothing,
    /// A model; the offline summarizer cannot do what is asked.
    Model,
    /// A program of the user, named as a parameter.
    Program,
}

/// A prompt that a stage needs, with the places it must have.
pub type Needed = (&'static str, &'static [&'static str]);
