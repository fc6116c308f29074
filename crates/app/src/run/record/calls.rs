//! Calls as they are kept: as planned, and as made.

use palimpsest_compaction::plan::{Retry, Step, Worker};
use palimpsest_compaction::summarize::{RequestForm, RequestMessage};
use palimpsest_compaction::{Plan, PlannedCall, Purpose};
use palimpsest_core::Usage;
use palimpsest_core::call::{ModelReply, StopReason};
use serde::{Deserialize, Serialize};

/// A call of a plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CallRecord {
    /// What it is for.
    pub purpose: Purpose,
    /// What it does, in words.
    #[serde(default)]
    pub label: String,
    /// Which step of its purpose it is.
    #[serde(default)]
    pub step: StepKind,
    /// Numbers of the calls that must be answered before.
    #[serde(default)]
    pub after: Vec<usize>,
    /// Where replies go in the prompt: bytes of the mark, and the number of the call.
    #[serde(default)]
    pub slots: Vec<(usize, usize, usize)>,
    /// Who answers it.
    #[serde(default)]
    pub worker: Worker,
    /// The model it is sent to first, where that is not the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The system prompt.
    pub system: String,
    /// The user message.
    pub prompt: String,
    /// Where the serialized span lies in the prompt, in bytes.
    pub conversation: (usize, usize),
    /// Most tokens of the reply.
    pub max_output_tokens: Option<u64>,
    /// The temperature it asks for; a model that takes none is asked again without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Estimated size of the request in tokens.
    pub input_tokens: u64,
    /// In which form the conversation is sent.
    #[serde(default, skip_serializing_if = "RequestForm::is_transcript")]
    pub request: RequestForm,
    /// In the form of a conversation: the messages, in bytes of the prompt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<RequestMessage>,
    /// Of `input_tokens`, those that the session's provider has in its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// How it would be made smaller when it does not fit: the first attempts and the last.
    #[serde(default)]
    pub retries: Vec<Retry>,
    /// Most requests that are sent after one that does not fit, where no provider states its limit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub most_smaller: u64,
    /// How often it is made in all when it fails or its reply is refused; 0 and 1 are once.
    #[serde(default)]
    pub attempts: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Attempts to make a call smaller that a record shows, beside the last.
const SHOWN_RETRIES: usize = 5;

impl CallRecord {
    /// The record of a planned call.
    pub fn of(call: &PlannedCall) -> CallRecord {
        let slots = call.slots.iter();
        CallRecord {
            slots: slots
                .map(|slot| (slot.range.start, slot.range.end, slot.call))
                .collect(),
            system: call.system.clone(),
            prompt: call.prompt.clone(),
            conversation: (call.conversation.start, call.conversation.end),
            messages: call.messages.clone(),
            ..CallRecord::without_texts(call)
        }
    }

    /// The record of a planned call without its prompts.
    pub fn without_texts(call: &PlannedCall) -> CallRecord {
        CallRecord {
            purpose: call.purpose,
            label: call.label(),
            step: StepKind::of(call.step),
            after: call.after.clone(),
            slots: Vec::new(),
            worker: call.worker,
            model: call.model.clone(),
            system: String::new(),
            prompt: String::new(),
            conversation: (0, 0),
            max_output_tokens: call.max_output_tokens,
            temperature: call.temperature,
            input_tokens: call.input_tokens,
            request: call.request,
            messages: Vec::new(),
            cached_tokens: call.cached_tokens,
            retries: Vec::new(),
            most_smaller: 0,
            attempts: 0,
        }
    }

    /// The record of the call of `plan` with this number, with what is done when it fails.
    pub(super) fn of_plan(plan: &Plan, number: usize, call: &PlannedCall) -> CallRecord {
        CallRecord {
            retries: plan.retries(number, SHOWN_RETRIES),
            most_smaller: plan.most_smaller(number) as u64,
            attempts: plan.attempts,
            ..CallRecord::of(call)
        }
    }
}

