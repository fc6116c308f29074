//! One HTTP request to a provider, guarded by time limits and cancellation.

use crate::error::{FailedCall, Fault, LlmError, Silent};
use crate::key::ApiKey;
use crate::provider::{ProviderConfig, ProviderKind, ProviderLimits};
use crate::retry::asked_wait_ms;
use crate::status::fault_of;
use crate::{address, anthropic, gemini, openai, responses};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Client, RequestBuilder, Response, Url, redirect};
use std::error::Error;
use std::sync::Once;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Most bytes of an answer that are read; a million tokens of text are about 4 MB, and every
/// token can come in an event of some 300 bytes.
pub(crate) const MAX_ANSWER_BYTES: usize = 512 << 20;
/// Most bytes of an error's body that are read.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// How long one request may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Until the connection stands.
    pub connect: Duration,
    /// Until the first byte of the answer: a local model reads a long prompt for minutes first.
    pub first_byte: Duration,
    /// Between two pieces of the answer.
    pub silence: Duration,
    /// For the request as a whole.
    pub whole: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            first_byte: Duration::from_secs(300),
            silence: Duration::from_secs(120),
            whole: Duration::from_secs(1800),
        }
    }
}

impl Limits {
    /// The usual limits with what the user set for a provider.
    pub fn of(set: &ProviderLimits) -> Self {
        let usual = Self::default();
        let or = |seconds: Option<u64>, usual| seconds.map_or(usual, Duration::from_secs);
        Self {
            connect: usual.connect,
            first_byte: or(set.first_byte_s, usual.first_byte),
            silence: or(set.silence_s, usual.silence),
            whole: or(set.timeout_s, usual.whole),
        }
    }

    /// The same limit for every step and for the whole, for small questions like the list of
    /// models.
    pub(crate) fn within(whole: Duration) -> Self {
        Self {
            connect: whole,
            first_byte: whole,
            silence: whole,
            whole,
        }
    }
}

/// A provider that can be called: its URL, its headers and a connection pool.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) config: ProviderConfig,
    pub(crate) url: Url,
    pub(crate) limits: Limits,
    key: Option<ApiKey>,
    client: Client,
}

impl Endpoint {
    /// The endpoint at `path` under the provider's base URL; its API's own when `None`.
    ///
    /// Fails when the base URL is no URL, when the provider is not called over HTTP, and when it
    /// is elsewhere, has a key variable and no key was given.
    pub(crate) fn new(
        config: &ProviderConfig,
        key: Option<ApiKey>,
        path: Option<&str>,
        limits: Limits,
    ) -> Result<Self, LlmError> {
        // The URL as it was given: it may be none.
        let refuse = |fault| LlmError {
            fault,
            call: Box::new(FailedCall {
                provider: config.name.clone(),
                url: config.base_url.clone(),
                key_env: config.key_env.clone(),
                ..FailedCall::default()
            }),
        };
        let config_fault = |detail: String| refuse(Fault::Config { detail });
        let (version, own) = match config.kind {
            ProviderKind::OpenAi => ("v1", openai::PATH),
            ProviderKind::Responses => ("v1", responses::PATH),
            ProviderKind::Anthropic => ("v1", anthropic::PATH),
            ProviderKind::Gemini => (gemini::VERSION, gemini::PATH),
            ProviderKind::Command => {
                return Err(config_fault("a program has no address".to_owned()));
            }
            ProviderKind::Offline => {
                return Err(config_fault(
                    "the offline summarizer is not called".to_owned(),
                ));
            }
        };
        let url = address::endpoint(&config.base_url, version, own, path.unwrap_or(own))
            .map_err(|detail| refuse(Fault::Address { detail }))?;
        let local = address::is_loopback(&url);
        if key.is_none() && !local && config.key_env.is_some() {
            return Err(refuse(Fault::NoKey));
        }
        let headers = headers(config.kind, key.as_ref()).map_err(config_fault)?;
        Self::over(config.clone(), url, headers, key, limits).map_err(config_fault)
    }

    /// A server that documents are read from: the base URL itself, its key in `header`.
    ///
    /// Fails when the base URL is no URL, and when it is elsewhere and no key was given.
    pub(crate) fn reading(
        name: &str,
        base_url: &str,
        header: &'static str,
        key_env: &str,
        key: Option<ApiKey>,
        limits: Limits,
    ) -> Result<Self, LlmError> {
        let refuse = |fault| LlmError {
            fault,
            call: Box::new(FailedCall {
                provider: name.to_owned(),
                url: base_url.to_owned(),
                key_env: Some(key_env.to_owned()),
                ..FailedCall::default()
            }),
        };
        let config_fault = |detail: String| refuse(Fault::Config { detail });
        let url = address::parse(base_url).map_err(|detail| refuse(Fault::Address { detail }))?;
        if key.is_none() && !address::is_loopback(&url) {
            return Err(refuse(Fault::NoKey));
        }
        let mut headers = HeaderMap::new();
        if let Some(key) = &key {
            headers.insert(header, secret(key.expose()).map_err(config_fault)?);
        }
        let config = ProviderConfig {
            name: name.to_owned(),
            // Only the name, the address and the variable are used: no model is called.
            kind: ProviderKind::Offline,
            base_url: base_url.to_owned(),
            key_env: Some(key_env.to_owned()),
            models: Vec::new(),
            command: Vec::new(),
            limits: ProviderLimits::default(),
        };
        Self::over(config, url, headers, key, limits).map_err(config_fault)
    }

