//! A chat as VS Code stores it: one object, or a journal of changes that make one
//! (`chatSessionStore.ts`, 2026).

use crate::json::{parse, text};
use serde_json::{Map, Value};

/// Most keys of a path; those of recorded changes have up to five.
const MOST_KEYS: usize = 64;

/// A chat with what could not be read of it.
#[derive(Debug, Default)]
pub(super) struct Chat {
    /// The object; null where there is none.
    pub root: Value,
    /// What is wrong, with the number of the line, from 1.
    pub warnings: Vec<(usize, String)>,
}

/// The chat that a file holds.
pub(super) fn read(bytes: &[u8]) -> Chat {
    let whole = String::from_utf8_lossy(crate::jsonl::without_mark(bytes));
    // One object, compact or over several lines; a journal's first line is one too, with a kind.
    if let Ok(root) = parse(&whole)
        && root.get("kind").is_none()
    {
        return Chat {
            root,
            ..Chat::default()
        };
    }
    let mut chat = Chat::default();
    for (number, line) in whole.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let changed = match parse(line) {
            Ok(change) => apply(&mut chat.root, change),
            Err(error) => Err(crate::jsonl::plain(&error)),
        };
        if let Err(reason) = changed {
            chat.warnings.push((number + 1, reason));
        }
    }
    chat
}

/// Makes one change; an error says why it does not fit.
fn apply(root: &mut Value, mut change: Value) -> Result<(), String> {
    let kind = change.get("kind").and_then(Value::as_u64);
    let keys = match change.get_mut("k").map(Value::take) {
        Some(Value::Array(keys)) => keys,
        _ => Vec::new(),
    };
    let value = change.get_mut("v").map(Value::take);
    match kind {
        Some(0) => *root = value.unwrap_or_default(),
        Some(1) => *place(root, &keys)? = value.unwrap_or_default(),
        Some(2) => {
            let list = place(root, &keys)?;
            if !list.is_array() {
                *list = Value::Array(Vec::new());
            }
            if let Value::Array(items) = list {
                let keep = change.get("i").and_then(Value::as_u64);
                if let Some(keep) = keep.and_then(|keep| usize::try_from(keep).ok()) {
                    items.truncate(keep);
                }
                match value {
                    Some(Value::Array(more)) => items.extend(more),
                    _ => return Err("a change that adds nothing".to_owned()),
                }
            }
        }
        Some(3) => remove(root, &keys)?,
        _ => return Err("a change of an unknown kind".to_owned()),
    }
    Ok(())
}

/// The place that keys lead to, made where the last key is new.
fn place<'r>(root: &'r mut Value, keys: &[Value]) -> Result<&'r mut Value, String> {
    // A path of any length would make an object of any depth.
    if keys.len() > MOST_KEYS {
        return Err(format!("a change at a path of {} keys", keys.len()));
    }
    let mut at = root;
    for key in keys {
        if at.is_null() && key.is_string() {
            *at = Value::Object(Map::new());
        }
        at = match (key, at) {
            (Value::String(key), Value::Object(members)) => {
                members.entry(key.clone()).or_insert(Value::Null)
            }
            (Value::Number(index), Value::Array(items)) => {
                let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
                let end = items.len();
                match index {
                    Some(index) if index < end => &mut items[index],
                    Some(index) if index == end => {
                        items.push(Value::Null);
                        &mut items[end]
                    }
                    _ => return Err(format!("a change beyond the end of a list of {end}")),
                }
            }
            _ => return Err(format!("a change of {key}, which is missing")),
        };
    }
    Ok(at)
}

fn remove(root: &mut Value, keys: &[Value]) -> Result<(), String> {
    let Some((last, above)) = keys.split_last() else {
        *root = Value::Null;
        return Ok(());
    };
    match (last, place(root, above)?) {
        (Value::String(key), Value::Object(members)) => {
            members.shift_remove(key);
        }
        (Value::Number(index), Value::Array(items)) => {
            let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
            if let Some(index) = index.filter(|index| *index < items.len()) {
                items.remove(index);
            }
        }
        _ => return Err(format!("{last} cannot be removed, it is missing")),
    }
    Ok(())
}

/// True for the beginning of a chat, in either form.
pub(super) fn sniff(head: &[u8]) -> bool {
    let head = crate::jsonl::without_mark(head).trim_ascii_start();
    if !head.starts_with(b"{") {
        return false;
    }
    let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if let Ok(Value::Object(record)) = serde_json::from_slice(first) {
        let is_begun = record.get("kind").and_then(Value::as_u64) == Some(0);
        let chat = if is_begun {
            record.get("v").cloned().unwrap_or_default()
        } else {
            Value::Object(record)
        };
        return is_chat(&chat);
    }
    // Longer than what was read, or over several lines.
    let beginning = String::from_utf8_lossy(head);
    let names = [
        "\"requesterUsername\"",
        "\"responderUsername\"",
        "\"initialLocation\"",
    ];
    names
        .iter()
        .filter(|name| beginning.contains(**name))
        .count()
        > 1
}

fn is_chat(chat: &Value) -> bool {
    chat.get("requests").is_some_and(Value::is_array)
        && (!text(chat, "sessionId").is_empty() || chat.get("responderUsername").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn replayed(lines: &[Value]) -> Chat {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        read(lines.join("\n").as_bytes())
    }

    #[test]
    fn changes_are_made_in_their_order() {
        let chat = replayed(&[
            json!({"kind": 0, "v": {"requests": [], "title": "a"}}),
            json!({"kind": 2, "k": ["requests"], "v": [{"id": 1, "parts": [1, 2, 3]}]}),
            json!({"kind": 2, "k": ["requests", 0, "parts"], "v": [9], "i": 1}),
            json!({"kind": 1, "k": ["requests", 0, "result", "done"], "v": true}),
            json!({"kind": 3, "k": ["title"]}),
            json!({"kind": 1, "k": ["requests", 1], "v": {"id": 2}}),
        ]);
        let root =
            json!({"requests": [{"id": 1, "parts": [1, 9], "result": {"done": true}}, {"id": 2}]});
        assert_eq!((chat.root, chat.warnings.len()), (root, 0));
    }

    #[test]
    fn a_change_that_does_not_fit_is_named_and_the_rest_is_made() {
        let chat = replayed(&[
            json!({"kind": 0, "v": {"requests": []}}),
            json!({"kind": 1, "k": ["requests", 7], "v": 1}),
            json!({"kind": 9}),
            json!({"kind": 1, "k": ["customTitle"], "v": "b"}),
        ]);
        assert_eq!(chat.root["customTitle"], "b");
        let lines: Vec<usize> = chat.warnings.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 3]);
        assert_eq!(
            read(b"{\"kind\":0,\"v\":{\"a\":1}}\n{half").warnings.len(),
            1
        );
    }

    #[test]
    fn a_later_beginning_starts_over() {
        let chat = replayed(&[
            json!({"kind": 0, "v": {"requests": [1]}}),
            json!({"kind": 0, "v": {"requests": [2]}}),
        ]);
        assert_eq!(chat.root, json!({"requests": [2]}));
    }
}
