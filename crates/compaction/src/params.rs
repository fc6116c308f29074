//! Typed parameters of strategies, and their schema for whoever lets a user set them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Parameters of pi's compaction. The defaults are those of pi 1.5.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PiParams {
    /// Tokens of recent conversation kept verbatim (pi's default since 0.31).
    pub keep_recent_tokens: u64,
    /// Tokens kept free for the reply; compaction starts when fewer are left.
    pub reserve_tokens: u64,
    /// Whether the model's reasoning goes into the serialized conversation (pi before 1.2).
    pub include_thinking: bool,
    /// UTF-16 units after which a tool result is cut in the serialized conversation.
    pub tool_result_max_chars: u64,
    /// Whether that cut may fall inside a surrogate pair (pi before 1.5.1); each half then
    /// becomes U+FFFD.
    pub split_surrogates: bool,
    /// Most tokens a summary may have.
    pub max_output_tokens: OutputLimit,
    /// Whether a split turn without new history keeps the previous summary (pi 0.87 and
    /// later) or loses it.
    pub reuse_previous_summary: bool,
    /// Whether custom instructions also go into the request for the turn prefix (pi 1.4).
    pub instructions_in_turn_prefix: bool,
    /// Whether calls made inside a tool count as file operations (pi 1.x).
    pub nested_calls: bool,
}

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
    /// The limit for a summary of history, in tokens; `None` leaves it to the model.
    pub fn for_history(self, reserve: u64) -> Option<u64> {
        self.with_share(reserve, 8)
    }

    /// The limit for a turn prefix.
    pub fn for_turn_prefix(self, reserve: u64) -> Option<u64> {
        self.with_share(reserve, 5)
    }

    /// The limit for the summary of a branch: 2,048 tokens before pi 0.85, none since.
    pub fn for_branch(self) -> Option<u64> {
        match self {
            OutputLimit::Tokens(tokens) => Some(tokens),
            OutputLimit::Rule(LimitRule::Model) => None,
            OutputLimit::Rule(LimitRule::Reserve) => Some(2_048),
        }
    }

    fn with_share(self, reserve: u64, tenths: u64) -> Option<u64> {
        match self {
            OutputLimit::Tokens(tokens) => Some(tokens),
            OutputLimit::Rule(LimitRule::Model) => None,
            OutputLimit::Rule(LimitRule::Reserve) => Some(reserve * tenths / 10),
        }
    }
}

impl Default for PiParams {
    fn default() -> Self {
        PiParams {
            keep_recent_tokens: 20_000,
            reserve_tokens: 16_384,
            include_thinking: false,
            tool_result_max_chars: 2_000,
            split_surrogates: false,
            max_output_tokens: OutputLimit::Rule(LimitRule::Model),
            reuse_previous_summary: true,
            instructions_in_turn_prefix: true,
            nested_calls: true,
        }
    }
}

impl PiParams {
    /// As pi 0.87 compacts.
    pub fn v0_87() -> Self {
        PiParams {
            include_thinking: true,
            split_surrogates: true,
            max_output_tokens: OutputLimit::Rule(LimitRule::Reserve),
            instructions_in_turn_prefix: false,
            nested_calls: false,
            ..PiParams::default()
        }
    }

    /// These parameters with the given ones set. Fails on an unknown name and on a value of
    /// another type; text that is JSON of the right type is taken as that, as a command line
    /// knows only text.
    pub fn with(&self, settings: &Map<String, Value>) -> Result<PiParams, ParamError> {
        let mut map = self.to_map();
        for (name, value) in settings {
            if !map.contains_key(name) {
                let known = map
                    .keys()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .join(", ");
                return Err(ParamError::Unknown {
                    name: name.clone(),
                    known,
                });
            }
            let parsed = value
                .as_str()
                .and_then(|text| serde_json::from_str(text).ok());
            map.insert(name.clone(), parsed.unwrap_or_else(|| value.clone()));
            PiParams::from_map(&map).map_err(|error| ParamError::Value {
                name: name.clone(),
                value: value.to_string(),
                reason: match error {
                    ParamError::Map { reason } => reason,
                    other => other.to_string(),
                },
            })?;
        }
        PiParams::from_map(&map)
    }