    fn over(
        config: ProviderConfig,
        url: Url,
        headers: HeaderMap,
        key: Option<ApiKey>,
        limits: Limits,
    ) -> Result<Self, String> {
        install_crypto();
        let mut builder = Client::builder()
            .default_headers(headers)
            .connect_timeout(limits.connect)
            // A redirected POST loses its body, and a key must not follow to another host.
            .redirect(redirect::Policy::none());
        // A proxy set for the network would look for this address on its own machine.
        if address::is_loopback(&url) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| chain(&error))?;
        Ok(Self {
            config,
            url,
            limits,
            key,
            client,
        })
    }

    /// An error about this endpoint.
    pub(crate) fn error(&self, fault: Fault) -> LlmError {
        LlmError {
            fault: fault.without_key(self.key.as_ref()),
            call: Box::new(FailedCall {
                provider: self.config.name.clone(),
                url: address::shown(&self.url),
                key_env: self.config.key_env.clone(),
                attempts: 1,
                ..FailedCall::default()
            }),
        }
    }

    pub(crate) fn get(&self, url: Url) -> RequestBuilder {
        self.client.get(url)
    }

    pub(crate) fn post(&self, url: Url) -> RequestBuilder {
        self.client.post(url)
    }

    /// Sends a request and returns the answer once it began and is a success.
    pub(crate) async fn send(
        &self,
        request: RequestBuilder,
        guard: &Guard<'_>,
    ) -> Result<Response, Fault> {
        // Until the headers: a local model reads a long prompt for minutes before it answers.
        let response = guard
            .wait(request.send(), self.limits.first_byte)
            .await?
            .map_err(|error| connection_fault(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = self.error_body(response, guard).await?;
        let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
        let location = location.map(|location| self.redacted(location.to_owned()));
        Err(fault_of(
            status,
            content_type(&headers),
            location.as_deref(),
            &body,
            asked_wait_ms(&headers),
        ))
    }

    /// As much of an error's body as can be had: the status alone already says something.
    async fn error_body(&self, mut answer: Response, guard: &Guard<'_>) -> Result<String, Fault> {
        let mut body = Vec::new();
        while body.len() < MAX_ERROR_BYTES {
            match guard.wait(answer.chunk(), self.limits.silence).await {
                Ok(Ok(Some(bytes))) => body.extend_from_slice(&bytes),
                Err(Fault::Cancelled) => return Err(Fault::Cancelled),
                Ok(Ok(None) | Err(_)) | Err(_) => break,
            }
        }
        Ok(self.redacted(String::from_utf8_lossy(&body).into_owned()))
    }

    /// The key that goes along.
    pub(crate) fn key(&self) -> Option<&ApiKey> {
        self.key.as_ref()
    }

    /// What came from the provider without the key, before anything is cut out of it.
    fn redacted(&self, text: String) -> String {
        match &self.key {
            Some(key) => key.redact(&text),
            None => text,
        }
    }

    /// Reads a whole body as text.
    pub(crate) async fn text(
        &self,
        mut answer: Response,
        guard: &Guard<'_>,
    ) -> Result<String, Fault> {
        let mut body = Vec::new();
        while let Some(bytes) = self.chunk(&mut answer, guard).await? {
            body.extend_from_slice(&bytes);
            if body.len() > MAX_ANSWER_BYTES {
                return Err(too_long());
            }
        }
        Ok(self.redacted(String::from_utf8_lossy(&body).into_owned()))
    }

    /// The next bytes of an answer; `None` at its end.
    pub(crate) async fn chunk(
        &self,
        answer: &mut Response,
        guard: &Guard<'_>,
    ) -> Result<Option<Vec<u8>>, Fault> {
        let chunk = guard.wait(answer.chunk(), self.limits.silence).await?;
        match chunk {
            Ok(bytes) => Ok(bytes.map(|bytes| bytes.to_vec())),
            Err(error) => Err(broken(chain(&error))),
        }
    }
}

/// The time and the cancellation one request is under.
pub(crate) struct Guard<'a> {
    cancel: &'a CancellationToken,
    whole: Duration,
    deadline: Instant,
}

impl<'a> Guard<'a> {
    /// Begins now.
    pub(crate) fn new(cancel: &'a CancellationToken, whole: Duration) -> Self {
        Self {
            cancel,
            whole,
            deadline: Instant::now() + whole,
        }
    }

