//! The overall score of a summary: what it is made of, in words.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A part of the overall score of a summary: a share from 0 to 1 of which more is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "snake_case")]
pub enum ScorePart {
    /// What is new at the end of the span.
    State,
    /// Facts of the span by weight.
    Facts,
    /// What is not quoted.
    OwnWords,
    /// Whether statements are wrong.
    Correctness,
}

impl ScorePart {
    /// All, in the order in which they are shown.
    pub const ALL: [ScorePart; 4] = [
        ScorePart::State,
        ScorePart::Facts,
        ScorePart::OwnWords,
        ScorePart::Correctness,
    ];

    /// Its name in figures and documents for programs.
    pub fn name(self) -> &'static str {
        match self {
            ScorePart::State => "state",
            ScorePart::Facts => "facts",
            ScorePart::OwnWords => "own_words",
            ScorePart::Correctness => "correctness",
        }
    }

    /// What it is called.
    pub fn title(self) -> &'static str {
        match self {
            ScorePart::State => "State at the end",
            ScorePart::Facts => "Facts in the next request",
            ScorePart::OwnWords => "Copying factor",
            ScorePart::Correctness => "Correctness factor",
        }
    }

    /// What it measures, in one sentence.
    pub fn definition(self) -> &'static str {
        match self {
            ScorePart::State => {
                "Of the words that are new at the end of the span, weighted by how often they come up \
                 there, the share that the next request holds."
            }
            ScorePart::Facts => {
                "Of the facts of the span by weight, the share that the next request holds; what is kept \
                 in part or told otherwise counts half."
            }
            ScorePart::OwnWords => {
                "100 % for a summary without copied passages, and half for one with 500 words in them. \
                 A passage is eight words or more that stand in the span."
            }
            ScorePart::Correctness => {
                "100 % minus 5 points for each sentence that is contradicted or out of date, each \
                 changed fact and each introduced name or figure, and at least 50 %."
            }
        }
    }
}

/// The overall score of a summary with its parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The score, 0 to 1.
    pub overall: f64,
    /// The parts that could be measured, each 0 to 1.
    pub parts: BTreeMap<ScorePart, f64>,
}