/// A call as it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MadeCall {
    /// What it was for.
    pub purpose: Purpose,
    /// The weaker model that it was sent to, where that was not the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its usage.
    pub usage: Usage,
    /// How long it took, waits included.
    pub elapsed_ms: u64,
    /// Why the model stopped, as [`stop_name`] spells it; a provider may give any other reason.
    pub stop_reason: String,
    /// The reply as it came.
    pub reply: String,
    /// How often it was tried again.
    pub retries: u32,
    /// True when its attempt failed or the call was repeated: the summary has nothing of it.
    #[serde(default)]
    pub superseded: bool,
}

/// The name of a reason to stop on the wire and in records.
pub fn stop_name(stop: &StopReason) -> &str {
    match stop {
        StopReason::Stop => "stop",
        StopReason::Length => "length",
        StopReason::ToolCall => "tool_call",
        StopReason::Refusal => "refusal",
        StopReason::Other(reason) => reason,
    }
}

impl MadeCall {
    /// The reply as it came.
    pub fn reply(&self) -> ModelReply {
        let known = [
            StopReason::Stop,
            StopReason::Length,
            StopReason::ToolCall,
            StopReason::Refusal,
        ];
        let named = |stop: &StopReason| stop_name(stop) == self.stop_reason;
        ModelReply {
            text: self.reply.clone(),
            // The stored text has its blocks joined by the rule of the preset already.
            block_starts: Vec::new(),
            stop: known
                .into_iter()
                .find(named)
                .unwrap_or_else(|| StopReason::Other(self.stop_reason.clone())),
            usage: self.usage,
            model: None,
        }
    }
}

/// Which step of its purpose a call is: [`Step`] without its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// The only one; records of earlier versions leave it out.
    #[default]
    #[serde(alias = "")]
    Whole,
    /// One segment of several.
    Slice,
    /// One tool call with its result, of several.
    Pair,
    /// Makes one summary of those of all segments.
    Stitch,
    /// Checks a summary and corrects it.
    Check,
    /// Asks for questions to reflect on.
    Questions,
    /// Asks for insights that answer a question.
    Insights,
    /// Asks how important exchanges are.
    Ratings,
}

impl StepKind {
    /// The kind of `step`.
    pub fn of(step: Step) -> StepKind {
        match step {
            Step::Whole => StepKind::Whole,
            Step::Slice { .. } => StepKind::Slice,
            Step::Pair { .. } => StepKind::Pair,
            Step::Stitch => StepKind::Stitch,
            Step::Check => StepKind::Check,
            Step::Questions { .. } => StepKind::Questions,
            Step::Insights { .. } => StepKind::Insights,
            Step::Ratings { .. } => StepKind::Ratings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What a record of a call needs beside the fields under test.
    fn record(more: &serde_json::Value) -> CallRecord {
        let mut whole = json!({
            "purpose": "history", "system": "", "prompt": "", "conversation": [0, 0],
            "max_output_tokens": null, "input_tokens": 0,
        });
        let own = more.as_object().unwrap().clone();
        whole.as_object_mut().unwrap().extend(own);
        serde_json::from_value(whole).unwrap()
    }

    #[test]
    fn calls_of_earlier_versions_are_read() {
        assert_eq!(record(&json!({})).step, StepKind::Whole);
        assert_eq!(record(&json!({ "step": "" })).step, StepKind::Whole);
        let stored = json!({ "purpose": "turn_prefix", "step": "ratings", "worker": "weak" });
        let read = record(&stored);
        let told = (read.purpose, read.step, read.worker);
        assert_eq!(told, (Purpose::TurnPrefix, StepKind::Ratings, Worker::Weak));
        let again = serde_json::to_value(&read).unwrap();
        for name in ["purpose", "step", "worker"] {
            assert_eq!(again[name], stored[name], "{name}");
        }
    }
}
