//! When a failed call is made again, and how long before.

use crate::provider::ProviderLimits;
use async_trait::async_trait;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use std::time::Duration;

/// How often and after what wait a call is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Calls after the first; 3 in pi (since 0.81.1).
    pub max_retries: u32,
    /// Wait before the first retry in milliseconds, doubled for each further one; 2000 in pi.
    pub base_delay_ms: u64,
    /// Longest wait a provider may ask for in milliseconds. When it asks for more, the call fails
    /// and says so: nobody watches a progress bar for an hour.
    pub max_wait_ms: u64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: 3,
            base_delay_ms: 2_000,
            max_wait_ms: 60_000,
        }
    }
}

impl RetryPolicy {
    /// The usual policy with what the user set for a provider.
    pub fn of(set: &ProviderLimits) -> Self {
        let usual = Self::default();
        Self {
            max_retries: set.max_retries.unwrap_or(usual.max_retries),
            ..usual
        }
    }

    /// A policy that never repeats a call.
    pub const NEVER: Self = Self {
        max_retries: 0,
        base_delay_ms: 0,
        max_wait_ms: 0,
    };

    /// The wait in milliseconds before retry `nth` (from 1), given what the provider asked for;
    /// `None` when there are no more retries or it asked for longer than the policy allows.
    pub fn wait_ms(&self, nth: u32, asked_ms: Option<u64>) -> Option<u64> {
        if nth == 0 || nth > self.max_retries {
            return None;
        }
        match asked_ms {
            // Never earlier than asked: the request would be refused again.
            Some(asked) => (asked <= self.max_wait_ms).then_some(asked),
            None => {
                // A larger shift would overflow, and the longest wait is reached long before.
                let doubled = self.base_delay_ms.saturating_mul(1 << (nth - 1).min(16));
                Some(doubled.min(self.max_wait_ms))
            }
        }
    }
}

/// How time passes between two tries; tests pass one that does not wait.
#[async_trait]
pub trait Pause: Send + Sync {
    /// Returns after this time.
    async fn pause(&self, time: Duration);
}

/// Waits in real time, on tokio's timer.
#[derive(Debug, Clone, Copy, Default)]
pub struct TimerPause;

#[async_trait]
impl Pause for TimerPause {
    async fn pause(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}

/// The wait a provider asks for in milliseconds: `retry-after-ms` (OpenAI, Azure), or
/// `Retry-After` in seconds or as a date (RFC 9110, 10.2.3). A date counts from the answer's own
/// `Date` header, so that neither side's clock has to be right; without that header it is ignored.
pub(crate) fn asked_wait_ms(headers: &HeaderMap) -> Option<u64> {
    let text = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    let milliseconds =
        // Bounded, so that sums with a time stay numbers.
        |number: f64| (number.is_finite() && number >= 0.0).then(|| number.ceil().min(1e15) as u64);
    // The finer one first.
    if let Some(number) = text("retry-after-ms").and_then(|value| value.parse::<f64>().ok()) {
        return milliseconds(number);
    }
    let after = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = after.parse::<f64>() {
        return milliseconds(seconds * 1000.0);
    }
    let until = jiff::fmt::rfc2822::parse(after).ok()?.timestamp();
    let now = jiff::fmt::rfc2822::parse(text(DATE.as_str())?)
        .ok()?
        .timestamp();
    // A date in the past means now.
    Some(u64::try_from(until.as_millisecond() - now.as_millisecond()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(pairs: &[(&'static str, &'static str)]) -> Option<u64> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, reqwest::header::HeaderValue::from_static(value));
        }
        asked_wait_ms(&headers)
    }

    #[test]
    fn waits_double_from_two_seconds_three_times() {
        let policy = RetryPolicy::default();
        let waits: Vec<_> = (0..=4).map(|nth| policy.wait_ms(nth, None)).collect();
        assert_eq!(waits, [None, Some(2_000), Some(4_000), Some(8_000), None]);
    }

    #[test]
    fn the_providers_wait_wins_up_to_the_limit() {
        let policy = RetryPolicy::default();
        assert_eq!(policy.wait_ms(1, Some(7_000)), Some(7_000));
        assert_eq!(policy.wait_ms(1, Some(0)), Some(0));
        assert_eq!(policy.wait_ms(1, Some(60_001)), None);
        assert_eq!(RetryPolicy::NEVER.wait_ms(1, Some(0)), None);
    }

    #[test]
    fn reads_seconds_milliseconds_and_dates() {
        assert_eq!(asked(&[("retry-after", "7")]), Some(7_000));
        assert_eq!(asked(&[("retry-after", "0.5")]), Some(500));
        assert_eq!(
            asked(&[("retry-after", "7"), ("retry-after-ms", "250")]),
            Some(250)
        );
        let date = ("retry-after", "Sat, 21 Nov 2026 05:00:30 GMT");
        assert_eq!(
            asked(&[date, ("date", "Sat, 21 Nov 2026 05:00:00 GMT")]),
            Some(30_000)
        );
        assert_eq!(
            asked(&[date, ("date", "Sat, 21 Nov 2026 06:00:00 GMT")]),
            Some(0)
        );
        assert_eq!(
            asked(&[date]),
            None,
            "a date says nothing without the server's clock"
        );
        assert_eq!(asked(&[("retry-after", "soon")]), None);
        assert_eq!(asked(&[("retry-after", "-1")]), None);
        assert_eq!(asked(&[]), None);
    }
}
