//! Token usage and cost as a provider reported them.

use serde::{Deserialize, Serialize};

/// Most tokens a request is taken to have: 2^48, more than any has and little enough for sums over
/// a session to stay numbers. A damaged file can say anything.
pub const MOST_TOKENS: u64 = 1 << 48;

/// Most tokens of a sum: what a database stores, so that a sum that was stored and goes on is the
/// same as one made at once.
pub const MOST_SUMMED: u64 = i64::MAX as u64;

/// Tokens and cost of one request, as the provider reported them.
///
/// `input` excludes cached tokens (pi's and Anthropic's convention); readers of formats that
/// include them subtract. `reasoning` is already part of `output`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens sent that were neither read from nor written to a cache.
    pub input: u64,
    /// Tokens generated, reasoning included.
    pub output: u64,
    /// Tokens read from the provider's cache.
    pub cache_read: u64,
    /// Tokens written to the provider's cache.
    pub cache_write: u64,
    /// Tokens of `cache_write` that the provider keeps for an hour, at a higher price; 0 where it
    /// keeps all for the ordinary time or does not tell.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_hour: u64,
    /// Reasoning tokens, where the provider tells; part of `output`.
    pub reasoning: Option<u64>,
    /// The provider's own total, where it gives one; 0 when it does not.
    pub total: u64,
    /// Cost in US dollars, where the agent stored it.
    pub cost_usd: Option<f64>,
}

/// Left out where it is written, so that what is stored stays as it was.
fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

impl Usage {
    /// Size of the request and its reply in tokens: the reported total, or the sum of the parts
    /// when no total was reported (pi 1.5, `calculateContextTokens`); at most [`MOST_TOKENS`].
    pub fn context_tokens(&self) -> u64 {
        let parts = [self.input, self.output, self.cache_read, self.cache_write];
        let size = match self.total {
            // Saturating, because a damaged file can hold any number.
            0 => parts.into_iter().fold(0, u64::saturating_add),
            total => total,
        };
        size.min(MOST_TOKENS)
    }

    /// The same with no figure above [`MOST_TOKENS`].
    pub fn bounded(&self) -> Usage {
        let most = |tokens: u64| tokens.min(MOST_TOKENS);
        Usage {
            input: most(self.input),
            output: most(self.output),
            cache_read: most(self.cache_read),
            cache_write: most(self.cache_write),
            cache_write_hour: most(self.cache_write_hour),
            reasoning: self.reasoning.map(most),
            total: most(self.total),
            cost_usd: self.cost_usd,
        }
    }

    /// Adds another request's figures to these; no sum is above [`MOST_SUMMED`].
    pub fn add(&mut self, other: &Usage) {
        let plus = |sum: u64, tokens: u64| sum.saturating_add(tokens).min(MOST_SUMMED);
        self.input = plus(self.input, other.input);
        self.output = plus(self.output, other.output);
        self.cache_read = plus(self.cache_read, other.cache_read);
        self.cache_write = plus(self.cache_write, other.cache_write);
        self.cache_write_hour = plus(self.cache_write_hour, other.cache_write_hour);
        // Requests without a reported total count with the sum of their parts, so that the sum is
        // over all requests.
        self.total = plus(self.total, other.context_tokens());
        if let Some(reasoning) = other.reasoning {
            self.reasoning = Some(plus(self.reasoning.unwrap_or(0), reasoning));
        }
        if let Some(cost) = other.cost_usd {
            self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + cost);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_damaged_file_stay_figures() {
        let mad = Usage {
            input: u64::MAX,
            output: u64::MAX,
            reasoning: Some(u64::MAX),
            ..Usage::default()
        };
        assert_eq!(mad.context_tokens(), MOST_TOKENS);
        let mut sum = mad;
        sum.add(&mad);
        assert_eq!((sum.input, sum.reasoning), (MOST_SUMMED, Some(MOST_SUMMED)));
        let bounded = mad.bounded();
        assert_eq!((bounded.input, bounded.output), (MOST_TOKENS, MOST_TOKENS));
        let total = Usage {
            total: u64::MAX,
            ..Usage::default()
        };
        assert_eq!(total.context_tokens(), MOST_TOKENS);
    }
}