    /// The parameters by name.
    pub fn to_map(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        }
    }

    /// Parameters from a map of names; absent ones have the defaults of pi 1.5.
    pub fn from_map(map: &Map<String, Value>) -> Result<PiParams, ParamError> {
        serde_json::from_value(Value::Object(map.clone())).map_err(|error| ParamError::Map {
            reason: error.to_string(),
        })
    }
}

/// Why parameters cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// No such parameter.
    #[error("no parameter '{name}'; there are: {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// Not a value for this parameter.
    #[error("'{value}' is no value for '{name}': {reason}")]
    Value {
        /// The parameter.
        name: String,
        /// What was given.
        value: String,
        /// Why not.
        reason: String,
    },
    /// The whole set is wrong.
    #[error("the parameters cannot be used: {reason}; see the list of strategies for their types")]
    Map {
        /// Why not.
        reason: String,
    },
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
}

/// One parameter, for a form or a listing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParamSpec {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: ParamType,
    /// Its default in this strategy.
    pub default: Value,
    /// The unit, where it has one.
    pub unit: Option<&'static str>,
    /// The words it may be, for [`ParamType::IntegerOrWord`].
    pub words: &'static [&'static str],
    /// What it does.
    pub description: &'static str,
}

/// The schema of [`PiParams`], with `defaults` as the defaults.
pub fn pi_schema(defaults: &PiParams) -> Vec<ParamSpec> {
    let map = defaults.to_map();
    let spec = |name: &'static str, kind, unit, description| ParamSpec {
        name,
        kind,
        default: map.get(name).cloned().unwrap_or_default(),
        unit,
        words: if kind == ParamType::IntegerOrWord {
            &["model", "reserve"]
        } else {
            &[]
        },
        description,
    };
    use ParamType::{Boolean, Integer, IntegerOrWord};
    vec![
        spec(
            "keep_recent_tokens",
            Integer,
            Some("tokens"),
            "how much of the recent conversation stays as it is",
        ),
        spec(
            "reserve_tokens",
            Integer,
            Some("tokens"),
            "room kept free for the reply; pi compacts by itself when less is left",
        ),
        spec(
            "include_thinking",
            Boolean,
            None,
            "give the model's reasoning to the summarizer as well",
        ),
        spec(
            "tool_result_max_chars",
            Integer,
            Some("UTF-16 units"),
            "where a tool result is cut in what the summarizer gets",
        ),
        spec(
            "split_surrogates",
            Boolean,
            None,
            "let that cut fall inside a character outside the basic plane, as old releases did",
        ),
        spec(
            "max_output_tokens",
            IntegerOrWord,
            Some("tokens"),
            "limit of a summary: a number, 'model' for the model's own, 'reserve' for a share of \
             the reserve",
        ),
        spec(
            "reuse_previous_summary",
            Boolean,
            None,
            "keep the previous summary when only a turn prefix is new",
        ),
        spec(
            "instructions_in_turn_prefix",
            Boolean,
            None,
            "repeat own instructions in the request for a turn prefix",
        ),
        spec(
            "nested_calls",
            Boolean,
            None,
            "count file operations made from inside other tools",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_typed() {
        let base = PiParams::default();
        let with =
            |name: &str, value: Value| base.with(&Map::from_iter([(name.to_owned(), value)]));
        assert_eq!(
            with("keep_recent_tokens", "400".into())
                .unwrap()
                .keep_recent_tokens,
            400
        );
        assert_eq!(
            with("keep_recent_tokens", 400.into())
                .unwrap()
                .keep_recent_tokens,
            400
        );
        let limit = with("max_output_tokens", "reserve".into())
            .unwrap()
            .max_output_tokens;
        assert_eq!(limit.for_history(16_384), Some(13_107));
        assert_eq!(limit.for_turn_prefix(16_384), Some(8_192));
        assert!(matches!(
            with("keep", 1.into()),
            Err(ParamError::Unknown { .. })
        ));
        assert!(matches!(
            with("keep_recent_tokens", "many".into()),
            Err(ParamError::Value { .. })
        ));
        assert!(matches!(
            with("reserve_tokens", (-1).into()),
            Err(ParamError::Value { .. })
        ));
    }

    #[test]
    fn schema_names_every_parameter() {
        let defaults = PiParams::default();
        let named: Vec<String> = pi_schema(&defaults)
            .iter()
            .map(|spec| spec.name.to_owned())
            .collect();
        let held: Vec<String> = defaults.to_map().keys().cloned().collect();
        assert_eq!(named, held);
    }
}
