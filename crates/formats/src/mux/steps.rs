//! The parts of a row as Mux sends them later: a text after calls begins a message of its own
//! (0.28). Which calls without a text between them were made in one step, no row tells.

use crate::json::text;
use serde_json::Value;
use std::ops::Range;

/// True for a call whose result the model gets; others are left out of requests.
pub(super) fn is_done(part: &Value) -> bool {
    text(part, "type") == "dynamic-tool" && text(part, "state") == "output-available"
}

/// The runs of parts that are sent together; one empty run for a row without parts.
pub(super) fn runs(parts: &[Value]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let (mut start, mut called) = (0, false);
    for (at, part) in parts.iter().enumerate() {
        if is_done(part) {
            called = true;
        } else if called && says(part) {
            runs.push(start..at);
            (start, called) = (at, false);
        }
    }
    runs.push(start..parts.len());
    runs
}

/// True for a part that begins a message behind calls. An empty reasoning is one: it holds what
/// only the provider can read.
fn says(part: &Value) -> bool {
    match text(part, "type") {
        "text" => !text(part, "text").trim().is_empty(),
        "reasoning" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_behind_calls_begins_a_run() {
        let text = |words: &str| json!({"type": "text", "text": words});
        let call = |state: &str| json!({"type": "dynamic-tool", "state": state});
        let done = || call("output-available");
        let parts = [
            text("a"),
            done(),
            done(),
            text(" "),
            text("b"),
            text("c"),
            call("input-available"),
            text("d"),
            done(),
        ];
        assert_eq!(runs(&parts), [0..4, 4..9]);
        assert_eq!(runs(&[]).len(), 1);
    }
}
