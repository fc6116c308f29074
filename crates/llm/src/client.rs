//! The clients: one call, streamed, tried again when that can help.

use crate::error::{Fault, LlmError, Partial};
use crate::http::{Endpoint, Guard, Limits, MAX_ANSWER_BYTES, content_type, too_long};
use crate::key::ApiKey;
use crate::provider::{ProviderConfig, ProviderKind};
use crate::reply::GrowingReply;
use crate::retry::{Pause, RetryPolicy, TimerPause};
use crate::sse::{SseEvent, SseParser};
use crate::status::{excerpt, looks_like_html};
use crate::{ModelClient, StreamEvent, anthropic, openai};
use async_trait::async_trait;
use palimpsest_core::call::{ModelReply, ModelRequest};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Time limits, retries and the way to wait between them.
#[derive(Clone)]
pub struct CallOptions {
    /// Time limits of each request.
    pub limits: Limits,
    /// When a failed request is made again.
    pub retry: RetryPolicy,
    /// How the time until then passes.
    pub pause: Arc<dyn Pause>,
}

impl Default for CallOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            retry: RetryPolicy::default(),
            pause: Arc::new(TimerPause),
        }
    }
}

/// A client of any server that speaks OpenAI Chat Completions.
pub struct OpenAiChat(HttpModel);

/// A client of the Anthropic Messages API.
pub struct AnthropicMessages(HttpModel);

impl OpenAiChat {
    /// A client of the server at the provider's base URL, whatever kind the provider says it is.
    ///
    /// Fails with [`Fault::Config`] or [`Fault::NoKey`], before any call.
    pub fn new(
        config: &ProviderConfig,
        key: Option<ApiKey>,
        options: CallOptions,
    ) -> Result<Self, LlmError> {
        HttpModel::new(ProviderKind::OpenAi, config, key, options).map(Self)
    }
}

impl AnthropicMessages {
    /// A client of the server at the provider's base URL, whatever kind the provider says it is.
    ///
    /// Fails with [`Fault::Config`] or [`Fault::NoKey`], before any call.
    pub fn new(
        config: &ProviderConfig,
        key: Option<ApiKey>,
        options: CallOptions,
    ) -> Result<Self, LlmError> {
        HttpModel::new(ProviderKind::Anthropic, config, key, options).map(Self)
    }
}

#[async_trait]
impl ModelClient for OpenAiChat {
    async fn complete(
        &self,
        request: &ModelRequest,
        sink: &mut (dyn FnMut(StreamEvent) + Send),
        cancel: &CancellationToken,
    ) -> Result<ModelReply, LlmError> {
        self.0.complete(request, sink, cancel).await
    }
}

#[async_trait]
impl ModelClient for AnthropicMessages {
    async fn complete(
        &self,
        request: &ModelRequest,
        sink: &mut (dyn FnMut(StreamEvent) + Send),
        cancel: &CancellationToken,
    ) -> Result<ModelReply, LlmError> {
        self.0.complete(request, sink, cancel).await
    }
}

/// The client a provider's kind asks for, with the default options.
///
/// Fails with [`Fault::Config`] for a base URL that is none and for the offline kind, and with
/// [`Fault::NoKey`] when a provider elsewhere names a key variable and no key was given.
pub fn client(
    config: &ProviderConfig,
    key: Option<ApiKey>,
) -> Result<Box<dyn ModelClient>, LlmError> {
    client_with(config, key, CallOptions::default())
}

/// The client a provider's kind asks for; fails as [`client`] does.
pub fn client_with(
    config: &ProviderConfig,
    key: Option<ApiKey>,
    options: CallOptions,
) -> Result<Box<dyn ModelClient>, LlmError> {
    Ok(match config.kind {
        ProviderKind::Anthropic => Box::new(AnthropicMessages::new(config, key, options)?),
        // The offline kind has no endpoint: this refuses it.
        ProviderKind::OpenAi => Box::new(OpenAiChat::new(config, key, options)?),
        ProviderKind::Offline => Box::new(OpenAiChat(HttpModel::new(
            ProviderKind::Offline,
            config,
            key,
            options,
        )?)),
    })
}

/// What both clients do; they differ in body, events and documents only.
struct HttpModel {
    endpoint: Endpoint,
    retry: RetryPolicy,
    pause: Arc<dyn Pause>,
}

