//! The summarizer that needs no model: extraction, behind the same trait as the providers.

use crate::offline::extractive::input::ExtractiveInput;
use crate::offline::extractive::summarize;
use crate::vocabulary::call::{Purpose, Step, Worker};
use crate::vocabulary::form::ReplyForm;
use crate::vocabulary::summarizer::{CallContext, CallObserver, SummarizeError, Summarizer};
use async_trait::async_trait;
use palimpsest_core::Usage;
use palimpsest_core::call::{ModelReply, StopReason};
use tokio_util::sync::CancellationToken;

/// Tokens of an extractive summary where the plan sets no limit (our choice: what models write
/// when asked for a checkpoint of a long session, 1,500 to 2,500 tokens).
const HISTORY_TOKENS: u64 = 2_000;
/// The same for the beginning of a split turn, which is one request and what was done for it.
const TURN_PREFIX_TOKENS: u64 = 800;

/// Makes summaries by extraction; deterministic, sends nothing anywhere.
#[derive(Debug, Clone, Copy, Default)]
pub struct OfflineSummarizer;

#[async_trait]
impl Summarizer for OfflineSummarizer {
    async fn call(
        &self,
        context: &CallContext<'_>,
        observer: &dyn CallObserver,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, SummarizeError> {
        if cancel.is_cancelled() {
            return Err(SummarizeError::Cancelled);
        }
        if context.call.worker == Worker::External {
            let message =
                "this call needs an external program, not the offline summarizer".to_owned();
            return Err(SummarizeError::Failed(message.into()));
        }
        // There is nothing to look over: what was extracted stays as it is.
        if let (Step::Check, Some(text)) = (context.call.step, context.previous_summary) {
            observer.text(text);
            return Ok(reply(text.to_owned()));
        }
        // Without a model each memory has the importance of its kind.
        if context.call.form == ReplyForm::Ratings {
            return Ok(reply(context.call.form.wrap(String::new())));
        }
        let usual = match context.call.purpose {
            Purpose::History | Purpose::Branch => HISTORY_TOKENS,
            Purpose::TurnPrefix => TURN_PREFIX_TOKENS,
        };
        let text = summarize(&ExtractiveInput {
            purpose: context.call.purpose,
            span: context.span,
            previous_summary: context.previous_summary,
            instructions: context.instructions.given(),
            files_read: &context.files.read,
            files_modified: &context.files.modified,
            budget_tokens: context.call.max_output_tokens.unwrap_or(usual),
        });
        let text = context.call.form.wrap(text);
        observer.text(&text);
        Ok(reply(text))
    }
}

/// A whole reply. No provider counted anything, so there is no usage to report.
fn reply(text: String) -> ModelReply {
    ModelReply {
        text,
        block_starts: Vec::new(),
        stop: StopReason::Stop,
        usage: Usage::default(),
        model: None,
    }
}
