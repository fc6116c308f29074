//! A provider as the summarizer of a plan.

use async_trait::async_trait;
use palimpsest_compaction::execute::{CallContext, CallObserver, SummarizeError, Summarizer};
use palimpsest_core::Failure as _;
use palimpsest_core::call::{ModelReply, ModelRequest};
use palimpsest_llm::{Fault, LlmError, ModelClient, ProviderConfig, StreamEvent};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::session::lock;

/// Sends each call of a plan to a model: the run's, unless the call names another.
pub(super) struct ProviderSummarizer<'a> {
    client: Box<dyn ModelClient>,
    model: String,
    /// The places for calls that this provider has, shared by all runs; `None` is no limit.
    gate: Option<Arc<Semaphore>>,
    partial: &'a Partials,
}

/// Partial output of the last attempt of each call that failed or was cancelled.
#[derive(Default)]
pub(super) struct Partials(Mutex<BTreeMap<usize, String>>);

impl Partials {
    /// Stores the partial output of call number `call` before `error`.
    pub(super) fn keep(&self, call: usize, error: &LlmError) {
        if let Some(partial) = &error.call.partial {
            lock(&self.0).insert(call, partial.text.clone());
        }
    }

    /// Forgets the partial output of a repeated call.
    pub(super) fn forget(&self, call: usize) {
        lock(&self.0).remove(&call);
    }

    /// Forgets the partial output of a plan replaced by a fallback.
    pub(super) fn clear(&self) {
        lock(&self.0).clear();
    }

    /// The texts, in the order of the calls.
    pub(super) fn texts(&self) -> Vec<String> {
        lock(&self.0).values().cloned().collect()
    }
}

impl<'a> ProviderSummarizer<'a> {
    /// Sends calls through `client` to `model`, each once it has a place at the gate; what comes
    /// of calls that do not end well goes to `partial`.
    pub(super) fn new(
        client: Box<dyn ModelClient>,
        model: String,
        gate: Option<Arc<Semaphore>>,
        partial: &'a Partials,
    ) -> ProviderSummarizer<'a> {
        ProviderSummarizer {
            client,
            model,
            gate,
            partial,
        }
    }
}

#[async_trait]
impl Summarizer for ProviderSummarizer<'_> {
    async fn call(
        &self,
        context: &CallContext<'_>,
        observer: &dyn CallObserver,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, SummarizeError> {
        let request = ModelRequest {
            model: context.call.model.as_ref().unwrap_or(&self.model).clone(),
            system: context.call.system.clone(),
            prompt: context.call.prompt.clone(),
            messages: context.call.sent_messages(),
            max_output_tokens: context.call.max_output_tokens,
            temperature: context.call.temperature,
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
        // Held until the call ends: dropping it lets the next call in.
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
            self.partial.keep(context.index, &error);
            failure(&error)
        })
    }
}

/// The provider with a limit of so many seconds for each request, unless it has a lower one; 0
/// changes nothing.
pub(super) fn within(config: &ProviderConfig, seconds: u64) -> ProviderConfig {
    let mut config = config.clone();
    if seconds > 0 {
        let own = config.limits.timeout_s.filter(|own| *own > 0);
        config.limits.timeout_s = Some(own.map_or(seconds, |own| own.min(seconds)));
    }
    config
}

/// A failed call in the terms of a run.
pub(super) fn failure(error: &LlmError) -> SummarizeError {
    match error.fault {
        Fault::Cancelled => SummarizeError::Cancelled,
        Fault::ContextOverflow { .. } => SummarizeError::Overflow(error.problem()),
        _ => SummarizeError::Failed(error.problem()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_compaction::execute::Unobserved;
    use palimpsest_compaction::{Instructions, PlannedCall};
    use palimpsest_core::Usage;
    use palimpsest_core::call::StopReason;
    use palimpsest_ledger::Span;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts how many calls are with it at once, and lets others run meanwhile.
    #[derive(Default)]
    struct Counting {
        now: AtomicUsize,
        most: Arc<AtomicUsize>,
    }

    #[async_trait]
    impl ModelClient for Counting {
        async fn complete(
            &self,
            _: &ModelRequest,
            _: &mut (dyn FnMut(StreamEvent) + Send),
            _: &CancellationToken,
        ) -> Result<ModelReply, LlmError> {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            self.now.fetch_sub(1, Ordering::SeqCst);
            Ok(ModelReply {
                text: "done".to_owned(),
                block_starts: Vec::new(),
                stop: StopReason::Stop,
                usage: Usage::default(),
                model: None,
            })
        }
    }

    #[test]
    fn a_plan_may_only_shorten_the_wait() {
        let mut config = ProviderConfig::program("p", &["true"]);
        let limit = |config: &ProviderConfig, seconds| within(config, seconds).limits.timeout_s;
        assert_eq!(limit(&config, 0), None);
        assert_eq!(limit(&config, 90), Some(90));
        config.limits.timeout_s = Some(60);
        assert_eq!(limit(&config, 90), Some(60));
        config.limits.timeout_s = Some(600);
        assert_eq!(limit(&config, 90), Some(90));
        assert_eq!(limit(&config, 0), Some(600));
    }

    async fn three_calls(gate: Option<Arc<Semaphore>>) -> usize {
        let most: Arc<AtomicUsize> = Arc::default();
        let client = Counting {
            most: Arc::clone(&most),
            ..Counting::default()
        };
        let partial = Partials::default();
        let summarizer = ProviderSummarizer::new(Box::new(client), "m".to_owned(), gate, &partial);
        let call = PlannedCall::default();
        let (instructions, files) = (Instructions::default(), Default::default());
        let context = CallContext {
            call: &call,
            index: 0,
            span: Span { items: &[] },
            previous_summary: None,
            instructions: &instructions,
            files: &files,
        };
        let never = CancellationToken::new();
        let one = || summarizer.call(&context, &Unobserved, &never);
        let (a, b, c) = tokio::join!(one(), one(), one());
        assert!(a.is_ok() && b.is_ok() && c.is_ok());
        most.load(Ordering::SeqCst)
    }

    #[tokio::test]
    async fn a_provider_is_not_asked_more_at_once_than_it_allows() {
        assert_eq!(three_calls(None).await, 3);
        assert_eq!(three_calls(Some(Arc::new(Semaphore::new(2)))).await, 2);
        assert_eq!(three_calls(Some(Arc::new(Semaphore::new(1)))).await, 1);
    }
}