impl HttpModel {
    fn new(
        kind: ProviderKind,
        config: &ProviderConfig,
        key: Option<ApiKey>,
        options: CallOptions,
    ) -> Result<Self, LlmError> {
        let path = match kind {
            ProviderKind::Anthropic => anthropic::PATH,
            ProviderKind::OpenAi | ProviderKind::Offline => openai::PATH,
        };
        let config = ProviderConfig {
            kind,
            ..config.clone()
        };
        let endpoint = Endpoint::new(&config, key, path, options.limits)?;
        Ok(Self {
            endpoint,
            retry: options.retry,
            pause: options.pause,
        })
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        sink: &mut (dyn FnMut(StreamEvent) + Send),
        cancel: &CancellationToken,
    ) -> Result<ModelReply, LlmError> {
        let mut partial: Option<Partial> = None;
        let mut attempt = 1;
        loop {
            sink(StreamEvent::Started { attempt });
            let mut reply = GrowingReply::default();
            let mut fault = match self.attempt(request, sink, cancel, &mut reply).await {
                Ok(()) => match reply.complete() {
                    Some(reply) => return Ok(reply),
                    // `attempt` returns only after the end was seen.
                    None => return Err(self.failed(request, attempt, partial, unfinished())),
                },
                Err(fault) => fault,
            };
            let text_came = !reply.text.is_empty();
            keep_longest(&mut partial, reply);
            if fault.may_pass(text_came)
                && let Some(wait_ms) = self.retry.wait_ms(attempt, fault.asked_wait_ms())
            {
                attempt += 1;
                sink(StreamEvent::Retrying {
                    attempt,
                    of: self.retry.max_retries + 1,
                    wait_ms,
                    reason: self.endpoint.error(fault).fault.to_string(),
                    restarts_text: text_came,
                });
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => {
                        attempt -= 1;
                        fault = Fault::Cancelled;
                    }
                    () = self.pause.pause(Duration::from_millis(wait_ms)) => continue,
                }
            }
            return Err(self.failed(request, attempt, partial, fault));
        }
    }

    fn failed(
        &self,
        request: &ModelRequest,
        attempts: u32,
        partial: Option<Partial>,
        fault: Fault,
    ) -> LlmError {
        let mut error = self.endpoint.error(fault);
        error.call.model.clone_from(&request.model);
        error.call.attempts = attempts;
        error.call.partial = partial;
        error
    }

    /// One request; what comes of it is in `reply`, also when it fails.
    async fn attempt(
        &self,
        request: &ModelRequest,
        sink: &mut (dyn FnMut(StreamEvent) + Send),
        cancel: &CancellationToken,
        reply: &mut GrowingReply,
    ) -> Result<(), Fault> {
        let guard = Guard::new(cancel, self.endpoint.limits.whole);
        let http = self.endpoint.post().json(&self.body(request));
        let mut answer = self.endpoint.send(http, &guard).await?;
        let kind = content_type(answer.headers()).to_ascii_lowercase();
        if kind.contains("json") && !kind.contains("stream") && !kind.contains("ndjson") {
            let body = self.endpoint.text(answer, &guard).await?;
            return self.read_document(&body, reply, sink);
        }
        let mut parser = SseParser::default();
        let mut seen = Seen::default();
        while let Some(bytes) = self.endpoint.chunk(&mut answer, &guard).await? {
            seen.take(&bytes)?;
            for event in parser.push(&bytes) {
                seen.events = true;
                self.read_event(&event, reply, sink)?;
            }
            if reply.ended {
                return Ok(());
            }
        }
        if let Some(event) = parser.finish() {
            // Cut off at this point, half an event is a broken stream and not nonsense.
            seen.events |= self.read_event(&event, reply, sink).is_ok();
        }
        if reply.ended || reply.stop.is_some() {
            return Ok(());
        }
        Err(seen.fault(&kind))
    }

    fn body(&self, request: &ModelRequest) -> Value {
        match self.endpoint.config.kind {
            ProviderKind::Anthropic => anthropic::body(request),
            ProviderKind::OpenAi | ProviderKind::Offline => {
                let host = self.endpoint.url.host_str().unwrap_or_default();
                let at_openai = host == "api.openai.com" || host.ends_with(".openai.azure.com");
                openai::body(request, at_openai)
            }
        }
    }

    fn read_event(
        &self,
        event: &SseEvent,
        reply: &mut GrowingReply,
        sink: &mut (dyn FnMut(StreamEvent) + Send),
    ) -> Result<(), Fault> {
        let usage = reply.usage;
        let text = match self.endpoint.config.kind {
            ProviderKind::Anthropic => anthropic::read_event(event, reply),
            ProviderKind::OpenAi | ProviderKind::Offline => openai::read_event(event, reply),
        }?;
        announce(text, usage != reply.usage, reply, sink);
        Ok(())
    }

    fn read_document(
        &self,
        body: &str,
        reply: &mut GrowingReply,
        sink: &mut (dyn FnMut(StreamEvent) + Send),
    ) -> Result<(), Fault> {
        let document: Value = serde_json::from_str(body).map_err(|error| Fault::Malformed {
            detail: format!("it is not JSON: {error}"),
            excerpt: excerpt(body),
        })?;
        let text = match self.endpoint.config.kind {
            ProviderKind::Anthropic => anthropic::read_document(&document, reply),
            ProviderKind::OpenAi | ProviderKind::Offline => openai::read_document(&document, reply),
        }?;
        announce(text, true, reply, sink);
        Ok(())
    }
}

fn announce(
    text: String,
    usage_came: bool,
    reply: &GrowingReply,
    sink: &mut (dyn FnMut(StreamEvent) + Send),
) {
    if !text.is_empty() {
        sink(StreamEvent::TextDelta { text });
    }
    if usage_came {
        sink(StreamEvent::Usage { usage: reply.usage });
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

fn unfinished() -> Fault {
    Fault::BrokenStream {
        detail: "it ended before the model said it was done".to_owned(),
    }
}

/// What came of an answer, to explain one that ended without an end.
#[derive(Default)]
struct Seen {
    bytes: usize,
    beginning: Vec<u8>,
    events: bool,
}

impl Seen {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.bytes += bytes.len();
        if self.beginning.len() < 1024 {
            self.beginning
                .extend_from_slice(&bytes[..bytes.len().min(1024)]);
        }
        if self.bytes > MAX_ANSWER_BYTES {
            Err(too_long())
        } else {
            Ok(())
        }
    }

    fn fault(&self, content_type: &str) -> Fault {
        let beginning = String::from_utf8_lossy(&self.beginning);
        if self.bytes == 0 {
            Fault::BrokenStream {
                detail: "the answer is empty".to_owned(),
            }
        } else if self.events {
            unfinished()
        } else if looks_like_html(content_type, &beginning) {
            Fault::WebPage {
                excerpt: excerpt(&beginning),
            }
        } else {
            let detail = "it is not a stream of events".to_owned();
            Fault::Malformed {
                detail,
                excerpt: excerpt(&beginning),
            }
        }
    }
}
