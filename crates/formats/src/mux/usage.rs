//! What a row cost, and how large the context was.

use crate::json::{count, field};
use palimpsest_core::Usage;
use serde_json::Value;

/// The usage of all steps: of a row in its `metadata`, of a request without a row in its line.
///
/// `total` is the size of the last step's request and reply, which is what the context has grown to;
/// 0 where it is not stored.
pub(super) fn usage(holder: &Value) -> Option<Usage> {
    let mut all = figures(field(holder, "usage"), field(holder, "providerMetadata"))?;
    all.total = last_step(holder).map_or(0, |last| last.context_tokens());
    Some(all)
}

/// The usage of the last step alone.
pub(super) fn last_step(holder: &Value) -> Option<Usage> {
    let provider = field(holder, "contextProviderMetadata");
    figures(field(holder, "contextUsage"), provider).filter(|last| last.context_tokens() > 0)
}

/// The usage of the steps before the last one.
pub(super) fn before_last(all: &Usage, last: &Usage) -> Usage {
    let rest = |all: u64, last: u64| all.saturating_sub(last);
    Usage {
        input: rest(all.input, last.input),
        output: rest(all.output, last.output),
        cache_read: rest(all.cache_read, last.cache_read),
        cache_write: rest(all.cache_write, last.cache_write),
        cache_write_hour: 0,
        reasoning: all
            .reasoning
            .map(|all| rest(all, last.reasoning.unwrap_or_default())),
        total: 0,
        cost_usd: None,
    }
}

/// Input includes what the cache gave and took; only Anthropic tells what it took, beside the usage.
fn figures(sum: &Value, provider: &Value) -> Option<Usage> {
    let (input, output) = (count(sum, "inputTokens"), count(sum, "outputTokens"));
    input.or(output)?;
    let details = field(sum, "inputTokenDetails");
    let read = count(sum, "cachedInputTokens").or_else(|| count(details, "cacheReadTokens"));
    let anthropic = field(provider, "anthropic");
    let written = count(anthropic, "cacheCreationInputTokens")
        .or_else(|| count(field(anthropic, "usage"), "cache_creation_input_tokens"))
        .or_else(|| count(details, "cacheWriteTokens"));
    let (read, written) = (read.unwrap_or_default(), written.unwrap_or_default());
    let reasoning = count(sum, "reasoningTokens")
        .or_else(|| count(field(sum, "outputTokenDetails"), "reasoningTokens"));
    let uncached = input.unwrap_or_default().saturating_sub(read);
    Some(Usage {
        input: uncached.saturating_sub(written),
        output: output.unwrap_or_default(),
        cache_read: read,
        cache_write: written,
        cache_write_hour: 0,
        reasoning,
        total: 0,
        cost_usd: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn input_is_what_the_cache_neither_gave_nor_took() {
        let metadata = json!({
            "usage": {"inputTokens": 1000, "outputTokens": 20, "cachedInputTokens": 600,
                "reasoningTokens": 5},
            "contextUsage": {"inputTokens": 400, "outputTokens": 12, "cachedInputTokens": 200},
            "providerMetadata": {"anthropic": {"cacheCreationInputTokens": 300}},
            "contextProviderMetadata": {"anthropic": {"cacheCreationInputTokens": 150}},
        });
        let all = usage(&metadata).unwrap();
        assert_eq!((all.input, all.output), (100, 20));
        assert_eq!((all.cache_read, all.cache_write), (600, 300));
        assert_eq!(all.context_tokens(), 412);
        let last = last_step(&metadata).unwrap();
        assert_eq!((last.input, last.context_tokens()), (50, 412));
        let rest = before_last(&all, &last);
        assert_eq!((rest.input, rest.output, rest.cache_read), (50, 8, 400));
        assert_eq!((rest.cache_write, rest.reasoning), (150, Some(5)));
    }

    #[test]
    fn odd_figures_are_no_figures() {
        assert_eq!(usage(&json!({"usage": {}})), None);
        assert_eq!(usage(&json!({"usage": 7})), None);
        let odd = json!({"inputTokens": -3, "outputTokens": 1e300, "cachedInputTokens": 9});
        let odd = usage(&json!({ "usage": odd })).unwrap();
        assert_eq!((odd.input, odd.cache_read, odd.total), (0, 9, 0));
    }
}
