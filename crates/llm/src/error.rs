//! What goes wrong between this program and a model, and what the user can do about it.

use crate::key::ApiKey;
use palimpsest_core::Usage;
use palimpsest_core::failure::{Failure, NextStep, ProviderPart};
use std::fmt;

/// A failed call: why, where, and its partial output.
#[derive(Debug, Clone, PartialEq)]
pub struct LlmError {
    /// What happened.
    pub fault: Fault,
    /// Where and how far.
    pub call: Box<FailedCall>,
}

/// The call that failed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FailedCall {
    /// Provider name as configured.
    pub provider: String,
    /// URL called, without user, password and query; the base URL as given when it is no URL; for
    /// a program its name.
    pub url: String,
    /// Model asked for; empty when models were listed.
    pub model: String,
    /// Environment variable the provider's key is read from.
    pub key_env: Option<String>,
    /// Requests made, the first included.
    pub attempts: u32,
    /// The longest text any of the requests streamed before it failed, and its usage.
    pub partial: Option<Partial>,
}

/// The received part of an incomplete reply.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Partial {
    /// The text so far.
    pub text: String,
    /// Usage as far as it was reported.
    pub usage: Usage,
}

/// What happened to a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A provider elsewhere needs a key and none was found.
    #[error("no API key was found")]
    NoKey,
    /// The provider cannot be called as configured.
    #[error("the provider is not configured correctly: {detail}")]
    Config {
        /// What is wrong.
        detail: String,
    },
    /// The base URL is no address that can be called.
    #[error("the provider is not configured correctly: {detail}")]
    Address {
        /// What is wrong.
        detail: String,
    },
    /// 401 or 403.
    #[error("the provider refused the API key (HTTP {status}): {detail}")]
    Unauthorized {
        /// HTTP status.
        status: u16,
        /// The provider's sentence.
        detail: String,
    },
    /// 402, or a 429 that says the account's quota is used up.
    #[error("the account has no credit or quota left: {detail}")]
    QuotaExhausted {
        /// The provider's sentence.
        detail: String,
    },
    /// The provider does not know the model.
    #[error("the provider does not have the model: {detail}")]
    ModelNotFound {
        /// The provider's sentence.
        detail: String,
    },
    /// The prompt is larger than the model's window.
    #[error("the prompt does not fit the model's context window: {detail}")]
    ContextOverflow {
        /// The provider's sentence.
        detail: String,
    },
    /// 429.
    #[error("the rate limit of the provider is reached (HTTP 429): {detail}")]
    RateLimited {
        /// The provider's sentence.
        detail: String,
        /// The wait it asked for, in milliseconds.
        asked_wait_ms: Option<u64>,
    },
    /// 408 or 5xx.
    #[error("the provider's server failed (HTTP {status}): {detail}")]
    Server {
        /// HTTP status.
        status: u16,
        /// The provider's sentence.
        detail: String,
        /// The wait it asked for, in milliseconds.
        asked_wait_ms: Option<u64>,
    },
    /// Another status that is not success.
    #[error("the provider rejected the request (HTTP {status}): {detail}")]
    Rejected {
        /// HTTP status.
        status: u16,
        /// The provider's sentence.
        detail: String,
    },
    /// The connection could not be made.
    #[error("the server cannot be reached: {detail}")]
    Connect {
        /// The system's sentence.
        detail: String,
    },
    /// The name of the server has no address.
    #[error("the server's name is unknown: {detail}")]
    UnknownHost {
        /// The system's sentence.
        detail: String,
    },
    /// Nothing was received for a while.
    #[error("{silent} nothing for {seconds} s")]
    Silence {
        /// Who was waited for.
        silent: Silent,
        /// How long was waited, in seconds.
        seconds: u64,
    },
    /// The call as a whole took too long.
    #[error("the reply was not complete after {seconds} s")]
    Timeout {
        /// The limit, in seconds.
        seconds: u64,
    },
    /// The connection ended before the reply did.
    #[error("the connection ended before the reply was complete: {detail}")]
    BrokenStream {
        /// How it ended.
        detail: String,
    },
    /// The provider reported an error inside the stream or document.
    #[error("the provider reported {kind}: {detail}")]
    Reported {
        /// Its name for the error.
        kind: String,
        /// Its sentence.
        detail: String,
        /// Whether its name is one of those that pass (overloaded, rate limit, server error).
        passing: bool,
    },
    /// The answer is a web page.
    #[error("the address leads to a web page and not to an API. The page begins with: {excerpt}")]
    WebPage {
        /// Its first characters.
        excerpt: String,
    },
    /// The reply cannot be understood.
    #[error("the reply of the provider is not valid: {detail}{}", begins(excerpt))]
    Malformed {
        /// What is wrong with it.
        detail: String,
        /// Its first characters.
        excerpt: String,
    },
    /// A program that was called ended with another status than 0.
    #[error("the program failed ({status}): {detail}")]
    Program {
        /// How it ended, in words.
        status: String,
        /// The end of what it wrote to standard error.
        detail: String,
    },
    /// The user cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// Who has said nothing for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silent {
    /// A provider called over HTTP.
    Server,
    /// A program that was started.
    Program,
}

