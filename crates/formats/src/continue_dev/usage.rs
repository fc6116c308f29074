//! Tokens as Continue stores them: the editor in its own words, the command line as OpenAI's API
//! gives them. The prompt includes what was read from and written to the cache.

use crate::json::count;
use palimpsest_core::Usage;
use serde_json::Value;

/// The usage stored with a reply.
pub(super) fn figures(stored: &Value) -> Option<Usage> {
    let either = |editor: &str, line: &str| {
        let found = stored.get(editor).or_else(|| stored.get(line));
        found.unwrap_or(&Value::Null)
    };
    let either_count = |editor: &str, line: &str| {
        let own = count(stored, editor);
        own.or_else(|| count(stored, line))
    };
    let prompt = either_count("promptTokens", "prompt_tokens")?;
    let output = either_count("completionTokens", "completion_tokens").unwrap_or(0);
    let cache = either("promptTokensDetails", "prompt_tokens_details");
    let part = |editor: &str, line: &str| {
        let own = count(cache, editor);
        own.or_else(|| count(cache, line)).unwrap_or(0)
    };
    let read = part("cachedTokens", "cached_tokens");
    let written = part("cacheWriteTokens", "cache_write_tokens");
    let details = either("completionTokensDetails", "completion_tokens_details");
    let reasoning = count(details, "reasoningTokens");
    let reasoning = reasoning.or_else(|| count(details, "reasoning_tokens"));
    let cents = stored.get("cost_cents").and_then(Value::as_f64);
    Some(Usage {
        input: prompt.saturating_sub(read).saturating_sub(written),
        output,
        cache_read: read,
        cache_write: written,
        reasoning,
        cost_usd: cents.map(|cents| cents / 100.0),
        ..Usage::default()
    })
}

/// The totals of a session.
pub(super) fn of_session(stored: &Value) -> Option<Usage> {
    let usage = figures(stored)?;
    Some(Usage {
        cost_usd: stored.get("totalCost").and_then(Value::as_f64),
        ..usage
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_spellings_leave_the_cache_out_of_the_input() {
        let editor = json!({"promptTokens": 100, "completionTokens": 5,
            "promptTokensDetails": {"cachedTokens": 60, "cacheWriteTokens": 10}});
        let line = json!({"prompt_tokens": 100, "completion_tokens": 5, "cost_cents": 1,
            "prompt_tokens_details": {"cached_tokens": 60},
            "completion_tokens_details": {"reasoning_tokens": 2}});
        let editor = figures(&editor).unwrap();
        assert_eq!(
            (editor.input, editor.cache_read, editor.cache_write),
            (30, 60, 10)
        );
        let line = figures(&line).unwrap();
        assert_eq!((line.input, line.output, line.cache_read), (40, 5, 60));
        assert_eq!((line.reasoning, line.cost_usd), (Some(2), Some(0.01)));
        assert_eq!(figures(&json!({})), None);
    }
}
