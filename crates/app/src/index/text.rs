//! What of an entry can be searched for.

use palimpsest_core::body::FAILURE;
use palimpsest_core::{Block, Body, Entry, EntryKind, Message};
use serde_json::Value;

/// Of a text longer than this and [`LAST_BYTES`] together, only the beginning...
pub const FIRST_BYTES: usize = 64 << 10;
/// ...and the end are indexed. Such texts are outputs of tools: logs, dumps, minified files. In
/// 200 MB of ordinary sessions they are rare; where they are not, their middle would be most of
/// the index and nothing one looks for by words.
pub const LAST_BYTES: usize = 16 << 10;

/// The words of an entry as one text: what was said, thought, called and answered, in order, one
/// part per line. Not in it: images, tool declarations, encrypted reasoning, the keys of JSON, and
/// of blocks of an unknown type the ids and numbers, which only the agent reads.
pub fn search_text(entry: &Entry, body: &Body) -> String {
    let mut out = String::new();
    // Why a reply failed comes first: that is what one looks for in it.
    let in_subagent = entry.subagent.is_some();
    let (failures, beside): (Vec<&Message>, Vec<&Message>) = body
        .beside
        .iter()
        .filter(|message| in_subagent || message.is_searched_beside())
        .partition(|message| message.native_role == FAILURE);
    let said = failures.into_iter().chain(&body.messages).chain(beside);
    for block in said.flat_map(|message| &message.blocks) {
        match block {
            Block::Text(text) | Block::Thinking { text, .. } => push(&mut out, text),
            Block::Section { text, .. } => push(&mut out, text.as_deref().unwrap_or_default()),
            Block::ToolCall {
                name, arguments, ..
            } => {
                push(&mut out, name);
                if !push_todos(&mut out, arguments) {
                    push_json(&mut out, ends_of(arguments), Keys::All);
                }
            }
            Block::Opaque { json, .. } => push_json(&mut out, ends_of(json), Keys::Texts),
            Block::Image { .. } | Block::ToolsAdded(_) => {}
        }
    }
    // Labels and names are in no message but are what a user remembers.
    match &entry.kind {
        EntryKind::Label {
            text: Some(text), ..
        } => push(&mut out, text),
        EntryKind::SessionInfo { name: Some(name) } => push(&mut out, name),
        _ => {}
    }
    out
}

/// The words at both ends of a JSON record that is too long to be taken apart.
pub(super) fn search_text_of_ends(raw: &[u8]) -> String {
    let last = raw.len().saturating_sub(LAST_BYTES);
    let mut out = String::new();
    push_json_values(
        &mut out,
        &palimpsest_core::stored::text(&raw[..raw.len().min(FIRST_BYTES)]),
        Keys::All,
    );
    push_json_values(
        &mut out,
        &palimpsest_core::stored::text(&raw[last..]),
        Keys::All,
    );
    out
}

fn push(out: &mut String, text: &str) {
    if text.is_empty() {
        return;
    }
    let (first, last) = ends_of(text);
    out.push_str(first);
    if !last.is_empty() {
        out.push_str("\n…\n");
        out.push_str(last);
    }
    out.push('\n');
}

/// The beginning and the end of a text; the end is empty unless something lies between.
fn ends_of(text: &str) -> (&str, &str) {
    if text.len() <= FIRST_BYTES + LAST_BYTES {
        return (text, "");
    }
    (&text[..text.floor_char_boundary(FIRST_BYTES)], {
        &text[text.ceil_char_boundary(text.len() - LAST_BYTES)..]
    })
}

/// Which values of JSON are searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    /// All: the arguments of a call.
    All,
    /// Texts that are no ids: a record that only the agent reads.
    Texts,
}

impl Keys {
    /// Whether the string behind a key is searched.
    fn takes(self, key: &str) -> bool {
        // `id`, `sessionID`, `parentUuid`, `snapshot`: agents count them up or draw them by chance.
        let is_id = [
            "id",
            "ids",
            "type",
            "hash",
            "snapshot",
            "signature",
            "cursor",
        ]
        .contains(&key)
            || [
                "ID", "IDs", "Id", "Ids", "_id", "_ids", "uuid", "Uuid", "UUID", "Hash", "_hash",
            ]
            .iter()
            .any(|end| key.ends_with(end));
        self == Keys::All || !is_id
    }
}

fn push_json(out: &mut String, (first, last): (&str, &str), keys: Keys) {
    push_json_values(out, first, keys);
    push_json_values(out, last, keys);
}

/// A list of things to do with its states, one per line; false where the arguments are none. Its
/// other fields say the same in other words (Claude Code's `activeForm`).
fn push_todos(out: &mut String, arguments: &str) -> bool {
    // Parsing the arguments of every call would show in the time of a first index.
    if !arguments.contains("\"status\"") || arguments.len() > FIRST_BYTES {
        return false;
    }
    let Ok(Value::Object(fields)) = serde_json::from_str(arguments) else {
        return false;
    };
    // Claude Code and OpenCode; Codex.
    let Some(list) = ["todos", "plan"]
        .iter()
        .find_map(|key| fields.get(*key)?.as_array())
    else {
        return false;
    };
    let text = |item: &Value, keys: &[&str]| {
        let found = keys.iter().find_map(|key| item.get(key)?.as_str());
        found.map(str::to_owned)
    };
    let lines: Option<Vec<String>> = list
        .iter()
        .map(|item| {
            let words = text(item, &["content", "step", "text", "title"])?;
            let state = text(item, &["status"])
                .unwrap_or_default()
                .replace('_', " ");
            Some(match state.as_str() {
                "" => words,
                state => format!("{words} ({state})"),
            })
        })
        .collect();
    let Some(lines) = lines.filter(|lines| !lines.is_empty()) else {
        return false;
    };
    for (key, value) in &fields {
        if let (Some(said), true) = (value.as_str(), Keys::Texts.takes(key)) {
            push(out, said);
        }
    }
    lines.iter().for_each(|line| push(out, line));
    true
}