impl fmt::Display for Silent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Silent::Server => "the server has sent",
            Silent::Program => "the program has printed",
        })
    }
}

/// The beginning of a reply, where there is one.
fn begins(excerpt: &str) -> String {
    if excerpt.is_empty() {
        return String::new();
    }
    format!(". It begins with: {excerpt}")
}

impl Fault {
    /// A short name that does not change, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Fault::NoKey => "no_key",
            Fault::Config { .. } | Fault::Address { .. } => "config",
            Fault::Unauthorized { .. } => "unauthorized",
            Fault::QuotaExhausted { .. } => "quota_exhausted",
            Fault::ModelNotFound { .. } => "model_not_found",
            Fault::ContextOverflow { .. } => "context_overflow",
            Fault::RateLimited { .. } => "rate_limited",
            Fault::Server { .. } => "server",
            Fault::Rejected { .. } => "rejected",
            Fault::Connect { .. } => "connect",
            Fault::UnknownHost { .. } => "unknown_host",
            Fault::Silence { .. } => "silence",
            Fault::Timeout { .. } => "timeout",
            Fault::BrokenStream { .. } => "broken_stream",
            Fault::Reported { .. } => "reported",
            Fault::WebPage { .. } => "web_page",
            Fault::Malformed { .. } => "malformed",
            Fault::Program { .. } => "program",
            Fault::Cancelled => "cancelled",
        }
    }

    /// What happened, without the full stop that a provider's sentence may end in: more follows.
    pub(crate) fn told(&self) -> String {
        let told = self.to_string();
        // An ellipsis is left as it is.
        match told.strip_suffix('.') {
            Some(before) if !before.ends_with('.') => before.to_owned(),
            _ => told,
        }
    }

    /// Whether the same call may succeed a little later.
    ///
    /// Once text was streamed only a broken stream (or the provider's own report of a passing
    /// trouble) is tried again: a server that fell silent may well go on charging for the reply.
    pub fn may_pass(&self, text_came: bool) -> bool {
        match self {
            Fault::BrokenStream { .. } | Fault::Reported { passing: true, .. } => true,
            Fault::RateLimited { .. }
            | Fault::Server { .. }
            | Fault::Connect { .. }
            | Fault::Silence { .. }
            | Fault::Timeout { .. } => !text_came,
            Fault::NoKey
            | Fault::Config { .. }
            | Fault::Address { .. }
            | Fault::Unauthorized { .. }
            | Fault::QuotaExhausted { .. }
            | Fault::ModelNotFound { .. }
            | Fault::ContextOverflow { .. }
            | Fault::Rejected { .. }
            | Fault::UnknownHost { .. }
            | Fault::Reported { passing: false, .. }
            | Fault::WebPage { .. }
            | Fault::Malformed { .. }
            | Fault::Program { .. }
            | Fault::Cancelled => false,
        }
    }

    /// Whether the request is refused for the temperature it asks for: models that reason first take
    /// none, or only their own.
    pub(crate) fn refuses_temperature(&self) -> bool {
        match self {
            Fault::Rejected {
                // OpenAI answers 400; servers that validate with FastAPI answer 422.
                status: 400 | 422,
                detail,
            }
            | Fault::Reported {
                passing: false,
                detail,
                ..
            } => detail.to_ascii_lowercase().contains("temperature"),
            _ => false,
        }
    }

    /// The same with the key blacked out of whatever the provider said.
    pub(crate) fn without_key(mut self, key: Option<&ApiKey>) -> Fault {
        let Some(key) = key else { return self };
        match &mut self {
            Fault::Config { detail }
            | Fault::Address { detail }
            | Fault::Unauthorized { detail, .. }
            | Fault::QuotaExhausted { detail }
            | Fault::ModelNotFound { detail }
            | Fault::ContextOverflow { detail }
            | Fault::RateLimited { detail, .. }
            | Fault::Server { detail, .. }
            | Fault::Rejected { detail, .. }
            | Fault::Connect { detail }
            | Fault::UnknownHost { detail }
            | Fault::BrokenStream { detail }
            | Fault::Reported { detail, .. }
            | Fault::Program { detail, .. }
            | Fault::WebPage { excerpt: detail }
            | Fault::Malformed {
                excerpt: detail, ..
            } => *detail = key.redact(detail),
            Fault::NoKey | Fault::Silence { .. } | Fault::Timeout { .. } | Fault::Cancelled => {}
        }
        self
    }

    /// The wait the provider asked for, in milliseconds.
    pub(crate) fn asked_wait_ms(&self) -> Option<u64> {
        match self {
            Fault::RateLimited { asked_wait_ms, .. } | Fault::Server { asked_wait_ms, .. } => {
                *asked_wait_ms
            }
            _ => None,
        }
    }
}

impl LlmError {
    /// A short name that does not change, for programs.
    pub fn code(&self) -> &'static str {
        self.fault.code()
    }

    /// Whether the user asked for the end of this call.
    pub fn is_cancelled(&self) -> bool {
        self.fault == Fault::Cancelled
    }
}

