//! Outputs of tools, as they are stored and as the model gets them.

use crate::json::{field, filled, flag, items, parse, text};
use crate::outcome::says_failed;
use palimpsest_core::json::stringify;
use palimpsest_core::{Block, Message};
use serde_json::{Map, Value};

/// The member of an output that is for the window only (0.28): in the request right after the call
/// it is still there, in all later ones it is not.
const FOR_THE_WINDOW: &str = "ui_only";
/// Stands for the changes to a file in what the model gets (all versions).
const DIFF_OMITTED: &str =
    "[diff omitted in context - call file_read on the target file if needed]";
/// The tools whose changes are left out.
const EDITS: &str = "file_edit_";

/// An output as text: JSON, but for an output that is a text itself.
pub(super) fn stored(output: &Value) -> String {
    match output {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => stringify(other),
    }
}

/// An output as the model gets it in later requests; `None` where that is how it is stored.
pub(super) fn later(tool: &str, output: &Value) -> Option<Value> {
    let shortened = without_window(output);
    let whole = shortened.as_ref().unwrap_or(output);
    without_diff(tool, whole).or(shortened)
}

fn without_window(value: &Value) -> Option<Value> {
    match value {
        Value::Object(object) => {
            let mut changed = object.contains_key(FOR_THE_WINDOW);
            let mut own = Map::new();
            for (key, member) in object.iter().filter(|(key, _)| *key != FOR_THE_WINDOW) {
                let shortened = without_window(member);
                changed |= shortened.is_some();
                own.insert(key.clone(), shortened.unwrap_or_else(|| member.clone()));
            }
            changed.then_some(Value::Object(own))
        }
        Value::Array(all) => {
            let shortened: Vec<Option<Value>> = all.iter().map(without_window).collect();
            if shortened.iter().all(Option::is_none) {
                return None;
            }
            let whole = shortened.into_iter().zip(all);
            let own = whole.map(|(new, old)| new.unwrap_or_else(|| old.clone()));
            Some(Value::Array(own.collect()))
        }
        _ => None,
    }
}

/// Versions before the window had its own member stored the changes in the output itself.
fn without_diff(tool: &str, output: &Value) -> Option<Value> {
    let wrapped = text(output, "type") == "json" && output.get("value").is_some();
    let held = if wrapped {
        field(output, "value")
    } else {
        output
    };
    let has_diff = filled(held, "diff").is_some_and(|diff| diff != DIFF_OMITTED);
    if !tool.starts_with(EDITS) || !flag(held, "success") || !has_diff {
        return None;
    }
    let mut short = Map::new();
    short.insert("success".to_owned(), true.into());
    for key in ["edits_applied", "diff", "lines_replaced", "line_delta"] {
        let known = match key {
            "diff" => Some(DIFF_OMITTED.into()),
            _ => held.get(key).cloned(),
        };
        if let Some(known) = known {
            short.insert(key.to_owned(), known);
        }
    }
    Some(if wrapped {
        let mut outer = Map::new();
        outer.insert("type".to_owned(), "json".into());
        outer.insert("value".to_owned(), Value::Object(short));
        Value::Object(outer)
    } else {
        Value::Object(short)
    })
}

/// True for an output that says that the tool failed. Outputs of tools that others wrote may stand in
/// a wrapper that names their type (AI SDK 5).
pub(super) fn failed(output: &Value) -> bool {
    match (text(output, "type"), output.get("value")) {
        ("error-text" | "error-json", Some(_)) => true,
        ("json", Some(held)) => says_failed(held),
        _ => says_failed(output),
    }
}

/// The blocks of an output: its text, or text and media where it holds both.
pub(super) fn blocks(output: &Value) -> Vec<Block> {
    let held = items(output, "value");
    if text(output, "type") != "content" || held.is_empty() {
        return vec![Block::Text(stored(output))];
    }
    let blocks = held.iter().map(|one| match text(one, "type") {
        "media" => Block::Image {
            mime: text(one, "mediaType").to_owned(),
            base64_len: text(one, "data").len() as u64,
        },
        "text" => Block::Text(text(one, "text").to_owned()),
        _ => Block::Text(stored(one)),
    });
    blocks.collect()
}

/// Makes of a stored result what the model gets in later requests.
pub(super) fn shorten(message: &mut Message) {
    let Some(tool) = &message.tool else { return };
    let [Block::Text(stored_text)] = message.blocks.as_mut_slice() else {
        return;
    };
    if let Ok(output) = parse(stored_text)
        && let Some(shortened) = later(&tool.name, &output)
    {
        *stored_text = stored(&shortened);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_for_the_window_is_left_out_wherever_it_is() {
        let output = json!({"success": true, "ui_only": {"x": 1}, "n": [{"ui_only": 1, "a": 2}]});
        let expected = json!({"success": true, "n": [{"a": 2}]});
        assert_eq!(later("bash", &output), Some(expected));
        assert_eq!(later("bash", &json!({"output": "ui_only"})), None);
    }

    #[test]
    fn an_output_in_a_wrapper_may_say_that_its_tool_failed() {
        for (output, is_failure) in [
            (json!({"success": false, "exitCode": 1}), true),
            (json!({"error": "no such page"}), true),
            (json!({"type": "json", "value": {"success": false}}), true),
            (json!({"type": "error-text", "value": "no such page"}), true),
            (json!({"type": "json", "value": {"success": true}}), false),
            (json!({"type": "content", "value": []}), false),
            (json!("an error"), false),
        ] {
            assert_eq!(failed(&output), is_failure, "{output}");
        }
    }

    #[test]
    fn changes_stored_in_the_output_are_left_out() {
        let output = json!({"success": true, "diff": "--- a", "edits_applied": 2, "warning": "w"});
        let expected = json!({"success": true, "edits_applied": 2, "diff": DIFF_OMITTED});
        let tool = "file_edit_replace_string";
        assert_eq!(later(tool, &output), Some(expected.clone()));
        assert_eq!(later(tool, &expected), None);
        assert_eq!(later("bash", &output), None);
        let failed = json!({"success": false, "diff": "--- a"});
        assert_eq!(later(tool, &failed), None);
        let wrapped = json!({"type": "json", "value": output});
        let expected = json!({"type": "json", "value": expected});
        assert_eq!(later(tool, &wrapped), Some(expected));
    }
}
