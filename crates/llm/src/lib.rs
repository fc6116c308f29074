//! Calls to language models: any server that speaks OpenAI Chat Completions or Responses, the
//! Anthropic Messages and the Gemini API, and programs on this machine.
//!
//! A [`ProviderConfig`] says where and in which API; [`find_key`] finds its key; [`client`] makes a
//! [`ModelClient`] of both. A call streams, can be cancelled at any moment, is repeated when that
//! can help ([`RetryPolicy`]) and fails with an [`LlmError`] that names provider, URL and next step
//! and keeps the partial output. Whether a reply is fit to be a summary is another question,
//! answered by [`check_reply`].
//!
//! This crate does not know plans or prompts, keeps nothing, logs nothing and never reads the
//! environment itself. To add an API, add a [`ProviderKind`], a module beside `anthropic` that
//! makes its body and reads its events, its arms in `client` and `http`, its bytes in the scripted
//! server, and its name in `tests/it/harness.rs`, so that every story is told for it.
//!
//! # Why there is no client library underneath
//!
//! genai 0.7.2 was tried against the scripted server of `testkit`, in November 2026:
//!
//! | asked of it | found |
//! | --- | --- |
//! | base URL with a path | passes, through a resolver per call |
//! | streamed text cut at every byte, streamed usage, system prompt, stop reason | passes |
//! | dropping the stream closes the connection | passes |
//! | status and `Retry-After` of a refused stream | `status()` and `headers()` of the error are `None`; both are inside a boxed cause that must be downcast |
//! | a web page with status 200 | an empty stream without an error |
//! | a stream that ends before its last event | ends without an error, both kinds |
//! | an event that is not JSON | an error for OpenAI, skipped in silence for Anthropic |
//! | weight | 150 packages, AWS-LC (a large C build) among them; this crate has 103 without the keyring, on ring |
//!
//! A summary cut short must not pass for a whole one, so the protocols are read here.

mod address;
mod anthropic;
mod blackout;
mod calling;
mod check;
mod client;
mod command;
mod embeddings;
mod error;
mod gemini;
mod http;
mod json_api;
mod key;
mod messages;
mod models;
mod openai;
mod options;
mod provider;
mod reply;
mod responses;
mod retry;
mod sse;
mod statement;
mod status;

pub use address::{check_base_url, origin_of, same_origin};
pub use check::{ReplyRefusal, check_reply};
pub use client::{client, client_with};
pub use command::environment_without_keys;
pub use embeddings::{embeddings, embeddings_with};
pub use error::{FailedCall, Fault, LlmError, Partial, Silent};
pub use http::Limits;
pub use json_api::JsonApi;
pub use key::{ApiKey, KEYRING_SERVICE, KeyStore, KeyStoreError, OsKeyring, find_key};
pub use models::{ListedModel, list_models, list_models_within};
pub use options::CallOptions;
pub use provider::{ProviderConfig, ProviderKind, ProviderLimits};
pub use retry::{Pause, RetryPolicy, TimerPause};
pub use sse::{SseEvent, SseParser};
// Callers hold the token a call is cancelled with; they need not name its crate.
pub use tokio_util::sync::CancellationToken;

use palimpsest_core::Usage;
use palimpsest_core::call::{ModelReply, ModelRequest};
use serde::Serialize;

/// Something that can be asked to complete a prompt.
#[async_trait::async_trait]
pub trait ModelClient: Send + Sync {
    /// Makes one call and returns the whole reply; what comes before that goes to `sink`.
    ///
    /// Cancelling ends it at once, also while it waits to try again. On failure the error holds the
    /// partial output. The reply is as the model gave it: see [`check_reply`].
    async fn complete(
        &self,
        request: &ModelRequest,
        sink: &mut (dyn FnMut(StreamEvent) + Send),
        cancel: &CancellationToken,
    ) -> Result<ModelReply, LlmError>;
}

/// What happens during a call.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum StreamEvent {
    /// A request goes out. Text streamed before is void.
    Started {
        /// Which request of this call, from 1.
        attempt: u32,
    },
    /// More text of the reply.
    TextDelta {
        /// The text, to be appended.
        text: String,
    },
    /// Usage as far as it is known; later figures replace earlier ones.
    Usage {
        /// The figures.
        usage: Usage,
    },
    /// The request failed and another follows after a wait.
    Retrying {
        /// Which request of this call comes next, from 2.
        attempt: u32,
        /// How many there will be at most.
        of: u32,
        /// The wait in milliseconds.
        wait_ms: u64,
        /// What happened to the last one.
        reason: String,
        /// Text was already streamed and restarts.
        restarts_text: bool,
    },
}
