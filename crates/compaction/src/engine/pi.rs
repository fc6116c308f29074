//! pi's compaction: where it cuts, and its parameters as one type.

pub use crate::stages::select::pi_cut::{Cut, plain_cut};
pub use crate::workpiece::transcript::{BRANCH_INTRO, COMPACTION_INTRO, serialize};

use crate::engine::planning;
use crate::engine::preset::data::Preset;
use crate::plan::planned::PlanOutcome;
use crate::vocabulary::error::PlanError;
use crate::vocabulary::input::PlanInput;
use crate::vocabulary::params::{LimitRule, OutputLimit};
use crate::workpiece::transcript::pi::PiTranscript;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Whether pi would start compacting by itself (strictly more than what the reserve leaves).
pub fn should_compact(context_tokens: u64, window: u64, reserve_tokens: u64) -> bool {
    // Signed, as a reserve above the window always compacts.
    i128::from(context_tokens) > i128::from(window) - i128::from(reserve_tokens)
}

/// Plans a compaction of the context by pi's rules, under the name `strategy`.
pub fn plan(
    input: &PlanInput<'_>,
    strategy: &str,
    params: &PiParams,
) -> Result<PlanOutcome, PlanError> {
    let mut preset = Preset::known("pi")?.with(&params.to_map())?;
    strategy.clone_into(&mut preset.name);
    planning::plan(&preset, input)
}

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
    /// How these parameters have the conversation written out.
    pub fn transcript(&self) -> PiTranscript {
        PiTranscript {
            include_thinking: self.include_thinking,
            tool_result_max_chars: self.tool_result_max_chars,
            split_surrogates: self.split_surrogates,
        }
    }

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

    /// The parameters by name.
    pub fn to_map(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        }
    }
}
