//! What a call may take: time, repetitions and, for a program, where it runs.

use crate::http::Limits;
use crate::provider::ProviderConfig;
use crate::retry::{Pause, RetryPolicy, TimerPause};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Time limits, retries and the way to wait between them; for programs, where they run.
#[derive(Clone)]
pub struct CallOptions {
    /// Time limits of each request.
    pub limits: Limits,
    /// When a failed request is made again.
    pub retry: RetryPolicy,
    /// How the time until then passes.
    pub pause: Arc<dyn Pause>,
    /// The whole environment of a program that is called; see [`crate::environment_without_keys`].
    pub environment: BTreeMap<String, String>,
    /// The folder a program is started in; this process's own when `None`.
    pub folder: Option<PathBuf>,
}

impl Default for CallOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            retry: RetryPolicy::default(),
            pause: Arc::new(TimerPause),
            environment: BTreeMap::new(),
            folder: None,
        }
    }
}

impl CallOptions {
    /// The usual options with what the user set for this provider.
    pub fn of(config: &ProviderConfig) -> Self {
        Self {
            limits: Limits::of(&config.limits),
            retry: RetryPolicy::of(&config.limits),
            ..Self::default()
        }
    }
}
