//! One call out of as many requests as it takes, whatever carries them.

use crate::StreamEvent;
use crate::blackout::Blackout;
use crate::error::{Fault, LlmError, Partial};
use crate::key::ApiKey;
use crate::reply::GrowingReply;
use crate::retry::{Pause, RetryPolicy};
use async_trait::async_trait;
use palimpsest_core::call::{ModelReply, ModelRequest};
use std::borrow::Cow;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What streams of a call go to.
pub(crate) type Sink<'a> = dyn FnMut(StreamEvent) + Send + 'a;

/// One way to make a request.
#[async_trait]
pub(crate) trait Attempt: Send + Sync {
    /// Makes the request once; what comes of it is in `reply`, also when it fails. Returns only
    /// after the end of the reply was seen.
    async fn attempt(
        &self,
        request: &ModelRequest,
        sink: &mut Sink<'_>,
        cancel: &CancellationToken,
        reply: &mut GrowingReply,
    ) -> Result<(), Fault>;

    /// An error about whom the requests go to.
    fn error(&self, fault: Fault) -> LlmError;

    /// The key that goes along, which no reply may show: servers in between quote requests.
    fn key(&self) -> Option<&ApiKey>;
}

/// Makes one attempt; neither its stream nor its reply holds the key.
async fn attempt_without_key(
    way: &dyn Attempt,
    request: &ModelRequest,
    sink: &mut Sink<'_>,
    cancel: &CancellationToken,
    reply: &mut GrowingReply,
) -> Result<(), Fault> {
    let mut blackout = Blackout::of(way.key());
    let mut shown = |event: StreamEvent| match event {
        StreamEvent::TextDelta { text } => {
            let text = blackout.take(&text);
            if !text.is_empty() {
                sink(StreamEvent::TextDelta { text });
            }
        }
        other => sink(other),
    };
    let done = way.attempt(request, &mut shown, cancel, reply).await;
    let text = blackout.rest();
    if !text.is_empty() {
        sink(StreamEvent::TextDelta { text });
    }
    if let Some(key) = way.key() {
        key.redact_with(&mut reply.text, &mut reply.block_starts);
        reply.model = reply.model.take().map(|model| key.redact(&model));
    }
    done
}

/// Makes the request, again where that can help.
pub(crate) async fn call(
    way: &dyn Attempt,
    (retry, pause): (&RetryPolicy, &dyn Pause),
    request: &ModelRequest,
    sink: &mut Sink<'_>,
    cancel: &CancellationToken,
) -> Result<ModelReply, LlmError> {
    let mut partial: Option<Partial> = None;
    let mut attempt = 1;
    // Requests repeated because a parameter was rejected, not because of a temporary error.
    let mut unasked = 0;
    // Copied only if the temperature is dropped: a prompt may be megabytes.
    let mut request = Cow::Borrowed(request);
    let model = request.model.clone();
    let failed = |attempts: u32, partial: Option<Partial>, fault: Fault| {
        let mut error = way.error(fault);
        error.call.model.clone_from(&model);
        error.call.attempts = attempts;
        error.call.partial = partial;
        error
    };
    loop {
        sink(StreamEvent::Started { attempt });
        let mut reply = GrowingReply::default();
        let made = attempt_without_key(way, &request, sink, cancel, &mut reply).await;
        let mut fault = match made {
            Ok(()) => match reply.complete() {
                Some(reply) => return Ok(reply),
                // `attempt` returns only after the end was seen.
                None => return Err(failed(attempt, partial, unfinished())),
            },
            Err(fault) => fault,
        };
        let text_came = !reply.text.is_empty();
        // A later attempt may fail earlier than the first one, whose text was paid for.
        keep_longest(&mut partial, reply);
        if request.temperature.is_some() && fault.refuses_temperature() {
            request.to_mut().temperature = None;
            attempt += 1;
            unasked += 1;
            sink(StreamEvent::Retrying {
                attempt,
                of: retry.max_retries + 1 + unasked,
                wait_ms: 0,
                reason: format!(
                    "the model rejects the parameter temperature; the call is repeated without \
                     it ({})",
                    way.error(fault).fault
                ),
                restarts_text: false,
            });
            continue;
        }
        if fault.may_pass(text_came)
            && let Some(wait_ms) = retry.wait_ms(attempt - unasked, fault.asked_wait_ms())
        {
            attempt += 1;
            sink(StreamEvent::Retrying {
                attempt,
                of: retry.max_retries + 1 + unasked,
                wait_ms,
                reason: way.error(fault).fault.told(),
                restarts_text: text_came,
            });
            tokio::select! {
                // Cancelling wins over a wait that ends at the same moment.
                biased;
                () = cancel.cancelled() => {
                    // The announced attempt was not made.
                    attempt -= 1;
                    fault = Fault::Cancelled;
                }
                () = pause.pause(Duration::from_millis(wait_ms)) => continue,
            }
        }
        return Err(failed(attempt, partial, fault));
    }
}

fn keep_longest(partial: &mut Option<Partial>, reply: GrowingReply) {
    let longer = partial
        .as_ref()
        .is_none_or(|kept| reply.text.len() >= kept.text.len());
    if longer && !reply.text.is_empty() {
        *partial = Some(Partial {
            text: reply.text,
            usage: reply.usage,
        });
    }
}

/// The fault of a stream that ended before the reply did.
pub(crate) fn unfinished() -> Fault {
    Fault::BrokenStream {
        detail: "it ended before the model said it was done".to_owned(),
    }
}
