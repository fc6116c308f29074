//! Plans and runs as they are kept: entries by id, so that a record outlives the open session.

use palimpsest_compaction::{Plan, PlanOutcome, Purpose};
use palimpsest_core::{EntryIx, Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::session::OpenSession;

/// A plan with its entries named by id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanRecord {
    /// `compaction`, or `nothing`.
    pub kind: String,
    /// Why there is nothing to do.
    pub reason: Option<String>,
    /// The strategy.
    pub strategy: String,
    /// All its parameters.
    pub params: Map<String, Value>,
    /// The entry planned at.
    pub at: Option<String>,
    /// Context size before, in tokens.
    pub tokens_before: u64,
    /// First entry of the kept tail.
    pub first_kept_id: Option<String>,
    /// Where the split turn starts.
    pub turn_start_id: Option<String>,
    /// True when the cut falls inside a turn.
    pub is_split_turn: bool,
    /// Entries summarized.
    pub summarize_ids: Vec<String>,
    /// Entries of the turn prefix.
    pub turn_prefix_ids: Vec<String>,
    /// Entries kept.
    pub kept_ids: Vec<String>,
    /// The summary this one builds on.
    pub previous_summary: Option<String>,
    /// The compaction that holds it.
    pub previous_id: Option<String>,
    /// Files read and not modified.
    pub read_files: Vec<String>,
    /// Files modified.
    pub modified_files: Vec<String>,
    /// The calls.
    pub calls: Vec<CallRecord>,
    /// Estimated context size after, in tokens.
    pub estimated_tokens_after: u64,
    /// Estimated cost with the chosen model; `None` when its price is not known.
    pub estimated_cost_usd: Option<f64>,
    /// Where the calls would go, in words.
    pub destination: String,
}

/// A call of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    /// What it is for.
    pub purpose: String,
    /// The system prompt.
    pub system: String,
    /// The user message.
    pub prompt: String,
    /// Where the serialized span lies in the prompt, in bytes.
    pub conversation: (usize, usize),
    /// Most tokens of the reply.
    pub max_output_tokens: Option<u64>,
    /// Estimated size of the request in tokens.
    pub input_tokens: u64,
}

/// A call as it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MadeCall {
    /// What it was for.
    pub purpose: String,
    /// Its usage.
    pub usage: Usage,
    /// How long it took, waits included.
    pub elapsed_ms: u64,
    /// Why the model stopped.
    pub stop_reason: String,
    /// The reply as it came.
    pub reply: String,
    /// How often it was tried again.
    pub retries: u32,
}

/// The name of a purpose on the wire and in records.
pub fn purpose_name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::History => "history",
        Purpose::TurnPrefix => "turn_prefix",
        Purpose::Branch => "branch",
    }
}

impl PlanRecord {
    /// The record of what planning came to.
    pub fn new(
        open: &OpenSession,
        at: Option<EntryIx>,
        strategy: &str,
        outcome: &PlanOutcome,
    ) -> PlanRecord {
        match outcome {
            PlanOutcome::Compaction(plan) => PlanRecord::of_plan(open, plan),
            PlanOutcome::Nothing { reason } => PlanRecord {
                kind: "nothing".to_owned(),
                reason: Some(reason.message().to_owned()),
                strategy: strategy.to_owned(),
                params: Map::new(),
                at: at.map(|ix| open.session.entry(ix).id.to_string()),
                tokens_before: 0,
                first_kept_id: None,
                turn_start_id: None,
                is_split_turn: false,
                summarize_ids: Vec::new(),
                turn_prefix_ids: Vec::new(),
                kept_ids: Vec::new(),
                previous_summary: None,
                previous_id: None,
                read_files: Vec::new(),
                modified_files: Vec::new(),
                calls: Vec::new(),
                estimated_tokens_after: 0,
                estimated_cost_usd: None,
                destination: String::new(),
            },
        }
    }

    fn of_plan(open: &OpenSession, plan: &Plan) -> PlanRecord {
        let id = |ix: EntryIx| open.session.entry(ix).id.to_string();
        let ids = |list: &[EntryIx]| list.iter().map(|&ix| id(ix)).collect();
        PlanRecord {
            kind: "compaction".to_owned(),
            reason: None,
            strategy: plan.strategy.clone(),
            params: plan.params.clone(),
            at: Some(id(plan.at)),
            tokens_before: plan.tokens_before,
            first_kept_id: plan.first_kept.map(id),
            turn_start_id: plan.turn_start.map(id),
            is_split_turn: plan.is_split_turn,
            summarize_ids: ids(&plan.summarized),
            turn_prefix_ids: ids(&plan.turn_prefix),
            kept_ids: ids(&plan.kept),
            previous_summary: plan.previous_summary.clone(),
            previous_id: plan.previous_compaction.map(id),
            read_files: plan.files.read.clone(),
            modified_files: plan.files.modified.clone(),
            calls: plan
                .calls
                .iter()
                .map(|call| CallRecord {
                    purpose: purpose_name(call.purpose).to_owned(),
                    system: call.system.clone(),
                    prompt: call.prompt.clone(),
                    conversation: (call.conversation.start, call.conversation.end),
                    max_output_tokens: call.max_output_tokens,
                    input_tokens: call.input_tokens,
                })
                .collect(),
            estimated_tokens_after: plan.estimated_tokens_after,
            estimated_cost_usd: None,
            destination: String::new(),
        }
    }
}
