//! How calls went, as their results tell.

use crate::rejection::rejection;
use palimpsest_core::{Block, Message, Outcome};
use serde_json::Value;

/// How the call went whose result a message is: refused, failed as the tool reported, or fine.
pub fn outcome_of(message: &Message) -> Outcome {
    let Some(tool) = &message.tool else {
        return Outcome::Fine;
    };
    let first = message.blocks.iter().find_map(|block| match block {
        Block::Text(text) => Some(text),
        _ => None,
    });
    // Agents mark a refused call as failed, or do not mark it.
    if first.is_some_and(|text| rejection(text).is_some()) {
        return Outcome::Rejected;
    }
    if tool.is_error {
        Outcome::Failed
    } else {
        Outcome::Fine
    }
}

/// True where one of several results is of a call that the user refused.
pub(crate) fn any_rejected(outcomes: impl IntoIterator<Item = Outcome>) -> bool {
    outcomes.into_iter().any(|own| own == Outcome::Rejected)
}

/// True for a result as JSON that says that its tool failed: `success` or `isError`, the status of a
/// process, or an error in words where nothing says that the call went well.
pub(crate) fn says_failed(result: &Value) -> bool {
    let flag = |key: &str| result.get(key).and_then(Value::as_bool);
    if let Some(success) = flag("success") {
        return !success;
    }
    let mut statuses = ["exitCode", "exit_code"]
        .iter()
        .filter_map(|key| result.get(*key)?.as_i64());
    if let Some(status) = statuses.next() {
        return status != 0;
    }
    let error = result.get("error").and_then(Value::as_str);
    flag("isError") == Some(true) || error.is_some_and(|error| !error.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::{Role, ToolRef};
    use serde_json::json;

    fn result(text: &str, is_error: bool) -> Message {
        Message {
            role: Role::Tool,
            native_role: "tool",
            blocks: vec![Block::Text(text.to_owned())],
            tool: Some(ToolRef {
                call_id: "c".to_owned(),
                name: "bash".to_owned(),
                is_error,
            }),
            sent: true,
        }
    }

    #[test]
    fn a_refused_call_is_no_failed_one() {
        let refused = "The user rejected permission to use this specific tool call.";
        for (text, is_error, outcome) in [
            ("done", false, Outcome::Fine),
            ("No such file", true, Outcome::Failed),
            (refused, true, Outcome::Rejected),
            (refused, false, Outcome::Rejected),
        ] {
            assert_eq!(outcome_of(&result(text, is_error)), outcome, "{text}");
        }
        let mut prompt = result("No such file", true);
        prompt.tool = None;
        assert_eq!(outcome_of(&prompt), Outcome::Fine);
    }

    #[test]
    fn a_result_says_in_several_ways_that_its_tool_failed() {
        for (result, failed) in [
            (json!({"success": false, "output": ""}), true),
            (json!({"success": true, "exitCode": 1}), false),
            (json!({"exitCode": 2, "output": ""}), true),
            (json!({"exit_code": 0, "error": "a warning"}), false),
            (json!({"error": "no such file"}), true),
            (json!({"error": " "}), false),
            (json!({"error": null}), false),
            (json!({"isError": true, "content": []}), true),
            (json!({"content": "error"}), false),
            (json!("error"), false),
        ] {
            assert_eq!(says_failed(&result), failed, "{result}");
        }
    }
}