/// Appends the values of compact JSON: strings unescaped, keys left out. Works on a part of a
/// document as well, where the first string may be taken for the opposite of what it is.
fn push_json_values(out: &mut String, json: &str, keys: Keys) {
    let mut rest = json;
    let mut key = "";
    while let Some(at) = rest.find('"') {
        if keys == Keys::All {
            push_bare(out, &rest[..at]);
        }
        let text = &rest[at + 1..];
        let end = end_of_string(text);
        rest = text.get(end + 1..).unwrap_or("");
        // A string before a colon is a key, the same in every call of a tool.
        if rest.starts_with(':') {
            key = &text[..end];
        } else if keys.takes(key) {
            unescape(out, &text[..end]);
            out.push('\n');
        }
    }
    if keys == Keys::All {
        push_bare(out, rest);
    }
}

/// What stands between strings: numbers and the names of other values.
fn push_bare(out: &mut String, between: &str) {
    let bare = between.trim_matches(|c: char| !c.is_alphanumeric());
    // `false` or `null` of an argument says nothing without its key.
    if !bare.is_empty() && !matches!(bare, "true" | "false" | "null") {
        out.push_str(bare);
        out.push('\n');
    }
}

/// Where a JSON string ends: at its closing quote, or at the end of the text.
fn end_of_string(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at,
            // The escaped character may be a quote.
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn unescape(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let mut after = rest[at + 1..].chars();
        match after.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r' | 'b' | 'f') => out.push(' '),
            // Only control characters are written this way in what we are given.
            Some('u') => {
                out.push(' ');
                after = after.as_str().get(4..).unwrap_or("").chars();
            }
            Some(other) => out.push(other),
            None => {}
        }
        rest = after.as_str();
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn values(json: &str) -> String {
        let mut out = String::new();
        push_json_values(&mut out, json, Keys::All);
        out
    }

    #[test]
    fn keys_of_arguments_are_left_out() {
        let arguments = json!({
            "path": "src/a.rs", "edits": [{"old": "say \"hi\"", "new": "a\tb\nc"}], "n": 12,
            "all": true, "none": null
        });
        assert_eq!(
            values(&arguments.to_string()),
            "src/a.rs\nsay \"hi\"\na\tb\nc\n12\n"
        );
        assert_eq!(
            values(r#"{"a":"cut off in the mid"#),
            "cut off in the mid\n"
        );
    }

    #[test]
    fn of_a_block_that_only_the_agent_reads_ids_and_numbers_are_left_out() {
        let part = json!({
            "id": "prt_1f", "sessionID": "ses_2e", "messageID": "msg_3d", "type": "step-finish",
            "snapshot": "9b74c989", "tokens": {"input": 12}, "reason": "tool-calls",
            "files": ["src/a.rs"]
        });
        let mut out = String::new();
        push_json_values(&mut out, &part.to_string(), Keys::Texts);
        assert_eq!(out, "tool-calls\nsrc/a.rs\n");
    }

    #[test]
    fn a_list_of_things_to_do_is_one_line_for_each() {
        let list = json!({"todos": [
            {"content": "Read it", "status": "in_progress", "activeForm": "Reading it"},
            {"content": "Write it", "status": "pending", "id": "2"},
        ]});
        let mut out = String::new();
        assert!(push_todos(&mut out, &list.to_string()));
        assert_eq!(out, "Read it (in progress)\nWrite it (pending)\n");
        let plan = json!({"explanation": "Next", "plan": [{"step": "a", "status": "completed"}]});
        out.clear();
        assert!(push_todos(&mut out, &plan.to_string()));
        assert_eq!(out, "Next\na (completed)\n");
        assert!(!push_todos(
            &mut out,
            r#"{"status":"pending","todos":"none"}"#
        ));
    }

    #[test]
    fn only_the_ends_of_a_long_text_are_kept() {
        let long = format!("first {} last", "é".repeat(200_000));
        let mut out = String::new();
        push(&mut out, &long);
        assert!(out.len() <= FIRST_BYTES + LAST_BYTES + 16, "{}", out.len());
        assert!(out.starts_with("first ") && out.ends_with(" last\n"));
    }

    proptest! {
        #[test]
        fn every_string_value_is_in_the_text(texts in prop::collection::vec("[ -~äé\n\t]{0,12}", 0..6)) {
            let json = Value::from(texts.clone()).to_string();
            let out = values(&json);
            for text in texts {
                prop_assert!(out.contains(&text), "{text:?} in {out:?} from {json}");
            }
        }

        #[test]
        fn any_text_is_taken(text in ".{0,40}") {
            // A value is at least one byte long and gets a line end.
            prop_assert!(values(&text).len() <= 2 * text.len());
        }
    }
}
