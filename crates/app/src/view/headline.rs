//! A call on one line.

use serde_json::Value;

/// Arguments that tell most about a call, in the order tried.
const HEADLINE_KEYS: [&str; 9] = [
    "command",
    "path",
    "file_path",
    "filePath",
    "pattern",
    "query",
    "url",
    "prompt",
    "name",
];

/// The one argument of a call that tells most, on one line.
pub fn headline(arguments: &Value) -> String {
    let named = HEADLINE_KEYS
        .iter()
        .find_map(|key| words(arguments.get(key)?));
    // An unknown tool is named by its first text.
    let first = || arguments.as_object()?.values().find_map(Value::as_str);
    let line = named
        .or_else(|| first().map(str::to_owned))
        .unwrap_or_default();
    let line = line.lines().next().unwrap_or_default();
    // The page shows one line of it.
    line.chars().take(200).collect()
}

/// A text, or the words of a command: Codex stores `["bash", "-lc", "the command"]`.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            Some(match *words?.as_slice() {
                [_, "-lc" | "-c", script] => script.to_owned(),
                ref words => words.join(" "),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_is_told_by_its_command_or_path() {
        for (arguments, told) in [
            (
                json!({"description": "Runs it", "command": "cargo test\nls"}),
                "cargo test",
            ),
            (
                json!({"command": ["bash", "-lc", "cargo test"]}),
                "cargo test",
            ),
            (json!({"command": ["git", "status"]}), "git status"),
            (json!({"n": 3, "text": "first"}), "first"),
            (json!({}), ""),
        ] {
            assert_eq!(headline(&arguments), told, "{arguments}");
        }
    }
}
