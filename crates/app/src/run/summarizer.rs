//! A provider as the summarizer of a plan.

use async_trait::async_trait;
use palimpsest_compaction::execute::{CallContext, CallObserver, SummarizeError, Summarizer};
use palimpsest_core::call::{ModelReply, ModelRequest};
use palimpsest_llm::{Fault, ModelClient, StreamEvent};
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::session::lock;

/// Sends each call of a plan to a model.
pub(super) struct ProviderSummarizer {
    client: Box<dyn ModelClient>,
    model: String,
    /// The places for calls that this provider has, shared by all runs; `None` is no limit.
    gate: Option<Arc<Semaphore>>,
    /// What came of calls that then failed or were cancelled, by their number.
    partial: Mutex<Vec<(usize, String)>>,
}

impl ProviderSummarizer {
    /// Sends calls through `client` to `model`, each once it has a place at the gate.
    pub(super) fn new(
        client: Box<dyn ModelClient>,
        model: String,
        gate: Option<Arc<Semaphore>>,
    ) -> ProviderSummarizer {
        ProviderSummarizer {
            client,
            model,
            gate,
            partial: Mutex::default(),
        }
    }

    /// The texts of calls that did not end well, as far as they came, in the order of the calls.
    pub(super) fn take_partial(&self) -> Option<String> {
        let mut partial = std::mem::take(&mut *lock(&self.partial));
        partial.sort();
        let texts: Vec<String> = partial.into_iter().map(|(_, text)| text).collect();
        (!texts.is_empty()).then(|| texts.join("\n\n"))
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
        let _place = match &self.gate {
            None => None,
            Some(gate) => tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(SummarizeError::Cancelled),
                // The gate is never closed.
                place = gate.acquire() => place.ok(),
            },
        };
        let answer = self.client.complete(&request, &mut sink, cancel).await;
        answer.map_err(|error| {
            if let Some(partial) = &error.call.partial {
                lock(&self.partial).push((context.index, partial.text.clone()));
            }
            match error.fault {
                Fault::Cancelled => SummarizeError::Cancelled,
                Fault::ContextOverflow { .. } => SummarizeError::Overflow(error.to_string()),
                _ => SummarizeError::Failed(error.to_string()),
            }
        })
    }
}
