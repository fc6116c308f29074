//! Reading from a server that answers in JSON: requests that change nothing, with a token.

use crate::address;
use crate::error::{Fault, LlmError};
use crate::http::{Endpoint, Guard};
use crate::key::ApiKey;
use crate::options::CallOptions;
use crate::status::{excerpt, looks_like_html};
use serde_json::Value;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A server of which documents are read.
pub struct JsonApi {
    endpoint: Endpoint,
    options: CallOptions,
}

impl JsonApi {
    /// The server at `base_url`. `name` is what errors call it, `header` carries the token, and
    /// `key_env` is the variable that a token is looked for in.
    ///
    /// Fails as a provider does: when the address is no URL, and when a server elsewhere has no
    /// token.
    pub fn new(
        name: &str,
        base_url: &str,
        header: &'static str,
        key_env: &str,
        key: Option<ApiKey>,
        options: CallOptions,
    ) -> Result<JsonApi, LlmError> {
        let endpoint = Endpoint::reading(name, base_url, header, key_env, key, options.limits)?;
        Ok(JsonApi { endpoint, options })
    }

    /// The document at a path with its query below the server's address, tried again when that can
    /// help.
    ///
    /// Fails as a call does; soon after `cancel` fires with [`Fault::Cancelled`].
    pub async fn get(&self, path: &str, cancel: &CancellationToken) -> Result<Value, LlmError> {
        let url = address::below(&self.endpoint.url, path)
            .map_err(|detail| self.endpoint.error(Fault::Address { detail }))?;
        let mut attempt = 1;
        loop {
            let mut fault = match self.once(&url, cancel).await {
                Ok(document) => return Ok(document),
                Err(fault) => fault,
            };
            if fault.may_pass(false)
                && let Some(wait_ms) = self.options.retry.wait_ms(attempt, fault.asked_wait_ms())
            {
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => fault = Fault::Cancelled,
                    () = self.options.pause.pause(Duration::from_millis(wait_ms)) => {
                        attempt += 1;
                        continue;
                    }
                }
            }
            let mut error = self.endpoint.error(fault);
            error.call.url = address::shown(&url);
            error.call.attempts = attempt;
            return Err(error);
        }
    }

    async fn once(&self, url: &reqwest::Url, cancel: &CancellationToken) -> Result<Value, Fault> {
        let guard = Guard::new(cancel, self.endpoint.limits.whole);
        let request = self.endpoint.get(url.clone());
        let answer = self.endpoint.send(request, &guard).await?;
        let text = self.endpoint.text(answer, &guard).await?;
        if looks_like_html("", &text) {
            return Err(Fault::WebPage {
                excerpt: excerpt(&text),
            });
        }
        serde_json::from_str(&text).map_err(|_| Fault::Malformed {
            detail: "it is not JSON".to_owned(),
            excerpt: excerpt(&text),
        })
    }
}