    /// Waits for one step: fails when cancelled, when the step takes longer than `at_most`, and
    /// when the whole request takes too long.
    pub(crate) async fn wait<T>(
        &self,
        step: impl Future<Output = T>,
        at_most: Duration,
    ) -> Result<T, Fault> {
        tokio::select! {
            // In this order, so that a cancelled call is never reported as slow.
            biased;
            () = self.cancel.cancelled() => Err(Fault::Cancelled),
            () = tokio::time::sleep_until(self.deadline) => {
                Err(Fault::Timeout { seconds: shown_seconds(self.whole) })
            }
            result = tokio::time::timeout(at_most, step) => {
                result.map_err(|_| Fault::Silence {
                    silent: Silent::Server,
                    seconds: shown_seconds(at_most),
                })
            }
        }
    }
}

/// A limit in whole seconds; one below a second is told as one.
fn shown_seconds(limit: Duration) -> u64 {
    limit.as_secs().max(1)
}

pub(crate) fn content_type(headers: &HeaderMap) -> &str {
    headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

pub(crate) fn too_long() -> Fault {
    let detail = format!("it is longer than {} MB", MAX_ANSWER_BYTES >> 20);
    Fault::Malformed {
        detail,
        excerpt: String::new(),
    }
}

fn headers(kind: ProviderKind, key: Option<&ApiKey>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    if kind == ProviderKind::Anthropic {
        headers.insert(
            "anthropic-version",
            HeaderValue::from_static(anthropic::VERSION),
        );
    }
    if let Some(key) = key {
        let (name, text) = match kind {
            ProviderKind::Anthropic => ("x-api-key", key.expose().to_owned()),
            ProviderKind::Gemini => (gemini::KEY_HEADER, key.expose().to_owned()),
            ProviderKind::OpenAi
            | ProviderKind::Responses
            | ProviderKind::Command
            | ProviderKind::Offline => ("authorization", format!("Bearer {}", key.expose())),
        };
        headers.insert(name, secret(&text)?);
    }
    Ok(headers)
}

/// The value of a header that carries a key.
fn secret(text: &str) -> Result<HeaderValue, String> {
    let mut value = HeaderValue::from_str(text)
        .map_err(|_| "the key has characters that no key can have".to_owned())?;
    // Kept out of the debug output of the client.
    value.set_sensitive(true);
    Ok(value)
}

fn connection_fault(error: &reqwest::Error) -> Fault {
    let detail = chain(error);
    // The only timeout set in the client is the one for connecting.
    if error.is_connect() || error.is_timeout() {
        // The layers before the last cause say only that connecting failed.
        let cause = last_cause(error).unwrap_or(detail);
        if is_unknown_name(&cause) {
            Fault::UnknownHost { detail: cause }
        } else {
            Fault::Connect { detail: cause }
        }
    } else if error.is_builder() {
        Fault::Config { detail }
    } else {
        broken(detail)
    }
}

/// What a reply that ended early tells: bytes that are no HTTP come from something else than the
/// API, and all other ends may pass.
fn broken(detail: String) -> Fault {
    let lower = detail.to_ascii_lowercase();
    // The wordings of hyper 1: "invalid HTTP version parsed", "Invalid chunk size line", and
    // "unexpected EOF during chunk size line" for a reply that was cut.
    if lower.contains("eof") {
        let detail = "the server closed it early".to_owned();
        return Fault::BrokenStream { detail };
    }
    if lower.contains("invalid") {
        return Fault::Malformed {
            detail: format!("it is not valid HTTP ({detail})"),
            excerpt: String::new(),
        };
    }
    Fault::BrokenStream { detail }
}

/// Whether a resolver says for good that a name has no address. A failure that may pass ("Temporary
/// failure in name resolution") is none.
fn is_unknown_name(cause: &str) -> bool {
    // glibc, musl, macOS and BSD, Windows.
    let permanent = [
        "name or service not known",
        "name does not resolve",
        "nodename nor servname",
        "no address associated with",
        "no such host is known",
    ];
    let cause = cause.to_ascii_lowercase();
    permanent.iter().any(|words| cause.contains(words))
}

/// The innermost cause of an error, without the number of the system's error.
fn last_cause(error: &reqwest::Error) -> Option<String> {
    let mut last = error.source()?;
    while let Some(cause) = last.source() {
        last = cause;
    }
    let text = last.to_string();
    let words = text.split(" (os error ").next().unwrap_or(&text);
    Some(words.to_owned())
}

/// An error and its causes on one line, without reqwest's own line, which only repeats the URL.
fn chain(error: &reqwest::Error) -> String {
    let mut causes = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    // Layers of the client repeat each other's sentence.
    causes.dedup();
    if causes.is_empty() {
        error.to_string()
    } else {
        causes.join(": ")
    }
}

/// TLS is built without a default cryptography; a process that chose one already keeps it.
fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        rustls::crypto::ring::default_provider()
            .install_default()
            .ok();
    });
}
