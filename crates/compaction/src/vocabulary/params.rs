//! Parameters of strategies: how they are described, and why one is refused.

pub use crate::vocabulary::range::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How the length of a summary is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OutputLimit {
    /// In tokens.
    Tokens(u64),
    /// By a rule.
    Rule(LimitRule),
}

/// A rule for the length of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitRule {
    /// The model's own limit (pi 1.4 and later).
    Model,
    /// 80 % of the reserve, 50 % for a turn prefix (pi before 1.4).
    Reserve,
}

impl OutputLimit {
    /// The model's own limit.
    pub const MODEL: OutputLimit = OutputLimit::Rule(LimitRule::Model);

    /// The limit for a summary of history, in tokens; `None` leaves it to the model.
    pub fn for_history(self, reserve: u64) -> Option<u64> {
        self.with_share(reserve, 8)
    }

    /// The limit for a turn prefix.
    pub fn for_turn_prefix(self, reserve: u64) -> Option<u64> {
        self.with_share(reserve, 5)
    }

    fn with_share(self, reserve: u64, tenths: u64) -> Option<u64> {
        match self {
            OutputLimit::Tokens(tokens) => Some(tokens),
            OutputLimit::Rule(LimitRule::Model) => None,
            // Rounded down, as pi does.
            OutputLimit::Rule(LimitRule::Reserve) => Some(reserve * tenths / 10),
        }
    }
}

/// Why parameters cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// No such parameter.
    #[error("the strategy {strategy} has no parameter '{name}'")]
    Unknown {
        /// The strategy.
        strategy: String,
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Not a value for this parameter.
    #[error("'{value}' cannot be the value of '{name}': {reason}")]
    Value {
        /// The parameter.
        name: String,
        /// What was given.
        value: String,
        /// Why not.
        reason: String,
    },
    /// A name that several parameters have.
    #[error("several parameters have the name '{name}'")]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// What it could be.
        meant: Vec<String>,
    },
}

impl ParamError {
    /// The parameter, as it was named.
    pub fn name(&self) -> &str {
        match self {
            ParamError::Unknown { name, .. }
            | ParamError::Value { name, .. }
            | ParamError::Ambiguous { name, .. } => name,
        }
    }
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ParamType {
    /// A whole number, not negative.
    Integer,
    /// Yes or no.
    Boolean,
    /// A whole number or one of some words.
    IntegerOrWord,
    /// A number, with a fraction or without.
    Number,
    /// One of some words.
    Word,
    /// Any text.
    Text,
    /// A list of texts.
    Texts,
}

/// One parameter, for a form or a listing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParamSpec {
    /// Its shortest name that means no other.
    pub name: String,
    /// Its place in the preset, such as `select.keep_recent_tokens`.
    pub path: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: ParamType,
    /// Its default in this strategy.
    pub default: Value,
    /// The unit, where it has one.
    pub unit: Option<&'static str>,
    /// The numbers it may be, where it takes numbers.
    pub range: Option<Range>,
    /// The words it may be, where it takes words.
    pub words: &'static [&'static str],
    /// What it does.
    pub description: &'static str,
}

/// What a stage says about one of its parameters; the default is in the preset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParamDoc {
    /// Its name in the stage.
    pub name: &'static str,
    /// Its type.
    pub kind: ParamType,
    /// The unit, where it has one.
    pub unit: Option<&'static str>,
    /// The numbers it may be, where it takes numbers; no negative ones unless it says otherwise.
    pub range: Option<Range>,
    /// The words it may be, where it takes words.
    pub words: &'static [&'static str],
    /// What it does.
    pub description: &'static str,
}

impl ParamDoc {
    /// A parameter without a unit.
    pub const fn new(name: &'static str, kind: ParamType, description: &'static str) -> ParamDoc {
        ParamDoc {
            name,
            kind,
            unit: None,
            range: match kind {
                ParamType::Integer | ParamType::IntegerOrWord | ParamType::Number => {
                    Some(Range::NOT_NEGATIVE)
                }
                _ => None,
            },
            words: &[],
            description,
        }
    }

    /// A number of tokens.
    pub const fn tokens(name: &'static str, description: &'static str) -> ParamDoc {
        ParamDoc::new(name, ParamType::Integer, description).unit("tokens")
    }

    /// Yes or no.
    pub const fn yes_no(name: &'static str, description: &'static str) -> ParamDoc {
        ParamDoc::new(name, ParamType::Boolean, description)
    }

    /// One of some words.
    pub const fn word(
        name: &'static str,
        words: &'static [&'static str],
        description: &'static str,
    ) -> ParamDoc {
        let doc = ParamDoc::new(name, ParamType::Word, description);
        doc.words(words)
    }

    /// With a unit.
    pub const fn unit(self, unit: &'static str) -> ParamDoc {
        ParamDoc {
            unit: Some(unit),
            ..self
        }
    }

    /// With the least it may be.
    pub const fn at_least(self, least: f64) -> ParamDoc {
        ParamDoc {
            range: Some(Range::from(least)),
            ..self
        }
    }

    /// With the least and the most it may be.
    pub const fn within(self, least: f64, most: f64) -> ParamDoc {
        ParamDoc {
            range: Some(Range::within(least, most)),
            ..self
        }
    }

    /// With the words it may be.
    pub const fn words(self, words: &'static [&'static str]) -> ParamDoc {
        ParamDoc { words, ..self }
    }
}
