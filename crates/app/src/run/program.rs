//! A program of the user as summarizer: it gets the plan as JSON and prints the summary as JSON.
//!
//! The program runs as one that stands for a provider does: no shell, an environment without keys,
//! ended with all it started when the run is cancelled or its time is up, the end of its standard
//! error in the error, and the same statements on it about a refusal, a limit or an overflow. Its
//! command is the strategy's parameter; see [`crate::programs`] for who may set which.

use super::record::PlanRecord;
use super::summarizer::{Partials, failure};
use crate::workspace::App;
use async_trait::async_trait;
use palimpsest_compaction::Plan;
use palimpsest_compaction::execute::{CallContext, CallObserver, SummarizeError, Summarizer};
use palimpsest_compaction::plan::{Program, Worker};
use palimpsest_core::Failure as _;
use palimpsest_core::call::{ModelReply, ModelRequest};
use palimpsest_llm::{ProviderConfig, ProviderLimits, StreamEvent};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// What stands for a provider in runs that a program answers.
pub(crate) const PROGRAM: &str = "program";

/// The program that answers calls of `plan`.
pub(super) fn program_of(plan: &Plan) -> Option<&Program> {
    plan.calls.iter().find_map(|call| call.program.as_ref())
}

/// Where a plan goes that a program answers, in words.
pub(super) fn destination(program: &Program) -> String {
    match program.command.first() {
        None => "An external program is needed. Set its command.".to_owned(),
        Some(name) => format!(
            "The program {name} on this machine receives the plan. Palimpsest does not control \
             what it sends elsewhere."
        ),
    }
}

/// Gives calls for a program to it, and all others on.
pub(super) struct WithPrograms<'a> {
    app: &'a App,
    others: &'a dyn Summarizer,
    /// The plan, which a program gets on its standard input.
    record: &'a PlanRecord,
    partial: &'a Partials,
}

impl<'a> WithPrograms<'a> {
    /// For the calls of the plan in `record`; `others` answers what no program does. What comes
    /// of programs that do not end well goes to `partial`.
    pub(super) fn new(
        app: &'a App,
        others: &'a dyn Summarizer,
        record: &'a PlanRecord,
        partial: &'a Partials,
    ) -> WithPrograms<'a> {
        WithPrograms {
            app,
            others,
            record,
            partial,
        }
    }

    fn config(program: &Program) -> ProviderConfig {
        let words: Vec<&str> = program.command.iter().map(String::as_str).collect();
        let limit = Some(program.timeout_seconds);
        ProviderConfig {
            limits: ProviderLimits {
                first_byte_s: limit,
                silence_s: limit,
                timeout_s: limit,
                max_concurrent: None,
                // The attempts of the plan count; a program that failed once says so at once.
                max_retries: Some(0),
            },
            ..ProviderConfig::program(PROGRAM, &words)
        }
    }
}

#[async_trait]
impl Summarizer for WithPrograms<'_> {
    async fn call(
        &self,
        context: &CallContext<'_>,
        observer: &dyn CallObserver,
        cancel: &CancellationToken,
    ) -> std::result::Result<ModelReply, SummarizeError> {
        let program = match (&context.call.program, context.call.worker) {
            (Some(program), Worker::External) => program,
            _ => return self.others.call(context, observer, cancel).await,
        };
        let client = self.app.client(&WithPrograms::config(program));
        let client = client.map_err(|error| SummarizeError::Failed(error.problem()))?;
        // The whole plan is the prompt; it holds the prompts of its calls.
        let request = ModelRequest {
            model: String::new(),
            system: String::new(),
            prompt: plan_document(self.record).to_string(),
            messages: Vec::new(),
            max_output_tokens: context.call.max_output_tokens,
            temperature: context.call.temperature,
        };
        let mut sink = |event: StreamEvent| {
            if let StreamEvent::TextDelta { text } = event {
                observer.text(&text);
            }
        };
        let answer = client.complete(&request, &mut sink, cancel).await;
        answer.map_err(|error| {
            self.partial.keep(context.index, &error);
            failure(&error)
        })
    }
}

/// The plan as a program gets it: the fields that `palimpsest plan --json` is bound to have, with
/// the same values.
pub fn plan_document(record: &PlanRecord) -> Value {
    let calls: Vec<Value> = record
        .calls
        .iter()
        .map(|call| {
            let conversation = call.prompt.get(call.conversation.0..call.conversation.1);
            json!({
                "purpose": call.purpose,
                "system": call.system,
                "prompt": call.prompt,
                "conversation": conversation.unwrap_or_default(),
                "max_output_tokens": call.max_output_tokens,
                "temperature": call.temperature,
                "input_tokens": call.input_tokens,
                "request": call.request,
            })
        })
        .collect();
    // Fields are named one by one: what programs rely on must not follow from the record, which
    // changes.
    json!({
        "kind": record.kind,
        "strategy": record.strategy,
        "params": record.params,
        "at": record.at,
        "tokens_before": record.tokens_before,
        "first_kept_id": record.first_kept_id,
        "turn_start_id": record.turn_start_id,
        "is_split_turn": record.is_split_turn,
        "summarize_ids": record.summarize_ids,
        "turn_prefix_ids": record.turn_prefix_ids,
        "kept_ids": record.kept_ids,
        "previous_summary": record.previous_summary,
        "files": {"read": record.read_files, "modified": record.modified_files},
        "calls": calls,
        "estimated_tokens_before": record.estimated_tokens_before,
        "estimated_tokens_after": record.estimated_tokens_after,
    })
}