impl Failure for LlmError {
    fn next(&self) -> Option<NextStep> {
        let provider = || self.call.provider.clone();
        let edit = |part| NextStep::EditProvider {
            provider: provider(),
            part,
        };
        Some(match &self.fault {
            Fault::NoKey | Fault::Unauthorized { .. } => NextStep::SetKey {
                provider: provider(),
                env: self.call.key_env.clone(),
                no_keyring: false,
            },
            Fault::Config { .. } => edit(ProviderPart::Settings),
            Fault::QuotaExhausted { .. } => NextStep::AddCredit {
                provider: provider(),
            },
            Fault::ModelNotFound { .. } => NextStep::ChooseModel {
                provider: provider(),
            },
            Fault::ContextOverflow { .. } => NextStep::SummarizeLess,
            Fault::RateLimited {
                asked_wait_ms: Some(ms),
                ..
            } if self.call.attempts <= 1 => NextStep::TryAgainIn {
                // Rounded up: a retry a moment too early is refused again.
                seconds: ms.div_ceil(1000),
            },
            Fault::RateLimited { .. }
            | Fault::Server { .. }
            | Fault::Reported { passing: true, .. } => NextStep::TryLater,
            Fault::Rejected {
                status: 300..=399 | 404 | 405,
                ..
            }
            | Fault::UnknownHost { .. }
            | Fault::WebPage { .. }
            | Fault::Address { .. } => edit(ProviderPart::BaseUrl),
            Fault::Rejected { .. } | Fault::Reported { .. } => NextStep::ChangeRequest {
                provider: provider(),
            },
            Fault::Connect { .. } => edit(ProviderPart::Server),
            Fault::Silence {
                silent: Silent::Program,
                ..
            }
            | Fault::Program { .. } => edit(ProviderPart::Command),
            Fault::Silence { .. } | Fault::Timeout { .. } => NextStep::TryFaster,
            Fault::BrokenStream { .. } => NextStep::TryAgain,
            Fault::Malformed { .. } => edit(ProviderPart::Kind),
            Fault::Cancelled => return None,
        })
    }
}

/// What happened, then at which provider and address in brackets, so that the address is last.
impl fmt::Display for LlmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FailedCall {
            provider,
            url,
            attempts,
            ..
        } = &*self.call;
        write!(f, "{} ({provider}", self.fault.told())?;
        if *attempts > 1 {
            write!(f, ", after {attempts} attempts")?;
        }
        match url.as_str() {
            "" => f.write_str(")"),
            url => write!(f, ", {url})"),
        }
    }
}

impl std::error::Error for LlmError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_testkit::failure::assert_apart;

    #[test]
    fn every_fault_has_its_step_beside_its_message() {
        let detail = || "No.".to_owned();
        let every = [
            Fault::NoKey,
            Fault::Config { detail: detail() },
            Fault::Address { detail: detail() },
            Fault::Unauthorized {
                status: 401,
                detail: detail(),
            },
            Fault::QuotaExhausted { detail: detail() },
            Fault::ModelNotFound { detail: detail() },
            Fault::ContextOverflow { detail: detail() },
            Fault::RateLimited {
                detail: detail(),
                asked_wait_ms: Some(1_500),
            },
            Fault::RateLimited {
                detail: detail(),
                asked_wait_ms: None,
            },
            Fault::Server {
                status: 500,
                detail: detail(),
                asked_wait_ms: None,
            },
            Fault::Rejected {
                status: 400,
                detail: detail(),
            },
            Fault::Rejected {
                status: 404,
                detail: detail(),
            },
            Fault::Connect { detail: detail() },
            Fault::UnknownHost { detail: detail() },
            Fault::Silence {
                silent: Silent::Server,
                seconds: 60,
            },
            Fault::Silence {
                silent: Silent::Program,
                seconds: 60,
            },
            Fault::Timeout { seconds: 600 },
            Fault::BrokenStream { detail: detail() },
            Fault::Reported {
                kind: "overloaded".into(),
                detail: detail(),
                passing: true,
            },
            Fault::Reported {
                kind: "invalid".into(),
                detail: detail(),
                passing: false,
            },
            Fault::WebPage { excerpt: detail() },
            Fault::Malformed {
                detail: detail(),
                excerpt: detail(),
            },
            Fault::Program {
                status: "exit status: 3".into(),
                detail: detail(),
            },
            Fault::Cancelled,
        ];
        let url = "https://api.test/v1";
        for fault in every {
            let error = LlmError {
                call: Box::new(FailedCall {
                    provider: "story".into(),
                    url: url.into(),
                    attempts: 2,
                    ..FailedCall::default()
                }),
                fault,
            };
            assert_apart(&[&error]);
            let message = error.to_string();
            assert!(
                message.ends_with(" (story, after 2 attempts, https://api.test/v1)"),
                "{message}"
            );
            assert_eq!(error.next().is_none(), error.is_cancelled(), "{message}");
        }
    }
}
