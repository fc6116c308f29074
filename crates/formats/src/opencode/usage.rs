//! What a message cost, from its steps.

use super::value::{count, text};
use palimpsest_core::Usage;
use serde_json::Value;

/// The usage of a message: its steps added up, or its own figures where it has no finished step.
///
/// `total` is the size of the *last* step's request and reply, as the message itself stores it, so
/// that a reply in several steps (0.x) still tells how large the context was.
pub(super) fn usage(info: &Value, parts: &[Value]) -> Option<Usage> {
    let steps = parts
        .iter()
        .filter(|part| text(part, "type") == "step-finish");
    let mut sum: Option<Usage> = None;
    for step in steps.filter_map(figures) {
        let mut all = sum.unwrap_or_default();
        all.add(&step);
        all.total = step.context_tokens();
        sum = Some(all);
    }
    sum.or_else(|| figures(info).filter(|usage| usage.context_tokens() > 0))
}

/// The figures of a step or message: `tokens` and `cost`.
fn figures(holder: &Value) -> Option<Usage> {
    let tokens = holder.get("tokens").filter(|tokens| tokens.is_object())?;
    let cache = tokens.get("cache").unwrap_or(&Value::Null);
    let reasoning = count(tokens, "reasoning");
    let mut usage = Usage {
        input: count(tokens, "input"),
        output: count(tokens, "output"),
        cache_read: count(cache, "read"),
        cache_write: count(cache, "write"),
        cache_write_hour: 0,
        reasoning: Some(reasoning),
        total: count(tokens, "total"),
        cost_usd: holder.get("cost").and_then(Value::as_f64),
    };
    // Versions differ in whether `output` includes the reasoning; the total tells.
    let parts = [
        usage.input,
        usage.output,
        usage.cache_read,
        usage.cache_write,
        reasoning,
    ];
    let parts = parts.into_iter().fold(0, u64::saturating_add);
    if usage.total > 0 && usage.total == parts {
        usage.output = usage.output.saturating_add(reasoning);
    }
    Some(usage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tokens(total: u64, output: u64, reasoning: u64) -> Value {
        json!({"type": "step-finish", "cost": 0.5, "tokens": {"total": total, "input": 10,
            "output": output, "reasoning": reasoning, "cache": {"read": 5, "write": 1}}})
    }

    #[test]
    fn output_includes_reasoning_once() {
        for (step, output) in [
            (tokens(20, 4, 3), 4),
            (tokens(23, 4, 3), 7),
            (tokens(0, 4, 3), 4),
        ] {
            let usage = usage(&Value::Null, std::slice::from_ref(&step)).unwrap();
            assert_eq!(usage.output, output, "{step}");
            assert_eq!(usage.reasoning, Some(3));
        }
    }

    #[test]
    fn steps_are_added_up_and_the_last_one_tells_the_size() {
        let steps = [tokens(20, 4, 0), tokens(30, 14, 0)];
        let usage = usage(&tokens(30, 14, 0), &steps).unwrap();
        assert_eq!((usage.input, usage.output, usage.cache_read), (20, 18, 10));
        assert_eq!(usage.cost_usd, Some(1.0));
        assert_eq!(usage.context_tokens(), 30);
    }

    #[test]
    fn a_message_that_never_ended_has_no_usage() {
        let none = json!({"cost": 0, "tokens": {"input": 0, "output": 0, "reasoning": 0,
            "cache": {"read": 0, "write": 0}}});
        assert_eq!(usage(&none, &[]), None);
    }
}
