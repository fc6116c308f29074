//! A provider as the summarizer of a plan.

use async_trait::async_trait;
use palimpsest_compaction::execute::{CallContext, CallObserver, SummarizeError, Summarizer};
use palimpsest_core::call::{ModelReply, ModelRequest};
use palimpsest_llm::{Fault, ModelClient, StreamEvent};
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::session::lock;

/// Sends each call of a plan to a model.
pub(super) struct ProviderSummarizer {
    client: Box<dyn ModelClient>,
    model: String,
    /// What came of a call that then failed or was cancelled.
    partial: Mutex<Option<String>>,
}

impl ProviderSummarizer {
    /// Sends calls through `client` to `model`.
    pub(super) fn new(client: Box<dyn ModelClient>, model: String) -> ProviderSummarizer {
        ProviderSummarizer {
            client,
            model,
            partial: Mutex::default(),
        }
    }

    /// The text of the last call, as far as it came, if the call did not end well.
    pub(super) fn take_partial(&self) -> Option<String> {
        lock(&self.partial).take()
    }
}

#[async_trait]
impl Summarizer for ProviderSummarizer {
    async fn call(
        &self,
        context: &CallContext<'_>,
        observer: &dyn CallObserver,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, SummarizeError> {
        let request = ModelRequest {
            model: self.model.clone(),
            system: context.call.system.clone(),
            prompt: context.call.prompt.clone(),
            max_output_tokens: context.call.max_output_tokens,
        };
        let mut sink = |event: StreamEvent| match event {
            StreamEvent::TextDelta { text } => observer.text(&text),
            StreamEvent::Retrying {
                attempt,
                wait_ms,
                reason,
                ..
            } => {
                observer.retry(attempt, wait_ms, &reason);
            }
            StreamEvent::Started { .. } | StreamEvent::Usage { .. } => {}
        };
        let answer = self.client.complete(&request, &mut sink, cancel).await;
        answer.map_err(|error| {
            *lock(&self.partial) = error
                .call
                .partial
                .as_ref()
                .map(|partial| partial.text.clone());
            match error.fault {
                Fault::Cancelled => SummarizeError::Cancelled,
                _ => SummarizeError::Failed(error.to_string()),
            }
        })
    }
}
