//! A session's file as lines: what is said of the whole, each item of its history, and its totals.

use super::places::list_beside;
use crate::{Addressed, Assembly, Disk, Document};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::io;
use std::path::{Path, PathBuf};

/// The key of the list of items.
const HISTORY: &str = "\"history\"";

/// Puts sessions together.
pub(super) struct Sessions;

impl Assembly for Sessions {
    fn sessions(&self, file: &Path, disk: &dyn Disk) -> io::Result<Vec<Addressed>> {
        Ok(vec![Addressed {
            address: file.to_string_lossy().into_owned(),
            stamp: disk.stamp(file)?,
        }])
    }

    fn document(&self, address: &str, disk: &dyn Disk) -> io::Result<Document> {
        let file = Path::new(address);
        let bytes = disk.read(file, u64::MAX)?;
        let list = disk.read(&list_beside(file), u64::MAX).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        Ok(Document {
            bytes: lines(&text, &list),
            ..Document::default()
        })
    }

    fn signs(&self, address: &str) -> Vec<PathBuf> {
        vec![PathBuf::from(address)]
    }
}

/// The lines of a session. A file that is being written, or is damaged, is read as far as its items
/// are whole.
fn lines(text: &str, list: &[u8]) -> Vec<u8> {
    let text = text.trim_start_matches('\u{feff}');
    let (before, items, after) = split(text);
    let mut header = members(&format!("{before}}}")).unwrap_or_default();
    let is_whole = after.is_some();
    header.extend(after.unwrap_or_default());
    header.remove("history");
    let usage = header.remove("usage");
    if let Some(created) = created(list, header.get("sessionId")) {
        header.insert("dateCreated".to_owned(), created);
    }
    let mut lines = String::new();
    let mut add = |line: &str| {
        lines.push_str(line);
        lines.push('\n');
    };
    add(&Value::Object(header).to_string());
    for item in items {
        add(&one_line(item));
    }
    if !is_whole {
        add("{\"type\":\"torn\"}");
    }
    if let Some(usage) = usage {
        add(&serde_json::json!({"type": "totals", "usage": usage}).to_string());
    }
    lines.into_bytes()
}

/// The text before the history, its items, and the members behind it where it is whole.
fn split(text: &str) -> (&str, Vec<&str>, Option<Map<String, Value>>) {
    let Some((before, rest)) = history(text) else {
        let whole = text.trim_end().strip_suffix('}');
        return (whole.unwrap_or(text), Vec::new(), whole.map(|_| Map::new()));
    };
    let before = before.trim_end().trim_end_matches(',');
    let mut items = Vec::new();
    let mut rest = rest;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n', ',']);
        if let Some(after) = rest.strip_prefix(']') {
            let after = after.trim_start().trim_start_matches(',');
            return (before, items, members(&format!("{{{after}")));
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        let Some(Ok(item)) = values.next() else {
            return (before, items, None);
        };
        items.push(item.get());
        rest = &rest[values.byte_offset()..];
    }
}

/// The text before the key of the history, and that behind the bracket which opens it.
fn history(text: &str) -> Option<(&str, &str)> {
    for (at, _) in text.match_indices(HISTORY) {
        let rest = text[at + HISTORY.len()..].trim_start();
        let rest = rest.strip_prefix(':').map(str::trim_start);
        // The word within a text is followed by something else.
        if let Some(rest) = rest.and_then(|rest| rest.strip_prefix('[')) {
            return Some((&text[..at], rest));
        }
    }
    None
}

fn members(text: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(text) {
        Ok(Value::Object(members)) => Some(members),
        _ => None,
    }
}

/// When a session was begun, by the list of sessions.
fn created(list: &[u8], id: Option<&Value>) -> Option<Value> {
    let list: Value = serde_json::from_slice(list).ok()?;
    let mut sessions = list.as_array()?.iter();
    let own = sessions.find(|own| own.get("sessionId") == id && id.is_some())?;
    own.get("dateCreated").cloned()
}

/// JSON without the line ends and indentation of pretty printing; within its texts there are none.
fn one_line(text: &str) -> String {
    text.split(['\n', '\r'])
        .map(|line| line.trim_matches([' ', '\t']))
        .collect()
}

/// True for the beginning of a session's file.
pub(super) fn sniff(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    let head = head.trim_start_matches('\u{feff}').trim_start();
    head.starts_with('{')
        && head.contains("\"sessionId\"")
        && head.contains("\"workspaceDirectory\"")
        && history(head).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str, list: &str) -> String {
        String::from_utf8(lines(text, list.as_bytes())).unwrap()
    }

    #[test]
    fn items_become_lines() {
        let text = "{\n  \"sessionId\": \"a\",\n  \"title\": \"the \\\"history\\\"\",\n  \
                    \"history\": [\n    {\n      \"message\": {\"content\": \"x\\ny\"}\n    },\n    7\n  \
                    ],\n  \"usage\": {\"totalCost\": 1}\n}";
        let list = "[{\"sessionId\":\"a\",\"dateCreated\":\"5\"}]";
        let expected = "{\"dateCreated\":\"5\",\"sessionId\":\"a\",\"title\":\"the \\\"history\\\"\"}\n\
                        {\"message\": {\"content\": \"x\\ny\"}}\n7\n\
                        {\"type\":\"totals\",\"usage\":{\"totalCost\":1}}\n";
        let made = made(text, list);
        let sorted = |text: &str| -> Vec<Value> {
            let lines = text.lines();
            lines
                .map(|line| serde_json::from_str(line).unwrap())
                .collect()
        };
        assert_eq!(sorted(&made), sorted(expected));
        assert_eq!(made.lines().count(), 4);
    }

    #[test]
    fn a_torn_file_is_read_as_far_as_it_goes() {
        let text = "{\"sessionId\":\"a\",\"history\":[{\"message\":1},{\"mess";
        assert_eq!(
            made(text, "not a list"),
            "{\"sessionId\":\"a\"}\n{\"message\":1}\n{\"type\":\"torn\"}\n"
        );
        assert_eq!(made("", ""), "{}\n{\"type\":\"torn\"}\n");
        assert_eq!(made("{\"sessionId\":\"a\"}", ""), "{\"sessionId\":\"a\"}\n");
    }
}
