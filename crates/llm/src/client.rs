//! The clients: one call, streamed, tried again when that can help.

use crate::blackout::Blackout;
use crate::calling::{Attempt, Sink, call, unfinished};
use crate::command::Program;
use crate::error::{Fault, LlmError};
use crate::http::{Endpoint, Guard, MAX_ANSWER_BYTES, content_type, too_long};
use crate::key::ApiKey;
use crate::options::CallOptions;
use crate::provider::{ProviderConfig, ProviderKind};
use crate::reply::GrowingReply;
use crate::retry::{Pause, RetryPolicy};
use crate::sse::{SseEvent, SseParser};
use crate::status::{excerpt, looks_like_html};
use crate::{ModelClient, StreamEvent, anthropic, gemini, openai, responses};
use async_trait::async_trait;
use palimpsest_core::call::{ModelReply, ModelRequest};
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The client a provider's kind asks for, with the limits the user set for it.
///
/// Fails with [`Fault::Config`] for a base URL that is none, a program without a name and the
/// offline kind, and with [`Fault::NoKey`] when a provider elsewhere names a key variable and no
/// key was given.
pub fn client(
    config: &ProviderConfig,
    key: Option<ApiKey>,
) -> Result<Box<dyn ModelClient>, LlmError> {
    client_with(config, key, CallOptions::of(config))
}

/// The client a provider's kind asks for; fails as [`client`] does.
pub fn client_with(
    config: &ProviderConfig,
    key: Option<ApiKey>,
    options: CallOptions,
) -> Result<Box<dyn ModelClient>, LlmError> {
    let CallOptions { retry, pause, .. } = options.clone();
    let way: Box<dyn Attempt> = match config.kind {
        ProviderKind::Command => Box::new(Program::new(config, key, options)?),
        _ => Box::new(HttpModel {
            endpoint: Endpoint::new(config, key, None, options.limits)?,
        }),
    };
    Ok(Box::new(Client { way, retry, pause }))
}

/// A way to make requests, and the patience to make them again.
struct Client {
    way: Box<dyn Attempt>,
    retry: RetryPolicy,
    pause: Arc<dyn Pause>,
}

#[async_trait]
impl ModelClient for Client {
    async fn complete(
        &self,
        request: &ModelRequest,
        sink: &mut (dyn FnMut(StreamEvent) + Send),
        cancel: &CancellationToken,
    ) -> Result<ModelReply, LlmError> {
        let patience = (&self.retry, &*self.pause);
        call(&*self.way, patience, request, sink, cancel).await
    }
}

/// What all APIs over HTTP have in common; they differ in URL, body, events and documents only.
struct HttpModel {
    endpoint: Endpoint,
}

#[async_trait]
impl Attempt for HttpModel {
    async fn attempt(
        &self,
        request: &ModelRequest,
        sink: &mut Sink<'_>,
        cancel: &CancellationToken,
        reply: &mut GrowingReply,
    ) -> Result<(), Fault> {
        let guard = Guard::new(cancel, self.endpoint.limits.whole);
        let http = self
            .endpoint
            .post(self.url(request))
            .json(&self.body(request));
        let mut answer = self.endpoint.send(http, &guard).await?;
        let kind = content_type(answer.headers()).to_ascii_lowercase();
        // A server that ignores `stream` answers with one JSON document; media types of streams
        // of JSON are excluded.
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
            // The protocol's end counts and not that of the connection, which may stay open.
            if reply.ended {
                return Ok(());
            }
        }
        if let Some(event) = parser.finish() {
            // Cut off at this point, half an event is a broken stream and not nonsense.
            seen.events |= self.read_event(&event, reply, sink).is_ok();
        }
        // A stop reason without the protocol's last event is a whole reply.
        if reply.ended || reply.stop.is_some() {
            return Ok(());
        }
        Err(seen.fault(&kind, self.endpoint.key()))
    }

    fn error(&self, fault: Fault) -> LlmError {
        self.endpoint.error(fault)
    }

    fn key(&self) -> Option<&ApiKey> {
        self.endpoint.key()
    }
}

impl HttpModel {
    fn url(&self, request: &ModelRequest) -> reqwest::Url {
        let url = &self.endpoint.url;
        match self.endpoint.config.kind {
            ProviderKind::Gemini => gemini::call_url(url, &request.model),
            _ => url.clone(),
        }
    }

    fn body(&self, request: &ModelRequest) -> Value {
        match self.endpoint.config.kind {
            ProviderKind::Anthropic => anthropic::body(request),
            ProviderKind::Responses => responses::body(request),
            ProviderKind::Gemini => gemini::body(request),
            ProviderKind::OpenAi | ProviderKind::Command | ProviderKind::Offline => {
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
        sink: &mut Sink<'_>,
    ) -> Result<(), Fault> {
        let usage = reply.usage;
        let read = match self.endpoint.config.kind {
            ProviderKind::Anthropic => anthropic::read_event,
            ProviderKind::Responses => responses::read_event,
            ProviderKind::Gemini => gemini::read_event,
            ProviderKind::OpenAi | ProviderKind::Command | ProviderKind::Offline => {
                openai::read_event
            }
        };
        // Before what is malformed is cut to an excerpt, which may end in the middle of the key.
        let clean = self.endpoint.key().map(|key| SseEvent {
            data: key.redact(&event.data),
            ..event.clone()
        });
        let text = read(clean.as_ref().unwrap_or(event), reply)?;
        announce(text, usage != reply.usage, reply, sink);
        Ok(())
    }

    fn read_document(
        &self,
        body: &str,
        reply: &mut GrowingReply,
        sink: &mut Sink<'_>,
    ) -> Result<(), Fault> {
        let document: Value = serde_json::from_str(body).map_err(|_| Fault::Malformed {
            detail: "it is not JSON".to_owned(),
            excerpt: excerpt(body),
        })?;
        let read = match self.endpoint.config.kind {
            ProviderKind::Anthropic => anthropic::read_document,
            ProviderKind::Responses => responses::read_document,
            ProviderKind::Gemini => gemini::read_document,
            ProviderKind::OpenAi | ProviderKind::Command | ProviderKind::Offline => {
                openai::read_document
            }
        };
        let text = read(&document, reply)?;
        announce(text, true, reply, sink);
        Ok(())
    }
}

fn announce(text: String, usage_came: bool, reply: &GrowingReply, sink: &mut Sink<'_>) {
    if !text.is_empty() {
        sink(StreamEvent::TextDelta { text });
    }
    if usage_came {
        sink(StreamEvent::Usage { usage: reply.usage });
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
        // Enough for the excerpt in an error and to recognize a web page.
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

    fn fault(&self, content_type: &str, key: Option<&ApiKey>) -> Fault {
        // The beginning may end in the middle of the key, which is then not shown.
        let beginning = Blackout::of(key).take(&String::from_utf8_lossy(&self.beginning));
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
            let detail = match serde_json::from_slice::<serde_json::Value>(&self.beginning) {
                Ok(_) => "it has no text of a model",
                Err(_) => "it is neither a whole JSON document nor a stream of events",
            }
            .to_owned();
            Fault::Malformed {
                detail,
                excerpt: excerpt(&beginning),
            }
        }
    }
}
